//! Lengths of tendons and springs as functions of the configuration, with first and second derivatives.
//!
//! A tendon's length l(q) has the moment g = ∂l/∂q, over the dofs that move its stations against each other: its support,
//! fixed when it is made. A spring without rest length is three lengths, the differences of its ends along the axes of the
//! world, and their support is all dofs that move an end. With W_L the wrench on link L by a unit of tension and W̄_L its sum over all that L carries, both about the
//! tree's origin, and D_j the change as dof j moves what is below by S_j,
//!
//!   g_k = S_kᵀ W̄,   ∂g_k/∂q_j = S_kᵀ D_j W̄ + (D_j S_k)ᵀ W̄,   D_j S_k = S_j × S_k where j is at or above the link of k, else 0.
//!
//! Differences by the tangent δq of a spherical or free joint turn with the body, so that ∂g/∂q is not symmetric between
//! the dofs of such a joint: it is what differences of g give.

mod cord;
mod leg;
mod stretch;
mod support;

use crate::dynamics::coupling::Coupling;
use crate::dynamics::kinematics::Kinematics;
use crate::model::Model;
use crate::spatial::{Twist, Vec3, Wrench};
use cord::Cord;
pub use stretch::Stretch;

/// All lengths of a model at the last configuration: those of the tendons in order, then three of each spring, along the
/// axes of the world. Sized at creation.
#[derive(Clone, Debug, Default)]
pub struct Cords {
    list: Vec<Cord>,
    tendons: usize,
    /// Room for wrenches on the links of the largest support.
    changes: Vec<Wrench>,
}

impl Cords {
    /// None.
    pub const NONE: Cords = Cords {
        list: Vec::new(),
        tendons: 0,
        changes: Vec::new(),
    };

    /// Second derivatives have room if `derivatives` are wanted.
    pub fn new(model: &Model, derivatives: bool) -> Self {
        let tendons = model.tendons().iter();
        let mut list: Vec<Cord> = tendons
            .map(|t| Cord::of_tendon(model, &t.path, derivatives))
            .collect();
        for s in model.springs() {
            let axes = [Vec3::X, Vec3::Y, Vec3::Z];
            list.extend(axes.map(|axis| Cord::of_spring(model, s, axis, derivatives)));
        }
        let largest = list.iter().map(|c| c.support.len()).max();
        Cords {
            tendons: model.tendons().len(),
            changes: vec![Wrench::ZERO; largest.unwrap_or(0)],
            list,
        }
    }

    /// Number of lengths.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Which length is a spring's along an axis of the world.
    pub fn of_spring(&self, spring: usize, axis: usize) -> usize {
        self.tendons + 3 * spring + axis
    }

    /// Lengths and moments at q, at which `kin` holds positions.
    pub fn update(&mut self, kin: &Kinematics, q: &[f64]) {
        self.list.iter_mut().for_each(|c| c.update(kin, q));
    }

    /// Second derivatives at the state of the last [`Cords::update`].
    pub fn differentiate(&mut self, kin: &Kinematics) {
        for c in self.list.iter_mut() {
            c.differentiate(kin, &mut self.changes);
        }
    }

    /// l [m]; of a fixed tendon in the unit of its terms.
    pub fn length(&self, i: usize) -> f64 {
        self.list[i].length
    }

    /// How far it is from where its slopes jump [m]: points that meet, wraps that begin or end.
    pub fn switch_distance(&self, i: usize) -> f64 {
        self.list[i].switch_distance
    }

    /// The dofs on which it may depend, in increasing order; the same at all states.
    pub fn support(&self, i: usize) -> &[usize] {
        self.list[i].support.dofs()
    }

    /// ∂l/∂q over its support.
    pub fn moment(&self, i: usize) -> &[f64] {
        &self.list[i].moment
    }

    /// Dofs with their entries of ∂l/∂q.
    pub fn moments(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let dofs = self.support(i).iter().copied();
        dofs.zip(self.moment(i).iter().copied())
    }

    /// g·v for nv numbers v: of velocities it is l̇.
    pub fn rate(&self, i: usize, v: &[f64]) -> f64 {
        self.moments(i).map(|(k, g)| g * v[k]).sum()
    }

    /// Joins the trees whose dofs are in the support.
    pub fn couple(&self, model: &Model, i: usize, coupling: &mut Coupling) {
        let t = model.topology();
        let tree = |k: usize| t.links[t.dofs[k].link].tree;
        for two in self.support(i).windows(2) {
            if tree(two[0]) != tree(two[1]) {
                coupling.join(tree(two[0]), tree(two[1]));
            }
        }
    }

    /// ∂(∂l/∂q)/∂q over its support, column-major: the column of dof j is how the moment changes with it. After
    /// [`Cords::differentiate`].
    pub fn hessian(&self, i: usize) -> &[f64] {
        &self.list[i].hessian
    }

    /// How l changes as a link moves by ξ about its tree's origin with all that it carries, while coordinates stay: what a
    /// displaced joint does. Visits (dof, value) with changes of the moment, in parts that add up.
    pub fn along(
        &self,
        kin: &Kinematics,
        i: usize,
        link: usize,
        xi: Twist,
        mut visit: impl FnMut(usize, f64),
    ) -> f64 {
        let support = self.support(i);
        self.list[i].along(kin, link, xi, |place, x| visit(support[place], x))
    }
}
