//! The surfaces of deformable bodies, which frames show without being asked.

use super::surface::Surfaces;
use crate::dynamics::kinematics::Kinematics;
use crate::error::Result;
use crate::model::Model;
use crate::model::deformable::DeformableSpec;
use crate::spatial::Vec3;

const COLOR: [f32; 4] = [0.85, 0.5, 0.3, 1.0];

/// The surface of a body of tetrahedra or triangles.
pub(super) struct Skin {
    pub name: String,
    /// The body of each point, and its place there.
    nodes: Vec<(usize, Vec3)>,
    triangles: Vec<[u32; 3]>,
    /// In the world.
    points: Vec<[f64; 3]>,
}

impl Skin {
    /// The surfaces of all deformable bodies with tetrahedra or triangles. Number k without a name is
    /// "deformable_k".
    pub fn all(model: &Model) -> Vec<Skin> {
        let bodies = model.deformables().iter().enumerate();
        bodies
            .filter(|(_, d)| d.has_volume())
            .map(|(k, d)| Skin::of(k, d))
            .collect()
    }

    fn of(k: usize, d: &DeformableSpec) -> Skin {
        let surface = d.surface();
        let mut places = vec![u32::MAX; d.nodes.len()];
        let mut nodes = Vec::new();
        for i in surface.iter().flatten() {
            if places[*i] == u32::MAX {
                places[*i] = super::bytes::id(nodes.len());
                nodes.push((d.nodes[*i].body, d.nodes[*i].at));
            }
        }
        Skin {
            name: match &d.name[..] {
                "" => format!("deformable_{k}"),
                name => name.to_owned(),
            },
            points: vec![[0.0; 3]; nodes.len()],
            triangles: surface.iter().map(|face| face.map(|i| places[i])).collect(),
            nodes,
        }
    }

    /// Shows the surface at this configuration from the next frame on.
    ///
    /// # Errors
    /// Those of [`Surfaces::set`].
    pub fn show(
        &mut self,
        model: &Model,
        kin: &Kinematics,
        surfaces: &mut Surfaces,
        capacity: usize,
    ) -> Result<()> {
        for (point, (body, at)) in self.points.iter_mut().zip(&self.nodes) {
            *point = kin.body_pose(model, *body).point(*at).to_array();
        }
        surfaces.set(capacity, &self.name, &self.points, &self.triangles, COLOR)
    }
}
