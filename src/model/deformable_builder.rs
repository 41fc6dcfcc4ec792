//! Adds deformable bodies to a builder.

use super::builder::{ModelBuilder, claim};
use super::check::described;
use super::deformable::{DeformableSpec, Node};
use super::spec::{GeomSpec, JointKind, JointSpec, ModelSpec, ShapeSpec};
use crate::error::{Error, Result};
use crate::spatial::{INERTIA_PARAMS, Inertia, Mat3, Pose, Vec3};

/// How the nodes of a deformable body touch other bodies: as spheres.
#[derive(Clone, Copy, Debug)]
pub struct Skin {
    /// [m]
    pub radius: f64,
    pub friction: f64,
    /// As of geoms: 1 without friction, 3 with sliding friction, 4 and 6 with torsional and rolling friction.
    pub condim: i32,
}

impl ModelBuilder {
    /// Adds a deformable body, and its free nodes as bodies of mass points on translation joints: body,
    /// joint and geom of node i are called NAME_i. `body.rest` gives the places of all nodes in the
    /// world, while every joint is at its reference; `body.nodes` is not read. `attached` lists nodes
    /// with the bodies that carry them. Nodes touch neither each other nor the bodies to which some are
    /// attached. Returns the index of the deformable body.
    ///
    /// # Errors
    /// `InvalidArgument` for nodes and bodies that do not exist, a node that is attached twice or that
    /// belongs to no element, flat tetrahedra, a name that is taken, and invalid numbers; then nothing has
    /// changed.
    pub fn add_deformable(
        &mut self,
        mut body: DeformableSpec,
        attached: &[(usize, usize)],
        skin: Option<Skin>,
    ) -> Result<usize> {
        let who = format!("deformable {}", described(&body.name, ""));
        let mut made = self.clone();
        let mut carriers = vec![None; body.rest.len()];
        for (k, (node, carrier)) in attached.iter().enumerate() {
            made.known_body(*carrier, &format!("{who}: attach_bodies[{k}]"))?;
            match carriers.get_mut(*node) {
                Some(free @ None) => *free = Some(*carrier),
                Some(_) => {
                    return Err(Error::invalid(format!(
                        "{who}: attach_nodes[{k}]: node {node} is attached twice"
                    )));
                }
                None => {
                    return Err(Error::invalid(format!(
                        "{who}: attach_nodes[{k}] must be 0 to {}, got {node}",
                        carriers.len().max(1) - 1
                    )));
                }
            }
        }
        body.nodes = (carriers.iter().zip(&body.rest))
            .map(|(carrier, at)| Node {
                body: carrier.unwrap_or(0),
                at: *at,
                is_free: carrier.is_none(),
            })
            .collect();
        body.check(&who)?;
        let masses = body.masses();
        for (i, node) in body.nodes.iter_mut().enumerate() {
            if !node.is_free {
                node.at = made.placement(node.body).inverse().point(node.at);
                continue;
            }
            let name = match &body.name[..] {
                "" => String::new(),
                name => format!("{name}_{i}"),
            };
            let mut numbers = [0.0; INERTIA_PARAMS];
            numbers[0] = masses[i];
            let inertia = Inertia::from_params(&numbers);
            let place = Pose::new(Mat3::IDENTITY, node.at);
            (node.body, node.at) = (made.add_body(0, &name[..], place, inertia)?, Vec3::ZERO);
            made.add_joint(node.body, JointSpec::new(&name[..], JointKind::Translation))?;
            if let Some(Skin {
                radius,
                friction,
                condim,
            }) = skin
            {
                let shape = ShapeSpec::Sphere { radius };
                let mut geom = GeomSpec::new(&name[..], node.body, Pose::IDENTITY, shape);
                (geom.friction[0], geom.condim) = (friction, condim);
                // It touches geoms that take the first bit, which geoms of nodes do not.
                (geom.contype, geom.conaffinity) = (1, 0);
                made.add_geom(geom)?;
            }
        }
        let mut holders: Vec<usize> = attached.iter().map(|(_, body)| *body).collect();
        holders.sort_unstable();
        holders.dedup();
        for node in body
            .nodes
            .iter()
            .filter(|node| node.is_free && skin.is_some())
        {
            let pairs = holders.iter().map(|holder| (*holder, node.body));
            made.spec.excludes.extend(pairs);
        }
        claim(&mut made.deformables, "deformable", &body.name)?;
        made.spec.deformables.push(body);
        *self = made;
        Ok(self.spec.deformables.len() - 1)
    }

    /// Placement of a body in the world while every joint is at its reference.
    fn placement(&self, mut body: usize) -> Pose {
        let mut placement = Pose::IDENTITY;
        while body != 0 {
            let b = &self.spec.bodies[body];
            placement = b.placement.compose(&placement);
            body = b.parent;
        }
        placement
    }
}

impl ModelSpec {
    /// [`ModelBuilder::add_deformable`] for a description under construction.
    pub(crate) fn add_deformable(
        &mut self,
        body: DeformableSpec,
        attached: &[(usize, usize)],
        skin: Option<Skin>,
    ) -> Result<()> {
        let mut builder = ModelBuilder::new("");
        builder.take_names(self)?;
        builder.spec = std::mem::take(self);
        let added = builder.add_deformable(body, attached, skin);
        *self = builder.spec;
        added.map(|_| ())
    }
}
