//! Derivative of the constraint problem and its forces with respect to the configuration, at fixed
//! impulses.
//!
//! A displacement ξ of a body changes its velocity by δV = ξ × V + η. The effect on a group of rows is
//! linear in the (ξ, η) of its two bodies. One direction or adjoint uses the formulas of a contact. For
//! columns by dofs, [`ConstraintDerivative::expand`] first reduces each side to its coefficients; a dof
//! then costs one product of twelve numbers per row. Forces need no such product: the change of the
//! impulses on a body with its own motion joins the stiffness of its loads. Equalities are few and
//! always reduced.
//!
//! The contact stage of a step calls it (`step::contact`).

mod bounded;
mod change;
mod contacts;
mod equalities;
mod flow;
mod kernels;
mod rows;
mod tendons;
mod torsion;

use super::assemble::Constraints;
use super::rows::Rows;
use super::source::{Along, Source};
use crate::collision::scene::Scene;
use crate::dynamics::external::{External, LinkStiffness};
use crate::dynamics::kinematics::{Displaced, Kinematics, link_twists};
use crate::linalg::F4;
use crate::model::Model;
use crate::model::topology::{Topology, WORLD};
use crate::spatial::{Twist, Wrench};
use crate::tendon::{Displacement, Paths};
use flow::Flow;
use rows::{
    AFTER, BEFORE, Bend, BodyRows, Bounded, Cross, OnTendon, Pull, VariedContact, add, lanes_of,
};
pub use rows::{OnDof, Side};

/// The variation of a step's constraint problem by the tangent of q. Sized at creation.
#[derive(Debug)]
pub struct ConstraintDerivative {
    /// The first `count` are in use.
    contacts: Vec<VariedContact>,
    count: usize,
    bounded: Vec<Bounded>,
    on_dofs: Vec<OnDof>,
    /// How the impulses of joint couplings vary.
    bends: Vec<Bend>,
    /// Rows of tendons, and the impulses along the tendons.
    tendons: Vec<OnTendon>,
    pulls: Vec<Pull>,
    /// Velocities after the step and before it, if there are springs or tendons.
    v: [Vec<f64>; 2],
    equalities: BodyRows,
    /// The contacts, after [`ConstraintDerivative::expand`].
    reduced: BodyRows,
    /// At the velocities after the step and before it. The first `times` are in use.
    flow: [Flow; 2],
    times: usize,
    /// At an arbitrary velocity ([`ConstraintDerivative::of_rows`]).
    any: Flow,
    /// Time step [s].
    h: f64,
    /// Per link: displacement ξ of a direction, and η at the velocities after and before the step.
    xi: Vec<Twist>,
    eta: [Vec<Twist>; 2],
    /// Per link: adjoints of ξ and η.
    xi_bar: Vec<Wrench>,
    eta_bar: [Vec<Wrench>; 2],
    /// True if a contact has no unique derivative. Its undetermined part was left out.
    pub degenerate: bool,
}

impl ConstraintDerivative {
    /// For steps with at most these `rows`, and these tendons.
    pub fn new(model: &Model, rows: &Rows, paths: &Paths) -> Self {
        let t = model.topology();
        let links = t.links.len();
        let max_groups = rows.capacity();
        let twists = || vec![Twist::ZERO; links];
        let wrenches = || vec![Wrench::ZERO; links];
        ConstraintDerivative {
            contacts: Vec::with_capacity(max_groups),
            count: 0,
            bounded: Vec::with_capacity(max_groups),
            on_dofs: Vec::with_capacity(2 * max_groups + 2 * rows.columns()),
            bends: Vec::with_capacity(max_groups),
            tendons: Vec::with_capacity(2 * max_groups),
            pulls: Vec::with_capacity(paths.len()),
            v: [(); 2].map(|()| vec![0.0; t.nv()]),
            equalities: BodyRows::new(max_groups),
            reduced: BodyRows::new(max_groups),
            flow: [Flow::new(t), Flow::new(t)],
            times: 0,
            any: Flow::new(t),
            h: 0.0,
            xi: twists(),
            eta: [twists(), twists()],
            xi_bar: wrenches(),
            eta_bar: [wrenches(), wrenches()],
            degenerate: false,
        }
    }

    #[inline(always)]
    fn prepare_kernel(
        &mut self,
        c: &Constraints,
        (scene, paths): (&mut Scene, &Paths),
        model: &Model,
        kin: &Kinematics,
        [q, v, v_next]: [&[f64]; 3],
        external: &mut External,
    ) {
        self.count = 0;
        self.bounded.clear();
        self.on_dofs.clear();
        self.bends.clear();
        self.tendons.clear();
        self.pulls.clear();
        self.equalities.clear();
        self.degenerate = false;
        self.times = 0;
        self.h = c.time_step();
        if !paths.is_empty() {
            self.v[AFTER].copy_from_slice(v_next);
            self.v[BEFORE].copy_from_slice(v);
        }
        if c.groups() == 0 {
            return;
        }
        let t = model.topology();
        self.flow[AFTER].set(t, kin, v_next);
        // A bias by the old velocity varies like a velocity, too.
        self.times = 1 + usize::from(c.keeps_speed());
        if self.times > BEFORE {
            self.flow[BEFORE].set(t, kin, v);
        }
        for b in 0..c.groups() {
            let row = c.range(b).start;
            match c.sources[b] {
                Source::Contact(i) => self.push_contact(c, scene, t, kin, (b, i), external),
                Source::Limit {
                    along: Along::Dof(dof),
                    sign,
                } => self.on_dofs.push(OnDof {
                    row,
                    dof,
                    slope: c.target(b).by_gap * sign,
                }),
                // A bound of speed does not depend on the old state or on the configuration.
                Source::Speed { .. } => {}
                Source::Limit { .. } | Source::Friction { .. } | Source::Path { .. } => {
                    self.push_tendon(c, paths, [v, v_next], b);
                }
                Source::Torsion(torsion) => self.push_torsion(c, b, &torsion, external),
                Source::Equality { .. } | Source::Spring { .. } => {
                    self.push_equality(c, t, (kin, paths), [q, v, v_next], b, external);
                }
            }
        }
    }

    /// Calls `visit(row, column, x)` for the entries that rows on dofs add to R_q between dofs of a
    /// branch.
    pub fn for_couplings(
        &self,
        t: &Topology,
        paths: &Paths,
        mut visit: impl FnMut(usize, usize, f64),
    ) {
        for b in &self.bends {
            visit(b.dof, b.dof, b.by_q);
        }
        // R holds −τ, and a force is an impulse per step.
        let h = self.h;
        self.for_turns(t, paths, true, |column, row, x| visit(row, column, -x / h));
    }

    /// Rows on bodies. Together with [`ConstraintDerivative::column`] and
    /// [`ConstraintDerivative::on_dofs`] they are all of ∂σ/∂q at fixed v⁺ and λ, with stabilization.
    /// Call it after [`ConstraintDerivative::expand`]. A pair of row and dof may come more than once.
    #[inline(always)]
    pub fn sides(&self) -> impl Iterator<Item = &Side> {
        self.reduced.sides.iter().chain(&self.equalities.sides)
    }

    /// ∂σ/∂q of a side at a dof that moves it.
    #[inline(always)]
    pub fn column(&self, side: &Side, kin: &Kinematics, dof: usize) -> F4 {
        side.apply(kin.s[dof], self.flow[side.time].carried(dof))
    }

    pub fn on_dofs(&self) -> &[OnDof] {
        &self.on_dofs
    }

    /// Impulses on one link by displacements of another, through groups between two moving bodies,
    /// beyond the stiffness of the loads. Call it after [`ConstraintDerivative::expand`]. For rows on
    /// dofs of different branches see [`ConstraintDerivative::for_turns`].
    pub fn cross(&self) -> impl Iterator<Item = &Cross> {
        self.reduced.cross.iter().chain(&self.equalities.cross)
    }

    #[inline(always)]
    fn direction_kernel(
        &mut self,
        t: &Topology,
        kin: &Kinematics,
        dq: &[f64],
        sigma: &mut [f64],
        bounds: &mut [f64],
    ) {
        link_twists(t, &kin.s, dq, &mut self.xi);
        for (eta, flow) in self.eta.iter_mut().zip(&self.flow[..self.times]) {
            flow.displaced(t, kin, dq, eta);
        }
        self.contacts_direction(sigma, bounds);
        for s in &self.equalities.sides {
            add(
                &mut sigma[s.rows.clone()],
                s.apply(self.xi[s.link], self.eta[s.time][s.link]),
            );
        }
        for d in &self.on_dofs {
            sigma[d.row] += d.slope * dq[d.dof];
        }
    }

    /// Adds to `force` the impulses of [`ConstraintDerivative::cross`], and between branches those of
    /// [`ConstraintDerivative::for_turns`], by the displacement `dq` of the last
    /// [`ConstraintDerivative::direction`].
    pub fn cross_forces(
        &self,
        t: &Topology,
        kin: &Kinematics,
        paths: &Paths,
        dq: &[f64],
        force: &mut [f64],
    ) {
        for c in self.cross() {
            let w = c.stiffness.mul(self.xi[c.from]);
            for i in t.path(c.to) {
                force[i] += kin.s[i].dot(w);
            }
        }
        self.for_turns(t, paths, false, |from, to, x| force[to] += x * dq[from]);
    }

    #[inline(always)]
    fn direction_adjoint_kernel(
        &mut self,
        t: &Topology,
        kin: &Kinematics,
        [sigma_bar, bounds_bar]: [&[f64]; 2],
        force_bar: &[f64],
        q_bar: &mut [f64],
    ) {
        for d in &self.on_dofs {
            q_bar[d.dof] += d.slope * sigma_bar[d.row];
        }
        if self.count == 0 && self.equalities.sides.is_empty() {
            return;
        }
        link_twists(t, &kin.s, force_bar, &mut self.xi);
        self.adjoin_rows(t, kin, [sigma_bar, bounds_bar], q_bar);
    }

    /// The adjoint of rows on bodies. `self.xi` holds the twists that weigh the impulses on the links.
    #[inline(always)]
    fn adjoin_rows(
        &mut self,
        t: &Topology,
        kin: &Kinematics,
        [sigma_bar, bounds_bar]: [&[f64]; 2],
        q_bar: &mut [f64],
    ) {
        self.xi_bar.fill(Wrench::ZERO);
        for e in &mut self.eta_bar[..self.times] {
            e.fill(Wrench::ZERO);
        }
        self.contacts_adjoint(sigma_bar, bounds_bar);
        for s in &self.equalities.sides {
            let w = lanes_of(&sigma_bar[s.rows.clone()]);
            let weigh = |by: &[F4; 6]| {
                Wrench::from_slice(&by.map(|c| {
                    let p = (c * w).0;
                    p[0] + p[1] + p[2]
                }))
            };
            self.xi_bar[s.link] += weigh(&s.by_xi);
            self.eta_bar[s.time][s.link] += weigh(&s.by_eta);
        }
        for c in &self.equalities.cross {
            self.xi_bar[c.from] += c.stiffness.tr_mul(self.xi[c.to]);
        }
        // Slices of one length: an index is checked once for all of them.
        let (n, s) = (t.links.len(), &kin.s[..]);
        let q_bar = &mut q_bar[..s.len()];
        let (xi_bar, flow) = (&mut self.xi_bar[..n], &self.flow[..self.times]);
        for (i, l) in t.links.iter().enumerate().rev() {
            let mut own = xi_bar[i];
            if l.parent != WORLD {
                xi_bar[l.parent] += own;
                for (eta, flow) in self.eta_bar.iter_mut().zip(flow) {
                    let eta = &mut eta[..n];
                    let carried = eta[i];
                    eta[l.parent] += carried;
                    own += flow.weigh(l.parent, carried);
                }
            }
            for k in l.dofs() {
                q_bar[k] += s[k].dot(own);
            }
        }
        for (eta, flow) in self.eta_bar.iter().zip(&self.flow[..self.times]) {
            flow.weigh_varying(t, eta, q_bar);
        }
    }

    /// The power of `twist` on the impulses that act on the links of the subtree `links`. Writes its slopes
    /// by the impulses, and adds those by the tangent of q at fixed impulses and at a twist that moves with
    /// the links, times `scale`. For contacts and for equalities between bodies; `zero` has an entry of
    /// zero for each row. The slopes of loads in [`External`] are not
    /// included.
    pub fn power(
        &mut self,
        (t, kin): (&Topology, &Kinematics),
        (links, twist, scale): (std::ops::Range<usize>, Twist, f64),
        zero: &[f64],
        by_impulse: &mut [f64],
        q_bar: &mut [f64],
    ) {
        by_impulse.fill(0.0);
        let twist = twist * scale;
        for (i, xi) in self.xi.iter_mut().enumerate() {
            *xi = if links.contains(&i) {
                twist
            } else {
                Twist::ZERO
            };
        }
        self.contacts_felt(by_impulse);
        for s in self.equalities.sides.iter().filter(|s| s.time == AFTER) {
            add(
                &mut by_impulse[s.rows.clone()],
                s.apply(Twist::ZERO, self.xi[s.link]),
            );
        }
        self.adjoin_rows(t, kin, [zero, zero], q_bar);
    }

    /// Effect of displacing a link and all links that it carries: on σ, on the bounds of lagged friction,
    /// on the gaps of contacts, and on the dofs by impulses on other links (all added).
    pub fn displaced(
        &self,
        c: &Constraints,
        t: &Topology,
        (kin, paths): (&Kinematics, &Paths),
        moved: &Displaced,
        [sigma, bounds, gaps, force]: [&mut [f64]; 4],
    ) {
        let (link, xi) = (moved.link, moved.by.xi);
        let (links, parent) = (link..t.links[link].end, t.links[link].parent);
        let eta = [AFTER, BEFORE].map(|time| {
            let flow = &self.flow[time];
            flow.of(parent).cross(xi) + flow.within(t, moved)
        });
        let out = [&mut *sigma, bounds, gaps, &mut *force];
        self.contacts_displaced(t, kin, &links, xi, eta, out);
        self.bounds_displaced(c, t, kin, moved, sigma);
        self.tendons_displaced(
            (kin, paths),
            &Displacement::Carried { link, xi },
            sigma,
            force,
        );
        let equalities = &self.equalities;
        for s in equalities.sides.iter().filter(|s| links.contains(&s.link)) {
            add(&mut sigma[s.rows.clone()], s.apply(xi, eta[s.time]));
        }
        for c in equalities.cross.iter().filter(|c| links.contains(&c.from)) {
            let w = c.stiffness.mul(xi);
            for i in t.path(c.to) {
                force[i] += kin.s[i].dot(w);
            }
        }
    }
}
