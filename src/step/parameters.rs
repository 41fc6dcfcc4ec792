//! Derivatives of a step's balance of forces by the selected parameters.

use crate::dynamics::kinematics::Kinematics;
use crate::dynamics::rnea::Rnea;
use crate::dynamics::rnea_derivatives::{Carried, RneaDerivatives};
use crate::model::Model;
use crate::model::params::{Param, ParamKind, Params};
use crate::model::topology::WORLD;
use crate::spatial::{Inertia, Twist, Vec3, Wrench};

/// State of the step at which a parameter's column is taken.
pub struct At<'a> {
    pub model: &'a Model,
    pub params: &'a Params,
    /// Recursions at (q, v, a) with their derivatives.
    pub kin: &'a Kinematics,
    pub rnea: &'a Rnea,
    pub id: &'a RneaDerivatives,
    /// Velocity before the step.
    pub v: &'a [f64],
    /// Displacement of the springs, and the acceleration a; damping and springs see v + h a.
    pub spring: &'a [f64],
    pub acc: &'a [f64],
    pub time_step: f64,
}

impl At<'_> {
    /// r ← ∂(M a + b + D v⁺ + K (e + h v⁺) − τ)/∂p at fixed q, v, a; nv entries.
    pub fn column(&self, p: &Param, r: &mut [f64]) {
        r.fill(0.0);
        let index = p.index as usize;
        let component = p.component as usize;
        match p.kind {
            ParamKind::BodyInertia => self.inertia(index, component, r),
            ParamKind::Gravity => self.gravity(component, r),
            ParamKind::JointPlacement => self.placement(index, component, r),
            ParamKind::ExternalWrench => self.wrench(index, component, r),
            // These act through the constraints only.
            ParamKind::GeomFriction
            | ParamKind::JointFriction
            | ParamKind::ContactStiffness
            | ParamKind::ContactDissipation
            | ParamKind::GeomSize
            | ParamKind::Stabilization => {}
            kind => {
                let k = self.model.joint(index).iv + component;
                let h = self.time_step;
                let end = self.v[k] + h * self.acc[k];
                r[k] = match kind {
                    ParamKind::JointDamping => end,
                    ParamKind::JointStiffness => self.spring[k] + h * end,
                    ParamKind::JointSpringReference => -self.params.stiffness[k],
                    ParamKind::JointArmature => self.acc[k],
                    // Sim::select_params refuses the others.
                    _ => 0.0,
                };
            }
        }
    }

    /// Forces on the dofs above a wrench.
    fn spread(&self, mut dof: usize, f: Wrench, r: &mut [f64]) {
        while dof != WORLD {
            r[dof] += self.kin.s[dof].dot(f);
            dof = self.model.topology().dofs[dof].parent;
        }
    }

    /// The regressor: inverse dynamics is linear in the inertial parameters.
    fn inertia(&self, body: usize, component: usize, r: &mut [f64]) {
        let b = &self.model.bodies()[body];
        if b.link == WORLD {
            return;
        }
        let mut unit = [0.0; 10];
        unit[component] = 1.0;
        let kin = &self.kin;
        let i = Inertia::from_params(&unit)
            .transformed(&b.in_link)
            .transformed_by(&kin.rot[b.link], kin.pos[b.link]);
        let v = kin.v[b.link];
        let f = i.mul(self.rnea.a[b.link]) + v.cross_wrench(i.mul(v));
        let l = &self.model.topology().links[b.link];
        self.spread(l.iv + l.kind.nv() - 1, f, r);
    }

    /// A wrench enters the balance with the opposite sign of what it does.
    fn wrench(&self, body: usize, component: usize, r: &mut [f64]) {
        let b = &self.model.bodies()[body];
        if b.link == WORLD {
            return;
        }
        let mut unit = [0.0; 6];
        unit[component] = -1.0;
        let w = Wrench::from_slice(&unit);
        let at = self.kin.pos[b.link] + self.kin.rot[b.link].mul_vec(b.in_link.pos);
        let l = &self.model.topology().links[b.link];
        let about_tree = Wrench::new(w.lin, w.ang + at.cross(w.lin));
        self.spread(l.iv + l.kind.nv() - 1, about_tree, r);
    }

    fn gravity(&self, component: usize, r: &mut [f64]) {
        let up = Twist::new(Vec3::unit(component), Vec3::ZERO);
        for (k, dof) in self.model.topology().dofs.iter().enumerate() {
            let s = self.kin.s[k];
            r[k] = -s.dot(self.id.composite[dof.link].inertia.mul(up));
        }
    }

    /// A displaced placement moves the subtree as a dof at rest would.
    fn placement(&self, joint: usize, component: usize, r: &mut [f64]) {
        let t = self.model.topology();
        let xi = self.placement_twist(joint, component);
        let link = self.model.joint(joint).first_link;
        let l = &t.links[link];
        let (vp, ap) = if l.parent == WORLD {
            let world = Twist::new(-self.params.gravity, Vec3::ZERO);
            (Twist::ZERO, world)
        } else {
            let p = l.parent;
            (self.kin.v[p], self.rnea.a[p])
        };
        let carried = Carried::of(xi, vp, vp, ap);
        let c = &self.id.composite[link];
        let f = xi.cross_wrench(self.rnea.f[link])
            + c.inertia.mul(carried.alpha)
            + c.two_b(carried.eta)
            + self.id.stiffness.mul(link, xi);
        self.spread(t.dofs[l.iv].parent, f, r);
        for k in l.iv..t.dofs[l.iv].end {
            let i = t.dofs[k].link;
            let c = &self.id.composite[i];
            let f =
                c.inertia.mul(carried.alpha) + c.two_b(carried.eta) + self.id.stiffness.mul(i, xi);
            r[k] = self.kin.s[k].dot(f);
        }
    }

    /// Motion of a joint's subtree per unit of a placement component, about the tree's origin.
    pub fn placement_twist(&self, joint: usize, component: usize) -> Twist {
        let kin = &self.kin;
        let link = self.model.joint(joint).first_link;
        let l = &self.model.topology().links[link];
        let mut frame = self.params.link_placement[link];
        if l.parent == WORLD {
            frame.pos -= kin.origin[l.tree];
        } else {
            frame = crate::spatial::Pose::new(kin.rot[l.parent], kin.pos[l.parent]).compose(&frame);
        }
        frame.twist(self.params.placement_twists(self.model, joint)[component])
    }
}
