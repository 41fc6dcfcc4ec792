//! Lengths of tendons and springs as functions of the configuration, with first and second derivatives.
//!
//! A tendon's length l(q) has the moment g = ∂l/∂q over its support: the dofs that move its stations relative
//! to each other, fixed at creation. A spring without rest length is three lengths, the differences of its
//! ends along the axes of the world; their support is all dofs that move an end. Let W̄_L be the sum of the
//! wrenches of a unit of tension on link L and its descendants, about the tree's origin, and D_j the change
//! when dof j moves everything below it by S_j. Then
//!
//!   g_k = S_kᵀ W̄,   ∂g_k/∂q_j = S_kᵀ D_j W̄ + (D_j S_k)ᵀ W̄,
//!
//! where D_j S_k is S_j × S_k if j is at or above the link of k, and otherwise 0.
//!
//! The two ends of a leg count up to their common ancestor, where they cancel: a dof on which a length does
//! not depend has a moment of zero, not of round-off.
//!
//! Displacements by the tangent δq of a spherical or free joint rotate with the body, so ∂g/∂q is not
//! symmetric between the dofs of such a joint: it equals the limit of differences of g.

mod displacement;
mod leg;
mod path;
mod round;
mod site;
mod station;
mod stretch;
mod support;

use crate::dynamics::coupling::Coupling;
use crate::dynamics::kinematics::Kinematics;
use crate::linalg::all_finite;
use crate::model::limits::Limit;
use crate::model::params::{Param, ParamKind, Params};
use crate::model::tendon::TendonPath;
use crate::model::{ActsOn, Model};
use crate::spatial::{Vec3, Wrench};
pub use displacement::Displacement;
use displacement::Moved;
use path::Path;
use site::SiteMotion;
pub use stretch::Stretch;
use support::FIXED;

/// All lengths of a model at the last configuration: those of the tendons in order, then three for each
/// spring along the axes of the world, then on request the angles of spherical joints, or the lengths of
/// actuators at sites and on ball joints. Sized at creation.
#[derive(Clone, Debug, Default)]
pub struct Paths {
    list: Vec<Path>,
    tendons: usize,
    turns: usize,
    /// For each actuator, the index of the length along which it acts, or [`FIXED`]; empty without them.
    prescribed: Vec<usize>,
    /// Scratch for wrenches on the links of the largest support.
    changes: Vec<Wrench>,
}

impl Paths {
    /// No lengths.
    pub const NONE: Paths = Paths {
        list: Vec::new(),
        tendons: 0,
        turns: 0,
        prescribed: Vec::new(),
        changes: Vec::new(),
    };

    /// Reserves memory for second derivatives if `derivatives` is true.
    pub fn new(model: &Model, derivatives: bool) -> Self {
        let tendons = model.tendons().iter();
        let mut list: Vec<Path> = tendons
            .map(|t| Path::of_tendon(model, &t.path, derivatives))
            .collect();
        for s in model.springs() {
            let axes = [Vec3::X, Vec3::Y, Vec3::Z];
            list.extend(axes.map(|axis| Path::of_spring(model, s, axis, derivatives)));
        }
        let largest = list.iter().map(|c| c.support.len()).max();
        Paths {
            tendons: model.tendons().len(),
            turns: list.len(),
            prescribed: Vec::new(),
            changes: vec![Wrench::ZERO; largest.unwrap_or(0)],
            list,
        }
    }

    /// Adds the angles of these joints.
    pub fn with_turns(mut self, limits: &[Limit], derivatives: bool) -> Self {
        let turns = limits.iter().filter(|l| l.turn.is_some());
        self.list
            .extend(turns.map(|l| Path::of_turn(l, derivatives)));
        self
    }

    /// Adds the lengths of actuators at sites and of servos on ball joints.
    pub fn with_actuators(mut self, model: &Model, derivatives: bool) -> Self {
        for a in model.actuators() {
            let index = match a.acts_on {
                ActsOn::Tendon(i) => i,
                ActsOn::Site {
                    site,
                    reference,
                    gear,
                } => {
                    let site = SiteMotion::new(model, site, reference, gear);
                    self.list.push(Path::of_site(model, site, derivatives));
                    self.list.len() - 1
                }
                ActsOn::Ball { iq, iv, gear, .. } => {
                    let gear = Vec3::from_slice(&gear);
                    self.list.push(Path::of_ball([iq, iv], gear, derivatives));
                    self.list.len() - 1
                }
                ActsOn::Joint { .. } | ActsOn::Body(_) => FIXED,
            };
            self.prescribed.push(index);
        }
        let largest = self.list.iter().map(|c| c.support.len()).max();
        self.changes.resize(largest.unwrap_or(0), Wrench::ZERO);
        self
    }

    /// The length along which an actuator acts: of a tendon, of a site, or of a servo on a ball joint.
    #[inline(always)]
    pub fn of_actuator(&self, actuator: usize) -> Option<usize> {
        let index = self.prescribed.get(actuator).copied();
        index.filter(|i| *i != FIXED)
    }

    /// Number of lengths of tendons and springs.
    pub fn tensions(&self) -> usize {
        self.turns
    }

    /// Number of lengths.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Index of a spring's length along an axis of the world.
    pub fn of_spring(&self, spring: usize, axis: usize) -> usize {
        self.tendons + 3 * spring + axis
    }

    /// Index of the angle of a joint ([`Limit::turn`]).
    pub fn of_turn(&self, turn: usize) -> usize {
        self.turns + turn
    }

    /// Computes lengths and moments at q; `kin` holds positions at q.
    pub fn update(&mut self, kin: &Kinematics, q: &[f64]) {
        self.list.iter_mut().for_each(|c| c.update(kin, q));
    }

    /// [`Paths::update`] of one length.
    pub fn update_one(&mut self, i: usize, kin: &Kinematics, q: &[f64]) {
        self.list[i].update(kin, q);
    }

    /// Computes second derivatives at the state of the last [`Paths::update`].
    pub fn differentiate(&mut self, kin: &Kinematics) {
        for c in self.list.iter_mut() {
            c.differentiate(kin, &mut self.changes);
        }
    }

    /// [`Paths::differentiate`] of one length.
    pub fn differentiate_one(&mut self, i: usize, kin: &Kinematics) {
        self.list[i].differentiate(kin, &mut self.changes);
    }

    /// l [m]; for a fixed tendon in the unit of its terms.
    pub fn length(&self, i: usize) -> f64 {
        self.list[i].length
    }

    /// True if l and ∂l/∂q are finite.
    pub fn is_finite(&self, i: usize) -> bool {
        self.list[i].length.is_finite() && all_finite(self.moment(i))
    }

    /// Distance to the nearest jump of its slopes [m]: points that meet, wraps that begin or end.
    pub fn switch_distance(&self, i: usize) -> f64 {
        self.list[i].switch_distance
    }

    /// The dofs on which it may depend, in increasing order; the same at all states.
    pub fn support(&self, i: usize) -> &[usize] {
        self.list[i].support.dofs()
    }

    /// Force on each dof of its support per unit of force along it: ∂l/∂q, except of a site and of a ball
    /// joint.
    pub fn moment(&self, i: usize) -> &[f64] {
        &self.list[i].moment
    }

    /// ∂l/∂q over its support.
    pub fn gradient(&self, i: usize) -> &[f64] {
        let path = &self.list[i];
        match path.gradient.is_empty() {
            true => &path.moment,
            false => &path.gradient,
        }
    }

    /// Whether its length can change. The length of a site without a reference is always zero.
    pub fn has_length(&self, i: usize) -> bool {
        self.list[i].has_length()
    }

    /// Dofs with their entries of the moment.
    pub fn moments(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let dofs = self.support(i).iter().copied();
        dofs.zip(self.moment(i).iter().copied())
    }

    /// g·v for nv numbers v; for velocities this is l̇.
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

    /// Change of the moment over its support, column-major: column j is the change of the moment with dof j.
    /// Call it after [`Paths::differentiate`].
    pub fn hessian(&self, i: usize) -> &[f64] {
        &self.list[i].hessian
    }

    /// Visits (dof, moment, ∂l̇/∂q) over its support at velocities v. After [`Paths::differentiate`].
    pub fn for_rate(&self, i: usize, v: &[f64], mut visit: impl FnMut(usize, f64, f64)) {
        let dofs = self.support(i);
        let columns = self.hessian(i).chunks_exact(dofs.len().max(1));
        for ((k, g), h) in self.moments(i).zip(columns) {
            visit(k, g, dofs.iter().zip(h).map(|(k, h)| v[*k] * h).sum());
        }
    }

    /// True if the derivative by a parameter is at most one-sided although the derivative by the state is
    /// continuous. This is the derivative by one of two equal rest lengths, if the tendon has this length.
    pub fn has_kink(&self, model: &Model, params: &Params, p: &Param) -> bool {
        p.kind == ParamKind::Tendon && (2..4).contains(&p.component) && {
            let (i, numbers) = (p.index as usize, params.tendon[p.index as usize]);
            Stretch::is_at_both_ends(numbers, self.length(i), model.tendons()[i].pull_only)
        }
    }

    /// Change of l by a displacement at fixed coordinates. Visits (dof, value) with changes of the moment, in
    /// parts that add up.
    pub fn along(
        &self,
        kin: &Kinematics,
        i: usize,
        displaced: &Displacement,
        mut visit: impl FnMut(usize, f64),
    ) -> f64 {
        let (path, support) = (&self.list[i], self.support(i));
        let moved = match *displaced {
            // A link above all stations, or above none, changes nothing.
            Displacement::Carried { link, xi } => match path.support.place(link) {
                FIXED => return 0.0,
                place => Moved::Carried(path.support.below(place), xi),
            },
            Displacement::Point { tendon, point, by } if i == tendon => Moved::Point(point, by),
            Displacement::End { spring, end, by }
                if (0..3).any(|axis| i == self.of_spring(spring, axis)) =>
            {
                Moved::Point(end, by)
            }
            _ => return 0.0,
        };
        path.along(kin, &moved, |place, x| visit(support[place], x))
    }

    /// Moves the points of paths and the ends of springs to the places of the parameters.
    pub fn place_points(&mut self, model: &Model, params: &Params) {
        for (i, t) in model.tendons().iter().enumerate() {
            if let TendonPath::Spatial(path) = &t.path {
                let points = &params.tendon_points[i];
                let at = |k: usize| (path[k].body().unwrap_or_default(), points[k]);
                self.list[i].place_points(model, at);
            }
        }
        for (i, s) in model.springs().iter().enumerate() {
            let anchors = &params.spring_anchors[i];
            let at = |k: usize| ([s.body1, s.body2][k], anchors[k]);
            for axis in 0..3 {
                let length = self.of_spring(i, axis);
                self.list[length].place_points(model, at);
            }
        }
    }
}
