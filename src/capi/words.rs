//! Messages in C's words: the names of enumerations that Rust writes as `SymplecticEuler` become those of
//! the header, such as DS_INTEGRATOR_SYMPLECTIC_EULER.

/// The header's names of the enumerations that messages write, with the length of their prefix. A test
/// compares the names with the header.
macro_rules! names {
    ($($prefix:literal $($name:ident)*;)*) => {
        &[$($((stringify!($name), $prefix.len())),*),*]
    };
}

const NAMES: &[(&str, usize)] = names! {
    "DS_CONTACT_" DS_CONTACT_NCP DS_CONTACT_LCP DS_CONTACT_CONVEX DS_CONTACT_PENALTY;
    "DS_INTEGRATOR_" DS_INTEGRATOR_SYMPLECTIC_EULER DS_INTEGRATOR_IMPLICIT_EULER
        DS_INTEGRATOR_MIDPOINT DS_INTEGRATOR_BDF1 DS_INTEGRATOR_BDF2 DS_INTEGRATOR_SYMPLECTIC_EULER_WORLD
        DS_INTEGRATOR_SDIRK2;
    "DS_PARAM_" DS_PARAM_BODY_INERTIA DS_PARAM_GEOM_FRICTION DS_PARAM_GEOM_RESTITUTION
        DS_PARAM_CONTACT_STIFFNESS DS_PARAM_CONTACT_DISSIPATION DS_PARAM_JOINT_DAMPING
        DS_PARAM_JOINT_STIFFNESS DS_PARAM_JOINT_ARMATURE DS_PARAM_JOINT_PLACEMENT DS_PARAM_GEOM_SIZE
        DS_PARAM_SPRING DS_PARAM_GRAVITY DS_PARAM_JOINT_SPRING_REFERENCE DS_PARAM_JOINT_FRICTION
        DS_PARAM_EXTERNAL_WRENCH DS_PARAM_STABILIZATION DS_PARAM_CONTACT_TANGENTIAL DS_PARAM_TENDON
        DS_PARAM_PRESCRIBED DS_PARAM_ACTUATOR_GAIN DS_PARAM_HYDROELASTIC_MODULUS DS_PARAM_SPLINE_FRAME
        DS_PARAM_REDUCTION DS_PARAM_DEFORMABLE DS_PARAM_JOINT_FRICTION_COEFFICIENT;
    "DS_CONVEX_" DS_CONVEX_SAP DS_CONVEX_LAGGED DS_CONVEX_SIMILAR;
    "DS_SMOOTHING_" DS_SMOOTHING_FIRST_ORDER DS_SMOOTHING_ZEROTH_ORDER
        DS_SMOOTHING_CENTRAL_PATH;
    "DS_SENSOR_" DS_SENSOR_FRAME_POSITION DS_SENSOR_FRAME_QUATERNION
        DS_SENSOR_FRAME_X_AXIS DS_SENSOR_FRAME_Y_AXIS DS_SENSOR_FRAME_Z_AXIS
        DS_SENSOR_FRAME_LINEAR_VELOCITY DS_SENSOR_FRAME_ANGULAR_VELOCITY
        DS_SENSOR_FRAME_LINEAR_ACCELERATION DS_SENSOR_FRAME_ANGULAR_ACCELERATION DS_SENSOR_GYRO
        DS_SENSOR_VELOCIMETER DS_SENSOR_ACCELEROMETER DS_SENSOR_MAGNETOMETER DS_SENSOR_RANGEFINDER
        DS_SENSOR_TOUCH DS_SENSOR_FORCE DS_SENSOR_TORQUE DS_SENSOR_JOINT_POSITION
        DS_SENSOR_JOINT_VELOCITY DS_SENSOR_BALL_QUATERNION DS_SENSOR_BALL_ANGULAR_VELOCITY
        DS_SENSOR_JOINT_ACTUATOR_FORCE DS_SENSOR_TENDON_POSITION DS_SENSOR_TENDON_VELOCITY
        DS_SENSOR_ACTUATOR_POSITION DS_SENSOR_ACTUATOR_VELOCITY DS_SENSOR_ACTUATOR_FORCE
        DS_SENSOR_SUBTREE_CENTER DS_SENSOR_SUBTREE_LINEAR_VELOCITY DS_SENSOR_SUBTREE_ANGULAR_MOMENTUM
        DS_SENSOR_JOINT_LIMIT_POSITION DS_SENSOR_JOINT_LIMIT_VELOCITY DS_SENSOR_JOINT_LIMIT_FORCE
        DS_SENSOR_TENDON_LIMIT_POSITION DS_SENSOR_TENDON_LIMIT_VELOCITY DS_SENSOR_TENDON_LIMIT_FORCE;
};

/// Whether `word` is Rust's form of C's `name`: capitals at the start and after each underscore.
fn is(word: &str, name: &str) -> bool {
    let mut starts = true;
    let mut letters = word.chars();
    for c in name.chars() {
        if c == '_' {
            starts = true;
            continue;
        }
        let wanted = if starts { c } else { c.to_ascii_lowercase() };
        starts = false;
        if letters.next() != Some(wanted) {
            return false;
        }
    }
    letters.next().is_none()
}

/// A message with C's names. Names in quotes are the caller's and stay, as do messages with a path.
pub fn in_c(message: &str) -> String {
    if message.contains(['/', '\\']) {
        return message.to_owned();
    }
    let mut out = String::with_capacity(message.len() + 32);
    let mut quoted = false;
    let mut rest = message;
    while let Some(first) = rest.chars().next() {
        let ends = |c: char| !(c.is_alphanumeric() || c == '_');
        let end = match ends(first) {
            true => first.len_utf8(),
            false => rest.find(ends).unwrap_or(rest.len()),
        };
        let (word, after) = rest.split_at(end);
        quoted ^= word == "\"";
        let known = (NAMES.iter()).find(|(name, prefix)| !quoted && is(word, &name[*prefix..]));
        out.push_str(match known {
            Some(&(name, _)) => name,
            None if !quoted && word == "None" && message.contains("contact") => "DS_CONTACT_NONE",
            None => word,
        });
        rest = after;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_enumerations_are_those_of_the_header() {
        for (message, c) in [
            (
                "params[0]: JointFriction 0 of index 1 has no effect on a step with contact Ncp: give",
                "params[0]: DS_PARAM_JOINT_FRICTION 0 of index 1 has no effect on a step with contact DS_CONTACT_NCP: give",
            ),
            (
                "options.integrator: expected SymplecticEuler or SymplecticEulerWorld, got Sdirk2",
                "options.integrator: expected DS_INTEGRATOR_SYMPLECTIC_EULER or DS_INTEGRATOR_SYMPLECTIC_EULER_WORLD, got DS_INTEGRATOR_SDIRK2",
            ),
            (
                "options.contact must be None",
                "options.contact must be DS_CONTACT_NONE",
            ),
            (
                "joint \"Convex None\" Convexity",
                "joint \"Convex None\" Convexity",
            ),
            ("a/Force x.urdf: a Force", "a/Force x.urdf: a Force"),
            (
                "a FrameXAxis sensor, h² ⊕",
                "a DS_SENSOR_FRAME_X_AXIS sensor, h² ⊕",
            ),
        ] {
            assert_eq!(in_c(message), c);
        }
    }
}
