//! What is known of pairs of links that cannot meet yet.

use crate::spatial::{Mat3, Vec3};

/// What is known of the groups of a list.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    /// Groups that were within the skin, in their order.
    pub near: Vec<u32>,
    /// The centres of the links then, the distance by which all were looked for farther, and the skin [m].
    pub centers: Vec<Vec3>,
    pub wider: f64,
    pub skin: f64,
    pub is_chosen: bool,
    /// Whether something bounded stands in the world.
    pub has_world: bool,
    pub apart: Vec<Apart>,
}

/// How far apart the geometries of two links were.
#[derive(Clone, Copy, Debug)]
pub(super) struct Apart {
    /// No gap of the group was smaller, its pair's margin taken off [m].
    pub clear: f64,
    /// Placement of the one link against the other then.
    pub place: (Mat3, Vec3),
    /// Measurements that spared nothing, one after the other, and how many more are left out.
    pub doubts: u8,
    pub spared: u8,
}

impl Apart {
    const UNKNOWN: Apart = Apart {
        clear: f64::NEG_INFINITY,
        place: (Mat3::IDENTITY, Vec3::ZERO),
        doubts: 0,
        spared: 0,
    };
}

impl Watch {
    pub const EMPTY: Watch = Watch {
        near: Vec::new(),
        centers: Vec::new(),
        wider: 0.0,
        skin: 0.0,
        is_chosen: false,
        has_world: false,
        apart: Vec::new(),
    };

    /// Of so many groups, between links of which there are `slots` with the world. `has_world`: whether something
    /// bounded stands in the world.
    pub fn new(groups: usize, slots: usize, has_world: bool) -> Watch {
        Watch {
            near: Vec::with_capacity(groups),
            centers: vec![Vec3::ZERO; slots],
            has_world,
            apart: vec![Apart::UNKNOWN; groups],
            ..Watch::EMPTY
        }
    }

    /// The geometries are others.
    pub fn forget(&mut self) {
        self.is_chosen = false;
        self.apart.fill(Apart::UNKNOWN);
    }
}
