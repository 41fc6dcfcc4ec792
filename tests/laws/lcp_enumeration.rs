//! The boxed law against all index sets of small problems, tried one by one, and its derivative against
//! differences on one of these sets.

use crate::common::Rng;
use crate::common::boxed::{FAMILIES, Shaken, Solved, problem};
use crate::common::enumeration::{Answer, Boxed, apart};
use diffsim::contact::law::{Law, Linearized, Verdict};
use diffsim::contact::mode::Mode;
use diffsim::contact::problem::Block;

const EACH: u64 = 38;

/// `DIFFSIM_SAMPLES` asks for more problems of each family.
fn each(family: usize, mut check: impl FnMut(&Boxed, u64)) {
    let count = std::env::var("DIFFSIM_SAMPLES").map_or(EACH, |s| s.parse().unwrap());
    for seed in 0..count {
        check(
            &problem(&mut Rng::new(100_000 * family as u64 + seed), family),
            seed,
        );
    }
}

#[test]
fn solutions_are_among_those_of_all_index_sets() {
    let mut solved = 0;
    for (family, name) in FAMILIES.iter().enumerate() {
        let (mut several, mut least, mut chosen, mut worst) = (0, 0, 0, [0.0_f64; 3]);
        each(family, |p, seed| {
            let ours = p.solve();
            assert!(
                ours.certificate.converged,
                "{name} {seed}: {:?}",
                ours.certificate
            );
            let all = p.solutions();
            several += usize::from(all.len() > 1);
            let distance = |a: &Answer| apart(&a.sigma, &ours.answer.sigma);
            let near = all.iter().map(distance).fold(f64::INFINITY, f64::min);
            // Sets of solutions contain points between their vertices, too.
            if all.len() == 1 {
                worst[0] = worst[0].max(near / p.speed());
            }
            worst[1] = worst[1].max(p.violation(&ours.answer) / p.speed());
            let (own, is_regular) = p.least_norm(&p.sets(&ours.answer.sigma));
            if is_regular || p.violation(&own) < 1e-9 {
                let off = apart(&own.lambda, &ours.answer.lambda);
                assert!(off < 1e-8, "{name} {seed}: impulses are off by {off:e}");
                worst[2] = worst[2].max(off);
                least += 1;
            } else {
                chosen += 1;
            }
            solved += 1;
        });
        println!(
            "{name}: velocities to {:.1e}, the law to {:.1e}, impulses of least norm to {:.1e} in {least}, {chosen} chosen \
             otherwise, {several} with several solutions",
            worst[0], worst[1], worst[2]
        );
        assert!(worst[0] < 1e-9 && worst[1] < 1e-9, "{name}: {worst:?}");
        assert!(least > 2 * chosen, "{name}");
        assert!(10 * several <= solved, "{name}");
    }
    assert!(solved >= 300);
}

/// Whatever modes and impulses a solve starts from.
#[test]
fn answers_do_not_depend_on_the_start() {
    for (family, name) in FAMILIES.iter().enumerate() {
        let mut compared = 0;
        each(family, |p, seed| {
            let cold = p.solve();
            let (own, is_regular) = p.least_norm(&p.sets(&cold.answer.sigma));
            if family == 2 || !(is_regular || p.violation(&own) < 1e-9) {
                return;
            }
            let mut rng = Rng::new(seed + 77);
            for _ in 0..3 {
                let modes: Vec<Mode> = p.blocks.iter().map(|b| any_mode(&mut rng, *b)).collect();
                let warm = p.solve_from(&rng.vector(p.rows(), 1.0), &modes);
                assert!(warm.certificate.converged, "{name} {seed}");
                let off = [
                    apart(&warm.answer.sigma, &cold.answer.sigma),
                    apart(&warm.answer.lambda, &cold.answer.lambda),
                ];
                if off[0] > 1e-9 {
                    println!("{name} {seed}: another solution, {:.1e} away", off[0]);
                    assert!(p.solutions().len() > 1, "{name} {seed}");
                    continue;
                }
                assert!(off[1] < 1e-8, "{name} {seed}: {off:?}");
                compared += 1;
            }
        });
        println!("{name}: {compared} compared");
    }
}

fn any_mode(rng: &mut Rng, block: Block) -> Mode {
    let bounds = [rng.below(3) as i8 - 1, rng.below(3) as i8 - 1];
    match (block, rng.below(3)) {
        (Block::Bilateral, _) | (_, 0) => Mode::Sticking,
        (Block::Pyramid { .. }, 1) if bounds != [0, 0] => Mode::Bounded(bounds),
        (Block::Box { .. }, 1) => Mode::AtLower,
        (Block::Box { .. }, _) => Mode::AtUpper,
        _ => Mode::Breaking,
    }
}

/// The law's map at its solution, and its adjoint.
struct Map<'a> {
    p: &'a Boxed,
    law: &'a mut dyn Linearized,
    matrix: &'a [f64],
}

impl Map<'_> {
    /// dλ, and the variation of σ.
    fn apply(&mut self, w: &[f64], limits: &[f64]) -> Answer {
        let mut lambda = vec![f64::NAN; w.len()];
        let posed = self.p.posed(self.matrix);
        (self.law)
            .apply(&posed, w, Some(limits), 1, &mut lambda)
            .unwrap();
        let still = Boxed {
            g: w.to_vec(),
            ..self.p.clone()
        };
        Answer {
            sigma: still.velocity(self.matrix, &lambda),
            lambda,
        }
    }

    /// How far the adjoint is from being one.
    fn apart(&mut self, w: &[f64], limits: &[f64], rng: &mut Rng) -> f64 {
        let z = rng.vector(w.len(), 1.0);
        let there = self.apply(w, limits).lambda;
        let (mut w_bar, mut limits_bar) = (vec![f64::NAN; w.len()], vec![f64::NAN; limits.len()]);
        let posed = self.p.posed(self.matrix);
        (self.law)
            .apply_transpose(&posed, &z, &mut w_bar, Some(&mut limits_bar))
            .unwrap();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let size = dot(&there, &there).sqrt().max(1.0);
        (dot(&z, &there) - dot(&w_bar, w) - dot(&limits_bar, limits)).abs() / size
    }
}

/// Varies what a problem is made of by a small step.
type Vary<'a> = &'a dyn Fn(&Boxed, f64) -> Boxed;

/// Central differences of a solution.
fn difference(p: &Boxed, vary: Vary, solution: &dyn Fn(&Boxed) -> Answer) -> Answer {
    let eps = 1e-6;
    let [a, b] = [eps, -eps].map(|s| solution(&vary(p, s)));
    let slope = |a: &[f64], b: &[f64]| {
        let pairs = a.iter().zip(b);
        pairs.map(|(a, b)| (a - b) / (2.0 * eps)).collect()
    };
    Answer {
        lambda: slope(&a.lambda, &b.lambda),
        sigma: slope(&a.sigma, &b.sigma),
    }
}

fn add(a: &[f64], s: f64, b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + s * b).collect()
}

#[test]
fn derivatives_are_those_on_the_index_sets() {
    let mut all = 0;
    for (family, name) in FAMILIES.iter().enumerate().take(7) {
        let (mut worst, mut checked, mut redundant, mut open, mut left_out) =
            ([0.0_f64; 3], 0, 0, 0, 0);
        each(family, |p, seed| {
            let Solved {
                mut law,
                matrix,
                answer,
                certificate,
                modes,
            } = p.solve();
            let sets = p.sets(&answer.sigma);
            let (own, is_regular) = p.least_norm(&sets);
            let is_open = p.is_open(&sets);
            if certificate.at_switch || !is_open && apart(&own.sigma, &answer.sigma) > 1e-9 {
                left_out += 1;
                return;
            }
            let (n, nv) = (p.rows(), p.j[0].len());
            let mut rng = Rng::new(seed + 5);
            let posed = p.posed(&matrix);
            let mut map = Map {
                p,
                law: law.linearize(&posed).unwrap(),
                matrix: &matrix,
            };
            // For redundant rows, use only variations that a motion of bodies makes.
            let dg = match is_regular {
                true => rng.vector(n, 1.0),
                false => p.rows_of(&rng.vector(nv, 1.0)),
            };
            let mix: Vec<Vec<f64>> = (0..nv).map(|_| rng.vector(nv, 0.5)).collect();
            let turned = |row: &Vec<f64>| -> Vec<f64> {
                let mut out = vec![0.0; nv];
                for (x, line) in row.iter().zip(&mix) {
                    out.iter_mut().zip(line).for_each(|(o, m)| *o += x * m);
                }
                out
            };
            let dj: Vec<Vec<f64>> = match is_regular {
                true => (0..n).map(|_| rng.vector(nv, 0.5)).collect(),
                false => p.j.iter().map(turned).collect(),
            };
            let limits: Vec<f64> = (p.blocks.iter())
                .map(|b| match b {
                    Block::Pyramid { mu: 0.0 } | Block::Unilateral | Block::Bilateral => 0.0,
                    _ => rng.range(-1.0, 1.0),
                })
                .collect();
            // dG λ = (dj jᵀ + j djᵀ) λ.
            let moved = Boxed {
                j: dj.clone(),
                ..p.clone()
            };
            let dg_by_j = add(
                &moved.rows_of(&p.push(&answer.lambda)),
                1.0,
                &p.rows_of(&moved.push(&answer.lambda)),
            );
            let by_g = |p: &Boxed, s: f64| Boxed {
                g: add(&p.g, s, &dg),
                ..p.clone()
            };
            let by_j = |p: &Boxed, s: f64| Boxed {
                j: p.j.iter().zip(&dj).map(|(j, d)| add(j, s, d)).collect(),
                ..p.clone()
            };
            let by_limits = |p: &Boxed, s: f64| Boxed {
                blocks: (p.blocks.iter().zip(&limits))
                    .map(|(b, l)| limited(*b, s * l))
                    .collect(),
                ..p.clone()
            };
            let (none, still) = (vec![0.0; limits.len()], vec![0.0; n]);
            let cases: [(&[f64], &[f64], Vary); 3] = [
                (&dg, &none, &by_g),
                (&dg_by_j, &none, &by_j),
                (&still, &limits, &by_limits),
            ];
            // How much of a coefficient acts depends on how the impulses were shared out.
            let kinds = match is_open || apart(&own.lambda, &answer.lambda) < 1e-8 {
                true => 3,
                false => 2,
            };
            for (k, (w, limits, vary)) in cases.into_iter().enumerate().take(kinds) {
                let ours = map.apply(w, limits);
                // Where velocities depend on how impulses are shared out, those of the law's own choice.
                let there = match is_open {
                    true => difference(p, vary, &|p| p.solve_from(&answer.lambda, &modes).answer),
                    false => difference(p, vary, &|p| p.least_norm(&sets).0),
                };
                let size = |x: &[f64]| x.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
                let mut off = apart(&ours.sigma, &there.sigma) / size(&there.sigma);
                if is_regular {
                    off = off.max(apart(&ours.lambda, &there.lambda) / size(&there.lambda));
                }
                assert!(off < 1e-6, "{name} {seed}, variation {k}: {off:e}");
                worst[k] = worst[k].max(off);
                let apart = map.apart(w, limits, &mut rng);
                assert!(apart < 1e-10, "{name} {seed}: adjoint {apart:e}");
            }
            checked += 1;
            redundant += usize::from(!is_regular);
            open += usize::from(is_open);
        });
        println!(
            "{name}: {checked} checked, {redundant} of them with dependent rows, {open} with velocities that depend on shares, {left_out} not; by g to {:.1e}, by G {:.1e}, by \
             friction {:.1e}",
            worst[0], worst[1], worst[2]
        );
        all += checked;
        assert!(checked > 5 * left_out, "{name}");
    }
    assert!(all > 200);
}

fn limited(block: Block, change: f64) -> Block {
    match block {
        Block::Pyramid { mu } => Block::Pyramid { mu: mu + change },
        Block::Box { bound } => Block::Box {
            bound: bound + change,
        },
        other => other,
    }
}

/// At a tie a derivative is called exact only where those of both sides are it, and else is that of one side.
#[test]
fn ties_are_labelled_as_their_sides_agree() {
    let (mut exact, mut one_sided, mut needless) = (0, 0, 0);
    each(7, |p, seed| {
        // Two solutions may meet at a tie, and none be there on its other side.
        if p.solutions().len() > 1 {
            return;
        }
        let mut ours = p.solve();
        assert!(ours.certificate.at_switch, "{seed}");
        let posed = p.posed(&ours.matrix);
        let law = ours.law.linearize(&posed).unwrap();
        let verdict = law
            .verdict(
                &posed,
                &mut Shaken {
                    p,
                    rng: Rng::new(seed),
                },
            )
            .unwrap();
        let mut map = Map {
            p,
            law,
            matrix: &ours.matrix,
        };
        let mut rng = Rng::new(seed + 3);
        let none = vec![0.0; p.blocks.len()];
        let mut differ = false;
        for _ in 0..3 {
            let w = rng.vector(p.rows(), 1.0);
            let eps = 1e-5;
            let sides = [eps, -eps].map(|s| {
                let moved = Boxed {
                    g: add(&p.g, s, &w),
                    ..p.clone()
                };
                let near = |a: &Answer| apart(&a.sigma, &ours.answer.sigma);
                let all = moved.solutions();
                let nearest = all.iter().min_by(|a, b| near(a).total_cmp(&near(b)));
                let x = add(&nearest.unwrap().sigma, -1.0, &ours.answer.sigma);
                x.iter().map(|x| x / s).collect::<Vec<f64>>()
            });
            let sigma = map.apply(&w, &none).sigma;
            let size = sigma.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
            let off = [0, 1].map(|k| apart(&sides[k], &sigma) / size);
            differ |= apart(&sides[0], &sides[1]) > 1e-6 * size;
            assert!(off[0].min(off[1]) < 1e-6, "{seed}: neither side, {off:?}");
            if verdict == Verdict::Exact {
                assert!(off[0].max(off[1]) < 1e-6, "{seed}: {off:?}");
            }
        }
        match verdict {
            Verdict::Exact => exact += 1,
            _ => one_sided += 1,
        }
        needless += usize::from(verdict != Verdict::Exact && !differ);
    });
    println!("{exact} exact, {one_sided} one-sided, {needless} of them with sides that agree");
    assert!(one_sided > 20 && needless == 0);
}

/// A limit on the motion that a bilateral row prevents anyway, and dry friction there that has no impulse to
/// give.
#[test]
fn ties_that_nothing_depends_on_are_exact() {
    for (k, block) in [Block::Unilateral, Block::Box { bound: 0.0 }]
        .into_iter()
        .enumerate()
    {
        for seed in 0..10 {
            let mut p = problem(&mut Rng::new(seed), 0);
            let mut rng = Rng::new(seed + 11);
            let row = rng.vector(p.j[0].len(), 1.0);
            p.blocks.extend([Block::Bilateral, block]);
            p.j.extend([row.clone(), row]);
            // The bilateral row pulls, which a limit cannot share.
            p.g.extend([3.0, 3.0]);
            let mut ours = p.solve();
            let last = p.rows() - 1;
            assert!(ours.certificate.converged && ours.answer.lambda[last - 1] < 0.0);
            let posed = p.posed(&ours.matrix);
            let law = ours.law.linearize(&posed).unwrap();
            let rng = Rng::new(seed);
            let verdict = law.verdict(&posed, &mut Shaken { p: &p, rng }).unwrap();
            assert_eq!(verdict, Verdict::Exact, "{k} {seed}");
        }
    }
}
