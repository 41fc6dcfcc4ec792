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
