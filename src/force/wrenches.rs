//! Wrenches that the user sets on bodies: along world axes, at the body's origin.

use super::face::{Force, State};
use crate::dynamics::external::External;
use crate::dynamics::kinematics::Kinematics;
use crate::model::Model;
use crate::model::params::{Param, ParamKind, Params};
use crate::model::topology::WORLD;
use crate::spatial::Wrench;

/// One per body.
#[derive(Clone, Debug)]
pub struct ExternalWrenches {
    wrenches: Vec<Wrench>,
    /// Whether any wrench is nonzero.
    active: bool,
}

impl ExternalWrenches {
    pub fn new(model: &Model) -> Self {
        ExternalWrenches {
            wrenches: vec![Wrench::ZERO; model.nbody()],
            active: false,
        }
    }

    /// (force; moment) on a body [N, N m].
    pub fn get(&self, body: usize) -> [f64; 6] {
        self.wrenches[body].to_array()
    }

    /// Whether any wrench is nonzero.
    pub fn act(&self) -> bool {
        self.active
    }

    pub fn set(&mut self, body: usize, wrench: [f64; 6]) {
        self.wrenches[body] = Wrench::from_slice(&wrench);
        self.active = self.wrenches.iter().any(|w| *w != Wrench::ZERO);
    }
}

impl Force for ExternalWrenches {
    fn load(&self, model: &Model, _: &Params, kin: &Kinematics, loads: &mut External) {
        if self.active {
            for (b, w) in self.wrenches.iter().enumerate() {
                if *w != Wrench::ZERO {
                    loads.add_on_body(model, kin, b, *w);
                }
            }
        }
    }

    fn by_parameter(&self, at: &State<'_>, _: &[f64], p: &Param, r: &mut [f64]) {
        if p.kind != ParamKind::ExternalWrench {
            return;
        }
        let body = &at.model.bodies()[p.index as usize];
        if body.link == WORLD {
            return;
        }
        let mut unit = [0.0; 6];
        unit[p.component as usize] = -1.0;
        let w = Wrench::from_slice(&unit);
        let arm = at.kin.pos[body.link] + at.kin.rot[body.link].mul_vec(body.in_link.pos);
        let about_tree = Wrench::new(w.lin, w.ang + arm.cross(w.lin));
        at.kin.spread(at.model.topology(), body.link, about_tree, r);
    }
}
