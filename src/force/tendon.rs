//! What tendons pull with: stiffness beyond the lengths at rest, and damping.

use super::tension::Tension;
use crate::model::cord::TendonSpec;
use crate::model::params::Params;
use crate::tendon::{Cords, Stretch};

/// The tension of a tendon, and how far it is from where its slopes jump: ends of the lengths at rest [m], a pull that ends
/// [N], and kinks of the path.
///
/// Within the lengths at rest only damping acts. A tendon that only pulls is slack at its upper length at rest and below,
/// and wherever its tension would push as the step begins.
pub fn tension(
    t: &TendonSpec,
    params: &Params,
    cords: &Cords,
    i: usize,
    v: &[f64],
    ahead: f64,
) -> (Tension, f64) {
    let [k, d, ..] = params.tendon[i];
    let acts = k > 0.0 || d > 0.0;
    let rate = cords.rate(i, v);
    let at = Stretch::of(params.tendon[i], cords.length(i), t.pull_only);
    let path = if acts {
        cords.switch_distance(i)
    } else {
        f64::INFINITY
    };
    let whole = Tension::of(i, [k, d], at.elongation, ahead).at_rate(rate);
    if !t.pull_only {
        let tension = match at.end {
            Some(_) => whole,
            None => Tension::damped(i, d, ahead).at_rate(rate),
        };
        return (tension, path.min(at.margin));
    }
    match at.end {
        // Of one that has no spring and no damper only derivatives by these are asked for.
        Some(_) if !acts => (whole, path),
        Some(_) if whole.force > 0.0 => (whole, path.min(at.margin).min(whole.force)),
        Some(_) => (Tension::slack(i), -whole.force),
        None => (Tension::slack(i), at.margin),
    }
}

/// ∂T/∂p of a tension at the rate g·(v + h a), by the component of the parameter.
pub fn by_parameter(
    t: &TendonSpec,
    params: &Params,
    cords: &Cords,
    x: &Tension,
    component: usize,
    rate: f64,
) -> f64 {
    let at = Stretch::of(params.tendon[x.cord], cords.length(x.cord), t.pull_only);
    match component {
        0 if x.taut => x.stretch + x.ahead * rate,
        1 if x.damped => rate,
        2 | 3 if x.taut && at.end == Some(component - 2) => -x.stiffness,
        _ => 0.0,
    }
}

/// Energy that a tendon stores [J].
pub fn energy(params: &Params, i: usize, length: f64, pull_only: bool) -> f64 {
    let at = Stretch::of(params.tendon[i], length, pull_only);
    0.5 * at.law[0] * at.elongation * at.elongation
}
