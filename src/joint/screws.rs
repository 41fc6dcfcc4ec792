//! Products of screw motions: Q = Q₀ Π exp(ω_i b_i(q)) with fixed twists ω_i and functions b_i of one or two
//! coordinates.
//!
//! With Y = Ad(E⁻¹) X for E = exp(ω b), a factor changes S_k of all factors before it, and its derivatives,
//! by
//!
//!   S_k   ← Y_k + ω b_k,
//!   S_k,j ← Y_k,j − b_j ω × Y_k + ω b_kj,
//!   S_k,jl ← Y_k,jl − b_l ω × Y_k,j − b_jl ω × Y_k − b_j ω × (Y_k,l − b_l ω × Y_k) + ω b_kjl.

use crate::spatial::{Pose, Twist};

/// Largest number of coordinates.
pub(super) const WIDEST: usize = 2;

/// A function of the coordinates, with its derivatives up to the third.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rates {
    pub value: f64,
    pub by: [f64; WIDEST],
    pub by2: [[f64; WIDEST]; WIDEST],
    pub by3: [[[f64; WIDEST]; WIDEST]; WIDEST],
}

impl Rates {
    /// A number.
    pub fn number(value: f64) -> Rates {
        Rates {
            value,
            ..Rates::default()
        }
    }

    /// A function of the first coordinate by its value and its derivatives.
    pub fn of_one(value: f64, [by, by2, by3]: [f64; 3]) -> Rates {
        let mut rates = Rates::number(value);
        (rates.by[0], rates.by2[0][0], rates.by3[0][0][0]) = (by, by2, by3);
        rates
    }

    /// A function of two coordinates by its table: `of[a][b]` is its derivative, a times by the first and b
    /// times by the second.
    pub fn of_two(of: &[[f64; 4]; 4]) -> Rates {
        let mut rates = Rates::number(of[0][0]);
        let at = |list: &[usize]| {
            let second = list.iter().sum::<usize>();
            of[list.len() - second][second]
        };
        for j in 0..2 {
            rates.by[j] = at(&[j]);
            for k in 0..2 {
                rates.by2[j][k] = at(&[j, k]);
                for l in 0..2 {
                    rates.by3[j][k][l] = at(&[j, k, l]);
                }
            }
        }
        rates
    }
}

/// The highest derivatives of a [`Motion`] that are computed.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(super) enum Order {
    Columns,
    Slopes,
    Bends,
}

/// A moved frame, S in it, and the derivatives of S.
#[derive(Clone, Copy, Debug)]
pub(super) struct Motion {
    pub pose: Pose,
    pub s: [Twist; WIDEST],
    /// S_k,j at `[j][k]`.
    pub by: [[Twist; WIDEST]; WIDEST],
    /// S_k,jl at `[l][j][k]`.
    pub by2: [[[Twist; WIDEST]; WIDEST]; WIDEST],
    coordinates: usize,
    order: Order,
}

impl Motion {
    /// A frame at rest, which this number of coordinates will move.
    pub fn from(pose: Pose, coordinates: usize, order: Order) -> Motion {
        Motion {
            pose,
            s: [Twist::ZERO; WIDEST],
            by: [[Twist::ZERO; WIDEST]; WIDEST],
            by2: [[[Twist::ZERO; WIDEST]; WIDEST]; WIDEST],
            coordinates,
            order,
        }
    }

    /// Moves the frame by the next factor.
    pub fn then(&mut self, screw: Twist, b: &Rates) {
        let (n, e) = (self.coordinates, Pose::exp(screw * b.value));
        self.pose = self.pose.compose(&e);
        let mut s = [Twist::ZERO; WIDEST];
        for (y, x) in s.iter_mut().zip(&self.s).take(n) {
            *y = e.inverse_twist(*x);
        }
        if self.order >= Order::Slopes {
            // S_k,j without the part of E, then with it.
            let mut moved = [[Twist::ZERO; WIDEST]; WIDEST];
            let mut by = moved;
            for (j, k) in pairs(n) {
                moved[j][k] = e.inverse_twist(self.by[j][k]);
                by[j][k] = moved[j][k] - screw.cross(s[k]) * b.by[j];
            }
            if self.order >= Order::Bends {
                for (l, (j, k)) in (0..n).flat_map(|l| pairs(n).map(move |jk| (l, jk))) {
                    let turned = moved[j][k] * b.by[l] + s[k] * b.by2[j][l] + by[l][k] * b.by[j];
                    self.by2[l][j][k] = e.inverse_twist(self.by2[l][j][k]) - screw.cross(turned)
                        + screw * b.by3[k][j][l];
                }
            }
            for (j, k) in pairs(n) {
                self.by[j][k] = by[j][k] + screw * b.by2[k][j];
            }
        }
        for k in 0..n {
            self.s[k] = s[k] + screw * b.by[k];
        }
    }
}

/// How a factor depends on a number of the joint's shape.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reshape {
    /// Change of its twist ω.
    Screw(Twist),
    /// Change of its function b.
    Function(Rates),
}

/// Change of a [`Motion`] by a number of the joint's shape.
///
/// With E⁻¹ ∂E = η, of a factor whose twist and function change by ω' and b',
///
///   ξ ← Ad(E⁻¹) ξ + η,
///   S'_k ← Y'_k + ω' b_k + ω b'_k,  Y'_k = Ad(E⁻¹) S'_k − η × Y_k,
///   S'_k,j ← Ad(E⁻¹) S'_k,j − η × Y_k,j − b_j (ω' × Y_k + ω × Y'_k) − b'_j ω × Y_k + ω' b_kj + ω b'_kj.
#[derive(Clone, Copy, Debug)]
pub(super) struct Variation {
    pub xi: Twist,
    pub s: [Twist; WIDEST],
    /// S'_k,j at `[j][k]`.
    pub by: [[Twist; WIDEST]; WIDEST],
}

impl Variation {
    /// For a frame that moves by ξ before all factors.
    pub fn from(xi: Twist) -> Variation {
        Variation {
            xi,
            s: [Twist::ZERO; WIDEST],
            by: [[Twist::ZERO; WIDEST]; WIDEST],
        }
    }

    /// Adds the next factor; call it before [`Motion::then`] for this factor.
    pub fn then(&mut self, motion: &Motion, screw: Twist, b: &Rates, change: Option<Reshape>) {
        let (n, e) = (motion.coordinates, Pose::exp(screw * b.value));
        let none = Rates::default();
        let (eta, screw_by, b_by) = match change {
            Some(Reshape::Screw(by)) => {
                let (a, c) = Pose::exp_right_jacobian(screw * b.value);
                let eta = Twist::new(a.mul_vec(by.lin) + c.mul_vec(by.ang), a.mul_vec(by.ang));
                (eta * b.value, by, none)
            }
            Some(Reshape::Function(by)) => (screw * by.value, Twist::ZERO, by),
            None => (Twist::ZERO, Twist::ZERO, none),
        };
        self.xi = e.inverse_twist(self.xi) + eta;
        let y = motion.s.map(|s| e.inverse_twist(s));
        let mut turned = [Twist::ZERO; WIDEST];
        for k in 0..n {
            turned[k] = e.inverse_twist(self.s[k]) - eta.cross(y[k]);
        }
        for (j, k) in pairs(n) {
            self.by[j][k] = e.inverse_twist(self.by[j][k])
                - eta.cross(e.inverse_twist(motion.by[j][k]))
                - (screw_by.cross(y[k]) + screw.cross(turned[k])) * b.by[j]
                - screw.cross(y[k]) * b_by.by[j]
                + screw_by * b.by2[k][j]
                + screw * b_by.by2[k][j];
        }
        for k in 0..n {
            self.s[k] = turned[k] + screw_by * b.by[k] + screw * b_by.by[k];
        }
    }
}

fn pairs(n: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n).flat_map(move |j| (0..n).map(move |k| (j, k)))
}
