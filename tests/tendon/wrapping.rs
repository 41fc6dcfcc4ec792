//! Tendons that wrap around spheres and cylinders: paths in closed form, derivatives against differences,
//! where they switch, and steps with all integrators.

use crate::common::checker::{Checker, options};
use crate::common::lengths::{Probe, derivative_error, displacement_error};
use crate::common::scene::{at, ball, body};
use crate::common::sides::{APART, Walk};
use crate::common::tendons::{anchors, tendon, unwrapped, wrapped_spec};
use crate::common::tethers::point;
use crate::common::{LAWS, Rng, by_vector, param, random_q, relative_error};
use diffsim::model::params::{Param, ParamKind};
use diffsim::model::spec::{ActuatorSpec, EqualityKind, EqualitySpec, JointKind, ModelSpec};
use diffsim::model::tendon::{PathPoint, TendonPath, Transmission, WrapShape, WrapSpec};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::wrap::{Side, Solid, Wrap};
use diffsim::spatial::{Pose, Vec3};
use diffsim::step::{Contact, Gradient, Integrator, Options, Sim};
use std::f64::consts::PI;
use std::sync::Arc;

const ROD: Solid = Solid::Cylinder(Vec3::Z);

fn length(solid: Solid, radius: f64, side: Side, a: [f64; 3], b: [f64; 3]) -> Option<f64> {
    let ends = [a, b].map(|x| Vec3::from_slice(&x));
    Wrap::new(solid, radius, side, ends).0.map(|w| w.length)
}

fn assert_length(found: Option<f64>, expected: f64) {
    let found = found.expect("the path bends");
    assert!(
        (found - expected).abs() < 1e-14 * expected.max(1.0),
        "{found} {expected}"
    );
}

#[test]
fn paths_in_closed_form() {
    let (root, any) = (3f64.sqrt(), Side::Any);
    let half_turn = 2.0 * root + PI / 3.0;
    let over = |at: [f64; 3]| Side::Over(Vec3::from_slice(&at));
    for solid in [Solid::Sphere, ROD] {
        let l = |side, a, b| length(solid, 1.0, side, a, b);
        assert_length(l(any, [-2.0, 0.0, 0.0], [2.0, 0.0, 0.0]), half_turn);
        assert_length(
            l(any, [-2.0, 1e-9, 0.0], [2.0, 0.0, 0.0]),
            half_turn - 0.5e-9,
        );
        assert_eq!(l(any, [-2.0, 1.01, 0.0], [2.0, 1.01, 0.0]), None);
        assert_eq!(l(any, [2.0, 0.0, 0.0], [3.0, 0.1, 0.0]), None);
        // An end inside.
        assert_eq!(l(any, [0.5, 0.0, 0.0], [2.0, 0.0, 0.0]), None);
        // A side point on the shorter way, on the longer one, and where the straight line passes on its side
        // or on the other.
        let [a, b] = [[-2.0, 0.5, 0.0], [2.0, 0.5, 0.0]];
        let angle = PI - 2.0 * 0.25f64.atan();
        let s = 3.25f64.sqrt();
        let arc = |psi: f64| 2.0 * s + psi - 2.0 * s.atan();
        for z in [0.0, 5.0] {
            assert_length(l(over([0.3, 1.5, z]), a, b), arc(angle));
            assert_length(l(over([0.3, -1.5, z]), a, b), arc(2.0 * PI - angle));
        }
        let [a, b] = [[-2.0, 1.5, 0.0], [2.0, 1.5, 0.0]];
        assert_eq!(l(over([0.0, 3.0, 0.0]), a, b), None);
        let angle = PI - 2.0 * 0.75f64.atan();
        let s = 5.25f64.sqrt();
        let round = 2.0 * s + 2.0 * PI - angle - 2.0 * s.atan();
        assert_length(l(over([0.0, -3.0, 0.0]), a, b), round);
        // Through the solid: as reflected.
        let through = l(Side::Through, [-1.0, 2.0, 0.0], [1.0, 2.0, 0.0]);
        assert_length(through, 8f64.sqrt());
        assert_length(l(Side::Through, [3.0, 0.0, 0.0], [2.0, 0.0, 0.0]), 3.0);
        assert_eq!(l(Side::Through, [-2.0, 0.5, 0.0], [2.0, 0.5, 0.0]), None);
    }
    // A helix.
    let helix = length(ROD, 1.0, any, [-2.0, 0.0, -1.0], [2.0, 0.0, 3.0]);
    assert_length(helix, half_turn.hypot(4.0));
    // A side point is inside if it is closer to the centre than the radius.
    let side = |x: f64, z: f64| Side::of(Some(Vec3::new(x, 0.0, z)), 1.0);
    assert_eq!(side(0.8, 0.5), Side::Through);
    assert_eq!(side(0.8, 0.7), Side::Over(Vec3::new(0.8, 0.0, 0.7)));
}

/// Ends out of the solid, a side, and the path if it bends and is not close to where that changes.
fn random_wrap(rng: &mut Rng, size: f64) -> Option<(Solid, f64, Side, [f64; 6], Wrap)> {
    let axis = rng.vec3(1.0).normalized().unwrap();
    let solid = [Solid::Sphere, Solid::Cylinder(axis)][rng.below(2)];
    let radius = size * rng.range(0.3, 1.0);
    let side = match rng.below(3) {
        0 => Side::Any,
        1 => Side::Over(rng.vec3(size)),
        _ => Side::Through,
    };
    let ends = [rng.vec3(2.0 * size), rng.vec3(2.0 * size)];
    let (wrap, margin) = Wrap::new(solid, radius, side, ends);
    let wrap = wrap.filter(|_| margin > 0.02 * size)?;
    let x = [ends[0].to_array(), ends[1].to_array()].concat();
    Some((solid, radius, side, x.try_into().unwrap(), wrap))
}

fn ends_of(x: &[f64]) -> [Vec3; 2] {
    [Vec3::from_slice(&x[..3]), Vec3::from_slice(&x[3..])]
}

#[test]
fn slopes_and_second_derivatives_of_paths() {
    let mut rng = Rng::new(1);
    for size in [1e-4, 1.0, 10.0] {
        let mut checked = [0; 6];
        while checked.iter().any(|n| *n < 30) {
            let Some((solid, radius, side, x, wrap)) = random_wrap(&mut rng, size) else {
                continue;
            };
            let kind = match side {
                Side::Any => 0,
                Side::Over(_) => 1,
                Side::Through => 2,
            };
            checked[kind + 3 * usize::from(solid == Solid::Sphere)] += 1;
            // By the ends in units of the size.
            let scaled = x.map(|x| x / size);
            let at = |y: &[f64]| {
                let x: Vec<f64> = y.iter().map(|y| y * size).collect();
                Wrap::new(solid, radius, side, ends_of(&x)).0.unwrap()
            };
            let flat = |two: [Vec3; 2]| [two[0].to_array(), two[1].to_array()].concat();
            let slopes = by_vector(&scaled, |y| vec![at(y).length / size]);
            let error = relative_error(&flat(wrap.pulls), &slopes);
            assert!(error < 1e-9, "{solid:?} {side:?}: slopes {error:e}");
            let second = by_vector(&scaled, |y| flat(at(y).pulls));
            let ours: Vec<f64> = (0..6)
                .flat_map(|k| {
                    let mut unit = [0.0; 6];
                    unit[k] = size;
                    flat(wrap.turned(ends_of(&unit)))
                })
                .collect();
            let error = relative_error(&ours, &second);
            assert!(error < 1e-8, "{solid:?} {side:?}: {error:e}");
        }
    }
}

/// A model with tendons that wrap, and a state at which none is close to where it changes its way; how many
/// bend.
fn wrapped(seed: u64, n: usize) -> (Model, Vec<f64>, usize) {
    // A path on one body may be close to a switch at all states.
    let tries = (0..).map(|k| wrapped_near(seed + 1000 * k, n));
    tries.flatten().next().expect("one of them is clear")
}

fn wrapped_near(seed: u64, n: usize) -> Option<(Model, Vec<f64>, usize)> {
    let spec = wrapped_spec(seed, n);
    let mut straight = spec.clone();
    for t in &mut straight.tendons {
        t.path = unwrapped(&t.path);
    }
    let [model, straight] = [spec, straight].map(|s| Model::compile(s, Actuation::Full).unwrap());
    let (mut rng, mut probe, mut other) =
        (Rng::new(seed), Probe::new(&model), Probe::new(&straight));
    for _ in 0..20 {
        let q = random_q(&mut rng, &model, 0.6);
        probe.go(&model, &q);
        other.go(&straight, &q);
        let paths = &probe.paths;
        if (0..paths.len()).all(|i| paths.switch_distance(i) > 5e-3) {
            let lengths = probe.lengths().into_iter().zip(other.lengths());
            let bent = lengths.filter(|(bent, straight)| bent > straight).count();
            return Some((model, q, bent));
        }
    }
    None
}

#[test]
fn moments_and_their_slopes_are_those_of_differences() {
    let mut bending = 0;
    for seed in 0..24 {
        let (model, q, bent) = wrapped(seed, 2 + seed as usize % 6);
        bending += bent;
        let errors = [derivative_error(&model, &q), displacement_error(&model, &q)];
        println!("{seed}: {bent} bent, {errors:?}");
        assert!(
            errors[0] < 1e-9 && errors[1] < 1e-7,
            "seed {seed}: {errors:?}"
        );
    }
    assert!(bending > 24, "{bending} of 72 tendons bend");
}

/// All numbers of tendons, and placements of joints.
fn parameters(model: &Model) -> Vec<Param> {
    let mut list = anchors(model);
    for i in 0..model.tendons().len() {
        list.extend((0..4).map(|c| param(ParamKind::Tendon, i, c)));
    }
    let joints = model.joints().iter().enumerate();
    for (j, _) in joints.filter(|(_, j)| j.nv > 0).take(3) {
        list.extend((0..6).map(|c| param(ParamKind::JointPlacement, j, c)));
    }
    list
}

#[test]
fn steps_have_derivatives() {
    use Integrator::{
        Bdf1, ImplicitEuler, Midpoint, Sdirk2, SymplecticEuler, SymplecticEulerWorld,
    };
    let explicit = [SymplecticEuler, SymplecticEulerWorld];
    let theta = [ImplicitEuler, Midpoint];
    let smooth = [explicit, theta, [Bdf1, Sdirk2]].concat();
    let pairs = (smooth.into_iter().map(|i| (i, Contact::None))).chain(
        [explicit, theta]
            .concat()
            .into_iter()
            .flat_map(|i| LAWS.map(|law| (i, law))),
    );
    for (k, (integrator, contact)) in pairs.enumerate() {
        let (model, q, _) = wrapped(3 + k as u64 % 4, 5);
        let list = parameters(&model);
        let o = Options {
            integrator,
            contact,
            ..options(4e-3)
        };
        let mut c = Checker::new(model, &o);
        c.select(&list);
        c.run(&format!("{integrator:?}, {contact:?}"), &q, 0.5, 2);
    }
}

#[test]
fn a_rest_that_is_not_given_is_the_length_of_the_bent_path() {
    let mut bent = 0;
    for seed in 0..6 {
        let model = Model::compile(wrapped_spec(seed, 5), Actuation::Full).unwrap();
        let mut probe = Probe::new(&model);
        probe.go(&model, model.neutral());
        for (t, length) in model.tendons().iter().zip(probe.lengths()) {
            let (lo, hi) = t.rest.unwrap();
            assert!(lo == hi && (lo - length).abs() < 1e-13 * length);
        }
        bent += usize::from(probe.paths.len() == 3);
    }
    assert_eq!(bent, 6);
}

/// As the second end goes along a line, lengths jump, slopes turn and paths begin to bend nowhere farther
/// from where they are than is said.
#[test]
fn ways_change_no_closer_than_said() {
    let mut rng = Rng::new(5);
    let mut changes = [0; 3];
    for _ in 0..20_000 {
        let axis = rng.vec3(1.0).normalized().unwrap();
        let solid = [Solid::Sphere, Solid::Cylinder(axis)][rng.below(2)];
        let side = Side::of(
            match rng.below(3) {
                0 => None,
                _ => Some(rng.vec3(1.0)),
            },
            0.5,
        );
        let (a, b) = (rng.vec3(1.0), rng.vec3(1.0));
        let along = rng.vec3(1.0).normalized().unwrap() * 1e-3;
        let ends = |k: usize| [a, b + along * k as f64];
        let pulls = |k: usize| {
            let (wrap, margin) = Wrap::new(solid, 0.5, side, ends(k));
            let d = ends(k)[1] - ends(k)[0];
            let straight = d.norm();
            let (l, pull) = match wrap {
                Some(w) => (w.length, w.pulls[1]),
                None => (straight, d.normalized().unwrap()),
            };
            (l, pull, margin.min(straight), wrap.is_some())
        };
        let mut last = pulls(0);
        for k in 1..40 {
            let next = pulls(k);
            if next.3 != last.3
                || (next.1 - last.1).norm() > 0.5
                || (next.0 - last.0).abs() > 1.5e-3
            {
                let near = last.2.min(next.2);
                changes[usize::from(next.3) + usize::from(last.3)] += 1;
                assert!(near < 3e-2, "{solid:?} {side:?} {a:?} {b:?}: {near}");
            }
            last = next;
        }
    }
    println!("ways changed: straight to straight, in and out, bent to bent: {changes:?}");
    assert!(changes[1] > 100 && changes[2] > 20);
}

/// Ends on the surface, at the centre, on the axis, next to each other, beside the side point; sizes from
/// tiny to huge.
#[test]
fn degenerate_places_give_numbers() {
    let mut rng = Rng::new(6);
    let (mut exact, mut bent) = (0, 0);
    for case in 0..200_000 {
        let size = 10f64.powf(rng.range(-6.0, 4.0));
        let axis = match rng.below(2) {
            0 => Vec3::unit(rng.below(3)),
            _ => rng.vec3(1.0).normalized().unwrap(),
        };
        let solid = [Solid::Sphere, Solid::Cylinder(axis)][rng.below(2)];
        let radius = size * [1.0, 1e-3, 1e3, rng.range(0.1, 1.0)][rng.below(4)];
        let mut known = vec![Vec3::ZERO, axis * size, axis * radius];
        let mut draw = |rng: &mut Rng| {
            let base = known[rng.below(known.len())];
            let free = rng.vec3(1.0);
            let at = match rng.below(8) {
                0 => base,
                1 => -base,
                2 => base + free * (size * 1e-12),
                3 => free.normalized().unwrap_or(Vec3::X) * radius,
                4 => {
                    (free - axis * axis.dot(free))
                        .normalized()
                        .unwrap_or(Vec3::X)
                        * radius
                }
                5 => Vec3::unit(rng.below(3)) * radius,
                6 => base * (1.0 + f64::EPSILON),
                _ => free * (2.0 * size),
            };
            known.push(at);
            at
        };
        let ends = [draw(&mut rng), draw(&mut rng)];
        let side = match rng.below(3) {
            0 => Side::Any,
            1 => Side::Through,
            _ => Side::Over(draw(&mut rng)),
        };
        let (wrap, margin) = Wrap::new(solid, radius, side, ends);
        let what = format!("case {case}: {solid:?} {radius} {side:?} {ends:?}");
        assert!(margin >= 0.0, "{what}: {margin}");
        let Some(wrap) = wrap else { continue };
        bent += 1;
        let straight = (ends[1] - ends[0]).norm();
        let rounding = 1e-14 * (ends[0].norm() + ends[1].norm());
        assert!(
            wrap.length.is_finite() && wrap.length >= straight - rounding,
            "{what}: {wrap:?}"
        );
        let moved = [rng.vec3(1.0), rng.vec3(1.0)];
        for x in wrap.pulls.into_iter().chain(wrap.turned(moved)) {
            assert!(x.is_finite(), "{what}: {wrap:?}");
        }
        for pull in wrap.pulls {
            assert!((pull.norm() - 1.0).abs() < 1e-7, "{what}: {pull:?}");
        }
        // Where it says that nothing changes nearby, slopes are those of differences.
        if margin > 1e-2 * size.max(radius) {
            exact += 1;
            let h = 1e-6 * size.max(radius);
            let at = |sign: f64| {
                let ends = [0, 1].map(|k| ends[k] + moved[k] * (sign * h));
                Wrap::new(solid, radius, side, ends).0.map(|w| w.length)
            };
            let (Some(up), Some(down)) = (at(1.0), at(-1.0)) else {
                panic!("{what}: it changes its way within {h}, but says {margin}");
            };
            let slope = (0..2).map(|k| wrap.pulls[k].dot(moved[k])).sum::<f64>();
            assert!(
                ((up - down) / (2.0 * h) - slope).abs() < 1e-6,
                "{what}: {slope}"
            );
        }
    }
    println!("{bent} bent, {exact} of them compared");
    assert!(bent > 10_000 && exact > 2000, "{bent} {exact}");
}

/// What acts along the tendon of [`grazing`].
#[derive(Clone, Copy, Debug, PartialEq)]
enum Acts {
    Nothing,
    Spring,
    Damper,
    Cable,
    Slack,
    Motor,
    Bound,
    OutOfReach,
    Friction,
    Tie,
}

/// A block that slides in a plane, with a tendon from it to the world. The tendon passes a rod of radius 1 m
/// at the distance `beside`, where it grazes the rod, stays straight or bends.
fn grazing(acts: Acts, beside: f64) -> Arc<Model> {
    let mut spec = ModelSpec::default();
    let pose = at(2.0, 1.0 + beside, 0.0);
    let kind = JointKind::PlanarTranslation;
    let block = body(&mut spec, "block", kind, pose, 1.3, ball(0.1));
    let rod = WrapSpec {
        body: 0,
        placement: Pose::IDENTITY,
        shape: WrapShape::Cylinder,
        radius: 1.0,
        side: None,
    };
    let anchor = Vec3::new(-2.0, 1.0 + beside, 0.0);
    let path = vec![
        point(0, anchor),
        PathPoint::Around(rod),
        point(block, Vec3::ZERO),
    ];
    let mut t = tendon("cord", TendonPath::Spatial(path));
    match acts {
        Acts::Nothing => (),
        Acts::Spring => (t.stiffness, t.rest) = (30.0, Some((3.0, 3.0))),
        Acts::Damper => t.damping = 5.0,
        Acts::Cable => (t.stiffness, t.rest, t.pull_only) = (30.0, Some((3.0, 3.0)), true),
        Acts::Slack => (t.stiffness, t.rest, t.pull_only) = (30.0, Some((5.0, 5.0)), true),
        Acts::Motor => {
            let on = Transmission::Tendon("cord".into());
            spec.actuators = vec![ActuatorSpec {
                gear: [-1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
                ..ActuatorSpec::new("motor", on)
            }];
        }
        Acts::Bound => t.limits = Some((0.0, 3.9)),
        Acts::OutOfReach => t.limits = Some((0.0, 9.0)),
        Acts::Friction => t.friction_loss = 0.7,
        Acts::Tie => {
            spec.equalities.push(EqualitySpec {
                name: "tie".into(),
                active: true,
                kind: EqualityKind::Tendon {
                    tendon1: "cord".into(),
                    tendon2: None,
                    coefficients: [0.01, 0.0, 0.0, 0.0, 0.0],
                },
                origin: String::new(),
            });
        }
    }
    spec.tendons.push(t);
    Arc::new(Model::compile(spec, Actuation::FromFile).unwrap())
}

/// Where a path begins to bend, the step says so if it feels the path, and has sides that differ; beside that
/// neither.
#[test]
fn a_step_at_the_beginning_of_a_bend_is_one_sided() {
    use Acts::{Bound, Cable, Damper, Friction, Motor, Nothing, OutOfReach, Slack, Spring, Tie};
    let (forces, rows) = (
        [Nothing, Slack, Spring, Damper, Cable, Motor],
        [OutOfReach, Bound, Friction, Tie],
    );
    let without = [Contact::None, Contact::Penalty];
    let cases = (forces.into_iter()).flat_map(|acts| without.map(|contact| (acts, contact)));
    let with = forces.into_iter().chain(rows);
    let with = with.flat_map(|acts| LAWS.map(|contact| (acts, contact)));
    for (acts, contact) in cases.chain(with) {
        for beside in [0.0, 0.02, -0.02] {
            let o = Options {
                contact,
                ..options(4e-3)
            };
            let model = grazing(acts, beside);
            let mut walk = Walk::new(Sim::new(model.clone(), &o).unwrap(), vec![0.0; 2]);
            walk.v = vec![0.3, -0.4];
            let found = walk.look(&vec![4.0; model.nu()], 4);
            let name = format!("{acts:?} {contact:?} {beside}: {found:?}");
            println!("{name}");
            let still = [Nothing, Slack, OutOfReach].contains(&acts);
            let label = match beside == 0.0 && !still {
                true => Gradient::OneSided,
                false => Gradient::Exact,
            };
            assert_eq!(found.label, label, "{name}");
            assert_eq!(found.apart > APART, label == Gradient::OneSided, "{name}");
            assert!(label == Gradient::OneSided || found.off < 1e-8, "{name}");
        }
    }
}
