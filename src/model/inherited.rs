//! Data of models that are not in their descriptions: keyframes by their parts, pairs, bounds of inputs.

use super::compile::depth_first;
use super::spec::{ActuatorSpec, ModelSpec};
use super::{Actuation, Keyframe, Model};
use crate::error::Result;

/// Data of a builder that are not in its description. Geoms and joints are by the builder's ids.
#[derive(Clone, Debug, Default)]
pub(super) struct Inherited {
    /// Whether added actuators come after inputs on dofs.
    pub more_inputs: bool,
    pub added: Vec<ActuatorSpec>,
    /// Whether inputs on dofs are clamped to the joints' effort limits.
    pub effort_limits: bool,
    pub chosen_pairs: Vec<([usize; 2], bool)>,
    pub keyframes: Vec<Stored>,
    /// Warnings that compilation does not give.
    pub notes: Vec<String>,
}

/// A keyframe by its parts, so that others can be added: joints with q and v, inputs, and the
/// activations of inputs.
#[derive(Clone, Debug)]
pub(super) struct Stored {
    pub name: String,
    pub joints: Vec<(usize, Vec<f64>, Vec<f64>)>,
    pub inputs: Vec<(usize, f64)>,
    pub acts: Vec<(usize, f64)>,
}

impl Inherited {
    /// Adds these data to a model compiled from the builder's description. `joint_places` gives, for
    /// every joint by the builder's ids, its body and its index among the body's joints.
    pub(super) fn apply(
        &self,
        mut model: Model,
        spec: &ModelSpec,
        joint_places: &[(usize, usize)],
    ) -> Result<Model> {
        if self.effort_limits && model.actuation != Actuation::FromFile {
            model = model.with_effort_limits();
        }
        if !self.added.is_empty() {
            model = model.with_actuators(&self.added)?;
        }
        let order = depth_first(&spec.bodies)?;
        if !self.chosen_pairs.is_empty() {
            let geoms = sorted_geoms(spec, &inverse(&order));
            let place = inverse(&geoms);
            let mut pairs: Vec<_> = (self.chosen_pairs.iter())
                .map(|&([a, b], enabled)| {
                    let (a, b) = (place[a], place[b]);
                    ([a.min(b), a.max(b)], enabled)
                })
                .collect();
            pairs.sort_by_cached_key(|c| c.0);
            model.chosen_pairs = pairs;
        }
        // Joints of the model are numbered through the bodies in their order.
        let mut first = vec![0; spec.bodies.len()];
        let mut count = 0;
        for &body in &order {
            first[body] = count;
            count += spec.bodies[body].joints.len();
        }
        for stored in &self.keyframes {
            let keyframe = stored.whole(&model, &first, joint_places);
            model.keyframes.push(keyframe);
        }
        for note in &self.notes {
            if !model.warnings.contains(note) {
                model = model.warned(note.clone());
            }
        }
        Ok(model)
    }
}

impl Stored {
    /// The parts of a keyframe of a model whose joints and inputs are the builder's, up to an offset of
    /// the joints.
    pub fn of(model: &Model, keyframe: &Keyframe) -> Stored {
        let joints = model.joints.iter().enumerate().map(|(id, j)| {
            let q = keyframe.q[j.iq..j.iq + j.nq].to_vec();
            (id, q, keyframe.v[j.iv..j.iv + j.nv].to_vec())
        });
        let acts = model.activated().zip(&keyframe.act);
        Stored {
            name: keyframe.name.clone(),
            joints: joints.collect(),
            inputs: keyframe.u.iter().copied().enumerate().collect(),
            acts: acts.map(|((input, _), act)| (input, *act)).collect(),
        }
    }

    /// The whole keyframe: neutral, at rest and without input where nothing is stored. `first` is the
    /// first joint in the model of each of the builder's bodies.
    fn whole(&self, model: &Model, first: &[usize], joint_places: &[(usize, usize)]) -> Keyframe {
        let (mut q, mut v) = (model.neutral.clone(), vec![0.0; model.nv()]);
        for (id, from_q, from_v) in &self.joints {
            let (body, k) = joint_places[*id];
            let j = &model.joints[first[body] + k];
            q[j.iq..j.iq + j.nq].copy_from_slice(from_q);
            v[j.iv..j.iv + j.nv].copy_from_slice(from_v);
        }
        let mut u = vec![0.0; model.nu()];
        for (i, x) in &self.inputs {
            if let Some(to) = u.get_mut(*i) {
                *to = *x;
            }
        }
        let act = model.activated().map(|(input, _)| {
            let stored = self.acts.iter().find(|(i, _)| *i == input);
            stored.map_or(0.0, |(_, act)| *act)
        });
        Keyframe {
            name: self.name.clone(),
            q,
            v,
            u,
            act: act.collect(),
        }
    }
}

/// The index of each entry of a permutation.
pub(super) fn inverse(order: &[usize]) -> Vec<usize> {
    let mut place = vec![0; order.len()];
    for (new, &old) in order.iter().enumerate() {
        place[old] = new;
    }
    place
}

/// Geoms in the order of a model whose bodies have these indices.
pub(super) fn sorted_geoms(spec: &ModelSpec, place: &[usize]) -> Vec<usize> {
    let mut geoms: Vec<usize> = (0..spec.geoms.len()).collect();
    geoms.sort_by_cached_key(|g| place[spec.geoms[*g].body]);
    geoms
}
