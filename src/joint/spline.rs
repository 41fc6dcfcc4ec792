//! Joints along cubic B-splines: a curve of frames, and a patch of a surface.
//!
//! **Curve**, one coordinate, with Ω_i = log(C_i⁻¹ C_i+1) between the control frames C_0 … C_n−1. For q = k + u, 0 ≤ u < 1,
//!
//!   Q = C_k−1 exp(Ω_k−1 B₂(u)) exp(Ω_k B₃(u)) exp(Ω_k+1 B₄(u)),
//!   B₂ = (5 + 3u − 3u² + u³)/6,  B₃ = (1 + 3u + 3u² − 2u³)/6,  B₄ = u³/6,
//!
//! the cumulative form (Kim, Kim and Shin 1995; Lee and Terzopoulos 2008). q = i is near C_i, S and its slope are continuous.
//! A closed curve takes its indices modulo n. An open one goes on with the first and the last Ω for ever, in the same formula.
//! Hence it passes through its first frame at q = 0 and through its last at q = n − 1, and is a uniform screw motion beyond
//! them, with S continuous up to its slope, which is 0 there.
//!
//! **Surface**, two coordinates: six functions f_m(q) = Σ b_i(q₀) b_j(q₁) c_ij,m with the four cubic B-splines b of the unit
//! interval, polynomials that hold beyond it, too, and Q = T(f₀, f₁, f₂) R_x(f₃) R_y(f₄) R_z(f₅).

use super::screws::{Motion, Order, Rates};
use super::varying::{MAX_DOFS, VaryingJoint};
use crate::error::{Error, Result};
use crate::spatial::{Pose, Twist};
use std::f64::consts::PI;

/// Control vectors of a surface.
pub const PATCH: usize = 16;

/// Frames nearer to half a turn than this have no direction to turn in [rad].
const HALF_TURN: f64 = 1e-3;

/// A joint along a spline.
#[derive(Clone, Debug)]
pub enum Spline {
    Curve(Curve),
    Surface(Surface),
}

/// Control frames, and Ω from each to the next.
#[derive(Clone, Debug)]
pub struct Curve {
    frames: Vec<Pose>,
    steps: Vec<Twist>,
    closed: bool,
}

/// Control vectors (translation; angles about x, y, z): that of b_i(q₀) b_j(q₁) is the one at 4 i + j.
#[derive(Clone, Debug)]
pub struct Surface {
    control: [[f64; 6]; PATCH],
}

impl Curve {
    /// # Errors
    /// `InvalidArgument` for fewer frames than 2, or 3 of a closed curve, and for neighbours that are equal, or half a turn
    /// apart.
    pub fn new(frames: Vec<Pose>, closed: bool) -> Result<Curve> {
        let (n, least) = (frames.len(), if closed { 3 } else { 2 });
        if n < least {
            return Err(Error::invalid(format!(
                "control_count: must be {least} or more frames, got {n}"
            )));
        }
        let last = if closed { n } else { n - 1 };
        let steps: Vec<Twist> = (0..last)
            .map(|i| frames[i].relative(&frames[(i + 1) % n]).log())
            .collect();
        for (i, step) in steps.iter().enumerate() {
            let (next, turn) = ((i + 1) % n, step.ang.norm());
            if turn > PI - HALF_TURN {
                return Err(Error::invalid(format!(
                    "control: frames {i} and {next} must be less than half a turn apart, got {turn} rad"
                )));
            }
            if !(step.ang.max_abs() > 1e-12 || step.lin.max_abs() > 1e-12) {
                return Err(Error::invalid(format!(
                    "control: frames {i} and {next} must differ"
                )));
            }
        }
        Ok(Curve {
            frames,
            steps,
            closed,
        })
    }

    /// Of Ω_i.
    fn step(&self, i: f64) -> Twist {
        let n = self.steps.len() as f64;
        let i = if self.closed {
            i.rem_euclid(n)
        } else {
            i.clamp(0.0, n - 1.0)
        };
        self.steps[i as usize]
    }

    fn motion(&self, q: f64, order: Order) -> Motion {
        let (k, n) = (q.floor(), self.frames.len() as f64);
        let (u, first) = (q - k, k - 1.0);
        let known = match self.closed {
            true => first.rem_euclid(n),
            false => first.clamp(0.0, n - 1.0),
        };
        let mut at = Motion::from(self.frames[known as usize], 1, order);
        if !self.closed && known != first {
            at.then(self.step(first), &Rates::number(first - known));
        }
        for (i, b) in cumulative(u).iter().enumerate() {
            at.then(self.step(first + i as f64), b);
        }
        at
    }
}

/// B₂, B₃ and B₄.
fn cumulative(u: f64) -> [Rates; 3] {
    let (u2, u3) = (u * u, u * u * u);
    [
        Rates::of_one(
            (5.0 + 3.0 * u - 3.0 * u2 + u3) / 6.0,
            [0.5 - u + 0.5 * u2, u - 1.0, 1.0],
        ),
        Rates::of_one(
            (1.0 + 3.0 * u + 3.0 * u2 - 2.0 * u3) / 6.0,
            [0.5 + u - u2, 1.0 - 2.0 * u, -2.0],
        ),
        Rates::of_one(u3 / 6.0, [0.5 * u2, u, 1.0]),
    ]
}

/// The four cubic B-splines of the unit interval, each with its derivatives.
fn basis(u: f64) -> [[f64; 4]; 4] {
    let (w, u2, u3) = (1.0 - u, u * u, u * u * u);
    [
        [w * w * w / 6.0, -0.5 * w * w, w, -1.0],
        [
            (4.0 - 6.0 * u2 + 3.0 * u3) / 6.0,
            -2.0 * u + 1.5 * u2,
            3.0 * u - 2.0,
            3.0,
        ],
        [
            (1.0 + 3.0 * u + 3.0 * u2 - 3.0 * u3) / 6.0,
            0.5 + u - 1.5 * u2,
            1.0 - 3.0 * u,
            -3.0,
        ],
        [u3 / 6.0, 0.5 * u2, u, 1.0],
    ]
}

impl Surface {
    /// # Errors
    /// `InvalidArgument` for another number of vectors than 16.
    pub fn new(control: &[[f64; 6]]) -> Result<Surface> {
        match control.try_into() {
            Ok(control) => Ok(Surface { control }),
            Err(_) => Err(Error::invalid(format!(
                "control_count: must be {PATCH} vectors of six, got {}",
                control.len()
            ))),
        }
    }

    fn motion(&self, q: &[f64], order: Order) -> Motion {
        let (first, second) = (basis(q[0]), basis(q[1]));
        let mut at = Motion::from(Pose::IDENTITY, 2, order);
        for m in 0..6 {
            let mut table = [[0.0; 4]; 4];
            for (i, first) in first.iter().enumerate() {
                for (j, second) in second.iter().enumerate() {
                    let c = self.control[4 * i + j][m];
                    for (a, b) in (0..4).flat_map(|a| (0..4 - a).map(move |b| (a, b))) {
                        table[a][b] += first[a] * second[b] * c;
                    }
                }
            }
            at.then(Twist::unit(m), &Rates::of_two(&table));
        }
        at
    }
}

impl Spline {
    fn motion(&self, q: &[f64], order: Order) -> Motion {
        match self {
            Spline::Curve(curve) => curve.motion(q[0], order),
            Spline::Surface(surface) => surface.motion(q, order),
        }
    }
}

impl VaryingJoint for Spline {
    fn dofs(&self) -> usize {
        match self {
            Spline::Curve(_) => 1,
            Spline::Surface(_) => 2,
        }
    }

    fn pose(&self, q: &[f64]) -> Pose {
        self.motion(q, Order::Columns).pose
    }

    fn columns(&self, q: &[f64], s: &mut [Twist]) {
        let n = self.dofs();
        s[..n].copy_from_slice(&self.motion(q, Order::Columns).s[..n]);
    }

    fn slopes(&self, q: &[f64], slopes: &mut [[Twist; MAX_DOFS]]) {
        let (n, motion) = (self.dofs(), self.motion(q, Order::Slopes));
        for (to, by) in slopes.iter_mut().zip(&motion.by).take(n) {
            to[..n].copy_from_slice(&by[..n]);
        }
    }

    fn bias_slopes(&self, q: &[f64], v: &[f64], dc: &mut [Twist]) {
        let (n, motion) = (self.dofs(), self.motion(q, Order::Bends));
        for (dc, by2) in dc.iter_mut().zip(&motion.by2).take(n) {
            *dc = Twist::ZERO;
            for (by, vj) in by2.iter().zip(v).take(n) {
                for (s, vk) in by.iter().zip(v).take(n) {
                    *dc += *s * (vj * vk);
                }
            }
        }
    }
}
