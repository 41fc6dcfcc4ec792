//! Compiles reductions: checks, the left inverses of their matrices, and the choice of free dofs.

use super::params::Param;
use super::reduction::{Follower, Map, Moved, Part, Reduced, Reduction, ReductionSpec};
use super::spec::{JointKind, JointSpec};
use super::topology::Topology;
use super::{Joint, Model};
use crate::error::{Error, Result};
use crate::joint::composition::primitives;
use std::ops::Range;

/// A column is dependent if its part outside of the span of the others is at most this share of it.
const DEPENDENT: f64 = 1e-9;

/// `None` for a model without reductions.
///
/// # Errors
/// `InvalidArgument` naming the reduction.
pub(super) fn compile(
    specs: &[ReductionSpec],
    joints: &[Joint],
    t: &mut Topology,
) -> Result<Option<Reduction>> {
    if specs.is_empty() {
        return Ok(None);
    }
    let mut reduced: Vec<Option<Reduced>> = vec![None; joints.len()];
    let mut parts = Vec::new();
    for (r, spec) in specs.iter().enumerate() {
        parts.push(Part::of(spec, r, joints, t, &mut reduced)?);
    }
    if t.is_deep() {
        return Err(Error::unsupported(format!(
            "reduction \"{}\": the model has more than 64 dofs on a path, where reductions are not supported",
            specs[0].name
        )));
    }
    for part in &parts {
        let trees = || part.iv.iter().map(|k| t.links[t.dofs[*k].link].tree);
        if let (Some(first), Some(last)) = (trees().min(), trees().max()) {
            t.merge_trees(first, last);
        }
    }
    Ok(Some(assemble(parts, reduced, joints, t)))
}

impl Part {
    fn of(
        spec: &ReductionSpec,
        index: usize,
        joints: &[Joint],
        t: &Topology,
        reduced: &mut [Option<Reduced>],
    ) -> Result<Part> {
        let who = format!("reduction \"{}\"", spec.name);
        let (mut iq, mut iv) = (Vec::new(), Vec::new());
        for name in &spec.joints {
            let known = joints.iter().position(|j| j.name == *name);
            let Some(id) = known.filter(|_| !name.is_empty()) else {
                return Err(Error::invalid(format!(
                    "{who}: joints: no joint is called \"{name}\""
                )));
            };
            let j = &joints[id];
            let links = &t.links[j.first_link..j.first_link + j.link_count];
            if j.nv == 0 || links.iter().any(|l| l.kind.nq() != l.kind.nv()) {
                return Err(no_numbers(&who, name, j.kind));
            }
            if let Some(other) = reduced[id] {
                return Err(Error::invalid(format!(
                    "{who}: joints: \"{name}\" is listed twice or belongs to reduction number {} already",
                    other.reduction
                )));
            }
            reduced[id] = Some(Reduced {
                reduction: index,
                row: iq.len(),
            });
            iq.extend(j.iq..j.iq + j.nq);
            iv.extend(j.iv..j.iv + j.nv);
        }
        let back = check_numbers(spec, iv.len())?;
        let rows = by_rows(spec, iv.len());
        let (free, follow) = pivots(&rows);
        Ok(Part {
            name: spec.name.clone(),
            iq,
            iv,
            columns: spec.columns,
            rows,
            offset: match spec.offset.is_empty() {
                true => vec![0.0; spec.matrix.len() / spec.columns],
                false => spec.offset.clone(),
            },
            back,
            free,
            follow,
        })
    }

    /// Number of its parameters: the entries of the matrix, then those of the offset.
    fn parameters(&self) -> usize {
        self.iv.len() * (self.columns + 1)
    }

    /// Row of a parameter, and its column in the matrix; `None` for an entry of the offset.
    fn place(&self, component: usize) -> (usize, Option<usize>) {
        let (n, column) = (self.iv.len(), component / self.iv.len());
        (component % n, Some(column).filter(|j| *j < self.columns))
    }

    /// The numbers that follow from the matrix.
    fn complete(&mut self) -> Result<()> {
        let Some(back) = left_inverse(&self.rows) else {
            return Err(Error::invalid(format!(
                "the {0} columns of the matrix of reduction \"{1}\" depend on each other; expected rank {0}",
                self.columns, self.name
            )));
        };
        self.back = back;
        (self.free, self.follow) = pivots(&self.rows);
        Ok(())
    }
}

impl Reduction {
    /// Number of reductions.
    pub fn count(&self) -> usize {
        self.parts.len()
    }

    /// Number of parameters of a reduction.
    pub fn parameters(&self, index: usize) -> usize {
        self.parts[index].parameters()
    }

    /// Value of a parameter.
    pub fn parameter(&self, p: &Param) -> f64 {
        let part = &self.parts[p.index as usize];
        match part.place(p.component as usize) {
            (row, Some(column)) => part.rows[row][column],
            (row, None) => part.offset[row],
        }
    }

    /// Dof of a parameter's row, and the reduced dof of its column; `None` for an entry of the offset.
    pub fn dofs(&self, p: &Param) -> (usize, Option<usize>) {
        let r = p.index as usize;
        let (row, column) = self.parts[r].place(p.component as usize);
        (self.parts[r].iv[row], column.map(|j| self.homes[r][1] + j))
    }

    /// The coordinates of all reductions: index in reduced configurations, and among the reduced dofs.
    pub fn own_coordinates(&self) -> impl Iterator<Item = [usize; 2]> + '_ {
        let homes = self.homes.iter();
        homes.flat_map(|[iq, iv, count]| (0..*count).map(move |j| [iq + j, iv + j]))
    }

    /// The dofs of a reduction's joints.
    pub fn dofs_of(&self, index: usize) -> &[usize] {
        &self.parts[index].iv
    }

    /// The motion by a parameter, where the joints have the state (q, v).
    pub fn moved(&self, p: &Param, q: &[f64], v: &[f64]) -> Moved {
        let (dof, column) = self.dofs(p);
        let by = match column {
            None => [1.0, 0.0],
            Some(k) => {
                let [iq, iv, _] = self.homes[p.index as usize];
                [self.q.coordinate(iq + k - iv, q), self.v.coordinate(k, v)]
            }
        };
        Moved { dof, by }
    }

    /// The reductions with new values of some parameters.
    ///
    /// # Errors
    /// `InvalidArgument` for columns that depend on each other.
    pub fn with<'a>(
        &self,
        model: &Model,
        values: impl Iterator<Item = (&'a Param, f64)>,
    ) -> Result<Reduction> {
        let mut parts = self.parts.clone();
        for (p, value) in values {
            let part = &mut parts[p.index as usize];
            match part.place(p.component as usize) {
                (row, Some(column)) => part.rows[row][column] = value,
                (row, None) => part.offset[row] = value,
            }
        }
        parts.iter_mut().try_for_each(Part::complete)?;
        Ok(assemble(
            parts,
            self.joints.clone(),
            model.joints(),
            model.topology(),
        ))
    }
}

fn no_numbers(who: &str, name: &str, kind: JointKind) -> Error {
    Error::invalid(format!(
        "{who}: joints: \"{name}\" is {kind:?}; expected joints whose coordinates are numbers of their own, not fixed, spherical or free ones"
    ))
}

/// Number of dofs of a joint whose coordinates are numbers of their own.
pub(super) fn own_dofs(j: &JointSpec) -> Result<usize> {
    let count = match (&j.varying, j.kind) {
        (Some(varying), _) => varying.dofs(),
        (None, JointKind::SplineCurve) => 1,
        (None, JointKind::SplineSurface) => 2,
        (None, JointKind::Spherical | JointKind::Free) => 0,
        (None, kind) => primitives(kind, [j.axis, j.axis2, j.axis3]).len(),
    };
    match count {
        0 => Err(no_numbers("reduction", &j.name, j.kind)),
        count => Ok(count),
    }
}

fn by_rows(spec: &ReductionSpec, n: usize) -> Vec<Vec<f64>> {
    let row = |k: usize| (0..spec.columns).map(move |j| spec.matrix[j * n + k]);
    (0..n).map(|k| row(k).collect()).collect()
}

/// Checks the numbers of a reduction of `n` dofs. Returns the left inverse of its matrix, by rows.
pub(super) fn check_numbers(spec: &ReductionSpec, n: usize) -> Result<Vec<Vec<f64>>> {
    let (who, c) = (format!("reduction \"{}\"", spec.name), spec.columns);
    if c == 0 || c >= n {
        return Err(Error::invalid(format!(
            "{who}: columns: must be 1 or more and fewer than the {n} dofs of its joints, got {c}"
        )));
    }
    if spec.matrix.len() != n * c {
        return Err(Error::invalid(format!(
            "{who}: matrix: must have {n} × {c} entries, got {}",
            spec.matrix.len()
        )));
    }
    if !(spec.offset.is_empty() || spec.offset.len() == n) {
        return Err(Error::invalid(format!(
            "{who}: offset: must have {n} entries, got {}",
            spec.offset.len()
        )));
    }
    for (field, x) in [("matrix", &spec.matrix), ("offset", &spec.offset)] {
        if let Some(i) = x.iter().position(|x| !x.is_finite()) {
            return Err(Error::numerical(format!(
                "{who}: {field}[{i}]: must be finite, got {}",
                x[i]
            )));
        }
    }
    left_inverse(&by_rows(spec, n)).ok_or_else(|| {
        Error::invalid(format!(
            "{who}: matrix: its {c} columns are linearly dependent; expected rank {c}"
        ))
    })
}

/// The left inverse (GᵀG)⁻¹Gᵀ by orthogonalization of the columns, each twice; `None` if they are dependent.
fn left_inverse(rows: &[Vec<f64>]) -> Option<Vec<Vec<f64>>> {
    let (n, c) = (rows.len(), rows[0].len());
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut q: Vec<Vec<f64>> = Vec::new();
    let mut r = vec![vec![0.0; c]; c];
    for j in 0..c {
        let mut x: Vec<f64> = rows.iter().map(|row| row[j]).collect();
        let size = x.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        if size == 0.0 {
            return None;
        }
        x.iter_mut().for_each(|x| *x /= size);
        let before = dot(&x, &x).sqrt();
        let mut line = vec![0.0; c];
        for _ in 0..2 {
            for (i, q) in q.iter().enumerate() {
                let along = dot(q, &x);
                line[i] += along * size;
                x.iter_mut().zip(q).for_each(|(x, q)| *x -= along * q);
            }
        }
        let left = dot(&x, &x).sqrt();
        if left <= DEPENDENT * before {
            return None;
        }
        x.iter_mut().for_each(|x| *x /= left);
        line[j] = left * size;
        (0..c).for_each(|i| r[i][j] = line[i]);
        q.push(x);
    }
    let mut back = vec![vec![0.0; n]; c];
    for k in 0..n {
        for i in (0..c).rev() {
            let rest: f64 = (i + 1..c).map(|j| r[i][j] * back[j][k]).sum();
            back[i][k] = (q[i][k] - rest) / r[i][i];
        }
    }
    Some(back)
}

/// Free rows by complete pivoting, and for each other row its coefficients by the free rows.
fn pivots(rows: &[Vec<f64>]) -> (Vec<usize>, Vec<(usize, Vec<f64>)>) {
    let (n, c) = (rows.len(), rows[0].len());
    let mut m = rows.to_vec();
    let mut free: Vec<usize> = Vec::new();
    let mut done = vec![false; c];
    let mut of_column = vec![0; c];
    for _ in 0..c {
        let (mut best, mut at) = (-1.0, (0, 0));
        for k in (0..n).filter(|k| !free.contains(k)) {
            let size = |j: usize| rows.iter().fold(0.0_f64, |m, row| m.max(row[j].abs()));
            for j in (0..c).filter(|j| !done[*j]) {
                let x = m[k][j].abs() / size(j);
                if x > best {
                    (best, at) = (x, (k, j));
                }
            }
        }
        let (k, j) = at;
        let pivot = m[k][j];
        m.iter_mut().for_each(|row| row[j] /= pivot);
        m[k][j] = 1.0;
        let line = m[k].clone();
        for (i, x) in line.iter().enumerate().filter(|(i, _)| *i != j) {
            for row in &mut m {
                row[i] -= x * row[j];
            }
            m[k][i] = 0.0;
        }
        free.push(k);
        (done[j], of_column[j]) = (true, k);
    }
    let follow = (0..n).filter(|k| !free.contains(k));
    let follow = follow.map(|k| {
        let by = free.iter().map(|f| {
            let j = of_column.iter().position(|k| k == f).unwrap_or(0);
            m[k][j]
        });
        (k, by.collect())
    });
    let follow = follow.collect();
    (free, follow)
}

fn assemble(
    parts: Vec<Part>,
    reduced: Vec<Option<Reduced>>,
    joints: &[Joint],
    t: &Topology,
) -> Reduction {
    let mut homes = vec![[usize::MAX; 3]; parts.len()];
    let mut places = vec![[0; 2]; joints.len()];
    let (mut nq, mut nv) = (0, 0);
    let mut copies = [Vec::new(), Vec::new()];
    for (id, j) in joints.iter().enumerate() {
        places[id] = [nq, nv];
        match reduced[id] {
            Some(of) if homes[of.reduction][0] == usize::MAX => {
                let columns = parts[of.reduction].columns;
                homes[of.reduction] = [nq, nv, columns];
                (nq, nv) = (nq + columns, nv + columns);
            }
            Some(_) => {}
            None => {
                copies[0].extend((0..j.nq).map(|k| (j.iq + k, nq + k)));
                copies[1].extend((0..j.nv).map(|k| (j.iv + k, nv + k)));
                (nq, nv) = (nq + j.nq, nv + j.nv);
            }
        }
    }
    let map = |which: usize, from: usize, to: usize| {
        let (mut rows, mut offset) = (vec![Vec::new(); from], vec![0.0; from]);
        let mut back = vec![Vec::new(); to];
        for (x, y) in &copies[which] {
            rows[*x].push((*y, 1.0));
            back[*y].push((*x, 1.0));
        }
        for (part, home) in parts.iter().zip(&homes) {
            let places = if which == 0 { &part.iq } else { &part.iv };
            let first = home[which];
            for (k, x) in places.iter().enumerate() {
                let row = part.rows[k].iter().enumerate();
                rows[*x].extend(row.map(|(j, g)| (first + j, *g)));
                offset[*x] = if which == 0 { part.offset[k] } else { 0.0 };
                for (j, row) in part.back.iter().enumerate() {
                    back[first + j].push((*x, row[k]));
                }
            }
        }
        Map::of(rows, offset, back)
    };
    let mut followers: Vec<Follower> = Vec::new();
    for part in &parts {
        followers.extend(part.follow.iter().map(|(k, by)| {
            Follower {
                dof: part.iv[*k],
                leaders: (part.free.iter().zip(by))
                    .filter(|(_, by)| **by != 0.0)
                    .map(|(f, by)| (part.iv[*f], *by))
                    .collect(),
                constant: part.offset[*k]
                    - (part.free.iter().zip(by))
                        .map(|(f, by)| by * part.offset[*f])
                        .sum::<f64>(),
            }
        }));
    }
    followers.sort_by_cached_key(|f| f.dof);
    let follows = |dof: &usize| followers.iter().any(|f| f.dof == *dof);
    let free: Vec<usize> = (0..t.nv()).filter(|k| !follows(k)).collect();
    let ranges = |dofs: &[usize]| -> Vec<Range<usize>> {
        let before = |end: usize| dofs.partition_point(|k| *k < end);
        let trees = t.trees.iter();
        trees
            .map(|tree| before(tree.first_dof)..before(tree.end_dof))
            .collect()
    };
    let follow: Vec<usize> = followers.iter().map(|f| f.dof).collect();
    Reduction {
        v: map(1, t.nv(), nv),
        q: map(0, t.nq, nq),
        joints: reduced,
        homes,
        places,
        parts,
        free_of: ranges(&free),
        followers_of: ranges(&follow),
        free,
        followers,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(of: &[&[f64]]) -> Vec<Vec<f64>> {
        of.iter().map(|row| row.to_vec()).collect()
    }

    #[test]
    fn the_left_inverse_inverts_and_followers_follow() {
        let g = rows(&[&[0.0, 2.0], &[1.0, -3.0], &[0.5, 0.25], &[1e-3, 4.0]]);
        let back = left_inverse(&g).unwrap_or_default();
        for (i, back) in back.iter().enumerate() {
            for j in 0..2 {
                let x: f64 = back.iter().zip(&g).map(|(b, row)| b * row[j]).sum();
                assert!((x - f64::from(u8::from(i == j))).abs() < 1e-14);
            }
        }
        let (free, follow) = pivots(&g);
        let y = [0.7, -1.3];
        let z: Vec<f64> = g.iter().map(|r| r[0] * y[0] + r[1] * y[1]).collect();
        assert_eq!((free.len(), follow.len()), (2, 2));
        for (k, by) in follow {
            let x: f64 = free.iter().zip(&by).map(|(f, by)| by * z[*f]).sum();
            assert!((x - z[k]).abs() < 1e-13, "{x} {}", z[k]);
        }
    }

    #[test]
    fn dependent_columns_have_no_left_inverse() {
        let g = rows(&[&[1.0, 2.0], &[0.5, 1.0], &[0.25, 0.5]]);
        assert!(left_inverse(&g).is_none());
        assert!(left_inverse(&rows(&[&[0.0], &[0.0]])).is_none());
        assert!(left_inverse(&rows(&[&[1e-200], &[2e-200]])).is_some());
    }
}
