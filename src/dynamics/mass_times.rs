//! Products with M by one sweep over the tree: linear in the links, without the matrix.

use super::kinematics::Kinematics;
use crate::linalg::dispatch;
use crate::model::Model;
use crate::model::topology::WORLD;
use crate::spatial::{Twist, Wrench};

/// Per link: the motion by the dofs above, and the force that it requires.
#[derive(Clone, Debug)]
pub struct MassTimes {
    motion: Vec<Twist>,
    force: Vec<Wrench>,
}

impl MassTimes {
    pub fn new(model: &Model) -> Self {
        let n = model.topology().links.len();
        MassTimes {
            motion: vec![Twist::ZERO; n],
            force: vec![Wrench::ZERO; n],
        }
    }
}

#[inline(always)]
fn mass_times_kernel(
    w: &mut MassTimes,
    kin: &Kinematics,
    model: &Model,
    x: &[f64],
    out: &mut [f64],
) {
    let links = &model.topology().links;
    for (i, l) in links.iter().enumerate() {
        let mut motion = match l.parent {
            WORLD => Twist::ZERO,
            p => w.motion[p],
        };
        for k in l.dofs() {
            motion += kin.s[k] * x[k];
        }
        w.motion[i] = motion;
        w.force[i] = kin.inertia[i].mul(motion);
    }
    for (i, l) in links.iter().enumerate().rev() {
        let force = w.force[i];
        for k in l.dofs() {
            out[k] = kin.s[k].dot(force);
        }
        if l.parent != WORLD {
            w.force[l.parent] += force;
        }
    }
}

dispatch! {
    /// `out` ← M x without armature. `kin` must hold positions and inertias.
    pub fn mass_times = mass_times_kernel(
        w: &mut MassTimes, kin: &Kinematics, model: &Model, x: &[f64], out: &mut [f64],
    )
}
