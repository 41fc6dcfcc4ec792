//! A geom as an ellipsoid in a fluid: added mass, drag, and two kinds of lift.
//!
//! With semi-axes s, velocity v and angular velocity ω in its axes, e = v/|v|, n the diagonal of
//! (s₂s₃)², (s₃s₁)², (s₁s₂)² times e, P = n·e and Q = n·n, the area that faces the stream is A = π
//! √(Q/P). The forces and moments are
//!
//! - added mass: p × ω and p × v + L × ω, with p and L the momenta of the carried fluid; its
//!   acceleration is left out
//! - Magnus: c ρ V ω × v
//! - Kutta: c ρ π √(P/Q) (n × v) × v
//! - drag: −(3π μ D + ρ |v| (c_b A + c_s (A_max − A))) v and −(π μ D³ + ρ |m|) ω, m = (c_a I + c_s
//!   (I_max − I)) ω
//!
//! This is the model of MuJoCo's documentation (Computation, Fluid forces, Ellipsoid model), which cites
//! Andersen, Pesavento & Wang, JFM 541 (2005) for flat plates. MuJoCo keeps denominators above 1e-15;
//! this code takes the limit.

use super::added_mass::added_mass;
use super::medium::Medium;
use crate::linalg::sort_few;
use crate::model::fluid::FluidCoefficients;
use crate::spatial::{Twist, Vec3, Wrench};
use std::f64::consts::PI;

#[derive(Clone, Copy, Debug)]
pub struct Ellipsoid {
    coefficients: FluidCoefficients,
    /// Added mass and inertia per density.
    mass: Vec3,
    inertia: Vec3,
    volume: f64,
    /// Squared products of two semi-axes.
    faces: Vec3,
    /// The largest area that may face the stream [m²].
    area: f64,
    /// Diameter of the sphere with the same mean semi-axis.
    diameter: f64,
    /// m per ω, per density.
    turning: Vec3,
}

fn times(a: Vec3, b: Vec3) -> Vec3 {
    Vec3::new(a.x * b.x, a.y * b.y, a.z * b.z)
}

/// The quantities that depend on the direction of the stream, at speed one.
struct Stream {
    e: Vec3,
    n: Vec3,
    /// A.
    area: f64,
    /// π √(P/Q).
    lift: f64,
    p: f64,
    q: f64,
}

impl Ellipsoid {
    pub fn new(s: Vec3, coefficients: FluidCoefficients) -> Self {
        let (mass, inertia) = added_mass(s);
        let [a, b, c] = s.to_array();
        let mut sorted = [a, b, c];
        sort_few(&mut sorted, |a, b| a.total_cmp(b).is_lt());
        let [_, middle, largest] = sorted;
        let moment = |axis: f64, radius: f64| 8.0 / 15.0 * PI * axis * radius.powi(4);
        let most = moment(middle, largest);
        let turning = |axis: f64, r: f64, t: f64| {
            let own = moment(axis, r.max(t));
            coefficients.angular * own + coefficients.slender * (most - own)
        };
        Ellipsoid {
            coefficients,
            mass,
            inertia,
            volume: 4.0 / 3.0 * PI * a * b * c,
            faces: Vec3::new((b * c).powi(2), (c * a).powi(2), (a * b).powi(2)),
            area: PI * largest * middle,
            diameter: 2.0 / 3.0 * (a + b + c),
            turning: Vec3::new(turning(a, b, c), turning(b, c, a), turning(c, a, b)),
        }
    }

    /// `None` in still fluid.
    fn stream(&self, v: Vec3) -> Option<(f64, Stream)> {
        let speed = v.norm();
        let e = v * (1.0 / speed);
        if speed == 0.0 || !e.is_finite() {
            return None;
        }
        let n = times(self.faces, e);
        let (p, q) = (n.dot(e), n.dot(n));
        let stream = Stream {
            e,
            n,
            area: PI * (q / p).sqrt(),
            lift: PI * (p / q).sqrt(),
            p,
            q,
        };
        Some((speed, stream))
    }

    /// c_b A + c_s (A_max − A).
    fn facing(&self, area: f64) -> f64 {
        let c = &self.coefficients;
        c.blunt * area + c.slender * (self.area - area)
    }

    /// Force and moment at the centre, for its velocity `v` relative to the fluid.
    pub fn wrench(&self, medium: Medium, v: Twist) -> Wrench {
        let (density, c) = (medium.density, &self.coefficients);
        let [p, l] = [times(self.mass, v.lin), times(self.inertia, v.ang)];
        let mut force = p.cross(v.ang) + v.ang.cross(v.lin) * (c.magnus * self.volume);
        let mut moment = p.cross(v.lin) + l.cross(v.ang);
        if let Some((speed, s)) = self.stream(v.lin) {
            let square = s.n.cross(s.e).cross(s.e) * (c.kutta * s.lift) - s.e * self.facing(s.area);
            force += square * (speed * speed);
        }
        moment -= v.ang * times(self.turning, v.ang).norm();
        let d = self.diameter;
        Wrench::new(
            force * density - v.lin * (3.0 * PI * medium.viscosity * d),
            moment * density - v.ang * (PI * medium.viscosity * d.powi(3)),
        )
    }

    /// Derivative of [`Ellipsoid::wrench`] along a change of the velocity.
    pub fn by_velocity(&self, medium: Medium, v: Twist, dv: Twist) -> Wrench {
        let (density, c) = (medium.density, &self.coefficients);
        let [p, l] = [times(self.mass, v.lin), times(self.inertia, v.ang)];
        let [dp, dl] = [times(self.mass, dv.lin), times(self.inertia, dv.ang)];
        let swept = dv.ang.cross(v.lin) + v.ang.cross(dv.lin);
        let mut force = dp.cross(v.ang) + p.cross(dv.ang) + swept * (c.magnus * self.volume);
        let mut moment = dp.cross(v.lin) + p.cross(dv.lin) + dl.cross(v.ang) + l.cross(dv.ang);
        if let Some((speed, s)) = self.stream(v.lin) {
            // This part is quadratic in v: its derivative is the derivative at speed one times the
            // speed.
            let (e, d) = (s.e, dv.lin);
            let (dn, along) = (times(self.faces, d), e.dot(d));
            let half = s.n.dot(dn) / s.q - s.n.dot(d) / s.p;
            let lift = s.n.cross(e);
            let by_lift = dn.cross(e) + s.n.cross(d);
            let kutta = by_lift.cross(e) + lift.cross(d) - lift.cross(e) * (half + along);
            let by_area = self.facing(s.area) - self.facing(0.0);
            let drag = e * (along * self.facing(s.area) + half * by_area) + d * self.facing(s.area);
            force += (kutta * (c.kutta * s.lift) - drag) * speed;
        }
        let m = times(self.turning, v.ang);
        let size = m.norm();
        if size > 0.0 {
            let by = m.dot(times(self.turning, dv.ang)) / size;
            moment -= dv.ang * size + v.ang * by;
        }
        let d = self.diameter;
        Wrench::new(
            force * density - dv.lin * (3.0 * PI * medium.viscosity * d),
            moment * density - dv.ang * (PI * medium.viscosity * d.powi(3)),
        )
    }
}
