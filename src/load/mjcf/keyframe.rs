//! `<keyframe>`: stored states.

use super::Loader;
use super::names::Names;
use super::node::Node;
use crate::error::Result;
use crate::model::spec::{JointKind, KeyframeSpec};
use crate::spatial::Quat;

impl Loader {
    pub(super) fn read_keyframes(&mut self, section: Node<'_>) -> Result<()> {
        let (mut nq, mut nv) = (0, 0);
        let of_file = self.spec.bodies.iter().filter(|b| !b.mocap);
        for joint in of_file.flat_map(|b| &b.joints) {
            let (q, v) = match joint.kind {
                JointKind::Free => (7, 6),
                JointKind::Spherical => (4, 3),
                _ => (1, 1),
            };
            nq += q;
            nv += v;
        }
        let nu = self.spec.actuators.len();
        let mocap: Vec<[f64; 7]> = (self.spec.bodies.iter().filter(|b| b.mocap))
            .map(|b| {
                let [x, y, z] = b.placement.pos.to_array();
                let [qx, qy, qz, qw] = Quat::from_mat3(&b.placement.rot).to_array();
                [x, y, z, qw, qx, qy, qz]
            })
            .collect();
        let states = self
            .spec
            .actuators
            .iter()
            .filter(|a| a.activation.is_some());
        let na = states.count();
        for node in section.children() {
            let values = |name: &str, size: usize| -> Result<Vec<f64>> {
                match node.list(name)? {
                    Some(list) if list.len() != size => Err(node.error(format!(
                        "{name}: expected {size} numbers, found {}",
                        list.len()
                    ))),
                    list => Ok(list.unwrap_or_default()),
                }
            };
            // As in MuJoCo 4.0, numbers may be missing at the end.
            let mut partial = |name: &str, size: usize| -> Result<Vec<f64>> {
                let list = node.list(name)?.unwrap_or_default();
                if list.len() > size {
                    return Err(node.error(format!(
                        "{name}: expected at most {size} numbers, found {}",
                        list.len()
                    )));
                }
                if !list.is_empty() && list.len() < size {
                    let what = format!(
                        "{name} has fewer than {size} numbers: the others are those of the reference"
                    );
                    self.warnings.add(node, what);
                }
                Ok(list)
            };
            let (qpos, qvel) = (partial("qpos", nq)?, partial("qvel", nv)?);
            let (ctrl, act) = (partial("ctrl", nu)?, partial("act", na)?);
            let mut poses = mocap.clone();
            for (name, first, n) in [("mpos", 0, 3), ("mquat", 3, 4)] {
                let given = values(name, n * poses.len())?;
                for (pose, given) in poses.iter_mut().zip(given.chunks_exact(n)) {
                    pose[first..first + n].copy_from_slice(given);
                }
            }
            // Seven zeros would stand for the pose of the file.
            for pose in poses.iter_mut().filter(|p| p[3..] == [0.0; 4]) {
                pose[3] = 1.0;
            }
            let keyframe = KeyframeSpec {
                name: node.name().to_string(),
                qpos,
                mocap: poses.concat(),
                qvel,
                ctrl,
                act,
                origin: node.origin(),
            };
            Names::insert(
                &mut self.names.keyframes,
                node,
                node.name(),
                self.spec.keyframes.len(),
            )?;
            self.spec.keyframes.push(keyframe);
        }
        Ok(())
    }
}
