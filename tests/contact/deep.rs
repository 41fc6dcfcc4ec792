//! Chains beyond the depth of packed rows, lying on the ground: all derivatives are one map, that of
//! differences.

use crate::common::scene::lying;
use crate::common::{Rng, all_jacobians, relative_error};
use diffsim::model::Model;
use diffsim::step::{Contact, Options, Sim};
use std::sync::Arc;

#[test]
fn derivatives_of_a_long_chain_in_contact() {
    derivatives_of(lying(72, 4));
}

/// More rows than are solved densely, and fewer than the dofs that they are turned to the coordinates of.
#[test]
fn derivatives_of_a_long_chain_in_many_contacts() {
    derivatives_of(lying(200, 30));
}

fn derivatives_of(model: Arc<Model>) {
    let nv = model.nv();
    assert!(model.topology().is_deep());
    for contact in [
        Contact::None,
        Contact::Ncp,
        Contact::Lcp,
        Contact::Convex,
        Contact::Penalty,
    ] {
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

        // The far end is meters from the root: larger steps would change modes.
        let eps = 1e-9;
        let moved = |x: &[f64], by: &[f64], e: f64| -> Vec<f64> {
            x.iter().zip(by).map(|(x, d)| x + e * d).collect()
        };
        for (k, (name, by)) in [("q", &a), ("v", &b), ("u", &c)].into_iter().enumerate() {
            let [up, down] = [eps, -eps].map(|e| match k {
                0 => step(&mut sim, &moved(&q, by, e), &v, &u),
                1 => step(&mut sim, &q, &moved(&v, by, e), &u),
                _ => step(&mut sim, &q, &v, &moved(&u, by, e)),
            });
            let differences: Vec<f64> = (up.iter().zip(&down))
                .map(|(x, y)| (x - y) / (2.0 * eps))
                .collect();
            let mut exact = vec![0.0; nv];
            for (column, x) in dv[k].chunks_exact(nv).zip(by) {
                let add = |(p, c): (&mut f64, &f64)| *p += c * x;
                exact.iter_mut().zip(column).for_each(add);
            }
            let error = relative_error(&exact, &differences);
            println!("{contact:?}, {touching} contacts, by {name}: {error:.1e}");
            assert!(error < 1e-4, "{contact:?}, by {name}: {error:e}");
        }
    }
}
