use super::*;
use crate::linalg::scattered;

struct Case {
    starts: Vec<usize>,
    joined: Vec<[usize; 2]>,
    dense: Vec<f64>,
    lu: Fronts,
}

/// A grid of nodes with three coordinates, as tetrahedra join them, and `others` nodes of one to eight
/// coordinates without a place, joined with every `stride`-th node.
fn case(cells: [usize; 3], others: usize, stride: usize) -> Case {
    let grid = cells.iter().product::<usize>();
    let at = |k: usize| {
        [
            k % cells[0],
            k / cells[0] % cells[1],
            k / cells[0] / cells[1],
        ]
        .map(|x| x as f64)
    };
    let mut starts = vec![0];
    let mut joined = Vec::new();
    let mut places = Vec::new();
    for k in 0..grid + others {
        let size = if k < grid { 3 } else { 1 + (k - grid) * 7 % 8 };
        starts.push(starts[k] + size);
        places.push((k < grid).then(|| at(k)));
        for j in 0..k {
            let near = k < grid && (0..3).all(|i| (0.0..=1.0).contains(&(at(k)[i] - at(j)[i])));
            if near || k >= grid && (j >= grid || j % stride == 0) {
                joined.push([j, k]);
            }
        }
    }
    let lu = Fronts::new(&starts, &joined, &places);
    let n = starts[grid + others];
    let mut case = Case {
        starts,
        joined,
        dense: vec![0.0; n * n],
        lu,
    };
    case.fill(3, 0.5);
    case
}

impl Case {
    /// Random entries, and `diagonal` on the diagonal.
    fn fill(&mut self, seed: usize, diagonal: f64) {
        let n = self.starts[self.starts.len() - 1];
        self.lu.clear();
        self.dense.fill(0.0);
        let own = (0..self.starts.len() - 1).map(|k| [k, k]);
        let opposite = self.joined.iter().map(|[a, b]| [*b, *a]);
        for [a, b] in own.chain(self.joined.iter().copied()).chain(opposite) {
            let block = self.lu.block(a, b);
            for (i, r) in (self.starts[a]..self.starts[a + 1]).enumerate() {
                for (j, c) in (self.starts[b]..self.starts[b + 1]).enumerate() {
                    let x = scattered(r * n + c, seed) + diagonal * f64::from(r == c);
                    self.dense[r * n + c] = x;
                    self.lu.add(block, i, j, x);
                }
            }
        }
    }

    /// Largest error of A A⁻¹ b, relative to A⁻¹ b.
    fn error<const W: usize>(&self, transposed: bool) -> f64 {
        let n = self.starts[self.starts.len() - 1];
        let b: Vec<[f64; W]> = (0..n)
            .map(|i| std::array::from_fn(|k| scattered(i, k)))
            .collect();
        let (mut x, mut scratch) = (b.clone(), vec![[0.0; W]; 2 * n]);
        self.lu.solve(&mut x, &mut scratch, transposed);
        let (mut most, mut size) = (0.0_f64, 0.0_f64);
        for (i, b) in b.iter().enumerate() {
            for (k, b) in b.iter().enumerate() {
                let entry = |j: usize| match transposed {
                    true => self.dense[j * n + i],
                    false => self.dense[i * n + j],
                };
                let product: f64 = (0..n).map(|j| entry(j) * x[j][k]).sum();
                most = most.max((product - b).abs());
                size = size.max(x[i][k].abs());
            }
        }
        most / size
    }
}

#[test]
fn solves_with_matrices_of_any_graph_and_their_transposes() {
    // A line, a sheet, blocks; other nodes joined with all or few; nodes without a place alone.
    let cases = [
        ([1, 1, 1], 0, 1),
        ([40, 1, 1], 0, 1),
        ([9, 7, 1], 2, 5),
        ([4, 5, 6], 0, 1),
        ([3, 4, 5], 9, 1),
        ([5, 4, 3], 6, 11),
        ([0, 0, 0], 11, 1),
    ];
    for (cells, others, stride) in cases {
        let mut of = case(cells, others, stride);
        // Small diagonals: rows must be exchanged.
        for (seed, diagonal) in [(3, 0.5), (8, 6.0), (5, 0.0)] {
            of.fill(seed, diagonal);
            assert!(of.lu.factor(), "{cells:?} {seed}");
            for transposed in [false, true] {
                let errors = [of.error::<1>(transposed), of.error::<8>(transposed)];
                let fine = errors.iter().all(|e| *e < 1e-9);
                assert!(fine, "{cells:?} {others} {seed} {transposed}: {errors:?}");
            }
        }
    }
}

#[test]
fn the_same_matrix_gives_the_same_factors() {
    let mut of = case([4, 4, 4], 3, 2);
    assert!(of.lu.factor());
    let first = of.lu.values.clone();
    of.fill(8, 6.0);
    assert!(of.lu.factor());
    of.fill(3, 0.5);
    assert!(of.lu.factor());
    assert_eq!(first, of.lu.values);
}

#[test]
fn a_singular_node_is_told() {
    let starts = [0, 2, 4];
    for wrong in [0, 1] {
        let mut lu = Fronts::new(&starts, &[], &[None, Some([0.0; 3])]);
        for node in 0..2 {
            let block = lu.block(node, node);
            lu.add(block, 0, 0, 1.0);
            if node != wrong {
                lu.add(block, 1, 1, 1.0);
            }
        }
        assert!(!lu.factor());
        assert_eq!(lu.reached(), wrong);
    }
    let mut lu = Fronts::new(&starts, &[[0, 1]], &[None, None]);
    let block = lu.block(1, 0);
    lu.add(block, 0, 0, f64::NAN);
    assert!(!lu.factor());
}
