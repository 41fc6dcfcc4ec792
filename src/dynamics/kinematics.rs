//! Placements, motion subspaces, velocities: the input of every recursion.
//!
//! All spatial quantities of a tree are along world axes and about the tree's origin. The origin is at a
//! point of one of the tree's links; it counts as fixed in the world within one evaluation. With world axes
//! the recursions need no change of frame. An origin near the bodies keeps the accuracy.

use crate::joint::{MAX_DOFS, Reshaped, VaryingLink, VaryingState};
use crate::linalg::dispatch;
use crate::model::Model;
use crate::model::params::{Param, ParamKind, Params};
use crate::model::topology::{Link, LinkKind, Topology, WORLD};
use crate::spatial::{Inertia, Mat3, Pose, Real, Twist, Vec3, Wrench};

/// State of the tree at (q, v), of one simulation or in lanes.
#[derive(Clone, Debug)]
pub struct Kinematics<T = f64> {
    /// Per link: rotation of its frame, world axes.
    pub rot: Vec<Mat3<T>>,
    /// Per link: its origin relative to the tree's origin [m].
    pub pos: Vec<Vec3<T>>,
    /// Per tree: its origin in the world [m].
    pub origin: Vec<Vec3<T>>,
    /// Per dof: column of the motion subspace.
    pub s: Vec<Twist<T>>,
    /// Per link: spatial velocity; valid after [`velocities`].
    pub v: Vec<Twist<T>>,
    /// Per link: the acceleration caused by velocities alone, relative to the parent's: v_parent × S v +
    /// Ṡ v with Ṡ in the link frame. Valid after [`velocities`].
    pub c: Vec<Twist<T>>,
    /// Per varying link of the model: the derivatives of its S.
    pub varying: Vec<VaryingState>,
    /// Per link: inertia; valid after [`inertias`].
    pub inertia: Vec<Inertia<T>>,
}

/// A displacement of a link and its subtree, at fixed coordinates.
#[derive(Clone, Copy, Debug)]
pub struct Displaced {
    pub link: usize,
    /// The displacement. For a joint whose shape changes, also the change of its columns; all other columns
    /// move with the bodies.
    pub by: Reshaped,
}

impl Displaced {
    /// Change of the velocity within the link: Σ δS_k x_k, at rates `x` of all dofs.
    pub fn within(&self, t: &Topology, x: impl Fn(usize) -> f64) -> Twist {
        let dofs = t.links[self.link].dofs();
        let terms = dofs.zip(&self.by.bent).map(|(k, bent)| *bent * x(k));
        terms.fold(Twist::ZERO, |sum, s| sum + s)
    }

    /// Calls `visit` with the change of the force on the link's dofs by that of their columns: δS_kᵀ f.
    pub fn for_bent(&self, t: &Topology, f: Wrench, mut visit: impl FnMut(usize, f64)) {
        if self.by.bent != [Twist::ZERO; MAX_DOFS] {
            for (k, bent) in t.links[self.link].dofs().zip(&self.by.bent) {
                visit(k, bent.dot(f));
            }
        }
    }
}

impl<T: Real> Kinematics<T> {
    pub fn new(model: &Model) -> Self {
        let t = model.topology();
        let (n, zeros, one) = (t.links.len(), Vec3::zeros(), T::splat(1.0));
        let identity = Mat3::from_columns(
            Vec3::new(one, T::ZERO, T::ZERO),
            Vec3::new(T::ZERO, one, T::ZERO),
            Vec3::new(T::ZERO, T::ZERO, one),
        );
        Kinematics {
            rot: vec![identity; n],
            pos: vec![zeros; n],
            origin: vec![zeros; t.trees.len()],
            s: vec![Twist::zeros(); t.nv()],
            v: vec![Twist::zeros(); n],
            // −0 for links on the world: adding it changes no number.
            c: vec![-Twist::zeros(); n],
            varying: vec![VaryingState::default(); t.varying.len()],
            inertia: vec![Inertia::zeros(); n],
        }
    }
}

impl Kinematics {
    /// World placement of a link.
    #[inline(always)]
    pub fn link_pose(&self, model: &Model, link: usize) -> Pose {
        let o = self.origin[model.topology().links[link].tree];
        Pose::new(self.rot[link], self.pos[link] + o)
    }

    /// Adds to `tau` the generalized forces of a wrench on a link, about its tree's origin.
    pub fn spread(&self, t: &Topology, link: usize, wrench: Wrench, tau: &mut [f64]) {
        for k in t.path(link) {
            tau[k] += self.s[k].dot(wrench);
        }
    }

    /// Velocity of the parent of a link.
    pub fn parent_velocity(&self, l: &Link) -> Twist {
        match l.parent {
            WORLD => Twist::ZERO,
            parent => self.v[parent],
        }
    }

    /// η_k = (v_parent − `medium`) × S_k + Σ ∂S/∂q_k v: the change by dof k of the velocity that the bodies
    /// below it have relative to the velocity `medium`. `v`: nv numbers. Valid after [`velocities`].
    pub fn eta(&self, t: &Topology, k: usize, v: &[f64], medium: Twist) -> Twist {
        let l = &t.links[t.dofs[k].link];
        let eta = (self.parent_velocity(l) - medium).cross(self.s[k]);
        match l.kind {
            LinkKind::Varying { index, .. } => {
                let state = &self.varying[usize::from(index)];
                eta + state.by_dof(k - l.iv, &v[l.dofs()])
            }
            _ => eta,
        }
    }

    /// The displacement by a parameter of a joint's placement or shape at fixed coordinates, about the tree's
    /// origin; after [`velocities`].
    pub fn displaced(&self, model: &Model, params: &Params, p: &Param) -> Displaced {
        let (joint, component) = (p.index as usize, p.component as usize);
        let link = model.joint(joint).first_link;
        let l = &model.topology().links[link];
        if let (ParamKind::SplineFrame, LinkKind::Varying { index, .. }) = (p.kind, l.kind) {
            let by = self.varying[usize::from(index)].by_parameter(component);
            return Displaced { link, by };
        }
        let mut frame = params.link_placement[link];
        if l.parent == WORLD {
            frame.pos -= self.origin[l.tree];
        } else {
            frame = Pose::new(self.rot[l.parent], self.pos[l.parent]).compose(&frame);
        }
        let by = Reshaped {
            xi: frame.twist(params.placement_twists(model, joint)[component]),
            ..Reshaped::default()
        };
        Displaced { link, by }
    }

    /// World placement of a body.
    #[inline(always)]
    pub fn body_pose(&self, model: &Model, body: usize) -> Pose {
        let b = &model.bodies()[body];
        if b.link == WORLD {
            b.in_link
        } else {
            self.link_pose(model, b.link).compose(&b.in_link)
        }
    }
}

#[inline(always)]
fn positions_kernel(kin: &mut Kinematics, model: &Model, params: &Params, q: &[f64]) {
    let t = model.topology();
    place(kin, t, &params.link_placement, &params.varying, q);
    for (state, link) in kin.varying.iter_mut().zip(&params.varying) {
        let l = &t.links[link.link];
        let frame = Pose::new(kin.rot[link.link], kin.pos[link.link]);
        state.set_position(&link.joint, &q[l.iq..], frame, &mut kin.s[l.iv..]);
    }
}

/// Fills `rot`, `pos`, `origin`, and the columns of all joints that do not vary.
#[inline(always)]
pub(super) fn place<T: Real>(
    kin: &mut Kinematics<T>,
    t: &Topology,
    placement: &[Pose<T>],
    varying: &[VaryingLink],
    q: &[T],
) {
    // All slices have the same length, so that one bounds check serves all.
    let n = t.links.len();
    let placement = &placement[..n];
    let (rots, places, s) = (&mut kin.rot[..n], &mut kin.pos[..n], &mut kin.s[..]);
    for (i, l) in t.links.iter().enumerate() {
        let place = &placement[i];
        let (rot, pos) = if l.parent == WORLD {
            (place.rot, place.pos)
        } else {
            let parent = &rots[l.parent];
            (
                parent.mul_mat(&place.rot),
                parent.mul_vec(place.pos) + places[l.parent],
            )
        };
        (rots[i], places[i]) = (l.kind).place(varying, rot, pos, &q[l.iq..], l.reference);
    }
    for (origin, tree) in kin.origin.iter_mut().zip(&t.trees) {
        *origin = places[tree.origin];
        for p in &mut places[tree.first_link..tree.end_link] {
            *p -= *origin;
        }
    }
    for (i, l) in t.links.iter().enumerate() {
        (l.kind).columns(&rots[i], places[i], &mut s[l.iv..]);
    }
}

/// Σ S_k x_k over the dofs of a link.
#[inline(always)]
pub fn joint_twist<T: Real>(l: &Link, s: &[Twist<T>], x: &[T]) -> Twist<T> {
    let k = l.iv;
    let mut t = s[k] * x[k];
    if l.nv > 1 {
        for k in k + 1..k + l.nv {
            t += s[k] * x[k];
        }
    }
    t
}

/// Sums Σ S_k v_k from the world to each link, for any columns S of the dofs.
#[inline(always)]
pub fn link_twists(t: &Topology, s: &[Twist], v: &[f64], out: &mut [Twist]) {
    // All slices have the same length, so that one bounds check serves all.
    let (out, v) = (&mut out[..t.links.len()], &v[..s.len()]);
    for (i, l) in t.links.iter().enumerate() {
        let own = joint_twist(l, s, v);
        out[i] = if l.parent == WORLD {
            own
        } else {
            out[l.parent] + own
        };
    }
}

#[inline(always)]
fn velocities_kernel(kin: &mut Kinematics, model: &Model, v: &[f64]) {
    let t = model.topology();
    move_links(kin, t, v);
    for (state, link) in kin.varying.iter_mut().zip(&t.varying) {
        let l = &t.links[link.link];
        let own = state.set_velocity(&v[l.iv..]);
        let c = &mut kin.c[link.link];
        *c = if l.parent == WORLD { own } else { *c + own };
    }
}

/// Fills `v`, and `c` without the part of joints that vary.
#[inline(always)]
pub(super) fn move_links<T: Real>(kin: &mut Kinematics<T>, t: &Topology, v: &[T]) {
    let n = t.links.len();
    let (velocity, c, s) = (&mut kin.v[..n], &mut kin.c[..n], &kin.s[..]);
    let v = &v[..s.len()];
    for (i, l) in t.links.iter().enumerate() {
        let own = joint_twist(l, s, v);
        velocity[i] = own;
        if l.parent != WORLD {
            let carrier = velocity[l.parent];
            velocity[i] = carrier + own;
            // v_i × S v equals v_parent × S v, because the cross product of S v with itself is zero.
            c[i] = carrier.cross(own);
        }
    }
}

#[inline(always)]
fn twists_kernel(kin: &Kinematics, model: &Model, v: &[f64], out: &mut [Twist]) {
    link_twists(model.topology(), &kin.s, v, out);
}

#[inline(always)]
fn inertias_kernel(kin: &mut Kinematics, params: &Params) {
    transform_inertias(kin, &params.link_inertia);
}

/// Fills `inertia` from the inertias in the links' frames.
#[inline(always)]
pub(super) fn transform_inertias<T: Real>(kin: &mut Kinematics<T>, inertia: &[Inertia<T>]) {
    let links = kin.rot.iter().zip(&kin.pos).zip(inertia);
    for (inertia, ((rot, pos), body)) in kin.inertia.iter_mut().zip(links) {
        *inertia = body.transformed_by(rot, *pos);
    }
}

#[inline(always)]
fn body_placements_kernel(kin: &Kinematics, model: &Model, out: &mut [f64]) {
    for (body, out) in out.as_chunks_mut::<16>().0.iter_mut().enumerate() {
        *out = kin.body_pose(model, body).homogeneous();
    }
}

dispatch! {
    /// Fills `rot`, `pos`, `origin` and `s`; q has nq entries.
    pub fn positions = positions_kernel(kin: &mut Kinematics, model: &Model, params: &Params, q: &[f64])
}

dispatch! {
    /// World placements of all bodies, column-major 4×4 each. Call it after [`positions`].
    pub fn body_placements = body_placements_kernel(kin: &Kinematics, model: &Model, out: &mut [f64])
}

dispatch! {
    /// Fills `v` and `c` after [`positions`]; v has nv entries.
    pub fn velocities = velocities_kernel(kin: &mut Kinematics, model: &Model, v: &[f64])
}

dispatch! {
    /// Spatial velocities of the links for another v than that of `kin`. Call it after [`positions`].
    pub fn twists = twists_kernel(kin: &Kinematics, model: &Model, v: &[f64], out: &mut [Twist])
}

dispatch! {
    /// Fills `inertia` after [`positions`].
    pub fn inertias = inertias_kernel(kin: &mut Kinematics, params: &Params)
}
