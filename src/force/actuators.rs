//! Computes the forces of actuators on joints, along tendons and at sites, through a gear, a gain and a
//! bias, with clamps. A step takes the derivatives of servos implicitly. [`Adhesion`] computes the forces of
//! actuators that pull a body.
//!
//! An actuator is driven by its input, or by its activation if it has one; here both are `u`. The length
//! of a transmission is gear[0] q for a joint, or gear[0] l(q) for a tendon. Its moment is m = gear over
//! a joint's dofs, or gear[0] g over the support of a tendon, a site or a ball joint. For a tendon, g is
//! ∂l/∂q.
//! The generalized force is m F(u, length, rate). With H = ∂g/∂q and l̇ = g·v
//!
//!   ∂f/∂q = gear F H + m (F_l ∂l/∂q + F_l̇ ∂l̇/∂q),   ∂l̇/∂q_j = Σ_k v_k H_kj,   ∂f/∂v = m F_l̇ g.

mod ahead;
mod servos;

use super::adhesion::{self, Adhesion};
use super::face::{Input, State};
use super::slopes::Slopes;
use crate::dynamics::Dynamics;
use crate::dynamics::coupling::Coupling;
use crate::error::Result;
use crate::linalg::smaller;
use crate::model::bounded::bounded;
use crate::model::muscle::{Muscle, Pull};
use crate::model::params::{Param, ParamKind};
use crate::model::{ActsOn, Actuator, Model};
use crate::tendon::{Displacement, Paths};
use ahead::Ahead;

/// An actuator's force and its derivatives.
#[derive(Clone, Copy, Debug, Default)]
struct ActuatorForce {
    /// Force before the gear [N or N m].
    force: f64,
    /// Derivatives by u, by the geared length of the transmission, and by its rate. Zero if a clamp
    /// holds.
    by_u: f64,
    by_length: f64,
    by_rate: f64,
    /// Derivative by the gain, if the gain is a number.
    by_gain: f64,
    /// 1 within all clamps, else 0.
    open: f64,
    /// Distance of the force to the nearest clamp, or of its law to a jump of the slopes, in its own unit.
    margin: f64,
    /// Distance of the input to the nearest clamp, in its own unit.
    input_margin: f64,
    /// Whether the bounds of the joint hold the sum of its actuators: then the force on the joint has no
    /// slopes, whatever the slopes of `force`.
    held: bool,
}

impl ActuatorForce {
    /// `state` returns length and rate before the gear. At a clamp the derivative is that of the
    /// unclamped side.
    #[inline(always)]
    fn of(
        a: &Actuator,
        (gain, peaks): (f64, [f64; 2]),
        u: f64,
        state: impl FnOnce() -> [f64; 2],
    ) -> Self {
        // For an activation the input is clamped before the activation follows it.
        let range = a.control_range.filter(|_| a.activation.is_none());
        let drive = bounded(u, range);
        let law = match Law::is_simple(a) {
            true => {
                let (mut length, mut rate) = (0.0, 0.0);
                if a.bias[1] != 0.0 || a.bias[2] != 0.0 {
                    [length, rate] = state().map(|x| a.gear[0] * x);
                }
                Law {
                    force: gain * drive.value + a.bias[0] + a.bias[1] * length + a.bias[2] * rate,
                    gain,
                    by_length: a.bias[1],
                    by_rate: a.bias[2],
                    margin: f64::INFINITY,
                }
            }
            false => {
                let state = state().map(|x| a.gear[0] * x);
                Law::of(a, (gain, peaks), drive.value, state)
            }
        };
        let force = bounded(law.force, a.force_range);
        ActuatorForce {
            force: force.value,
            by_u: force.times(drive.times(law.gain)),
            by_length: force.times(law.by_length * a.gear[0]),
            by_rate: force.times(law.by_rate * a.gear[0]),
            by_gain: force.times(drive.value),
            open: force.times(drive.times(1.0)),
            margin: smaller(force.margin, law.margin),
            input_margin: drive.margin,
            held: false,
        }
    }

    /// The force of an actuator for which [`is_motor`] holds.
    #[inline(always)]
    fn of_motor(a: &Actuator, gain: f64, u: f64) -> Self {
        let drive = bounded(u, a.control_range.filter(|_| a.activation.is_none()));
        ActuatorForce {
            // Adding zero gives the sign of zero that a zero bias gives.
            force: gain * drive.value + 0.0,
            by_u: drive.times(gain),
            by_length: 0.0,
            by_rate: 0.0,
            by_gain: drive.value,
            open: drive.times(1.0),
            margin: f64::INFINITY,
            input_margin: drive.margin,
            held: false,
        }
    }

    fn acts(&self) -> bool {
        [self.force, self.by_length, self.by_rate] != [0.0; 3]
    }
}

/// The force of an actuator before its clamp, and its derivatives by the length and rate of the
/// transmission. `gain` is the derivative by u.
struct Law {
    force: f64,
    gain: f64,
    by_length: f64,
    by_rate: f64,
    margin: f64,
}

impl Law {
    /// Whether the gain is a number and the bias affine.
    #[inline(always)]
    fn is_simple(a: &Actuator) -> bool {
        a.active.is_none() && a.passive.is_none() && a.gain_slopes == [0.0; 2]
    }

    fn of(
        a: &Actuator,
        (gain, [active, passive]): (f64, [f64; 2]),
        u: f64,
        [length, rate]: [f64; 2],
    ) -> Law {
        let affine = |at: f64, [by_length, by_rate]: [f64; 2]| Pull {
            force: at + by_length * length + by_rate * rate,
            by_length,
            by_rate,
            margin: f64::INFINITY,
        };
        let gain = match &a.active {
            Some(muscle) => muscle.active(active, length, rate),
            None => affine(gain, a.gain_slopes),
        };
        let bias = match &a.passive {
            Some(muscle) => muscle.passive(passive, length),
            None => affine(a.bias[0], [a.bias[1], a.bias[2]]),
        };
        Law {
            force: gain.force * u + bias.force,
            gain: gain.force,
            by_length: gain.by_length * u + bias.by_length,
            by_rate: gain.by_rate * u + bias.by_rate,
            margin: gain.margin,
        }
    }
}

/// Whether the actuator only pushes a joint by its gain times its input, which may be clamped.
fn is_motor(a: &Actuator) -> bool {
    let is_unbiased = a.bias.iter().all(|x| x.to_bits() == 0);
    a.joint().is_some() && Law::is_simple(a) && is_unbiased && a.force_range.is_none()
}

/// Whether the force has derivatives by the length or rate of the transmission that a step takes
/// implicitly. Those of muscles vary with both and stay explicit.
fn is_servo(a: &Actuator) -> bool {
    let slopes = [a.bias[1], a.bias[2], a.gain_slopes[0], a.gain_slopes[1]];
    a.active.is_none() && a.passive.is_none() && slopes != [0.0; 4]
}

/// Whether the derivatives of a servo's force depend on its input.
fn varies(a: &Actuator) -> bool {
    a.gain_slopes != [0.0; 2]
}

/// The servos on joints, each as (actuator, dof), and along lengths, each as (actuator, length).
fn places(model: &Model, paths: &Paths) -> [Vec<(usize, usize)>; 2] {
    let mut places = [Vec::new(), Vec::new()];
    for (j, a) in model
        .actuators()
        .iter()
        .enumerate()
        .filter(|(_, a)| is_servo(a))
    {
        match a.acts_on {
            ActsOn::Joint { iv, .. } => places[0].push((j, iv)),
            ActsOn::Tendon(_) | ActsOn::Site { .. } | ActsOn::Ball { .. } => {
                places[1].extend(paths.of_actuator(j).map(|i| (j, i)));
            }
            ActsOn::Body(_) => {}
        }
    }
    places
}

/// Peak forces of each actuator's active and passive muscle, with the parameters of the model.
fn peaks(model: &Model, paths: &Paths) -> Vec<[f64; 2]> {
    let muscles = |a: &Actuator| [a.active, a.passive];
    let unknown = |m: &Option<Muscle>| m.is_some_and(|m| m.force < 0.0);
    let mut reference = None;
    (model.actuators().iter())
        .map(|a| {
            let mut felt = 0.0;
            if muscles(a).iter().any(unknown) {
                felt = reference
                    .get_or_insert_with(|| Reference::new(model, paths))
                    .acceleration(model, a);
            }
            muscles(a).map(|m| m.map_or(0.0, |m| m.peak(felt)))
        })
        .collect()
}

/// A model at its reference configuration, with the parameters of the model.
struct Reference {
    dynamics: Dynamics,
    paths: Paths,
    acceleration: Vec<f64>,
}

impl Reference {
    fn new(model: &Model, paths: &Paths) -> Reference {
        let (mut dynamics, mut paths) = (Dynamics::new(model, false), paths.clone());
        let params = model.params();
        dynamics.update_positions(model, params, model.neutral());
        paths.update(&dynamics.kin, model.neutral());
        dynamics.factor_mass(model, &params.armature);
        Reference {
            dynamics,
            paths,
            acceleration: vec![0.0; model.nv()],
        }
    }

    /// Norm of the acceleration of all dofs per unit of the actuator's force.
    fn acceleration(&mut self, model: &Model, a: &Actuator) -> f64 {
        let x = &mut self.acceleration;
        x.fill(0.0);
        match a.acts_on {
            ActsOn::Joint { iv, .. } => x[iv..iv + a.gear.len()].copy_from_slice(&a.gear),
            ActsOn::Tendon(i) => {
                let moment = self.paths.support(i).iter().zip(self.paths.moment(i));
                moment.for_each(|(k, g)| x[*k] = a.gear[0] * g);
            }
            // Muscles do not act there.
            ActsOn::Body(_) | ActsOn::Site { .. } | ActsOn::Ball { .. } => {}
        }
        self.dynamics.mass.solve(model.topology(), x);
        x.iter().map(|x| x * x).sum::<f64>().sqrt()
    }
}

/// A joint that bounds the sum of its actuators' forces.
#[derive(Clone, Debug)]
struct Shared {
    dof: usize,
    bounds: (f64, f64),
    actuators: Vec<usize>,
    /// Distance of the sum to the nearest bound in the last [`Actuators::apply`].
    margin: f64,
}

impl Shared {
    fn all(model: &Model) -> Vec<Shared> {
        let bounded = model.joints().iter().enumerate();
        let bounded =
            bounded.filter_map(|(id, joint)| Some((id, joint.iv, joint.actuator_bounds?)));
        let shared = bounded.map(|(id, dof, bounds)| {
            let list = model.actuators().iter().enumerate();
            Shared {
                dof,
                bounds,
                actuators: (list.filter(|(_, a)| a.joint() == Some(id)))
                    .map(|(j, _)| j)
                    .collect(),
                margin: f64::INFINITY,
            }
        });
        shared.filter(|s| !s.actuators.is_empty()).collect()
    }
}

/// All actuators of a model, at the last state.
#[derive(Clone, Debug)]
pub struct Actuators {
    /// One input for each actuator. Along tendons it holds the moments of the last state.
    inputs: Vec<Input>,
    forces: Vec<ActuatorForce>,
    /// Which actuators are motors.
    motors: Vec<bool>,
    /// Part of each actuator's force that a step takes implicitly. Zero if the actuator is no servo.
    ahead: Vec<Ahead>,
    /// Peak forces of muscles [N or N m].
    peaks: Vec<[f64; 2]>,
    /// Largest number of entries that [`Actuators::slopes`] adds.
    entries: usize,
    /// Servos on joints as (actuator, dof), and along lengths as (actuator, length).
    servos: Vec<(usize, usize)>,
    pulls: Vec<(usize, usize)>,
    /// The servos on joints whose derivatives depend on their input.
    varying: Vec<(usize, usize)>,
    /// If there are servos on tendons: the acceleration at which derivatives were taken, nv entries.
    acc: Vec<f64>,
    /// Time step of the last [`Actuators::apply`] [s].
    time_step: f64,
    shared: Vec<Shared>,
}

impl Actuators {
    pub fn new(model: &Model, paths: &Paths) -> Self {
        let list = model.actuators().iter().enumerate();
        let inputs = list.map(|(j, a)| match a.acts_on {
            ActsOn::Joint { iv, .. } => Input::new(j, (iv..).zip(a.gear.iter().copied())),
            ActsOn::Tendon(_) | ActsOn::Site { .. } | ActsOn::Ball { .. } => {
                let support = paths.of_actuator(j).map_or(&[][..], |i| paths.support(i));
                // No dof moves a site that is fixed to the world. The entry needs some dof; its moment is
                // zero.
                let dofs = if support.is_empty() { &[0] } else { support };
                Input::new(j, dofs.iter().map(|k| (*k, 0.0)))
            }
            // The body may touch any other body.
            ActsOn::Body(body) => {
                let home = adhesion::home(model, body);
                let others = (0..model.nv()).filter(|k| *k != home);
                Input::new(j, std::iter::once(home).chain(others).map(|k| (k, 0.0)))
            }
        });
        let entries = |(j, a): (usize, &Actuator)| match a.acts_on {
            ActsOn::Joint { .. } => 1,
            _ => paths.of_actuator(j).map_or(0, |i| paths.hessian(i).len()),
        };
        let [servos, pulls] = places(model, paths);
        let varying = servos.iter().copied();
        let varying = varying.filter(|(j, _)| varies(&model.actuators()[*j]));
        Actuators {
            inputs: inputs.collect(),
            forces: vec![ActuatorForce::default(); model.nu()],
            motors: model.actuators().iter().map(is_motor).collect(),
            ahead: vec![Ahead::default(); model.nu()],
            peaks: peaks(model, paths),
            entries: model.actuators().iter().enumerate().map(entries).sum(),
            varying: varying.collect(),
            servos,
            acc: vec![0.0; if pulls.is_empty() { 0 } else { model.nv() }],
            pulls,
            time_step: 0.0,
            shared: Shared::all(model),
        }
    }

    pub fn entries(&self) -> usize {
        self.entries
    }

    /// Calls `visit` with each actuator whose input, force or law was at a jump of its slopes in the last
    /// [`Actuators::apply`], and with the dofs that move this force; with none if only the input was.
    pub fn for_jumps(&self, mut visit: impl FnMut(usize, &mut dyn Iterator<Item = usize>)) {
        for (j, (input, force)) in self.inputs.iter().zip(&self.forces).enumerate() {
            if force.margin == 0.0 {
                visit(j, &mut input.moments().map(|(k, _)| k));
            } else if force.input_margin == 0.0 {
                visit(j, &mut std::iter::empty());
            }
        }
        for s in self.shared.iter().filter(|s| s.margin == 0.0) {
            for j in &s.actuators {
                visit(*j, &mut std::iter::once(s.dof));
            }
        }
    }

    /// Distance to the nearest jump of a single actuator's slopes in the last [`Actuators::apply`].
    pub fn own_margin(&self) -> f64 {
        let list = self.forces.iter();
        let own = list.fold(f64::INFINITY, |m, f| {
            smaller(smaller(f.input_margin, f.margin), m)
        });
        self.shared.iter().fold(own, |m, s| smaller(s.margin, m))
    }

    /// [`Actuators::apply`], after `adhesion` has found its contacts, which then pull.
    ///
    /// # Errors
    /// The errors of [`Adhesion::find`].
    pub fn act(
        &mut self,
        at: &State<'_>,
        paths: &Paths,
        adhesion: Option<&mut Adhesion>,
        tau: &mut [f64],
    ) -> Result<f64> {
        let Some(adhesion) = adhesion else {
            return Ok(self.apply(at, paths, None, tau));
        };
        adhesion.find(at)?;
        let distance = self.apply(at, paths, Some(adhesion), tau);
        adhesion.pull(|j| self.force(j));
        Ok(distance)
    }

    /// Adds the forces to `tau`. Returns the distance to the nearest jump of their derivatives, except
    /// [`Actuators::own_margin`]. Without `adhesion` bodies touch nothing.
    pub fn apply(
        &mut self,
        at: &State<'_>,
        paths: &Paths,
        adhesion: Option<&Adhesion>,
        tau: &mut [f64],
    ) -> f64 {
        let mut distance = f64::INFINITY;
        let kept = self.inputs.iter_mut().zip(&mut self.forces);
        let kept = kept.zip(&self.motors).enumerate();
        let list = at.model.actuators().iter().zip(at.u);
        let laws = at.params.actuator_gain.iter().copied().zip(&self.peaks);
        for ((j, ((input, force), is_motor)), ((a, u), (gain, peaks))) in kept.zip(list.zip(laws)) {
            let law = (gain, *peaks);
            match a.acts_on {
                _ if *is_motor => *force = ActuatorForce::of_motor(a, gain, *u),
                ActsOn::Joint { iq, iv, .. } => {
                    *force = ActuatorForce::of(a, law, *u, || [at.q[iq], at.v[iv]]);
                }
                ActsOn::Tendon(_) | ActsOn::Site { .. } | ActsOn::Ball { .. } => {
                    let Some(i) = paths.of_actuator(j) else {
                        continue;
                    };
                    *force =
                        ActuatorForce::of(a, law, *u, || [paths.length(i), paths.rate(i, at.v)]);
                    if !paths.has_length(i) {
                        force.by_length = 0.0;
                    }
                    for (moment, g) in input.moment_mut().iter_mut().zip(paths.moment(i)) {
                        *moment = a.gear[0] * g;
                    }
                    if force.acts() || force.by_u != 0.0 {
                        distance = distance.min(paths.switch_distance(i));
                    }
                }
                ActsOn::Body(_) => {
                    *force = ActuatorForce::of(a, law, *u, || [0.0; 2]);
                    if let Some(moment) = adhesion.and_then(|x| x.moment(j)) {
                        input.set_moments(|k| moment[k]);
                    }
                }
            }
            input.slope = force.by_u;
            for (k, moment) in input.moments() {
                tau[k] += moment * force.force;
            }
        }
        for s in &mut self.shared {
            let pull = |j: &usize| at.model.actuators()[*j].gear[0] * self.forces[*j].force;
            let sum: f64 = s.actuators.iter().map(pull).sum();
            let within = bounded(sum, Some(s.bounds));
            s.margin = within.margin;
            if !within.free {
                tau[s.dof] += within.value - sum;
                for j in &s.actuators {
                    self.forces[*j].held = true;
                    self.inputs[*j].slope = 0.0;
                }
            }
        }
        distance.min(self.lead(at, paths, tau))
    }

    /// Joins the trees that a pulled tendon or a site and its reference connect.
    pub fn couple(&self, model: &Model, paths: &Paths, coupling: &mut Coupling) {
        for i in (0..model.nu()).filter_map(|j| paths.of_actuator(j)) {
            paths.couple(model, i, coupling);
        }
    }

    /// Adds −∂f/∂q and −∂f/∂v + h K̃. `paths` holds second derivatives. `acc` holds the accelerations of
    /// the step and of its free motion; empty stands for zero.
    pub fn slopes(&mut self, at: &State<'_>, paths: &Paths, acc: [&[f64]; 2], into: &mut Slopes) {
        self.accelerate(at, paths, acc);
        let kept = self.forces.iter().enumerate();
        for ((j, force), a) in kept.zip(at.model.actuators()) {
            match a.acts_on {
                ActsOn::Joint { iv, .. }
                    if !force.held && (force.by_length != 0.0 || force.by_rate != 0.0) =>
                {
                    let gear = -a.gear[0];
                    let by_v = gear * force.by_rate + at.time_step * self.ahead[j].resists[0];
                    into.add_own(iv, gear * force.by_length, by_v);
                }
                ActsOn::Tendon(_) | ActsOn::Site { .. } | ActsOn::Ball { .. } if force.acts() => {
                    let Some(i) = paths.of_actuator(j) else {
                        continue;
                    };
                    let (dofs, g, gradient) =
                        (paths.support(i), paths.moment(i), paths.gradient(i));
                    let (pull, gear) = (self.whole(at, paths, [j, i]), a.gear[0]);
                    let by_length = gear * force.by_length;
                    let by_rate = gear * force.by_rate - at.time_step * self.ahead[j].resists[0];
                    let (weight, has_acc) = (self.weight(j), !self.acc.is_empty());
                    let hessian = paths.hessian(i).chunks_exact(dofs.len().max(1));
                    for ((c, column), h) in dofs.iter().enumerate().zip(hessian) {
                        let along =
                            |x: &[f64]| -> f64 { dofs.iter().zip(h).map(|(k, h)| x[*k] * h).sum() };
                        let mut by_q = by_length * gradient[c] + by_rate * along(at.v);
                        if weight != 0.0 && has_acc {
                            by_q -= weight * along(&self.acc);
                        }
                        let by_v = by_rate * g[c];
                        for ((row, g), h) in dofs.iter().zip(g).zip(h) {
                            let dofs = [*row, *column];
                            into.add(dofs, -(pull * h + g * by_q), -(g * by_v));
                        }
                    }
                }
                ActsOn::Joint { .. } | ActsOn::Tendon(_) => {}
                ActsOn::Site { .. } | ActsOn::Ball { .. } | ActsOn::Body(_) => {}
            }
        }
    }

    /// Adds −∂f/∂p to `r`. Displaced joints and points move the path points of tendons.
    pub fn by_parameter(&self, at: &State<'_>, paths: &Paths, p: &Param, r: &mut [f64]) {
        if p.kind == ParamKind::ActuatorGain {
            let j = p.index as usize;
            if self.forces[j].held {
                return;
            }
            for (k, moment) in self.inputs[j].moments() {
                r[k] -= moment * self.forces[j].by_gain;
            }
            return;
        }
        let Some(displaced) = Displacement::of(at.model, at.params, at.kin, p) else {
            return;
        };
        let kept = self.forces.iter().enumerate();
        for ((j, force), a) in kept.zip(at.model.actuators()) {
            let Some(i) = paths.of_actuator(j) else {
                continue;
            };
            if !force.acts() {
                continue;
            }
            let (pull, mut turned) = (self.whole(at, paths, [j, i]), [0.0; 2]);
            let stretched = paths.along(at.kin, i, &displaced, |k, dg| {
                r[k] -= pull * dg;
                turned[0] += at.v[k] * dg;
                turned[1] += self.acc.get(k).map_or(0.0, |a| a * dg);
            });
            let by_rate = a.gear[0] * force.by_rate - at.time_step * self.ahead[j].resists[0];
            let change = a.gear[0] * force.by_length * stretched + by_rate * turned[0]
                - self.weight(j) * turned[1];
            for (k, g) in paths.moments(i) {
                r[k] -= g * change;
            }
        }
    }

    /// Force of an actuator before the gear, and length and rate of its transmission after the gear, at the
    /// last state.
    pub fn told(&self, at: &State<'_>, paths: &Paths, j: usize) -> [f64; 3] {
        let a = &at.model.actuators()[j];
        let [length, rate] = match a.acts_on {
            ActsOn::Joint { iq, iv, .. } => [at.q[iq], at.v[iv]],
            _ => {
                (paths.of_actuator(j)).map_or([0.0; 2], |i| [paths.length(i), paths.rate(i, at.v)])
            }
        };
        [self.forces[j].force, a.gear[0] * length, a.gear[0] * rate]
    }

    /// Visits the derivatives of length and rate of an actuator's transmission: (dof, [length by q, rate by
    /// v, rate by q]). `paths` holds second derivatives.
    pub fn for_motion(
        &self,
        at: &State<'_>,
        paths: &Paths,
        j: usize,
        mut visit: impl FnMut(usize, [f64; 3]),
    ) {
        let a = &at.model.actuators()[j];
        let gear = a.gear[0];
        if let ActsOn::Joint { iv, .. } = a.acts_on {
            visit(iv, [gear, gear, 0.0]);
        }
        if let Some(i) = paths.of_actuator(j) {
            let mut gradient = paths.gradient(i).iter();
            paths.for_rate(i, at.v, |k, g, turned| {
                let along = gradient.next().copied().unwrap_or(0.0);
                visit(k, [along, g, turned].map(|x| gear * x));
            });
        }
    }

    /// Visits the derivatives of an actuator's force: (dof, by q, by v). `paths` holds second
    /// derivatives.
    pub fn for_slopes(
        &self,
        at: &State<'_>,
        paths: &Paths,
        j: usize,
        mut visit: impl FnMut(usize, f64, f64),
    ) {
        let f = &self.forces[j];
        if let ActsOn::Joint { iv, .. } = at.model.actuators()[j].acts_on {
            visit(iv, f.by_length, f.by_rate);
        }
        if let Some(i) = paths.of_actuator(j) {
            let mut gradient = paths.gradient(i).iter();
            paths.for_rate(i, at.v, |k, g, turned| {
                let along = gradient.next().copied().unwrap_or(0.0);
                visit(k, f.by_length * along + f.by_rate * turned, f.by_rate * g);
            });
        }
    }

    /// Derivative of [`Actuators::force`] by the input.
    pub fn by_input(&self, j: usize) -> f64 {
        self.forces[j].by_u
    }

    /// Force of an actuator at the last state [N or N m], before the gear and the bounds of its joint.
    pub fn force(&self, j: usize) -> f64 {
        self.forces[j].force
    }

    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }
}
