//! Pairs that overlap by construction: housings inside each other, shafts in their bearings.

use super::Scene;
use super::pairs::Rules;
use crate::collision::Approach;
use crate::dynamics::kinematics::{Kinematics, positions};
use crate::error::Result;
use crate::model::Model;
use crate::model::pairs::robots;

/// Deeper than this, a pair overlaps; parts that are flush touch by the digits of their file [m].
const DEPTH: f64 = 1e-6;
/// Contacts of one pair; with more, it overlaps for certain.
const ROOM: usize = 256;
/// Pairs that the warning names.
const NAMED: usize = 3;

/// Whether a model lets two geoms touch.
pub fn may_touch(model: &Model, a: usize, b: usize) -> bool {
    let (a, b) = (a.min(b), a.max(b));
    a != b && b < model.ngeom() && Rules::new(model).pair(a, b).is_some()
}

/// A copy of the model in which those geoms of one robot (what hangs on one child of the world) never
/// touch that overlap by more than a micrometre at `q`, nq numbers, and a warning that counts them.
/// What touches the world or another robot is left as it is.
///
/// # Errors
/// As [`Scene::new`].
pub fn exclude_overlapping(model: &Model, q: &[f64]) -> Result<Model> {
    let mut scene = Scene::new(model, ROOM)?;
    let mut kin = Kinematics::new(model);
    positions(&mut kin, model, model.params(), q);
    scene.place(model, &kin);
    let overlapping = scene.overlapping(model);
    if overlapping.is_empty() {
        return Ok(model.clone());
    }
    let name = |g: usize| model.geoms()[g].name.as_str();
    let mut named: Vec<String> = overlapping
        .iter()
        .take(NAMED)
        .map(|&[a, b]| format!("\"{}\" with \"{}\"", name(a), name(b)))
        .collect();
    if overlapping.len() > NAMED {
        named.push("...".into());
    }
    let warning = format!(
        "exclude_overlapping: pairs of geoms that overlap at the given configuration and never touch: {} ({})",
        overlapping.len(),
        named.join(", ")
    );
    Ok(model.with_pairs(&overlapping, false)?.warned(warning))
}

impl Scene {
    /// Pairs of geoms of one robot that may touch and overlap as they are placed.
    fn overlapping(&mut self, model: &Model) -> Vec<[usize; 2]> {
        let robots = robots(model.bodies().iter().map(|b| b.parent));
        let robot = |g: usize| robots[model.geoms()[g].body];
        let mut found = Vec::new();
        for a in 0..model.ngeom() {
            for b in a + 1..model.ngeom() {
                if robot(a) == 0 || robot(a) != robot(b) {
                    continue;
                }
                let Some(pair) = self.rules.pair(a, b) else {
                    continue;
                };
                let reach = self.geoms[a].radius + self.geoms[b].radius;
                if (self.middles[a] - self.middles[b]).norm_squared() > reach * reach {
                    continue;
                }
                self.found.clear();
                self.touch(&pair, &Approach::still(0.0));
                if self.found.is_crowd() || self.contacts().iter().any(|c| c.point.gap < -DEPTH) {
                    found.push([a, b]);
                }
            }
        }
        self.found.clear();
        found
    }
}
