//! Problems of physical shape: free bodies with mass and inertia, points in contact, rows of joints.

use crate::contact::problem::{Block, Delassus, Problem};

/// SplitMix64: the same numbers everywhere.
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in (−1, 1).
    pub fn signed(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }
}

/// Owned rows J, inverse masses and the free velocity: G = J M⁻¹ Jᵀ, g = J v + offset.
#[derive(Clone, Default)]
pub struct Case {
    pub blocks: Vec<Block>,
    pub rows: Vec<Vec<f64>>,
    pub inverse_mass: Vec<f64>,
    pub velocity: Vec<f64>,
    pub offset: Vec<f64>,
    pub g_matrix: Vec<f64>,
    pub g: Vec<f64>,
}

impl Case {
    pub fn new(bodies: &[(f64, f64)]) -> Case {
        let mut case = Case::default();
        for (mass, radius) in bodies {
            case.inverse_mass.extend([1.0 / mass; 3]);
            let inertia = 0.4 * mass * radius * radius;
            case.inverse_mass
                .extend([1.0 / inertia, 1.1 / inertia, 1.3 / inertia]);
        }
        case.velocity = vec![0.0; case.inverse_mass.len()];
        case
    }

    /// Contact of body `a` (if any) with body `b`: arms from the centres, frame (t₁, t₂, n), n pointing to b.
    pub fn contact(
        &mut self,
        mu: f64,
        a: Option<(usize, [f64; 3])>,
        b: (usize, [f64; 3]),
        frame: [[f64; 3]; 3],
    ) {
        self.blocks.push(Block::Contact { mu });
        for axis in frame {
            let mut row = vec![0.0; self.inverse_mass.len()];
            for (body, arm, sign) in a
                .into_iter()
                .map(|(k, r)| (k, r, -1.0))
                .chain([(b.0, b.1, 1.0)])
            {
                let moment = cross(arm, axis);
                for k in 0..3 {
                    row[6 * body + k] += sign * axis[k];
                    row[6 * body + 3 + k] += sign * moment[k];
                }
            }
            self.rows.push(row);
        }
    }

    pub fn row(&mut self, block: Block, row: Vec<f64>) {
        self.blocks.push(block);
        self.rows.push(row);
    }

    pub fn finish(mut self) -> Case {
        let n = self.rows.len();
        self.offset.resize(n, 0.0);
        self.g_matrix = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..=i {
                let sum = (0..self.inverse_mass.len())
                    .map(|k| self.rows[i][k] * self.inverse_mass[k] * self.rows[j][k])
                    .sum();
                self.g_matrix[j * n + i] = sum;
                self.g_matrix[i * n + j] = sum;
            }
        }
        self.g = (0..n)
            .map(|i| {
                self.offset[i]
                    + self.rows[i]
                        .iter()
                        .zip(&self.velocity)
                        .map(|(j, v)| j * v)
                        .sum::<f64>()
            })
            .collect();
        self
    }

    pub fn problem(&self) -> Problem<'_> {
        Problem {
            blocks: &self.blocks,
            delassus: Delassus::Dense(&self.g_matrix),
            g: &self.g,
        }
    }

    /// Jᵀλ.
    pub fn force(&self, lambda: &[f64]) -> Vec<f64> {
        (0..self.inverse_mass.len())
            .map(|k| {
                self.rows
                    .iter()
                    .zip(lambda)
                    .map(|(row, l)| row[k] * l)
                    .sum()
            })
            .collect()
    }
}

pub fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// The world's axes: a contact with level ground.
pub const LEVEL: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

pub fn frame_of(normal: [f64; 3]) -> [[f64; 3]; 3] {
    let size = normal.iter().map(|x| x * x).sum::<f64>().sqrt();
    let n = normal.map(|x| x / size);
    let other = if n[0].abs() < 0.7 {
        [1.0, 0.0, 0.0]
    } else {
        [0.0, 1.0, 0.0]
    };
    let t = cross(other, n);
    let size = t.iter().map(|x| x * x).sum::<f64>().sqrt();
    let t1 = t.map(|x| x / size);
    [t1, cross(n, t1), n]
}

/// Random bodies, contacts among them and with the world, limits, friction rows and equalities mixed in.
pub fn random(random: &mut Random, contacts: usize, extras: usize) -> Case {
    let bodies = 1 + random.below(1 + contacts / 2) + contacts / 4;
    let sizes: Vec<_> = (0..bodies)
        .map(|_| (10f64.powf(random.signed()), 0.3 + 0.2 * random.signed()))
        .collect();
    let mut case = Case::new(&sizes);
    for v in &mut case.velocity {
        *v = random.signed();
    }
    for k in 0..contacts {
        let vector = |random: &mut Random, s: f64| std::array::from_fn(|_| s * random.signed());
        let b = k % bodies;
        let mu = [0.0, 0.3, 0.6, 1.0][random.below(4)];
        let a =
            (bodies > 1 && random.below(2) == 0).then(|| ((b + 1) % bodies, vector(random, 0.3)));
        let mut normal: [f64; 3] = vector(random, 0.6);
        normal[2] += 1.0;
        let arm = vector(random, 0.3);
        case.contact(mu, a, (b, arm), frame_of(normal));
        case.velocity[6 * b + 2] -= 0.5;
    }
    for k in 0..extras {
        let block = [
            Block::Unilateral,
            Block::Box { bound: 0.2 },
            Block::Bilateral,
            Block::Box { bound: 5.0 },
        ][k % 4];
        let mut row = vec![0.0; case.inverse_mass.len()];
        for _ in 0..4 {
            let at = random.below(row.len());
            row[at] = random.signed();
        }
        case.row(block, row);
    }
    case.finish()
}

/// A box of size (x, y, z) on level ground, touching at `nx` × `ny` points, with velocity (linear, angular).
pub fn table(mass: f64, mu: f64, size: [f64; 3], nx: usize, ny: usize, velocity: [f64; 6]) -> Case {
    let mut case = Case::new(&[(mass, size[0])]);
    for i in 0..nx {
        for j in 0..ny {
            let arm = [
                size[0] * (i as f64 / (nx - 1) as f64 - 0.5),
                size[1] * (j as f64 / (ny - 1) as f64 - 0.5),
                -0.5 * size[2],
            ];
            case.contact(mu, None, (0, arm), LEVEL);
        }
    }
    case.velocity.copy_from_slice(&velocity);
    case.finish()
}

/// A tower of boxes with four contacts at each level. `masses` are from the ground up; gravity × h is
/// the free velocity.
pub fn tower(masses: &[f64], push: f64) -> Case {
    let mut case = Case::new(&masses.iter().map(|m| (*m, 0.3)).collect::<Vec<_>>());
    for k in 0..masses.len() {
        for (x, y) in [(-0.2, -0.2), (0.2, -0.2), (0.2, 0.2), (-0.2, 0.2)] {
            let below = (k > 0).then(|| (k - 1, [x, y, 0.2]));
            case.contact(0.6, below, (k, [x, y, -0.2]), LEVEL);
        }
        case.velocity[6 * k + 2] = -9.81e-3;
        case.velocity[6 * k] = push;
    }
    case.finish()
}
