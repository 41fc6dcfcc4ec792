//! Takes frames of simulations.

use super::arrows::{self, Arrow, Quantity};
use super::clock::Clock;
use super::frame::{self, Seen};
use super::model::Channel;
use super::ring::Ring;
use super::skin::Skin;
use super::surface::Surfaces;
use super::write::Output;
use crate::batch::Batch;
use crate::dynamics::kinematics::{Kinematics, positions};
use crate::error::{Error, Result};
use crate::linalg::first_not_finite;
use crate::load::visual::{Visual, Visuals};
use crate::model::Model;
use crate::rollout::Rollout;
use crate::step::{LastStep, Sim};
use std::sync::Arc;

/// Largest number of the caller's arrows in one frame.
const USER_ARROWS: usize = 64;

/// Options of a recorder.
#[derive(Clone, Copy, Debug)]
pub struct RecorderOptions {
    /// Frames per second of simulated time; 0: one for each step.
    pub rate: f64,
    /// Size of the ring [bytes].
    pub capacity: usize,
}

impl Default for RecorderOptions {
    fn default() -> Self {
        RecorderOptions {
            rate: 60.0,
            capacity: 16 << 20,
        }
    }
}

/// Records simulations of one model. After the first frame only [`Recorder::bytes`] allocates, and a surface
/// that is larger than before.
pub struct Recorder {
    pub(super) model: Arc<Model>,
    pub(super) options: RecorderOptions,
    pub(super) channels: Vec<Channel>,
    values: Vec<f64>,
    pub(super) visuals: Vec<Visual>,
    warnings: Vec<String>,
    pub(super) ring: Ring,
    pub(super) surfaces: Surfaces,
    /// Of the deformable bodies whose surface the caller does not draw.
    skins: Vec<Skin>,
    pub(super) output: Option<Output>,
    kin: Kinematics,
    wrenches: Vec<(usize, [f64; 6])>,
    arrows: Vec<Arrow>,
    /// Gradients by pose, velocity and control for the next frame.
    gradients: [Vec<f64>; 3],
    wanted: [bool; 3],
    clock: Clock,
    frames: u64,
    dropped: u64,
    pub(super) memory: Vec<u8>,
}

impl Recorder {
    /// # Errors
    /// `InvalidArgument` naming the option; `Capacity` if memory does not suffice.
    pub fn new(model: Arc<Model>, options: &RecorderOptions) -> Result<Recorder> {
        if !(options.rate >= 0.0 && options.rate.is_finite()) {
            return Err(Error::invalid(format!(
                "rate: must be finite and not negative, got {}",
                options.rate
            )));
        }
        let least = frame::fixed_size(&model, 0);
        let capacity = options.capacity / 8 * 8;
        if capacity < least {
            return Err(Error::invalid(format!(
                "capacity: a frame of this model takes {least} bytes, got {}",
                options.capacity
            )));
        }
        let ring = Ring::new(capacity).ok_or_else(|| {
            Error::capacity(format!("capacity: there is no memory for {capacity} bytes"))
        })?;
        let (nv, nu) = (model.nv(), model.nu());
        Ok(Recorder {
            ring,
            surfaces: Surfaces::default(),
            skins: Skin::all(&model),
            options: *options,
            channels: Vec::new(),
            values: Vec::new(),
            visuals: Vec::new(),
            warnings: Vec::new(),
            output: None,
            kin: Kinematics::new(&model),
            wrenches: Vec::with_capacity(model.nbody()),
            arrows: Vec::with_capacity(arrows::most(&model) + USER_ARROWS),
            gradients: [nv, nv, nu].map(|n| vec![0.0; n]),
            wanted: [false; 3],
            clock: Clock::default(),
            frames: 0,
            dropped: 0,
            memory: Vec::new(),
            model,
        })
    }

    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    fn unused(&self, what: &str) -> Result<()> {
        if self.frames == 0 && self.output.is_none() {
            return Ok(());
        }
        Err(Error::invalid(format!(
            "recorder: add {what} before the first frame and before the file"
        )))
    }

    /// Adds a named list of numbers to every frame and returns its index. The numbers are zero until you set
    /// them.
    ///
    /// # Errors
    /// `InvalidArgument` for a size of zero, for a name that exists, or after the first frame.
    pub fn add_channel(&mut self, name: &str, size: usize) -> Result<usize> {
        self.unused("channels")?;
        if size == 0 || size > 1 << 20 {
            return Err(Error::invalid(format!(
                "size: must be 1 to {}, got {size}",
                1 << 20
            )));
        }
        if self.channels.iter().any(|c| c.name == name) {
            return Err(Error::invalid(format!(
                "name: there is already a channel \"{name}\""
            )));
        }
        self.values.resize(self.values.len() + size, 0.0);
        self.channels.push(Channel {
            name: name.into(),
            size,
        });
        Ok(self.channels.len() - 1)
    }

    /// Sets the numbers of a channel for the next frames.
    pub fn set_channel(&mut self, channel: usize, values: &[f64]) -> Result<()> {
        let at = self.channel(channel)?;
        if values.len() != at.len() {
            return Err(Error::invalid(format!(
                "values: channel \"{}\" has {} numbers, got {}",
                self.channels[channel].name,
                at.len(),
                values.len()
            )));
        }
        self.values[at].copy_from_slice(values);
        Ok(())
    }

    pub fn channel_count(&self) -> usize {
        self.channels.len()
    }

    /// Range of a channel's numbers within those of a frame.
    pub fn channel(&self, channel: usize) -> Result<std::ops::Range<usize>> {
        let Some(c) = self.channels.get(channel) else {
            return Err(Error::invalid(format!(
                "channel: there are {}, got {channel}",
                self.channels.len()
            )));
        };
        let start = self.channels[..channel].iter().map(|c| c.size).sum();
        Ok(start..start + c.size)
    }

    /// Adds the visuals of the bodies.
    pub fn add_visuals(&mut self, visuals: Visuals) -> Result<()> {
        self.unused("visuals")?;
        self.visuals.extend(visuals.shapes);
        self.warnings.extend(visuals.warnings);
        Ok(())
    }

    /// Visuals that were left out, and colours that could not be determined: one line each.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Sets the gradient by the tangent of q, by v (nv numbers each) or by u (nu) that the next frame shows.
    pub fn set_gradient(&mut self, quantity: Quantity, values: &[f64]) -> Result<()> {
        let k = quantity as usize;
        let Some(to) = self.gradients.get_mut(k) else {
            return Err(Error::invalid(
                "quantity: expected a gradient by pose, velocity or control",
            ));
        };
        if to.len() != values.len() {
            return Err(Error::invalid(format!(
                "values: expected {} numbers, got {}",
                to.len(),
                values.len()
            )));
        }
        if let Some(i) = first_not_finite(values) {
            return Err(Error::numerical(format!(
                "values[{i}]: must be finite, got {}",
                values[i]
            )));
        }
        to.copy_from_slice(values);
        self.wanted[k] = true;
        Ok(())
    }

    /// Adds an arrow to the next frame.
    pub fn add_arrow(&mut self, body: usize, point: [f64; 3], vector: [f64; 3]) -> Result<()> {
        if body >= self.model.nbody() {
            return Err(Error::invalid(format!(
                "body: there are {}, got {body}",
                self.model.nbody()
            )));
        }
        for (name, x) in [("point", point), ("vector", vector)] {
            if x.iter().any(|x| !x.is_finite()) {
                return Err(Error::numerical(format!(
                    "{name}: must be finite, got {x:?}"
                )));
            }
        }
        if self.arrows.len() == USER_ARROWS {
            return Err(Error::capacity(format!(
                "a frame has room for {USER_ARROWS} arrows of the caller"
            )));
        }
        self.arrows.push(Arrow {
            quantity: Quantity::User,
            angular: false,
            body,
            point,
            vector,
        });
        Ok(())
    }

    /// Number of frames taken.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Number of frames that newer ones have displaced from the ring without a file.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Takes a frame of the last step of a simulation if one is due; call it after every step. The first call
    /// also takes the state before the step. Returns the number of frames taken.
    ///
    /// # Errors
    /// `InvalidArgument` for a simulation of another model, `NoStep` before a step, `Capacity` for a frame
    /// larger than the ring, `Io` if the ring is full and cannot be written to the file. The simulation does
    /// not change.
    pub fn step(&mut self, sim: &Sim) -> Result<usize> {
        if !Arc::ptr_eq(sim.model(), &self.model) {
            return Err(Error::invalid(
                "sim: must be one of the model that the recorder was made for",
            ));
        }
        let before = self.clock;
        self.look(sim, sim.last_step()?)
            .inspect_err(|_| self.clock = before)
    }

    fn look(&mut self, sim: &Sim, last: LastStep) -> Result<usize> {
        let mut taken = 0;
        if self.frames == 0 && self.clock.step == 0 && self.clock.due(self.options.rate) {
            self.place(sim, last.q);
            let (time, step) = (self.clock.time(), self.clock.step);
            self.take(Seen {
                q: last.q,
                v: last.v,
                ..start(time, step)
            })?;
            taken += 1;
        }
        self.clock.advance(sim.options().time_step);
        if self.clock.due(self.options.rate) {
            self.place(sim, last.q_next);
            self.wrenches.clear();
            for body in 0..self.model.nbody() {
                let wrench = sim.external_wrench(body);
                if wrench != [0.0; 6] {
                    self.wrenches.push((body, wrench));
                }
            }
            let (time, step) = (self.clock.time(), self.clock.step);
            self.take(Seen {
                q: last.q_next,
                v: last.v_next,
                u: Some(last.u),
                info: Some(last.info),
                contacts: last.contacts,
                ..start(time, step)
            })?;
            taken += 1;
        }
        Ok(taken)
    }

    /// Takes a frame of a state at a time [s], whatever the rate: poses without contacts.
    ///
    /// # Errors
    /// Those of [`Recorder::step`]; `Numerical` and `InvalidArgument` for q and v.
    pub fn state(&mut self, time: f64, q: &[f64], v: &[f64]) -> Result<()> {
        for (name, x, n) in [("q", q, self.model.nq()), ("v", v, self.model.nv())] {
            if x.len() != n || x.iter().any(|x| !x.is_finite()) {
                return Err(Error::numerical(format!(
                    "{name}: expected {n} finite numbers"
                )));
            }
        }
        if !time.is_finite() {
            return Err(Error::numerical(format!(
                "time: must be finite, got {time}"
            )));
        }
        if let Some((joint, norm)) = self.model.bad_quaternion(q) {
            return Err(Error::invalid(format!(
                "q: the quaternion of joint \"{joint}\" must have length 1, got {norm:e}"
            )));
        }
        let model = self.model.clone();
        positions(&mut self.kin, &model, model.params(), q);
        self.wrenches.clear();
        let step = self.clock.step;
        self.take(Seen {
            q,
            v,
            ..start(time, step)
        })
    }

    /// Takes frames of an element of a batch after a step, as [`Recorder::step`].
    pub fn element(&mut self, batch: &Batch, element: usize) -> Result<usize> {
        self.step(batch.sim(element)?)
    }

    /// Repeats the last run of a rollout and takes its frames. The first one shows the gradient by the
    /// initial state; each other one shows the gradient by the input of the step that led to it (nv, nv and
    /// nu×N numbers).
    ///
    /// # Errors
    /// Those of [`Recorder::step`]; `NoStep` before a run.
    pub fn rollout(
        &mut self,
        rollout: &mut Rollout,
        q0_bar: Option<&[f64]>,
        v0_bar: Option<&[f64]>,
        u_bar: Option<&[f64]>,
    ) -> Result<()> {
        let nu = self.model.nu();
        let steps = rollout.steps().unwrap_or(0);
        if let Some(x) = u_bar.filter(|x| x.len() != nu * steps) {
            return Err(Error::invalid(format!(
                "u_bar: expected {} numbers, got {}",
                nu * steps,
                x.len()
            )));
        }
        for (quantity, x) in [(Quantity::Pose, q0_bar), (Quantity::Velocity, v0_bar)] {
            if let Some(x) = x {
                self.set_gradient(quantity, x)?;
            }
        }
        rollout.repeat(&mut |k, sim| {
            if let Some(x) = u_bar {
                self.set_gradient(Quantity::Control, &x[k * nu..(k + 1) * nu])?;
            }
            self.step(sim).map(|_| ())
        })
    }

    fn place(&mut self, sim: &Sim, q: &[f64]) {
        positions(&mut self.kin, &self.model, sim.params(), q);
    }

    /// Shows a surface in all frames from the next one on, until you set its name again: points \[m\] in
    /// world axes, triangles of these points, and a colour (red, green, blue, opacity: 0 to 1). Without
    /// points the surface is removed. The last call before a frame counts. The same sizes as before allocate
    /// nothing. The name of a deformable body replaces the surface that frames show of it.
    ///
    /// # Errors
    /// `Numerical` for a point that is not finite; `InvalidArgument` for an index out of range and for the
    /// colour; `Capacity` if the surface exceeds the ring, or for more than 256 names. Nothing changes then.
    pub fn set_surface(
        &mut self,
        name: &str,
        points: &[[f64; 3]],
        triangles: &[[u32; 3]],
        rgba: [f32; 4],
    ) -> Result<()> {
        (self.surfaces).set(self.ring.capacity(), name, points, triangles, rgba)?;
        self.skins.retain(|skin| skin.name != name);
        Ok(())
    }

    /// Puts a frame into the ring, behind its surfaces; `kin` and `wrenches` belong to the frame.
    fn take(&mut self, seen: Seen) -> Result<()> {
        let capacity = self.ring.capacity();
        for skin in &mut self.skins {
            skin.show(&self.model, &self.kin, &mut self.surfaces, capacity)?;
        }
        let user = self.arrows.len();
        for (k, quantity) in [Quantity::Pose, Quantity::Velocity, Quantity::Control]
            .into_iter()
            .enumerate()
        {
            // The initial state has no input.
            let shown = self.wanted[k] && (quantity != Quantity::Control || seen.u.is_some());
            if !shown {
                continue;
            }
            let (gradient, arrows) = (&self.gradients[k], &mut self.arrows);
            let mut show = |a| arrows.push(a);
            match quantity {
                Quantity::Control => {
                    arrows::of_controls(&self.model, &self.kin, gradient, &mut show);
                }
                _ => arrows::of_dofs(&self.model, &self.kin, quantity, gradient, &mut show),
            }
        }
        let counts = [
            self.values.len(),
            seen.contacts.len(),
            self.wrenches.len(),
            self.arrows.len(),
        ];
        let size = frame::size(&self.model, counts);
        let room = if size > self.ring.capacity() {
            Err(Error::capacity(format!(
                "capacity: a frame takes {size} bytes, the recorder has {}",
                self.ring.capacity()
            )))
        } else {
            self.push_surfaces().and_then(|()| self.make_room(size))
        };
        if let Err(e) = room {
            self.arrows.truncate(user);
            return Err(e);
        }
        let seen = Seen {
            channels: &self.values,
            wrenches: &self.wrenches,
            arrows: &self.arrows,
            ..seen
        };
        frame::write(self.ring.push(size), &self.model, &self.kin, &seen);
        self.frames += 1;
        let control = seen.u.is_some();
        self.arrows.clear();
        self.wanted = [false, false, self.wanted[2] && !control];
        Ok(())
    }

    fn make_room(&mut self, size: usize) -> Result<()> {
        if !self.ring.has_room(size) && self.output.is_some() {
            self.flush()?;
        }
        while !self.ring.has_room(size) {
            self.dropped += u64::from(self.surfaces.drop_first(&mut self.ring));
        }
        Ok(())
    }

    /// Puts the surfaces that were set since the last frame into the ring.
    fn push_surfaces(&mut self) -> Result<()> {
        for slot in 0..self.surfaces.count() {
            let size = self.surfaces.waiting(slot);
            if size > 0 {
                self.make_room(size)?;
                self.surfaces.hand_over(slot, self.ring.push(size));
            }
        }
        Ok(())
    }
}

/// A state that no step produced.
fn start<'a>(time: f64, step: u64) -> Seen<'a> {
    Seen {
        time,
        step,
        q: &[],
        v: &[],
        u: None,
        info: None,
        contacts: &[],
        channels: &[],
        wrenches: &[],
        arrows: &[],
    }
}
