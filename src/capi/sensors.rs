//! Sensors: the list of a model's sensors, and their readings at any state.

use super::args::{self, Growing, Out};
use super::builder::{self, ds_builder, pose, vec3};
use super::dynamics::moving_within;
use super::edge::{self, Side};
use super::model::{ds_model, get as model_of};
use super::report::ds_gradient;
use super::sim::ds_sim;
use super::status::ds_status;
use super::wall;
use crate::error::Result;
use crate::model::sensor::{Reading, SensorFrame, SensorSpec, Zone, ZoneShape, usual_field};
use crate::query::SensorJacobians;
use crate::spatial::Pose;
use crate::step::Gradient;
use std::ffi::c_char;
use std::ptr;

/// The quantity that a sensor measures. Quaternions are (x y z w). Readings are in the axes of the
/// reference frame, or of the world if there is no reference.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ds_sensor_kind {
    /// Position, orientation and axes of a frame, relative to the reference frame or the world.
    DS_SENSOR_FRAME_POSITION = 0,
    DS_SENSOR_FRAME_QUATERNION = 1,
    DS_SENSOR_FRAME_X_AXIS = 2,
    DS_SENSOR_FRAME_Y_AXIS = 3,
    DS_SENSOR_FRAME_Z_AXIS = 4,
    /// Linear velocity of the frame's origin and angular velocity of the frame, as seen by an
    /// observer who moves with the reference frame.
    DS_SENSOR_FRAME_LINEAR_VELOCITY = 5,
    DS_SENSOR_FRAME_ANGULAR_VELOCITY = 6,
    /// Linear and angular acceleration in world axes. The linear acceleration excludes gravity: it is
    /// -g at rest, as an accelerometer measures it.
    DS_SENSOR_FRAME_LINEAR_ACCELERATION = 7,
    DS_SENSOR_FRAME_ANGULAR_ACCELERATION = 8,
    /// Angular velocity, linear velocity, linear acceleration without gravity (as an accelerometer
    /// measures it), and the magnetic field. All are along the frame's own axes.
    DS_SENSOR_GYRO = 9,
    DS_SENSOR_VELOCIMETER = 10,
    DS_SENSOR_ACCELEROMETER = 11,
    DS_SENSOR_MAGNETOMETER = 12,
    /// Distance from the frame's origin along its z axis to the first geom of another body, computed
    /// as by ds_sim_ray_cast. -1 if the ray hits nothing.
    DS_SENSOR_RANGEFINDER = 13,
    /// Sum of the normal forces on the frame's body. A contact counts if its point lies in the zone,
    /// or if its line of action away from the body meets the zone.
    DS_SENSOR_TOUCH = 14,
    /// Force on the subtree of the frame's body from the rest of the model (joints, springs, tendons
    /// and equalities, without contacts and external wrenches), and its moment about the frame's
    /// origin. Along the frame's axes.
    DS_SENSOR_FORCE = 15,
    DS_SENSOR_TORQUE = 16,
    /// Coordinate and velocity of a one-dof joint.
    DS_SENSOR_JOINT_POSITION = 17,
    DS_SENSOR_JOINT_VELOCITY = 18,
    /// Quaternion and angular velocity of a spherical joint, in the body's axes.
    DS_SENSOR_BALL_QUATERNION = 19,
    DS_SENSOR_BALL_ANGULAR_VELOCITY = 20,
    /// Sum of the forces of all actuators on a one-dof joint.
    DS_SENSOR_JOINT_ACTUATOR_FORCE = 21,
    /// Length of a tendon and its rate.
    DS_SENSOR_TENDON_POSITION = 22,
    DS_SENSOR_TENDON_VELOCITY = 23,
    /// Length of an actuator's transmission and its rate, both times the gear, and the actuator's
    /// force before the gear.
    DS_SENSOR_ACTUATOR_POSITION = 24,
    DS_SENSOR_ACTUATOR_VELOCITY = 25,
    DS_SENSOR_ACTUATOR_FORCE = 26,
    /// Centre of mass of the subtree of a body, its velocity, and the angular momentum about it;
    /// world axes.
    DS_SENSOR_SUBTREE_CENTER = 27,
    DS_SENSOR_SUBTREE_LINEAR_VELOCITY = 28,
    DS_SENSOR_SUBTREE_ANGULAR_MOMENTUM = 29,
    /// The limit of a one-dof joint or of a tendon's length that is within its margin; the lower
    /// limit if both are. Position: distance to the limit minus the margin, negative. Velocity: rate
    /// of this distance. Both are 0 if no limit is within its margin. Force: the impulse on either
    /// limit over the time step.
    DS_SENSOR_JOINT_LIMIT_POSITION = 30,
    DS_SENSOR_JOINT_LIMIT_VELOCITY = 31,
    DS_SENSOR_JOINT_LIMIT_FORCE = 32,
    DS_SENSOR_TENDON_LIMIT_POSITION = 33,
    DS_SENSOR_TENDON_LIMIT_VELOCITY = 34,
    DS_SENSOR_TENDON_LIMIT_FORCE = 35,
}

use ds_sensor_kind::*;

const KINDS: [(ds_sensor_kind, Reading); 36] = [
    (DS_SENSOR_FRAME_POSITION, Reading::FramePosition),
    (DS_SENSOR_FRAME_QUATERNION, Reading::FrameQuaternion),
    (DS_SENSOR_FRAME_X_AXIS, Reading::FrameXAxis),
    (DS_SENSOR_FRAME_Y_AXIS, Reading::FrameYAxis),
    (DS_SENSOR_FRAME_Z_AXIS, Reading::FrameZAxis),
    (
        DS_SENSOR_FRAME_LINEAR_VELOCITY,
        Reading::FrameLinearVelocity,
    ),
    (
        DS_SENSOR_FRAME_ANGULAR_VELOCITY,
        Reading::FrameAngularVelocity,
    ),
    (
        DS_SENSOR_FRAME_LINEAR_ACCELERATION,
        Reading::FrameLinearAcceleration,
    ),
    (
        DS_SENSOR_FRAME_ANGULAR_ACCELERATION,
        Reading::FrameAngularAcceleration,
    ),
    (DS_SENSOR_GYRO, Reading::Gyro),
    (DS_SENSOR_VELOCIMETER, Reading::Velocimeter),
    (DS_SENSOR_ACCELEROMETER, Reading::Accelerometer),
    (DS_SENSOR_MAGNETOMETER, Reading::Magnetometer),
    (DS_SENSOR_RANGEFINDER, Reading::Rangefinder),
    (DS_SENSOR_TOUCH, Reading::Touch),
    (DS_SENSOR_FORCE, Reading::Force),
    (DS_SENSOR_TORQUE, Reading::Torque),
    (DS_SENSOR_JOINT_POSITION, Reading::JointPosition),
    (DS_SENSOR_JOINT_VELOCITY, Reading::JointVelocity),
    (DS_SENSOR_BALL_QUATERNION, Reading::BallQuaternion),
    (
        DS_SENSOR_BALL_ANGULAR_VELOCITY,
        Reading::BallAngularVelocity,
    ),
    (DS_SENSOR_JOINT_ACTUATOR_FORCE, Reading::JointActuatorForce),
    (DS_SENSOR_TENDON_POSITION, Reading::TendonPosition),
    (DS_SENSOR_TENDON_VELOCITY, Reading::TendonVelocity),
    (DS_SENSOR_ACTUATOR_POSITION, Reading::ActuatorPosition),
    (DS_SENSOR_ACTUATOR_VELOCITY, Reading::ActuatorVelocity),
    (DS_SENSOR_ACTUATOR_FORCE, Reading::ActuatorForce),
    (DS_SENSOR_SUBTREE_CENTER, Reading::SubtreeCenter),
    (
        DS_SENSOR_SUBTREE_LINEAR_VELOCITY,
        Reading::SubtreeLinearVelocity,
    ),
    (
        DS_SENSOR_SUBTREE_ANGULAR_MOMENTUM,
        Reading::SubtreeAngularMomentum,
    ),
    (DS_SENSOR_JOINT_LIMIT_POSITION, Reading::JointLimitPosition),
    (DS_SENSOR_JOINT_LIMIT_VELOCITY, Reading::JointLimitVelocity),
    (DS_SENSOR_JOINT_LIMIT_FORCE, Reading::JointLimitForce),
    (
        DS_SENSOR_TENDON_LIMIT_POSITION,
        Reading::TendonLimitPosition,
    ),
    (
        DS_SENSOR_TENDON_LIMIT_VELOCITY,
        Reading::TendonLimitVelocity,
    ),
    (DS_SENSOR_TENDON_LIMIT_FORCE, Reading::TendonLimitForce),
];

/// Number of sensors. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_nsensor(model: *const ds_model) -> usize {
    wall::value(0, || Ok(model_of(model)?.model.sensors().len()))
}

/// Total length of the readings of all sensors. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_nsensordata(model: *const ds_model) -> usize {
    wall::value(0, || Ok(model_of(model)?.model.nsensordata()))
}

unsafe fn about(
    model: *const ds_model,
    sensor: i32,
    of: impl FnOnce(&crate::model::sensor::Sensor) -> i32,
) -> i32 {
    wall::value(-1, || {
        let sensors = model_of(model)?.model.sensors();
        let i = args::index(sensor, sensors.len(), "sensor", "sensor")?;
        Ok(of(&sensors[i]))
    })
}

/// Index of a sensor's first number in the readings of all sensors; -1 if the id is out of range.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_sensor_adr(model: *const ds_model, sensor: i32) -> i32 {
    about(model, sensor, |s| args::id(Some(s.address)))
}

/// Number of numbers in a sensor's reading; -1 if the id is out of range.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_sensor_dim(model: *const ds_model, sensor: i32) -> i32 {
    about(model, sensor, |s| args::id(Some(s.reading.dim())))
}

/// Kind of a sensor, a ds_sensor_kind; -1 if the id is out of range.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_sensor_kind(model: *const ds_model, sensor: i32) -> i32 {
    about(model, sensor, |s| {
        let known = KINDS.iter().find(|(_, reading)| *reading == s.reading);
        known.map_or(-1, |(kind, _)| *kind as i32)
    })
}

/// Readings of all sensors at a state, in the order of the file: nsensordata numbers. q: nq numbers;
/// v: nv; u: nu, NULL if nu = 0. The file's cutoffs apply; noise is not added.
///
/// Some kinds need accelerations or contact forces: DS_SENSOR_FRAME_LINEAR_ACCELERATION,
/// _FRAME_ANGULAR_ACCELERATION, _ACCELEROMETER, _TOUCH, _FORCE, _TORQUE and the forces of limits. If
/// the model has one of them, the call runs ds_sim_forward first, and this becomes the last step.
/// With DS_CONTACT_NONE a rangefinder allocates as ds_sim_collide does.
///
/// Errors: those of ds_sim_forward; DS_ERR_UNSUPPORTED for the force of a limit with
/// DS_CONTACT_PENALTY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_sensors(
    sim: *mut ds_sim,
    q: *const f64,
    v: *const f64,
    u: *const f64,
    data: *mut f64,
) -> ds_status {
    wall::status(|| {
        let s = moving_within(sim, q, v)?;
        let m = s.sim.model();
        let (n, nu) = (m.nsensordata(), m.nu());
        let u = args::array(u, nu, "u")?;
        let out = Out::new(data, n, "data")?;
        let inputs = [("q", s.given[0]), ("v", s.given[1]), ("u", u)];
        let x = args::matrix(out, &inputs)?;
        s.sim.sensors(s.room, s.q, s.v, u, x)
    })
}

/// Jacobians of the readings of all sensors at a state, column-major with nsensordata rows: by q
/// (tangent) and v, nv columns each, and by u, nu columns; NULL for those not wanted.
/// Accelerations are differentiated through the law of the step. Arguments as for ds_sim_sensors.
/// gradient, which may be NULL: a ds_gradient; one-sided if the step's gradient is, at a cutoff,
/// and if a rangefinder's ray meets an edge or grazes a surface.
///
/// Errors: those of ds_sim_sensors and ds_sim_step_jacobians. DS_ERR_UNSUPPORTED if redundant
/// constraints leave the reading of a touch, force, torque or limit sensor open, and for these
/// sensors with DS_CONTACT_PENALTY and an implicit scheme: see docs/concepts.md, Rays and sensors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_sensor_jacobians(
    sim: *mut ds_sim,
    q: *const f64,
    v: *const f64,
    u: *const f64,
    ddata_dq: *mut f64,
    ddata_dv: *mut f64,
    ddata_du: *mut f64,
    gradient: *mut ds_gradient,
) -> ds_status {
    wall::status(|| {
        let s = moving_within(sim, q, v)?;
        let m = s.sim.model();
        let (n, nv, nu) = (m.nsensordata(), m.free_nv(), m.nu());
        let u = args::array(u, nu, "u")?;
        let gradient = args::optional_place(gradient, "gradient")?;
        let outs = [
            Out::optional(ddata_dq, n * nv, "ddata_dq")?,
            Out::optional(ddata_dv, n * nv, "ddata_dv")?,
            Out::optional(ddata_du, n * nu, "ddata_du")?,
        ];
        let [by_q, by_v, by_u] =
            args::in_place(outs, &[("q", s.given[0]), ("v", s.given[1]), ("u", u)])?;
        let out = SensorJacobians {
            by_q,
            by_v,
            by_u,
            by_act: None,
        };
        let kind = match s.map {
            None => s.sim.sensor_jacobians(s.room, s.q, s.v, u, out)?,
            Some(map) => {
                let (rows, all) = (n, n * map.v.sizes()[0]);
                let (by_q, by_v) = s.matrices.split_at_mut(all);
                let (to_q, to_v) = (out.by_q, out.by_v);
                let full = SensorJacobians {
                    by_q: to_q.is_some().then_some(&mut *by_q),
                    by_v: to_v.is_some().then_some(&mut by_v[..all]),
                    by_u: out.by_u,
                    by_act: None,
                };
                let kind = s.sim.sensor_jacobians(s.room, s.q, s.v, u, full)?;
                for (from, to) in [(&*by_q, to_q), (&by_v[..all], to_v)] {
                    if let Some(to) = to {
                        edge::reduce(
                            &map.v,
                            (rows, from),
                            [Side::Same, Side::Velocity],
                            s.product,
                            to,
                        );
                    }
                }
                kind
            }
        };
        tell(gradient, kind);
        Ok(())
    })
}

/// Jacobian of the readings by the activations at the start of the step: nsensordata×na,
/// column-major. Arguments and errors as for ds_sim_sensor_jacobians.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_sensor_act_jacobian(
    sim: *mut ds_sim,
    q: *const f64,
    v: *const f64,
    u: *const f64,
    ddata_dact: *mut f64,
    gradient: *mut ds_gradient,
) -> ds_status {
    wall::status(|| {
        let s = moving_within(sim, q, v)?;
        let m = s.sim.model();
        let (n, nu) = (m.nsensordata(), m.nu());
        let u = args::array(u, nu, "u")?;
        let gradient = args::optional_place(gradient, "gradient")?;
        let out = Out::new(ddata_dact, n * m.na(), "ddata_dact")?;
        let out = SensorJacobians {
            by_act: Some(args::matrix(
                out,
                &[("q", s.given[0]), ("v", s.given[1]), ("u", u)],
            )?),
            ..SensorJacobians::default()
        };
        let kind = s.sim.sensor_jacobians(s.room, s.q, s.v, u, out)?;
        tell(gradient, kind);
        Ok(())
    })
}

unsafe fn tell(gradient: Option<*mut ds_gradient>, kind: Gradient) {
    if let Some(gradient) = gradient {
        gradient.write(kind.into());
    }
}

/// Adjoint of the readings of all sensors: from the gradient data_bar by the readings (nsensordata
/// numbers) it computes the gradients by q (tangent, nv), v (nv) and u (nu); NULL for those not
/// wanted. Other arguments as for ds_sim_sensor_jacobians.
///
/// Errors: those of ds_sim_sensor_jacobians.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_sensor_vjp(
    sim: *mut ds_sim,
    q: *const f64,
    v: *const f64,
    u: *const f64,
    data_bar: *const f64,
    q_bar: *mut f64,
    v_bar: *mut f64,
    u_bar: *mut f64,
    gradient: *mut ds_gradient,
) -> ds_status {
    let bars = [q_bar, v_bar, u_bar, ptr::null_mut()];
    wall::status(|| sensor_vjp(sim, [q, v, u, data_bar], bars, gradient))
}

/// Same as ds_sim_sensor_vjp, with the gradient by the activations: act_bar, na numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_sensor_vjp_act(
    sim: *mut ds_sim,
    q: *const f64,
    v: *const f64,
    u: *const f64,
    data_bar: *const f64,
    q_bar: *mut f64,
    v_bar: *mut f64,
    act_bar: *mut f64,
    u_bar: *mut f64,
    gradient: *mut ds_gradient,
) -> ds_status {
    let bars = [q_bar, v_bar, u_bar, act_bar];
    wall::status(|| sensor_vjp(sim, [q, v, u, data_bar], bars, gradient))
}

unsafe fn sensor_vjp(
    sim: *mut ds_sim,
    [q, v, u, data_bar]: [*const f64; 4],
    [q_bar, v_bar, u_bar, act_bar]: [*mut f64; 4],
    gradient: *mut ds_gradient,
) -> Result<()> {
    let s = moving_within(sim, q, v)?;
    let m = s.sim.model();
    let (n, nv, nu) = (m.nsensordata(), m.free_nv(), m.nu());
    let (u, bar) = (
        args::array(u, nu, "u")?,
        args::array(data_bar, n, "data_bar")?,
    );
    let gradient = args::optional_place(gradient, "gradient")?;
    let outs = [
        Out::optional(q_bar, nv, "q_bar")?,
        Out::optional(v_bar, nv, "v_bar")?,
        Out::optional(u_bar, nu, "u_bar")?,
        Out::optional(act_bar, m.na(), "act_bar")?,
    ];
    let inputs = [
        ("q", s.given[0]),
        ("v", s.given[1]),
        ("u", u),
        ("data_bar", bar),
    ];
    let bars = args::in_place(outs, &inputs)?;
    let kind = match s.map {
        None => s.sim.sensor_vjp(s.room, s.q, s.v, u, bar, bars)?,
        Some(map) => {
            let [q, v, by_u, act] = bars;
            let full_q = q.is_some().then_some(&mut *s.a);
            let full_v = v.is_some().then_some(&mut *s.b);
            let full = [full_q, full_v, by_u, act];
            let kind = s.sim.sensor_vjp(s.room, s.q, s.v, u, bar, full)?;
            for (from, to) in [(&*s.a, q), (&*s.b, v)] {
                if let Some(to) = to {
                    map.v.expand_transposed(from, to);
                }
            }
            kind
        }
    };
    tell(gradient, kind);
    Ok(())
}

/// Shape of the zone in which a touch sensor measures.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ds_zone_kind {
    DS_ZONE_SPHERE = 0,
    /// Along z.
    DS_ZONE_CAPSULE = 1,
    DS_ZONE_ELLIPSOID = 2,
    /// Along z.
    DS_ZONE_CYLINDER = 3,
    DS_ZONE_BOX = 4,
}

/// A sensor. Fill with ds_sensor_desc_init first.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ds_sensor_desc {
    /// Size of this struct in bytes; set by ds_sensor_desc_init.
    pub struct_size: usize,
    /// Name, unique among sensors; NULL for none.
    pub name: *const c_char,
    /// A ds_sensor_kind. Default DS_SENSOR_FRAME_POSITION.
    pub kind: i32,
    /// For sensors on frames and bodies: the body. Default 0, the world.
    pub body: i32,
    /// For sensors on frames: pose of the frame in its body's frame, a column-major 4×4 matrix.
    /// Default NULL: the body's own frame.
    pub placement: *const f64,
    /// For all other sensors: the name of the joint, tendon or actuator, which ds_builder_build looks
    /// up. Default NULL.
    pub of: *const c_char,
    /// Body to which positions, orientations and velocities of frames are relative; -1 for the world
    /// at rest. Default -1.
    pub reference_body: i32,
    /// A ds_zone_kind. Default DS_ZONE_SPHERE.
    pub zone: i32,
    /// Pose of the reference frame in its body's frame, as placement. Default NULL.
    pub reference_placement: *const f64,
    /// Bound of the readings, on both sides; for rangefinders and touch only above. Directions are
    /// not bounded. 0: no bound. Default 0.
    pub cutoff: f64,
    /// For a magnetometer: the magnetic field, world axes. Default (0, -0.5, 0).
    pub field: [f64; 3],
    /// For a touch sensor [m]: the radius; the radius and half length; or the half extents. Default
    /// 0.005 each.
    pub zone_size: [f64; 3],
}

// SAFETY: repr(C), the size first, i32 in pairs, else words: no padding, every bit pattern a value.
unsafe impl Growing for ds_sensor_desc {
    const NAME: &'static str = "ds_sensor_desc";
    const FIRST: usize = size_of::<ds_sensor_desc>();

    fn defaults() -> Self {
        ds_sensor_desc {
            struct_size: size_of::<ds_sensor_desc>(),
            name: ptr::null(),
            kind: DS_SENSOR_FRAME_POSITION as i32,
            body: 0,
            placement: ptr::null(),
            of: ptr::null(),
            reference_body: -1,
            zone: ds_zone_kind::DS_ZONE_SPHERE as i32,
            reference_placement: ptr::null(),
            cutoff: 0.0,
            field: usual_field().to_array(),
            zone_size: Zone::default().size,
        }
    }
}

/// Fills the struct with the defaults. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sensor_desc_init(sensor: *mut ds_sensor_desc) {
    args::init(sensor)
}

unsafe fn frame(body: i32, placement: *const f64, names: [&str; 2]) -> Result<SensorFrame> {
    Ok(SensorFrame {
        body: builder::body(body, names[0])?,
        placement: match args::optional_array(placement, 16, names[1])? {
            [] => Pose::IDENTITY,
            m => pose(m, names[1])?,
        },
    })
}

/// Adds a sensor. Ids follow the order of additions; a built model has the same ids.
///
/// Errors: DS_ERR_INVALID_ARGUMENT for an invalid kind or body, a name that is taken, a placement
/// that is not a rigid motion, a negative cutoff, or a reference for a kind that has none. Then
/// nothing is added.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_builder_add_sensor(
    builder: *mut ds_builder,
    sensor: *const ds_sensor_desc,
) -> ds_status {
    wall::status(|| {
        let b = builder::get(builder)?;
        args::reference(sensor, "sensor")?;
        let d = args::grown(sensor, "sensor")?;
        let known = KINDS.iter().find(|(kind, _)| *kind as i32 == d.kind);
        let Some((_, reading)) = known else {
            let (last, kind) = (KINDS.len() - 1, d.kind);
            return Err(crate::error::Error::invalid(format!(
                "sensor.kind: must be a ds_sensor_kind, 0 to {last}, got {kind}"
            )));
        };
        let shape = choice!(d.zone, "sensor.zone", ds_zone_kind {
            DS_ZONE_SPHERE => ZoneShape::Sphere,
            DS_ZONE_CAPSULE => ZoneShape::Capsule,
            DS_ZONE_ELLIPSOID => ZoneShape::Ellipsoid,
            DS_ZONE_CYLINDER => ZoneShape::Cylinder,
            DS_ZONE_BOX => ZoneShape::Box,
        })?;
        let own = frame(d.body, d.placement, ["sensor.body", "sensor.placement"])?;
        let names = ["sensor.reference_body", "sensor.reference_placement"];
        let mut spec = SensorSpec::new(builder::name(d.name)?, *reading);
        spec.frame = own;
        spec.of = builder::name(d.of)?.into();
        spec.reference = match d.reference_body {
            -1 => None,
            body => Some(frame(body, d.reference_placement, names)?),
        };
        (spec.cutoff, spec.field) = (d.cutoff, vec3(d.field));
        spec.zone = Zone {
            shape,
            size: d.zone_size,
        };
        b.add_sensor(spec).map(|_| ())
    })
}
