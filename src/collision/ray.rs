//! Intersection of a ray with a primitive shape: where the line enters and leaves it, the normal, and
//! whether the distance has a kink.
//!
//! Called by the scene's ray query (range sensors).

use super::shape::Shape;
use crate::spatial::{Pose, Vec3};

/// Crossings closer to each other than this share of their distance count as one, and so do the two
/// crossings of a tangent.
const TOGETHER: f64 = 1e-12;

/// The points origin + t direction, t ≥ 0.
#[derive(Clone, Copy, Debug)]
pub struct Ray {
    pub origin: Vec3,
    /// Unit.
    pub direction: Vec3,
}

impl Ray {
    pub fn at(&self, t: f64) -> Vec3 {
        self.origin + self.direction * t
    }

    /// The same ray in the axes of a frame.
    pub fn seen_from(&self, frame: &Pose) -> Ray {
        Ray {
            origin: frame.inverse_point(self.origin),
            direction: frame.rot.tr_mul_vec(self.direction),
        }
    }
}

/// Where a line passes through a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// Distance along the line [m].
    pub at: f64,
    /// Unit, outwards.
    pub normal: Vec3,
    /// True on an edge, or where the line is tangent: `at` has a kink there.
    pub kink: bool,
}

impl Crossing {
    fn never() -> Crossing {
        Crossing::new(f64::INFINITY, Vec3::ZERO)
    }

    fn new(at: f64, normal: Vec3) -> Crossing {
        Crossing {
            at,
            normal,
            kink: false,
        }
    }

    /// The earlier of two crossings; marked as a kink if they coincide with different normals.
    pub fn or_earlier(self, other: Crossing) -> Crossing {
        let first = if other.at < self.at { other } else { self };
        first.joined(self, other)
    }

    /// Distance up to which another crossing may coincide with this one [m].
    pub fn reach(&self) -> f64 {
        self.at + TOGETHER * (1.0 + self.at)
    }

    fn or_later(self, other: Crossing) -> Crossing {
        let last = if other.at > self.at { other } else { self };
        last.joined(self, other)
    }

    fn joined(self, a: Crossing, b: Crossing) -> Crossing {
        let one = (a.at - b.at).abs() <= TOGETHER * (1.0 + self.at.abs());
        let turned = a.normal.dot(b.normal) < 1.0 - TOGETHER;
        Crossing {
            kink: self.kink | (one & turned),
            ..self
        }
    }
}

/// The part of a line that lies in a convex solid.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    pub enter: Crossing,
    pub leave: Crossing,
}

impl Span {
    /// The whole line.
    pub fn all() -> Span {
        Span {
            enter: Crossing {
                at: f64::NEG_INFINITY,
                ..Crossing::never()
            },
            leave: Crossing::never(),
        }
    }

    /// Cuts off the part above a plane. `height` is the height of the line's origin above the plane,
    /// `rate` its change along the line. Returns whether anything is left.
    #[inline]
    pub fn clip(&mut self, normal: Vec3, height: f64, rate: f64) -> bool {
        if rate == 0.0 {
            return height <= 0.0;
        }
        let crossing = Crossing::new(-height / rate, normal);
        if rate < 0.0 {
            self.enter = self.enter.or_later(crossing);
        } else {
            self.leave = self.leave.or_earlier(crossing);
        }
        self.enter.at <= self.leave.at
    }

    /// Where the ray first meets the solid's surface, from inside or outside.
    pub fn first(&self) -> Option<Crossing> {
        let first = match self.enter.at >= 0.0 {
            true => self.enter,
            false => self.leave,
        };
        (first.at >= 0.0 && first.at < f64::INFINITY).then_some(first)
    }
}

/// Where the line o + t d (d of any nonzero length) enters and leaves the ball of this radius about the
/// origin, and whether it is tangent.
fn ball(o: Vec3, d: Vec3, radius: f64) -> Option<([f64; 2], bool)> {
    let length = d.norm();
    let along = d * (1.0 / length);
    let middle = -o.dot(along);
    // Measured from the point nearest to the centre: the squares of large distances would lose all
    // digits.
    let square = radius * radius;
    let beside = square - (o + along * middle).norm_squared();
    if beside < 0.0 {
        return None;
    }
    let half = beside.sqrt();
    let ends = [middle - half, middle + half].map(|t| t / length);
    Some((ends, beside <= TOGETHER * square))
}

impl Shape {
    /// The part of a line, given in the shape's frame, that lies in the shape. A plane is met only from
    /// above.
    pub fn span(&self, ray: &Ray) -> Option<Span> {
        let (o, d) = (ray.origin, ray.direction);
        match *self {
            Shape::Plane => {
                let mut span = Span::all();
                (d.z < 0.0 && span.clip(Vec3::Z, o.z, d.z)).then_some(span)
            }
            Shape::Sphere { radius } => rounded(ray, radius, |_| Vec3::ZERO),
            Shape::Capsule {
                radius,
                half_length,
            } => capsule(ray, radius, half_length),
            Shape::Cylinder {
                radius,
                half_length,
            } => {
                let mut span = wall(ray, radius)?;
                let inside = span.clip(Vec3::Z, o.z - half_length, d.z)
                    && span.clip(-Vec3::Z, -o.z - half_length, -d.z);
                inside.then_some(span)
            }
            Shape::Ellipsoid { semi_axes } => {
                let inverse = Vec3::new(1.0 / semi_axes.x, 1.0 / semi_axes.y, 1.0 / semi_axes.z);
                let (ends, kink) = ball(o.scale(inverse), d.scale(inverse), 1.0)?;
                let [enter, leave] = ends.map(|t| {
                    let gradient = ray.at(t).scale(inverse).scale(inverse);
                    Crossing {
                        kink,
                        ..Crossing::new(t, gradient.normalized().unwrap_or(Vec3::Z))
                    }
                });
                Some(Span { enter, leave })
            }
            Shape::Box { half_extents } => {
                let mut span = Span::all();
                let inside = (0..3).all(|k| {
                    let (axis, half) = (Vec3::unit(k), half_extents[k]);
                    span.clip(axis, o[k] - half, d[k]) && span.clip(-axis, -o[k] - half, -d[k])
                });
                inside.then_some(span)
            }
        }
    }
}

/// The span of a ball. Its centre may differ between the entering end (0) and the leaving end (1).
fn rounded(ray: &Ray, radius: f64, centre: impl Fn(usize) -> Vec3) -> Option<Span> {
    let end = |i: usize| {
        let c = centre(i);
        let (ends, kink) = ball(ray.origin - c, ray.direction, radius)?;
        let at = ends[i];
        Some(Crossing {
            at,
            normal: (ray.at(at) - c) * (1.0 / radius),
            kink,
        })
    };
    Some(Span {
        enter: end(0)?,
        leave: end(1)?,
    })
}

/// The infinite cylinder about z.
fn wall(ray: &Ray, radius: f64) -> Option<Span> {
    let flat = |x: Vec3| Vec3::new(x.x, x.y, 0.0);
    let (o, d) = (flat(ray.origin), flat(ray.direction));
    if d == Vec3::ZERO {
        return (o.norm() <= radius).then_some(Span::all());
    }
    let (ends, kink) = ball(o, d, radius)?;
    let [enter, leave] = ends.map(|at| Crossing {
        at,
        normal: flat(ray.at(at)) * (1.0 / radius),
        kink,
    });
    Some(Span { enter, leave })
}

/// The span of a capsule. Where the line crosses the infinite cylinder beyond the segment, it meets the
/// ball at that end or nothing.
fn capsule(ray: &Ray, radius: f64, half_length: f64) -> Option<Span> {
    let side = wall(ray, radius)?;
    let end = |i: usize, crossing: Crossing| {
        let z = ray.origin.z + crossing.at * ray.direction.z;
        if z.abs() <= half_length {
            return Some(crossing);
        }
        let span = rounded(ray, radius, |_| Vec3::Z * half_length.copysign(z))?;
        Some([span.enter, span.leave][i])
    };
    Some(Span {
        enter: end(0, side.enter)?,
        leave: end(1, side.leave)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPES: [Shape; 5] = [
        Shape::Sphere { radius: 0.3 },
        Shape::Capsule {
            radius: 0.2,
            half_length: 0.7,
        },
        Shape::Cylinder {
            radius: 0.4,
            half_length: 0.5,
        },
        Shape::Ellipsoid {
            semi_axes: Vec3::new(0.2, 0.5, 0.9),
        },
        Shape::Box {
            half_extents: Vec3::new(0.3, 0.5, 0.2),
        },
    ];

    /// Negative inside, zero on the surface.
    fn level(shape: &Shape, p: Vec3) -> f64 {
        match *shape {
            Shape::Plane => p.z,
            Shape::Sphere { radius } => p.norm() - radius,
            Shape::Capsule {
                radius,
                half_length,
            } => {
                let z = p.z.clamp(-half_length, half_length);
                (p - Vec3::Z * z).norm() - radius
            }
            Shape::Cylinder {
                radius,
                half_length,
            } => (p.x.hypot(p.y) - radius).max(p.z.abs() - half_length),
            Shape::Ellipsoid { semi_axes: a } => {
                Vec3::new(p.x / a.x, p.y / a.y, p.z / a.z).norm() - 1.0
            }
            Shape::Box { half_extents: h } => {
                let out = p.abs() - h;
                out.x.max(out.y).max(out.z)
            }
        }
    }

    /// A point of a low-discrepancy sequence in a cube about the origin.
    fn point(i: u32, half: f64) -> Vec3 {
        let x = |step: f64| ((f64::from(i) * step).fract() - 0.5) * 2.0 * half;
        Vec3::new(
            x(0.819_172_513_396_164_5),
            x(0.671_043_606_703_789_2),
            x(0.549_700_477_901_970_7),
        )
    }

    #[test]
    fn ends_lie_on_the_surface_and_what_is_between_lies_within() {
        for shape in &SHAPES {
            let mut met = 0;
            for i in 1..2000 {
                let (from, to) = (point(i, 1.5), point(7 * i + 3, 0.8));
                let Some(direction) = (to - from).normalized() else {
                    continue;
                };
                let ray = Ray {
                    origin: from,
                    direction,
                };
                let along = |k: i32| f64::from(k) * 0.01;
                let Some(span) = shape.span(&ray) else {
                    for k in -400..400 {
                        assert!(level(shape, ray.at(along(k))) > -1e-4, "{shape:?} {ray:?}");
                    }
                    continue;
                };
                met += 1;
                for (c, sign) in [(span.enter, -1.0), (span.leave, 1.0)] {
                    let at = ray.at(c.at);
                    assert!(level(shape, at).abs() < 1e-13, "{shape:?} {ray:?}");
                    assert!((c.normal.norm() - 1.0).abs() < 1e-13);
                    assert!(c.normal.dot(direction) * sign >= -1e-12);
                    // The normal points outwards.
                    let step = 1e-6;
                    let rise = level(shape, at + c.normal * step);
                    assert!(rise > 0.3 * step, "{shape:?} {ray:?} {rise}");
                }
                for k in -400..400 {
                    let t = along(k);
                    let within = span.enter.at < t && t < span.leave.at;
                    let far = (t - span.enter.at).abs().min((t - span.leave.at).abs()) > 1e-9;
                    assert!(!far || (level(shape, ray.at(t)) < 0.0) == within);
                }
            }
            assert!(met > 150, "{shape:?}: {met}");
        }
    }

    #[test]
    fn edges_and_tangents_are_kinks() {
        let ray = |x: f64, z: f64| Ray {
            origin: Vec3::new(x, 0.0, z),
            direction: Vec3::X,
        };
        let cube = Shape::Box {
            half_extents: Vec3::new(1.0, 1.0, 1.0),
        };
        let diagonal = Ray {
            origin: Vec3::new(-2.0, -2.0, 0.1),
            direction: Vec3::new(1.0, 1.0, 0.0).normalized().unwrap(),
        };
        let edge = cube.span(&diagonal).and_then(|s| s.first()).unwrap();
        assert!(edge.kink);
        assert!(!cube.span(&ray(-2.0, 0.1)).unwrap().enter.kink);
        let sphere = Shape::Sphere { radius: 1.0 };
        assert!(sphere.span(&ray(-2.0, 1.0)).unwrap().enter.kink);
        assert!(sphere.span(&ray(-2.0, 1.0 + 1e-9)).is_none());
        assert!(!sphere.span(&ray(-2.0, 0.5)).unwrap().enter.kink);
    }

    #[test]
    fn from_within_the_way_out_is_met_and_what_lies_behind_is_not() {
        for shape in &SHAPES {
            let from = |x: f64| Ray {
                origin: Vec3::X * x,
                direction: Vec3::X,
            };
            let out = shape.span(&from(0.0)).and_then(|s| s.first()).unwrap();
            assert!(out.at > 0.1 && out.normal.dot(Vec3::X) > 0.9, "{shape:?}");
            assert!(shape.span(&from(2.0)).and_then(|s| s.first()).is_none());
        }
        let fall = |z: f64, d: f64| Ray {
            origin: Vec3::Z * z,
            direction: Vec3::Z * d,
        };
        let first = |r: Ray| Shape::Plane.span(&r).and_then(|s| s.first());
        assert_eq!(first(fall(2.0, -1.0)).unwrap().at, 2.0);
        assert!(first(fall(2.0, 1.0)).is_none());
        assert!(first(fall(-2.0, 1.0)).is_none());
        assert!(first(fall(-2.0, -1.0)).is_none());
    }
}
