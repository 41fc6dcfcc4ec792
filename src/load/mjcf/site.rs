//! `<site>`: of its attributes only the placement has a meaning here.

use super::geom::segment;
use super::node::Node;
use super::orientation::{Angles, rotation_of_z_to};
use crate::error::Result;
use crate::spatial::{Pose, Quat, Vec3};

#[derive(Clone, Default)]
pub(super) struct SiteSettings {
    position: Vec3,
    orientation: Quat,
    ends: Option<[f64; 6]>,
}

impl SiteSettings {
    pub fn read(&mut self, node: Node<'_>, angles: &Angles) -> Result<()> {
        self.position = node.vec3("pos")?.unwrap_or(self.position);
        self.orientation = angles.orientation(node)?.unwrap_or(self.orientation);
        self.ends = node.array("fromto")?.or(self.ends);
        Ok(())
    }

    /// Placement in the frame in which the element stands.
    pub fn build(&self, node: Node<'_>) -> Result<Pose> {
        match self.ends {
            None => Ok(Pose::from_quat(self.orientation, self.position)),
            Some(ends) => {
                let (centre, along) = segment(ends);
                let q = rotation_of_z_to(along)
                    .ok_or_else(|| node.error("fromto: the two points coincide"))?;
                Ok(Pose::from_quat(q, centre))
            }
        }
    }
}
