//! The mode of a block: the face of its law that it is on.

use super::block::Block;

/// The mode of one block at the solution.
///
/// At a switch (λ = 0 with σ = 0, or λ on the edge of its set with σ = 0) the constraint counts as active:
/// the mode is `Sticking`, or `Sliding` if only the normal velocity is zero. This is also right for
/// redundant contacts, whose impulse may be zero while the point stays at rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// No guess: the solver finds the mode itself.
    #[default]
    Unknown,
    /// Contact or limit is separating, λ = 0.
    Breaking,
    /// σ = 0: sticking contact, active limit, holding dry friction, bilateral row.
    Sticking,
    /// Contact with σ_n = 0 and friction at its bound against σ_T. Also a frictionless contact that
    /// touches.
    Sliding,
    /// Dry friction at −bound, σ > 0.
    AtLower,
    /// Dry friction at +bound, σ < 0.
    AtUpper,
    /// Contact of a friction pyramid with σ_n = 0 that slides along one tangent or both: the sign of the
    /// impulse of each tangent at its bound, 0 for a tangent that holds.
    Bounded([i8; 2]),
    /// Torsional and rolling friction of a friction pyramid with at least one sliding row: the sign of
    /// the impulse of each row at its bound, 0 for a row that holds or does not exist.
    Turned([i8; 3]),
}

impl Mode {
    const PLAIN: [Mode; 6] = [
        Mode::Unknown,
        Mode::Breaking,
        Mode::Sticking,
        Mode::Sliding,
        Mode::AtLower,
        Mode::AtUpper,
    ];

    /// The mode as an integer.
    pub fn index(self) -> u8 {
        let place = Mode::PLAIN.iter().position(|m| *m == self);
        match (self, place) {
            (_, Some(place)) => place as u8,
            (Mode::Bounded([x, y]), _) => 6 + (3 * (y + 1) + x + 1) as u8,
            (Mode::Turned([x, y, z]), _) => 15 + (9 * (z + 1) + 3 * (y + 1) + x + 1) as u8,
            _ => 0,
        }
    }

    /// The mode of an integer; `None` if [`Mode::index`] never returns it.
    pub fn from_index(index: f64) -> Option<Mode> {
        const SIGNS: [i8; 3] = [-1, 0, 1];
        let pairs = || SIGNS.into_iter().flat_map(|y| SIGNS.map(|x| [x, y]));
        let bounded = pairs().filter(|s| *s != [0; 2]).map(Mode::Bounded);
        let triples = pairs().flat_map(|[x, y]| SIGNS.map(|z| [x, y, z]));
        let turned = triples.filter(|s| *s != [0; 3]).map(Mode::Turned);
        (Mode::PLAIN.into_iter().chain(bounded).chain(turned))
            .find(|m| f64::from(m.index()) == index)
    }

    /// Whether this mode exists for the block.
    pub fn fits(self, block: Block) -> bool {
        match block {
            Block::Contact { mu } => match self {
                Mode::Sticking => mu > 0.0,
                Mode::Breaking | Mode::Sliding => true,
                _ => false,
            },
            Block::Pyramid { mu } => match self {
                Mode::Sticking | Mode::Bounded(_) => mu > 0.0,
                Mode::Sliding => mu == 0.0,
                Mode::Breaking => true,
                _ => false,
            },
            Block::Unilateral => matches!(self, Mode::Breaking | Mode::Sticking),
            Block::Box { .. } => matches!(self, Mode::Sticking | Mode::AtLower | Mode::AtUpper),
            Block::Bilateral => self == Mode::Sticking,
            Block::Torsion { .. } => {
                matches!(
                    self,
                    Mode::Breaking | Mode::Sticking | Mode::Sliding | Mode::Turned(_)
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_name_modes() {
        let mut modes = 0;
        for index in 0..=255 {
            if let Some(mode) = Mode::from_index(f64::from(index)) {
                assert_eq!(mode.index(), index, "{mode:?}");
                modes += 1;
            }
        }
        assert_eq!(modes, 6 + 8 + 26);
        assert_eq!(Mode::from_index(0.5), None);
        assert_eq!(Mode::from_index(f64::NAN), None);
    }
}
