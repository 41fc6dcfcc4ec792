//! The combined material of two geoms in contact.

use crate::collision::scene::SceneContact;
use crate::model::params::{Param, ParamKind, Params};

/// Largest default stiffness of a geom that moves, per mass of its tree [N/m per kg]. Under its weight
/// the lighter of two trees sinks in by about a millimetre.
pub const STIFFNESS: f64 = 1e4;

/// Default viscous friction per mass [N s/m per kg]: critical damping of this mass on this stiffness.
pub const TANGENTIAL: f64 = 200.0;

/// The numbers of a pair of geoms.
#[derive(Clone, Copy, Debug, Default)]
pub struct Material {
    /// [N/m]
    pub stiffness: f64,
    /// [s]
    pub dissipation: f64,
    /// [N s/m]
    pub tangential: f64,
    /// Coefficient of friction; zero for frictionless contacts.
    pub friction: f64,
}

impl Material {
    /// The material of a pair: stiffness and viscous friction in series, dissipation times added.
    pub fn of(params: &Params, c: &SceneContact) -> Material {
        let [a, b] = c.geom;
        let series = |x: &[f64]| 1.0 / (1.0 / x[a] + 1.0 / x[b]);
        Material {
            stiffness: series(&params.geom_stiffness),
            dissipation: params.geom_dissipation[a] + params.geom_dissipation[b],
            tangential: series(&params.geom_tangential),
            friction: match c.condim {
                1 => 0.0,
                _ => c.friction.sliding(&params.geom_friction),
            },
        }
    }

    /// The derivative of the material by a parameter of a geom. Zero for other parameters.
    pub fn by_parameter(&self, params: &Params, c: &SceneContact, p: &Param) -> Material {
        let mut out = Material::default();
        let g = p.index as usize;
        if p.kind == ParamKind::GeomFriction && p.component == 0 && c.condim != 1 {
            out.friction = c.friction.by_geom(&params.geom_friction, 0, g);
        }
        if !c.geom.contains(&g) {
            return out;
        }
        let in_series = |all: f64, own: f64| (all / own).powi(2);
        match p.kind {
            ParamKind::ContactStiffness => {
                out.stiffness = in_series(self.stiffness, params.geom_stiffness[g]);
            }
            ParamKind::ContactDissipation => out.dissipation = 1.0,
            ParamKind::ContactTangential => {
                out.tangential = in_series(self.tangential, params.geom_tangential[g]);
            }
            _ => {}
        }
        out
    }
}
