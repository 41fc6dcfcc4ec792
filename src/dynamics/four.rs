//! Recursions of four simulations of one model side by side, one in each lane of a vector.
//!
//! They are those of one simulation, over [`Real`] numbers of four lanes: each lane has the bits of
//! [`Dynamics::update`](super::Dynamics::update), [`Dynamics::forward`](super::Dynamics::forward) and
//! [`Dynamics::forward_factored`](super::Dynamics::forward_factored).

use super::aba::{Aba, eliminate};
use super::external::External;
use super::kinematics::{Kinematics, move_links, place, transform_inertias};
use super::mass::BranchMatrix;
use super::rnea::{Rnea, newton_euler};
use crate::linalg::{F4, Wide, wide};
use crate::model::Model;
use crate::model::params::Params;
use crate::model::topology::{Topology, WORLD};
use crate::spatial::{Inertia, Mat3, Pose, Real, Sym3, Twist, Vec3, Wrench};

/// Number of simulations side by side.
pub const SIDE_BY_SIDE: usize = 4;

impl Real for F4 {
    const ZERO: F4 = F4::ZERO;

    #[inline(always)]
    fn splat(x: f64) -> F4 {
        F4::splat(x)
    }

    #[inline(always)]
    fn abs(self) -> F4 {
        F4(self.0.map(f64::abs))
    }

    #[inline(always)]
    fn map<const N: usize, const M: usize>(
        x: [F4; N],
        f: impl Fn([f64; N]) -> [f64; M],
    ) -> [F4; M] {
        let mut y = [F4::ZERO; M];
        for lane in 0..SIDE_BY_SIDE {
            let mut one = [0.0; N];
            for (one, x) in one.iter_mut().zip(&x) {
                *one = x.0[lane];
            }
            for (y, of) in y.iter_mut().zip(f(one)) {
                y.0[lane] = of;
            }
        }
        y
    }
}

/// The numbers of one simulation in each lane.
#[inline(always)]
fn lanes<A>(of: [&A; SIDE_BY_SIDE], number: impl Fn(&A) -> f64) -> F4 {
    F4(of.map(number))
}

#[inline(always)]
fn vec3<A>(of: [&A; SIDE_BY_SIDE], vector: impl Fn(&A) -> Vec3) -> Vec3<F4> {
    Vec3::new(
        lanes(of, |a| vector(a).x),
        lanes(of, |a| vector(a).y),
        lanes(of, |a| vector(a).z),
    )
}

fn pose(of: [&Pose; SIDE_BY_SIDE]) -> Pose<F4> {
    let column = |k: usize| vec3(of, |p| p.rot.c[k]);
    let rot = Mat3::from_columns(column(0), column(1), column(2));
    Pose::new(rot, vec3(of, |p| p.pos))
}

fn inertia(of: [&Inertia; SIDE_BY_SIDE]) -> Inertia<F4> {
    let entry = |e: fn(&Sym3) -> f64| lanes(of, |b| e(&b.i));
    Inertia {
        mass: lanes(of, |b| b.mass),
        h: vec3(of, |b| b.h),
        i: Sym3::new(
            entry(|i| i.xx),
            entry(|i| i.xy),
            entry(|i| i.yy),
            entry(|i| i.xz),
            entry(|i| i.yz),
            entry(|i| i.zz),
        ),
    }
}

/// A tuple of numbers of four simulations.
///
/// # Safety
/// Both `Self` and `One` are `repr(C)` and have the same numbers in the same order, of type [`F4`] and `f64`,
/// and nothing else.
unsafe trait InLanes {
    type One;
}

macro_rules! in_lanes {
    ($($of:ident),*) => {$(
        // SAFETY: it is repr(C), and all its fields are numbers of the type over which it is generic.
        unsafe impl InLanes for $of<F4> {
            type One = $of;
        }
    )*};
}

in_lanes!(Vec3, Mat3, Twist, Inertia);

// SAFETY: one number.
unsafe impl InLanes for F4 {
    type One = f64;
}

/// The numbers of some tuples, and those of a single simulation.
fn flat<'a, X: InLanes>(four: &'a [X], one: &'a mut [X::One]) -> (&'a [F4], &'a mut [f64]) {
    const {
        assert!(size_of::<X>() == SIDE_BY_SIDE * size_of::<X::One>());
    }
    let (n, each) = (four.len().min(one.len()), size_of::<X>() / size_of::<F4>());
    // SAFETY: `InLanes`; the lengths are those of the slices.
    unsafe {
        (
            std::slice::from_raw_parts(four.as_ptr().cast(), n * each),
            std::slice::from_raw_parts_mut(one.as_mut_ptr().cast(), n * each),
        )
    }
}

/// Writes the numbers of one lane.
#[inline(always)]
fn write<X: InLanes>(lane: usize, from: &[X], to: &mut [X::One]) {
    let (from, to) = flat(from, to);
    for (to, from) in to.iter_mut().zip(from) {
        *to = from.0[lane];
    }
}

/// A number of each simulation into its lane.
#[inline(always)]
fn put(lane: usize, from: &[f64], to: &mut [F4]) {
    for (to, from) in to.iter_mut().zip(from) {
        to.0[lane] = *from;
    }
}

/// M or its factors, branch-packed: each entry has the numbers of four simulations.
#[derive(Clone, Debug, Default)]
struct Packed {
    composite: Vec<Inertia<F4>>,
    rows: Vec<F4>,
    whole: Vec<F4>,
    dinv: Vec<F4>,
    zero: Vec<F4>,
}

/// States, parameters and accelerations of four simulations, and memory for their recursions. The model has
/// no joint whose S depends on q.
#[derive(Clone, Debug)]
pub struct Four {
    wide: Wide,
    pub v: Vec<F4>,
    /// Generalized forces, and the loads on links.
    pub tau: Vec<F4>,
    load: Vec<Wrench<F4>>,
    /// False if all loads are zero.
    is_loaded: bool,
    pub kin: Kinematics<F4>,
    pub armature: Vec<F4>,
    q: Vec<F4>,
    /// The diagonal of A beyond M.
    diagonal: Vec<F4>,
    acc: Vec<F4>,
    aba: Aba<F4>,
    rnea: Rnea<F4>,
    packed: Packed,
    placement: Vec<Pose<F4>>,
    inertia: Vec<Inertia<F4>>,
    gravity: Vec3<F4>,
    /// True if the parameters of all lanes are those that the model was loaded with.
    holds_loaded: bool,
}

impl Four {
    /// `None` on a processor without the vectors for it. `factors`: with memory for [`Four::factor`].
    pub fn new(model: &Model, factors: bool) -> Option<Four> {
        let wide = Wide::here()?;
        let same = [model.params(); SIDE_BY_SIDE];
        let t = model.topology();
        let (nq, nv, n) = (model.nq(), model.nv(), t.links.len());
        let mut packed = Packed::default();
        if factors {
            packed = Packed {
                composite: vec![Inertia::zeros(); n],
                rows: F4::zeros(t.packed),
                whole: F4::zeros(t.packed),
                dinv: F4::zeros(nv),
                zero: F4::zeros(nv),
            };
        }
        let mut four = Four {
            wide,
            q: F4::zeros(nq),
            v: F4::zeros(nv),
            tau: F4::zeros(nv),
            load: vec![Wrench::zeros(); n],
            is_loaded: false,
            armature: F4::zeros(nv),
            diagonal: F4::zeros(nv),
            acc: F4::zeros(nv),
            kin: Kinematics::new(model),
            aba: Aba::new(model),
            rnea: Rnea::new(model),
            packed,
            placement: Vec::with_capacity(n),
            inertia: Vec::with_capacity(n),
            gravity: Vec3::zeros(),
            holds_loaded: false,
        };
        four.take_params(same);
        Some(four)
    }

    pub fn wide(&self) -> Wide {
        self.wide
    }

    /// Takes the parameters of each simulation. Does nothing if all are those that the model was loaded with,
    /// and were so before.
    pub fn take_params(&mut self, of: [&Params; SIDE_BY_SIDE]) {
        let are_loaded = of.iter().all(|p| p.as_loaded);
        if are_loaded && self.holds_loaded {
            return;
        }
        self.holds_loaded = are_loaded;
        let n = of[0].link_placement.len();
        self.placement.clear();
        self.inertia.clear();
        self.placement
            .extend((0..n).map(|i| pose(of.map(|p| &p.link_placement[i]))));
        self.inertia
            .extend((0..n).map(|i| inertia(of.map(|p| &p.link_inertia[i]))));
        for (k, armature) in self.armature.iter_mut().enumerate() {
            *armature = lanes(of, |p| p.armature[k]);
        }
        self.gravity = vec3(of, |p| p.gravity);
    }

    /// Takes the state of a simulation.
    pub fn take_state(&mut self, lane: usize, q: &[f64], v: &[f64]) {
        put(lane, q, &mut self.q);
        put(lane, v, &mut self.v);
    }

    /// Takes the generalized forces of a simulation, and the diagonal of A beyond M.
    pub fn take_forces(&mut self, lane: usize, tau: &[f64], diagonal: &[f64]) {
        put(lane, tau, &mut self.tau);
        put(lane, diagonal, &mut self.diagonal);
    }

    /// Takes the loads on the links of a simulation.
    pub fn take_loads(&mut self, lane: usize, loads: &External) {
        if !self.is_loaded && !loads.active {
            return;
        }
        self.is_loaded = true;
        for (to, from) in self.load.iter_mut().zip(&loads.link) {
            let from = from.wrench;
            for (to, from) in [(&mut to.lin, from.lin), (&mut to.ang, from.ang)] {
                (to.x.0[lane], to.y.0[lane], to.z.0[lane]) = (from.x, from.y, from.z);
            }
        }
    }

    /// Takes the generalized forces alone, or writes them.
    pub fn take_tau(&mut self, lane: usize, tau: &[f64]) {
        put(lane, tau, &mut self.tau);
    }

    pub fn write_tau(&self, lane: usize, tau: &mut [f64]) {
        write(lane, &self.tau, tau);
    }

    /// Writes the accelerations of a simulation.
    pub fn write_acc(&self, lane: usize, acc: &mut [f64]) {
        write(lane, &self.acc, acc);
    }

    /// Sums of the absolute coordinates of the links and of the trees' origins of one simulation [m].
    pub fn reach(&self, lane: usize) -> impl Iterator<Item = f64> + '_ {
        let places = self.kin.pos.iter().chain(&self.kin.origin);
        places.map(move |p| p.x.0[lane].abs() + p.y.0[lane].abs() + p.z.0[lane].abs())
    }

    /// Writes the placements, velocities and inertias of one simulation.
    pub fn write_kinematics(&self, lane: usize, kin: &mut Kinematics) {
        let from = &self.kin;
        write(lane, &from.rot, &mut kin.rot);
        write(lane, &from.pos, &mut kin.pos);
        write(lane, &from.origin, &mut kin.origin);
        write(lane, &from.s, &mut kin.s);
        write(lane, &from.v, &mut kin.v);
        write(lane, &from.c, &mut kin.c);
        write(lane, &from.inertia, &mut kin.inertia);
    }

    /// Writes the placement and velocity of one link of a simulation, and the columns of the dofs that move
    /// the link.
    pub fn write_link(&self, lane: usize, t: &Topology, link: usize, kin: &mut Kinematics) {
        let (from, one) = (&self.kin, link..link + 1);
        write(lane, &from.rot[one.clone()], &mut kin.rot[one.clone()]);
        write(lane, &from.pos[one.clone()], &mut kin.pos[one.clone()]);
        write(lane, &from.v[one.clone()], &mut kin.v[one]);
        for k in t.path(link) {
            write(lane, &from.s[k..=k], &mut kin.s[k..=k]);
        }
    }

    /// Writes the factors of [`Four::factor`] of one simulation.
    pub fn write_factors(&self, lane: usize, out: &mut BranchMatrix) {
        let from = &self.packed;
        write(lane, &from.dinv, &mut out.dinv);
        write(lane, &from.rows, F4::flat_mut(&mut out.rows));
        write(lane, &from.whole, F4::flat_mut(&mut out.whole));
    }

    /// Placements, velocities and inertias.
    pub fn place(&mut self, t: &Topology) {
        place_all(self.wide, self, t);
    }

    /// The accelerations, from A acc = τ − b.
    pub fn fall(&mut self, t: &Topology) {
        fall(self.wide, self, t);
    }

    /// The factors of A, and τ − b in the place of the accelerations.
    pub fn factor(&mut self, t: &Topology) {
        factor(self.wide, self, t);
    }
}

#[inline(always)]
fn place_kernel(w: &mut Four, t: &Topology) {
    place(&mut w.kin, t, &w.placement, &[], &w.q);
    move_links(&mut w.kin, t, &w.v);
    transform_inertias(&mut w.kin, &w.inertia);
}

#[inline(always)]
fn fall_kernel(w: &mut Four, t: &Topology) {
    let (kin, diagonal, load) = (&w.kin, &w.diagonal, &w.load[..t.links.len()]);
    let load = |i: usize| load[i];
    eliminate(
        &mut w.aba, kin, &t.links, w.gravity, load, diagonal, &w.tau, &mut w.acc,
    );
}

#[inline(always)]
fn factor_kernel(w: &mut Four, t: &Topology) {
    let (links, dofs) = (&t.links[..], &t.dofs[..]);
    let load = &w.load[..links.len()];
    let (zero, given) = (&w.packed.zero, (w.gravity, &w.armature[..]));
    newton_euler(
        &mut w.rnea,
        &w.kin,
        links,
        given,
        |i| load[i],
        zero,
        &mut w.acc,
    );
    for (acc, tau) in w.acc.iter_mut().zip(&w.tau) {
        *acc = *tau - *acc;
    }
    let Packed {
        composite,
        rows,
        whole,
        dinv,
        ..
    } = &mut w.packed;
    let (s, composite) = (&w.kin.s[..dofs.len()], &mut composite[..links.len()]);
    let (diagonal, dinv) = (&w.diagonal[..dofs.len()], &mut dinv[..dofs.len()]);
    // The composite-rigid-body algorithm, as for one simulation but entry by entry.
    composite.copy_from_slice(&w.kin.inertia);
    for (k, dof) in dofs.iter().enumerate().rev() {
        let force = composite[dof.link].mul(s[k]);
        let (row, mut a) = (&mut rows[dof.row..=dof.row + dof.depth], k);
        for entry in row.iter_mut().rev() {
            *entry = s[a].dot(force);
            a = dofs[a].parent;
        }
        row[dof.depth] += diagonal[k];
        let l = &links[dof.link];
        if k == l.iv && l.parent != WORLD {
            let own = composite[dof.link];
            composite[l.parent] += own;
        }
    }
    whole.copy_from_slice(rows);
    for (k, dof) in dofs.iter().enumerate().rev() {
        let (above, from) = rows.split_at_mut(dof.row);
        let row = &mut from[..=dof.depth];
        dinv[k] = F4::splat(1.0) / row[dof.depth];
        let mut a = dof.parent;
        for left in (0..dof.depth).rev() {
            let (up, scale) = (&dofs[a], row[left] * dinv[k]);
            for (to, from) in above[up.row..=up.row + left].iter_mut().zip(&*row) {
                *to -= *from * scale;
            }
            a = up.parent;
        }
        for x in row {
            *x = *x * dinv[k];
        }
    }
}

wide! {
    fn place_all = place_kernel(w: &mut Four, t: &Topology)
}

wide! {
    fn fall = fall_kernel(w: &mut Four, t: &Topology)
}

wide! {
    fn factor = factor_kernel(w: &mut Four, t: &Topology)
}
