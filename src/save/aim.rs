//! Numbers from which a reader's arithmetic makes the bits of the model.
//!
//! A model holds rotations as matrices, axes of length one, and inertias about the body's frame. Files hold
//! quaternions, directions, and inertias about the centre of mass. The inverse of the reader's arithmetic is
//! off by a rounding or two, so neighbouring numbers are tried, too. Numbers that came from such a file are
//! found again. Others, such as the quaternion of a matrix of three angles, stay within a few roundings.

use crate::spatial::{Inertia, Mat3, Quat, Sym3, Vec3};

/// Number of neighbours tried for each number, on either side.
const STEPS: i32 = 2;

/// The numbers near `guess` with the smallest error; stops at an error of zero.
fn aim<const N: usize>(guess: [f64; N], error: impl Fn(&[f64; N]) -> f64) -> [f64; N] {
    let (mut best, mut least) = (guess, error(&guess));
    let choices = 2 * STEPS + 1;
    for code in 0..choices.pow(N as u32) {
        if least == 0.0 {
            break;
        }
        let mut rest = code;
        let at = guess.map(|x| {
            let step = rest % choices - STEPS;
            rest /= choices;
            moved(x, step)
        });
        let e = error(&at);
        if e < least {
            (best, least) = (at, e);
        }
    }
    best
}

/// The number `steps` representable numbers further; zero stays.
fn moved(x: f64, steps: i32) -> f64 {
    if x == 0.0 {
        return x;
    }
    (0..steps.abs()).fold(x, |x, _| {
        if steps > 0 {
            x.next_up()
        } else {
            x.next_down()
        }
    })
}

fn off(a: &Mat3, b: &Mat3) -> f64 {
    let d = *a - *b;
    d.c.iter().map(|c| c.max_abs()).fold(0.0, f64::max)
}

/// A quaternion (w x y z) that, normalized, gives the rotation.
pub(super) fn quaternion(r: &Mat3) -> [f64; 4] {
    let [x, y, z, w] = Quat::from_mat3(r).to_array();
    aim([w, x, y, z], |&[w, x, y, z]| {
        off(&Quat::new(x, y, z, w).normalized().to_mat3(), r)
    })
}

/// Angles about the fixed axes x, y, z for which `rotation` gives the rotation.
pub(super) fn roll_pitch_yaw(r: &Mat3, rotation: impl Fn(Vec3) -> Mat3) -> [f64; 3] {
    // The roll is computed after the yaw has been undone. Both together are then right at a pitch of a
    // quarter turn, where neither is determined.
    let yaw = r.at(1, 0).atan2(r.at(0, 0));
    let (s, c) = yaw.sin_cos();
    let pitch = (-r.at(2, 0)).atan2(c * r.at(0, 0) + s * r.at(1, 0));
    let roll = (s * r.at(0, 2) - c * r.at(1, 2)).atan2(c * r.at(1, 1) - s * r.at(0, 1));
    aim([roll, pitch, yaw], |a| {
        off(&rotation(Vec3::from_slice(a)), r)
    })
}

/// A direction that becomes the unit vector `axis` after it has been normalized `times` times.
pub(super) fn direction(axis: Vec3, times: usize) -> [f64; 3] {
    aim(axis.to_array(), |a| {
        let mut n = Vec3::from_slice(a);
        for _ in 0..times {
            n = n.normalized().unwrap_or_default();
        }
        (n - axis).max_abs()
    })
}

/// Centre of mass and inertia about it from which [`Inertia::from_com`] makes this one.
pub(super) fn inertial(inertia: &Inertia) -> (Vec3, Sym3) {
    let mass = inertia.mass;
    let one = |guess: f64, made: &dyn Fn(f64) -> f64, wanted: f64| {
        aim([guess], |&[x]| (made(x) - wanted).abs())[0]
    };
    let com = inertia.com();
    let h = inertia.h;
    let com = Vec3::new(
        one(com.x, &|c| c * mass, h.x),
        one(com.y, &|c| c * mass, h.y),
        one(com.z, &|c| c * mass, h.z),
    );
    let point = Sym3::of_point(com) * mass;
    let about = inertia.i - point;
    let entry = |about: f64, point: f64, all: f64| match point == all {
        // The centre of mass has no inertia about itself except the remaining difference.
        true => 0.0,
        false => one(about, &|x| x + point, all),
    };
    let i = inertia.i;
    let about = Sym3::new(
        entry(about.xx, point.xx, i.xx),
        entry(about.xy, point.xy, i.xy),
        entry(about.yy, point.yy, i.yy),
        entry(about.xz, point.xz, i.xz),
        entry(about.yz, point.yz, i.yz),
        entry(about.zz, point.zz, i.zz),
    );
    (com, about)
}
