//! Small boxed complementarity problems, solved by trying every index set: nothing of the library's solver is
//! used.

use diffsim::contact::mode::Mode;
use diffsim::contact::problem::Block;

/// Below this share of its scale a number is round-off.
const ZERO: f64 = 1e-9;

/// A problem by its whitened Jacobian J M^(−1/2), so that G = j jᵀ.
#[derive(Clone, Debug)]
pub struct Boxed {
    pub name: &'static str,
    pub blocks: Vec<Block>,
    pub j: Vec<Vec<f64>>,
    pub g: Vec<f64>,
}

/// Impulses with the velocities of the rows.
#[derive(Clone, Debug)]
pub struct Answer {
    pub lambda: Vec<f64>,
    pub sigma: Vec<f64>,
}

impl Boxed {
    pub fn rows(&self) -> usize {
        self.g.len()
    }

    /// G, of which rows are columns.
    pub fn delassus(&self) -> Vec<f64> {
        let entry = |a: &Vec<f64>, b: &Vec<f64>| a.iter().zip(b).map(|(x, y)| x * y).sum();
        let rows = self
            .j
            .iter()
            .flat_map(|a| self.j.iter().map(move |b| entry(a, b)));
        rows.collect()
    }

    /// G λ + g.
    pub fn velocity(&self, matrix: &[f64], lambda: &[f64]) -> Vec<f64> {
        let n = self.rows();
        let row = |i: usize| matrix[i * n..][..n].iter().zip(lambda).map(|(a, l)| a * l);
        (0..n).map(|i| self.g[i] + row(i).sum::<f64>()).collect()
    }

    /// jᵀ x, a velocity of the bodies.
    pub fn push(&self, x: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.j[0].len()];
        for (row, x) in self.j.iter().zip(x) {
            out.iter_mut().zip(row).for_each(|(o, j)| *o += j * x);
        }
        out
    }

    /// j y, velocities of the rows.
    pub fn rows_of(&self, y: &[f64]) -> Vec<f64> {
        let product = |row: &Vec<f64>| row.iter().zip(y).map(|(a, b)| a * b).sum();
        self.j.iter().map(product).collect()
    }

    /// The size of g, at least 1.
    pub fn speed(&self) -> f64 {
        self.g.iter().fold(1.0, |m: f64, x| m.max(x.abs()))
    }

    /// Largest distance of an impulse from its projection after a step against its velocity: 0 at solutions
    /// and only there.
    pub fn violation(&self, a: &Answer) -> f64 {
        let mut worst: f64 = 0.0;
        let mut at = 0;
        let off = |l: f64, s: f64, [lo, hi]: [f64; 2]| (l - (l - s).clamp(lo, hi)).abs();
        for block in &self.blocks {
            let (l, s) = (&a.lambda[at..], &a.sigma[at..]);
            let open = [0.0, f64::INFINITY];
            match *block {
                Block::Pyramid { mu } => {
                    let bound = (mu * l[2]).max(0.0);
                    worst = worst.max(off(l[2], s[2], open));
                    for k in 0..2 {
                        worst = worst.max(off(l[k], s[k], [-bound, bound]));
                    }
                }
                Block::Unilateral => worst = worst.max(off(l[0], s[0], open)),
                Block::Box { bound } => worst = worst.max(off(l[0], s[0], [-bound, bound])),
                Block::Bilateral => worst = worst.max(s[0].abs()),
                Block::Contact { .. } | Block::Torsion { .. } => {
                    panic!("a circular cone has no index sets")
                }
            }
            at += block.rows();
        }
        worst
    }

    /// All solutions at vertices of their sets, one for each velocity.
    pub fn solutions(&self) -> Vec<Answer> {
        let matrix = self.delassus();
        let choices: Vec<Vec<Mode>> = self.blocks.iter().map(|b| modes(*b)).collect();
        let mut at = vec![0; choices.len()];
        let mut found: Vec<Answer> = Vec::new();
        loop {
            let sets: Vec<Mode> = at.iter().zip(&choices).map(|(k, c)| c[*k]).collect();
            let system = System::new(self, &matrix, &sets);
            if let Some(x) = eliminate(system.q.clone(), system.b.clone()) {
                let lambda = system.impulse(&x);
                let sigma = self.velocity(&matrix, &lambda);
                let answer = Answer { lambda, sigma };
                if self.violation(&answer) <= ZERO * self.speed()
                    && found.iter().all(|f| apart(&f.sigma, &answer.sigma) > 1e-7)
                {
                    found.push(answer);
                }
            }
            let Some(k) = (0..at.len()).find(|k| at[*k] + 1 < choices[*k].len()) else {
                return found;
            };
            at[k] += 1;
            at[..k].fill(0);
        }
    }

    /// The index sets of a velocity, ties clamped.
    pub fn sets(&self, sigma: &[f64]) -> Vec<Mode> {
        let zero = ZERO * self.speed();
        let side = |s: f64| {
            if s.abs() <= zero {
                0
            } else {
                -s.signum() as i8
            }
        };
        let mut at = 0;
        let of = |block: &Block| {
            let s = &sigma[at..];
            at += block.rows();
            match *block {
                Block::Pyramid { .. } if s[2] > zero => Mode::Breaking,
                Block::Pyramid { mu: 0.0 } => Mode::Sliding,
                Block::Pyramid { .. } => match [side(s[0]), side(s[1])] {
                    [0, 0] => Mode::Sticking,
                    bounds => Mode::Bounded(bounds),
                },
                Block::Unilateral if s[0] > zero => Mode::Breaking,
                Block::Box { .. } if s[0] > zero => Mode::AtLower,
                Block::Box { .. } if s[0] < -zero => Mode::AtUpper,
                _ => Mode::Sticking,
            }
        };
        self.blocks.iter().map(of).collect()
    }

    /// −Q⁺ b_C on index sets, and whether Q has full rank.
    pub fn least_norm(&self, sets: &[Mode]) -> (Answer, bool) {
        let matrix = self.delassus();
        let system = System::new(self, &matrix, sets);
        let (inverse, rank) = pseudo_inverse(&system.q);
        let lambda = system.impulse(&times(&inverse, &system.b));
        let sigma = self.velocity(&matrix, &lambda);
        (Answer { lambda, sigma }, rank == system.b.len())
    }

    /// Whether impulses that Q does not feel move something: then the velocity is a choice, too.
    pub fn is_open(&self, sets: &[Mode]) -> bool {
        let matrix = self.delassus();
        let system = System::new(self, &matrix, sets);
        let (inverse, _) = pseudo_inverse(&system.q);
        let general: Vec<f64> = (0..system.b.len())
            .map(|k| (1.0 + 7.3 * k as f64).sin())
            .collect();
        let felt = times(&inverse, &times(&system.q, &general));
        let rest: Vec<f64> = general.iter().zip(felt).map(|(x, f)| x - f).collect();
        let still = Boxed {
            g: vec![0.0; self.rows()],
            blocks: (self.blocks.iter())
                .map(|b| match b {
                    Block::Box { .. } => Block::Box { bound: 0.0 },
                    other => *other,
                })
                .collect(),
            ..self.clone()
        };
        let system = System::new(&still, &matrix, sets);
        let moved = still.velocity(&matrix, &system.impulse(&rest));
        moved.iter().any(|s| s.abs() > 1e-9)
    }
}

/// Q x = b on index sets: each unknown has entries in rows of impulses, and an equation of its own.
struct System {
    rows: usize,
    unknowns: Vec<Vec<(usize, f64)>>,
    /// Impulses that the sets say without an unknown.
    fixed: Vec<(usize, f64)>,
    q: Vec<Vec<f64>>,
    b: Vec<f64>,
}

impl System {
    fn new(p: &Boxed, matrix: &[f64], sets: &[Mode]) -> System {
        let n = p.rows();
        let (mut unknowns, mut equations, mut fixed) = (Vec::new(), Vec::new(), Vec::new());
        let mut at = 0;
        for (block, mode) in p.blocks.iter().zip(sets) {
            match (*block, *mode) {
                (_, Mode::Breaking) => {}
                (Block::Pyramid { .. }, Mode::Sliding) => {
                    unknowns.push(vec![(at + 2, 1.0)]);
                    equations.push(at + 2);
                }
                (Block::Pyramid { mu }, Mode::Bounded(bounds)) => {
                    let mut normal = vec![(at + 2, 1.0)];
                    for (k, s) in bounds.into_iter().enumerate() {
                        if s == 0 {
                            unknowns.push(vec![(at + k, 1.0)]);
                            equations.push(at + k);
                        } else {
                            normal.push((at + k, f64::from(s) * mu));
                        }
                    }
                    unknowns.push(normal);
                    equations.push(at + 2);
                }
                (Block::Box { bound }, Mode::AtLower) => fixed.push((at, -bound)),
                (Block::Box { bound }, Mode::AtUpper) => fixed.push((at, bound)),
                _ => {
                    for row in at..at + block.rows() {
                        unknowns.push(vec![(row, 1.0)]);
                        equations.push(row);
                    }
                }
            }
            at += block.rows();
        }
        let response = |row: usize, x: &[(usize, f64)]| -> f64 {
            x.iter().map(|(r, f)| f * matrix[row * n + r]).sum()
        };
        let q = equations
            .iter()
            .map(|row| unknowns.iter().map(|x| response(*row, x)).collect())
            .collect();
        let b = equations
            .iter()
            .map(|row| -p.g[*row] - response(*row, &fixed))
            .collect();
        System {
            rows: n,
            unknowns,
            fixed,
            q,
            b,
        }
    }

    fn impulse(&self, x: &[f64]) -> Vec<f64> {
        let mut lambda = vec![0.0; self.rows];
        for (r, f) in &self.fixed {
            lambda[*r] = *f;
        }
        for (entries, x) in self.unknowns.iter().zip(x) {
            for (r, f) in entries {
                lambda[*r] += f * x;
            }
        }
        lambda
    }
}

fn modes(block: Block) -> Vec<Mode> {
    match block {
        Block::Pyramid { mu: 0.0 } => vec![Mode::Breaking, Mode::Sliding],
        Block::Pyramid { .. } => {
            let bounds = (0..9i8).map(|k| [k % 3 - 1, k / 3 - 1]);
            let closed = bounds.map(|b| match b {
                [0, 0] => Mode::Sticking,
                b => Mode::Bounded(b),
            });
            std::iter::once(Mode::Breaking).chain(closed).collect()
        }
        Block::Unilateral => vec![Mode::Breaking, Mode::Sticking],
        Block::Box { .. } => vec![Mode::Sticking, Mode::AtLower, Mode::AtUpper],
        _ => vec![Mode::Sticking],
    }
}

/// Largest difference.
pub fn apart(a: &[f64], b: &[f64]) -> f64 {
    let each = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    each.fold(0.0, f64::max)
}

/// By elimination with row pivots; none for a singular matrix.
fn eliminate(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Option<Vec<f64>> {
    let n = b.len();
    let size = a.iter().flatten().fold(0.0, |m: f64, x| m.max(x.abs()));
    for k in 0..n {
        let p = (k..n).max_by(|i, j| a[*i][k].abs().total_cmp(&a[*j][k].abs()))?;
        if a[p][k].abs() <= 1e-11 * size {
            return None;
        }
        a.swap(k, p);
        b.swap(k, p);
        let (above, below) = a.split_at_mut(k + 1);
        let pivot = &above[k];
        for (i, row) in below.iter_mut().enumerate() {
            let f = row[k] / pivot[k];
            for c in k..n {
                row[c] -= f * pivot[c];
            }
            b[k + 1 + i] -= f * b[k];
        }
    }
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|c| a[k][c] * b[c]).sum();
        b[k] = (b[k] - known) / a[k][k];
    }
    Some(b)
}

fn times(a: &[Vec<f64>], x: &[f64]) -> Vec<f64> {
    let dot = |row: &Vec<f64>| row.iter().zip(x).map(|(a, b)| a * b).sum();
    a.iter().map(dot).collect()
}

/// A⁺ and the rank of a square A, by turning its columns until all are orthogonal: A V = U S.
fn pseudo_inverse(a: &[Vec<f64>]) -> (Vec<Vec<f64>>, usize) {
    let n = a.len();
    let column = |c: usize| (0..n).map(|r| a[r][c]).collect::<Vec<f64>>();
    let mut us: Vec<Vec<f64>> = (0..n).map(column).collect();
    let unit = |c: usize| (0..n).map(|r| f64::from(u8::from(r == c))).collect();
    let mut v: Vec<Vec<f64>> = (0..n).map(unit).collect();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    for _ in 0..60 {
        let mut largest: f64 = 0.0;
        for i in 0..n {
            for k in i + 1..n {
                let (x, y, z) = (
                    dot(&us[i], &us[i]),
                    dot(&us[k], &us[k]),
                    dot(&us[i], &us[k]),
                );
                if z.abs() <= 1e-17 * (x * y).sqrt() || z == 0.0 {
                    continue;
                }
                largest = largest.max(z.abs() / (x * y).sqrt());
                let angle = 0.5 * (2.0 * z).atan2(x - y);
                let (s, c) = angle.sin_cos();
                for columns in [&mut us, &mut v] {
                    let (left, right) = columns.split_at_mut(k);
                    for (p, q) in left[i].iter_mut().zip(&mut right[0]) {
                        (*p, *q) = (c * *p + s * *q, c * *q - s * *p);
                    }
                }
            }
        }
        if largest < 1e-15 {
            break;
        }
    }
    let sizes: Vec<f64> = us.iter().map(|u| dot(u, u)).collect();
    let most = sizes.iter().fold(0.0, |m: f64, s| m.max(*s));
    let kept: Vec<usize> = (0..n).filter(|k| sizes[*k] > 1e-20 * most).collect();
    let entry = |r: usize, c: usize| {
        kept.iter()
            .map(|k| v[*k][r] * us[*k][c] / sizes[*k])
            .sum::<f64>()
    };
    let rows = (0..n).map(|r| (0..n).map(|c| entry(r, c)).collect());
    (rows.collect(), kept.len())
}
