//! LU by rows with column exchanges.

use super::kernel::{axpy, largest, subtract_combination};
use super::{F4, LANES, dispatch};

/// A = L U Qᵀ, L with its diagonal, U with a unit one.
///
/// Rows are filled up with zeros to whole lanes, which leaves the loops without remainders.
#[derive(Clone, Debug)]
pub(super) struct Lu {
    n: usize,
    /// Lanes of a row.
    width: usize,
    values: Vec<F4>,
    columns: Vec<usize>,
    /// One by the diagonal of L, zeros behind.
    inverses: Vec<F4>,
}

impl Lu {
    pub fn new(capacity: usize) -> Lu {
        let width = capacity.div_ceil(4);
        Lu {
            n: 0,
            width,
            values: F4::zeros(capacity * width),
            columns: vec![0; capacity],
            inverses: F4::zeros(width),
        }
    }

    /// Factors an n × n matrix, row-major with a stride. False at a row whose pivot is at most `tolerance` times its
    /// largest entry.
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
        let width = n.div_ceil(4);
        (self.n, self.width) = (n, width);
        self.inverses[..width].fill(F4::ZERO);
        for (j, column) in self.columns[..n].iter_mut().enumerate() {
            *column = j;
        }
        for own in 0..width {
            // Four rows at a time: what is taken out of one does not wait for the others.
            let rows = 4 * own..n.min(4 * own + 4);
            let (above, below) = self.values.split_at_mut(rows.start * width);
            for (row, i) in below.chunks_exact_mut(width).zip(rows.clone()) {
                gather(&a[i * stride..i * stride + n], &self.columns[..n], row);
            }
            for b in 0..own {
                for row in below.chunks_exact_mut(width).take(rows.len()) {
                    eliminate::<4>(above, width, b, row);
                }
            }
            for (lane, i) in rows.clone().enumerate() {
                let (above, row) = self.values.split_at_mut(i * width);
                let row = &mut row[..width];
                match lane {
                    0 => {}
                    1 => eliminate::<1>(above, width, own, row),
                    2 => eliminate::<2>(above, width, own, row),
                    _ => eliminate::<3>(above, width, own, row),
                }
                let row = F4::flat_mut(row);
                let size = largest(&row[i..n]);
                if size <= tolerance * largest(&a[i * stride..i * stride + n]) {
                    return;
                }
                if row[i].abs() < 0.1 * size {
                    let best = row[i..n].iter().position(|x| x.abs() == size);
                    let best = i + best.unwrap_or(0);
                    let lines = F4::flat_mut(&mut self.values).chunks_exact_mut(4 * width);
                    for line in lines.take(rows.end) {
                        line.swap(i, best);
                    }
                    self.columns.swap(i, best);
                }
                let row = &mut self.values[i * width + own..(i + 1) * width];
                let inverse = 1.0 / row[0].0[lane];
                for x in &mut row[0].0[lane + 1..] {
                    *x *= inverse;
                }
                for x in &mut row[1..] {
                    *x = *x * inverse;
                }
                self.inverses[own].0[lane] = inverse;
            }
        }
        *done = true;
    }

    /// x ← A⁻¹ x. `scratch` has room for the order.
    pub fn solve<const W: usize>(&self, x: &mut [[f64; W]], scratch: &mut [[f64; W]]) {
        let (x, scratch) = (x.as_flattened_mut(), scratch.as_flattened_mut());
        match W {
            1 => solve_one(self, x, scratch),
            LANES => solve_panel(self, x.as_chunks_mut().0, scratch.as_chunks_mut().0),
            _ => self.solve_many::<W>(x.as_chunks_mut().0, scratch.as_chunks_mut().0),
        }
    }

    /// [`Lu::solve`] compiled into its caller.
    #[inline(always)]
    pub fn solve_kernel<const W: usize>(&self, x: &mut [[f64; W]], scratch: &mut [[f64; W]]) {
        match W {
            1 => self.solve_one_kernel(x.as_flattened_mut(), scratch.as_flattened_mut()),
            _ => self.solve_many(x, scratch),
        }
    }

    #[inline(always)]
    fn solve_one_kernel(&self, x: &mut [f64], y: &mut [f64]) {
        let (n, width) = (self.n, self.width);
        let Some(last) = n.checked_sub(1) else {
            return;
        };
        let y = y[..n].as_chunks_mut::<4>().0;
        // The last four entries, some of which may be none of the matrix.
        let mut end = F4::ZERO;
        let rows = |b: usize| {
            [0, 1, 2, 3].map(|r| {
                let i = (4 * b + r).min(last);
                &self.values[i * width..(i + 1) * width]
            })
        };
        for b in 0..width {
            let rows = rows(b);
            let mut sum = F4::ZERO;
            for (s, x) in sum.0.iter_mut().zip(&x[4 * b..n]) {
                *s = *x;
            }
            sum -= dots(rows, 0, &y[..b], None);
            let (mut s, [_, l1, l2, l3]) = (sum.0, rows.map(|r| r[b].0));
            let inverse = self.inverses[b].0;
            s[0] *= inverse[0];
            s[1] = (s[1] - l1[0] * s[0]) * inverse[1];
            s[2] = (s[2] - l2[0] * s[0] - l2[1] * s[1]) * inverse[2];
            s[3] = (s[3] - l3[0] * s[0] - l3[1] * s[1] - l3[2] * s[2]) * inverse[3];
            match y.get_mut(b) {
                Some(y) => *y = s,
                None => end = F4(s),
            }
        }
        for b in (0..width).rev() {
            let rows = rows(b);
            let (sum, done) = match &y[b..] {
                [own, done @ ..] => (F4(*own), done),
                [] => (end, &[][..]),
            };
            let behind = (b + 1 + done.len() < width).then_some(end);
            let sum = sum - dots(rows, b + 1, done, behind);
            let (mut s, [u0, u1, u2, _]) = (sum.0, rows.map(|r| r[b].0));
            s[2] -= u2[3] * s[3];
            s[1] -= u1[3] * s[3] + u1[2] * s[2];
            s[0] -= u0[3] * s[3] + u0[2] * s[2] + u0[1] * s[1];
            match y.get_mut(b) {
                Some(y) => *y = s,
                None => end = F4(s),
            }
            for (s, c) in s.iter().zip(&self.columns[4 * b..n]) {
                x[*c] = *s;
            }
        }
    }

    #[inline(always)]
    fn solve_many<const W: usize>(&self, x: &mut [[f64; W]], y: &mut [[f64; W]]) {
        let n = self.n;
        let y = &mut y[..n];
        for i in 0..n {
            let mut sum = x[i];
            subtract_combination(&self.row(i)[..i], &y[..i], &mut sum);
            let inverse = self.inverse(i);
            y[i] = sum.map(|v| v * inverse);
        }
        for i in (0..n).rev() {
            let (head, tail) = y.split_at_mut(i + 1);
            subtract_combination(&self.row(i)[i + 1..], tail, &mut head[i]);
        }
        for (y, c) in y.iter().zip(&self.columns) {
            x[*c] = *y;
        }
    }

    /// x ← A⁻ᵀ x. `scratch` has room for the order.
    pub fn solve_transpose<const W: usize>(&self, x: &mut [[f64; W]], scratch: &mut [[f64; W]]) {
        let n = self.n;
        let y = &mut scratch[..n];
        for (y, c) in y.iter_mut().zip(&self.columns) {
            *y = x[*c];
        }
        for i in 0..n {
            let (head, tail) = y.split_at_mut(i + 1);
            for (u, t) in self.row(i)[i + 1..].iter().zip(tail) {
                axpy(-u, &head[i], t);
            }
        }
        for i in (0..n).rev() {
            let (head, tail) = y.split_at_mut(i);
            let inverse = self.inverse(i);
            tail[0] = tail[0].map(|v| v * inverse);
            for (l, t) in self.row(i)[..i].iter().zip(head) {
                axpy(-l, &tail[0], t);
            }
        }
        x[..n].copy_from_slice(y);
    }

    #[inline(always)]
    fn row(&self, i: usize) -> &[f64] {
        &F4::flat(&self.values[i * self.width..(i + 1) * self.width])[..self.n]
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

/// A row in an order of its columns, filled up with zeros.
#[inline(always)]
fn gather(line: &[f64], columns: &[usize], row: &mut [F4]) {
    if let Some(last) = row.last_mut() {
        *last = F4::ZERO;
    }
    for (x, c) in F4::flat_mut(row).iter_mut().zip(columns) {
        *x = line[*c];
    }
}

/// Takes Q finished rows, the first of them row 4b, out of the row in work.
#[inline(always)]
fn eliminate<const Q: usize>(above: &[F4], width: usize, b: usize, row: &mut [F4]) {
    let rows: [&[F4]; Q] =
        std::array::from_fn(|r| &above[(4 * b + r) * width + b..(4 * b + r + 1) * width]);
    let row = &mut row[b..];
    let mut head = row[0].0;
    for r in 0..Q {
        let upper = rows[r][0].0;
        for c in r + 1..4 {
            head[c] -= head[r] * upper[c];
        }
    }
    row[0] = F4(head);
    for (c, x) in row.iter_mut().enumerate().skip(1) {
        let mut sum = *x;
        for r in 0..Q {
            sum -= rows[r][c] * head[r];
        }
        *x = sum;
    }
}

/// Four rows, from a place on, times y and what comes behind it.
#[inline(always)]
fn dots(rows: [&[F4]; 4], from: usize, y: &[[f64; 4]], behind: Option<F4>) -> F4 {
    let to = from + y.len();
    let mut sums = match behind {
        Some(behind) => rows.map(|r| r[to] * behind),
        None => [F4::ZERO; 4],
    };
    let rows = rows.map(|r| &r[from..to]);
    for (c, y) in y.iter().enumerate() {
        for (sum, row) in sums.iter_mut().zip(rows) {
            *sum += row[c] * F4(*y);
        }
    }
    F4(sums.map(|F4(s)| (s[0] + s[2]) + (s[1] + s[3])))
}
