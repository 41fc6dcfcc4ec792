//! Rays: the first hit, its distance, and the derivative of the distance by the configuration.

use crate::collision::ray::Ray;
use crate::collision::scene::RayHit as Hit;
use crate::dynamics::kinematics::Kinematics;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::spatial::Vec3;
use crate::step::info::{REACH, check_body, check_finite, check_length, check_state};
use crate::step::{Gradient, Query};

/// Below this cosine of the angle to the normal a ray grazes: its distance has no derivative.
pub(super) const GRAZING: f64 = 1e-6;

/// Rays from any origins, world axes.
#[derive(Clone, Copy, Debug)]
pub struct Rays<'a> {
    /// 3 numbers each [m].
    pub origins: &'a [f64],
    /// 3 numbers each, of any length but zero.
    pub directions: &'a [f64],
    /// Range [m]; may be infinite.
    pub max_distance: f64,
    /// A body whose geoms are ignored.
    pub exclude_body: Option<usize>,
}

/// The first hit of a ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    pub geom: usize,
    /// Distance from the origin [m].
    pub distance: f64,
    /// Outward normal of the surface, world axes.
    pub normal: [f64; 3],
    /// [`Gradient::OneSided`] where the distance has a kink: on an edge, where a ray hits two surfaces at
    /// once, and at grazing incidence, whose derivative is left out.
    pub gradient: Gradient,
}

pub(super) fn ray_casts(
    at: &mut Query<'_>,
    q: &[f64],
    rays: &Rays<'_>,
    by_q: Option<&mut [f64]>,
    mut each: impl FnMut(usize, Option<RayHit>),
) -> Result<()> {
    check_state(at.model, q, None)?;
    let count = rays.check(at.model)?;
    let nv = at.model.nv();
    if let Some(x) = &by_q {
        check_length("ddistance", x, nv * count)?;
    }
    at.update_positions(q)?;
    at.with_scene(|scene, model, kin| {
        let mut columns = by_q;
        for i in 0..count {
            let ray = rays.ray(i)?;
            let hit = scene.ray_cast(model, kin, &ray, rays.max_distance, rays.exclude_body);
            if let Some(out) = &mut columns {
                let column = &mut out[i * nv..(i + 1) * nv];
                column.fill(0.0);
                if let Some(hit) = &hit {
                    distance_by_q(model, kin, &ray, hit, column);
                }
            }
            each(i, hit.map(|h| told(&ray, &h)));
        }
        Ok(())
    })
}

pub(super) fn ray_cast(
    at: &mut Query<'_>,
    q: &[f64],
    rays: &Rays<'_>,
    by_q: Option<&mut [f64]>,
) -> Result<Option<RayHit>> {
    check_length("origins", rays.origins, 3)?;
    let mut found = None;
    ray_casts(at, q, rays, by_q, |_, hit| found = hit)?;
    Ok(found)
}

impl Rays<'_> {
    /// Checks the rays and returns their number.
    fn check(&self, model: &Model) -> Result<usize> {
        let count = self.origins.len() / 3;
        check_finite("origins", self.origins, 3 * count)?;
        check_finite("directions", self.directions, 3 * count)?;
        if let Some(i) = self.origins.iter().position(|x| x.abs() >= REACH) {
            return Err(Error::numerical(format!(
                "origins[{i}]: must be below {REACH:e}, got {}",
                self.origins[i]
            )));
        }
        if self.max_distance.is_nan() || self.max_distance <= 0.0 {
            return Err(Error::invalid(format!(
                "max_distance must be positive, got {}",
                self.max_distance
            )));
        }
        if let Some(body) = self.exclude_body {
            check_body(model, body)?;
        }
        for i in 0..count {
            self.ray(i)?;
        }
        Ok(count)
    }

    fn ray(&self, i: usize) -> Result<Ray> {
        let at = |x: &[f64]| Vec3::from_slice(&x[3 * i..3 * i + 3]);
        let (origin, towards) = (at(self.origins), at(self.directions));
        // Scaled first: the square of a very short or long vector would underflow or overflow.
        let unit = (towards * (1.0 / towards.max_abs())).normalized();
        match unit.filter(|u| u.is_finite()) {
            Some(direction) => Ok(Ray { origin, direction }),
            None => Err(Error::invalid(format!(
                "directions: the direction of ray {i} must not be zero"
            ))),
        }
    }
}

/// n · ẋ / (n · d) with the velocity ẋ of the hit point on the geom.
pub(super) fn distance_by_q(
    model: &Model,
    kin: &Kinematics,
    ray: &Ray,
    hit: &Hit,
    out: &mut [f64],
) {
    let (n, t) = (hit.crossing.normal, model.topology());
    let rate = n.dot(ray.direction);
    if rate.abs() < GRAZING {
        return;
    }
    let n = n * (1.0 / rate);
    for k in t.path(hit.link) {
        let point = ray.at(hit.crossing.at) - kin.origin[t.links[hit.link].tree];
        out[k] = n.dot(kin.s[k].at(point));
    }
}

pub(super) fn told(ray: &Ray, hit: &Hit) -> RayHit {
    let c = hit.crossing;
    let grazes = c.normal.dot(ray.direction).abs() < GRAZING;
    RayHit {
        geom: hit.geom,
        distance: c.at,
        normal: c.normal.to_array(),
        gradient: match c.kink || grazes {
            true => Gradient::OneSided,
            false => Gradient::Exact,
        },
    }
}
