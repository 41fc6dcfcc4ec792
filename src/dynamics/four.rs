//! Forward dynamics of four simulations of one model side by side, one in each lane of a vector.
//!
//! The recursions are those of one simulation, over [`Real`] numbers of four lanes: each lane has the bits of
//! [`Dynamics::update`](super::Dynamics::update) and [`Dynamics::forward`](super::Dynamics::forward).

use super::aba::{Aba, eliminate};
use super::kinematics::{Kinematics, move_links, place, transform_inertias};
use crate::linalg::{F4, dispatch};
use crate::model::Model;
use crate::model::params::Params;
use crate::model::topology::Topology;
use crate::spatial::{Inertia, Mat3, Pose, Real, Sym3, Vec3, Wrench};

/// Number of simulations side by side.
pub const SIDE_BY_SIDE: usize = 4;

impl Real for F4 {
    const ZERO: F4 = F4::ZERO;

    #[inline(always)]
    fn splat(x: f64) -> F4 {
        F4::splat(x)
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

/// States, parameters and accelerations of four simulations, and memory for their recursions. The model has
/// no joint whose S depends on q, and no loads act on links.
#[derive(Clone, Debug)]
pub struct Four {
    /// Coordinates, velocities, forces, and the diagonal of A beyond M; the accelerations that follow.
    pub q: Vec<F4>,
    pub v: Vec<F4>,
    pub tau: Vec<F4>,
    pub diagonal: Vec<F4>,
    pub acc: Vec<F4>,
    pub kin: Kinematics<F4>,
    aba: Aba<F4>,
    placement: Vec<Pose<F4>>,
    inertia: Vec<Inertia<F4>>,
    gravity: Vec3<F4>,
}

impl Four {
    pub fn new(model: &Model) -> Four {
        let same = [model.params(); SIDE_BY_SIDE];
        let (nq, nv, n) = (model.nq(), model.nv(), model.topology().links.len());
        let mut four = Four {
            q: F4::zeros(nq),
            v: F4::zeros(nv),
            tau: F4::zeros(nv),
            diagonal: F4::zeros(nv),
            acc: F4::zeros(nv),
            kin: Kinematics::new(model),
            aba: Aba::new(model),
            placement: Vec::with_capacity(n),
            inertia: Vec::with_capacity(n),
            gravity: Vec3::zeros(),
        };
        four.take_params(same);
        four
    }

    /// Takes the parameters of each simulation.
    pub fn take_params(&mut self, of: [&Params; SIDE_BY_SIDE]) {
        let n = of[0].link_placement.len();
        self.placement.clear();
        self.inertia.clear();
        self.placement
            .extend((0..n).map(|i| pose(of.map(|p| &p.link_placement[i]))));
        self.inertia
            .extend((0..n).map(|i| inertia(of.map(|p| &p.link_inertia[i]))));
        self.gravity = vec3(of, |p| p.gravity);
    }

    /// Sums of the absolute coordinates of the links and of the trees' origins of one simulation [m].
    pub fn reach(&self, lane: usize) -> impl Iterator<Item = f64> + '_ {
        let places = self.kin.pos.iter().chain(&self.kin.origin);
        places.map(move |p| p.x.0[lane].abs() + p.y.0[lane].abs() + p.z.0[lane].abs())
    }

    /// Placements, velocities, inertias, and `acc` from A acc = τ − b.
    pub fn fall(&mut self, t: &Topology) {
        fall(self, t);
    }
}

#[inline(always)]
fn fall_kernel(w: &mut Four, t: &Topology) {
    place(&mut w.kin, t, &w.placement, &[], &w.q);
    move_links(&mut w.kin, t, &w.v);
    transform_inertias(&mut w.kin, &w.inertia);
    let none = |_: usize| Wrench::zeros();
    let (kin, diagonal) = (&w.kin, &w.diagonal);
    eliminate(
        &mut w.aba, kin, &t.links, w.gravity, none, diagonal, &w.tau, &mut w.acc,
    );
}

dispatch! {
    fn fall = fall_kernel(w: &mut Four, t: &Topology)
}
