//! Bodies that lock each other: a push-out that fails is not tried on every step.

mod common;

use common::runs::container;
use common::scene::*;
use diffsim::model::Actuation;
use diffsim::step::Options;

/// After eight failures in a row attempts become rare, saved memory repeats them, and every step is solved.
#[test]
fn attempts_to_part_jammed_bodies_become_rare() {
    let options = Options {
        max_contacts: 256,
        ..options(1e-3)
    };
    let mut w = World::new(container(12, false), Actuation::FromFile, &options);
    let (mut q, mut v) = (w.q.clone(), w.v.clone());
    let mut step = |w: &mut World| {
        w.sim.step(&w.q, &w.v, &[], &mut q, &mut v).unwrap();
        w.q.copy_from_slice(&q);
        w.v.copy_from_slice(&v);
        let info = w.sim.step_info().unwrap();
        assert!(info.converged && info.residual <= RESIDUAL, "{info:?}");
        info.push_out_given_up
    };
    let (mut without, mut longest) = (0, 0);
    let mut saved = None;
    for _ in 0..400 {
        without = if step(&mut w) { without + 1 } else { 0 };
        longest = longest.max(without);
        if without == 9 && saved.is_none() {
            let mut memory = vec![0.0; w.sim.memory_size()];
            w.sim.get_memory(&mut memory).unwrap();
            // Failed eight times, waited once.
            assert_eq!(memory[1..3], [0.0, 8.0]);
            saved = Some((w.q.clone(), w.v.clone(), memory));
        }
    }
    let (q, v, memory) = saved.expect("nine steps in a row without push-out");
    let mut ends = [0, 1].map(|_| {
        (w.q, w.v) = (q.clone(), v.clone());
        w.sim.set_memory(&memory).unwrap();
        for _ in 0..20 {
            step(&mut w);
        }
        (w.q.clone(), w.v.clone())
    });
    assert!(longest >= 9);
    let [a, b] = &mut ends;
    assert_eq!(a, b);
    // Numbers that no simulation saves are refused.
    let mut broken = memory.clone();
    broken[1] = 33.0;
    let error = w.sim.set_memory(&broken).unwrap_err();
    assert!(error.message.contains("warm[1] is 33"), "{error}");
}
