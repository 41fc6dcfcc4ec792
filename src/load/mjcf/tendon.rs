//! `<tendon>`: sums of joint coordinates, or paths through sites and around geoms.

use super::Loader;
use super::defaults::MAIN;
use super::joint::range;
use super::names::Names;
use super::node::Node;
use super::servo::JointEntry;
use super::tendon_settings::TendonSettings;
use crate::error::Result;
use crate::model::spec::{JointKind, ShapeSpec};
use crate::model::tendon::{PathPoint, TendonPath, TendonSpec, WrapShape, WrapSpec, path_length};
use crate::spatial::{Pose, Quat, Vec3};

impl Loader {
    pub(super) fn read_tendons(&mut self, section: Node<'_>) -> Result<()> {
        for node in section.children() {
            let mut settings = self.classes.of(node, MAIN)?.tendon.clone();
            settings.read(node)?;
            self.read_tendon(node, &settings)?;
        }
        Ok(())
    }

    fn read_tendon(&mut self, node: Node<'_>, settings: &TendonSettings) -> Result<()> {
        let path = match node.tag() {
            "fixed" => self.fixed_path(node)?,
            _ => self.spatial_path(node)?,
        };
        if settings.armature > 0.0 {
            self.reflect_tendon(node, settings.armature, &path)?;
        }
        let limits = range(
            node,
            self.compiler(node),
            "range",
            "limited",
            settings.range,
            settings.limited,
        )?;
        let options = &self.options;
        let only = |allowed: bool, x| if allowed { x } else { [0.0; 3] };
        let [stiffness, stiffness_terms @ ..] = only(options.spring, settings.stiffness);
        let [damping, damping_terms @ ..] = only(options.damper, settings.damping);
        let pulls = stiffness > 0.0 || stiffness_terms != [0.0; 2];
        let given = settings.spring_length;
        let rest = match given == [-1.0; 2] {
            true if pulls => self.length_at_rest(&path),
            true => None,
            false => Some(given[0]).zip(Some(given[1])),
        };
        Names::insert(
            &mut self.names.tendons,
            node,
            node.name(),
            self.spec.tendons.len(),
        )?;
        self.spec.tendons.push(TendonSpec {
            name: node.name().to_string(),
            path,
            stiffness,
            damping,
            stiffness_terms,
            damping_terms,
            rest,
            pull_only: false,
            limits: limits.filter(|_| options.limit),
            limit_margin: settings.margin,
            friction_loss: match options.friction_loss {
                true => settings.friction_loss,
                false => 0.0,
            },
            origin: node.origin(),
        });
        Ok(())
    }

    /// Adds the inertia that moves with a tendon along one joint to this joint, by the coefficient squared.
    fn reflect_tendon(&mut self, node: Node<'_>, armature: f64, path: &TendonPath) -> Result<()> {
        let TendonPath::Fixed(terms) = path else {
            return Err(node.unsupported("armature of a spatial tendon"));
        };
        let acting: Vec<_> = terms.iter().filter(|(_, c)| *c != 0.0).collect();
        let [(name, coefficient)] = acting[..] else {
            return Err(node.unsupported(
                "armature of a tendon along several joints: it couples the inertias of joints that the tree of \
                 bodies does not connect",
            ));
        };
        if let Some((id, _)) = self.names.joints.get(name) {
            let entry = &self.joints[*id];
            let joint = &mut self.spec.bodies[entry.body].joints[entry.position];
            joint.armature += coefficient * coefficient * armature;
        }
        Ok(())
    }

    fn fixed_path(&self, node: Node<'_>) -> Result<TendonPath> {
        let mut terms: Vec<(String, f64)> = Vec::new();
        for child in node.children() {
            let entry = &self.joints[Names::find(&self.names.joints, child, "joint")?];
            let joint = &self.spec.bodies[entry.body].joints[entry.position];
            if !matches!(joint.kind, JointKind::Revolute | JointKind::Prismatic) {
                return Err(child.error(format!(
                    "joint: expected a hinge or a slide, {:?} is neither",
                    joint.name
                )));
            }
            if terms.iter().any(|(name, _)| *name == joint.name) {
                return Err(child.error(format!("joint: {:?} is named twice", joint.name)));
            }
            child.required("coef")?;
            terms.push((joint.name.clone(), child.number("coef")?.unwrap_or(0.0)));
        }
        if terms.is_empty() {
            return Err(node.error("the path is empty; expected a <joint>"));
        }
        Ok(TendonPath::Fixed(terms))
    }

    fn spatial_path(&self, node: Node<'_>) -> Result<TendonPath> {
        let children: Vec<Node<'_>> = node.children().collect();
        let tag = |i: Option<usize>| i.and_then(|i| children.get(i)).map(Node::tag);
        let mut path = Vec::with_capacity(children.len());
        for (i, &child) in children.iter().enumerate() {
            let (before, after) = (tag(i.checked_sub(1)), tag(Some(i + 1)));
            let is_site = |tag: Option<&str>| tag == Some("site");
            let ends = |tag: Option<&str>| tag.is_none_or(|t| t == "pulley");
            path.push(match child.tag() {
                "site" if ends(before) && ends(after) => {
                    return Err(child.error("the branch has one site; expected two or more"));
                }
                "site" => {
                    let (body, at) = self.site_point(child, "site")?;
                    PathPoint::Point { body, at }
                }
                "geom" if !(is_site(before) && is_site(after)) => {
                    return Err(child.error("a geom must stand between two sites"));
                }
                "geom" => PathPoint::Around(self.wrap(child)?),
                _ if !is_site(after) => {
                    return Err(child.error("a pulley must be followed by a site"));
                }
                _ => PathPoint::Pulley {
                    divisor: divisor(child)?,
                },
            });
        }
        if path.is_empty() {
            return Err(node.error("the path is empty; expected two <site> or more"));
        }
        Ok(TendonPath::Spatial(path))
    }

    /// The body and the position of the site named by `attribute`.
    fn site_point(&self, node: Node<'_>, attribute: &str) -> Result<(usize, Vec3)> {
        let site = &self.spec.sites[Names::find(&self.names.sites, node, attribute)?];
        Ok((site.body, site.placement.pos))
    }

    fn wrap(&self, node: Node<'_>) -> Result<WrapSpec> {
        let geom = &self.spec.geoms[Names::find(&self.names.geoms, node, "geom")?];
        let (shape, radius) = match geom.shape {
            ShapeSpec::Sphere { radius } => (WrapShape::Sphere, radius),
            ShapeSpec::Cylinder { radius, .. } => (WrapShape::Cylinder, radius),
            _ => {
                return Err(node.error(format!(
                    "geom: expected a sphere or a cylinder, {:?} is neither",
                    geom.name
                )));
            }
        };
        let side = match node.has("sidesite") {
            true => Some(self.site_point(node, "sidesite")?),
            false => None,
        };
        Ok(WrapSpec {
            body: geom.body,
            placement: geom.placement,
            shape,
            radius,
            side,
        })
    }

    /// The length with the joints' springs at rest; `None` if this is the reference configuration.
    fn length_at_rest(&self, path: &TendonPath) -> Option<(f64, f64)> {
        let length = match path {
            TendonPath::Fixed(terms) => {
                let term = |(name, coefficient): &(String, f64)| {
                    let (id, _) = self.names.joints.get(name)?;
                    let entry = &self.joints[*id];
                    let joint = &self.spec.bodies[entry.body].joints[entry.position];
                    Some(coefficient * joint.spring_reference)
                };
                terms.iter().filter_map(term).sum()
            }
            TendonPath::Spatial(path) => {
                let mut joints = self.spec.bodies.iter().flat_map(|b| &b.joints);
                if joints.all(|j| j.spring_reference == j.reference) {
                    return None;
                }
                path_length(path, &self.places_at_rest())
            }
        };
        Some((length, length))
    }

    /// World placements of all bodies with the joints' springs at rest.
    fn places_at_rest(&self) -> Vec<Pose> {
        let mut places: Vec<Pose> = Vec::with_capacity(self.spec.bodies.len());
        for body in &self.spec.bodies {
            let mut place = match places.get(body.parent) {
                Some(parent) => parent.compose(&body.placement),
                None => Pose::IDENTITY,
            };
            for joint in &body.joints {
                let by = joint.spring_reference - joint.reference;
                let motion = match joint.kind {
                    JointKind::Revolute => {
                        let turn =
                            Pose::from_quat(Quat::exp(joint.axis * by).normalized(), joint.anchor);
                        turn.compose(&Pose::translation(-joint.anchor))
                    }
                    JointKind::Prismatic => Pose::translation(joint.axis * by),
                    _ => Pose::IDENTITY,
                };
                place = place.compose(&motion);
            }
            places.push(place);
        }
        places
    }

    /// The joints of a fixed tendon, with their coefficients; `None` for a spatial one.
    pub(super) fn joints_of_tendon(&self, tendon: usize) -> Option<Vec<(JointEntry, f64)>> {
        let TendonPath::Fixed(terms) = &self.spec.tendons[tendon].path else {
            return None;
        };
        let entry = |(name, coefficient): &(String, f64)| {
            let (id, _) = self.names.joints.get(name)?;
            Some((self.joints[*id].clone(), *coefficient))
        };
        Some(terms.iter().filter_map(entry).collect())
    }
}

fn divisor(node: Node<'_>) -> Result<f64> {
    node.required("divisor")?;
    match node.number("divisor")? {
        Some(x) if x > 0.0 => Ok(x),
        x => Err(node.error(format!(
            "divisor: expected a number > 0, found {}",
            x.unwrap_or(0.0)
        ))),
    }
}
