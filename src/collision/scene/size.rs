//! Changes of the geoms' sizes, and the motion of contacts with them.

use super::Scene;
use super::broad::Broad;
use super::found::SceneContact;
use super::geom::link_bounds;
use super::solid::Solid;
use crate::collision::Shape;
use crate::error::Result;
use crate::model::Model;
use crate::spatial::Vec3;

impl Scene {
    /// Sets the sizes of the geoms, see [`ShapeSpec::sizes`]; one entry a geom. If a size changes, this
    /// allocates and removes the contacts.
    ///
    /// # Errors
    /// `InvalidArgument` for a size that is not positive.
    ///
    /// [`ShapeSpec::sizes`]: crate::model::spec::ShapeSpec::sizes
    pub fn resize(&mut self, model: &Model, sizes: &[[f64; 3]]) -> Result<()> {
        let (mut changed, mut statics, mut resized) = (false, false, Vec::new());
        let geoms = self
            .geoms
            .iter_mut()
            .zip(&mut self.solids)
            .zip(model.geoms());
        for (i, (((geom, solid), spec), sizes)) in geoms.zip(sizes).enumerate() {
            if geom.sizes == *sizes {
                continue;
            }
            let shape = spec.shape.resized(*sizes);
            *solid = Solid::compile(&shape)?;
            geom.measure(solid, &shape);
            (changed, statics) = (true, statics | geom.in_hierarchy);
            resized.push(i);
        }
        if !changed {
            return Ok(());
        }
        for i in resized {
            let spec = &model.geoms()[i];
            self.patches
                .resize(i, spec, &spec.shape.resized(sizes[i]))?;
        }
        self.found.clear();
        self.buffers.forget();
        self.bounds = link_bounds(model, &self.geoms);
        self.motions.measure(&self.geoms, &self.bounds);
        if let (Some(c), Some(b)) = (self.centers.last_mut(), self.bounds.last()) {
            *c = b.0;
        }
        if let Some(Broad::List(list)) = self.broad.as_deref_mut() {
            list.measure(&self.geoms);
        }
        if statics {
            self.statics.measure(&self.geoms, &self.rules);
        }
        Ok(())
    }

    /// Motion of the surface of a contact's geom `side` with one of the geom's sizes, at a fixed
    /// normal, per unit of the size; world axes.
    ///
    /// A contact is where surface points with opposite normals are nearest, and edges and vertices meet
    /// along their own lines. To first order the contact moves as if its geom were displaced by this
    /// vector.
    pub fn size_motion(&self, c: &SceneContact, side: usize, component: usize) -> Vec3 {
        let geom = c.geom[side];
        let midway = match self.plane_of(c) {
            // The middle stays.
            Some(plane) if plane.side == side => return Vec3::ZERO,
            Some(plane) => plane.contact,
            None => c.face.lift(c.point),
        };
        let Solid::Primitive { shape, .. } = &self.solids[geom] else {
            return Vec3::ZERO;
        };
        let pose = &self.poses[geom];
        let sign = if side == 0 { 1.0 } else { -1.0 };
        let outward = c.point.normal * sign;
        let surface = midway.point - outward * (0.5 * midway.gap);
        let at = pose.rot.tr_mul_vec(surface - pose.pos);
        let normal = pose.rot.tr_mul_vec(outward);
        pose.rot
            .mul_vec(shape.support_motion(component, at, normal))
    }
}

impl Shape {
    /// Derivative of the surface point `at` with this outward normal by a size.
    fn support_motion(&self, component: usize, at: Vec3, normal: Vec3) -> Vec3 {
        // Towards the end on the point's side. A point at the middle is on neither side; there the ends
        // move nothing that touches.
        let towards = |k: usize| Vec3::unit(k) * at[k].signum();
        match *self {
            Shape::Plane => Vec3::ZERO,
            Shape::Sphere { .. } => normal,
            Shape::Capsule { .. } if component == 0 => normal,
            Shape::Cylinder { radius, .. } if component == 0 => {
                Vec3::new(at.x, at.y, 0.0) * (1.0 / radius)
            }
            // The lowest point of the upper ball may be below the capsule's middle.
            Shape::Capsule { radius, .. } => Vec3::Z * (at.z - radius * normal.z).signum(),
            Shape::Cylinder { .. } => towards(2),
            Shape::Box { .. } => towards(component),
            // The point is A²n/‖An‖, with A = diag(a).
            Shape::Ellipsoid { semi_axes: a } => {
                let scaled = a.scale(normal);
                let size = scaled.norm();
                let (ak, nk) = (a[component], normal[component]);
                let own = Vec3::unit(component) * (2.0 * ak * nk / size);
                own - a.scale(scaled) * (ak * nk * nk / (size * size * size))
            }
        }
    }
}
