//! Compares the factors of an implicit stage's matrix with products with this matrix.

use super::Dynamics;
use super::factors::Factors;
use super::general_articulation::{ByUnknown, GeneralArticulation};
use super::link_terms::{LinkTerms, Of};
use super::locked::LockedMass;
use super::tied::{factor_general, solve_general, solve_general_transposed};
use super::ties::Ties;
use crate::linalg::scattered;
use crate::model::spec::{BodySpec, JointKind, JointSpec, ModelSpec};
use crate::model::topology::{Link, Topology};
use crate::model::{Actuation, Model};
use crate::spatial::{Inertia, Pose, Sym3, Vec3};

/// Bodies with these parents, the first on a joint of this kind and the others on hinges.
fn tree(first: JointKind, parents: &[usize]) -> Model {
    let mut spec = ModelSpec::default();
    for (k, parent) in parents.iter().enumerate() {
        let x = |seed: usize| scattered(k, seed);
        let mut b = BodySpec::world();
        (b.name, b.parent) = (format!("body{k}"), *parent);
        b.placement = Pose::translation(Vec3::new(0.1, 0.03 * x(1), 0.03 * x(2)));
        let turning = Sym3::diagonal(Vec3::new(1e-3, 2e-3, 2e-3));
        b.inertia = Inertia::from_com(0.5, Vec3::new(0.05, 0.02 * x(3), 0.0), turning);
        let kind = if k == 0 { first } else { JointKind::Revolute };
        let mut j = JointSpec::new(format!("joint{k}"), kind);
        j.axis = Vec3::new(x(4), x(5), 1.5);
        j.armature = 1e-3;
        b.joints = vec![j];
        spec.bodies.push(b);
    }
    Model::compile(spec, Actuation::Full).unwrap()
}

/// Inverse dynamics at a pseudo-random state.
fn at_a_state(model: &Model) -> Dynamics {
    let nv = model.nv();
    let x = |size: f64, seed: usize| -> Vec<f64> {
        (0..nv).map(|k| size * scattered(k, seed)).collect()
    };
    let mut q = model.neutral().to_vec();
    model.integrate(model.neutral(), &x(0.5, 6), &mut q);
    let mut d = Dynamics::new(model, true);
    d.update(model, model.params(), &q, &x(1.0, 7));
    let mut tau = vec![0.0; nv];
    d.inverse(model, model.params(), &x(2.0, 8), &mut tau);
    d
}

const PLAIN: [f64; 3] = [1e3, 1.0, 1e-3];

fn plain(l: &Link, by: &mut ByUnknown) {
    for (c, by) in by[..l.nv].iter_mut().enumerate() {
        for (by, x) in by.iter_mut().zip(PLAIN) {
            by[..l.nv].fill(0.0);
            by[c] = x;
        }
    }
}

/// H x and Hᵀ x from products.
fn times(terms: &mut LinkTerms, t: &Topology, x: &[f64], transposed: bool) -> Vec<f64> {
    let mut out = vec![0.0; x.len()];
    for (of, scale) in [Of::Acceleration, Of::Velocity, Of::Position]
        .into_iter()
        .zip(PLAIN)
    {
        let mut own = vec![0.0; x.len()];
        match transposed {
            false => terms.add(t, of, x, &mut own),
            true => terms.add_transposed(t, of, x, &mut own),
        }
        out.iter_mut().zip(own).for_each(|(o, x)| *o += scale * x);
    }
    out
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter()
        .zip(b)
        .fold(0.0, |m, (a, b)| f64::max(m, (a - b).abs()))
}

/// A chain with two branches, and another tree. Ties are along the chain, side by side, one within
/// another, between branches, between the trees, and on links that hang on other ties' links.
#[test]
fn ties_are_part_of_the_factors() {
    let mut parents: Vec<usize> = (0..40).collect();
    parents.push(20);
    parents.extend(41..60);
    parents.push(0);
    parents.extend(61..80);
    let (model, free) = (
        tree(JointKind::Revolute, &parents),
        tree(JointKind::Free, &parents),
    );
    let cliques: [&[&[usize]]; 6] = [
        &[],
        &[&[10, 11, 13]],
        &[&[2, 3, 4], &[30, 33], &[50, 51, 58], &[70, 79]],
        &[&[5, 30], &[10, 12], &[21, 24], &[45, 50]],
        &[&[25, 35, 45], &[2, 6], &[55, 57], &[36, 38]],
        &[&[0, 65], &[30, 50], &[3, 4, 5], &[75, 78]],
    ];
    for (model, cliques) in cliques.iter().flat_map(|c| [(&model, c), (&free, c)]) {
        let (t, nv) = (model.topology(), model.nv());
        let d = at_a_state(model);
        let mut terms = LinkTerms::new(t, 100);
        terms.take(model, model.params(), &d);
        // The last dof of each link.
        let dof = |link: usize| t.links[link].last_dof();
        for (k, (row, column)) in (cliques.iter())
            .flat_map(|c| c.iter().flat_map(|a| c.iter().map(move |b| (*a, *b))))
            .enumerate()
        {
            let [by_q, by_v] = [9, 10].map(|seed| scattered(k, seed));
            // The entries are not symmetric, and large compared with the inertia.
            terms.add_entry(t, dof(row), dof(column), 3e4 * by_q, 20.0 * by_v);
        }
        let mut ties = Ties::with_room(t, [20, 100]);
        let mut prescribed = vec![false; nv];
        for is_prescribed in [false, true] {
            prescribed[dof(12)] = is_prescribed;
            let of_ties = terms.coupled().iter().filter(|e| !prescribed[e.row]);
            ties.take(
                t,
                of_ties.map(|e| (e.row, e.column, e.by_v * PLAIN[1] + e.by_q * PLAIN[2])),
            );
            let mut f = GeneralArticulation::new(t);
            let mut singular = None;
            let mut of = |l: &Link, by: &mut ByUnknown| plain(l, by);
            factor_general(
                &mut f,
                t,
                &terms,
                &prescribed,
                &mut of,
                &mut ties,
                &mut singular,
            );
            assert_eq!(singular, None);
            let x: Vec<f64> = (0..nv).map(|k| scattered(k, 11)).collect();
            let mut b = times(&mut terms, t, &x, false);
            if is_prescribed {
                b[dof(12)] = x[dof(12)];
            }
            solve_general(&mut f, t, &mut ties, &mut b);
            let error = largest_difference(&b, &x);
            assert!(error < 1e-8, "{cliques:?}: {error:e}");
            let mut b = match is_prescribed {
                false => times(&mut terms, t, &x, true),
                // The row of a prescribed dof is that of the identity.
                true => {
                    let mut others = x.clone();
                    others[dof(12)] = 0.0;
                    let mut b = times(&mut terms, t, &others, true);
                    b[dof(12)] += x[dof(12)];
                    b
                }
            };
            solve_general_transposed(&mut f, t, &mut ties, &mut b);
            let error = largest_difference(&b, &x);
            assert!(error < 1e-8, "{cliques:?}, transposed: {error:e}");
        }
    }
}

#[test]
fn a_tie_that_takes_all_that_a_row_has_is_singular() {
    let model = tree(JointKind::Revolute, &(0..70).collect::<Vec<_>>());
    let t = model.topology();
    let d = at_a_state(&model);
    let mut terms = LinkTerms::new(t, 4);
    terms.take(&model, model.params(), &d);
    // Row 40 becomes the double of row 30: its own entries are subtracted and others added.
    let [mut a, mut b] = [vec![0.0; 70], vec![0.0; 70]];
    let unit = |k: usize| {
        (0..70)
            .map(|j| f64::from(u8::from(j == k)))
            .collect::<Vec<_>>()
    };
    a.copy_from_slice(&times(&mut terms, t, &unit(30), true));
    b.copy_from_slice(&times(&mut terms, t, &unit(40), true));
    let entries = (0..70)
        .filter(|k| *k != 40)
        .map(|k| (40, k, 2.0 * a[k] - b[k]));
    let mut ties = Ties::with_room(t, [1, 70]);
    ties.take(t, entries);
    // The diagonal is set directly, because it is within the link.
    terms.add_entry(t, 40, 40, (2.0 * a[40] - b[40]) / PLAIN[2], 0.0);
    let mut f = GeneralArticulation::new(t);
    let mut singular = None;
    let mut of = |l: &Link, by: &mut ByUnknown| plain(l, by);
    let prescribed = vec![false; 70];
    factor_general(
        &mut f,
        t,
        &terms,
        &prescribed,
        &mut of,
        &mut ties,
        &mut singular,
    );
    // The matrix is singular up to round-off.
    let mut x = unit(40);
    if singular.is_none() {
        solve_general(&mut f, t, &mut ties, &mut x);
    }
    let size = x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    assert!(singular == Some(40) || size > 1e6, "{singular:?} {size:e}");
}

#[test]
fn locked_dofs_leave_the_mass_matrix() {
    let fork = vec![usize::MAX, 0, 1, 0, 3, 4, 5, 1, 7];
    // A chain with branches at several depths, so that rows have one to ten lanes.
    let chain = (0..34).map(|k: usize| k.wrapping_sub(1));
    let long: Vec<usize> = chain.chain([3, 34, 35, 17, 37, 30]).collect();
    let kinds = [JointKind::Free, JointKind::Revolute];
    for (parents, kind) in [fork, long]
        .iter()
        .flat_map(|p| kinds.map(|kind| (p, kind)))
    {
        let parents: Vec<usize> = parents.iter().map(|p| p.wrapping_add(1)).collect();
        let model = tree(kind, &parents);
        let (t, nv) = (model.topology(), model.nv());
        let mut d = at_a_state(&model);
        let mut dense = vec![0.0; nv * nv];
        assert!(d.mass_matrix(&model, model.params(), &mut dense));
        d.mass.keep_whole();
        d.factor_mass(&model, &model.params().armature);
        let b: Vec<f64> = (0..nv).map(|k| scattered(k, 3)).collect();
        let mut x = b.clone();
        d.mass.solve(t, &mut x);
        let size = x.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
        for k in 0..nv {
            let right: f64 = (0..nv).map(|j| dense[j * nv + k] * x[j]).sum();
            assert!((right - b[k]).abs() < 1e-11 * size, "{k}: {right} {}", b[k]);
        }
        let Factors::Packed(factors) = &d.mass else {
            panic!("the tree is shallow");
        };
        let mut m = LockedMass::new(t);
        m.take(factors, t);
        for pattern in 0..5 {
            let share = 0.5 * pattern as f64 - 1.0;
            let locked: Vec<bool> = (0..nv).map(|k| scattered(k, 9 + pattern) < share).collect();
            m.factor(t, &locked);
            let (mut x, mut y) = (b.clone(), vec![0.0; nv]);
            m.solve(t, &mut x);
            m.times(t, &x, &mut y);
            let size = x.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
            for k in 0..nv {
                let right: f64 = (0..nv).map(|j| dense[j * nv + k] * x[j]).sum();
                assert!((y[k] - right).abs() < 1e-12 * size, "{k}: {} {right}", y[k]);
                match locked[k] {
                    true => assert_eq!(x[k], 0.0),
                    false => assert!((y[k] - b[k]).abs() < 1e-11 * size, "{k}: {} {}", y[k], b[k]),
                }
            }
        }
    }
}
