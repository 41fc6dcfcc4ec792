//! The coefficients of implicit formulas.

use crate::error::{Error, Result};
use crate::model::Model;
use std::f64::consts::FRAC_1_SQRT_2;

/// A linear combination of the inputs of a stage: one coefficient each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mix {
    /// Coefficient of the velocity at the start of the step. In a displacement: of h times this
    /// velocity.
    pub start: f64,
    /// Coefficient of the velocity of the stage before. In a displacement: of h times this velocity.
    pub before: f64,
    /// Coefficient of the velocity at the start of the last step. In a displacement: of the displacement
    /// of that step.
    pub history: f64,
}

/// The coefficients of a stage ([equations](super)) in units of the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stage {
    /// γ_q/h, not negative. With 0 the positions of the stage do not depend on w.
    pub displacement: f64,
    /// γ_a/h, positive.
    pub rate: f64,
    /// σ, from 0 to 1: the share of w in the velocity at which forces are evaluated. The rest is the share of
    /// w₀. Impulses of a scheme act through M(q') + σ h D̃ + (σ h)² K̃, for any `displacement`.
    pub share: f64,
    pub w0: Mix,
    pub xi0: Mix,
}

impl Stage {
    /// Checks the ranges of the coefficients.
    ///
    /// # Errors
    /// `InvalidArgument` naming the first coefficient out of its range.
    pub fn check(&self) -> Result<()> {
        let is_finite = |mix: &Mix| {
            [mix.start, mix.before, mix.history]
                .iter()
                .all(|x| x.is_finite())
        };
        let [displacement, rate, share] = [self.displacement, self.rate, self.share];
        let wrong = if !(0.0..f64::INFINITY).contains(&displacement) {
            format!("displacement must be finite and not negative, got {displacement}")
        } else if !(rate > 0.0 && rate.is_finite()) {
            format!("rate must be finite and positive, got {rate}")
        } else if !(0.0..=1.0).contains(&share) {
            format!("share must be from 0 to 1, got {share}")
        } else if !is_finite(&self.w0) || !is_finite(&self.xi0) {
            String::from("w0 and xi0 must be finite")
        } else {
            return Ok(());
        };
        Err(Error::invalid(format!("parts.integrator: stage: {wrong}")))
    }
}

const NOTHING: Mix = Mix {
    start: 0.0,
    before: 0.0,
    history: 0.0,
};

const EULER: Stage = Stage {
    displacement: 1.0,
    rate: 1.0,
    share: 1.0,
    w0: Mix {
        start: 1.0,
        ..NOTHING
    },
    xi0: NOTHING,
};

/// With this value both stages have the same coefficients, and stiff components vanish at the end
/// (L-stability).
const ALPHA: f64 = 1.0 - FRAC_1_SQRT_2;

const SDIRK2: [Stage; 2] = [
    Stage {
        displacement: ALPHA,
        rate: ALPHA,
        ..EULER
    },
    Stage {
        displacement: ALPHA,
        rate: ALPHA,
        w0: Mix {
            start: 1.0 - (1.0 - ALPHA) / ALPHA,
            before: (1.0 - ALPHA) / ALPHA,
            history: 0.0,
        },
        xi0: Mix {
            before: 1.0 - ALPHA,
            ..NOTHING
        },
        ..EULER
    },
];

const BDF2: [Stage; 1] = [Stage {
    displacement: 2.0 / 3.0,
    rate: 2.0 / 3.0,
    w0: Mix {
        start: 4.0 / 3.0,
        before: 0.0,
        history: -1.0 / 3.0,
    },
    xi0: Mix {
        history: 1.0 / 3.0,
        ..NOTHING
    },
    ..EULER
}];

/// An implicit formula by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Formula {
    /// Implicit Euler.
    Bdf1,
    /// Two diagonally implicit stages with α = 1 − 1/√2, L-stable, of second order.
    Sdirk2,
    /// From the last two states, of second order. The first step is one of [`Formula::Sdirk2`].
    Bdf2,
}

impl Formula {
    /// Largest number of stages of a step.
    pub fn most_stages(self) -> usize {
        match self {
            Formula::Bdf1 => 1,
            Formula::Sdirk2 | Formula::Bdf2 => 2,
        }
    }

    /// The stages of a step, given the history `carried`.
    pub fn stages(self, carried: &[f64]) -> &'static [Stage] {
        match self {
            Formula::Bdf1 => std::slice::from_ref(&EULER),
            Formula::Sdirk2 => &SDIRK2,
            Formula::Bdf2 if has_history(carried) => &BDF2,
            Formula::Bdf2 => &SDIRK2,
        }
    }

    /// Whether a step needs the last one.
    pub fn is_multistep(self) -> bool {
        self == Formula::Bdf2
    }

    /// Count of numbers carried from step to step. For a multistep formula: nv for the velocity at the
    /// start of the last step, nv for its displacement, both along the axes of its end, and a flag that
    /// is 1 if there was a step.
    pub fn carried(self, model: &Model) -> usize {
        match self.is_multistep() {
            true => 2 * model.nv() + 1,
            false => 0,
        }
    }
}

/// Whether the history is that of a step. It is zero before the first step.
fn has_history(carried: &[f64]) -> bool {
    carried.last().is_some_and(|flag| *flag != 0.0)
}
