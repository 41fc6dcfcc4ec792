//! The taut path between two points around a sphere or an unbounded cylinder, or through one, with two
//! derivatives.
//!
//! In the plane of the path (of a cylinder: across its axis) the ends have distances r₀, r₁ from the centre,
//! and the path goes by an angle ψ around it. With the radius R, s = √(r² − R²) and φ = arccos(R/r), around
//! the circle it has
//!
//!   F = s₀ + s₁ + R (ψ − φ₀ − φ₁),   and is straight where ψ ≤ φ₀ + φ₁,
//!
//! and through it, where the straight line would miss,
//!
//!   F = min over φ of D(r₀, φ) + D(r₁, ψ − φ),   D(r, y)² = r² + R² − 2 r R cos y.
//!
//! On a cylinder the path is a helix: l² = F² + h² with the height h along the axis. On a sphere the plane
//! turns with the ends, which gives second derivatives across it. Without a side the path takes the shorter
//! way; with one it goes around as the polyline from the first end over the side point to the second does, as
//! in MuJoCo 4.0 (<https://mujoco.readthedocs.io>, XML reference, spatial tendons, `sidesite`).

use super::mat3::Mat3;
use super::vec3::Vec3;
use std::f64::consts::TAU;

/// A solid around which a path wraps, with its centre at the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Solid {
    Sphere,
    /// The unit vector along the axis.
    Cylinder(Vec3),
}

impl Solid {
    /// The solid in rotated axes.
    pub fn turned(self, turn: &Mat3) -> Solid {
        match self {
            Solid::Sphere => self,
            Solid::Cylinder(axis) => Solid::Cylinder(turn.mul_vec(axis)),
        }
    }
}

/// The side on which a path passes a solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Side {
    /// The shorter way.
    Any,
    /// The way over this point.
    Over(Vec3),
    /// Through the solid: inside its surface or on it.
    Through,
}

impl Side {
    /// The side that a side point selects: a point closer to the centre than the radius (also of a cylinder)
    /// selects a path through the solid.
    pub fn of(point: Option<Vec3>, radius: f64) -> Side {
        match point {
            None => Side::Any,
            Some(at) if at.norm() < radius => Side::Through,
            Some(at) => Side::Over(at),
        }
    }

    /// The side in rotated axes.
    pub fn turned(self, turn: &Mat3) -> Side {
        match self {
            Side::Over(at) => Side::Over(turn.mul_vec(at)),
            _ => self,
        }
    }
}

/// A path that bends, between ends given relative to the centre of the solid.
#[derive(Clone, Copy, Debug)]
pub struct Wrap {
    /// Length from end to end [m].
    pub length: f64,
    /// Gradient of the length by the two ends.
    pub pulls: [Vec3; 2],
    /// Axes at each end: outward, along the rotation of the path, and across the plane.
    frames: [[Vec3; 3]; 2],
    /// Hessian of the length by displacements of both ends in `frames`.
    second: [[f64; 6]; 6],
}

/// A length as a function of (r₀, r₁, ψ), with its derivatives.
struct Planar {
    length: f64,
    slope: [f64; 3],
    second: [[f64; 3]; 3],
}

impl Wrap {
    /// The path between two ends, or `None` if it is straight; and the distance of the ends from the nearest
    /// switch, to first order [m]. At a switch the path begins or ceases to bend, or changes its side.
    pub fn new(solid: Solid, radius: f64, side: Side, ends: [Vec3; 2]) -> (Option<Wrap>, f64) {
        let across = |x: Vec3| match solid {
            Solid::Sphere => x,
            Solid::Cylinder(axis) => x - axis * axis.dot(x),
        };
        let d = ends.map(across);
        let r = d.map(Vec3::norm);
        let is_through = side == Side::Through;
        let is_in = |r: f64| r < radius || (is_through && r == radius);
        if r.iter().any(|r| is_in(*r)) {
            // The path can only bend once all ends are outside.
            let depths = r.iter().map(|r| radius - r);
            return (None, depths.fold(0.0, f64::max));
        }
        let e = [d[0] * (1.0 / r[0]), d[1] * (1.0 / r[1])];
        let mut normal = match solid {
            Solid::Sphere => e[0].cross(towards(e[0], e[1])),
            Solid::Cylinder(axis) => axis,
        };
        let angle = |a: Vec3, b: Vec3| normal.dot(a.cross(b)).atan2(a.dot(b));
        let between = angle(e[0], e[1]);
        let (mut psi, mut margin) = (between, f64::INFINITY);
        if let Side::Over(at) = side {
            let over = angle(e[0], at) + angle(at, e[1]);
            psi += TAU * ((over - between) / TAU).round();
            // The plane of a path on a sphere rotates faster the closer its ends are to a line.
            let turning = match solid {
                Solid::Sphere => between.sin().abs(),
                Solid::Cylinder(_) => 1.0,
            };
            for k in 0..2 {
                margin = margin.min(opposed(d[k], r[k], across(at), normal, turning));
            }
        }
        if psi < 0.0 {
            (psi, normal) = (-psi, -normal);
        }
        let gap = distance_to_segment(d) - radius;
        let planar = if is_through {
            if gap <= 0.0 {
                return (None, -gap);
            }
            margin = margin.min(gap);
            through(radius, r, psi)
        } else {
            let tangent = r.map(|r| tangent(radius, r));
            let arc = psi - tangent[0].1 - tangent[1].1;
            if arc <= 0.0 {
                return (None, margin.min(gap).max(0.0));
            }
            margin = margin.min(r[0] - radius).min(r[1] - radius);
            // The longer way never leaves the solid.
            if psi == between.abs() {
                margin = margin.min(-gap);
            }
            margin = margin.min(match (solid, side) {
                (Solid::Sphere, _) => r[0].min(r[1]) * psi.sin().abs(),
                (_, Side::Any) => radius + gap,
                _ => f64::INFINITY,
            });
            around(radius, r, tangent.map(|t| t.0), arc)
        };
        let frames = e.map(|e| [e, normal.cross(e), normal]);
        let wrap = match solid {
            Solid::Sphere => Wrap::on_sphere(planar, r, psi, frames),
            Solid::Cylinder(axis) => {
                let height = axis.dot(ends[1] - ends[0]);
                let frames = frames.map(|[out, along, _]| [out, along, axis]);
                Wrap::on_cylinder(planar, r, height, frames)
            }
        };
        (Some(wrap), margin.max(0.0))
    }

    fn on_sphere(planar: Planar, r: [f64; 2], psi: f64, frames: [[Vec3; 3]; 2]) -> Wrap {
        let (slope, mut second) = planar.in_plane(r);
        let (sin, cos) = psi.sin_cos();
        let turn = planar.slope[2];
        // Through a sphere, ends on one ray from its centre are a regular point: the slope vanishes with the
        // sine.
        let ratio = match sin == 0.0 {
            true => planar.second[2][2],
            false => turn / sin,
        };
        for k in 0..2 {
            second[3 * k + 2][3 * k + 2] = (planar.slope[k] + ratio * cos / r[k]) / r[k];
        }
        second[2][5] = -ratio / (r[0] * r[1]);
        second[5][2] = second[2][5];
        Wrap::of(planar.length, slope, second, frames)
    }

    fn on_cylinder(planar: Planar, r: [f64; 2], h: f64, frames: [[Vec3; 3]; 2]) -> Wrap {
        let (mut slope, mut second) = planar.in_plane(r);
        let length = planar.length.hypot(h);
        let (cos, sin) = (planar.length / length, h / length);
        let rise = [0.0, 0.0, -1.0, 0.0, 0.0, 1.0];
        let across: [f64; 6] = std::array::from_fn(|i| sin * slope[i] - cos * rise[i]);
        for i in 0..6 {
            slope[i] = cos * slope[i] + sin * rise[i];
            for j in 0..6 {
                second[i][j] = cos * second[i][j] + across[i] * across[j] / length;
            }
        }
        Wrap::of(length, slope, second, frames)
    }

    fn of(length: f64, slope: [f64; 6], second: [[f64; 6]; 6], frames: [[Vec3; 3]; 2]) -> Wrap {
        Wrap {
            length,
            pulls: in_world(&frames, &slope),
            frames,
            second,
        }
    }

    /// Change of the gradient by the ends when the ends are displaced relative to the solid, which does not
    /// rotate.
    pub fn turned(&self, moved: [Vec3; 2]) -> [Vec3; 2] {
        let x: [f64; 6] = std::array::from_fn(|i| self.frames[i / 3][i % 3].dot(moved[i / 3]));
        let slope = self
            .second
            .map(|row| row.iter().zip(&x).map(|(a, x)| a * x).sum());
        in_world(&self.frames, &slope)
    }
}

fn in_world(frames: &[[Vec3; 3]; 2], x: &[f64; 6]) -> [Vec3; 2] {
    [0, 1].map(|k| {
        let [out, along, across] = frames[k];
        out * x[3 * k] + along * x[3 * k + 1] + across * x[3 * k + 2]
    })
}

impl Planar {
    /// Derivatives by displacements of the ends outward, along and across; displacements across have no
    /// effect.
    fn in_plane(&self, r: [f64; 2]) -> ([f64; 6], [[f64; 6]; 6]) {
        // Derivatives of (r₀, r₁, ψ) by displacements.
        let mut change = [[0.0; 6]; 3];
        (change[0][0], change[1][3]) = (1.0, 1.0);
        (change[2][1], change[2][4]) = (-1.0 / r[0], 1.0 / r[1]);
        let (mut slope, mut second) = ([0.0; 6], [[0.0; 6]; 6]);
        for a in 0..3 {
            for i in 0..6 {
                slope[i] += self.slope[a] * change[a][i];
                for b in 0..3 {
                    for j in 0..6 {
                        second[i][j] += change[a][i] * self.second[a][b] * change[b][j];
                    }
                }
            }
        }
        for (k, sign) in [(0, -1.0), (1, 1.0)] {
            let [out, along] = [3 * k, 3 * k + 1];
            second[along][along] += self.slope[k] / r[k];
            second[out][along] -= sign * self.slope[2] / (r[k] * r[k]);
            second[along][out] = second[out][along];
        }
        (slope, second)
    }
}

/// A unit vector perpendicular to the unit vector `a`, on the side of `b`; any where b is along a.
fn towards(a: Vec3, b: Vec3) -> Vec3 {
    let mut rest = b - a * a.dot(b);
    rest -= a * a.dot(rest);
    let least = 4.0 * f64::EPSILON;
    if rest.norm() < least {
        let least_along = (0..3).min_by(|i, j| a.abs()[*i].total_cmp(&a.abs()[*j]));
        let axis = Vec3::unit(least_along.unwrap_or(0));
        rest = axis - a * a.dot(axis);
    }
    rest.normalized().unwrap_or(Vec3::X)
}

/// Distance of an end at `d` from the ray opposite to the side point `at`, where the way around jumps.
fn opposed(d: Vec3, r: f64, at: Vec3, normal: Vec3, turning: f64) -> f64 {
    let at = at - normal * normal.dot(at);
    let size = at.norm();
    if d.dot(at) >= 0.0 {
        return r.min(size);
    }
    r.min(size) * turning * normal.dot(d.cross(at)).abs() / (r * size)
}

fn distance_to_segment([a, b]: [Vec3; 2]) -> f64 {
    let along = b - a;
    let squared = along.norm_squared();
    let share = if squared > 0.0 {
        (-a.dot(along) / squared).clamp(0.0, 1.0)
    } else {
        0.0
    };
    (a + along * share).norm()
}

/// s and φ of an end.
fn tangent(radius: f64, r: f64) -> (f64, f64) {
    let s = ((r - radius) * (r + radius)).sqrt();
    (s, s.atan2(radius))
}

fn around(radius: f64, r: [f64; 2], s: [f64; 2], arc: f64) -> Planar {
    let mut second = [[0.0; 3]; 3];
    for k in 0..2 {
        // Grows without bound as an end approaches the surface.
        let s = s[k].max(f64::EPSILON.sqrt() * radius);
        second[k][k] = (radius / r[k]) * (radius / r[k]) / s;
    }
    Planar {
        length: s[0] + s[1] + radius * arc,
        slope: [s[0] / r[0], s[1] / r[1], radius],
        second,
    }
}

/// D(r, y) with its derivatives.
struct Distance {
    value: f64,
    by_r: f64,
    by_y: f64,
    by_rr: f64,
    by_ry: f64,
    by_yy: f64,
}

impl Distance {
    fn new(radius: f64, r: f64, y: f64) -> Self {
        let (half, (sin, cos)) = ((0.5 * y).sin(), y.sin_cos());
        let value = (r - radius).hypot(2.0 * half * (r * radius).sqrt());
        let by_r = (r - radius + 2.0 * radius * half * half) / value;
        let by_y = r * radius * sin / value;
        let slant = radius * sin / value;
        Distance {
            value,
            by_r,
            by_y,
            by_rr: slant * slant / value,
            by_ry: (radius * sin - by_r * by_y) / value,
            by_yy: (r * radius * cos - by_y * by_y) / value,
        }
    }
}

fn through(radius: f64, r: [f64; 2], psi: f64) -> Planar {
    let [a, b] = touching(radius, r, psi);
    let bend = a.by_yy + b.by_yy;
    let mut second = [
        [a.by_rr, 0.0, 0.0],
        [0.0, b.by_rr, b.by_ry],
        [0.0, b.by_ry, b.by_yy],
    ];
    // When the straight line begins to touch, the motion of the point has no part in the second derivative,
    // and no value.
    if bend > f64::EPSILON * (a.by_y + b.by_y) {
        let move_of = [a.by_ry, -b.by_ry, -b.by_yy];
        for i in 0..3 {
            for j in 0..3 {
                second[i][j] -= move_of[i] * move_of[j] / bend;
            }
        }
    }
    Planar {
        length: a.value + b.value,
        slope: [a.by_r, b.by_r, b.by_y],
        second,
    }
}

/// The distances of the ends from the point at which the path touches, where their sum is smallest.
fn touching(radius: f64, r: [f64; 2], psi: f64) -> [Distance; 2] {
    // Measure the angle from the end closer to the surface, because it may be tiny.
    if r[1] < r[0] {
        let [b, a] = touching(radius, [r[1], r[0]], psi);
        return [a, b];
    }
    let distances = |at: f64| {
        [
            Distance::new(radius, r[0], at),
            Distance::new(radius, r[1], psi - at),
        ]
    };
    let horizon = r.map(|r| tangent(radius, r).1);
    // Both ends see the point there, and the slope of the sum increases.
    let (mut low, mut high) = ((psi - horizon[1]).max(0.0), psi.min(horizon[0]));
    let mut at = 0.5 * (low + high);
    for _ in 0..100 {
        let [a, b] = distances(at);
        let slope = a.by_y - b.by_y;
        if slope > 0.0 {
            high = at;
        } else {
            low = at;
        }
        let mut next = at - slope / (a.by_yy + b.by_yy);
        if !(next > low && next < high) {
            next = 0.5 * (low + high);
        }
        let step = (next - at).abs();
        at = next;
        if step <= f64::EPSILON * at {
            break;
        }
    }
    distances(at)
}
