//! Models made in code: a description that is checked piece by piece, so that an error appears where the
//! mistake is made.

use super::check::{
    check_geom, check_gravity_compensation, check_inertia, check_joint, check_pose, described,
};
use super::inherited::Inherited;
use super::reducing::{check_numbers, own_dofs};
use super::sensor::SensorSpec;
use super::spec::{
    ActuatorSpec, BodySpec, EqualityKind, EqualitySpec, GeomSpec, JointSpec, ModelSpec,
    ReductionSpec, SiteSpec,
};
use super::tendon::{PathPoint, SpringSpec, TendonPath, TendonSpec, Transmission};
use super::tendon_check::{check_spring, check_tendon};
use super::{Actuation, Model};
use crate::error::{Error, Result};
use crate::spatial::{Inertia, Pose, Vec3};
use std::collections::HashSet;

/// Collects a description. Body 0 is the world. The ids returned are the builder's own:
/// [`ModelBuilder::build`] numbers bodies depth first and geoms by body, so look them up by name.
///
/// ```
/// use diffsim::model::builder::ModelBuilder;
/// use diffsim::model::spec::{JointKind, JointSpec};
/// use diffsim::spatial::{Inertia, Pose, Sym3, Vec3};
///
/// let mut builder = ModelBuilder::new("pendulum");
/// let bob = Inertia::from_com(1.0, Vec3::new(0.0, 0.0, -0.5), Sym3::ZERO);
/// let arm = builder.add_body(0, "arm", Pose::IDENTITY, bob)?;
/// let mut hinge = JointSpec::new("hinge", JointKind::Revolute);
/// hinge.axis = Vec3::Y;
/// builder.add_joint(arm, hinge)?;
/// let model = builder.build()?;
/// assert_eq!(model.nv(), 1);
/// # Ok::<(), diffsim::error::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ModelBuilder {
    pub(super) spec: ModelSpec,
    pub(super) actuation: Actuation,
    /// The data of a model that are not in its description.
    pub(super) inherited: Inherited,
    /// For every joint, by the builder's ids: its body, and its index among the body's joints.
    pub(super) joint_places: Vec<(usize, usize)>,
    pub(super) bodies: HashSet<String>,
    pub(super) joints: HashSet<String>,
    pub(super) geoms: HashSet<String>,
    pub(super) sites: HashSet<String>,
    pub(super) springs: HashSet<String>,
    pub(super) tendons: HashSet<String>,
    pub(super) deformables: HashSet<String>,
    pub(super) actuators: HashSet<String>,
    pub(super) sensors: HashSet<String>,
}

/// Records a name. Refuses one that exists already. The empty name may occur any number of times.
pub(super) fn claim(names: &mut HashSet<String>, what: &str, name: &str) -> Result<()> {
    if name.is_empty() || names.insert(name.to_owned()) {
        Ok(())
    } else {
        Err(Error::invalid(format!(
            "{what} \"{name}\": the name is taken twice"
        )))
    }
}

/// The bodies of a path element, each with the element's index in the path.
fn stations((i, point): (usize, &PathPoint)) -> impl Iterator<Item = (usize, usize)> {
    let bodies = match point {
        PathPoint::Point { body, .. } => [Some(*body), None],
        PathPoint::Around(wrap) => [Some(wrap.body), wrap.side.map(|(body, _)| body)],
        PathPoint::Pulley { .. } => [None; 2],
    };
    bodies.into_iter().flatten().map(move |body| (i, body))
}

/// Refuses an equality between elements that do not exist.
fn known(
    names: &HashSet<String>,
    what: &str,
    equality: &EqualitySpec,
    (first, second): (&String, &Option<String>),
) -> Result<()> {
    let mut list = std::iter::once(first).chain(second);
    match list.find(|name| !names.contains(*name)) {
        Some(name) => Err(Error::invalid(format!(
            "equality {}: no {what} is called \"{name}\"",
            described(&equality.name, "")
        ))),
        None => Ok(()),
    }
}

impl ModelBuilder {
    /// An empty world, with gravity (0, 0, −9.81).
    pub fn new(name: impl Into<String>) -> Self {
        ModelBuilder {
            spec: ModelSpec {
                name: name.into(),
                ..ModelSpec::default()
            },
            actuation: Actuation::FromFile,
            inherited: Inherited::default(),
            joint_places: Vec::new(),
            bodies: HashSet::from(["world".to_owned()]),
            joints: HashSet::new(),
            geoms: HashSet::new(),
            sites: HashSet::new(),
            springs: HashSet::new(),
            tendons: HashSet::new(),
            deformables: HashSet::new(),
            actuators: HashSet::new(),
            sensors: HashSet::new(),
        }
    }

    /// The description collected so far.
    pub fn spec(&self) -> &ModelSpec {
        &self.spec
    }

    /// Gravitational acceleration, world axes [m/s²].
    pub fn set_gravity(&mut self, gravity: Vec3) -> Result<()> {
        if !gravity.is_finite() {
            return Err(Error::numerical(format!(
                "gravity: must be finite, got ({} {} {})",
                gravity.x, gravity.y, gravity.z
            )));
        }
        self.spec.gravity = gravity;
        Ok(())
    }

    /// Chooses between the added actuators (the default) and inputs on dofs.
    pub fn set_actuation(&mut self, actuation: Actuation) {
        self.actuation = actuation;
    }

    pub(super) fn known_body(&self, body: usize, what: &str) -> Result<()> {
        if body < self.spec.bodies.len() {
            return Ok(());
        }
        Err(Error::invalid(format!(
            "{what}: must be the id of a body added before, 0 to {}, got {body}",
            self.spec.bodies.len() - 1
        )))
    }

    /// Adds a body welded to `parent` until it gets joints. Returns its id. `placement` is its frame in
    /// the parent's frame with every joint at its reference; `inertia` is about its frame.
    ///
    /// # Errors
    /// `InvalidArgument` for an invalid parent, a duplicate name, a placement that is no rigid motion,
    /// or an inertia that no body can have.
    pub fn add_body(
        &mut self,
        parent: usize,
        name: impl Into<String>,
        placement: Pose,
        inertia: Inertia,
    ) -> Result<usize> {
        let name = name.into();
        let who = described(&name, "");
        self.known_body(parent, "parent")?;
        check_pose(&placement, || format!("body {who}: placement"))?;
        if let Some(complaint) = check_inertia(&inertia, &who)? {
            return Err(Error::invalid(complaint));
        }
        claim(&mut self.bodies, "body", &name)?;
        self.spec.bodies.push(BodySpec {
            name,
            parent,
            placement,
            inertia,
            ..BodySpec::world()
        });
        Ok(self.spec.bodies.len() - 1)
    }

    /// Adds a joint between a body and its parent. Several joints of one body act one after the other,
    /// the first one next to the parent.
    ///
    /// # Errors
    /// `InvalidArgument` for an invalid body or the world, a duplicate name, or invalid numbers.
    pub fn add_joint(&mut self, body: usize, joint: JointSpec) -> Result<()> {
        let who = described(&joint.name, "");
        self.known_body(body, "body")?;
        if body == 0 {
            return Err(Error::invalid(format!(
                "joint {who}: body 0, the world, has no joints"
            )));
        }
        check_joint(&joint, &who)?;
        claim(&mut self.joints, "joint", &joint.name)?;
        let place = (body, self.spec.bodies[body].joints.len());
        self.joint_places.push(place);
        self.spec.bodies[body].joints.push(joint);
        Ok(())
    }

    /// Adds a geom to its body. Returns its id.
    ///
    /// # Errors
    /// `InvalidArgument` for an invalid body, a duplicate name, or invalid sizes or friction
    /// coefficients.
    pub fn add_geom(&mut self, geom: GeomSpec) -> Result<usize> {
        let who = described(&geom.name, "");
        self.known_body(geom.body, "body")?;
        check_geom(&geom, &who)?;
        claim(&mut self.geoms, "geom", &geom.name)?;
        self.spec.geoms.push(geom);
        Ok(self.spec.geoms.len() - 1)
    }

    /// Adds a named frame to its body. Returns its id.
    ///
    /// # Errors
    /// `InvalidArgument` for an invalid body, a duplicate name, or a placement that is no rigid motion.
    pub fn add_site(&mut self, site: SiteSpec) -> Result<usize> {
        self.known_body(site.body, "body")?;
        check_pose(&site.placement, || {
            format!("site {}: placement", described(&site.name, ""))
        })?;
        claim(&mut self.sites, "site", &site.name)?;
        self.spec.sites.push(site);
        Ok(self.spec.sites.len() - 1)
    }

    /// Adds a sensor. Returns its id, which is also its id in the model.
    ///
    /// # Errors
    /// `InvalidArgument` for an invalid body, a duplicate name, or a placement that is no rigid motion;
    /// the errors of [`SensorSpec::check`]. [`ModelBuilder::build`] looks up joints, tendons and
    /// actuators.
    pub fn add_sensor(&mut self, sensor: SensorSpec) -> Result<usize> {
        let who = described(&sensor.name, "");
        sensor.check(&who)?;
        for (frame, what) in std::iter::once((&sensor.frame, "body"))
            .chain(sensor.reference.iter().map(|f| (f, "reference_body")))
        {
            self.known_body(frame.body, what)?;
            check_pose(&frame.placement, || format!("sensor {who}: placement"))?;
        }
        claim(&mut self.sensors, "sensor", &sensor.name)?;
        self.spec.sensors.push(sensor);
        Ok(self.spec.sensors.len() - 1)
    }

    /// Sets the share of a body's weight that a force at its centre of mass compensates. With 1 the body
    /// floats.
    ///
    /// # Errors
    /// `InvalidArgument` for an invalid body or a share that is not finite.
    pub fn set_gravity_compensation(&mut self, body: usize, share: f64) -> Result<()> {
        self.known_body(body, "body")?;
        check_gravity_compensation(share, &described(&self.spec.bodies[body].name, ""))?;
        self.spec.bodies[body].gravity_compensation = share;
        Ok(())
    }

    /// Adds an actuator, which takes the next entry of u. With inputs on dofs this only works in a
    /// builder made from a model; the inputs on dofs then come first.
    ///
    /// # Errors
    /// `InvalidArgument` for a joint, tendon, body or site that does not exist yet, or a duplicate name.
    pub fn add_actuator(&mut self, actuator: ActuatorSpec) -> Result<()> {
        let (what, name, is_there) = match &actuator.transmission {
            Transmission::Joint(name) => ("joint", name, self.joints.contains(name)),
            Transmission::Tendon(name) => ("tendon", name, self.tendons.contains(name)),
            Transmission::Body(name) => {
                let mut bodies = self.spec.bodies.iter();
                ("body", name, bodies.any(|b| b.name == *name))
            }
            Transmission::Site { site, reference } => {
                let mut names = std::iter::once(site).chain(reference);
                let unknown = names.find(|name| !self.sites.contains(*name));
                ("site", unknown.unwrap_or(site), unknown.is_none())
            }
        };
        if !is_there {
            return Err(Error::invalid(format!(
                "actuator {}: no {what} is called \"{name}\"",
                described(&actuator.name, "")
            )));
        }
        claim(&mut self.actuators, "actuator", &actuator.name)?;
        match self.inherited.more_inputs {
            true => self.inherited.added.push(actuator),
            false => self.spec.actuators.push(actuator),
        }
        Ok(())
    }

    /// Adds an equality, which may close a loop. Bodies are the builder's ids. The numbers are checked
    /// when a simulation is made.
    ///
    /// # Errors
    /// `InvalidArgument` for a body, joint or tendon that does not exist yet.
    pub fn add_equality(&mut self, equality: EqualitySpec) -> Result<()> {
        match &equality.kind {
            EqualityKind::Connect { body1, body2, .. }
            | EqualityKind::Weld { body1, body2, .. }
            | EqualityKind::Distance { body1, body2, .. } => {
                self.known_body(*body1, "body1")?;
                self.known_body(*body2, "body2")?;
            }
            EqualityKind::Joint { joint1, joint2, .. } => {
                known(&self.joints, "joint", &equality, (joint1, joint2))?;
            }
            EqualityKind::Tendon {
                tendon1, tendon2, ..
            } => {
                known(&self.tendons, "tendon", &equality, (tendon1, tendon2))?;
            }
        }
        self.spec.equalities.push(equality);
        Ok(())
    }

    /// Number of dofs of these joints, which can be reduced.
    ///
    /// # Errors
    /// `InvalidArgument` for a joint that does not exist or has a quaternion.
    pub fn reduced_dofs(&self, joints: &[String]) -> Result<usize> {
        let all = || self.spec.bodies.iter().flat_map(|b| &b.joints);
        let mut count = 0;
        for name in joints {
            let known = all().find(|j| j.name == *name && !name.is_empty());
            let Some(joint) = known else {
                return Err(Error::invalid(format!(
                    "reduction: joints: no joint is called \"{name}\""
                )));
            };
            count += own_dofs(joint)?;
        }
        Ok(count)
    }

    /// Gives joints reduced coordinates.
    ///
    /// # Errors
    /// `InvalidArgument` for a joint that does not exist, is listed twice or is in another reduction, for
    /// numbers that do not fit, and for columns that depend on each other.
    pub fn add_reduction(&mut self, reduction: ReductionSpec) -> Result<()> {
        let who = format!("reduction {}", described(&reduction.name, ""));
        let rows = self.reduced_dofs(&reduction.joints)?;
        check_numbers(&reduction, rows)?;
        for (i, name) in reduction.joints.iter().enumerate() {
            let others = self.spec.reductions.iter().flat_map(|r| &r.joints);
            if others.chain(&reduction.joints[..i]).any(|n| n == name) {
                return Err(Error::invalid(format!(
                    "{who}: joints: \"{name}\" is listed twice or belongs to another reduction"
                )));
            }
        }
        self.spec.reductions.push(reduction);
        Ok(())
    }

    /// Adds a spring between points of bodies. Returns its index. Bodies are the builder's ids.
    ///
    /// # Errors
    /// `InvalidArgument` for a body that does not exist yet, a duplicate name, or invalid numbers.
    pub fn add_spring(&mut self, spring: SpringSpec) -> Result<usize> {
        let who = format!("spring {}", described(&spring.name, ""));
        self.known_body(spring.body1, &format!("{who}: body1"))?;
        self.known_body(spring.body2, &format!("{who}: body2"))?;
        check_spring(&spring, &who)?;
        claim(&mut self.springs, "spring", &spring.name)?;
        self.spec.springs.push(spring);
        Ok(self.spec.springs.len() - 1)
    }

    /// Adds a tendon. Returns its index. Bodies are the builder's ids.
    ///
    /// # Errors
    /// `InvalidArgument` for a body or joint that does not exist yet, a duplicate name, or invalid
    /// numbers and paths.
    pub fn add_tendon(&mut self, tendon: TendonSpec) -> Result<usize> {
        let who = format!("tendon {}", described(&tendon.name, ""));
        check_tendon(&tendon, &who)?;
        match &tendon.path {
            TendonPath::Fixed(terms) => {
                if let Some((joint, _)) = terms.iter().find(|(j, _)| !self.joints.contains(j)) {
                    return Err(Error::invalid(format!(
                        "{who}: no joint is called \"{joint}\""
                    )));
                }
            }
            TendonPath::Spatial(path) => {
                for (i, body) in path.iter().enumerate().flat_map(stations) {
                    self.known_body(body, &format!("{who}: the body of path[{i}]"))?;
                }
            }
        }
        claim(&mut self.tendons, "tendon", &tendon.name)?;
        self.spec.tendons.push(tendon);
        Ok(self.spec.tendons.len() - 1)
    }

    /// Compiles the description collected so far. You can add to the builder and build again.
    ///
    /// # Errors
    /// The errors of [`Model::compile`].
    pub fn build(&self) -> Result<Model> {
        let model = Model::compile(self.spec.clone(), self.actuation)?;
        self.inherited.apply(model, &self.spec, &self.joint_places)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::spec::{JointKind, ShapeSpec};
    use crate::spatial::Sym3;

    fn ball() -> Inertia {
        Inertia::from_com(
            2.0,
            Vec3::new(0.0, 0.1, 0.0),
            Sym3::new(0.1, 0.0, 0.1, 0.0, 0.0, 0.1),
        )
    }

    fn equality(kind: EqualityKind) -> EqualitySpec {
        EqualitySpec {
            name: "e".into(),
            active: true,
            kind,
            origin: String::new(),
        }
    }

    #[test]
    fn bodies_are_renumbered_depth_first() -> Result<()> {
        let mut b = ModelBuilder::new("tree");
        let left = b.add_body(0, "left", Pose::IDENTITY, ball())?;
        let right = b.add_body(0, "right", Pose::IDENTITY, ball())?;
        let hand = b.add_body(left, "hand", Pose::IDENTITY, ball())?;
        for (body, name) in [(left, "a"), (right, "b"), (hand, "c")] {
            b.add_joint(body, JointSpec::new(name, JointKind::Revolute))?;
        }
        let m = b.build()?;
        assert_eq!(
            ["left", "hand", "right"].map(|n| m.body_id(n)),
            [Some(1), Some(2), Some(3)]
        );
        b.set_actuation(Actuation::Full);
        assert_eq!((m.nu(), b.build()?.nu()), (0, 3));
        Ok(())
    }

    #[test]
    fn a_mistake_is_found_where_it_is_made_and_changes_nothing() -> Result<()> {
        let mut b = ModelBuilder::new("m");
        let arm = b.add_body(0, "arm", Pose::IDENTITY, ball())?;
        b.add_joint(arm, JointSpec::new("hinge", JointKind::Revolute))?;
        let before = format!("{b:?}");
        let mut negative = ball();
        negative.mass = -1.0;
        let sphere = |radius| GeomSpec::new("g", arm, Pose::IDENTITY, ShapeSpec::Sphere { radius });
        let mut damped = JointSpec::new("d", JointKind::Revolute);
        damped.damping = f64::NAN;
        let wrong = [
            b.add_body(7, "x", Pose::IDENTITY, ball()).err(),
            b.add_body(0, "arm", Pose::IDENTITY, ball()).err(),
            b.add_body(0, "x", Pose::IDENTITY, negative).err(),
            b.add_joint(0, JointSpec::new("w", JointKind::Free)).err(),
            b.add_joint(arm, JointSpec::new("hinge", JointKind::Free))
                .err(),
            b.add_joint(arm, damped).err(),
            b.add_geom(sphere(0.0)).err(),
            b.set_gravity(Vec3::new(0.0, f64::NAN, 0.0)).err(),
            b.add_equality(equality(EqualityKind::Connect {
                body1: arm,
                body2: 5,
                anchor: Vec3::ZERO,
            }))
            .err(),
            b.add_equality(equality(EqualityKind::Joint {
                joint1: "hinge".into(),
                joint2: Some("nobody".into()),
                coefficients: [0.0; 5],
                dofs: [0; 2],
            }))
            .err(),
        ];
        assert!(wrong.iter().all(Option::is_some), "{wrong:?}");
        assert_eq!(format!("{b:?}"), before);
        Ok(())
    }
}
