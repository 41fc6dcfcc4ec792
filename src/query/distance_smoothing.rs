//! Smoothed distances: the mean of a pair's closest point, normal and gap over random displacements
//! of one of the two, and its derivative, for shapes whose normals or points jump.
//!
//! With f the closest point, normal and gap of geoms at poses (X_A, X_B), the smoothed quantity is
//! f̄ = E[f(X_A, X_B · D)], D a displacement of B about its own frame: a translation ~ N(0, σ_l²) an
//! axis and a rotation vector ω ~ N(0, σ_a²) an axis. Let a twist (δl, δω), linear part at B's frame,
//! move B. Its derivative is estimated
//! - to first order by the mean of the exact derivatives at the displaced poses. It has little
//!   variance, but is blind to jumps of f;
//! - to zeroth order by the mean of f(D) (t/σ_l², ω (1/σ_a² − 2 k(|ω|))), (t, ω) turned to the
//!   world's axes, k(θ) = 1/θ² − (1 + cos θ)/(2 θ sin θ). It sees jumps, at a variance that grows with
//!   1/σ². The weight is the derivative of the density of D, with k from the rotation's volume element.
//!
//! Every D is used with its inverse signs (−t, −ω). Where f is smooth both have the same expectation.
//! Suh et al., Bundled gradients through contact via randomized smoothing (RA-L 2022).

use super::contact_motion;
use super::contact_motion::ContactDerivatives;
use super::normal::Normal;
use super::smoothing::SmoothingMethod;
use crate::collision::scene::Closest;
use crate::collision::{ContactDerivative, ContactPoint};
use crate::error::{Error, Result};
use crate::spatial::{Mat3, Pose, Vec3, so3_exp};
use crate::step::Query;
use crate::step::info::{check_length, check_state};

/// Options of [`Sim::smoothed_distance`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DistanceSmoothing {
    /// [`SmoothingMethod::FirstOrder`] or [`SmoothingMethod::ZerothOrder`].
    pub method: SmoothingMethod,
    /// Standard deviation of the displacement along each axis [m].
    pub width_linear: f64,
    /// Standard deviation of the rotation about each axis [rad].
    pub width_angular: f64,
    /// Number of displacements; each is used with both signs.
    pub pairs: usize,
    pub seed: u64,
}

impl Default for DistanceSmoothing {
    fn default() -> Self {
        DistanceSmoothing {
            method: SmoothingMethod::FirstOrder,
            width_linear: 1e-3,
            width_angular: 1e-2,
            pairs: 64,
            seed: 0,
        }
    }
}

/// Means over the displacements, world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SmoothedDistance {
    pub distance: f64,
    /// Midpoint of the witness points [m].
    pub point: [f64; 3],
    /// Mean normal from A to B; shorter than 1 if the normals differ.
    pub normal: [f64; 3],
}

/// Receives derivatives of [`SmoothedDistance`] by δq, column-major: nv, 3×nv, 3×nv.
#[derive(Debug, Default)]
pub struct SmoothedDistanceDerivatives<'a> {
    pub distance: Option<&'a mut [f64]>,
    pub point: Option<&'a mut [f64]>,
    pub normal: Option<&'a mut [f64]>,
}

impl DistanceSmoothing {
    fn check(&self) -> Result<()> {
        let zeroth = match self.method {
            SmoothingMethod::FirstOrder => false,
            SmoothingMethod::ZerothOrder => true,
            SmoothingMethod::CentralPath => {
                return Err(Error::invalid(
                    "smoothing.method must be FirstOrder or ZerothOrder for a distance, got \
                     CentralPath",
                ));
            }
        };
        if self.pairs == 0 {
            return Err(Error::invalid("smoothing.pairs must be positive, got 0"));
        }
        for (name, x) in [
            ("width_linear", self.width_linear),
            ("width_angular", self.width_angular),
        ] {
            if !(x.is_finite() && (x > 0.0 || x == 0.0 && !zeroth)) {
                let at_least = if zeroth { "positive" } else { "not negative" };
                return Err(Error::invalid(format!(
                    "smoothing.{name} must be finite and {at_least}, got {x}"
                )));
            }
        }
        if self.width_angular > MAX_ANGLE {
            return Err(Error::invalid(format!(
                "smoothing.width_angular must be at most {MAX_ANGLE} rad, got {}",
                self.width_angular
            )));
        }
        Ok(())
    }
}

/// Larger widths would draw rotation vectors beyond π.
const MAX_ANGLE: f64 = 0.5;

pub(super) fn smoothed_distance(
    at: &mut Query<'_>,
    geom_a: usize,
    geom_b: usize,
    q: &[f64],
    options: &DistanceSmoothing,
    out: SmoothedDistanceDerivatives<'_>,
) -> Result<SmoothedDistance> {
    options.check()?;
    check_state(at.model, q, None)?;
    for (name, x, rows) in [
        ("distance", &out.distance, 1),
        ("point", &out.point, 3),
        ("normal", &out.normal, 3),
    ] {
        if let Some(x) = x {
            check_length(name, x, rows * at.model.nv())?;
        }
    }
    at.update_positions(q)?;
    at.with_scene(|scene, model, kin| {
        let geoms = [geom_a, geom_b];
        let [pose_a, pose_b] = scene.placements(model, kin, geoms)?;
        let mut rng = Normal::new(options.seed);
        let mut mean = Mean::default();
        let mut last = None;
        for _ in 0..options.pairs {
            let d = Displacement::draw(options, &mut rng);
            let mut pair = [None; 2];
            for (slot, sign) in pair.iter_mut().zip([1.0, -1.0]) {
                let c = scene.closest(model, geoms, &[pose_a, d.applied(&pose_b, sign)])?;
                mean.add(&c, &pose_b, options.method);
                *slot = Some(c.contact.point);
                last = Some(c);
            }
            if let ([Some(plus), Some(minus)], SmoothingMethod::ZerothOrder) =
                (pair, options.method)
            {
                mean.correlate(&plus, &minus, d.weight(options));
            }
        }
        let Some(last) = last else {
            return Err(Error::invalid("smoothing.pairs must be positive, got 0"));
        };
        let mut contact = last.contact;
        let motion = mean.finish(&pose_b, options.pairs, &mut contact.point);
        let mut columns = ContactDerivatives {
            point: out.point,
            normal: out.normal,
            tangents: None,
            gap: out.distance,
        };
        contact_motion::check(model, &contact, &motion)?;
        columns.clear();
        contact_motion::write(model, kin, &contact, &motion, &mut columns);
        Ok(SmoothedDistance {
            distance: contact.point.gap,
            point: contact.point.point.to_array(),
            normal: contact.point.normal.to_array(),
        })
    })
}
/// A displacement of B in its own frame.
struct Displacement {
    translation: Vec3,
    rotation: Vec3,
}

impl Displacement {
    fn draw(options: &DistanceSmoothing, rng: &mut Normal) -> Displacement {
        let mut vector = |width: f64| Vec3::new(rng.next(), rng.next(), rng.next()) * width;
        Displacement {
            translation: vector(options.width_linear),
            rotation: vector(options.width_angular),
        }
    }

    fn applied(&self, pose: &Pose, sign: f64) -> Pose {
        pose.compose(&Pose::new(
            so3_exp(self.rotation * sign),
            self.translation * sign,
        ))
    }

    /// The weight: the mean of f times it is the derivative of f̄ by (δl, δω), in B's axes.
    fn weight(&self, options: &DistanceSmoothing) -> [Vec3; 2] {
        let theta = self.rotation.norm();
        let k = if theta < 1e-2 {
            (1.0 + theta * theta / 60.0) / 12.0
        } else {
            let (sine, cosine) = theta.sin_cos();
            1.0 / (theta * theta) - (1.0 + cosine) / (2.0 * theta * sine)
        };
        let angular = 1.0 / (options.width_angular * options.width_angular) - 2.0 * k;
        [
            self.translation * (1.0 / (options.width_linear * options.width_linear)),
            self.rotation * angular,
        ]
    }
}

/// Sums over the samples; `motion` is by twists of B with linear parts at its frame.
#[derive(Default)]
struct Mean {
    point: Vec3,
    normal: Vec3,
    gap: f64,
    motion: ContactDerivative,
    /// In B's own axes, to zeroth order.
    correlation: ContactDerivative,
}

impl Mean {
    fn add(&mut self, c: &Closest, pose_b: &Pose, method: SmoothingMethod) {
        let p = c.contact.point;
        self.point += p.point;
        self.normal += p.normal;
        self.gap += p.gap;
        if method == SmoothingMethod::FirstOrder {
            let d = moved(&c.motion, p.point - pose_b.pos);
            for k in 0..2 {
                self.motion.point[k] += d.point[k];
                self.motion.normal[k] += d.normal[k];
                self.motion.gap[k] += d.gap[k];
            }
        }
    }

    fn correlate(&mut self, plus: &ContactPoint, minus: &ContactPoint, weight: [Vec3; 2]) {
        for (k, w) in weight.into_iter().enumerate() {
            self.correlation.point[k] += Mat3::outer(plus.point - minus.point, w);
            self.correlation.normal[k] += Mat3::outer(plus.normal - minus.normal, w);
            self.correlation.gap[k] += w * (plus.gap - minus.gap);
        }
    }

    /// Writes the means to `point` and returns the derivative with linear parts there.
    fn finish(self, pose_b: &Pose, pairs: usize, point: &mut ContactPoint) -> ContactDerivative {
        let share = 0.5 / pairs as f64;
        point.point = self.point * share;
        point.normal = self.normal * share;
        point.gap = self.gap * share;
        let mut d = self.motion;
        let to_b = pose_b.rot.transpose();
        for k in 0..2 {
            d.point[k] = (d.point[k] + self.correlation.point[k].mul_mat(&to_b)) * share;
            d.normal[k] = (d.normal[k] + self.correlation.normal[k].mul_mat(&to_b)) * share;
            d.gap[k] = (d.gap[k] + pose_b.rot.mul_vec(self.correlation.gap[k])) * share;
        }
        moved(&d, pose_b.pos - point.point)
    }
}

/// The derivative by twists with linear parts at x − r instead of x.
fn moved(d: &ContactDerivative, r: Vec3) -> ContactDerivative {
    let lift = Mat3::skew(r);
    ContactDerivative {
        point: [d.point[0], d.point[1] - d.point[0].mul_mat(&lift)],
        normal: [d.normal[0], d.normal[1] - d.normal[0].mul_mat(&lift)],
        gap: [d.gap[0], d.gap[1] + r.cross(d.gap[0])],
    }
}
