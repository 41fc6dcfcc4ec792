//! Forces of the fluid in which bodies move, by MuJoCo's two models.
//!
//! If the geoms of a body request it, each of them is an [`Ellipsoid`] in the fluid. Any other body with
//! mass is an [`InertiaBox`]. Both give a wrench at a point of the body from its velocity relative to
//! the fluid, in the body's axes. A displacement ξ = S_k of a subtree changes this velocity of its
//! bodies by η_k = (v_parent − wind) × S_k and nothing else. With W and D the sums over a subtree of the
//! wrenches and of their derivatives by velocity, about the tree's origin,
//!
//! - i above k:  ∂τ_i/∂q_k = S_iᵀ (D η_k + S_k ×* W),  ∂τ_i/∂v_k = S_iᵀ D S_k
//! - i below k, or of the same link:  the same without W, with D of the lower of the two.
//!
//! Formulas: MuJoCo's documentation, Computation, Fluid forces. The force is taken at the start of a
//! step, or at its stage.

mod added_mass;
mod ellipsoid;
mod inertia_box;
mod medium;

use super::face::{Force, State};
use super::slopes::Slopes;
use crate::dynamics::external::Stiffness;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::model::fluid_shapes::semi_axes;
use crate::model::params::{Param, ParamKind, Params};
use crate::model::principal::principal_axes;
use crate::model::topology::WORLD;
use crate::spatial::{Inertia, Mat3, Pose, Twist, Vec3, Wrench};
use ellipsoid::Ellipsoid;
use inertia_box::InertiaBox;
use medium::Medium;

/// The shape of a body in the fluid.
#[derive(Clone, Copy, Debug)]
enum Shape {
    /// A box along these axes of the body (columns), about its centre of mass.
    Box { axes: Mat3 },
    /// An ellipsoid with this placement on the body's link.
    Ellipsoid { place: Pose, of: Ellipsoid },
}

/// A shape at its placement.
struct Placed {
    /// Rotation to world axes.
    rot: Mat3,
    /// Centre, relative to the tree's origin.
    centre: Vec3,
    law: Law,
}

enum Law {
    Box(InertiaBox),
    Ellipsoid(Ellipsoid),
}

impl Placed {
    fn wrench(&self, medium: Medium, v: Twist) -> Wrench {
        match &self.law {
            Law::Box(b) => b.wrench(medium, v),
            Law::Ellipsoid(e) => e.wrench(medium, v),
        }
    }

    fn by_velocity(&self, medium: Medium, v: Twist, dv: Twist) -> Wrench {
        match &self.law {
            Law::Box(b) => b.by_velocity(medium, v, dv),
            Law::Ellipsoid(e) => e.by_velocity(medium, v, dv),
        }
    }

    /// The velocity of the shape's centre in its axes, from a twist about the tree's origin.
    fn seen(&self, v: Twist) -> Twist {
        Twist::new(
            self.rot.tr_mul_vec(v.at(self.centre)),
            self.rot.tr_mul_vec(v.ang),
        )
    }

    /// Turns a wrench at the shape's centre from its axes to world axes.
    fn turned(&self, w: Wrench) -> Wrench {
        Wrench::new(self.rot.mul_vec(w.lin), self.rot.mul_vec(w.ang))
    }
}

/// Drag and lift on all bodies. Empty in a vacuum.
#[derive(Clone, Debug)]
pub struct FluidForces {
    medium: Medium,
    wind: Twist,
    /// Bodies that move, with their shapes in the fluid.
    shapes: Vec<(usize, Shape)>,
    /// Per link, summed over its subtree: the wrench, and its derivative by velocity.
    wrench: Vec<Wrench>,
    slope: Vec<Stiffness>,
    /// Per dof: η.
    eta: Vec<Twist>,
}

impl FluidForces {
    pub fn new(model: &Model) -> Self {
        let fluid = model.fluid();
        let mut shapes = Vec::new();
        let moving = |b: &usize| model.bodies()[*b].link != WORLD;
        for b in (0..model.nbody()).filter(|b| fluid.acts() && moving(b)) {
            let body = &model.bodies()[b];
            let alone = shapes.len();
            for g in model.geoms().iter().filter(|g| g.body == b) {
                if let (Some(coefficients), Some(semi_axes)) = (g.fluid, semi_axes(&g.shape)) {
                    let place = body.in_link.compose(&g.placement);
                    let of = Ellipsoid::new(semi_axes, coefficients);
                    shapes.push((b, Shape::Ellipsoid { place, of }));
                }
            }
            if shapes.len() == alone {
                let inertia = &model.params().body_inertia[b];
                let axes = body
                    .inertia_axes
                    .or_else(|| principal_axes(&inertia.about_com()).map(|(axes, _)| axes));
                let axes = axes.unwrap_or(Mat3::IDENTITY);
                shapes.push((b, Shape::Box { axes }));
            }
        }
        let t = model.topology();
        let (links, dofs) = match shapes.is_empty() {
            true => (0, 0),
            false => (t.links.len(), t.nv()),
        };
        FluidForces {
            medium: Medium {
                density: fluid.density,
                viscosity: fluid.viscosity,
            },
            wind: Twist::new(fluid.wind, Vec3::ZERO),
            shapes,
            wrench: vec![Wrench::ZERO; links],
            slope: vec![Stiffness::default(); links],
            eta: vec![Twist::ZERO; dofs],
        }
    }

    pub fn acts(&self) -> bool {
        !self.shapes.is_empty()
    }

    fn place(&self, at: &State<'_>, body: usize, shape: &Shape) -> Placed {
        let b = &at.model.bodies()[body];
        let (rot, pos) = (&at.kin.rot[b.link], at.kin.pos[b.link]);
        let (rotation, centre, law) = match shape {
            Shape::Box { axes } => {
                let inertia = &at.params.body_inertia[body];
                (
                    b.in_link.rot.mul_mat(axes),
                    b.in_link.point(inertia.com()),
                    Law::Box(InertiaBox::of(inertia, axes)),
                )
            }
            Shape::Ellipsoid { place, of } => (place.rot, place.pos, Law::Ellipsoid(*of)),
        };
        Placed {
            rot: rot.mul_mat(&rotation),
            centre: rot.mul_vec(centre) + pos,
            law,
        }
    }

    /// Bodies without mass have no fluid force.
    fn placed<'a>(&'a self, at: &'a State<'_>) -> impl Iterator<Item = (usize, Placed)> + 'a {
        let heavy = |(b, _): &&(usize, Shape)| at.params.body_inertia[*b].mass > 0.0;
        (self.shapes.iter().filter(heavy))
            .map(move |(b, shape)| (at.model.bodies()[*b].link, self.place(at, *b, shape)))
    }

    /// Finds the derivatives at the state of the last [`Force::apply`].
    pub fn differentiate(&mut self, at: &State<'_>) {
        if !self.acts() {
            return;
        }
        let t = at.model.topology();
        let mut slope = std::mem::take(&mut self.slope);
        slope.fill(Stiffness::default());
        for (link, placed) in self.placed(at) {
            let v = placed.seen(at.kin.v[link] - self.wind);
            for (k, c) in slope[link].c.iter_mut().enumerate() {
                let w = placed.by_velocity(self.medium, v, placed.seen(Twist::unit(k)));
                *c += placed.turned(w).about_origin(placed.centre);
            }
        }
        for (i, l) in t.links.iter().enumerate().rev() {
            if l.parent != WORLD {
                let own = slope[i];
                slope[l.parent] += &own;
            }
        }
        self.slope = slope;
        for (k, eta) in self.eta.iter_mut().enumerate() {
            *eta = at.kin.eta(t, k, at.v, self.wind);
        }
    }

    /// A displaced placement moves the subtree like a dof at rest.
    fn by_displacement(&self, at: &State<'_>, p: &Param, r: &mut [f64]) {
        let t = at.model.topology();
        let moved = at.kin.displaced(at.model, at.params, p);
        let (first, xi) = (moved.link, moved.by.xi);
        let l = &t.links[first];
        let carrier = at.kin.parent_velocity(l) - self.wind;
        let eta = carrier.cross(xi) + moved.within(t, |k| at.v[k]);
        moved.for_bent(t, self.wrench[first], |k, x| r[k] -= x);
        for (i, below) in t.links[first..l.end].iter().enumerate() {
            let w = self.slope[first + i].mul(eta);
            for k in below.dofs() {
                r[k] -= at.kin.s[k].dot(w);
            }
        }
        let w = self.slope[first].mul(eta) + xi.cross_wrench(self.wrench[first]);
        at.kin.spread(t, l.parent, -w, r);
    }

    fn by_inertia(&self, at: &State<'_>, body: usize, component: usize, r: &mut [f64]) {
        let own = self.shapes.iter().find(|(b, _)| *b == body);
        let Some((_, shape @ Shape::Box { axes })) = own else {
            return;
        };
        let (b, placed) = (&at.model.bodies()[body], self.place(at, body, shape));
        let Law::Box(inertia_box) = &placed.law else {
            return;
        };
        if inertia_box.is_flat() {
            return;
        }
        let mut unit = [0.0; 10];
        unit[component] = 1.0;
        let by = Inertia::from_params(&unit);
        let (moved, sides) = inertia_box.vary(&at.params.body_inertia[body], &by, axes);
        let moved = at.kin.rot[b.link].mul_vec(b.in_link.rot.mul_vec(moved));
        let against = at.kin.v[b.link] - self.wind;
        let (v, change) = (placed.seen(against), against.ang.cross(moved));
        let dv = Twist::new(placed.rot.tr_mul_vec(change), Vec3::ZERO);
        let force = placed.turned(inertia_box.wrench(self.medium, v)).lin;
        let w = inertia_box.by_sides(self.medium, v, sides)
            + inertia_box.by_velocity(self.medium, v, dv);
        let mut w = placed.turned(w).about_origin(placed.centre);
        w.ang += moved.cross(force);
        at.kin.spread(at.model.topology(), b.link, -w, r);
    }

    /// Whether the parameter is the inertia of a flat box, which has no derivative by it.
    pub fn has_kink(&self, params: &Params, p: &Param) -> bool {
        let body = p.index as usize;
        let mut shapes = self.shapes.iter();
        p.kind == ParamKind::BodyInertia
            && shapes.any(|(b, shape)| match shape {
                Shape::Box { axes } if *b == body => {
                    InertiaBox::of(&params.body_inertia[body], axes).is_flat()
                }
                _ => false,
            })
    }

    /// Refuses a parameter by which the drag has no derivative.
    ///
    /// # Errors
    /// `Unsupported` for an inertia whose box is flat.
    pub fn check_param(&self, model: &Model, params: &Params, p: &Param) -> Result<()> {
        match self.has_kink(params, p) {
            false => Ok(()),
            true => Err(Error::unsupported(format!(
                "param: BodyInertia of body \"{}\": its inertia box has a side of length zero, where drag has no derivative by the inertia",
                model.bodies()[p.index as usize].name
            ))),
        }
    }
}

impl Force for FluidForces {
    fn entries(&self, model: &Model) -> usize {
        if !self.acts() {
            return 0;
        }
        let t = model.topology();
        let pairs: usize = t.dofs.iter().map(|d| 2 * d.depth).sum();
        let bends = t.varying.iter().map(|l| t.links[l.link].nv.pow(2));
        pairs + bends.sum::<usize>()
    }

    fn apply(&mut self, at: &State<'_>, tau: &mut [f64]) {
        if !self.acts() {
            return;
        }
        let t = at.model.topology();
        let mut wrench = std::mem::take(&mut self.wrench);
        wrench.fill(Wrench::ZERO);
        for (link, placed) in self.placed(at) {
            let w = placed.wrench(self.medium, placed.seen(at.kin.v[link] - self.wind));
            wrench[link] += placed.turned(w).about_origin(placed.centre);
        }
        for (i, l) in t.links.iter().enumerate().rev() {
            for k in l.dofs() {
                tau[k] += at.kin.s[k].dot(wrench[i]);
            }
            if l.parent != WORLD {
                let own = wrench[i];
                wrench[l.parent] += own;
            }
        }
        self.wrench = wrench;
    }

    fn slopes(&self, at: &State<'_>, into: &mut Slopes) {
        if !self.acts() {
            return;
        }
        let t = at.model.topology();
        for (k, dof) in t.dofs.iter().enumerate() {
            let (s, slope) = (at.kin.s[k], &self.slope[dof.link]);
            let ([by_q, by_v], below) = ([self.eta[k], s].map(|x| slope.mul(x)), slope.tr_mul(s));
            let turned = by_q + s.cross_wrench(self.wrench[dof.link]);
            into.add_own(k, -s.dot(by_q), -s.dot(by_v));
            let mut i = dof.parent;
            while i != WORLD {
                let upper = at.kin.s[i];
                let by_q = match t.dofs[i].link == dof.link {
                    true => by_q,
                    false => turned,
                };
                into.add([i, k], -upper.dot(by_q), -upper.dot(by_v));
                into.add([k, i], -self.eta[i].dot(below), -upper.dot(below));
                i = t.dofs[i].parent;
            }
        }
        for (state, varying) in at.kin.varying.iter().zip(&t.varying) {
            let l = &t.links[varying.link];
            for row in l.dofs() {
                for column in l.dofs() {
                    let bent = state.slope(row - l.iv, column - l.iv);
                    into.add([row, column], -bent.dot(self.wrench[varying.link]), 0.0);
                }
            }
        }
    }

    fn by_parameter(&self, at: &State<'_>, _: &[f64], p: &Param, r: &mut [f64]) {
        if !self.acts() {
            return;
        }
        let (index, component) = (p.index as usize, p.component as usize);
        match p.kind {
            kind if kind.displaces() => self.by_displacement(at, p, r),
            ParamKind::BodyInertia => self.by_inertia(at, index, component, r),
            _ => {}
        }
    }
}
