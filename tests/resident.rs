//! The memory that a simulation touches. Alone in its file: it measures the whole process.

#![cfg(target_os = "linux")]

mod common;

use common::runs::Run;
use diffsim::step::{Contact, Options, Sim, StepJacobians};

/// Bytes of the process in memory.
fn resident() -> f64 {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    pages.split(' ').nth(1).unwrap().parse::<f64>().unwrap() * 4096.0
}

/// A quadruped that stands, with Jacobians: once 10 MB (of Go1, as large), which were touched at creation;
/// now 1.0 (Go1: 1.3), so that some thousand fit a machine.
#[test]
fn a_standing_quadruped_touches_at_most_a_megabyte_and_a_half() {
    const SIMS: usize = 30;
    let run = Run::example("quadruped.xml");
    let key = run.model.keyframes()[0].clone();
    let nv = run.model.nv();
    let mut jacobian = vec![0.0; nv * nv];
    for contact in [Contact::Ncp, Contact::Convex] {
        let o = Options {
            contact,
            time_step: 1e-3,
            ..Options::default()
        };
        let mut stand = || {
            let mut sim = Sim::new(run.model.clone(), &o).unwrap();
            let (mut q, mut v) = (key.q.clone(), key.v.clone());
            for _ in 0..20 {
                let (q0, v0) = (q.clone(), v.clone());
                sim.step(&q0, &v0, &key.u, &mut q, &mut v).unwrap();
                let out = StepJacobians {
                    dv_dq: Some(&mut jacobian),
                    ..StepJacobians::default()
                };
                sim.step_jacobians(out).unwrap();
            }
            assert!(sim.contacts().iter().any(|c| c.impulse[2] > 0.0));
            sim
        };
        // First touch the memory that model and allocator keep for all simulations.
        let _first = stand();
        let before = resident();
        let sims: Vec<Sim> = (0..SIMS).map(|_| stand()).collect();
        let each = (resident() - before) / sims.len() as f64;
        println!("{contact:?}: {:.2} MB a simulation", each * 1e-6);
        assert!(each < 1.5e6, "{contact:?}: {each} bytes");
    }
}
