//! Reader of MJCF, MuJoCo's model format (the XML of MuJoCo 4.0).
//!
//! Unsupported physics is an error that names element, name and line. Settings without influence on the
//! motion are a line in [`ModelSpec::warnings`]; purely visual ones are ignored silently.

mod actuator;
mod actuator_settings;
mod asset;
mod asset_files;
mod attach;
mod body;
mod contact_section;
mod contact_settings;
mod defaults;
mod fit;
mod flat_tree;
mod flexcomp;
mod geom;
mod height_field;
mod joint;
mod keyframe;
mod length_range;
mod mass;
mod mocap;
mod names;
mod node;
mod orientation;
mod paint;
mod reference_inertia;
mod schema;
mod sensor;
mod servo;
mod settings;
mod site;
mod solid;
mod tendon;
mod tendon_settings;
mod warnings;

#[cfg(test)]
mod tests;

use crate::error::{Error, Result};
use crate::model::fluid::Fluid;
use crate::model::spec::ModelSpec;
use asset::Assets;
use asset_files::Files;
pub use asset_files::MjcfOptions;
use defaults::{Classes, MAIN};
use flat_tree::Tree;
use length_range::WaitingRange;
use mass::BodyMass;
use names::Names;
use node::Node;
pub(crate) use sensor::sensor_tag;
use servo::{DampingRatio, JointEntry, SpringDamper};
use settings::{Compiler, Options};
use std::path::Path;
use warnings::Warnings;

/// Reads the MJCF file at `path`.
///
/// # Errors
/// `Io` if it or a file it names cannot be read, `Parse` if it is not MJCF, `Unsupported` for physics
/// that this library does not have, `Capacity` if it is too large. The message names file, line, element
/// and the element's name.
pub fn read_file(path: &Path, options: &MjcfOptions) -> Result<ModelSpec> {
    let text = crate::load::read_text(path)?;
    let base_dir = path.parent().map(|p| match p.as_os_str().is_empty() {
        true => Path::new("."),
        false => p,
    });
    read(&text, Some(path), base_dir, options)
}

/// Reads MJCF text. The files it names are searched in `base_dir`.
///
/// # Errors
/// As [`read_file`].
pub fn read_str(text: &str, base_dir: Option<&Path>, options: &MjcfOptions) -> Result<ModelSpec> {
    read(text, None, base_dir, options)
}

fn read(
    text: &str,
    path: Option<&Path>,
    base_dir: Option<&Path>,
    options: &MjcfOptions,
) -> Result<ModelSpec> {
    let mut tree = flat_tree::read(text, path, base_dir)?;
    attach::expand(&mut tree, 0, base_dir)?;
    let mut warnings = Warnings::default();
    schema::check(&tree, &mut warnings)?;
    let mut loader = Loader::new(warnings);
    loader.read(&tree, options)?;
    loader.finish()
}

/// The state of reading one file.
struct Loader {
    spec: ModelSpec,
    /// The `<compiler>` settings of the file, then of the models from which it attaches parts.
    compilers: Vec<Compiler>,
    options: Options,
    classes: Classes,
    assets: Assets,
    names: Names,
    warnings: Warnings,
    /// One for each body.
    masses: Vec<BodyMass>,
    joints: Vec<JointEntry>,
    /// For each actuator on a joint: index of the joint in `joints`.
    actuated: Vec<Option<usize>>,
    /// Joints of motors with damping, and their share of it.
    motor_dampers: Vec<(JointEntry, [f64; 3])>,
    damping_ratios: Vec<DampingRatio>,
    spring_dampers: Vec<SpringDamper>,
    waiting_ranges: Vec<WaitingRange>,
    /// Indices of the sensors at centres of mass.
    central_sensors: Vec<usize>,
}

impl Loader {
    fn new(warnings: Warnings) -> Self {
        Loader {
            spec: ModelSpec::default(),
            compilers: Vec::new(),
            options: Options::default(),
            classes: Classes::new(),
            assets: Assets::default(),
            names: Names::new(),
            warnings,
            masses: vec![BodyMass::default()],
            joints: Vec::new(),
            actuated: Vec::new(),
            motor_dampers: Vec::new(),
            damping_ratios: Vec::new(),
            spring_dampers: Vec::new(),
            waiting_ranges: Vec::new(),
            central_sensors: Vec::new(),
        }
    }

    /// Reads the sections in the order of their dependence, for any order in the file.
    fn read(&mut self, tree: &Tree, options: &MjcfOptions) -> Result<()> {
        let root = Node { tree, id: 0 };
        self.spec.name = root.text("model").unwrap_or_default().to_string();
        let sections = |tag: &'static str| root.children().filter(move |c| c.tag() == tag);
        for model in &tree.models {
            let root = Node {
                tree,
                id: model.root,
            };
            let mut compiler = Compiler::default();
            for node in root.children().filter(|c| c.tag() == "compiler") {
                compiler.read(node)?;
            }
            self.compilers.push(compiler);
        }
        for node in sections("option") {
            self.options.read(node)?;
        }
        if let Some(node) = sections("option").rfind(|n| n.has("integrator")) {
            self.options.tell_of_integrator(node, &mut self.warnings);
        }
        self.options.settle()?;
        for node in sections("default") {
            self.classes
                .read(node, &self.compilers[node.model()].angles)?;
        }
        for node in sections("asset") {
            let files = Files {
                base_dir: tree.models[node.model()].dir.as_deref(),
                compiler: &self.compilers[node.model()],
                options,
            };
            let defaults = |element: Node<'_>| {
                let settings = self.classes.of(element, MAIN)?;
                Ok((settings.mesh.clone(), settings.material.clone()))
            };
            (self.assets).read(node, defaults, &files, &mut self.warnings)?;
        }
        for node in sections("worldbody") {
            self.read_bodies(node, options)?;
        }
        self.index_geoms_and_sites();
        for node in sections("contact") {
            self.read_contacts(node)?;
        }
        for node in sections("tendon") {
            self.read_tendons(node)?;
        }
        for node in sections("equality") {
            self.read_equalities(node)?;
        }
        for node in sections("actuator") {
            self.read_actuators(node)?;
        }
        for node in sections("sensor") {
            self.read_sensors(node)?;
        }
        for node in sections("keyframe") {
            self.read_keyframes(node)?;
        }
        Ok(())
    }

    /// The `<compiler>` settings of an element's model.
    fn compiler(&self, node: Node<'_>) -> &Compiler {
        &self.compilers[node.model()]
    }

    fn index_geoms_and_sites(&mut self) {
        for (index, geom) in self.spec.geoms.iter().enumerate() {
            if let Some(entry) = self.names.geoms.get_mut(&geom.name) {
                entry.0 = index;
            }
        }
        for (index, site) in self.spec.sites.iter().enumerate() {
            if let Some(entry) = self.names.sites.get_mut(&site.name) {
                entry.0 = index;
            }
        }
    }

    fn finish(mut self) -> Result<ModelSpec> {
        mass::assign(&mut self.spec.bodies, &self.masses, &self.compilers)?;
        mocap::complete(&mut self.spec.bodies);
        self.check_finite()?;
        self.place_central_sensors();
        servo::apply(&self.damping_ratios, &self.spring_dampers, &mut self.spec)?;
        self.apply_motor_dampers();
        self.apply_joint_force_ranges()?;
        length_range::find(&self.waiting_ranges, &mut self.spec)?;
        if !self.options.contact {
            self.disable_contacts();
        }
        if !self.options.spring && !self.options.damper {
            // As in MuJoCo: without springs and dampers there are no passive forces at all.
            let bodies = self.spec.bodies.iter_mut();
            bodies.for_each(|b| b.gravity_compensation = 0.0);
            self.options.fluid = Fluid::default();
        }
        if self.compilers[0].discard_visual {
            self.discard_visual_geoms();
        }
        self.spec.parents_touch = !self.options.filter_parent;
        self.spec.gravity = self.options.gravity;
        self.spec.fluid = self.options.fluid;
        self.spec.time_step = Some(self.options.time_step);
        self.spec.integrator = self.options.integrator;
        self.spec.warnings = self.warnings.into_lines();
        Ok(self.spec)
    }

    /// Finite numbers in the file may still overflow on the way into the model.
    fn check_finite(&self) -> Result<()> {
        let overflow = |origin: &str, what: &str, name: &str| {
            Err(Error::parse(format!(
                "{origin}: <{what}> name={name:?}: its numbers are so large that they overflow"
            )))
        };
        for body in &self.spec.bodies {
            if !body.placement.is_finite() || !body.inertia.is_finite() {
                return overflow(&body.origin, "body", &body.name);
            }
        }
        for geom in &self.spec.geoms {
            if !geom.placement.is_finite() {
                return overflow(&geom.origin, "geom", &geom.name);
            }
        }
        Ok(())
    }

    fn disable_contacts(&mut self) {
        for geom in &mut self.spec.geoms {
            geom.contype = 0;
            geom.conaffinity = 0;
        }
        self.spec.pairs.clear();
    }

    /// Removes geoms that touch nothing. The bodies already contain their masses.
    fn discard_visual_geoms(&mut self) {
        let mut keep: Vec<bool> = self
            .spec
            .geoms
            .iter()
            .map(|g| g.contype != 0 || g.conaffinity != 0)
            .collect();
        for pair in &self.spec.pairs {
            keep[pair.geom1] = true;
            keep[pair.geom2] = true;
        }
        let moved: Vec<usize> = keep
            .iter()
            .scan(0, |next, &kept| {
                let index = *next;
                *next += usize::from(kept);
                Some(index)
            })
            .collect();
        for pair in &mut self.spec.pairs {
            pair.geom1 = moved[pair.geom1];
            pair.geom2 = moved[pair.geom2];
        }
        let mut kept = keep.into_iter();
        self.spec.geoms.retain(|_| kept.next().unwrap_or(true));
    }
}
