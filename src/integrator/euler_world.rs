//! Symplectic Euler that keeps the linear velocity of free joints in world axes.
//!
//! A free joint's velocity is given in the body's own axes. There v⁺ = v + h a contains −h ω × v, the
//! first-order effect of these axes turning away under the velocity. With this error a spinning body
//! gains speed, and a rolling body leaves the ground. Here a step is computed in the axes that the body
//! has at its start, in which the velocity of a free body is constant. The result is then expressed in
//! the axes at the end:
//!
//!   v̂ = v + h (a + ω × v),  x⁺ = x + h R v̂,  R⁺ = R exp(h ω̂),  v⁺ = exp(−h ω̂) v̂,  ω⁺ = ω̂,
//!
//! with impulses found for v̂. MuJoCo and Drake, whose free joints have world velocities, do the same.
//!
//! The centre of mass moves on a straight line. If it lies at c along the axes of the frame, the step
//! propagates its velocity and moves the frame around it:
//!
//!   v̂ = v + h (a + ω × (v + ω × c)),
//!   x⁺ = x + R (h (v̂ + ω̂ × c) + c − exp(h ω̂) c),  v⁺ = exp(−h ω̂) (v̂ + ω̂ × c) − ω̂ × c.
//!
//! Bodies that turn freely turn by the discrete Euler equations ([`crate::dynamics::spin`]), which the
//! forces include in v̂ ([`crate::force::Gyroscopic`]).

use super::euler::displacement;
use super::{End, EndMap, Scheme, Start};
use crate::dynamics::rnea_derivatives::FreeAxes;
use crate::joint::{IntegrateBlocks, LinkMatrix, adjoint, free_pose};
use crate::model::Model;
use crate::model::topology::LinkKind;
use crate::spatial::{Mat3, Pose, Twist, Vec3, so3_exp, so3_right_jacobian};

#[derive(Debug)]
pub struct SymplecticEulerWorld {
    map: EndMap,
}

fn add(out: &mut [f64], x: Vec3) {
    for (out, x) in out.iter_mut().zip(x.to_array()) {
        *out += x;
    }
}

/// The displacement of a free joint's frame around a centre c, along the axes of the start, and the
/// velocity of c.
#[inline(always)]
fn around(h: f64, end: Twist, c: Vec3, turn: &Mat3) -> (Vec3, Vec3) {
    let velocity = end.lin + end.ang.cross(c);
    (velocity * h + (c - turn.mul_vec(c)), velocity)
}

/// For one free joint: ∂q⁺ by q and by w = h v̂, and ∂v⁺ by v̂.
fn blocks(h: f64, v_end: &[f64], c: Vec3) -> (IntegrateBlocks, LinkMatrix) {
    let end = Twist::from_slice(v_end);
    let w = end.ang * h;
    let turn = so3_exp(w);
    let (moved, velocity) = around(h, end, c, &turn);
    let back = Pose {
        rot: turn,
        pos: moved,
    }
    .inverse();
    let (jacobian, seen) = (so3_right_jacobian(w), back.rot.mul_vec(velocity));
    // −exp(−w) [c]×: the centre's velocity by the spin.
    let (arm, across) = (Mat3::skew(c), back.rot.mul_skew(-c));
    let by_spin = Mat3::skew(seen * h).mul_mat(&jacobian) + across + arm;
    let position = IntegrateBlocks {
        by_q: adjoint(&back),
        by_w: [back.rot, across + arm.mul_mat(&jacobian), jacobian],
    };
    (position, [back.rot, by_spin, Mat3::IDENTITY])
}

impl SymplecticEulerWorld {
    pub fn new(model: &Model, derivatives: bool) -> Self {
        SymplecticEulerWorld {
            map: EndMap::new(model, derivatives),
        }
    }
}

impl Scheme for SymplecticEulerWorld {
    fn duplicate(&self, model: &Model, derivatives: bool) -> Box<dyn Scheme> {
        Box::new(Self::new(model, derivatives))
    }

    fn start(&self, at: &Start<'_>, v_start: &mut [f64]) {
        v_start.copy_from_slice(at.v);
        for (l, c) in at.model.free_links().zip(at.centres) {
            let t = Twist::from_slice(&at.v[l.iv..]);
            add(&mut v_start[l.iv..], t.ang.cross(t.at(*c)) * at.h);
        }
    }

    fn start_direction(&self, at: &Start<'_>, dv: &[f64], out: &mut [f64]) {
        for (out, dv) in out.iter_mut().zip(dv) {
            *out += dv;
        }
        for (l, c) in at.model.free_links().zip(at.centres) {
            let [t, d] = [at.v, dv].map(|v| Twist::from_slice(&v[l.iv..]));
            let change = d.ang.cross(t.at(*c)) + t.ang.cross(d.at(*c));
            add(&mut out[l.iv..], change * at.h);
        }
    }

    fn start_adjoint(&self, at: &Start<'_>, z: &[f64], v_bar: &mut [f64]) {
        for (v_bar, z) in v_bar.iter_mut().zip(z) {
            *v_bar += z;
        }
        for (l, c) in at.model.free_links().zip(at.centres) {
            let t = Twist::from_slice(&at.v[l.iv..]);
            let z = Vec3::from_slice(&z[l.iv..]) * at.h;
            let linear = z.cross(t.ang);
            add(&mut v_bar[l.iv..], linear);
            add(&mut v_bar[l.iv + 3..], t.at(*c).cross(z) + c.cross(linear));
        }
    }

    fn axes(&self) -> FreeAxes {
        FreeAxes::World
    }

    fn for_start_terms(
        &self,
        at: &Start<'_>,
        diagonal: &[f64],
        visit: &mut dyn FnMut(usize, usize, f64),
    ) {
        for (l, c) in at.model.free_links().zip(at.centres) {
            let linear = &diagonal[l.iv..l.iv + 3];
            if linear.iter().all(|d| *d == 0.0) {
                continue;
            }
            let t = Twist::from_slice(&at.v[l.iv..]);
            let turned = Mat3::skew(t.ang);
            let spun = Mat3::skew(-t.at(*c)) + turned.mul_skew(-*c);
            for (first, by) in [(0, turned), (3, spun)] {
                for (row, d) in linear.iter().enumerate() {
                    for column in 0..3 {
                        visit(l.iv + row, l.iv + first + column, -(d * by.at(row, column)));
                    }
                }
            }
        }
    }

    fn reach(&self, h: f64, v: &mut [f64]) {
        let end = Twist::from_slice(v);
        let lin = so3_exp(end.ang * h).mul_vec(end.lin);
        v[..3].copy_from_slice(&lin.to_array());
    }

    fn reach_direction(&self, h: f64, v: &[f64], d: &mut [f64]) {
        let [end, along] = [v, &*d].map(Twist::from_slice);
        let w = end.ang * h;
        let turned = so3_right_jacobian(w).mul_vec(along.ang);
        let lin = so3_exp(w).mul_vec(along.lin - (end.lin * h).cross(turned));
        d[..3].copy_from_slice(&lin.to_array());
    }

    fn reach_adjoint(&self, h: f64, v: &[f64], bar: &mut [f64]) {
        let [end, of] = [v, &*bar].map(Twist::from_slice);
        let w = end.ang * h;
        let lin = so3_exp(w).tr_mul_vec(of.lin);
        let by_turn = (end.lin * h).cross(lin);
        let ang = of.ang + so3_right_jacobian(w).tr_mul_vec(by_turn);
        bar[..3].copy_from_slice(&lin.to_array());
        bar[3..6].copy_from_slice(&ang.to_array());
    }

    fn keeps_momentum(&self) -> bool {
        true
    }

    fn start_by_centre(&self, h: f64, v: &[f64]) -> Mat3 {
        let omega = Twist::from_slice(v).ang;
        Mat3::skew(omega).mul_skew(omega) * h
    }

    fn by_centre(&self, h: f64, v_end: &[f64]) -> [Mat3; 2] {
        let w = Twist::from_slice(v_end).ang;
        let back = so3_exp(w * -h);
        let rest = back - Mat3::IDENTITY;
        [rest + back.mul_skew(w * h), rest.mul_skew(w)]
    }

    fn end(&self, at: &Start<'_>, v_end: &[f64], next: End<'_>) {
        for (w, v) in next.v.iter_mut().zip(v_end) {
            *w = at.h * v;
        }
        at.model.integrate(at.q, next.v, next.q);
        next.v.copy_from_slice(v_end);
        for (l, c) in at.model.free_links().zip(at.centres) {
            let end = Twist::from_slice(&v_end[l.iv..]);
            let turn = so3_exp(end.ang * at.h);
            let (moved, velocity) = around(at.h, end, *c, &turn);
            let moved = free_pose(&at.q[l.iq..]).point(moved);
            next.q[l.iq..l.iq + 3].copy_from_slice(&moved.to_array());
            let seen = turn.tr_mul_vec(velocity) - end.ang.cross(*c);
            next.v[l.iv..l.iv + 3].copy_from_slice(&seen.to_array());
        }
    }

    fn linearize(&mut self, at: &Start<'_>, v_end: &[f64]) {
        let mut centres = at.centres.iter();
        self.map.fill(at.model.topology(), |l| {
            let v_end = &v_end[l.iv..l.iv + l.kind.nv()];
            if l.kind == LinkKind::Free {
                let c = centres.next().copied().unwrap_or(Vec3::ZERO);
                let (position, turn) = blocks(at.h, v_end, c);
                return (position, Some(turn));
            }
            let w = displacement(at.h, v_end);
            (l.kind.integrate_blocks(&w[..l.kind.nv()]), None)
        });
    }

    fn map(&self) -> &EndMap {
        &self.map
    }
}
