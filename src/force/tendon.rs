//! What tendons pull with: stiffness beyond the lengths at rest, and damping.

use super::face::State;
use super::fade::Fade;
use super::tension::Tension;
use crate::model::cord::TendonSpec;
use crate::model::params::Params;
use crate::tendon::{Cords, Stretch};

/// The tension of a tendon, and how far it is from where its slopes jump: ends of the lengths at rest [m], a pull that ends
/// [N], and kinks of the path.
///
/// Within the lengths at rest only damping acts. A tendon that only pulls is slack at its upper length at rest and below,
/// and wherever its tension would push. Its damping fades in with the stretch where steps ask for the force at their end.
pub fn tension(t: &TendonSpec, at: &State<'_>, cords: &Cords, i: usize) -> (Tension, f64) {
    let (params, ahead, ease) = (at.params, at.time_step, at.ease);
    let [k, d, ..] = params.tendon[i];
    let acts = k > 0.0 || d > 0.0;
    let rate = cords.rate(i, at.v);
    let stretch = Stretch::of(params.tendon[i], cords.length(i), t.pull_only);
    let path = if acts {
        cords.switch_distance(i)
    } else {
        f64::INFINITY
    };
    let mut whole = Tension::of(i, [k, d], stretch.elongation, ahead);
    if let Some(fade) = fade(t, [k, d], &stretch, ahead, ease) {
        whole = whole.fading(fade, rate);
    }
    let whole = whole.at_rate(rate);
    if !t.pull_only {
        let tension = match stretch.end {
            Some(_) => whole,
            None => Tension::damped(i, d, ahead).at_rate(rate),
        };
        return (tension, path.min(stretch.margin));
    }
    match stretch.end {
        // Of one that has no spring and no damper only derivatives by these are asked for: by those that would pull.
        Some(_) if !acts => {
            let pulls = Tension {
                taut: stretch.elongation + ahead * rate > 0.0,
                damped: rate > 0.0,
                ..whole
            };
            (pulls, path)
        }
        Some(_) if whole.force > 0.0 => (whole, path.min(stretch.margin).min(whole.force)),
        Some(_) => (Tension::slack(i), -whole.force),
        None => (Tension::slack(i), stretch.margin),
    }
}

/// How far the damper of one that only pulls has faded in as it comes taut. Steps that take it linearly implicit ask once,
/// where they begin, whether it acts, and have a solution in either case: theirs acts in full.
fn fade(t: &TendonSpec, [k, d]: [f64; 2], at: &Stretch, ahead: f64, ease: f64) -> Option<Fade> {
    let fades = t.pull_only && at.end.is_some() && ahead == 0.0 && k > 0.0 && d > 0.0;
    fades.then(|| Fade::new(at.elongation, d / k, ease))
}

/// Whether a stiffness, however small, would let the damper fade in that now acts in full, being alone, or would push in full.
pub fn begins_to_fade(t: &TendonSpec, params: &Params, cords: &Cords, i: usize) -> bool {
    let [k, d, _, upper] = params.tendon[i];
    t.pull_only && k == 0.0 && d > 0.0 && cords.length(i) > upper
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
    let [k, d, ..] = params.tendon[x.cord];
    let fade = fade(t, [k, d], &at, x.ahead, 1.0);
    let damper = |f: fn(f64, Fade) -> f64| fade.map_or(0.0, |fade| f(d / k, fade) * rate);
    match component {
        // τ = d/k, of which d share(τ) is taken.
        0 if x.taut => x.stretch + x.ahead * rate + damper(|time, f| -time * time * f.by_time),
        1 if x.damped => rate + damper(|time, f| f.share - 1.0 + time * f.by_time),
        2 | 3 if x.taut && at.end == Some(component - 2) => -x.by_length,
        _ => 0.0,
    }
}

/// Energy that a tendon stores [J].
pub fn energy(params: &Params, i: usize, length: f64, pull_only: bool) -> f64 {
    let at = Stretch::of(params.tendon[i], length, pull_only);
    0.5 * at.law[0] * at.elongation * at.elongation
}
