//! Gravity compensation: forces at bodies' centres of mass that carry a share of their weight.

use super::face::{Force, State};
use crate::dynamics::external::{External, Stiffness};
use crate::dynamics::kinematics::Kinematics;
use crate::model::Model;
use crate::model::params::{Param, ParamKind, Params};
use crate::model::topology::WORLD;
use crate::spatial::{Inertia, Twist, Vec3, Wrench};

/// −γ m g at the centre of mass of each body with γ ≠ 0. The wrench is linear in the mass and the first
/// moment, so that derivatives by the inertia divide by nothing.
#[derive(Clone, Debug)]
pub struct GravityCompensation {
    /// Bodies that move, with γ.
    shares: Vec<(usize, f64)>,
}

/// The inertia of a body in world axes about the tree's origin.
fn placed(model: &Model, kin: &Kinematics, body: usize, inertia: Inertia) -> Inertia {
    let b = &model.bodies()[body];
    inertia
        .transformed(&b.in_link)
        .transformed_by(&kin.rot[b.link], kin.pos[b.link])
}

/// The weight of a body in the field `gravity`.
fn weight(inertia: &Inertia, gravity: Vec3) -> Wrench {
    inertia.mul(Twist::new(gravity, Vec3::ZERO))
}

impl GravityCompensation {
    pub fn new(model: &Model) -> Self {
        let bodies = model.bodies().iter().enumerate();
        GravityCompensation {
            shares: bodies
                .map(|(b, body)| (b, body.gravity_compensation))
                .filter(|&(b, share)| share != 0.0 && model.bodies()[b].link != WORLD)
                .collect(),
        }
    }

    /// Whether any body that moves has a share.
    pub fn acts(&self) -> bool {
        !self.shares.is_empty()
    }

    /// Subtracts the carried share from the masses and first moments of links.
    pub fn take_off(
        &self,
        model: &Model,
        params: &Params,
        kin: &Kinematics,
        weights: &mut [(f64, Vec3)],
    ) {
        for &(b, share) in &self.shares {
            let i = placed(model, kin, b, params.body_inertia[b]);
            let weight = &mut weights[model.bodies()[b].link];
            *weight = (weight.0 - i.mass * share, weight.1 - i.h * share);
        }
    }
}

impl Force for GravityCompensation {
    fn load(&self, model: &Model, params: &Params, kin: &Kinematics, loads: &mut External) {
        for &(b, share) in &self.shares {
            let link = model.bodies()[b].link;
            let i = placed(model, kin, b, params.body_inertia[b]);
            loads.add_wrench(link, weight(&i, params.gravity) * -share);
            // The stiffness of a force at the first moment; its linear part is scaled by the mass.
            let mut e = Stiffness::of_load(i.h, params.gravity * -share, Vec3::ZERO);
            for c in &mut e.c {
                c.lin = c.lin * i.mass;
            }
            loads.stiffen(link, &e);
        }
    }

    fn by_parameter(&self, at: &State<'_>, _: &[f64], p: &Param, r: &mut [f64]) {
        let component = p.component as usize;
        let t = at.model.topology();
        for &(b, share) in &self.shares {
            let (inertia, gravity) = match p.kind {
                ParamKind::Gravity => (at.params.body_inertia[b], Vec3::unit(component)),
                ParamKind::BodyInertia if b == p.index as usize => {
                    let mut unit = [0.0; 10];
                    unit[component] = 1.0;
                    (Inertia::from_params(&unit), at.params.gravity)
                }
                _ => continue,
            };
            let i = placed(at.model, at.kin, b, inertia);
            let w = weight(&i, gravity) * share;
            at.kin.spread(t, at.model.bodies()[b].link, w, r);
        }
    }
}
