//! `<site>`: a frame, and a region around it.

use super::geom::segment;
use super::node::Node;
use super::orientation::Angles;
use crate::error::Result;
use crate::model::sensor::{Zone, ZoneShape};
use crate::spatial::{Pose, Quat, Vec3};

#[derive(Clone, Default)]
pub(super) struct SiteSettings {
    position: Vec3,
    orientation: Quat,
    ends: Option<[f64; 6]>,
    zone: Zone,
}

impl SiteSettings {
    pub fn read(&mut self, node: Node<'_>, angles: &Angles) -> Result<()> {
        self.position = node.vec3("pos")?.unwrap_or(self.position);
        self.orientation = angles.orientation(node)?.unwrap_or(self.orientation);
        self.ends = node.array("fromto")?.or(self.ends);
        let zones = [
            ("sphere", ZoneShape::Sphere),
            ("capsule", ZoneShape::Capsule),
            ("ellipsoid", ZoneShape::Ellipsoid),
            ("cylinder", ZoneShape::Cylinder),
            ("box", ZoneShape::Box),
        ];
        self.zone.shape = node.keyword("type", &zones)?.unwrap_or(self.zone.shape);
        node.numbers("size", 1, &mut self.zone.size)?;
        Ok(())
    }

    /// Placement in the frame of its element, and the region around it.
    pub fn build(&self, node: Node<'_>) -> Result<(Pose, Zone)> {
        let Some(ends) = self.ends else {
            let pose = Pose::from_quat(self.orientation, self.position);
            return Ok((pose, self.zone));
        };
        let (centre, along) = segment(ends);
        let q =
            Quat::of_z_to(along).ok_or_else(|| node.error("fromto: the two points coincide"))?;
        let (mut zone, half) = (self.zone, 0.5 * along.norm());
        match zone.shape {
            ZoneShape::Capsule | ZoneShape::Cylinder => zone.size[1] = half,
            _ => zone.size = [zone.size[0], zone.size[0], half],
        }
        Ok((Pose::from_quat(q, centre), zone))
    }
}
