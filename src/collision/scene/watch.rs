//! Bookkeeping on groups of pairs of links that cannot meet yet: odometers of the links' relative
//! motion, and the reading up to which each group may be skipped. Used by [`super::clearance`].

use crate::spatial::{Mat3, Pose, Vec3};

/// Odometers and known distances of the groups of a list.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    /// Rotations of the links and centres of their geoms at the last search, the world last.
    pub places: Vec<(Mat3, Vec3)>,
    /// Bound on the distance that two links have moved relative to each other, added up from search to
    /// search: of two moving links, and of a moving link and the world [m].
    pub odometer: [f64; 2],
    /// Per group, the reading of its odometer up to which no gap, less its pair's margin, can be zero
    /// [m].
    pub wake: Vec<f64>,
    pub apart: Vec<Apart>,
}

/// A measured distance between the geoms of two links.
#[derive(Clone, Copy, Debug)]
pub(super) struct Apart {
    /// Lower bound on the group's gaps, less each pair's margin [m].
    pub clear: f64,
    /// Placement of one link relative to the other at the measurement.
    pub place: (Mat3, Vec3),
    /// Number of successive measurements that saved no search, and number of the next measurements to skip.
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

/// Reading at which the odometers restart, in radii of the largest link, so that their round-off stays
/// below that of the gaps.
const MOST: f64 = 100.0;

impl Watch {
    /// For this many groups, between `slots` links including the world.
    pub fn new(groups: usize, slots: usize) -> Watch {
        Watch {
            places: vec![(Mat3::IDENTITY, Vec3::ZERO); slots],
            odometer: [0.0; 2],
            wake: vec![f64::NEG_INFINITY; groups],
            apart: vec![Apart::UNKNOWN; groups],
        }
    }

    /// Forgets all distances, because the geoms have changed.
    pub fn forget(&mut self) {
        self.wake.fill(f64::NEG_INFINITY);
        self.apart.fill(Apart::UNKNOWN);
    }

    /// Takes the links' current places, with the radii of their geoms about their centres.
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
        // Each of two links may have moved by this much.
        self.odometer[0] += 2.0 * beside;
        self.odometer[1] += alone;
        let most = MOST * bounds.iter().fold(0.0, |most: f64, b| most.max(b.1));
        if !is_sound || self.odometer.iter().any(|x| *x > most) {
            self.odometer = [0.0; 2];
            self.wake.fill(f64::NEG_INFINITY);
        }
    }
}

/// Largest distance that a point at unit distance from the axis moves when the rotation changes from
/// `then` to `now`.
pub(super) fn turn(now: &Mat3, then: &Mat3) -> f64 {
    let turn = *now - *then;
    // In the Frobenius norm two rotations differ by √2 times as much as in their effect on a vector.
    let squares = turn.c.iter().fold(0.0, |sum, c| sum + c.norm_squared());
    (0.5 * squares).sqrt()
}
