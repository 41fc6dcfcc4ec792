//! Contacts along whose normal no dof moves: a wheel on its axle, a pendulum at its lowest.

use crate::common::param;
use crate::common::scene::*;
use diffsim::model::params::ParamKind;
use diffsim::model::spec::{JointKind, ModelSpec, ShapeSpec};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::{Pose, Vec3};
use diffsim::step::{Contact, Gradient, Options, Sim, StepJacobians};
use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;

/// A body on an axle along y, its geom so far below, and the ground under it, so deep in.
fn on_axle(shape: ShapeSpec, below: f64, depth: f64) -> ModelSpec {
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.6);
    let height = below + 0.1 - depth;
    let kind = JointKind::Revolute;
    let place = at(0.0, 0.0, height);
    let lies = matches!(shape, ShapeSpec::Cylinder { .. });
    let id = body(&mut spec, "wheel", kind, place, 1.0, shape);
    let joint = &mut spec.bodies[id].joints[0];
    (joint.axis, joint.damping) = (Vec3::Y, 0.01);
    let geom = spec.geoms.last_mut().unwrap();
    geom.placement = Pose::translation(Vec3::new(0.0, 0.0, -below));
    if lies {
        geom.placement.rot = tilt(FRAC_PI_2, 0.0).rot;
    }
    spec
}

struct Probe {
    sim: Sim,
    q: Vec<f64>,
    v: Vec<f64>,
    p: Vec<f64>,
}

impl Probe {
    fn new(spec: ModelSpec, contact: Contact, speed: f64) -> Probe {
        let model = Model::compile(spec, Actuation::FromFile).unwrap();
        let options = Options {
            contact,
            ..options(2e-3)
        };
        let (q, geom) = (model.neutral().to_vec(), model.ngeom() - 1);
        let mut sim = Sim::new(Arc::new(model), &options).unwrap();
        let mut list = vec![
            param(ParamKind::GeomFriction, 0, 0),
            param(ParamKind::GeomSize, geom, 0),
            param(ParamKind::BodyInertia, 1, 0),
            param(ParamKind::JointPlacement, 0, 2),
            param(ParamKind::Gravity, 0, 2),
        ];
        if contact == Contact::Convex {
            list.push(param(ParamKind::ContactDissipation, geom, 0));
            list.push(param(ParamKind::ContactStiffness, geom, 0));
        }
        sim.select_params(&list).unwrap();
        let mut p = vec![0.0; list.len()];
        sim.get_params(&mut p).unwrap();
        if contact == Contact::Convex {
            *p.last_mut().unwrap() = 1e5;
        }
        let v = vec![speed];
        Probe { sim, q, v, p }
    }

    /// v⁺ with one of q, v and the parameters off.
    fn step(&mut self, which: usize, by: f64) -> f64 {
        let (mut q, mut v, mut p) = (self.q.clone(), self.v.clone(), self.p.clone());
        match which {
            0 => q[0] += by,
            1 => v[0] += by,
            _ => p[which - 2] += by,
        }
        self.sim.set_params(&p).unwrap();
        self.sim.reset();
        let (mut q_next, mut v_next) = (q.clone(), v.clone());
        self.sim
            .step(&q, &v, &[], &mut q_next, &mut v_next)
            .unwrap();
        v_next[0]
    }

    /// How the derivative is called; where it is exact, after a comparison with differences to either side.
    fn look(&mut self, name: &str) -> Gradient {
        let v = self.step(0, 0.0);
        let mut by_state = [[0.0]; 2];
        let mut by_params = vec![0.0; self.p.len()];
        let [dq, dv] = &mut by_state;
        self.sim
            .step_jacobians(StepJacobians {
                dv_dq: Some(dq),
                dv_dv: Some(dv),
                dv_dp: Some(&mut by_params),
                ..StepJacobians::default()
            })
            .unwrap();
        let label = self.sim.step_info().unwrap().gradient;
        if label != Gradient::Exact {
            return label;
        }
        let slopes = by_state.as_flattened().iter().chain(&by_params);
        for (which, slope) in slopes.copied().enumerate() {
            let size = if which < 2 {
                1.0
            } else {
                self.p[which - 2].abs().max(1e-2)
            };
            for step in [1e-6, -1e-6, 1e-7, -1e-7] {
                let step = step * size;
                let ends = [step, 2.0 * step].map(|by| self.step(which, by));
                let difference = (4.0 * ends[0] - ends[1] - 3.0 * v) / (2.0 * step);
                let off = (difference - slope).abs() * size;
                assert!(off < 1e-6, "{name}, {which}: {slope} {difference}");
            }
        }
        label
    }
}

/// The pressed contact of a compliant wheel has an impulse, but no friction: the derivative by the
/// coefficient was that of a contact that has.
#[test]
fn a_wheel_pressed_on_the_ground_has_no_derivative_by_friction() {
    let roll = ShapeSpec::Cylinder {
        radius: 0.1,
        half_length: 0.03,
    };
    for contact in [Contact::Convex, Contact::Ncp, Contact::Lcp] {
        let mut exact = 0;
        for shape in [ball(0.1), roll.clone()] {
            for (depth, speed) in [(5e-4, 0.0), (5e-4, 3.0), (-1e-4, 3.0)] {
                let spec = on_axle(shape.clone(), 0.0, depth);
                let name = format!("{contact:?} {depth} {speed}");
                let label = Probe::new(spec, contact, speed).look(&name);
                exact += usize::from(label == Gradient::Exact);
            }
        }
        assert!(exact >= if contact == Contact::Convex { 6 } else { 2 });
    }
}

/// At its lowest a pendulum does not move along the normal, and has no friction; on both sides of that it
/// has.
#[test]
fn a_pendulum_at_its_lowest_is_at_a_switch() {
    for (depth, speed) in [(5e-4, 0.0), (5e-4, 3.0), (-1e-4, 3.0)] {
        let spec = on_axle(ball(0.1), 0.3, depth);
        let label = Probe::new(spec, Contact::Convex, speed).look("pendulum");
        assert_eq!(label, Gradient::OneSided, "{depth} {speed}");
    }
    // Too far off to touch.
    let spec = on_axle(ball(0.1), 0.3, -1e-2);
    assert_eq!(
        Probe::new(spec, Contact::Convex, 3.0).look("free"),
        Gradient::Exact
    );
}
