//! Derivatives of a step's balance of forces by the selected parameters.

use crate::dynamics::kinematics::Kinematics;
use crate::dynamics::rnea::Rnea;
use crate::dynamics::rnea_derivatives::{Carried, RneaDerivatives};
use crate::force::{Forces, State};
use crate::model::Model;
use crate::model::params::{Param, ParamKind, Params};
use crate::model::topology::WORLD;
use crate::spatial::{Inertia, Twist, Vec3};

/// State of the step at which a parameter's column is computed.
pub struct At<'a> {
    pub model: &'a Model,
    pub params: &'a Params,
    /// Recursions at (q, v, a) with their derivatives.
    pub kin: &'a Kinematics,
    pub rnea: &'a Rnea,
    pub id: &'a RneaDerivatives,
    pub forces: &'a Forces,
    /// State at the start of the step, its inputs, and its acceleration a.
    pub q: &'a [f64],
    pub v: &'a [f64],
    pub u: &'a [f64],
    pub acc: &'a [f64],
    pub time_step: f64,
}

impl<'a> At<'a> {
    /// A state outside a step: forces without implicit terms, at `[q, v, acc]`.
    pub fn there(
        (model, params): (&'a Model, &'a Params),
        (kin, rnea, id): (&'a Kinematics, &'a Rnea, &'a RneaDerivatives),
        forces: &'a Forces,
        u: &'a [f64],
        [q, v, acc]: [&'a [f64]; 3],
    ) -> At<'a> {
        At {
            model,
            params,
            kin,
            rnea,
            id,
            forces,
            q,
            v,
            u,
            acc,
            time_step: 0.0,
        }
    }
}

impl At<'_> {
    /// r ← ∂(M a + b − f)/∂p at fixed q, v, a; nv entries.
    pub fn column(&self, p: &Param, r: &mut [f64]) {
        r.fill(0.0);
        self.bodies(p, r);
        self.forces(p, r);
    }

    /// [`At::column`] without forces.
    pub fn column_of_bodies(&self, p: &Param, r: &mut [f64]) {
        r.fill(0.0);
        self.bodies(p, r);
    }

    fn bodies(&self, p: &Param, r: &mut [f64]) {
        let (index, component) = (p.index as usize, p.component as usize);
        match p.kind {
            ParamKind::BodyInertia => self.inertia(index, component, 1.0, r),
            ParamKind::Gravity => self.gravity(component, r),
            ParamKind::Deformable => {
                let of = &self.params.deformable[index];
                (self.model).for_mass_slopes(of, p, |body, slope| self.inertia(body, 0, slope, r));
            }
            kind if kind.displaces() => self.displaced(p, r),
            ParamKind::JointArmature => {
                let k = self.model.dof_of(p);
                r[k] = self.acc[k];
            }
            _ => {}
        }
    }

    /// Adds the part of forces.
    fn forces(&self, p: &Param, r: &mut [f64]) {
        let start = State {
            model: self.model,
            params: self.params,
            kin: self.kin,
            q: self.q,
            v: self.v,
            u: self.u,
            time_step: self.time_step,
            ease: 1.0,
        };
        self.forces.by_parameter(&start, self.acc, p, r);
    }

    /// The regressor: inverse dynamics is linear in the inertial parameters. Adds a multiple of one column.
    fn inertia(&self, body: usize, component: usize, scale: f64, r: &mut [f64]) {
        let b = &self.model.bodies()[body];
        if b.link == WORLD {
            return;
        }
        let mut unit = [0.0; 10];
        unit[component] = scale;
        let kin = &self.kin;
        let i = Inertia::from_params(&unit)
            .transformed(&b.in_link)
            .transformed_by(&kin.rot[b.link], kin.pos[b.link]);
        let v = kin.v[b.link];
        let f = i.mul(self.rnea.a[b.link]) + v.cross_wrench(i.mul(v));
        kin.spread(self.model.topology(), b.link, f, r);
    }

    fn gravity(&self, component: usize, r: &mut [f64]) {
        let up = Twist::new(Vec3::unit(component), Vec3::ZERO);
        for (k, dof) in self.model.topology().dofs.iter().enumerate() {
            let s = self.kin.s[k];
            r[k] = -s.dot(self.id.composite[dof.link].inertia.mul(up));
        }
    }

    /// A displaced joint moves the subtree as a dof at rest would.
    fn displaced(&self, p: &Param, r: &mut [f64]) {
        let t = self.model.topology();
        let moved = self.kin.displaced(self.model, self.params, p);
        let (link, xi) = (moved.link, moved.by.xi);
        let l = &t.links[link];
        let (vp, ap) = if l.parent == WORLD {
            let world = Twist::new(-self.params.gravity, Vec3::ZERO);
            (Twist::ZERO, world)
        } else {
            let p = l.parent;
            (self.kin.v[p], self.rnea.a[p])
        };
        let mut carried = Carried::of(xi, vp, vp, ap);
        let within = moved.within(t, |k| self.v[k]);
        carried.eta += within;
        carried.alpha += (vp + self.kin.v[link]).cross(within)
            + moved.within(t, |k| self.acc[k])
            + moved.by.bias;
        let c = &self.id.composite[link];
        let f = xi.cross_wrench(self.rnea.f[link])
            + c.inertia.mul(carried.alpha)
            + c.two_b(carried.eta)
            + self.id.stiffness.mul(link, xi);
        self.kin.spread(t, l.parent, f, r);
        for k in l.iv..t.dofs[l.iv].end {
            let i = t.dofs[k].link;
            let c = &self.id.composite[i];
            let f =
                c.inertia.mul(carried.alpha) + c.two_b(carried.eta) + self.id.stiffness.mul(i, xi);
            r[k] = self.kin.s[k].dot(f);
        }
        moved.for_bent(t, self.rnea.f[link], |k, x| r[k] += x);
    }
}
