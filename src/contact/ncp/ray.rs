//! Pivots along a ray, for laws that are linear on each of their faces: friction in pyramids, limits,
//! boxes.
//!
//! Replace g by g + t d, with d > 0 on rows that open, and widen the bounds on friction by t c, c > 0. For
//! large t all contacts are open, every normal impulse is zero, and all dry friction sticks: the solution
//! is known, and linear in t (a ray). From there t is followed to zero (Lemke 1965). Between pivots λ and σ
//! are linear in t. When one of them reaches its bound, its row, and only this row, changes its state. The
//! path continues to the side on which the new variable grows; t may grow again. A path that begins on a
//! ray cannot return to an earlier point. G, regularized slightly, is definite, so that the path cannot go
//! to infinity either. It therefore ends at t = 0, after finitely many pivots.
//!
//! For problems stored by trees. The matrix is factored every [`RAY_PIVOTS`] pivots; the pivots in between
//! are updates of rank one.

mod start;

use super::modes::largest;
use super::pyramid;
use super::work::Work;
use crate::contact::capacity::Capacity;
use crate::contact::mode::Mode;
use crate::contact::problem::{Block, Problem};
use crate::contact::tree_system::TreeSystem;
use crate::contact::tuning::{
    RAY_CORRECTIONS, RAY_LEAST_PIVOTS, RAY_LOST, RAY_PIVOTS, RAY_STRIKES,
};
use crate::contact::whitened_jacobian::WhitenedJacobian;

/// The kind of a row.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// Open or closed.
    Normal,
    /// Holds, or is at either bound: bound + μ λ of the row `normal`.
    Friction {
        mu: f64,
        bound: f64,
        normal: usize,
    },
    Held,
    /// No impulse.
    Free,
}

/// A change of 1 + HᵀWH by (Hᵀu)(Hᵀv)ᵀ on a block.
#[derive(Clone, Copy, Debug, Default)]
struct Change {
    block: usize,
    v: [f64; 3],
    /// 1 + vᵀH p.
    scale: f64,
}

/// A row that reaches a bound, and its new state.
#[derive(Clone, Copy, Debug)]
struct Event {
    reach: f64,
    block: usize,
    row: usize,
    state: i8,
    /// The state before, which [`Ray::driving`] needs.
    before: i8,
}

/// A number and its rate with t.
type Line = [f64; 2];

/// Sized at creation.
#[derive(Debug)]
pub(super) struct Ray {
    kinds: Vec<Kind>,
    /// 1 for a closed normal; the side of friction at its bound; else 0.
    states: Vec<i8>,
    /// The states at the last point that was on the path.
    known: Vec<i8>,
    compliance: Vec<f64>,
    g: Vec<f64>,
    d: Vec<f64>,
    c: Vec<f64>,
    t: f64,
    /// Velocities of the trees, and H times them: the values and their rates with t.
    z: [Vec<[f64; 1]>; 2],
    hz: [Vec<f64>; 2],
    impulses: [Vec<f64>; 2],
    scratch: Vec<[f64; 1]>,
    product: Vec<f64>,
    /// p = (1 + HᵀWH)⁻¹ Hᵀu of each change.
    columns: Vec<[f64; 1]>,
    changes: Vec<Change>,
}

impl Ray {
    pub fn new(capacity: &Capacity) -> Ray {
        let max_coordinates = capacity.coordinates;
        let max_rows = if capacity.trees == 0 {
            0
        } else {
            capacity.rows
        };
        let rows = || Vec::with_capacity(max_rows);
        let coordinates = || vec![[0.0]; max_coordinates];
        Ray {
            kinds: Vec::with_capacity(max_rows),
            states: Vec::with_capacity(max_rows),
            known: Vec::with_capacity(max_rows),
            compliance: rows(),
            g: rows(),
            d: rows(),
            c: rows(),
            t: 0.0,
            z: [coordinates(), coordinates()],
            hz: [rows(), rows()],
            impulses: [rows(), rows()],
            scratch: coordinates(),
            product: rows(),
            columns: vec![[0.0]; max_coordinates * RAY_PIVOTS],
            changes: Vec::with_capacity(RAY_PIVOTS),
        }
    }

    /// Follows the ray within `budget` factorizations. Returns true if `work` has the impulse and the
    /// modes of a solution, up to the easing and shift of rows.
    pub fn follow(
        &mut self,
        problem: &Problem,
        rows: &WhitenedJacobian,
        work: &mut Work,
        trees: &mut TreeSystem,
        budget: usize,
        factorizations: &mut usize,
    ) -> bool {
        self.start(problem, rows, work);
        let speed = largest(problem.g);
        let mut driving: Option<(usize, i8)> = None;
        let mut known = (0.0, driving);
        let (mut pivots, mut strikes) = (RAY_PIVOTS, 0);
        for k in 0..budget {
            self.factor(rows, trees);
            *factorizations += 1;
            if k == 0 {
                self.t = 2.0 * self.reach_of_ray(rows);
            } else if self.is_lost(rows, speed) {
                if pivots > RAY_LEAST_PIVOTS {
                    pivots /= 4;
                    self.states.copy_from_slice(&self.known);
                    (self.t, driving) = known;
                    continue;
                }
                strikes += 1;
                if strikes > RAY_STRIKES {
                    return false;
                }
            } else {
                pivots = RAY_PIVOTS.min(2 * pivots);
            }
            self.known.copy_from_slice(&self.states);
            known = (self.t, driving);
            for _ in 0..pivots {
                let grows = driving.is_some_and(|(row, state)| self.driving(row, state) > 0.0);
                let side = if grows { 1.0 } else { -1.0 };
                let first = self.first(rows, side);
                match first {
                    Some(event) if side > 0.0 || event.reach < self.t => {
                        self.go(rows, side * event.reach);
                        self.change(rows, trees, &event);
                        driving = Some((event.row, event.before));
                    }
                    _ if side > 0.0 => return false,
                    _ => {
                        let end = -self.t;
                        self.go(rows, end);
                        self.write(problem, rows, work);
                        return work.lambda.iter().all(|l| l.is_finite());
                    }
                }
            }
        }
        false
    }

    /// Whether any impulse or velocity exceeds its bound.
    fn is_lost(&self, rows: &WhitenedJacobian, speed: f64) -> bool {
        let impulse = RAY_LOST * largest(&self.impulses[0]);
        let speed = RAY_LOST * speed;
        (0..rows.rows()).any(|row| match (self.kinds[row], self.states[row]) {
            (Kind::Normal, 0) => self.velocity(row)[0] < -speed,
            (Kind::Normal, _) => self.impulse(row)[0] < -impulse,
            (Kind::Friction { .. }, 0) => self.impulse(row)[0].abs() - self.bound(row)[0] > impulse,
            (Kind::Friction { .. }, side) => f64::from(side) * self.velocity(row)[0] > speed,
            _ => false,
        })
    }

    /// The largest t at which a row reaches a bound.
    fn reach_of_ray(&self, rows: &WhitenedJacobian) -> f64 {
        let mut most = 0.0f64;
        for block in 0..rows.blocks() {
            for row in rows.range(block) {
                most = most.max(match self.kinds[row] {
                    Kind::Normal => -self.free(row)[0] / self.d[row],
                    Kind::Friction { bound, .. } => {
                        (self.impulse(row)[0].abs() - bound) / self.c[row]
                    }
                    _ => 0.0,
                });
            }
        }
        most
    }

    /// The velocity of a row without the part from its own compliance.
    #[inline(always)]
    fn free(&self, row: usize) -> Line {
        let d = self.d[row];
        [
            self.hz[0][row] + self.g[row] + self.t * d,
            self.hz[1][row] + d,
        ]
    }

    #[inline(always)]
    fn impulse(&self, row: usize) -> Line {
        let yields = || self.free(row).map(|s| -s / self.compliance[row]);
        match (self.kinds[row], self.states[row]) {
            (Kind::Normal, 0) | (Kind::Free, _) => [0.0; 2],
            (Kind::Normal | Kind::Held, _) | (Kind::Friction { .. }, 0) => yields(),
            (Kind::Friction { .. }, side) => self.bound(row).map(|b| f64::from(side) * b),
        }
    }

    /// The bound of friction.
    #[inline(always)]
    fn bound(&self, row: usize) -> Line {
        let Kind::Friction { mu, bound, normal } = self.kinds[row] else {
            return [0.0; 2];
        };
        let c = self.c[row];
        let own = [bound + self.t * c, c];
        if normal == row {
            return own;
        }
        let [n, rate] = self.impulse(normal);
        [own[0] + mu * n, own[1] + mu * rate]
    }

    /// The velocity of a row that is not held.
    #[inline(always)]
    fn velocity(&self, row: usize) -> Line {
        let ([s, rate], [l, l_rate]) = (self.free(row), self.impulse(row));
        let c = self.compliance[row];
        [s + c * l, rate + c * l_rate]
    }

    /// The rate of the number that must grow from zero in a row that has just left the state `before`.
    fn driving(&self, row: usize, before: i8) -> f64 {
        match (self.kinds[row], self.states[row]) {
            (Kind::Normal, 0) => self.velocity(row)[1],
            (Kind::Normal, _) => self.impulse(row)[1],
            (_, 0) => self.bound(row)[1] - f64::from(before) * self.impulse(row)[1],
            (_, side) => -f64::from(side) * self.velocity(row)[1],
        }
    }

    /// The first row to reach a bound.
    fn first(&self, rows: &WhitenedJacobian, side: f64) -> Option<Event> {
        let mut first: Option<Event> = None;
        for block in 0..rows.blocks() {
            for row in rows.range(block) {
                let before = self.states[row];
                let mut see = |[value, rate]: Line, state: i8| {
                    let rate = side * rate;
                    if rate < 0.0 {
                        let reach = value.max(0.0) / -rate;
                        if first.is_none_or(|f| reach < f.reach) {
                            first = Some(Event {
                                reach,
                                block,
                                row,
                                state,
                                before,
                            });
                        }
                    }
                };
                match (self.kinds[row], before) {
                    (Kind::Normal, 0) => see(self.velocity(row), 1),
                    (Kind::Normal, _) => see(self.impulse(row), 0),
                    (Kind::Friction { .. }, 0) => {
                        let ([b, b_rate], [l, l_rate]) = (self.bound(row), self.impulse(row));
                        see([b - l, b_rate - l_rate], 1);
                        see([b + l, b_rate + l_rate], -1);
                    }
                    (Kind::Friction { .. }, s) => {
                        let s = f64::from(s);
                        see(self.velocity(row).map(|v| -s * v), 0);
                    }
                    _ => {}
                }
            }
        }
        first
    }

    fn go(&mut self, rows: &WhitenedJacobian, by: f64) {
        self.t += by;
        let [z, z_rate] = &mut self.z;
        for (z, rate) in z[..rows.coordinates()].iter_mut().zip(z_rate.iter()) {
            z[0] += by * rate[0];
        }
        let [hz, hz_rate] = &mut self.hz;
        for (hz, rate) in hz.iter_mut().zip(hz_rate.iter()) {
            *hz += by * rate;
        }
    }

    /// W of a block, λ = … − W (H z + …).
    fn weight(&self, rows: &WhitenedJacobian, block: usize) -> [[f64; 3]; 3] {
        let mut w = [[0.0; 3]; 3];
        let range = rows.range(block);
        let at = range.start;
        for row in range {
            let (r, own) = (row - at, self.compliance[row].recip());
            match (self.kinds[row], self.states[row]) {
                (Kind::Normal, 0) | (Kind::Free, _) => {}
                (Kind::Normal | Kind::Held, _) | (Kind::Friction { .. }, 0) => w[r][r] = own,
                (Kind::Friction { mu, normal, .. }, side) => {
                    if normal != row && self.states[normal] != 0 {
                        w[r][normal - at] = f64::from(side) * mu / self.compliance[normal];
                    }
                }
            }
        }
        w
    }

    /// Factors the matrix and computes all impulses and velocities anew.
    fn factor(&mut self, rows: &WhitenedJacobian, trees: &mut TreeSystem) {
        self.changes.clear();
        trees.clear_weights(rows.blocks());
        for block in 0..rows.blocks() {
            trees.weights[block] = self.weight(rows, block);
        }
        // A singular matrix leads to numbers that no later check accepts.
        trees.factor(rows);
        let m = rows.coordinates();
        for _ in 0..RAY_CORRECTIONS {
            for row in 0..self.kinds.len() {
                let [now, rate] = self.impulse(row);
                self.impulses[0][row] = now;
                self.impulses[1][row] = rate;
            }
            for k in 0..2 {
                let scratch = &mut self.scratch[..m];
                rows.velocities(&self.impulses[k], scratch);
                for (s, z) in scratch.iter_mut().zip(&self.z[k]) {
                    s[0] -= z[0];
                }
                trees.solve(scratch);
                for (z, s) in self.z[k].iter_mut().zip(scratch.iter()) {
                    z[0] += s[0];
                }
                self.hz[k].fill(0.0);
                rows.add_times(&self.z[k][..m], &mut self.hz[k]);
            }
        }
    }

    /// Moves a row to its new state: a change of rank one, which affects rates only.
    fn change(&mut self, rows: &WhitenedJacobian, trees: &mut TreeSystem, event: &Event) {
        let (block, row) = (event.block, event.row);
        let range = rows.range(block);
        let (at, count) = (range.start, range.len());
        let (mut u, mut v) = ([0.0; 3], [0.0; 3]);
        let own = self.compliance[row].recip();
        let mut asked = 0.0;
        match self.kinds[row] {
            Kind::Normal => {
                let sign = if event.state == 0 { -1.0 } else { 1.0 };
                v[row - at] = sign * own;
                u[row - at] = 1.0;
                for other in at..at + count {
                    if let Kind::Friction { mu, .. } = self.kinds[other] {
                        u[other - at] = f64::from(self.states[other]) * mu;
                    }
                }
            }
            Kind::Friction { mu, normal, .. } => {
                // From holding to a bound, or from a bound to holding.
                let (sign, side) = match event.state {
                    0 => (-1.0, f64::from(event.before)),
                    side => (1.0, f64::from(side)),
                };
                u[row - at] = 1.0;
                v[row - at] = -sign * own;
                if normal != row && self.states[normal] != 0 {
                    v[normal - at] = sign * side * mu / self.compliance[normal];
                }
                asked = sign * side * self.c[row];
            }
            _ => {}
        }
        let m = rows.coordinates();
        let mut p = std::mem::take(&mut self.scratch);
        let u = &u.as_chunks().0[..count];
        p[..m].fill([0.0]);
        rows.add_transposed(block, u, &mut p[..m]);
        self.solve(rows, trees, &mut p[..m]);
        let scale = 1.0 + dot(v, rows.times(block, &p[..m]).map(|x| x[0]));
        self.states[row] = event.state;
        for r in 0..count {
            asked -= v[r] * (self.d[at + r] + self.hz[1][at + r]);
        }
        let by = asked / scale;
        self.product.fill(0.0);
        rows.add_times(&p[..m], &mut self.product);
        for (z, p) in self.z[1].iter_mut().zip(&p[..m]) {
            z[0] += by * p[0];
        }
        for (hz, x) in self.hz[1].iter_mut().zip(&self.product) {
            *hz += by * x;
        }
        let k = self.changes.len();
        self.columns[k * m..(k + 1) * m].copy_from_slice(&p[..m]);
        self.changes.push(Change { block, v, scale });
        self.scratch = p;
    }

    /// x ← (1 + HᵀWH)⁻¹ x with the changes so far.
    fn solve(&self, rows: &WhitenedJacobian, trees: &mut TreeSystem, x: &mut [[f64; 1]]) {
        trees.solve(x);
        for (change, column) in self.changes.iter().zip(self.columns.chunks_exact(x.len())) {
            let answer = rows.times(change.block, x);
            let part = dot(change.v, answer.map(|x| x[0])) / change.scale;
            for (x, column) in x.iter_mut().zip(column) {
                x[0] -= part * column[0];
            }
        }
    }

    fn write(&self, problem: &Problem, rows: &WhitenedJacobian, work: &mut Work) {
        for (i, block) in problem.blocks.iter().enumerate() {
            let range = rows.range(i);
            for row in range.clone() {
                work.lambda[row] = self.impulse(row)[0];
            }
            let states = &self.states[range];
            work.modes[i] = match (*block, states) {
                (Block::Pyramid { .. }, [.., 0]) | (Block::Unilateral, [0]) => Mode::Breaking,
                (Block::Pyramid { mu: 0.0 }, _) => Mode::Sliding,
                (Block::Pyramid { .. }, &[a, b, _]) => pyramid::closed([a, b]),
                (Block::Box { .. }, [1]) => Mode::AtUpper,
                (Block::Box { .. }, [-1]) => Mode::AtLower,
                _ => Mode::Sticking,
            };
        }
        work.update_sigma(problem);
    }
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
