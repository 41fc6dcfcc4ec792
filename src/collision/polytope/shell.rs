//! What a polytope inside the difference of two hulls leaves for the next query.

use super::expand::Polytope;
use super::fixed::Fixed;
use super::pair::Pair;

/// Most vertices of a polytope that is kept.
const KEPT: usize = 48;

/// The polytope of an earlier result, by the vertices of A and B that make its own and by its
/// facets' places.
#[derive(Clone, Debug)]
pub struct Shell {
    vertices: Fixed<[u16; 2], KEPT>,
    facets: Fixed<ShellFacet, { 2 * KEPT }>,
}

#[derive(Clone, Copy, Debug)]
struct ShellFacet {
    corners: [u8; 3],
    across: [u8; 3],
}

impl Default for Shell {
    fn default() -> Shell {
        Shell {
            vertices: Fixed::new(),
            facets: Fixed::new(),
        }
    }
}

impl Shell {
    pub fn clear(&mut self) {
        self.vertices.clear();
        self.facets.clear();
    }
}

impl<const V: usize, const F: usize> Polytope<V, F> {
    /// The polytope of an earlier result; `None` where there is none, or where with its vertices at
    /// this placement it does not hold the origin or is not convex to within `tolerance`.
    pub(super) fn resume(&mut self, pair: &Pair, shell: &Shell, tolerance: f64) -> Option<()> {
        if shell.facets.is_empty() {
            return None;
        }
        for &[a, b] in shell.vertices.iter() {
            pair.has(a, b).then_some(())?;
            self.vertices.push(pair.vertex(a, b))?;
        }
        for f in shell.facets.iter() {
            let i = self.facet(f.corners)?;
            self.facets[i].across = f.across;
        }
        let convex = self.facets.iter().all(|f| {
            f.offset > 0.0
                && f.across.iter().all(|&g| {
                    let corners = self.facets[usize::from(g)].corners;
                    let opposite = corners.iter().find(|&c| !f.corners.contains(c));
                    opposite.is_some_and(|&c| {
                        f.normal.dot(self.vertices[usize::from(c)].w) - f.offset <= tolerance
                    })
                })
        });
        convex.then_some(())
    }

    /// Keeps the polytope for [`Polytope::resume`], or nothing where it is too large.
    pub(super) fn keep(&self, shell: &mut Shell) {
        shell.clear();
        if self.kept(shell).is_none() {
            shell.clear();
        }
    }

    fn kept(&self, shell: &mut Shell) -> Option<()> {
        const NONE: u8 = u8::MAX;
        let mut vertex = [NONE; V];
        let mut place = [NONE; F];
        let alive = || self.facets.iter().enumerate().filter(|(_, f)| f.alive);
        for (k, (i, _)) in alive().enumerate() {
            place[i] = k as u8;
        }
        for (_, f) in alive() {
            let mut corners = [0; 3];
            for (to, &c) in corners.iter_mut().zip(&f.corners) {
                let known = &mut vertex[usize::from(c)];
                if *known == NONE {
                    *known = shell.vertices.len() as u8;
                    let v = &self.vertices[usize::from(c)];
                    shell.vertices.push([v.a, v.b])?;
                }
                *to = *known;
            }
            shell.facets.push(ShellFacet {
                corners,
                across: f.across.map(|g| place[usize::from(g)]),
            })?;
        }
        Some(())
    }
}
