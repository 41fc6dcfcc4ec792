//! The user's choice of the geoms that may touch, and the grouping of bodies into robots.

use super::Model;
use super::spec::{PairSpec, ShapeSpec};
use crate::error::{Error, Result};

/// For each body its ancestor that is a child of the world (for the world: itself). It is the same for
/// all bodies of one robot. A parent that does not come first counts as the world.
pub fn robots(parents: impl IntoIterator<Item = usize>) -> Vec<usize> {
    let mut robot: Vec<usize> = Vec::new();
    for (i, parent) in parents.into_iter().enumerate() {
        robot.push(match parent {
            0 => i,
            p => robot.get(p).copied().unwrap_or(i),
        });
    }
    robot
}

impl ShapeSpec {
    /// Whether it is a plane or a height field. Two of these never touch.
    pub fn is_ground(&self) -> bool {
        matches!(self, ShapeSpec::Plane { .. } | ShapeSpec::HeightField(_))
    }
}

impl Model {
    /// Pairs of geoms, smaller id first, that the user has allowed or forbidden to touch, regardless of
    /// the filters; sorted.
    pub fn chosen_pairs(&self) -> &[([usize; 2], bool)] {
        &self.chosen_pairs
    }

    /// True if a geom or pair has torsional or rolling friction.
    pub fn resists_torsion(&self) -> bool {
        let geoms = self.geoms.iter().map(|g| g.condim);
        let pairs = self.pairs.iter().filter_map(|p| p.condim);
        geoms.chain(pairs).any(|condim| condim > 3)
    }

    /// Whether the filters allow a geom any contact, or a pair names it.
    pub fn may_touch_any(&self, geom: usize) -> bool {
        let g = &self.geoms[geom];
        let chosen = |c: &([usize; 2], bool)| c.1 && c.0.contains(&geom);
        g.contype != 0
            || g.conaffinity != 0
            || (self.pairs.iter()).any(|p| [p.geom1, p.geom2].contains(&geom))
            || self.chosen_pairs.iter().any(chosen)
    }

    /// Whether the description or the user explicitly allows a pair (smaller id first) to touch.
    pub(crate) fn names_pair(&self, pair: [usize; 2]) -> bool {
        let named = |p: &PairSpec| [p.geom1.min(p.geom2), p.geom1.max(p.geom2)] == pair;
        self.pairs.iter().any(named) || self.chosen_pairs.contains(&(pair, true))
    }

    /// A copy in which these pairs of geoms may touch, or never touch, regardless of the filters.
    ///
    /// # Errors
    /// As [`Model::check_pair`].
    pub fn with_pairs(&self, pairs: &[[usize; 2]], enabled: bool) -> Result<Model> {
        let mut new = Vec::with_capacity(pairs.len() + self.chosen_pairs.len());
        for &[a, b] in pairs {
            self.check_pair(a, b, enabled)?;
            new.push(([a.min(b), a.max(b)], enabled));
        }
        // Of several entries for one pair the first, new one is kept.
        new.extend_from_slice(&self.chosen_pairs);
        new.sort_by_cached_key(|c| c.0);
        new.dedup_by_key(|c| c.0);
        Ok(Model {
            chosen_pairs: new,
            ..self.clone()
        })
    }

    /// Checks whether the user may decide about a pair.
    ///
    /// # Errors
    /// `InvalidArgument` for a geom that does not exist, a geom with itself, or two geoms that can never
    /// touch (planes and height fields).
    pub fn check_pair(&self, a: usize, b: usize, enabled: bool) -> Result<()> {
        let n = self.geoms.len();
        if a >= n || b >= n || a == b {
            return Err(Error::invalid(format!(
                "geoms {a} and {b}: two different indices in 0..{n} are expected"
            )));
        }
        if enabled && self.geoms[a].shape.is_ground() && self.geoms[b].shape.is_ground() {
            return Err(Error::invalid(format!(
                "geoms {a} and {b}: planes and height fields do not touch each other"
            )));
        }
        Ok(())
    }

    /// The model with a further warning. A model built from its description has this warning, too.
    pub(crate) fn warned(mut self, warning: String) -> Model {
        self.notes.push(warning.clone());
        self.warnings.push(warning);
        self
    }

    /// The model with a further warning that every check of the same geometry produces again.
    pub(crate) fn doubted(mut self, warning: String) -> Model {
        self.warnings.push(warning);
        self
    }
}
