use super::*;
use crate::contact::problem::{Block, Delassus};

#[test]
fn a_point_mass_breaks_sticks_or_slides_as_by_hand() {
    let mass: f64 = 2.0;
    let g: Vec<f64> = (0..9)
        .map(|k| if k % 4 == 0 { 1.0 / mass } else { 0.0 })
        .collect();
    let mut solver = NcpSolver::new(3, 1);
    for method in [Method::Auto, Method::Pgs, Method::Admm] {
        for (free, mu, expected, mode) in [
            ([0.3, 0.1, 1.0], 0.5, [0.0, 0.0, 0.0], Mode::Breaking),
            ([0.3, 0.4, -2.0], 0.5, [-0.6, -0.8, 4.0], Mode::Sticking),
            ([3.0, 4.0, -2.0], 0.5, [-1.2, -1.6, 4.0], Mode::Sliding),
            ([3.0, 4.0, -2.0], 0.0, [0.0, 0.0, 4.0], Mode::Sliding),
        ] {
            let problem = Problem {
                blocks: &[Block::Contact { mu }],
                delassus: Delassus::Dense(&g),
                g: &free,
            };
            let (mut lambda, mut modes) = ([0.0; 3], [Mode::Unknown]);
            let options = NcpOptions {
                method,
                ..NcpOptions::default()
            };
            let certificate = solver
                .solve(&problem, &mut lambda, &mut modes, &options)
                .unwrap();
            assert!(certificate.converged, "{certificate:?}");
            assert_eq!(modes[0], mode);
            let bound = if method == Method::Admm { 1e-9 } else { 1e-14 };
            for k in 0..3 {
                assert!(
                    (lambda[k] - expected[k]).abs() < bound,
                    "{method:?} {lambda:?} {expected:?}"
                );
            }
        }
    }
}

mod gradient;
mod problems;

#[test]
fn statistics() {
    use problems::*;
    let mut rng = Random(1);
    let mut solver = NcpSolver::new(100, 60);
    for contacts in [1, 2, 3, 4, 6, 8, 12, 20] {
        let mut paths = [0; 3];
        let (mut newton, mut sweeps, mut admm, mut worst) = (0, 0, 0, 0.0f64);
        let mut pg = 0;
        let mut ad = 0;
        let mut diff = [0.0f64; 2];
        for _ in 0..200 {
            let case = random(&mut rng, contacts, contacts / 2);
            let n = case.g.len();
            let (mut lambda, mut modes) = (vec![0.0; n], vec![Mode::Unknown; case.blocks.len()]);
            let c = solver
                .solve(
                    &case.problem(),
                    &mut lambda,
                    &mut modes,
                    &NcpOptions::default(),
                )
                .unwrap();
            let force = case.force(&lambda);
            newton += c.newton;
            sweeps += c.sweeps;
            admm += c.admm;
            worst = worst.max(c.residual());
            match c.path {
                Path::Newton => paths[0] += 1,
                Path::Polished => paths[1] += 1,
                _ => paths[2] += 1,
            }
            for (k, method) in [Method::Pgs, Method::Admm].into_iter().enumerate() {
                let (mut lambda, mut modes) =
                    (vec![0.0; n], vec![Mode::Unknown; case.blocks.len()]);
                let o = solver
                    .solve(
                        &case.problem(),
                        &mut lambda,
                        &mut modes,
                        &NcpOptions {
                            method,
                            tolerance: 1e-8,
                            ..Default::default()
                        },
                    )
                    .unwrap();
                if o.converged {
                    let f = case.force(&lambda);
                    let d = f
                        .iter()
                        .zip(&force)
                        .map(|(a, b)| (a - b).abs())
                        .fold(0.0, f64::max);
                    diff[k] = diff[k].max(d);
                    if k == 0 { pg += 1 } else { ad += 1 }
                }
            }
        }
        println!(
            "{contacts}: paths {paths:?} newton {newton} sweeps {sweeps} admm {admm} worst {worst:e} pgs {pg} admm {ad} diff {diff:?}"
        );
    }
    for (name, case) in [
        (
            "table",
            table(
                10.0,
                0.5,
                [1.0, 0.6, 0.8],
                5,
                4,
                [0.0, 0.0, -0.01, 0.0, 0.0, 0.0],
            ),
        ),
        (
            "table push",
            table(
                10.0,
                0.5,
                [1.0, 0.6, 0.8],
                5,
                4,
                [0.004, 0.001, -0.01, 0.0, 0.0, 0.0],
            ),
        ),
        (
            "table slide",
            table(
                10.0,
                0.5,
                [1.0, 0.6, 0.8],
                5,
                4,
                [1.0, 0.0, -0.01, 0.0, 0.0, 0.0],
            ),
        ),
        (
            "table turn",
            table(
                10.0,
                0.5,
                [1.0, 0.6, 0.8],
                5,
                4,
                [1.0, 0.0, -0.01, 0.0, 0.0, 1.0],
            ),
        ),
        (
            "corners",
            table(
                10.0,
                0.5,
                [1.0, 0.6, 0.8],
                2,
                2,
                [0.0, 0.0, -0.01, 0.0, 0.0, 0.0],
            ),
        ),
        (
            "corners slide",
            table(
                10.0,
                0.5,
                [1.0, 0.6, 0.8],
                2,
                2,
                [1.0, 0.3, -0.01, 0.0, 0.0, 0.1],
            ),
        ),
        (
            "tilt",
            table(
                10.0,
                0.5,
                [1.0, 0.6, 0.8],
                5,
                4,
                [0.0, 0.0, -0.05, 0.0, 0.1, 0.0],
            ),
        ),
        ("heavy on light", tower(&[1.0, 1000.0], 0.0)),
        (
            "heavy on light 5",
            tower(&[1.0, 10.0, 100.0, 1000.0, 1.0], 0.0),
        ),
        ("tower push", tower(&[1.0; 8], 0.01)),
        ("tower", tower(&[1.0; 8], 0.0)),
    ] {
        let n = case.g.len();
        let (mut lambda, mut modes) = (vec![0.0; n], vec![Mode::Unknown; case.blocks.len()]);
        let c = solver
            .solve(
                &case.problem(),
                &mut lambda,
                &mut modes,
                &NcpOptions::default(),
            )
            .unwrap();
        println!("{name} {c:?}");
        let c = solver
            .solve(
                &case.problem(),
                &mut lambda,
                &mut modes,
                &NcpOptions::default(),
            )
            .unwrap();
        println!("   warm {:?} {} {:e}", c.path, c.newton, c.residual());
    }
}
