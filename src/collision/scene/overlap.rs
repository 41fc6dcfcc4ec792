//! Excludes pairs of geoms that overlap by construction: housings inside each other, shafts in their
//! bearings.
//!
//! Called when a model is loaded, and by `ds_model_exclude_overlapping`.

use super::Scene;
use super::pairs::Rules;
use crate::collision::Approach;
use crate::dynamics::kinematics::{Kinematics, positions};
use crate::error::Result;
use crate::linalg::scattered;
use crate::model::Model;
use crate::model::pair_rules::robots;
use crate::model::topology::WORLD;
use std::collections::BTreeMap;

/// A pair overlaps if it is deeper than this [m]. Flush parts touch within the digits of their file.
const DEPTH: f64 = 1e-6;
/// Capacity for contacts of one pair. A pair with more contacts overlaps for certain.
const ROOM: usize = 256;
/// SAMPLES: configurations that decide whether motions separate two geoms. PARTED: a pair that is apart in
/// at most this many of them (a quarter) counts as inseparable. In 69 URDFs, the pairs that overlap in more
/// than three quarters of the samples are housings, links of grippers' linkages and parts within the hull
/// of a hollow part. Below that there are also fingers that meet.
const SAMPLES: usize = 24;
const PARTED: usize = SAMPLES / 4;
/// How far a sample moves a joint without limits from the neutral configuration. A joint with one limit
/// is sampled up to twice this from the limit [rad; m for sliders].
const FAR: f64 = std::f64::consts::PI;
/// Pairs that the warning names.
const NAMED: usize = 3;

/// Whether a model lets two geoms touch.
pub fn may_touch(model: &Model, a: usize, b: usize) -> bool {
    let (a, b) = (a.min(b), a.max(b));
    a != b && b < model.ngeom() && Rules::new(model).pair(a, b).is_some()
}

/// How many pairs of geoms a model lets touch, counted up to `at_most`.
pub fn pairs_that_may_touch(model: &Model, at_most: usize) -> usize {
    let rules = Rules::new(model);
    let geoms: Vec<usize> = (0..model.ngeom())
        .filter(|g| model.may_touch_any(*g))
        .collect();
    let moves = |g: usize| model.bodies()[model.geoms()[g].body].link != WORLD;
    // Pairs with at least one moving geom. There may be many static ones.
    let moving = geoms.iter().filter(|g| moves(**g));
    let pairs = moving.flat_map(|a| {
        let others = geoms.iter().filter(move |b| *b > a || !moves(**b));
        others.map(move |b| (*a.min(b), *a.max(b)))
    });
    pairs
        .filter(|(a, b)| rules.pair(*a, *b).is_some())
        .take(at_most)
        .count()
}

/// A copy of the model without contact between geoms of one robot that overlap by more than a
/// micrometre at `q` (nq numbers), with a warning that counts them. A robot is everything that hangs on
/// one child of the world. Contacts with the world or another robot stay.
///
/// # Errors
/// As [`Scene::new`].
pub fn exclude_overlapping(model: &Model, q: &[f64]) -> Result<Model> {
    let mut scene = Scene::new(model, ROOM)?;
    let mut kin = Kinematics::new(model);
    scene.put(model, &mut kin, q);
    let overlapping = scene.overlapping(model);
    let what = "exclude_overlapping: pairs of geoms that overlap at the given configuration and never touch";
    without(model, &overlapping, what)
}

/// A copy of the model without contact between inseparable geoms of one robot, with a warning that
/// counts them. Two geoms are inseparable if they overlap by more than a micrometre in more than three
/// quarters of the sampled configurations within the joints' limits. They are housings, or hulls that
/// bridge the hollow in which the other part lies. Their contact is an artefact of the description, and
/// no motion of the joints resolves it. Pairs that the description or the user names stay.
///
/// # Errors
/// As [`Scene::new`].
pub fn exclude_inseparable(model: &Model) -> Result<Model> {
    let mut scene = Scene::new(model, ROOM)?;
    let mut kin = Kinematics::new(model);
    let mut q = model.neutral().to_vec();
    // How often each pair that overlapped once has been apart.
    let mut pairs: BTreeMap<[usize; 2], usize> = BTreeMap::new();
    for sample in 0..SAMPLES {
        sample_configuration(model, sample, &mut q);
        scene.put(model, &mut kin, &q);
        if sample <= PARTED {
            let overlapping = scene.overlapping(model);
            for apart in pairs.iter_mut().filter(|p| !overlapping.contains(p.0)) {
                *apart.1 += 1;
            }
            for pair in overlapping {
                pairs.entry(pair).or_insert(sample);
            }
        } else {
            for (&[a, b], apart) in &mut pairs {
                *apart += usize::from(!scene.overlap(a, b));
            }
        }
        if sample >= PARTED {
            pairs.retain(|_, apart| *apart <= PARTED);
        }
    }
    let pairs: Vec<_> = (pairs.into_keys())
        .filter(|pair| !model.names_pair(*pair))
        .collect();
    let what = "inseparable: pairs of geoms that overlap in most configurations and never touch";
    without(model, &pairs, what)
}

/// A copy of the model without these pairs, with a warning that says so.
fn without(model: &Model, pairs: &[[usize; 2]], what: &str) -> Result<Model> {
    if pairs.is_empty() {
        return Ok(model.clone());
    }
    let name = |g: usize| model.geoms()[g].name.as_str();
    let mut named: Vec<String> = pairs
        .iter()
        .take(NAMED)
        .map(|&[a, b]| format!("\"{}\" with \"{}\"", name(a), name(b)))
        .collect();
    if pairs.len() > NAMED {
        named.push("...".into());
    }
    let warning = format!("{what}: {} ({})", pairs.len(), named.join(", "));
    Ok(model.with_pairs(pairs, false)?.warned(warning))
}

/// The k-th sample configuration within limits: first the middle, then random probes. A dof without
/// limits moves by up to half a turn, or as many metres.
fn sample_configuration(model: &Model, k: usize, q: &mut [f64]) {
    q.copy_from_slice(model.neutral());
    let mut step = vec![0.0; model.nv()];
    for joint in model.joints() {
        for dof in joint.iv..joint.iv + joint.nv {
            // Between -1 and 1.
            let at = if k == 0 {
                0.0
            } else {
                scattered(dof + k * model.nv(), 1)
            };
            let limits = joint.limits.filter(|_| joint.nq == 1);
            let (middle, reach) = match limits.map(|(l, u)| (l, u, l.is_finite(), u.is_finite())) {
                Some((lower, upper, true, true)) => (0.5 * (lower + upper), 0.5 * (upper - lower)),
                Some((lower, _, true, false)) => (lower + FAR, FAR),
                Some((_, upper, false, true)) => (upper - FAR, FAR),
                _ => {
                    step[dof] = FAR * at;
                    continue;
                }
            };
            q[joint.iq] = middle + reach * at;
        }
    }
    let from = q.to_vec();
    model.integrate(&from, &step, q);
}

impl Scene {
    /// Places the geoms of a configuration.
    fn put(&mut self, model: &Model, kin: &mut Kinematics, q: &[f64]) {
        positions(kin, model, model.params(), q);
        self.place(model, kin);
        self.place_all();
    }

    /// Pairs of geoms of one robot that may touch and overlap at the current placement.
    fn overlapping(&mut self, model: &Model) -> Vec<[usize; 2]> {
        let robots = robots(model.bodies().iter().map(|b| b.parent));
        let geoms = model.geoms().iter().enumerate();
        let mut solid: Vec<(usize, usize)> = geoms.map(|(g, x)| (robots[x.body], g)).collect();
        solid.retain(|(robot, _)| *robot != 0);
        solid.sort_unstable();
        let mut found = Vec::new();
        for own in solid.chunk_by(|a, b| a.0 == b.0) {
            for (i, &(_, a)) in own.iter().enumerate() {
                let others = own[i + 1..].iter().map(|&(_, b)| [a, b]);
                found.extend(others.filter(|&[a, b]| self.overlap(a, b)));
            }
        }
        found.sort_unstable();
        found
    }

    /// Whether two geoms that may touch overlap at the current placement.
    fn overlap(&mut self, a: usize, b: usize) -> bool {
        let reach = self.geoms[a].radius + self.geoms[b].radius;
        if (self.middles[a] - self.middles[b]).norm_squared() > reach * reach {
            return false;
        }
        let Some(pair) = self.rules.pair(a, b) else {
            return false;
        };
        self.found.clear();
        self.touch(&pair, &Approach::still(0.0));
        let overlap = self.found.is_crowd() || self.contacts().iter().any(|c| c.point.gap < -DEPTH);
        self.found.clear();
        overlap
    }
}
