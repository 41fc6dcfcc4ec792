//! The hydroelastic faces between two bodies, and their derivatives.

use super::cell::{Fixed, View};
use super::element::Volume;
use super::mesh::{Representation, Slab};
use super::polygon::MOST;
use super::scalar::{V3, Varied};
use super::section::Sheet;
use crate::collision::{ContactDerivative, ContactPoint, Smoothness};
use crate::spatial::{Mat3, Pose, Vec3};

/// One of two bodies.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    pub body: &'a Representation,
    pub pose: &'a Pose,
    /// Modulus of a compliant body [Pa].
    pub modulus: f64,
}

/// Data of a face that a point contact does not have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Press {
    /// Area, multiplied by the weight of the face [m²].
    pub area: f64,
    /// Slope of its force by its gap [N/m].
    pub stiffness: f64,
}

impl Press {
    /// The pressure at the centroid of a face with this gap [Pa]; negative if the face is not closed.
    pub fn pressure(&self, gap: f64) -> f64 {
        -gap * self.stiffness / self.area
    }
}

/// A face between element `part[0]` of A and `part[1]` of B.
#[derive(Clone, Copy, Debug)]
pub struct Face {
    pub point: ContactPoint,
    pub press: Press,
    pub part: [u32; 2],
}

/// Derivative of a face by a quantity other than the placements of the bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shift {
    pub point: Vec3,
    pub normal: Vec3,
    pub gap: f64,
    pub stiffness: f64,
}

/// Derivative of a face.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FaceDerivative {
    pub motion: ContactDerivative,
    /// Derivative of the stiffness: coefficients on (ζ.lin, ζ.ang), as for the gap.
    pub stiffness: [Vec3; 2],
    /// Derivative of the area: coefficients on (ζ.lin, ζ.ang).
    pub area: [Vec3; 2],
    /// Derivatives by the moduli of A and B, per Pa.
    pub by_modulus: [Shift; 2],
}

/// Pressures are compared with this factor, which is more than their round-off.
const MORE: f64 = 1.0 + 1e-9;

/// Feature numbers of a face: closed, or predicted (beyond the zero of the pressure).
pub(super) const PRESSED: u64 = 1;
const FORESEEN: u64 = 2;

/// Two bodies in the order of the formulas. The first is a compliant mesh, or the compliant half space
/// that meets a rigid mesh.
pub(super) struct Ordered<'a> {
    pub first: Side<'a>,
    pub second: Side<'a>,
    pub is_swapped: bool,
}

impl<'a> Ordered<'a> {
    pub fn of(a: Side<'a>, b: Side<'a>) -> Ordered<'a> {
        let rank = |s: &Side| match s.body {
            Representation::Compliant(_) => 0,
            Representation::CompliantPlane(_) => 1,
            Representation::Rigid(_) | Representation::RigidPlane => 2,
        };
        let is_swapped = rank(&b) < rank(&a);
        let (first, second) = if is_swapped { (b, a) } else { (a, b) };
        Ordered {
            first,
            second,
            is_swapped,
        }
    }

    pub fn view(&self) -> View {
        let pose = self.first.pose.relative(self.second.pose);
        let size = match (self.first.body, self.second.body) {
            (Representation::Compliant(m), _) => m.0.size,
            (Representation::CompliantPlane(slab), _) => slab.thickness,
            _ => 1.0,
        };
        View {
            pose,
            about: Vec3::ZERO,
            moduli: [self.first.modulus, self.second.modulus],
            size,
        }
    }

    /// Bound on the slope of the pressure along a face's normal [Pa/m].
    fn steepest(&self) -> f64 {
        let [a, b] = [self.first, self.second].map(|side| match side.body {
            Representation::Compliant(m) => side.modulus * m.0.steepest,
            Representation::CompliantPlane(slab) => side.modulus / slab.thickness,
            Representation::Rigid(_) | Representation::RigidPlane => f64::INFINITY,
        });
        match a.max(b).is_finite() {
            true => a * b / (a + b),
            false => a.min(b),
        }
    }

    pub fn part(&self, [i, j]: [u32; 2]) -> [u32; 2] {
        if self.is_swapped { [j, i] } else { [i, j] }
    }
}

/// Whether two bodies have hydroelastic contact: one is compliant, and not both are half spaces.
pub fn meets(a: &Representation, b: &Representation) -> bool {
    (a.is_compliant() || b.is_compliant()) && !(a.is_plane() && b.is_plane())
}

/// Gives the faces of two bodies that [`meets`] accepts to `sink`: the closed ones, and those within the
/// layers of both with gaps up to `reach` [m] (and some with larger gaps). The order depends only on the
/// bodies.
pub fn collide(a: Side<'_>, b: Side<'_>, reach: f64, mut sink: impl FnMut(Face)) {
    let o = Ordered::of(a, b);
    let view = o.view();
    // A face with a lower pressure has a larger gap.
    let least = -MORE * reach * o.steepest();
    let mut pair = |i: u32, j: u32| {
        let Some(section) = view.section::<f64>(o.first.body, o.second.body, [i, j], &Fixed) else {
            return;
        };
        for (pressed, feature) in [(true, PRESSED), (false, FORESEEN)] {
            let Some(sheet) = section.sheet(pressed) else {
                continue;
            };
            let out = o.first.pose.rot.mul_vec(sheet.normal.value());
            sink(Face {
                point: ContactPoint {
                    point: o.first.pose.point(sheet.centroid.value()),
                    normal: if o.is_swapped { -out } else { out },
                    gap: sheet.gap,
                    feature,
                },
                press: Press {
                    area: sheet.area,
                    stiffness: sheet.stiffness,
                },
                part: o.part([i, j]),
            });
        }
    };
    match (o.first.body, o.second.body) {
        (Representation::Compliant(m), Representation::Compliant(n)) => {
            (m.0.tree).find_pairs(&n.0.tree, &view.pose, (view.moduli, least), pair);
        }
        (Representation::Compliant(m), Representation::Rigid(n)) => {
            // A rigid body may have the modulus 0, and its pressure is unbounded.
            let moduli = [view.moduli[0], 1.0];
            m.0.tree
                .find_pairs(&n.0.tree, &view.pose, (moduli, least), pair);
        }
        (Representation::Compliant(m), Representation::RigidPlane) => {
            let meets = |height: f64, half: f64, most: f64| {
                height.abs() <= half && view.moduli[0] * most >= least
            };
            along_plane(&m.0, &view.pose, meets, |i| pair(i, 0));
        }
        (Representation::Compliant(m), Representation::CompliantPlane(slab)) => {
            let [e, f] = view.moduli;
            let meets = |height: f64, half: f64, most: f64| {
                let low = height - half;
                low <= slab.layer && (e * most).min(-f * low / slab.thickness) >= least
            };
            along_plane(&m.0, &view.pose, meets, |i| pair(i, 0));
        }
        (Representation::CompliantPlane(slab), Representation::Rigid(n)) => {
            let pose = &view.pose;
            let up = pose.rot.tr_mul_vec(Vec3::Z);
            let Slab { thickness, layer } = *slab;
            let meets = |centre: Vec3, half: Vec3, _: f64| {
                let low = up.dot(centre) + pose.pos.z - up.abs().dot(half);
                low <= layer && -view.moduli[0] * low / thickness >= least
            };
            n.0.tree.find(meets, |j| pair(0, j));
        }
        _ => {}
    }
}

/// Visits the cells of a mesh whose boxes `meets` accepts. The arguments of `meets` are the height of a
/// box's centre over a plane, the box's half extent along the normal, and the largest pressure in it.
fn along_plane(
    m: &Volume,
    plane: &Pose,
    meets: impl Fn(f64, f64, f64) -> bool,
    visit: impl FnMut(u32),
) {
    let up = plane.rot.c[2];
    let is_near = |centre: Vec3, half: Vec3, most: f64| {
        meets(up.dot(centre - plane.pos), up.abs().dot(half), most)
    };
    m.tree.find(is_near, visit);
}

/// Most vertices of a face.
pub const MOST_VERTICES: usize = MOST;

/// Calls `visit` with the vertices of a face that [`collide`] gave, in the world, and the pressures there
/// [Pa]. They go around the face.
pub fn outline(
    a: Side<'_>,
    b: Side<'_>,
    feature: u64,
    part: [u32; 2],
    mut visit: impl FnMut(Vec3, f64),
) {
    let o = Ordered::of(a, b);
    let (bodies, part) = ((o.first.body, o.second.body), o.part(part));
    if let Some(section) = o.view().section::<f64>(bodies.0, bodies.1, part, &Fixed) {
        section.outline(feature == PRESSED, |x, pressure| {
            visit(o.first.pose.point(x.value()), pressure);
        });
    }
}

/// The derivative of a face that [`collide`] gave, for its elements `part` of A and B.
pub fn differentiate(
    a: Side<'_>,
    b: Side<'_>,
    point: &ContactPoint,
    part: [u32; 2],
    out: &mut FaceDerivative,
) -> Smoothness {
    let o = Ordered::of(a, b);
    let view = View {
        about: o.first.pose.inverse_point(point.point),
        ..o.view()
    };
    let section = view.section::<Varied>(o.first.body, o.second.body, o.part(part), &Fixed);
    let Some(sheet) = section.and_then(|s| s.sheet(point.feature == PRESSED)) else {
        *out = FaceDerivative::default();
        return Smoothness::Degenerate;
    };
    let to_world = &o.first.pose.rot;
    read(&sheet, to_world, out);
    if o.is_swapped {
        out.motion = out.motion.swapped(-point.normal);
        let turned = |[lin, ang]: [Vec3; 2]| [-lin, -ang];
        (out.stiffness, out.area) = (turned(out.stiffness), turned(out.area));
        out.by_modulus.swap(0, 1);
        for shift in &mut out.by_modulus {
            shift.normal = -shift.normal;
        }
    }
    match sheet.tied {
        true => Smoothness::Degenerate,
        false => Smoothness::Smooth,
    }
}

/// Reads the derivatives of a face and rotates them into the world.
fn read(sheet: &Sheet<Varied>, to_world: &Mat3, out: &mut FaceDerivative) {
    let column =
        |v: &V3<Varied>, k: usize| to_world.mul_vec(Vec3::from_slice(&v.0.map(|x| x.d[k])));
    let back = to_world.transpose();
    let block = |v: &V3<Varied>, first: usize| {
        let by = [0, 1, 2].map(|k| column(v, first + k));
        Mat3::from_columns(by[0], by[1], by[2]).mul_mat(&back)
    };
    let row = |x: Varied, first: usize| to_world.mul_vec(Vec3::from_slice(&x.d[first..first + 3]));
    out.motion = ContactDerivative {
        point: [0, 3].map(|k| block(&sheet.centroid, k)),
        normal: [0, 3].map(|k| block(&sheet.normal, k)),
        gap: [0, 3].map(|k| row(sheet.gap, k)),
    };
    out.stiffness = [0, 3].map(|k| row(sheet.stiffness, k));
    out.area = [0, 3].map(|k| row(sheet.area, k));
    out.by_modulus = [6, 7].map(|k| Shift {
        point: column(&sheet.centroid, k),
        normal: column(&sheet.normal, k),
        gap: sheet.gap.d[k],
        stiffness: sheet.stiffness.d[k],
    });
}
