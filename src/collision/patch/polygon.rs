//! Convex polygons in a plane, cut by half spaces.

use super::scalar::{Number, V3};

/// Largest number of vertices. A triangle has 3 and the section of a tetrahedron 4. Four planes of another
/// tetrahedron and the plane of zero pressure cut it; each cut adds at most one.
pub(super) const MOST: usize = 10;

/// A convex polygon. With fewer than three vertices it is empty.
#[derive(Clone, Copy, Debug)]
pub(super) struct Polygon<T> {
    vertices: [V3<T>; MOST],
    count: usize,
    /// An edge lies in a plane that cut the polygon. On the other side of that plane the polygon has
    /// another derivative.
    pub tied: bool,
}

/// The half space in which normal·(x − at) + offset is positive.
#[derive(Clone, Copy, Debug)]
pub(super) struct Half<T> {
    pub at: V3<T>,
    pub normal: V3<T>,
    pub offset: T,
}

impl<T: Number> Half<T> {
    #[inline(always)]
    pub fn distance(&self, x: V3<T>) -> T {
        self.normal.dot(x - self.at) + self.offset
    }

    /// The same half space without derivatives.
    pub fn plain(&self) -> Half<f64> {
        let plain = |v: V3<T>| V3(v.0.map(T::value));
        Half {
            at: plain(self.at),
            normal: plain(self.normal),
            offset: self.offset.value(),
        }
    }
}

/// Where a segment crosses a plane; `sa` and `sb` are the signed distances of its ends.
#[inline(always)]
fn crossing<T: Number>(a: V3<T>, b: V3<T>, sa: T, sb: T) -> V3<T> {
    a + (b - a).times(sa / (sa - sb))
}

impl<T: Number> Polygon<T> {
    fn none() -> Polygon<T> {
        Polygon {
            vertices: [V3([T::of(0.0); 3]); MOST],
            count: 0,
            tied: false,
        }
    }

    pub fn triangle(corners: [V3<T>; 3]) -> Polygon<T> {
        let mut p = Polygon::none();
        p.vertices[..3].copy_from_slice(&corners);
        p.count = 3;
        p
    }

    /// The section of a tetrahedron by a plane; `s` are the signed distances of the corners. A corner
    /// in the plane counts as below, for all tetrahedra with this corner.
    pub fn section(corners: &[V3<T>; 4], s: &[T; 4], tolerance: f64) -> Polygon<T> {
        let mut p = Polygon::none();
        let (mut below, mut above) = ([0; 4], [0; 4]);
        let (mut lower, mut upper, mut near) = (0, 0, 0);
        for (k, s) in s.iter().enumerate() {
            let s = s.value();
            near += usize::from(s.abs() <= tolerance);
            if s <= 0.0 {
                below[lower] = k;
                lower += 1;
            } else {
                above[upper] = k;
                upper += 1;
            }
        }
        let edges: &[[usize; 2]] = match (lower, upper) {
            (1, 3) => &[[0, 0], [0, 1], [0, 2]],
            (2, 2) => &[[0, 0], [0, 1], [1, 1], [1, 0]],
            (3, 1) => &[[0, 0], [1, 0], [2, 0]],
            _ => return p,
        };
        for [l, u] in edges {
            let (a, b) = (below[*l], above[*u]);
            p.vertices[p.count] = crossing(corners[a], corners[b], s[a], s[b]);
            p.count += 1;
        }
        p.tied = near > 1;
        p
    }

    pub fn vertices(&self) -> &[V3<T>] {
        &self.vertices[..self.count]
    }

    pub fn is_none(&self) -> bool {
        self.count < 3
    }

    /// Leaves the part inside a half space; `closed` includes the plane itself. `exact` gives the half
    /// space with derivatives, which are needed only if it cuts the polygon.
    #[inline(always)]
    pub fn cut(
        &mut self,
        half: &Half<f64>,
        exact: impl FnOnce() -> Half<T>,
        closed: bool,
        tolerance: f64,
    ) {
        let mut s = [0.0; MOST];
        for (s, v) in s.iter_mut().zip(&self.vertices[..self.count]) {
            *s = half.distance(V3(v.0.map(T::value)));
        }
        let inside = |s: f64| s > 0.0 || closed && s == 0.0;
        let within = s[..self.count].iter().filter(|s| inside(**s)).count();
        let near = |i: usize| s[i].abs() <= tolerance;
        let count = self.count;
        let before = |i: usize| if i == 0 { count - 1 } else { i - 1 };
        self.tied |= (0..self.count).any(|i| near(i) && near(before(i)));
        if within == self.count {
            return;
        }
        if within == 0 {
            self.count = 0;
            return;
        }
        let mut p = Polygon::none();
        let half = exact();
        for i in 0..self.count {
            let (j, b) = (before(i), self.vertices[i]);
            if inside(s[j]) != inside(s[i]) && p.count < MOST {
                // A vertex in the plane is a cut point.
                let a = self.vertices[j];
                p.vertices[p.count] = crossing(a, b, half.distance(a), half.distance(b));
                p.count += 1;
            }
            if inside(s[i]) && p.count < MOST {
                p.vertices[p.count] = b;
                p.count += 1;
            }
        }
        self.vertices[..p.count].copy_from_slice(&p.vertices[..p.count]);
        self.count = p.count;
    }

    /// Area and centroid of a polygon perpendicular to this unit normal; `None` for an area of at most
    /// `least`.
    pub fn measure(&self, normal: V3<T>, least: f64) -> Option<(T, V3<T>)> {
        if self.is_none() {
            return None;
        }
        let first = self.vertices[0];
        let (mut twice, mut moment) = (T::of(0.0), V3([T::of(0.0); 3]));
        for pair in self.vertices[1..self.count].windows(2) {
            let (a, b) = (pair[0] - first, pair[1] - first);
            let own = a.cross(b).dot(normal);
            twice = twice + own;
            moment = moment + (a + b).times(own);
        }
        let size = twice.value();
        // NaN counts as no area.
        if size.abs() <= 2.0 * least || size.is_nan() {
            return None;
        }
        let centroid = first + moment.times(T::of(1.0 / 3.0) / twice);
        Some((twice * T::of(0.5 * size.signum()), centroid))
    }
}
