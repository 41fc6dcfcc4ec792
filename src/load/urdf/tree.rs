//! Links and joints put together into a tree of bodies.

use super::joint::Joint;
use super::link::{Collision, Link};
use super::warnings::Warnings;
use crate::error::Result;
use crate::load::xml::Element;
use crate::model::spec::{BodySpec, GeomSpec, ModelSpec};
use crate::spatial::{Inertia, Pose};
use std::collections::{HashMap, HashSet};

/// The name of body 0, and of a root link that represents it.
const WORLD: &str = "world";

/// The tree of the links, by index into links and joints.
struct Tree {
    root: usize,
    /// Joints below each link, in the file's order.
    below: Vec<Vec<usize>>,
    /// Child link of each joint.
    child: Vec<usize>,
}

pub(super) fn assemble(
    robot: Element,
    links: Vec<Link>,
    joints: Vec<Joint>,
    warnings: &mut Warnings,
) -> Result<ModelSpec> {
    let tree = connect(robot, &links, &joints)?;
    let mut spec = ModelSpec::default();
    let mut names = GeomNames::of(&links);
    // (link, joint above it, body of its parent)
    let mut stack = vec![(tree.root, None::<usize>, 0)];
    while let Some((link, joint, parent)) = stack.pop() {
        let l = &links[link];
        let origin = format!("line {}", l.element.line());
        let body = if joint.is_none() && l.name == WORLD {
            spec.bodies[0].origin = origin;
            if l.inertia != Inertia::ZERO {
                warnings.add(l.element, "inertia of the world ignored");
            }
            0
        } else if l.name == WORLD {
            return Err(l
                .element
                .error("only the root link may have the name of the world"));
        } else {
            spec.bodies.push(BodySpec {
                name: l.name.to_owned(),
                parent,
                placement: joint.map_or(Pose::IDENTITY, |j| joints[j].placement),
                inertia: l.inertia,
                joints: joint.map(|j| joints[j].spec.clone()).into_iter().collect(),
                origin,
                ..BodySpec::world()
            });
            spec.bodies.len() - 1
        };
        for c in &l.collisions {
            let name = names.choose(l.name, c, warnings);
            let mut geom = GeomSpec::new(name, body, c.placement, c.shape.clone());
            geom.origin = format!("line {}", c.element.line());
            if let Some(proximity) = &c.proximity {
                proximity.apply(&mut geom);
            }
            spec.geoms.push(geom);
        }
        let below = tree.below[link].iter().rev();
        stack.extend(below.map(|&j| (tree.child[j], Some(j), body)));
    }
    Ok(spec)
}

/// Resolves the names of links and checks that the joints make a single tree of all links.
fn connect(robot: Element, links: &[Link], joints: &[Joint]) -> Result<Tree> {
    let by_name: HashMap<&str, usize> =
        links.iter().enumerate().map(|(i, l)| (l.name, i)).collect();
    let mut above: Vec<Option<usize>> = vec![None; links.len()];
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); links.len()];
    let (mut child, mut parent) = (Vec::new(), Vec::new());
    for (j, joint) in joints.iter().enumerate() {
        let find = |role: &str, name: &str| {
            by_name.get(name).copied().ok_or_else(|| {
                joint
                    .element
                    .error(format!("its {role} \"{name}\" is not a link of the file"))
            })
        };
        let (p, c) = (find("parent", joint.parent)?, find("child", joint.child)?);
        if let Some(other) = above[c] {
            return Err(joint.element.error(format!(
                "its child \"{}\" is already the child of joint \"{}\" at line {}",
                joint.child,
                joints[other].spec.name,
                joints[other].element.line()
            )));
        }
        above[c] = Some(j);
        below[p].push(j);
        parent.push(p);
        child.push(c);
    }

    let mut roots = (0..links.len()).filter(|&l| above[l].is_none());
    let root = roots.next();
    if let (Some(first), Some(second)) = (root, roots.next()) {
        return Err(links[second].element.error(format!(
            "a second root: neither it nor \"{}\" at line {} is the child of a joint",
            links[first].name,
            links[first].element.line()
        )));
    }
    // Each link has one parent, so links that the root does not reach are on or below a cycle.
    let mut reached = vec![false; links.len()];
    let mut stack: Vec<usize> = root.into_iter().collect();
    while let Some(l) = stack.pop() {
        reached[l] = true;
        stack.extend(below[l].iter().map(|&j| child[j]));
    }
    if let Some(lost) = reached.iter().position(|r| !r) {
        let mut seen = vec![false; links.len()];
        let mut at = lost;
        while let Some(j) = above[at].filter(|_| !seen[at]) {
            seen[at] = true;
            at = parent[j];
        }
        let place = above[at].map_or(links[at].element, |j| joints[j].element);
        return Err(place.error(format!(
            "closes a cycle: link \"{}\" is above itself",
            links[at].name
        )));
    }
    match root {
        Some(root) => Ok(Tree { root, below, child }),
        None => Err(robot.error("expected at least one <link>, found none")),
    }
}

/// Names of geometries, made unique.
struct GeomNames<'a> {
    /// Names in the file of any collision.
    given: HashSet<&'a str>,
    used: HashSet<String>,
}

impl<'a> GeomNames<'a> {
    fn of(links: &[Link<'a, '_>]) -> Self {
        let collisions = links.iter().flat_map(|l| &l.collisions);
        GeomNames {
            given: collisions.filter_map(|c| c.name).collect(),
            used: HashSet::new(),
        }
    }

    fn choose(&mut self, link: &str, collision: &Collision, warnings: &mut Warnings) -> String {
        if let Some(name) = collision.name {
            if self.used.insert(name.to_owned()) {
                return name.to_owned();
            }
            warnings.add(
                collision.element,
                "name already taken, replaced by link and index",
            );
        }
        let mut name = format!("{link}_{}", collision.index);
        while self.given.contains(name.as_str()) || self.used.contains(&name) {
            name.push('_');
        }
        self.used.insert(name.clone());
        name
    }
}
