//! The linear system of a fixed set of modes. Newton's polish and the derivative share it.
//!
//! Each block moves on a face of its law. Let R be the directions in which its impulse may move, and L the
//! directions in which its velocity is zero. The linearized law on all faces together is
//!
//!   (Lᵀ G R + Q) x = −Lᵀ w,   dλ = R x.
//!
//! Sticking contacts, active limits, holding friction and bilateral rows have L = R = 1, Q = 0. A
//! sliding contact with slip direction u, and e = u turned by 90° in the plane, has
//!
//!   R = [(−μu, 1), (e, 0)],   L = [(0, 0, 1), c (e, 0)],   Q = diag(0, s),
//!
//! from σ_n = 0 and e·σ_T = 0 with u free to turn: an impulse that turns by x₂ along e turns u by
//! −x₂/(μλ_n), hence e·dσ_T + ‖σ_T‖/(μλ_n) x₂ = 0. This is the row of [`ncp`](super)'s paper (App. A)
//! without its division by α = ‖σ_T‖/(μλ_n). The row is scaled by c = μλ_n G_ee/(μλ_n G_ee + ‖σ_T‖), s =
//! ‖σ_T‖ G_ee/(…), so that it stays regular if the slip or the impulse vanishes.
//!
//! A contact in a friction pyramid has such a face along its edges, with u fixed ([`pyramid::slide`]).
//!
//! If A is singular, the solution with x ∈ range(A) is taken: x is orthogonal to every y with yᵀA = 0.
//! (Equations and unknowns correspond one to one, so that x and range(A) are in the same space.) For
//! symmetric A this is the least-norm solution. With sliding contacts whose direction may turn, A is not
//! symmetric; the solution is still a smooth function of the geometry alone.
//!
//! For G stored by trees see [`by_trees`].

mod aside;
mod assemble;
mod by_trees;
mod face;
mod idle;
mod proximal;
mod split;
mod wide_face;

use super::pyramid;
use super::wide::{self, WIDEST, Wide, WideMode};
use super::work::Work;
use crate::contact::capacity::Capacity;
use crate::contact::digits::{DEPENDENT, SMALL_PIVOT};
use crate::contact::mode::Mode;
use crate::contact::problem::{Block, Delassus, Problem};
use crate::contact::tree_system::TreeSystem;
use crate::linalg::{General, LANES, Symmetric, add_combination, grow};
use aside::{Aside, Form, Kept};
use assemble::assemble;
use face::sliding;
pub(super) use face::{Face, Slide};
use std::mem::swap;
pub(super) use wide_face::WideFace;

/// Faces, matrix and factorization.
#[derive(Debug)]
pub(super) struct ActiveSetSystem {
    pub faces: Vec<Face>,
    /// The faces of the factored matrix.
    factored: Vec<Face>,
    /// Of contacts with torsional or rolling friction that slide.
    pub wides: Vec<WideFace>,
    pub order: usize,
    pub symmetric: bool,
    definite: Symmetric,
    general: General,
    form: Form,
    /// εE, if A + εE is factored.
    ease: Vec<f64>,
    /// The system if G is stored by trees, and the number of coordinates.
    pub trees: TreeSystem,
    coordinates: usize,
    /// (LᵀRR + Q + εE)⁻¹ with the compliance R of rows, by unknowns; panels of unknowns and of the
    /// problem's rows.
    compliance: Vec<f64>,
    /// The same of wide faces, whose unknowns have zeros in `compliance`.
    wide_compliance: Vec<[Wide; WIDEST]>,
    target: Vec<f64>,
    remainder: Vec<f64>,
    change: Vec<f64>,
    rows: Vec<f64>,
    aside: Aside,
}

/// The purpose of a factorization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To find an impulse near the present one. The rank is not found.
    Near,
    /// To find the rank, and with it the least-norm impulse and the derivative.
    Rank,
    /// As `Rank`, if active rows are known to be linearly dependent. This saves the attempt without
    /// complete pivoting.
    Deficient,
}

/// The purpose of a solution.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Use {
    /// A step of an iteration. Inconsistent rows may keep velocities up to `unanswered`.
    Step { unanswered: f64 },
    /// A derivative, or its transpose.
    Derivative { transposed: bool },
}

impl ActiveSetSystem {
    pub fn new(
        [max_rows, dense]: [usize; 2],
        capacity: &Capacity,
        trees: TreeSystem,
    ) -> ActiveSetSystem {
        // Untouched until they are used.
        let panel = || Vec::with_capacity(max_rows * LANES);
        ActiveSetSystem {
            faces: Vec::with_capacity(capacity.blocks),
            factored: Vec::with_capacity(capacity.blocks),
            wides: Vec::with_capacity(capacity.torsion),
            order: 0,
            symmetric: true,
            definite: Symmetric::new(dense),
            general: General::new(dense),
            form: Form::Symmetric,
            ease: Vec::with_capacity(max_rows),
            trees,
            coordinates: 0,
            compliance: Vec::with_capacity(max_rows),
            wide_compliance: Vec::with_capacity(capacity.torsion),
            target: panel(),
            remainder: panel(),
            change: panel(),
            rows: panel(),
            aside: Aside::new([max_rows, dense], capacity),
        }
    }

    /// Sizes the system for a problem. Call it once per problem, before the first factorization.
    pub fn start(&mut self, problem: &Problem) {
        if let Delassus::Trees(rows) = problem.delassus {
            self.trees.analyze(rows);
        }
    }

    /// Sets the faces for the modes of `work`. Its (λ, σ) give sliding directions and coefficients.
    pub fn set_faces(&mut self, blocks: &[Block], work: &Work) {
        let Work {
            offsets,
            diagonal,
            lambda,
            sigma,
            modes,
            ..
        } = work;
        self.faces.clear();
        self.wides.clear();
        self.order = 0;
        self.symmetric = true;
        for (i, (block, mode)) in blocks.iter().zip(modes).enumerate() {
            let at = offsets[i];
            if work.is_wide(i) && [modes[i - 1], *mode] != [Mode::Sticking; 2] {
                self.push_wide(blocks, work, i);
                continue;
            }
            let (row, rows, size, slide) = match (*block, *mode) {
                (Block::Torsion { .. }, _) if modes[i..i + 2] != [Mode::Sticking; 2] => continue,
                (Block::Contact { mu }, Mode::Sliding) if mu > 0.0 => {
                    self.symmetric = false;
                    let (l, s) = (&lambda[at..at + 3], &sigma[at..at + 3]);
                    (at, 3, 2, Some(sliding(mu, l, s, &diagonal[i])))
                }
                (Block::Pyramid { mu }, Mode::Bounded(bounds)) => {
                    self.symmetric = false;
                    let w = &diagonal[i];
                    let slide = pyramid::slide(mu, bounds, 0.5 * (w[0][0] + w[1][1]));
                    (at, 3, 2, Some(slide))
                }
                (Block::Contact { .. } | Block::Pyramid { .. }, Mode::Sliding) => {
                    (at + 2, 1, 1, None)
                }
                (_, Mode::Sticking) => (at, block.rows(), block.rows(), None),
                _ => continue,
            };
            self.faces.push(Face {
                block: i,
                row,
                rows,
                start: self.order,
                size,
                slide,
                wide: None,
                response: (0..block.rows()).map(|r| diagonal[i][r][r]).sum::<f64>()
                    / block.rows() as f64,
            });
            self.order += size;
        }
    }

    /// Adds the face of a contact with torsional or rolling friction that does not hold in all rows.
    fn push_wide(&mut self, blocks: &[Block], work: &Work, i: usize) {
        let (part, mode) = (work.part(i), wide::mode_of(blocks, &work.modes, i));
        let mu = wide::friction(blocks[i]);
        let (torsion, contact) = (&work.diagonal[i - 1], &work.diagonal[i]);
        let k = part.len() - 3;
        let tangents = (0..k).map(|r| torsion[r][r]).sum::<f64>() + contact[0][0] + contact[1][1];
        let own = match mode {
            WideMode::Sliding => {
                let (l, s) = (&work.lambda[part.clone()], &work.sigma[part.clone()]);
                WideFace::sliding(mu, l, s, tangents / (k + 2) as f64)
            }
            WideMode::Bounded(signs) => WideFace::bounded(mu, signs, part.len()),
            WideMode::Open | WideMode::Held => return,
        };
        self.symmetric = false;
        self.faces.push(Face {
            block: i,
            row: part.start,
            rows: part.len(),
            start: self.order,
            size: own.size,
            slide: None,
            wide: Some(self.wides.len()),
            response: (tangents + contact[2][2]) / part.len() as f64,
        });
        self.order += own.size;
        self.wides.push(own);
    }

    /// The wide face of a face.
    pub fn wide(&self, face: &Face) -> Option<&WideFace> {
        face.wide.map(|k| &self.wides[k])
    }

    /// Assembles and factors.
    pub fn factor(&mut self, problem: &Problem, purpose: Purpose) {
        self.factored.clone_from(&self.faces);
        let m = self.order;
        let values = match problem.delassus {
            Delassus::Dense(values) => values,
            Delassus::Trees(rows) => {
                self.form = Form::Trees;
                return self.factor_by_trees(rows);
            }
        };
        let n = problem.rows();
        if purpose == Purpose::Near {
            self.form = Form::Near;
            return self.factor_near(values, n);
        }
        self.form = if self.symmetric {
            Form::Symmetric
        } else {
            Form::General
        };
        if self.symmetric {
            let a = self.definite.matrix(m);
            // Faces whose rows follow each other are one piece of a row.
            for faces in self.faces.chunk_by(|a, b| a.row + a.rows == b.row) {
                let ([first, ..], [.., last]) = (faces, faces) else {
                    continue;
                };
                let (from, to) = (
                    first.row..last.row + last.rows,
                    first.start..last.start + last.size,
                );
                for face in &self.faces {
                    for r in 0..face.rows {
                        // By symmetry a column of G is a row of A.
                        let column = &values[(face.row + r) * n..(face.row + r + 1) * n];
                        let line = &mut a[(face.start + r) * m..(face.start + r + 1) * m];
                        line[to.clone()].copy_from_slice(&column[from.clone()]);
                    }
                }
            }
            Self::clear_idle(values, n, &self.faces, a);
            self.definite.factor(DEPENDENT);
            return;
        }
        let a = self.general.matrix(m);
        grow(&mut self.rows, n);
        assemble(values, n, (&self.faces, &self.wides), a, &mut self.rows);
        // The row of an unknown in the null space of G has no pivot.
        let depend = Self::clear_idle(values, n, &self.faces, a) || purpose == Purpose::Deficient;
        if depend || !self.general.factor(SMALL_PIVOT) {
            self.general.factor_complete(DEPENDENT);
        }
    }

    /// Keeps the present faces and factors for [`ActiveSetSystem::take_up`].
    pub fn keep(&mut self) {
        self.aside.kept = Kept::InUse;
    }

    /// Call it before the faces of other modes are set. Does nothing if the factors in use are not kept.
    pub fn set_aside(&mut self) {
        if self.aside.kept == Kept::InUse {
            self.exchange();
            self.aside.kept = Kept::Aside;
        }
    }

    /// Takes up the faces and factors that were kept. There is one memory for factors by trees: they are
    /// computed again, to the same bits.
    pub fn take_up(&mut self, problem: &Problem) {
        if self.aside.kept != Kept::Aside {
            return;
        }
        self.exchange();
        self.aside.kept = Kept::InUse;
        if let (Form::Trees, Delassus::Trees(rows)) = (self.form, problem.delassus) {
            swap(&mut self.faces, &mut self.factored);
            self.factor_by_trees(rows);
            swap(&mut self.faces, &mut self.factored);
        }
    }

    fn exchange(&mut self) {
        let aside = &mut self.aside;
        swap(&mut self.faces, &mut aside.faces);
        swap(&mut self.factored, &mut aside.factored);
        swap(&mut self.wides, &mut aside.wides);
        swap(&mut self.order, &mut aside.order);
        swap(&mut self.symmetric, &mut aside.symmetric);
        swap(&mut self.definite, &mut aside.definite);
        swap(&mut self.general, &mut aside.general);
        swap(&mut self.form, &mut aside.form);
        swap(&mut self.ease, &mut aside.ease);
        swap(&mut self.compliance, &mut aside.compliance);
        swap(&mut self.wide_compliance, &mut aside.wide_compliance);
    }

    /// Whether the factored matrix is that of the present faces, up to round-off.
    pub fn is_factored(&self) -> bool {
        self.factored.len() == self.faces.len()
            && (self.factored.iter().zip(&self.faces)).all(|(a, b)| a.is_close(b))
    }

    /// Whether the matrix changes with slip directions that follow the impulses.
    pub fn turns(&self) -> bool {
        let turns = |f: &Face| f.slide.is_some_and(|s| !s.is_fixed);
        self.faces.iter().any(turns) || self.wides.iter().any(|w| w.slide.is_some())
    }

    /// Whether the active rows are known to be linearly dependent.
    pub fn deficient(&self) -> bool {
        self.rank() < self.order
    }

    /// Whether the active rows may be linearly dependent.
    pub fn may_be_deficient(&self) -> bool {
        matches!(self.form, Form::Near | Form::Trees) || self.deficient()
    }

    /// Rank of the last factorization. By trees it is an upper bound.
    pub fn rank(&self) -> usize {
        match self.form {
            Form::Symmetric => self.definite.rank(),
            Form::General => self.general.rank(),
            Form::Near => self.order,
            Form::Trees => self.order.min(self.coordinates),
        }
    }

    /// x ← Lᵀ w of one column. `w` has the problem's rows, `x` the unknowns.
    #[inline]
    pub fn restrict<const W: usize>(&self, w: impl Fn(usize) -> [f64; W], x: &mut [[f64; W]]) {
        for face in &self.faces {
            if let Some(slide) = &face.slide {
                let (a, b, c) = (w(face.row), w(face.row + 1), w(face.row + 2));
                for k in 0..W {
                    let [n, e] = slide.left([a[k], b[k], c[k]]);
                    (x[face.start][k], x[face.start + 1][k]) = (n, e);
                }
            } else if let Some(wide) = self.wide(face) {
                restrict_wide(face, wide, &wide.left, &w, x);
            } else {
                for r in 0..face.size {
                    x[face.start + r] = w(face.row + r);
                }
            }
        }
    }

    /// Rᵀ of a column of impulse sensitivities.
    #[inline]
    pub fn restrict_right<const W: usize>(
        &self,
        w: impl Fn(usize) -> [f64; W],
        x: &mut [[f64; W]],
    ) {
        for face in &self.faces {
            if let Some(slide) = &face.slide {
                let (a, b, c) = (w(face.row), w(face.row + 1), w(face.row + 2));
                for k in 0..W {
                    let [n, e] = slide.right([a[k], b[k], c[k]]);
                    (x[face.start][k], x[face.start + 1][k]) = (n, e);
                }
            } else if let Some(wide) = self.wide(face) {
                restrict_wide(face, wide, &wide.right, &w, x);
            } else {
                for r in 0..face.size {
                    x[face.start + r] = w(face.row + r);
                }
            }
        }
    }

    /// The x for which R x is nearest to λ and has the normal impulses of λ.
    pub fn coordinates(&self, lambda: &[f64], x: &mut [[f64; 1]]) {
        for face in &self.faces {
            if let Some(slide) = &face.slide {
                let (a, b) = (lambda[face.row], lambda[face.row + 1]);
                x[face.start] = [lambda[face.row + 2]];
                x[face.start + 1] = [slide.u[0] * b - slide.u[1] * a];
            } else if let Some(wide) = self.wide(face) {
                let own = wide.coordinates(&lambda[face.row..face.row + face.rows]);
                let x = x[face.start..face.start + face.size].as_flattened_mut();
                x.copy_from_slice(&own[..face.size]);
            } else {
                for r in 0..face.size {
                    x[face.start + r] = [lambda[face.row + r]];
                }
            }
        }
    }

    /// x ← x + Q Rᵀ dλ: slip directions that turn with the impulses.
    pub fn add_turns(&self, dlambda: &[f64], x: &mut [[f64; 1]]) {
        for face in &self.faces {
            if let Some(slide) = &face.slide {
                let across = slide.u[0] * dlambda[face.row + 1] - slide.u[1] * dlambda[face.row];
                x[face.start + 1][0] += slide.turn * across;
            } else if let Some(wide) = self.wide(face) {
                let own = wide.coordinates(&dlambda[face.row..face.row + face.rows]);
                for k in 1..face.size {
                    x[face.start + k][0] += wide.turn[k] * own[k];
                }
            }
        }
    }

    /// Calls `put(row, value)` with R x, for the faces' rows only.
    #[inline]
    pub fn expand<const W: usize>(&self, x: &[[f64; W]], mut put: impl FnMut(usize, [f64; W])) {
        for face in &self.faces {
            if let Some(Slide { mu, u, .. }) = face.slide {
                let (n, e) = (x[face.start], x[face.start + 1]);
                put(
                    face.row,
                    std::array::from_fn(|k| -mu * u[0] * n[k] - u[1] * e[k]),
                );
                put(
                    face.row + 1,
                    std::array::from_fn(|k| -mu * u[1] * n[k] + u[0] * e[k]),
                );
                put(face.row + 2, n);
            } else if let Some(wide) = self.wide(face) {
                expand_wide(face, wide, &wide.right, x, &mut put);
            } else {
                for r in 0..face.size {
                    put(face.row + r, x[face.start + r]);
                }
            }
        }
    }

    /// Calls `put(row, value)` with L x, for the faces' rows only.
    #[inline]
    pub fn expand_left<const W: usize>(
        &self,
        x: &[[f64; W]],
        mut put: impl FnMut(usize, [f64; W]),
    ) {
        for face in &self.faces {
            if let Some(Slide { u, across, .. }) = face.slide {
                let e = x[face.start + 1].map(|v| across * v);
                put(face.row, e.map(|v| -u[1] * v));
                put(face.row + 1, e.map(|v| u[0] * v));
                put(face.row + 2, x[face.start]);
            } else if let Some(wide) = self.wide(face) {
                expand_wide(face, wide, &wide.left, x, &mut put);
            } else {
                for r in 0..face.size {
                    put(face.row + r, x[face.start + r]);
                }
            }
        }
    }

    /// x ← A⁻¹ x (or A⁺ x).
    pub fn solve<const W: usize>(
        &mut self,
        problem: &Problem,
        x: &mut [[f64; W]],
        scratch: &mut [[f64; W]],
    ) {
        let purpose = Use::Derivative { transposed: false };
        self.solve_for(problem, purpose, x, scratch);
    }

    /// As [`ActiveSetSystem::solve`], for a step of an iteration. Velocities up to `unanswered` of
    /// inconsistent rows are not corrected, so that impulses stay near the present ones.
    pub fn solve_step(
        &mut self,
        problem: &Problem,
        unanswered: f64,
        x: &mut [[f64; 1]],
        scratch: &mut [[f64; 1]],
    ) {
        self.solve_for(problem, Use::Step { unanswered }, x, scratch);
    }

    fn solve_for<const W: usize>(
        &mut self,
        problem: &Problem,
        purpose: Use,
        x: &mut [[f64; W]],
        scratch: &mut [[f64; W]],
    ) {
        match (problem.delassus, self.form) {
            (Delassus::Trees(rows), _) => self.solve_by_trees(rows, x, purpose),
            (_, Form::Near) => {
                let unanswered = match purpose {
                    Use::Step { unanswered } => unanswered,
                    Use::Derivative { .. } => 0.0,
                };
                self.solve_near(unanswered, x, scratch)
            }
            (_, Form::Symmetric) => self.definite.solve(x, scratch),
            _ => self.general.solve(x, scratch),
        }
    }

    /// x ← A⁻ᵀ x (or its pseudo-inverse).
    pub fn solve_transpose<const W: usize>(
        &mut self,
        problem: &Problem,
        x: &mut [[f64; W]],
        scratch: &mut [[f64; W]],
    ) {
        if let Delassus::Trees(rows) = problem.delassus {
            self.solve_by_trees(rows, x, Use::Derivative { transposed: true });
        } else if self.symmetric {
            self.definite.solve(x, scratch)
        } else {
            self.general.solve_transpose(x, scratch)
        }
    }

    /// For a deficient system: the consistent part of A x = b as F x = t with F of full row rank r, r ×
    /// m. `f` receives Fᵀ, m × `stride`, and must be zero before. `x` holds b; its first r entries
    /// receive t.
    pub fn range_equations(
        &self,
        f: &mut [f64],
        stride: usize,
        x: &mut [[f64; 1]],
        scratch: &mut [[f64; 1]],
    ) {
        match self.symmetric {
            true => self.definite.range_equations(f, stride, x, scratch),
            false => self.general.range_equations(f, stride, x, scratch),
        }
    }
}

/// x ← Mᵀ w on a wide face, for M = L or R.
#[inline]
fn restrict_wide<const W: usize>(
    face: &Face,
    wide: &WideFace,
    m: &[Wide; WIDEST],
    w: &impl Fn(usize) -> [f64; W],
    x: &mut [[f64; W]],
) {
    let x = &mut x[face.start..face.start + face.size];
    x.fill([0.0; W]);
    for (r, line) in m.iter().enumerate().take(wide.rows) {
        let w = w(face.row + r);
        for (x, m) in x.iter_mut().zip(line) {
            *x = std::array::from_fn(|k| x[k] + m * w[k]);
        }
    }
}

/// Calls `put(row, value)` with M x on a wide face.
#[inline]
fn expand_wide<const W: usize>(
    face: &Face,
    wide: &WideFace,
    m: &[Wide; WIDEST],
    x: &[[f64; W]],
    put: &mut impl FnMut(usize, [f64; W]),
) {
    let x = &x[face.start..face.start + face.size];
    for (r, line) in m.iter().enumerate().take(wide.rows) {
        let mut sum = [0.0; W];
        add_combination(&line[..x.len()], x, &mut sum);
        put(face.row + r, sum);
    }
}
