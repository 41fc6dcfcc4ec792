//! Bounds of joints.

use super::Model;
use super::spec::JointKind;
use super::topology::LinkKind;
use crate::error::{Error, Result};

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
