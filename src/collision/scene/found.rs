//! The contacts of a search, and whether they differ from those of the last search.

use super::crowd::Crowd;
use super::face::Face;
use super::pairs::PairFriction;
use crate::collision::ContactPoint;
use crate::collision::patch::Press;
use crate::error::{Error, Result};

/// A contact of the scene: one point of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SceneContact {
    pub geom: [usize; 2],
    /// Links of both sides, or [`WORLD`].
    pub link: [usize; 2],
    /// The part of each geom that touches: the convex piece of a mesh, the triangle of a height field,
    /// else 0.
    pub part: [u32; 2],
    /// The point lies on the flat face that gives the normal, else midway between the surfaces.
    pub point: ContactPoint,
    pub(super) face: Face,
    /// 1: frictionless, 3: sliding friction, 4: with torsion, 6: with rolling.
    pub condim: i32,
    pub friction: PairFriction,
    /// Set for a face of a hydroelastic patch.
    pub press: Option<Press>,
}

impl SceneContact {
    /// Both geoms as one number.
    pub fn pair_key(&self) -> u32 {
        pair_key(self.geom)
    }

    /// Hash of the features and parts that touch. It stays the same from step to step while the same ones
    /// touch.
    pub fn identity(&self) -> u64 {
        let [a, b] = self.part;
        let part = u64::from(a) << 32 | u64::from(b);
        // An odd factor spreads the parts over all bits. Part 0 leaves the feature unchanged.
        self.point.feature ^ part.wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }
}

/// Geom indices fit in half a key.
pub(super) const MAX_GEOMS: usize = 1 << 16;

pub(super) fn pair_key(geom: [usize; 2]) -> u32 {
    (geom[0] as u32) << 16 | geom[1] as u32
}

/// Contacts, written over those of the last search.
#[derive(Debug)]
pub(super) struct Found {
    contacts: Vec<SceneContact>,
    /// Number of contacts of the running search. The contacts behind them are from the last one.
    pub count: usize,
    /// The contacts differ from those of the last search.
    changed: bool,
    capacity: usize,
    /// Counts of the last search if it found too many contacts.
    pub crowd: Crowd,
}

impl Found {
    /// # Errors
    /// `Capacity` if there is not enough memory.
    pub fn new(capacity: usize) -> Result<Found> {
        let mut contacts = Vec::new();
        if contacts.try_reserve_exact(capacity).is_err() {
            return Err(Error::capacity(format!(
                "options.max_contacts: there is no memory for {capacity} contacts"
            )));
        }
        Ok(Found {
            contacts,
            count: 0,
            changed: false,
            capacity,
            crowd: Crowd::default(),
        })
    }

    pub fn contacts(&self) -> &[SceneContact] {
        &self.contacts
    }

    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Whether the search found more contacts than the capacity.
    pub fn is_crowd(&self) -> bool {
        self.crowd.is_there()
    }

    pub fn clear(&mut self) {
        self.contacts.clear();
        self.begin();
    }

    pub fn begin(&mut self) {
        (self.count, self.changed) = (0, false);
        self.crowd = Crowd::default();
    }

    /// Adds a contact unless the capacity is used up. Returns whether it was added.
    pub fn push(&mut self, contact: SceneContact) -> bool {
        if self.count == self.capacity {
            return false;
        }
        match self.contacts.get_mut(self.count) {
            Some(old) => {
                self.changed |= *old != contact;
                *old = contact;
            }
            None => {
                self.changed = true;
                self.contacts.push(contact);
            }
        }
        self.count += 1;
        true
    }

    /// Takes the contacts of the last search. Return them with [`Found::put_back`].
    pub fn take(&mut self) -> Vec<SceneContact> {
        std::mem::take(&mut self.contacts)
    }

    pub fn put_back(&mut self, contacts: Vec<SceneContact>) {
        self.count = contacts.len();
        self.contacts = contacts;
    }

    /// Adds a contact to those of the last search.
    ///
    /// # Errors
    /// `Capacity` if the capacity is used up.
    pub fn add(&mut self, contact: SceneContact) -> Result<()> {
        if self.contacts.len() == self.capacity {
            return Err(Error::capacity(format!(
                "options.max_contacts: {} do not suffice",
                self.capacity
            )));
        }
        self.contacts.push(contact);
        self.count = self.contacts.len();
        Ok(())
    }

    /// Counts the contacts of a pair of which some exceed the capacity, and removes the others.
    pub fn leave_out(&mut self, geoms: [usize; 2], from: usize, missed: usize) {
        self.crowd.count(geoms, self.count - from + missed);
        self.count = from;
        self.changed = true;
    }

    /// Drops the remaining contacts of the last search. Returns whether the contacts differ from it.
    ///
    /// # Errors
    /// `Capacity` if there are more contacts than the capacity, `Numerical` if one is not finite. There
    /// are no contacts then.
    pub fn end(&mut self) -> Result<bool> {
        self.changed |= self.count != self.contacts.len();
        self.contacts.truncate(self.count);
        let refused = if self.crowd.is_there() {
            self.refuse_crowd()
        } else if let Some(error) = self.not_finite() {
            error
        } else {
            return Ok(self.changed);
        };
        self.contacts.clear();
        Err(refused)
    }

    /// Adds the stored contacts to the counts as well.
    fn refuse_crowd(&mut self) -> Error {
        for pair in self.contacts.chunk_by(|a, b| a.geom == b.geom) {
            self.crowd.count(pair[0].geom, pair.len());
        }
        Error::capacity(format!(
            "options.max_contacts: {} do not suffice for {} contacts",
            self.capacity, self.crowd.needed
        ))
    }

    fn not_finite(&self) -> Option<Error> {
        let finite = |p: &ContactPoint| (p.point + p.normal * p.gap).is_finite();
        let c = self.contacts.iter().find(|c| !finite(&c.point))?;
        Some(Error::numerical(format!(
            "a contact of geoms {} and {} is not finite: they are too far apart, too large or too small",
            c.geom[0], c.geom[1]
        )))
    }
}
