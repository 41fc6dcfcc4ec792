//! The start of a ray.

use super::{Kind, Ray};
use crate::contact::ncp::modes::largest;
use crate::contact::ncp::work::Work;
use crate::contact::problem::{Block, Problem};
use crate::contact::tuning::{
    RAY_APART, RAY_EASE, RAY_LEAST_BOUND, RAY_LEAST_OPENING, RAY_OPENING,
};
use crate::contact::whitened_jacobian::WhitenedJacobian;
use crate::linalg::scattered;

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
            let ease = RAY_EASE * response(i, block.rows()).max(RAY_EASE * most);
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
                        let closing = (-problem.g[r]).max(0.0) + RAY_LEAST_OPENING * speed;
                        (RAY_OPENING * closing, 0.0)
                    }
                    Kind::Friction { .. } => (0.0, carried + RAY_LEAST_BOUND * mean),
                    _ => (0.0, 0.0),
                };
                self.kinds.push(kind);
                self.compliance.push(rows.compliance(r) + ease);
                self.g
                    .push(problem.g[r] + RAY_APART * speed * scattered(r, 3));
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
