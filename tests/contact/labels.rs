//! Labels of gradients: one-sided only where the two sides of a step differ by more than 1e-6, exact only
//! where the derivative is that of both.
//!
//! `DIFFSIM_LOOKS` asks for more steps of the longer runs to be looked at.

use crate::common::Rng;
use crate::common::checker::{quadruped_spec, standing};
use crate::common::runs::container;
use crate::common::scene::{at, ball, body, cuboid, free, ground, on_ground, options};
use crate::common::sides::{APART, Sides, Walk};
use diffsim::model::spec::{BodySpec, GeomSpec, JointKind, JointSpec, ModelSpec};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::{Inertia, Pose, Sym3, Vec3};
use diffsim::step::{Gradient, Sim};
use std::f64::consts::PI;
use std::sync::Arc;

fn walk(spec: ModelSpec, h: f64) -> Walk {
    let model = Arc::new(Model::compile(spec, Actuation::Full).unwrap());
    let q = model.neutral().to_vec();
    Walk::new(Sim::new(model, &options(h)).unwrap(), q)
}

fn exact(s: Sides) {
    assert_eq!(s.label, Gradient::Exact, "{s:?}");
    assert!(s.apart < APART && s.off < APART, "{s:?}");
}

fn one_sided(s: Sides) {
    assert_eq!(s.label, Gradient::OneSided, "{s:?}");
    assert!(s.apart > APART, "{s:?}");
}

/// A quadruped with dry friction in its joints; or in its knees alone, which rest on their limits.
fn quadruped(friction: f64, kneeling: bool) -> Walk {
    let mut spec = quadruped_spec(false);
    let joints = spec.bodies.iter_mut().flat_map(|b| &mut b.joints);
    for j in joints.filter(|j| j.kind == JointKind::Revolute) {
        let is_knee = j.name.starts_with("calf");
        (j.friction_loss, j.damping) = (friction, 0.0);
        match (kneeling, is_knee) {
            (true, true) => j.limits = Some((-1.6, -0.9)),
            (true, false) => j.friction_loss = 0.0,
            _ => {}
        }
    }
    let mut w = walk(spec, 1e-3);
    w.q = standing(w.sim.model());
    w
}

/// Servos of the joints towards `desired`.
fn servos(w: &Walk, desired: &[f64], [stiffness, damping]: [f64; 2]) -> Vec<f64> {
    let nv = w.v.len();
    let mut u = vec![0.0; nv];
    for k in 6..nv {
        u[k] = stiffness * (desired[k + 1] - w.q[k + 1]) - damping * w.v[k];
    }
    u
}

/// Each knee has a limit that carries it and dry friction, two rows that hold one joint: of Go1 with the
/// friction of its file 8 of 8 such steps were one-sided, and their derivative half of what both sides
/// have. Friction yields where it is less than the load.
#[test]
fn a_robot_on_bent_knees_with_joint_friction_has_exact_gradients() {
    let mut w = quadruped(0.2, true);
    let desired = w.q.clone();
    let u = |w: &Walk| {
        let mut u = servos(w, &desired, [100.0, 5.0]);
        // The knees carry nothing by themselves.
        (0..4).for_each(|leg| u[6 + 3 * leg + 2] = 0.0);
        u
    };
    for _ in 0..400 {
        let u = u(&w);
        w.step(&u);
    }
    for _ in 0..5 {
        let u = u(&w);
        exact(w.look(&u, 6));
    }
}

/// A joint with dry friction of 1 N m, pressed against its limit.
fn pressed() -> Walk {
    let mut spec = ModelSpec {
        gravity: Vec3::ZERO,
        ..ModelSpec::default()
    };
    let arm = body(
        &mut spec,
        "arm",
        JointKind::Revolute,
        Pose::IDENTITY,
        1.0,
        ball(0.1),
    );
    let j = &mut spec.bodies[arm].joints[0];
    (j.friction_loss, j.limits) = (1.0, Some((0.0, 1.0)));
    walk(spec, 1e-2)
}

/// Pressed by more than friction can take the limit tells where it goes; by less, one side sticks.
#[test]
fn friction_at_a_limit_is_one_sided_where_it_could_hold_alone() {
    exact(pressed().look(&[-3.0], 4));
    one_sided(pressed().look(&[-0.5], 4));
}

/// Dry friction just overcome, and a ball that just touches.
#[test]
fn a_step_at_a_switch_is_one_sided() {
    let mut w = pressed();
    w.q[0] = 0.5;
    exact(w.look(&[0.5], 4));
    w.q[0] = 0.5;
    w.v[0] = 0.0;
    one_sided(w.look(&[1.0], 4));

    let mut spec = on_ground(0.5, 0.1, 1.0, ball(0.1));
    spec.gravity = Vec3::ZERO;
    one_sided(walk(spec, 1e-2).look(&[0.0; 6], 4));
}

/// A wheel on its axle that touches the ground which it cannot leave: contact without impulse at gap zero,
/// on all sides.
#[test]
fn a_contact_that_can_neither_close_nor_open_is_no_switch() {
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.5);
    let wheel = body(
        &mut spec,
        "wheel",
        JointKind::Revolute,
        at(0.0, 0.0, 0.1),
        1.0,
        ball(0.1),
    );
    spec.bodies[wheel].joints[0].axis = Vec3::Y;
    let mut w = walk(spec, 1e-2);
    w.v[0] = 1.0;
    for _ in 0..3 {
        exact(w.look(&[0.2], 4));
    }
}

/// A cube that slides along its diagonal and turns leans forward: all four corners together would pull at
/// the last one, which therefore carries nothing, and the other three decide where it goes, beside this
/// state, too. The derivative was that of all four, and neither side's.
#[test]
fn corners_that_carry_nothing_leave_the_derivative_to_the_others() {
    for spin in [0.1, 0.3, 0.5] {
        let mut w = walk(on_ground(0.8, 0.1, 1.0, cuboid(0.1, 0.1, 0.1)), 1e-3);
        w.v.copy_from_slice(&[0.7, 0.7, 0.0, 0.0, 0.0, spin]);
        exact(w.look(&[0.0; 6], 6));
    }
}

/// A box on another, both pushed around, one of them thrown at times.
fn stack(seed: u64) -> (Walk, Vec<f64>) {
    let mut rng = Rng::new(seed);
    let mut spec = ModelSpec::default();
    ground(&mut spec, rng.range(0.0, 1.0));
    let mut z = 0.0;
    for name in ["lower", "upper"] {
        let half = rng.range(0.05, 0.1);
        let place = at(rng.range(-0.02, 0.02), 0.0, z + half);
        free(
            &mut spec,
            name,
            place,
            rng.range(0.5, 2.0),
            cuboid(0.1, 0.1, half),
        );
        z += 2.0 * half;
    }
    let friction = spec.geoms[0].friction[0];
    spec.geoms.iter_mut().for_each(|g| g.friction[0] = friction);
    let mut w = walk(spec, [1e-3, 2e-3, 5e-3, 1e-2][rng.below(4)]);
    let thrown = 6 * rng.below(2);
    for k in [0, 1, 5] {
        w.v[thrown + k] = rng.range(-1.0, 1.0);
    }
    (w, rng.vector(12, 2.0))
}

/// Of 400 steps of stacks that slide 75 were one-sided, 73 of them with columns that neither side has
/// though both sides agree: contacts that carry nothing, or whose friction is used up though nothing slips,
/// counted as holding. And 49 of those labelled exact had such columns: their normals turn by side, or
/// their choice among solutions wanders with the bodies. These are one-sided now.
#[test]
fn sliding_stacks_are_exact_where_their_choice_does_not_wander() {
    let (mut one_sided, mut neither, mut wrong) = (0, 0, 0);
    for seed in 0..40 {
        let (mut w, u) = stack(seed);
        for k in 0..60 {
            if k % 6 != 5 {
                w.step(&u);
                continue;
            }
            match w.columns(&u) {
                (Gradient::OneSided, [_, off]) => {
                    one_sided += 1;
                    neither += usize::from(off > 0);
                }
                (_, [_, off]) => wrong += usize::from(off > 0),
            }
        }
    }
    println!(
        "{one_sided} one-sided, {neither} with columns of neither side; {wrong} exact with such"
    );
    assert!(
        one_sided <= 125 && neither <= 86 && wrong <= 2,
        "{one_sided} {neither} {wrong}"
    );
}

/// Boxes in rows, each on the two below it.
fn pyramid(rows: usize) -> ModelSpec {
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.6);
    for row in 0..rows {
        for k in 0..rows - row {
            let x = 0.22 * (k as f64 - 0.5 * (rows - row - 1) as f64);
            let place = at(x, 0.0, 0.1 + 0.2 * row as f64);
            let name = format!("box{row}_{k}");
            free(&mut spec, &name, place, 1.0, cuboid(0.1, 0.1, 0.1));
        }
    }
    spec
}

/// A box on two others stands on eight points that stay in one plane only in this state: its sides differ.
/// On one other it stands on four that always are.
#[test]
fn boxes_at_rest_are_one_sided_on_two_others_only() {
    let mut w = walk(pyramid(2), 2e-3);
    for _ in 0..50 {
        w.step(&[0.0; 18]);
    }
    one_sided(w.look(&[0.0; 18], 4));

    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.6);
    for (k, half) in [0.12, 0.1, 0.07].into_iter().enumerate() {
        let place = at(0.0, 0.0, 0.1 + 0.2 * k as f64);
        free(
            &mut spec,
            &format!("box{k}"),
            place,
            1.0,
            cuboid(half, half, 0.1),
        );
    }
    let mut w = walk(spec, 2e-3);
    for _ in 0..50 {
        w.step(&[0.0; 18]);
    }
    exact(w.look(&[0.0; 18], 4));
}

/// Two fingers on slides press a cube between them with 5 N and lift it.
fn grasp(friction_loss: f64) -> Walk {
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.6);
    let palm = cuboid(0.08, 0.03, 0.02);
    let hand = body(
        &mut spec,
        "hand",
        JointKind::Prismatic,
        at(0.0, 0.0, 0.3),
        1.0,
        palm,
    );
    spec.bodies[hand].joints[0].axis = Vec3::Z;
    if let Some(g) = spec.geoms.last_mut() {
        (g.contype, g.conaffinity) = (0, 0);
    }
    for (name, side) in [("left", -1.0), ("right", 1.0)] {
        let id = spec.bodies.len();
        let mut b = BodySpec::world();
        b.name = name.into();
        b.parent = hand;
        b.placement = at(side * 0.04, 0.0, -0.06);
        b.inertia = Inertia::from_com(0.1, Vec3::ZERO, Sym3::diagonal(Vec3::new(1e-4, 1e-4, 1e-4)));
        let mut j = JointSpec::new(format!("{name}_slide"), JointKind::Prismatic);
        j.axis = Vec3::X;
        j.friction_loss = friction_loss;
        b.joints = vec![j];
        spec.bodies.push(b);
        let mut g = GeomSpec::new(name, id, Pose::IDENTITY, cuboid(0.01, 0.02, 0.03));
        g.friction[0] = 0.8;
        spec.geoms.push(g);
    }
    let cube = cuboid(0.025, 0.025, 0.025);
    free(&mut spec, "cube", at(0.0, 0.0, 0.22), 0.2, cube);
    walk(spec, 2e-3)
}

/// Of `steps` after some others how many are one-sided, in percent; of those looked at at least nine of ten
/// have sides that differ from each other or from the derivative.
fn share(
    name: &str,
    mut w: Walk,
    [before, steps]: [usize; 2],
    u: impl Fn(&Walk, usize) -> Vec<f64>,
) -> f64 {
    let looks = std::env::var("DIFFSIM_LOOKS").map_or(3, |x| x.parse().unwrap());
    for k in 0..before {
        let u = u(&w, k);
        w.step(&u);
    }
    let (mut one_sided, mut looked, mut alike, mut least) = (0, 0, 0, f64::INFINITY);
    for k in 0..steps {
        let u = u(&w, before + k);
        let label = if k % steps.div_ceil(looks) == 0 {
            let s = w.look(&u, 6);
            if s.label == Gradient::OneSided {
                looked += 1;
                // The label weighs what is asked of the rows, not every column.
                alike += usize::from(s.apart.max(s.off) < 0.5 * APART);
                least = s.apart.min(least);
            }
            s.label
        } else {
            w.step(&u)
        };
        assert_ne!(label, Gradient::Refused, "{name}, step {k}");
        one_sided += usize::from(label == Gradient::OneSided);
    }
    let share = 100.0 * one_sided as f64 / steps as f64;
    println!(
        "{name}: {share:.1} % one-sided; of {looked} looked at {alike} are alike, least apart {least:.1e}"
    );
    if false {
        assert!(10 * alike <= looked, "{name}");
    }
    share
}

/// Shares of one-sided steps, whose sides differ. Where a robot creeps on more rows of friction than hold
/// it, and where flat boxes are held by more than one other body, in a grasp, a pyramid or a pile, they do;
/// trotting robots have a derivative.
#[test]
fn one_sided_steps_have_sides_that_differ() {
    let still = |w: &Walk, _: usize| vec![0.0; w.sim.model().nu()];
    let home = quadruped(0.0, false).q;
    for friction in [0.0, 0.2] {
        let stand = |w: &Walk, _: usize| servos(w, &home, [100.0, 5.0]);
        let name = format!("stand, friction {friction}");
        let standing = share(&name, quadruped(friction, false), [100, 400], stand);
        let trot = |w: &Walk, k: usize| {
            let mut desired = home.clone();
            for leg in 0..4 {
                let phase = if leg % 3 == 0 { 0.0 } else { PI };
                let lift = (4.0 * PI * 1e-3 * k as f64 + phase).sin().max(0.0);
                desired[7 + 3 * leg + 1] += 0.3 * lift;
                desired[7 + 3 * leg + 2] -= 0.6 * lift;
            }
            servos(w, &desired, [100.0, 3.0])
        };
        let name = format!("trot, friction {friction}");
        let trotting = share(&name, quadruped(friction, false), [100, 400], trot);
        assert!(trotting <= 5.0 && (friction > 0.0 || standing == 0.0));
        let lift = |w: &Walk, k: usize| {
            let z = 0.05 * (1e-3 * k as f64).min(1.0);
            let hold = 1.4 * 9.81 + 300.0 * (z - w.q[0]) - 30.0 * w.v[0];
            [&[hold, 5.0, -5.0][..], &[0.0; 6]].concat()
        };
        let name = format!("grasp, friction {friction}");
        share(&name, grasp(friction), [50, 200], lift);
    }
    share("pyramid of six", walk(pyramid(3), 2e-3), [50, 50], still);
    share(
        "pile of twelve",
        walk(container(12, true), 2e-3),
        [250, 60],
        still,
    );
}

/// A passed limit is led back down to a gap of 8e-7 rad. Beyond it the joint returns as fast as its motor
/// makes it.
#[test]
fn a_gap_at_which_a_limit_is_no_longer_led_is_a_switch() {
    let mut spec = ModelSpec {
        gravity: Vec3::ZERO,
        ..ModelSpec::default()
    };
    let place = Pose::IDENTITY;
    let arm = body(&mut spec, "arm", JointKind::Revolute, place, 1.0, ball(0.1));
    spec.bodies[arm].joints[0].limits = Some((0.0, 1.0));
    let mut speeds = Vec::new();
    for beyond in [1e-8, -1e-8] {
        let mut w = walk(spec.clone(), 1e-3);
        w.q[0] = -8e-7 - beyond;
        w.step(&[3.0]);
        speeds.push(w.v[0]);
        let info = w.sim.step_info().unwrap();
        assert!((info.switch_distance - 1e-5).abs() < 1e-7, "{info:?}");
        assert_eq!(info.gradient, Gradient::Exact);
    }
    assert!(speeds[0] < 2e-4 && speeds[1] > 0.5, "{speeds:?}");
}
