//! Terms of the equations of motion by themselves, against the recursions, identities and differences.

use crate::common::varying::{surface_tree, universal_tree};
use crate::common::*;
use diffsim::model::{Actuation, Model};
use diffsim::spatial::{INERTIA_PARAMS, Wrench};
use diffsim::step::{Contact, Options, Sim};
use std::sync::Arc;

/// Trees of joints of all kinds, some bodies carried against gravity; of joints whose axes vary; and a deep
/// one.
fn trees() -> impl Iterator<Item = (u64, Model)> {
    let carried = |seed: u64, n: usize| {
        let mut spec = random_spec(seed, n);
        let mut rng = Rng::new(seed);
        for body in spec.bodies.iter_mut().skip(1).step_by(3) {
            body.gravity_compensation = rng.range(0.0, 1.2);
        }
        (seed, Model::compile(spec, Actuation::Full).unwrap())
    };
    let random = (0..12).map(move |seed| carried(seed, 2 + seed as usize));
    let varying = (0..4).map(|s| (20 + s, surface_tree(s, 7)));
    let torsion = (0..4).map(|s| (30 + s, universal_tree(s, 7, true)));
    random.chain(varying).chain(torsion).chain([deep()])
}

/// A chain too long for packed rows.
fn deep() -> (u64, Model) {
    let mut rng = Rng::new(99);
    let mut spec = random_spec(99, 1);
    for id in 2..=75 {
        let kind = KINDS[1 + rng.below(3)];
        spec.bodies.push(random_body(&mut rng, id, id - 1, kind));
    }
    let model = Model::compile(spec, Actuation::Full).unwrap();
    assert!(model.topology().is_deep());
    (99, model)
}

struct Asked {
    seed: u64,
    model: Model,
    sim: Sim,
    q: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
    nv: usize,
}

fn each(mut check: impl FnMut(&mut Asked)) {
    for (seed, model) in trees() {
        let mut rng = Rng::new(seed);
        let nv = model.nv();
        let options = Options {
            contact: Contact::None,
            derivatives: seed % 2 == 0,
            ..Options::default()
        };
        check(&mut Asked {
            q: random_q(&mut rng, &model, 1.0),
            v: rng.vector(nv, 1.5),
            a: rng.vector(nv, 3.0),
            sim: Sim::new(Arc::new(model.clone()), &options).unwrap(),
            seed,
            model,
            nv,
        });
    }
}

/// M x, M column-major.
fn times(m: &[f64], x: &[f64]) -> Vec<f64> {
    let rows = m.len() / x.len().max(1);
    let row = |i: usize| x.iter().enumerate().map(|(k, x)| m[rows * k + i] * x).sum();
    (0..rows).map(row).collect()
}

fn added(x: &[f64], y: &[f64], s: f64) -> Vec<f64> {
    x.iter().zip(y).map(|(x, y)| x + s * y).collect()
}

#[test]
fn gravity_bias_and_coriolis_make_up_inverse_dynamics() {
    each(|t| {
        let (seed, nv, still) = (t.seed, t.nv, vec![0.0; t.nv]);
        let (mut g, mut b, mut c) = (still.clone(), still.clone(), vec![f64::NAN; nv * nv]);
        let mut expected = still.clone();
        let mut dg = vec![f64::NAN; nv * nv];
        t.sim.gravity_forces(&t.q, &mut g, Some(&mut dg)).unwrap();
        t.sim
            .inverse_dynamics(&t.q, &still, &still, &mut expected)
            .unwrap();
        assert!(
            relative_error(&g, &expected) < 1e-12,
            "gravity, seed {seed}"
        );
        t.sim.bias_forces(&t.q, &t.v, &mut b).unwrap();
        t.sim
            .inverse_dynamics(&t.q, &t.v, &still, &mut expected)
            .unwrap();
        assert_eq!(b, expected, "bias, seed {seed}");
        t.sim.coriolis_matrix(&t.q, &t.v, &mut c).unwrap();
        let sum = added(&times(&c, &t.v), &g, 1.0);
        assert!(relative_error(&sum, &b) < 1e-11, "C v + g, seed {seed}");

        let fd = by_q(&t.model, &t.q, |q| {
            let mut g = vec![0.0; nv];
            t.sim.gravity_forces(q, &mut g, None).unwrap();
            g
        });
        assert!(relative_error(&dg, &fd) < 1e-9, "∂g/∂q, seed {seed}");

        // The rate of M is C + Cᵀ: Ṁ − 2C is skew.
        let rate = difference(EPS, |x| {
            let mut at = t.q.clone();
            let step: Vec<f64> = t.v.iter().map(|v| v * x).collect();
            t.model.integrate(&t.q, &step, &mut at);
            let mut m = vec![0.0; nv * nv];
            t.sim.mass_matrix(&at, &mut m).unwrap();
            m
        });
        let both: Vec<f64> = (0..nv * nv)
            .map(|i| c[i] + c[i % nv * nv + i / nv])
            .collect();
        assert!(relative_error(&both, &rate) < 1e-8, "Ṁ, seed {seed}");
    });
}

#[test]
fn wrenches_of_the_sim_are_not_in_the_terms() {
    each(|t| {
        let (mut before, mut after) = (vec![0.0; t.nv], vec![0.0; t.nv]);
        t.sim.bias_forces(&t.q, &t.v, &mut before).unwrap();
        t.sim.set_external_wrench(1, [1.0; 6]).unwrap();
        t.sim.bias_forces(&t.q, &t.v, &mut after).unwrap();
        assert_eq!(before, after);
        t.sim.gravity_forces(&t.q, &mut before, None).unwrap();
        t.sim.set_external_wrench(1, [0.0; 6]).unwrap();
        t.sim.gravity_forces(&t.q, &mut after, None).unwrap();
        assert_eq!(before, after);
    });
}

#[test]
fn mass_matrices_are_inverted() {
    each(|t| {
        let (nv, mut m, mut inverse) = (t.nv, vec![0.0; t.nv * t.nv], vec![f64::NAN; t.nv * t.nv]);
        t.sim.mass_matrix(&t.q, &mut m).unwrap();
        t.sim.mass_matrix_inverse(&t.q, &mut inverse).unwrap();
        let mut error = 0.0_f64;
        for k in 0..nv {
            let mut column = times(&m, &inverse[k * nv..][..nv]);
            column[k] -= 1.0;
            error = column.iter().fold(error, |e, x| e.max(x.abs()));
        }
        assert!(error < 1e-7, "M M⁻¹, seed {}: {error:e}", t.seed);
    });
}

#[test]
fn the_regressor_gives_inverse_dynamics() {
    each(|t| {
        let n = INERTIA_PARAMS * t.model.nbody();
        let (mut y, mut tau) = (vec![f64::NAN; n * t.nv], vec![0.0; t.nv]);
        let (q, v, a) = (&t.q, &t.v, &t.a);
        t.sim.inverse_dynamics_regressor(q, v, a, &mut y).unwrap();
        t.sim.inverse_dynamics(q, v, a, &mut tau).unwrap();
        let params = t.model.params();
        let pi: Vec<f64> = params
            .body_inertia
            .iter()
            .flat_map(|i| i.to_params())
            .collect();
        let rotors: Vec<f64> = a.iter().zip(&params.armature).map(|(a, r)| a * r).collect();
        let expected = added(&tau, &rotors, -1.0);
        assert!(
            relative_error(&times(&y, &pi), &expected) < 1e-11,
            "seed {}",
            t.seed
        );
        assert!(
            y[..INERTIA_PARAMS * t.nv].iter().all(|y| *y == 0.0),
            "the world's columns"
        );
    });
}

#[test]
fn momentum_about_the_centre_of_mass() {
    let mut worst = [0.0_f64; 5];
    each(|t| {
        let (nv, seed) = (t.nv, t.seed);
        let (q, v, a) = (t.q.clone(), t.v.clone(), t.a.clone());
        let (mut map, mut com, mut jac) = (vec![f64::NAN; 6 * nv], [0.0; 3], vec![0.0; 3 * nv]);
        let c = t.sim.centroidal(&q, &v, &a).unwrap();
        t.sim.centroidal_map(&q, &mut map).unwrap();
        let mass = t.sim.center_of_mass(&q, &mut com, Some(&mut jac)).unwrap();
        assert!((c.mass - mass).abs() < 1e-12 * mass);
        assert!(relative_error(&c.center, &com) < 1e-13);
        assert!(relative_error(&c.velocity, &times(&jac, &v)) < 1e-12);
        assert!(relative_error(&c.momentum, &t.sim.momentum(&q, &v, com).unwrap()) < 1e-12);
        assert!(
            relative_error(&times(&map, &v), &c.momentum) < 1e-12,
            "A v, seed {seed}"
        );
        // Of what moves freely, with the forces of gravity and of nothing else.
        let moved = |x: f64| {
            let mut at = q.clone();
            let step = added(&v, &a, 0.5 * x)
                .iter()
                .map(|v| v * x)
                .collect::<Vec<_>>();
            t.model.integrate(&q, &step, &mut at);
            (at, added(&v, &a, x))
        };
        let fd = difference(EPS, |x| {
            let (at, ahead) = moved(x);
            let c = t.sim.centroidal(&at, &ahead, &a).unwrap();
            [&c.momentum[..], &c.velocity].concat()
        });
        let rates = [&c.rate[..], &c.acceleration].concat();
        let mut errors = [relative_error(&rates, &fd); 5];

        let mut out: [Vec<f64>; 4] = std::array::from_fn(|_| vec![f64::NAN; 6 * nv]);
        let columns = out.each_mut().map(|x| &mut x[..]);
        t.sim.centroidal_derivatives(&q, &v, &a, columns).unwrap();
        let [momentum_q, rate_q, rate_v, rate_a] = out;
        let sim = &mut t.sim;
        let mut rate = |q: &[f64], v: &[f64]| sim.centroidal(q, v, &a).unwrap().rate.to_vec();
        errors[1] = relative_error(&rate_q, &by_q(&t.model, &q, |q| rate(q, &v)));
        errors[2] = relative_error(&rate_v, &by_vector(&v, |v| rate(&q, v)));
        let mut momentum = |q: &[f64]| sim.centroidal(q, &v, &a).unwrap().momentum.to_vec();
        errors[3] = relative_error(&momentum_q, &by_q(&t.model, &q, &mut momentum));
        errors[4] = relative_error(&rate_a, &map);
        assert!(errors.iter().all(|e| *e < 1e-8), "seed {seed}: {errors:?}");
        for (w, e) in worst.iter_mut().zip(errors) {
            *w = w.max(e);
        }
    });
    println!("largest relative differences (rate; by q, v; momentum by q; A): {worst:?}");
}

#[test]
fn listed_wrenches_act_as_those_of_the_sim() {
    each(|t| {
        let mut rng = Rng::new(t.seed);
        let bodies: Vec<i32> = (0..5).map(|_| rng.below(t.model.nbody()) as i32).collect();
        let wrenches = rng.vector(30, 4.0);
        let (mut listed, mut set) = (vec![0.0; t.nv], vec![0.0; t.nv]);
        let (q, v, a, sim) = (&t.q, &t.v, &t.a, &mut t.sim);
        sim.inverse_dynamics_with_wrenches(q, v, a, &bodies, &wrenches, &mut listed)
            .unwrap();
        let mut sums = vec![Wrench::ZERO; t.model.nbody()];
        for (b, w) in bodies.iter().zip(wrenches.chunks_exact(6)) {
            sums[*b as usize] += Wrench::from_slice(w);
        }
        for (b, w) in sums.iter().enumerate() {
            sim.set_external_wrench(b, w.to_array()).unwrap();
        }
        sim.inverse_dynamics(q, v, a, &mut set).unwrap();
        assert!(
            relative_error(&listed, &set) < 1e-12,
            "inverse, seed {}",
            t.seed
        );
        let tau = listed.clone();
        sim.forward_dynamics(q, v, &tau, &mut set).unwrap();
        for b in 0..sums.len() {
            sim.set_external_wrench(b, [0.0; 6]).unwrap();
        }
        sim.forward_dynamics_with_wrenches(q, v, &tau, &bodies, &wrenches, &mut listed)
            .unwrap();
        assert!(
            relative_error(&listed, &set) < 1e-9,
            "forward, seed {}",
            t.seed
        );
        assert!(relative_error(&listed, a) < 1e-7, "seed {}", t.seed);
    });
}
