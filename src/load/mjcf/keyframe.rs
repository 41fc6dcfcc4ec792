//! `<keyframe>`: stored states.

use super::Loader;
use super::names::Names;
use super::node::Node;
use crate::error::Result;
use crate::model::spec::{JointKind, KeyframeSpec};

impl Loader {
    pub(super) fn read_keyframes(&mut self, section: Node<'_>) -> Result<()> {
        let (mut nq, mut nv) = (0, 0);
        for joint in self.spec.bodies.iter().flat_map(|b| &b.joints) {
            let (q, v) = match joint.kind {
                JointKind::Free => (7, 6),
                JointKind::Spherical => (4, 3),
                _ => (1, 1),
            };
            nq += q;
            nv += v;
        }
        let nu = self.spec.actuators.len();
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
            let keyframe = KeyframeSpec {
                name: node.name().to_string(),
                qpos: values("qpos", nq)?,
                qvel: values("qvel", nv)?,
                ctrl: values("ctrl", nu)?,
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
