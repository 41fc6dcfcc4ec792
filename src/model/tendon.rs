//! The description of springs and tendons.

use crate::spatial::wrap::{Side, Solid, Wrap};
use crate::spatial::{Pose, Vec3};

/// A spring and damper without rest length between two points, each in its body's frame. The force on
/// the first body is k (x₂ − x₁) + d (ẋ₂ − ẋ₁), on the second the opposite.
#[derive(Clone, Debug)]
pub struct SpringSpec {
    pub name: String,
    pub body1: usize,
    pub body2: usize,
    pub anchor1: Vec3,
    pub anchor2: Vec3,
    /// k [N/m] and d [N s/m].
    pub stiffness: f64,
    pub damping: f64,
    pub origin: String,
}

/// A tendon of length l(q) with the force −k (l − rest) − d l̇ along it.
#[derive(Clone, Debug)]
pub struct TendonSpec {
    pub name: String,
    pub path: TendonPath,
    /// k [N/m] and d [N s/m]. For a fixed tendon in the unit of its length.
    pub stiffness: f64,
    pub damping: f64,
    /// Coefficients of the quadratic and the cubic term: beyond a rest length by s the spring has the
    /// force −(k + k₁ s + k₂ s²) s, and the damper −(d + d₁ |l̇| + d₂ l̇²) l̇. Not of cables.
    pub stiffness_terms: [f64; 2],
    pub damping_terms: [f64; 2],
    /// Between these lengths the spring does not pull. By default both are its length at the reference
    /// configuration.
    pub rest: Option<(f64, f64)>,
    /// Whether it is a cable: at and below the upper rest length there is no force, and above it none
    /// that pushes.
    pub pull_only: bool,
    /// Bounds of the length, enforced as constraints.
    pub limits: Option<(f64, f64)>,
    /// Distance before a bound at which it enters the step.
    pub limit_margin: f64,
    /// Dry friction against l̇ [N].
    pub friction_loss: f64,
    pub origin: String,
}

impl TendonSpec {
    /// The points of a spatial path in their bodies' frames; zero for its other elements.
    pub(super) fn points(&self) -> Vec<Vec3> {
        let TendonPath::Spatial(path) = &self.path else {
            return Vec::new();
        };
        let at = |p: &PathPoint| match p {
            PathPoint::Point { at, .. } => *at,
            _ => Vec3::ZERO,
        };
        path.iter().map(at).collect()
    }

    /// True if spring or damper has terms beyond the linear one.
    pub fn is_curved(&self) -> bool {
        [self.stiffness_terms, self.damping_terms] != [[0.0; 2]; 2]
    }

    /// Stiffness, damping, and the lower and upper rest length.
    pub(super) fn numbers(&self) -> [f64; 4] {
        let (lo, hi) = self.rest.unwrap_or_default();
        [self.stiffness, self.damping, lo, hi]
    }
}

/// The definition of the length.
#[derive(Clone, Debug)]
pub enum TendonPath {
    /// The sum of one-dof joints' coordinates times coefficients, by the joints' names.
    Fixed(Vec<(String, f64)>),
    /// A path along points and around solids.
    Spatial(Vec<PathPoint>),
}

/// An element of a spatial path. Bodies are indices in
/// [`ModelSpec::bodies`](super::spec::ModelSpec::bodies).
#[derive(Clone, Debug)]
pub enum PathPoint {
    /// A point in the frame of its body.
    Point { body: usize, at: Vec3 },
    /// A solid around which the straight line between the points before and after bends if it would pass
    /// through.
    Around(WrapSpec),
    /// The start of a new branch, whose length is divided by this number.
    Pulley { divisor: f64 },
}

impl PathPoint {
    /// The body that carries it.
    pub fn body(&self) -> Option<usize> {
        match self {
            PathPoint::Point { body, .. } => Some(*body),
            PathPoint::Around(wrap) => Some(wrap.body),
            PathPoint::Pulley { .. } => None,
        }
    }
}

/// A sphere, or an unbounded cylinder along z, that a path wraps around.
#[derive(Clone, Debug)]
pub struct WrapSpec {
    pub body: usize,
    /// Placement in the body's frame.
    pub placement: Pose,
    pub shape: WrapShape,
    pub radius: f64,
    /// A point in the frame of its body. The path goes around the solid on the same side as the polyline
    /// from the end before over this point to the end after. If the point is closer to the centre than
    /// the radius, the path passes through the solid.
    pub side: Option<(usize, Vec3)>,
}

impl WrapSpec {
    /// The solid, in the axes of its body.
    pub fn solid(&self) -> Solid {
        match self.shape {
            WrapShape::Sphere => Solid::Sphere,
            WrapShape::Cylinder => Solid::Cylinder(self.placement.rot.c[2]),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrapShape {
    Sphere,
    Cylinder,
}

/// A part of a spatial path between two consecutive points, each with its body.
#[derive(Clone, Copy, Debug)]
pub struct Leg<'a> {
    pub ends: [(usize, Vec3); 2],
    /// Indices of its ends in the path.
    pub points: [usize; 2],
    /// The solid that it may bend around.
    pub around: Option<&'a WrapSpec>,
    /// Factor of its length in the tendon's length.
    pub share: f64,
}

/// The parts of a path that passed [`Model::compile`](super::Model::compile).
pub fn legs(path: &[PathPoint]) -> impl Iterator<Item = Leg<'_>> {
    let (mut last, mut around, mut share) = (None, None, 1.0);
    path.iter()
        .enumerate()
        .filter_map(move |(i, point)| match point {
            PathPoint::Pulley { divisor } => {
                (last, share) = (None, 1.0 / divisor);
                None
            }
            PathPoint::Around(wrap) => {
                around = Some(wrap);
                None
            }
            PathPoint::Point { body, at } => {
                let end = (*body, *at);
                let (start, first) = last.replace((end, i))?;
                Some(Leg {
                    ends: [start, end],
                    points: [first, i],
                    around: around.take(),
                    share,
                })
            }
        })
}

/// The length of a path for these placements of the bodies [m].
pub fn path_length(path: &[PathPoint], places: &[Pose]) -> f64 {
    legs(path)
        .map(|leg| leg.share * leg_length(&leg, places))
        .sum()
}

fn leg_length(leg: &Leg<'_>, places: &[Pose]) -> f64 {
    let at = |(body, point): (usize, Vec3)| places[body].point(point);
    let [a, b] = leg.ends.map(at);
    let bent = leg.around.and_then(|wrap| {
        let centre = at((wrap.body, wrap.placement.pos));
        let side = Side::of(wrap.side.map(|s| at(s) - centre), wrap.radius);
        let solid = wrap.solid().turned(&places[wrap.body].rot);
        Wrap::new(solid, wrap.radius, side, [a - centre, b - centre]).0
    });
    bent.map_or_else(|| (b - a).norm(), |wrap| wrap.length)
}

/// The element that an actuator acts on, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transmission {
    Joint(String),
    Tendon(String),
    /// Adhesion at the contacts of a body.
    Body(String),
    /// A wrench at a site, along its axes, or along those of a reference site on which the opposite wrench
    /// acts.
    Site {
        site: String,
        reference: Option<String>,
    },
}
