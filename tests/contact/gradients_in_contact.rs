//! Jacobians against differences on the runs by which the contact step is judged: sampled steps, and those
//! that took the solver longest.
//!
//! `DIFFSIM_SAMPLES` asks for more steps of each run, `DIFFSIM_SECONDS` for longer runs; robots
//! of packages and of the user take part where they are there, see [`crate::common::robots`].

use crate::common::Rng;
use crate::common::checker::{Checker, FOURTH_ORDER};
use crate::common::robots::*;
use crate::common::runs::{Moment, Run, sample};
use diffsim::model::Model;
use diffsim::model::params::{Param, ParamKind};
use diffsim::step::Sim;

fn number(variable: &str, default: f64) -> f64 {
    std::env::var(variable).map_or(default, |s| s.parse().unwrap())
}

/// One or two parameters of every kind that the model has, drawn anew for every step. Those that must
/// not be negative are far enough from zero for a difference.
fn some_parameters(sim: &mut Sim, rng: &mut Rng) -> Vec<Param> {
    use ParamKind as K;
    let model: &Model = &sim.model().clone();
    let kinds = [
        (K::BodyInertia, model.nbody(), 10),
        (K::GeomFriction, model.ngeom(), 1),
        (K::JointDamping, model.njoint(), 1),
        (K::JointStiffness, model.njoint(), 1),
        (K::JointArmature, model.njoint(), 1),
        (K::JointPlacement, model.njoint(), 6),
        (K::Gravity, 1, 3),
        (K::JointSpringReference, model.njoint(), 1),
        (K::JointFriction, model.njoint(), 1),
        (K::ExternalWrench, model.nbody(), 6),
        (K::GeomSize, model.ngeom(), 3),
        (K::Stabilization, 1, 2),
    ];
    let mut list = Vec::new();
    for (kind, indices, components) in kinds {
        let mut left = 2;
        for _ in 0..20 {
            let p = Param {
                kind,
                index: rng.below(indices) as i32,
                component: rng.below(components) as i32,
            };
            let signed = match kind {
                K::BodyInertia => p.component > 0,
                K::JointPlacement | K::Gravity | K::JointSpringReference | K::ExternalWrench => {
                    true
                }
                _ => false,
            };
            if left == 0 || list.contains(&p) || sim.select_params(&[p]).is_err() {
                continue;
            }
            let mut value = [0.0];
            sim.get_params(&mut value).unwrap();
            if signed || value[0] > 1e-3 {
                list.push(p);
                left -= 1;
            }
        }
    }
    list
}

fn check(run: &Run, moments: &[Moment]) -> crate::common::checker::Tally {
    let mut c = Checker::of(run.sim(&run.options));
    c.eps = 2e-7;
    c.stencil = FOURTH_ORDER;
    let mut rng = Rng::new(23);
    for m in moments {
        let list = some_parameters(&mut c.sim, &mut rng);
        c.select(&list);
        c.label = format!(
            "step {}, {} contacts, {} iterations",
            m.step, m.contacts, m.iterations
        );
        c.sim.set_memory(&m.memory).unwrap();
        c.check(&mut m.q.clone(), &mut m.v.clone(), &m.u);
    }
    c.tally(&format!("{}, {} steps", run.name, moments.len()))
}

/// Directions, adjoints and Jacobians agree wherever they are not refused. At steps called exact: 99 of 100
/// columns to 1e-5, the median to 1e-7. How many are is not asked: bodies that come to rest on many points
/// are at a switch for much of a run.
fn judge(run: Option<Run>, seconds: f64) {
    judge_samples(run, seconds, 4);
}

fn judge_samples(run: Option<Run>, seconds: f64, samples: usize) {
    let Some(run) = run else { return };
    let steps = (number("DIFFSIM_SECONDS", seconds) / run.options.time_step) as usize;
    let count = number("DIFFSIM_SAMPLES", samples as f64) as usize;
    let moments = sample(&run.moments(steps), count, count.div_ceil(2));
    let t = check(&run, &moments);
    assert!(t.median < 1e-7, "{t:?}");
    assert!(t.apart < 1e-10 && t.apart_one_sided < 1e-6, "{t:?}");
    assert!(100 * t.wrong <= t.checked, "{t:?}");
}

#[test]
fn runner() {
    judge(Some(Run::example("runner.xml")), 2.0);
}

#[test]
fn humanoid() {
    judge(Some(Run::example("humanoid.xml")), 1.0);
}

#[test]
fn quadruped() {
    judge(Some(Run::example("quadruped.xml")), 1.0);
}

/// Gains away from their bounds, so that differences by them are central.
#[test]
fn quadruped_with_gains() {
    let mut run = Run::example("quadruped.xml");
    (run.options.kp, run.options.kd) = (0.2, 0.1);
    judge(Some(run), 1.0);
}

#[test]
fn half_cheetah() {
    judge(Run::robot(HALF_CHEETAH, true), 1.0);
}

#[test]
fn walker() {
    judge(Run::robot(WALKER, true), 1.0);
}

#[test]
fn go1() {
    judge(Run::robot(GO1, true), 1.0);
}

#[test]
fn h1() {
    judge(Run::robot(H1, true), 1.0);
}

#[test]
fn atlas() {
    judge(Run::robot(ATLAS, true), 1.0);
}

#[test]
fn twelve_bodies_dropped_in_a_container() {
    judge(Some(Run::container(12)), 0.4);
}

#[test]
fn forty_bodies_dropped_in_a_container() {
    judge_samples(Some(Run::container(40)), 0.35, 2);
}
