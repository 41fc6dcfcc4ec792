//! Tension of tendons: stiffness beyond the rest lengths, and damping.

use super::face::State;
use super::fade::Fade;
use super::tension::Tension;
use crate::model::params::Params;
use crate::model::tendon::TendonSpec;
use crate::tendon::{Paths, Stretch};

/// The tension of a tendon, and its distance from the nearest jump of its derivatives: ends of the rest
/// lengths [m], the end of a pull [N], and kinks of the path.
///
/// Within the rest lengths only damping acts. A cable is slack up to its upper rest length, and also if
/// its tension would push. Its damping fades in with the stretch in steps that take the force at their
/// end.
pub fn tension(t: &TendonSpec, at: &State<'_>, paths: &Paths, i: usize) -> (Tension, f64) {
    let (params, ahead, ease) = (at.params, at.time_step, at.ease);
    let [k, d, ..] = params.tendon[i];
    let acts = k > 0.0 || d > 0.0;
    let rate = paths.rate(i, at.v);
    let stretch = Stretch::of(params.tendon[i], paths.length(i), t.pull_only);
    let path = if acts {
        paths.switch_distance(i)
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
        // A tendon without stiffness and damping has no force, but derivatives by both: take the terms that
        // would act.
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

/// The tension of the terms beyond the linear ones. It is explicit: as a [`Tension`] it has its slopes as
/// stiffness and damping.
pub fn curved(t: &TendonSpec, at: &State<'_>, paths: &Paths, i: usize) -> (Tension, f64) {
    let rate = paths.rate(i, at.v);
    let stretch = Stretch::of(at.params.tendon[i], paths.length(i), t.pull_only);
    let (s, [k1, k2], [d1, d2]) = (stretch.elongation, t.stiffness_terms, t.damping_terms);
    let by_length = (2.0 * k1 + 3.0 * k2 * s) * s;
    let tension = Tension {
        taut: stretch.end.is_some(),
        force: (k1 + k2 * s) * s * s + (d1 * rate.abs() + d2 * rate * rate) * rate,
        ..Tension::of(
            i,
            [by_length, (2.0 * d1 + 3.0 * d2 * rate.abs()) * rate.abs()],
            s,
            0.0,
        )
    };
    (tension, paths.switch_distance(i))
}

/// The share with which the damper of a taut cable acts. It does not fade in linearly implicit steps: they
/// decide once, at their start, whether the damper acts, and have a solution in either case. Their damper
/// acts in full.
fn fade(t: &TendonSpec, [k, d]: [f64; 2], at: &Stretch, ahead: f64, ease: f64) -> Option<Fade> {
    let fades = t.pull_only && at.end.is_some() && ahead == 0.0 && k > 0.0 && d > 0.0;
    fades.then(|| Fade::new(at.elongation, d / k, ease))
}

/// Whether any stiffness, however small, would let the damper fade in. Without stiffness the damper acts
/// in full now.
pub fn begins_to_fade(t: &TendonSpec, params: &Params, paths: &Paths, i: usize) -> bool {
    let [k, d, _, upper] = params.tendon[i];
    t.pull_only && k == 0.0 && d > 0.0 && paths.length(i) > upper
}

/// ∂T/∂p of a tension at the rate g·(v + h a), by the component of the parameter.
pub fn by_parameter(
    t: &TendonSpec,
    params: &Params,
    paths: &Paths,
    x: &Tension,
    component: usize,
    rate: f64,
) -> f64 {
    let at = Stretch::of(params.tendon[x.path], paths.length(x.path), t.pull_only);
    let [k, d, ..] = params.tendon[x.path];
    let fade = fade(t, [k, d], &at, x.ahead, 1.0);
    let damper = |f: fn(f64, Fade) -> f64| fade.map_or(0.0, |fade| f(d / k, fade) * rate);
    match component {
        // With τ = d/k, the term is d share(τ).
        0 if x.taut => x.stretch + x.ahead * rate + damper(|time, f| -time * time * f.by_time),
        1 if x.damped => rate + damper(|time, f| f.share - 1.0 + time * f.by_time),
        2 | 3 if x.taut && at.end == Some(component - 2) => -x.by_length,
        _ => 0.0,
    }
}

/// Energy stored in a tendon [J].
pub fn energy(t: &TendonSpec, params: &Params, i: usize, length: f64) -> f64 {
    let at = Stretch::of(params.tendon[i], length, t.pull_only);
    let (s, [k1, k2]) = (at.elongation, t.stiffness_terms);
    (0.5 * at.law[0] + (k1 / 3.0 + 0.25 * k2 * s) * s) * s * s
}
