//! Impacts that rebound: closed forms, derivatives by differences, and positions through the time of impact against solutions in
//! continuous time, since a difference of one step does not show that.

mod common;

use common::checker::{Checker, FOURTH_ORDER, quadruped_spec, standing};
use common::scene::*;
use common::{Rng, param, relative_error};
use diffsim::error::Status;
use diffsim::model::params::{Param, ParamKind};
use diffsim::model::spec::{JointKind, JointSpec, ModelSpec};
use diffsim::model::{Actuation, Model};
use diffsim::rollout::Rollout;
use diffsim::spatial::{Pose, Quat, Vec3};
use diffsim::step::{Contact, Gradient, Options, Sim, StepJacobians};
use std::sync::Arc;

const RESTITUTION: ParamKind = ParamKind::GeomRestitution;

/// Laws whose contacts rebound.
const RIGID: [Contact; 2] = [Contact::Ncp, Contact::Lcp];

fn with(contact: Contact, h: f64) -> Options {
    Options {
        contact,
        ..options(h)
    }
}

/// A ball of radius 0.1 above the ground.
fn bouncing(e: f64, friction: f64, height: f64) -> ModelSpec {
    let mut spec = on_ground(friction, height, 0.5, ball(0.1));
    spec.geoms[0].restitution = e;
    spec
}

/// Balls of radius 0.1 at these places on a line without gravity, of these masses, with one dof each.
fn line(e: f64, places: &[f64], masses: &[f64]) -> ModelSpec {
    let mut spec = ModelSpec {
        gravity: Vec3::ZERO,
        ..ModelSpec::default()
    };
    for (i, (x, mass)) in places.iter().zip(masses).enumerate() {
        let name = format!("ball{i}");
        let id = body(
            &mut spec,
            &name,
            JointKind::Prismatic,
            at(*x, 0.0, 0.0),
            *mass,
            ball(0.1),
        );
        spec.bodies[id].joints[0].axis = Vec3::X;
        spec.geoms[i].restitution = e;
        spec.geoms[i].condim = 1;
    }
    spec
}

/// ∂q⁺/∂q, ∂q⁺/∂v, ∂v⁺/∂q, ∂v⁺/∂v of the last step, column-major.
fn jacobians(w: &mut World) -> [Vec<f64>; 4] {
    let nv = w.v.len();
    let mut j: [Vec<f64>; 4] = std::array::from_fn(|_| vec![f64::NAN; nv * nv]);
    let [a, b, c, d] = &mut j;
    let out = StepJacobians {
        dq_dq: Some(a),
        dq_dv: Some(b),
        dv_dq: Some(c),
        dv_dv: Some(d),
        ..StepJacobians::default()
    };
    w.sim.step_jacobians(out).unwrap();
    j
}

#[track_caller]
fn close(a: &[f64], b: &[f64], tolerance: f64) {
    let error = relative_error(a, b);
    assert!(error < tolerance, "{error:e}: {a:?}, not {b:?}");
}

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
            // Tilts come back, too, and what no normal answers stays.
            let of = |m: &[f64]| (0..6).map(|k| m[7 * k]).collect::<Vec<_>>();
            close(&of(&qq), &[1.0, 1.0, -e, -e, -e, 1.0], 1e-9);
            close(&of(&vv), &[1.0, 1.0, -e, -e, -e, 1.0], 1e-9);
        }
    }
}

/// Gradient of one number of the last configuration by the first q and v, and by parameters.
fn gradient(
    model: &Arc<Model>,
    options: &Options,
    params: &[Param],
    [q, v]: [&[f64]; 2],
    steps: usize,
    of: usize,
) -> [Vec<f64>; 3] {
    let nv = model.nv();
    let mut rollout = Rollout::new(model.clone(), options, steps).unwrap();
    rollout.sim_mut().select_params(params).unwrap();
    rollout.run(q, v, &[], steps, None, None).unwrap();
    let mut q_bar = vec![0.0; nv * (steps + 1)];
    q_bar[nv * steps + of] = 1.0;
    let v_bar = vec![0.0; nv * (steps + 1)];
    let mut out = [nv, nv, params.len()].map(|n| vec![f64::NAN; n]);
    let [by_q, by_v, by_p] = &mut out;
    rollout
        .adjoint(&q_bar, &v_bar, Some(by_q), Some(by_v), None, Some(by_p))
        .unwrap();
    out
}

/// Of the second ball, which was struck: ((1 + e)/2, (1 − e)/2, T (1 + e)/2, T (1 − e)/2) for any step; of the first with −e.
#[test]
fn the_gradient_of_two_balls_is_exact_for_any_step() {
    let end = 0.6;
    for (e, law) in [
        (0.5, Contact::Ncp),
        (1.0, Contact::Ncp),
        (0.5, Contact::Lcp),
    ] {
        let model = Model::compile(line(e, &[0.0, 0.3], &[1.0; 2]), Actuation::FromFile);
        let model = Arc::new(model.unwrap());
        for steps in [6, 10, 33, 100, 1000] {
            let h = end / f64::from(steps);
            for (of, sign) in [(1, 1.0), (0, -1.0)] {
                let state = [&[0.0, 0.0][..], &[0.7, 0.1]];
                let options = with(law, h);
                let [by_q, by_v, _] = gradient(&model, &options, &[], state, steps as usize, of);
                let (own, other) = (0.5 * (1.0 + sign * e), 0.5 * (1.0 - sign * e));
                close(&by_q, &[own, other], 1e-9);
                close(&by_v, &[end * own, end * other], 1e-9);
            }
        }
    }
}

fn hinge(name: &str, kind: JointKind, axis: Vec3) -> JointSpec {
    JointSpec {
        axis,
        ..JointSpec::new(name, kind)
    }
}

/// A ball in the plane y = 0 that meets the ground and leaves it, without gravity in continuous time: x and z at the end.
/// The numbers: x, z, their velocities, the spin, the radius, e and μ.
fn flight([x, z, vx, vz, spin, radius, e, mu]: [f64; 8], turns: bool, end: f64) -> [f64; 2] {
    let meets = (radius - z) / vz;
    assert!(meets < end);
    // Impulses per mass; the inertia is that of a homogeneous ball of radius 0.1.
    let (normal, inertia) = (-(1.0 + e) * vz, 0.4 * 0.01);
    let stop = match turns {
        true => (vx - spin * radius) / (1.0 + radius * radius / inertia),
        false => vx,
    };
    let left = end - meets;
    let tangent = stop.clamp(-mu * normal, mu * normal);
    [x + vx * end - tangent * left, radius - e * vz * left]
}

/// The gradient through a bounce is that of continuous time, to the length of a step: of a ball that slides and is spun by
/// that, and of one that sticks. (With both, the arm of its friction would be longer by the gap at which a step finds it.)
#[test]
fn a_ball_is_differentiated_through_its_bounce() {
    let end = 0.5;
    let cases = [(false, 0.6), (true, 0.15)];
    for ((turns, mu), law) in cases.into_iter().flat_map(|c| RIGID.map(|law| (c, law))) {
        let numbers = [0.0, 0.4, 0.8, -1.0, 60.0, 0.1, 0.7, mu];
        let exact = |i: usize, of: usize| {
            let shifted = |s: f64| {
                let mut n = numbers;
                n[i] += s;
                flight(n, turns, end)[of]
            };
            (shifted(1e-6) - shifted(-1e-6)) / 2e-6
        };
        let mut spec = bouncing(0.7, mu, 0.4);
        spec.gravity = Vec3::ZERO;
        spec.bodies[1].joints = vec![
            hinge("x", JointKind::Prismatic, Vec3::X),
            hinge("z", JointKind::Prismatic, Vec3::Z),
        ];
        if turns {
            let spin = hinge("spin", JointKind::Continuous, Vec3::Y);
            spec.bodies[1].joints.push(spin);
        }
        let model = Arc::new(Model::compile(spec, Actuation::FromFile).unwrap());
        let params = [
            param(ParamKind::GeomSize, 1, 0),
            param(RESTITUTION, 0, 0),
            param(ParamKind::GeomFriction, 0, 0),
        ];
        for h in [1e-2, 1e-3, 1e-4] {
            for of in 0..2 {
                let q = model.neutral().to_vec();
                let v = &[0.8, -1.0, 60.0][..model.nv()];
                let steps = (end / h).round() as usize;
                let [by_q, by_v, by_p] =
                    gradient(&model, &with(law, h), &params, [&q, v], steps, of);
                let ours = [&by_q[..2], &by_v[..2], &by_p].concat();
                let numbers = [0, 1, 2, 3, 5, 6, 7];
                close(&ours, &numbers.map(|i| exact(i, of)), 3.0 * h);
            }
        }
    }
}

/// What a step of a free ball with spin has beyond its differences: for as long as it meets later, it has its old velocity instead
/// of the new one.
#[test]
fn a_free_ball_that_meets_later_leaves_on_another_path() {
    let (h, eps) = (1e-4, 1e-6);
    for mu in [0.0, 0.1, 0.9] {
        let mut spec = bouncing(0.7, mu, 0.0);
        spec.gravity = Vec3::ZERO;
        let mut w = World::new(spec, Actuation::FromFile, &options(h));
        let at = Vec3::new(0.3, -0.2, 0.10005);
        w.q[..3].copy_from_slice(&at.to_array());
        w.q[3..].copy_from_slice(&Quat::exp(Vec3::new(0.4, -0.7, 0.3)).normalized().to_array());
        w.launch(0, Vec3::new(0.8, 0.3, -1.0));
        w.v[3..].copy_from_slice(&[3.0, 5.0, -4.0]);
        let (q, v) = (w.q.clone(), w.v.clone());
        let turned = |w: &World| {
            let rot = Pose::from_quat(Quat::from_slice(&w.q[3..]), Vec3::ZERO).rot;
            let spin = rot.mul_vec(w.spin(0));
            (rot, [w.velocity(0).to_array(), spin.to_array()].concat())
        };
        let (before, old) = turned(&w);
        assert_eq!(w.step().impacts, 1);
        let (after, new) = turned(&w);
        let [by_q, ..] = jacobians(&mut w);
        let base = w.q.clone();
        let model = w.sim.model().clone();
        for k in 0..6 {
            let mut ends = [1.0, -1.0].map(|sign| {
                let mut unit = [0.0; 6];
                unit[k] = sign * eps;
                model.integrate(&q, &unit, &mut w.q);
                w.v.copy_from_slice(&v);
                w.step();
                let mut x = vec![0.0; 6];
                model.difference(&base, &w.q, &mut x);
                x
            });
            let minus = std::mem::take(&mut ends[1]);
            let beyond: Vec<f64> = (0..6)
                .map(|i| by_q[6 * k + i] - (ends[0][i] - minus[i]) / (2.0 * eps))
                .collect();
            let of = |x: &[f64]| after.mul_vec(Vec3::from_slice(x)).to_array();
            let beyond = [of(&beyond[..3]), of(&beyond[3..])].concat();
            // The change of the gap, which turning a ball does not change.
            let gap = if k < 3 {
                before.mul_vec(Vec3::unit(k)).z
            } else {
                0.0
            };
            let later = gap / -old[2];
            let exact: Vec<f64> = (0..6).map(|i| later * (old[i] - new[i])).collect();
            close(&beyond[..3], &exact[..3], 1e-6);
            close(&beyond[3..], &exact[3..], 10.0 * h);
        }
    }
}

/// Velocities, and positions by v and e, against differences; directions and adjoints against the Jacobians, which have the
/// displacement that impacts leave.
#[test]
fn robots_that_rebound_are_differentiated() {
    for (seed, e, law) in [
        (1, 0.3, Contact::Ncp),
        (2, 0.5, Contact::Ncp),
        (3, 0.8, Contact::Ncp),
        (4, 0.5, Contact::Lcp),
    ] {
        let mut spec = quadruped_spec(false);
        for (i, g) in spec.geoms.iter_mut().enumerate() {
            g.restitution = e + 0.01 * i as f64;
        }
        let model = Model::compile(spec, Actuation::Full).unwrap();
        let feet: Vec<usize> = (0..model.ngeom())
            .filter(|g| model.geoms()[*g].name.starts_with("foot"))
            .collect();
        let mut params = vec![
            param(ParamKind::GeomFriction, 0, 0),
            param(ParamKind::JointPlacement, 3, 2),
            param(ParamKind::BodyInertia, 1, 0),
        ];
        for foot in &feet[..2] {
            params.push(param(RESTITUTION, *foot, 0));
            params.push(param(ParamKind::GeomSize, *foot, 0));
        }
        let mut rng = Rng::new(seed);
        let mut q = standing(&model);
        q[2] += 0.05;
        let mut v = rng.vector(model.nv(), 0.5);
        v[2] = -1.5;
        let mut checker = Checker::new(model, &with(law, 1e-3));
        checker.stencil = FOURTH_ORDER;
        checker.select(&params);
        let mut impacts = 0;
        for _ in 0..150 {
            let u = rng.vector(v.len(), 2.0);
            checker.check(&mut q, &mut v, &u);
            impacts += checker.impacts;
        }
        assert!(impacts > 8, "{impacts}");
        checker.report(&format!("quadruped with e = {e}, {law:?}"));
    }
}

/// Where nothing approaches faster than the threshold all steps are those without restitution, and so they are with compliant
/// contacts.
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

/// At the threshold, and where a contact just closes, the derivative is that of one side; elsewhere the distance says how far.
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
            ..Options::default()
        };
        let error = Sim::new(model.clone(), &wrong).unwrap_err();
        assert_eq!(error.status, Status::InvalidArgument);
        assert!(error.message.contains("options.restitution_threshold"));
    }
    let chosen = [param(RESTITUTION, 0, 0)];
    let mut sim = Sim::new(model.clone(), &Options::default()).unwrap();
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
        ..Options::default()
    };
    let mut sim = Sim::new(model, &convex).unwrap();
    let error = sim.select_params(&chosen).unwrap_err();
    assert_eq!(error.status, Status::Unsupported);
    assert!(error.message.contains("ContactDissipation"), "{error}");
}
