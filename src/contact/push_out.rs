//! How much of what overlaps a step undoes, and for how long it has been less than all.

/// How a step undoes penetrations, passed limits and what equalities are off.
///
/// Friction can jam bodies so that no impulse moves them apart, and a pinched one may be thrown. A step that is not solved
/// as asked, or throws, takes the next of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PushOut {
    /// As asked, by rows that are rigid.
    Full,
    /// As asked, by rows that yield to what holds them: σ = J v⁺ + b + R λ. That has a solution whatever is jammed.
    Soft,
    /// The same, no faster than 0.01 m/s or rad/s.
    Slow,
}

/// How long steps have not undone all that was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jam {
    /// So many in a row, counted round from 255.
    pub steps: u8,
    /// What the last step undid.
    pub push_out: PushOut,
}

impl Jam {
    pub const NONE: Jam = Jam {
        steps: 0,
        push_out: PushOut::Full,
    };

    /// After another step, which undid this.
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

    /// As one number, a whole one.
    pub fn code(self) -> f64 {
        f64::from(self.steps) + 256.0 * f64::from(self.push_out as u8)
    }

    /// None for a number that [`Jam::code`] does not give.
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
