//! Contact problems of robot size: cold and warm solves, linearization, derivative columns.

use criterion::{Criterion, criterion_group, criterion_main};
use diffsim::contact::mode::Mode;
use diffsim::contact::ncp::{NcpOptions, NcpSolver};
use diffsim::contact::problem::{Block, Delassus, Problem};
use std::hint::black_box;

struct Numbers(u64);

impl Numbers {
    fn signed(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

struct Case {
    blocks: Vec<Block>,
    delassus: Vec<f64>,
    g: Vec<f64>,
}

/// `feet` bodies with `points` contacts each at the corners of a sole, coupled by a shared trunk; `slip`
/// moves the trunk.
fn feet(feet: usize, points: usize, slip: f64, numbers: &mut Numbers) -> Case {
    let dofs = 6 * (feet + 1);
    let mut rows = Vec::new();
    for foot in 0..feet {
        for point in 0..points {
            let arm = if points == 1 {
                [0.0, 0.0, -0.1]
            } else {
                [
                    if point & 1 == 0 { 0.1 } else { -0.1 },
                    if point & 2 == 0 { 0.05 } else { -0.05 },
                    -0.05,
                ]
            };
            for axis in 0..3 {
                let mut e = [0.0; 3];
                e[axis] = 1.0;
                let moment = [
                    arm[1] * e[2] - arm[2] * e[1],
                    arm[2] * e[0] - arm[0] * e[2],
                    arm[0] * e[1] - arm[1] * e[0],
                ];
                let mut row = vec![0.0; dofs];
                for k in 0..3 {
                    row[6 * foot + k] = e[k];
                    row[6 * foot + 3 + k] = moment[k];
                    row[6 * feet + k] = 0.5 * e[k] + 0.02 * foot as f64 * moment[k];
                }
                rows.push(row);
            }
        }
    }
    let n = rows.len();
    let inverse: Vec<f64> = (0..dofs)
        .map(|k| {
            if k % 6 < 3 {
                0.2
            } else {
                8.0 + numbers.signed()
            }
        })
        .collect();
    let mut velocity = vec![0.0; dofs];
    for foot in 0..=feet {
        velocity[6 * foot + 2] = -0.05 - 0.01 * numbers.signed();
        velocity[6 * foot] = slip + 0.002 * numbers.signed();
        velocity[6 * foot + 1] = 0.3 * slip + 0.002 * numbers.signed();
    }
    let mut delassus = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..n {
            delassus[j * n + i] = (0..dofs)
                .map(|k| rows[i][k] * inverse[k] * rows[j][k])
                .sum();
        }
    }
    let g = rows
        .iter()
        .map(|row| row.iter().zip(&velocity).map(|(a, b)| a * b).sum())
        .collect();
    Case {
        blocks: vec![Block::Contact { mu: 0.7 }; n / 3],
        delassus,
        g,
    }
}

fn run(c: &mut Criterion) {
    for (name, count, points, slip) in [
        ("4 point feet sticking", 4, 1, 0.0),
        ("4 point feet sliding", 4, 1, 0.3),
        ("8 point feet sticking", 8, 1, 0.0),
        ("16 point feet sticking", 16, 1, 0.0),
        ("16 point feet sliding", 16, 1, 0.3),
        ("4 soles of 4 points sticking", 4, 4, 0.0),
        ("4 soles of 4 points sliding", 4, 4, 0.3),
    ] {
        let case = feet(count, points, slip, &mut Numbers(1));
        let problem = Problem {
            blocks: &case.blocks,
            delassus: Delassus::Dense(&case.delassus),
            g: &case.g,
        };
        let (n, nb) = (case.g.len(), case.blocks.len());
        let mut solver = NcpSolver::new(n, nb);
        let options = NcpOptions::default();
        let (mut lambda, mut modes) = (vec![0.0; n], vec![Mode::Unknown; nb]);
        let certificate = solver
            .solve(&problem, &mut lambda, &mut modes, &options)
            .unwrap();
        println!("{name}: {certificate:?} {modes:?}");
        let mut group = c.benchmark_group(name);
        let mut out = vec![0.0; n];
        let mut mode = modes.clone();
        group.bench_function("cold", |b| {
            b.iter(|| {
                out.fill(0.0);
                mode.fill(Mode::Unknown);
                solver
                    .solve(black_box(&problem), &mut out, &mut mode, &options)
                    .unwrap()
            });
        });
        // The warm start of a step before: the same modes, a slightly different velocity.
        let moved: Vec<f64> = case.g.iter().map(|g| g * 1.001).collect();
        let next = Problem {
            g: &moved,
            ..problem
        };
        group.bench_function("warm", |b| {
            b.iter(|| {
                out.copy_from_slice(&lambda);
                mode.copy_from_slice(&modes);
                solver
                    .solve(black_box(&next), &mut out, &mut mode, &options)
                    .unwrap()
            });
        });
        let columns = 36;
        let w: Vec<f64> = (0..n * columns).map(|k| (k % 17) as f64).collect();
        let mut d = w.clone();
        solver.linearize(&next).unwrap();
        group.bench_function("apply 36 columns", |b| {
            b.iter(|| {
                solver
                    .apply(&next, black_box(&w), None, columns, &mut d)
                    .unwrap()
            });
        });
        group.bench_function("warm, linearize, apply 36 columns", |b| {
            b.iter(|| {
                out.copy_from_slice(&lambda);
                mode.copy_from_slice(&modes);
                solver
                    .solve(black_box(&next), &mut out, &mut mode, &options)
                    .unwrap();
                solver.linearize(&next).unwrap();
                solver
                    .apply(&next, black_box(&w), None, columns, &mut d)
                    .unwrap();
            });
        });
        group.finish();
    }
}

criterion_group! { name = benches; config = Criterion::default().sample_size(20).measurement_time(std::time::Duration::from_millis(400)).warm_up_time(std::time::Duration::from_millis(100)); targets = run }
criterion_main!(benches);
