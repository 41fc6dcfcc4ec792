//! Where searches of inverse kinematics end: light tasks beside heavy ones, loose tolerances, arms stretched
//! out, families.

use crate::common::*;
use diffsim::error::Status;
use diffsim::ik::{Ik, IkKind, IkOptions, IkOutcome, IkTask};
use diffsim::load::options::{Format, LoadOptions, load_str};
use diffsim::model::Model;
use diffsim::spatial::{Mat3, Pose, Vec3};
use diffsim::step::Gradient;
use std::sync::Arc;

/// Links of 1 m along x, each turned about z by its joint; the third joint with these bounds.
fn arm(joints: usize, bounds: &str) -> Arc<Model> {
    let mut text = String::new();
    for i in 0..joints {
        let (x, range) = (f64::from(u8::from(i > 0)), if i == 2 { bounds } else { "" });
        text += &format!(
            "<body name=\"link{i}\" pos=\"{x} 0 0\"><joint axis=\"0 0 1\" {range}/>\
             <geom size=\"0.1\" pos=\"0.5 0 0\" mass=\"1\"/>"
        );
    }
    text += &"</body>".repeat(joints);
    model_of(&text)
}

fn model_of(bodies: &str) -> Arc<Model> {
    let text =
        format!("<mujoco><compiler angle=\"radian\"/><worldbody>{bodies}</worldbody></mujoco>");
    Arc::new(load_str(&text, Format::Mjcf, None, &LoadOptions::default()).unwrap())
}

/// The last link's end, in the plane.
fn tip(joints: usize, weight: f64) -> IkTask {
    let mut task = IkTask::new(IkKind::Frame {
        body: joints,
        placement: Pose::translation(Vec3::X),
    });
    task.axes = [1.0, 1.0, 0.0, 0.0, 0.0, 0.0];
    task.weight = weight;
    task
}

fn at(x: f64, y: f64) -> Pose {
    Pose::new(Mat3::IDENTITY, Vec3::new(x, y, 0.0))
}

#[test]
fn light_tasks_beside_heavy_ones_reach_their_best_and_bounds_that_hold_them_are_firm() {
    for weight in [1.0, 1e2, 1e3] {
        let model = arm(4, "range=\"-0.3 0.3\"");
        let mut ik = Ik::new(model.clone(), &IkOptions::default()).unwrap();
        ik.add_task(tip(4, weight)).unwrap();
        let mut posture = IkTask::new(IkKind::Posture);
        posture.weight = 1e-2;
        ik.add_task(posture).unwrap();
        ik.set_target(1, &[0.2, 0.2, 2.0, 0.2]).unwrap();
        let mut solve = |x: f64, y: f64, q0: [f64; 4]| {
            ik.set_frame_target(0, &at(x, y)).unwrap();
            let mut q = [0.0; 4];
            let info = ik.solve(&q0, &mut q).unwrap();
            assert_ne!(info.outcome, IkOutcome::Iterations, "{weight}: {info:?}");
            (q, ik.clone())
        };
        let (q, mut found) = solve(1.5, 1.5, [0.3, 0.3, 0.1, 0.3]);
        assert_eq!(q[2], 0.3);
        let told = found.gradient().unwrap();
        assert!(told.unique && told.gradient == Gradient::Exact, "{weight}");
        let mut jacobian = vec![0.0; 4 * 10];
        found.jacobian(&mut jacobian).unwrap();
        let h = 1e-4;
        let [ahead, behind] = [h, -h].map(|h| solve(1.5 + h, 1.5, q).0);
        for k in 0..4 {
            let slope = (ahead[k] - behind[k]) / (2.0 * h);
            assert!(
                (slope - jacobian[k]).abs() < 1e-5,
                "{weight}: joint {k}: {slope} and {}",
                jacobian[k]
            );
        }
    }
}

/// A contradiction of two heavy tasks hides from the objective what a light one gains.
#[test]
fn a_light_task_beside_a_contradiction_is_followed() {
    let model = arm(4, "");
    let mut ik = Ik::new(model, &IkOptions::default()).unwrap();
    for x in [1.0, 2.0] {
        let task = ik.add_task(tip(4, 30.0)).unwrap();
        ik.set_frame_target(task, &at(x, 1.0)).unwrap();
    }
    let mut posture = IkTask::new(IkKind::Posture);
    posture.weight = 3e-3;
    ik.add_task(posture).unwrap();
    let mut rest = [0.1, 0.2, 0.3, 0.4];
    ik.set_target(2, &rest).unwrap();
    let (mut q, mut moved) = ([0.0; 4], [0.0; 4]);
    ik.solve(&[0.5; 4], &mut q).unwrap();
    let mut jacobian = vec![0.0; 4 * 16];
    assert!(ik.gradient().unwrap().unique);
    ik.jacobian(&mut jacobian).unwrap();
    let h = 1e-4;
    let mut ends = [[0.0; 4]; 2];
    for (end, h) in ends.iter_mut().zip([h, -h]) {
        rest[3] = 0.4 + h;
        ik.set_target(2, &rest).unwrap();
        ik.solve(&q, &mut moved).unwrap();
        *end = moved;
    }
    let column = &jacobian[4 * 15..];
    assert!(column.iter().any(|x| x.abs() > 0.1));
    for k in 0..4 {
        let slope = (ends[0][k] - ends[1][k]) / (2.0 * h);
        assert!(
            (slope - column[k]).abs() < 1e-4,
            "joint {k}: {slope} and {}",
            column[k]
        );
    }
}

#[test]
fn within_a_loose_tolerance_a_family_is_one() {
    let model = arm(3, "");
    let mut rng = Rng::new(4);
    for tolerance in [1e-3, 1e-2] {
        let mut ik = Ik::new(model.clone(), &IkOptions::default()).unwrap();
        let mut task = tip(3, 1.0);
        task.tolerance = Some(tolerance);
        ik.add_task(task).unwrap();
        let mut loose = 0;
        for _ in 0..20 {
            let [x, y] = [0; 2].map(|_| rng.range(0.5, 1.5));
            ik.set_frame_target(0, &at(x, y)).unwrap();
            let mut q = [0.0; 3];
            let info = ik.solve(&rng.vector(3, 1.0), &mut q).unwrap();
            assert_eq!(info.outcome, IkOutcome::Solved);
            loose += i32::from(info.residual > 1e-9);
            assert!(!ik.gradient().unwrap().unique, "{info:?}");
            let mut jacobian = [0.0; 18];
            ik.jacobian(&mut jacobian).unwrap();
            assert!(jacobian.iter().all(|x| x.abs() < 4.0), "{jacobian:?}");
        }
        assert!(loose > 10, "{loose}");
    }
}

#[test]
fn an_arm_stretched_out_bends() {
    for joints in [2, 3, 6] {
        let model = arm(joints, "");
        for (x, tolerance) in [0.5 * joints as f64, 0.2, -1.0]
            .into_iter()
            .flat_map(|x| [(x, 1e-10), (x, f64::INFINITY)])
        {
            let mut ik = Ik::new(model.clone(), &IkOptions::default()).unwrap();
            let mut task = tip(joints, 1.0);
            task.tolerance = Some(tolerance);
            ik.add_task(task).unwrap();
            ik.set_frame_target(0, &at(x, 0.0)).unwrap();
            let mut q = vec![0.0; joints];
            let info = ik.solve(&vec![0.0; joints], &mut q).unwrap();
            assert!(
                info.outcome == IkOutcome::Solved && info.objective < 1e-18,
                "{joints} joints to {x}: {info:?}"
            );
        }
    }
}

/// Files give joints that turn freely bounds such as these.
#[test]
fn starts_anew_keep_near_where_bounds_are_far() {
    for bound in ["1e6", "1e10", "1e300", "1.7e308"] {
        let model = arm(3, &format!("range=\"-{bound} {bound}\""));
        let options = IkOptions {
            max_restarts: 20,
            ..IkOptions::default()
        };
        let mut ik = Ik::new(model, &options).unwrap();
        ik.add_task(tip(3, 1.0)).unwrap();
        ik.set_frame_target(0, &at(5.0, 3.0)).unwrap();
        let mut q = [0.0; 3];
        let info = ik.solve(&[0.3, 0.2, 0.1], &mut q).unwrap();
        assert_eq!((info.outcome, info.restarts), (IkOutcome::Stationary, 20));
        assert!(q.iter().all(|x| x.abs() < 30.0), "{bound}: {q:?}");
    }
}

/// A body that slides in a plane and turns: its centre of mass can stay where it is, however far from the
/// target.
#[test]
fn a_family_that_leaves_residuals_is_refused() {
    let model = model_of(
        "<body><joint type=\"slide\" axis=\"1 0 0\"/><joint type=\"slide\" axis=\"0 1 0\"/>\
         <joint axis=\"0 0 1\" pos=\"0.3 0.1 0\"/><geom size=\"0.1\" mass=\"1\"/></body>",
    );
    let mut ik = Ik::new(model, &IkOptions::default()).unwrap();
    let mut task = IkTask::new(IkKind::CenterOfMass);
    task.weight = 3.7;
    ik.add_task(task).unwrap();
    let mut rng = Rng::new(9);
    for _ in 0..50 {
        let target = rng.vector(3, 1.0);
        ik.set_target(0, &target).unwrap();
        let mut q = [0.0; 3];
        let info = ik.solve(&rng.vector(3, 1.0), &mut q).unwrap();
        assert_eq!(info.outcome, IkOutcome::Stationary);
        assert!(info.slope < 1e-10, "{info:?}");
        assert_eq!(ik.gradient().unwrap_err().status, Status::Numerical);
    }
}
