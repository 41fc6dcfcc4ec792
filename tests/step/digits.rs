//! Forces so stiff that round-off shows: results are right or refused.

use crate::common::tendons::tendon;
use diffsim::error::Status;
use diffsim::model::spec::{BodySpec, JointKind, JointSpec, ModelSpec};
use diffsim::model::tendon::TendonPath;
use diffsim::model::{Actuation, Model};
use diffsim::spatial::{Inertia, Pose, Sym3, Vec3};
use diffsim::step::{Contact, Gradient, Integrator, Options, Sim, StepJacobians};
use std::sync::Arc;

const IMPLICIT: [Integrator; 4] = [
    Integrator::Bdf1,
    Integrator::Sdirk2,
    Integrator::ImplicitEuler,
    Integrator::Midpoint,
];

/// Rods in a row on hinges.
fn rods(count: usize) -> ModelSpec {
    let mut spec = ModelSpec::default();
    for i in 0..count {
        let mut b = BodySpec::world();
        b.name = format!("rod{i}");
        b.parent = i;
        b.placement = Pose::translation(Vec3::X * if i == 0 { 0.0 } else { 0.3 });
        let torsion = Vec3::new(1e-3, 8e-3, 8e-3);
        b.inertia = Inertia::from_com(1.0, Vec3::X * 0.15, Sym3::diagonal(torsion));
        let mut j = JointSpec::new(format!("joint{i}"), JointKind::Revolute);
        j.axis = Vec3::Y;
        b.joints = vec![j];
        spec.bodies.push(b);
    }
    spec
}

/// Whose first two angles, weighed so that they cancel, a tendon as stiff holds together.
fn held(count: usize, stiffness: f64) -> Arc<Model> {
    let mut spec = rods(count);
    let path = vec![("joint0".into(), 0.7), ("joint1".into(), -0.3)];
    let mut t = tendon("link", TendonPath::Fixed(path));
    (t.stiffness, t.rest) = (stiffness, Some((0.0, 0.0)));
    spec.tendons.push(t);
    Arc::new(Model::compile(spec, Actuation::FromFile).unwrap())
}

fn options(integrator: Integrator) -> Options {
    Options {
        integrator,
        contact: Contact::None,
        time_step: 0.01,
        ..Options::default()
    }
}

/// ∂v⁺/∂v of a step, or why there is none.
fn by_v(model: &Arc<Model>, integrator: Integrator, q: &[f64]) -> Result<Vec<f64>, String> {
    let nv = model.nv();
    let mut sim = Sim::new(model.clone(), &options(integrator)).unwrap();
    let mut v = vec![0.0; nv];
    (v[0], v[1]) = (0.3, 0.7);
    let (mut q_next, mut v_next) = (q.to_vec(), v.clone());
    if let Err(e) = sim.step(q, &v, &[], &mut q_next, &mut v_next) {
        assert_eq!(e.status, Status::Numerical, "{e}");
        return Err(e.message);
    }
    let mut dv_dv = vec![f64::NAN; nv * nv];
    let done = sim.step_jacobians(StepJacobians {
        dv_dv: Some(&mut dv_dv),
        ..StepJacobians::default()
    });
    let label = sim.step_info().unwrap().gradient;
    match done {
        Ok(()) => {
            assert_eq!(label, Gradient::Exact);
            Ok(dv_dv)
        }
        Err(e) => {
            assert_eq!(e.status, Status::Numerical, "{e}");
            assert_eq!(label, Gradient::Refused);
            assert!(dv_dv.iter().all(|x| x.is_nan()));
            let [mut q_bar, mut v_bar] = [(); 2].map(|()| vec![f64::NAN; nv]);
            let bars = (Some(&mut q_bar[..]), Some(&mut v_bar[..]));
            let again = sim.step_vjp(&v, &v, bars.0, bars.1, None, None);
            assert_eq!(again.unwrap_err().status, Status::Numerical);
            assert!(q_bar.iter().chain(&v_bar).all(|x| x.is_nan()));
            Err(e.message)
        }
    }
}

fn difference(a: &[f64], b: &[f64]) -> f64 {
    let size = b.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let all = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    all.fold(0.0, f64::max) / size
}

/// What a tendon holds is rigid in the limit: 1e9 times its inertia and beyond there is but one derivative.
#[test]
fn a_stage_that_loses_its_digits_has_no_derivative() {
    // Shallow, and beyond the depth of packed rows.
    for count in [2, 70] {
        // Along the tendon, where it is at rest.
        let mut q = vec![0.0; count];
        (q[0], q[1]) = (0.3, 0.7);
        for integrator in IMPLICIT {
            let limit = by_v(&held(count, 1e10), integrator, &q).unwrap();
            let (mut given, mut refused) = (0, 0);
            for power in 9..22 {
                let stiffness = 3.7 * 10_f64.powi(power);
                match by_v(&held(count, stiffness), integrator, &q) {
                    Ok(dv_dv) => {
                        let off = difference(&dv_dv, &limit);
                        assert!(off < 1e-3, "{count} {integrator:?} {stiffness:e}: {off:e}");
                        given += 1;
                    }
                    Err(why) => {
                        assert!(
                            why.contains("round-off") || why.contains("singular"),
                            "{why}"
                        );
                        refused += 1;
                    }
                }
            }
            println!("{count} {integrator:?}: {given} given, {refused} refused");
            assert!(
                given >= 3 && refused >= 5,
                "{count} {integrator:?}: {given} {refused}"
            );
        }
    }
}

/// A spring in a joint is in the diagonal alone, where no digit is lost to it.
#[test]
fn a_stiff_joint_loses_no_digits() {
    let model = |stiffness: f64| {
        let mut spec = rods(2);
        spec.bodies[1].joints[0].stiffness = stiffness;
        spec.bodies[1].joints[0].spring_reference = 0.2;
        Arc::new(Model::compile(spec, Actuation::FromFile).unwrap())
    };
    for integrator in IMPLICIT {
        let limit = by_v(&model(1e11), integrator, &[0.2, 0.1]).unwrap();
        for stiffness in [1e14, 1e17, 1e20] {
            let dv_dv = by_v(&model(stiffness), integrator, &[0.2, 0.1]).unwrap();
            let off = difference(&dv_dv, &limit);
            assert!(off < 1e-6, "{integrator:?} {stiffness:e}: {off:e}");
        }
    }
}

/// A symplectic step from where a tendon pulls with more than its inertia has digits for: right, or refused
/// with nothing written.
#[test]
fn a_symplectic_step_of_round_off_is_refused() {
    let q = [0.3, 0.69];
    let step = |stiffness: f64, integrator: Integrator| {
        let mut sim = Sim::new(held(2, stiffness), &options(integrator)).unwrap();
        let [mut q_next, mut v_next] = [[f64::NAN; 2]; 2];
        let done = sim.step(&q, &[0.5, 0.2], &[], &mut q_next, &mut v_next);
        match done {
            Ok(()) => Ok(v_next),
            Err(e) => {
                assert_eq!(e.status, Status::Numerical, "{e}");
                assert!(q_next.iter().chain(&v_next).all(|x| x.is_nan()));
                Err(e.message)
            }
        }
    };
    for integrator in [
        Integrator::SymplecticEuler,
        Integrator::SymplecticEulerWorld,
    ] {
        let limit = step(1e10, integrator).unwrap();
        let (mut given, mut refused) = (0, 0);
        for power in 9..26 {
            let stiffness = 3.7 * 10_f64.powi(power);
            match step(stiffness, integrator) {
                Ok(v) => {
                    let off = difference(&v, &limit);
                    assert!(off < 1e-3, "{integrator:?} {stiffness:e}: {off:e}");
                    given += 1;
                }
                Err(why) => {
                    assert!(why.contains("too stiff"), "{why}");
                    refused += 1;
                }
            }
        }
        println!("{integrator:?}: {given} given, {refused} refused");
        assert!(
            given >= 3 && refused >= 5,
            "{integrator:?}: {given} {refused}"
        );
    }
}

/// At rest under its weight a tendon of any stiffness has little to take: its step is not refused.
#[test]
fn what_a_stiff_tendon_holds_at_rest_goes_on() {
    for stiffness in [1e9, 1e12, 1e18] {
        let model = held(2, stiffness);
        let mut sim = Sim::new(model, &options(Integrator::SymplecticEuler)).unwrap();
        let (mut q, mut v) = ([0.3, 0.7], [0.0; 2]);
        let (q0, v0) = (q, v);
        sim.step(&q0, &v0, &[], &mut q, &mut v).unwrap();
        // Both angles fall as the tendon lets them.
        assert!(
            (0.7 * v[0] - 0.3 * v[1]).abs() < 1e-6,
            "{stiffness:e}: {v:?}"
        );
        assert!(v[0].abs() > 1e-3, "{stiffness:e}: {v:?}");
    }
}
