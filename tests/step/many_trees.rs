//! Same inputs, same bits, in a scene of many free bodies: on any number of threads, with derivatives on, off
//! and asked for, and from a restored warm start. Its largest island is solved by trees, the small ones
//! densely.

use crate::common::Rng;
use crate::common::scene::{at, cuboid, free, ground};
use allocation_counter::measure;
use diffsim::batch::{Batch, BatchAdjoint};
use diffsim::error::Status;
use diffsim::model::params::{Param, ParamKind};
use diffsim::model::spec::{ModelSpec, ShapeSpec};
use diffsim::model::{Actuation, Model};
use diffsim::step::{Options, Sim, StepJacobians};
use std::sync::{Arc, LazyLock};

const LEVELS: usize = 8;
const BESIDE: usize = 4;
const BODIES: usize = LEVELS + 2 * BESIDE;
const ELEMENTS: usize = 8;
const STEPS: usize = 8;

/// A state in which the bodies lie in heaps, and the warm start that belongs to it.
struct Heaps {
    model: Arc<Model>,
    q: Vec<f64>,
    v: Vec<f64>,
    memory: Vec<f64>,
}

/// A leaning tower of boxes, and beside it balls that fall on boxes.
fn heaps() -> ModelSpec {
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.5);
    let mut rng = Rng::new(4);
    for k in 0..LEVELS {
        let shift = rng.vec3(0.01);
        let place = at(shift.x, shift.y, 0.1 + 0.201 * k as f64);
        free(
            &mut spec,
            &format!("level{k}"),
            place,
            1.0,
            cuboid(0.1, 0.1, 0.1),
        );
    }
    for k in 0..BESIDE {
        let x = 1.0 + 0.5 * k as f64;
        free(
            &mut spec,
            &format!("box{k}"),
            at(x, 0.0, 0.1),
            1.0,
            cuboid(0.1, 0.12, 0.1),
        );
        let ball = ShapeSpec::Sphere { radius: 0.08 };
        let place = at(x + rng.range(-0.05, 0.05), 0.0, 0.285);
        free(&mut spec, &format!("ball{k}"), place, 0.5, ball);
    }
    spec
}

fn options(derivatives: bool) -> Options {
    Options {
        derivatives,
        max_contacts: 256,
        ..Options::default()
    }
}

static HEAPS: LazyLock<Heaps> = LazyLock::new(|| {
    let model = Arc::new(Model::compile(heaps(), Actuation::Full).unwrap());
    let mut sim = Sim::new(model.clone(), &options(false)).unwrap();
    let (mut q, mut v) = (model.neutral().to_vec(), vec![0.0; model.nv()]);
    let u = vec![0.0; model.nu()];
    for _ in 0..60 {
        let (q0, v0) = (q.clone(), v.clone());
        sim.step(&q0, &v0, &u, &mut q, &mut v).unwrap();
    }
    // More than 72 rows, which are no longer solved densely.
    let largest = largest_island(&sim);
    assert!(largest > 24, "{largest} contacts");
    let mut memory = vec![0.0; sim.memory_size()];
    sim.get_memory(&mut memory).unwrap();
    Heaps {
        model,
        q,
        v,
        memory,
    }
});

/// Contacts of the bodies that touch each other directly or through others.
fn largest_island(sim: &Sim) -> usize {
    let mut island: Vec<usize> = (0..=BODIES).collect();
    let pairs = || sim.contacts().iter().map(|c| c.body);
    for [a, b] in pairs().filter(|p| !p.contains(&0)) {
        let (from, to) = (island[b], island[a]);
        island
            .iter_mut()
            .filter(|i| **i == from)
            .for_each(|i| *i = to);
    }
    let of = |[a, b]: [usize; 2]| island[a.max(b)];
    let count = |i| pairs().filter(|p| of(*p) == i).count();
    (1..=BODIES).map(count).max().unwrap()
}

fn bits(x: &[f64]) -> Vec<u64> {
    x.iter().map(|x| x.to_bits()).collect()
}

/// Positions, velocities and impulses after each of some steps from the heaps with random forces.
fn record(sim: &mut Sim, mut between: impl FnMut(&mut Sim)) -> Vec<Vec<u64>> {
    let h = &*HEAPS;
    sim.set_memory(&h.memory).unwrap();
    let (mut q, mut v) = (h.q.clone(), h.v.clone());
    let mut rng = Rng::new(12);
    (0..STEPS)
        .map(|_| {
            let u = rng.vector(h.model.nu(), 0.5);
            let (q0, v0) = (q.clone(), v.clone());
            sim.step(&q0, &v0, &u, &mut q, &mut v).unwrap();
            let impulses: Vec<f64> = sim.contacts().iter().flat_map(|c| c.impulse).collect();
            between(sim);
            [bits(&q), bits(&v), bits(&impulses)].concat()
        })
        .collect()
}

#[test]
fn derivatives_change_no_bit() {
    let nv = HEAPS.model.nv();
    let mut plain = Sim::new(HEAPS.model.clone(), &options(false)).unwrap();
    let expected = record(&mut plain, |_| {});
    let mut sim = Sim::new(HEAPS.model.clone(), &options(true)).unwrap();
    assert_eq!(record(&mut sim, |_| {}), expected);
    let one = vec![1.0; nv];
    let (mut a, mut b) = (one.clone(), one.clone());
    let mut jacobian = vec![0.0; nv * nv];
    let mut asked = 0;
    let got = record(&mut sim, |sim| {
        if !sim.step_info().unwrap().converged {
            return;
        }
        asked += 1;
        let out = StepJacobians {
            dv_dq: Some(&mut jacobian),
            ..Default::default()
        };
        sim.step_jacobians(out).unwrap();
        sim.step_vjp(&one, &one, Some(&mut a), Some(&mut b), None, None)
            .unwrap();
        sim.step_jvp(&one, &one, &[], &[], &mut a, &mut b).unwrap();
    });
    assert_eq!(got, expected);
    assert!(2 * asked > STEPS);
}

#[test]
fn a_restored_warm_start_replays_the_same_bits() {
    let mut sim = Sim::new(HEAPS.model.clone(), &options(false)).unwrap();
    let first = record(&mut sim, |_| {});
    // Once more where it has gone on, and in another simulation.
    assert_eq!(record(&mut sim, |_| {}), first);
    let mut other = Sim::new(HEAPS.model.clone(), &options(false)).unwrap();
    assert_eq!(record(&mut other, |_| {}), first);
}

#[test]
fn a_duplicate_goes_on_with_the_same_bits_and_without_the_heap() {
    let h = &*HEAPS;
    let mut sim = Sim::new(h.model.clone(), &options(true)).unwrap();
    let friction = Param {
        kind: ParamKind::GeomFriction,
        index: 0,
        component: 0,
    };
    sim.select_params(&[friction]).unwrap();
    sim.set_params(&[0.4]).unwrap();
    sim.set_external_wrench(1, [0.5, 0.0, -1.0, 0.0, 0.1, 0.0])
        .unwrap();
    sim.set_memory(&h.memory).unwrap();
    let u = vec![0.0; h.model.nu()];
    let (mut q, mut v) = (h.q.clone(), h.v.clone());
    sim.step(&h.q, &h.v, &u, &mut q, &mut v).unwrap();
    let mut other = sim.duplicate().unwrap();
    assert_eq!(other.step_info().unwrap_err().status, Status::NoStep);
    let (mut q1, mut v1) = (q.clone(), v.clone());
    for _ in 0..STEPS {
        let (q0, v0) = (q.clone(), v.clone());
        sim.step(&q0, &v0, &u, &mut q, &mut v).unwrap();
        let heap = measure(|| other.step(&q0, &v0, &u, &mut q1, &mut v1).unwrap());
        assert_eq!(heap.count_total, 0);
        assert_eq!([bits(&q1), bits(&v1)], [bits(&q), bits(&v)]);
    }
}

/// States, Jacobians and adjoints of a batch that starts in the heaps, each element with its own velocities.
fn batch(threads: usize) -> Vec<Vec<u64>> {
    let h = &*HEAPS;
    let (nv, nu, n) = (h.model.nv(), h.model.nu(), ELEMENTS);
    let mut batch = Batch::new(h.model.clone(), &options(true), n, threads).unwrap();
    let friction = Param {
        kind: ParamKind::GeomFriction,
        index: 0,
        component: 0,
    };
    batch.select_params(&[friction]).unwrap();
    let mut rng = Rng::new(31);
    let mut q = h.q.repeat(n);
    let mut v: Vec<f64> = (0..n)
        .flat_map(|_| &h.v)
        .map(|v| v + rng.range(-0.2, 0.2))
        .collect();
    for i in 0..n {
        batch.sim_mut(i).unwrap().set_memory(&h.memory).unwrap();
    }
    let mut each = vec![Status::Ok; n];
    let u = vec![0.0; nu * n];
    let mut record = Vec::new();
    for _ in 0..STEPS {
        let (q0, v0) = (q.clone(), v.clone());
        batch.step(&q0, &v0, &u, &mut q, &mut v, &mut each).unwrap();
        record.extend([bits(&q), bits(&v)]);
    }
    let mut jacobian = vec![0.0; nv * nv * n];
    let bars = rng.vector(2 * nv * n, 1.0);
    let mut out = [nv, nv, nu, 1].map(|k| vec![0.0; k * n]);
    let jacobians = StepJacobians {
        dv_dv: Some(&mut jacobian),
        ..Default::default()
    };
    // An element with an unsolved step has no Jacobians, for any number of threads.
    let _ = batch.step_jacobians(jacobians, &mut each);
    let with: Vec<u64> = each.iter().map(|s| *s as u64).collect();
    assert!(each.contains(&Status::Ok));
    let [a, b, c, d] = &mut out;
    let (q_bar, v_bar) = bars.split_at(nv * n);
    let adjoint = BatchAdjoint {
        q_bar: Some(a),
        v_bar: Some(b),
        u_bar: Some(c),
        p_bar: Some(d),
    };
    let _ = batch.step_vjp(q_bar, v_bar, adjoint, &mut each);
    record.extend([with, bits(&jacobian)]);
    record.extend(out.iter().map(|x| bits(x)));
    record
}

#[test]
fn the_same_bits_on_any_number_of_threads() {
    let alone = batch(1);
    for threads in [2, 8] {
        assert!(batch(threads) == alone, "{threads} threads");
    }
}
