//! The face between two elements of a hydroelastic contact: where two pressures are equal, or where a
//! rigid surface lies in a pressure field.

use super::cell::{Cell, Elements, View};
use super::mesh::{Representation, Slab};
use super::polygon::{Half, Polygon};
use super::scalar::{Number, Seeded, V3};
use crate::spatial::Vec3;

/// Relative to the size of a mesh: points nearer than this to a plane lie in it.
const IN_PLANE: f64 = 1e-10;

/// Relative to the square of that size: smaller areas count as zero.
const LEAST_AREA: f64 = 1e-20;

/// Cosines between the normal and the slope of the pressure. Up to NONE there is no face; from FULL on
/// it counts in full. NONE is that of Drake's filter, 5π/8.
const NONE: f64 = -0.3826834323650898;
const FULL: f64 = -0.3;

/// Cosine below which the slope of a face is increased, and the least cosine used. A face along the
/// pressure's slope would have slope zero and an unbounded gap.
const STEEP: f64 = 0.06;
const LEAST: f64 = 0.015;

/// A pressure field E e with a linear extent e.
#[derive(Clone, Copy)]
struct Field<T> {
    modulus: T,
    at: V3<T>,
    extent: f64,
    gradient: V3<T>,
    steepness: T,
}

impl<T: Number> Field<T> {
    fn of(cell: &impl Cell<T>, modulus: T) -> Field<T> {
        Field {
            modulus,
            at: cell.corner(0),
            extent: cell.extents()[0],
            gradient: cell.gradient(),
            steepness: cell.steepness(),
        }
    }

    /// The half space in which the pressure has this sign.
    fn half(&self, sign: f64) -> Half<T> {
        let signed = self.modulus * T::of(sign);
        Half {
            at: self.at,
            normal: self.gradient.times(signed),
            offset: signed * T::of(self.extent),
        }
    }

    fn pressure(&self, x: V3<T>) -> T {
        self.modulus * (T::of(self.extent) + self.gradient.dot(x - self.at))
    }

    /// The weight of a face with this outward normal, and the slope of the pressure along it, which is
    /// never small; `None` for weight zero.
    fn press(&self, outward: V3<T>) -> Option<(T, T)> {
        let cosine = -(self.gradient.dot(outward)) * (T::of(1.0) / self.steepness);
        let c = cosine.value();
        if c <= NONE || c.is_nan() {
            return None;
        }
        let slope = self.modulus * self.steepness * steep(cosine);
        if c >= FULL {
            return Some((T::of(1.0), slope));
        }
        let share = (cosine - T::of(NONE)) * T::of(1.0 / (FULL - NONE));
        let part = share * share * (T::of(3.0) - share - share);
        Some((part, slope))
    }
}

/// The cosine used for the slope: unchanged from [`STEEP`] on, [`LEAST`] far below, a parabola in
/// between.
fn steep<T: Number>(cosine: T) -> T {
    let from = STEEP - 2.0 * (STEEP - LEAST);
    let c = cosine.value();
    if c >= STEEP {
        cosine
    } else if c <= from {
        T::of(LEAST)
    } else {
        let above = cosine - T::of(from);
        T::of(LEAST) + above * above * T::of(0.25 / (STEEP - LEAST))
    }
}

/// A polygon in a plane with the fields on both sides.
pub(super) struct Section<T> {
    polygon: Polygon<T>,
    /// From the first body into the second.
    normal: V3<T>,
    field: Field<T>,
    part: T,
    slope: T,
    /// Of the meshes [m].
    size: f64,
}

/// Geometry and stiffness of a face.
pub(super) struct Sheet<T> {
    pub centroid: V3<T>,
    pub normal: V3<T>,
    pub area: T,
    pub gap: T,
    pub stiffness: T,
    /// The derivative jumps here: it differs on the other side of an edge.
    pub tied: bool,
}

impl<T: Number> Section<T> {
    /// The part of the section where the pressure is positive, or (`pressed` false) where it is negative.
    pub fn sheet(&self, pressed: bool) -> Option<Sheet<T>> {
        let (field, polygon) = (&self.field, self.part(pressed));
        let least = LEAST_AREA * self.size * self.size;
        let (area, centroid) = polygon.measure(self.normal, least)?;
        let area = area * self.part;
        Some(Sheet {
            centroid,
            normal: self.normal,
            area,
            gap: -(field.pressure(centroid)) / self.slope,
            stiffness: area * self.slope,
            tied: polygon.tied,
        })
    }

    /// The polygon of that part.
    fn part(&self, pressed: bool) -> Polygon<T> {
        let sign = if pressed { 1.0 } else { -1.0 };
        let slope = self.field.modulus.value() * self.field.steepness.value();
        let half = self.field.half(sign);
        let tolerance = IN_PLANE * self.size * slope;
        let mut polygon = self.polygon;
        polygon.cut(&half.plain(), || half, pressed, tolerance);
        polygon
    }

    /// Calls `visit` with the vertices of that part and the pressures there, in order around the polygon.
    pub fn outline(&self, pressed: bool, mut visit: impl FnMut(V3<T>, T)) {
        for x in self.part(pressed).vertices() {
            visit(*x, self.field.pressure(*x));
        }
    }

    fn new(
        polygon: Polygon<T>,
        normal: V3<T>,
        [first, second]: [Option<Field<T>>; 2],
        view: &View,
    ) -> Option<Section<T>> {
        if polygon.is_none() {
            return None;
        }
        let a = first.map(|f| f.press(normal));
        let b = second.map(|f| f.press(-normal));
        let (part, slope) = match (a, b) {
            (Some(a), Some(b)) => {
                let ((wa, ga), (wb, gb)) = (a?, b?);
                (wa * wb, ga * gb / (ga + gb))
            }
            (Some(one), None) | (None, Some(one)) => one?,
            (None, None) => return None,
        };
        // Both fields are equal on the face. The first one is exact at its corners.
        let field = first.or(second)?;
        Some(Section {
            polygon,
            normal,
            field,
            part,
            slope,
            size: view.size,
        })
    }
}

/// Cuts a polygon by the walls of a tetrahedron.
fn keep_within<T: Number>(polygon: &mut Polygon<T>, cell: &impl Cell<T>, tolerance: f64) {
    for k in 0..4 {
        if polygon.is_none() {
            break;
        }
        // Points in the plane of a wall belong to one side only.
        let (plain, closed) = cell.plain_wall(k);
        polygon.cut(&plain, || cell.wall(k), closed, tolerance);
    }
}

impl View {
    fn tolerance(&self) -> f64 {
        IN_PLANE * self.size
    }

    fn slab_field<T: Seeded>(&self, slab: &Slab) -> Field<T> {
        Field {
            modulus: T::modulus(1, self.moduli[1]),
            at: self.point(Vec3::ZERO),
            extent: 0.0,
            gradient: self.direction(Vec3::Z * (-1.0 / slab.thickness)),
            steepness: T::of(1.0 / slab.thickness),
        }
    }

    /// The face between two elements. The first body must be compliant, either a mesh or the partner of
    /// one. `elements` tells how the elements vary.
    pub fn section<T: Seeded>(
        &self,
        first: &Representation,
        second: &Representation,
        [i, j]: [u32; 2],
        elements: &impl Elements<T>,
    ) -> Option<Section<T>> {
        let (i, j) = (i as usize, j as usize);
        match (first, second) {
            (Representation::Compliant(m), other) => {
                let t = &elements.first(&m.0.cells[i]);
                let field = Field::of(t, T::modulus(0, self.moduli[0]));
                match other {
                    Representation::Rigid(n) => {
                        let facet = elements.facet(self, &n.0.facets[j]);
                        self.facet_in_cell(t, field, facet)
                    }
                    Representation::RigidPlane => {
                        let (at, up) = (self.point(Vec3::ZERO), self.direction(Vec3::Z));
                        let polygon = self.cut_cell(t, |_, x| up.dot(x - at));
                        Section::new(polygon, -up, [Some(field), None], self)
                    }
                    Representation::Compliant(n) => {
                        let u = &elements.second(self, &n.0.cells[j]);
                        self.cells(t, field, u)
                    }
                    Representation::CompliantPlane(slab) => {
                        let other = self.slab_field(slab);
                        let (mut polygon, normal) = self.equal(t, &field, &other)?;
                        let below = Half {
                            at: self.point(Vec3::ZERO),
                            normal: self.direction(-Vec3::Z),
                            offset: T::of(slab.layer),
                        };
                        let plain = below.plain();
                        polygon.cut(&plain, || below, true, self.tolerance());
                        Section::new(polygon, normal, [Some(field), Some(other)], self)
                    }
                }
            }
            (Representation::CompliantPlane(slab), Representation::Rigid(n)) => {
                let (corners, normal) = elements.facet(self, &n.0.facets[j]);
                let field = Field {
                    modulus: T::modulus(0, self.moduli[0]),
                    at: V3::of(Vec3::ZERO),
                    extent: 0.0,
                    gradient: V3::of(Vec3::Z * (-1.0 / slab.thickness)),
                    steepness: T::of(1.0 / slab.thickness),
                };
                let below = Half {
                    at: V3::of(Vec3::ZERO),
                    normal: V3::of(-Vec3::Z),
                    offset: T::of(slab.layer),
                };
                let mut polygon = Polygon::triangle(corners);
                polygon.cut(&below.plain(), || below, true, self.tolerance());
                Section::new(polygon, -normal, [Some(field), None], self)
            }
            _ => None,
        }
    }

    fn facet_in_cell<T: Seeded>(
        &self,
        t: &impl Cell<T>,
        field: Field<T>,
        (corners, normal): ([V3<T>; 3], V3<T>),
    ) -> Option<Section<T>> {
        // A facet that faces away carries no pressure.
        field.press(-normal)?;
        let mut polygon = Polygon::triangle(corners);
        keep_within(&mut polygon, t, self.tolerance());
        Section::new(polygon, -normal, [Some(field), None], self)
    }

    fn cells<T: Seeded>(
        &self,
        t: &impl Cell<T>,
        field: Field<T>,
        u: &impl Cell<T>,
    ) -> Option<Section<T>> {
        let other = Field::of(u, T::modulus(1, self.moduli[1]));
        let (mut polygon, normal) = self.equal(t, &field, &other)?;
        keep_within(&mut polygon, u, self.tolerance());
        Section::new(polygon, normal, [Some(field), Some(other)], self)
    }

    /// The polygon on which two pressures are equal in a tetrahedron of the first body, and its normal
    /// out of that body.
    fn equal<T: Seeded>(
        &self,
        t: &impl Cell<T>,
        field: &Field<T>,
        other: &Field<T>,
    ) -> Option<(Polygon<T>, V3<T>)> {
        let rise = other.gradient.times(other.modulus) - field.gradient.times(field.modulus);
        let size = rise.dot(rise);
        let steep = field.modulus.value() * field.steepness.value()
            + other.modulus.value() * other.steepness.value();
        // Fields with the same slope are equal nowhere or everywhere.
        let least = (IN_PLANE * steep) * (IN_PLANE * steep);
        if size.value() <= least || size.value().is_nan() {
            return None;
        }
        let by = T::of(1.0) / size.sqrt();
        let polygon = self.cut_cell(t, |extent, x| {
            (other.pressure(x) - field.modulus * T::of(extent)) * by
        });
        (!polygon.is_none()).then(|| (polygon, rise.times(by)))
    }

    /// The section of a tetrahedron by a plane. `distance` gives the signed distance of a corner from
    /// its extent and place.
    fn cut_cell<T: Seeded>(
        &self,
        t: &impl Cell<T>,
        distance: impl Fn(f64, V3<T>) -> T,
    ) -> Polygon<T> {
        let (corners, extents) = ([0, 1, 2, 3].map(|k| t.corner(k)), t.extents());
        let s = std::array::from_fn(|k| distance(extents[k], corners[k]));
        Polygon::section(&corners, &s, self.tolerance())
    }
}
