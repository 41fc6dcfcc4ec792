//! Bounds of joints.

use super::reduction::Reduction;
use super::spec::JointKind;
use super::topology::LinkKind;
use super::{Joint, Model};
use crate::error::{Error, Result};
use crate::linalg::larger;
use std::f64::consts::PI;

/// Bounds that a step enforces: of the coordinate of a one-dof link, or of the rotation angle of a
/// spherical link.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// The first of its dofs, and the index of its first coordinate.
    pub dof: usize,
    pub iq: usize,
    /// For a spherical link: its index among those with a bound.
    pub turn: Option<usize>,
    pub lower: f64,
    pub upper: f64,
    pub margin: f64,
    /// Whether the coordinate is an angle and not a length.
    pub angular: bool,
    /// Whether the lower and the upper bound are those of another joint, too, that follows the same
    /// coordinate of a reduction ([`keep_tightest`]).
    pub tied: [bool; 2],
}

impl Limit {
    /// Number of its dofs.
    pub fn nv(&self) -> usize {
        if self.turn.is_some() { 3 } else { 1 }
    }
}

/// A bound of a one-dof joint's speed in both directions [m/s or rad/s].
#[derive(Clone, Copy, Debug)]
pub struct SpeedLimit {
    pub dof: usize,
    pub speed: f64,
}

/// The speed limits of all joints of a model.
pub fn speed_limits(model: &Model) -> Vec<SpeedLimit> {
    let bounded = |j: &&Joint| j.nv == 1 && j.velocity_limit.is_finite();
    let limit = |j: &Joint| SpeedLimit {
        dof: j.iv,
        speed: j.velocity_limit,
    };
    (model.joints().iter().filter(bounded).map(limit)).collect()
}

/// The limits of all joints of a model. A rotation angle is at most π, so that this value bounds
/// nothing.
///
/// # Errors
/// `Unsupported` naming a joint whose bounds this version cannot enforce.
pub fn limits(model: &Model) -> Result<Vec<Limit>> {
    let t = model.topology();
    let (mut limits, mut turns) = (Vec::new(), 0);
    for j in model.joints() {
        let Some((lower, upper)) = j.limits else {
            continue;
        };
        if j.kind == JointKind::Spherical {
            if upper < PI {
                limits.push(Limit {
                    dof: j.iv,
                    iq: j.iq,
                    turn: Some(turns),
                    lower: f64::NEG_INFINITY,
                    upper,
                    margin: j.limit_margin,
                    angular: true,
                    tied: [false; 2],
                });
                turns += 1;
            }
            continue;
        }
        if j.nv != 1 || j.kind == JointKind::Continuous {
            return Err(Error::unsupported(format!(
                "joint \"{}\": bounds on a {:?} joint are not enforced in this version",
                j.name, j.kind
            )));
        }
        if lower.is_finite() || upper.is_finite() {
            limits.push(Limit {
                dof: j.iv,
                iq: j.iq,
                turn: None,
                lower,
                upper,
                margin: j.limit_margin,
                angular: t.links[j.first_link].kind == LinkKind::Revolute,
                tied: [false; 2],
            });
        }
    }
    Ok(limits)
}

/// Limits that follow one coordinate of a reduction bound the same number. Only the tightest lower and the
/// tightest upper bound of this number stay; the others become infinite, so that no two rows hold the same
/// motion. So do those of a dof that does not move. A bound stays one of its own joint: at a fixed position
/// of the joint, it does not depend on the entries of the reduction. Among equal bounds the first one stays.
///
/// # Errors
/// `InvalidArgument` naming a dof, if no number is within all bounds.
pub fn keep_tightest(model: &Model, reduction: &Reduction, limits: &mut [Limit]) -> Result<()> {
    for i in 0..limits.len() {
        if reduction.is_still(limits[i].dof) {
            (limits[i].lower, limits[i].upper) = (f64::NEG_INFINITY, f64::INFINITY);
        }
        for j in 0..i {
            for side in [0, 1] {
                let [Some(a), Some(b)] = [j, i].map(|k| Led::of(reduction, &limits[k])) else {
                    continue;
                };
                let [x, y] = [a.bounds[side], b.bounds[side]];
                if a.leader != b.leader || !(x.is_finite() && y.is_finite()) {
                    continue;
                }
                let is_second = if side == 0 { y > x } else { y < x };
                let is_tied = (x - y).abs() <= TIED * larger(x.abs(), 1.0);
                for (k, led, is_kept) in [(j, a, !is_second), (i, b, is_second)] {
                    let own = usize::from((side == 1) != led.is_turned);
                    limits[k].tied[own] |= is_tied;
                    if is_kept {
                        continue;
                    }
                    match own {
                        0 => limits[k].lower = f64::NEG_INFINITY,
                        _ => limits[k].upper = f64::INFINITY,
                    }
                }
            }
        }
    }
    let led: Vec<Led> = (limits.iter().filter_map(|l| Led::of(reduction, l))).collect();
    for own in &led {
        let mut others = led.iter().filter(|l| l.leader == own.leader);
        if others.any(|l| own.bounds[0] > l.bounds[1]) {
            return Err(Error::invalid(format!(
                "{}: no coordinate of its reduction is within the bounds of all joints that follow it",
                model.called_of_dof(own.leader)
            )));
        }
    }
    Ok(())
}

/// Bounds that differ by at most this, relative to their size or 1, are equal.
const TIED: f64 = 1e-12;

/// A limit as bounds of the free dof that its dof follows.
struct Led {
    leader: usize,
    bounds: [f64; 2],
    /// True if the factor is negative, so that the bounds change places.
    is_turned: bool,
}

impl Led {
    /// `None` for the turn of a spherical joint, and for a dof that follows several or none.
    fn of(reduction: &Reduction, limit: &Limit) -> Option<Led> {
        let (leader, factor, constant) = match limit.turn {
            None => reduction.leader(limit.dof)?,
            Some(_) => return None,
        };
        let mut bounds = [limit.lower, limit.upper].map(|x| (x - constant) / factor);
        if factor < 0.0 {
            bounds.swap(0, 1);
        }
        Some(Led {
            leader,
            bounds,
            is_turned: factor < 0.0,
        })
    }
}
