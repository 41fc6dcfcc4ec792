//! Rollouts of a batch that end early, with readings: bits of single rollouts and sims, adjoints against
//! chains of single calls and against differences, failures, refusals.

use crate::common::{Rng, param};
use diffsim::batch::{Batch, Episodes, EpisodesAdjoint, EpisodesBars, EpisodesOut};
use diffsim::error::Status;
use diffsim::load::options::{Format, LoadOptions, load_str};
use diffsim::model::Model;
use diffsim::model::params::{Param, ParamKind};
use diffsim::query::SensorRoom;
use diffsim::rollout::{Rollout, RolloutAdjoint, Trajectory};
use diffsim::step::{Gradient, Options, Sim};
use std::sync::Arc;

const COUNT: usize = 6;
const STEPS: usize = 14;

/// A leg that falls on its foot; a filter drives the knee. The sensors read frames and joints, or also
/// forces.
fn leg(with_forces: bool) -> Arc<Model> {
    let forces = if with_forces {
        r#"<accelerometer site="imu"/><touch site="sole"/><actuatorfrc actuator="knee"/><subtreecom body="trunk"/>"#
    } else {
        ""
    };
    let text = format!(
        r#"<mujoco><option timestep="0.002"/><worldbody><geom name="floor" type="plane" size="1 1 1" friction="0.9"/>
        <body name="trunk" pos="0 0 0.55"><freejoint/><geom type="box" size="0.1 0.08 0.06" mass="3"/><site name="imu"/>
          <body name="thigh"><joint name="hip" axis="0 1 0" damping="0.3"/>
            <geom type="capsule" fromto="0 0 0 0 0 -0.25" size="0.02" mass="0.4" contype="0" conaffinity="0"/>
            <body name="shank" pos="0 0 -0.25"><joint name="knee" axis="0 1 0" damping="0.3"/>
              <geom name="foot" size="0.05" pos="0 0 -0.25" mass="0.3"/><site name="sole" pos="0 0 -0.25" size="0.06"/>
        </body></body></body></worldbody>
        <actuator><motor joint="hip"/><general name="knee" joint="knee" dyntype="filter" dynprm="0.02" gainprm="4"/></actuator>
        <sensor><framepos objtype="site" objname="sole"/><gyro site="imu"/><velocimeter site="imu"/><jointpos joint="knee"/>
          <jointvel joint="hip"/>{forces}</sensor></mujoco>"#
    );
    Arc::new(load_str(&text, Format::Mjcf, None, &LoadOptions::default()).unwrap())
}

fn parameters() -> [Param; 2] {
    [
        param(ParamKind::JointDamping, 1, 0),
        param(ParamKind::GeomFriction, 0, 0),
    ]
}

/// All arguments of a call. Elements land at different times.
struct Drive {
    model: Arc<Model>,
    q0: Vec<f64>,
    v0: Vec<f64>,
    act0: Vec<f64>,
    u: Vec<f64>,
    p: Vec<f64>,
    lengths: Vec<usize>,
    lower: Vec<f64>,
}

impl Drive {
    fn new(with_forces: bool) -> Self {
        let model = leg(with_forces);
        let mut rng = Rng::new(3);
        let (mut q0, mut v0) = (Vec::new(), Vec::new());
        for i in 0..COUNT {
            let mut q = vec![0.0, 0.0, 0.55, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0];
            q[2] += 0.003 * i as f64 - 0.001;
            q[7] += 0.1;
            q[8] -= 0.2;
            q0.extend(q);
            let mut v = rng.vector(model.nv(), 0.3);
            v[2] -= 0.6;
            v[0] += 1.0;
            v0.extend(v);
        }
        let mut lower = vec![f64::NEG_INFINITY; model.nq() + model.nv()];
        // The height at which elements end: only the lowest ones reach it.
        lower[2] = 0.545;
        Drive {
            act0: rng.vector(model.na() * COUNT, 0.5),
            u: rng.vector(model.nu() * STEPS * COUNT, 1.0),
            p: (0..COUNT)
                .flat_map(|i| [0.3 + 0.1 * i as f64, 0.9])
                .collect(),
            lengths: vec![STEPS, STEPS, STEPS, 9, 0, STEPS],
            model,
            q0,
            v0,
            lower,
        }
    }

    fn batch(&self, threads: usize, interval: usize) -> Batch {
        let options = Options {
            time_step: 2e-3,
            checkpoint_interval: interval,
            ..Options::default()
        };
        let mut batch = Batch::new(self.model.clone(), &options, COUNT, threads).unwrap();
        batch.select_params(&parameters()).unwrap();
        batch
    }

    fn episodes(&self) -> Episodes<'_> {
        Episodes {
            steps: STEPS,
            q0: &self.q0,
            v0: &self.v0,
            u: &self.u,
            act0: &self.act0,
            p: &self.p,
            lengths: &self.lengths,
            lower: &self.lower,
            upper: &[],
        }
    }
}

/// Results of a call: trajectories and readings.
#[derive(Clone, PartialEq, Debug)]
struct Paths {
    q: Vec<f64>,
    v: Vec<f64>,
    act: Vec<f64>,
    sensors: Vec<f64>,
}

impl Paths {
    fn new(m: &Model, count: usize) -> Self {
        let rows = [m.nq(), m.nv(), m.na(), m.nsensordata()];
        let [q, v, act, sensors] = rows.map(|n| vec![7.0; n * (STEPS + 1) * count]);
        Paths { q, v, act, sensors }
    }

    fn out(&mut self) -> EpisodesOut<'_> {
        EpisodesOut {
            q: Some(&mut self.q),
            v: Some(&mut self.v),
            act: Some(&mut self.act),
            sensors: Some(&mut self.sensors),
        }
    }
}

/// Gradients of a call by q0, v0, act0, u and p.
fn pull(d: &Drive, batch: &mut Batch, bars: EpisodesBars<'_>) -> [Vec<f64>; 5] {
    let m = &d.model;
    let rows = [m.nv(), m.nv(), m.na(), m.nu() * STEPS, 2];
    let mut all = rows.map(|n| vec![7.0; n * COUNT]);
    let mut each = [Status::Io; COUNT];
    let [q0, v0, act0, u, p] = all.each_mut().map(|x| Some(&mut x[..]));
    let reads = !bars.sensors.is_empty() && m.nsensordata() > 11;
    let p = p.filter(|_| !reads);
    let out = EpisodesAdjoint { q0, v0, act0, u, p };
    batch.episodes_adjoint(bars, out, &mut each).unwrap();
    assert_eq!(each, [Status::Ok; COUNT]);
    all
}

fn cut(x: &[f64], i: usize) -> &[f64] {
    let n = x.len() / COUNT;
    &x[i * n..(i + 1) * n]
}

#[test]
fn elements_have_the_bits_of_single_rollouts_and_sims() {
    let d = Drive::new(true);
    let m = &d.model;
    let (nq, nv, nu, na, ns) = (m.nq(), m.nv(), m.nu(), m.na(), m.nsensordata());
    assert_eq!((na, ns), (1, 11 + 3 + 1 + 1 + 3));
    let mut each = [Status::Io; COUNT];
    let mut first: Option<(Paths, [Vec<f64>; 5])> = None;
    let mut rng = Rng::new(9);
    let bars = [nv, nv, na, ns].map(|n| rng.vector(n * (STEPS + 1) * COUNT, 1.0));
    let bars = EpisodesBars {
        q: &bars[0],
        v: &bars[1],
        act: &bars[2],
        sensors: &bars[3],
    };
    for (threads, interval) in [(1, 1), (2, 1), (8, 1), (2, 4), (1, 100)] {
        let mut batch = d.batch(threads, interval);
        let mut out = Paths::new(m, COUNT);
        batch
            .run_episodes(&d.episodes(), out.out(), &mut each)
            .unwrap();
        assert_eq!(each, [Status::Ok; COUNT]);
        assert_eq!(batch.rollout_steps().unwrap(), STEPS);
        let gradients = pull(&d, &mut batch, bars);
        let taken: Vec<usize> = (0..COUNT)
            .map(|i| batch.taken(i).unwrap().unwrap())
            .collect();
        // One ends at its bound, one at its length, one rests, others go on.
        assert!(
            0 < taken[0] && taken[0] < STEPS && taken[3] == 9 && taken[4] == 0,
            "{taken:?}"
        );
        assert_eq!(taken[5], STEPS);
        if let Some(first) = &first {
            assert!(out == first.0, "{threads} threads, interval {interval}");
            assert!(
                gradients == first.1,
                "{threads} threads, interval {interval}"
            );
            continue;
        }
        for (i, &n) in taken.iter().enumerate() {
            let options = Options {
                time_step: 2e-3,
                ..Options::default()
            };
            let mut one = Rollout::new(m.clone(), &options, STEPS).unwrap();
            one.select_params(&parameters()).unwrap();
            one.sim_mut().set_params(cut(&d.p, i)).unwrap();
            let (q0, v0, act0) = (cut(&d.q0, i), cut(&d.v0, i), cut(&d.act0, i));
            let u = cut(&d.u, i);
            let [q, v, act, data] = [&out.q, &out.v, &out.act, &out.sensors].map(|x| cut(x, i));
            let mut alone = [nq, nv, na].map(|rows| vec![0.0; rows * (n + 1)]);
            if n > 0 {
                let [q, v, act] = alone.each_mut().map(|x| Some(&mut x[..]));
                let out = Trajectory { q, v, act };
                one.run_act(q0, v0, act0, &u[..nu * n], n, out).unwrap();
            } else {
                alone = [q0.to_vec(), v0.to_vec(), act0.to_vec()];
            }
            for (x, alone) in [q, v, act].iter().zip(&alone) {
                assert_eq!(x[..alone.len()], alone[..], "element {i}");
                let rows = alone.len() / (n + 1);
                let last = &alone[rows * n..];
                assert!(x[rows * n..].chunks(rows).all(|column| column == last));
            }
            // A sim of its own reads the sensors between its steps.
            let mut sim = Sim::new(m.clone(), &options).unwrap();
            sim.select_params(&parameters()).unwrap();
            sim.set_params(cut(&d.p, i)).unwrap();
            sim.set_act(act0).unwrap();
            let mut reader = Sim::new(m.clone(), &options).unwrap();
            reader.select_params(&parameters()).unwrap();
            reader.set_params(cut(&d.p, i)).unwrap();
            let mut room = SensorRoom::new(&reader);
            let (mut memory, mut told) = (vec![0.0; sim.memory_size()], vec![0.0; ns]);
            let (mut q_now, mut v_now) = (q0.to_vec(), v0.to_vec());
            let (mut q_next, mut v_next) = (q_now.clone(), v_now.clone());
            for k in 0..=STEPS {
                let k_in = k.min(n.max(1) - 1);
                let input = &u[nu * k_in..nu * (k_in + 1)];
                if k <= n {
                    sim.get_memory(&mut memory).unwrap();
                    reader.set_memory(&memory).unwrap();
                    reader
                        .sensors(&mut room, &q_now, &v_now, input, &mut told)
                        .unwrap();
                }
                assert_eq!(
                    data[ns * k..ns * (k + 1)],
                    told[..],
                    "element {i}, state {k}"
                );
                if k < n {
                    sim.step(&q_now, &v_now, input, &mut q_next, &mut v_next)
                        .unwrap();
                    q_now.copy_from_slice(&q_next);
                    v_now.copy_from_slice(&v_next);
                }
            }
        }
        first = Some((out, gradients));
    }
}

/// The gradient by readings is a sum of gradients by the states at which they are read.
#[test]
fn adjoints_are_chains_of_single_calls() {
    let d = Drive::new(true);
    let m = &d.model;
    let (nq, nv, nu, na, ns) = (m.nq(), m.nv(), m.nu(), m.na(), m.nsensordata());
    let mut batch = d.batch(2, 3);
    let mut each = [Status::Io; COUNT];
    let mut out = Paths::new(m, COUNT);
    let episodes = d.episodes();
    batch.run_episodes(&episodes, out.out(), &mut each).unwrap();
    let mut rng = Rng::new(5);
    let bars = [nv, nv, na, ns].map(|n| rng.vector(n * (STEPS + 1) * COUNT, 1.0));
    let all = EpisodesBars {
        q: &bars[0],
        v: &bars[1],
        act: &bars[2],
        sensors: &bars[3],
    };
    let got = pull(&d, &mut batch, all);
    let options = Options {
        time_step: 2e-3,
        ..Options::default()
    };
    let mut largest: f64 = 0.0;
    for i in (0..COUNT).filter(|&i| batch.taken(i).unwrap() != Some(0)) {
        let n = batch.taken(i).unwrap().unwrap();
        let u = cut(&d.u, i);
        let mut sim = Sim::new(m.clone(), &options).unwrap();
        sim.select_params(&parameters()).unwrap();
        sim.set_params(cut(&d.p, i)).unwrap();
        let mut room = SensorRoom::new(&sim);
        let of = |x: &[f64], rows: usize, k: usize| x[rows * k..rows * (k + 1)].to_vec();
        let sum_of = |x: &[f64], rows: usize, k: usize| {
            let end = if k == n { STEPS } else { k };
            let mut sum = vec![0.0; rows];
            for k in k..=end {
                sum.iter_mut()
                    .zip(&x[rows * k..])
                    .for_each(|(s, x)| *s += x);
            }
            sum
        };
        let mut bars_of = [nv, nv, na].map(|rows| vec![0.0; rows * (n + 1)]);
        let mut u_more = vec![0.0; nu * n];
        let mut kinds = Vec::new();
        for k in 0..=n {
            let k_in = k.min(n - 1);
            let (q, v) = (of(cut(&out.q, i), nq, k), of(cut(&out.v, i), nv, k));
            sim.reset();
            sim.set_act(&of(cut(&out.act, i), na, k)).unwrap();
            let bar = sum_of(cut(&bars[3], i), ns, k);
            let mut parts = [nv, nv, nu, na].map(|rows| vec![0.0; rows]);
            let input = &u[nu * k_in..nu * (k_in + 1)];
            let into = parts.each_mut().map(|x| Some(&mut x[..]));
            kinds.push(
                sim.sensor_vjp(&mut room, &q, &v, input, &bar, into)
                    .unwrap(),
            );
            for (j, rows, part) in [(0, nv, 0), (1, nv, 1), (2, na, 3)] {
                let own = sum_of(cut(&bars[j], i), rows, k);
                for r in 0..rows {
                    bars_of[j][rows * k + r] = own[r] + parts[part][r];
                }
            }
            for r in 0..nu {
                u_more[nu * k_in + r] += parts[2][r];
            }
        }
        assert!(kinds.iter().all(|k| *k == Gradient::Exact));
        let mut one = Rollout::new(m.clone(), &options, n).unwrap();
        one.select_params(&parameters()).unwrap();
        one.sim_mut().set_params(cut(&d.p, i)).unwrap();
        let (q0, v0, act0) = (cut(&d.q0, i), cut(&d.v0, i), cut(&d.act0, i));
        let none = Trajectory::default();
        one.run_act(q0, v0, act0, &u[..nu * n], n, none).unwrap();
        let mut alone = [nv, nv, na, nu * n].map(|rows| vec![0.0; rows]);
        let [q0, v0, act0, u0] = alone.each_mut().map(|x| Some(&mut x[..]));
        let to = RolloutAdjoint {
            q0,
            v0,
            act0,
            u: u0,
            p: None,
        };
        one.adjoint_act(&bars_of[0], &bars_of[1], &bars_of[2], to)
            .unwrap();
        for (x, more) in alone[3].iter_mut().zip(&u_more) {
            *x += more;
        }
        for (got, alone) in got.iter().zip(&alone) {
            let got = cut(got, i);
            for (k, x) in got.iter().enumerate() {
                let expected = alone.get(k).copied().unwrap_or(0.0);
                let error = (x - expected).abs() / (1.0 + expected.abs());
                largest = largest.max(error);
                assert!(error < 1e-9, "element {i}, entry {k}: {x}, {expected}");
            }
        }
        assert_eq!(batch.rollout_labels(i).unwrap().len(), STEPS);
    }
    // The readings there had other warm starts.
    assert!(largest < 1e-9, "{largest:.1e}");
    // The element that rests passes all on to its start.
    let sum: f64 = (0..=STEPS).map(|k| cut(&bars[1], 4)[nv * k]).sum();
    assert!(
        (cut(&got[1], 4)[0] - sum).abs() > 1e-3,
        "its readings count, too"
    );
}

/// Loss: weighted sums of velocities, activations and readings.
#[test]
fn adjoints_are_those_of_differences() {
    for with_forces in [false, true] {
        let mut d = Drive::new(with_forces);
        let m = d.model.clone();
        let (nq, nv, na, ns) = (m.nq(), m.nv(), m.na(), m.nsensordata());
        let mut rng = Rng::new(21);
        let mut weights = [nv, na, ns].map(|n| rng.vector(n * (STEPS + 1) * COUNT, 1.0));
        // Forces and accelerations are large: their round-off would be seen in the differences.
        for column in weights[2].chunks_mut(ns) {
            column[11..].iter_mut().for_each(|w| *w *= 1e-2);
        }
        let mut batch = d.batch(2, 1);
        let mut each = [Status::Io; COUNT];
        let value = |d: &Drive, batch: &mut Batch, each: &mut [Status]| -> (Vec<f64>, Vec<usize>) {
            let mut out = Paths::new(&m, COUNT);
            batch.run_episodes(&d.episodes(), out.out(), each).unwrap();
            let of = |i: usize| {
                [&out.v, &out.act, &out.sensors]
                    .iter()
                    .zip(&weights)
                    .map(|(x, w)| {
                        let pairs = cut(x, i).iter().zip(cut(w, i));
                        pairs.map(|(x, w)| x * w).sum::<f64>()
                    })
                    .sum()
            };
            let taken = (0..COUNT).map(|i| batch.taken(i).unwrap().unwrap());
            ((0..COUNT).map(of).collect(), taken.collect())
        };
        let (_, taken) = value(&d, &mut batch, &mut each);
        let bars = EpisodesBars {
            v: &weights[0],
            act: &weights[1],
            sensors: &weights[2],
            ..EpisodesBars::default()
        };
        let exact = pull(&d, &mut batch, bars);
        let labels: Vec<Vec<Gradient>> = (0..COUNT)
            .map(|i| batch.rollout_labels(i).unwrap().to_vec())
            .collect();
        assert!(labels.iter().flatten().all(|l| *l == Gradient::Exact));
        let lengths = [nv, nv, na, m.nu() * STEPS, 2].map(|n| n * COUNT);
        let start = (
            d.q0.clone(),
            d.v0.clone(),
            d.act0.clone(),
            d.u.clone(),
            d.p.clone(),
        );
        for (j, name) in ["q0", "v0", "act0", "u", "p"].iter().enumerate() {
            if j == 4 && with_forces {
                continue;
            }
            let direction = rng.vector(lengths[j], 1.0);
            let mut at = |e: f64| {
                let moved = |x: &[f64]| -> Vec<f64> {
                    x.iter().zip(&direction).map(|(x, d)| x + e * d).collect()
                };
                match j {
                    0 => {
                        for i in 0..COUNT {
                            let step: Vec<f64> = cut(&direction, i).iter().map(|d| e * d).collect();
                            let to = &mut d.q0[i * nq..(i + 1) * nq];
                            m.integrate(&start.0[i * nq..(i + 1) * nq], &step, to);
                        }
                    }
                    1 => d.v0 = moved(&start.1),
                    2 => d.act0 = moved(&start.2),
                    3 => d.u = moved(&start.3),
                    _ => d.p = moved(&start.4),
                }
                let (y, ends) = value(&d, &mut batch, &mut each);
                assert_eq!(ends, taken);
                y
            };
            let e = 1e-6;
            let (up, down) = (at(e), at(-e));
            at(0.0);
            for i in 0..COUNT {
                let pairs = cut(&exact[j], i).iter().zip(cut(&direction, i));
                let exact: f64 = pairs.map(|(a, b)| a * b).sum();
                let difference = (up[i] - down[i]) / (2.0 * e);
                let error = (exact - difference).abs() / (1.0 + exact.abs());
                assert!(
                    error < 2e-6,
                    "forces {with_forces}, element {i} by {name}: {exact} and {difference}"
                );
            }
        }
    }
}

#[test]
fn a_failing_step_ends_its_element_alone() {
    let d = Drive::new(true);
    let m = &d.model;
    let (nv, nu) = (m.nv(), m.nu());
    let mut each = [Status::Io; COUNT];
    let (mut batch, mut good) = (d.batch(2, 1), Paths::new(m, COUNT));
    let bars = vec![1.0; nv * (STEPS + 1) * COUNT];
    let bars = EpisodesBars {
        v: &bars,
        ..EpisodesBars::default()
    };
    let mut short = Drive::new(true);
    short.lengths[5] = 6;
    batch
        .run_episodes(&short.episodes(), good.out(), &mut each)
        .unwrap();
    let expected = pull(&d, &mut batch, bars);
    let mut bad = Drive::new(true);
    bad.u[(5 * STEPS + 6) * nu] = f64::NAN;
    bad.v0[2 * nv + 1] = f64::INFINITY;
    bad.p[2] = -1.0;
    let mut out = Paths::new(m, COUNT);
    let e = batch.run_episodes(&bad.episodes(), out.out(), &mut each);
    assert!(e.unwrap_err().message.starts_with("element 1: p[0]"));
    let statuses = [0, 1, 2, 3, 4, 5].map(|i| each[i]);
    assert!(
        matches!(
            statuses,
            [
                Status::Ok,
                Status::InvalidArgument,
                Status::Numerical,
                Status::Ok,
                Status::Ok,
                Status::Numerical
            ]
        ),
        "{statuses:?}"
    );
    for i in [1, 2] {
        assert_eq!(batch.taken(i).unwrap(), None);
        assert!(batch.known_labels(i).unwrap().is_empty());
        assert!(
            cut(&out.q, i)
                .iter()
                .chain(cut(&out.sensors, i))
                .all(|x| *x == 7.0)
        );
    }
    for i in [0, 3, 4, 5] {
        assert_eq!(cut(&out.q, i), cut(&good.q, i), "element {i}");
        assert_eq!(cut(&out.v, i), cut(&good.v, i), "element {i}");
    }
    assert_eq!(batch.taken(5).unwrap(), Some(6));
    let known = batch.known_labels(5).unwrap();
    assert_eq!(
        (known[5], known[6], known[7]),
        (Gradient::Exact, Gradient::Refused, Gradient::Exact)
    );
    // Its steps have their adjoint; elements without a start have none.
    let mut v0 = vec![7.0; nv * COUNT];
    let to = EpisodesAdjoint {
        v0: Some(&mut v0),
        ..EpisodesAdjoint::default()
    };
    let e = batch.episodes_adjoint(bars, to, &mut each).unwrap_err();
    assert_eq!(
        (e.status, each[1], each[5]),
        (Status::NoStep, Status::NoStep, Status::Ok)
    );
    assert_eq!(cut(&v0, 5), cut(&expected[1], 5));
    assert!(cut(&v0, 2).iter().all(|x| *x == 7.0));
    assert_eq!(batch.rollout_labels(5).unwrap()[6], Gradient::Refused);
    // The next good call works for all.
    let mut again = Paths::new(m, COUNT);
    batch
        .run_episodes(&short.episodes(), again.out(), &mut each)
        .unwrap();
    assert!(again == good);
}

#[test]
fn wrong_arguments_are_named_and_nothing_happens() {
    let d = Drive::new(true);
    let mut batch = d.batch(1, 1);
    let mut each = [Status::Io; COUNT];
    let mut refused = |e: Episodes<'_>, message: &str| {
        let error = batch.run_episodes(&e, EpisodesOut::default(), &mut each);
        let error = error.unwrap_err();
        assert!(error.message.contains(message), "{error}");
    };
    let good = d.episodes();
    refused(Episodes { steps: 0, ..good }, "steps must be positive");
    refused(
        Episodes {
            act0: &d.act0[1..],
            ..good
        },
        "act0 must have 1 × 6",
    );
    refused(
        Episodes {
            lengths: &[STEPS + 1; COUNT],
            ..good
        },
        "lengths[0] must be at most 14",
    );
    refused(
        Episodes {
            lower: &d.lower[1..],
            ..good
        },
        "lower must have 17 entries",
    );
    refused(
        Episodes {
            p: &d.p[1..],
            ..good
        },
        "p must have 2 × 6",
    );
    assert_eq!(each, [Status::Io; COUNT]);
    let nan = vec![f64::NAN; d.lower.len()];
    let e = batch.run_episodes(
        &Episodes {
            upper: &nan,
            ..good
        },
        EpisodesOut::default(),
        &mut each,
    );
    assert!(e.unwrap_err().message.contains("upper must have"));
    // Gradients by parameters on which forces depend are refused.
    batch
        .run_episodes(&good, EpisodesOut::default(), &mut each)
        .unwrap();
    let bar = vec![1.0; d.model.nsensordata() * (STEPS + 1) * COUNT];
    let bars = EpisodesBars {
        sensors: &bar,
        ..EpisodesBars::default()
    };
    let mut p = [7.0; 2 * COUNT];
    let to = EpisodesAdjoint {
        p: Some(&mut p),
        ..EpisodesAdjoint::default()
    };
    let e = batch.episodes_adjoint(bars, to, &mut each).unwrap_err();
    assert!(
        e.status == Status::Unsupported && e.message.starts_with("p_bar"),
        "{e}"
    );
    assert_eq!(p, [7.0; 2 * COUNT]);
}
