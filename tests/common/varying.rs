//! Joints whose motion subspace depends on their coordinates, and trees of them.

use super::{KINDS, Rng, random_body};
use diffsim::joint::{MAX_DOFS, VaryingJoint};
use diffsim::model::spec::{BodySpec, JointKind, JointSpec, ModelSpec};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::{Mat3, Pose, Quat, Twist, Vec3, so3_exp};
use std::sync::Arc;

/// Rotation about `a`, then about `b`, which the first one carries along: S = (0; R_bᵀ a), (0; b).
#[derive(Debug)]
pub struct Universal {
    pub a: Vec3,
    pub b: Vec3,
}

impl Universal {
    /// The first axis in the moved frame, and its first two derivatives by the second angle.
    fn first(&self, q: &[f64]) -> [Vec3; 3] {
        let a = so3_exp(self.b * q[1]).tr_mul_vec(self.a);
        let by = a.cross(self.b);
        [a, by, by.cross(self.b)]
    }
}

fn turn(axis: Vec3) -> Twist {
    Twist::new(Vec3::ZERO, axis)
}

impl VaryingJoint for Universal {
    fn dofs(&self) -> usize {
        2
    }

    fn pose(&self, q: &[f64]) -> Pose {
        let rot = so3_exp(self.a * q[0]).mul_mat(&so3_exp(self.b * q[1]));
        Pose::new(rot, Vec3::ZERO)
    }

    fn columns(&self, q: &[f64], s: &mut [Twist]) {
        (s[0], s[1]) = (turn(self.first(q)[0]), turn(self.b));
    }

    fn slopes(&self, q: &[f64], slopes: &mut [[Twist; MAX_DOFS]]) {
        slopes[0] = [Twist::ZERO; MAX_DOFS];
        slopes[1] = [Twist::ZERO; MAX_DOFS];
        slopes[1][0] = turn(self.first(q)[1]);
    }

    fn bias_slopes(&self, q: &[f64], v: &[f64], dc: &mut [Twist]) {
        (dc[0], dc[1]) = (Twist::ZERO, turn(self.first(q)[2]) * (v[0] * v[1]));
    }
}

/// A surface x = p(q) on which the frame also turns about x and then about y, by angles of its own:
/// p = (q₀ + ½ q₁², q₁ + ½ q₀ q₁, q₀² − q₁²), angles (q₀ q₁, sin q₀ + q₁).
#[derive(Debug)]
pub struct Surface;

/// A number with derivatives up to the third by two coordinates, in powers a, b with a + b ≤ 3.
#[derive(Clone, Copy)]
struct Jet([[f64; 4]; 4]);

impl Jet {
    fn number(x: f64) -> Jet {
        let mut j = Jet([[0.0; 4]; 4]);
        j.0[0][0] = x;
        j
    }

    fn coordinate(k: usize, x: f64) -> Jet {
        let mut j = Jet::number(x);
        j.0[1 - k][k] = 1.0;
        j
    }

    fn add(self, o: Jet) -> Jet {
        Jet(std::array::from_fn(|a| {
            std::array::from_fn(|b| self.0[a][b] + o.0[a][b])
        }))
    }

    fn mul(self, o: Jet) -> Jet {
        let mut p = Jet::number(0.0);
        for (a, b) in (0..4).flat_map(|a| (0..4 - a).map(move |b| (a, b))) {
            for (c, d) in (0..=a).flat_map(|c| (0..=b).map(move |d| (c, d))) {
                p.0[a][b] += self.0[c][d] * o.0[a - c][b - d];
            }
        }
        p
    }

    fn scale(self, s: f64) -> Jet {
        self.mul(Jet::number(s))
    }

    /// sin and cos by their series about the number.
    fn sin_cos(self) -> [Jet; 2] {
        let (s, c) = self.0[0][0].sin_cos();
        let rest = self.add(Jet::number(-self.0[0][0]));
        let (two, three) = (rest.mul(rest), rest.mul(rest).mul(rest));
        let sum = |a: f64, b: f64| {
            let even = Jet::number(a).add(two.scale(-a / 2.0));
            even.add(rest.scale(b)).add(three.scale(-b / 6.0))
        };
        [sum(s, c), sum(c, -s)]
    }

    /// Its derivative by coordinate k.
    fn by(self, k: usize) -> Jet {
        let mut d = Jet::number(0.0);
        for (a, b) in (0..4).flat_map(|a| (0..4 - a).map(move |b| (a, b))) {
            match k {
                0 if a > 0 => d.0[a - 1][b] = a as f64 * self.0[a][b],
                1 if b > 0 => d.0[a][b - 1] = b as f64 * self.0[a][b],
                _ => (),
            }
        }
        d
    }
}

impl Surface {
    /// Rotation by rows, and position.
    fn jets(q: &[f64]) -> ([[Jet; 3]; 3], [Jet; 3]) {
        let [x, y] = [0, 1].map(|k| Jet::coordinate(k, q[k]));
        let at = [
            x.add(y.mul(y).scale(0.5)),
            y.add(x.mul(y).scale(0.5)),
            x.mul(x).add(y.mul(y).scale(-1.0)),
        ];
        let [s, c] = x.mul(y).sin_cos();
        let [t, d] = x.sin_cos()[0].add(y).sin_cos();
        let (zero, minus) = (Jet::number(0.0), |j: Jet| j.scale(-1.0));
        let rot = [
            [d, zero, t],
            [s.mul(t), c, minus(s.mul(d))],
            [minus(c.mul(t)), s, c.mul(d)],
        ];
        (rot, at)
    }

    /// S_k as six jets: RᵀR_k by its three entries, and Rᵀp_k.
    fn column(q: &[f64], k: usize) -> [Jet; 6] {
        let (r, p) = Surface::jets(q);
        let product = |i: usize, x: [Jet; 3]| {
            let terms = (0..3).map(|m| r[m][i].mul(x[m]));
            terms.fold(Jet::number(0.0), Jet::add)
        };
        let lin = [0, 1, 2].map(|i| product(i, p.map(|p| p.by(k))));
        let spin = |i: usize, j: usize| product(i, [0, 1, 2].map(|m| r[m][j].by(k)));
        [lin[0], lin[1], lin[2], spin(2, 1), spin(0, 2), spin(1, 0)]
    }

    fn twist(jets: [Jet; 6]) -> Twist {
        Twist::from_slice(&jets.map(|j| j.0[0][0]))
    }
}

impl VaryingJoint for Surface {
    fn dofs(&self) -> usize {
        2
    }

    fn pose(&self, q: &[f64]) -> Pose {
        let (r, p) = Surface::jets(q);
        let column = |j: usize| Vec3::new(r[0][j].0[0][0], r[1][j].0[0][0], r[2][j].0[0][0]);
        let at = Vec3::new(p[0].0[0][0], p[1].0[0][0], p[2].0[0][0]);
        Pose::new(Mat3::from_columns(column(0), column(1), column(2)), at)
    }

    fn columns(&self, q: &[f64], s: &mut [Twist]) {
        for (k, s) in s.iter_mut().enumerate() {
            *s = Surface::twist(Surface::column(q, k));
        }
    }

    fn slopes(&self, q: &[f64], slopes: &mut [[Twist; MAX_DOFS]]) {
        for (j, by) in slopes.iter_mut().enumerate() {
            for (k, s) in by[..2].iter_mut().enumerate() {
                *s = Surface::twist(Surface::column(q, k).map(|x| x.by(j)));
            }
        }
    }

    fn bias_slopes(&self, q: &[f64], v: &[f64], dc: &mut [Twist]) {
        for (j, dc) in dc.iter_mut().enumerate() {
            *dc = Twist::ZERO;
            for (k, l) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let second = Surface::column(q, k).map(|x| x.by(l).by(j));
                *dc += Surface::twist(second) * (v[k] * v[l]);
            }
        }
    }
}

/// A tree in which every third joint is universal, the root's among them, of one link or of two; the others
/// are of all kinds.
pub fn universal_tree(seed: u64, n: usize, varying: bool) -> Model {
    tree(seed, n, |id, body| {
        let j = &mut body.joints[0];
        if id % 3 == 1 {
            j.kind = JointKind::Universal;
            j.reference = 0.0;
            j.spring_reference = 0.0;
            let [a, b] = [j.axis, j.axis2].map(|x| x.normalized().unwrap());
            if varying {
                j.varying = Some(Arc::new(Universal { a, b }));
            }
        }
    })
}

/// The same with surfaces.
pub fn surface_tree(seed: u64, n: usize) -> Model {
    tree(seed, n, |id, body| {
        if id % 3 == 1 {
            body.joints[0].varying = Some(Arc::new(Surface));
        }
    })
}

/// The same with spline curves and surfaces.
pub fn spline_tree(seed: u64, n: usize) -> Model {
    let mut rng = Rng::new(seed + 1000);
    let mut kind = JointKind::SplineSurface;
    let edit = |id: usize, body: &mut BodySpec| {
        if id % 3 == 1 {
            kind = match kind {
                JointKind::SplineCurve => JointKind::SplineSurface,
                _ => JointKind::SplineCurve,
            };
            let cyclic = rng.below(2) == 0 && kind == JointKind::SplineCurve;
            splines(&mut rng, &mut body.joints[0], kind, cyclic);
        }
    };
    tree(seed, n, edit)
}

/// Frames on a random screw, or around a random axis.
pub fn control_frames(rng: &mut Rng, n: usize, cyclic: bool) -> Vec<Pose> {
    let (axis, along) = (rng.quat().to_mat3().c[0], rng.vec3(0.05));
    let turn = if cyclic {
        std::f64::consts::TAU / n as f64
    } else {
        0.4
    };
    let frame = |i: usize| {
        let x = i as f64;
        let at = if cyclic { Vec3::ZERO } else { along * x };
        let on = Pose::new(so3_exp(axis * (turn * x)), at);
        let off = Pose::from_quat(Quat::exp(rng.vec3(0.15)).normalized(), rng.vec3(0.1));
        on.compose(&off)
    };
    (0..n).map(frame).collect()
}

/// 16 vectors of a patch that is bent in every direction.
pub fn control_vectors(rng: &mut Rng) -> Vec<f64> {
    let mut all = Vec::new();
    for (i, j) in (0..4).flat_map(|i| (0..4).map(move |j| (i as f64 - 1.0, j as f64 - 1.0))) {
        let (x, w) = (rng.vec3(0.05), rng.vec3(0.15));
        all.extend([0.1 * i + x.x, 0.1 * j + x.y, x.z]);
        all.extend([0.4 * i + w.x, 0.3 * j + w.y, w.z]);
    }
    all
}

/// Makes a joint one along a spline.
pub fn splines(rng: &mut Rng, j: &mut JointSpec, kind: JointKind, cyclic: bool) {
    j.kind = kind;
    (j.reference, j.cyclic) = (0.0, cyclic);
    j.control = match kind {
        JointKind::SplineCurve => {
            let frames = control_frames(rng, 5, cyclic);
            frames.iter().flat_map(|f| f.homogeneous()).collect()
        }
        _ => control_vectors(rng).into(),
    };
}

fn tree(seed: u64, n: usize, mut edit: impl FnMut(usize, &mut BodySpec)) -> Model {
    let mut rng = Rng::new(seed);
    let mut spec = ModelSpec {
        gravity: rng.vec3(9.0),
        ..ModelSpec::default()
    };
    for id in 1..=n {
        let parent = if id <= 2 { id - 1 } else { rng.below(id) };
        let kind = KINDS[rng.below(KINDS.len())];
        let kind = match kind {
            JointKind::Fixed => JointKind::Revolute,
            kind => kind,
        };
        let mut body = random_body(&mut rng, id, parent, kind);
        body.joints[0].axis2 += Vec3::new(0.1, 0.0, 0.0);
        edit(id, &mut body);
        spec.bodies.push(body);
    }
    Model::compile(spec, Actuation::Full).unwrap()
}
