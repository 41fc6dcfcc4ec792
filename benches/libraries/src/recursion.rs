//! Spatial algebra: the recursions of inverse dynamics and of composite inertias along a chain, written once
//! over the types of each library.

use crate::timing::compare;
use diffsim::linalg::scattered;
use diffsim::spatial::{Mat3, Quat, Sym3, Vec3};
use std::hint::black_box;
use std::ops::{Add, Mul, Sub};

const LINKS: usize = 30;

/// Vectors, rotations and symmetric matrices in three dimensions.
trait Algebra {
    type Vector: Copy
        + Add<Output = Self::Vector>
        + Sub<Output = Self::Vector>
        + Mul<f64, Output = Self::Vector>;
    type Matrix: Copy;
    type Symmetric: Copy + Add<Output = Self::Symmetric>;
    type Quaternion: Copy;

    fn vector(x: [f64; 3]) -> Self::Vector;
    fn array(x: Self::Vector) -> [f64; 3];
    fn symmetric(x: [f64; 6]) -> Self::Symmetric;
    fn quaternion(x: [f64; 4]) -> Self::Quaternion;
    /// The product of two unit quaternions, of length one again.
    fn turn(a: Self::Quaternion, b: Self::Quaternion) -> Self::Quaternion;
    fn rotation(q: Self::Quaternion) -> Self::Matrix;
    fn cross(a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn times(m: &Self::Matrix, x: Self::Vector) -> Self::Vector;
    fn transposed_times(m: &Self::Matrix, x: Self::Vector) -> Self::Vector;
    fn act(s: &Self::Symmetric, x: Self::Vector) -> Self::Vector;
    /// R S Rᵀ.
    fn rotated(s: &Self::Symmetric, r: &Self::Matrix) -> Self::Symmetric;
    /// d·s 1 − ½ (d sᵀ + s dᵀ).
    fn shift(d: Self::Vector, s: Self::Vector) -> Self::Symmetric;
}

/// A link: its placement in its parent turned by the joint about its z, and its inertia about its origin.
struct Link<A: Algebra> {
    placement: A::Quaternion,
    joint: A::Quaternion,
    offset: A::Vector,
    mass: f64,
    moment: A::Vector,
    inertia: A::Symmetric,
}

impl<A: Algebra> Link<A> {
    fn new(k: usize) -> Self {
        let x: Vec<f64> = (0..24).map(|i| scattered(24 * k + i, 1)).collect();
        let unit = |q: [f64; 4]| {
            let n = q.iter().map(|x| x * x).sum::<f64>().sqrt();
            A::quaternion(q.map(|x| x / n))
        };
        Link {
            placement: unit([x[0], x[1], x[2], 1.0 + x[3]]),
            joint: unit([0.0, 0.0, x[4], 1.0]),
            offset: A::vector([x[5], x[6], x[7]]),
            mass: 1.0 + x[8].abs(),
            moment: A::vector([x[9], x[10], x[11]]),
            inertia: A::symmetric([
                2.0 + x[12],
                0.3 * x[13],
                2.0 + x[14],
                0.3 * x[15],
                0.3 * x[16],
                2.0 + x[17],
            ]),
        }
    }
}

/// Data of each link that pass from one sweep to the other.
struct Sweep<A: Algebra> {
    rotation: A::Matrix,
    force: [A::Vector; 2],
    moment: A::Vector,
    inertia: A::Symmetric,
    mass: f64,
}

/// Joint torques at unit joint velocities and accelerations, and the composite inertia about each joint's
/// axis; their sum.
fn recursion<A: Algebra>(links: &[Link<A>], sweep: &mut Vec<Sweep<A>>) -> f64 {
    let zero = A::vector([0.0; 3]);
    let axis = A::vector([0.0, 0.0, 1.0]);
    let (mut v, mut w, mut dv, mut dw) = (zero, zero, A::vector([0.0, 0.0, 9.81]), zero);
    sweep.clear();
    for link in links {
        let r = A::rotation(A::turn(link.placement, link.joint));
        // A twist moves to the link: its point first, then its axes.
        let moved = |lin, ang| {
            (
                A::transposed_times(&r, lin - A::cross(link.offset, ang)),
                A::transposed_times(&r, ang),
            )
        };
        (v, w) = moved(v, w);
        (dv, dw) = moved(dv, dw);
        // Joint velocity and acceleration are one each.
        dv = dv + A::cross(v, axis);
        dw = dw + A::cross(w, axis) + axis;
        w = w + axis;
        let momentum = |lin: A::Vector, ang: A::Vector| {
            (
                lin * link.mass - A::cross(link.moment, ang),
                A::act(&link.inertia, ang) + A::cross(link.moment, lin),
            )
        };
        let (p, l) = momentum(v, w);
        let (f, n) = momentum(dv, dw);
        sweep.push(Sweep {
            rotation: r,
            force: [f + A::cross(w, p), n + A::cross(w, l) + A::cross(v, p)],
            moment: link.moment,
            inertia: link.inertia,
            mass: link.mass,
        });
    }
    let mut sum = 0.0;
    for k in (0..links.len()).rev() {
        let Sweep {
            rotation: r,
            force: [f, n],
            moment,
            inertia,
            mass,
        } = sweep[k];
        sum += A::array(n)[2] + A::array(A::act(&inertia, axis))[2];
        if k > 0 {
            let (d, parent) = (links[k].offset, &mut sweep[k - 1]);
            let f = A::times(&r, f);
            parent.force = [
                parent.force[0] + f,
                parent.force[1] + A::times(&r, n) + A::cross(d, f),
            ];
            let h0 = A::times(&r, moment);
            let h = h0 + d * mass;
            parent.moment = parent.moment + h;
            parent.inertia = parent.inertia + A::rotated(&inertia, &r) + A::shift(d, h0 + h);
            parent.mass += mass;
        }
    }
    sum
}

impl<A: Algebra> Clone for Sweep<A> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<A: Algebra> Copy for Sweep<A> {}

struct Ours;

impl Algebra for Ours {
    type Vector = Vec3;
    type Matrix = Mat3;
    type Symmetric = Sym3;
    type Quaternion = Quat;

    #[inline(always)]
    fn vector(x: [f64; 3]) -> Vec3 {
        Vec3::new(x[0], x[1], x[2])
    }
    #[inline(always)]
    fn array(x: Vec3) -> [f64; 3] {
        x.to_array()
    }
    fn symmetric(x: [f64; 6]) -> Sym3 {
        Sym3::new(x[0], x[1], x[2], x[3], x[4], x[5])
    }
    fn quaternion(x: [f64; 4]) -> Quat {
        Quat::from_slice(&x)
    }
    #[inline(always)]
    fn turn(a: Quat, b: Quat) -> Quat {
        a.mul(b).normalized()
    }
    #[inline(always)]
    fn rotation(q: Quat) -> Mat3 {
        q.to_mat3()
    }
    #[inline(always)]
    fn cross(a: Vec3, b: Vec3) -> Vec3 {
        a.cross(b)
    }
    #[inline(always)]
    fn times(m: &Mat3, x: Vec3) -> Vec3 {
        m.mul_vec(x)
    }
    #[inline(always)]
    fn transposed_times(m: &Mat3, x: Vec3) -> Vec3 {
        m.tr_mul_vec(x)
    }
    #[inline(always)]
    fn act(s: &Sym3, x: Vec3) -> Vec3 {
        s.mul_vec(x)
    }
    #[inline(always)]
    fn rotated(s: &Sym3, r: &Mat3) -> Sym3 {
        s.rotated(r)
    }
    #[inline(always)]
    fn shift(d: Vec3, s: Vec3) -> Sym3 {
        Sym3::new(
            d.y * s.y + d.z * s.z,
            -0.5 * (d.x * s.y + d.y * s.x),
            d.x * s.x + d.z * s.z,
            -0.5 * (d.x * s.z + d.z * s.x),
            -0.5 * (d.y * s.z + d.z * s.y),
            d.x * s.x + d.y * s.y,
        )
    }
}

/// The nine entries of a symmetric matrix given as [`Sym3::new`] takes it: the libraries have no type for it.
fn full([xx, xy, yy, xz, yz, zz]: [f64; 6]) -> [f64; 9] {
    [xx, xy, xz, xy, yy, yz, xz, yz, zz]
}

struct Glam;

impl Algebra for Glam {
    type Vector = glam::DVec3;
    type Matrix = glam::DMat3;
    type Symmetric = glam::DMat3;
    type Quaternion = glam::DQuat;

    #[inline(always)]
    fn vector(x: [f64; 3]) -> glam::DVec3 {
        glam::DVec3::from_array(x)
    }
    #[inline(always)]
    fn array(x: glam::DVec3) -> [f64; 3] {
        x.to_array()
    }
    fn symmetric(x: [f64; 6]) -> glam::DMat3 {
        glam::DMat3::from_cols_array(&full(x))
    }
    fn quaternion(x: [f64; 4]) -> glam::DQuat {
        glam::DQuat::from_array(x)
    }
    #[inline(always)]
    fn turn(a: glam::DQuat, b: glam::DQuat) -> glam::DQuat {
        (a * b).normalize()
    }
    #[inline(always)]
    fn rotation(q: glam::DQuat) -> glam::DMat3 {
        glam::DMat3::from_quat(q)
    }
    #[inline(always)]
    fn cross(a: glam::DVec3, b: glam::DVec3) -> glam::DVec3 {
        a.cross(b)
    }
    #[inline(always)]
    fn times(m: &glam::DMat3, x: glam::DVec3) -> glam::DVec3 {
        *m * x
    }
    #[inline(always)]
    fn transposed_times(m: &glam::DMat3, x: glam::DVec3) -> glam::DVec3 {
        m.transpose() * x
    }
    #[inline(always)]
    fn act(s: &glam::DMat3, x: glam::DVec3) -> glam::DVec3 {
        *s * x
    }
    #[inline(always)]
    fn rotated(s: &glam::DMat3, r: &glam::DMat3) -> glam::DMat3 {
        *r * *s * r.transpose()
    }
    #[inline(always)]
    fn shift(d: glam::DVec3, s: glam::DVec3) -> glam::DMat3 {
        let outer =
            |a: glam::DVec3, b: glam::DVec3| glam::DMat3::from_cols(a * b.x, a * b.y, a * b.z);
        glam::DMat3::from_diagonal(glam::DVec3::splat(d.dot(s))) - (outer(d, s) + outer(s, d)) * 0.5
    }
}

struct Nalgebra;

type V3 = nalgebra::Vector3<f64>;
type M3 = nalgebra::Matrix3<f64>;
type Q = nalgebra::UnitQuaternion<f64>;

impl Algebra for Nalgebra {
    type Vector = V3;
    type Matrix = M3;
    type Symmetric = M3;
    type Quaternion = Q;

    #[inline(always)]
    fn vector(x: [f64; 3]) -> V3 {
        V3::from(x)
    }
    #[inline(always)]
    fn array(x: V3) -> [f64; 3] {
        x.into()
    }
    fn symmetric(x: [f64; 6]) -> M3 {
        M3::from_column_slice(&full(x))
    }
    fn quaternion(x: [f64; 4]) -> Q {
        Q::from_quaternion(nalgebra::Quaternion::new(x[3], x[0], x[1], x[2]))
    }
    #[inline(always)]
    fn turn(a: Q, b: Q) -> Q {
        Q::new_normalize((a * b).into_inner())
    }
    #[inline(always)]
    fn rotation(q: Q) -> M3 {
        q.to_rotation_matrix().into_inner()
    }
    #[inline(always)]
    fn cross(a: V3, b: V3) -> V3 {
        a.cross(&b)
    }
    #[inline(always)]
    fn times(m: &M3, x: V3) -> V3 {
        m * x
    }
    #[inline(always)]
    fn transposed_times(m: &M3, x: V3) -> V3 {
        m.tr_mul(&x)
    }
    #[inline(always)]
    fn act(s: &M3, x: V3) -> V3 {
        s * x
    }
    #[inline(always)]
    fn rotated(s: &M3, r: &M3) -> M3 {
        r * s * r.transpose()
    }
    #[inline(always)]
    fn shift(d: V3, s: V3) -> M3 {
        M3::from_diagonal_element(d.dot(&s)) - (d * s.transpose() + s * d.transpose()) * 0.5
    }
}

/// A recursion to time, and its result.
fn runner<A: Algebra>() -> (f64, impl FnMut()) {
    let links: Vec<Link<A>> = (0..LINKS).map(Link::new).collect();
    let mut sweep = Vec::with_capacity(LINKS);
    let sum = recursion(&links, &mut sweep);
    (sum, move || {
        black_box(recursion(black_box(&links), &mut sweep));
    })
}

pub fn report() {
    let (ours, a) = runner::<Ours>();
    let (glam, b) = runner::<Glam>();
    let (nalgebra, c) = runner::<Nalgebra>();
    for other in [glam, nalgebra] {
        assert!(
            (other - ours).abs() < 1e-9 * ours.abs(),
            "{other} is not {ours}"
        );
    }
    compare(
        &format!("recursions over {LINKS} links"),
        &mut [
            ("spatial", Box::new(a)),
            ("glam", Box::new(b)),
            ("nalgebra", Box::new(c)),
        ],
    );
}
