//! The states of actuators: the update of an activation from its input in each step.

use super::bounded::bounded;
use crate::error::{Error, Result};

/// The law ȧct(u, act) of an input u.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ActivationLaw {
    /// u.
    Integrator,
    /// (u − act)/τ [s], by an Euler step.
    Filter { time_constant: f64 },
    /// The same, solved exactly over a step with constant u.
    FilterExact { time_constant: f64 },
    /// (u − act)/τ with u bounded to 0 … 1. With m = 1/2 + 3/2 act (act bounded to 0 … 1), τ = `rise` m
    /// if u is above act and `fall`/m if u is below it. With `smoothing` w > 0 one changes into the
    /// other smoothly while u − act is in ±w/2.
    Muscle {
        rise: f64,
        fall: f64,
        smoothing: f64,
    },
}

/// The state of an actuator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Activation {
    pub law: ActivationLaw,
    /// Bounds of the activation after a step.
    pub range: Option<(f64, f64)>,
    /// Whether the force of a step uses the activation at the end of the step instead of the one at its
    /// start.
    pub early: bool,
}

/// The activation after a step, its derivatives, and the distance of u and act to the nearest jump of
/// these.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NextActivation {
    pub act: f64,
    pub by_u: f64,
    pub by_act: f64,
    pub margin: f64,
}

/// A rate and its derivatives by u and act.
struct Rate {
    value: f64,
    by_u: f64,
    by_act: f64,
    margin: f64,
}

impl Activation {
    /// An activation that starts at zero, without bounds.
    pub fn new(law: ActivationLaw) -> Activation {
        Activation {
            law,
            range: None,
            early: false,
        }
    }

    /// # Errors
    /// `InvalidArgument`. The caller puts the actuator's name before the message.
    pub(super) fn check(&self) -> Result<()> {
        let positive = |what: &str, x: f64| {
            if x > 0.0 && x.is_finite() {
                return Ok(());
            }
            Err(Error::invalid(format!(
                "the {what} of its activation must be positive and finite [s], got {x}"
            )))
        };
        match self.law {
            ActivationLaw::Integrator => Ok(()),
            ActivationLaw::Filter { time_constant }
            | ActivationLaw::FilterExact { time_constant } => {
                positive("time constant", time_constant)
            }
            ActivationLaw::Muscle {
                rise,
                fall,
                smoothing,
            } => {
                positive("rising time constant", rise)?;
                positive("falling time constant", fall)?;
                match smoothing >= 0.0 && smoothing.is_finite() {
                    true => Ok(()),
                    false => Err(Error::invalid(format!(
                        "the smoothing width of its activation must be finite and not negative, got {smoothing}"
                    ))),
                }
            }
        }
    }

    /// The activation after a step of `h` seconds with the input u.
    pub fn next(&self, h: f64, u: f64, act: f64) -> NextActivation {
        let free = match self.law {
            ActivationLaw::Integrator => euler(h, act, &Rate::of(u, 1.0, 0.0)),
            ActivationLaw::Filter { time_constant } => {
                let rate = 1.0 / time_constant;
                euler(h, act, &Rate::of((u - act) / time_constant, rate, -rate))
            }
            ActivationLaw::FilterExact { time_constant } => {
                let share = -(-h / time_constant).exp_m1();
                NextActivation {
                    act: act + (u - act) * share,
                    by_u: share,
                    by_act: 1.0 - share,
                    margin: f64::INFINITY,
                }
            }
            ActivationLaw::Muscle {
                rise,
                fall,
                smoothing,
            } => euler(h, act, &muscle(u, act, [rise, fall], smoothing)),
        };
        let end = bounded(free.act, self.range);
        NextActivation {
            act: end.value,
            by_u: end.times(free.by_u),
            by_act: end.times(free.by_act),
            margin: free.margin.min(end.margin),
        }
    }
}

impl Rate {
    fn of(value: f64, by_u: f64, by_act: f64) -> Rate {
        Rate {
            value,
            by_u,
            by_act,
            margin: f64::INFINITY,
        }
    }
}

fn euler(h: f64, act: f64, rate: &Rate) -> NextActivation {
    NextActivation {
        act: act + h * rate.value,
        by_u: h * rate.by_u,
        by_act: 1.0 + h * rate.by_act,
        margin: rate.margin,
    }
}

fn muscle(u: f64, act: f64, [rise, fall]: [f64; 2], width: f64) -> Rate {
    let (input, state) = (bounded(u, Some((0.0, 1.0))), bounded(act, Some((0.0, 1.0))));
    let error = input.value - act;
    let effort = 0.5 + 1.5 * state.value;
    let slope = state.times(1.5);
    let (up, down) = (rise * effort, fall / effort);
    let (up_slope, down_slope) = (rise * slope, -down / effort * slope);
    let mut margin = input.margin.min(state.margin);
    // The time constant, and its derivatives by act and by the error.
    let (time, by_act, by_error) = if width > 0.0 {
        let (share, steeper) = ramp(error / width + 0.5);
        (
            down + (up - down) * share,
            down_slope + (up_slope - down_slope) * share,
            (up - down) * steeper / width,
        )
    } else {
        margin = margin.min(error.abs());
        match error > 0.0 {
            true => (up, up_slope, 0.0),
            false => (down, down_slope, 0.0),
        }
    };
    let value = error / time;
    let by_error = (1.0 - value * by_error) / time;
    Rate {
        value,
        by_u: input.times(by_error),
        by_act: -by_error - value * by_act / time,
        margin,
    }
}

/// A ramp from 0 to 1 over x from 0 to 1 with two continuous derivatives; and its first derivative.
fn ramp(x: f64) -> (f64, f64) {
    let x = x.clamp(0.0, 1.0);
    let value = x * x * x * (x * (6.0 * x - 15.0) + 10.0);
    (value, 30.0 * (x * (x - 1.0)).powi(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAWS: [ActivationLaw; 5] = [
        ActivationLaw::Integrator,
        ActivationLaw::Filter { time_constant: 0.1 },
        ActivationLaw::FilterExact { time_constant: 0.1 },
        ActivationLaw::Muscle {
            rise: 0.01,
            fall: 0.04,
            smoothing: 0.0,
        },
        ActivationLaw::Muscle {
            rise: 0.01,
            fall: 0.04,
            smoothing: 0.3,
        },
    ];

    /// Compares away from the kinks. Each law returns the distance to its kinks.
    #[test]
    fn slopes_are_those_of_differences() {
        for law in LAWS {
            for range in [None, Some((-0.1, 0.9))] {
                let a = Activation {
                    range,
                    ..Activation::new(law)
                };
                for k in 0..400 {
                    let (u, act) = (
                        -0.3 + 1.6 * f64::from(k % 20) / 19.03,
                        -0.31 + 1.6 * f64::from(k / 20) / 19.0,
                    );
                    let (e, at) = (1e-6, a.next(0.002, u, act));
                    if at.margin < 1e-4 {
                        continue;
                    }
                    let slope = |by: fn(&Activation, f64, f64, f64) -> f64| {
                        (by(&a, u, act, e) - by(&a, u, act, -e)) / (2.0 * e)
                    };
                    let by_u = slope(|a, u, act, e| a.next(0.002, u + e, act).act);
                    let by_act = slope(|a, u, act, e| a.next(0.002, u, act + e).act);
                    assert!((by_u - at.by_u).abs() < 1e-8, "{law:?} {u} {act}");
                    assert!((by_act - at.by_act).abs() < 1e-8, "{law:?} {u} {act}");
                }
            }
        }
    }

    #[test]
    fn kinks_are_told() {
        let [.., hard, smooth] = LAWS.map(Activation::new);
        assert_eq!(hard.next(0.01, 0.5, 0.5).margin, 0.0);
        assert_eq!(smooth.next(0.01, 0.5, 0.5).margin, 0.5);
        assert_eq!(smooth.next(0.01, 0.0, 0.5).margin, 0.0);
        let bounded = Activation {
            range: Some((-1.0, 1.0)),
            ..Activation::new(ActivationLaw::Integrator)
        };
        let over = bounded.next(0.5, 3.0, 0.25);
        assert_eq!((over.act, over.by_u, over.by_act), (1.0, 0.0, 0.0));
        assert_eq!(over.margin, 0.75);
    }
}
