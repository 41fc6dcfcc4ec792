//! How the constraint problem and its forces vary with the configuration, at fixed impulses.
//!
//! NUMERICS: with ξ_X the displacement of the bodies, V_X their velocities after the step, and
//! (δp, δn, δΦ) the motion of the contact,
//! - δ(relative velocity) = Rᵀ(δV_B(p) − δV_A(p) + (ω_B − ω_A) × δp − δφ × v_rel)
//! - the impulse f = R λ adds to each side the wrench (δφ × f; (δp − δp_X) × f) at p, beyond what a
//!   load fixed in the world at a fixed point of the body does
//!
//! where δφ turns the contact frame (Appendix C of the differentiable-simulation paper).

use super::assemble::{Constraints, Source, Stabilization, tip};
use crate::collision::primitive::Smoothness;
use crate::collision::scene::Scene;
use crate::collision::{ContactDerivative, contact_frame_derivative};
use crate::dynamics::external::External;
use crate::dynamics::kinematics::Kinematics;
use crate::dynamics::rnea_derivatives::RneaDerivatives;
use crate::linalg::F4;
use crate::model::Model;
use crate::model::topology::{Topology, WORLD};
use crate::spatial::{Mat3, Twist, Vec3, Wrench};

/// A displacement of a link and the change of its velocity that goes with it, about its tree's
/// origin: δV = ξ × V + η.
#[derive(Clone, Copy, Debug, Default)]
pub struct Displacement {
    pub xi: Twist,
    pub eta: Twist,
}

/// What a displacement does to a contact.
#[derive(Clone, Copy, Debug, Default)]
pub struct Varied {
    /// Relative velocity, contact frame [m/s].
    pub velocity: Vec3,
    pub gap: f64,
    /// On each side, world axes at the contact point, beyond the load fixed in the world.
    pub wrench: [Wrench; 2],
}

/// A contact after the step.
#[derive(Clone, Copy, Debug)]
struct ContactState {
    link: [usize; 2],
    /// Contact point about the origins of both trees.
    point: [Vec3; 2],
    /// Velocities after the step.
    velocity: [Twist; 2],
    frame: Mat3,
    turn: Mat3,
    normal: Vec3,
    /// World axes, on B [N s].
    impulse: Vec3,
    relative: Vec3,
    motion: ContactDerivative,
}

impl ContactState {
    /// The effect of displacing side A and side B.
    #[inline(always)]
    fn vary(&self, d: [Displacement; 2]) -> Varied {
        let at = |x: usize| Twist::new(d[x].xi.at(self.point[x]), d[x].xi.ang);
        let (a, b) = (at(0), at(1));
        let (dp, dn, gap) = self.motion.apply(self.normal, a, b);
        let phi = self.turn.mul_vec(dn);
        let change = |x: usize| (d[x].xi.cross(self.velocity[x]) + d[x].eta).at(self.point[x]);
        let omega = self.velocity[1].ang - self.velocity[0].ang;
        let velocity = change(1) - change(0) + omega.cross(dp) - phi.cross(self.relative);
        let force = phi.cross(self.impulse);
        Varied {
            velocity: self.frame.tr_mul_vec(velocity),
            gap,
            wrench: [
                Wrench::new(-force, -(dp - a.lin).cross(self.impulse)),
                Wrench::new(force, (dp - b.lin).cross(self.impulse)),
            ],
        }
    }
}

/// The variation of a step's constraint problem by the tangent of q. Sized at creation.
#[derive(Clone, Debug)]
pub struct Variation {
    nv: usize,
    states: Vec<Option<ContactState>>,
    /// Per block and dof: ∂σ/∂q at fixed v⁺ and λ, with stabilization.
    by_q: Vec<F4>,
    /// Dense ∂(h τ)/∂q of contacts between two moving bodies, nv×nv; the others are in R_q.
    extra: Vec<f64>,
    pub has_extra: bool,
    velocity: Vec<Twist>,
    /// A contact has no unique derivative: its undetermined part was left out.
    pub degenerate: bool,
}

impl Variation {
    pub fn new(model: &Model, max_blocks: usize) -> Self {
        let nv = model.nv();
        Variation {
            nv,
            states: Vec::with_capacity(max_blocks),
            by_q: F4::zeros(nv * max_blocks),
            extra: vec![0.0; nv * nv],
            has_extra: false,
            velocity: vec![Twist::ZERO; model.topology().links.len()],
            degenerate: false,
        }
    }

    /// Adds the contact impulses, as forces over the step, to the external loads: fixed in the world,
    /// acting at fixed points of the bodies.
    pub fn load(
        &self,
        c: &Constraints,
        scene: &Scene,
        model: &Model,
        kin: &Kinematics,
        h: f64,
        out: &mut External,
    ) {
        let t = model.topology();
        for (b, source) in c.sources.iter().enumerate() {
            let Source::Contact(i) = *source else {
                continue;
            };
            let contact = &scene.contacts()[i];
            let f = world_impulse(c, b) * (1.0 / h);
            for (x, sign) in [(0, -1.0), (1, 1.0)] {
                let link = contact.link[x];
                if link != WORLD {
                    let p = contact.point.point - kin.origin[t.links[link].tree];
                    out.add(link, p, f * sign, Vec3::ZERO);
                }
            }
        }
    }

    /// Prepares the variation at the end of a step; `v` and `v_next` are its velocities.
    #[allow(clippy::too_many_arguments)]
    pub fn prepare(
        &mut self,
        c: &Constraints,
        scene: &mut Scene,
        model: &Model,
        kin: &Kinematics,
        s: &Stabilization,
        v: &[f64],
        v_next: &[f64],
        id: &mut RneaDerivatives,
    ) {
        let t = model.topology();
        self.states.clear();
        self.degenerate = false;
        if self.has_extra {
            self.extra.fill(0.0);
            self.has_extra = false;
        }
        // The kept share of the old normal velocity varies like a velocity, too.
        if s.kd != 0.0 {
            self.velocities(t, kin, v);
            for b in 0..c.blocks.len() {
                let state = self.contact_state(c, scene, t, kin, b);
                self.states.push(state);
            }
            for b in 0..c.blocks.len() {
                self.old_velocity(c, t, kin, b, s.kd);
            }
            self.states.clear();
        }
        self.velocities(t, kin, v_next);
        for b in 0..c.blocks.len() {
            let state = self.contact_state(c, scene, t, kin, b);
            self.states.push(state);
            self.block(c, t, kin, b, s, id);
        }
    }

    fn velocities(&mut self, t: &Topology, kin: &Kinematics, v: &[f64]) {
        for (i, l) in t.links.iter().enumerate() {
            let mut own = if l.parent == WORLD {
                Twist::ZERO
            } else {
                self.velocity[l.parent]
            };
            for k in l.iv..l.iv + l.kind.nv() {
                own += kin.s[k] * v[k];
            }
            self.velocity[i] = own;
        }
    }

    fn contact_state(
        &mut self,
        c: &Constraints,
        scene: &mut Scene,
        t: &Topology,
        kin: &Kinematics,
        block: usize,
    ) -> Option<ContactState> {
        let Source::Contact(i) = c.sources[block] else {
            return None;
        };
        let contact = scene.contacts()[i];
        let mut motion = ContactDerivative::default();
        if scene.differentiate(&contact, &mut motion) == Smoothness::Degenerate {
            self.degenerate = true;
        }
        let side = |x: usize| match contact.link[x] {
            WORLD => (contact.point.point, Twist::ZERO),
            link => (
                contact.point.point - kin.origin[t.links[link].tree],
                self.velocity[link],
            ),
        };
        let ((pa, va), (pb, vb)) = (side(0), side(1));
        Some(ContactState {
            link: contact.link,
            point: [pa, pb],
            velocity: [va, vb],
            frame: c.frames[block],
            turn: contact_frame_derivative(contact.point.normal),
            normal: contact.point.normal,
            impulse: world_impulse(c, block),
            relative: vb.at(pb) - va.at(pa),
            motion,
        })
    }

    /// Displacements of both sides by a unit of a dof.
    #[inline(always)]
    fn by_dof(
        &self,
        s: &ContactState,
        t: &Topology,
        kin: &Kinematics,
        k: usize,
    ) -> [Displacement; 2] {
        let link = t.dofs[k].link;
        let parent = t.links[link].parent;
        let xi = kin.s[k];
        let eta = if parent == WORLD {
            Twist::ZERO
        } else {
            self.velocity[parent].cross(xi)
        };
        std::array::from_fn(|x| {
            let side = s.link[x];
            if side != WORLD && link <= side && side < t.links[link].end {
                Displacement { xi, eta }
            } else {
                Displacement::default()
            }
        })
    }

    fn old_velocity(&mut self, c: &Constraints, t: &Topology, kin: &Kinematics, b: usize, kd: f64) {
        let Some(state) = self.states[b] else { return };
        c.rows.for_dofs(b, |k| {
            let d = state.vary(self.by_dof(&state, t, kin, k));
            self.by_q[b * self.nv + k] = F4([-kd * d.velocity.z, 0.0, 0.0, 0.0]);
        });
    }

    /// Fills the block's ∂σ/∂q and adds its forces' variation to R_q.
    fn block(
        &mut self,
        c: &Constraints,
        t: &Topology,
        kin: &Kinematics,
        b: usize,
        s: &Stabilization,
        id: &mut RneaDerivatives,
    ) {
        let (nv, at) = (self.nv, b * self.nv);
        let slope = s.by_gap(c.gaps[b]);
        let state = match (c.sources[b], self.states[b]) {
            (Source::Limit { dof, sign }, _) => {
                c.rows.for_dofs(b, |k| self.by_q[at + k] = F4::ZERO);
                self.by_q[at + dof] = F4([slope * sign, 0.0, 0.0, 0.0]);
                return;
            }
            (_, None) => {
                c.rows.for_dofs(b, |k| self.by_q[at + k] = F4::ZERO);
                return;
            }
            (_, Some(state)) => state,
        };
        let three = c.blocks[b].rows() == 3;
        let one_sided = state.link[0] == WORLD || state.link[1] == WORLD;
        self.has_extra |= !one_sided;
        let (above, below) = (&mut id.above_q, &mut id.below_q);
        c.rows.for_dofs(b, |k| {
            let d = state.vary(self.by_dof(&state, t, kin, k));
            let kept = if s.kd == 0.0 {
                0.0
            } else {
                self.by_q[at + k].0[0]
            };
            let normal = d.velocity.z + slope * d.gap + kept;
            self.by_q[at + k] = if three {
                F4([d.velocity.x, d.velocity.y, normal, 0.0])
            } else {
                F4([normal, 0.0, 0.0, 0.0])
            };
            for x in 0..2 {
                if state.link[x] == WORLD {
                    continue;
                }
                let w = d.wrench[x];
                let mut i = tip(t, state.link[x]);
                while i != WORLD {
                    let s_i = kin.s[i];
                    let force = s_i.at(state.point[x]).dot(w.lin) + s_i.ang.dot(w.ang);
                    if one_sided {
                        // R holds −τ, and a force is an impulse per step.
                        let r = -force / s.h;
                        if i <= k {
                            F4::flat_mut(above)[t.dofs[k].row + t.dofs[i].depth] += r;
                        }
                        if i >= k {
                            F4::flat_mut(below)[t.dofs[i].row + t.dofs[k].depth] += r;
                        }
                    } else {
                        self.extra[k * nv + i] += force;
                    }
                    i = t.dofs[i].parent;
                }
            }
        });
    }

    /// ∂σ/∂q of a block at a dof that it touches.
    #[inline(always)]
    pub fn column(&self, block: usize, dof: usize) -> F4 {
        self.by_q[block * self.nv + dof]
    }

    /// Column k of ∂(h τ)/∂q of contacts between two moving bodies.
    pub fn extra(&self, dof: usize) -> &[f64] {
        &self.extra[dof * self.nv..(dof + 1) * self.nv]
    }

    /// Effect of displacing all links of a subtree by ξ: σ per block into `w` (added) and impulses on
    /// the dofs into `force` (added). `parent` is the velocity of the link above after the step.
    #[allow(clippy::too_many_arguments)]
    pub fn displaced(
        &self,
        c: &Constraints,
        t: &Topology,
        kin: &Kinematics,
        links: std::ops::Range<usize>,
        xi: Twist,
        s: &Stabilization,
        w: &mut [f64],
        force: &mut [f64],
    ) {
        let parent = t.links[links.start].parent;
        let eta = if parent == WORLD {
            Twist::ZERO
        } else {
            self.velocity[parent].cross(xi)
        };
        for (b, state) in self.states.iter().enumerate() {
            let Some(state) = state else { continue };
            let d = std::array::from_fn(|x| {
                if links.contains(&state.link[x]) {
                    Displacement { xi, eta }
                } else {
                    Displacement::default()
                }
            });
            let v = state.vary(d);
            let rows = &mut w[c.offsets[b]..c.offsets[b + 1]];
            let normal = v.velocity.z + s.by_gap(c.gaps[b]) * v.gap;
            match rows {
                [x, y, z] => {
                    *x += v.velocity.x;
                    *y += v.velocity.y;
                    *z += normal;
                }
                rows => rows[0] += normal,
            }
            for x in 0..2 {
                let mut i = tip(t, state.link[x]);
                while i != WORLD {
                    let s_i = kin.s[i];
                    force[i] +=
                        s_i.at(state.point[x]).dot(v.wrench[x].lin) + s_i.ang.dot(v.wrench[x].ang);
                    i = t.dofs[i].parent;
                }
            }
        }
    }
}

/// Impulse of a contact block on side B, world axes.
fn world_impulse(c: &Constraints, block: usize) -> Vec3 {
    let l = c.impulse(block).0;
    if c.blocks[block].rows() == 3 {
        c.frames[block].mul_vec(Vec3::new(l[0], l[1], l[2]))
    } else {
        c.frames[block].c[2] * l[0]
    }
}
