//! The geometries of a model: which pairs may touch, and the contacts at a configuration.
//!
//! Pairs follow MuJoCo's rules: `contype`/`conaffinity`, no contact within a body or welded bodies,
//! none between a body and its parent unless the parent is welded to the world, excluded pairs of
//! bodies, and explicit pairs whatever the filters say. Pairs and contacts are ordered by geom ids.

use super::primitive::{self, Manifold, Smoothness};
use super::shape::Shape;
use super::{ContactDerivative, ContactPoint};
use crate::dynamics::kinematics::Kinematics;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::model::spec::{GeomSpec, ShapeSpec};
use crate::model::topology::WORLD;
use crate::spatial::{Pose, Twist, Vec3};

/// A geometry bound to its link.
#[derive(Clone, Debug)]
struct SceneGeom {
    shape: Shape,
    link: usize,
    /// In the link's frame, or in the world's.
    in_link: Pose,
    radius: f64,
}

/// Two geometries that may touch, a before b.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScenePair {
    pub a: usize,
    pub b: usize,
    /// 1: frictionless, 3: sliding friction.
    pub condim: i32,
    /// Where the sliding coefficient comes from: one of the geoms, the larger of both, or a number.
    pub friction: PairFriction,
    /// Distance at which a contact enters the step [m].
    pub margin: f64,
}

/// The sliding friction of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PairFriction {
    OfGeom(usize),
    Larger(usize, usize),
    Fixed(f64),
}

impl PairFriction {
    /// The geom whose coefficient counts; at a tie the first one's.
    pub fn source(self, friction: &[[f64; 3]]) -> Option<usize> {
        match self {
            PairFriction::OfGeom(g) => Some(g),
            PairFriction::Larger(a, b) if friction[a][0] >= friction[b][0] => Some(a),
            PairFriction::Larger(_, b) => Some(b),
            PairFriction::Fixed(_) => None,
        }
    }

    /// The sliding coefficient.
    pub fn sliding(self, friction: &[[f64; 3]]) -> f64 {
        match (self, self.source(friction)) {
            (_, Some(g)) => friction[g][0],
            (PairFriction::Fixed(mu), None) => mu,
            _ => 0.0,
        }
    }
}

/// A contact of the scene: one point of a pair.
#[derive(Clone, Copy, Debug)]
pub struct SceneContact {
    /// Index of the pair.
    pub pair: usize,
    pub geom: [usize; 2],
    /// Links of both sides, or [`WORLD`].
    pub link: [usize; 2],
    pub point: ContactPoint,
}

/// Links whose geometries are tested against each other, and the pairs in question.
#[derive(Clone, Copy, Debug)]
struct Group {
    link: [usize; 2],
    first: usize,
    end: usize,
    /// A plane or other unbounded shape takes part: no sphere bounds the group.
    unbounded: bool,
}

/// All geometries, pairs and current contacts of a model. Nothing is allocated after creation.
#[derive(Clone, Debug)]
pub struct Scene {
    geoms: Vec<SceneGeom>,
    pairs: Vec<ScenePair>,
    groups: Vec<Group>,
    /// Per link (the world last): centre in the link's frame and radius around its bounded geoms.
    bounds: Vec<(Vec3, f64)>,
    poses: Vec<Pose>,
    centers: Vec<Vec3>,
    /// Per link (the world last): no point of its geoms is foreseen to move faster [m/s].
    speeds: Vec<f64>,
    contacts: Vec<SceneContact>,
    capacity: usize,
    manifold: Manifold,
}

impl Scene {
    /// # Errors
    /// `Unsupported` naming a geom whose shape or friction this version cannot do.
    pub fn new(model: &Model, capacity: usize) -> Result<Scene> {
        let mut geoms = Vec::with_capacity(model.ngeom());
        for g in model.geoms() {
            let shape = compile_shape(g)?;
            let body = &model.bodies()[g.body];
            geoms.push(SceneGeom {
                radius: shape.bounding_radius(),
                shape,
                link: body.link,
                in_link: body.in_link.compose(&g.placement),
            });
        }
        let pairs = find_pairs(model, &geoms)?;
        let mut scene = Scene {
            poses: vec![Pose::IDENTITY; geoms.len()],
            centers: vec![Vec3::ZERO; model.topology().links.len() + 1],
            speeds: vec![0.0; model.topology().links.len() + 1],
            bounds: link_bounds(model, &geoms),
            groups: group_pairs(&pairs, &geoms),
            contacts: Vec::with_capacity(capacity),
            capacity,
            manifold: Manifold::default(),
            geoms,
            pairs,
        };
        if let (Some(c), Some(b)) = (scene.centers.last_mut(), scene.bounds.last()) {
            *c = b.0;
        }
        for (pose, g) in scene.poses.iter_mut().zip(&scene.geoms) {
            if g.link == WORLD {
                *pose = g.in_link;
            }
        }
        Ok(scene)
    }

    pub fn pairs(&self) -> &[ScenePair] {
        &self.pairs
    }

    pub fn contacts(&self) -> &[SceneContact] {
        &self.contacts
    }

    /// World placement of a geometry at the last [`Scene::place`].
    pub fn pose(&self, geom: usize) -> &Pose {
        &self.poses[geom]
    }

    /// Finds contacts this much farther apart from now on [m].
    pub fn widen(&mut self, distance: f64) {
        self.pairs.iter_mut().for_each(|p| p.margin += distance);
    }

    /// Places the geometries, nothing foreseen to move.
    pub fn place(&mut self, model: &Model, kin: &Kinematics) {
        let links = &model.topology().links;
        for (i, (c, _)) in self.bounds[..links.len()].iter().enumerate() {
            self.centers[i] = kin.link_pose(model, i).point(*c);
        }
        for (pose, g) in self.poses.iter_mut().zip(&self.geoms) {
            if g.link != WORLD {
                *pose = kin.link_pose(model, g.link).compose(&g.in_link);
            }
        }
        self.speeds.fill(0.0);
    }

    /// Foresees that links may move with these spatial velocities, too. Returns the largest ratio by
    /// which a link is faster than was foreseen, less than 1 if none is.
    pub fn foresee(&mut self, model: &Model, kin: &Kinematics, twists: &[Twist]) -> f64 {
        let links = &model.topology().links;
        let mut surprise = 0.0_f64;
        for (i, v) in twists.iter().enumerate() {
            let center = self.centers[i] - kin.origin[links[i].tree];
            let speed = v.at(center).norm() + v.ang.norm() * self.bounds[i].1;
            if speed > 0.0 {
                surprise = surprise.max(speed / self.speeds[i]);
                self.speeds[i] = self.speeds[i].max(speed);
            }
        }
        surprise
    }

    /// Finds the contacts of the geometries as placed: all points with a gap of at most the pair's
    /// margin plus `reach` times the foreseen speeds of the two links [s].
    ///
    /// # Errors
    /// `Capacity` when there are more contacts than were made room for; there are none then.
    pub fn collide(&mut self, reach: f64) -> Result<()> {
        self.contacts.clear();
        for group in &self.groups {
            let [la, lb] = group.link;
            let (ia, ib) = (self.slot(la), self.slot(lb));
            let allowance = reach * (self.speeds[ia] + self.speeds[ib]);
            if !group.unbounded {
                let r = self.bounds[ia].1 + self.bounds[ib].1 + allowance + self.margin(group);
                if (self.centers[ia] - self.centers[ib]).norm_squared() > r * r {
                    continue;
                }
            }
            for i in group.first..group.end {
                let pair = self.pairs[i];
                let (ga, gb) = (&self.geoms[pair.a], &self.geoms[pair.b]);
                let (pa, pb) = (&self.poses[pair.a], &self.poses[pair.b]);
                let margin = pair.margin + allowance;
                let near = match (&ga.shape, &gb.shape) {
                    (Shape::Plane, _) => pa.rot.c[2].dot(pb.pos - pa.pos) <= gb.radius + margin,
                    (_, Shape::Plane) => pb.rot.c[2].dot(pa.pos - pb.pos) <= ga.radius + margin,
                    _ => {
                        let r = ga.radius + gb.radius + margin;
                        (pa.pos - pb.pos).norm_squared() <= r * r
                    }
                };
                if !near {
                    continue;
                }
                primitive::collide(&ga.shape, pa, &gb.shape, pb, margin, &mut self.manifold);
                for point in self.manifold.points() {
                    if self.contacts.len() == self.capacity {
                        self.contacts.clear();
                        return Err(Error::capacity(format!(
                            "options.max_contacts: {} do not suffice",
                            self.capacity
                        )));
                    }
                    self.contacts.push(SceneContact {
                        pair: i,
                        geom: [pair.a, pair.b],
                        link: [ga.link, gb.link],
                        point: *point,
                    });
                }
            }
        }
        Ok(())
    }

    fn slot(&self, link: usize) -> usize {
        if link == WORLD {
            self.bounds.len() - 1
        } else {
            link
        }
    }

    /// Largest margin of a group's pairs.
    fn margin(&self, group: &Group) -> f64 {
        self.pairs[group.first..group.end]
            .iter()
            .fold(0.0, |m: f64, p| m.max(p.margin))
    }

    /// How a contact moves with its two bodies.
    pub fn differentiate(&self, c: &SceneContact, out: &mut ContactDerivative) -> Smoothness {
        let [a, b] = c.geom;
        primitive::differentiate(
            &self.geoms[a].shape,
            &self.poses[a],
            &self.geoms[b].shape,
            &self.poses[b],
            &c.point,
            out,
        )
    }
}

fn compile_shape(g: &GeomSpec) -> Result<Shape> {
    Ok(match &g.shape {
        ShapeSpec::Plane { .. } => Shape::Plane,
        ShapeSpec::Sphere { radius } => Shape::Sphere { radius: *radius },
        ShapeSpec::Capsule {
            radius,
            half_length,
        } => Shape::Capsule {
            radius: *radius,
            half_length: *half_length,
        },
        ShapeSpec::Cylinder {
            radius,
            half_length,
        } => Shape::Cylinder {
            radius: *radius,
            half_length: *half_length,
        },
        ShapeSpec::Ellipsoid { semi_axes } => Shape::Ellipsoid {
            semi_axes: *semi_axes,
        },
        ShapeSpec::Box { half_extents } => Shape::Box {
            half_extents: *half_extents,
        },
        ShapeSpec::Mesh { .. } | ShapeSpec::HeightField(_) => {
            return Err(Error::unsupported(format!(
                "geom \"{}\": meshes and height fields do not collide in this version",
                g.name
            )));
        }
    })
}

/// The nearest link above `link` that carries a body, or the world.
fn parent_carrier(model: &Model, carries: &[bool], link: usize) -> usize {
    let links = &model.topology().links;
    let mut up = links[link].parent;
    while up != WORLD && !carries[up] {
        up = links[up].parent;
    }
    up
}

fn find_pairs(model: &Model, geoms: &[SceneGeom]) -> Result<Vec<ScenePair>> {
    let specs = model.geoms();
    let mut carries = vec![false; model.topology().links.len()];
    for b in model.bodies() {
        if b.link != WORLD {
            carries[b.link] = true;
        }
    }
    let adjacent = |a: usize, b: usize| {
        let above = |child: usize, parent: usize| {
            child != WORLD && parent != WORLD && parent_carrier(model, &carries, child) == parent
        };
        a == b || above(a, b) || above(b, a)
    };
    let mut pairs = Vec::new();
    for a in 0..geoms.len() {
        for b in a + 1..geoms.len() {
            let (sa, sb) = (&specs[a], &specs[b]);
            let explicit = model
                .pairs()
                .iter()
                .find(|p| (p.geom1, p.geom2) == (a, b) || (p.geom1, p.geom2) == (b, a));
            let masks = sa.contype & sb.conaffinity | sb.contype & sa.conaffinity;
            let excluded = model
                .excludes()
                .iter()
                .any(|&(x, y)| (x, y) == (sa.body, sb.body) || (y, x) == (sa.body, sb.body));
            let filtered = masks == 0 || excluded || adjacent(geoms[a].link, geoms[b].link);
            let planes = matches!(
                (&geoms[a].shape, &geoms[b].shape),
                (Shape::Plane, Shape::Plane)
            );
            if planes || explicit.is_none() && filtered {
                continue;
            }
            let (mut condim, mut friction) = match sa.priority.cmp(&sb.priority) {
                std::cmp::Ordering::Greater => (sa.condim, PairFriction::OfGeom(a)),
                std::cmp::Ordering::Less => (sb.condim, PairFriction::OfGeom(b)),
                std::cmp::Ordering::Equal => (sa.condim.max(sb.condim), PairFriction::Larger(a, b)),
            };
            let mut margin = sa.margin.max(sb.margin);
            if let Some(p) = explicit {
                condim = p.condim.unwrap_or(condim);
                margin = p.margin.unwrap_or(margin);
                if let Some(f) = p.friction {
                    friction = PairFriction::Fixed(f[0]);
                }
            }
            if !matches!(condim, 1 | 3) {
                return Err(Error::unsupported(format!(
                    "geoms \"{}\" and \"{}\": condim {condim} asks for torsional or rolling \
                     friction, which this version does not have (1 and 3 are there)",
                    sa.name, sb.name
                )));
            }
            pairs.push(ScenePair {
                a,
                b,
                condim,
                friction,
                margin,
            });
        }
    }
    // Pairs of the same two links stand together, so that one sphere test can dismiss them all.
    pairs.sort_by_key(|p| (geoms[p.a].link, geoms[p.b].link, p.a, p.b));
    Ok(pairs)
}

fn group_pairs(pairs: &[ScenePair], geoms: &[SceneGeom]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (i, p) in pairs.iter().enumerate() {
        let link = [geoms[p.a].link, geoms[p.b].link];
        let unbounded = [p.a, p.b].iter().any(|&g| !geoms[g].radius.is_finite());
        match groups.last_mut() {
            Some(g) if g.link == link => {
                g.end = i + 1;
                g.unbounded |= unbounded;
            }
            _ => groups.push(Group {
                link,
                first: i,
                end: i + 1,
                unbounded,
            }),
        }
    }
    groups
}

fn link_bounds(model: &Model, geoms: &[SceneGeom]) -> Vec<(Vec3, f64)> {
    let n = model.topology().links.len();
    (0..=n)
        .map(|slot| {
            let own = || {
                geoms.iter().filter(move |g| {
                    g.radius.is_finite() && g.link == if slot == n { WORLD } else { slot }
                })
            };
            let count = own().count().max(1) as f64;
            let mut center = Vec3::ZERO;
            for g in own() {
                center += g.in_link.pos * (1.0 / count);
            }
            let radius = own().fold(0.0, |r: f64, g| {
                r.max((g.in_link.pos - center).norm() + g.radius)
            });
            (center, radius)
        })
        .collect()
}
