//! Projected Gauss–Seidel and ADMM alone find the velocities that the default solver finds, on sampled steps
//! of the long runs, where all of them solve the problem to the tolerance and it has one solution.
//!
//! `DIFFSIM_SAMPLES` asks for more steps of each run, `DIFFSIM_SECONDS` for longer runs; robots of packages
//! and of the user take part where they are there, see [`crate::common::robots`].

use crate::common::robots::*;
use crate::common::runs::{Moment, Run, sample};
use diffsim::contact::ncp::Method;
use diffsim::step::{Contact, Gradient, ImpulseGradient, Options, Sim, StepInfo};

fn number(variable: &str, default: f64) -> f64 {
    std::env::var(variable).map_or(default, |s| s.parse().unwrap())
}

/// v⁺ of a step, and what the step said.
fn velocity(sim: &mut Sim, m: &Moment) -> (Vec<f64>, StepInfo) {
    sim.set_memory(&m.memory).unwrap();
    let (mut q, mut v) = (m.q.clone(), m.v.clone());
    sim.step(&m.q, &m.v, &m.u, &mut q, &mut v).unwrap();
    (v, sim.step_info().unwrap())
}

fn compare(run: Option<Run>, seconds: f64) {
    let Some(run) = run else { return };
    let others = [("PGS", Method::Pgs), ("ADMM", Method::Admm)];
    for contact in [Contact::Ncp, Contact::Lcp] {
        compare_law(&run, seconds, contact, &others);
    }
}

fn compare_law(run: &Run, seconds: f64, contact: Contact, others: &[(&str, Method)]) {
    let run = Run {
        options: Options {
            contact,
            ..run.options
        },
        ..run.clone()
    };
    let steps = (number("DIFFSIM_SECONDS", seconds) / run.options.time_step) as usize;
    let count = number("DIFFSIM_SAMPLES", 12.0) as usize;
    let moments = sample(&run.moments(steps), count, count.div_ceil(3));
    let sim = |solver| {
        run.sim(&Options {
            solver,
            tolerance: 1e-10,
            max_iterations: 20_000,
            ..run.options
        })
    };
    let mut auto = sim(Method::Auto);
    for (name, method) in others {
        let (mut sim, name) = (sim(*method), format!("{contact:?}, {name}"));
        let (mut solved, mut determined, mut apart) = (0, 0, 0);
        let (mut worst, mut another) = (0.0_f64, 0);
        for m in &moments {
            let (b, other) = velocity(&mut sim, m);
            let (a, info) = velocity(&mut auto, m);
            let same_problem = info.push_out_given_up == other.push_out_given_up;
            if !(info.converged && other.converged && same_problem) {
                continue;
            }
            solved += 1;
            let size = a.iter().fold(1.0_f64, |s, v| s.max(v.abs()));
            let off = a
                .iter()
                .zip(&b)
                .fold(0.0_f64, |s, (a, b)| s.max((a - b).abs()))
                / size;
            if is_determined(&mut auto) {
                determined += 1;
                // Both are certified: where they are far apart Coulomb's law has two solutions.
                if off > 1e-3 {
                    another += 1;
                } else {
                    worst = worst.max(off);
                }
            } else {
                apart += usize::from(off > 1e-6);
            }
        }
        println!(
            "{}: {name} solves {solved} of {} steps; in {determined} the velocity is determined, where it is off by at \
             most {worst:.1e}, but for {another} with a second solution; of the others {apart} differ by more than 1e-6",
            run.name,
            moments.len()
        );
        assert!(worst <= 1e-6, "{}: {name}", run.name);
        assert!(20 * another <= determined, "{}: {name}", run.name);
        assert!(2 * solved > moments.len(), "{}: {name}", run.name);
        assert!(determined > 0, "{}", run.name);
    }
}

/// So near a switch an answer to the tolerance may be on its other side.
const AT_A_SWITCH: f64 = 1e-6;

/// Whether the constraints of the last step are independent and it is at no switch. Otherwise Coulomb's law
/// may have several solutions, with velocities of their own: the feet of a box that slides and turns share
/// its weight as they like, and brake it accordingly.
fn is_determined(sim: &mut Sim) -> bool {
    let mut impulses = vec![0.0; 3 * sim.contacts().len()];
    // Constraints that nearly depend on each other have no derivative at all.
    let gradient = sim.impulse_jvp(&[], &[], &[], &[], &mut impulses);
    let info = sim.step_info().unwrap();
    gradient.is_ok_and(|g| g == ImpulseGradient::Unique)
        && info.gradient == Gradient::Exact
        && info.switch_distance > AT_A_SWITCH
}

#[test]
fn runner() {
    compare(Some(Run::example("runner.xml")), 2.0);
}

#[test]
fn humanoid() {
    compare(Some(Run::example("humanoid.xml")), 1.0);
}

#[test]
fn quadruped() {
    compare(Some(Run::example("quadruped.xml")), 1.0);
}

#[test]
fn half_cheetah() {
    compare(Run::robot(HALF_CHEETAH, true), 1.0);
}

#[test]
fn walker() {
    compare(Run::robot(WALKER, true), 1.0);
}

#[test]
fn go1() {
    compare(Run::robot(GO1, true), 1.0);
}

#[test]
fn h1() {
    compare(Run::robot(H1, true), 1.0);
}

#[test]
fn atlas() {
    compare(Run::robot(ATLAS, true), 1.0);
}

#[test]
fn bodies_dropped_in_a_container() {
    compare(Some(Run::container(12)), 0.4);
}
