//! One link that turns freely: its wrench and how that varies.

use super::super::face::State;
use crate::dynamics::spin::{Spin, SpinSlopes};
use crate::model::topology::{Link, LinkKind, WORLD};
use crate::spatial::{Inertia, Mat3, Sym3, Vec3, Wrench};

/// A link that turns freely, at the last state.
#[derive(Clone, Debug)]
pub(super) struct Turning {
    pub(super) link: usize,
    /// About the centre of mass; else about the joint's.
    pub(super) is_free: bool,
    /// It hangs on the world, and nothing on it.
    pub(super) is_root: bool,
    pub(super) is_lone: bool,
    /// A dof of it has a prescribed velocity.
    pub(super) is_driven: bool,
    /// Its first dof of rotation.
    pub(super) spins: usize,
    pub(super) mass: f64,
    /// First moment about the link's frame, and inertia about the centre, along the link's axes.
    pub(super) first: Vec3,
    pub(super) about: Sym3,
    /// Along the link's axes, with the linear velocity of a free joint.
    pub(super) omega: Vec3,
    pub(super) linear: Vec3,
    pub(super) gravity: Vec3,
    /// A force carries it against gravity, so that no torque of gravity is in its equation.
    is_carried: bool,
    /// The centre, about the tree's origin.
    pub(super) point: Vec3,
    /// None of what is massless or driven.
    pub(super) spin: Option<Spin>,
    pub(super) slopes: SpinSlopes,
    pub(super) wrench: Wrench,
    /// The same from the link's frame, along its axes.
    pub(super) centre: Vec3,
    /// The generalized force on its dofs without the wrench.
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
            is_driven: false,
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

    /// Finds the wrench at a state.
    pub(super) fn take(&mut self, at: &State<'_>) {
        (self.spin, self.wrench, self.centre) = (None, Wrench::ZERO, Vec3::ZERO);
        let (kin, h, i) = (at.kin, at.time_step, self.link);
        let own = &at.params.link_inertia[i];
        if self.is_driven || own.mass <= 0.0 {
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

    /// Gravity, unless a force carries the link.
    fn weighing(&self, at: &State<'_>) -> Vec3 {
        match self.is_carried {
            true => Vec3::ZERO,
            false => at.params.gravity,
        }
    }

    /// A wrench or its change by the couple's impulse along the link's axes.
    pub(super) fn wrench_of(&self, at: &State<'_>, impulse: Vec3) -> Wrench {
        let couple = at.kin.rot[self.link].mul_vec(impulse);
        Wrench::new(Vec3::ZERO, couple * (1.0 / at.time_step))
    }

    /// How the wrench varies with ω, and as the link turns against gravity.
    pub(super) fn by_motion(&self, at: &State<'_>, spin: &Spin, spun: Vec3, turn: Vec3) -> Wrench {
        let spun = at.kin.rot[self.link].tr_mul_vec(spun);
        let mut impulse = spin.impulse_by_omega(&self.slopes).mul_vec(spun);
        if !self.is_free {
            let gravity = self.weighing(at).cross(turn);
            impulse += self.by_gravity(at, spin, self.first, gravity);
        }
        self.wrench_of(at, impulse)
    }

    /// How a ball joint's couple times h varies with gravity's torque, of a first moment along the link's axes.
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

    /// How the wrench varies with the link's inertia, along and about its frame.
    pub(super) fn by_inertia(&self, at: &State<'_>, spin: &Spin, by: &Inertia) -> Wrench {
        let about = by.about(self.centre);
        let mut impulse = spin.impulse_by_inertia(&self.slopes, &about);
        if !self.is_free {
            impulse += self.by_gravity(at, spin, by.h, self.weighing(at));
        }
        self.wrench_of(at, impulse)
    }

    /// The acceleration of a link that is alone, from v̂₀ to v̂, under a generalized force without the wrench.
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
