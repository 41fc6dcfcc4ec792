//! Derivative of the constraint problem by the surfaces in contact, while the bodies stay.

use super::ConstraintDerivative;
use super::rows::BEFORE;
use crate::collision::Tie;
use crate::collision::scene::Scene;
use crate::constraint::assemble::Constraints;
use crate::constraint::contact_derivative::Change;
use crate::constraint::source::Source;
use crate::dynamics::kinematics::Kinematics;
use crate::linalg::scattered;
use crate::model::topology::Topology;

impl ConstraintDerivative {
    /// Effect of a geom's size per unit on σ, on the bounds of lagged friction, on the gaps of contacts, and
    /// on the dofs by impulses (all added). Call it after [`ConstraintDerivative::prepare`].
    pub fn resized(
        &self,
        c: &Constraints,
        scene: &Scene,
        t: &Topology,
        kin: &Kinematics,
        (geom, component): (usize, usize),
        out: [&mut [f64]; 4],
    ) {
        let by_size = |i: usize| {
            let contact = &scene.contacts()[i];
            let side = contact.geom.iter().position(|g| *g == geom)?;
            Some(match contact.press {
                Some(_) => self.contacts[i].pressed(&scene.face_growth(contact, side, component)),
                None => Change::Surface {
                    side,
                    by: scene.size_motion(contact, side, component),
                },
            })
        };
        self.changed(c, t, kin, by_size, out);
    }

    /// The same for the modulus of a geom in hydroelastic contact.
    pub fn pressed(
        &self,
        c: &Constraints,
        scene: &Scene,
        t: &Topology,
        kin: &Kinematics,
        geom: usize,
        out: [&mut [f64]; 4],
    ) {
        let by_modulus = |i: usize| {
            let contact = &scene.contacts()[i];
            let side = contact.geom.iter().position(|g| *g == geom)?;
            contact.press?;
            let varied = &self.contacts[i];
            Some(varied.pressed(&varied.by_modulus[side]))
        };
        self.changed(c, t, kin, by_modulus, out);
    }

    /// True if some contact point is not unique (a tie: its motion depends on the features that define it).
    pub fn is_tied(&self) -> bool {
        self.contacts[..self.count]
            .iter()
            .any(|c| c.tie != Tie::NONE)
    }

    /// Groups of the contacts whose place has no unique derivative; with `ties` also of those whose point
    /// is not unique.
    pub fn unplaced(&self, ties: bool) -> impl Iterator<Item = usize> + '_ {
        let contacts = self.contacts[..self.count].iter();
        let unplaced = contacts.filter(move |c| c.degenerate || ties && c.tie != Tie::NONE);
        unplaced.map(|c| c.group)
    }

    /// Effect of sliding these contacts by random vectors of up to the size of their shapes, on the same
    /// numbers as [`ConstraintDerivative::resized`].
    pub fn untied(&self, c: &Constraints, t: &Topology, kin: &Kinematics, out: [&mut [f64]; 4]) {
        let slid = |i: usize| {
            let tie = self.contacts[i].tie;
            (tie != Tie::NONE).then(|| {
                Change::Slide(Tie {
                    slide: tie.slide * scattered(i, 1),
                    tilt: tie.tilt * scattered(i, 2),
                })
            })
        };
        self.changed(c, t, kin, slid, out);
    }

    /// Effect of changes of contacts, which `of` gives by their index in the scene, on the same numbers as
    /// [`ConstraintDerivative::resized`].
    fn changed(
        &self,
        c: &Constraints,
        t: &Topology,
        kin: &Kinematics,
        of: impl Fn(usize) -> Option<Change>,
        [sigma, bounds, gaps, force]: [&mut [f64]; 4],
    ) {
        self.bounds_changed(c, &of, sigma);
        self.torsion_changed(c, t, kin, &of, sigma, force);
        for varied in &self.contacts[..self.count] {
            let Source::Contact(i) = c.sources[varied.group] else {
                continue;
            };
            let Some(change) = of(i) else {
                continue;
            };
            let moved = varied.state.changed(change);
            gaps[varied.group] += moved.gap;
            let mut velocity = moved.velocity;
            velocity.z += varied.slope * moved.gap;
            if self.times > BEFORE {
                let before = self.flow[BEFORE].see(&varied.state);
                velocity.z += varied.by_speed * before.changed(change).velocity.z;
            }
            varied.add(velocity, sigma);
            if let Some(bound) = &varied.bound {
                let before = self.flow[BEFORE].see(&varied.state).changed(change);
                bounds[varied.group] += bound.by_speed * before.velocity.z
                    + match change {
                        Change::Face { bound, .. } => bound,
                        _ => bound.by_gap * moved.gap,
                    };
            }
            for (link, wrench) in varied.state.sides.link.into_iter().zip(moved.wrench) {
                kin.spread(t, link, wrench, force);
            }
        }
    }
}
