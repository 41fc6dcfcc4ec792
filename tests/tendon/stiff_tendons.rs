//! Springs and cables far stiffer than the step is long, and cables that one stage of a step finds taut and
//! another slack.

use crate::common::checker::Checker;
use crate::common::tendons::tendon;

use crate::common::tethers::point;
use crate::common::{Rng, param, relative_error};
use diffsim::error::Status;
use diffsim::model::params::ParamKind;
use diffsim::model::spec::{BodySpec, JointKind, JointSpec, ModelSpec};
use diffsim::model::tendon::{SpringSpec, TendonPath};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::{Inertia, Pose, Sym3, Vec3};
use diffsim::step::{Contact, Gradient, Integrator, Options, Sim, StepJacobians};
use std::sync::Arc;

fn options(integrator: Integrator) -> Options {
    Options {
        integrator,
        contact: Contact::None,
        time_step: 0.01,
        ..Options::default()
    }
}

/// Rods in a row along x, the first on a joint of this kind and the others on hinges.
fn rods(kind: JointKind, count: usize) -> ModelSpec {
    let mut spec = ModelSpec::default();
    for i in 0..count {
        let mut b = BodySpec::world();
        b.name = format!("rod{i}");
        b.parent = i;
        b.placement = Pose::translation(Vec3::X * if i == 0 { 0.0 } else { 0.3 });
        let torsion = Vec3::new(1e-3, 8e-3, 8e-3);
        b.inertia = Inertia::from_com(1.0, Vec3::X * 0.15, Sym3::diagonal(torsion));
        let kind = if i == 0 { kind } else { JointKind::Revolute };
        let mut j = JointSpec::new(format!("joint{i}"), kind);
        j.axis = Vec3::Y;
        b.joints = vec![j];
        spec.bodies.push(b);
    }
    spec
}

/// Three rods or fewer on a cable from above that is slack below half a metre.
fn cable(count: usize, stiffness: f64) -> ModelSpec {
    let mut spec = rods(JointKind::Revolute, count);
    let tip = Vec3::X * (0.3 * (count - 1) as f64);
    let path = vec![
        point(0, tip + Vec3::new(0.1, 0.0, 0.4)),
        point(count, Vec3::X * 0.3),
    ];
    let mut t = tendon("cable", TendonPath::Spatial(path));
    (t.stiffness, t.pull_only) = (stiffness, true);
    t.rest = Some((0.0, 0.5));
    spec.tendons.push(t);
    spec
}

/// From a point in the world to the end of the last rod, as far beyond its rest as this [m].
fn hung(mut spec: ModelSpec, is_cable: bool, stiffness: f64, stretch: f64) -> Arc<Model> {
    let last = spec.bodies.len() - 1;
    let (end, tip) = (Vec3::X * 0.3, Vec3::X * (0.3 * last as f64));
    if is_cable {
        let path = vec![point(0, tip + Vec3::Z * 0.5), point(last, end)];
        let mut t = tendon("cable", TendonPath::Spatial(path));
        (t.stiffness, t.pull_only) = (stiffness, true);
        t.rest = Some((0.0, 0.5 - stretch));
        spec.tendons.push(t);
    } else {
        spec.springs.push(SpringSpec {
            name: "spring".into(),
            body1: 0,
            body2: last,
            anchor1: tip + Vec3::new(0.0, 0.05, stretch),
            anchor2: end + Vec3::Y * 0.05,
            stiffness,
            damping: 0.0,
            origin: String::new(),
        });
    }
    Arc::new(Model::compile(spec, Actuation::FromFile).unwrap())
}

/// A step of 10 ms is a thousand times what these springs need: each is solved, and gives no energy.
#[test]
fn are_solved_in_every_step_and_lose_energy() {
    use JointKind::{Free, Revolute, Spherical};
    let one_step = [
        Integrator::Bdf1,
        Integrator::ImplicitEuler,
        Integrator::Sdirk2,
    ];
    for (kind, count, is_cable, stretch) in [
        (Free, 1, false, 0.01),
        (Spherical, 1, false, 0.01),
        (Revolute, 5, false, 0.01),
        (Revolute, 5, false, 1e-5),
        (Spherical, 1, true, 1e-5),
    ] {
        let model = hung(rods(kind, count), is_cable, 1e8, stretch);
        for integrator in one_step {
            if is_cable && integrator == Integrator::Sdirk2 {
                continue;
            }
            let mut sim = Sim::new(model.clone(), &options(integrator)).unwrap();
            let (mut q, mut v) = (model.neutral().to_vec(), vec![0.0; model.nv()]);
            let (kinetic, potential) = sim.energy(&q, &v).unwrap();
            let (start, weight) = (kinetic + potential, 9.81 * count as f64);
            for step in 0..60 {
                let (q0, v0) = (q.clone(), v.clone());
                sim.step(&q0, &v0, &[], &mut q, &mut v).unwrap();
                let what = format!("{kind:?} {is_cable} {stretch} {integrator:?}, step {step}");
                assert!(sim.step_info().unwrap().converged, "{what}");
                let (kinetic, potential) = sim.energy(&q, &v).unwrap();
                let gained = kinetic + potential - start;
                assert!(gained < 1e-3 * weight, "{what}: {gained}");
            }
        }
    }
}

/// So stiff that of the inertia no digit is left beside it: the step is that of a rigid link, and its
/// derivative is refused.
#[test]
fn a_derivative_that_would_be_round_off_is_refused() {
    for integrator in [
        Integrator::SymplecticEuler,
        Integrator::SymplecticEulerWorld,
    ] {
        for (stiffness, is_sound) in [(1e8, true), (1e20, false)] {
            let mut spec = rods(JointKind::Revolute, 2);
            let path = vec![("joint0".into(), 1.0), ("joint1".into(), -1.0)];
            let mut t = tendon("link", TendonPath::Fixed(path));
            (t.stiffness, t.rest) = (stiffness, Some((0.0, 0.0)));
            spec.tendons.push(t);
            let model = Arc::new(Model::compile(spec, Actuation::FromFile).unwrap());
            let mut sim = Sim::new(model, &options(integrator)).unwrap();
            let (mut q, mut v) = ([0.2; 2], [0.0; 2]);
            sim.step(&[0.2; 2], &[1.0; 2], &[], &mut q, &mut v).unwrap();
            assert!((v[0] - v[1]).abs() < 1e-4, "{stiffness:e}: {v:?}");
            assert!(v[0].abs() > 1e-3, "{stiffness:e}: {v:?}");
            let mut dv_dv = [f64::NAN; 4];
            let done = sim.step_jacobians(StepJacobians {
                dv_dv: Some(&mut dv_dv),
                ..StepJacobians::default()
            });
            let label = sim.step_info().unwrap().gradient;
            if is_sound {
                done.unwrap();
                assert_eq!(label, Gradient::Exact);
                continue;
            }
            let e = done.unwrap_err();
            assert_eq!(e.status, Status::Numerical);
            assert!(e.message.contains("h² K / M of a tendon"), "{e}");
            assert_eq!(label, Gradient::Refused);
            assert!(dv_dv.iter().all(|x| x.is_nan()));
            let [mut q_bar, mut v_bar] = [[f64::NAN; 2]; 2];
            let bars = (Some(&mut q_bar[..]), Some(&mut v_bar[..]));
            let e = sim.step_vjp(&[1.0; 2], &[1.0; 2], bars.0, bars.1, None, None);
            assert_eq!(e.unwrap_err().status, Status::Numerical);
            assert!(q_bar.iter().chain(&v_bar).all(|x| x.is_nan()));
        }
    }
}

/// Two bodies that fly towards each other on a cable which goes slack on the way: they meet in the derivative
/// all the same.
#[test]
fn trees_that_one_stage_joins_meet_in_the_jacobians() {
    let mut spec = rods(JointKind::Free, 1);
    let mut other = rods(JointKind::Free, 1).bodies.remove(1);
    (other.name, other.placement) = ("other".into(), Pose::translation(Vec3::X));
    other.joints[0].name = "other".into();
    spec.bodies.push(other);
    let path = vec![point(1, Vec3::Y * 0.1), point(2, Vec3::Z * 0.1)];
    let mut t = tendon("cable", TendonPath::Spatial(path));
    (t.stiffness, t.pull_only) = (300.0, true);
    t.rest = Some((0.0, 1.0));
    spec.tendons.push(t);
    let model = Arc::new(Model::compile(spec, Actuation::FromFile).unwrap());
    let nv = model.nv();
    let mut sim = Sim::new(model.clone(), &options(Integrator::Sdirk2)).unwrap();
    let (q, mut v) = (model.neutral().to_vec(), vec![0.0; nv]);
    let mut crossed = 0;
    for speed in [0.3, 0.8, 1.5, 3.0] {
        v[0] = speed;
        let (mut q_next, mut v_next) = (q.clone(), v.clone());
        sim.step(&q, &v, &[], &mut q_next, &mut v_next).unwrap();
        let [mut by_q, mut by_v] = [(); 2].map(|()| vec![0.0; nv * nv]);
        sim.step_jacobians(StepJacobians {
            dv_dq: Some(&mut by_q),
            dv_dv: Some(&mut by_v),
            ..StepJacobians::default()
        })
        .unwrap();
        let (mut joined, mut dq, mut dv) = (0.0_f64, vec![0.0; nv], vec![0.0; nv]);
        for (k, column) in by_q.chunks_exact(nv).enumerate() {
            let mut unit = vec![0.0; nv];
            unit[k] = 1.0;
            sim.step_jvp(&unit, &vec![0.0; nv], &[], &[], &mut dq, &mut dv)
                .unwrap();
            // A dense system is solved in lanes for columns, and in another order for one direction.
            let off = relative_error(column, &dv);
            assert!(off < 1e-13, "{speed}, column {k}: {off:e}");
            let others = if k < 6 { 6..12 } else { 0..6 };
            joined = column[others].iter().fold(joined, |m, x| m.max(x.abs()));
        }
        let mut length = [0.0];
        sim.tendon_lengths(&q_next, &mut length, None).unwrap();
        assert!(joined > 1e-3, "{speed}: {joined}");
        assert_eq!(sim.jacobian_entries().unwrap().by_state, nv * nv);
        crossed += usize::from(length[0] < 1.0);
    }
    assert!(crossed > 0, "the cable never went slack");
}

/// The damper of a cable that comes taut fades in: with a jump of its force a step may have no solution.
#[test]
fn come_taut_with_damping_in_every_step() {
    for (count, stiffness, damping, integrator) in [
        (1, 1e4, 100.0, Integrator::Bdf1),
        (1, 1e6, 100.0, Integrator::ImplicitEuler),
        (1, 1e6, 100.0, Integrator::Midpoint),
        (1, 1e4, 1e3, Integrator::Sdirk2),
        (3, 1e4, 100.0, Integrator::Bdf1),
        (3, 1e4, 100.0, Integrator::Sdirk2),
        (3, 1e6, 100.0, Integrator::Bdf1),
    ] {
        let mut spec = cable(count, stiffness);
        spec.tendons[0].damping = damping;
        let model = Arc::new(Model::compile(spec, Actuation::FromFile).unwrap());
        let options = Options {
            time_step: 2e-3,
            ..options(integrator)
        };
        let mut sim = Sim::new(model.clone(), &options).unwrap();
        let mut rng = Rng::new(5);
        let (mut length, mut came_taut) = ([0.0], 0);
        for run in 0..10 {
            let mut q: Vec<f64> = (0..count).map(|_| rng.range(-0.3, 0.1)).collect();
            let mut v: Vec<f64> = (0..count).map(|_| rng.range(-3.0, 3.0)).collect();
            let mut was_slack = false;
            for step in 0..200 {
                let (q0, v0) = (q.clone(), v.clone());
                sim.step(&q0, &v0, &[], &mut q, &mut v).unwrap();
                let info = sim.step_info().unwrap();
                let what = format!("{count} {stiffness} {integrator:?}, run {run}, step {step}");
                assert!(info.converged, "{what}: {:e}", info.residual);
                sim.tendon_lengths(&q, &mut length, None).unwrap();
                let is_slack = length[0] < 0.5;
                came_taut += usize::from(was_slack && !is_slack);
                was_slack = is_slack;
            }
        }
        assert!(
            came_taut > 5,
            "{count} {stiffness} {integrator:?}: {came_taut}"
        );
    }
}

/// A tense cable and one that has just come taut: exact by the state and all that the cable has.
#[test]
fn damping_that_fades_in_is_differentiated() {
    for integrator in [
        Integrator::Bdf1,
        Integrator::Sdirk2,
        Integrator::ImplicitEuler,
        Integrator::Midpoint,
    ] {
        let mut spec = cable(3, 3e3);
        spec.tendons[0].damping = 60.0;
        let model = Arc::new(Model::compile(spec, Actuation::FromFile).unwrap());
        let at = Options {
            time_step: 2e-3,
            ..options(integrator)
        };
        let mut c = Checker::new(model.clone(), &at);
        c.eps = 1e-7;
        let mut list: Vec<_> = [0, 1, 3].map(|k| param(ParamKind::Tendon, 0, k)).into();
        list.extend((0..6).map(|k| param(ParamKind::JointPlacement, 1, k)));
        c.select(&list);
        let mut rng = Rng::new(8);
        let mut lengths = Vec::new();
        for _ in 0..8 {
            let mut q: Vec<f64> = (0..3).map(|_| rng.range(-0.2, 0.2)).collect();
            let mut v: Vec<f64> = (0..3).map(|_| rng.range(-1.0, 1.0)).collect();
            // To where the cable is one of these lengths beyond its rest, and gets longer.
            let mut length = [0.0];
            for _ in 0..100 {
                c.sim.tendon_lengths(&q, &mut length, None).unwrap();
                q[0] -= length[0] - 0.5002;
            }
            for _ in 0..3 {
                c.check(&mut q, &mut v, &[]);
                c.sim.tendon_lengths(&q, &mut length, None).unwrap();
                lengths.push(length[0]);
            }
        }
        // v₀ τ is 0.2 mm.
        let fading = lengths.iter().filter(|l| (0.5..0.501).contains(*l));
        assert!(fading.count() >= 4, "{lengths:?}");
        let tally = c.tally(&format!("{integrator:?}"));
        assert!(tally.checked > 200 && tally.wrong == 0, "{tally:?}");
        assert!(tally.p99 < 1e-6 && tally.apart < 1e-10, "{tally:?}");
    }
}
