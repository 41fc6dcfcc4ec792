//! Triangles of the polygons of mesh files.

use crate::spatial::Vec3;

/// Polygons with more corners are cut about their first corner.
const MAX_CORNERS: usize = 1024;

/// Most points that are compared with a triangle, in squares of the number of corners.
const WORK: usize = 64;

/// Area, relative to the polygon's, below which a triangle counts as flat. Single-precision coordinates
/// scatter by 6e-8.
const FLAT: f64 = 1e-9;

/// Adds the triangles of a polygon. It is cut about its first corner. If this would turn a triangle over,
/// because the polygon is not convex, its ears are cut off one by one instead; otherwise triangles would
/// cover its notches, and each of them twice. A polygon without an ear, which crosses itself, is cut about
/// its first corner. `at` gives the place of a corner.
pub(super) fn cut(corners: &[u32], at: impl Fn(u32) -> Option<Vec3>, out: &mut Vec<[u32; 3]>) {
    let before = out.len();
    if (4..=MAX_CORNERS).contains(&corners.len()) {
        let places: Option<Vec<Vec3>> = corners.iter().map(|&i| at(i)).collect();
        if let Some(places) = places {
            let is_cut = ears(&places, |t| out.push(t.map(|k| corners[k])));
            if is_cut {
                return;
            }
        }
    }
    out.truncate(before);
    if let Some((&first, rest)) = corners.split_first() {
        out.extend(rest.windows(2).map(|e| [first, e[0], e[1]]));
    }
}

/// Cuts off the ears of a polygon that is not convex. Returns whether this was needed and succeeded.
fn ears(places: &[Vec3], mut add: impl FnMut([usize; 3])) -> bool {
    let n = places.len();
    let doubled =
        |a: usize, b: usize, c: usize| (places[b] - places[a]).cross(places[c] - places[a]);
    let whole = (1..n - 1).fold(Vec3::ZERO, |sum, k| sum + doubled(0, k, k + 1));
    let Some(normal) = whole.normalized() else {
        return false;
    };
    let area = |[a, b, c]: [usize; 3]| normal.dot(doubled(a, b, c));
    let flat = FLAT * whole.norm();
    if (1..n - 1).all(|k| area([0, k, k + 1]) >= -flat) {
        return false;
    }
    let mut left: Vec<usize> = (0..n).collect();
    let mut work = WORK * n * n;
    while left.len() > 3 {
        let m = left.len();
        let triangle = |i: usize| [left[(i + m - 1) % m], left[i], left[(i + 1) % m]];
        // Other corners inside, or on the border away from its corners.
        let mut is_empty = |t: [usize; 3]| {
            work = work.saturating_sub(m);
            let [a, b, c] = t;
            !left.iter().any(|&p| {
                t.iter().all(|&k| places[k] != places[p])
                    && [[a, b, p], [b, c, p], [c, a, p]]
                        .into_iter()
                        .all(|s| area(s) >= 0.0)
            })
        };
        let ear = (0..m).find(|&i| area(triangle(i)) > flat && is_empty(triangle(i)));
        // Corners on a line leave flat triangles.
        let ear = ear.or_else(|| (0..m).find(|&i| area(triangle(i)).abs() <= flat));
        let Some(i) = ear.filter(|_| work > 0) else {
            return false;
        };
        add(triangle(i));
        left.remove(i);
    }
    add([left[0], left[1], left[2]]);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut_all(places: &[Vec3]) -> Vec<[u32; 3]> {
        let corners: Vec<u32> = (0..places.len() as u32).collect();
        let mut out = Vec::new();
        cut(&corners, |i| places.get(i as usize).copied(), &mut out);
        out
    }

    /// Sum of the areas, without signs.
    fn covered(places: &[Vec3], triangles: &[[u32; 3]]) -> f64 {
        let at = |i: u32| places[i as usize];
        let area = |t: &[u32; 3]| 0.5 * (at(t[1]) - at(t[0])).cross(at(t[2]) - at(t[0])).norm();
        triangles.iter().map(area).sum()
    }

    /// A polygon in a tilted plane.
    fn tilted(points: &[[f64; 2]]) -> Vec<Vec3> {
        let (u, w) = (Vec3::new(0.6, 0.0, 0.8), Vec3::new(0.0, 1.0, 0.0));
        points.iter().map(|p| u * p[0] + w * p[1]).collect()
    }

    #[test]
    fn notches_are_left_open() {
        let comb = [
            [0.0, 0.0],
            [5.0, 0.0],
            [5.0, 3.0],
            [4.0, 3.0],
            [4.0, 1.0],
            [3.0, 1.0],
            [3.0, 3.0],
            [2.0, 3.0],
            [2.0, 1.0],
            [1.0, 1.0],
            [1.0, 3.0],
            [0.0, 3.0],
        ];
        for first in 0..comb.len() {
            let mut turned = comb;
            turned.rotate_left(first);
            let places = tilted(&turned);
            let triangles = cut_all(&places);
            assert_eq!(triangles.len(), 10);
            assert!(
                (covered(&places, &triangles) - 11.0).abs() < 1e-12,
                "{first}"
            );
        }
        // A ring, joined to its hole by a slit.
        let ring = [
            [0.0, 0.0],
            [4.0, 0.0],
            [4.0, 4.0],
            [0.0, 4.0],
            [0.0, 0.0],
            [1.0, 1.0],
            [1.0, 3.0],
            [3.0, 3.0],
            [3.0, 1.0],
            [1.0, 1.0],
        ];
        let places = tilted(&ring);
        assert!((covered(&places, &cut_all(&places)) - 12.0).abs() < 1e-12);
    }

    #[test]
    fn other_polygons_are_cut_about_their_first_corner() {
        let fan = |n: u32| (1..n - 1).map(|k| [0, k, k + 1]).collect::<Vec<_>>();
        let hexagon: Vec<_> = (0..6)
            .map(|k| (f64::from(k) * std::f64::consts::FRAC_PI_3).sin_cos())
            .map(|(s, c)| [c, s])
            .collect();
        let bow_tie = [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]];
        let line = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0]];
        for points in [&hexagon[..], &bow_tie, &line] {
            let triangles = cut_all(&tilted(points));
            assert_eq!(triangles, fan(points.len() as u32), "{points:?}");
        }
        let mut out = Vec::new();
        cut(&[0, 1, 2, 9], |i| (i < 4).then_some(Vec3::ZERO), &mut out);
        assert_eq!(out, [[0, 1, 2], [0, 2, 9]]);
        cut(&[], |_| None, &mut out);
        assert_eq!(out.len(), 2);
    }
}
