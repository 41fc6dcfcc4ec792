//! Generalized gravity and its derivative, by the first moments of subtrees.
//!
//! A dof carries the mass m and the first moment h of its subtree. Per unit of speed it gives the
//! subtree the linear momentum p = m S_l + S_w × h. The force that holds the subtree is −p·g, and with
//! y = g × p its derivative is
//!
//!   ∂τ_k/∂q_j = S_w,j·y_k  for j above k or of the same link,   S_w,k·y_j  for j below
//!
//! because a displacement of j above rotates gravity relative to the subtree, and a displacement of j below
//! moves a part of the first moment.

use super::kinematics::Kinematics;
use crate::linalg::within;
use crate::model::Model;
use crate::model::topology::WORLD;
use crate::spatial::{Twist, Vec3};

/// The masses that gravity acts on, by links, and later by subtrees. Per dof: p and y.
#[derive(Clone, Debug)]
pub struct Weights {
    /// Mass and first moment about the tree's origin.
    pub link: Vec<(f64, Vec3)>,
    dof: Vec<(Vec3, Vec3)>,
}

fn momentum((mass, h): (f64, Vec3), s: Twist) -> Vec3 {
    s.lin * mass + s.ang.cross(h)
}

impl Weights {
    pub fn new(model: &Model) -> Self {
        let t = model.topology();
        Weights {
            link: vec![(0.0, Vec3::ZERO); t.links.len()],
            dof: vec![(Vec3::ZERO, Vec3::ZERO); t.nv()],
        }
    }

    /// Takes the links' own masses. `kin` must hold positions and inertias.
    pub fn set(&mut self, kin: &Kinematics) {
        for (w, i) in self.link.iter_mut().zip(&kin.inertia) {
            *w = (i.mass, i.h);
        }
    }

    /// Sums links to subtrees, and computes p and y of their dofs. Returns whether all products with
    /// these are finite.
    pub fn gather(&mut self, model: &Model, kin: &Kinematics, gravity: Vec3) -> bool {
        let t = model.topology();
        for (i, l) in t.links.iter().enumerate().rev() {
            let own = self.link[i];
            if l.parent != WORLD {
                let parent = &mut self.link[l.parent];
                *parent = (parent.0 + own.0, parent.1 + own.1);
            }
        }
        for ((s, dof), own) in kin.s.iter().zip(&t.dofs).zip(&mut self.dof) {
            let p = momentum(self.link[dof.link], *s);
            *own = (p, gravity.cross(p));
        }
        let axis = kin.s.iter().map(|s| s.ang.max_abs()).fold(1.0, f64::max);
        let largest = |f: fn(&(Vec3, Vec3)) -> Vec3| {
            let sizes = self.dof.iter().map(|x| f(x).max_abs());
            sizes.fold(0.0, |m: f64, x| if x > m || x.is_nan() { x } else { m })
        };
        let sizes = [largest(|x| x.0) * gravity.max_abs(), largest(|x| x.1)];
        within(f64::MAX / (8.0 * axis), &sizes)
    }

    /// The forces that hold the tree, nv entries. Call it after [`Weights::gather`].
    pub fn forces(&self, gravity: Vec3, tau: &mut [f64]) {
        for (tau, (p, _)) in tau.iter_mut().zip(&self.dof) {
            *tau = -p.dot(gravity);
        }
    }

    /// ∂τ/∂q, nv×nv, column-major. Call it after [`Weights::gather`].
    pub fn derivative(&self, model: &Model, kin: &Kinematics, gravity: Vec3, by_q: &mut [f64]) {
        let (t, n) = (model.topology(), model.nv());
        by_q.fill(0.0);
        for (k, dof) in t.dofs.iter().enumerate() {
            let y = self.dof[k].1;
            let mut a = k;
            while a != WORLD {
                let x = kin.s[a].ang.dot(y);
                by_q[a * n + k] = x;
                by_q[k * n + a] = match t.dofs[a].link == dof.link {
                    true => kin.s[k].ang.dot(self.dof[a].1),
                    false => x,
                };
                a = t.dofs[a].parent;
            }
        }
        for (state, varying) in kin.varying.iter().zip(&t.varying) {
            let l = &t.links[varying.link];
            for (k, j) in l.dofs().flat_map(|k| l.dofs().map(move |j| (k, j))) {
                let slope = state.slope(k - l.iv, j - l.iv);
                by_q[j * n + k] -= momentum(self.link[varying.link], slope).dot(gravity);
            }
        }
    }
}
