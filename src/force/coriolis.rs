//! Coriolis forces of fast joints, taken implicitly.
//!
//! The balance of a step, M a + b = τ, has the Coriolis and centrifugal forces b at the beginning. In a chain
//! with light links they gain energy: a wrist that turns by h ω in a step grows by up to √(1 + (h ω)²). Let
//! S(q, v) be a skew-symmetric matrix with b = S v + ½ Ṁ v, on the dofs of limbs. This force replaces b by
//! −M a_c, where
//!
//!   (M + w h S) a_c = −b,   so that   f = b + M a_c = −w h S a_c.
//!
//! Without other forces v̂ = v + h a_c solves (M + h S) v̂ = M v − ½ h Ṁ v at w = 1: the terms that do no
//! work are implicit, those that change M stay explicit. S does not make the matrix singular, and the energy
//! of a_c is at most that of the explicit acceleration, because a_cᵀ M a_c = −a_cᵀ b. MuJoCo's `implicit` has
//! ∂b/∂v in the place of S, whose symmetric part can make the matrix singular in a step that turns far.
//!
//! The weight w rises smoothly from 0 at h |ω| = 0.03 to 1 at 0.06, with |ω|⁴ the sum of the fourth powers of
//! all rates of rotation in the tree. It is little more than the fastest joint's rate. Slow trees cost no
//! more than the comparison.
//!
//! The dofs of links that [`Gyroscopic`](super::Gyroscopic) turns, and those with a prescribed velocity, have
//! no rows and columns in S. f is internal to a free robot, so it keeps its momentum. Trees with a
//! link whose axes bend with q, and models with more than 64 dofs on a path, have explicit forces alone.

mod tree;

use super::face::State;
use super::slopes::Entry;
use crate::dynamics::four::Four;
use crate::model::Model;
use crate::model::params::Param;
use crate::model::topology::{LinkKind, Topology};
use tree::Whirling;
pub use tree::four::FourWhirling;

/// The implicit Coriolis forces of all trees with limbs.
#[derive(Clone, Debug)]
pub struct Coriolis {
    trees: Vec<Whirling>,
    /// Whether it is not zero at the last state.
    acts: bool,
    /// Whether the last force was computed beside those of other simulations, without this memory.
    was_beside: bool,
    /// nv numbers for a force that no one needs.
    scratch: Vec<f64>,
}

impl Coriolis {
    /// `None` for a model without limbs. `turns` tells which links turn by equations of their own.
    pub fn new(
        model: &Model,
        derivatives: bool,
        turns: impl Fn(usize) -> bool,
    ) -> Option<Box<Coriolis>> {
        let t = model.topology();
        if t.is_deep() {
            return None;
        }
        let bends = |i: usize| matches!(t.links[i].kind, LinkKind::Varying { .. });
        let trees: Vec<Whirling> = (t.trees.iter())
            .filter(|tree| !(tree.first_link..tree.end_link).any(bends))
            .map(|tree| Whirling::new(t, tree, derivatives, &turns))
            .filter(Whirling::has_limbs)
            .collect();
        let of = |trees| Coriolis {
            trees,
            acts: false,
            was_beside: false,
            scratch: vec![0.0; t.nv()],
        };
        (!trees.is_empty()).then(|| Box::new(of(trees)))
    }

    /// Sets which dofs have a prescribed velocity.
    pub fn drive(&mut self, is_prescribed: &[bool]) {
        self.trees.iter_mut().for_each(|of| of.drive(is_prescribed));
    }

    /// Adds the force.
    #[inline]
    pub fn apply(&mut self, at: &State<'_>, tau: &mut [f64]) {
        (self.acts, self.was_beside) = (false, false);
        for of in &mut self.trees {
            self.acts |= of.apply(at, tau);
        }
    }

    /// Whether the force was not zero at the last state.
    #[inline(always)]
    pub fn acts(&self) -> bool {
        self.acts
    }

    /// Memory for [`Coriolis::apply_four`].
    pub fn four(&self, t: &Topology) -> Vec<FourWhirling> {
        let trees = self.trees.iter();
        trees.map(|of| FourWhirling::new(t, of)).collect()
    }

    /// Adds the force of four simulations of one model, in which no dof has a prescribed velocity. This is
    /// that of any of them; each is told by [`Coriolis::leave_beside`].
    pub fn apply_four(&self, work: &mut [FourWhirling], t: &Topology, h: f64, at: &mut Four) {
        for (work, of) in work.iter_mut().zip(&self.trees) {
            work.apply(of, t, h, at);
        }
    }

    /// The force of this simulation was computed beside those of others.
    pub fn leave_beside(&mut self) {
        self.was_beside = true;
    }

    /// Computes the slopes at the state of the last [`Coriolis::apply`], or of the force that was computed
    /// beside others.
    pub fn differentiate(&mut self, at: &State<'_>) {
        if self.was_beside {
            let mut scratch = std::mem::take(&mut self.scratch);
            self.apply(at, &mut scratch);
            self.scratch = scratch;
        }
        if !self.acts {
            return;
        }
        self.trees.iter_mut().for_each(|of| of.differentiate(at));
    }

    /// The entries of −∂f/∂q and −∂f/∂v between dofs of one branch, or of two branches of a tree.
    pub fn entries(&self, t: &Topology, of_branches: bool) -> impl Iterator<Item = Entry> {
        let all = self.trees.iter().flat_map(Whirling::entries);
        all.filter(move |e| t.are_on_a_path(e.row, e.column) == of_branches)
    }

    /// Adds −∂f/∂p to `r`. Call it after [`Coriolis::differentiate`].
    pub fn by_parameter(&self, at: &State<'_>, p: &Param, r: &mut [f64]) {
        // Queries without a step have no such force.
        if self.acts && at.time_step != 0.0 {
            (self.trees.iter()).for_each(|of| of.by_parameter(at, p, r));
        }
    }
}
