//! Bounds of joints.

use super::source::Source;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::model::spec::JointKind;
use crate::model::topology::LinkKind;

/// Bounds of a one-dof link that a step enforces.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    pub dof: usize,
    pub iq: usize,
    pub lower: f64,
    pub upper: f64,
    pub margin: f64,
    /// An angle, not a length.
    pub angular: bool,
}

/// Those of all joints of a model.
///
/// # Errors
/// `Unsupported` naming a joint whose bounds this version cannot enforce.
pub fn limits(model: &Model) -> Result<Vec<Limit>> {
    let t = model.topology();
    let mut limits = Vec::new();
    for j in model.joints() {
        let Some((lower, upper)) = j.limits else {
            continue;
        };
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
                lower,
                upper,
                margin: j.limit_margin,
                angular: t.links[j.first_link].kind == LinkKind::Revolute,
            });
        }
    }
    Ok(limits)
}

/// Whether `v_next` passes a bound by more than `tolerance` [rad or m] that none of the rows holds.
pub fn misses(
    limits: &[Limit],
    sources: &[Source],
    q: &[f64],
    v_next: &[f64],
    h: f64,
    tolerance: f64,
) -> bool {
    limits.iter().any(|l| {
        let at = q[l.iq] + h * v_next[l.dof];
        [(l.lower, 1.0), (l.upper, -1.0)]
            .into_iter()
            .any(|(bound, sign)| {
                let passed = sign * (at - bound) < -tolerance;
                passed && !sources.contains(&Source::Limit { dof: l.dof, sign })
            })
    })
}
