//! Binds deformable bodies of a description to the bodies of a model.

use super::Model;
use super::check::described;
use super::compile::Compiler;
use super::deformable::{DEFORMABLE_NUMBERS, DeformableParams, DeformableSpec};
use super::params::Param;
use super::topology::{LinkKind, WORLD};
use crate::error::{Error, Result};
use std::collections::HashSet;

impl Compiler {
    pub(super) fn deformables(&self, mut list: Vec<DeformableSpec>) -> Result<Vec<DeformableSpec>> {
        let mut names = HashSet::new();
        for d in &mut list {
            let who = format!("deformable {}", described(&d.name, &d.origin));
            d.check(&who)?;
            if !d.name.is_empty() && !names.insert(d.name.clone()) {
                return Err(Error::invalid(format!("{who}: the name is taken twice")));
            }
            for (i, node) in d.nodes.iter_mut().enumerate() {
                node.body = self.known_body(node.body, || who.clone())?;
                let mut link = self.bodies[node.body].link;
                while link != WORLD {
                    let l = &self.topology.links[link];
                    if matches!(l.kind, LinkKind::Varying { .. }) {
                        return Err(Error::unsupported(format!(
                            "{who}: nodes[{i}] moves with joint \"{}\", along a spline or by Euler angles; a node needs \
                             joints whose axes are fixed in their links",
                            self.joints[l.joint].name
                        )));
                    }
                    link = l.parent;
                }
            }
        }
        Ok(list)
    }
}

impl Model {
    /// Whether nodes of a deformable body move with a link.
    pub(super) fn carries_nodes(&self, link: usize) -> bool {
        let below = link..self.topology().links[link].end;
        let mut nodes = self.deformables().iter().flat_map(|d| &d.nodes);
        nodes.any(|n| {
            self.bodies()[n.body].link != WORLD && below.contains(&self.bodies()[n.body].link)
        })
    }

    /// For a parameter of a deformable body, visits the derivatives of the masses of bodies: (body,
    /// slope), in parts.
    pub fn for_mass_slopes(
        &self,
        of: &DeformableParams,
        p: &Param,
        mut visit: impl FnMut(usize, f64),
    ) {
        let d = &self.deformables()[p.index as usize];
        let along = (p.component as usize).checked_sub(DEFORMABLE_NUMBERS);
        match along {
            None if p.component == 0 => {
                d.for_shares(&of.rest, None, |i, share, _| visit(d.nodes[i].body, share));
            }
            None => {}
            Some(k) => d.for_shares(&of.rest, Some((k / 3, k % 3)), |i, _, slope| {
                visit(d.nodes[i].body, of.numbers[0] * slope);
            }),
        }
    }
}
