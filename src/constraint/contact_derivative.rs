//! Derivative of a contact's rows and forces by the motion of its bodies, at a fixed impulse.
//!
//! Let ξ_X be the displacements of the bodies, V_X their velocities after the step, and (δp, δn, δΦ) the
//! motion of the contact. Then
//!
//! - δ(relative velocity) = Rᵀ(δV_B(p) − δV_A(p) + (ω_B − ω_A) × δp − δφ × v_rel)
//! - the impulse f = R λ adds to each side the wrench (δφ × f; (δp − δp_X) × f) at p, beyond a load that
//!   is fixed in the world at a fixed point of the body
//!
//! where δφ turns the contact frame (Appendix C of the differentiable-simulation paper). `derivative`
//! calls it.

use super::varied::{Sides, Varied};
use crate::collision::patch::Shift;
use crate::collision::{ContactDerivative, Tie};
use crate::model::topology::WORLD;
use crate::spatial::{Mat3, Twist, Vec3, Wrench};
use std::ops::{Add, Mul, Sub};

/// A contact after the step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ContactState {
    pub sides: Sides,
    pub frame: Mat3,
    /// Maps δn to δφ.
    pub turn: Mat3,
    pub normal: Vec3,
    /// Impulse on B, world axes [N s].
    pub impulse: Vec3,
    pub motion: ContactDerivative,
    /// False if the normal cannot turn, because one side is a plane of the world.
    pub turns: bool,
}

impl ContactState {
    /// The effect of displacing side `x` alone. Wrenches act only on sides that are not the world.
    #[inline(always)]
    pub fn vary(&self, x: usize) -> Varied {
        let (m, along) = if x == 1 {
            (self.motion, 1.0)
        } else {
            (self.motion.swapped(self.normal), -1.0)
        };
        // The normal is that of the plane: the other body does not rotate it.
        if m.normal == [Mat3::ZERO; 2] {
            return self.vary_by::<false>(x, &m, [Mat3::ZERO; 2]);
        }
        let turn = m.normal.map(|n| self.turn.mul_mat(&n) * along);
        self.vary_by::<true>(x, &m, turn)
    }

    /// The effect of the contact's motion with side `x` and, with `TURNS`, of the rotation of its frame.
    #[inline(always)]
    fn vary_by<const TURNS: bool>(
        &self,
        x: usize,
        m: &ContactDerivative,
        turn: [Mat3; 2],
    ) -> Varied {
        let s = &self.sides;
        let sign = if x == 1 { 1.0 } else { -1.0 };
        let (p, velocity) = (s.point[x], s.velocity[x]);
        let omega = s.velocity[1].ang - s.velocity[0].ang;
        let relative = s.velocity[1].at(s.point[1]) - s.velocity[0].at(s.point[0]);
        let mut out = Varied::default();
        let mut at_point = [[Wrench::ZERO; 6]; 2];
        for j in 0..6 {
            // A unit of translation, or of rotation about the contact.
            let (part, e) = (j / 3, Vec3::unit(j % 3));
            let (dp, phi) = (m.point[part].c[j % 3], turn[part].c[j % 3]);
            let (carried, own) = if part == 0 {
                (e.cross(velocity.ang), e)
            } else {
                (e.cross(velocity.at(p)), Vec3::ZERO)
            };
            let mut change = carried * sign + omega.cross(dp);
            if TURNS {
                change -= phi.cross(relative);
            }
            out.velocity[j] = self.frame.tr_mul_vec(change);
            out.gap[j] = Vec3::Z * m.gap[part][j % 3];
            let f = self.impulse * sign;
            let force = match TURNS {
                true => phi.cross(f),
                false => Vec3::ZERO,
            };
            at_point[x][j] = Wrench::new(force, (dp - own).cross(f));
            at_point[1 - x][j] = Wrench::new(-force, -dp.cross(f));
        }
        for (by_eta, row) in out.by_eta.iter_mut().zip(self.frame.transpose().c) {
            *by_eta = row * sign;
        }
        out.velocity = about_origin(out.velocity, p);
        out.gap = about_origin(out.gap, p);
        out.by_eta = about_origin(out.by_eta, p);
        let moving = (0..2).filter(|y| s.link[*y] != WORLD);
        for (y, w) in moving.map(|y| (y, at_point[y])) {
            out.wrench[y] = about_origin(w, p).map(|w| w.about_origin(s.point[y]));
        }
        out
    }
}

/// A change of a contact whose bodies stay.
#[derive(Clone, Copy, Debug)]
pub(super) enum Change {
    /// The surface of side `side` moves [m].
    Surface { side: usize, by: Vec3 },
    /// The point slides by a vector whose part along the normal is the change of the gap, and the normal
    /// turns.
    Slide(Tie),
    /// A face varies by this shift. The change of its stiffness is included in the gap. `bound` is the
    /// change of the bound of lagged friction.
    Face { by: Shift, bound: f64 },
}

/// A displacement of the surface of one side alone.
pub(super) fn on_side(side: usize, by: Vec3) -> [Twist; 2] {
    let mut displaced = [Twist::ZERO; 2];
    displaced[side].lin = by;
    displaced
}

/// The changes of a contact by a motion of its bodies.
pub(super) struct Moved {
    /// J v⁺ along the frame, and the gap.
    pub velocity: Vec3,
    pub gap: f64,
    /// Changes of the impulses on the two bodies, about the origins of their trees, without the part by the
    /// body's own motion.
    pub wrench: [Wrench; 2],
}

/// Weights of an adjoint, at the contact point and along world axes.
pub(super) struct Weights {
    /// Of the relative velocity.
    w: Vec3,
    /// Of the impulses on the two bodies.
    by: [Twist; 2],
    /// Of the bodies' displacements, as far as they move the contact.
    shared: [Wrench; 2],
}

impl ContactState {
    /// The same contact at other velocities and without impulse, for the bias by the old normal
    /// velocity.
    #[inline(always)]
    pub fn at_velocities(&self, velocity: [Twist; 2]) -> ContactState {
        ContactState {
            sides: Sides {
                velocity,
                ..self.sides
            },
            impulse: Vec3::ZERO,
            ..*self
        }
    }

    /// (ω, v) of body B relative to body A at the contact.
    #[inline(always)]
    fn relative(&self) -> (Vec3, Vec3) {
        let [a, b] = self.sides.velocity;
        let [at_a, at_b] = self.sides.point;
        (b.ang - a.ang, b.at(at_b) - a.at(at_a))
    }

    /// The effect of displacing the bodies by ξ and changing their velocities by ξ × V + η.
    #[inline(always)]
    pub fn displaced(&self, xi: &[Twist; 2], eta: &[Twist; 2]) -> Moved {
        let s = &self.sides;
        let mut at_point = [Twist::ZERO; 2];
        let mut change = [Vec3::ZERO; 2];
        for x in 0..2 {
            if s.link[x] != WORLD {
                at_point[x] = Twist::new(xi[x].at(s.point[x]), xi[x].ang);
                change[x] = (xi[x].cross(s.velocity[x]) + eta[x]).at(s.point[x]);
            }
        }
        self.moved(at_point[0], at_point[1], change[1] - change[0])
    }

    /// The effect of a change of the surfaces alone.
    pub fn changed(&self, change: Change) -> Moved {
        match change {
            Change::Surface { side, by } => {
                let [a, b] = on_side(side, by);
                self.moved(a, b, Vec3::ZERO)
            }
            Change::Slide(by) => self.slid(by),
            Change::Face { by, .. } => self.shifted(by.point, by.normal, by.gap),
        }
    }

    fn slid(&self, by: Tie) -> Moved {
        let gap = by.slide.dot(self.normal);
        self.shifted(by.slide - self.normal * (0.5 * gap), by.tilt, gap)
    }

    /// The effect of changes of the point, the normal and the gap.
    fn shifted(&self, dp: Vec3, dn: Vec3, gap: f64) -> Moved {
        let phi = self.turn.mul_vec(dn);
        let (omega, relative) = self.relative();
        let w = Wrench::new(phi.cross(self.impulse), dp.cross(self.impulse));
        let [a, b] = self.sides.point;
        Moved {
            velocity: (self.frame).tr_mul_vec(omega.cross(dp) - phi.cross(relative)),
            gap,
            wrench: [-w.about_origin(a), w.about_origin(b)],
        }
    }

    /// The effect of displacements at the contact and of the change of the relative velocity there.
    #[inline(always)]
    fn moved(&self, a: Twist, b: Twist, change: Vec3) -> Moved {
        let s = &self.sides;
        let (dp, dn, gap) = self.motion.apply(self.normal, a, b);
        let (omega, relative) = self.relative();
        let mut change = change + omega.cross(dp);
        let mut w = Wrench::new(Vec3::ZERO, dp.cross(self.impulse));
        if self.turns {
            let phi = self.turn.mul_vec(dn);
            change -= phi.cross(relative);
            w.lin = phi.cross(self.impulse);
        }
        Moved {
            velocity: self.frame.tr_mul_vec(change),
            gap,
            wrench: [-w.about_origin(s.point[0]), w.about_origin(s.point[1])],
        }
    }

    /// The adjoint of displacing the bodies. `w` weighs J v⁺ along the frame, `gap` the gap, and `by`
    /// the impulses on the bodies (twists about the origins of their trees).
    #[inline(always)]
    pub fn weigh(&self, w: Vec3, gap: f64, by: &[Twist; 2]) -> Weights {
        let (s, m, f) = (&self.sides, &self.motion, self.impulse);
        let w = self.frame.mul_vec(w);
        let (omega, relative) = self.relative();
        let at = [by[0].at(s.point[0]), by[1].at(s.point[1])];
        // Adjoints of δp, of ζ = ξ_B − ξ_A at the contact, and of a common motion of both bodies.
        let point = w.cross(omega) + f.cross(by[1].ang - by[0].ang);
        let mut apart = Wrench::new(
            m.point[0].tr_mul_vec(point) + m.gap[0] * gap,
            m.point[1].tr_mul_vec(point) + m.gap[1] * gap,
        );
        let mut common = Wrench::new(point, Vec3::ZERO);
        if self.turns {
            let phi = f.cross(at[1] - at[0]) - relative.cross(w);
            let normal = self.turn.tr_mul_vec(phi);
            apart.lin += m.normal[0].tr_mul_vec(normal);
            apart.ang += m.normal[1].tr_mul_vec(normal);
            common.ang = self.normal.cross(normal);
        }
        Weights {
            w,
            by: [0, 1].map(|x| Twist::new(at[x], by[x].ang)),
            shared: [common - apart, apart],
        }
    }

    /// The adjoints of ξ and η of side `x`, about the origin of its tree.
    #[inline(always)]
    pub fn weigh_side(&self, weights: &Weights, x: usize) -> [Wrench; 2] {
        let sign = if x == 1 { 1.0 } else { -1.0 };
        let (v, p, by) = (self.sides.velocity[x], self.sides.point[x], weights.by[x]);
        let (w, f) = (weights.w * sign, self.impulse * sign);
        let own = Wrench::new(
            v.ang.cross(w) - f.cross(by.ang),
            v.at(p).cross(w) - f.cross(by.lin),
        );
        [
            (weights.shared[x] + own).about_origin(p),
            Wrench::of_force_at(w, p),
        ]
    }
}

/// Converts coefficients on (motion of the point p; rotation) to coefficients on (motion of the origin;
/// rotation).
#[inline(always)]
fn about_origin<T>(x: [T; 6], p: Vec3) -> [T; 6]
where
    T: Copy + Add<Output = T> + Sub<Output = T> + Mul<f64, Output = T>,
{
    let [lx, ly, lz, ax, ay, az] = x;
    [
        lx,
        ly,
        lz,
        ax + lz * p.y - ly * p.z,
        ay + lx * p.z - lz * p.x,
        az + ly * p.x - lx * p.y,
    ]
}
