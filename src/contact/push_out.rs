//! The level of stabilization of a step, and for how many steps it has been below full.

/// The level of stabilization: how a step undoes penetrations, passed limits and errors of equalities.
///
/// Most steps use `Full`. If bodies are jammed, no impulse within the friction cones moves them apart; and
/// a pinched body may be thrown. If a step is not solved at one level, or throws a body, it takes the next
/// level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PushOut {
    /// Full stabilization by rigid rows.
    Full,
    /// Full stabilization by compliant rows: σ = J v⁺ + b + R λ. This has a solution even if bodies are
    /// jammed.
    Soft,
    /// Stabilization by compliant rows, no faster than 0.01 m/s or rad/s.
    Slow,
}

/// The levels of stabilization of the last steps, of one region or tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jam {
    /// Number of successive steps below full stabilization, modulo 256.
    pub steps: u8,
    /// Level of the last step.
    pub push_out: PushOut,
}

impl Jam {
    pub const NONE: Jam = Jam {
        steps: 0,
        push_out: PushOut::Full,
    };

    /// The state after another step with this level.
    #[must_use]
    pub fn next(self, push_out: PushOut) -> Jam {
        match push_out {
            PushOut::Full => Jam::NONE,
            _ => Jam {
                steps: self.steps.wrapping_add(1),
                push_out,
            },
        }
    }

    /// The state as one integer.
    pub fn code(self) -> f64 {
        f64::from(self.steps) + 256.0 * f64::from(self.push_out as u8)
    }

    /// The state of an integer; `None` if [`Jam::code`] never returns it.
    pub fn from_code(code: f64) -> Option<Jam> {
        let levels = [PushOut::Full, PushOut::Soft, PushOut::Slow];
        if !(0.0..=f64::from(u16::MAX)).contains(&code) || code.fract() != 0.0 {
            return None;
        }
        let (steps, push_out) = (
            code as u16 % 256,
            *levels.get(usize::from(code as u16 / 256))?,
        );
        let jam = Jam {
            steps: steps as u8,
            push_out,
        };
        (push_out != PushOut::Full || jam == Jam::NONE).then_some(jam)
    }
}
