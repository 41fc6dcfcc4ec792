//! Inertias of bodies: given in the file, or computed from their geoms; then bounded, balanced and
//! scaled.

use super::node::Node;
use super::settings::{Compiler, InertiaFromGeom};
use crate::error::{Error, Result};
use crate::model::principal::principal_axes;
use crate::model::spec::BodySpec;
use crate::spatial::{Inertia, Mat3, Pose, Sym3, Vec3};

/// Mass, centre of mass, and rotational inertia about it, in body axes.
#[derive(Clone, Copy)]
pub(super) struct Distribution {
    mass: f64,
    com: Vec3,
    about_com: Sym3,
    /// Its principal axes, columns in body axes, if the file gives them.
    axes: Option<Mat3>,
}

/// The entries of the file about a body's inertia.
#[derive(Default)]
pub(super) struct BodyMass {
    pub explicit: Option<Distribution>,
    /// Sum over the geoms with mass in the compiler's group range, about the body frame.
    from_geoms: Option<Inertia>,
    /// Principal axes of the geom, if only one has mass.
    axes: Option<Mat3>,
    /// Index of its model among the file's models.
    model: usize,
    /// The error that makes the sum incomplete, if any.
    incomplete: Option<Error>,
}

impl BodyMass {
    pub fn of_model(model: usize) -> Self {
        BodyMass {
            model,
            ..BodyMass::default()
        }
    }

    /// A mass at the origin of the body.
    pub fn point(model: usize, mass: f64) -> Self {
        BodyMass {
            explicit: Some(Distribution {
                mass,
                com: Vec3::ZERO,
                about_com: Sym3::ZERO,
                axes: None,
            }),
            ..BodyMass::of_model(model)
        }
    }

    /// Adds a geom. A geom without a valid inertia is an error only if the sum is used.
    pub fn add(
        &mut self,
        inertia: Result<Inertia>,
        axes: Option<Mat3>,
        group: i32,
        compiler: &Compiler,
    ) {
        let [low, high] = compiler.inertia_groups;
        if !(low..=high).contains(&group) {
            return;
        }
        match inertia {
            Ok(i) if i.mass > 0.0 => {
                self.axes = axes.filter(|_| self.from_geoms.is_none());
                self.from_geoms = Some(self.from_geoms.unwrap_or_default() + i);
            }
            Ok(_) => {}
            Err(e) => self.incomplete = Some(e),
        }
    }

    fn choose(&self, rule: InertiaFromGeom) -> Result<Distribution> {
        let explicit = match rule {
            InertiaFromGeom::Always if self.from_geoms.is_some() => None,
            _ => self.explicit,
        };
        if let Some(given) = explicit {
            return Ok(given);
        }
        let inertia = match (rule, &self.incomplete) {
            (InertiaFromGeom::Never, _) => Inertia::ZERO,
            (_, Some(error)) => return Err(error.clone()),
            (_, None) => self.from_geoms.unwrap_or(Inertia::ZERO),
        };
        Ok(Distribution {
            mass: inertia.mass,
            com: inertia.com(),
            about_com: inertia.about_com(),
            axes: self.axes,
        })
    }
}

/// Reads an `<inertial>` in `frame` (in body axes).
pub(super) fn read_inertial(
    node: Node<'_>,
    compiler: &Compiler,
    frame: &Pose,
) -> Result<Distribution> {
    node.required("pos")?;
    node.required("mass")?;
    let pose = frame.compose(&compiler.angles.pose(node)?);
    let mass = node.magnitude("mass")?.unwrap_or(0.0);
    let (about_com, axes) = match (node.vec3("diaginertia")?, node.array::<6>("fullinertia")?) {
        (Some(_), Some(_)) => {
            return Err(node.error("both diaginertia and fullinertia given; expected one"));
        }
        (Some(d), None) => {
            if (0..3).any(|k| d[k] < 0.0) {
                return Err(node.error("diaginertia: expected numbers ≥ 0"));
            }
            (Sym3::diagonal(d), Some(pose.rot))
        }
        (None, Some([xx, yy, zz, xy, xz, yz])) => {
            if compiler.angles.orientation(node)?.is_some() {
                return Err(node.error("fullinertia: cannot be combined with an orientation"));
            }
            (Sym3::new(xx, xy, yy, xz, yz, zz), None)
        }
        (None, None) => (Sym3::ZERO, None),
    };
    Ok(Distribution {
        mass,
        com: pose.pos,
        about_com: about_com.rotated(&pose.rot),
        axes,
    })
}

/// Sets the inertia of every body except the world.
pub(super) fn assign(
    bodies: &mut [BodySpec],
    masses: &[BodyMass],
    compilers: &[Compiler],
) -> Result<()> {
    for (body, mass) in bodies.iter_mut().zip(masses).skip(1) {
        let compiler = &compilers[mass.model];
        let given = mass.choose(compiler.inertia_from_geom)?;
        body.inertia_axes = given.axes;
        body.inertia = correct(given, compiler).map_err(|what| {
            Error::parse(format!(
                "{}: <body> name={:?}: {what}",
                body.origin, body.name
            ))
        })?;
    }
    let compiler = &compilers[0];
    if compiler.total_mass > 0.0 {
        let total: f64 = bodies.iter().map(|b| b.inertia.mass).sum();
        if total > 0.0 {
            let scale = compiler.total_mass / total;
            for body in bodies {
                let i = &mut body.inertia;
                i.mass *= scale;
                i.h = i.h * scale;
                i.i = i.i * scale;
            }
        }
    }
    Ok(())
}

/// Applies boundmass, boundinertia and balanceinertia, and checks that a distribution of mass can have
/// the result.
fn correct(given: Distribution, compiler: &Compiler) -> std::result::Result<Inertia, String> {
    let (axes, mut moments) = principal_axes(&given.about_com)
        .ok_or("the inertia is beyond the range of numbers; is a size or position meant so?")?;
    // Round-off in the eigenvalues of a thin rod is not an error.
    let tolerance = 1e-9 * moments.max_abs();
    if (0..3).any(|k| moments[k] < -tolerance) {
        return Err(format!(
            "the inertia is not positive: principal moments {:?}",
            moments.to_array()
        ));
    }
    let mass = given.mass.max(compiler.bound_mass);
    let bounded = (0..3).any(|k| moments[k] < compiler.bound_inertia);
    if bounded {
        for k in 0..3 {
            moments[k] = moments[k].max(compiler.bound_inertia);
        }
    }
    let sum = moments.x + moments.y + moments.z;
    let balanced = sum - 2.0 * moments.max_abs() >= -tolerance;
    if !balanced && !compiler.balance_inertia {
        return Err(format!(
            "no distribution of mass has principal moments {:?}: one exceeds the sum of the \
             others (balanceinertia=\"true\" makes them equal)",
            moments.to_array()
        ));
    }
    if balanced && !bounded {
        return Ok(Inertia::from_com(mass, given.com, given.about_com));
    }
    if !balanced {
        moments = Vec3::new(1.0, 1.0, 1.0) * (sum / 3.0);
    }
    let about_com = Sym3::diagonal(moments).rotated(&axes);
    Ok(Inertia::from_com(mass, given.com, about_com))
}
