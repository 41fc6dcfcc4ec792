//! Checks of a description before it becomes a model.

use super::load_friction;
use super::mesh::TriMesh;
use super::spec::{GeomSpec, HeightField, JointKind, JointSpec, ShapeSpec};
use crate::error::{Error, Result};
use crate::joint::MAX_DOFS;
use crate::joint::spline::{Curve, Spline, Surface};
use crate::linalg::first_not_finite;
use crate::linalg::sort_few;
use crate::spatial::{Inertia, Mat3, Pose, Vec3};
use nalgebra::{Matrix3, SymmetricEigen};

/// Relative excess of the largest principal moment over the sum of the others that is accepted: files
/// round their numbers.
const TRIANGLE_TOLERANCE: f64 = 1e-3;

/// Negative principal moment that is accepted, relative to the largest one, for the same reason.
const ROUNDING: f64 = 1e-9;

impl GeomSpec {
    /// Name and origin, for messages.
    pub fn described(&self) -> String {
        described(&self.name, &self.origin)
    }
}

/// `"name" (line 3)`, without the parts that are missing.
pub(super) fn described(name: &str, origin: &str) -> String {
    match (name.is_empty(), origin.is_empty()) {
        (_, true) => format!("\"{name}\""),
        (true, false) => format!("({origin})"),
        (false, false) => format!("\"{name}\" ({origin})"),
    }
}

pub(crate) fn check_pose(p: &Pose, who: impl Fn() -> String) -> Result<()> {
    let r = p.rot.mul_mat(&p.rot.transpose()) - Mat3::IDENTITY;
    let off = r.c.iter().map(|c| c.max_abs()).fold(0.0, f64::max);
    if p.is_finite() && off < 1e-6 && p.rot.determinant() > 0.0 {
        Ok(())
    } else {
        Err(Error::invalid(format!(
            "{} must be finite and its rotation orthonormal",
            who()
        )))
    }
}

/// Refuses an invalid mass or numbers; the zero inertia is allowed. Principal moments that no body can
/// have, which occur in files of real robots, are returned as a complaint. [`check_moving_inertia`]
/// judges the bodies that move together.
pub(super) fn check_inertia(i: &Inertia, who: &str) -> Result<Option<String>> {
    if !i.is_finite() {
        return Err(Error::invalid(format!(
            "body {who}: inertia must be finite, got {:?}",
            i.to_params()
        )));
    }
    if i.mass < 0.0 {
        return Err(Error::invalid(format!(
            "body {who}: mass must not be negative, got {}",
            i.mass
        )));
    }
    if i.mass == 0.0 && i.h != Vec3::ZERO {
        return Err(Error::invalid(format!(
            "body {who}: a massless body has no centre of mass, got first moment {:?}",
            i.h
        )));
    }
    let [a, b, c] = principal_moments(i);
    let scale = scale(i);
    let physical = scale.is_finite()
        && a >= -ROUNDING * scale
        && c <= (a + b) * (1.0 + TRIANGLE_TOLERANCE) + ROUNDING * scale;
    Ok((!physical).then(|| {
        format!(
            "body {who}: principal moments of inertia {a:e} {b:e} {c:e} are not physical (none may be negative, none larger than the sum of the others)"
        )
    }))
}

/// Round-off of principal moments, relative to the inertia about the frame's origin.
const ROUND_OFF: f64 = 1e-9;

/// The error of an inertia that no body can have; `None` for a valid one. A massless body has no first
/// moment.
pub fn no_body_has(i: &Inertia) -> Option<String> {
    if !i.is_finite() {
        return Some(format!(
            "expected a finite inertia, got {:?}",
            i.to_params()
        ));
    }
    if i.mass < 0.0 {
        return Some(format!("the mass must not be negative, got {}", i.mass));
    }
    if i.mass == 0.0 && i.h != Vec3::ZERO {
        return Some(format!(
            "a body of mass 0 has no first moment, got {:?}",
            i.h.to_array()
        ));
    }
    if !(scale(i).is_finite() && i.about_com().to_mat3().is_finite()) {
        return Some(format!(
            "the inertia about the centre of mass overflows, got {:?}",
            i.to_params()
        ));
    }
    let ([a, b, c], noise) = (principal_moments(i), ROUND_OFF * scale(i));
    let moments = format!("the principal moments about the centre of mass are {a:e}, {b:e}, {c:e}");
    if a < -noise {
        return Some(format!("{moments}: none may be negative"));
    }
    (c > a + b + noise)
        .then(|| format!("{moments}: the largest must not exceed the sum of the others"))
}

pub(super) fn check_gravity_compensation(share: f64, who: &str) -> Result<()> {
    match share.is_finite() {
        true => Ok(()),
        false => Err(Error::invalid(format!(
            "body {who}: gravity compensation must be finite, got {share}"
        ))),
    }
}

/// Refuses the total inertia of bodies that move together if it would make the kinetic energy negative.
pub(super) fn check_moving_inertia(i: &Inertia, who: &str) -> Result<()> {
    let [a, b, c] = principal_moments(i);
    if a < -1e-6 * scale(i) {
        return Err(Error::invalid(format!(
            "body {who}: principal moments of inertia, with the bodies welded to it, must not be \
             negative, got {a:e} {b:e} {c:e}"
        )));
    }
    Ok(())
}

fn scale(i: &Inertia) -> f64 {
    i.i.xx.abs() + i.i.yy.abs() + i.i.zz.abs()
}

/// Principal moments about the centre of mass, in increasing order.
fn principal_moments(i: &Inertia) -> [f64; 3] {
    let c = i.about_com().to_mat3();
    let m = Matrix3::from_fn(|r, k| c.at(r, k));
    let e = SymmetricEigen::new(m).eigenvalues;
    let mut e = [e[0], e[1], e[2]];
    sort_few(&mut e, |a, b| a.total_cmp(b).is_lt());
    e
}

pub(super) fn check_joint(j: &JointSpec, who: &str) -> Result<()> {
    spline(j, who)?;
    if let Some(dofs) = j.varying.as_ref().map(|v| v.dofs())
        && !(1..=MAX_DOFS).contains(&dofs)
    {
        return Err(Error::invalid(format!(
            "joint {who}: a varying joint must have 1 to {MAX_DOFS} dofs, got {dofs}"
        )));
    }
    let not_negative = [
        ("damping", j.damping),
        ("stiffness", j.stiffness),
        ("armature", j.armature),
        ("friction loss", j.friction_loss),
        ("limit margin", j.limit_margin),
        ("friction coefficient", j.friction_coefficient),
        ("friction radius", j.friction_radius),
        ("friction height", j.friction_height),
    ];
    for (what, x) in not_negative {
        if !(x >= 0.0 && x.is_finite()) {
            return Err(Error::invalid(format!(
                "joint {who}: {what} must be finite and not negative, got {x}"
            )));
        }
    }
    let terms = [j.stiffness_terms, j.damping_terms].concat();
    if let Some(x) = terms.iter().find(|x| !x.is_finite()) {
        return Err(Error::invalid(format!(
            "joint {who}: the terms of stiffness and damping must be finite, got {x}"
        )));
    }
    load_friction::check(j, who)?;
    if !(j.reference.is_finite() && j.spring_reference.is_finite() && j.anchor.is_finite()) {
        return Err(Error::invalid(format!(
            "joint {who}: reference, spring reference and anchor must be finite"
        )));
    }
    for (what, bounds) in [("limits", j.limits), ("actuator bounds", j.actuator_bounds)] {
        if let Some((lo, hi)) = bounds
            && (lo.is_nan() || hi.is_nan() || lo > hi)
        {
            return Err(Error::invalid(format!(
                "joint {who}: {what} must be ordered, got {lo} {hi}"
            )));
        }
    }
    let is_scalar = matches!(j.kind, JointKind::Revolute | JointKind::Prismatic);
    if j.actuator_bounds.is_some() && !is_scalar {
        return Err(Error::unsupported(format!(
            "joint {who}: actuator bounds need a revolute or prismatic joint"
        )));
    }
    if j.limits.is_some() && j.kind == JointKind::Spherical {
        let (lo, hi) = j.limits.unwrap_or_default();
        if lo > 0.0 {
            return Err(Error::invalid(format!(
                "joint {who}: a spherical joint has no lower bound above 0, got {lo}"
            )));
        }
        if hi.is_nan() || hi <= 0.0 {
            return Err(Error::invalid(format!(
                "joint {who}: the largest angle of a spherical joint must be above 0, got {hi}"
            )));
        }
    }
    Ok(())
}

/// The curve or surface of a joint along one.
pub(super) fn spline(j: &JointSpec, who: &str) -> Result<Option<Spline>> {
    let told = |e: Error| Error::invalid(format!("joint {who}: {e}"));
    if let Some(i) = first_not_finite(&j.control) {
        return Err(Error::invalid(format!(
            "joint {who}: control must be finite, got {} at {i}",
            j.control[i]
        )));
    }
    if j.cyclic && j.kind != JointKind::SplineCurve {
        return Err(Error::invalid(format!(
            "joint {who}: cyclic must be 0 unless the joint is a spline curve"
        )));
    }
    match j.kind {
        JointKind::SplineCurve => {
            let frames = j.control.as_chunks::<16>().0.iter().enumerate();
            let frames =
                frames.map(|(i, m)| control_frame(m, &format!("joint {who}: control frame {i}")));
            let frames = frames.collect::<Result<_>>()?;
            Curve::new(frames, j.cyclic)
                .map(|c| Some(Spline::Curve(c)))
                .map_err(told)
        }
        JointKind::SplineSurface => {
            let surface = Surface::new(j.control.as_chunks::<6>().0);
            surface.map(|s| Some(Spline::Surface(s))).map_err(told)
        }
        _ if j.control.is_empty() => Ok(None),
        _ => Err(Error::invalid(format!(
            "joint {who}: control must be empty unless the joint is a spline, got {} numbers",
            j.control.len()
        ))),
    }
}

/// A rigid motion by its column-major matrix.
fn control_frame(m: &[f64; 16], who: &str) -> Result<Pose> {
    if [m[3], m[7], m[11], m[15]] != [0.0, 0.0, 0.0, 1.0] {
        return Err(Error::invalid(format!(
            "{who}: the last row must be 0 0 0 1, got {} {} {} {}; matrices are column-major",
            m[3], m[7], m[11], m[15]
        )));
    }
    let column = |k: usize| Vec3::from_slice(&m[4 * k..]);
    let pose = Pose::new(
        Mat3::from_columns(column(0), column(1), column(2)),
        column(3),
    );
    check_pose(&pose, || who.to_owned())?;
    Ok(pose)
}

pub(super) fn check_geom(g: &GeomSpec, who: &str) -> Result<()> {
    check_pose(&g.placement, || format!("geom {who}: placement"))?;
    check_shape(&g.shape, who)?;
    if !g.friction.iter().all(|f| f.is_finite() && *f >= 0.0) {
        return Err(Error::invalid(format!(
            "geom {who}: friction must be finite and not negative, got {:?}",
            g.friction
        )));
    }
    if !(0.0..=1.0).contains(&g.restitution) {
        return Err(Error::invalid(format!(
            "geom {who}: restitution must be in [0, 1], got {}",
            g.restitution
        )));
    }
    for (name, x) in [("stiffness", g.stiffness), ("tangential", g.tangential)] {
        if x.is_nan() || x <= 0.0 {
            return Err(Error::invalid(format!(
                "geom {who}: {name} must be positive, got {x}"
            )));
        }
    }
    if !(g.dissipation.is_finite() && g.dissipation >= 0.0) {
        return Err(Error::invalid(format!(
            "geom {who}: dissipation must be finite and not negative, got {}",
            g.dissipation
        )));
    }
    if !(g.gap >= 0.0 && g.gap.is_finite()) {
        return Err(Error::invalid(format!(
            "geom {who}: gap must be finite and not negative, got {}",
            g.gap
        )));
    }
    let h = &g.hydroelastic;
    for (name, x) in [
        ("modulus", h.modulus),
        ("resolution", h.resolution),
        ("slab_thickness", h.slab_thickness),
    ] {
        if !(x > 0.0 && x.is_finite()) {
            return Err(Error::invalid(format!(
                "geom {who}: {name} must be positive and finite, got {x}"
            )));
        }
    }
    if !(h.margin >= 0.0 && h.margin.is_finite()) {
        return Err(Error::invalid(format!(
            "geom {who}: hydroelastic_margin must be finite and not negative, got {}",
            h.margin
        )));
    }
    if !g.margin.is_finite() {
        return Err(Error::invalid(format!(
            "geom {who}: margin must be finite, got {}",
            g.margin
        )));
    }
    Ok(())
}

/// The squares of larger numbers overflow.
pub(crate) const REACH: f64 = 1e150;

/// Sizes of shapes [m] whose squares and cubes neither overflow nor vanish.
pub(crate) const SIZES: std::ops::RangeInclusive<f64> = 1e-100..=1e100;

fn check_shape(s: &ShapeSpec, who: &str) -> Result<()> {
    let wrong = |what: String| Err(Error::invalid(format!("geom {who}: {what}")));
    let (sizes, least) = match s {
        ShapeSpec::Plane { half_extents } => (half_extents.to_vec(), 0.0),
        ShapeSpec::Sphere { radius } => (vec![*radius], *SIZES.start()),
        ShapeSpec::Capsule {
            radius,
            half_length,
        }
        | ShapeSpec::Cylinder {
            radius,
            half_length,
        } => (vec![*radius, *half_length], *SIZES.start()),
        ShapeSpec::Ellipsoid { semi_axes } => (semi_axes.to_array().to_vec(), *SIZES.start()),
        ShapeSpec::Box { half_extents } => (half_extents.to_array().to_vec(), *SIZES.start()),
        ShapeSpec::Mesh { mesh, .. } => return mesh_fault(mesh).map_or(Ok(()), wrong),
        ShapeSpec::HeightField(f) => return field_fault(f).map_or(Ok(()), wrong),
    };
    let most = *SIZES.end();
    match sizes.iter().find(|x| !(least..=most).contains(*x)) {
        None => Ok(()),
        Some(x) => wrong(format!(
            "sizes must be {least:e} to {most:e}, got {x} in {sizes:?}"
        )),
    }
}

fn mesh_fault(mesh: &TriMesh) -> Option<String> {
    let n = mesh.vertices.len();
    if mesh.triangles.is_empty() {
        return Some(format!("a mesh of {n} vertices needs triangles, got 0"));
    }
    if let Some(i) = mesh.vertices.iter().position(|v| !v.is_finite()) {
        let v = mesh.vertices[i].to_array();
        return Some(format!("vertex {i} of the mesh must be finite, got {v:?}"));
    }
    let bad = |t: &[u32; 3]| t.iter().any(|&i| i as usize >= n);
    let k = mesh.triangles.iter().position(bad)?;
    let t = mesh.triangles[k];
    Some(format!(
        "triangle {k} of the mesh must be of vertices 0 to {}, got {t:?}",
        n.saturating_sub(1)
    ))
}

fn field_fault(f: &HeightField) -> Option<String> {
    let (columns, rows, n) = (f.columns, f.rows, f.heights.len());
    if columns < 2 || rows < 2 || columns.checked_mul(rows) != Some(n) {
        return Some(format!(
            "a height field of {columns}×{rows} nodes, at least 2×2, got {n} heights"
        ));
    }
    let sizes = [f.half_extents[0], f.half_extents[1]];
    let positive = sizes.iter().all(|x| *x > 0.0 && x.is_finite());
    if !(positive && f.base >= 0.0 && f.base.is_finite()) {
        return Some(format!(
            "half extents must be positive, the base not negative, and all finite, got {sizes:?} and {}",
            f.base
        ));
    }
    let i = first_not_finite(&f.heights)?;
    Some(format!(
        "a height field has no holes: the height in column {} of row {} is {}",
        i % columns,
        i / columns,
        f.heights[i]
    ))
}
