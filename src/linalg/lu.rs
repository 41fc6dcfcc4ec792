//! LU by rows with column exchanges.

use super::kernel::{axpy, larger};
use super::{F4, LANES, dispatch, grow};

/// A = L U Qᵀ, L with its diagonal, U with unit diagonal.
///
/// Four rows lie side by side, one lane for each, column after column; the last panel is padded with zeros.
/// Every loop therefore runs over columns, without remainders, and needs no sum across lanes.
#[derive(Clone, Debug)]
pub(crate) struct Lu {
    n: usize,
    panels: Vec<F4>,
    columns: Vec<usize>,
    /// Reciprocals of the diagonal of L, padded with zeros.
    inverses: Vec<F4>,
}

impl Lu {
    pub fn new(capacity: usize) -> Lu {
        let panels = capacity.div_ceil(4);
        Lu {
            n: 0,
            panels: Vec::with_capacity(panels * capacity),
            columns: vec![0; capacity],
            inverses: F4::zeros(panels),
        }
    }

    /// Factors an n × n matrix, row-major with a stride. False at a row whose pivot is at most `tolerance`
    /// times its largest entry.
    pub fn factor(&mut self, a: &[f64], n: usize, stride: usize, tolerance: f64) -> bool {
        let mut done = false;
        factor(self, a, n, stride, tolerance, &mut done);
        done
    }

    #[inline(always)]
    fn factor_kernel(
        &mut self,
        a: &[f64],
        n: usize,
        stride: usize,
        tolerance: f64,
        done: &mut bool,
    ) {
        *done = false;
        self.n = n;
        grow(&mut self.panels, n * n.div_ceil(4));
        for (j, column) in self.columns[..n].iter_mut().enumerate() {
            *column = j;
        }
        let mut exchanged = false;
        for p in 0..n.div_ceil(4) {
            let rows = n.min(4 * p + 4) - 4 * p;
            let (above, panel) = self.panels.split_at_mut(p * n);
            let panel = &mut panel[..n];
            let lines = [0, 1, 2, 3].map(|r| {
                let i = (4 * p + r).min(n - 1);
                &a[i * stride..i * stride + n]
            });
            let sizes = match exchanged {
                false => fill(lines, 0..n, panel),
                true => fill(lines, self.columns[..n].iter().copied(), panel),
            };
            for lane in rows..4 {
                panel.iter_mut().for_each(|x| x.0[lane] = 0.0);
            }
            for (q, upper) in above.chunks_exact(n).enumerate() {
                eliminate(&upper[4 * q..], &mut panel[4 * q..]);
            }
            let remaining = panel[4 * p..].iter();
            let mut most = remaining.fold(F4::ZERO, |m, x| larger_of(*x, m));
            self.inverses[p] = F4::ZERO;
            for r in 0..rows {
                let (i, size) = (4 * p + r, most.0[r]);
                if size <= tolerance * sizes.0[r] {
                    return;
                }
                let panel = &self.panels[p * n..(p + 1) * n];
                if panel[i].0[r].abs() < 0.1 * size {
                    let best = panel[i..].iter().position(|x| x.0[r].abs() == size);
                    let best = i + best.unwrap_or(0);
                    for panel in self.panels.chunks_exact_mut(n).take(p + 1) {
                        panel.swap(i, best);
                    }
                    self.columns.swap(i, best);
                    exchanged = true;
                }
                let [own, rest @ ..] = &mut self.panels[p * n + i..(p + 1) * n] else {
                    return;
                };
                let inverse = 1.0 / own.0[r];
                self.inverses[p].0[r] = inverse;
                // The current row is divided; the rows below it in the panel lose their multiple of it.
                let (mut factors, mut scales) = (*own, F4::splat(1.0));
                factors.0[..=r].fill(0.0);
                scales.0[r] = inverse;
                most = F4::ZERO;
                for x in rest {
                    let u = x.0[r] * inverse;
                    *x = *x * scales - factors * u;
                    most = larger_of(*x, most);
                }
            }
        }
        *done = true;
    }

    /// Whether the determinant is negative.
    pub fn is_negative(&self) -> bool {
        let columns = &self.columns[..self.n];
        let inversions = (columns.iter().enumerate())
            .map(|(i, a)| columns[..i].iter().filter(|b| *b > a).count())
            .sum::<usize>();
        let pivots = self.inverses.iter().flat_map(|p| p.0).take(self.n);
        let negative = pivots.filter(|x| *x < 0.0).count();
        (inversions + negative) % 2 == 1
    }

    /// x ← A⁻¹ x. `scratch` has n entries.
    pub fn solve<const W: usize>(&self, x: &mut [[f64; W]], scratch: &mut [[f64; W]]) {
        let (x, scratch) = (x.as_flattened_mut(), scratch.as_flattened_mut());
        match W {
            1 => solve_one(self, x, scratch),
            LANES => solve_panel(self, x.as_chunks_mut().0, scratch.as_chunks_mut().0),
            _ => self.solve_many::<W>(x.as_chunks_mut().0, scratch.as_chunks_mut().0),
        }
    }

    /// [`Lu::solve`], compiled into its caller.
    #[inline(always)]
    pub fn solve_kernel<const W: usize>(&self, x: &mut [[f64; W]], scratch: &mut [[f64; W]]) {
        match W {
            1 => self.solve_one_kernel(x.as_flattened_mut(), scratch.as_flattened_mut()),
            _ => self.solve_many(x, scratch),
        }
    }

    #[inline(always)]
    fn solve_one_kernel(&self, x: &mut [f64], y: &mut [f64]) {
        let n = self.n;
        let y = &mut y[..n];
        for (p, inverses) in self.inverses[..n.div_ceil(4)].iter().enumerate() {
            let panel = &self.panels[p * n..(p + 1) * n];
            let end = n.min(4 * p + 4);
            let mut sum = F4::ZERO;
            for (s, x) in sum.0.iter_mut().zip(&x[4 * p..end]) {
                *s = *x;
            }
            sum -= combination(&panel[..4 * p], &y[..4 * p]);
            for (r, l) in panel[4 * p..end].iter().enumerate() {
                let value = sum.0[r] * inverses.0[r];
                y[4 * p + r] = value;
                sum -= *l * value;
            }
        }
        for p in (0..n.div_ceil(4)).rev() {
            let panel = &self.panels[p * n..(p + 1) * n];
            let end = n.min(4 * p + 4);
            let mut sum = F4::ZERO;
            for (s, y) in sum.0.iter_mut().zip(&y[4 * p..end]) {
                *s = *y;
            }
            sum -= combination(&panel[end..], &y[end..]);
            for r in (0..end - 4 * p).rev() {
                let value = sum.0[r];
                y[4 * p + r] = value;
                x[self.columns[4 * p + r]] = value;
                sum -= panel[4 * p + r] * value;
            }
        }
    }

    #[inline(always)]
    fn solve_many<const W: usize>(&self, x: &mut [[f64; W]], y: &mut [[f64; W]]) {
        let n = self.n;
        let y = &mut y[..n];
        for i in 0..n {
            let mut sum = x[i];
            for (l, y) in self.row(i).zip(&y[..i]) {
                axpy(-l, y, &mut sum);
            }
            let inverse = self.inverse(i);
            y[i] = sum.map(|v| v * inverse);
        }
        for i in (0..n).rev() {
            let (head, tail) = y.split_at_mut(i + 1);
            for (u, y) in self.row(i).skip(i + 1).zip(tail) {
                axpy(-u, y, &mut head[i]);
            }
        }
        for (y, c) in y.iter().zip(&self.columns) {
            x[*c] = *y;
        }
    }

    /// x ← A⁻ᵀ x. `scratch` has n entries.
    pub fn solve_transpose<const W: usize>(&self, x: &mut [[f64; W]], scratch: &mut [[f64; W]]) {
        let n = self.n;
        let y = &mut scratch[..n];
        for (y, c) in y.iter_mut().zip(&self.columns) {
            *y = x[*c];
        }
        for i in 0..n {
            let (head, tail) = y.split_at_mut(i + 1);
            for (u, t) in self.row(i).skip(i + 1).zip(tail) {
                axpy(-u, &head[i], t);
            }
        }
        for i in (0..n).rev() {
            let (head, tail) = y.split_at_mut(i);
            let inverse = self.inverse(i);
            tail[0] = tail[0].map(|v| v * inverse);
            for (l, t) in self.row(i).zip(head) {
                axpy(-l, &tail[0], t);
            }
        }
        x[..n].copy_from_slice(y);
    }

    #[inline(always)]
    fn row(&self, i: usize) -> impl Iterator<Item = f64> + '_ {
        let panel = &self.panels[i / 4 * self.n..(i / 4 + 1) * self.n];
        panel.iter().map(move |x| x.0[i % 4])
    }

    #[inline(always)]
    fn inverse(&self, i: usize) -> f64 {
        self.inverses[i / 4].0[i % 4]
    }
}

dispatch! {
    fn factor = Lu::factor_kernel(
        lu: &mut Lu, a: &[f64], n: usize, stride: usize, tolerance: f64, done: &mut bool,
    )
}

dispatch! {
    fn solve_one = Lu::solve_one_kernel(lu: &Lu, x: &mut [f64], scratch: &mut [f64])
}

dispatch! {
    fn solve_panel = Lu::solve_many(lu: &Lu, x: &mut [[f64; LANES]], scratch: &mut [[f64; LANES]])
}

/// Fills a panel from four rows, in an order of their columns; returns their largest entries.
#[inline(always)]
fn fill(lines: [&[f64]; 4], columns: impl Iterator<Item = usize>, panel: &mut [F4]) -> F4 {
    let mut sizes = F4::ZERO;
    for (x, c) in panel.iter_mut().zip(columns) {
        *x = F4(lines.map(|l| l[c]));
        sizes = larger_of(*x, sizes);
    }
    sizes
}

/// Takes four finished rows out of the current panel; both start at the first column of the four.
#[inline(always)]
fn eliminate(upper: &[F4], panel: &mut [F4]) {
    let ([_, a, b, c, upper @ ..], [w, x, y, z, rest @ ..]) = (upper, panel) else {
        return;
    };
    *x -= *w * a.0[0];
    *y -= *w * b.0[0];
    *z -= *w * c.0[0];
    *y -= *x * b.0[1];
    *z -= *x * c.0[1];
    *z -= *y * c.0[2];
    let [w, x, y, z] = [*w, *x, *y, *z];
    for (v, u) in rest.iter_mut().zip(upper) {
        *v = *v - (w * u.0[0] + x * u.0[1]) - (y * u.0[2] + z * u.0[3]);
    }
}

/// Σⱼ columnⱼ yⱼ.
#[inline(always)]
fn combination(columns: &[F4], y: &[f64]) -> F4 {
    let (mut even, mut odd) = (F4::ZERO, F4::ZERO);
    let (pairs, rest) = columns.as_chunks::<2>();
    let (values, last) = y.as_chunks::<2>();
    for (c, y) in pairs.iter().zip(values) {
        even += c[0] * y[0];
        odd += c[1] * y[1];
    }
    for (c, y) in rest.iter().zip(last) {
        even += *c * *y;
    }
    even + odd
}

/// The larger of |x| and y, by lanes.
#[inline(always)]
fn larger_of(x: F4, y: F4) -> F4 {
    F4(std::array::from_fn(|k| larger(x.0[k].abs(), y.0[k])))
}
