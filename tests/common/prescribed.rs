//! Shared code of tests of prescribed motion.

use super::*;
use diffsim::load::mjcf::{MjcfOptions, read_str};
use diffsim::step::Sim;
use std::sync::Arc;

pub const LAWS: [Contact; 4] = [Contact::Ncp, Contact::Lcp, Contact::Convex, Contact::None];

pub const SYMPLECTIC: [Integrator; 2] = [
    Integrator::SymplecticEuler,
    Integrator::SymplecticEulerWorld,
];

pub const ALL: [Integrator; 6] = [
    Integrator::SymplecticEuler,
    Integrator::SymplecticEulerWorld,
    Integrator::ImplicitEuler,
    Integrator::Midpoint,
    Integrator::Bdf1,
    Integrator::Sdirk2,
];

pub fn with(integrator: Integrator, contact: Contact, h: f64) -> Options {
    Options {
        integrator,
        contact,
        time_step: h,
        ..Options::default()
    }
}

pub fn prescribed(dof: usize) -> Param {
    param(ParamKind::Prescribed, dof, 0)
}

/// About every third dof; of a free joint's linear ones all or none.
pub fn some_dofs(rng: &mut Rng, model: &Model) -> Vec<usize> {
    let mut dofs: Vec<usize> = (0..model.nv()).filter(|_| rng.below(3) == 0).collect();
    for l in model.free_links() {
        let linear = l.iv..l.iv + 3;
        let any = dofs.iter().any(|k| linear.contains(k));
        dofs.retain(|k| !linear.contains(k));
        if any {
            dofs.extend(linear);
        }
    }
    if dofs.is_empty() {
        dofs.push(model.nv() - 1);
    }
    dofs.sort_unstable();
    dofs
}

/// v⁺ as it is prescribed: linear dofs of free joints along the axes where the step begins, but for the
/// scheme in the body's, and in the world's where all six are `driven`.
pub fn seen_from_the_start(
    model: &Model,
    integrator: Integrator,
    driven: &[usize],
    q: &[f64],
    qn: &[f64],
    vn: &[f64],
) -> Vec<f64> {
    let mut v = vn.to_vec();
    if integrator == Integrator::SymplecticEuler {
        return v;
    }
    let rotation = |q: &[f64]| {
        diffsim::spatial::Quat::new(q[3], q[4], q[5], q[6])
            .normalized()
            .to_mat3()
    };
    for l in model.free_links() {
        let whole = (l.iv..l.iv + 6).all(|k| driven.contains(&k));
        if whole && integrator == Integrator::SymplecticEulerWorld {
            continue;
        }
        let (before, after) = (rotation(&q[l.iq..]), rotation(&qn[l.iq..]));
        let world = after.mul_vec(Vec3::from_slice(&vn[l.iv..]));
        v[l.iv..l.iv + 3].copy_from_slice(&before.tr_mul_vec(world).to_array());
    }
    v
}

pub fn mjcf(text: &str) -> Arc<Model> {
    let spec = read_str(text, None, &MjcfOptions::default()).unwrap();
    Arc::new(Model::compile(spec, Actuation::FromFile).unwrap())
}

/// A simulation with its state.
pub struct Run {
    pub sim: Sim,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
}

impl Run {
    pub fn new(model: &Arc<Model>, options: &Options) -> Run {
        Run {
            sim: Sim::new(model.clone(), options).unwrap(),
            q: model.neutral().to_vec(),
            v: vec![0.0; model.nv()],
        }
    }

    pub fn step(&mut self) {
        let (q, v) = (self.q.clone(), self.v.clone());
        self.sim
            .step(&q, &v, &[], &mut self.q, &mut self.v)
            .unwrap();
    }

    pub fn impulses(&mut self) -> Vec<f64> {
        let mut out = vec![f64::NAN; self.v.len()];
        self.sim.prescribed_impulses(&mut out).unwrap();
        out
    }
}

pub const CONVEYOR: &str = r#"<mujoco><option gravity="0 0 -9.81"/><worldbody>
    <body name="plate" pos="0 0 -0.05"><joint name="belt" type="slide" axis="1 0 0"/>
      <geom name="plate" type="box" size="5 1 0.05" mass="3" friction="0.4"/></body>
    <body name="box" pos="0 0 0.1"><freejoint/>
      <geom name="box" type="box" size="0.1 0.1 0.1" mass="2" friction="0.4"/></body>
    <geom name="wall" type="box" size="0.1 1 1" pos="5.05 0 0"/>
  </worldbody></mujoco>"#;
