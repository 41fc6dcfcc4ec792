//! M⁻¹ as a dense matrix.

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
        if let Some(derivatives) = &mut d.derivatives {
            d.mass.inverse(model.topology(), &mut derivatives.inverse);
        }
        d.mass_inverse(model.topology(), out);
    }
    singular
}
