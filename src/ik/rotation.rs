//! A rotation's distance from its target in the coordinates of the logarithm.

use crate::spatial::{Mat3, Vec3, so3_log, so3_log_jacobian};

/// w = log(R*ᵀR), and Jᵣ⁻¹(w): ẇ of an angular velocity along R's axes.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    pub w: Vec3,
    pub rate: Mat3,
}

impl Turn {
    #[inline(always)]
    pub fn new(target: &Mat3, rot: &Mat3) -> Turn {
        let w = so3_log(&target.transpose().mul_mat(rot));
        let rate = so3_log_jacobian(w);
        Turn { w, rate }
    }

    /// Maps an angular velocity of the target along its own axes to ẇ along the target's axes: −Jₗ⁻¹(w).
    pub fn by_target(&self) -> Mat3 {
        -self.rate.transpose()
    }

    /// ∂(Jᵣ⁻ᵀ f)/∂w at a constant f.
    ///
    /// Jᵣ⁻ᵀ = 1 − ½ [w] + c(θ²) [w]², so a change δ gives −½ δ × f + c (δ × (w × f) + w × (δ × f)) + 2c'
    /// (w·δ) w × (w × f).
    pub fn force_by_turn(&self, f: Vec3) -> Mat3 {
        let (w, t2) = (self.w, self.w.norm_squared());
        let (c, slope) = coefficient(t2);
        let wf = w.cross(f);
        let twice = w.cross(wf);
        let column = |d: Vec3| {
            f.cross(d) * 0.5
                + (d.cross(wf) + w.cross(d.cross(f))) * c
                + twice * (2.0 * slope * w.dot(d))
        };
        Mat3::from_columns(column(Vec3::X), column(Vec3::Y), column(Vec3::Z))
    }
}

/// c = (1 − θ/2 cot(θ/2))/θ² and its slope by θ².
fn coefficient(t2: f64) -> (f64, f64) {
    if t2 < 0.0625 {
        const C: [f64; 6] = [
            1.0 / 12.0,
            1.0 / 720.0,
            1.0 / 30240.0,
            1.0 / 1209600.0,
            1.0 / 47900160.0,
            691.0 / 1307674368000.0,
        ];
        let (mut c, mut slope) = (0.0, 0.0);
        for k in C.iter().rev() {
            slope = slope * t2 + c;
            c = c * t2 + k;
        }
        return (c, slope);
    }
    let t = t2.sqrt();
    let (s, co) = (0.5 * t).sin_cos();
    let c = (1.0 - 0.5 * t * co / s) / t2;
    // d/dθ of 1 − θ/2 cot(θ/2) is −½ cot(θ/2) + θ/(4 sin²(θ/2)).
    let rise = -0.5 * co / s + 0.25 * t / (s * s);
    (c, (0.5 * rise / t - c) / t2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spatial::so3_exp;

    #[test]
    fn slopes_are_those_of_differences() {
        let f = Vec3::new(0.3, -1.1, 0.7);
        for size in [1e-3, 0.2, 0.2499, 0.2501, 1.0, 3.0] {
            let w = Vec3::new(0.6, -0.5, 0.62449979983984) * size;
            let at = |w: Vec3| Turn::new(&Mat3::IDENTITY, &so3_exp(w));
            let got = at(w).force_by_turn(f);
            for (k, d) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().enumerate() {
                let h = 1e-5;
                let force = |x: f64| at(w + d * x).rate.tr_mul_vec(f);
                let fd = (force(h) - force(-h)) * (0.5 / h);
                assert!(
                    (got.c[k] - fd).norm() < 1e-9,
                    "{size} {k}: {:?} {fd:?}",
                    got.c[k]
                );
            }
        }
    }
}
