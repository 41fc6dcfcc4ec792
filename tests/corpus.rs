//! A short run of the corpus of `benches/corpus`: it repeats its counts, and they say which methods ran.

#[path = "../benches/corpus/run.rs"]
mod run;
#[path = "../benches/corpus/scenes.rs"]
mod scenes;

use diffsim::contact::tally::{Method, Stage};
use run::{LAWS, Run};
use scenes::Scene;

/// Steps of each run.
const STEPS: usize = 40;

fn used(run: &Run, stage: Stage) -> [f64; 3] {
    run.uses.iter().find(|(own, _)| *own == stage).unwrap().1
}

/// The runs of a scene with all laws.
fn runs(scenes: &[Scene], name: &str) -> [Run; 3] {
    runs_of(scenes, name, STEPS)
}

fn runs_of(scenes: &[Scene], name: &str, steps: usize) -> [Run; 3] {
    let scene = scenes.iter().find(|s| s.name == name).unwrap();
    LAWS.map(|(_, contact)| Run::of(scene, contact, steps))
}

#[test]
fn a_short_run_repeats_its_counts_and_names_its_methods() {
    let scenes = scenes::own();
    let given = Stage::Rigid(Method::Given);
    let alternating = Stage::Rigid(Method::Alternating);
    let cases = [
        (
            "alone/hanging",
            [Stage::Bounds, Stage::Bounds, Stage::Compliant],
        ),
        ("quadruped/thrown", [given, given, Stage::Compliant]),
        (
            "stand on friction/condim 6",
            [given, given, Stage::Compliant],
        ),
        ("jam/robot/condim 3", [alternating, given, Stage::Compliant]),
    ];
    for (name, stages) in cases {
        let (once, again) = (runs(&scenes, name), runs(&scenes, name));
        let mut both = Run::new();
        for ((run, other), stage) in once.iter().zip(&again).zip(stages) {
            assert_eq!(run.failure, None, "{name}");
            assert_eq!((run.steps, run.unsolved), (STEPS, 0), "{name}");
            assert_eq!(run.figures(), other.figures(), "{name}");
            assert_eq!(run.uses, other.uses, "{name}");
            assert!(run.uses.iter().all(|(_, [tried, found, _])| found <= tried));
            assert!(used(run, stage)[1] > 0.0, "{name}: {:?}", run.uses);
            // A robot is one island: all work is that of its methods.
            let (all, own) = (
                run.work.iter().sum::<f64>(),
                run.uses.iter().map(|(_, own)| own[2]),
            );
            let own = own.sum::<f64>();
            assert!((all - own).abs() <= 1e-4 * all, "{name}: {all} and {own}");
            both.add(run);
        }
        assert_eq!(both.figures()[0], (3 * STEPS) as f64);
    }
}

/// Limits and dry friction alone are a strictly convex problem. Block pivots fail in a few steps of this
/// chain, and the descent solves them.
#[test]
fn bounds_alone_are_solved_in_every_step() {
    let scenes = scenes::own();
    for run in &runs_of(&scenes, "alone/thrown", 400)[..2] {
        assert_eq!((run.steps, run.unsolved), (400, 0));
        let most = run.work.last().unwrap();
        assert!((30.0..=100.0).contains(most), "{most}");
    }
}
