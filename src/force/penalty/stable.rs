//! Default contact stiffness and friction for which explicit steps are stable.
//!
//! Let a point of a geom move by w under a unit force. n such points at once move like a mass 1/(n w). A
//! spring k and a damper k τ on a mass m, evaluated at the start of the step, are stable if h² k + 2 h k τ
//! < 4 m, and a damper k_t if h k_t < 2 m. Springs of two geoms are in series, so that w of both counts. A
//! body between two others has springs on both sides, like the boxes of a stack: twice the numbers of one
//! side are still stable.

use super::material::{STIFFNESS, TANGENTIAL};
use crate::collision::scene::Scene;
use crate::dynamics::kinematics::{Kinematics, inertias, positions};
use crate::dynamics::mobility::Mobility;
use crate::model::Model;
use crate::model::params::{CONTACT_DISSIPATION, Params};
use crate::model::topology::WORLD;
use crate::spatial::{Mat3, Vec3};

/// Number of points of a geom in contact at once.
const POINTS: f64 = 4.0;

/// h² k + 2 h k τ and h k_t of all these points, relative to the mass that they move.
const SPRING: f64 = 3.0;
const DAMPER: f64 = 1.0;

/// Default stiffness of a node of a deformable body, relative to that of the elements around the node.
/// Contact then adds a tenth to the displacement of the elements.
const BESIDE_ELEMENTS: f64 = 10.0;

/// Its default viscous friction, relative to this stiffness [s]. If a node carries the same load along the
/// surface as across, it creeps by its depth in this time.
const STICKS: f64 = 0.1;

/// Fills in finite numbers for moving geoms without given ones: [`STIFFNESS`] and [`TANGENTIAL`] times
/// the masses of the model's parameters, or the largest values that explicit steps of h allow, at the
/// neutral configuration. A node of a deformable body is light and carries the load of its elements: it
/// has at least the numbers of `BESIDE_ELEMENTS` and `STICKS`. Geoms of the world stay rigid. h is
/// `None` if the forces are implicit.
pub fn fill(model: &Model, params: &mut Params, scene: &Scene, h: Option<f64>) {
    let t = model.topology();
    let mut masses = vec![0.0; t.trees.len()];
    for (body, inertia) in model.bodies().iter().zip(&model.params().body_inertia) {
        if body.link != WORLD {
            masses[t.links[body.link].tree] += inertia.mass;
        }
    }
    let own = model.params();
    let mut kin = Kinematics::new(model);
    positions(&mut kin, model, own, model.neutral());
    inertias(&mut kin, own);
    let mobility = Mobility::new(model, &kin, &own.armature);
    let mut elements = vec![0.0; model.bodies().len()];
    for d in model.deformables() {
        for (node, k) in d.nodes.iter().zip(d.stiffness_at_nodes()) {
            if node.is_free {
                elements[node.body] = BESIDE_ELEMENTS * k;
            }
        }
    }
    for (g, geom) in model.geoms().iter().enumerate() {
        let link = model.bodies()[geom.body].link;
        if link == WORLD {
            continue;
        }
        // A tree without mass moves by its armature alone.
        let mass = match masses[t.links[link].tree] {
            m if m > 0.0 => m,
            _ => 1.0,
        };
        let moved = match largest_response(&mobility, &kin, scene, g) {
            w if w > 0.0 && w.is_finite() => 1.0 / (POINTS * w),
            _ => mass,
        };
        let [stiffest, most_viscous] = match h {
            None => [f64::INFINITY; 2],
            Some(h) => [
                SPRING * moved / (h * (h + 4.0 * CONTACT_DISSIPATION)),
                DAMPER * moved / h,
            ],
        };
        for (x, usual) in [
            (
                &mut params.geom_stiffness[g],
                stiffest.min((STIFFNESS * mass).max(elements[geom.body])),
            ),
            (
                &mut params.geom_tangential[g],
                most_viscous.min((TANGENTIAL * mass).max(elements[geom.body] * STICKS)),
            ),
        ] {
            if x.is_infinite() {
                *x = usual;
            }
        }
    }
}

/// Largest displacement of a geom's points by a unit force there, over all directions, at the mean of
/// [`Scene::extremes`], including rotation [1/kg].
fn largest_response(mobility: &Mobility, kin: &Kinematics, scene: &Scene, geom: usize) -> f64 {
    let (link, ..) = scene.ball(geom);
    let e = scene.extremes(geom);
    let rot = &kin.rot[link];
    let p = kin.pos[link] + rot.mul_vec(e.centroid);
    let spread = rot.mul_mat(&e.spread.mul_mat(&rot.transpose()));
    let turning = mobility.of_turning(link);
    // The mean of [d]× W [d]×ᵀ is linear in the mean of d dᵀ.
    let axes = [Vec3::X, Vec3::Y, Vec3::Z];
    let mut all = mobility.matrix_of_point(link, p);
    for (i, a) in axes.iter().enumerate() {
        for (j, b) in axes.iter().enumerate() {
            let share = spread.at(i, j);
            let of = |n: Vec3| turning.mul_vec(n.cross(*b) * -1.0).cross(*a) * share;
            all += Mat3 { c: axes.map(of) };
        }
    }
    // The largest sum of a row's magnitudes bounds the largest eigenvalue.
    let row = |i: usize| all.c.iter().map(|c| c.to_array()[i].abs()).sum::<f64>();
    row(0).max(row(1)).max(row(2))
}
