//! Shared code of the tests: random models and states, differences on the manifold, comparisons.
#![allow(dead_code)]

pub mod activated;
pub mod adhesive;
pub mod alike;
pub mod boxed;
pub mod checker;
pub mod enumeration;
pub mod impacts;
pub mod lengths;
pub mod penalty;
pub mod prescribed;
pub mod problems;
pub mod robots;
pub mod runs;
pub mod scene;
pub mod sensing;
pub mod sides;
pub mod tendons;
pub mod tethers;
pub mod trajectory;
pub mod varying;

use diffsim::model::params::{Param, ParamKind};
use diffsim::model::spec::{BodySpec, JointKind, JointSpec, ModelSpec};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::{Inertia, Pose, Quat, Sym3, Vec3};
use diffsim::step::{Contact, Integrator, Options, StepJacobians};

/// Those that this version has.
pub const INTEGRATORS: [Integrator; 2] = [
    Integrator::SymplecticEuler,
    Integrator::SymplecticEulerWorld,
];

/// Free joints stepped in the body's own axes.
pub fn in_body(options: Options) -> Options {
    Options {
        integrator: Integrator::SymplecticEuler,
        ..options
    }
}

/// What a step finds violated is undone within it.
pub fn at_once(options: Options) -> Options {
    Options {
        max_push_out: f64::INFINITY,
        max_push_out_angle: f64::INFINITY,
        ..options
    }
}

/// Those that this version has.
pub const LAWS: [Contact; 3] = [Contact::Ncp, Contact::Lcp, Contact::Convex];

/// Jacobians of q⁺ and of v⁺ by q, v, u and the parameters.
pub fn all_jacobians<'a>(
    [a, b, c, d]: &'a mut [Vec<f64>; 4],
    [e, f, g, h]: &'a mut [Vec<f64>; 4],
) -> StepJacobians<'a> {
    StepJacobians {
        dq_dq: Some(a),
        dq_dv: Some(b),
        dq_du: Some(c),
        dq_dp: Some(d),
        dv_dq: Some(e),
        dv_dv: Some(f),
        dv_du: Some(g),
        dv_dp: Some(h),
    }
}

pub fn param(kind: ParamKind, index: usize, component: usize) -> Param {
    Param {
        kind,
        index: index as i32,
        component: component as i32,
    }
}

/// SplitMix64: small, seeded, the same everywhere.
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Self {
        Rng(seed)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// In [lo, hi).
    pub fn range(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * ((self.bits() >> 11) as f64 / (1u64 << 53) as f64)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    pub fn vec3(&mut self, s: f64) -> Vec3 {
        Vec3::new(self.range(-s, s), self.range(-s, s), self.range(-s, s))
    }

    pub fn vector(&mut self, n: usize, s: f64) -> Vec<f64> {
        (0..n).map(|_| self.range(-s, s)).collect()
    }

    pub fn quat(&mut self) -> Quat {
        Quat::exp(self.vec3(2.0)).normalized()
    }

    pub fn pose(&mut self, s: f64) -> Pose {
        Pose::from_quat(self.quat(), self.vec3(s))
    }

    pub fn inertia(&mut self) -> Inertia {
        // Six random point masses make a physical body.
        let mut i = Inertia::ZERO;
        for _ in 0..6 {
            let m = self.range(0.1, 0.5);
            i += Inertia::from_com(m, self.vec3(0.3), Sym3::ZERO);
        }
        i
    }
}

pub const KINDS: [JointKind; 10] = [
    JointKind::Fixed,
    JointKind::Revolute,
    JointKind::Continuous,
    JointKind::Prismatic,
    JointKind::Spherical,
    JointKind::Free,
    JointKind::PlanarTranslation,
    JointKind::Translation,
    JointKind::Planar,
    JointKind::Universal,
];

/// A joint of the kind with random axes, anchor, damping, stiffness and armature.
pub fn random_joint(rng: &mut Rng, name: String, kind: JointKind) -> JointSpec {
    let mut j = JointSpec::new(name, kind);
    j.axis = rng.vec3(1.0);
    j.axis2 = j.axis.cross(rng.vec3(1.0)) + j.axis * 0.2;
    if rng.below(3) == 0 {
        j.axis = Vec3::unit(rng.below(3));
        j.axis2 = Vec3::new(j.axis.z, j.axis.x, j.axis.y);
    }
    if kind != JointKind::Free {
        j.anchor = rng.vec3(0.2);
    }
    j.reference = rng.range(-0.5, 0.5);
    j.damping = rng.range(0.0, 1.0);
    j.stiffness = rng.range(0.0, 5.0);
    j.spring_reference = rng.range(-0.5, 0.5);
    j.armature = rng.range(0.0, 0.1);
    j
}

/// A body hanging on `parent` by a joint of the kind.
pub fn random_body(rng: &mut Rng, id: usize, parent: usize, kind: JointKind) -> BodySpec {
    BodySpec {
        name: format!("body{id}"),
        parent,
        placement: rng.pose(0.4),
        inertia: rng.inertia(),
        joints: vec![random_joint(rng, format!("joint{id}"), kind)],
        ..BodySpec::world()
    }
}

/// A random tree of `n` bodies with joints of every kind; some bodies have two joints.
pub fn random_spec(seed: u64, n: usize) -> ModelSpec {
    let mut rng = Rng::new(seed);
    let mut spec = ModelSpec {
        gravity: rng.vec3(9.0),
        ..ModelSpec::default()
    };
    for id in 1..=n {
        let parent = if id == 1 || rng.below(8) == 0 {
            0
        } else {
            id - 1 - rng.below(3.min(id - 1))
        };
        let kind = KINDS[rng.below(KINDS.len())];
        let mut b = random_body(&mut rng, id, parent, kind);
        if kind != JointKind::Free && rng.below(4) == 0 {
            let second = KINDS[1 + rng.below(4)];
            b.joints
                .push(random_joint(&mut rng, format!("second{id}"), second));
        }
        spec.bodies.push(b);
    }
    spec
}

/// The model of [`random_spec`].
pub fn random_tree(seed: u64, n: usize) -> Model {
    Model::compile(random_spec(seed, n), Actuation::Full).expect("a random tree is a model")
}

/// One body on one joint of the kind, with a welded child.
pub fn single_joint(seed: u64, kind: JointKind) -> Model {
    let mut rng = Rng::new(seed);
    let mut spec = ModelSpec::default();
    spec.bodies.push(random_body(&mut rng, 1, 0, kind));
    spec.bodies
        .push(random_body(&mut rng, 2, 1, JointKind::Fixed));
    Model::compile(spec, Actuation::Full).expect("a single joint is a model")
}

/// A configuration near neutral moved by random tangents up to `s`.
pub fn random_q(rng: &mut Rng, model: &Model, s: f64) -> Vec<f64> {
    let mut q = vec![0.0; model.nq()];
    let dv = rng.vector(model.nv(), s);
    model.integrate(model.neutral(), &dv, &mut q);
    q
}

/// max |a − b| / max(1, max |b|)
pub fn relative_error(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let scale = b.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
    a.iter().zip(b).fold(0.0_f64, |m, (x, y)| {
        if (x - y).is_nan() {
            f64::INFINITY
        } else {
            m.max((x - y).abs())
        }
    }) / scale
}

/// Fourth-order central difference of a function of one number at 0.
pub fn difference(eps: f64, mut f: impl FnMut(f64) -> Vec<f64>) -> Vec<f64> {
    let (p1, m1, p2, m2) = (f(eps), f(-eps), f(2.0 * eps), f(-2.0 * eps));
    (0..p1.len())
        .map(|i| (8.0 * (p1[i] - m1[i]) - (p2[i] - m2[i])) / (12.0 * eps))
        .collect()
}

/// Step of the fourth-order differences: rounding and truncation both stay below 1e-11.
pub const EPS: f64 = 2e-4;

/// Central differences of a function of q along every tangent direction, by columns: nv columns.
pub fn by_q(model: &Model, q: &[f64], mut f: impl FnMut(&[f64]) -> Vec<f64>) -> Vec<f64> {
    let nv = model.nv();
    let mut at = vec![0.0; model.nq()];
    let mut out = Vec::new();
    for k in 0..nv {
        let mut dv = vec![0.0; nv];
        out.extend(difference(EPS, |x| {
            dv[k] = x;
            model.integrate(q, &dv, &mut at);
            f(&at)
        }));
    }
    out
}

/// Central differences of a function of a vector, by columns.
pub fn by_vector(x: &[f64], mut f: impl FnMut(&[f64]) -> Vec<f64>) -> Vec<f64> {
    let mut at = x.to_vec();
    let mut out = Vec::new();
    for k in 0..x.len() {
        out.extend(difference(EPS, |d| {
            at[k] = x[k] + d;
            f(&at)
        }));
        at[k] = x[k];
    }
    out
}

/// A joint of every kind by itself, and trees of 2 to 40 bodies, each with its seed.
pub fn models() -> impl Iterator<Item = (u64, Model)> {
    let singles = KINDS
        .iter()
        .enumerate()
        .map(|(i, &k)| (i as u64, single_joint(i as u64, k)));
    let trees = (0..24).map(|s| (100 + s, random_tree(100 + s, 2 + (s as usize * 38) / 23)));
    singles.chain(trees)
}
