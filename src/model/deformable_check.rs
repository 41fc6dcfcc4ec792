//! Checks of deformable bodies from any source.

use super::check::REACH;
use super::deformable::{DeformableSpec, Material, NAMES, six_volumes, triangle};
use crate::error::{Error, Result};
use crate::spatial::Vec3;

/// The least volume of a tetrahedron, as a share of the cube of its longest edge; of a triangle the least
/// area, as a share of the square.
const FLAT: f64 = 1e-9;

/// The fault of a number, if it has one.
pub fn fault(component: usize, x: f64) -> Option<&'static str> {
    let fits = match component {
        0 | 1 => x > 0.0,
        2 => x > -1.0 && x < 0.5,
        3 | 4 => x >= 0.0,
        _ => true,
    };
    match component {
        _ if fits && x.is_finite() => None,
        0 | 1 => Some("must be positive and finite"),
        2 => Some("must be above -1 and below 0.5"),
        3 | 4 => Some("must be finite and not negative"),
        _ => Some("must be finite"),
    }
}

/// Whether a tetrahedron is too flat, or has its corners in the wrong order.
pub fn is_flat(x: [Vec3; 4]) -> bool {
    let mut longest: f64 = 0.0;
    for i in 0..4 {
        for j in 0..i {
            longest = longest.max((x[i] - x[j]).norm());
        }
    }
    let enough = six_volumes(x).0 / 6.0 > FLAT * longest.powi(3);
    !enough
}

/// Whether a triangle is nearly a line.
pub fn is_line(x: [Vec3; 3]) -> bool {
    let [a, b, c] = x;
    let longest = [b - a, c - b, a - c]
        .map(Vec3::norm)
        .into_iter()
        .fold(0.0, f64::max);
    let enough = triangle(x).0 > FLAT * longest * longest;
    !enough
}

impl DeformableSpec {
    /// Checks the body. `who` names it.
    pub(super) fn check(&self, who: &str) -> Result<()> {
        let n = self.nodes.len();
        let wrong = |message: String| Err(Error::invalid(format!("{who}: {message}")));
        if self.rest.len() != n {
            return wrong(format!(
                "expected {n} rest positions, got {}",
                self.rest.len()
            ));
        }
        if self.edges.is_empty() && !self.has_volume() {
            return wrong("it must have edges, triangles or tets, got none".into());
        }
        if self.material == Material::Membrane {
            return wrong("material must be NeoHookean or Corotated, got Membrane".into());
        }
        for (i, x) in self.rest.iter().enumerate() {
            if !x.is_finite() || x.max_abs() >= REACH {
                return wrong(format!(
                    "nodes[{i}] must be finite and within {REACH:e}, got {:?}",
                    x.to_array()
                ));
            }
        }
        let mut is_used = vec![false; n];
        let edges = self.edges.iter().map(|e| ("edges", &e[..])).enumerate();
        let flat = self
            .triangles
            .iter()
            .map(|t| ("triangles", &t[..]))
            .enumerate();
        let tets = self.tets.iter().map(|t| ("tets", &t[..])).enumerate();
        for (k, (what, corners)) in edges.chain(flat).chain(tets) {
            for (c, i) in corners.iter().enumerate() {
                if *i >= n {
                    return wrong(format!(
                        "{what}[{k}] must name nodes 0 to {}, got {i}",
                        n - 1
                    ));
                }
                if corners[..c].contains(i) {
                    return wrong(format!("{what}[{k}] names node {i} twice"));
                }
                is_used[*i] = true;
            }
        }
        if let Some(i) = is_used.iter().position(|used| !used) {
            return wrong(format!("nodes[{i}] belongs to no edge, triangle or tet"));
        }
        for (k, edge) in self.edges.iter().enumerate() {
            if self.rest[edge[0]] == self.rest[edge[1]] {
                return wrong(format!("edges[{k}] has length zero"));
            }
        }
        for (k, corners) in self.triangles.iter().enumerate() {
            let x = corners.map(|i| self.rest[i]);
            if is_line(x) {
                let area = triangle(x).0;
                return wrong(format!("triangles[{k}] must have an area, got {area:e} m2"));
            }
        }
        let (thickness, needs_one) = (self.thickness, !self.triangles.is_empty());
        if needs_one && !(thickness > 0.0 && thickness.is_finite()) {
            return wrong(format!(
                "thickness must be positive and finite, got {thickness}"
            ));
        }
        for (k, tet) in self.tets.iter().enumerate() {
            let x = tet.map(|i| self.rest[i]);
            if is_flat(x) {
                return wrong(format!(
                    "tets[{k}] must have a positive volume (the fourth node on the side from which the first three \
                     run counterclockwise turned away), got {:e} m3; exchange two of its nodes if it is negative",
                    six_volumes(x).0 / 6.0
                ));
            }
        }
        let used = [true, self.has_volume(), self.has_volume(), true, true];
        for (c, x) in self
            .numbers()
            .numbers
            .into_iter()
            .enumerate()
            .filter(|(c, _)| used[*c])
        {
            if let Some(fault) = fault(c, x) {
                return wrong(format!("{} {fault}, got {x}", NAMES[c]));
            }
        }
        let masses = self.masses();
        let free = self
            .nodes
            .iter()
            .zip(&masses)
            .position(|(node, m)| node.is_free && *m <= 0.0);
        match free {
            Some(i) => wrong(format!(
                "nodes[{i}] must belong to a triangle or tet, or it has no mass"
            )),
            None => Ok(()),
        }
    }
}
