//! Names of the features in contact, and their packing into `ContactPoint::feature`.

/// Kind of a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(in crate::collision) enum Kind {
    /// The one smooth surface: plane, sphere, ellipsoid, the side of a capsule or cylinder.
    Surface,
    /// A box's vertex (bit k set where coordinate k is positive), a capsule's end (0 low, 1 high),
    /// or a point fixed on a cylinder's rim (4·end + quarter turns from x).
    Vertex,
    /// A box's edge: 4·axis + the vertex bits of the two other coordinates in cyclic order.
    Edge,
    /// A box's face (2·axis, + 1 on the positive side) or a cylinder's end (0 low, 1 high).
    Face,
    /// The circle about a cylinder's end (0 low, 1 high). A capsule's side may cross it twice: + 2
    /// where the capsule's axis crosses it outward.
    Rim,
    /// A point that moves on a cylinder's rim, a third of a turn from the lowest point (2·end + side).
    Spread,
    /// The place where a capsule's side crosses a box's edge (numbered as the edge), above the face that
    /// is the box's part.
    Crossing,
}

/// One shape's part in a contact. It keeps its number while the same part touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::collision) struct Feature {
    pub kind: Kind,
    pub index: u32,
}

const INDEX_BITS: u32 = 28;

impl Feature {
    pub const SURFACE: Feature = Feature::new(Kind::Surface, 0);

    #[inline(always)]
    pub const fn new(kind: Kind, index: u32) -> Feature {
        Feature { kind, index }
    }

    #[inline(always)]
    const fn bits(self) -> u64 {
        (((self.kind as u32) << INDEX_BITS) | self.index) as u64
    }

    #[inline(always)]
    const fn from_bits(bits: u32) -> Feature {
        let kind = match bits >> INDEX_BITS {
            1 => Kind::Vertex,
            2 => Kind::Edge,
            3 => Kind::Face,
            4 => Kind::Rim,
            5 => Kind::Spread,
            6 => Kind::Crossing,
            _ => Kind::Surface,
        };
        Feature::new(kind, bits & ((1 << INDEX_BITS) - 1))
    }
}

/// The feature number of a contact: A's part in the upper half, B's in the lower.
#[inline(always)]
pub(in crate::collision) const fn pack(a: Feature, b: Feature) -> u64 {
    (a.bits() << 32) | b.bits()
}

/// The features that [`pack`] put together.
#[inline(always)]
pub(in crate::collision) const fn unpack(feature: u64) -> (Feature, Feature) {
    (
        Feature::from_bits((feature >> 32) as u32),
        Feature::from_bits(feature as u32),
    )
}

/// The same contact's feature number with A and B exchanged.
#[inline(always)]
pub(in crate::collision) const fn exchange(feature: u64) -> u64 {
    feature.rotate_left(32)
}
