//! Computes the weights of geoms, dofs, equalities and tendons: how much velocity a unit impulse on a
//! constraint causes.
//!
//! The weight w of a constraint is the norm of J M⁻¹ Jᵀ after Castro, Permenter and Han, "An
//! unconstrained convex formulation of compliant contact", section 5. It is taken at the model's neutral
//! configuration. For a geom it is the mean over the points at which the geom is met from random
//! directions (a box at its corners, a rod at its ends). The weight scales the compliance of rows. It is
//! constant in a simulation, so that it has no derivative.

use super::equality::{Equality, LengthCoupling};
use super::rows::Rows;
use super::source::{Along, Source};
use super::tendon_list::Tendon;
use super::torsion::Torsion;
use crate::collision::scene::Scene;
use crate::constraint::tuning::CONFIGURATIONS;
use crate::dynamics::Dynamics;
use crate::dynamics::mobility::Mobility;
use crate::linalg::scattered;
use crate::model::Model;
use crate::model::limits::Limit;
use crate::model::topology::WORLD;
use crate::tendon::Paths;

/// The weights of one simulation [1/kg or 1/(kg m²)].
#[derive(Debug)]
pub struct Weights {
    geoms: Vec<f64>,
    dofs: Vec<f64>,
    equalities: Vec<f64>,
    tendons: Vec<f64>,
    turns: Vec<f64>,
    /// Weight force of all moving bodies [N].
    force: f64,
}

/// Returns 1 for a weight that is zero or not finite, as of parts that cannot move.
fn positive(w: f64) -> f64 {
    if w > 0.0 && w.is_finite() { w } else { 1.0 }
}

/// Weights of rows along tendons: the largest in a few configurations, because in any single one a path
/// may pass through the axes that it turns. `fill` appends the row of one tendon, if it has a row.
fn weigh(
    model: &Model,
    dynamics: &mut Dynamics,
    paths: &Paths,
    count: usize,
    fill: impl Fn(usize, &Paths, &mut Rows) -> bool,
) -> Vec<f64> {
    let t = model.topology();
    let mut weights = vec![0.0; count];
    if count == 0 {
        return weights;
    }
    let (mut paths, mut rows) = (paths.clone(), Rows::new(t, 1));
    let (mut q, still) = (model.neutral().to_vec(), vec![0.0; t.nv()]);
    for round in 0..CONFIGURATIONS {
        if round > 0 {
            let away: Vec<f64> = (0..t.nv()).map(|k| scattered(k, round)).collect();
            model.integrate(model.neutral(), &away, &mut q);
        }
        dynamics.update(model, model.params(), &q, &still);
        dynamics.factor_mass(model, &model.params().armature);
        paths.update(&dynamics.kin, &q);
        for (i, weight) in weights.iter_mut().enumerate() {
            rows.clear();
            if fill(i, &paths, &mut rows) {
                rows.solve_half(t, &dynamics.mass);
                *weight = rows.delassus(0, 0)[0].0[0].max(*weight);
            }
        }
    }
    weights.iter().map(|w| positive(*w)).collect()
}

impl Weights {
    pub fn new(
        model: &Model,
        scene: &Scene,
        equalities: &[Equality],
        paths: &Paths,
        tendons: &[Tendon],
        limits: &[Limit],
    ) -> Weights {
        let t = model.topology();
        let mut dynamics = Dynamics::new(model, false);
        let still = vec![0.0; t.nv()];
        dynamics.update(model, model.params(), model.neutral(), &still);
        dynamics.factor_mass(model, &model.params().armature);
        let kin = &dynamics.kin;
        let mobility = Mobility::new(model, kin, &model.params().armature);
        // The norm of the paper, ‖W‖/3, for a multiple of the unit matrix.
        let norm = 3.0 * 3.0f64.sqrt();
        let geoms = (0..model.ngeom()).map(|g| {
            let (link, ..) = scene.ball(g);
            if link == WORLD {
                return 0.0;
            }
            let e = scene.extremes(g);
            let p = kin.pos[link] + kin.rot[link].mul_vec(e.centroid);
            let spread = kin.rot[link].mul_mat(&e.spread.mul_mat(&kin.rot[link].transpose()));
            let turns = mobility.of_turning(link);
            // For a point at d from the mean, rotation adds [d]× W [d]×ᵀ.
            let torsion = turns.trace() * spread.trace() - turns.mul_mat(&spread).trace();
            (mobility.of_point(link, p) + torsion) / norm
        });
        let geoms = geoms.collect();
        let mass: f64 = (kin.inertia.iter()).map(|i| i.mass).sum();
        let dofs = &mobility.dofs;
        // For the angle of a spherical joint, take the mean inertia. The inertia about the axis of a thin
        // rod alone would be far too small for bending the joint.
        let turned = limits.iter().filter(|l| l.turn.is_some());
        let turns = turned.map(|l| {
            let inertias = dofs[l.dof..l.dof + l.nv()].iter().map(|w| 1.0 / w);
            positive(l.nv() as f64 / inertias.sum::<f64>())
        });
        let turns = turns.collect();
        let dofs = dofs.iter().map(|w| positive(*w)).collect();
        let mut rows = Rows::new(t, usize::from(!equalities.is_empty()));
        let mut lengths = paths.clone();
        lengths.update(kin, model.neutral());
        let along_tendons: Vec<Option<&LengthCoupling>> =
            equalities.iter().map(Equality::along_tendons).collect();
        let equalities = equalities.iter().map(|e| {
            rows.clear();
            e.fill(t, (kin, &lengths), model.neutral(), &mut rows);
            rows.solve_half(t, &dynamics.mass);
            let all: f64 = (rows.delassus(0, 0).iter().enumerate())
                .map(|(k, column)| column.0[k])
                .sum();
            positive(all / e.rows() as f64)
        });
        let mut equalities: Vec<f64> = equalities.collect();
        if along_tendons.iter().any(Option::is_some) {
            let fill = |i: usize, paths: &Paths, rows: &mut Rows| match along_tendons[i] {
                Some(coupling) => {
                    coupling.fill(t, paths, rows);
                    true
                }
                None => false,
            };
            let weights = weigh(model, &mut dynamics, paths, equalities.len(), fill);
            for (own, (weight, along)) in equalities
                .iter_mut()
                .zip(weights.iter().zip(&along_tendons))
            {
                if along.is_some() {
                    *own = *weight;
                }
            }
        }
        let fill = |i: usize, paths: &Paths, rows: &mut Rows| {
            let tendon: &Tendon = &tendons[i];
            if tendon.has_rows {
                tendon.fill(t, paths, i, 1.0, rows);
            }
            tendon.has_rows
        };
        Weights {
            geoms,
            dofs,
            equalities,
            turns,
            tendons: weigh(model, &mut dynamics, paths, tendons.len(), fill),
            force: mass * model.params().gravity.norm(),
        }
    }

    /// Impulse that carries the weight of all bodies through a step h [N s].
    pub(super) fn load(&self, h: f64) -> f64 {
        h * self.force
    }

    /// The weight of a contact of two geoms.
    pub fn contact(&self, geoms: [usize; 2]) -> f64 {
        positive(geoms.map(|g| self.geoms[g]).iter().sum())
    }

    /// The weight of a group of rows.
    pub(super) fn of(&self, source: &Source, scene: &Scene) -> f64 {
        match *source {
            Source::Contact(i) | Source::Torsion(Torsion { contact: i, .. }) => {
                self.contact(scene.contacts()[i].geom)
            }
            Source::Limit {
                along: Along::Dof(dof),
                ..
            }
            | Source::Friction {
                along: Along::Dof(dof),
            } => self.dofs[dof],
            Source::Limit {
                along: Along::Tendon(i),
                ..
            }
            | Source::Friction {
                along: Along::Tendon(i),
            } => self.tendons[i],
            Source::Limit {
                along: Along::Turn(i),
                ..
            }
            | Source::Friction {
                along: Along::Turn(i),
            } => self.turns[i],
            Source::Speed { dof, .. } => self.dofs[dof],
            // Springs have their own compliance and need no weight.
            Source::Path { .. } | Source::Spring { .. } => 1.0,
            Source::Equality { index, .. } => self.equalities[index],
        }
    }
}
