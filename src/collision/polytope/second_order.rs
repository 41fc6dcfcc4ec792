//! The geometry of convex shapes near a surface point, to second order.

use super::axis::PARALLEL;
use super::convex::{Convex, Kind};
use super::feature::Spot;
use crate::collision::Smoothness;
use crate::spatial::{Mat3, Pose, Vec3};

/// Pivots [m] below this count as zero.
const SINGULAR: f64 = 1e-12;

/// The surface near a support point: x(n + δn) = x + `bend` δn + any combination of `flats`, valid
/// while n stays perpendicular to the flats.
#[derive(Clone, Copy)]
pub(super) struct Local {
    pub x: Vec3,
    pub bend: Mat3,
    pub flats: [Vec3; 2],
    pub flat_count: usize,
}

impl Local {
    /// The geometry of `spot` for the outward normal `n` (body frame); `None` if it has none.
    #[inline(always)]
    pub fn of(c: &Convex, spot: Spot, n: Vec3) -> Option<Local> {
        let corner = |x| Local {
            x,
            bend: Mat3::ZERO,
            flats: [Vec3::ZERO; 2],
            flat_count: 0,
        };
        let plane = |x: Vec3, normal: Vec3| {
            let [t1, t2] = tangents(normal);
            Local {
                flats: [t1, t2],
                flat_count: 2,
                ..corner(x)
            }
        };
        match (spot, &c.kind) {
            (Spot::Vertex(i), _) => Some(corner(c.hull.vertex(i))),
            (Spot::Edge([i, j]), _) => {
                let x = c.hull.vertex(i);
                Some(Local {
                    flats: [(c.hull.vertex(j) - x).normalized()?, Vec3::ZERO],
                    flat_count: 1,
                    ..corner(x)
                })
            }
            (Spot::Face(f), _) => {
                let face = c.hull.face(f);
                Some(plane(face.normal * face.offset, face.normal))
            }
            (Spot::Cap(upper), Kind::Cylinder { half_length, .. }) => {
                let s = if upper { 1.0 } else { -1.0 };
                Some(plane(Vec3::Z * (s * half_length), Vec3::Z * s))
            }
            (
                Spot::Rim(_) | Spot::Side,
                &Kind::Cylinder {
                    radius,
                    half_length,
                    ..
                },
            ) => {
                let across = (n.x * n.x + n.y * n.y).sqrt();
                if across < 1e-9 {
                    return None;
                }
                let out = Vec3::new(n.x, n.y, 0.0) * (1.0 / across);
                let around = Vec3::new(-out.y, out.x, 0.0);
                let local = Local {
                    bend: Mat3::outer(around, around) * (radius / across),
                    ..corner(out * radius)
                };
                Some(match spot {
                    Spot::Rim(upper) => Local {
                        x: local.x + Vec3::Z * if upper { half_length } else { -half_length },
                        ..local
                    },
                    _ => Local {
                        flats: [Vec3::Z, Vec3::ZERO],
                        flat_count: 1,
                        ..local
                    },
                })
            }
            (Spot::Smooth, Kind::Ellipsoid { semi_axes }) => {
                let e = semi_axes.scale(n);
                let h = e.norm();
                let x = semi_axes.scale(e) * (1.0 / h);
                let squares = Mat3::diagonal(semi_axes.scale(*semi_axes));
                Some(Local {
                    bend: (squares - Mat3::outer(x, x)) * (1.0 / h),
                    ..corner(x)
                })
            }
            _ => None,
        }
    }

    #[inline(always)]
    pub fn placed(&self, p: &Pose) -> Local {
        Local {
            x: p.point(self.x),
            bend: p.rot.mul_mat(&self.bend).mul_mat(&p.rot.transpose()),
            flats: self.flats.map(|f| p.rot.mul_vec(f)),
            flat_count: self.flat_count,
        }
    }
}

/// Two unit vectors that form a basis with the unit vector `n`.
fn tangents(n: Vec3) -> [Vec3; 2] {
    let far = if n.x.abs() < 0.6 { Vec3::X } else { Vec3::Y };
    let t = n.cross(far);
    let t = t * (1.0 / t.norm());
    [t, n.cross(t)]
}

/// The linearized optimality condition of two local geometries, for δn in the tangent basis and the
/// slides along the flats:
///
/// (bend_A + bend_B + gap) δn + Σ flat·slide = r, flat·δn = c.
pub(super) struct Condition {
    basis: [Vec3; 2],
    pub flats: [Vec3; 2],
    flat_count: usize,
    matrix: [[f64; 4]; 4],
}

impl Condition {
    /// `None` for more than two flats or two parallel ones: the contact is not a single point.
    #[inline(always)]
    pub fn new(n: Vec3, a: &Local, b: &Local, gap: f64) -> Option<Condition> {
        let flat_count = a.flat_count + b.flat_count;
        if flat_count > 2 {
            return None;
        }
        let mut flats = a.flats;
        flats[a.flat_count..flat_count].copy_from_slice(&b.flats[..b.flat_count]);
        if flat_count == 2 && flats[0].cross(flats[1]).norm() < PARALLEL {
            return None;
        }
        let basis = tangents(n);
        let bend = a.bend + b.bend + Mat3::IDENTITY * gap;
        let mut matrix = [[0.0; 4]; 4];
        for (i, t) in basis.iter().enumerate() {
            for (j, u) in basis.iter().enumerate() {
                matrix[i][j] = t.dot(bend.mul_vec(*u));
            }
            for (j, f) in flats[..flat_count].iter().enumerate() {
                matrix[i][2 + j] = t.dot(*f);
                matrix[2 + j][i] = t.dot(*f);
            }
        }
        Some(Condition {
            basis,
            flats,
            flat_count,
            matrix,
        })
    }

    /// (δn, slides) for the right-hand sides, and whether the solution is unique. If every direction is
    /// equally good (a ball centred on a cylinder's axis), the normal does not move.
    pub fn solve(&self, r: Vec3, c: [f64; 2]) -> (Vec3, [f64; 2], Smoothness) {
        let x = [self.basis[0].dot(r), self.basis[1].dot(r), c[0], c[1]];
        let (x, unique) = match self.flat_count {
            0 => eliminated::<2>(self.matrix, x),
            1 => eliminated::<3>(self.matrix, x),
            _ => eliminated::<4>(self.matrix, x),
        };
        let dn = self.basis[0] * x[0] + self.basis[1] * x[1];
        (dn, [x[2], x[3]], Smoothness::from_bool(unique))
    }

    /// Whether s(n) has a maximum here in the directions that the flats leave free.
    pub fn is_maximum(&self) -> bool {
        let [[a, b, ..], [_, d, ..], ..] = self.matrix;
        match self.flat_count {
            0 => a + d >= 0.0 && a * d - b * b >= -SINGULAR,
            1 => {
                let (p, q) = (self.matrix[2][0], self.matrix[2][1]);
                a * q * q - 2.0 * b * p * q + d * p * p >= -SINGULAR
            }
            _ => true,
        }
    }
}

/// The solution of the leading `N` equations by elimination with column pivots, and whether it is
/// unique. Undetermined unknowns are 0.
#[inline(always)]
fn eliminated<const N: usize>(mut m: [[f64; 4]; 4], mut x: [f64; 4]) -> ([f64; 4], bool) {
    let mut unique = true;
    for k in 0..N {
        let mut pivot = k;
        for i in k + 1..N {
            if m[i][k].abs() >= m[pivot][k].abs() {
                pivot = i;
            }
        }
        m.swap(k, pivot);
        x.swap(k, pivot);
        if m[k][k].abs() < SINGULAR {
            unique = false;
            continue;
        }
        for i in k + 1..N {
            let f = m[i][k] / m[k][k];
            for j in k..N {
                m[i][j] -= f * m[k][j];
            }
            x[i] -= f * x[k];
        }
    }
    for k in (0..N).rev() {
        for j in k + 1..N {
            x[k] -= m[k][j] * x[j];
        }
        x[k] = if m[k][k].abs() < SINGULAR {
            0.0
        } else {
            x[k] / m[k][k]
        };
    }
    (x, unique)
}
