//! Laws of the stress of tetrahedra and triangles, with their first derivatives.
//!
//! With the gradient of deformation F, J = det F and Lamé's numbers μ and λ, the first Piola–Kirchhoff stress
//! is the derivative of an energy per volume at rest:
//!
//! | law | energy | stress |
//! |---|---|---|
//! | neo-Hookean | μ/2 (F:F − 3) − μ (J − 1) + (λ + μ)/2 (J − 1)² | μ F + ((λ + μ)(J − 1) − μ) cof F |
//! | corotated, F = R S | μ ‖F − R‖² + λ/2 tr²(S − 1) | 2 μ (F − R) + λ tr(S − 1) R |
//! | membrane | λ/2 tr² E + μ E:E | F (λ tr E + 2 μ E) |
//!
//! The membrane is the law of triangles: F maps their plane at rest, and is zero across it. E = ½ (FᵀF − 1)
//! is taken in this plane. λ is that of plane stress, Young ν / (1 − ν²).
//!
//! The first law is that of Smith, De Goes & Kim, Stable Neo-Hookean Flesh Simulation (2018), without the
//! term that they add for collapsed elements. Damping adds β F (λ tr Ė + 2 μ Ė) with the rate Ė of Green's
//! strain. It vanishes in rigid motions, and near rest it is β times the stiffness.

use super::rotation::{Polar, polar};
use crate::model::deformable::Material;
use crate::spatial::{Mat3, Vec3};

/// A material: Lamé's numbers [Pa] and the ratio of damping to stiffness [s].
#[derive(Clone, Copy, Debug)]
pub struct Law {
    pub material: Material,
    pub mu: f64,
    pub lambda: f64,
    pub damping: f64,
}

/// Derivatives of Lamé's numbers by Young's modulus and by Poisson's ratio: (μ, λ) each.
pub fn lame_slopes(material: Material, young: f64, poisson: f64) -> [[f64; 2]; 2] {
    // Of a membrane the stress across its plane is zero, not the strain.
    let share = match material {
        Material::Membrane => 1.0,
        _ => 2.0,
    };
    let (grown, shrunk) = (1.0 + poisson, 1.0 - share * poisson);
    let by_poisson = young * (1.0 + share * poisson * poisson) / (grown * shrunk).powi(2);
    [
        [0.5 / grown, poisson / (grown * shrunk)],
        [-0.5 * young / (grown * grown), by_poisson],
    ]
}

/// Deformation of an element and its rate.
#[derive(Clone, Copy, Debug, Default)]
pub struct Strain {
    pub f: Mat3,
    pub rate: Mat3,
    /// cof F, whose columns are products of columns of F, and J.
    cofactor: Mat3,
    volume: f64,
    polar: Polar,
}

fn inner(a: &Mat3, b: &Mat3) -> f64 {
    a.c[0].dot(b.c[0]) + a.c[1].dot(b.c[1]) + a.c[2].dot(b.c[2])
}

fn symmetric(m: &Mat3) -> Mat3 {
    (*m + m.transpose()) * 0.5
}

/// λ tr(E) + 2 μ E.
fn hooke(mu: f64, lambda: f64, e: &Mat3) -> Mat3 {
    *e * (2.0 * mu) + Mat3::IDENTITY * (lambda * e.trace())
}

impl Strain {
    pub fn new(material: Material, f: Mat3, rate: Mat3) -> Strain {
        let [a, b, c] = f.c;
        let cofactor = Mat3::from_columns(b.cross(c), c.cross(a), a.cross(b));
        Strain {
            f,
            rate,
            cofactor,
            volume: a.dot(cofactor.c[0]),
            polar: match material {
                Material::Corotated => polar(&f),
                _ => Polar::default(),
            },
        }
    }

    /// Distance from the next jump of the stress; infinite for a smooth law.
    pub fn switch_distance(&self, material: Material) -> f64 {
        match material {
            Material::Corotated => self.polar.distance,
            _ => f64::INFINITY,
        }
    }

    /// λ tr(E) + 2 μ E of a membrane, with Green's strain E in its plane. The diagonal entry across the plane
    /// has no effect, for F is zero there.
    fn membrane(&self, mu: f64, lambda: f64) -> Mat3 {
        let squares = self.f.transpose().mul_mat(&self.f);
        let trace = 0.5 * squares.trace() - 1.0;
        squares * mu + Mat3::IDENTITY * (lambda * trace - mu)
    }

    /// Rate of Green's strain.
    fn green_rate(&self) -> Mat3 {
        symmetric(&self.f.transpose().mul_mat(&self.rate))
    }
}

impl Law {
    /// From density, Young's modulus, Poisson's ratio, stiffness and damping.
    pub fn new(material: Material, numbers: &[f64]) -> Law {
        let (young, poisson) = (numbers[1], numbers[2]);
        let [by_young, _] = lame_slopes(material, young, poisson);
        Law {
            material,
            mu: young * by_young[0],
            lambda: young * by_young[1],
            damping: numbers[4],
        }
    }

    /// Energy per volume at rest [J/m³].
    pub fn energy(&self, s: &Strain) -> f64 {
        let (mu, lambda) = (self.mu, self.lambda);
        let grown = s.volume - 1.0;
        match self.material {
            Material::NeoHookean => {
                let squares = inner(&s.f, &s.f) - 3.0;
                0.5 * mu * squares - mu * grown + 0.5 * (lambda + mu) * grown * grown
            }
            Material::Corotated => {
                let d = s.f - s.polar.rotation;
                let trace = s.polar.trace - 3.0;
                mu * inner(&d, &d) + 0.5 * lambda * trace * trace
            }
            Material::Membrane => {
                let squares = s.f.transpose().mul_mat(&s.f);
                let trace = 0.5 * squares.trace() - 1.0;
                let product = 0.25 * inner(&squares, &squares) - trace - 0.5;
                mu * product + 0.5 * lambda * trace * trace
            }
        }
    }

    /// The stress.
    pub fn stress(&self, s: &Strain) -> Mat3 {
        let elastic = self.elastic(s, self.mu, self.lambda);
        match self.damping {
            0.0 => elastic,
            beta => {
                let viscous = hooke(beta * self.mu, beta * self.lambda, &s.green_rate());
                elastic + s.f.mul_mat(&viscous)
            }
        }
    }

    /// The part without damping, which is linear in Lamé's numbers.
    fn elastic(&self, s: &Strain, mu: f64, lambda: f64) -> Mat3 {
        match self.material {
            Material::NeoHookean => s.f * mu + s.cofactor * ((lambda + mu) * (s.volume - 1.0) - mu),
            Material::Corotated => {
                let rotation = s.polar.rotation;
                (s.f - rotation) * (2.0 * mu) + rotation * (lambda * (s.polar.trace - 3.0))
            }
            Material::Membrane => s.f.mul_mat(&s.membrane(mu, lambda)),
        }
    }

    /// Change of the stress along changes of Lamé's numbers and of the ratio of damping.
    pub fn stress_by(&self, s: &Strain, [mu, lambda, damping]: [f64; 3]) -> Mat3 {
        let beta = self.damping;
        let factors = [
            beta * mu + damping * self.mu,
            beta * lambda + damping * self.lambda,
        ];
        let viscous = hooke(factors[0], factors[1], &s.green_rate());
        self.elastic(s, mu, lambda) + s.f.mul_mat(&viscous)
    }

    /// Change of the stress along a change of F, at a fixed rate.
    pub fn stress_along(&self, s: &Strain, df: &Mat3) -> Mat3 {
        let (mu, lambda, beta) = (self.mu, self.lambda, self.damping);
        let mut sum = match self.material {
            Material::NeoHookean => {
                let ([a, b, c], [da, db, dc]) = (s.f.c, df.c);
                let turned = Mat3::from_columns(
                    db.cross(c) + b.cross(dc),
                    dc.cross(a) + c.cross(da),
                    da.cross(b) + a.cross(db),
                );
                let grown = (lambda + mu) * inner(&s.cofactor, df);
                let factor = (lambda + mu) * (s.volume - 1.0) - mu;
                *df * mu + s.cofactor * grown + turned * factor
            }
            Material::Corotated => {
                let rotation = s.polar.rotation;
                let seen = rotation.transpose().mul_mat(df);
                let axial = Vec3::new(
                    seen.at(2, 1) - seen.at(1, 2),
                    seen.at(0, 2) - seen.at(2, 0),
                    seen.at(1, 0) - seen.at(0, 1),
                );
                let turned = rotation.mul_mat(&Mat3::skew(s.polar.turn.mul_vec(axial)));
                (*df - turned) * (2.0 * mu)
                    + rotation * (lambda * seen.trace())
                    + turned * (lambda * (s.polar.trace - 3.0))
            }
            Material::Membrane => {
                let along = symmetric(&df.transpose().mul_mat(&s.f));
                let change = s.f.mul_mat(&hooke(mu, lambda, &along));
                df.mul_mat(&s.membrane(mu, lambda)) + change
            }
        };
        if beta != 0.0 {
            let viscous = hooke(beta * mu, beta * lambda, &s.green_rate());
            let along = symmetric(&df.transpose().mul_mat(&s.rate));
            let change = hooke(beta * mu, beta * lambda, &along);
            sum += df.mul_mat(&viscous) + s.f.mul_mat(&change);
        }
        sum
    }

    /// Change of the stress along a change of the rate of F.
    pub fn stress_along_rate(&self, s: &Strain, drate: &Mat3) -> Mat3 {
        let along = symmetric(&s.f.transpose().mul_mat(drate));
        let beta = self.damping;
        s.f.mul_mat(&hooke(beta * self.mu, beta * self.lambda, &along))
    }

    /// Visits the derivatives of P gᵢ by the places and the velocities of corner j, for all corners but the
    /// first: (i, j, [by place, by velocity]). Gradients of the corners are g.
    ///
    /// A motion e of corner j changes F by e gⱼᵀ. The result is [`Law::stress_along`] of these changes in
    /// closed form.
    #[inline(always)]
    pub fn tangent(
        &self,
        s: &Strain,
        g: &[Vec3; 4],
        mut visit: impl FnMut(usize, usize, [Mat3; 2]),
    ) {
        let (mu, lambda, beta) = (self.mu, self.lambda, self.damping);
        let products = |m: &Mat3| g.map(|g| m.mul_vec(g));
        let rotation = &s.polar.rotation;
        let neo_hookean = (products(&s.cofactor), (lambda + mu) * (s.volume - 1.0) - mu);
        let turned = g.map(|g| rotation.mul_skew(g));
        let corotated = (
            products(rotation),
            lambda * (s.polar.trace - 3.0) - 2.0 * mu,
        );
        let viscous = hooke(beta * mu, beta * lambda, &s.green_rate());
        let (moved, rates, pulled) = (products(&s.f), products(&s.rate), products(&viscous));
        let membrane = products(&s.membrane(mu, lambda));
        let spread = s.f.mul_mat(&s.f.transpose());
        let squares = [s.f.mul_mat(&s.rate.transpose()), spread].map(|m| m * (beta * mu));
        for j in 1..4 {
            for i in 1..4 {
                let along = g[i].dot(g[j]);
                let mut by_place = match self.material {
                    Material::NeoHookean => {
                        let (c, factor) = &neo_hookean;
                        let sheared = s.f.mul_vec(g[j].cross(g[i])) * *factor;
                        Mat3::outer(c[i] * (lambda + mu), c[j])
                            + Mat3::IDENTITY * (mu * along)
                            + Mat3::skew(sheared)
                    }
                    Material::Corotated => {
                        let (r, factor) = &corotated;
                        let turned = turned[i]
                            .mul_mat(&s.polar.turn)
                            .mul_mat(&turned[j].transpose());
                        Mat3::outer(r[i] * lambda, r[j])
                            + Mat3::IDENTITY * (2.0 * mu * along)
                            + turned * *factor
                    }
                    Material::Membrane => {
                        Mat3::IDENTITY * g[j].dot(membrane[i])
                            + Mat3::outer(moved[i] * lambda, moved[j])
                            + Mat3::outer(moved[j] * mu, moved[i])
                            + spread * (mu * along)
                    }
                };
                let mut by_rate = Mat3::ZERO;
                if beta != 0.0 {
                    by_place += Mat3::IDENTITY * g[j].dot(pulled[i]) + squares[0] * along;
                    by_rate += squares[1] * along;
                    let (m, l) = (beta * mu, beta * lambda);
                    for (sum, x) in [(&mut by_place, &rates), (&mut by_rate, &moved)] {
                        *sum += Mat3::outer(moved[i] * l, x[j]) + Mat3::outer(moved[j] * m, x[i]);
                    }
                }
                visit(i, j, [by_place, by_rate]);
            }
        }
    }
}
