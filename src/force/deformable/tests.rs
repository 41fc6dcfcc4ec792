//! The laws of tetrahedra against differences.

use super::edge::Edge;
use super::material::{Law, Strain, lame_slopes};
use super::rotation::polar;
use crate::linalg::scattered;
use crate::model::deformable::Material;
use crate::spatial::{Mat3, Vec3};

const E: f64 = 1e-6;

fn random(seed: usize, size: f64) -> Mat3 {
    let mut m = Mat3::ZERO;
    for k in 0..9 {
        m.c[k / 3][k % 3] = size * scattered(k, seed);
    }
    m
}

fn law(material: Material, damping: f64) -> Law {
    Law::new(material, &[1.0, 5.0, 0.3, 0.0, damping])
}

/// Checks that entries are equal, relative to the largest one if it is above 1.
fn near(a: &Mat3, b: &Mat3, bound: f64) {
    let size = b.c.iter().fold(1.0_f64, |m, c| m.max(c.max_abs()));
    for k in 0..9 {
        let (x, y) = (a.c[k / 3][k % 3], b.c[k / 3][k % 3]);
        assert!((x - y).abs() < bound * size, "{x} {y} {size}");
    }
}

fn inner(a: &Mat3, b: &Mat3) -> f64 {
    (0..9).map(|k| a.c[k / 3][k % 3] * b.c[k / 3][k % 3]).sum()
}

/// Deformations: small and large, rotated, and inverted.
fn deformations() -> Vec<Mat3> {
    let turned = polar(&random(7, 1.0)).rotation;
    let mut all: Vec<Mat3> = (0..4).map(|k| Mat3::IDENTITY + random(k, 0.3)).collect();
    all.push(turned.mul_mat(&(Mat3::IDENTITY + random(9, 0.2))));
    all.push(turned.mul_mat(&(Mat3::IDENTITY * 2.5 + random(11, 1.0))));
    let mut inverted = Mat3::IDENTITY + random(5, 0.2);
    inverted.c[0] = inverted.c[0] * -0.4;
    all.push(inverted);
    all
}

#[test]
fn stress_is_the_slope_of_the_energy_and_has_its_own_slopes() {
    for material in [
        Material::NeoHookean,
        Material::Corotated,
        Material::Membrane,
    ] {
        // Matrices of a membrane are zero across its plane.
        let flat = match material {
            Material::Membrane => Mat3::from_columns(Vec3::unit(0), Vec3::unit(1), Vec3::ZERO),
            _ => Mat3::IDENTITY,
        };
        for (k, f) in deformations().into_iter().enumerate() {
            let law = law(material, 0.02);
            let f = f.mul_mat(&flat);
            let rate = random(20 + k, 3.0).mul_mat(&flat);
            let at = |f: Mat3, rate: Mat3| law.stress(&Strain::new(material, f, rate));
            let energy = |f: Mat3| law.energy(&Strain::new(material, f, Mat3::ZERO));
            let s = Strain::new(material, f, rate);
            let still = at(f, Mat3::ZERO);
            for seed in 0..5 {
                let d = random(40 + seed, 1.0).mul_mat(&flat);
                let slope = (energy(f + d * E) - energy(f - d * E)) * (0.5 / E);
                let told = inner(&still, &d);
                assert!(
                    (slope - told).abs() < 1e-7 * told.abs().max(1.0),
                    "{slope} {told}"
                );
                let by_f = (at(f + d * E, rate) - at(f - d * E, rate)) * (0.5 / E);
                near(&by_f, &law.stress_along(&s, &d), 1e-6);
                let g = d.c.map(|c| flat.mul_vec(c * 0.7));
                let g = [g[0], g[1], g[2], -(g[0] + g[1] + g[2])];
                law.tangent(&s, &g, |i, j, [by_place, by_velocity]| {
                    for axis in 0..3 {
                        let change = Mat3::outer(Vec3::unit(axis), g[j]);
                        let told = Mat3::from_columns(
                            law.stress_along(&s, &change).mul_vec(g[i]),
                            law.stress_along_rate(&s, &change).mul_vec(g[i]),
                            Vec3::ZERO,
                        );
                        let seen =
                            Mat3::from_columns(by_place.c[axis], by_velocity.c[axis], Vec3::ZERO);
                        near(&seen, &told, 1e-12);
                    }
                });
                let by_rate = (at(f, rate + d) - at(f, rate - d)) * 0.5;
                near(&by_rate, &law.stress_along_rate(&s, &d), 1e-9);
            }
            let moved = |mu: f64, lambda: f64, damping: f64| {
                let other = Law {
                    mu: law.mu + mu,
                    lambda: law.lambda + lambda,
                    damping: law.damping + damping,
                    ..law
                };
                other.stress(&s)
            };
            for d in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] {
                let [a, b, c] = d.map(|x| x * 1e-3);
                let by = (moved(a, b, c) - moved(-a, -b, -c)) * 500.0;
                let told = law.stress_by(&s, d);
                near(&by, &told, 1e-8);
            }
        }
    }
}

#[test]
fn both_laws_are_hookes_law_near_rest_and_damping_is_proportional() {
    let [mu, lambda] = lame_slopes(Material::NeoHookean, 5.0, 0.3)[0].map(|x| 5.0 * x);
    for material in [Material::NeoHookean, Material::Corotated] {
        let law = law(material, 0.02);
        let rest = Strain::new(material, Mat3::IDENTITY, Mat3::ZERO);
        near(&law.stress(&rest), &Mat3::ZERO, 1e-14);
        for seed in 0..5 {
            let d = random(seed, 1.0);
            let strain = (d + d.transpose()) * 0.5;
            let hooke = strain * (2.0 * mu) + Mat3::IDENTITY * (lambda * strain.trace());
            near(&law.stress_along(&rest, &d), &hooke, 1e-12);
            near(&law.stress_along_rate(&rest, &d), &(hooke * 0.02), 1e-12);
        }
    }
    for material in [Material::NeoHookean, Material::Membrane] {
        let by = |y: f64, p: f64| lame_slopes(material, y, p)[0].map(|x| y * x);
        let slopes = lame_slopes(material, 5.0, 0.3);
        for (k, [dy, dp]) in [[1.0, 0.0], [0.0, 1.0]].into_iter().enumerate() {
            let (more, less) = (
                by(5.0 + E * dy, 0.3 + E * dp),
                by(5.0 - E * dy, 0.3 - E * dp),
            );
            for i in 0..2 {
                assert!(((more[i] - less[i]) / (2.0 * E) - slopes[k][i]).abs() < 1e-7);
            }
        }
    }
}

#[test]
fn edges_have_exact_slopes() {
    let line = [30.0, 0.05];
    let (d, rate) = (Vec3::new(0.4, -0.2, 0.5), Vec3::new(0.3, 0.8, -0.4));
    let mut edge = Edge::new([0, 1]);
    edge.rest = 0.5;
    let mut at = |line: [f64; 2], rest: f64, d: Vec3, rate: Vec3| {
        edge.rest = rest;
        let pull = edge.take(line, d, rate);
        (pull, edge)
    };
    let (pull, here) = at(line, 0.5, d, rate);
    let slopes = here.slopes(line);
    for axis in 0..3 {
        let e = Vec3::unit(axis) * E;
        let by_place = (at(line, 0.5, d + e, rate).0 - at(line, 0.5, d - e, rate).0) * (0.5 / E);
        let by_rate = (at(line, 0.5, d, rate + e).0 - at(line, 0.5, d, rate - e).0) * (0.5 / E);
        assert!((by_place - slopes[0].c[axis]).max_abs() < 1e-7);
        assert!((by_rate - slopes[1].c[axis]).max_abs() < 1e-7);
    }
    for along in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] {
        let mut moved = |e: f64| {
            let x = along.map(|x| x * e);
            at([line[0] + x[0], line[1] + x[1]], 0.5 + x[2], d, rate).0
        };
        let by = (moved(E) - moved(-E)) * (0.5 / E);
        assert!((by - here.by_numbers(line, along)).max_abs() < 1e-7);
    }
    // It pulls the first node towards the second, by k (l − rest) without a rate.
    let still = at(line, 0.5, d, Vec3::ZERO).0;
    assert!((still.norm() - 30.0 * (d.norm() - 0.5)).abs() < 1e-12 && still.dot(d) > 0.0);
    let power = (pull - still).dot(rate);
    assert!(power > 0.0, "damping takes energy: {power}");
}

#[test]
fn rotations_are_rotations_and_damping_leaves_rigid_motions_alone() {
    for (k, f) in deformations().into_iter().enumerate() {
        let r = polar(&f).rotation;
        near(&r.transpose().mul_mat(&r), &Mat3::IDENTITY, 1e-14);
        assert!(r.determinant() > 0.0);
        let s = r.transpose().mul_mat(&f);
        near(&s, &s.transpose(), 1e-13);
        // A spin: Ḟ = [w]× F.
        let spin = random(k, 2.0);
        let spin = (spin - spin.transpose()).mul_mat(&f);
        for material in [Material::NeoHookean, Material::Corotated] {
            let at = |damping: f64| law(material, damping).stress(&Strain::new(material, f, spin));
            near(&at(0.0), &at(1.0), 1e-12);
        }
    }
}
