//! The motion of a frame, its variation with dofs, and the readings of sensors on frames.

use super::dual::{Axes, Dual};
use crate::dynamics::asked::Asked;
use crate::dynamics::motion::{self, Accelerated, Frame, ReferenceFrame, Seen};
use crate::model::Model;
use crate::model::sensor::{Reading, SensorFrame};
use crate::spatial::{Mat3, Twist, Vec3};

/// The variable by which a sensor is differentiated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    Positions,
    Velocities,
    Accelerations,
}

pub(super) const ALL: [By; 3] = [By::Positions, By::Velocities, By::Accelerations];

/// Workspace for a frame's derivatives by dofs: the Jacobian; the velocity's by q; the acceleration's by q
/// and by v; 6×nv each.
#[derive(Clone, Debug)]
pub(super) struct Columns([Vec<f64>; 4]);

impl Columns {
    pub fn new(nv: usize) -> Columns {
        Columns([(); 4].map(|()| vec![0.0; 6 * nv]))
    }
}

/// A frame's motion at a state, world axes: of its origin, and its rotation. Accelerations without gravity.
#[derive(Clone, Copy, Debug)]
pub(super) struct Motion {
    pub axes: Axes,
    pub at: Dual,
    pub velocity: Dual,
    pub spin: Dual,
    pub acceleration: Dual,
    pub spin_rate: Dual,
}

/// A frame on a body, aligned with the world's axes.
fn aligned(frame: &SensorFrame) -> Frame {
    Frame {
        body: frame.body,
        placement: frame.placement,
        reference: ReferenceFrame::LocalWorldAligned,
    }
}

impl Motion {
    /// The motion at the state and at the accelerations in `asked`.
    pub fn of(model: &Model, asked: &Asked, frame: &SensorFrame) -> Motion {
        let kin = &asked.dynamics.kin;
        let pose = kin.body_pose(model, frame.body).compose(&frame.placement);
        let (mut velocity, mut acceleration) = (Twist::ZERO, Twist::ZERO);
        if let Some(seen) = Seen::new(model, kin, &aligned(frame)) {
            let v = kin.v[seen.link];
            velocity = seen.tell(v);
            acceleration = seen.tell_acceleration(v, asked.acceleration[seen.link]);
        }
        Motion {
            axes: Axes::still(pose.rot),
            at: Dual::constant(pose.pos),
            velocity: Dual::constant(velocity.lin),
            spin: Dual::constant(velocity.ang),
            acceleration: Dual::constant(acceleration.lin),
            spin_rate: Dual::constant(acceleration.ang),
        }
    }

    /// Computes the derivatives of a frame by dofs at joint accelerations a.
    pub fn differentiate(
        model: &Model,
        asked: &Asked,
        frame: &SensorFrame,
        a: &[f64],
        columns: &mut Columns,
    ) {
        let (kin, frame) = (&asked.dynamics.kin, aligned(frame));
        let [jacobian, velocity, by_q, by_v] = &mut columns.0;
        motion::jacobian(model, kin, &frame, jacobian);
        motion::derivatives(model, kin, &frame, None, Some(velocity), None);
        let accelerated = Accelerated {
            link: &asked.acceleration,
            joint: a,
        };
        motion::derivatives(
            model,
            kin,
            &frame,
            Some(accelerated),
            Some(by_q),
            Some(by_v),
        );
    }

    /// The same motion with its variation along a dof.
    pub fn along(&self, columns: &Columns, by: By, dof: usize) -> Motion {
        let column = |i: usize| Twist::from_slice(&columns.0[i][6 * dof..6 * dof + 6]);
        let jacobian = column(0);
        let (moved, v, a) = match by {
            By::Positions => (jacobian, column(1), column(2)),
            By::Velocities => (Twist::ZERO, jacobian, column(3)),
            By::Accelerations => (Twist::ZERO, Twist::ZERO, jacobian),
        };
        Motion {
            axes: Axes {
                r: self.axes.r,
                turn: moved.ang,
            },
            at: Dual::new(self.at.x, moved.lin),
            velocity: Dual::new(self.velocity.x, v.lin),
            spin: Dual::new(self.spin.x, v.ang),
            acceleration: Dual::new(self.acceleration.x, a.lin),
            spin_rate: Dual::new(self.spin_rate.x, a.ang),
        }
    }
}

fn three(v: Dual) -> [[f64; 4]; 2] {
    [v.x, v.d].map(|v| [v.x, v.y, v.z, 0.0])
}

/// The reading of a sensor on a frame, and its variation; numbers beyond its own are zero.
pub(super) fn read(
    reading: Reading,
    own: &Motion,
    reference: Option<&Motion>,
    gravity: Vec3,
    field: Vec3,
) -> [[f64; 4]; 2] {
    let from = reference.map_or(Axes::still(Mat3::IDENTITY), |r| r.axes);
    let axis = |k: usize| from.inward(own.axes.out(Dual::constant(Vec3::unit(k))));
    let zero = Dual::default();
    let (at, velocity, spin) = reference.map_or((zero, zero, zero), |r| (r.at, r.velocity, r.spin));
    let held = own.acceleration - Dual::constant(gravity);
    three(match reading {
        Reading::FrameQuaternion => return own.axes.quaternion(&from),
        Reading::FramePosition => from.inward(own.at - at),
        Reading::FrameXAxis => axis(0),
        Reading::FrameYAxis => axis(1),
        Reading::FrameZAxis => axis(2),
        Reading::FrameLinearVelocity => {
            from.inward(own.velocity - velocity - spin.cross(own.at - at))
        }
        Reading::FrameAngularVelocity => from.inward(own.spin - spin),
        Reading::FrameLinearAcceleration => held,
        Reading::FrameAngularAcceleration => own.spin_rate,
        Reading::Gyro => own.axes.inward(own.spin),
        Reading::Velocimeter => own.axes.inward(own.velocity),
        Reading::Accelerometer => own.axes.inward(held),
        Reading::Magnetometer => own.axes.inward(Dual::constant(field)),
        _ => zero,
    })
}
