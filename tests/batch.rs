//! Batches: the same bits for any number of threads, failures that stay with their element, and no
//! heap call on any thread after creation.

mod common;

use common::checker::{quadruped, standing};
use common::*;
use diffsim::batch::{Batch, BatchAdjoint, BatchRolloutAdjoint};
use diffsim::error::Status;
use diffsim::load::mjcf::{MjcfOptions, read_str};
use diffsim::model::params::{Param, ParamKind};
use diffsim::model::{Actuation, Model};
use diffsim::rollout::Rollout;
use diffsim::step::{Contact, Integrator, Options, Sim, StepJacobians};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Heap calls of all threads of the process.
static CALLS: AtomicUsize = AtomicUsize::new(0);

struct Counting;

// SAFETY: the system's allocator does the work.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CALLS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        CALLS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        CALLS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// One test at a time: the allocator counts for the whole process.
fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

const COUNT: usize = 64;

fn options() -> Options {
    Options {
        time_step: 2e-3,
        ..Options::default()
    }
}

fn params(model: &Model) -> [Param; 2] {
    [
        (ParamKind::GeomFriction, 0),
        (
            ParamKind::JointDamping,
            model.joint_id("hip1").unwrap() as i32,
        ),
    ]
    .map(|(kind, index)| Param {
        kind,
        index,
        component: 0,
    })
}

/// Everything a batch gives for one step.
#[derive(Clone, PartialEq)]
struct Outputs {
    q: Vec<f64>,
    v: Vec<f64>,
    /// Of q⁺ and of v⁺.
    jacobians: [[Vec<f64>; 4]; 2],
    adjoints: [Vec<f64>; 4],
}

impl Outputs {
    fn new(model: &Model, np: usize, count: usize) -> Self {
        let (nq, nv, nu) = (model.nq(), model.nv(), model.nu());
        let columns = [nv, nv, nu, np];
        Outputs {
            q: vec![0.0; nq * count],
            v: vec![0.0; nv * count],
            jacobians: [0, 1].map(|_| columns.map(|n| vec![0.0; nv * n * count])),
            adjoints: columns.map(|n| vec![0.0; n * count]),
        }
    }

    fn jacobians(&mut self) -> StepJacobians<'_> {
        let [q, v] = &mut self.jacobians;
        all_jacobians(q, v)
    }

    /// Columns of element i of an array of `count` equal parts.
    fn part(x: &[f64], i: usize, count: usize) -> &[f64] {
        let n = x.len() / count;
        &x[i * n..(i + 1) * n]
    }

    fn element(&self, i: usize, count: usize) -> Outputs {
        let cut = |x: &Vec<f64>| Self::part(x, i, count).to_vec();
        Outputs {
            q: cut(&self.q),
            v: cut(&self.v),
            jacobians: self.jacobians.each_ref().map(|of| of.each_ref().map(cut)),
            adjoints: self.adjoints.each_ref().map(cut),
        }
    }
}

/// States and inputs that differ from element to element, some in the air and some landing.
struct Drive {
    model: Arc<Model>,
    q: Vec<f64>,
    v: Vec<f64>,
    u: Vec<f64>,
    bar: Vec<f64>,
    rng: Rng,
}

impl Drive {
    fn new() -> Self {
        let model = Arc::new(quadruped(false));
        let mut rng = Rng::new(17);
        let (mut q, mut v) = (Vec::new(), Vec::new());
        for _ in 0..COUNT {
            let mut one = standing(&model);
            one[2] += rng.range(-0.02, 0.005);
            for x in &mut one[7..] {
                *x += rng.range(-0.1, 0.1);
            }
            q.extend(one);
            v.extend(rng.vector(model.nv(), 0.3));
        }
        Drive {
            u: vec![0.0; model.nu() * COUNT],
            bar: rng.vector(2 * model.nv() * COUNT, 1.0),
            model,
            q,
            v,
            rng,
        }
    }

    fn inputs(&mut self) {
        let (nq, nv) = (self.model.nq(), self.model.nv());
        let rest = standing(&self.model);
        for i in 0..COUNT {
            for k in 6..nv {
                self.u[i * nv + k] = 40.0 * (rest[k + 1] - self.q[i * nq + k + 1])
                    - self.v[i * nv + k]
                    + self.rng.range(-2.0, 2.0);
            }
        }
    }

    fn step(&mut self, batch: &mut Batch, out: &mut Outputs, each: &mut [Status]) {
        batch
            .step(&self.q, &self.v, &self.u, &mut out.q, &mut out.v, each)
            .unwrap();
    }

    fn derivatives(&self, batch: &mut Batch, out: &mut Outputs, each: &mut [Status]) {
        batch.step_jacobians(out.jacobians(), each).unwrap();
        let (a, b) = self.bar.split_at(self.bar.len() / 2);
        let [q_bar, v_bar, u_bar, p_bar] = out.adjoints.each_mut();
        let adjoint = BatchAdjoint {
            q_bar: Some(q_bar),
            v_bar: Some(v_bar),
            u_bar: Some(u_bar),
            p_bar: Some(p_bar),
        };
        batch.step_vjp(a, b, adjoint, each).unwrap();
    }
}

fn batch(model: &Arc<Model>, threads: usize) -> Batch {
    let mut b = Batch::new(model.clone(), &options(), COUNT, threads).unwrap();
    b.select_params(&params(model)).unwrap();
    for i in 0..COUNT {
        let values = [0.5 + 0.005 * i as f64, 0.5];
        b.sim_mut(i).unwrap().set_params(&values).unwrap();
    }
    b
}

const STEPS: usize = 40;

/// All outputs of the last of a run of steps, and what each element remembers.
fn run(threads: usize) -> (Outputs, Vec<Vec<f64>>, usize) {
    let mut d = Drive::new();
    let mut b = batch(&d.model, threads);
    let mut out = Outputs::new(&d.model, 2, COUNT);
    let mut each = [Status::Ok; COUNT];
    let mut contacts = 0;
    for _ in 0..STEPS {
        d.inputs();
        d.step(&mut b, &mut out, &mut each);
        d.derivatives(&mut b, &mut out, &mut each);
        d.q.copy_from_slice(&out.q);
        d.v.copy_from_slice(&out.v);
        contacts += (0..COUNT)
            .map(|i| b.sim(i).unwrap().contacts().len())
            .sum::<usize>();
    }
    let memories = (0..COUNT)
        .map(|i| {
            let sim = b.sim(i).unwrap();
            let mut m = vec![0.0; sim.memory_size()];
            sim.get_memory(&mut m).unwrap();
            m
        })
        .collect();
    (out, memories, contacts)
}

#[test]
fn the_same_bits_on_any_number_of_threads() {
    let _turn = alone();
    let (one, memories, contacts) = run(1);
    assert!(
        contacts > STEPS * COUNT,
        "most stand on their feet: {contacts} contacts"
    );
    for threads in [2, 8] {
        let (out, m, _) = run(threads);
        assert!(out == one && m == memories, "{threads} threads");
    }
}

#[test]
fn elements_are_single_simulations() {
    let _turn = alone();
    let (all, _, _) = run(2);
    let mut d = Drive::new();
    let (nq, nv) = (d.model.nq(), d.model.nv());
    let mut sims: Vec<Sim> = (0..COUNT)
        .map(|i| {
            let mut sim = Sim::new(d.model.clone(), &options()).unwrap();
            sim.select_params(&params(&d.model)).unwrap();
            sim.set_params(&[0.5 + 0.005 * i as f64, 0.5]).unwrap();
            sim
        })
        .collect();
    for step in 0..STEPS {
        d.inputs();
        for (i, sim) in sims.iter_mut().enumerate() {
            let (q, v) = (i * nq..(i + 1) * nq, i * nv..(i + 1) * nv);
            let mut out = Outputs::new(&d.model, 2, 1);
            let (qs, vs, us) = (&d.q[q.clone()], &d.v[v.clone()], &d.u[v.clone()]);
            sim.step(qs, vs, us, &mut out.q, &mut out.v).unwrap();
            d.q[q].copy_from_slice(&out.q);
            d.v[v.clone()].copy_from_slice(&out.v);
            if step + 1 == STEPS {
                sim.step_jacobians(out.jacobians()).unwrap();
                let (a, b) = d.bar.split_at(nv * COUNT);
                let [x, y, z, p] = out.adjoints.each_mut();
                sim.step_vjp(&a[v.clone()], &b[v], Some(x), Some(y), Some(z), Some(p))
                    .unwrap();
                assert!(out == all.element(i, COUNT), "element {i}");
            }
        }
    }
}

#[test]
fn a_failing_element_fails_alone() {
    let _turn = alone();
    for threads in [1, 2] {
        let mut d = Drive::new();
        let mut b = batch(&d.model, threads);
        let nv = d.model.nv();
        let mut good = Outputs::new(&d.model, 2, COUNT);
        let mut each = [Status::Ok; COUNT];
        d.step(&mut batch(&d.model, 1), &mut good, &mut each);
        d.u[7 * nv + 3] = f64::NAN;
        d.v[40 * nv] = f64::INFINITY;
        let mut out = Outputs::new(&d.model, 2, COUNT);
        out.q.fill(7.0);
        out.v.fill(7.0);
        let e = b
            .step(&d.q, &d.v, &d.u, &mut out.q, &mut out.v, &mut each)
            .unwrap_err();
        assert_eq!(e.status, Status::Numerical);
        assert!(e.message.starts_with("element 7: u[3]"), "{e}");
        for (i, status) in each.iter().enumerate() {
            let (ours, theirs) = (out.element(i, COUNT), good.element(i, COUNT));
            if i == 7 || i == 40 {
                assert_eq!(*status, Status::Numerical);
                assert!(ours.q.iter().chain(&ours.v).all(|x| *x == 7.0));
            } else {
                assert_eq!(*status, Status::Ok);
                assert!(ours.q == theirs.q && ours.v == theirs.v, "element {i}");
            }
        }
        // Elements without a step have no derivative; the others do.
        let before = out.clone();
        let e = b.step_jacobians(out.jacobians(), &mut each).unwrap_err();
        assert_eq!(e.status, Status::NoStep);
        for (i, status) in each.iter().enumerate() {
            let failed = i == 7 || i == 40;
            assert_eq!(*status == Status::NoStep, failed);
            let untouched = out.element(i, COUNT) == before.element(i, COUNT);
            assert_eq!(untouched, failed, "element {i}");
        }
        // The next good call works for all.
        d.u[7 * nv + 3] = 0.0;
        d.v[40 * nv] = 0.0;
        d.step(&mut b, &mut out, &mut each);
        d.derivatives(&mut b, &mut out, &mut each);
        assert_eq!(each, [Status::Ok; COUNT]);
    }
}

#[test]
fn wrong_arguments_are_named_and_nothing_happens() {
    let _turn = alone();
    let d = Drive::new();
    let refused = |count, threads| {
        let r = Batch::new(d.model.clone(), &options(), count, threads);
        r.err().map(|e| e.status)
    };
    assert_eq!(refused(0, 1), Some(Status::InvalidArgument));
    assert_eq!(refused(2, 0), None);
    let mut b = batch(&d.model, 2);
    let mut out = Outputs::new(&d.model, 2, COUNT);
    let mut each = [Status::Io; COUNT];
    let short = &d.q[1..];
    let e = b
        .step(short, &d.v, &d.u, &mut out.q, &mut out.v, &mut each)
        .unwrap_err();
    assert!(e.message.starts_with("q must have 19 × 64"), "{e}");
    let e = b
        .step(&d.q, &d.v, &d.u, &mut out.q, &mut out.v, &mut each[1..])
        .unwrap_err();
    assert!(
        e.message.contains("each") && e.message.contains("63"),
        "{e}"
    );
    b.sim_mut(3).unwrap().select_params(&[]).unwrap();
    let e = b.step_jacobians(out.jacobians(), &mut each).unwrap_err();
    assert!(e.message.contains("element 3"), "{e}");
    assert_eq!(each, [Status::Io; COUNT]);
    assert!(b.sim(COUNT).is_err() && b.sim_mut(COUNT).is_err());
}

#[test]
fn no_heap_call_on_any_thread_after_creation() {
    let _turn = alone();
    for threads in [1, 2, 8] {
        let mut d = Drive::new();
        let mut b = batch(&d.model, threads);
        let mut out = Outputs::new(&d.model, 2, COUNT);
        let mut each = [Status::Ok; COUNT];
        // The test harness uses the heap on its own thread when one of the other tests here starts or
        // ends; the batch would in most steps.
        let fewest = (0..STEPS)
            .map(|_| {
                d.inputs();
                let before = CALLS.load(Ordering::Relaxed);
                d.step(&mut b, &mut out, &mut each);
                d.derivatives(&mut b, &mut out, &mut each);
                let calls = CALLS.load(Ordering::Relaxed) - before;
                d.q.copy_from_slice(&out.q);
                d.v.copy_from_slice(&out.v);
                calls
            })
            .fold((0, usize::MAX), |(steps_with, least), calls| {
                (steps_with + usize::from(calls > 0), least.min(calls))
            });
        assert_eq!(fewest.1, 0);
        assert!(fewest.0 <= 4, "{} of {STEPS} steps used the heap", fewest.0);
    }
}

/// Rollouts of all elements and their adjoints.
#[derive(Clone, PartialEq)]
struct Paths {
    q: Vec<f64>,
    v: Vec<f64>,
    adjoints: [Vec<f64>; 4],
}

const LONG: usize = 25;

impl Paths {
    fn new(m: &Model, np: usize, count: usize) -> Self {
        Paths {
            q: vec![7.0; m.nq() * (LONG + 1) * count],
            v: vec![7.0; m.nv() * (LONG + 1) * count],
            adjoints: [m.nv(), m.nv(), m.nu() * LONG, np].map(|n| vec![7.0; n * count]),
        }
    }

    fn element(&self, i: usize) -> Paths {
        let cut = |x: &Vec<f64>| Outputs::part(x, i, COUNT).to_vec();
        Paths {
            q: cut(&self.q),
            v: cut(&self.v),
            adjoints: self.adjoints.each_ref().map(cut),
        }
    }

    fn out(&mut self) -> BatchRolloutAdjoint<'_> {
        let [q0_bar, v0_bar, u_bar, p_bar] = self.adjoints.each_mut().map(|x| Some(&mut x[..]));
        BatchRolloutAdjoint {
            q0_bar,
            v0_bar,
            u_bar,
            p_bar,
        }
    }
}

/// Inputs and gradients of the rollouts of all elements: they stand, fall and slide.
fn long_inputs(d: &mut Drive) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let (nv, nu) = (d.model.nv(), d.model.nu());
    let n = nv * (LONG + 1) * COUNT;
    let u = (d.rng).vector(nu * LONG * COUNT, 2.0);
    (u, d.rng.vector(n, 1.0), d.rng.vector(n, 1.0))
}

fn of_interval(interval: usize) -> Options {
    Options {
        checkpoint_interval: interval,
        ..options()
    }
}

fn rolled(d: &Drive, options: &Options, threads: usize, count: usize) -> Batch {
    let mut b = Batch::new(d.model.clone(), options, count, threads).unwrap();
    b.select_params(&params(&d.model)).unwrap();
    for i in 0..count {
        let values = [0.5 + 0.005 * i as f64, 0.5];
        b.sim_mut(i).unwrap().set_params(&values).unwrap();
    }
    b
}

#[test]
fn rollouts_are_single_rollouts_on_any_number_of_threads() {
    let _turn = alone();
    let mut d = Drive::new();
    let (u, q_bar, v_bar) = long_inputs(&mut d);
    let mut each = [Status::Io; COUNT];
    let mut first: Option<Paths> = None;
    for (threads, interval) in [(1, 1), (2, 1), (8, 1), (2, 4)] {
        let mut b = rolled(&d, &of_interval(interval), threads, COUNT);
        let mut out = Paths::new(&d.model, 2, COUNT);
        // A warm start from before changes nothing.
        let mut once = Outputs::new(&d.model, 2, COUNT);
        d.inputs();
        d.step(&mut b, &mut once, &mut each);
        b.rollout(
            LONG,
            &d.q,
            &d.v,
            &u,
            (Some(&mut out.q), Some(&mut out.v)),
            &mut each,
        )
        .unwrap();
        assert_eq!(each, [Status::Ok; COUNT]);
        each.fill(Status::Io);
        b.rollout_adjoint(&q_bar, &v_bar, out.out(), &mut each)
            .unwrap();
        assert_eq!(each, [Status::Ok; COUNT]);
        assert_eq!(b.rollout_labels(COUNT - 1).unwrap().len(), LONG);
        if let Some(first) = &first {
            assert!(out == *first, "{threads} threads, interval {interval}");
            continue;
        }
        let (nq, nv, nu) = (d.model.nq(), d.model.nv(), d.model.nu());
        let mut sliding = 0;
        for i in 0..COUNT {
            let mut one = Rollout::new(d.model.clone(), &options(), LONG).unwrap();
            one.select_params(&params(&d.model)).unwrap();
            let values = [0.5 + 0.005 * i as f64, 0.5];
            one.sim_mut().set_params(&values).unwrap();
            let mut path = Paths::new(&d.model, 2, 1);
            let (q0, v0) = (&d.q[i * nq..][..nq], &d.v[i * nv..][..nv]);
            let (q, v) = (Some(&mut path.q[..]), Some(&mut path.v[..]));
            one.run(q0, v0, &u[i * nu * LONG..][..nu * LONG], LONG, q, v)
                .unwrap();
            let n = nv * (LONG + 1);
            let (q_bar, v_bar) = (&q_bar[i * n..][..n], &v_bar[i * n..][..n]);
            let [a, b, c, e] = path.adjoints.each_mut().map(|x| Some(&mut x[..]));
            one.adjoint(q_bar, v_bar, a, b, c, e).unwrap();
            sliding += usize::from(path.adjoints[3][0] != 0.0);
            assert!(out.element(i) == path, "element {i}");
        }
        assert!(sliding > 0, "no element slides");
        first = Some(out);
    }
}

/// One element against central differences, and the others without any gradient in between.
#[test]
fn adjoints_of_rollouts_are_those_of_differences() {
    let _turn = alone();
    let mut d = Drive::new();
    let (u, q_bar, v_bar) = long_inputs(&mut d);
    let (nq, nv, nu) = (d.model.nq(), d.model.nv(), d.model.nu());
    let mut each = [Status::Ok; COUNT];
    let mut b = rolled(&d, &options(), 2, COUNT);
    let mut out = Paths::new(&d.model, 2, COUNT);
    // Velocities of the last state only: a function that needs no chart.
    let last = nv * LONG;
    let mut bar = vec![0.0; v_bar.len()];
    for (bar, v) in bar
        .chunks_mut(nv * (LONG + 1))
        .zip(v_bar.chunks(nv * (LONG + 1)))
    {
        bar[last..].copy_from_slice(&v[last..]);
    }
    let none = vec![0.0; q_bar.len()];
    let direction: Vec<f64> = (0..u.len()).map(|k| (k as f64 * 0.7).sin()).collect();
    let mut value = |e: f64, b: &mut Batch| {
        let u: Vec<f64> = u.iter().zip(&direction).map(|(u, d)| u + e * d).collect();
        let ends = (Some(&mut out.q[..]), Some(&mut out.v[..]));
        b.rollout(LONG, &d.q, &d.v, &u, ends, &mut each).unwrap();
        let of = |i: usize| {
            let at = i * nv * (LONG + 1) + last..(i + 1) * nv * (LONG + 1);
            let (v, bar) = (&out.v[at.clone()], &bar[at]);
            v.iter().zip(bar).map(|(a, b)| a * b).sum::<f64>()
        };
        (0..COUNT).map(of).collect::<Vec<f64>>()
    };
    let e = 1e-6;
    let (up, down) = (value(e, &mut b), value(-e, &mut b));
    value(0.0, &mut b);
    let mut paths = Paths::new(&d.model, 2, COUNT);
    b.rollout_adjoint(&none, &bar, paths.out(), &mut each)
        .unwrap();
    let mut close = 0;
    for i in 0..COUNT {
        let n = nu * LONG;
        let pairs = (paths.adjoints[2][i * n..][..n].iter()).zip(&direction[i * n..]);
        let exact: f64 = pairs.map(|(a, b)| a * b).sum();
        let difference = (up[i] - down[i]) / (2.0 * e);
        close += usize::from((exact - difference).abs() < 1e-5 * (1.0 + exact.abs()));
    }
    // A few elements have a contact that begins or ends within the difference.
    assert!(close >= COUNT - 4 && nq > nv, "{close} of {COUNT}");
}

#[test]
fn a_failing_rollout_fails_alone() {
    let _turn = alone();
    let mut d = Drive::new();
    let (mut u, q_bar, v_bar) = long_inputs(&mut d);
    let (nv, nu) = (d.model.nv(), d.model.nu());
    let mut each = [Status::Ok; COUNT];
    let mut good = Paths::new(&d.model, 2, COUNT);
    let mut b = rolled(&d, &options(), 2, COUNT);
    let e = b
        .rollout_adjoint(&q_bar, &v_bar, good.out(), &mut each)
        .unwrap_err();
    assert_eq!(e.status, Status::NoStep);
    let ends = (Some(&mut good.q[..]), Some(&mut good.v[..]));
    b.rollout(LONG, &d.q, &d.v, &u, ends, &mut each).unwrap();
    b.rollout_adjoint(&q_bar, &v_bar, good.out(), &mut each)
        .unwrap();
    u[(9 * LONG + 6) * nu + 2] = f64::NAN;
    d.v[40 * nv] = f64::INFINITY;
    let mut out = Paths::new(&d.model, 2, COUNT);
    let ends = (Some(&mut out.q[..]), Some(&mut out.v[..]));
    let e = b
        .rollout(LONG, &d.q, &d.v, &u, ends, &mut each)
        .unwrap_err();
    assert!(e.message.starts_with("element 9: step 6: u[2]"), "{e}");
    let e = b
        .rollout_adjoint(&q_bar, &v_bar, out.out(), &mut each)
        .unwrap_err();
    assert_eq!(e.status, Status::NoStep);
    let untouched = Paths::new(&d.model, 2, COUNT);
    for (i, status) in each.iter().enumerate() {
        let failed = i == 9 || i == 40;
        assert_eq!(*status == Status::NoStep, failed);
        let expected = if failed { &untouched } else { &good };
        assert!(out.element(i) == expected.element(i), "element {i}");
        assert_eq!(b.rollout_labels(i).is_err(), failed);
    }
    // A step of an element forgets its rollout, and derivatives of the last step do not.
    let mut once = Outputs::new(&d.model, 2, COUNT);
    b.sim_mut(0).unwrap().reset();
    let _ = b.step_jacobians(once.jacobians(), &mut each);
    let _ = b.rollout_adjoint(&q_bar, &v_bar, out.out(), &mut each);
    assert_eq!((each[0], each[1]), (Status::NoStep, Status::Ok));
}

#[test]
fn wrong_arguments_of_rollouts_are_named() {
    let _turn = alone();
    let mut d = Drive::new();
    let (u, q_bar, v_bar) = long_inputs(&mut d);
    let mut each = [Status::Io; COUNT];
    let mut b = rolled(&d, &options(), 1, COUNT);
    let no = (None, None);
    let e = b.rollout(0, &d.q, &d.v, &u, no, &mut each).unwrap_err();
    assert!(e.message.contains("steps"), "{e}");
    let no = (None, None);
    let e = b
        .rollout(LONG, &d.q, &d.v, &u[1..], no, &mut each)
        .unwrap_err();
    assert!(e.message.starts_with("u must have"), "{e}");
    let no = (None, None);
    let e = b
        .rollout(usize::MAX, &d.q, &d.v, &u, no, &mut each)
        .unwrap_err();
    assert!(e.message.starts_with("u must have"), "{e}");
    assert_eq!(b.reserve(usize::MAX).unwrap_err().status, Status::Capacity);
    assert_eq!(each, [Status::Io; COUNT]);
    let no = (None, None);
    b.rollout(LONG, &d.q, &d.v, &u, no, &mut each).unwrap();
    each.fill(Status::Io);
    let mut out = Paths::new(&d.model, 2, COUNT);
    let e = b
        .rollout_adjoint(&q_bar[1..], &v_bar, out.out(), &mut each)
        .unwrap_err();
    assert!(e.message.starts_with("q_bar must have"), "{e}");
    assert_eq!(each, [Status::Io; COUNT]);
}

#[test]
fn rollouts_make_no_heap_call_after_the_first() {
    let _turn = alone();
    let mut d = Drive::new();
    let (u, q_bar, v_bar) = long_inputs(&mut d);
    let mut each = [Status::Ok; COUNT];
    for threads in [1, 2] {
        let mut b = rolled(&d, &options(), threads, COUNT);
        let mut out = Paths::new(&d.model, 2, COUNT);
        b.reserve(LONG).unwrap();
        let fewest = (0..6)
            .map(|_| {
                let before = CALLS.load(Ordering::Relaxed);
                let ends = (Some(&mut out.q[..]), Some(&mut out.v[..]));
                b.rollout(LONG, &d.q, &d.v, &u, ends, &mut each).unwrap();
                b.rollout_adjoint(&q_bar, &v_bar, out.out(), &mut each)
                    .unwrap();
                CALLS.load(Ordering::Relaxed) - before
            })
            .min();
        assert_eq!(fewest, Some(0), "{threads} threads");
    }
}

/// An arm; a floating base with ball, slide and hinge joints, springs, a servo, clamps and an activation; and
/// two loose bodies over ground with fluid around them, a tendon along a path, a force against gravity and
/// a limit.
fn plain_models() -> [Arc<Model>; 3] {
    let floating = r#"<mujoco><worldbody><body name="base" pos="0 0 1"><freejoint/>
        <geom type="box" size=".1 .2 .1"/><body name="arm" pos=".2 0 0"><joint name="ball" type="ball" damping=".1"/>
        <geom type="capsule" size=".05 .1"/><body pos=".2 0 .1"><joint name="slide" type="slide" axis="0 .6 .8"
        stiffness="20" springref=".1" damping=".2"/><geom size=".06"/></body><body pos="0 .1 0"><joint name="hinge"
        axis="0 1 0" armature=".01"/><geom type="capsule" size=".03 .1"/></body></body></body></worldbody><actuator>
        <motor joint="hinge" gear="2" ctrllimited="true" ctrlrange="-.5 .5"/><position joint="slide" kp="30"/>
        <general joint="hinge" dyntype="filter" dynprm=".05" gainprm="3"/></actuator></mujoco>"#;
    let loaded = r#"<mujoco><option density="1.2" viscosity=".01" wind="1 0 0"/><worldbody><geom type="plane" size="9 9 1"/>
        <body name="base" pos="0 0 .3"><freejoint/><geom type="box" size=".1 .2 .1"/><site name="a" pos="0 .2 0"/>
        <body pos=".2 0 0" gravcomp=".5"><joint name="one" axis="0 1 0" range="-.5 .5" limited="true"/>
        <geom type="capsule" size=".05 .1"/><body pos=".2 0 .1"><joint name="two" axis="1 0 0" damping=".1"/>
        <geom size=".06"/><site name="b" pos="0 .1 0"/></body></body></body>
        <body pos="1 0 .2"><freejoint/><geom type="box" size=".1 .1 .05"/></body></worldbody>
        <tendon><spatial name="cable"><site site="a"/><site site="b"/></spatial>
        <spatial stiffness="30" damping=".2" springlength="0 .3"><site site="a"/><site site="b"/></spatial></tendon><actuator><motor tendon="cable"/>
        <motor joint="one"/></actuator></mujoco>"#;
    let read = |text| {
        let spec = read_str(text, None, &MjcfOptions::default()).unwrap();
        Model::compile(spec, Actuation::FromFile).unwrap()
    };
    [random_tree(5, 7), read(floating), read(loaded)].map(Arc::new)
}

/// Groups of four elements are stepped side by side: with an element whose mass is its own, one with a
/// wrench, one that fails, one with fast joints, some with a taut cable, and joints whose axes turn with
/// them; without rows and with those of each law. Elements that are left over are stepped alone.
#[test]
fn elements_side_by_side_are_single_simulations() {
    let _turn = alone();
    let free = in_body(Options {
        contact: Contact::None,
        ..options()
    });
    let world = Options {
        integrator: Integrator::SymplecticEulerWorld,
        ..free
    };
    let laws = [
        Contact::Ncp,
        Contact::Lcp,
        Contact::Convex,
        Contact::Penalty,
    ];
    let touching = laws.map(|contact| Options { contact, ..world });
    let [arm, floating, loaded] = plain_models();
    let cases = [arm, floating.clone(), loaded.clone()]
        .into_iter()
        .flat_map(|m| [(m.clone(), free), (m, world)])
        .chain(touching.map(|options| (loaded.clone(), options)))
        .chain([(floating, touching[0])]);
    for (case, (model, options)) in cases.enumerate() {
        let (nq, nv, nu) = (model.nq(), model.nv(), model.nu());
        let mut rng = Rng::new(case as u64);
        let selected = [param(ParamKind::BodyInertia, model.nbody() - 1, 0)];
        let mass = model.params().body_inertia[model.nbody() - 1].mass;
        let steps = 6;
        for (count, threads) in (1..=9).flat_map(|n| [1, 2, 3].map(|threads| (n, threads))) {
            let (q, mut v): (Vec<f64>, Vec<f64>) = (
                (0..count)
                    .flat_map(|_| random_q(&mut rng, &model, 1.0))
                    .collect(),
                rng.vector(nv * count, 1.0),
            );
            if count == 8 {
                v[5 * nv..6 * nv].fill(1e200);
            }
            if count > 4 {
                // Forces of fast joints act in this lane alone.
                v[3 * nv..4 * nv].iter_mut().for_each(|v| *v *= 60.0);
            }
            let u = rng.vector(nu * steps * count, 1.0);
            let bars = [0, 1].map(|_| rng.vector(nv * (steps + 1) * count, 1.0));
            let set = |sim: &mut Sim, i: usize| {
                sim.select_params(&selected).unwrap();
                sim.set_params(&[mass * if i == 2 { 1.5 } else { 1.0 }])
                    .unwrap();
                if count == 9 && i == 6 {
                    let wrench = [1.0, -2.0, 0.5, 0.1, 0.2, -0.3];
                    sim.set_external_wrench(model.nbody() - 1, wrench).unwrap();
                }
            };
            let mut b = Batch::new(model.clone(), &options, count, threads).unwrap();
            b.select_params(&selected).unwrap();
            (0..count).for_each(|i| set(b.sim_mut(i).unwrap(), i));
            let mut each = vec![Status::Io; count];
            let mut paths = [nq, nv].map(|n| vec![7.0; n * (steps + 1) * count]);
            let mut grads = [nv, nv, nu * steps, 1].map(|n| vec![7.0; n * count]);
            let [q_path, v_path] = paths.each_mut().map(|x| Some(&mut x[..]));
            let all = b.rollout(steps, &q, &v, &u, (q_path, v_path), &mut each);
            let states = each.clone();
            let [q0_bar, v0_bar, u_bar, p_bar] = grads.each_mut().map(|x| Some(&mut x[..]));
            let out = BatchRolloutAdjoint {
                q0_bar,
                v0_bar,
                u_bar,
                p_bar,
            };
            let _ = b.rollout_adjoint(&bars[0], &bars[1], out, &mut each);
            // A step after the rollout, and its adjoint.
            let u_one: Vec<f64> = (0..count)
                .flat_map(|i| u[i * nu * steps..][..nu].to_vec())
                .collect();
            let mut ends = [nq, nv].map(|n| vec![7.0; n * count]);
            let mut bar = [nv, nv, nu, 1].map(|n| vec![7.0; n * count]);
            let [q_next, v_next] = &mut ends;
            b.reset();
            let _ = b.step(&q, &v, &u_one, q_next, v_next, &mut each);
            assert_eq!(each, states);
            let labels: Vec<_> = (0..count)
                .map(|i| b.sim(i).unwrap().step_info().ok())
                .collect();
            let [q_bar, v_bar, u_bar, p_bar] = bar.each_mut().map(|x| Some(&mut x[..]));
            let out = BatchAdjoint {
                q_bar,
                v_bar,
                u_bar,
                p_bar,
            };
            let [q_seed, v_seed] = bars.each_ref().map(|x| &x[..nv * count]);
            let _ = b.step_vjp(q_seed, v_seed, out, &mut each);
            for i in 0..count {
                let at = |x: &[f64], n: usize| x[i * n..(i + 1) * n].to_vec();
                let mut one = Rollout::new(model.clone(), &options, steps).unwrap();
                one.select_params(&selected).unwrap();
                set(one.sim_mut(), i);
                let mut path = [nq, nv].map(|n| vec![7.0; n * (steps + 1)]);
                let mut grad = [nv, nv, nu * steps, 1].map(|n| vec![7.0; n]);
                let [q_path, v_path] = path.each_mut().map(|x| Some(&mut x[..]));
                let (q, v) = (at(&q, nq), at(&v, nv));
                let run = one.run(&q, &v, &at(&u, nu * steps), steps, q_path, v_path);
                let what = format!("case {case}, {count} elements, {threads} threads, element {i}");
                let status = run.as_ref().map_or_else(|e| e.status, |()| Status::Ok);
                assert_eq!(states[i], status, "{what}");
                assert_eq!(status == Status::Ok, count != 8 || i != 5, "{what}");
                if let Err(e) = run {
                    let all = all.as_ref().unwrap_err();
                    assert_eq!(all.message, format!("element {i}: {}", e.message));
                    assert!(b.sim(i).unwrap().step_info().is_err(), "{what}");
                    continue;
                }
                let [a, c, d, e] = grad.each_mut().map(|x| Some(&mut x[..]));
                let n = nv * (steps + 1);
                one.adjoint(&at(&bars[0], n), &at(&bars[1], n), a, c, d, e)
                    .unwrap();
                let sim = one.sim_mut();
                sim.reset();
                let mut end = [nq, nv].map(|n| vec![7.0; n]);
                let mut own = [nv, nv, nu, 1].map(|n| vec![7.0; n]);
                let [q_next, v_next] = &mut end;
                sim.step(&q, &v, &at(&u_one, nu), q_next, v_next).unwrap();
                assert_eq!(labels[i], sim.step_info().ok(), "{what}");
                let [a, c, d, e] = own.each_mut().map(|x| Some(&mut x[..]));
                sim.step_vjp(&at(q_seed, nv), &at(v_seed, nv), a, c, d, e)
                    .unwrap();
                for (all, own) in (paths.iter().zip(&path))
                    .chain(grads.iter().zip(&grad))
                    .chain(ends.iter().zip(&end))
                    .chain(bar.iter().zip(&own))
                {
                    let same = at(all, own.len())
                        .iter()
                        .zip(own)
                        .all(|(a, b)| a.to_bits() == b.to_bits());
                    assert!(same, "{what}: {all:?} {own:?}");
                }
            }
        }
    }
}

/// One thread has one memory for the lanes of all its elements, and takes parameters only after a change. Four
/// elements are as loaded; of the other four one gets a mass of its own before the third step.
#[test]
fn parameters_reach_the_lanes_whenever_they_are_set() {
    let _turn = alone();
    let options = in_body(Options {
        contact: Contact::None,
        ..options()
    });
    for model in plain_models() {
        let (nq, nv, nu) = (model.nq(), model.nv(), model.nu());
        let mut rng = Rng::new(5);
        let selected = [param(ParamKind::BodyInertia, model.nbody() - 1, 0)];
        let mass = model.params().body_inertia[model.nbody() - 1].mass;
        let mut batch = Batch::new(model.clone(), &options, 8, 1).unwrap();
        batch.select_params(&selected).unwrap();
        let mut sims: Vec<Sim> = (0..8)
            .map(|_| Sim::new(model.clone(), &options).unwrap())
            .collect();
        for sim in &mut sims {
            sim.select_params(&selected).unwrap();
        }
        let q: Vec<f64> = (0..8)
            .flat_map(|_| random_q(&mut rng, &model, 1.0))
            .collect();
        let (v, u) = (rng.vector(8 * nv, 1.0), rng.vector(8 * nu, 1.0));
        let mut ends = Vec::new();
        for (step, factor) in [None, None, Some(1.5), None, Some(1.0), None]
            .into_iter()
            .enumerate()
        {
            if let Some(factor) = factor {
                let values = [mass * factor];
                batch.sim_mut(6).unwrap().set_params(&values).unwrap();
                sims[6].set_params(&values).unwrap();
            }
            let (mut q_next, mut v_next) = (vec![7.0; 8 * nq], vec![7.0; 8 * nv]);
            let mut each = [Status::Ok; 8];
            batch
                .step(&q, &v, &u, &mut q_next, &mut v_next, &mut each)
                .unwrap();
            for (i, sim) in sims.iter_mut().enumerate() {
                let (mut q_one, mut v_one) = (vec![7.0; nq], vec![7.0; nv]);
                let [q, v, u] = [(&q, nq), (&v, nv), (&u, nu)].map(|(x, n)| &x[i * n..(i + 1) * n]);
                sim.step(q, v, u, &mut q_one, &mut v_one).unwrap();
                assert_eq!(
                    v_next[i * nv..(i + 1) * nv],
                    v_one,
                    "step {step}, element {i}"
                );
                assert_eq!(
                    q_next[i * nq..(i + 1) * nq],
                    q_one,
                    "step {step}, element {i}"
                );
            }
            ends.push(v_next[6 * nv..7 * nv].to_vec());
        }
        // Activations go on from step to step; without them only the mass changes.
        if model.na() == 0 {
            assert!(ends[0] == ends[1] && ends[1] != ends[2]);
            assert!(ends[2] == ends[3] && ends[3] != ends[4]);
        }
    }
}

#[test]
fn elements_side_by_side_make_no_heap_call_after_the_first() {
    let _turn = alone();
    let model = plain_models()[1].clone();
    let free = in_body(Options {
        contact: Contact::None,
        ..options()
    });
    let (nq, nv, nu, steps, count) = (model.nq(), model.nv(), model.nu(), 5, 8);
    let mut rng = Rng::new(3);
    let q: Vec<f64> = (0..count)
        .flat_map(|_| random_q(&mut rng, &model, 1.0))
        .collect();
    let (v, u) = (
        rng.vector(nv * count, 1.0),
        rng.vector(nu * steps * count, 1.0),
    );
    let mut each = [Status::Ok; 8];
    let mut ends = [nq, nv].map(|n| vec![0.0; n * count]);
    let mut b = Batch::new(model, &free, count, 2).unwrap();
    b.reserve(steps).unwrap();
    let fewest = (0..6).map(|_| {
        let before = CALLS.load(Ordering::Relaxed);
        b.rollout(steps, &q, &v, &u, (None, None), &mut each)
            .unwrap();
        let [q_next, v_next] = &mut ends;
        b.step(&q, &v, &u[..nu * count], q_next, v_next, &mut each)
            .unwrap();
        CALLS.load(Ordering::Relaxed) - before
    });
    assert_eq!(fewest.min(), Some(0));
}

/// Steps and adjoints per second on one and two threads; run in release with `--ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn throughput() {
    let _turn = alone();
    for threads in [1, 2] {
        let mut d = Drive::new();
        let mut b = batch(&d.model, threads);
        let mut out = Outputs::new(&d.model, 2, COUNT);
        let mut each = [Status::Ok; COUNT];
        let mut best = [f64::INFINITY; 2];
        for _ in 0..200 {
            d.inputs();
            let start = std::time::Instant::now();
            d.step(&mut b, &mut out, &mut each);
            let stepped = std::time::Instant::now();
            b.step_jacobians(out.jacobians(), &mut each).unwrap();
            let end = std::time::Instant::now();
            for (best, t) in best.iter_mut().zip([stepped - start, end - stepped]) {
                *best = best.min(t.as_secs_f64() / COUNT as f64);
            }
            d.q.copy_from_slice(&out.q);
            d.v.copy_from_slice(&out.v);
        }
        println!(
            "{threads} threads: step {:.2} µs, Jacobians {:.2} µs an element",
            1e6 * best[0],
            1e6 * best[1]
        );
    }
}
