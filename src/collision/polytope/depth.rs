//! The axis of least depth of two overlapping hulls, by growing a polytope inside their Minkowski
//! difference.

use super::axis::{Axis, prefer};
use super::epa::{FEW, Facet, Polytope, Unbounded};
use super::gjk::{Simplex, Vertex};
use super::pair::Pair;
use super::shell::{Shell, Sought};

/// Most vertices, so that a byte numbers their facets.
const MANY: usize = 127;

/// In units of round-off: an axis named by the surroundings of a facet may be deeper than the facet by this
/// much. It is for hulls whose faces are plane only to the digits of a file.
const UNEVEN: f64 = 100.0;

/// The axis of least depth, equal to that of [`exhaustive`](super::sat::exhaustive) up to `rounding`.
/// The search starts from the vertices of an earlier result. `None` if the search gives up: it needs
/// more than [`MANY`] vertices, or rounding broke the surface. On success `start` holds the facet found
/// and a vertex far behind it, and `shell` the polytope.
pub(super) fn least_depth(
    pair: &Pair,
    start: &mut Simplex,
    shell: &mut Shell,
    rounding: f64,
) -> Option<Axis> {
    shell.clear();
    let sought = Sought {
        rounding,
        window: rounding,
        alone: false,
    };
    from_simplex(pair, start, shell, &sought)
}

/// [`least_depth`], but also `None` if another axis is nearly as good, so that a search from another
/// start may find that one.
pub(super) fn least_depth_alone(
    pair: &Pair,
    start: &mut Simplex,
    shell: &mut Shell,
    rounding: f64,
) -> Option<Axis> {
    shell.clear();
    from_simplex(pair, start, shell, &Sought::alone(rounding))
}

/// [`least_depth_alone`] from the polytope of an earlier result. `None` if that polytope no longer
/// contains the origin; it is cleared then.
pub(super) fn least_depth_again(
    pair: &Pair,
    found: &mut Simplex,
    shell: &mut Shell,
    rounding: f64,
) -> Option<Option<Axis>> {
    let sought = Sought::alone(rounding);
    let settled = shell.settle(pair, found, &sought);
    if settled.is_some() {
        return settled;
    }
    let mut p = Polytope::<FEW, { 2 * FEW }>::new();
    let again = p
        .resume(pair, shell, sought.tolerance())
        .and_then(|()| p.search(pair, found, shell, &sought).ok());
    if again.is_none() {
        shell.clear();
    }
    again
}

fn from_simplex(
    pair: &Pair,
    start: &mut Simplex,
    shell: &mut Shell,
    sought: &Sought,
) -> Option<Axis> {
    let mut p = Polytope::<FEW, { 2 * FEW }>::new();
    p.begin(pair, start)?;
    match p.search(pair, start, shell, sought) {
        Ok(axis) => axis,
        Err(Unbounded::Broken) => None,
        Err(Unbounded::Full) => {
            let mut p = Polytope::<MANY, { 2 * MANY }>::new();
            p.begin(pair, start)?;
            p.search(pair, start, shell, sought).unwrap_or(None)
        }
    }
}

impl<const V: usize, const F: usize> Polytope<V, F> {
    /// Grows the polytope until the axis of least depth is known.
    fn search(
        &mut self,
        pair: &Pair,
        found: &mut Simplex,
        shell: &mut Shell,
        sought: &Sought,
    ) -> Result<Option<Axis>, Unbounded> {
        let least = self.grow(pair, sought.tolerance(), sought.window)?;
        self.keep(shell);
        Ok(self.best(pair, least, sought, found))
    }

    /// The axis of least depth among those of the closed facets; `None` if it must be alone and is not.
    fn best(&self, pair: &Pair, least: f64, sought: &Sought, found: &mut Simplex) -> Option<Axis> {
        let rounding = sought.rounding;
        let mut best: Option<(Axis, &Facet)> = None;
        for f in self.facets.iter() {
            if !(f.alive && f.closed && f.offset <= least + sought.window) {
                continue;
            }
            let named = pair.axis_of(&self.corners_of(f), f.normal);
            let Some(axis) = named.filter(|a| pair.bears(a, f.offset, rounding)) else {
                if sought.alone {
                    return None;
                }
                continue;
            };
            match best {
                Some((b, _)) if sought.alone && !axis.same_features(&b) => return None,
                Some((b, _)) if !prefer(&axis, &b, rounding) => {}
                _ => best = Some((axis, f)),
            }
        }
        if best.is_none() && !sought.alone {
            let closed = self.facets.iter().filter(|f| f.alive && f.closed);
            let nearest = closed.min_by(|f, g| f.offset.total_cmp(&g.offset))?;
            let axis = pair.axis_near(&self.corners_of(nearest), nearest.normal, rounding)?;
            if axis.gap() >= -least - UNEVEN * rounding {
                best = Some((axis, nearest));
            }
        }
        let (axis, facet) = best?;
        let mut s = Simplex::default();
        self.corners_of(facet).into_iter().for_each(|v| s.push(v));
        let height = |v: &Vertex| facet.normal.dot(v.w);
        let behind = self
            .vertices
            .iter()
            .min_by(|u, v| height(u).total_cmp(&height(v)))?;
        s.push(*behind);
        *found = s;
        Some(axis)
    }
}
