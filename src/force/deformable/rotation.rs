//! The rotation nearest to a matrix, and its derivative.

use crate::spatial::{Mat3, Vec3};

/// F = R S with a rotation R and a symmetric S.
#[derive(Clone, Copy, Debug, Default)]
pub struct Polar {
    pub rotation: Mat3,
    /// tr S.
    pub trace: f64,
    /// The inverse of tr(S) − S. A change δF turns R by R times the vector `turn` times a, where a is
    /// the axial vector of Rᵀ δF − δFᵀ R. Zero where the rotation is not unique.
    pub turn: Mat3,
    /// 1 at rest; 0 where the rotation is not unique.
    pub distance: f64,
}

/// Sweeps of Jacobi's method; five reach round-off for any matrix of order four.
const SWEEPS: usize = 8;

/// Below this `distance`, the rotation counts as not unique.
const TINY: f64 = 1e-12;

/// R maximizes tr(RᵀF), a quadratic form of R's quaternion: the quaternion is an eigenvector of its
/// matrix with the largest eigenvalue. This also holds for inverted tetrahedra.
pub fn polar(f: &Mat3) -> Polar {
    let at = |i: usize, j: usize| f.at(i, j);
    let trace = f.trace();
    let mut form = [[0.0; 4]; 4];
    form[0][0] = trace;
    for i in 0..3 {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        form[0][i + 1] = at(k, j) - at(j, k);
        form[i + 1][0] = form[0][i + 1];
        form[i + 1][i + 1] = 2.0 * at(i, i) - trace;
        form[i + 1][j + 1] = at(i, j) + at(j, i);
        form[j + 1][i + 1] = form[i + 1][j + 1];
    }
    let (largest, [w, x, y, z]) = largest_eigenvector(form);
    let v = Vec3::new(x, y, z);
    // For a unit quaternion: R = 1 + 2 w [v]× + 2 [v]×².
    let cross = Mat3::skew(v);
    let rotation = Mat3::IDENTITY + cross * (2.0 * w) + cross.mul_mat(&cross) * 2.0;
    let stretch = rotation.transpose().mul_mat(f);
    let stretch = (stretch + stretch.transpose()) * 0.5;
    let turning = Mat3::IDENTITY * largest - stretch;
    let distance = turning.determinant().abs() / 8.0;
    let turn = turning.inverse().filter(|_| distance > TINY);
    Polar {
        rotation,
        trace: largest,
        turn: turn.unwrap_or(Mat3::ZERO),
        distance: match turn {
            Some(_) => distance,
            None => 0.0,
        },
    }
}

/// The largest eigenvalue of a symmetric matrix of order four, and its eigenvector of length 1.
fn largest_eigenvector(mut a: [[f64; 4]; 4]) -> (f64, [f64; 4]) {
    let mut vectors = [[0.0; 4]; 4];
    for (k, row) in vectors.iter_mut().enumerate() {
        row[k] = 1.0;
    }
    for _ in 0..SWEEPS {
        for p in 0..3 {
            for q in p + 1..4 {
                if a[p][q] == 0.0 {
                    continue;
                }
                let ratio = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
                let t = ratio.signum() / (ratio.abs() + ratio.hypot(1.0));
                let c = 1.0 / t.hypot(1.0);
                let s = t * c;
                for row in &mut a {
                    (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
                }
                let (x, y) = (a[p], a[q]);
                for k in 0..4 {
                    a[p][k] = c * x[k] - s * y[k];
                    a[q][k] = s * x[k] + c * y[k];
                }
                for row in &mut vectors {
                    (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
                }
            }
        }
    }
    let mut best = 0;
    for k in 1..4 {
        if a[k][k] > a[best][best] {
            best = k;
        }
    }
    let vector = vectors.map(|row| row[best]);
    let length = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
    (a[best][best], vector.map(|x| x / length))
}
