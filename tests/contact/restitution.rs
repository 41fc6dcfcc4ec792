//! Impacts that rebound: closed forms and refusals.

use crate::common::checker::{quadruped_spec, standing};
use crate::common::impacts::*;
use crate::common::param;
use crate::common::scene::*;
use diffsim::error::Status;
use diffsim::model::{Actuation, Model};
use diffsim::save::save_file;
use diffsim::spatial::Vec3;
use diffsim::step::{Contact, Gradient, Options, Sim};
use std::path::Path;
use std::sync::Arc;

#[test]
fn a_ball_rebounds_with_its_share_of_the_speed() {
    for (h, law) in [1e-3, 1e-2]
        .into_iter()
        .flat_map(|h| RIGID.map(|law| (h, law)))
    {
        for e in [0.0, 0.5, 1.0] {
            let spec = bouncing(e, 0.5, 1.1);
            let mut w = World::new(spec, Actuation::FromFile, &with(law, h));
            let mut impacts = 0;
            for _ in 0..(1.0 / h) as usize {
                let (z, v) = (w.position(0).z, w.velocity(0).z);
                let info = w.step();
                assert!(w.position(0).z > 0.1 - 1e-12);
                if info.impacts == 0 {
                    continue;
                }
                impacts += 1;
                // The jump is in the velocity; the step goes on with the new one.
                close(&[w.velocity(0).z], &[-e * v], 1e-12);
                close(&[w.position(0).z], &[z - h * e * v], 1e-12);
            }
            assert_eq!(impacts > 0, e > 0.0, "{e}");
        }
    }
}

/// Of a bounce at speed s the height is (e s)²/(2 g); what is slower than the threshold stays down.
#[test]
fn a_ball_comes_to_rest_after_bounces_of_falling_height() {
    let (h, e) = (1e-4, 0.5);
    let mut w = World::new(bouncing(e, 0.5, 1.1), Actuation::FromFile, &options(h));
    let mut peaks = Vec::new();
    let mut bounces = 0;
    for _ in 0..(1.6 / h) as usize {
        let rising = w.velocity(0).z > 0.0;
        bounces += w.step().impacts;
        if rising && w.velocity(0).z <= 0.0 && peaks.len() < 4 {
            peaks.push(w.position(0).z - 0.1);
        }
    }
    let exact: Vec<f64> = (1..5).map(|k| e.powi(2 * k)).collect();
    close(&peaks, &exact, 10.0 * h);
    // Its speed at the tenth, (2 g)^½ e^9, is below the threshold by less than it gains in two steps.
    assert!((9..=10).contains(&bounces), "{bounces} bounces");
    close(&[w.position(0).z, w.velocity(0).z], &[0.1, 0.0], 1e-9);
}

/// A tenth of a millimetre is undone at 0.1 m/s.
#[test]
fn an_overlap_leaves_at_the_faster_of_rebound_and_push_out() {
    for (speed, leaves, impacts) in [(2.0, 1.0, 1), (0.1, 0.1, 0), (0.0, 0.1, 0)] {
        let spec = bouncing(0.5, 0.5, 0.1 - 1e-4);
        let mut w = World::new(spec, Actuation::FromFile, &options(1e-3));
        w.launch(0, Vec3::Z * -speed);
        assert_eq!(w.step().impacts, impacts, "{speed} m/s");
        close(&[w.velocity(0).z], &[leaves], 1e-9);
    }
}

/// Symplectic Euler keeps v²/2 + g z − g h v/2, and a rebound with e = 1 keeps it, too.
#[test]
fn an_elastic_ball_keeps_its_energy() {
    let h = 1e-3;
    let mut w = World::new(bouncing(1.0, 0.0, 1.1), Actuation::FromFile, &options(h));
    let energy = |w: &World| {
        let (z, v) = (w.position(0).z, w.velocity(0).z);
        0.5 * v * v + G * z - 0.5 * G * h * v
    };
    let before = energy(&w);
    let mut bounces = 0;
    for _ in 0..20_000 {
        bounces += w.step().impacts;
    }
    assert!(bounces > 20, "{bounces}");
    close(&[energy(&w)], &[before], 1e-11);
}

/// Positions and velocities map alike: ∂q⁺/∂q = ∂v⁺/∂v = X, ∂q⁺/∂v = h X, ∂v⁺/∂q = 0.
#[test]
fn two_balls_meet_head_on() {
    for (h, law) in [1e-3, 5e-2]
        .into_iter()
        .flat_map(|h| RIGID.map(|law| (h, law)))
    {
        for (masses, e, map) in [
            ([1.0, 1.0], 1.0, [0.0, 1.0, 1.0, 0.0]),
            ([1.0, 3.0], 1.0, [-0.5, 0.5, 1.5, 0.5]),
            ([1.0, 1.0], 0.5, [0.25, 0.75, 0.75, 0.25]),
        ] {
            let spec = line(e, &[0.0, 0.2 + 0.3 * h], &masses);
            let mut w = World::new(spec, Actuation::FromFile, &with(law, h));
            w.v.copy_from_slice(&[1.0, -0.5]);
            assert_eq!(w.step().impacts, 1);
            let [a, b, c, d] = map;
            close(&w.v, &[a - 0.5 * c, b - 0.5 * d], 1e-12);
            let by_v: Vec<f64> = map.iter().map(|x| h * x).collect();
            let [qq, qv, vq, vv] = jacobians(&mut w);
            close(&qq, &map, 1e-12);
            close(&vv, &map, 1e-12);
            close(&qv, &by_v, 1e-12);
            close(&vq, &[0.0; 4], 1e-12);
            assert_eq!(w.sim.step_info().unwrap().gradient, Gradient::Exact);
        }
    }
}

/// The balls behind the one that is struck go as one body, since only what approaches rebounds.
#[test]
fn a_touching_cradle_rebounds_from_the_rest_as_from_one_body() {
    for (n, e, law) in [
        (3, 1.0, Contact::Ncp),
        (5, 1.0, Contact::Lcp),
        (5, 0.5, Contact::Ncp),
    ] {
        let places: Vec<f64> = (0..n).map(|i| 0.2 * f64::from(i)).collect();
        let spec = line(e, &places, &vec![1.0; n as usize]);
        let mut w = World::new(spec, Actuation::FromFile, &with(law, 1e-3));
        w.q[0] = -1e-4;
        w.v[0] = 1.0;
        assert_eq!(w.step().impacts, 1);
        let count = f64::from(n);
        let mut exact = vec![(1.0 + e) / count; n as usize];
        exact[0] = 1.0 - (1.0 + e) * (count - 1.0) / count;
        close(&w.v, &exact, 1e-9);
    }
}

#[test]
fn the_last_ball_of_a_cradle_with_gaps_leaves() {
    let places = [0.0, 0.21, 0.43, 0.64, 0.86];
    let mut w = World::new(
        line(1.0, &places, &[1.0; 5]),
        Actuation::FromFile,
        &options(1e-3),
    );
    w.v[0] = 1.0;
    let mut impacts = 0;
    for _ in 0..200 {
        impacts += w.step().impacts;
    }
    assert_eq!(impacts, 4);
    close(&w.v, &[0.0, 0.0, 0.0, 0.0, 1.0], 1e-12);
}

#[test]
fn a_box_lands_flat_on_its_four_corners() {
    let h = 1e-3;
    for (friction, e, law) in [
        (0.0, 0.6, Contact::Ncp),
        (0.5, 0.6, Contact::Ncp),
        (0.5, 1.0, Contact::Ncp),
        (0.0, 0.6, Contact::Lcp),
        (0.5, 0.6, Contact::Lcp),
    ] {
        let mut spec = on_ground(friction, 0.1005, 2.0, cuboid(0.2, 0.15, 0.1));
        spec.geoms[1].restitution = e;
        let mut w = World::new(spec, Actuation::FromFile, &with(law, h));
        w.launch(0, Vec3::Z * -2.0);
        assert_eq!(w.step().impacts, 4);
        close(&w.v, &[0.0, 0.0, 2.0 * e, 0.0, 0.0, 0.0], 1e-9);
        let [qq, qv, _, vv] = jacobians(&mut w);
        let z = 2 * 6 + 2;
        close(&[qq[z], qv[z], vv[z]], &[-e, -e * h, -e], 1e-9);
        if friction == 0.0 {
            // Tilts rebound, too; motions without a normal response stay.
            let of = |m: &[f64]| (0..6).map(|k| m[7 * k]).collect::<Vec<_>>();
            close(&of(&qq), &[1.0, 1.0, -e, -e, -e, 1.0], 1e-9);
            close(&of(&vv), &[1.0, 1.0, -e, -e, -e, 1.0], 1e-9);
        }
    }
}
/// Of two equal coefficients the larger one counts when one of them grows.
#[test]
fn a_coefficient_that_both_geoms_have_is_one_sided() {
    for (other, gradient) in [(0.5, Gradient::OneSided), (0.4, Gradient::Exact)] {
        let mut spec = bouncing(0.5, 0.5, 0.1);
        spec.geoms[1].restitution = other;
        let mut w = World::new(spec, Actuation::FromFile, &options(1e-3));
        w.sim.select_params(&[param(RESTITUTION, 0, 0)]).unwrap();
        w.launch(0, Vec3::Z * -1.0);
        w.step();
        jacobians(&mut w);
        assert_eq!(w.sim.step_info().unwrap().gradient, gradient);
    }
}

/// Corners that meet at other times and stick would each take another part of the box's way along the ground:
/// which is not said.
#[test]
fn corners_that_contradict_each_other_make_a_step_one_sided() {
    for (friction, speed, gradient) in [
        (0.0, 0.3, Gradient::Exact),
        (0.9, 0.0, Gradient::Exact),
        (0.9, 0.3, Gradient::OneSided),
    ] {
        let mut spec = on_ground(friction, 0.1005, 2.0, cuboid(0.2, 0.15, 0.1));
        spec.geoms[1].restitution = 0.6;
        let mut w = World::new(spec, Actuation::FromFile, &options(1e-3));
        w.launch(0, Vec3::new(speed, 0.0, -2.0));
        assert_eq!(w.step().impacts, 4);
        assert_eq!(w.sim.step_info().unwrap().gradient, Gradient::Exact);
        jacobians(&mut w);
        let info = w.sim.step_info().unwrap();
        assert_eq!(info.gradient, gradient, "{friction}, {speed}: {info:?}");
    }
}

/// nimble: two balls and a wall, whose energy must not double. A ball that is struck within a step of another
/// gap stops there, so that energy may be lost but not gained.
#[test]
fn two_elastic_balls_and_a_wall_gain_no_energy() {
    let mut spec = line(1.0, &[0.0, 0.3], &[1.0, 2.0]);
    for x in [-0.2, 0.6] {
        let name = format!("wall{x}");
        fixed(
            &mut spec,
            &name,
            at(x, 0.0, 0.0),
            cuboid(0.02, 1.0, 1.0),
            0.0,
        );
    }
    let mut w = World::new(spec, Actuation::FromFile, &options(1e-3));
    w.v.copy_from_slice(&[2.0, -1.0]);
    let energy = |w: &World| 0.5 * w.v[0] * w.v[0] + w.v[1] * w.v[1];
    let (mut before, mut impacts) = (energy(&w), 0);
    for _ in 0..5000 {
        impacts += w.step().impacts;
        let now = energy(&w);
        assert!(now < before + 1e-12, "{now} after {before}");
        before = now;
    }
    assert!(
        impacts > 40 && before > 1.0,
        "{impacts} impacts, {before} J"
    );
}

/// Where nothing approaches faster than the threshold all steps are those without restitution, and so they
/// are with compliant contacts.
#[test]
fn what_does_not_rebound_steps_as_ever() {
    let run = |e: f64, options: &Options| {
        let mut spec = quadruped_spec(false);
        for g in &mut spec.geoms {
            g.restitution = e;
        }
        let mut w = World::new(spec, Actuation::Full, options);
        w.q = standing(w.sim.model());
        w.v[2] = -1.0;
        let mut bits = Vec::new();
        for _ in 0..100 {
            assert_eq!(w.step().impacts, 0);
            bits.extend(w.q.iter().chain(&w.v).map(|x| x.to_bits()));
        }
        bits
    };
    let slow = Options {
        restitution_threshold: f64::INFINITY,
        ..options(1e-3)
    };
    assert!(run(0.7, &slow) == run(0.0, &options(1e-3)));
    let convex = Options {
        contact: Contact::Convex,
        ..options(1e-3)
    };
    assert!(run(0.7, &convex) == run(0.0, &convex));
}
/// At the threshold, and where a contact just closes, the derivative is that of one side; elsewhere the
/// distance says how far.
#[test]
fn steps_say_how_far_rebound_and_none_are_apart() {
    let h = 1e-3;
    for (speed, gap, distance) in [
        // Fast enough by 0.2 of a largest free velocity of 1, and closed by half of it.
        (0.5, 0.0, 0.2),
        (0.5, 0.4e-3, 0.1),
        (0.5, 0.7e-3, 0.2),
        (0.1, 0.0, 0.2),
        (0.3, 0.0, 0.0),
        (0.5, 0.5e-3, 0.0),
    ] {
        let mut spec = line(0.5, &[0.0, 0.2 + gap], &[1.0; 2]);
        spec.gravity = Vec3::ZERO;
        let slow = Options {
            restitution_threshold: 0.3,
            ..options(h)
        };
        let mut w = World::new(spec, Actuation::FromFile, &slow);
        w.v[0] = speed;
        let info = w.step();
        let what = format!("{speed} m/s at {gap} m: {info:?}");
        assert!((info.switch_distance - distance).abs() < 1e-9, "{what}");
        assert_eq!(
            info.gradient == Gradient::OneSided,
            distance == 0.0,
            "{what}"
        );
    }
}
#[test]
fn what_is_no_restitution_is_refused() {
    for e in [-0.1, 1.5, f64::NAN] {
        let error = Model::compile(bouncing(e, 0.5, 1.0), Actuation::FromFile).unwrap_err();
        assert_eq!(error.status, Status::InvalidArgument);
        assert!(error.message.contains("restitution"), "{error}");
    }
    let model = Model::compile(bouncing(0.5, 0.5, 1.0), Actuation::FromFile);
    let model = Arc::new(model.unwrap());
    for restitution_threshold in [-1.0, f64::NAN] {
        let wrong = Options {
            restitution_threshold,
            time_step: 1e-3,
            ..Options::default()
        };
        let error = Sim::new(model.clone(), &wrong).unwrap_err();
        assert_eq!(error.status, Status::InvalidArgument);
        assert!(error.message.contains("options.restitution_threshold"));
    }
    let chosen = [param(RESTITUTION, 0, 0)];
    let mut sim = Sim::new(
        model.clone(),
        &Options {
            time_step: 1e-3,
            ..Options::default()
        },
    )
    .unwrap();
    let other = [param(RESTITUTION, 0, 1)];
    let error = sim.select_params(&other).unwrap_err();
    assert_eq!(error.status, Status::InvalidArgument, "{error}");
    sim.select_params(&chosen).unwrap();
    for e in [-0.1, 1.5] {
        let error = sim.set_params(&[e]).unwrap_err();
        assert_eq!(error.status, Status::InvalidArgument);
        assert!(
            error
                .message
                .contains("p[0]: GeomRestitution must be in [0, 1]")
        );
    }
    let mut p = [f64::NAN];
    sim.get_params(&mut p).unwrap();
    assert_eq!(p, [0.5]);
    let convex = Options {
        contact: Contact::Convex,
        time_step: 1e-3,
        ..Options::default()
    };
    let mut sim = Sim::new(model, &convex).unwrap();
    let error = sim.select_params(&chosen).unwrap_err();
    assert_eq!(error.status, Status::Unsupported);
    assert!(error.message.contains("ContactDissipation"), "{error}");
}

/// URDF and MJCF have no word for it, and saving says so.
#[test]
fn files_that_have_no_restitution_say_so() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    for (e, name) in [(0.5, "ball.xml"), (0.5, "ball.urdf"), (0.0, "rest.xml")] {
        let model = Model::compile(bouncing(e, 0.5, 1.0), Actuation::FromFile).unwrap();
        let losses = save_file(&model, &folder.join(name), false).unwrap();
        let said = losses.iter().any(|l| l.contains("restitution is left out"));
        assert_eq!(said, e > 0.0, "{name}: {losses:?}");
    }
}
