//! Shared code of the tests of impacts: scenes of balls that rebound, and Jacobians of a step.

use super::relative_error;
use super::scene::*;
use diffsim::model::params::ParamKind;
use diffsim::model::spec::{JointKind, ModelSpec};
use diffsim::spatial::Vec3;
use diffsim::step::{Contact, Options, StepJacobians};

pub const RESTITUTION: ParamKind = ParamKind::GeomRestitution;

/// Laws whose contacts rebound.
pub const RIGID: [Contact; 2] = [Contact::Ncp, Contact::Lcp];

pub fn with(contact: Contact, h: f64) -> Options {
    Options {
        contact,
        ..options(h)
    }
}

/// A ball of radius 0.1 above the ground.
pub fn bouncing(e: f64, friction: f64, height: f64) -> ModelSpec {
    let mut spec = on_ground(friction, height, 0.5, ball(0.1));
    spec.geoms[0].restitution = e;
    spec
}

/// Balls of radius 0.1 at these places on a line without gravity, of these masses, with one dof each.
pub fn line(e: f64, places: &[f64], masses: &[f64]) -> ModelSpec {
    let mut spec = ModelSpec {
        gravity: Vec3::ZERO,
        ..ModelSpec::default()
    };
    for (i, (x, mass)) in places.iter().zip(masses).enumerate() {
        let name = format!("ball{i}");
        let id = body(
            &mut spec,
            &name,
            JointKind::Prismatic,
            at(*x, 0.0, 0.0),
            *mass,
            ball(0.1),
        );
        spec.bodies[id].joints[0].axis = Vec3::X;
        spec.geoms[i].restitution = e;
        spec.geoms[i].condim = 1;
    }
    spec
}

/// ∂q⁺/∂q, ∂q⁺/∂v, ∂v⁺/∂q, ∂v⁺/∂v of the last step, column-major.
pub fn jacobians(w: &mut World) -> [Vec<f64>; 4] {
    let nv = w.v.len();
    let mut j: [Vec<f64>; 4] = std::array::from_fn(|_| vec![f64::NAN; nv * nv]);
    let [a, b, c, d] = &mut j;
    let out = StepJacobians {
        dq_dq: Some(a),
        dq_dv: Some(b),
        dv_dq: Some(c),
        dv_dv: Some(d),
        ..StepJacobians::default()
    };
    w.sim.step_jacobians(out).unwrap();
    j
}

#[track_caller]
pub fn close(a: &[f64], b: &[f64], tolerance: f64) {
    let error = relative_error(a, b);
    assert!(error < tolerance, "{error:e}: {a:?}, not {b:?}");
}
