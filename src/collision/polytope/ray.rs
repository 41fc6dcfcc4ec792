//! Intersection of a ray with hulls and height fields. Called by the scene's ray query.

use super::convex::Convex;
use super::height_grid::{BLOCK, HeightGrid};
use super::terrain::Terrain;
use crate::collision::ray::{Crossing, Ray, Span};
use crate::spatial::Vec3;

/// Parts of a mesh touch if they are no farther apart than this share of their size.
const CRACK: f64 = 1e-9;

impl Convex {
    /// The part of a line that lies in the polytope of a mesh or box; `None` for rounded shapes.
    fn span(&self, ray: &Ray) -> Option<Span> {
        let mut span = Span::all();
        let mut faces = self.hull()?.faces().iter();
        let inside = faces.all(|f| {
            let height = f.normal.dot(ray.origin) - f.offset;
            span.clip(f.normal, height, f.normal.dot(ray.direction))
        });
        inside.then_some(span)
    }
}

/// Where a ray first meets the surface of a union of polytopes, from inside or outside.
pub fn first_of(pieces: &[Convex], ray: &Ray) -> Option<Crossing> {
    let spans = || pieces.iter().filter_map(|p| p.span(ray));
    let entered = spans().filter(|s| s.enter.at >= 0.0).map(|s| s.enter);
    let crack = CRACK * pieces.iter().fold(0.0, |m: f64, p| m.max(p.size()));
    // From inside a piece, continue through the pieces that it touches.
    let mut out: Option<Crossing> = None;
    loop {
        let reached = out.map_or(0.0, |c| c.at + crack);
        let beyond = spans().filter(|s| s.enter.at < reached && s.leave.at > reached);
        match beyond.map(|s| s.leave).max_by(|a, b| a.at.total_cmp(&b.at)) {
            Some(leave) => out = Some(leave),
            None => break,
        }
    }
    out.or_else(|| entered.reduce(Crossing::or_earlier))
}

/// An interval of a line.
type Stretch = [f64; 2];

/// The part of a stretch that lies between two parallel lines. `x` is the coordinate across them at the
/// line's origin, `rate` its change along the line.
fn between(stretch: Stretch, x: f64, rate: f64, [low, high]: [f64; 2]) -> Option<Stretch> {
    if rate == 0.0 {
        return (low <= x && x <= high).then_some(stretch);
    }
    let ends = [(low - x) / rate, (high - x) / rate];
    let [from, to] = stretch;
    let cut = [from.max(ends[0].min(ends[1])), to.min(ends[0].max(ends[1]))];
    (cut[0] <= cut[1]).then_some(cut)
}

/// Cells of a grid along one axis.
#[derive(Clone, Copy)]
struct Axis {
    origin: f64,
    spacing: f64,
    /// Coordinate of the line's origin, and its change along the line.
    x: f64,
    rate: f64,
}

impl Axis {
    fn new(grid: &HeightGrid, ray: &Ray, k: usize) -> Axis {
        Axis {
            origin: grid.origin[k],
            spacing: grid.spacing[k],
            x: ray.origin[k],
            rate: ray.direction[k],
        }
    }

    fn border(&self, i: usize) -> f64 {
        self.origin + self.spacing * i as f64
    }

    /// The cell in which the line is at `t`, limited to `first` to `end` − 1.
    fn cell(&self, t: f64, first: usize, end: usize) -> usize {
        let x = if self.rate == 0.0 {
            self.x
        } else {
            self.x + self.rate * t
        };
        let i = ((x - self.origin) / self.spacing).floor();
        (i.max(first as f64) as usize).min(end - 1)
    }

    /// Where the line leaves the cells from `first` to below `end`.
    fn exit(&self, first: usize, end: usize) -> f64 {
        match self.rate {
            r if r > 0.0 => (self.border(end) - self.x) / r,
            r if r < 0.0 => (self.border(first) - self.x) / r,
            _ => f64::INFINITY,
        }
    }
}

/// Visits, in order, the squares of `size` × `size` cells that a stretch of the line passes, within a
/// rectangle of cells, until one gives an answer. A square is given by its first cells and the cells
/// behind its last.
fn walk<T>(
    axes: &[Axis; 2],
    within: [[usize; 2]; 2],
    size: usize,
    [from, to]: Stretch,
    mut visit: impl FnMut([[usize; 2]; 2], Stretch) -> Option<T>,
) -> Option<T> {
    let square = |k: usize, cell: usize| {
        let first = cell / size * size;
        [first.max(within[k][0]), (first + size).min(within[k][1])]
    };
    let start = |k: usize| square(k, axes[k].cell(from, within[k][0], within[k][1]));
    let (mut at, mut t) = ([start(0), start(1)], from);
    loop {
        let exits = [0, 1].map(|k| axes[k].exit(at[k][0], at[k][1]));
        let k = usize::from(exits[1] < exits[0]);
        let end = exits[k].clamp(t, to);
        let found = visit(at, [t, end]);
        if found.is_some() {
            return found;
        }
        let next = match axes[k].rate > 0.0 {
            true => at[k][1],
            false => at[k][0].wrapping_sub(1),
        };
        if exits[k] >= to || next < within[k][0] || next >= within[k][1] {
            return None;
        }
        (at[k], t) = (square(k, next), end);
    }
}

impl Terrain {
    /// Where a ray first meets the surface, from above or below, within `reach`. The field has no walls.
    pub fn first_crossing(&self, ray: &Ray, reach: f64) -> Option<Crossing> {
        let grid = self.grid();
        let axes = [Axis::new(grid, ray, 0), Axis::new(grid, ray, 1)];
        let cells = [grid.columns - 1, grid.rows - 1];
        let over = |stretch, k: usize| {
            let borders = [axes[k].border(0), axes[k].border(cells[k])];
            between(stretch, axes[k].x, axes[k].rate, borders)
        };
        let slab = [-grid.base, grid.highest()];
        let stretch = between([0.0, reach], ray.origin.z, ray.direction.z, slab)?;
        let stretch = over(over(stretch, 0)?, 1)?;
        let height = |t: f64| match ray.direction.z {
            0.0 => ray.origin.z,
            rate => ray.origin.z + rate * t,
        };
        let all = cells.map(|n| [0, n]);
        // Whether the ray has been above the surface so far.
        let mut above = None;
        walk(&axes, all, BLOCK, stretch, |block, [from, to]| {
            let top = grid.highest_near(block[0][0], block[1][0]);
            if height(from).min(height(to)) > top && above != Some(false) {
                above = Some(true);
                return None;
            }
            walk(&axes, block, 1, [from, to], |cell, [from, to]| {
                let (column, row) = (cell[0][0], cell[1][0]);
                let first = 2 * (row * (grid.columns - 1) + column) as u32;
                // The diagonal between the two triangles: u = v.
                let x = |k: usize, t: f64| {
                    let p = if axes[k].rate == 0.0 {
                        axes[k].x
                    } else {
                        axes[k].x + axes[k].rate * t
                    };
                    (p - axes[k].border(cell[k][0])) / axes[k].spacing
                };
                let beside = |t: f64| x(1, t) - x(0, t);
                let (before, after) = (beside(from), beside(to));
                let halves = match before.min(after) < 0.0 && before.max(after) > 0.0 {
                    true => {
                        let middle = from + (to - from) * (before / (before - after));
                        let upper = u32::from(before > 0.0);
                        [Some((upper, from, middle)), Some((1 - upper, middle, to))]
                    }
                    false => [Some((u32::from(before + after > 0.0), from, to)), None],
                };
                let mut halves = halves.into_iter().flatten();
                halves.find_map(|(upper, from, to)| {
                    through(ray, grid.triangle(first + upper), [from, to], &mut above)
                })
            })
        })
    }
}

/// Where a stretch of a ray that lies wholly over or under a triangle passes through it. `above` stores
/// on which side the ray was.
fn through(
    ray: &Ray,
    corners: [Vec3; 3],
    [from, to]: Stretch,
    above: &mut Option<bool>,
) -> Option<Crossing> {
    let [a, b, c] = corners;
    let normal = (b - a).cross(c - a).normalized()?;
    let level = |t: f64| normal.dot(ray.at(t) - a);
    let (before, after) = (level(from), level(to));
    let was_above = *above.get_or_insert(before >= 0.0);
    let beyond = |level: f64| {
        if was_above {
            level <= 0.0
        } else {
            level >= 0.0
        }
    };
    let crossing = |at: f64, kink| Crossing { at, normal, kink };
    if beyond(before) {
        return Some(crossing(from, true));
    }
    if beyond(after) {
        let share = before / (before - after);
        let at = from + (to - from) * share;
        return Some(crossing(at, !(CRACK..=1.0 - CRACK).contains(&share)));
    }
    None
}
