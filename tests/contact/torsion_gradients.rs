//! Derivatives of torsional and rolling friction beyond a single step of free bodies: other schemes,
//! placements of joints, deep trees, trajectories, files and memory.

use crate::common::checker::{Checker, FOURTH_ORDER, free_body, ground, quadruped_spec, standing};
use crate::common::scene::{self, World, lying_spec, options};
use crate::common::trajectory::{From, compare};
use crate::common::{Rng, param};
use diffsim::load::mjcf;
use diffsim::model::params::ParamKind;
use diffsim::model::spec::{ModelSpec, ShapeSpec};
use diffsim::model::{Actuation, Model};
use diffsim::save::save_file;
use diffsim::spatial::Vec3;
use diffsim::step::{Contact, ContactReport, Gradient, Integrator, Options, Sim};
use std::sync::Arc;

const LAWS: [Contact; 3] = [Contact::Ncp, Contact::Lcp, Contact::Convex];

fn with(law: Contact, integrator: Integrator, h: f64) -> Options {
    Options {
        contact: law,
        integrator,
        ..options(h)
    }
}

fn resist(spec: &mut ModelSpec, condim: i32) {
    for (k, g) in spec.geoms.iter_mut().enumerate() {
        let k = k as f64;
        (g.condim, g.priority) = (condim, 0);
        g.friction = [0.5 + 0.05 * k, 0.02 + 1e-3 * k, 0.006 + 3e-4 * k];
    }
}

/// With the placement of a hip, which carries a foot along.
#[test]
fn columns_of_theta_schemes_and_of_placements() {
    let mut spec = quadruped_spec(false);
    resist(&mut spec, 6);
    let model = Arc::new(Model::compile(spec, Actuation::Full).unwrap());
    let rest = standing(&model);
    for integrator in [
        Integrator::SymplecticEuler,
        Integrator::Midpoint,
        Integrator::ImplicitEuler,
    ] {
        for law in LAWS {
            let mut c = Checker::new(model.clone(), &with(law, integrator, 2e-3));
            (c.eps, c.stencil) = (2e-7, FOURTH_ORDER);
            let hip = model.joint_id("hip1").unwrap();
            c.select(&[
                param(ParamKind::JointPlacement, hip, 1),
                param(ParamKind::JointPlacement, hip, 5),
                param(ParamKind::GeomFriction, 3, 0),
                param(ParamKind::GeomFriction, 3, 1),
                param(ParamKind::GeomFriction, 3, 2),
                param(ParamKind::BodyInertia, 3, 0),
            ]);
            let (mut q, mut rng) = (rest.clone(), Rng::new(7));
            let mut v = rng.vector(18, 0.5);
            for step in 0..24 {
                let u = rng.vector(18, 2.0);
                if step % 4 == 3 {
                    c.check(&mut q, &mut v, &u);
                } else {
                    let (q0, v0) = (q.clone(), v.clone());
                    c.sim.step(&q0, &v0, &u, &mut q, &mut v).unwrap();
                }
            }
            let t = c.tally(&format!("{integrator:?} {law:?}"));
            assert!(
                t.checked > 200 && t.median < 1e-7 && t.p99 < 1e-5,
                "{integrator:?} {law:?}"
            );
            assert!(t.wrong == 0 && t.apart < 1e-10, "{integrator:?} {law:?}");
        }
    }
}

/// More dofs than packed rows have.
#[test]
fn directions_of_a_deep_tree() {
    for law in LAWS {
        let mut spec = lying_spec(80, 4);
        resist(&mut spec, 6);
        let model = Arc::new(Model::compile(spec, Actuation::Full).unwrap());
        let mut sim = Sim::new(
            model.clone(),
            &with(law, Integrator::SymplecticEulerWorld, 1e-3),
        )
        .unwrap();
        let (nv, mut rng) = (model.nv(), Rng::new(3));
        let (q, v, u) = (model.neutral().to_vec(), rng.vector(nv, 0.1), vec![0.0; nv]);
        let (d, w) = (rng.vector(nv, 1.0), rng.vector(nv, 1.0));
        let mut step = |s: f64| {
            let (mut at, mut by) = (q.clone(), v.clone());
            let moved: Vec<f64> = d.iter().map(|x| s * x).collect();
            model.integrate(&q, &moved, &mut at);
            by.iter_mut().zip(&w).for_each(|(v, w)| *v += s * w);
            let (mut qn, mut vn) = (q.clone(), v.clone());
            sim.reset();
            sim.step(&at, &by, &u, &mut qn, &mut vn).unwrap();
            assert!(sim.step_info().unwrap().converged);
            vn
        };
        let eps = 2e-9;
        let (ahead, back) = (step(eps), step(-eps));
        step(0.0);
        let turns = sim
            .contacts()
            .iter()
            .filter(|c| c.torque != [0.0; 3])
            .count();
        assert!(turns > 1, "{law:?}");
        let (mut dq, mut dv) = (vec![0.0; nv], vec![0.0; nv]);
        sim.step_jvp(&d, &w, &u, &[], &mut dq, &mut dv).unwrap();
        let size = dv.iter().fold(1.0f64, |m, x| m.max(x.abs()));
        // Of dependent rows that contradict each other the derivative is that of one side, and says so.
        let is_exact = sim.step_info().unwrap().gradient == Gradient::Exact;
        assert!(is_exact || law == Contact::Lcp, "{law:?}");
        for ((a, b), d) in ahead.iter().zip(&back).zip(&dv) {
            let slope = (a - b) / (2.0 * eps);
            let is_close = (slope - d).abs() < 1e-5 * size;
            assert!(is_close || !is_exact, "{law:?}: {slope} {d}");
        }
        let (z, zero) = (rng.vector(nv, 1.0), vec![0.0; nv]);
        let (mut q_bar, mut v_bar) = (zero.clone(), zero.clone());
        sim.step_vjp(&zero, &z, Some(&mut q_bar), Some(&mut v_bar), None, None)
            .unwrap();
        let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
        let (forward, reverse) = (dot(&z, &dv), dot(&q_bar, &d) + dot(&v_bar, &w));
        assert!(
            (forward - reverse).abs() < 1e-10 * size * nv as f64,
            "{forward} {reverse}"
        );
    }
}

#[test]
fn gradients_of_trajectories() {
    for law in LAWS {
        let mut spec = ModelSpec::default();
        crate::common::checker::ground(&mut spec, 0.6);
        free_body(
            &mut spec,
            "a",
            Vec3::new(0.0, 0.0, 0.0999),
            scene::ball(0.1),
        );
        free_body(
            &mut spec,
            "b",
            Vec3::new(0.4, 0.0, 0.0999),
            scene::ball(0.1),
        );
        resist(&mut spec, 6);
        let model = Arc::new(Model::compile(spec, Actuation::Full).unwrap());
        let mut rng = Rng::new(9);
        let steps = 60;
        let from = From {
            q0: model.neutral().to_vec(),
            v0: [0.3, 0.1, 0.0, 0.5, 3.0, 2.0, -0.1, 0.2, 0.0, 1.0, -2.0, 4.0].to_vec(),
            u: rng.vector(steps * model.nu(), 0.05),
        };
        let list = [
            param(ParamKind::GeomFriction, 1, 1),
            param(ParamKind::GeomFriction, 2, 2),
            param(ParamKind::GeomFriction, 2, 0),
            param(ParamKind::GeomSize, 1, 0),
            param(ParamKind::BodyInertia, 1, 0),
        ];
        let options = with(law, Integrator::SymplecticEulerWorld, 2e-3);
        // Of a pyramid torsion and rolling change their modes unseen: closer.
        let epsilon = if law == Contact::Lcp { 1e-7 } else { 1e-6 };
        compare(&model, &options, steps, &from, &list, epsilon).accept(&format!("{law:?}"), 1e-6);
    }
}

/// A model that is saved and loaded steps alike, and a memory that is put back gives the same bits.
#[test]
fn files_and_memories_keep_what_resists() {
    let mut spec = quadruped_spec(false);
    resist(&mut spec, 6);
    let model = Arc::new(Model::compile(spec, Actuation::FromFile).unwrap());
    let file = std::env::temp_dir().join(format!("torsion_{}.xml", std::process::id()));
    save_file(&model, &file, false).unwrap();
    let again = mjcf::read_file(&file, &Default::default()).unwrap();
    std::fs::remove_file(&file).unwrap();
    let again = Arc::new(Model::compile(again, Actuation::FromFile).unwrap());
    let o = with(Contact::Ncp, Integrator::SymplecticEulerWorld, 2e-3);
    let mut sims = [model.clone(), again].map(|m| Sim::new(m, &o).unwrap());
    let mut rng = Rng::new(2);
    let (mut q, mut v) = (standing(&model), rng.vector(18, 0.4));
    let mut resisting = 0;
    for _ in 0..80 {
        let (mut qn, mut vn) = (q.clone(), v.clone());
        let (mut q2, mut v2) = (q.clone(), v.clone());
        let mut memory = vec![0.0; sims[0].memory_size()];
        sims[0].get_memory(&mut memory).unwrap();
        sims[0].step(&q, &v, &[], &mut qn, &mut vn).unwrap();
        sims[1].step(&q, &v, &[], &mut q2, &mut v2).unwrap();
        for (a, b) in vn.iter().zip(&v2) {
            assert!((a - b).abs() < 1e-8, "{a} {b}");
        }
        sims[0].set_memory(&memory).unwrap();
        sims[0].step(&q, &v, &[], &mut q2, &mut v2).unwrap();
        assert_eq!((&qn, &vn), (&q2, &v2));
        let turns = |c: &ContactReport| c.torque != [0.0; 3];
        resisting += sims[0].contacts().iter().filter(|c| turns(c)).count();
        (q, v) = (qn, vn);
    }
    assert!(resisting > 20, "{resisting}");
}

/// Bodies that nothing joins: a ball that resists rolling and a capsule that resists torsion, and an
/// ellipsoid and a ball that resist neither, one on the other; `shown` leaves some out.
fn apart(law: Contact, shown: [bool; 3]) -> (Model, Options) {
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.6);
    let semi_axes = Vec3::new(0.1, 0.12, 0.09);
    let capsule = ShapeSpec::Capsule {
        radius: 0.08,
        half_length: 0.1,
    };
    let bodies = [
        (ShapeSpec::Sphere { radius: 0.1 }, [0.0, 0.1], 6, 0),
        (capsule, [1.0, 0.08], 4, 1),
        (ShapeSpec::Ellipsoid { semi_axes }, [2.0, 0.09], 3, 2),
        (ShapeSpec::Sphere { radius: 0.1 }, [2.03, 0.28], 3, 2),
    ];
    for (k, (shape, [x, z], condim, group)) in bodies.into_iter().enumerate() {
        if shown[group] {
            free_body(&mut spec, &format!("b{k}"), Vec3::new(x, 0.0, z), shape);
            let g = spec.geoms.last_mut().unwrap();
            (g.condim, g.friction) = (condim, [0.6, 0.03, 0.008]);
        }
    }
    let model = Model::compile(spec, Actuation::FromFile).unwrap();
    (model, with(law, Integrator::SymplecticEulerWorld, 2e-3))
}

/// Each island is solved by itself: bodies beside it change no bit of rigid contact, and its derivatives are
/// those of differences.
#[test]
fn what_nothing_joins_is_solved_apart() {
    let run = |law, shown: [bool; 3]| {
        let (model, options) = apart(law, shown);
        let mut w = World::of(model, &options);
        let own = [1, 1, 2];
        let mut starts = Vec::new();
        for k in (0..3).filter(|k| shown[*k]) {
            let v = [0.4, -0.2, 0.0, 1.0, 2.0 + k as f64, 4.0];
            starts.extend((0..own[k]).flat_map(|_| v));
        }
        w.v.copy_from_slice(&starts);
        let mut solved = 0;
        for _ in 0..80 {
            solved += usize::from(w.step().converged);
        }
        (w.v, solved)
    };
    for law in [Contact::Ncp, Contact::Lcp, Contact::Convex] {
        let (all, solved) = run(law, [true; 3]);
        assert_eq!(solved, 80, "{law:?}");
        let (torsion, _) = run(law, [true, true, false]);
        let (one, _) = run(law, [true, false, true]);
        // How soft compliant friction is follows the scene.
        let bound = if law == Contact::Convex { 1e-12 } else { 0.0 };
        let beside = [(&all[..12], &torsion[..]), (&all[..6], &one[..6])];
        for (a, b) in beside.into_iter().chain([(&all[12..], &one[6..])]) {
            let off = a.iter().zip(b).map(|(a, b)| (a - b).abs());
            assert!(off.fold(0.0, f64::max) <= bound, "{law:?}: {a:?} {b:?}");
        }
        let (model, options) = apart(law, [true; 3]);
        let mut list: Vec<_> = (1..5)
            .map(|g| param(ParamKind::GeomFriction, g, 0))
            .collect();
        list.extend((1..3).map(|g| param(ParamKind::GeomFriction, g, 1)));
        list.extend((1..5).map(|b| param(ParamKind::BodyInertia, b, 0)));
        let q = model.neutral().to_vec();
        let mut checker = Checker::new(model, &options);
        checker.select(&list);
        (checker.eps, checker.stencil) = (2e-7, FOURTH_ORDER);
        checker.run(&format!("{law:?} apart"), &q, 0.8, 30);
    }
}
