#[path = "throw_cube.rs"]
#[allow(dead_code)]
mod throw_cube;
use throw_cube::common::gauss_newton::*;
use throw_cube::*;
fn main() {
    let mut s = 12345u64;
    let mut rnd = move || {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        (s >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
    };
    for (unknown, lift) in [(Unknown::Impulse, 0.0), (Unknown::Impulse, 0.8)] {
        let reference = if unknown == Unknown::Velocity {
            vec![2.0, 0.5, 0.3, 0.3, 0.5, 1.0]
        } else {
            vec![1.5, 0.4, lift, 0.0, 0.0, 0.04]
        };
        for flat in [true, false] {
            let mut reference = nalgebra::DVector::from_vec(reference.clone());
            let mut q0 = [0.0, 0.0, 0.3, 0.0, 0.1f64.sin(), 0.0, 0.1f64.cos()];
            if flat {
                q0[4] = 0.0;
                q0[6] = 1.0;
                reference[3] = 0.0;
                reference[4] = 0.0;
            }
            if unknown == Unknown::Impulse {
                q0[2] = 0.05;
                q0[4] = 0.0;
                q0[6] = 1.0;
            }
            let mut t = Throw::new(unknown, &q0, &reference, 500).unwrap();
            for radius in [0.1, 0.3] {
                for gr in [
                    Gradient::Exact,
                    Gradient::Forward(1e-6),
                    Gradient::Central(1e-6),
                ] {
                    let mut ok = 0;
                    let mut its = 0;
                    let mut errs = vec![];
                    for _ in 0..8 {
                        let mut g = reference.clone();
                        for k in 0..6 {
                            if flat && (k == 3 || k == 4) {
                                continue;
                            }
                            g[k] += radius
                                * rnd()
                                * if unknown == Unknown::Impulse && k > 2 {
                                    0.1
                                } else {
                                    1.0
                                };
                        }
                        let run = minimize(
                            &mut t,
                            g,
                            gr,
                            Budget {
                                iterations: 20,
                                tolerance: 1e-10,
                                rank_tolerance: 1e-9,
                            },
                        )
                        .unwrap();
                        if run.error() < 1e-8 {
                            ok += 1;
                            its += run.iterations();
                        }
                        errs.push(format!("{:.0e}", run.error()));
                    }
                    println!(
                        "{unknown:?} {lift} flat {flat} radius {radius} {gr:?}: {ok}/8, its {:.1} {errs:?}",
                        its as f64 / ok.max(1) as f64
                    );
                }
            }
        }
    }
}
