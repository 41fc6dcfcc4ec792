//! `<compiler>` and `<option>`.

use super::node::Node;
use super::orientation::Angles;
use super::warnings::Warnings;
use crate::error::{Error, Result};
use crate::model::fluid::Fluid;
use crate::model::sensor::usual_field;
use crate::model::spec::{FileIntegrator, MJCF_TIME_STEP};
use crate::spatial::Vec3;

/// The source of a body's inertia.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum InertiaFromGeom {
    Never,
    Always,
    /// The geoms, if the body has no `<inertial>`.
    Missing,
}

/// The source of length ranges of muscles.
#[derive(Clone, Copy)]
pub(super) struct LengthRange {
    /// Whether given ranges are used.
    pub use_existing: bool,
    /// Whether limits of joints and tendons are used.
    pub use_limits: bool,
    /// Whether other ranges are computed.
    pub is_found: bool,
}

/// The settings of `<compiler>`.
pub(super) struct Compiler {
    pub angles: Angles,
    pub auto_limits: bool,
    pub inertia_from_geom: InertiaFromGeom,
    pub inertia_groups: [i32; 2],
    pub balance_inertia: bool,
    pub bound_mass: f64,
    pub bound_inertia: f64,
    pub total_mass: f64,
    pub mesh_dir: Option<String>,
    pub strip_path: bool,
    pub discard_visual: bool,
    /// Whether primitives are fitted to a mesh's bounding box, not to the box of its inertia.
    pub fit_box: bool,
    pub length_range: LengthRange,
}

impl Default for Compiler {
    fn default() -> Self {
        Compiler {
            angles: Angles::default(),
            auto_limits: true,
            inertia_from_geom: InertiaFromGeom::Missing,
            inertia_groups: [0, 5],
            balance_inertia: false,
            bound_mass: 0.0,
            bound_inertia: 0.0,
            total_mass: -1.0,
            mesh_dir: None,
            strip_path: false,
            discard_visual: false,
            fit_box: false,
            length_range: LengthRange {
                use_existing: true,
                use_limits: false,
                is_found: true,
            },
        }
    }
}

impl Compiler {
    pub fn read(&mut self, node: Node<'_>) -> Result<()> {
        node.keyword("coordinate", &[("local", Some(())), ("global", None)])?
            .map(|local| {
                local.ok_or_else(|| {
                    node.unsupported(
                        "coordinate=\"global\" was removed from MJCF; convert the file to local \
                         coordinates",
                    )
                })
            })
            .transpose()?;
        if let Some(unit) = node.keyword(
            "angle",
            &[("degree", std::f64::consts::PI / 180.0), ("radian", 1.0)],
        )? {
            self.angles.unit = unit;
        }
        self.angles.read_sequence(node)?;
        let set = |flag: &mut bool, name: &str| -> Result<()> {
            *flag = node.flag(name)?.unwrap_or(*flag);
            Ok(())
        };
        set(&mut self.auto_limits, "autolimits")?;
        set(&mut self.balance_inertia, "balanceinertia")?;
        set(&mut self.strip_path, "strippath")?;
        set(&mut self.discard_visual, "discardvisual")?;
        set(&mut self.fit_box, "fitaabb")?;
        if let Some(rule) = node.keyword(
            "inertiafromgeom",
            &[
                ("false", InertiaFromGeom::Never),
                ("true", InertiaFromGeom::Always),
                ("auto", InertiaFromGeom::Missing),
            ],
        )? {
            self.inertia_from_geom = rule;
        }
        if let Some(range) = node.array::<2>("inertiagrouprange")? {
            self.inertia_groups = range.map(|x| x as i32);
        }
        for (bound, name) in [
            (&mut self.bound_mass, "boundmass"),
            (&mut self.bound_inertia, "boundinertia"),
        ] {
            *bound = node.magnitude(name)?.unwrap_or(*bound);
        }
        self.total_mass = node.number("settotalmass")?.unwrap_or(self.total_mass);
        for name in ["assetdir", "meshdir"] {
            if let Some(dir) = node.text(name) {
                self.mesh_dir = Some(dir.to_string());
            }
        }
        for child in node.children().filter(|c| c.tag() == "lengthrange") {
            for (flag, name) in [
                (&mut self.length_range.use_existing, "useexisting"),
                (&mut self.length_range.use_limits, "uselimit"),
            ] {
                *flag = child.flag(name)?.unwrap_or(*flag);
            }
            let modes = [
                ("none", false),
                ("muscle", true),
                ("muscleuser", true),
                ("all", true),
            ];
            if let Some(is_found) = child.keyword("mode", &modes)? {
                self.length_range.is_found = is_found;
            }
        }
        Ok(())
    }
}

/// The settings of all `<option>` sections and their `<flag>`s. For each attribute the last value
/// counts.
pub(super) struct Options {
    pub gravity: Vec3,
    pub fluid: Fluid,
    /// Magnetic field of magnetometers, world axes.
    pub magnetic: Vec3,
    pub time_step: f64,
    pub integrator: Option<FileIntegrator>,
    has_gravity: bool,
    has_constraints: bool,
    /// Errors of flags that require unsupported features.
    refused: [Option<Error>; 2],
    pub contact: bool,
    pub limit: bool,
    pub equality: bool,
    pub friction_loss: bool,
    pub spring: bool,
    pub damper: bool,
    pub clamp_control: bool,
    /// Keeps bodies from touching their parents.
    pub filter_parent: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            gravity: Vec3::new(0.0, 0.0, -9.81),
            fluid: Fluid::default(),
            magnetic: usual_field(),
            time_step: MJCF_TIME_STEP,
            integrator: None,
            has_gravity: true,
            has_constraints: true,
            refused: [None, None],
            contact: true,
            limit: true,
            equality: true,
            friction_loss: true,
            spring: true,
            damper: true,
            clamp_control: true,
            filter_parent: true,
        }
    }
}

impl Options {
    pub fn read(&mut self, node: Node<'_>) -> Result<()> {
        self.gravity = node.vec3("gravity")?.unwrap_or(self.gravity);
        self.magnetic = node.vec3("magnetic")?.unwrap_or(self.magnetic);
        if let Some(h) = node.number("timestep")? {
            if h <= 0.0 {
                return Err(node.error(format!("timestep: expected a number > 0, found {h}")));
            }
            self.time_step = h;
        }
        let named = node.keyword("integrator", &FileIntegrator::NAMES)?;
        self.integrator = named.or(self.integrator);
        let fluid = &mut self.fluid;
        fluid.density = node.magnitude("density")?.unwrap_or(fluid.density);
        fluid.viscosity = node.magnitude("viscosity")?.unwrap_or(fluid.viscosity);
        fluid.wind = node.vec3("wind")?.unwrap_or(fluid.wind);
        node.children().try_for_each(|flag| self.read_flag(flag))
    }

    fn read_flag(&mut self, node: Node<'_>) -> Result<()> {
        let read = |name: &str| node.keyword(name, &[("enable", true), ("disable", false)]);
        for (switch, name) in [
            (&mut self.contact, "contact"),
            (&mut self.limit, "limit"),
            (&mut self.equality, "equality"),
            (&mut self.friction_loss, "frictionloss"),
            (&mut self.spring, "spring"),
            (&mut self.damper, "damper"),
            (&mut self.clamp_control, "clampctrl"),
            (&mut self.has_gravity, "gravity"),
            (&mut self.has_constraints, "constraint"),
            (&mut self.filter_parent, "filterparent"),
        ] {
            *switch = read(name)?.unwrap_or(*switch);
        }
        let usual = [("actuation", true), ("override", false)];
        for (refused, (name, usual)) in self.refused.iter_mut().zip(usual) {
            let Some(value) = read(name)? else {
                continue;
            };
            *refused = (value != usual).then(|| {
                let text = node.text(name).unwrap_or_default();
                node.unsupported(format!("{name}={text:?} is not supported"))
            });
        }
        Ok(())
    }

    /// Warns of an integrator without a counterpart. `node` is the last section that names one.
    pub fn tell_of_integrator(&self, node: Node<'_>, warnings: &mut Warnings) {
        let nearest = match self.integrator {
            Some(FileIntegrator::Rk4) => "DS_INTEGRATOR_MIDPOINT",
            Some(FileIntegrator::Implicit) => "DS_INTEGRATOR_IMPLICIT_EULER",
            Some(FileIntegrator::Euler | FileIntegrator::ImplicitFast) | None => return,
        };
        let name = node.text("integrator").unwrap_or_default();
        warnings.add(
            node,
            format!("integrator {name} is not supported: {nearest} is used, the closest one"),
        );
    }

    /// Applies the flags. Call it when all sections are read.
    ///
    /// # Errors
    /// `Unsupported` for a flag whose last value requires an unsupported feature.
    pub fn settle(&mut self) -> Result<()> {
        if let Some(error) = self.refused.iter_mut().find_map(Option::take) {
            return Err(error);
        }
        if !self.has_constraints {
            (self.contact, self.limit) = (false, false);
            (self.equality, self.friction_loss) = (false, false);
        }
        if !self.has_gravity {
            self.gravity = Vec3::ZERO;
        }
        Ok(())
    }
}
