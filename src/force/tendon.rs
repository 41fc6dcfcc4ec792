//! What tendons pull with: stiffness beyond the lengths at rest, and damping.

use super::tension::Tension;
use crate::model::cord::TendonSpec;
use crate::model::params::Params;
use crate::tendon::Cords;

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
    let [k, d, lower, upper] = params.tendon[i];
    let acts = k > 0.0 || d > 0.0;
    let (length, rate) = (cords.length(i), cords.rate(i, v));
    let path = if acts {
        cords.switch_distance(i)
    } else {
        f64::INFINITY
    };
    if t.pull_only {
        let whole = Tension::of(i, [k, d], length - upper, ahead).at_rate(rate);
        // Of one that has no spring and no damper only derivatives by these are asked for.
        if length > upper && (whole.force > 0.0 || !acts) {
            let end = if acts {
                whole.stretch.min(whole.force)
            } else {
                f64::INFINITY
            };
            return (whole, path.min(end));
        }
        let end = if length > upper {
            -whole.force
        } else {
            upper - length
        };
        return (Tension::slack(i), if acts { end } else { f64::INFINITY });
    }
    let tension = if length > upper {
        Tension::of(i, [k, d], length - upper, ahead)
    } else if length < lower || lower == upper {
        Tension::of(i, [k, d], length - lower, ahead)
    } else {
        Tension::damped(i, d, ahead)
    };
    let ends = (length - lower).abs().min((length - upper).abs());
    let has_kinks = k > 0.0 && lower < upper;
    (
        tension.at_rate(rate),
        if has_kinks { path.min(ends) } else { path },
    )
}

/// ∂T/∂p of a tension at the rate g·(v + h a), by the component of the parameter.
pub fn by_parameter(x: &Tension, params: &Params, component: usize, rate: f64) -> f64 {
    let [.., lower, upper] = params.tendon[x.cord];
    // The end from which the stretch counts.
    let from_lower = x.stretch < 0.0 || (x.stretch == 0.0 && lower == upper);
    match component {
        0 if x.taut => x.stretch + x.ahead * rate,
        1 if x.damped => rate,
        2 if x.taut && from_lower => -x.stiffness,
        3 if x.taut && !from_lower => -x.stiffness,
        _ => 0.0,
    }
}

/// Energy that a tendon stores [J].
pub fn energy(params: &Params, i: usize, length: f64, pull_only: bool) -> f64 {
    let [k, _, lower, upper] = params.tendon[i];
    let stretch = if length > upper {
        length - upper
    } else if length < lower && !pull_only {
        length - lower
    } else {
        0.0
    };
    0.5 * k * stretch * stretch
}
