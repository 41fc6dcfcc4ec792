//! Bodies that no impulse can part: all their contacts yield, by a derivative of its own.

use crate::common::checker::{Checker, FOURTH_ORDER};
use crate::common::param;
use crate::common::scene::*;
use diffsim::model::params::ParamKind;
use diffsim::model::spec::ModelSpec;
use diffsim::model::{Actuation, Model};
use diffsim::spatial::Vec3;

/// Overlap of each with the next and of the ends with the walls [m].
const OVERLAP: f64 = 5e-3;

/// So many balls in a row between two walls that leave no room for them, on the ground.
fn row(balls: usize, gravity: Vec3) -> ModelSpec {
    let mut spec = ModelSpec {
        gravity,
        ..ModelSpec::default()
    };
    ground(&mut spec, 0.8);
    let pitch = 0.2 - OVERLAP;
    for k in 0..balls {
        // Not quite in a line, and each a little heavier.
        let pose = at(pitch * k as f64, 2e-3 * (k % 2) as f64, 0.0999);
        free(
            &mut spec,
            &format!("ball{k}"),
            pose,
            1.0 + 0.1 * k as f64,
            ball(0.1),
        );
    }
    let half = 0.05;
    for (name, x) in [
        ("left", -(0.1 - OVERLAP) - half),
        ("right", pitch * (balls - 1) as f64 + 0.1 - OVERLAP + half),
    ] {
        fixed(
            &mut spec,
            name,
            at(x, 0.0, 0.2),
            cuboid(half, 1.0, 0.2),
            0.8,
        );
    }
    spec
}

/// The first steps of a jam try rigid rows and say that their derivative is one side's; those that begin with
/// rows that yield do not. One ball and its walls are solved with a dense matrix, eight by trees.
#[test]
fn rows_that_yield_have_exact_derivatives() {
    for (balls, by_trees) in [(1, false), (3, true), (8, true)] {
        let spec = row(balls, Vec3::new(0.0, 0.3, -9.81));
        let model = Model::compile(spec, Actuation::Full).unwrap();
        let mut c = Checker::new(model, &options(2e-3));
        c.select(&[
            param(ParamKind::BodyInertia, 1, 0),
            param(ParamKind::GeomFriction, 0, 0),
            param(ParamKind::GeomSize, 1, 0),
        ]);
        // R is small, so differences bend.
        (c.eps, c.stencil) = (2e-7, FOURTH_ORDER);
        let nv = c.sim.model().nv();
        let (mut q, mut v) = (c.sim.model().neutral().to_vec(), vec![0.0; nv]);
        v[1] = 0.02;
        let u: Vec<f64> = (0..c.sim.model().nu())
            .map(|k| 0.01 * (k % 3) as f64)
            .collect();
        for step in 0..12 {
            c.label = format!("step {step}");
            c.check(&mut q, &mut v, &u);
        }
        let t = c.tally(&format!("{balls} balls, by trees: {by_trees}"));
        assert!(t.wrong == 0 && t.apart < 1e-10, "{t:?}");
        // Of the first steps only, and of one of eight.
        assert!(t.checked > t.one_sided && t.refused == 0, "{t:?}");
    }
}

/// The last of ten stood in the wall by 5 mm for good; now all share what room is missing.
#[test]
fn a_row_without_room_shares_its_overlap_and_does_not_sink() {
    let mut w = World::new(
        row(10, Vec3::Z * -9.81),
        Actuation::FromFile,
        &options(1e-3),
    );
    // Unevenly.
    for k in 1..10 {
        w.q[7 * k] += OVERLAP * (10 - k) as f64;
    }
    let deepest = |w: &World| {
        let gaps = w.sim.contacts().iter().map(|c| c.gap);
        gaps.fold(0.0, f64::min)
    };
    let mut first = 0.0;
    for step in 0..3000 {
        let info = w.step();
        assert!(info.converged);
        if step == 0 {
            first = deepest(&w);
        }
        assert!(info.push_out_given_up || step > 100, "step {step}");
        for k in 0..10 {
            let speed = w.velocity(k).norm();
            // Each may be pushed by half a metre a second from the one before it.
            assert!(speed < 5.0, "step {step}, ball {k}: {speed}");
        }
    }
    let last = deepest(&w);
    assert!(last > 0.5 * first, "{first} to {last}");
    // None has sunk into the ground by more than half of the push-out takes back.
    let lowest = (0..10).fold(f64::INFINITY, |m, k| w.position(k)[2].min(m));
    assert!(lowest > 0.1 - 2e-3, "{lowest}");
}

/// All contacts of a jam are compliant whatever their gap, so velocities do not jump where the first ball,
/// pressed by the second, begins to touch the wall: v⁺ has one value at gap zero, and one slope on both
/// sides.
#[test]
fn the_law_of_a_jam_is_continuous_where_a_gap_closes() {
    let mut w = World::new(row(3, Vec3::Z * -9.81), Actuation::FromFile, &options(1e-3));
    // Later steps of a jam begin with compliant rows.
    for _ in 0..3 {
        assert!(w.step().push_out_given_up);
    }
    let (q, v) = (w.q.clone(), w.v.clone());
    let mut memory = vec![0.0; w.sim.memory_size()];
    w.sim.get_memory(&mut memory).unwrap();
    let mut ends = |gap: f64| {
        let mut from = q.clone();
        from[0] = OVERLAP + gap;
        w.sim.set_memory(&memory).unwrap();
        let (mut next, mut end) = (q.clone(), v.clone());
        w.sim.step(&from, &v, &[], &mut next, &mut end).unwrap();
        assert!(w.sim.step_info().unwrap().push_out_given_up);
        end
    };
    let e = 2e-8;
    let [below, under, over, above] = [-2.0 * e, -e, e, 2.0 * e].map(&mut ends);
    for k in 0..v.len() {
        let (left, right) = ((under[k] - below[k]) / e, (above[k] - over[k]) / e);
        let across = (over[k] - under[k]) / (2.0 * e);
        let size = 1.0 + left.abs();
        assert!((left - right).abs() < 1e-3 * size, "{k}: {left} {right}");
        assert!((left - across).abs() < 1e-3 * size, "{k}: {left} {across}");
    }
}
