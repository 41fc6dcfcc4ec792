//! `<worldbody>`: the tree of bodies with their elements.

use super::Loader;
use super::asset_files::MjcfOptions;
use super::defaults::{Class, MAIN};
use super::flexcomp::Place;
use super::joint::free_joint;
use super::mass::BodyMass;
use super::names::Names;
use super::node::Node;
use super::servo::{JointEntry, SpringDamper};
use crate::error::{Error, Result};
use crate::model::spec::{BodySpec, JointKind, JointSpec, SiteSpec};
use crate::spatial::{Pose, Quat, Vec3};
use std::sync::Arc;

/// Limit on the number of bodies and geoms of a model.
const MAX_BODIES_AND_GEOMS: usize = 100_000;

/// Limit on the number of copies by all `<replicate>`s together.
const MAX_EXPANDED: usize = 1_000_000;

/// The surroundings of an element.
#[derive(Clone)]
struct Context {
    body: usize,
    /// The enclosing `<frame>`s, in body axes.
    frame: Pose,
    class: Class,
    /// The suffix that the enclosing `<replicate>`s append to names.
    suffix: Arc<str>,
}

impl Loader {
    /// Reads all bodies below `<worldbody>`, depth first, without recursion.
    pub(super) fn read_bodies(&mut self, world: Node<'_>, options: &MjcfOptions) -> Result<()> {
        let context = Context {
            body: 0,
            frame: Pose::IDENTITY,
            class: MAIN,
            suffix: "".into(),
        };
        let mut stack: Vec<(Node<'_>, Context)> = Vec::new();
        push_children(&mut stack, world, &context);
        let (mut expanded, mut soft) = (0, Vec::new());
        while let Some((node, context)) = stack.pop() {
            if self.spec.bodies.len() + self.spec.geoms.len() > MAX_BODIES_AND_GEOMS {
                return Err(Error::capacity(format!(
                    "{}: more than {MAX_BODIES_AND_GEOMS} bodies and geoms",
                    node.origin()
                )));
            }
            match node.tag() {
                "body" => {
                    let inner = self.read_body(node, &context)?;
                    push_children(&mut stack, node, &inner);
                }
                "frame" => {
                    let inner = self.read_frame(node, &context)?;
                    push_children(&mut stack, node, &inner);
                }
                "replicate" => self.replicate(&mut stack, &mut expanded, node, &context)?,
                "inertial" => self.read_inertial(node, &context)?,
                "joint" | "freejoint" => self.read_joint(node, &context)?,
                "geom" => self.read_geom(node, &context)?,
                "site" => self.read_site(node, &context)?,
                "flexcomp" => soft.push((node, context)),
                _ => {}
            }
        }
        // A body's elements may come after those of its children.
        self.spec.geoms.sort_by_cached_key(|g| g.body);
        self.spec.sites.sort_by_cached_key(|s| s.body);
        for (node, context) in soft {
            let place = Place {
                body: context.body,
                frame: context.frame,
                name: suffixed(node, &context),
            };
            self.read_flexcomp(node, place, options)?;
        }
        Ok(())
    }

    fn read_body(&mut self, node: Node<'_>, context: &Context) -> Result<Context> {
        let name = suffixed(node, context);
        Names::insert(&mut self.names.bodies, node, &name, self.spec.bodies.len())?;
        let body = self.spec.bodies.len();
        let mocap = node.flag("mocap")?.unwrap_or(false);
        if mocap && context.body != 0 {
            return Err(node.error("a mocap body must be a child of the world"));
        }
        let mut joints = Vec::new();
        if mocap {
            joints.push(JointSpec::new(name.clone(), JointKind::Free));
        }
        self.spec.bodies.push(BodySpec {
            joints,
            mocap,
            name,
            parent: context.body,
            placement: context
                .frame
                .compose(&self.compiler(node).angles.pose(node)?),
            gravity_compensation: node.number("gravcomp")?.unwrap_or(0.0),
            origin: node.origin(),
            ..BodySpec::world()
        });
        self.masses.push(BodyMass::of_model(node.model()));
        Ok(Context {
            body,
            frame: Pose::IDENTITY,
            class: self.classes.find(node, "childclass", context.class)?,
            suffix: context.suffix.clone(),
        })
    }

    fn read_frame(&mut self, node: Node<'_>, context: &Context) -> Result<Context> {
        let pose = self.compiler(node).angles.pose(node)?;
        Ok(Context {
            frame: context.frame.compose(&pose),
            class: self.classes.find(node, "childclass", context.class)?,
            ..context.clone()
        })
    }

    fn replicate<'t>(
        &mut self,
        stack: &mut Vec<(Node<'t>, Context)>,
        expanded: &mut usize,
        node: Node<'t>,
        context: &Context,
    ) -> Result<()> {
        let count = node.integer("count")?.unwrap_or(0);
        if count < 1 {
            return Err(node.error(format!("count: expected a number ≥ 1, found {count}")));
        }
        let children = node.children().count().max(1);
        *expanded = expanded.saturating_add((count as usize).saturating_mul(children));
        if *expanded > MAX_EXPANDED {
            return Err(Error::capacity(format!(
                "{}: <replicate>: count: with these {count} copies there are more than {MAX_EXPANDED} elements",
                node.origin()
            )));
        }
        let offset = node.vec3("offset")?.unwrap_or_default();
        let turn = match node.array::<3>("euler")? {
            Some(angles) => self.compiler(node).angles.euler(angles),
            None => Quat::IDENTITY,
        };
        let separator = node.text("sep").unwrap_or("");
        let width = count.to_string().len();
        let class = self.classes.find(node, "childclass", context.class)?;
        let mut copies = Vec::with_capacity(count as usize);
        let mut rotation = Quat::IDENTITY;
        let mut position = Vec3::ZERO;
        for k in 0..count {
            copies.push(Context {
                body: context.body,
                frame: context.frame.compose(&Pose::from_quat(rotation, position)),
                class,
                suffix: format!("{separator}{k:0width$}{}", context.suffix).into(),
            });
            position += rotation.to_mat3().mul_vec(offset);
            rotation = rotation.mul(turn).normalized();
        }
        for copy in copies.iter().rev() {
            push_children(stack, node, copy);
        }
        Ok(())
    }

    fn read_inertial(&mut self, node: Node<'_>, context: &Context) -> Result<()> {
        if context.body == 0 {
            return Err(node.error("the world has no inertia"));
        }
        let inertia = super::mass::read_inertial(node, self.compiler(node), &context.frame)?;
        let explicit = &mut self.masses[context.body].explicit;
        if explicit.is_some() {
            return Err(node.error("the body has two <inertial>; expected one"));
        }
        *explicit = Some(inertia);
        Ok(())
    }

    fn read_joint(&mut self, node: Node<'_>, context: &Context) -> Result<()> {
        if context.body == 0 {
            return Err(node.error("the world cannot have joints"));
        }
        let (mut joint, force_range, spring) = if node.tag() == "freejoint" {
            (free_joint(node), None, None)
        } else {
            let mut settings = self.classes.of(node, context.class)?.joint.clone();
            settings.read(node)?;
            if settings.actuator_compensates() {
                self.warnings.add(
                    node,
                    "actuatorgravcomp: sensors of actuators do not include the gravity compensation",
                );
            }
            (
                settings.build(node, self.compiler(node), &self.options, &context.frame)?,
                settings.actuator_force_range(node, self.compiler(node))?,
                settings.spring_damper(),
            )
        };
        joint.name = suffixed(node, context);
        if joint.kind == JointKind::Free && node.has("range") {
            self.warnings
                .add(node, "the range of a free joint has no meaning");
        }
        let body = &self.spec.bodies[context.body];
        if body.mocap {
            return Err(node.error("a mocap body cannot have joints"));
        }
        if joint.kind == JointKind::Free && body.parent != 0 {
            return Err(node.error("a free joint is only possible on a body of the world"));
        }
        let free = |j: &JointSpec| j.kind == JointKind::Free;
        if !body.joints.is_empty() && (free(&joint) || body.joints.iter().any(free)) {
            return Err(node.error("a free joint must be the only joint of its body"));
        }
        let position = body.joints.len();
        let id = self.joints.len();
        Names::insert(&mut self.names.joints, node, &joint.name, id)?;
        if let Some((lower, upper)) = force_range {
            joint.effort_limit = lower.abs().max(upper.abs());
        }
        let entry = JointEntry {
            body: context.body,
            position,
            force_range,
        };
        if let Some(spring) = spring {
            let acts = [self.options.spring, self.options.damper];
            self.spring_dampers
                .push(SpringDamper::new(node, &entry, spring, acts));
        }
        self.joints.push(entry);
        self.spec.bodies[context.body].joints.push(joint);
        Ok(())
    }

    fn read_geom(&mut self, node: Node<'_>, context: &Context) -> Result<()> {
        let mut settings = self.classes.of(node, context.class)?.geom.clone();
        settings.read(node, &self.compiler(node).angles)?;
        let mut built = settings.build(
            node,
            &self.assets,
            context.body,
            &context.frame,
            self.compiler(node).fit_box,
        )?;
        built.spec.name = suffixed(node, context);
        Names::insert(&mut self.names.geoms, node, &built.spec.name, 0)?;
        let compiler = &self.compilers[node.model()];
        self.masses[context.body].add(built.inertia, built.axes, built.group, compiler);
        self.spec.geoms.push(built.spec);
        Ok(())
    }

    fn read_site(&mut self, node: Node<'_>, context: &Context) -> Result<()> {
        let mut settings = self.classes.of(node, context.class)?.site.clone();
        settings.read(node, &self.compiler(node).angles)?;
        let (own, zone) = settings.build(node)?;
        let placement = context.frame.compose(&own);
        let name = suffixed(node, context);
        Names::insert(&mut self.names.sites, node, &name, 0)?;
        self.spec.sites.push(SiteSpec {
            name,
            body: context.body,
            placement,
            zone,
        });
        Ok(())
    }
}

fn push_children<'t>(stack: &mut Vec<(Node<'t>, Context)>, node: Node<'t>, context: &Context) {
    stack.extend(node.children().rev().map(|c| (c, context.clone())));
}

/// The element's name with the suffix of the enclosing `<replicate>`s. An empty name stays empty.
fn suffixed(node: Node<'_>, context: &Context) -> String {
    match node.name() {
        "" => String::new(),
        name => format!("{name}{}", context.suffix),
    }
}
