//! M⁻¹ as a dense matrix.

use super::factors::Factors;
use super::mass::inverse;
use super::workspace::Dynamics;
use crate::model::Model;

/// The inverse of M − armature + diag, column-major nv×nv. If this is singular, returns the dof, and
/// nothing is written. Call it after [`Dynamics::update_positions`].
pub fn mass_inverse(
    d: &mut Dynamics,
    model: &Model,
    diagonal: &[f64],
    out: &mut [f64],
) -> Option<usize> {
    d.factor_mass(model, diagonal);
    let singular = d.mass.singular_at(diagonal);
    if singular.is_none() {
        if let (Factors::Packed(mass), Some(derivatives)) = (&d.mass, &mut d.derivatives) {
            inverse(&mut derivatives.inverse, mass, model.topology());
        }
        d.mass_inverse(model.topology(), out);
    }
    singular
}
