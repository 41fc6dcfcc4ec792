//! Principal axes of a rotational inertia.

use crate::spatial::{Mat3, Sym3, Vec3};
use nalgebra::{Matrix3, SymmetricEigen};

/// Principal axes (as columns of a rotation) and moments; `None` for numbers that overflow.
pub fn principal_axes(about_com: &Sym3) -> Option<(Mat3, Vec3)> {
    let m = about_com.to_mat3();
    if !m.is_finite() {
        return None;
    }
    let eigen = SymmetricEigen::try_new(Matrix3::from_fn(|r, c| m.at(r, c)), f64::EPSILON, 1000)?;
    let column = |k: usize| {
        let c = eigen.eigenvectors.column(k);
        Vec3::new(c[0], c[1], c[2])
    };
    let (x, y) = (column(0), column(1));
    // Recompute the third column, with the sign that makes the frame right-handed.
    let axes = Mat3::from_columns(x, y, x.cross(y));
    let values = eigen.eigenvalues;
    let moments = Vec3::new(values[0], values[1], values[2]);
    (axes.is_finite() && moments.is_finite()).then_some((axes, moments))
}
