//! Springs and dampers as rows of the constraint problem.
//!
//! With the elongation φ, φ̇ = J v, stiffness k and damping d, an implicit spring-damper has the impulse
//!
//!   λ = −h (k (φ + h J v⁺) + d J v⁺).
//!
//! This is exactly the law of a compliant row, σ = J v⁺ + b φ + R λ = 0 with R = 1/(h² k + h d) and b =
//! h k R, whatever the law of contacts.
//!
//! The R of a soft spring is larger than the diagonal of G of rigid rows by many orders. In one matrix with
//! it, rigid rows would seem linearly dependent. The rows are therefore scaled, s J with s² = w/(w + R),
//! where w is about J A⁻¹Jᵀ: their impulse is λ/s, their R is s² R < w. Velocities do not depend on s, so
//! that derivatives take s as a constant. `fill` and `tendon_rows` make these rows.

/// A spring-damper with h² k + h d below this has no force.
const LEAST: f64 = 1e-150;

/// A spring-damper in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Elastic {
    stiffness: f64,
    damping: f64,
    h: f64,
    /// s.
    pub scale: f64,
}

impl Elastic {
    /// For a stiffness and a damping; `weight` is an estimate of the diagonal of G. `None` if there is
    /// no force.
    pub fn new([stiffness, damping]: [f64; 2], h: f64, weight: f64) -> Option<Elastic> {
        let inverse = h * (h * stiffness + damping);
        let w = if weight > 0.0 { weight } else { 1.0 };
        // s² = w/(w + R), with R = 1/`inverse`, which may be infinite.
        let scale = (w * inverse / (w * inverse + 1.0)).sqrt();
        (inverse > LEAST).then_some(Elastic {
            stiffness,
            damping,
            h,
            scale,
        })
    }

    /// h R.
    fn yielding(&self) -> f64 {
        1.0 / (self.h * self.stiffness + self.damping)
    }

    /// s² R.
    pub fn compliance(&self) -> f64 {
        self.scale * (self.scale * self.yielding() / self.h)
    }

    /// Slope of a row by its elongation, s b [1/s].
    pub fn by_elongation(&self) -> f64 {
        self.scale * (self.stiffness * self.yielding())
    }

    /// Slope of a row by stiffness (0) or damping (1) at an elongation, at fixed velocity and impulse λ/s.
    pub fn by_parameter(&self, which: usize, elongation: f64, impulse: f64) -> f64 {
        let y = self.yielding();
        let lambda = self.scale * impulse;
        let [by_b, by_r] = match which {
            0 => [self.damping * y * y, -y * y],
            _ => [-self.stiffness * y * y, -y * (y / self.h)],
        };
        self.scale * (by_b * elongation + by_r * lambda)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// σ of a row at a velocity, elongation and impulse, unscaled.
    fn sigma(k: f64, d: f64, h: f64, [speed, elongation, lambda]: [f64; 3]) -> f64 {
        let w = h * (h * k + d);
        speed + h * k / w * elongation + lambda / w
    }

    #[test]
    fn rows_are_those_of_an_implicit_spring_damper() {
        let h = 2e-3;
        for (k, d, weight) in [(3e2, 0.7, 0.4), (1e8, 0.0, 2.0), (0.0, 1e-3, 30.0)] {
            let e = Elastic::new([k, d], h, weight).unwrap_or_default();
            let (speed, elongation) = (0.3, -0.02);
            let lambda = -h * (k * (elongation + h * speed) + d * speed);
            let (s, by) = (e.scale, e.by_elongation());
            let row = s * speed + by * elongation + e.compliance() * (lambda / s);
            assert!(row.abs() < 1e-12 * (s * speed).abs(), "{k} {d}: {row}");
            assert!(e.compliance() < weight);
            for (which, x) in [(0, k + d / h), (1, d + h * k)] {
                let step = 1e-6 * x;
                let at = |by: f64| {
                    let (k, d) = if which == 0 { (k + by, d) } else { (k, d + by) };
                    sigma(k, d, h, [speed, elongation, lambda])
                };
                let slope = s * (at(step) - at(-step)) / (2.0 * step);
                let found = e.by_parameter(which, elongation, lambda / s);
                assert!(
                    (found - slope).abs() <= 1e-7 * slope.abs(),
                    "{k} {d} {which}: {found} {slope}"
                );
            }
        }
        assert_eq!(Elastic::new([0.0, 0.0], h, 1.0), None);
    }
}
