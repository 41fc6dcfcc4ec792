//! Linear damping of joints, taken implicitly.

use super::face::{Force, State};
use super::slopes::Slopes;
use crate::model::params::{Param, ParamKind, Params};

/// f = −d v on each dof.
#[derive(Clone, Copy, Debug)]
pub struct JointDamper;

impl Force for JointDamper {
    fn implicit(&self, params: &Params, into: &mut Slopes) {
        for (k, d) in params.damping.iter().enumerate() {
            into.add_own(k, 0.0, *d);
        }
    }

    fn apply(&mut self, at: &State<'_>, tau: &mut [f64]) {
        let (damping, v) = (&at.params.damping[..tau.len()], &at.v[..tau.len()]);
        for (k, tau) in tau.iter_mut().enumerate() {
            *tau -= damping[k] * v[k];
        }
    }

    fn slopes(&self, at: &State<'_>, into: &mut Slopes) {
        self.implicit(at.params, into);
    }

    fn by_parameter(&self, at: &State<'_>, acc: &[f64], p: &Param, r: &mut [f64]) {
        if p.kind == ParamKind::JointDamping {
            let k = at.model.dof_of(p);
            r[k] = at.v[k] + at.time_step * acc[k];
        }
    }
}
