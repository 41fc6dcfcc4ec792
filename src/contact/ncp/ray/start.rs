//! The start of a ray.

use super::{Kind, Ray};
use crate::contact::ncp::modes::largest;
use crate::contact::ncp::work::Work;
use crate::contact::problem::{Block, Problem};
use crate::contact::whitened_jacobian::WhitenedJacobian;
use crate::linalg::scattered;

/// Compliance that makes rows independent, in units of their response.
const EASE: f64 = 1e-7;

/// Perturbation of g, in units of its largest entry, so that no two rows reach their bounds at once.
const APART: f64 = 1e-8;

/// The speed at which gaps widen with t, in units of their closing velocity, and of the largest
/// velocity.
const OPENING: f64 = 1e-3;
const LEAST_OPENING: f64 = 0.1;

/// The rate at which friction bounds widen with t, in addition to the present impulse, in units of the
/// mean impulse.
const LEAST_BOUND: f64 = 0.1;

impl Ray {
    /// Prepares the ray. The impulses in `work` decide how far bounds widen.
    pub(super) fn start(&mut self, problem: &Problem, rows: &WhitenedJacobian, work: &Work) {
        let n = problem.rows();
        let speed = largest(problem.g);
        let mean = work.lambda.iter().map(|l| l.abs()).sum::<f64>() / n.max(1) as f64;
        let response = |i: usize, count: usize| {
            (0..count).map(|r| work.diagonal[i][r][r]).sum::<f64>() / count as f64
        };
        let all = problem.blocks.iter().enumerate();
        let most = all.fold(0.0, |m: f64, (i, b)| m.max(response(i, b.rows())));
        let mean = match (mean > 0.0, most > 0.0) {
            (true, _) => mean,
            (false, true) => speed / most,
            _ => 1.0,
        };
        self.kinds.clear();
        self.compliance.clear();
        self.g.clear();
        self.d.clear();
        self.c.clear();
        for (i, block) in problem.blocks.iter().enumerate() {
            let at = work.offsets[i];
            let ease = EASE * response(i, block.rows()).max(EASE * most);
            for r in at..at + block.rows() {
                let (kind, carried) = match *block {
                    Block::Pyramid { mu } if r < at + 2 && mu > 0.0 => {
                        let normal = at + 2;
                        let kind = Kind::Friction {
                            mu,
                            bound: 0.0,
                            normal,
                        };
                        (kind, mu * work.lambda[normal].max(0.0))
                    }
                    Block::Pyramid { .. } if r < at + 2 => (Kind::Free, 0.0),
                    Block::Box { bound } => {
                        let kind = Kind::Friction {
                            mu: 0.0,
                            bound,
                            normal: r,
                        };
                        (kind, bound)
                    }
                    Block::Pyramid { .. } | Block::Unilateral => (Kind::Normal, 0.0),
                    _ => (Kind::Held, 0.0),
                };
                let (opens, bounded) = match kind {
                    Kind::Normal => {
                        let closing = (-problem.g[r]).max(0.0) + LEAST_OPENING * speed;
                        (OPENING * closing, 0.0)
                    }
                    Kind::Friction { .. } => (0.0, carried + LEAST_BOUND * mean),
                    _ => (0.0, 0.0),
                };
                self.kinds.push(kind);
                self.compliance.push(rows.compliance(r) + ease);
                self.g.push(problem.g[r] + APART * speed * scattered(r, 3));
                self.d.push(opens * (1.0 + 0.1 * scattered(r, 4)));
                self.c.push(bounded * (1.0 + 0.01 * scattered(r, 5)));
            }
        }
        self.states.clear();
        self.states.resize(n, 0);
        self.known.clear();
        self.known.resize(n, 0);
        self.t = 0.0;
        for k in 0..2 {
            self.z[k][..rows.coordinates()].fill([0.0]);
            self.hz[k].clear();
            self.hz[k].resize(n, 0.0);
            self.impulses[k].clear();
            self.impulses[k].resize(n, 0.0);
        }
        self.product.clear();
        self.product.resize(n, 0.0);
    }
}
