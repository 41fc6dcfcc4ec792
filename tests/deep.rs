//! Chains beyond the depth of packed rows, lying on the ground: all derivatives are one map, that of differences.

mod common;

use common::checker::ground;
use common::{Rng, all_jacobians, by_vector, relative_error};
use diffsim::model::spec::{BodySpec, GeomSpec, JointKind, JointSpec, ModelSpec, ShapeSpec};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::{Inertia, Pose, Sym3, Vec3};
use diffsim::step::{Contact, Options, Sim};
use std::sync::Arc;

/// Links of 0.1 m with hinges across, and so many balls under them, a tenth of a millimetre in the ground.
fn lying(links: usize, balls: usize) -> Arc<Model> {
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.6);
    for id in 1..=links {
        let mut b = BodySpec::world();
        b.name = format!("link{id}");
        b.parent = id - 1;
        b.placement = Pose::translation(match id {
            1 => Vec3::Z * 0.0499,
            _ => Vec3::X * 0.1,
        });
        b.inertia = Inertia::from_com(
            0.1,
            Vec3::X * 0.05,
            Sym3::diagonal(Vec3::new(1e-4, 2e-4, 2e-4)),
        );
        let mut j = JointSpec::new(format!("hinge{id}"), JointKind::Revolute);
        j.axis = if id % 3 == 0 { Vec3::Z } else { Vec3::Y };
        j.armature = 0.01;
        j.damping = 0.05;
        b.joints = vec![j];
        spec.bodies.push(b);
        if id % (links / balls) == 0 {
            let ball = ShapeSpec::Sphere { radius: 0.05 };
            let place = Pose::translation(Vec3::X * 0.05);
            let mut g = GeomSpec::new(format!("ball{id}"), id, place, ball);
            (g.contype, g.conaffinity) = (0, 1);
            spec.geoms.push(g);
        }
    }
    Arc::new(Model::compile(spec, Actuation::Full).unwrap())
}

#[test]
fn derivatives_of_a_long_chain_in_contact() {
    let model = lying(72, 4);
    let nv = model.nv();
    assert!(model.topology().is_deep());
    for contact in [Contact::None, Contact::Ncp, Contact::Convex] {
        let options = Options {
            contact,
            ..Options::default()
        };
        let mut sim = Sim::new(model.clone(), &options).unwrap();
        let mut rng = Rng::new(3);
        let q = model.neutral().to_vec();
        let (v, u) = (vec![0.0; nv], rng.vector(nv, 0.01));
        let step = |sim: &mut Sim, q: &[f64], v: &[f64], u: &[f64]| {
            let (mut qn, mut vn) = (vec![0.0; nv], vec![0.0; nv]);
            sim.step(q, v, u, &mut qn, &mut vn).unwrap();
            vn
        };
        step(&mut sim, &q, &v, &u);
        let touching = sim.contacts().iter().filter(|c| c.impulse[2] > 0.0).count();
        assert!(contact == Contact::None || touching > 0, "{contact:?}");
        let square = || vec![0.0; nv * nv];
        let rest = || [square(), square(), square(), Vec::new()];
        let (mut dq, mut dv) = (rest(), rest());
        sim.step_jacobians(all_jacobians(&mut dq, &mut dv)).unwrap();

        let [a, b, c] = [(); 3].map(|_| rng.vector(nv, 1.0));
        let (mut qa, mut va) = (vec![0.0; nv], vec![0.0; nv]);
        sim.step_jvp(&a, &b, &c, &[], &mut qa, &mut va).unwrap();
        for (along, matrices) in [(&qa, &dq), (&va, &dv)] {
            let mut product = vec![0.0; nv];
            for (x, m) in [&a, &b, &c].into_iter().zip(matrices) {
                for (k, column) in m.chunks_exact(nv).enumerate() {
                    product
                        .iter_mut()
                        .zip(column)
                        .for_each(|(p, c)| *p += c * x[k]);
                }
            }
            assert!(relative_error(along, &product) < 1e-9, "{contact:?}");
        }
        let (y, z) = (rng.vector(nv, 1.0), rng.vector(nv, 1.0));
        let [mut qb, mut vb, mut ub] = [(); 3].map(|_| vec![0.0; nv]);
        let outs = (Some(&mut qb[..]), Some(&mut vb[..]), Some(&mut ub[..]));
        sim.step_vjp(&y, &z, outs.0, outs.1, outs.2, None).unwrap();
        let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
        let forward = [dot(&y, &qa), dot(&z, &va)];
        let reverse = [dot(&a, &qb), dot(&b, &vb), dot(&c, &ub)];
        let size: f64 = reverse.iter().chain(&forward).map(|x| x.abs()).sum();
        let gap = forward.iter().sum::<f64>() - reverse.iter().sum::<f64>();
        assert!(gap.abs() < 1e-10 * size, "{contact:?}: {gap:e} of {size:e}");

        // The far end is 7 m from the root: larger steps of q would change modes.
        let eps = 1e-9;
        let [up, down] = [eps, -eps].map(|e| {
            let moved: Vec<f64> = q.iter().zip(&a).map(|(q, a)| q + e * a).collect();
            step(&mut sim, &moved, &v, &u)
        });
        let pairs = up.iter().zip(&down);
        let along: Vec<f64> = pairs.map(|(x, y)| (x - y) / (2.0 * eps)).collect();
        let mut exact = vec![0.0; nv];
        for (k, column) in dv[0].chunks_exact(nv).enumerate() {
            exact
                .iter_mut()
                .zip(column)
                .for_each(|(p, c)| *p += c * a[k]);
        }
        let by_v = by_vector(&v, |v| step(&mut sim, &q, v, &u));
        let by_u = by_vector(&u, |u| step(&mut sim, &q, &v, u));
        for (name, exact, differences) in [
            ("q", &exact, &along),
            ("v", &dv[1], &by_v),
            ("u", &dv[2], &by_u),
        ] {
            let error = relative_error(exact, differences);
            println!("{contact:?}, {touching} contacts, by {name}: {error:.1e}");
            assert!(error < 1e-4, "{contact:?}, by {name}: {error:e}");
        }
    }
}
