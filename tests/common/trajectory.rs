//! The adjoint of a rollout against differences of all that it runs from, and against directions that go
//! forward step by step.

use super::{Rng, difference};
use diffsim::contact::mode::Mode;
use diffsim::model::Model;
use diffsim::model::params::{Param, ParamKind};
use diffsim::rollout::Rollout;
use diffsim::step::{Gradient, Integrator, Options, Sim};
use std::sync::Arc;

/// Where a trajectory begins, and its inputs, as many as it has steps.
pub struct From {
    pub q0: Vec<f64>,
    pub v0: Vec<f64>,
    pub u: Vec<f64>,
}

/// What [`compare`] found.
#[derive(Debug)]
pub struct Comparison {
    /// Distance of the adjoint from differences along a random direction of q0, of v0 and of the inputs, each
    /// relative to the norm of its entries' contributions.
    pub by_start: [f64; 3],
    /// Of the parameters, one direction a kind, in units of their sizes.
    pub by_params: Vec<(ParamKind, f64)>,
    /// How far the adjoint is from the directions' own way through the steps; none where the steps carry more
    /// than the state.
    pub apart: Option<f64>,
    /// Directions whose differences step across a change of a contact's or constraint's mode.
    pub across: usize,
    /// Label of the adjoint.
    pub gradient: Gradient,
    /// Contacts and constraints over all steps that break, stick and slip.
    pub modes: [usize; 3],
}

impl Comparison {
    pub fn worst(&self) -> f64 {
        let all = self.by_params.iter().map(|(_, e)| *e).chain(self.by_start);
        all.fold(0.0, f64::max)
    }

    /// Prints the results, and fails on errors above the bound.
    pub fn accept(&self, name: &str, bound: f64) {
        println!(
            "{name}: worst {:.1e}, {:?}, apart {:?}, modes {:?}, {} across",
            self.worst(),
            self.by_start,
            self.apart,
            self.modes,
            self.across
        );
        assert_eq!(self.gradient, Gradient::Exact, "{name}");
        assert!(self.worst() < bound, "{name}: {self:?}");
        assert!(self.apart.is_none_or(|x| x < 1e-10), "{name}: {self:?}");
        assert_eq!(self.across, 0, "{name}: {self:?}");
    }
}

/// A rollout with its loss, the sum of random weights times tangents from a base trajectory and velocities.
struct Run<'a> {
    rollout: Rollout,
    from: &'a From,
    steps: usize,
    p: Vec<f64>,
    base: Vec<f64>,
    weights: [Vec<f64>; 2],
}

impl Run<'_> {
    fn run(&mut self, q0: &[f64], v0: &[f64], u: &[f64], p: &[f64]) -> [Vec<f64>; 2] {
        let (model, n) = (self.rollout.sim().model(), self.steps + 1);
        let (mut q, mut v) = (vec![0.0; model.nq() * n], vec![0.0; model.nv() * n]);
        self.rollout.sim_mut().set_params(p).unwrap();
        let (into_q, into_v) = (Some(&mut q[..]), Some(&mut v[..]));
        self.rollout
            .run(q0, v0, u, self.steps, into_q, into_v)
            .unwrap();
        [q, v]
    }

    /// By q0, v0, u and p, after a run.
    fn adjoint(&mut self) -> [Vec<f64>; 4] {
        let model = self.rollout.sim().model();
        let (nv, nu, np) = (model.nv(), model.nu(), self.p.len());
        let mut bars = [nv, nv, nu * self.steps, np].map(|n| vec![0.0; n]);
        let [a, b, c, d] = bars.each_mut().map(|x| Some(&mut x[..]));
        let [of_q, of_v] = &self.weights;
        self.rollout.adjoint(of_q, of_v, a, b, c, d).unwrap();
        bars
    }

    fn loss(&mut self, q0: &[f64], v0: &[f64], u: &[f64], p: &[f64]) -> f64 {
        let [q, v] = self.run(q0, v0, u, p);
        let model = self.rollout.sim().model();
        let (nq, nv) = (model.nq(), model.nv());
        let (mut sum, mut dq) = (dot(&self.weights[1], &v), vec![0.0; nv]);
        for k in 0..=self.steps {
            model.difference(&self.base[k * nq..][..nq], &q[k * nq..][..nq], &mut dq);
            sum += dot(&self.weights[0][k * nv..], &dq);
        }
        sum
    }

    /// Result of the rollout when its input of this kind (q0, v0, u, p) is moved by `e` along a direction.
    fn moved(&mut self, kind: usize, along: &[f64], e: f64) -> f64 {
        let From { q0, v0, u } = self.from;
        let p = self.p.clone();
        let add = |x: &[f64]| -> Vec<f64> { x.iter().zip(along).map(|(x, d)| x + e * d).collect() };
        match kind {
            0 => {
                let mut start = q0.clone();
                let model = self.rollout.sim().model();
                model.integrate(q0, &add(&vec![0.0; v0.len()]), &mut start);
                self.loss(&start, v0, u, &p)
            }
            1 => self.loss(q0, &add(v0), u, &p),
            2 => self.loss(q0, v0, &add(u), &p),
            _ => self.loss(q0, v0, u, &add(&p)),
        }
    }

    /// Active contacts and constraints of the last run with their modes, in order, and the number in each
    /// mode.
    fn modes(&mut self) -> (Vec<u64>, [usize; 3]) {
        let (mut list, mut counts) = (Vec::new(), [0; 3]);
        let mut see = |_: usize, sim: &Sim| {
            let contacts = sim.contacts().iter();
            let contacts = contacts.map(|c| (c.feature ^ ((c.geom[0] as u64) << 40), Some(c.mode)));
            let others = sim.constraint_modes().iter().enumerate();
            let others = others.skip(sim.contacts().len());
            let others = others.map(|(i, mode)| (i as u64, Some(*mode)));
            for (name, mode) in contacts.chain(others).chain([(0, None)]) {
                let which = match mode {
                    // The end of a step.
                    None => 3,
                    Some(Mode::Breaking) => 0,
                    Some(Mode::Sticking) => 1,
                    Some(_) => 2,
                };
                counts.iter_mut().skip(which).take(1).for_each(|n| *n += 1);
                // Breaking contacts do nothing, whether they are listed or not.
                if which > 0 {
                    list.extend([name, which as u64]);
                }
            }
            Ok(())
        };
        self.rollout.repeat(&mut see).unwrap();
        (list, counts)
    }

    /// The loss's slope along directions of q0, v0, u and p by those of each step.
    fn forward(&self, options: &Options, list: &[Param], along: &[Vec<f64>; 4]) -> f64 {
        let model = self.rollout.sim().model().clone();
        let (nv, nu) = (model.nv(), model.nu());
        let mut sim = Sim::new(model, options).unwrap();
        sim.select_params(list).unwrap();
        sim.set_params(&self.p).unwrap();
        let (mut q, mut v) = (self.from.q0.clone(), self.from.v0.clone());
        let (mut qn, mut vn) = (q.clone(), v.clone());
        let [mut dq, mut dv] = [along[0].clone(), along[1].clone()];
        let (mut dqn, mut dvn) = (dq.clone(), dv.clone());
        let mut sum = dot(&self.weights[0], &dq) + dot(&self.weights[1], &dv);
        for k in 0..self.steps {
            let u = &self.from.u[k * nu..][..nu];
            let du = &along[2][k * nu..][..nu];
            sim.step(&q, &v, u, &mut qn, &mut vn).unwrap();
            sim.step_jvp(&dq, &dv, du, &along[3], &mut dqn, &mut dvn)
                .unwrap();
            std::mem::swap(&mut q, &mut qn);
            std::mem::swap(&mut v, &mut vn);
            std::mem::swap(&mut dq, &mut dqn);
            std::mem::swap(&mut dv, &mut dvn);
            let at = (k + 1) * nv;
            sum += dot(&self.weights[0][at..], &dq) + dot(&self.weights[1][at..], &dv);
        }
        sum
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The adjoint of a rollout by its start, inputs and these parameters against fourth-order differences,
/// against the steps' own directions, and to the bit against that from other checkpoints.
///
/// `epsilon` is the difference's step in units that are 1 for positions and velocities; where it steps across
/// a change of modes a smaller one is taken.
pub fn compare(
    model: &Arc<Model>,
    options: &Options,
    steps: usize,
    from: &From,
    list: &[Param],
    epsilon: f64,
) -> Comparison {
    let (nv, nu, np) = (model.nv(), model.nu(), list.len());
    let mut rng = Rng::new(17);
    let rollout = |options: &Options| {
        let mut r = Rollout::new(model.clone(), options, steps).unwrap();
        r.select_params(list).unwrap();
        r
    };
    let mut p = vec![0.0; np];
    let first = rollout(options);
    first.sim().get_params(&mut p).unwrap();
    let weights = [(); 2].map(|()| rng.vector(nv * (steps + 1), 1.0));
    let (base, size) = (Vec::new(), p.clone());
    let mut r = Run {
        rollout: first,
        from,
        steps,
        p,
        base,
        weights,
    };
    let From { q0, v0, u } = from;
    let v;
    [r.base, v] = r.run(q0, v0, u, &size);
    let terms = v.iter().zip(&r.weights[1]).map(|(v, w)| (v * w).powi(2));
    let terms = terms.sum::<f64>().sqrt().max(1.0);
    let (here, modes) = r.modes();
    let bars = r.adjoint();
    let gradient = r.rollout.gradient();
    let checkpoint_interval = if options.checkpoint_interval > 1 {
        1
    } else {
        7
    };
    let other = Options {
        checkpoint_interval,
        ..*options
    };
    let first = std::mem::replace(&mut r.rollout, rollout(&other));
    r.run(q0, v0, u, &size);
    assert_eq!(r.adjoint(), bars, "other checkpoints change the adjoint");
    r.rollout = first;
    let mut along = [nv, nv, nu * steps, np].map(|n| rng.vector(n, 1.0));
    // Inputs with a smaller effect than positions of surfaces are moved farther.
    along[2].iter_mut().for_each(|d| *d *= 10.0);
    for ((d, p), of) in along[3].iter_mut().zip(&size).zip(list) {
        *d *= match of.kind {
            ParamKind::Gravity | ParamKind::ExternalWrench => 10.0,
            ParamKind::BodyInertia => p.abs().max(0.1),
            kind if kind.moves_surfaces() => p.abs().max(0.1),
            _ => 10.0 * p.abs().max(0.1),
        };
    }
    let mut across = 0;
    let mut error = |kind: usize, along: &[f64]| {
        let parts = bars[kind].iter().zip(along).map(|(b, d)| b * d);
        let size = parts.clone().map(|x| x * x).sum::<f64>().sqrt();
        // Closer where a mode changes that near.
        let near = [1.0, 0.1, 0.01].map(|x| x * epsilon);
        let slopes = near.into_iter().map(|epsilon| {
            let mut same = true;
            let slope = difference(epsilon, |e| {
                let loss = r.moved(kind, along, e);
                same &= r.modes().0 == here;
                vec![loss]
            });
            (slope[0], epsilon, same)
        });
        let mut slopes = slopes.skip_while(|(.., same)| !same);
        let Some((slope, epsilon, _)) = slopes.next() else {
            across += 1;
            return 0.0;
        };
        // Error of a difference by rounding of the loss.
        let floor = f64::EPSILON * terms / epsilon;
        let off = (parts.sum::<f64>() - slope).abs() - floor;
        match off {
            _ if off <= 0.0 => 0.0,
            _ if (off / size).is_nan() => f64::INFINITY,
            _ => off / size,
        }
    };
    let by_start = [0, 1, 2].map(|kind| error(kind, &along[kind]));
    let mut kinds: Vec<ParamKind> = Vec::new();
    for p in list {
        if !kinds.contains(&p.kind) {
            kinds.push(p.kind);
        }
    }
    let by_params = kinds.into_iter().map(|kind| {
        let mut one = along[3].clone();
        for (d, _) in one.iter_mut().zip(list).filter(|(_, p)| p.kind != kind) {
            *d = 0.0;
        }
        let parts = bars[3].iter().zip(&one).map(|(b, d)| (b * d).powi(2));
        if !kind.moves_surfaces() {
            // Parameters with little effect are moved still farther, but no farther than a hundredth.
            let farther = (1.0 / parts.sum::<f64>().sqrt()).min(1e-3 / epsilon);
            one.iter_mut().for_each(|d| *d *= farther.max(1.0));
        }
        (kind, error(3, &one))
    });
    let by_params = by_params.collect();
    let apart = (options.integrator != Integrator::Bdf2).then(|| {
        let forward = r.forward(options, list, &along);
        let all = bars.iter().flatten().zip(along.iter().flatten());
        let parts = all.map(|(b, d)| b * d);
        let size = parts.clone().map(|x| x * x).sum::<f64>().sqrt();
        (parts.sum::<f64>() - forward).abs() / size
    });
    Comparison {
        by_start,
        by_params,
        apart,
        across,
        gradient,
        modes,
    }
}
