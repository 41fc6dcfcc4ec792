//! Derivatives of inverse dynamics by accelerations, velocities and positions, link by link, for
//! products that are linear in the links.
//!
//! In the notation of [`rnea_derivatives`](super::rnea_derivatives): accelerations, velocities and
//! displacements of dofs move a link by the sums X = (U, V, A) over its path,
//!
//!   U = Σ S q,   V = Σ S v + η q,   A = Σ S a + β v + α q,
//!
//! which require the force I A + 2B V + E U on it. The forces are summed over subtrees, and turn with
//! the displacements above. The state may change afterwards, because all necessary data are copied.

use super::external::LinkStiffness;
use super::rnea::world_acceleration;
use super::rnea_derivatives::Composite;
use super::varying::{Carried, for_forces, gained};
use super::workspace::Dynamics;
use crate::joint::MAX_DOFS;
use crate::model::Model;
use crate::model::params::Params;
use crate::model::topology::{Link, Topology, WORLD};
use crate::spatial::{Twist, Vec3, Wrench};

/// The variable of a derivative of inverse dynamics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    Acceleration,
    Velocity,
    Position,
}

/// U, V and A of a link.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moved(pub [Twist; 3]);

impl Moved {
    fn add(&mut self, o: &Moved) {
        for (x, o) in self.0.iter_mut().zip(o.0) {
            *x += o;
        }
    }
}

/// An entry between dofs of different links.
#[derive(Clone, Copy, Debug)]
pub struct Coupled {
    pub row: usize,
    pub column: usize,
    pub by_q: f64,
    pub by_v: f64,
}

/// The terms of all links. Sized at creation.
#[derive(Clone, Debug)]
pub struct LinkTerms {
    /// Per dof: S, its carried terms, and armature.
    s: Vec<Twist>,
    carried: Vec<Carried>,
    armature: Vec<f64>,
    /// Derivatives of the force on each dof by the dofs of its link: by q and by v.
    local: Vec<[[f64; 2]; MAX_DOFS]>,
    coupled: Vec<Coupled>,
    /// Per link: the body alone, the loads on it, and the force that its subtree needs.
    pub(super) body: Vec<Composite>,
    pub(super) stiffness: LinkStiffness,
    pub(super) force: Vec<Wrench>,
    /// During a sweep: the motion of each link, and the force it requires, or the adjoints of U, V and
    /// A.
    moved: Vec<Moved>,
    asked: Vec<[Wrench; 3]>,
}

impl LinkTerms {
    /// With capacity for `entries` entries between dofs of different links.
    pub fn new(t: &Topology, entries: usize) -> LinkTerms {
        let (nv, links) = (t.nv(), t.links.len());
        LinkTerms {
            s: vec![Twist::ZERO; nv],
            carried: vec![Carried::default(); nv],
            armature: vec![0.0; nv],
            local: vec![[[0.0; 2]; MAX_DOFS]; nv],
            coupled: Vec::with_capacity(entries),
            body: vec![Composite::default(); links],
            stiffness: LinkStiffness::new(links),
            force: vec![Wrench::ZERO; links],
            moved: vec![Moved::default(); links],
            asked: vec![[Wrench::ZERO; 3]; links],
        }
    }

    /// Takes the terms at the state of the inverse dynamics in `dynamics`, without those of other
    /// forces.
    pub fn take(&mut self, model: &Model, params: &Params, dynamics: &Dynamics) {
        let (t, kin, rnea) = (model.topology(), &dynamics.kin, &dynamics.rnea);
        let world = world_acceleration(params);
        self.s.copy_from_slice(&kin.s);
        self.armature.copy_from_slice(&params.armature);
        self.force.copy_from_slice(&rnea.f);
        self.stiffness.set(&dynamics.external);
        for (i, l) in t.links.iter().enumerate() {
            self.body[i] = Composite::of(&kin.inertia[i], kin.v[i]);
            let (vp, ap) = match l.parent {
                WORLD => (Twist::ZERO, world),
                p => (kin.v[p], rnea.a[p]),
            };
            for k in l.dofs() {
                self.carried[k] = Carried::of(kin.s[k], vp, kin.v[i], ap);
            }
        }
        for (index, link) in t.varying.iter().enumerate() {
            let own = &mut self.carried[t.links[link.link].dofs()];
            let gains = gained(kin, &rnea.varying[index], t, index);
            for (own, gains) in own.iter_mut().zip(gains) {
                *own += gains;
            }
        }
        self.local.fill([[0.0; 2]; MAX_DOFS]);
        self.coupled.clear();
        for_forces(kin, rnea, t, |row, column, x| {
            self.local[row][column - t.links[t.dofs[row].link].iv][0] += x;
        });
    }

    /// Adds to the derivatives of the force on dof `row` by dof `column`.
    pub fn add_entry(&mut self, t: &Topology, row: usize, column: usize, by_q: f64, by_v: f64) {
        if by_q == 0.0 && by_v == 0.0 {
            return;
        }
        let l = &t.links[t.dofs[row].link];
        if l.dofs().contains(&column) {
            let own = &mut self.local[row][column - l.iv];
            own[0] += by_q;
            own[1] += by_v;
        } else {
            self.coupled.push(Coupled {
                row,
                column,
                by_q,
                by_v,
            });
        }
    }

    /// The entries between dofs of different links. A pair may occur more than once.
    pub fn coupled(&self) -> &[Coupled] {
        &self.coupled
    }

    pub(super) fn s(&self, k: usize) -> Twist {
        self.s[k]
    }

    /// Motion of a link and its subtree by a, v and q of its dofs alone.
    #[inline(always)]
    pub(super) fn moved_by(&self, l: &Link, [a, v, q]: &[[f64; MAX_DOFS]; 3]) -> Moved {
        let mut sum = Moved::default();
        for (k, dof) in l.dofs().enumerate() {
            let (s, c) = (self.s[dof], &self.carried[dof]);
            sum.0[0] += s * q[k];
            sum.0[1] += s * v[k] + c.eta * q[k];
            sum.0[2] += s * a[k] + c.beta * v[k] + c.alpha * q[k];
        }
        sum
    }

    /// Force on a dof of a link by a, v and q of the link's dofs, in addition to the effect of the
    /// motion.
    #[inline(always)]
    pub(super) fn local_by(&self, l: &Link, row: usize, [a, v, q]: &[[f64; MAX_DOFS]; 3]) -> f64 {
        let slopes = &self.local[l.iv + row][..l.nv];
        let own = (slopes.iter().zip(q).zip(v)).map(|((s, q), v)| s[0] * q + s[1] * v);
        self.armature[l.iv + row] * a[row] + own.sum::<f64>()
    }

    /// `out` += the matrix times x.
    pub fn add(&mut self, t: &Topology, of: Of, x: &[f64], out: &mut [f64]) {
        let mut by = [[0.0; MAX_DOFS]; 3];
        for (i, l) in t.links.iter().enumerate() {
            by[of as usize][..l.nv].copy_from_slice(&x[l.dofs()]);
            let mut moved = self.moved_by(l, &by);
            if l.parent != WORLD {
                moved.add(&self.moved[l.parent]);
            }
            let [u, v, a] = moved.0;
            let body = &self.body[i];
            self.asked[i][0] = body.inertia.mul(a) + body.two_b(v) + self.stiffness.mul(i, u);
            self.moved[i] = moved;
            for row in 0..l.nv {
                out[l.iv + row] += self.local_by(l, row, &by);
            }
        }
        for (i, l) in t.links.iter().enumerate().rev() {
            let asked = self.asked[i][0];
            let mut turned = Twist::ZERO;
            for k in l.dofs() {
                out[k] += self.s[k].dot(asked);
                turned += self.s[k] * x[k];
            }
            if l.parent != WORLD {
                let above = &mut self.asked[l.parent][0];
                *above += asked;
                if of == Of::Position {
                    *above += turned.cross_wrench(self.force[i]);
                }
            }
        }
        for e in &self.coupled {
            match of {
                Of::Acceleration => {}
                Of::Velocity => out[e.row] += e.by_v * x[e.column],
                Of::Position => out[e.row] += e.by_q * x[e.column],
            }
        }
    }

    /// `out` += its transpose times x.
    pub fn add_transposed(&mut self, t: &Topology, of: Of, x: &[f64], out: &mut [f64]) {
        // Down: the displacement of each link by x of the dofs above weighs its wrenches. This gives the
        // adjoints of U, V and A. Up: these adjoints are summed over subtrees.
        for (i, l) in t.links.iter().enumerate() {
            let mut weight = match l.parent {
                WORLD => Twist::ZERO,
                p => self.moved[p].0[0],
            };
            if of == Of::Position && l.parent != WORLD {
                for k in l.dofs() {
                    out[k] += weight.dot(self.s[k].cross_wrench(self.force[i]));
                }
            }
            for k in l.dofs() {
                weight += self.s[k] * x[k];
            }
            self.moved[i].0[0] = weight;
            let (body, mut bar) = (&self.body[i], [Wrench::ZERO; 3]);
            if of == Of::Position
                && let Some(e) = self.stiffness.get(i)
            {
                bar[0] = e.tr_mul(weight);
            }
            bar[1] = Wrench::new(Vec3::ZERO, body.two_b_row(weight));
            bar[2] = body.inertia.mul(weight);
            self.asked[i] = bar;
        }
        for (i, l) in t.links.iter().enumerate().rev() {
            let [u, v, a] = self.asked[i];
            for k in l.dofs() {
                let (s, c) = (self.s[k], &self.carried[k]);
                out[k] += match of {
                    Of::Acceleration => s.dot(a),
                    Of::Velocity => s.dot(v) + c.beta.dot(a),
                    Of::Position => s.dot(u) + c.eta.dot(v) + c.alpha.dot(a),
                };
            }
            if l.parent != WORLD {
                let above = &mut self.asked[l.parent];
                for (above, own) in above.iter_mut().zip([u, v, a]) {
                    *above += own;
                }
            }
        }
        for (k, x) in x.iter().enumerate() {
            if of == Of::Acceleration {
                out[k] += self.armature[k] * x;
                continue;
            }
            let l = &t.links[t.dofs[k].link];
            let slope = usize::from(of == Of::Velocity);
            for (out, own) in out[l.dofs()].iter_mut().zip(&self.local[k]) {
                *out += own[slope] * x;
            }
        }
        for e in &self.coupled {
            match of {
                Of::Acceleration => {}
                Of::Velocity => out[e.column] += e.by_v * x[e.row],
                Of::Position => out[e.column] += e.by_q * x[e.row],
            }
        }
    }
}
