//! How much constraints yield in the convex law: R of every block, and the share of a penetration that a step leaves.
//!
//! After sap-convex-compliant-contact, section 5: R_n = max(β²/(4π²) w, 1/(h k (h + τ_d))) and R_T = σ w, with stiffness in
//! series and dissipation times added. Contacts aim at v_n = −Φ/(h + τ_d) where they penetrate, which is
//! [`Stabilization`] with K_p = τ_d/(h + τ_d), and close no more than their gap elsewhere. The weight w is the paper's
//! norm of J M⁻¹Jᵀ, but at the model's neutral configuration and over all directions of the contact: it sets how nearly
//! rigid is rigid, and as a constant of the simulation it costs the derivative nothing.

use super::assemble::{Constraints, Source, tip};
use super::rows::Rows;
use super::stabilization::Stabilization;
use crate::collision::scene::Scene;
use crate::contact::convex::Regularization;
use crate::dynamics::Dynamics;
use crate::dynamics::kinematics::Kinematics;
use crate::linalg::F4;
use crate::model::Model;
use crate::model::params::{Param, ParamKind, Params};
use crate::model::topology::{Topology, WORLD};
use crate::spatial::{Twist, Vec3};

/// β: the least period of a near-rigid constraint in steps.
const NEAR_RIGID: f64 = 1.0;

/// σ: regularization of friction in units of the weight.
const SLIP: f64 = 1e-3;

/// Contacts that are not closed have friction within one step's travel at this speed: sliding ones glide at a gap of
/// μ h‖v_T‖ and would hop without. Beyond it, convex friction would act on what merely passes by [m/s].
const GLIDING_SPEED: f64 = 1.0;

/// Of one simulation. Sized at creation.
#[derive(Debug)]
pub struct Compliance {
    h: f64,
    /// Weights: of each geom, dof and equality.
    geoms: Vec<f64>,
    dofs: Vec<f64>,
    equalities: Vec<f64>,
    /// Per block of the step.
    pub regularization: Vec<Regularization>,
    /// Per group: K_p.
    kp: Vec<f64>,
}

/// Stiffness and dissipation of a pair of geoms: 1/k [m/N] and τ_d [s].
fn material(params: &Params, geoms: [usize; 2]) -> (f64, f64) {
    let [a, b] = geoms;
    (
        1.0 / params.geom_stiffness[a] + 1.0 / params.geom_stiffness[b],
        params.geom_dissipation[a] + params.geom_dissipation[b],
    )
}

/// A weight that is none belongs to what cannot move.
fn positive(w: f64) -> f64 {
    if w > 0.0 && w.is_finite() { w } else { 1.0 }
}

impl Compliance {
    pub fn new(model: &Model, scene: &Scene, c: &Constraints, h: f64) -> Compliance {
        let t = model.topology();
        let mut dynamics = Dynamics::new(model, false);
        let still = vec![0.0; t.nv()];
        dynamics.update(model, model.params(), model.neutral(), &still);
        dynamics.factor_mass(model, &model.params().armature);
        let kin = &dynamics.kin;
        let mobility = |fill: &mut dyn FnMut(&mut Rows)| {
            let mut rows = Rows::new(t, 1);
            fill(&mut rows);
            rows.solve_half(t, &dynamics.mass);
            let g = rows.delassus(0, 0);
            g[0].0[0] + g[1].0[1] + g[2].0[2]
        };
        // Of a point at a random direction from the centre: translations, and two thirds of what turning adds. The norm
        // of the paper, ‖W‖/3, of a multiple of the unit matrix.
        let norm = 3.0 * 3.0f64.sqrt();
        let geoms = (0..model.ngeom()).map(|g| {
            let (link, centre, radius) = scene.ball(g);
            if link == WORLD {
                return 0.0;
            }
            let p = kin.pos[link] + kin.rot[link].mul_vec(centre);
            let moves = mobility(&mut |rows| spatial_rows(rows, t, kin, link, |s| s.at(p)));
            let turns = mobility(&mut |rows| spatial_rows(rows, t, kin, link, |s| s.ang));
            let radius = if radius.is_finite() { radius } else { 0.0 };
            (moves + 2.0 / 3.0 * radius * radius * turns) / norm
        });
        let geoms = geoms.collect();
        let dofs = (0..t.nv()).map(|k| {
            positive(mobility(&mut |rows| {
                let id = rows.push(t, [k, WORLD]);
                rows.column_mut(id, k).0[0] = 1.0;
            }))
        });
        let dofs = dofs.collect();
        let equalities = c.equalities.iter().map(|e| {
            let sum = mobility(&mut |rows| {
                e.fill(t, kin, model.neutral(), rows);
            });
            positive(sum / e.rows() as f64)
        });
        Compliance {
            h,
            geoms,
            dofs,
            equalities: equalities.collect(),
            regularization: Vec::with_capacity(c.max_blocks()),
            kp: Vec::with_capacity(c.max_groups()),
        }
    }

    /// R and K_p of the groups that were assembled.
    pub(super) fn fill(
        &mut self,
        sources: &[Source],
        rows: impl Fn(usize) -> usize,
        scene: &Scene,
        params: &Params,
    ) {
        self.regularization.clear();
        self.kp.clear();
        for (group, source) in sources.iter().enumerate() {
            let (weight, compliance, dissipation, count) = match *source {
                Source::Contact(i) => {
                    let geoms = scene.contacts()[i].geom;
                    let (compliance, dissipation) = material(params, geoms);
                    (self.weight(geoms), compliance, dissipation, 1)
                }
                Source::Limit { dof, .. } | Source::Friction { dof } => {
                    (self.dofs[dof], 0.0, 0.0, 1)
                }
                Source::Equality { index, .. } => (self.equalities[index], 0.0, 0.0, rows(group)),
            };
            let r = Regularization {
                tangential: SLIP * weight,
                normal: near_rigid(weight).max(compliance / (self.h * (self.h + dissipation))),
            };
            self.regularization.extend(std::iter::repeat_n(r, count));
            self.kp.push(dissipation / (self.h + dissipation));
        }
    }

    /// Of a contact of two geoms.
    fn weight(&self, geoms: [usize; 2]) -> f64 {
        positive(geoms.map(|g| self.geoms[g]).iter().sum())
    }

    /// The stabilization of a group.
    pub(super) fn stabilization(&self, group: usize, s: &Stabilization) -> Stabilization {
        Stabilization {
            kp: self.kp[group],
            friction_reach: GLIDING_SPEED * self.h,
            ..*s
        }
    }

    /// How the normal row of a contact varies with the stiffness or the dissipation of a geom, at fixed impulse: by R, and
    /// by what is asked of the gap. A limit of near rigidity that is just reached counts as not reached.
    pub fn by_material(
        &self,
        params: &Params,
        geoms: [usize; 2],
        p: &Param,
        impulse: f64,
        by_kp: f64,
    ) -> f64 {
        let g = p.index as usize;
        let times = geoms.iter().filter(|x| **x == g).count() as f64;
        let (compliance, dissipation) = material(params, geoms);
        let (h, whole) = (self.h, self.h + dissipation);
        let yields = compliance / (h * whole) >= near_rigid(self.weight(geoms));
        let (by_compliance, by_dissipation) = if yields {
            (1.0 / (h * whole), -compliance / (h * whole * whole))
        } else {
            (0.0, 0.0)
        };
        let k = params.geom_stiffness[g];
        times
            * match p.kind {
                ParamKind::ContactStiffness => -impulse * by_compliance / (k * k),
                _ => impulse * by_dissipation + by_kp * h / (whole * whole),
            }
    }
}

/// R of a constraint whose period is β steps.
fn near_rigid(weight: f64) -> f64 {
    let turn = NEAR_RIGID / (2.0 * std::f64::consts::PI);
    turn * turn * weight
}

/// Three rows of one link, of a vector a dof.
fn spatial_rows(
    rows: &mut Rows,
    t: &Topology,
    kin: &Kinematics,
    link: usize,
    of: impl Fn(Twist) -> Vec3,
) {
    let id = rows.push(t, [tip(t, link), WORLD]);
    let mut k = tip(t, link);
    while k != WORLD {
        let u = of(kin.s[k]);
        *rows.column_mut(id, k) = F4([u.x, u.y, u.z, 0.0]);
        k = t.dofs[k].parent;
    }
}
