//! External wrenches on bodies: along world axes, acting at a point of the body.

use super::kinematics::Kinematics;
use crate::model::Model;
use crate::model::topology::WORLD;
use crate::spatial::{Mat3, Twist, Vec3, Wrench};
use std::ops::AddAssign;

/// A linear map from displacements (linear; angular) to wrenches, by its columns.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stiffness {
    pub c: [Wrench; 6],
}

impl Stiffness {
    /// E of a load with a constant force and moment in world axes that acts at a point of the body: see
    /// [`LinkLoad`].
    #[inline(always)]
    pub fn of_load(point: Vec3, force: Vec3, moment: Vec3) -> Stiffness {
        let turn =
            Mat3::IDENTITY * point.dot(force) - Mat3::outer(force, point) - Mat3::skew(moment);
        let mut e = Stiffness::default();
        for (k, moment) in turn.c.into_iter().enumerate() {
            e.c[3 + k] = Wrench::new(Vec3::unit(k).cross(force), moment);
        }
        e
    }

    /// Subtracts the derivative of an impulse by the coordinates of ξ, as a force over the step `h`.
    #[inline(always)]
    pub fn take(&mut self, impulse: &[Wrench; 6], h: f64) {
        for (c, w) in self.c.iter_mut().zip(impulse) {
            *c -= *w * (1.0 / h);
        }
    }

    /// E ξ.
    #[inline(always)]
    pub fn mul(&self, xi: Twist) -> Wrench {
        let (c, l, a) = (&self.c, xi.lin, xi.ang);
        (c[0] * l.x + c[1] * l.y + c[2] * l.z) + (c[3] * a.x + c[4] * a.y + c[5] * a.z)
    }

    /// Eᵀ ξ.
    #[inline(always)]
    pub fn tr_mul(&self, xi: Twist) -> Wrench {
        let d = |k: usize| xi.dot(self.c[k]);
        Wrench::new(Vec3::new(d(0), d(1), d(2)), Vec3::new(d(3), d(4), d(5)))
    }
}

impl AddAssign<&Stiffness> for Stiffness {
    #[inline(always)]
    fn add_assign(&mut self, o: &Stiffness) {
        for (c, o) in self.c.iter_mut().zip(o.c) {
            *c += o;
        }
    }
}

/// External load on a link, about the tree's origin.
#[derive(Clone, Copy, Debug, Default)]
pub struct LinkLoad {
    pub wrench: Wrench,
    /// A displacement ξ of the link changes the wrench, in the axes of the displaced link, by −E ξ. A load
    /// that is constant in the world has E ξ = Σ (ξ_w × F, ((p·F) 1 − F pᵀ − N×) ξ_w). A load that depends on
    /// the place of its point has a term by the linear part of ξ too.
    pub stiffness: Stiffness,
    /// Whether the wrench may be nonzero, and whether the stiffness may.
    pub acts: bool,
    pub has_stiffness: bool,
}

/// External loads of all links.
#[derive(Clone, Debug)]
pub struct External {
    pub link: Vec<LinkLoad>,
    /// Whether any load may be nonzero, and whether any stiffness may.
    pub active: bool,
    pub has_stiffness: bool,
}

impl External {
    pub fn new(model: &Model) -> Self {
        External {
            link: vec![LinkLoad::default(); model.topology().links.len()],
            active: false,
            has_stiffness: false,
        }
    }

    pub fn clear(&mut self) {
        if self.active {
            for l in self.link.iter_mut().filter(|l| l.acts) {
                *l = LinkLoad::default();
            }
            self.active = false;
            self.has_stiffness = false;
        }
    }

    /// Adds a wrench about the tree's origin. Its stiffness is not added.
    #[inline(always)]
    pub fn add_wrench(&mut self, link: usize, wrench: Wrench) {
        let l = &mut self.link[link];
        l.wrench += wrench;
        l.acts = true;
        self.active = true;
    }

    /// Adds to the stiffness of a loaded link.
    #[inline(always)]
    pub fn stiffen(&mut self, link: usize, stiffness: &Stiffness) {
        let l = &mut self.link[link];
        l.stiffness += stiffness;
        l.acts = true;
        l.has_stiffness = true;
        self.active = true;
        self.has_stiffness = true;
    }

    /// Adds a force [N] acting at `point` and a moment [N m], world axes. The point is relative to the
    /// tree's origin and moves with the link.
    #[inline(always)]
    pub fn add(&mut self, link: usize, point: Vec3, force: Vec3, moment: Vec3) {
        self.add_wrench(link, Wrench::new(force, point.cross(force) + moment));
        self.stiffen(link, &Stiffness::of_load(point, force, moment));
    }

    /// Adds a wrench (world axes) acting at a body's origin.
    pub fn add_on_body(&mut self, model: &Model, kin: &Kinematics, body: usize, w: Wrench) {
        let b = &model.bodies()[body];
        if b.link != WORLD {
            let at = kin.pos[b.link] + kin.rot[b.link].mul_vec(b.in_link.pos);
            self.add(b.link, at, w.lin, w.ang);
        }
    }
}

/// Stiffness of the loads, link by link.
#[derive(Clone, Debug)]
pub struct LinkStiffness {
    /// Undefined for links without a load.
    link: Vec<Stiffness>,
    acts: Vec<bool>,
}

impl LinkStiffness {
    pub fn new(links: usize) -> Self {
        LinkStiffness {
            link: vec![Stiffness::default(); links],
            acts: vec![false; links],
        }
    }

    /// Takes the stiffness of the external loads.
    pub fn set(&mut self, external: &External) {
        self.acts.fill(false);
        if external.has_stiffness {
            for (i, l) in external
                .link
                .iter()
                .enumerate()
                .filter(|(_, l)| l.has_stiffness)
            {
                self.add(i, &l.stiffness);
            }
        }
    }

    pub fn copy_from(&mut self, other: &LinkStiffness) {
        self.link.copy_from_slice(&other.link);
        self.acts.copy_from_slice(&other.acts);
    }

    /// `None` stands for zero.
    #[inline(always)]
    pub fn get(&self, link: usize) -> Option<&Stiffness> {
        self.acts[link].then(|| &self.link[link])
    }

    #[inline(always)]
    pub fn add(&mut self, link: usize, stiffness: &Stiffness) {
        if self.acts[link] {
            self.link[link] += stiffness;
        } else {
            self.link[link] = *stiffness;
            self.acts[link] = true;
        }
    }

    /// Adds the stiffness of one link to another.
    #[inline(always)]
    pub fn pass_on(&mut self, from: usize, to: usize) {
        if self.acts[from] {
            let own = self.link[from];
            self.add(to, &own);
        }
    }

    /// E ξ of a link.
    pub fn mul(&self, link: usize, xi: Twist) -> Wrench {
        self.get(link).map_or(Wrench::ZERO, |e| e.mul(xi))
    }
}
