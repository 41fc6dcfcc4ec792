//! Runs of scenes: how each law solved them, and which methods it needed.

use super::scenes::Scene;
use diffsim::contact::tally::Stage;
use diffsim::step::{Contact, Gradient, Options, Sim};
use std::time::Instant;

pub const LAWS: [(&str, Contact); 3] = [
    ("ncp", Contact::Ncp),
    ("pyramids", Contact::Lcp),
    ("convex", Contact::Convex),
];

/// Counts of a method: tries, solutions, work.
pub type Uses = Vec<(Stage, [f64; 3])>;

/// A run of a scene.
pub struct Run {
    pub steps: usize,
    pub unsolved: usize,
    pub yielded: usize,
    pub one_sided: usize,
    /// Of each step, in factorizations, sorted.
    pub work: Vec<f64>,
    pub seconds: f64,
    pub uses: Uses,
    /// Why it ended early.
    pub failure: Option<String>,
}

impl Run {
    pub fn new() -> Run {
        Run {
            steps: 0,
            unsolved: 0,
            yielded: 0,
            one_sided: 0,
            work: Vec::new(),
            seconds: 0.0,
            uses: Stage::ALL.map(|stage| (stage, [0.0; 3])).to_vec(),
            failure: None,
        }
    }

    /// Steps a scene with a law, at most so many times.
    pub fn of(scene: &Scene, contact: Contact, at_most: usize) -> Run {
        let mut run = Run::new();
        run.failure = run
            .step(scene, contact, at_most)
            .err()
            .map(|e| e.to_string());
        run.work.sort_by(f64::total_cmp);
        run
    }

    fn step(
        &mut self,
        scene: &Scene,
        contact: Contact,
        at_most: usize,
    ) -> diffsim::error::Result<()> {
        let options = Options {
            time_step: scene.time_step,
            contact,
            max_contacts: scene.max_contacts,
            derivatives: false,
            ..Options::default()
        };
        let mut sim = Sim::new(scene.model.clone(), &options)?;
        let (mut q, mut v) = (scene.q.clone(), scene.v.clone());
        let (mut q_next, mut v_next) = (q.clone(), v.clone());
        for _ in 0..scene.steps.min(at_most) {
            let start = Instant::now();
            sim.step(&q, &v, &scene.u, &mut q_next, &mut v_next)?;
            self.seconds += start.elapsed().as_secs_f64();
            std::mem::swap(&mut q, &mut q_next);
            std::mem::swap(&mut v, &mut v_next);
            let info = sim.step_info()?;
            self.steps += 1;
            self.unsolved += usize::from(!info.converged);
            self.yielded += usize::from(info.push_out_given_up);
            self.one_sided += usize::from(info.gradient == Gradient::OneSided);
            self.work.push(info.work);
            for (stage, own) in &mut self.uses {
                let count = info.tally.of(*stage);
                own[0] += f64::from(count.tried);
                own[1] += f64::from(count.found);
                own[2] += f64::from(count.work);
            }
        }
        Ok(())
    }

    /// Adds another run.
    pub fn add(&mut self, other: &Run) {
        self.steps += other.steps;
        self.unsolved += other.unsolved;
        self.yielded += other.yielded;
        self.one_sided += other.one_sided;
        self.seconds += other.seconds;
        self.work.extend(&other.work);
        self.work.sort_by(f64::total_cmp);
        for ((_, own), (_, other)) in self.uses.iter_mut().zip(&other.uses) {
            for (own, other) in own.iter_mut().zip(other) {
                *own += other;
            }
        }
    }

    /// Steps, unsolved, yielded, one-sided, and the mean, 99 % and worst work.
    pub fn figures(&self) -> [f64; 7] {
        let n = self.work.len();
        let mean = self.work.iter().fold(0.0, |sum, x| sum + x) / n.max(1) as f64;
        let at = |share: f64| {
            let k = (share * n as f64).ceil() as usize;
            self.work.get(k.saturating_sub(1)).copied().unwrap_or(0.0)
        };
        let [steps, unsolved, yielded, one_sided] =
            [self.steps, self.unsolved, self.yielded, self.one_sided].map(|n| n as f64);
        let [p99, worst] = [at(0.99), at(1.0)];
        [steps, unsolved, yielded, one_sided, mean, p99, worst]
    }
}
