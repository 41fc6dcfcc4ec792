//! The examples reach their goals.

// Each example is a program of its own and brings its copy of what they share.
#![allow(clippy::duplicate_mod)]

#[path = "../examples/contact_inverse_dynamics.rs"]
#[allow(dead_code)]
mod contact_inverse_dynamics;
#[path = "../examples/throw_cube.rs"]
#[allow(dead_code)]
mod throw_cube;

use contact_inverse_dynamics as hold;
use diffsim::rollout::Rollout;
use nalgebra::DVector;
use throw_cube as throw;
use throw_cube::common::gauss_newton::LeastSquares;

/// The cube ends at the target pose to 1e-10 m and rad. Only the kick has no kinks in its way, where
/// numbers of iterations would be a matter of luck.
#[test]
fn a_cube_is_thrown_and_kicked_to_its_target() {
    for task in [throw::Task::Throw, throw::Task::Kick] {
        let exact = throw::solve(task, throw::GRADIENTS[0], 30).unwrap();
        assert!(exact.error() <= 1e-10, "{task:?}: {:?}", exact.history);
        let forward = throw::solve(task, throw::GRADIENTS[1], 30).unwrap();
        let slower = forward.iterations_to(1e-10).unwrap_or(usize::MAX);
        assert!(
            task != throw::Task::Kick || exact.iterations() <= slower,
            "{task:?}: {} iterations, {slower} by differences",
            exact.iterations()
        );
        assert!(
            exact.linearizations + exact.evaluations < forward.evaluations,
            "{task:?}: no fewer rollouts"
        );
    }
}

/// The hop has kinks in its way; the method still comes nearer by a factor of ten.
#[test]
fn a_hopping_cube_comes_near_its_target() {
    let run = throw::solve(throw::Task::Hop, throw::GRADIENTS[0], 40).unwrap();
    assert!(run.error() < 0.1 * run.history[0], "{:?}", run.history);
}

/// The robot stands still to 1e-8 m/s² and rad/s², in no more iterations than by differences.
#[test]
fn torques_hold_a_robot_on_its_contacts() {
    for task in hold::Task::ALL {
        let exact = hold::solve(task, hold::GRADIENTS[0], 20).unwrap();
        let needed = exact.iterations_to(1e-8);
        assert!(needed.is_some(), "{task:?}: {:?}", exact.history);
        for gradient in &hold::GRADIENTS[1..] {
            let other = hold::solve(task, *gradient, 20).unwrap();
            let slower = other.iterations_to(1e-8).unwrap_or(usize::MAX);
            assert!(needed <= Some(slower), "{task:?}, {gradient:?}");
            assert!(exact.linearizations + exact.evaluations < other.evaluations);
        }
    }
}

/// The exact gradients that the examples use, against differences of the whole.
#[test]
fn exact_gradients_agree_with_differences() {
    for task in throw::Task::ALL {
        let (mut problem, guess) = task.problem().unwrap();
        let (_, exact) = problem.linearize(&guess).unwrap();
        for (k, column) in exact.column_iter().enumerate() {
            // A switch of modes may lie within one difference, not within all.
            let error = [1e-5, 1e-6, 1e-7].map(|step| {
                let at = |x: f64| {
                    let mut moved = guess.clone();
                    moved[k] += x;
                    moved
                };
                let ahead = problem.residual(&at(step)).unwrap();
                let behind = problem.residual(&at(-step)).unwrap();
                ((ahead - behind) / (2.0 * step) - column).amax()
            });
            let best = error.into_iter().fold(f64::MAX, f64::min);
            assert!(
                best < 1e-6 * exact.amax(),
                "{task:?}, unknown {k}: {error:?}"
            );
        }
    }
}

/// The gradient of half the squared miss by the initial velocity: the product of the steps' Jacobians
/// against the adjoint of a rollout.
#[test]
fn the_adjoint_of_the_throw_agrees_with_the_product_of_jacobians() {
    let (mut problem, guess) = throw::Task::Throw.problem().unwrap();
    let (r, j) = problem.linearize(&guess).unwrap();
    let product = j.tr_mul(&r);

    let (model, options) = (problem.sim.model().clone(), *problem.sim.options());
    let mut rollout = Rollout::new(model, &options, throw::STEPS).unwrap();
    let u = vec![0.0; 6 * throw::STEPS];
    rollout
        .run(&problem.q0, guess.as_slice(), &u, throw::STEPS, None, None)
        .unwrap();
    let mut q_bar = vec![0.0; 6 * (throw::STEPS + 1)];
    let v_bar = q_bar.clone();
    let last = throw::miss_by_pose(&r).tr_mul(&r.fixed_rows::<6>(0));
    q_bar[6 * throw::STEPS..].copy_from_slice(last.as_slice());
    let mut adjoint = DVector::zeros(6);
    rollout
        .adjoint(
            &q_bar,
            &v_bar,
            None,
            Some(adjoint.as_mut_slice()),
            None,
            None,
        )
        .unwrap();
    let error = (&product - &adjoint).amax();
    assert!(error < 1e-10 * product.amax(), "{product} {adjoint}");
}
