//! The linear system of the present modes. Newton's method on faces and the derivative share it.
//!
//! As in [`ncp`](crate::contact::ncp): with R the directions in which impulses may move, and L the
//! directions in which velocities are held,
//!
//!   (LᵀG R + Q) x = −Lᵀ w,   dλ = R x.
//!
//! For a cone of any number of tangents that slides in the direction u, with E an orthonormal basis
//! across u,
//!
//!   R = [(−μ u, 1), (E, 0)],   L = [(0, 1), c (E, 0)],   Q = diag(0, s 1),
//!
//! from σ_n = 0 and Eᵀ(dσ_T + ‖σ_T‖/(μ λ_n) E x) = 0. The factors c and s scale the second equation so
//! that it stays regular if the slip or the impulse vanishes. The compliant law has L = 𝒢, R = Q = 1:
//! the system is (1 + 𝒢 G) x = −𝒢 w.
//!
//! If the rows are by coordinates, G = H Hᵀ + C with the compliance C, units with compliant rows (s) act as
//! springs and dampers on the coordinates. With S = R (LᵀC R + Q)⁻¹ Lᵀ their impulses are −S (w + H z),
//! where z = Hᵀλ. They are eliminated: the other units (t) have the system above with
//!
//!   H K⁻¹Hᵀ + C  in place of  G,   w − H K⁻¹ H_sᵀ S w_s  in place of  w,   K = 1 + H_sᵀ S H_s.
//!
//! K has the size of the coordinates, however many rows are held.

use super::active_face::ActiveFace;
use super::answer::Answer;
use super::coordinates::{inverse, product};
use super::system::System;
use super::unit::{Set, Slope, Unit, WIDEST, Wide, norm, size};
use crate::contact::digits::{DEPENDENT, ROUND_OFF};
use crate::contact::ncp::least_norm::Set as Within;
use crate::contact::ncp::least_norm::{AGAIN, Inside, LeastNorm, Piece};
use crate::contact::tuning::{FACES_DOUBTFUL, FACES_YIELDS};
use crate::linalg::{General, LANES, Lu, Symmetric};

#[derive(Clone, Copy, Debug)]
pub(super) struct Face {
    /// Index of the first unknown, and number of unknowns.
    start: usize,
    size: usize,
    /// Rows of the unit × unknowns.
    left: [Wide; WIDEST],
    right: [Wide; WIDEST],
    held: Wide,
    /// Derivative of λ by μ or the bound at x = 0.
    by_limit: Wide,
    /// True for a sliding cone, whose impulse turns with the slip.
    slides: bool,
    /// True if L = R selects rows of the unit, and these rows.
    selects: bool,
    rows: [usize; WIDEST],
    /// S of a unit that is eliminated. It has no unknowns.
    slope: Option<Slope>,
}

#[derive(Debug)]
pub(super) struct Faces {
    faces: Vec<Face>,
    /// Number of unknowns of all units that are not eliminated.
    pub order: usize,
    /// Whether any unit is eliminated, and the factors of K.
    yields: bool,
    stiffness: Lu,
    /// Whether the last factorization of these faces found dependent rows.
    is_deficient: bool,
    system: General,
    /// The system instead, if every face selects rows and no unit is eliminated.
    definite: Symmetric,
    is_symmetric: bool,
    x: Vec<[f64; 1]>,
    scratch: Vec<[f64; 1]>,
    line: Vec<f64>,
    /// Vectors by coordinates, and S H of a unit.
    z: Vec<[f64; 1]>,
    dz: Vec<[f64; 1]>,
    lines: Vec<f64>,
    panel: Vec<[f64; LANES]>,
    columns: Vec<[f64; LANES]>,
}

impl Faces {
    pub fn new(rows: usize, blocks: usize) -> Faces {
        Faces {
            faces: Vec::with_capacity(blocks),
            order: 0,
            yields: false,
            // At most 0.54 coordinates for each row: see `Coordinates`.
            stiffness: Lu::new(3 * rows / 5),
            is_deficient: false,
            system: General::new(rows),
            definite: Symmetric::new(rows),
            is_symmetric: false,
            x: vec![[0.0]; rows],
            scratch: vec![[0.0]; rows],
            line: vec![0.0; rows],
            z: vec![[0.0]; rows],
            dz: vec![[0.0]; rows],
            lines: Vec::with_capacity(WIDEST * rows),
            panel: vec![[0.0; LANES]; rows],
            columns: vec![[0.0; LANES]; rows],
        }
    }

    /// Sets the faces of rigid units. Impulses that slide in a cone are turned against the slip.
    pub fn of_rigid(
        &mut self,
        system: &System,
        active_faces: &[ActiveFace],
        lambda: &mut [f64],
        sigma: &[f64],
    ) {
        self.clear();
        for (unit, active_face) in system.units.iter().zip(active_faces) {
            let response = system.response(unit);
            let part = (&mut lambda[unit.range()], &sigma[unit.range()]);
            let mut face = rigid(unit, *active_face, response, part);
            face.slope = spring(system, unit, &face);
            self.push(face);
        }
    }

    /// Sets the faces of the compliant law.
    pub fn of_answers(&mut self, system: &System, answers: &[Answer]) {
        self.clear();
        for (unit, a) in system.units.iter().zip(answers) {
            let mut face = Face::none();
            face.size = unit.rows;
            face.left = a.slope;
            face.selects = false;
            face.by_limit = a.by_limit;
            for k in 0..unit.rows {
                face.right[k][k] = 1.0;
                face.held[k] = 1.0;
            }
            self.push(face);
        }
    }

    fn clear(&mut self) {
        self.faces.clear();
        self.order = 0;
        self.yields = false;
        self.is_deficient = false;
    }

    fn push(&mut self, mut face: Face) {
        face.start = self.order;
        match face.slope {
            None => self.order += face.size,
            Some(_) => self.yields = true,
        }
        self.faces.push(face);
    }

    /// Factors K. If it is singular, no unit is eliminated.
    fn eliminate(&mut self, system: &System) {
        if !self.yields {
            return;
        }
        let coordinates = &system.coordinates;
        let c = coordinates.count();
        const NONE: &Slope = &[[0.0; WIDEST]; WIDEST];
        let slopes = self.faces.iter().map(|f| f.slope.as_ref().unwrap_or(NONE));
        let k = self.system.matrix(c);
        coordinates.assemble(&system.units, slopes, &mut self.lines, k);
        if self.stiffness.factor(k, c, c, 0.0) {
            return;
        }
        (self.yields, self.order) = (false, 0);
        for face in &mut self.faces {
            (face.slope, face.start) = (None, self.order);
            self.order += face.size;
        }
    }

    /// The units that are eliminated, each with S.
    fn springs<'a>(
        units: &'a [Unit],
        faces: &'a [Face],
    ) -> impl Iterator<Item = (&'a Unit, &'a Slope)> {
        let all = units.iter().zip(faces);
        all.filter_map(|(unit, f)| f.slope.as_ref().map(|slope| (unit, slope)))
    }

    /// All other units.
    fn others<'a>(
        units: &'a [Unit],
        faces: &'a [Face],
    ) -> impl Iterator<Item = (&'a Unit, &'a Face)> {
        let all = units.iter().zip(faces);
        all.filter(|(_, f)| f.slope.is_none())
    }

    /// Computes LᵀG R of faces that select rows.
    fn select(&mut self, system: &System) {
        let (n, m) = (system.order(), self.order);
        let a = self.definite.matrix(m);
        let all = || system.units.iter().zip(&self.faces);
        for (unit, face) in all() {
            for (k, row) in face.rows[..face.size].iter().enumerate() {
                let line = &system.matrix[(unit.at + row) * n..][..n];
                let out = &mut a[(face.start + k) * m..][..m];
                for (other, columns) in all() {
                    let to = out.iter_mut().skip(columns.start);
                    for (to, column) in to.zip(&columns.rows[..columns.size]) {
                        *to = line[other.at + column];
                    }
                }
            }
        }
    }

    /// Computes LᵀG R + Q.
    fn fill(&mut self, system: &System) {
        let (n, m) = (system.order(), self.order);
        let coordinates = &system.coordinates;
        let a = self.system.matrix(m);
        for (unit, face) in Self::others(&system.units, &self.faces) {
            for k in 0..face.size {
                let line = &mut self.line[..n];
                if system.has_matrix() {
                    line.fill(0.0);
                    for (left, row) in face.left.iter().zip(unit.range()) {
                        if left[k] != 0.0 {
                            let row = &system.matrix[row * n..][..n];
                            crate::linalg::add_scaled(left[k], row, line);
                        }
                    }
                } else {
                    let z = &mut self.z[..coordinates.count()];
                    let left: Wide = std::array::from_fn(|r| face.left[r][k]);
                    z.fill([0.0]);
                    coordinates.add_transposed(unit, 1.0, &left[..unit.rows], z);
                    if self.yields {
                        let scratch = &mut self.dz[..z.len()];
                        self.stiffness.solve_transpose(z, scratch);
                    }
                    for (other, _) in Self::others(&system.units, &self.faces) {
                        let own = coordinates.times(other, z);
                        line[other.range()].copy_from_slice(&own[..other.rows]);
                    }
                    for (left, row) in left.iter().zip(unit.range()) {
                        line[row] += left * coordinates.compliance(row);
                    }
                }
                let out = &mut a[(face.start + k) * m..][..m];
                for (other, columns) in Self::others(&system.units, &self.faces) {
                    for c in 0..columns.size {
                        let right = columns.right.iter().zip(&line[other.range()]);
                        out[columns.start + c] = right.map(|(r, x)| r[c] * x).sum();
                    }
                }
                out[face.start + k] += face.held[k];
            }
        }
    }

    /// λ ← λ + dλ with the answer dλ of all units to `w`.
    fn respond(&mut self, system: &System, w: &[f64], lambda: &mut [f64]) {
        let m = self.order;
        let coordinates = &system.coordinates;
        let c = coordinates.count();
        if self.yields {
            // z ← −K⁻¹ H_sᵀ S w_s
            let z = &mut self.z[..c];
            z.fill([0.0]);
            for (unit, slope) in Self::springs(&system.units, &self.faces) {
                let push = times(slope, &w[unit.range()]);
                coordinates.add_transposed(unit, -1.0, &push[..unit.rows], z);
            }
            self.stiffness.solve(z, &mut self.dz[..c]);
        }
        self.restrict(system, w, -1.0);
        if self.yields {
            for (unit, face) in Self::others(&system.units, &self.faces) {
                let own = coordinates.times(unit, &self.z[..c]);
                for k in 0..face.size {
                    let held = face.left.iter().zip(own);
                    self.x[face.start + k][0] -= held.map(|(l, w)| l[k] * w).sum::<f64>();
                }
            }
        }
        let (x, scratch) = (&mut self.x[..m], &mut self.scratch[..m]);
        match self.is_symmetric {
            true => self.definite.solve(x, scratch),
            false => self.system.solve(x, scratch),
        }
        self.expand(system, lambda);
        if self.yields {
            // z ← z + K⁻¹ H_tᵀ R x
            let dz = &mut self.dz[..c];
            dz.fill([0.0]);
            for (unit, face) in Self::others(&system.units, &self.faces) {
                let push: Wide = std::array::from_fn(|r| {
                    let x = (0..face.size).map(|k| face.right[r][k] * self.x[face.start + k][0]);
                    x.sum()
                });
                coordinates.add_transposed(unit, 1.0, &push[..unit.rows], dz);
            }
            let scratch = self.line[..c].as_chunks_mut::<1>().0;
            self.stiffness.solve(dz, scratch);
            for ([z], [dz]) in self.z[..c].iter_mut().zip(&*dz) {
                *z += dz;
            }
            for (unit, slope) in Self::springs(&system.units, &self.faces) {
                let moved = coordinates.times(unit, &self.z[..c]);
                let mut own = [0.0; WIDEST];
                for ((own, moved), w) in own.iter_mut().zip(moved).zip(&w[unit.range()]) {
                    *own = moved + w;
                }
                let push = times(slope, &own);
                for (l, push) in lambda[unit.range()].iter_mut().zip(push) {
                    *l -= push;
                }
            }
        }
    }

    /// λ ← λ + R x with the x that brings held velocities to zero; call after [`Faces::factor`]. If the
    /// held rows depend on each other, x brings them as near to zero as it can, and is the smallest such
    /// x ([`General`]).
    pub fn step(&mut self, system: &System, lambda: &mut [f64], sigma: &[f64]) {
        self.respond(system, sigma, lambda);
        self.turn_onto_cones(system, lambda);
    }

    fn turn_onto_cones(&self, system: &System, lambda: &mut [f64]) {
        for (unit, face) in system.units.iter().zip(&self.faces) {
            if let Set::Cone { mu } = unit.set
                && face.slides
            {
                turn_onto_cone(mu, &mut lambda[unit.range()]);
            }
        }
    }

    /// Factors the system and finds its rank.
    pub fn factor(&mut self, system: &System) {
        self.eliminate(system);
        let selects = self.faces.iter().all(|f| f.selects);
        self.is_symmetric = selects && !self.yields && system.has_matrix();
        if self.is_symmetric {
            self.select(system);
            self.definite.factor(DEPENDENT);
            self.is_deficient = self.definite.rank() < self.order;
            return;
        }
        self.fill(system);
        if !self.system.factor(FACES_DOUBTFUL) {
            self.system.factor_complete(DEPENDENT);
        }
        self.is_deficient = self.system.rank() < self.order;
    }

    /// For dependent held rows and an impulse that is not inside the sets: moves it to the nearest one
    /// inside with the same held velocities. Returns whether it moved: false if the impulse is inside, or if
    /// there is none. Call it after [`Faces::factor`], with the velocity of the impulse.
    pub fn go_inside(
        &mut self,
        system: &System,
        least_norm: &mut LeastNorm,
        lambda: &mut [f64],
        sigma: &[f64],
    ) -> bool {
        let m = self.order;
        if self.yields {
            return false;
        }
        let (largest, start) = (size(lambda), &mut self.line[..m]);
        for (unit, face) in system.units.iter().zip(&self.faces) {
            let own = &lambda[unit.range()];
            for (k, x) in start[face.start..][..face.size].iter_mut().enumerate() {
                *x = match (face.slides, k) {
                    (true, 0) => own[unit.rows - 1],
                    (true, _) => 0.0,
                    (false, _) => own[face.rows[k]],
                };
            }
        }
        let pieces = || {
            let all = system.units.iter().zip(&self.faces);
            all.filter(|(_, f)| f.size > 0)
                .map(|(unit, f)| piece(unit, f))
        };
        let slack = ROUND_OFF * largest;
        if pieces().all(|p| p.holds(start, Inside::CLOSED, slack)) {
            return false;
        }
        least_norm.set_pieces(pieces());
        least_norm.set_centre(start);
        self.restrict(system, sigma, -1.0);
        let (x, scratch) = (&mut self.x[..m], &mut self.scratch[..m]);
        let rank = match self.is_symmetric {
            true => self.definite.rank(),
            false => self.system.rank(),
        };
        let (f, t, stride) = least_norm.start(rank, m);
        match self.is_symmetric {
            true => self.definite.range_equations(f, stride, x, scratch),
            false => self.system.range_equations(f, stride, x, scratch),
        }
        for (k, t) in t[..rank].iter_mut().enumerate() {
            let products = self.line[..m]
                .iter()
                .enumerate()
                .map(|(j, x)| f[j * stride + k] * x);
            *t = x[k][0] + products.sum::<f64>();
        }
        let found = [AGAIN, Inside::CLOSED].into_iter().any(|inside| {
            let best = least_norm.solve(inside.of(largest));
            let pairs = self.x.iter_mut().zip(&self.line);
            best.is_some_and(|best| {
                pairs
                    .zip(best)
                    .for_each(|(([x], start), best)| *x = best - start);
                true
            })
        });
        if found {
            self.expand(system, lambda);
            self.turn_onto_cones(system, lambda);
        }
        found
    }

    /// Number of units whose rows are all compliant.
    #[cfg(test)]
    pub fn springs_count(&self) -> usize {
        self.faces.iter().filter(|f| f.slope.is_some()).count()
    }

    /// Whether held rows depend on each other; call after [`Faces::factor`].
    pub fn is_deficient(&self) -> bool {
        self.is_deficient
    }

    /// Whether the system is the same at all impulses and velocities of these faces.
    pub fn is_linear(&self) -> bool {
        self.faces.iter().all(|f| !f.slides)
    }

    /// Whether friction of any contact is at its bound.
    pub fn any_slides(&self) -> bool {
        let bound = |f: &Face| f.slides || f.size > 0 && f.by_limit != [0.0; WIDEST];
        self.faces.iter().any(bound)
    }

    /// x ← ± Lᵀ w.
    fn restrict(&mut self, system: &System, w: &[f64], sign: f64) {
        for (unit, face) in Self::others(&system.units, &self.faces) {
            for k in 0..face.size {
                let held = face.left.iter().zip(&w[unit.range()]);
                let sum: f64 = held.map(|(l, w)| l[k] * w).sum();
                self.x[face.start + k][0] = sign * sum;
            }
        }
    }

    /// λ ← λ + R x.
    fn expand(&self, system: &System, lambda: &mut [f64]) {
        for (unit, face) in Self::others(&system.units, &self.faces) {
            for (l, right) in lambda[unit.range()].iter_mut().zip(&face.right) {
                for k in 0..face.size {
                    *l += right[k] * self.x[face.start + k][0];
                }
            }
        }
    }

    /// Adds to `lambda` its change by the limits at x = 0. `limit` gives the change of each unit's
    /// limit.
    pub fn add_by_limits(&self, system: &System, limit: impl Fn(&Unit) -> f64, lambda: &mut [f64]) {
        for (unit, face) in system.units.iter().zip(&self.faces) {
            let d = limit(unit);
            for (l, by) in lambda[unit.range()].iter_mut().zip(&face.by_limit) {
                *l += by * d;
            }
        }
    }

    /// Calls `put(block, adjoint)` with the adjoint of each limit, for the adjoint `bar` of the
    /// impulses.
    pub fn limits_adjoint(&self, system: &System, bar: &[f64], mut put: impl FnMut(usize, f64)) {
        for (unit, face) in system.units.iter().zip(&self.faces) {
            let along = face.by_limit.iter().zip(&bar[unit.range()]);
            put(unit.block, along.map(|(by, bar)| by * bar).sum());
        }
    }

    /// `dlambda` ← `dlambda` − R A⁻¹ Lᵀ w.
    pub fn answer(&mut self, system: &System, w: &[f64], dlambda: &mut [f64]) {
        self.respond(system, w, dlambda);
    }

    /// Whether the held rows can stay at rest along `w`, up to `slack`; call after [`Faces::answer`]
    /// with this `w`.
    pub fn is_answered(&mut self, system: &System, w: &[f64], dlambda: &[f64], slack: f64) -> bool {
        let n = system.order();
        let mut velocity = std::mem::take(&mut self.line);
        system.multiply(dlambda, &mut velocity[..n]);
        for (v, w) in velocity.iter_mut().zip(w) {
            *v += w;
        }
        let holds = Self::others(&system.units, &self.faces).all(|(unit, face)| {
            (0..face.size).all(|k| {
                let held = face.left.iter().zip(&velocity[unit.range()]);
                let sum: f64 = held.map(|(l, v)| l[k] * v).sum();
                let turned = face.held[k] * self.x[face.start + k][0];
                (sum + turned).abs() <= slack
            })
        });
        self.line = velocity;
        holds
    }

    /// `w_bar` ← (dλ/dw)ᵀ λ̄ with the dλ of [`Faces::answer`]: −L A⁻ᵀ Rᵀ λ̄ if no unit is eliminated.
    pub fn answer_transpose(&mut self, system: &System, bar: &[f64], w_bar: &mut [f64]) {
        let m = self.order;
        let coordinates = &system.coordinates;
        let c = coordinates.count();
        if self.yields {
            // z ← −H_sᵀ Sᵀ λ̄_s, dz ← K⁻ᵀ z
            let (z, dz) = (&mut self.z[..c], &mut self.dz[..c]);
            z.fill([0.0]);
            for (unit, slope) in Self::springs(&system.units, &self.faces) {
                let pull = times_transposed(slope, &bar[unit.range()]);
                coordinates.add_transposed(unit, -1.0, &pull[..unit.rows], z);
            }
            dz.copy_from_slice(z);
            let scratch = self.line[..c].as_chunks_mut::<1>().0;
            self.stiffness.solve_transpose(dz, scratch);
        }
        for (unit, face) in Self::others(&system.units, &self.faces) {
            for k in 0..face.size {
                let along = face.right.iter().zip(&bar[unit.range()]);
                self.x[face.start + k][0] = along.map(|(r, b)| r[k] * b).sum();
            }
            if self.yields {
                let own = coordinates.times(unit, &self.dz[..c]);
                for k in 0..face.size {
                    let along = face.right.iter().zip(own);
                    self.x[face.start + k][0] += along.map(|(r, b)| r[k] * b).sum::<f64>();
                }
            }
        }
        let (x, scratch) = (&mut self.x[..m], &mut self.scratch[..m]);
        match self.is_symmetric {
            true => self.definite.solve(x, scratch),
            false => self.system.solve_transpose(x, scratch),
        }
        w_bar.fill(0.0);
        for (unit, face) in Self::others(&system.units, &self.faces) {
            for (w, left) in w_bar[unit.range()].iter_mut().zip(&face.left) {
                for k in 0..face.size {
                    *w -= left[k] * self.x[face.start + k][0];
                }
            }
        }
        if self.yields {
            // z ← K⁻ᵀ (z + H_tᵀ w̄_t)
            let z = &mut self.z[..c];
            for (unit, _) in Self::others(&system.units, &self.faces) {
                coordinates.add_transposed(unit, 1.0, &w_bar[unit.range()], z);
            }
            self.stiffness.solve_transpose(z, &mut self.dz[..c]);
            for (unit, slope) in Self::springs(&system.units, &self.faces) {
                let mut own = coordinates.times(unit, &self.z[..c]);
                for (own, bar) in own.iter_mut().zip(&bar[unit.range()]) {
                    *own += bar;
                }
                let pull = times_transposed(slope, &own);
                for (w, pull) in w_bar[unit.range()].iter_mut().zip(pull) {
                    *w = -pull;
                }
            }
        }
    }

    /// Lᵀ and Rᵀ by rows of the problem, one row every `stride` numbers, padded with zeros.
    pub fn split(&self, system: &System, stride: usize, left: &mut [f64], right: &mut [f64]) {
        left.fill(0.0);
        right.fill(0.0);
        for (unit, face) in system.units.iter().zip(&self.faces) {
            for (k, own) in unit.range().enumerate() {
                let at = system.row(own) * stride + face.start;
                left[at..at + face.size].copy_from_slice(&face.left[k][..face.size]);
                right[at..at + face.size].copy_from_slice(&face.right[k][..face.size]);
            }
        }
    }

    /// Largest held velocity. For a sliding cone it is the velocity across the impulse.
    pub fn held_velocity(&self, system: &System, lambda: &[f64], sigma: &[f64]) -> f64 {
        let mut worst = 0.0f64;
        for (unit, face) in system.units.iter().zip(&self.faces) {
            let (l, s) = (&lambda[unit.range()], &sigma[unit.range()]);
            if face.slides {
                let last = unit.rows - 1;
                worst = worst.max(unit.across(l, s)).max(s[last].abs());
                continue;
            }
            for k in 0..face.size {
                let held = face.left.iter().zip(s).zip(&unit.weight);
                worst = worst.max(held.map(|((l, s), w)| w * l[k] * s).sum::<f64>().abs());
            }
        }
        worst
    }

    /// A⁻¹ times columns of `stride` numbers.
    pub fn solve_columns(&mut self, stride: usize, columns: &mut [f64]) {
        let m = self.order;
        if m == 0 {
            return;
        }
        let scratch = &mut self.panel[..m];
        let mut x = std::mem::take(&mut self.columns);
        for some in columns.chunks_mut(LANES * stride) {
            for (k, x) in x[..m].iter_mut().enumerate() {
                *x = std::array::from_fn(|c| some.get(c * stride + k).copied().unwrap_or(0.0));
            }
            match self.is_symmetric {
                true => self.definite.solve(&mut x[..m], scratch),
                false => self.system.solve(&mut x[..m], scratch),
            }
            for (c, column) in some.chunks_mut(stride).enumerate() {
                for (to, x) in column.iter_mut().zip(&x[..m]) {
                    *to = x[c];
                }
            }
        }
        self.columns = x;
    }
}

impl Face {
    fn none() -> Face {
        Face {
            start: 0,
            size: 0,
            left: [[0.0; WIDEST]; WIDEST],
            right: [[0.0; WIDEST]; WIDEST],
            held: [0.0; WIDEST],
            by_limit: [0.0; WIDEST],
            slides: false,
            selects: true,
            rows: [0; WIDEST],
            slope: None,
        }
    }

    /// Adds an unknown for a single row.
    fn hold(&mut self, row: usize) {
        self.left[row][self.size] = 1.0;
        self.right[row][self.size] = 1.0;
        self.rows[self.size] = row;
        self.size += 1;
    }
}

/// The set of the unknowns of a unit on its face.
fn piece(unit: &Unit, face: &Face) -> Piece {
    let last = unit.rows - 1;
    let set = match unit.set {
        Set::Cone { mu } if face.size == unit.rows => Within::Cone { mu },
        Set::Pyramid { mu } if face.rows[0] == last => Within::PyramidFromNormal { mu },
        Set::Pyramid { mu } => Within::Pyramid { mu },
        Set::Cone { .. } | Set::HalfLine => Within::HalfLine,
        Set::Interval { bound } => Within::Interval { bound },
        Set::Line => Within::Line,
    };
    Piece {
        start: face.start,
        size: face.size,
        set,
    }
}

/// S of a unit whose rows are all compliant; `None` if it is not to be eliminated.
fn spring(system: &System, unit: &Unit, face: &Face) -> Option<Slope> {
    let coordinates = &system.coordinates;
    let yields = |row| coordinates.compliance(row) >= FACES_YIELDS * system.diagonal[row];
    if face.size == 0 || !coordinates.are_compliant() || !unit.range().all(yields) {
        return None;
    }
    let (mut own, mut left) = ([[0.0; WIDEST]; WIDEST], [[0.0; WIDEST]; WIDEST]);
    for (k, line) in own.iter_mut().enumerate().take(face.size) {
        line[k] = face.held[k];
    }
    for (r, row) in unit.range().enumerate() {
        let compliance = coordinates.compliance(row);
        for k in 0..face.size {
            left[k][r] = face.left[r][k];
            for j in 0..face.size {
                own[k][j] += face.left[r][k] * compliance * face.right[r][j];
            }
        }
    }
    let inverse = inverse(&own, face.size)?;
    Some(product(&face.right, &product(&inverse, &left)))
}

/// S x.
fn times(slope: &Slope, x: &[f64]) -> Wide {
    std::array::from_fn(|k| slope[k].iter().zip(x).map(|(s, x)| s * x).sum())
}

/// Sᵀ x.
fn times_transposed(slope: &Slope, x: &[f64]) -> Wide {
    std::array::from_fn(|k| slope.iter().zip(x).map(|(s, x)| s[k] * x).sum())
}

/// The face of a rigid unit. Sliding impulses are put on it.
fn rigid(
    unit: &Unit,
    active_face: ActiveFace,
    response: f64,
    (lambda, sigma): (&mut [f64], &[f64]),
) -> Face {
    let mut face = Face::none();
    let last = unit.rows - 1;
    match (unit.set, active_face) {
        (_, ActiveFace::Open) => lambda.fill(0.0),
        (Set::Cone { mu }, ActiveFace::Sliding) if mu > 0.0 => {
            slide(&mut face, mu, response, lambda, sigma);
        }
        (Set::Cone { .. }, ActiveFace::Sliding) => {
            lambda[..last].fill(0.0);
            face.hold(last);
        }
        (Set::Pyramid { mu }, ActiveFace::Bounded(signs)) => {
            face.hold(last);
            for k in 0..last {
                let sign = f64::from(signs[k]);
                if mu == 0.0 || sign != 0.0 {
                    lambda[k] = sign * mu * lambda[last];
                    face.right[k][0] = sign * mu;
                    face.selects &= sign * mu == 0.0;
                    face.by_limit[k] = sign * lambda[last];
                } else {
                    face.hold(k);
                }
            }
        }
        (Set::Interval { bound }, ActiveFace::Bounded(signs)) => match signs[0] {
            0 => face.hold(0),
            sign => {
                lambda[0] = f64::from(sign) * bound;
                face.by_limit[0] = f64::from(sign);
            }
        },
        _ => (0..unit.rows).for_each(|k| face.hold(k)),
    }
    face
}

fn slide(face: &mut Face, mu: f64, response: f64, lambda: &mut [f64], sigma: &[f64]) {
    let last = lambda.len() - 1;
    let (force, slip) = (norm(&lambda[..last]), norm(&sigma[..last]));
    let normal = lambda[last].max(0.0);
    // Of the two opposite directions, take the one that suffers less from the error of the other. They
    // agree at a solution.
    let mut u = [0.0; WIDEST];
    if force > 0.0 && mu * normal * response >= slip {
        (0..last).for_each(|k| u[k] = -lambda[k] / force);
    } else if slip > 0.0 {
        (0..last).for_each(|k| u[k] = sigma[k] / slip);
    } else {
        u[0] = 1.0;
    }
    let along: f64 = u.iter().zip(&sigma[..last]).map(|(u, s)| u * s).sum();
    let (held, along) = (mu * normal * response, along.max(0.0));
    let (across, turn) = match held + along > 0.0 {
        true => (held / (held + along), along * response / (held + along)),
        false => (1.0, 0.0),
    };
    (face.slides, face.selects) = (true, false);
    face.left[last][0] = 1.0;
    face.right[last][0] = 1.0;
    for k in 0..last {
        lambda[k] = -mu * normal * u[k];
        face.right[k][0] = -mu * u[k];
        face.by_limit[k] = -normal * u[k];
    }
    face.size = 1;
    // The columns of the reflection that maps an axis to ∓u, without the column of this axis.
    let axis = (0..last).fold(0, |m, k| if u[k].abs() > u[m].abs() { k } else { m });
    let mut w = u;
    w[axis] += if u[axis] < 0.0 { -1.0 } else { 1.0 };
    let square: f64 = w.iter().map(|x| x * x).sum();
    for j in (0..last).filter(|j| *j != axis) {
        for k in 0..last {
            let e = f64::from(u8::from(k == j)) - 2.0 * w[k] * w[j] / square;
            face.right[k][face.size] = e;
            face.left[k][face.size] = across * e;
        }
        face.held[face.size] = turn;
        face.size += 1;
    }
}

/// Scales an impulse that moved along a tangent of its cone back to ‖λ_T‖ = μ λ_n.
fn turn_onto_cone(mu: f64, lambda: &mut [f64]) {
    let last = lambda.len() - 1;
    let force = norm(&lambda[..last]);
    let wanted = mu * lambda[last].max(0.0);
    if force > 0.0 {
        lambda[..last].iter_mut().for_each(|l| *l *= wanted / force);
    }
}
