//! Response of a mechanism to unit forces: blocks of M⁻¹ for single bodies and dofs, without the matrix.
//!
//! A wrench on a link passes from dof to dof towards the root, f ← (1 − u Sᵀ/D) f, and each dof takes
//! the energy ½(Sᵀf)²/D ([`articulated`](super::articulated)). From the root outwards the motion Ω f by
//! a wrench f therefore follows
//!
//!   Ω ← (1 − S uᵀ/D) Ω (1 − u Sᵀ/D) + S Sᵀ/D,   (M⁻¹)ₖₖ = 1/D + uᵀ Ω u / D²
//!
//! with the Ω before the dof (Rodriguez, Jain & Kreutz-Delgado, IJRR 1991): linear in the links.

use super::articulated::{Articulation, articulate};
use super::kinematics::Kinematics;
use crate::model::Model;
use crate::model::topology::WORLD;
use crate::spatial::{Mat3, Vec3};

/// Ω of each link about the origin of its tree, (linear; angular), and the diagonal of M⁻¹.
#[derive(Clone, Debug)]
pub struct Mobility {
    links: Vec<[[f64; 6]; 6]>,
    pub dofs: Vec<f64>,
}

impl Mobility {
    /// The mobility for M with `diagonal` in place of its armature. `kin` must hold positions and
    /// inertias.
    pub fn new(model: &Model, kin: &Kinematics, diagonal: &[f64]) -> Mobility {
        let mut a = Articulation::new(model);
        articulate(&mut a, kin, model, diagonal);
        let mut m = Mobility {
            links: Vec::with_capacity(model.topology().links.len()),
            dofs: Vec::with_capacity(model.nv()),
        };
        for l in &model.topology().links {
            let mut omega = match l.parent {
                WORLD => [[0.0; 6]; 6],
                p => m.links[p],
            };
            for k in l.dofs() {
                let (s, u, dinv) = (kin.s[k].to_array(), a.u[k].to_array(), a.dinv[k]);
                let t = omega.map(|row| row.iter().zip(&u).map(|(x, u)| x * u).sum::<f64>());
                let own = dinv + dinv * dinv * t.iter().zip(&u).map(|(t, u)| t * u).sum::<f64>();
                for (i, row) in omega.iter_mut().enumerate() {
                    for (j, x) in row.iter_mut().enumerate() {
                        *x += own * s[i] * s[j] - dinv * (s[i] * t[j] + t[i] * s[j]);
                    }
                }
                m.dofs.push(own);
            }
            m.links.push(omega);
        }
        m
    }

    /// Sum over three axes of the velocity of a link's point (relative to the tree's origin) caused by a
    /// unit force there.
    pub fn of_point(&self, link: usize, p: Vec3) -> f64 {
        let axes = [Vec3::X, Vec3::Y, Vec3::Z];
        let along = axes.map(|force| {
            let torque = p.cross(force);
            let wrench = [force.x, force.y, force.z, torque.x, torque.y, torque.z];
            let motions = self.links[link].iter().zip(&wrench);
            let energy = motions.map(|(row, w)| {
                let motion: f64 = row.iter().zip(&wrench).map(|(x, w)| x * w).sum();
                w * motion
            });
            energy.sum::<f64>()
        });
        along.iter().sum()
    }

    /// Velocity of a link's point (relative to the tree's origin) caused by unit forces there.
    pub fn matrix_of_point(&self, link: usize, p: Vec3) -> Mat3 {
        let axes = [Vec3::X, Vec3::Y, Vec3::Z];
        Mat3 {
            c: axes.map(|force| {
                let torque = p.cross(force);
                let wrench = [force.x, force.y, force.z, torque.x, torque.y, torque.z];
                let motion = self.links[link].map(|row| {
                    let terms = row.iter().zip(&wrench).map(|(x, w)| x * w);
                    terms.sum::<f64>()
                });
                Vec3::from_slice(&motion) + Vec3::from_slice(&motion[3..]).cross(p)
            }),
        }
    }

    /// Angular velocity of a link caused by unit torques on it.
    pub fn of_turning(&self, link: usize) -> Mat3 {
        let m = &self.links[link];
        Mat3 {
            c: [3, 4, 5].map(|j| Vec3::new(m[3][j], m[4][j], m[5][j])),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dynamics::Dynamics;
    use crate::model::Actuation;
    use crate::model::spec::{BodySpec, JointKind, JointSpec, ModelSpec};
    use crate::spatial::{Inertia, Pose, Quat, Sym3};

    #[test]
    fn mobility_is_that_of_solves_with_m() {
        let mut spec = ModelSpec::default();
        let parents = [0, 1, 2, 1, 4, 0, 6];
        let kinds = [
            JointKind::Free,
            JointKind::Revolute,
            JointKind::Spherical,
            JointKind::Prismatic,
            JointKind::Revolute,
            JointKind::Universal,
            JointKind::Revolute,
        ];
        for (k, (parent, kind)) in parents.into_iter().zip(kinds).enumerate() {
            let x = k as f64;
            let mut b = BodySpec::world();
            b.name = format!("body{k}");
            b.parent = parent;
            let at = Vec3::new(0.3 - 0.1 * x, 0.2, 0.05 * x * x);
            b.placement = Pose::from_quat(Quat::exp(Vec3::new(0.4 * x, 0.3, -0.2 * x)), at);
            let spread = Sym3::diagonal(Vec3::new(0.02, 0.03, 0.025));
            b.inertia = Inertia::from_com(0.5 + 0.1 * x, Vec3::new(0.05, 0.02 * x, -0.03), spread);
            let mut j = JointSpec::new(format!("joint{k}"), kind);
            j.axis = Vec3::new(0.3, 1.0, 0.1 * x);
            j.armature = 0.01;
            b.joints = vec![j];
            spec.bodies.push(b);
        }
        let model = Model::compile(spec, Actuation::Full).unwrap();
        let (t, nv) = (model.topology(), model.nv());
        let mut d = Dynamics::new(&model, false);
        d.update(&model, model.params(), model.neutral(), &vec![0.0; nv]);
        let armature = &model.params().armature;
        let m = Mobility::new(&model, &d.kin, armature);
        d.factor_mass(&model, armature);
        let mut answer = |x: &[f64]| {
            let mut x = x.to_vec();
            d.mass.solve(t, &mut x);
            x
        };
        let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
        for k in 0..nv {
            let mut unit = vec![0.0; nv];
            unit[k] = 1.0;
            let exact = answer(&unit)[k];
            assert!((m.dofs[k] - exact).abs() < 1e-12 * exact, "dof {k}");
        }
        for link in 0..t.links.len() {
            let p = d.kin.pos[link] + Vec3::new(0.1, -0.2, 0.3);
            let row = |of: &dyn Fn(usize) -> f64| {
                let mut row = vec![0.0; nv];
                for k in t.path(link) {
                    row[k] = of(k);
                }
                row
            };
            let s = &d.kin.s;
            let points = [0, 1, 2].map(|i| row(&|k| s[k].at(p).to_array()[i]));
            let turns = [0, 1, 2].map(|i| row(&|k| s[k].ang.to_array()[i]));
            let exact: f64 = points.iter().map(|x| dot(x, &answer(x))).sum();
            let found = m.of_point(link, p);
            assert!(
                (found - exact).abs() < 1e-11 * exact,
                "{link}: {found} {exact}"
            );
            let turning = m.of_turning(link);
            for (i, x) in turns.iter().enumerate() {
                for (j, y) in turns.iter().enumerate() {
                    let error = turning.at(i, j) - dot(x, &answer(y));
                    assert!(error.abs() < 1e-11 * turning.trace(), "{link}: {error}");
                }
            }
        }
    }
}
