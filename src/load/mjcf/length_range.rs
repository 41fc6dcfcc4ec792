//! Length ranges of muscles without one in the file: the smallest and the largest length within the
//! limits of the joints.
//!
//! MuJoCo pushes and pulls each of these actuators in a simulation (mj_setLengthRange) until it rests
//! against limits, which are slightly soft. Here they are the extrema of l(q) over the box of the limits
//! itself. A sum of joint coordinates has them in closed form. A path needs a search by spectral
//! projected gradients (Birgin, Martínez and Raydan, Nonmonotone spectral projected gradient methods on
//! convex sets, SIAM J. Optim. 2000) from the reference, from the corners of a small box, and from
//! points all over the box.

use super::node::Node;
use crate::dynamics::kinematics::{Kinematics, positions};
use crate::error::{Error, Result};
use crate::model::spec::{JointKind, ModelSpec};
use crate::model::tendon::TendonPath;
use crate::model::{ActsOn, Actuation, Model};
use crate::tendon::Paths;
use std::collections::VecDeque;
use std::f64::consts::PI;

/// Number of starts in addition to the reference and the corners; largest number of sides of a box whose
/// corners are starts; steps from each start.
const PLACES: usize = 16;
const CORNERED: usize = 4;
const STEPS: usize = 500;
/// Slope that counts as zero [m/rad]; and number of past values that a step is compared with.
const FLAT: f64 = 1e-11;
const REMEMBERED: usize = 8;

/// A muscle whose range must wait until the whole file is read.
pub(super) struct WaitingRange {
    actuator: usize,
    /// Error with the place of the muscle, for messages.
    error: Error,
}

impl WaitingRange {
    pub fn new(node: Node<'_>, actuator: usize) -> WaitingRange {
        WaitingRange {
            actuator,
            error: node.unsupported("a muscle without lengthrange"),
        }
    }

    fn refuse(&self, why: &str) -> Error {
        Error {
            message: format!("{}, and {why}; give it", self.error.message),
            ..self.error.clone()
        }
    }
}

/// Sets the ranges of the waiting muscles. Call it when the rest of the file is read.
///
/// # Errors
/// `Unsupported` if a length is unbounded, or if it is bounded by anything but joint limits; the errors
/// of [`Model::compile`].
pub(super) fn find(waiting: &[WaitingRange], spec: &mut ModelSpec) -> Result<()> {
    let Some(first) = waiting.first() else {
        return Ok(());
    };
    if spec.equalities.iter().any(|e| e.active) {
        return Err(first.refuse("equalities constrain its joints"));
    }
    // The model without geometry and sensors. The ranges of the muscles themselves do not matter.
    let mut moving = spec.clone();
    moving.geoms.clear();
    moving.pairs.clear();
    moving.excludes.clear();
    moving.sensors.clear();
    moving.keyframes.clear();
    for w in waiting {
        let a = &mut moving.actuators[w.actuator];
        for muscle in [&mut a.active, &mut a.passive].into_iter().flatten() {
            muscle.length_range = (0.0, 1.0);
        }
    }
    let model = Model::compile(moving, Actuation::FromFile)?;
    let mut search = Search {
        kin: Kinematics::new(&model),
        paths: Paths::new(&model, false),
        q: model.neutral().to_vec(),
        model: &model,
        tendon: 0,
        sides: Vec::new(),
    };
    for w in waiting {
        let (lower, upper) = search.range(w)?;
        let a = &mut spec.actuators[w.actuator];
        for muscle in [&mut a.active, &mut a.passive].into_iter().flatten() {
            muscle.length_range = (lower, upper);
        }
    }
    Ok(())
}

/// The range of a coordinate; infinite for a joint that turns all round.
#[derive(Clone, Copy)]
struct Side {
    iq: usize,
    lower: f64,
    upper: f64,
}

struct Search<'a> {
    model: &'a Model,
    kin: Kinematics,
    paths: Paths,
    q: Vec<f64>,
    tendon: usize,
    /// The dofs that change its length, in their order.
    sides: Vec<Side>,
}

impl Search<'_> {
    /// The range of the length, including its gear.
    fn range(&mut self, w: &WaitingRange) -> Result<(f64, f64)> {
        let actuator = &self.model.actuators()[w.actuator];
        let (lower, upper) = match actuator.acts_on {
            ActsOn::Joint { iv, .. } => {
                self.bounded_sides(w, &[iv], false)?;
                self.share(w, &[iv], None)?;
                (self.sides[0].lower, self.sides[0].upper)
            }
            ActsOn::Tendon(i) => {
                let dofs = self.paths.support(i).to_vec();
                let tendon = &self.model.tendons()[i];
                let is_path = matches!(tendon.path, TendonPath::Spatial(_));
                self.bounded_sides(w, &dofs, is_path)?;
                self.share(w, &dofs, Some(i))?;
                self.tendon = i;
                let (low, high) = if is_path {
                    self.ends_of_path()
                } else {
                    self.ends_of_sum()
                };
                let (from, to) = tendon.limits.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
                (low.max(from), high.min(to))
            }
            ActsOn::Body(_) => return Err(w.refuse("adhesion has no length")),
            ActsOn::Site { .. } | ActsOn::Ball { .. } => {
                return Err(w.refuse("a muscle needs a joint of one dof or a tendon"));
            }
        };
        let ends = [lower, upper].map(|x| actuator.gear[0] * x);
        let (lower, upper) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        match upper - lower > 1e-9 * (lower.abs() + upper.abs()) && (upper - lower).is_finite() {
            true => Ok((lower, upper)),
            false => Err(w.refuse(&format!(
                "its length does not vary within the limits: {lower} to {upper}"
            ))),
        }
    }

    /// Sets the box of these dofs. With `all_round`, a hinge without limits turns all round.
    fn bounded_sides(&mut self, w: &WaitingRange, dofs: &[usize], all_round: bool) -> Result<()> {
        self.sides.clear();
        for dof in dofs {
            let mut joints = self.model.joints().iter();
            let joint = joints
                .find(|j| (j.iv..j.iv + j.nv).contains(dof))
                .ok_or_else(|| Error::internal("a dof without a joint"))?;
            if joint.nv != 1 {
                return Err(w.refuse(&format!(
                    "its length depends on joint \"{}\", which has more than one degree of freedom",
                    joint.name
                )));
            }
            let bounds = joint.limits.filter(|(a, b)| (b - a).is_finite());
            let turns = matches!(joint.kind, JointKind::Revolute | JointKind::Continuous);
            let all = (f64::NEG_INFINITY, f64::INFINITY);
            let Some((lower, upper)) = bounds.or((all_round && turns).then_some(all)) else {
                return Err(w.refuse(&format!(
                    "its length depends on joint \"{}\", which has no limits",
                    joint.name
                )));
            };
            self.sides.push(Side {
                iq: joint.iq,
                lower,
                upper,
            });
        }
        Ok(())
    }

    /// Checks that no other tendon's limits bound these dofs.
    fn share(&self, w: &WaitingRange, dofs: &[usize], own: Option<usize>) -> Result<()> {
        for (i, t) in self.model.tendons().iter().enumerate() {
            let shared = self.paths.support(i).iter().any(|k| dofs.contains(k));
            if t.limits.is_some() && shared && own != Some(i) {
                return Err(w.refuse(&format!(
                    "the limits of tendon \"{}\" constrain its joints",
                    t.name
                )));
            }
        }
        Ok(())
    }

    fn ends_of_sum(&self) -> (f64, f64) {
        let coefficients = self.paths.moment(self.tendon).iter();
        let sums = coefficients
            .zip(&self.sides)
            .fold([0.0; 2], |[a, b], (c, s)| {
                let (x, y) = (c * s.lower, c * s.upper);
                [a + x.min(y), b + x.max(y)]
            });
        (sums[0], sums[1])
    }

    fn ends_of_path(&mut self) -> (f64, f64) {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for start in self.starts() {
            low = low.min(self.descend(&start, 1.0));
            high = high.max(-self.descend(&start, -1.0));
        }
        (low, high)
    }

    fn starts(&self) -> Vec<Vec<f64>> {
        let sides = &self.sides;
        let reference = |s: &Side| self.model.neutral()[s.iq].clamp(s.lower, s.upper);
        let mut starts = vec![sides.iter().map(reference).collect::<Vec<f64>>()];
        let across = |s: &Side, share: f64| match s.lower.is_finite() {
            true => s.lower + share * (s.upper - s.lower),
            false => reference(s) + PI * (2.0 * share - 1.0),
        };
        if sides.len() <= CORNERED {
            for corner in 0..1_usize << sides.len() {
                let at = |(k, s): (usize, &Side)| across(s, (corner >> k & 1) as f64);
                starts.push(sides.iter().enumerate().map(at).collect());
            }
        }
        for place in 1..=PLACES {
            // Multiples of irrational numbers fill the box evenly.
            let at = |(k, s): (usize, &Side)| {
                across(s, (place as f64 * (k as f64 + 2.0).sqrt() * 1.618).fract())
            };
            starts.push(sides.iter().enumerate().map(at).collect());
        }
        starts
    }

    /// ±l and its gradient.
    fn measure(&mut self, x: &[f64], sign: f64, slope: &mut [f64]) -> f64 {
        for (s, x) in self.sides.iter().zip(x) {
            self.q[s.iq] = *x;
        }
        positions(&mut self.kin, self.model, self.model.params(), &self.q);
        self.paths.update_one(self.tendon, &self.kin, &self.q);
        let moment = self.paths.moment(self.tendon);
        slope
            .iter_mut()
            .zip(moment)
            .for_each(|(s, g)| *s = sign * g);
        sign * self.paths.length(self.tendon)
    }

    /// A local minimum, found downhill from `start`.
    fn descend(&mut self, start: &[f64], sign: f64) -> f64 {
        let n = start.len();
        let (mut x, mut slope) = (start.to_vec(), vec![0.0; n]);
        let (mut next, mut next_slope, mut way) = (x.clone(), slope.clone(), slope.clone());
        let mut value = self.measure(&x, sign, &mut slope);
        let mut least = value;
        let mut last = VecDeque::from([value]);
        let mut step = 1.0;
        for _ in 0..STEPS {
            let mut flat = true;
            for (k, s) in self.sides.iter().enumerate() {
                // At most one radian or metre, so that a joint that turns all round is not moved
                // arbitrarily far.
                let to = |step: f64| {
                    (x[k] - (step * slope[k]).clamp(-1.0, 1.0)).clamp(s.lower, s.upper) - x[k]
                };
                way[k] = to(step);
                flat &= to(1.0).abs() < FLAT;
            }
            if flat {
                break;
            }
            let fall: f64 = way.iter().zip(&slope).map(|(w, s)| w * s).sum();
            let worst = last.iter().fold(f64::NEG_INFINITY, |a, b| a.max(*b));
            let (mut share, mut reached) = (1.0, f64::INFINITY);
            while share > 1e-12 {
                for ((next, x), w) in next.iter_mut().zip(&x).zip(&way) {
                    *next = x + share * w;
                }
                reached = self.measure(&next, sign, &mut next_slope);
                if reached <= worst + 1e-4 * share * fall {
                    break;
                }
                share *= 0.5;
            }
            if share <= 1e-12 {
                break;
            }
            let (mut long, mut bent) = (0.0, 0.0);
            for k in 0..n {
                let moved = next[k] - x[k];
                long += moved * moved;
                bent += moved * (next_slope[k] - slope[k]);
            }
            step = if bent > 0.0 {
                (long / bent).clamp(1e-8, 1e8)
            } else {
                1e8
            };
            std::mem::swap(&mut x, &mut next);
            std::mem::swap(&mut slope, &mut next_slope);
            value = reached;
            least = least.min(value);
            last.push_back(value);
            if last.len() > REMEMBERED {
                last.pop_front();
            }
        }
        least
    }
}
