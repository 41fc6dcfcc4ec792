//! Elastic forces and damping of deformable bodies: tetrahedra, triangles and edges between nodes.
//!
//! A node is a point of a link. With its Jacobian J, the force f on it acts on the dofs above it by Jᵀ
//! f, and the slopes of the forces become Jᵀ K J of pairs of nodes, plus the change of J itself where
//! the node is carried by joints that rotate. Forces depend on the differences of the nodes' places and
//! velocities alone, so that they keep momentum; tetrahedra and edges keep angular momentum too.

mod edge;
mod material;
mod rotation;
#[cfg(test)]
mod tests;

use super::face::State;
use super::slopes::{Entry, Slopes};
use crate::dynamics::coupling::Coupling;
use crate::dynamics::kinematics::Kinematics;
use crate::model::Model;
use crate::model::deformable::{DEFORMABLE_NUMBERS, Material, gradients, six_volumes, triangle};
use crate::model::params::{Param, ParamKind, Params};
use crate::model::topology::{LinkKind, Topology, WORLD};
use crate::spatial::{Mat3, Vec3};
use edge::Edge;
use material::{Law, Strain, lame_slopes};
use std::collections::HashMap;
use std::ops::Range;

/// A node, as a point of a link.
#[derive(Clone, Debug)]
struct Point {
    link: usize,
    /// In the link's frame, or in the world.
    at: Vec3,
    /// In the shape at rest, when the simulation was created [m].
    rest: Vec3,
    arms: Range<usize>,
    /// Whether only translations move it, so that its Jacobian is constant.
    is_straight: bool,
    /// Whether it is a free node: a tree of three dofs.
    is_lone: bool,
}

/// A dof that moves a node.
#[derive(Clone, Debug)]
struct Arm {
    dof: usize,
    link: usize,
    /// Velocity of the node per velocity of the dof, and derivative of its velocity by the dof's position.
    along: Vec3,
    rate: Vec3,
}

/// A tetrahedron, or a triangle: its fourth corner is the first one again, with a shape function of zero.
#[derive(Clone, Debug)]
struct Tet {
    corners: [usize; 4],
    /// Gradients of the corners' shape functions at rest [1/m], and the volume at rest [m³].
    gradients: [Vec3; 4],
    volume: f64,
    strain: Strain,
    /// Indices of the blocks between corners, row by row.
    blocks: [usize; 16],
}

/// The elements of one law.
#[derive(Clone, Debug)]
struct Solid {
    law: Law,
    /// Of triangles.
    thickness: f64,
    tets: Vec<Tet>,
}

/// The elements of one deformable body.
#[derive(Clone, Debug)]
struct Part {
    /// Index of its first node.
    first: usize,
    /// Stiffness of its edges, and the ratio of damping to stiffness.
    line: [f64; 2],
    /// Tetrahedra and triangles.
    solids: [Solid; 2],
    edges: Vec<Edge>,
    /// For each edge: the blocks of its ends with themselves and with each other, row by row.
    edge_blocks: Vec<[usize; 4]>,
}

/// The forces of all deformable bodies, with their slopes at the last state. Sized at creation.
#[derive(Clone, Debug)]
pub struct Deformables {
    points: Vec<Point>,
    arms: Vec<Arm>,
    parts: Vec<Part>,
    /// Pairs of nodes with a block of slopes, and minus the derivatives of the first one's force by the
    /// second one's place and velocity.
    pairs: Vec<[usize; 2]>,
    blocks: Vec<[Mat3; 2]>,
    places: Vec<Vec3>,
    velocities: Vec<Vec3>,
    forces: Vec<Vec3>,
    switch_distance: f64,
}

fn rotates(kind: LinkKind) -> bool {
    !matches!(kind, LinkKind::Prismatic)
}

impl Deformables {
    pub fn new(model: &Model) -> Self {
        let t = model.topology();
        let mut new = Deformables {
            points: Vec::new(),
            arms: Vec::new(),
            parts: Vec::new(),
            pairs: Vec::new(),
            blocks: Vec::new(),
            places: Vec::new(),
            velocities: Vec::new(),
            forces: Vec::new(),
            switch_distance: f64::INFINITY,
        };
        let mut places = HashMap::new();
        for (index, d) in model.deformables().iter().enumerate() {
            let first = new.points.len();
            let rest = &model.params().deformable[index].rest;
            for (node, rest) in d.nodes.iter().zip(rest) {
                let body = &model.bodies()[node.body];
                let places = [body.in_link.point(node.at), *rest];
                new.add_point(t, body.link, places, node.is_free);
            }
            let mut block = |a: usize, b: usize| {
                *places.entry([a, b]).or_insert_with(|| {
                    new.pairs.push([a, b]);
                    new.pairs.len() - 1
                })
            };
            let mut solid = |material: Material, elements: &mut dyn Iterator<Item = [usize; 4]>| {
                let tets = elements.map(|element| {
                    let corners = element.map(|i| first + i);
                    Tet {
                        corners,
                        gradients: [Vec3::ZERO; 4],
                        volume: 0.0,
                        strain: Strain::default(),
                        blocks: std::array::from_fn(|k| block(corners[k / 4], corners[k % 4])),
                    }
                });
                Solid {
                    law: Law::new(material, &model.params().deformable[index].numbers),
                    thickness: d.thickness,
                    tets: tets.collect(),
                }
            };
            let mut triangles = d.triangles.iter().map(|[a, b, c]| [*a, *b, *c, *a]);
            let solids = [
                solid(d.material, &mut d.tets.iter().copied()),
                solid(Material::Membrane, &mut triangles),
            ];
            let ends = || d.edges.iter().map(move |edge| edge.map(move |i| first + i));
            let part = Part {
                first,
                line: [0.0; 2],
                solids,
                edge_blocks: ends()
                    .map(|e| std::array::from_fn(|k| block(e[k / 2], e[k % 2])))
                    .collect(),
                edges: ends().map(Edge::new).collect(),
            };
            new.parts.push(part);
        }
        let n = new.points.len();
        new.blocks = vec![[Mat3::ZERO; 2]; new.pairs.len()];
        new.places = vec![Vec3::ZERO; n];
        new.velocities = vec![Vec3::ZERO; n];
        new.forces = vec![Vec3::ZERO; n];
        new.refresh(model.params());
        new
    }

    fn add_point(&mut self, t: &Topology, link: usize, [at, rest]: [Vec3; 2], is_lone: bool) {
        let first = self.arms.len();
        let mut is_straight = true;
        for dof in t.path(link) {
            let own = t.dofs[dof].link;
            is_straight &= !rotates(t.links[own].kind);
            self.arms.push(Arm {
                dof,
                link: own,
                along: Vec3::ZERO,
                rate: Vec3::ZERO,
            });
        }
        self.points.push(Point {
            is_lone,
            link,
            at,
            rest,
            arms: first..self.arms.len(),
            is_straight,
        });
    }

    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Largest number of entries that [`Deformables::slopes`] adds.
    pub fn entries(&self) -> usize {
        let arms = |i: usize| self.points[i].arms.len();
        let pairs = self.pairs.iter().map(|[a, b]| arms(*a) * arms(*b));
        let bent = (0..self.points.len()).filter(|i| !self.points[*i].is_straight);
        pairs.sum::<usize>() + bent.map(|i| arms(i) * arms(i)).sum::<usize>()
    }

    /// Pairs of trees between which there are slopes; a pair may be visited more than once.
    pub fn for_pairs_of_trees(&self, t: &Topology, mut visit: impl FnMut(usize, usize)) {
        let tree =
            |i: usize| (self.points[i].link != WORLD).then(|| t.links[self.points[i].link].tree);
        for [a, b] in &self.pairs {
            if let (Some(a), Some(b)) = (tree(*a), tree(*b)) {
                visit(a, b);
            }
        }
    }

    /// Trees that consist of one free node, with its place in the shape at rest. Their geoms never touch each
    /// other.
    pub fn for_lone_trees(&self, t: &Topology, mut visit: impl FnMut(usize, Vec3)) {
        for p in self.points.iter().filter(|p| p.is_lone) {
            visit(t.links[p.link].tree, p.rest);
        }
    }

    /// Joins the trees of each body.
    pub fn couple(&self, t: &Topology, coupling: &mut Coupling) {
        self.for_pairs_of_trees(t, |a, b| coupling.join(a, b));
    }

    /// Takes new parameters.
    pub fn refresh(&mut self, params: &Params) {
        for (part, of) in self.parts.iter_mut().zip(&params.deformable) {
            let rest = |node: usize| of.rest[node - part.first];
            part.line = [of.numbers[3], of.numbers[4]];
            for solid in &mut part.solids {
                solid.law = Law::new(solid.law.material, &of.numbers);
                for tet in &mut solid.tets {
                    let x = tet.corners.map(rest);
                    if solid.law.material == Material::Membrane {
                        let (area, [a, b, c]) = triangle([x[0], x[1], x[2]]);
                        tet.gradients = [a, b, c, Vec3::ZERO];
                        tet.volume = area * solid.thickness;
                    } else {
                        tet.gradients = gradients(x);
                        tet.volume = six_volumes(x).0 / 6.0;
                    }
                }
            }
            for edge in &mut part.edges {
                let [a, b] = edge.ends.map(rest);
                edge.rest = (b - a).norm();
            }
        }
    }

    fn place(&mut self, t: &Topology, kin: &Kinematics) {
        for (place, p) in self.places.iter_mut().zip(&self.points) {
            *place = match p.link {
                WORLD => p.at,
                link => {
                    kin.rot[link].mul_vec(p.at) + kin.pos[link] + kin.origin[t.links[link].tree]
                }
            };
        }
    }

    /// A node relative to the origin of its tree.
    fn relative(p: &Point, kin: &Kinematics) -> Vec3 {
        kin.rot[p.link].mul_vec(p.at) + kin.pos[p.link]
    }

    /// Adds the generalized forces to `tau`.
    pub fn apply(&mut self, at: &State<'_>, tau: &mut [f64]) {
        let (t, kin) = (at.model.topology(), at.kin);
        self.place(t, kin);
        for (i, p) in self.points.iter().enumerate() {
            self.velocities[i] = Vec3::ZERO;
            if p.link == WORLD {
                continue;
            }
            let here = Deformables::relative(p, kin);
            for arm in &mut self.arms[p.arms.clone()] {
                arm.along = kin.s[arm.dof].at(here);
            }
            self.velocities[i] = kin.v[p.link].at(here);
        }
        self.forces.fill(Vec3::ZERO);
        self.switch_distance = f64::INFINITY;
        for part in &mut self.parts {
            for Solid { law, tets, .. } in &mut part.solids {
                for tet in tets {
                    let f = deformation(&self.places, tet);
                    let rate = match law.damping {
                        0.0 => Mat3::ZERO,
                        _ => deformation(&self.velocities, tet),
                    };
                    tet.strain = Strain::new(law.material, f, rate);
                    let margin = tet.strain.switch_distance(law.material);
                    self.switch_distance = self.switch_distance.min(margin);
                    let stress = law.stress(&tet.strain) * tet.volume;
                    for (i, g) in tet.corners.iter().zip(tet.gradients) {
                        self.forces[*i] -= stress.mul_vec(g);
                    }
                }
            }
            for edge in &mut part.edges {
                let [a, b] = edge.ends;
                let d = self.places[b] - self.places[a];
                let pull = edge.take(part.line, d, self.velocities[b] - self.velocities[a]);
                self.switch_distance = self.switch_distance.min(edge.length());
                self.forces[a] += pull;
                self.forces[b] -= pull;
            }
        }
        for (p, f) in self.points.iter().zip(&self.forces) {
            for arm in &self.arms[p.arms.clone()] {
                tau[arm.dof] += arm.along.dot(*f);
            }
        }
    }

    /// Distance of the last [`Deformables::apply`] from the nearest jump of slopes.
    pub fn switch_distance(&self) -> f64 {
        self.switch_distance
    }

    /// Computes the slopes at the state of the last [`Deformables::apply`].
    pub fn differentiate(&mut self, at: &State<'_>) {
        self.blocks.fill([Mat3::ZERO; 2]);
        let blocks = &mut self.blocks;
        for part in &self.parts {
            for Solid { law, tets, .. } in &part.solids {
                for tet in tets {
                    tet_slopes(law, tet, blocks);
                }
            }
            for (edge, own) in part.edges.iter().zip(&part.edge_blocks) {
                let slopes = edge.slopes(part.line);
                for (k, block) in own.iter().enumerate() {
                    let sign = if k % 3 == 0 { 1.0 } else { -1.0 };
                    for (sum, slope) in blocks[*block].iter_mut().zip(slopes) {
                        *sum += slope * sign;
                    }
                }
            }
        }
        let (t, kin) = (at.model.topology(), at.kin);
        for (i, p) in self
            .points
            .iter()
            .enumerate()
            .filter(|(_, p)| !p.is_straight)
        {
            let here = Deformables::relative(p, kin);
            for arm in &mut self.arms[p.arms.clone()] {
                // The dof turns the motion of its own link and of those below it; those above turn with the
                // parent.
                let (before, turned) = match t.links[arm.link].parent {
                    WORLD => (Vec3::ZERO, Vec3::ZERO),
                    parent => (kin.v[parent].at(here), kin.v[parent].ang),
                };
                let own = kin.s[arm.dof].ang.cross(self.velocities[i] - before);
                arm.rate = own + turned.cross(arm.along);
            }
        }
    }

    /// Adds R_q and R_v at the state of the last [`Deformables::differentiate`]. Entries between two free
    /// nodes go to `cross`, if given, and all others to `into`.
    pub fn slopes(&self, kin: &Kinematics, into: &mut Slopes, mut cross: Option<&mut Vec<Entry>>) {
        for ([a, b], [by_place, by_velocity]) in self.pairs.iter().zip(&self.blocks) {
            let [first, second] = [a, b].map(|i| &self.points[*i]);
            let list = match &mut cross {
                Some(cross) if a != b && first.is_lone && second.is_lone => &mut **cross,
                _ => &mut into.entries,
            };
            let rows = &self.arms[first.arms.clone()];
            for column in &self.arms[second.arms.clone()] {
                let damped = by_velocity.mul_vec(column.along);
                let mut by_q = by_place.mul_vec(column.along);
                if !second.is_straight {
                    by_q += by_velocity.mul_vec(column.rate);
                }
                list.extend(rows.iter().map(|row| Entry {
                    row: row.dof,
                    column: column.dof,
                    by_q: row.along.dot(by_q),
                    by_v: row.along.dot(damped),
                }));
            }
        }
        let bent = self
            .points
            .iter()
            .zip(&self.forces)
            .filter(|(p, _)| !p.is_straight);
        for (p, f) in bent {
            let arms = &self.arms[p.arms.clone()];
            for row in arms {
                for column in arms {
                    // A dof turns the columns of its own link and of those below it.
                    let change = match column.link <= row.link {
                        true => kin.s[column.dof].ang.cross(row.along),
                        false => kin.s[row.dof].ang.cross(column.along),
                    };
                    into.add([row.dof, column.dof], -change.dot(*f), 0.0);
                }
            }
        }
    }

    /// Adds the derivative of minus the forces by a parameter to `r`, at the state of the last
    /// [`Deformables::apply`].
    pub fn by_parameter(&self, params: &Params, p: &Param, r: &mut [f64]) {
        if p.kind != ParamKind::Deformable {
            return;
        }
        let (index, component) = (p.index as usize, p.component as usize);
        let (part, of) = (&self.parts[index], &params.deformable[index]);
        let mut add = |node: usize, force: Vec3| {
            for arm in &self.arms[self.points[node].arms.clone()] {
                r[arm.dof] += arm.along.dot(force);
            }
        };
        if let Some(k) = component.checked_sub(DEFORMABLE_NUMBERS) {
            let (node, axis) = (part.first + k / 3, k % 3);
            for Solid { law, tets, .. } in &part.solids {
                for tet in tets {
                    if let Some(m) = tet.corners.iter().position(|i| *i == node) {
                        tet_by_rest(law, tet, m, axis, &mut add);
                    }
                }
            }
            for edge in part.edges.iter().filter(|e| e.ends.contains(&node)) {
                let [a, b] = edge.ends.map(|i| of.rest[i - part.first]);
                let longer = (b - a)[axis] / edge.rest;
                let sign = if edge.ends[1] == node { 1.0 } else { -1.0 };
                let change = edge.by_numbers(part.line, [0.0, 0.0, sign * longer]);
                add(edge.ends[1], change);
                add(edge.ends[0], -change);
            }
            return;
        }
        for Solid { law, tets, .. } in &part.solids {
            let [by_young, by_poisson] = lame_slopes(law.material, of.numbers[1], of.numbers[2]);
            let along = match component {
                1 => [by_young[0], by_young[1], 0.0],
                2 => [by_poisson[0], by_poisson[1], 0.0],
                4 => [0.0, 0.0, 1.0],
                _ => break,
            };
            for tet in tets {
                let stress = law.stress_by(&tet.strain, along) * tet.volume;
                for (i, g) in tet.corners.iter().zip(tet.gradients) {
                    add(*i, stress.mul_vec(g));
                }
            }
        }
        let along = match component {
            3 => [1.0, 0.0, 0.0],
            4 => [0.0, 1.0, 0.0],
            _ => return,
        };
        for edge in &part.edges {
            let change = edge.by_numbers(part.line, along);
            add(edge.ends[1], change);
            add(edge.ends[0], -change);
        }
    }

    /// Energy of the strain [J]; `kin` holds positions. The state of the last [`Deformables::apply`] is lost.
    pub fn energy(&mut self, model: &Model, kin: &Kinematics) -> f64 {
        self.place(model.topology(), kin);
        let mut sum = 0.0;
        for part in &self.parts {
            for Solid { law, tets, .. } in &part.solids {
                for tet in tets {
                    let f = deformation(&self.places, tet);
                    let strain = Strain::new(law.material, f, Mat3::ZERO);
                    sum += tet.volume * law.energy(&strain);
                }
            }
            for edge in &part.edges {
                let [a, b] = edge.ends;
                sum += edge.energy(part.line[0], self.places[b] - self.places[a]);
            }
        }
        sum
    }
}

/// Σ xᵢ gᵢᵀ.
fn deformation(x: &[Vec3], tet: &Tet) -> Mat3 {
    let mut sum = Mat3::ZERO;
    for (i, g) in tet.corners.iter().zip(tet.gradients) {
        sum += Mat3::outer(x[*i], g);
    }
    sum
}

/// Adds the blocks of an element. Rows and columns of the first corner are minus the sums of the others:
/// the forces sum to zero, and do not change when all corners move together.
fn tet_slopes(law: &Law, tet: &Tet, blocks: &mut [[Mat3; 2]]) {
    law.tangent(&tet.strain, &tet.gradients, |i, j, slopes| {
        let kinds = if law.damping == 0.0 { 1 } else { 2 };
        let [own, row, column, first] = [4 * i + j, 4 * i, j, 0].map(|k| tet.blocks[k]);
        for (kind, slope) in slopes.into_iter().take(kinds).enumerate() {
            let block = slope * tet.volume;
            blocks[own][kind] += block;
            blocks[row][kind] += -block;
            blocks[column][kind] += -block;
            blocks[first][kind] += block;
        }
    });
}

/// Changes of minus the forces of an element when corner m of the shape at rest moves along an axis: by the
/// gradients, δgᵢ = −gᵢ[axis] gₘ, and by the volume. A motion across the plane of a triangle turns it, and
/// changes no force.
fn tet_by_rest(law: &Law, tet: &Tet, m: usize, axis: usize, add: &mut impl FnMut(usize, Vec3)) {
    let (strain, g) = (&tet.strain, &tet.gradients);
    let moved = |f: &Mat3| Mat3::outer(-f.c[axis], g[m]);
    let mut change = law.stress_along(strain, &moved(&strain.f));
    if law.damping != 0.0 {
        change += law.stress_along_rate(strain, &moved(&strain.rate));
    }
    let stress = law.stress(strain);
    change += stress * g[m][axis];
    for (i, node) in tet.corners.iter().enumerate() {
        let force = change.mul_vec(g[i]) - stress.mul_vec(g[m]) * g[i][axis];
        add(*node, force * tet.volume);
    }
}
