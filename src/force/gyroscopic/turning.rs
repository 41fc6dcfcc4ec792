//! Computes the couple of one link that rotates freely, and its slopes.

use super::super::face::State;
use crate::dynamics::spin::{Spin, SpinSlopes};
use crate::model::topology::{Link, LinkKind, WORLD};
use crate::spatial::{Inertia, Mat3, Sym3, Vec3, Wrench};

/// A link that rotates freely, at the last state.
#[derive(Clone, Debug)]
pub(super) struct Turning {
    pub(super) link: usize,
    /// True for a free joint, whose link rotates about its centre of mass; else it rotates about the
    /// joint's centre.
    pub(super) is_free: bool,
    /// `is_root`: the link hangs on the world. `is_lone`: it also carries no other link.
    pub(super) is_root: bool,
    pub(super) is_lone: bool,
    /// True if one of its dofs has a prescribed velocity.
    pub(super) is_prescribed: bool,
    /// Its first dof of rotation.
    pub(super) spins: usize,
    pub(super) mass: f64,
    /// First moment about the link's frame, and inertia about the centre of rotation, along the link's
    /// axes.
    pub(super) first: Vec3,
    pub(super) about: Sym3,
    /// Angular velocity, the linear velocity of a free joint, and gravity, along the link's axes.
    pub(super) omega: Vec3,
    pub(super) linear: Vec3,
    pub(super) gravity: Vec3,
    /// True if a force carries it against gravity, so that its equation has no torque of gravity.
    is_carried: bool,
    /// The centre of rotation, relative to the tree's origin.
    pub(super) point: Vec3,
    /// `None` for a link that is massless or has a prescribed dof.
    pub(super) spin: Option<Spin>,
    pub(super) slopes: SpinSlopes,
    pub(super) wrench: Wrench,
    /// The centre of rotation, relative to the link's frame and along its axes.
    pub(super) centre: Vec3,
    /// The generalized force on its dofs without the couple.
    pub(super) tau: [f64; 6],
}

impl Turning {
    pub(super) fn new(link: usize, l: &Link, is_carried: bool) -> Turning {
        Turning {
            link,
            is_carried,
            is_free: l.kind == LinkKind::Free,
            is_root: l.parent == WORLD,
            is_lone: l.parent == WORLD && l.end == link + 1,
            is_prescribed: false,
            spins: l.iv + l.nv - 3,
            mass: 0.0,
            first: Vec3::ZERO,
            about: Sym3::ZERO,
            omega: Vec3::ZERO,
            linear: Vec3::ZERO,
            gravity: Vec3::ZERO,
            point: Vec3::ZERO,
            spin: None,
            slopes: SpinSlopes::default(),
            wrench: Wrench::ZERO,
            centre: Vec3::ZERO,
            tau: [0.0; 6],
        }
    }

    /// Computes the couple at a state.
    pub(super) fn take(&mut self, at: &State<'_>) {
        (self.spin, self.wrench, self.centre) = (None, Wrench::ZERO, Vec3::ZERO);
        let (kin, h, i) = (at.kin, at.time_step, self.link);
        let own = &at.params.link_inertia[i];
        if self.is_prescribed || own.mass <= 0.0 {
            return;
        }
        let rot = &kin.rot[i];
        self.gravity = rot.tr_mul_vec(self.weighing(at));
        let push = if self.is_free {
            self.linear = Vec3::from_slice(&at.v[self.spins - 3..]);
            self.centre = own.com();
            self.about = own.about_com();
            Vec3::ZERO
        } else {
            self.about = own.i;
            own.h.cross(self.gravity) * h
        };
        self.omega = match self.is_root {
            true => Vec3::from_slice(&at.v[self.spins..]),
            false => rot.tr_mul_vec(kin.v[i].ang),
        };
        (self.first, self.mass) = (own.h, own.mass);
        self.point = rot.mul_vec(self.centre) + kin.pos[i];
        let spin = Spin::new(self.about, h, self.omega, push);
        self.wrench = self.wrench_of(at, spin.impulse());
        self.spin = Some(spin);
    }

    /// Gravity, or zero if a force carries the link.
    fn weighing(&self, at: &State<'_>) -> Vec3 {
        match self.is_carried {
            true => Vec3::ZERO,
            false => at.params.gravity,
        }
    }

    /// The wrench of the couple, or its change, from the impulse of the couple along the link's axes.
    pub(super) fn wrench_of(&self, at: &State<'_>, impulse: Vec3) -> Wrench {
        let couple = at.kin.rot[self.link].mul_vec(impulse);
        Wrench::new(Vec3::ZERO, couple * (1.0 / at.time_step))
    }

    /// Change of the wrench with ω, and with a rotation of the link against gravity.
    pub(super) fn by_motion(&self, at: &State<'_>, spin: &Spin, spun: Vec3, turn: Vec3) -> Wrench {
        let spun = at.kin.rot[self.link].tr_mul_vec(spun);
        let mut impulse = spin.impulse_by_omega(&self.slopes).mul_vec(spun);
        if !self.is_free {
            let gravity = self.weighing(at).cross(turn);
            impulse += self.by_gravity(at, spin, self.first, gravity);
        }
        self.wrench_of(at, impulse)
    }

    /// Change of a ball joint's couple times h with the torque of gravity, for a first moment along the
    /// link's axes.
    pub(super) fn by_gravity(
        &self,
        at: &State<'_>,
        spin: &Spin,
        first: Vec3,
        gravity: Vec3,
    ) -> Vec3 {
        let seen = at.kin.rot[self.link].tr_mul_vec(gravity);
        spin.impulse_by_push(&self.slopes, first.cross(seen) * at.time_step)
    }

    /// Change of the wrench with the link's inertia, which is along and about the link's frame.
    pub(super) fn by_inertia(&self, at: &State<'_>, spin: &Spin, by: &Inertia) -> Wrench {
        let about = by.about(self.centre);
        let mut impulse = spin.impulse_by_inertia(&self.slopes, &about);
        if !self.is_free {
            impulse += self.by_gravity(at, spin, by.h, self.weighing(at));
        }
        self.wrench_of(at, impulse)
    }

    /// The acceleration of a link that is alone, from v̂₀ to v̂, for a generalized force without the
    /// couple.
    pub(super) fn alone(
        &self,
        rot: &Mat3,
        h: f64,
        spin: &Spin,
        tau: &[f64],
        load: Wrench,
        acc: &mut [f64],
    ) {
        let inverse = self
            .about
            .to_mat3()
            .inverse()
            .filter(|_| !spin.is_explicit());
        let Some(inverse) = inverse else { return };
        let moment = rot.tr_mul_vec(load.ang - self.point.cross(load.lin));
        let turn = |tau: &[f64], across: Vec3| {
            let torque = Vec3::from_slice(tau) + moment - across;
            inverse.mul_vec(torque) + (spin.next() - self.omega) * (1.0 / h)
        };
        if !self.is_free {
            acc[..3].copy_from_slice(&turn(tau, Vec3::ZERO).to_array());
            return;
        }
        let own = Vec3::from_slice(tau);
        let force = own + rot.tr_mul_vec(load.lin);
        let spun = turn(&tau[3..], self.centre.cross(own));
        let fall = force * (1.0 / self.mass) + self.gravity;
        let velocity = self.linear + self.omega.cross(self.centre);
        let linear = fall - spun.cross(self.centre) - self.omega.cross(velocity);
        acc[..3].copy_from_slice(&linear.to_array());
        acc[3..6].copy_from_slice(&spun.to_array());
    }
}
