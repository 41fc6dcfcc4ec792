//! Joints along cubic B-splines: a curve of frames, and a patch of a surface.
//!
//! **Curve**, one coordinate, with Ω_i = log(C_i⁻¹ C_i+1) between the control frames C_0 … C_n−1. For q = k +
//! u, 0 ≤ u < 1,
//!
//!   Q = C_k−1 exp(Ω_k−1 B₂(u)) exp(Ω_k B₃(u)) exp(Ω_k+1 B₄(u)),
//!   B₂ = (5 + 3u − 3u² + u³)/6,  B₃ = (1 + 3u + 3u² − 2u³)/6,  B₄ = u³/6,
//!
//! the cumulative form (Kim, Kim and Shin 1995; Lee and Terzopoulos 2008). q = i is near C_i, S and its slope
//! are continuous. A closed curve takes its indices modulo n. An open one goes on with the first and the last
//! Ω for ever, in the same formula. Hence it passes through its first frame at q = 0 and through its last at
//! q = n − 1, and is a uniform screw motion beyond them, with S continuous up to its slope, which is 0 there.
//!
//! **Surface**, two coordinates: six functions f_m(q) = Σ b_i(q₀) b_j(q₁) c_ij,m with the four cubic
//! B-splines b of the unit interval, polynomials that hold beyond it, too, and Q = T(f₀, f₁, f₂) R_x(f₃)
//! R_y(f₄) R_z(f₅).

use super::screws::{Motion, Order, Rates, Reshape, Variation};
use super::varying::{MAX_DOFS, Reshaped, VaryingJoint};
use crate::error::{Error, Result};
use crate::spatial::{Pose, Quat, Twist, Vec3, so3_log_jacobian, so3_right_jacobian};
use std::f64::consts::PI;
use std::sync::Arc;

/// Control vectors of a surface.
pub const PATCH: usize = 16;

/// Neighbouring frames nearer to half a turn than this have no unique direction of rotation [rad].
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
    loaded: Vec<Pose>,
    /// Displacement of each frame along its own axes, and its rotation vector: the parameters.
    displaced: Vec<[f64; 6]>,
    frames: Vec<Pose>,
    steps: Vec<Twist>,
    closed: bool,
}

/// Control vectors (translation; angles about x, y, z). The vector of b_i(q₀) b_j(q₁) has the index 4 i
/// + j.
#[derive(Clone, Debug)]
pub struct Surface {
    control: Box<[[f64; 6]; PATCH]>,
}

impl Curve {
    /// # Errors
    /// `InvalidArgument` for fewer frames than 2, or 3 of a closed curve, and for neighbours that are
    /// equal, or half a turn apart.
    pub fn new(frames: Vec<Pose>, closed: bool) -> Result<Curve> {
        let (n, least) = (frames.len(), if closed { 3 } else { 2 });
        if n < least {
            return Err(Error::invalid(format!(
                "control_count: must be {least} or more frames, got {n}"
            )));
        }
        let mut curve = Curve {
            loaded: frames.clone(),
            displaced: vec![[0.0; 6]; n],
            frames,
            steps: Vec::new(),
            closed,
        };
        curve.connect();
        match curve.fault() {
            Some(fault) => Err(Error::invalid(fault)),
            None => Ok(curve),
        }
    }

    /// Recomputes Ω.
    fn connect(&mut self) {
        let n = self.frames.len();
        let last = if self.closed { n } else { n - 1 };
        let step = |i: usize| self.frames[i].relative(&self.frames[(i + 1) % n]).log();
        self.steps = (0..last).map(step).collect();
    }

    fn fault(&self) -> Option<String> {
        let n = self.frames.len();
        self.steps.iter().enumerate().find_map(|(i, step)| {
            let (next, turn) = ((i + 1) % n, step.ang.norm());
            if turn > PI - HALF_TURN {
                return Some(format!(
                    "control: frames {i} and {next} must be less than half a turn apart, got {turn} rad"
                ));
            }
            let differ = step.ang.max_abs() > 1e-12 || step.lin.max_abs() > 1e-12;
            (!differ).then(|| format!("control: frames {i} and {next} must differ"))
        })
    }

    /// Displaces a frame from its loaded pose.
    fn displace(&mut self, frame: usize, by: [f64; 6]) {
        let turn = Quat::exp(Vec3::new(by[3], by[4], by[5])).normalized();
        let moved = Pose::from_quat(turn, Vec3::new(by[0], by[1], by[2]));
        self.displaced[frame] = by;
        self.frames[frame] = match by == [0.0; 6] {
            true => self.loaded[frame],
            false => self.loaded[frame].compose(&moved),
        };
        self.connect();
    }

    /// Motion of a control frame by one of its parameters, in itself.
    fn frame_motion(&self, index: usize) -> Twist {
        let d = &self.displaced[index / 6];
        let w = Vec3::new(d[3], d[4], d[5]);
        match index % 6 {
            c @ 0..3 => {
                let turn = Quat::exp(w).normalized().to_mat3();
                Twist::new(turn.tr_mul_vec(Vec3::unit(c)), Vec3::ZERO)
            }
            c => Twist::new(Vec3::ZERO, so3_right_jacobian(w).c[c - 3]),
        }
    }

    /// Change of Ω_i by the motions of its first frame (from) and its last frame (to): Jᵣ⁻¹ (δ_to −
    /// Ad(exp(−Ω)) δ_from).
    fn step_change(&self, i: usize, frame: usize, motion: Twist) -> Option<Twist> {
        let (step, to) = (self.steps[i], (i + 1) % self.frames.len());
        let by = match frame {
            _ if frame == i => -Pose::exp(step).inverse_twist(motion),
            _ if frame == to => motion,
            _ => return None,
        };
        let (inverse, (_, q)) = (so3_log_jacobian(step.ang), Pose::exp_right_jacobian(step));
        let ang = inverse.mul_vec(by.ang);
        Some(Twist::new(inverse.mul_vec(by.lin - q.mul_vec(ang)), ang))
    }

    /// Index in `steps` of Ω_i, also for an i beyond the ends.
    fn step(&self, i: f64) -> usize {
        let n = self.steps.len() as f64;
        let i = if self.closed {
            i.rem_euclid(n)
        } else {
            i.clamp(0.0, n - 1.0)
        };
        i as usize
    }

    /// Index of the first frame, and for each factor the index of its Ω and its function.
    fn factors(&self, q: f64) -> (usize, impl Iterator<Item = (usize, Rates)>) {
        let (k, n) = (q.floor(), self.frames.len() as f64);
        let (u, first) = (q - k, k - 1.0);
        let known = match self.closed {
            true => first.rem_euclid(n),
            false => first.clamp(0.0, n - 1.0),
        };
        // Beyond the ends of an open curve.
        let on = (!self.closed && known != first)
            .then(|| (self.step(first), Rates::number(first - known)));
        let own = cumulative(u).into_iter().enumerate();
        let own = own.map(move |(i, b)| (self.step(first + i as f64), b));
        (known as usize, on.into_iter().chain(own))
    }

    fn motion(&self, q: f64, order: Order) -> Motion {
        let (frame, factors) = self.factors(q);
        let mut at = Motion::from(self.frames[frame], 1, order);
        factors.for_each(|(i, b)| at.then(self.steps[i], &b));
        at
    }

    fn variation(&self, q: f64, index: usize) -> Variation {
        let (moved, motion) = (index / 6, self.frame_motion(index));
        let (frame, factors) = self.factors(q);
        let mut at = Motion::from(self.frames[frame], 1, Order::Slopes);
        let mut by = Variation::from(if frame == moved { motion } else { Twist::ZERO });
        for (i, b) in factors {
            let change = self.step_change(i, moved, motion).map(Reshape::Screw);
            by.then(&at, self.steps[i], &b, change);
            at.then(self.steps[i], &b);
        }
        by
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
        match <[[f64; 6]; PATCH]>::try_from(control) {
            Ok(control) => Ok(Surface {
                control: Box::new(control),
            }),
            Err(_) => Err(Error::invalid(format!(
                "control_count: must be {PATCH} vectors of six, got {}",
                control.len()
            ))),
        }
    }

    /// f_m.
    fn function(&self, bases: &[[[f64; 4]; 4]; 2], m: usize) -> Rates {
        let mut table = [[0.0; 4]; 4];
        for (i, control) in self.control.iter().enumerate() {
            add_product(bases, i, control[m], &mut table);
        }
        Rates::of_two(&table)
    }

    fn motion(&self, q: &[f64], order: Order) -> Motion {
        let bases = [basis(q[0]), basis(q[1])];
        let mut at = Motion::from(Pose::IDENTITY, 2, order);
        for m in 0..6 {
            at.then(Twist::unit(m), &self.function(&bases, m));
        }
        at
    }

    fn variation(&self, q: &[f64], index: usize) -> Variation {
        let bases = [basis(q[0]), basis(q[1])];
        let mut weight = [[0.0; 4]; 4];
        add_product(&bases, index / 6, 1.0, &mut weight);
        let mut at = Motion::from(Pose::IDENTITY, 2, Order::Slopes);
        let mut by = Variation::from(Twist::ZERO);
        for m in 0..6 {
            let (screw, f) = (Twist::unit(m), self.function(&bases, m));
            let change = (m == index % 6).then(|| Reshape::Function(Rates::of_two(&weight)));
            by.then(&at, screw, &f, change);
            at.then(screw, &f);
        }
        by
    }
}

/// Adds `scale` times the product of splines of control vector `i`, with its derivatives.
fn add_product(bases: &[[[f64; 4]; 4]; 2], i: usize, scale: f64, table: &mut [[f64; 4]; 4]) {
    let (first, second) = (&bases[0][i / 4], &bases[1][i % 4]);
    for (a, b) in (0..4).flat_map(|a| (0..4 - a).map(move |b| (a, b))) {
        table[a][b] += first[a] * second[b] * scale;
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
    fn parameters(&self) -> usize {
        match self {
            Spline::Curve(curve) => 6 * curve.frames.len(),
            Spline::Surface(_) => 6 * PATCH,
        }
    }

    fn parameter(&self, index: usize) -> f64 {
        match self {
            Spline::Curve(curve) => curve.displaced[index / 6][index % 6],
            Spline::Surface(surface) => surface.control[index / 6][index % 6],
        }
    }

    fn with_parameter(&self, index: usize, value: f64) -> Option<Arc<dyn VaryingJoint>> {
        let mut made = self.clone();
        match &mut made {
            Spline::Curve(curve) => {
                let mut by = curve.displaced[index / 6];
                by[index % 6] = value;
                curve.displace(index / 6, by);
            }
            Spline::Surface(surface) => surface.control[index / 6][index % 6] = value,
        }
        Some(Arc::new(made))
    }

    fn fault(&self) -> Option<String> {
        match self {
            Spline::Curve(curve) => curve.fault(),
            Spline::Surface(_) => None,
        }
    }

    fn by_parameter(&self, q: &[f64], v: &[f64], index: usize) -> Reshaped {
        let by = match self {
            Spline::Curve(curve) => curve.variation(q[0], index),
            Spline::Surface(surface) => surface.variation(q, index),
        };
        let n = self.dofs();
        let mut reshaped = Reshaped {
            xi: by.xi,
            ..Reshaped::default()
        };
        reshaped.bent[..n].copy_from_slice(&by.s[..n]);
        for (by, vj) in by.by.iter().zip(v).take(n) {
            for (s, vk) in by.iter().zip(v).take(n) {
                reshaped.bias += *s * (vj * vk);
            }
        }
        reshaped
    }
}
