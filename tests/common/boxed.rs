//! Boxed complementarity problems of up to four contacts, and the law that is asked to solve them.

use super::Rng;
use super::enumeration::{Answer, Boxed};
use diffsim::contact::capacity::Capacity;
use diffsim::contact::certificate::Certificate;
use diffsim::contact::law::{Law, Posed, Request, Variations};
use diffsim::contact::lcp::Lcp;
use diffsim::contact::mode::Mode;
use diffsim::contact::ncp::NcpOptions;
use diffsim::contact::problem::{Block, Delassus, Problem};
use diffsim::contact::push_out::PushOut;
use diffsim::contact::work_budget::WorkBudget;
use diffsim::spatial::Vec3;

pub const FAMILIES: [&str; 8] = [
    "full",
    "frictionless",
    "one body",
    "flat box",
    "duplicates",
    "stack",
    "mixed rows",
    "ties",
];

/// A problem of a family.
pub fn problem(rng: &mut Rng, family: usize) -> Boxed {
    let name = FAMILIES[family];
    let of = |blocks: Vec<Block>, j: Vec<Vec<f64>>, g| Boxed { name, blocks, j, g };
    let mu = |rng: &mut Rng| rng.range(0.1, 1.2);
    match family {
        0 | 1 => {
            let contacts = 1 + rng.below(4);
            let mu = |rng: &mut Rng| f64::from(u8::from(family == 0)) * mu(rng);
            let blocks = (0..contacts).map(|_| Block::Pyramid { mu: mu(rng) });
            regular(name, blocks.collect(), rng)
        }
        2 => {
            let contacts = 1 + rng.below(4);
            let mut j = Vec::new();
            for _ in 0..contacts {
                let normal = (Vec3::Z + rng.vec3(0.6)).normalized().unwrap();
                j.extend(contact(rng.vec3(0.5), normal, 1.0, [1.0; 3]));
            }
            let blocks = (0..contacts).map(|_| Block::Pyramid { mu: mu(rng) });
            moving(of(blocks.collect(), j, Vec::new()), rng)
        }
        3 => {
            let (x, y, z) = (
                rng.range(0.1, 0.3),
                rng.range(0.1, 0.3),
                rng.range(0.05, 0.6),
            );
            let j = corners(x, y, -z).flat_map(|r| contact(r, Vec3::Z, 1.0, [6.0, 5.0, 4.0]));
            let blocks = vec![Block::Pyramid { mu: mu(rng) }; 4];
            let mut p = of(blocks, j.collect(), Vec::new());
            // Pushed sideways at the centre: it sticks, slides or tips; some turn as well.
            let mut v = rng.vector(6, 0.1);
            (v[0], v[1]) = (v[0] * 4.0, v[1] * 4.0);
            v[2] = -0.1;
            let turn = if rng.below(3) == 0 { 0.3 } else { 0.0 };
            v[3..].iter_mut().for_each(|w| *w *= turn);
            p.g = p.rows_of(&v);
            p
        }
        4 => {
            let contacts = 1 + rng.below(2);
            let blocks = (0..contacts).map(|_| Block::Pyramid { mu: mu(rng) });
            let mut p = regular(name, blocks.collect(), rng);
            p.blocks.extend(p.blocks.clone());
            p.j.extend(p.j.clone());
            p.g.extend(p.g.clone());
            p
        }
        5 => {
            // Two boxes, each on two edges' middles; twelve velocities.
            let (mut j, half) = (Vec::new(), 0.1);
            let [low, high] = [1.0, rng.range(0.3, 3.0)];
            for (k, x) in [(0, -0.2), (0, 0.2), (1, -0.15), (1, 0.15)] {
                let r = |z: f64| Vec3::new(x, rng_free(k, x), z);
                let below = contact(r(if k == 0 { -half } else { half }), Vec3::Z, low, [7.0; 3]);
                let above = contact(r(-half), Vec3::Z, high, [9.0; 3]);
                for (below, above) in below.into_iter().zip(above) {
                    let sign = if k == 0 { 1.0 } else { -1.0 };
                    let mut row: Vec<f64> = below.iter().map(|b| sign * b).collect();
                    row.extend(above.iter().map(|a| if k == 0 { 0.0 } else { *a }));
                    j.push(row);
                }
            }
            let blocks = (0..4).map(|_| Block::Pyramid { mu: mu(rng) });
            let mut p = of(blocks.collect(), j, Vec::new());
            let mut v = rng.vector(12, 0.15);
            (v[2], v[8]) = (-0.1, -0.1 * high.sqrt());
            p.g = p.rows_of(&v);
            p
        }
        6 => {
            let mut blocks: Vec<Block> = (0..1 + rng.below(2))
                .map(|_| Block::Pyramid { mu: mu(rng) })
                .collect();
            for _ in 0..1 + rng.below(3) {
                let bound = rng.range(0.0, 0.4);
                let all = [Block::Unilateral, Block::Box { bound }, Block::Bilateral];
                let at = rng.below(blocks.len() + 1);
                blocks.insert(at, all[rng.below(3)]);
            }
            regular(name, blocks, rng)
        }
        _ => tied(name, rng),
    }
}

fn rng_free(k: usize, x: f64) -> f64 {
    // Points that are not in one plane with the centre.
    0.03 * (1.0 + k as f64) * x.signum()
}

fn corners(x: f64, y: f64, z: f64) -> impl Iterator<Item = Vec3> {
    [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)]
        .into_iter()
        .map(move |(a, b)| Vec3::new(a * x, b * y, z))
}

/// Rows (t₁, t₂, n) of a contact at r from the centre of a body with 1/√m and 1/√I.
fn contact(r: Vec3, normal: Vec3, linear: f64, angular: [f64; 3]) -> Vec<Vec<f64>> {
    let t1 = normal
        .cross(Vec3::new(0.3, 0.9, -0.2))
        .normalized()
        .unwrap();
    let row = |t: Vec3| {
        let arm = r.cross(t).to_array();
        let turn = arm.iter().zip(angular).map(|(a, i)| a * i);
        t.to_array()
            .iter()
            .map(|t| t * linear)
            .chain(turn)
            .collect()
    };
    [t1, normal.cross(t1), normal].map(row).to_vec()
}

/// Random rows that do not depend on each other.
fn regular(name: &'static str, blocks: Vec<Block>, rng: &mut Rng) -> Boxed {
    let n: usize = blocks.iter().map(|b| b.rows()).sum();
    let j = (0..n).map(|_| rng.vector(n + 2, 1.0)).collect();
    let mut p = Boxed {
        name,
        blocks,
        j,
        g: rng.vector(n, 1.0),
    };
    let mut at = 0;
    for block in &p.blocks {
        at += block.rows();
        p.g[at - 1] -= 0.4;
    }
    p
}

/// With the velocities of a body that falls and turns.
fn moving(mut p: Boxed, rng: &mut Rng) -> Boxed {
    let mut v = rng.vector(p.j[0].len(), 0.6);
    v[2] -= 1.0;
    p.g = p.rows_of(&v);
    p
}

/// Problems with a known solution on a switch: contacts that touch without impulse, friction at its bound
/// without slip.
fn tied(name: &'static str, rng: &mut Rng) -> Boxed {
    let contacts = 1 + rng.below(3);
    let mut blocks: Vec<Block> = (0..contacts)
        .map(|_| Block::Pyramid {
            mu: rng.range(0.2, 1.0),
        })
        .collect();
    blocks.push([Block::Unilateral, Block::Box { bound: 0.25 }][rng.below(2)]);
    let mut p = regular(name, blocks, rng);
    let (mut lambda, mut sigma) = (Vec::new(), Vec::new());
    let tie = rng.below(p.blocks.len());
    for (k, block) in p.blocks.clone().into_iter().enumerate() {
        let kind = rng.below(3);
        match (block, kind) {
            (Block::Pyramid { .. }, _) if k == tie && kind == 0 => {
                lambda.extend([0.0; 3]);
                sigma.extend([rng.range(-0.5, 0.5), rng.range(-0.5, 0.5), 0.0]);
            }
            (Block::Pyramid { mu }, _) => {
                let n = rng.range(0.3, 1.0);
                let at_bound = k == tie;
                let share = if at_bound { 1.0 } else { 0.6 };
                lambda.extend([share * mu * n, rng.range(-0.7, 0.7) * mu * n, n]);
                sigma.extend([0.0; 3]);
            }
            (Block::Box { bound }, _) => {
                lambda.push(if k == tie { bound } else { 0.3 * bound });
                sigma.push(0.0);
            }
            (_, 0) if k != tie => {
                lambda.push(0.0);
                sigma.push(0.3);
            }
            _ => {
                lambda.push(if k == tie { 0.0 } else { 0.4 });
                sigma.push(0.0);
            }
        }
    }
    p.g.fill(0.0);
    let pushed = p.rows_of(&p.push(&lambda));
    p.g = sigma.iter().zip(pushed).map(|(s, p)| s - p).collect();
    p
}

/// A law with room for one such problem, and what it found.
pub struct Solved {
    pub law: Lcp,
    pub matrix: Vec<f64>,
    pub answer: Answer,
    pub modes: Vec<Mode>,
    pub certificate: Certificate,
}

/// One problem that asks for nothing to be undone.
struct One<'a> {
    p: &'a Boxed,
    matrix: &'a [f64],
    start: (&'a [f64], &'a [Mode]),
    lambda: Vec<f64>,
    modes: Vec<Mode>,
}

impl Request for One<'_> {
    fn ask(&mut self, _: PushOut) {
        self.lambda = self.start.0.to_vec();
        self.modes = self.start.1.to_vec();
    }

    fn posed(&mut self) -> Posed<'_> {
        Posed {
            problem: self.p.posed(self.matrix),
            blocks: None,
            regularization: &[],
            kept: &[],
            lambda: &mut self.lambda,
            modes: &mut self.modes,
        }
    }

    fn gentler(&self, _: PushOut) -> Option<PushOut> {
        None
    }

    fn throws(&mut self) -> bool {
        false
    }
}

impl Boxed {
    pub fn posed<'a>(&'a self, matrix: &'a [f64]) -> Problem<'a> {
        Problem {
            blocks: &self.blocks,
            delassus: Delassus::Dense(matrix),
            g: &self.g,
        }
    }

    /// By the library, from nothing.
    pub fn solve(&self) -> Solved {
        let unknown = vec![Mode::Unknown; self.blocks.len()];
        self.solve_from(&vec![0.0; self.rows()], &unknown)
    }

    pub fn solve_from(&self, lambda: &[f64], modes: &[Mode]) -> Solved {
        let capacity = Capacity {
            rows: self.rows(),
            blocks: self.blocks.len(),
            ..Capacity::default()
        };
        let options = NcpOptions {
            tolerance: 1e-10,
            ..NcpOptions::default()
        };
        let mut law = Lcp::new(&capacity, options);
        let matrix = self.delassus();
        let mut step = One {
            p: self,
            matrix: &matrix,
            start: (lambda, modes),
            lambda: Vec::new(),
            modes: Vec::new(),
        };
        let work_budget = WorkBudget {
            iterations: 2000,
            work: f64::INFINITY,
        };
        let outcome = law.solve(&mut step, &work_budget).unwrap();
        let One { lambda, modes, .. } = step;
        let sigma = self.velocity(&matrix, &lambda);
        Solved {
            law,
            matrix,
            answer: Answer { lambda, sigma },
            modes,
            certificate: outcome.certificate,
        }
    }
}

/// Variations by random velocities of the bodies.
pub struct Shaken<'a> {
    pub p: &'a Boxed,
    pub rng: Rng,
}

impl Variations for Shaken<'_> {
    fn of_state(&mut self, w: &mut [f64]) {
        let y = self.rng.vector(self.p.j[0].len(), 1.0);
        w.copy_from_slice(&self.p.rows_of(&y));
    }

    fn of_velocity(&mut self, which: usize, w: &mut [f64]) {
        let y = Rng::new(91 + which as u64).vector(self.p.j[0].len(), 1.0);
        w.copy_from_slice(&self.p.rows_of(&y));
    }

    fn of_rows(&mut self, w: &mut [f64]) {
        w.fill(0.0);
    }
}
