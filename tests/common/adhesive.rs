//! Bodies that adhere to each other and to the ground.

use super::checker::{free_body, ground};
use super::scene::{ball, cuboid};
use super::{Rng, param};
use diffsim::force::ForceKinds;
use diffsim::force::adhesion::FADE;
use diffsim::model::params::{Param, ParamKind};
use diffsim::model::spec::{
    ActuatorSpec, BodySpec, GeomSpec, JointKind, JointSpec, ModelSpec, ShapeSpec,
};
use diffsim::model::tendon::Transmission;
use diffsim::model::{Actuation, Model};
use diffsim::query::ForceDerivatives;
use diffsim::spatial::{Inertia, Pose, Quat, Sym3, Vec3};
use diffsim::step::Sim;
use std::sync::Arc;

pub fn adhesion(name: &str, body: &str, gain: f64) -> ActuatorSpec {
    ActuatorSpec {
        gain,
        control_range: Some((0.0, 10.0)),
        ..ActuatorSpec::new(name, Transmission::Body(body.into()))
    }
}

pub fn compile(spec: ModelSpec) -> Arc<Model> {
    Arc::new(Model::compile(spec, Actuation::FromFile).unwrap())
}

/// A body of 1 kg whose surface is `gap` above the ground, or below a ceiling at z = 1.
pub fn one(shape: ShapeSpec, half: f64, gap: f64, hangs: bool) -> ModelSpec {
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.5);
    let mut z = half + gap;
    if hangs {
        let down = Pose::from_quat(Quat::exp(Vec3::X * std::f64::consts::PI), Vec3::Z);
        spec.geoms[0].placement = down;
        z = 1.0 - half - gap;
    }
    free_body(&mut spec, "body", Vec3::Z * z, shape);
    spec.actuators.push(adhesion("hold", "body", 4.0));
    spec
}

/// The generalized force of actuators at a state.
pub fn pull(sim: &mut Sim, q: &[f64], u: &[f64]) -> Vec<f64> {
    let nv = sim.model().nv();
    let (v, mut f) = (vec![0.0; nv], vec![f64::NAN; nv]);
    let out = ForceDerivatives::default();
    sim.generalized_forces(q, &v, u, ForceKinds::ACTUATOR, &mut f, out)
        .unwrap();
    f
}

pub fn faded(gap: f64) -> f64 {
    let x = (gap / FADE).clamp(0.0, 1.0);
    1.0 - x * x * (3.0 - 2.0 * x)
}

/// A tilted box on the ground, a ball beside it, a hinged arm with a ball over the box and another one with
/// an ellipsoid over the ball, with gaps of parts of a millimetre; `both`: all of them adhere, and the world,
/// else the ball and the world.
pub fn crowd(both: bool) -> ModelSpec {
    sunken(both, 0.0)
}

/// The same with the box and the ball lower, so that the ground presses them.
pub fn sunken(both: bool, depth: f64) -> ModelSpec {
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.6);
    free_body(
        &mut spec,
        "box",
        Vec3::new(0.0, 0.0, 0.0604),
        cuboid(0.1, 0.08, 0.06),
    );
    let turn = Quat::exp(Vec3::new(0.002, -0.003, 0.4)).normalized();
    spec.bodies[1].placement = Pose::from_quat(turn, Vec3::new(0.0, 0.0, 0.0606 - depth));
    let along = turn.to_mat3().c[0];
    free_body(
        &mut spec,
        "ball",
        along * 0.1503 + Vec3::Z * (0.0504 - depth),
        ball(0.05),
    );
    let mut hinge = |name: &str, at: Vec3, axis: Vec3, reach: Vec3, shape: ShapeSpec| {
        let id = spec.bodies.len();
        let mut joint = JointSpec::new(format!("{name} hinge"), JointKind::Revolute);
        joint.axis = axis;
        joint.armature = 0.01;
        spec.bodies.push(BodySpec {
            name: name.into(),
            placement: Pose::translation(at),
            inertia: Inertia::from_com(
                0.3,
                reach * 0.7,
                Sym3::diagonal(Vec3::new(2e-3, 2e-3, 1e-3)),
            ),
            joints: vec![joint],
            ..BodySpec::world()
        });
        let place = Pose::from_quat(Quat::exp(Vec3::new(0.3, 0.2, 0.1)).normalized(), reach);
        spec.geoms.push(GeomSpec::new(name, id, place, shape));
    };
    // Above the box, whose top is at 0.1206 in the middle.
    let reach = Vec3::new(0.2, 0.0, 0.0);
    hinge(
        "arm",
        Vec3::new(-0.2, 0.01, 0.1206 + 0.0403),
        Vec3::Y,
        reach,
        ball(0.04),
    );
    // On top of the ball.
    let at = along * 0.1503 + Vec3::new(0.0, -0.2, 0.1004 + 0.0302);
    let ellipsoid = ShapeSpec::Ellipsoid {
        semi_axes: Vec3::new(0.03, 0.03, 0.03),
    };
    hinge("tip", at, Vec3::X, Vec3::Y * 0.2, ellipsoid);
    for g in &mut spec.geoms {
        g.friction[0] = 0.4 + 0.05 * g.body as f64;
    }
    let names: &[&str] = match both {
        true => &["box", "ball", "arm", "tip", "world"],
        false => &["ball", "world"],
    };
    for (k, name) in names.iter().enumerate() {
        let mut a = adhesion(&format!("on {name}"), name, 2.0 + k as f64);
        if k == 1 {
            a.force_range = Some((0.0, 4.0));
        }
        spec.actuators.push(a);
    }
    spec
}

pub fn moved(model: &Model) -> Vec<Param> {
    let mut list = Vec::new();
    for (g, geom) in model.geoms().iter().enumerate() {
        for k in 0..geom.shape.variable_sizes() {
            list.push(param(ParamKind::GeomSize, g, k));
        }
    }
    for j in 0..model.njoint() {
        list.extend((0..6).map(|k| param(ParamKind::JointPlacement, j, k)));
    }
    list.extend((0..model.nu()).map(|j| param(ParamKind::ActuatorGain, j, 0)));
    list
}

/// States near the first one, with weights between 0 and 1.
pub fn near(model: &Model, rng: &mut Rng) -> [Vec<f64>; 3] {
    let mut q = model.neutral().to_vec();
    model.integrate(model.neutral(), &rng.vector(model.nv(), 2e-4), &mut q);
    let v = rng.vector(model.nv(), 0.02);
    let u = (0..model.nu()).map(|_| rng.range(0.2, 1.2)).collect();
    [q, v, u]
}
