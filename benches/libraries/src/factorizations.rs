//! Factorizations with eight right-hand sides: as many as a panel of the engine has lanes. The matrix is
//! copied each time.

use crate::timing::compare;
use diffsim::dynamics::Dynamics;
use diffsim::dynamics::mass::{BranchMatrix, Crba, crba, factor, solve_columns};
use diffsim::linalg::{F4, General, LANES, Symmetric, factor_definite, scattered, solve_definite};
use diffsim::load::mjcf;
use diffsim::model::{Actuation, Model};
use faer::linalg::solvers::Solve;
use std::error::Error;
use std::hint::black_box;
use std::path::Path;

const ORDERS: [usize; 5] = [6, 18, 36, 72, 144];
/// Of a pivot, relative to its diagonal entry or row: dependent.
const DEPENDENT: f64 = 1e-11;

/// A dense matrix with its right-hand sides, as each library has them.
struct Problem {
    n: usize,
    rows: Vec<f64>,
    panel: Vec<[f64; LANES]>,
}

impl Problem {
    /// A definite matrix: G Gᵀ/n + 1; or G + 3 with nothing of the kind.
    fn new(n: usize, definite: bool) -> Problem {
        let g = |i: usize, j: usize| scattered(i * n + j, 2);
        let entry = |i: usize, j: usize| {
            let one = if i == j { 1.0 } else { 0.0 };
            match definite {
                true => (0..n).map(|k| g(i, k) * g(j, k)).sum::<f64>() / n as f64 + one,
                false => g(i, j) + 3.0 * one,
            }
        };
        Problem {
            n,
            rows: (0..n * n).map(|k| entry(k / n, k % n)).collect(),
            panel: (0..n)
                .map(|i| std::array::from_fn(|j| scattered(i * LANES + j, 3)))
                .collect(),
        }
    }

    fn faer(&self) -> (faer::Mat<f64>, faer::Mat<f64>) {
        (
            faer::Mat::from_fn(self.n, self.n, |i, j| self.rows[i * self.n + j]),
            faer::Mat::from_fn(self.n, LANES, |i, j| self.panel[i][j]),
        )
    }

    fn nalgebra(&self) -> (nalgebra::DMatrix<f64>, nalgebra::DMatrix<f64>) {
        (
            nalgebra::DMatrix::from_row_slice(self.n, self.n, &self.rows),
            nalgebra::DMatrix::from_fn(self.n, LANES, |i, j| self.panel[i][j]),
        )
    }

    /// Largest entry of A x − b.
    fn residual(&self, x: &[[f64; LANES]]) -> f64 {
        let mut worst = 0.0f64;
        for (row, b) in self.rows.chunks_exact(self.n).zip(&self.panel) {
            for (lane, b) in b.iter().enumerate() {
                let product: f64 = row.iter().zip(x).map(|(a, x)| a * x[lane]).sum();
                worst = worst.max((product - b).abs());
            }
        }
        worst
    }
}

pub fn report() -> Result<(), Box<dyn Error>> {
    for n in ORDERS {
        definite(n);
    }
    for n in ORDERS {
        general(n);
    }
    for name in ["quadruped.xml", "humanoid.xml"] {
        tree(name)?;
    }
    chain(30)
}

fn definite(n: usize) {
    let p = Problem::new(n, true);
    let mut x = p.panel.clone();
    let mut scratch = p.panel.clone();
    let mut a = Symmetric::new(n);
    let ranked = || {
        a.matrix(n).copy_from_slice(black_box(&p.rows));
        a.factor(DEPENDENT);
        x.copy_from_slice(&p.panel);
        a.solve(&mut x, &mut scratch);
        black_box(&x);
    };
    let mut factored = p.rows.clone();
    let (mut y, mut line) = (p.panel.clone(), vec![0.0; n]);
    let plain = || {
        factored.copy_from_slice(black_box(&p.rows));
        factor_definite(&mut factored, n, n, &mut line);
        y.copy_from_slice(&p.panel);
        solve_definite(&factored, n, n, &mut y);
        black_box(&y);
    };
    let (fa, fb) = p.faer();
    let (na, nb) = p.nalgebra();
    let mut z = nb.clone();
    compare(
        &format!("Cholesky, order {n}"),
        &mut [
            ("linalg, with rank", Box::new(ranked)),
            ("linalg, definite", Box::new(plain)),
            (
                "faer",
                Box::new(|| {
                    if let Ok(l) = black_box(&fa).llt(faer::Side::Lower) {
                        black_box(l.solve(&fb));
                    }
                }),
            ),
            (
                "nalgebra",
                Box::new(|| {
                    if let Some(l) = nalgebra::Cholesky::new(black_box(&na).clone()) {
                        z.copy_from(&nb);
                        l.solve_mut(&mut z);
                        black_box(&z);
                    }
                }),
            ),
        ],
    );
    assert!(p.residual(&x).max(p.residual(&y)) < 1e-12);
}

fn general(n: usize) {
    let p = Problem::new(n, false);
    let mut x = p.panel.clone();
    let mut scratch = p.panel.clone();
    let mut a = General::new(n);
    let (fa, fb) = p.faer();
    let (na, nb) = p.nalgebra();
    let mut z = nb.clone();
    compare(
        &format!("LU, order {n}"),
        &mut [
            (
                "linalg, with rank",
                Box::new(|| {
                    a.matrix(n).copy_from_slice(black_box(&p.rows));
                    assert!(a.factor(DEPENDENT));
                    x.copy_from_slice(&p.panel);
                    a.solve(&mut x, &mut scratch);
                    black_box(&x);
                }),
            ),
            (
                "faer",
                Box::new(|| drop(black_box(black_box(&fa).partial_piv_lu().solve(&fb)))),
            ),
            (
                "nalgebra",
                Box::new(|| {
                    z.copy_from(&nb);
                    nalgebra::LU::new(black_box(&na).clone()).solve_mut(&mut z);
                    black_box(&z);
                }),
            ),
        ],
    );
    assert!(p.residual(&x) < 1e-11);
}

fn tree(name: &str) -> Result<(), Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples/models")
        .join(name);
    let spec = mjcf::read_file(&path, &mjcf::MjcfOptions::default())?;
    mass_matrix(name, &Model::compile(spec, Actuation::FromFile)?)
}

/// The mass matrix of a chain that branches nowhere: nothing of it is zero.
fn chain(links: usize) -> Result<(), Box<dyn Error>> {
    let body = "<body pos='0 0 0.1'><joint axis='1 0.3 0'/><geom size='0.02' pos='0 0.03 0'/>";
    let bodies = body.repeat(links) + &"</body>".repeat(links);
    let text = format!("<mujoco><worldbody>{bodies}</worldbody></mujoco>");
    let spec = mjcf::read_str(&text, None, &mjcf::MjcfOptions::default())?;
    mass_matrix(
        &format!("chain of {links}"),
        &Model::compile(spec, Actuation::FromFile)?,
    )
}

/// The factors of a mass matrix that know the tree beside dense ones.
fn mass_matrix(name: &str, model: &Model) -> Result<(), Box<dyn Error>> {
    let (t, n) = (model.topology(), model.nv());
    let mut dynamics = Dynamics::new(model, false);
    dynamics.update_positions(model, model.params(), model.neutral());
    let diagonal = vec![0.01; n];
    let mut mass = BranchMatrix::new(t);
    crba(&mut Crba::new(model), &dynamics.kin, model, &mut mass);
    let mut factored = mass.clone();

    let mut p = Problem::new(n, true);
    p.rows.fill(0.0);
    for (i, dof) in t.dofs.iter().enumerate() {
        // A row goes from the root of its branch to itself.
        let mut k = i;
        for entry in mass.row(dof).iter().rev() {
            (p.rows[i * n + k], p.rows[k * n + i]) = (*entry, *entry);
            k = t.dofs[k].parent;
        }
        p.rows[i * n + i] += diagonal[i];
    }
    let packed = F4::zeros(n * LANES / 4);
    let mut x = packed.clone();
    let right: Vec<f64> = p.panel.iter().flatten().copied().collect();
    let mut panel = p.panel.clone();
    let (fa, fb) = p.faer();
    let (na, nb) = p.nalgebra();
    let mut z = nb.clone();
    compare(
        &format!("mass matrix, {name}, {n} dofs"),
        &mut [
            (
                "dynamics, by branches",
                Box::new(|| {
                    factored.rows.copy_from_slice(black_box(&mass.rows));
                    factor(&mut factored, t, &diagonal);
                    F4::flat_mut(&mut x).copy_from_slice(&right);
                    solve_columns(&factored, t, 0..n, LANES / 4, &mut x);
                    black_box(&x);
                }),
            ),
            (
                "faer, dense",
                Box::new(|| {
                    if let Ok(l) = black_box(&fa).llt(faer::Side::Lower) {
                        black_box(l.solve(&fb));
                    }
                }),
            ),
            (
                "nalgebra, dense",
                Box::new(|| {
                    if let Some(l) = nalgebra::Cholesky::new(black_box(&na).clone()) {
                        z.copy_from(&nb);
                        l.solve_mut(&mut z);
                        black_box(&z);
                    }
                }),
            ),
        ],
    );
    for (to, from) in panel.iter_mut().zip(F4::flat(&x).chunks_exact(LANES)) {
        to.copy_from_slice(from);
    }
    assert!(p.residual(&panel) < 1e-9);
    Ok(())
}
