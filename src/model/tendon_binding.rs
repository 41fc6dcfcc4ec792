//! Binds the springs and tendons of a description to bodies and joints.

use super::check::described;
use super::compile::Compiler;
use super::tendon::{PathPoint, SpringSpec, TendonPath, TendonSpec, path_length};
use super::tendon_check::{check_spring, check_tendon};
use super::topology::WORLD;
use crate::error::{Error, Result};
use crate::spatial::Pose;
use std::collections::HashMap;

/// Names with their indices. The empty name may occur any number of times.
type Ids = HashMap<String, usize>;

fn claim(ids: &mut Ids, name: &str, id: usize, who: &str) -> Result<()> {
    if !name.is_empty() && ids.insert(name.into(), id).is_some() {
        return Err(Error::invalid(format!("{who}: the name is taken twice")));
    }
    Ok(())
}

impl Compiler {
    pub(super) fn springs(&self, mut list: Vec<SpringSpec>) -> Result<(Vec<SpringSpec>, Ids)> {
        let mut ids = Ids::new();
        for (id, s) in list.iter_mut().enumerate() {
            let who = format!("spring {}", described(&s.name, &s.origin));
            check_spring(s, &who)?;
            claim(&mut ids, &s.name, id, &who)?;
            for body in [&mut s.body1, &mut s.body2] {
                *body = self.known_body(*body, || who.clone())?;
            }
        }
        Ok((list, ids))
    }

    pub(super) fn tendons(&self, mut list: Vec<TendonSpec>) -> Result<(Vec<TendonSpec>, Ids)> {
        let mut ids = Ids::new();
        let places = if list.is_empty() {
            Vec::new()
        } else {
            self.places()
        };
        for (id, t) in list.iter_mut().enumerate() {
            let who = format!("tendon {}", described(&t.name, &t.origin));
            check_tendon(t, &who)?;
            claim(&mut ids, &t.name, id, &who)?;
            let length = match &mut t.path {
                TendonPath::Fixed(terms) => self.fixed_length(terms, &who)?,
                TendonPath::Spatial(path) => {
                    self.bind(path, &who)?;
                    path_length(path, &places)
                }
            };
            t.rest = t.rest.or(Some((length, length)));
        }
        Ok((list, ids))
    }

    /// The length of a fixed tendon at the reference configuration.
    fn fixed_length(&self, terms: &[(String, f64)], who: &str) -> Result<f64> {
        let mut length = 0.0;
        for (name, coefficient) in terms {
            let joint = self.joint_ids.get(name).map(|id| &self.joints[*id]);
            let joint = joint
                .ok_or_else(|| Error::invalid(format!("{who}: no joint is called \"{name}\"")))?;
            if joint.nv != 1 {
                return Err(Error::invalid(format!(
                    "{who}: a fixed tendon takes joints of one dof, \"{name}\" has {}",
                    joint.nv
                )));
            }
            length += coefficient * self.neutral[joint.iq];
        }
        Ok(length)
    }

    /// Replaces the bodies of path elements by those of the model.
    fn bind(&self, path: &mut [PathPoint], who: &str) -> Result<()> {
        for station in path {
            match station {
                PathPoint::Point { body, .. } => *body = self.known_body(*body, || who.into())?,
                PathPoint::Around(wrap) => {
                    wrap.body = self.known_body(wrap.body, || who.into())?;
                    if let Some((body, _)) = &mut wrap.side {
                        *body = self.known_body(*body, || who.into())?;
                    }
                }
                PathPoint::Pulley { .. } => {}
            }
        }
        Ok(())
    }

    /// Placements of the bodies in the world at the reference configuration.
    fn places(&self) -> Vec<Pose> {
        let t = &self.topology;
        let mut links: Vec<Pose> = Vec::with_capacity(t.links.len());
        for (l, place) in t.links.iter().zip(&self.link_placement) {
            let at = match l.parent {
                WORLD => *place,
                parent => links[parent].compose(place),
            };
            let q = &self.neutral[l.iq..];
            let (rot, pos) = (l.kind).place(&t.varying, at.rot, at.pos, q, l.reference);
            links.push(Pose::new(rot, pos));
        }
        (self.bodies.iter())
            .map(|b| match b.link {
                WORLD => b.in_link,
                link => links[link].compose(&b.in_link),
            })
            .collect()
    }
}
