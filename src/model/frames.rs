//! Moves a description into another one: renumbers its bodies, places the children of its world on a
//! body there, and adds a prefix to names.

use super::spec::{EqualityKind, ModelSpec};
use super::tendon::{PathPoint, TendonPath, Transmission};
use crate::spatial::{Pose, Vec3};

/// The destination of a description's bodies.
pub(super) struct Move<'a> {
    /// New number of every body.
    pub bodies: &'a dyn Fn(usize) -> usize,
    /// The frame of the world, in the frame of the body that replaces it.
    pub world: Option<Pose>,
}

impl Move<'_> {
    fn body(&self, body: &mut usize) {
        *body = (self.bodies)(*body);
    }

    fn of_world(&self, body: usize) -> Option<&Pose> {
        self.world.as_ref().filter(|_| body == 0)
    }

    /// Moves a frame on a body.
    fn frame(&self, body: &mut usize, placement: &mut Pose) {
        if let Some(world) = self.of_world(*body) {
            *placement = world.compose(placement);
        }
        self.body(body);
    }

    /// Moves a point on a body.
    fn point(&self, body: &mut usize, at: &mut Vec3) {
        if let Some(world) = self.of_world(*body) {
            *at = world.point(*at);
        }
        self.body(body);
    }

    /// Moves all of a description except its keyframes and pairs of geoms.
    pub fn apply(&self, spec: &mut ModelSpec) {
        // All fields are named, so that none can be forgotten.
        let ModelSpec {
            bodies,
            geoms,
            sites,
            springs,
            tendons,
            deformables,
            sensors,
            equalities,
            excludes,
            // Without numbers of bodies and frames of the world.
            name: _,
            gravity: _,
            fluid: _,
            time_step: _,
            integrator: _,
            actuators: _,
            reductions: _,
            parents_touch: _,
            warnings: _,
            // The caller moves them.
            keyframes: _,
            pairs: _,
        } = spec;
        for b in bodies.iter_mut().skip(1) {
            self.frame(&mut b.parent, &mut b.placement);
        }
        for g in geoms {
            self.frame(&mut g.body, &mut g.placement);
        }
        for s in sites {
            self.frame(&mut s.body, &mut s.placement);
        }
        for s in springs {
            self.point(&mut s.body1, &mut s.anchor1);
            self.point(&mut s.body2, &mut s.anchor2);
        }
        for t in tendons {
            let TendonPath::Spatial(path) = &mut t.path else {
                continue;
            };
            for station in path {
                match station {
                    PathPoint::Point { body, at } => self.point(body, at),
                    PathPoint::Around(wrap) => {
                        self.frame(&mut wrap.body, &mut wrap.placement);
                        if let Some((body, at)) = &mut wrap.side {
                            self.point(body, at);
                        }
                    }
                    PathPoint::Pulley { .. } => {}
                }
            }
        }
        for node in deformables.iter_mut().flat_map(|d| &mut d.nodes) {
            self.point(&mut node.body, &mut node.at);
        }
        for s in sensors {
            self.frame(&mut s.frame.body, &mut s.frame.placement);
            if let Some(reference) = &mut s.reference {
                self.frame(&mut reference.body, &mut reference.placement);
            }
        }
        for e in equalities {
            self.equality(&mut e.kind);
        }
        for (a, b) in excludes {
            self.body(a);
            self.body(b);
        }
    }

    fn equality(&self, kind: &mut EqualityKind) {
        match kind {
            EqualityKind::Connect {
                body1,
                body2,
                anchor,
            } => {
                self.point(body1, anchor);
                self.body(body2);
            }
            EqualityKind::Weld {
                body1,
                body2,
                anchor,
                relative,
                ..
            } => {
                if let (Some(world), Some(relative)) = (self.of_world(*body2), relative.as_mut()) {
                    relative.rot = relative.rot.mul_mat(&world.rot.transpose());
                }
                self.point(body2, anchor);
                match relative {
                    Some(relative) => self.frame(body1, relative),
                    None => self.body(body1),
                }
            }
            EqualityKind::Distance {
                body1,
                body2,
                anchor1,
                anchor2,
                ..
            } => {
                self.point(body1, anchor1);
                self.point(body2, anchor2);
            }
            EqualityKind::Joint { .. } | EqualityKind::Tendon { .. } => {}
        }
    }
}

/// Adds a prefix to all names of a description and to all references to them, except to the world's.
pub(super) fn prefix(spec: &mut ModelSpec, prefix: &str) {
    // All fields are named, so that none can be forgotten.
    let ModelSpec {
        bodies,
        geoms,
        sites,
        springs,
        tendons,
        deformables,
        actuators,
        sensors,
        keyframes,
        equalities,
        reductions,
        // Without names of parts.
        name: _,
        gravity: _,
        fluid: _,
        time_step: _,
        integrator: _,
        parents_touch: _,
        excludes: _,
        pairs: _,
        warnings: _,
    } = spec;
    let name = |x: &mut String| {
        if !x.is_empty() {
            x.insert_str(0, prefix);
        }
    };
    for b in bodies.iter_mut().skip(1) {
        name(&mut b.name);
        b.joints.iter_mut().for_each(|j| name(&mut j.name));
    }
    geoms.iter_mut().for_each(|x| name(&mut x.name));
    sites.iter_mut().for_each(|x| name(&mut x.name));
    springs.iter_mut().for_each(|x| name(&mut x.name));
    (deformables.iter_mut()).for_each(|x| name(&mut x.name));
    for t in tendons {
        name(&mut t.name);
        if let TendonPath::Fixed(terms) = &mut t.path {
            terms.iter_mut().for_each(|(joint, _)| name(joint));
        }
    }
    for a in actuators {
        name(&mut a.name);
        match &mut a.transmission {
            Transmission::Joint(of) | Transmission::Tendon(of) | Transmission::Body(of) => name(of),
            Transmission::Site { site, reference } => {
                name(site);
                reference.iter_mut().for_each(name);
            }
        }
    }
    for s in sensors {
        name(&mut s.name);
        name(&mut s.of);
    }
    for e in equalities {
        name(&mut e.name);
        let (first, second) = match &mut e.kind {
            EqualityKind::Joint { joint1, joint2, .. } => (joint1, joint2),
            EqualityKind::Tendon {
                tendon1, tendon2, ..
            } => (tendon1, tendon2),
            _ => continue,
        };
        name(first);
        second.iter_mut().for_each(name);
    }
    for r in reductions {
        name(&mut r.name);
        r.joints.iter_mut().for_each(name);
    }
    keyframes.iter_mut().for_each(|x| name(&mut x.name));
}
