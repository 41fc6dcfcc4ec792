//! What is known of pairs of links that cannot meet yet.

use crate::spatial::{Mat3, Pose, Vec3};

/// What is known of the groups of a list.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    /// Rotations of the links and centres of their geometries at the last search, the world last.
    pub places: Vec<(Mat3, Vec3)>,
    /// No two links have moved farther against each other, added up from search to search; of two that
    /// move, and of one that moves and the world [m].
    pub odometer: [f64; 2],
    /// Per group, the reading of its odometer up to which no gap can be zero, its pair's margin taken off
    /// [m].
    pub wake: Vec<f64>,
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

/// At this reading, in radii of the largest link, the odometers begin anew: round-off must stay below that
/// of the gaps.
const MOST: f64 = 100.0;

impl Watch {
    pub const EMPTY: Watch = Watch {
        places: Vec::new(),
        odometer: [0.0; 2],
        wake: Vec::new(),
        apart: Vec::new(),
    };

    /// Of so many groups, between links of which there are `slots` with the world.
    pub fn new(groups: usize, slots: usize) -> Watch {
        Watch {
            places: vec![(Mat3::IDENTITY, Vec3::ZERO); slots],
            odometer: [0.0; 2],
            wake: vec![f64::NEG_INFINITY; groups],
            apart: vec![Apart::UNKNOWN; groups],
        }
    }

    /// The geometries are others.
    pub fn forget(&mut self) {
        self.wake.fill(f64::NEG_INFINITY);
        self.apart.fill(Apart::UNKNOWN);
    }

    /// Takes where the links are now, with the radii of their geometries about their centres.
    pub fn advance(&mut self, frames: &[Pose], centers: &[Vec3], bounds: &[(Vec3, f64)]) {
        let moving = frames.len() - 1;
        let both = self.places[..moving].iter().zip(centers);
        let sum = both.fold(Vec3::ZERO, |sum, (then, now)| sum + (*now - then.1));
        let common = sum * (1.0 / moving.max(1) as f64);
        let (mut beside, mut alone) = (0.0_f64, 0.0_f64);
        let mut is_sound = true;
        let links = frames[..moving].iter().zip(centers).zip(bounds);
        for (((frame, center), (_, radius)), then) in links.zip(&mut self.places) {
            let shift = *center - then.1;
            let turned = turn(&frame.rot, &then.0) * radius;
            let (own, all) = ((shift - common).norm() + turned, shift.norm() + turned);
            is_sound &= own <= f64::MAX && all <= f64::MAX;
            (beside, alone) = (beside.max(own), alone.max(all));
            *then = (frame.rot, *center);
        }
        // Each of two links may have moved so.
        self.odometer[0] += 2.0 * beside;
        self.odometer[1] += alone;
        let most = MOST * bounds.iter().fold(0.0, |most: f64, b| most.max(b.1));
        if !is_sound || self.odometer.iter().any(|x| *x > most) {
            self.odometer = [0.0; 2];
            self.wake.fill(f64::NEG_INFINITY);
        }
    }
}

/// How far a point at unit distance from the axis moves at most where one rotation takes the place of
/// another.
pub(super) fn turn(now: &Mat3, then: &Mat3) -> f64 {
    let turn = *now - *then;
    // Two rotations differ by √2 times as much in this norm as in their effect on a vector.
    let squares = turn.c.iter().fold(0.0, |sum, c| sum + c.norm_squared());
    (0.5 * squares).sqrt()
}
