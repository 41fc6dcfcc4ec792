//! Inverse kinematics: reachable targets are reached, bounds hold, and derivatives are those of differences.

use crate::common::robots::{From, find, mesh_dirs};
use crate::common::*;
use diffsim::error::Status;
use diffsim::ik::{Ik, IkKind, IkOptions, IkOutcome, IkTask};
use diffsim::load::options::{Base, LoadOptions, load_file};
use diffsim::load::urdf::{Mimic, MissingMesh};
use diffsim::model::spec::{EqualityKind, EqualitySpec};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::{Pose, Twist, so3_exp};
use diffsim::step::{Contact, Options, Sim};
use std::sync::Arc;

const EXAMPLES: From = From::ExampleRobotData;

fn robot(file: &str, free: bool) -> Option<Arc<Model>> {
    let options = LoadOptions {
        mesh_dirs: mesh_dirs(),
        mimic: Mimic::Couple,
        missing_mesh: MissingMesh::Skip,
        base: if free { Base::Free } else { Base::FromFile },
        ..LoadOptions::default()
    };
    let path = find((EXAMPLES, file))?;
    Some(Arc::new(load_file(&path, &options).unwrap()))
}

fn kinematics(model: &Arc<Model>) -> Sim {
    let options = Options {
        contact: Contact::None,
        derivatives: false,
        time_step: 1e-3,
        ..Options::default()
    };
    Sim::new(model.clone(), &options).unwrap()
}

fn place(sim: &mut Sim, q: &[f64], body: usize, placement: &Pose) -> Pose {
    let mut all = vec![0.0; 16 * sim.model().nbody()];
    sim.forward_kinematics(q, &mut all).unwrap();
    let m = &all[16 * body..];
    let column = |k: usize| diffsim::spatial::Vec3::from_slice(&m[4 * k..]);
    let rot = diffsim::spatial::Mat3::from_columns(column(0), column(1), column(2));
    Pose::new(rot, column(3)).compose(placement)
}

/// Within the bounds, and otherwise near neutral.
fn inside(rng: &mut Rng, model: &Model) -> Vec<f64> {
    let mut q = random_q(rng, model, 0.7);
    for j in model.joints() {
        if let Some((lo, hi)) = j.limits
            && j.nv == 1
            && lo.is_finite()
            && hi.is_finite()
        {
            q[j.iq] = rng.range(lo, hi);
        }
    }
    q
}

fn frame(body: usize) -> IkTask {
    IkTask::new(IkKind::Frame {
        body,
        placement: Pose::IDENTITY,
    })
}

/// Shares of targets solved from neutral without and with restarts, and the time of an iteration [µs].
fn shares(model: &Arc<Model>, bodies: &[&str], count: usize, restarts: usize) -> [f64; 3] {
    let ids: Vec<usize> = bodies.iter().map(|b| model.body_id(b).unwrap()).collect();
    let mut sim = kinematics(model);
    let (mut rng, mut solved, mut times) = (Rng::new(1), [0, 0], Vec::new());
    let mut solvers = [0, restarts].map(|max_restarts| {
        let options = IkOptions {
            max_restarts,
            seed: 7,
            ..IkOptions::default()
        };
        let mut ik = Ik::new(model.clone(), &options).unwrap();
        ids.iter().for_each(|b| {
            ik.add_task(frame(*b)).unwrap();
        });
        ik
    });
    let mut q = vec![0.0; model.nq()];
    for _ in 0..count {
        let at = inside(&mut rng, model);
        for (ik, solved) in solvers.iter_mut().zip(&mut solved) {
            for (task, b) in ids.iter().enumerate() {
                let target = place(&mut sim, &at, *b, &Pose::IDENTITY);
                ik.set_frame_target(task, &target).unwrap();
            }
            let clock = std::time::Instant::now();
            let info = ik.solve(model.neutral(), &mut q).unwrap();
            times.push(clock.elapsed().as_secs_f64() * 1e6 / info.iterations.max(1) as f64);
            if info.outcome == IkOutcome::Solved {
                *solved += 1;
                assert!(info.residual <= 1e-10);
                for (task, b) in ids.iter().enumerate() {
                    let off = place(&mut sim, &at, *b, &Pose::IDENTITY)
                        .inverse()
                        .compose(&place(&mut sim, &q, *b, &Pose::IDENTITY));
                    assert!(
                        off.pos.norm() < 2e-10 && (off.rot.trace() - 3.0).abs() < 1e-12,
                        "task {task}"
                    );
                }
                for j in model.joints() {
                    if let Some((lo, hi)) = j.limits {
                        assert!((lo..=hi).contains(&q[j.iq]), "{}", j.name);
                    }
                }
            }
        }
    }
    times.sort_by(f64::total_cmp);
    let share = solved.map(|n| n as f64 / count as f64);
    [share[0], share[1], times[times.len() / 2]]
}

#[test]
fn reachable_targets_are_reached() {
    let cases: [(&str, bool, &[&str], f64, f64); 3] = [
        (
            "panda_description/urdf/panda.urdf",
            false,
            &["panda_hand"],
            0.5,
            0.99,
        ),
        (
            "talos_data/robots/talos_reduced.urdf",
            true,
            &[
                "gripper_left_base_link",
                "gripper_right_base_link",
                "left_sole_link",
                "right_sole_link",
            ],
            0.6,
            0.98,
        ),
        (
            "go2_description/urdf/go2.urdf",
            true,
            &["FL_foot", "FR_foot", "RL_foot", "RR_foot"],
            0.65,
            0.98,
        ),
    ];
    for (file, free, bodies, once, again) in cases {
        let Some(model) = robot(file, free) else {
            continue;
        };
        let got = shares(&model, bodies, 150, 20);
        assert!(got[0] >= once && got[1] >= again, "{file}: {got:?}");
    }
}

/// A frame, the centre of mass and a posture, none of which the others allow.
fn conflicting(model: &Arc<Model>, rng: &mut Rng) -> (Ik, Vec<Pose>, [Vec<f64>; 2]) {
    let mut ik = Ik::new(model.clone(), &IkOptions::default()).unwrap();
    let mut poses = Vec::new();
    for weight in [1.0, 0.6] {
        let placement = rng.pose(0.2);
        let body = model.nbody() - 1 - rng.below(2.min(model.nbody() - 1));
        let mut task = IkTask::new(IkKind::Frame { body, placement });
        task.weight = weight;
        task.axes = std::array::from_fn(|_| rng.range(0.5, 1.5));
        let number = ik.add_task(task).unwrap();
        let at = place(&mut kinematics(model), model.neutral(), body, &placement);
        poses.push(at.compose(&rng.pose(0.1)));
        ik.set_frame_target(number, &poses[number]).unwrap();
    }
    let center = ik.add_task(IkTask::new(IkKind::CenterOfMass)).unwrap();
    let rest = [rng.vector(3, 0.3), random_q(rng, model, 0.5)];
    ik.set_target(center, &rest[0]).unwrap();
    let mut posture = IkTask::new(IkKind::Posture);
    posture.dofs = (0..model.nv()).map(|_| rng.range(0.8, 1.6)).collect();
    let number = ik.add_task(posture).unwrap();
    ik.set_target(number, &rest[1]).unwrap();
    (ik, poses, rest)
}

#[test]
fn derivatives_of_compromises_are_those_of_differences() {
    let (mut checked, mut missed) = (0, 0);
    for (seed, model) in models().filter(|(_, m)| (1..60).contains(&m.nv())) {
        let model = Arc::new(model);
        let mut rng = Rng::new(seed);
        let (mut ik, poses, [center, posture]) = conflicting(&model, &mut rng);
        let (nq, nv, n) = (model.nq(), model.nv(), ik.variations());
        let mut q = vec![0.0; nq];
        let info = ik.solve(model.neutral(), &mut q).unwrap();
        if info.outcome == IkOutcome::Iterations || info.slope > 1e-11 {
            missed += 1;
            continue;
        }
        let mut jacobian = vec![0.0; nv * n];
        match ik.jacobian(&mut jacobian) {
            Ok(()) => (),
            Err(e) => {
                missed += 1;
                assert_eq!(e.status, Status::Numerical);
                continue;
            }
        }
        assert!(ik.gradient().unwrap().unique);
        check_transpose(&mut ik, &jacobian, &mut rng);
        let mut other = ik.clone();
        for column in 0..12 {
            let task = column / 6;
            let fd = difference(1e-3, |x| {
                let t = Twist::unit(column % 6) * x;
                let target = Pose::new(
                    so3_exp(t.ang).mul_mat(&poses[task].rot),
                    poses[task].pos + t.lin,
                );
                other.set_frame_target(task, &target).unwrap();
                let mut at = vec![0.0; nq];
                let info = other.solve(&q, &mut at).unwrap();
                other.set_frame_target(task, &poses[task]).unwrap();
                assert!(info.slope < 1e-10, "{info:?}");
                let mut dq = vec![0.0; nv];
                model.difference(&q, &at, &mut dq);
                dq
            });
            let error = relative_error(&jacobian[nv * column..nv * (column + 1)], &fd);
            assert!(error < 1e-7, "seed {seed}, column {column}: {error}");
        }
        // All of the centre of mass and the posture at once.
        let direction = rng.vector(3 + nv, 1.0);
        let fd = difference(1e-3, |x| {
            let t: Vec<f64> = direction.iter().map(|d| d * x).collect();
            let moved: Vec<f64> = center.iter().zip(&t).map(|(c, t)| c + t).collect();
            other.set_target(2, &moved).unwrap();
            let mut at = vec![0.0; nq];
            model.integrate(&posture, &t[3..], &mut at);
            other.set_target(3, &at).unwrap();
            other.solve(&q, &mut at).unwrap();
            let mut dq = vec![0.0; nv];
            model.difference(&q, &at, &mut dq);
            dq
        });
        let mut dq = vec![0.0; nv];
        ik.jvp(&[&[0.0; 12], &direction[..]].concat(), &mut dq)
            .unwrap();
        let error = relative_error(&dq, &fd);
        assert!(error < 1e-7, "seed {seed}, posture: {error}");
        checked += 1;
    }
    assert!(
        checked > 20 && missed < 4,
        "{checked} checked, {missed} missed"
    );
}

fn check_transpose(ik: &mut Ik, jacobian: &[f64], rng: &mut Rng) {
    let (nv, n) = (ik.model().nv(), ik.variations());
    let (dt, q_bar) = (rng.vector(n, 1.0), rng.vector(nv, 1.0));
    let (mut dq, mut t_bar) = (vec![0.0; nv], vec![0.0; n]);
    ik.jvp(&dt, &mut dq).unwrap();
    ik.vjp(&q_bar, &mut t_bar).unwrap();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let (forward, backward) = (dot(&q_bar, &dq), dot(&t_bar, &dt));
    assert!((forward - backward).abs() < 1e-10 * forward.abs().max(1.0));
    let direct: Vec<f64> = (0..nv)
        .map(|i| (0..n).map(|j| jacobian[i + nv * j] * dt[j]).sum())
        .collect();
    assert!(relative_error(&dq, &direct) < 1e-12);
}

#[test]
fn a_redundant_arm_moves_least_and_a_singular_one_is_refused() {
    let path = format!("{}/examples/models/arm7.urdf", env!("CARGO_MANIFEST_DIR"));
    let model = Arc::new(load_file(path.as_ref(), &LoadOptions::default()).unwrap());
    let (nv, body) = (model.nv(), model.nbody() - 1);
    let mut sim = kinematics(&model);
    let mut rng = Rng::new(3);
    let mut ik = Ik::new(model.clone(), &IkOptions::default()).unwrap();
    ik.add_task(frame(body)).unwrap();
    for _ in 0..20 {
        let at = rng.vector(nv, 1.0);
        let target = place(&mut sim, &at, body, &Pose::IDENTITY);
        ik.set_frame_target(0, &target).unwrap();
        let mut q = vec![0.0; nv];
        let info = ik
            .solve(&at.iter().map(|x| 0.9 * x).collect::<Vec<_>>(), &mut q)
            .unwrap();
        assert_eq!(info.outcome, IkOutcome::Solved, "{info:?}");
        let told = ik.gradient().unwrap();
        assert!(!told.unique && told.gradient == diffsim::step::Gradient::Exact);
        let mut jacobian = vec![0.0; nv * 6];
        ik.jacobian(&mut jacobian).unwrap();
        check_transpose(&mut ik, &jacobian, &mut rng);
        let mut j = vec![0.0; 6 * nv];
        sim.body_jacobian(&q, body, Default::default(), &mut j)
            .unwrap();
        // J J⁺ = 1, and nothing in the null space: J⁺ J is symmetric.
        for a in 0..6 {
            for b in 0..6 {
                let sum: f64 = (0..nv).map(|k| j[a + 6 * k] * jacobian[k + nv * b]).sum();
                assert!((sum - f64::from(u8::from(a == b))).abs() < 1e-8);
            }
        }
        let product = |k: usize, l: usize| {
            (0..6)
                .map(|a| jacobian[k + nv * a] * j[a + 6 * l])
                .sum::<f64>()
        };
        for (k, l) in (0..nv).flat_map(|k| (0..k).map(move |l| (k, l))) {
            assert!((product(k, l) - product(l, k)).abs() < 1e-8);
        }
    }
    // Stretched out, no joint moves the hand outwards.
    let q = vec![0.0; nv];
    let target = place(&mut sim, &q, body, &Pose::IDENTITY);
    ik.set_frame_target(0, &target).unwrap();
    let mut out = vec![0.0; nv];
    ik.solve(&q, &mut out).unwrap();
    let e = ik.gradient().unwrap_err();
    assert!(
        e.status == Status::Numerical && e.message.contains("singular"),
        "{e}"
    );
}

/// Two hinges in a row, the second of which follows the first, or has bounds.
fn two_hinges(limits: Option<(f64, f64)>, follows: bool) -> Arc<Model> {
    let mut spec = random_spec(5, 0);
    for id in 1..=2 {
        let mut b = random_body(
            &mut Rng::new(id as u64),
            id,
            id - 1,
            diffsim::model::spec::JointKind::Revolute,
        );
        let j = &mut b.joints[0];
        (j.axis, j.anchor, j.reference) = (diffsim::spatial::Vec3::Y, Default::default(), 0.0);
        j.limits = limits.filter(|_| id == 2);
        b.placement = Pose::translation(diffsim::spatial::Vec3::Z);
        spec.bodies.push(b);
    }
    if follows {
        spec.equalities.push(EqualitySpec {
            name: "follow".into(),
            active: true,
            kind: EqualityKind::Joint {
                joint1: "joint2".into(),
                joint2: Some("joint1".into()),
                coefficients: [0.0, 0.5, 0.0, 0.0, 0.0],
                dofs: [0; 2],
            },
            origin: String::new(),
        });
    }
    Arc::new(Model::compile(spec, Actuation::Full).unwrap())
}

#[test]
fn followers_follow_and_bounds_hold() {
    let model = two_hinges(None, true);
    let mut ik = Ik::new(model, &IkOptions::default()).unwrap();
    let mut posture = IkTask::new(IkKind::Posture);
    posture.dofs = vec![1.0, 0.0];
    posture.tolerance = Some(1e-10);
    ik.add_task(posture).unwrap();
    ik.set_target(0, &[0.8, 9.0]).unwrap();
    let mut q = [0.0; 2];
    let info = ik.solve(&[0.0; 2], &mut q).unwrap();
    assert!(info.outcome == IkOutcome::Solved && relative_error(&q, &[0.8, 0.4]) < 1e-10);
    let mut jacobian = [0.0; 4];
    ik.jacobian(&mut jacobian).unwrap();
    assert!(relative_error(&jacobian, &[1.0, 0.5, 0.0, 0.0]) < 1e-12);

    let model = two_hinges(Some((-0.3, 0.3)), false);
    let mut ik = Ik::new(model, &IkOptions::default()).unwrap();
    ik.add_task(IkTask::new(IkKind::Posture)).unwrap();
    ik.set_target(0, &[0.8, 9.0]).unwrap();
    let info = ik.solve(&[0.0, -5.0], &mut q).unwrap();
    assert!(
        info.outcome == IkOutcome::Solved && (q[0] - 0.8).abs() < 1e-11 && q[1] == 0.3,
        "{q:?}"
    );
    ik.jacobian(&mut jacobian).unwrap();
    assert_eq!(jacobian, [1.0, 0.0, 0.0, 0.0]);
    assert_eq!(
        ik.gradient().unwrap().gradient,
        diffsim::step::Gradient::Exact
    );
    // At its bound without a force.
    ik.set_target(0, &[0.8, 0.3]).unwrap();
    ik.solve(&[0.0, 0.3], &mut q).unwrap();
    assert_eq!(
        ik.gradient().unwrap().gradient,
        diffsim::step::Gradient::OneSided
    );
    // Out of reach: the least is said to be none.
    let mut far = frame(2);
    far.axes = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0];
    let task = ik.add_task(far).unwrap();
    ik.set_frame_target(
        task,
        &Pose::translation(diffsim::spatial::Vec3::new(9.0, 0.0, 0.0)),
    )
    .unwrap();
    let info = ik.solve(&[0.0; 2], &mut q).unwrap();
    assert!(info.outcome == IkOutcome::Stationary && info.residual > 1.0);
}

#[test]
fn bad_arguments_are_named_and_the_same_inputs_give_the_same_bits() {
    let model = two_hinges(Some((-0.3, 0.3)), false);
    let options = IkOptions {
        max_restarts: 5,
        seed: 11,
        ..IkOptions::default()
    };
    let mut ik = Ik::new(model.clone(), &options).unwrap();
    let told = |e: diffsim::error::Error, what: &str| assert!(e.message.contains(what), "{e}");
    told(ik.add_task(frame(9)).unwrap_err(), "task.body");
    let mut heavy = frame(1);
    heavy.weight = f64::NAN;
    told(ik.add_task(heavy).unwrap_err(), "task.weight");
    ik.add_task(frame(2)).unwrap();
    let mut q = [0.0; 2];
    told(
        ik.solve(&[0.0; 2], &mut q).unwrap_err(),
        "task 0 has no target",
    );
    told(ik.info().unwrap_err(), "solve first");
    told(ik.gradient().unwrap_err(), "solve first");
    told(ik.set_target(0, &[0.0; 16]).unwrap_err(), "placement");
    ik.set_frame_target(
        0,
        &Pose::translation(diffsim::spatial::Vec3::new(0.7, 0.0, 1.5)),
    )
    .unwrap();
    told(ik.solve(&[f64::NAN, 0.0], &mut q).unwrap_err(), "q0[0]");
    let first = ik.solve(&[0.0; 2], &mut q).unwrap();
    let mut again = [0.0; 2];
    let second = ik.clone().solve(&[0.0; 2], &mut again).unwrap();
    assert!(first == second && q == again && first.restarts == 5);
    for bad in [0.0, -1.0, f64::NAN] {
        let options = IkOptions {
            tolerance: bad,
            ..options
        };
        told(
            Ik::new(model.clone(), &options).unwrap_err(),
            "options.tolerance",
        );
    }
}

#[test]
fn a_bounded_spherical_joint_is_refused() {
    let mut spec = random_spec(5, 0);
    let kind = diffsim::model::spec::JointKind::Spherical;
    let mut body = random_body(&mut Rng::new(1), 1, 0, kind);
    body.joints[0].limits = Some((0.0, 1.0));
    spec.bodies.push(body);
    let model = Arc::new(Model::compile(spec, Actuation::Full).unwrap());
    let e = Ik::new(model.clone(), &IkOptions::default()).unwrap_err();
    assert!(
        e.status == Status::Unsupported && e.message.contains("joint1"),
        "{e}"
    );
    let options = IkOptions {
        limits: false,
        ..IkOptions::default()
    };
    assert!(Ik::new(model, &options).is_ok());
}

#[test]
fn searches_and_derivatives_leave_the_heap_alone() {
    let model = two_hinges(Some((-0.3, 0.3)), true);
    let options = IkOptions {
        max_restarts: 3,
        ..IkOptions::default()
    };
    let mut ik = Ik::new(model, &options).unwrap();
    ik.add_task(frame(2)).unwrap();
    ik.add_task(IkTask::new(IkKind::CenterOfMass)).unwrap();
    let (mut q, mut out, q_bar) = ([0.0; 2], [0.0; 9], [1.0; 2]);
    let target = Pose::translation(diffsim::spatial::Vec3::new(0.3, 0.0, 1.9));
    let counted = allocation_counter::measure(|| {
        ik.set_frame_target(0, &target).unwrap();
        ik.set_target(1, &[0.1, 0.0, 0.5]).unwrap();
        ik.set_weight(1, 0.0).unwrap();
        ik.solve(&[0.0; 2], &mut q).unwrap();
        ik.set_weight(0, 0.0).unwrap();
        ik.solve(&[0.1; 2], &mut q).unwrap();
    });
    assert_eq!(counted.count_total, 0);
    let mut posture = IkTask::new(IkKind::Posture);
    posture.dofs = vec![1.0, 0.0];
    let posture = ik.add_task(posture).unwrap();
    ik.set_target(posture, &[0.2, 0.0]).unwrap();
    let mut bar = vec![0.0; ik.variations()];
    let counted = allocation_counter::measure(|| {
        ik.solve(&[0.1; 2], &mut q).unwrap();
        ik.vjp(&q_bar, &mut bar).unwrap();
        ik.jvp(&bar, &mut out[..2]).unwrap();
    });
    assert_eq!(counted.count_total, 0);
}
