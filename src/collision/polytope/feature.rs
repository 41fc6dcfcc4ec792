//! The features of two polytopes that make a contact point, packed into 64 bits.

use super::hull::Hull;

/// A feature of a convex shape, curved ones included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spot {
    Vertex(u16),
    Edge([u16; 2]),
    Face(u16),
    /// The edge of a cylinder's lower (false) or upper cap.
    Rim(bool),
    /// A line along a cylinder's side.
    Side,
    Cap(bool),
    /// The surface of an ellipsoid.
    Smooth,
}

impl Spot {
    const BITS: u32 = 30;

    fn encode(self) -> u64 {
        match self {
            Spot::Vertex(i) => u64::from(i),
            Spot::Edge([i, j]) => 1 << 28 | u64::from(i) << 14 | u64::from(j),
            Spot::Face(f) => 2 << 28 | u64::from(f),
            Spot::Rim(upper) => 3 << 28 | u64::from(upper),
            Spot::Side => 3 << 28 | 2,
            Spot::Cap(upper) => 3 << 28 | 4 | u64::from(upper),
            Spot::Smooth => 3 << 28 | 6,
        }
    }

    fn decode(id: u64) -> Option<Spot> {
        let low = |shift: u32, bits: u32| (id >> shift & ((1 << bits) - 1)) as u16;
        Some(match (id >> 28 & 3, low(0, 16)) {
            (0, _) => Spot::Vertex(low(0, 14)),
            (1, _) => Spot::Edge([low(14, 14), low(0, 14)]),
            (2, f) => Spot::Face(f),
            (_, k @ 0..=1) => Spot::Rim(k == 1),
            (_, 2) => Spot::Side,
            (_, k @ 4..=5) => Spot::Cap(k == 5),
            (_, 6) => Spot::Smooth,
            _ => return None,
        })
    }

    fn fits(self, h: &Hull) -> bool {
        match self {
            Spot::Vertex(i) => usize::from(i) < h.vertices().len(),
            Spot::Edge(e) => e.iter().all(|&i| usize::from(i) < h.vertices().len()),
            Spot::Face(f) => usize::from(f) < h.faces().len(),
            _ => true,
        }
    }
}

/// The features of one contact point. `owner` is the body (0: A, 1: B) that holds the first feature
/// named. The other body holds the other feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// A vertex of the other body above a face of the owner. The face's normal is the contact's.
    FaceVertex { owner: u8, face: u16, vertex: u16 },
    /// Corner `corner` of the owner's face, projected along the face's normal onto a face of the other
    /// body.
    FaceCorner {
        owner: u8,
        face: u16,
        corner: u8,
        incident: u16,
    },
    /// Crossing of side `side` of the owner's face, as seen along its normal, with side `incident_side`
    /// of a face of the other body.
    SideSide {
        owner: u8,
        face: u16,
        side: u8,
        incident: u16,
        incident_side: u8,
    },
    /// Two edges, by their ends; the normal is perpendicular to both.
    EdgeEdge { a: [u16; 2], b: [u16; 2] },
    /// The edge of the owner nearest to a vertex of the other body.
    EdgeVertex {
        owner: u8,
        edge: [u16; 2],
        vertex: u16,
    },
    /// Two vertices.
    VertexVertex { a: u16, b: u16 },
    /// A feature of A and one of B, at least one of them of a curved shape.
    Spots([Spot; 2]),
    /// No features define a point (for example, two cylinders with a common axis). By convention the normal
    /// is fixed to A and the point to B; there is no derivative.
    Indefinite,
}

const KIND: u32 = 61;
const OWNER: u32 = 60;
/// Two bits a body: the number of the stand-in for a curved shape (see [`Feature::stand_ins`]).
const STAND_IN: u32 = 56;

impl Feature {
    /// The identity stored in [`crate::collision::ContactPoint::feature`].
    pub fn encode(self) -> u64 {
        let put = |kind: u64, owner: u8, fields: &[(u64, u32)]| {
            let packed = fields.iter().fold(0, |s, &(value, bits)| s << bits | value);
            kind << KIND | u64::from(owner) << OWNER | packed
        };
        match self {
            Feature::FaceVertex {
                owner,
                face,
                vertex,
            } => put(0, owner, &[(face.into(), 16), (vertex.into(), 14)]),
            Feature::FaceCorner {
                owner,
                face,
                corner,
                incident,
            } => put(
                1,
                owner,
                &[(face.into(), 16), (corner.into(), 8), (incident.into(), 16)],
            ),
            Feature::SideSide {
                owner,
                face,
                side,
                incident,
                incident_side,
            } => put(
                2,
                owner,
                &[
                    (face.into(), 16),
                    (side.into(), 8),
                    (incident.into(), 16),
                    (incident_side.into(), 8),
                ],
            ),
            Feature::EdgeEdge { a, b } => put(
                3,
                0,
                &[
                    (a[0].into(), 14),
                    (a[1].into(), 14),
                    (b[0].into(), 14),
                    (b[1].into(), 14),
                ],
            ),
            Feature::EdgeVertex {
                owner,
                edge,
                vertex,
            } => put(
                4,
                owner,
                &[
                    (edge[0].into(), 14),
                    (edge[1].into(), 14),
                    (vertex.into(), 14),
                ],
            ),
            Feature::VertexVertex { a, b } => put(5, 0, &[(a.into(), 14), (b.into(), 14)]),
            Feature::Indefinite => put(7, 0, &[]),
            Feature::Spots(s) => put(6, 0, &s.map(|s| (s.encode(), Spot::BITS))),
        }
    }

    /// The bits of the stand-ins of two shapes in a patch: 0 the shape's own hull or core, 1 the prism
    /// in a cylinder, 2 its axis.
    pub(super) fn stand_ins(which: [u8; 2]) -> u64 {
        (u64::from(which[0]) | u64::from(which[1]) << 2) << STAND_IN
    }

    /// The inverse of [`Feature::stand_ins`].
    pub(super) fn decode_stand_ins(id: u64) -> [u8; 2] {
        let bits = (id >> STAND_IN & 15) as u8;
        [bits & 3, bits >> 2]
    }

    /// Whether the named features exist in these hulls.
    pub(super) fn fits(&self, a: &Hull, b: &Hull) -> bool {
        let of = |owner: u8| if owner == 0 { (a, b) } else { (b, a) };
        let vertex = |h: &Hull, v: u16| usize::from(v) < h.vertices().len();
        let side = |h: &Hull, f: u16, k: u8| {
            usize::from(f) < h.faces().len() && usize::from(k) < h.polygon(f).len()
        };
        match *self {
            Feature::FaceVertex {
                owner,
                face,
                vertex: v,
            } => side(of(owner).0, face, 0) && vertex(of(owner).1, v),
            Feature::FaceCorner {
                owner,
                face,
                corner,
                incident,
            } => side(of(owner).0, face, corner) && side(of(owner).1, incident, 0),
            Feature::SideSide {
                owner,
                face,
                side: k,
                incident,
                incident_side,
            } => side(of(owner).0, face, k) && side(of(owner).1, incident, incident_side),
            Feature::EdgeEdge { a: ea, b: eb } => {
                ea.iter().all(|&v| vertex(a, v)) && eb.iter().all(|&v| vertex(b, v))
            }
            Feature::EdgeVertex {
                owner,
                edge,
                vertex: v,
            } => edge.iter().all(|&e| vertex(of(owner).0, e)) && vertex(of(owner).1, v),
            Feature::VertexVertex { a: va, b: vb } => vertex(a, va) && vertex(b, vb),
            Feature::Indefinite => true,
            Feature::Spots([sa, sb]) => sa.fits(a) && sb.fits(b),
        }
    }

    /// The inverse of [`Feature::encode`]; `None` for a number that it never returns.
    pub fn decode(id: u64) -> Option<Feature> {
        let owner = (id >> OWNER & 1) as u8;
        let get = |shift: u32, bits: u32| (id >> shift & ((1 << bits) - 1)) as u16;
        Some(match id >> KIND {
            0 => Feature::FaceVertex {
                owner,
                face: get(14, 16),
                vertex: get(0, 14),
            },
            1 => Feature::FaceCorner {
                owner,
                face: get(24, 16),
                corner: get(16, 8) as u8,
                incident: get(0, 16),
            },
            2 => Feature::SideSide {
                owner,
                face: get(32, 16),
                side: get(24, 8) as u8,
                incident: get(8, 16),
                incident_side: get(0, 8) as u8,
            },
            3 => Feature::EdgeEdge {
                a: [get(42, 14), get(28, 14)],
                b: [get(14, 14), get(0, 14)],
            },
            4 => Feature::EdgeVertex {
                owner,
                edge: [get(28, 14), get(14, 14)],
                vertex: get(0, 14),
            },
            5 => Feature::VertexVertex {
                a: get(14, 14),
                b: get(0, 14),
            },
            6 => Feature::Spots([
                Spot::decode(id >> Spot::BITS)?,
                Spot::decode(id & ((1 << Spot::BITS) - 1))?,
            ]),
            _ => Feature::Indefinite,
        })
    }
}
