//! Actuators: additions to a builder or to an existing model.

use super::args;
use super::builder::{self, ds_builder, range};
use super::builder_desc::{ds_activation, ds_actuator_desc};
use super::model::{ds_model, get};
use super::status::ds_status;
use super::wall;
use crate::error::{Error, Result};
use crate::model::activation::{Activation, ActivationLaw};
use crate::model::muscle::Muscle;
use crate::model::spec::ActuatorSpec;
use crate::model::tendon::Transmission;

/// Fills the struct with the defaults. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_actuator_desc_init(actuator: *mut ds_actuator_desc) {
    args::init(actuator)
}

/// Makes a filled struct a servo on a one-dof joint or a tendon: gain = kp and bias = (0, -kp, -kd).
/// With a gear of 1 its force is kp (u - q) - kd dq/dt, and u is the target [rad or m]. kp [N m/rad
/// or N/m] and kd [N m s/rad or N s/m] must be finite and not negative. Other fields do not change:
/// force_lower and force_upper bound the force, control_lower and control_upper the target.
///
/// The force is explicit: it is evaluated at the start of the step. Let m be the inertia at the joint
/// and h the time step. kp h² and kd h must stay below about m; otherwise the step is unstable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_actuator_desc_set_servo(
    actuator: *mut ds_actuator_desc,
    kp: f64,
    kd: f64,
) -> ds_status {
    wall::status(|| {
        args::place(actuator, "actuator")?;
        let known = args::grown(actuator.cast_const(), "actuator")?;
        for (name, x) in [("kp", kp), ("kd", kd)] {
            args::finite(&[x], name)?;
            if x < 0.0 {
                return Err(Error::invalid(format!(
                    "{name}: must not be negative, got {x}"
                )));
            }
        }
        let servo = ds_actuator_desc {
            gain: kp,
            bias: [0.0, -kp, -kd],
            ..known
        };
        args::write_back(actuator, &servo);
        Ok(())
    })
}

fn activation(d: &ds_actuator_desc, name: &str) -> Result<Option<Activation>> {
    let [first, second] = d.activation_time;
    let law = choice!(d.activation, format!("{name}.activation"), ds_activation {
        DS_ACTIVATION_NONE => None,
        DS_ACTIVATION_INTEGRATOR => Some(ActivationLaw::Integrator),
        DS_ACTIVATION_FILTER => Some(ActivationLaw::Filter { time_constant: first }),
        DS_ACTIVATION_FILTER_EXACT => Some(ActivationLaw::FilterExact { time_constant: first }),
        DS_ACTIVATION_MUSCLE => Some(ActivationLaw::Muscle {
            rise: first,
            fall: second,
            smoothing: d.activation_smoothing,
        }),
    })?;
    let early = args::flag(d.act_early, &format!("{name}.act_early"))?;
    Ok(law.map(|law| Activation {
        law,
        range: range(d.act_lower, d.act_upper),
        early,
    }))
}

/// The actuator that a desc describes; messages call it `name`.
unsafe fn spec(d: &ds_actuator_desc, name: &str) -> Result<ActuatorSpec> {
    let text = |at, field: &str| -> Result<String> {
        Ok(args::text(at, &format!("{name}.{field}"))?.into())
    };
    let given = [d.joint, d.tendon, d.body, d.site].map(|at| !at.is_null());
    if !d.reference_site.is_null() && d.site.is_null() {
        return Err(Error::invalid(format!(
            "{name}.reference_site: expected NULL without {name}.site"
        )));
    }
    let transmission = match given {
        [_, false, false, false] => Transmission::Joint(text(d.joint, "joint")?),
        [false, true, false, false] => Transmission::Tendon(text(d.tendon, "tendon")?),
        [false, false, true, false] => Transmission::Body(text(d.body, "body")?),
        [false, false, false, true] => Transmission::Site {
            site: text(d.site, "site")?,
            reference: match d.reference_site.is_null() {
                true => None,
                false => Some(text(d.reference_site, "reference_site")?),
            },
        },
        _ => {
            let fields = ["joint", "tendon", "body", "site"].into_iter().zip(given);
            let given = fields.filter(|(_, is)| *is).map(|(field, _)| field);
            return Err(Error::invalid(format!(
                "{name}.joint, {name}.tendon, {name}.body, {name}.site: expected one of them, got {}",
                given.collect::<Vec<_>>().join(" and ")
            )));
        }
    };
    let [pair, lengths] = [d.muscle_range, d.muscle_length_range].map(|[a, b]| (a, b));
    let muscle = Muscle {
        length_range: lengths,
        range: pair,
        force: d.muscle_force,
        scale: d.muscle_scale,
        shortest: d.muscle_lmin,
        longest: d.muscle_lmax,
        fastest: d.muscle_vmax,
        passive: d.muscle_fpmax,
        lengthening: d.muscle_fvmax,
    };
    Ok(ActuatorSpec {
        name: builder::name(d.name)?.into(),
        transmission,
        gear: d.gear,
        gain: d.gain,
        gain_slopes: d.gain_slopes,
        bias: d.bias,
        active: args::flag(d.muscle_active, &format!("{name}.muscle_active"))?.then_some(muscle),
        passive: args::flag(d.muscle_passive, &format!("{name}.muscle_passive"))?.then_some(muscle),
        activation: activation(d, name)?,
        control_range: range(d.control_lower, d.control_upper),
        force_range: range(d.force_lower, d.force_upper),
        origin: String::new(),
    })
}

/// Adds an actuator on a joint, on a tendon, at a site or on the contacts of a body. It takes the next
/// entry of u.
///
/// Errors: DS_ERR_INVALID_ARGUMENT for a joint, tendon, site or body that does not exist, if more than
/// one or none of them is given, and for a name that is taken. ds_builder_build refuses values that
/// define no valid actuator.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_builder_add_actuator(
    builder: *mut ds_builder,
    actuator: *const ds_actuator_desc,
) -> ds_status {
    wall::status(|| {
        let b = builder::get(builder)?;
        args::reference(actuator, "actuator")?;
        let d = args::grown(actuator, "actuator")?;
        b.add_actuator(spec(&d, "actuator")?)?;
        Ok(())
    })
}

/// A copy of the model with `count` more actuators, such as servos on the joints of a URDF. Their
/// inputs follow the existing ones, in this order; they are 0 in keyframes. The structs form an
/// array, all of the first one's struct_size. Release *out with ds_model_free; the model does not
/// change.
///
/// Errors: DS_ERR_INVALID_ARGUMENT for a joint, tendon or body that does not exist or does not move,
/// for a name that another actuator has, for numbers that are not finite, and for a range that is not
/// ordered; DS_ERR_UNSUPPORTED for a bias by length or velocity on a joint of several dofs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_with_actuators(
    model: *const ds_model,
    actuators: *const ds_actuator_desc,
    count: usize,
    out: *mut *mut ds_model,
) -> ds_status {
    wall::status(|| {
        let m = &get(model)?.model;
        let descs = args::grown_array(actuators, count, "actuators")?;
        let specs = (descs.iter().enumerate())
            .map(|(i, d)| spec(d, &format!("actuators[{i}]")))
            .collect::<Result<Vec<_>>>()?;
        args::give(out, || Ok(ds_model::new(m.with_actuators(&specs)?)))
    })
}
