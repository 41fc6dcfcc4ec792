//! One length as a function of the configuration: of a tendon, or along an axis of a spring.

use super::displacement::Moved;
use super::leg::{Leg, Shape};
use super::round::Round;
use super::site::SiteMotion;
use super::station::Station;
use super::support::{Span, Support};
use crate::dynamics::kinematics::Kinematics;
use crate::joint::Turn;
use crate::model::Model;
use crate::model::limits::Limit;
use crate::model::tendon::{SpringSpec, TendonPath, legs};
use crate::spatial::{Quat, Vec3, Wrench, so3_log_jacobian};
use std::f64::consts::PI;

#[derive(Clone, Debug)]
enum Route {
    /// Σ coefficient q: indices in q, and their coefficients.
    Fixed(Vec<(usize, f64)>),
    Legs(Vec<Leg>),
    /// The motion of an actuator's site.
    Site(Box<SiteMotion>),
    /// gear · the rotation vector of the quaternion from an index in q on.
    Ball(usize, Vec3),
    /// The angle of rotation of the coordinates from an index in q on.
    Turned(usize, Turn),
}

/// A length, and its derivatives at the last state.
#[derive(Clone, Debug)]
pub(super) struct Path {
    route: Route,
    pub support: Support,
    pub length: f64,
    pub switch_distance: f64,
    /// ∂l/∂q over the dofs of the support, except of a site and a ball joint: see [`SiteMotion`].
    pub moment: Vec<f64>,
    /// ∂l/∂q of a site or a ball joint over the same dofs; empty for other lengths.
    pub gradient: Vec<f64>,
    /// The change of the moment with the same dofs, column by column; empty without derivatives.
    pub hessian: Vec<f64>,
    /// Wrench of a unit of tension on each link and its descendants.
    wrenches: Vec<Wrench>,
}

impl Path {
    pub fn of_tendon(model: &Model, path: &TendonPath, derivatives: bool) -> Self {
        match path {
            TendonPath::Fixed(terms) => Path::fixed(model, terms, derivatives),
            TendonPath::Spatial(path) => {
                let list = legs(path).map(|leg| {
                    let ends = leg.ends.map(|end| Station::new(model, end));
                    let shape = match leg.around {
                        None => Shape::Straight,
                        Some(wrap) => Shape::Around(Box::new(Round::new(model, wrap))),
                    };
                    Leg::new(ends, leg.points, shape, leg.share)
                });
                Path::of_legs(model, list.collect(), true, derivatives)
            }
        }
    }

    /// The length of a spring along one axis of the world.
    pub fn of_spring(model: &Model, s: &SpringSpec, axis: Vec3, derivatives: bool) -> Self {
        let ends = [(s.body1, s.anchor1), (s.body2, s.anchor2)];
        let ends = ends.map(|end| Station::new(model, end));
        let legs = vec![Leg::new(ends, [0, 1], Shape::Along(axis), 1.0)];
        Path::of_legs(model, legs, false, derivatives)
    }

    /// The motion of a site, or of a site relative to another one.
    pub fn of_site(model: &Model, mut site: SiteMotion, derivatives: bool) -> Self {
        let support = Support::new(model.topology(), &site.links(), site.has_reference());
        site.seat(&support);
        let gradient = vec![0.0; support.dofs().len()];
        let mut path = Path::new(Route::Site(Box::new(site)), support, derivatives);
        path.gradient = gradient;
        path
    }

    /// The rotation of a ball joint along a gear. The moment is the gear, as in MuJoCo.
    pub fn of_ball([iq, iv]: [usize; 2], gear: Vec3, derivatives: bool) -> Self {
        let support = Support::of_dofs((iv..iv + 3).collect());
        let mut path = Path::new(Route::Ball(iq, gear), support, derivatives);
        path.moment.copy_from_slice(&gear.to_array());
        path.gradient = vec![0.0; 3];
        path
    }

    fn of_legs(model: &Model, mut legs: Vec<Leg>, relative: bool, derivatives: bool) -> Self {
        let links: Vec<usize> = legs.iter().flat_map(Leg::links).collect();
        let support = Support::new(model.topology(), &links, relative);
        legs.iter_mut().for_each(|leg| leg.seat(&support));
        Path::new(Route::Legs(legs), support, derivatives)
    }

    fn fixed(model: &Model, terms: &[(String, f64)], derivatives: bool) -> Self {
        let mut list: Vec<(usize, usize, f64)> = (terms.iter())
            .filter_map(|(name, coefficient)| {
                let joint = model.joint(model.joint_id(name)?);
                Some((joint.iv, joint.iq, *coefficient))
            })
            .collect();
        list.sort_by_cached_key(|(iv, ..)| *iv);
        let support = Support::of_dofs(list.iter().map(|(iv, ..)| *iv).collect());
        let terms = list.iter().map(|(_, iq, x)| (*iq, *x)).collect();
        let mut path = Path::new(Route::Fixed(terms), support, derivatives);
        for (moment, (.., x)) in path.moment.iter_mut().zip(&list) {
            *moment = *x;
        }
        path.switch_distance = f64::INFINITY;
        path
    }

    /// The angle of a spherical joint.
    pub fn of_turn(limit: &Limit, derivatives: bool) -> Self {
        let support = Support::of_dofs((limit.dof..limit.dof + limit.nv()).collect());
        let turn = Turn::of(&[0.0, 0.0, 0.0, 1.0]);
        Path::new(Route::Turned(limit.iq, turn), support, derivatives)
    }

    /// Whether the length can change.
    pub fn has_length(&self) -> bool {
        match &self.route {
            Route::Site(site) => site.has_reference(),
            _ => true,
        }
    }

    fn new(route: Route, support: Support, derivatives: bool) -> Self {
        let n = support.dofs().len();
        Path {
            route,
            length: 0.0,
            switch_distance: 0.0,
            moment: vec![0.0; n],
            gradient: Vec::new(),
            hessian: vec![0.0; if derivatives { n * n } else { 0 }],
            wrenches: vec![Wrench::ZERO; support.len()],
            support,
        }
    }

    /// Length and moment; `kin` holds positions at q.
    pub fn update(&mut self, kin: &Kinematics, q: &[f64]) {
        match &mut self.route {
            Route::Fixed(terms) => self.length = terms.iter().map(|(iq, x)| x * q[*iq]).sum(),
            Route::Legs(legs) => {
                (self.length, self.switch_distance) = (0.0, f64::INFINITY);
                self.wrenches.fill(Wrench::ZERO);
                for leg in legs {
                    let (length, margin) = leg.update(kin);
                    self.length += length;
                    self.switch_distance = self.switch_distance.min(margin);
                    leg.for_wrenches(|span, w| self.support.add(span, w, &mut self.wrenches));
                }
                self.support.project(kin, &self.wrenches, &mut self.moment);
            }
            Route::Site(site) => {
                (self.length, self.switch_distance) = site.update(kin);
                self.wrenches.fill(Wrench::ZERO);
                site.for_wrenches(|span, w| self.support.add(span, w, &mut self.wrenches));
                self.support.project(kin, &self.wrenches, &mut self.moment);
                self.gradient.fill(0.0);
                let gradient = &mut self.gradient;
                site.for_gradient(|_, span, w| {
                    self.support.for_span(kin, span, w, |k, x| gradient[k] += x);
                });
            }
            Route::Ball(iq, gear) => {
                let [x, y, z, w] = [0, 1, 2, 3].map(|k| q[*iq + k]);
                let turned = Quat::new(x, y, z, w).log();
                self.length = gear.dot(turned);
                self.switch_distance = PI - turned.norm();
                let by_turn = so3_log_jacobian(turned).transpose().mul_vec(*gear);
                self.gradient.copy_from_slice(&by_turn.to_array());
            }
            Route::Turned(iq, turn) => {
                *turn = Turn::of(&q[*iq..*iq + 4]);
                (self.length, self.switch_distance) = (turn.angle, turn.switch_distance());
                self.moment.copy_from_slice(&turn.direction.to_array());
            }
        }
    }

    /// The second derivative, after [`Path::update`]; `changes` has one entry for each link of the support.
    pub fn differentiate(&mut self, kin: &Kinematics, changes: &mut [Wrench]) {
        if let Route::Turned(_, turn) = &self.route {
            let columns = self.hessian.chunks_exact_mut(3).zip(turn.slope().c);
            columns.for_each(|(column, by)| column.copy_from_slice(&by.to_array()));
        }
        if !matches!(self.route, Route::Legs(_) | Route::Site(_)) {
            return;
        }
        let (n, support) = (self.moment.len(), &self.support);
        let changes = &mut changes[..support.len()];
        for (place, iv, first, nv) in support.links() {
            let range = support.below(place);
            for k in 0..nv {
                changes.fill(Wrench::ZERO);
                let moved = Moved::Carried(range.clone(), kin.s[iv + k]);
                self.for_changes(&moved, |span, w| support.add(span, w, changes));
                let column = &mut self.hessian[(first + k) * n..][..n];
                support.project(kin, changes, column);
                support.add_carried(kin, &self.wrenches, place, k, column);
            }
        }
    }

    /// Visits the changes of the wrenches on links when stations move.
    fn for_changes(&self, m: &Moved, mut visit: impl FnMut(Span, Wrench)) {
        match &self.route {
            Route::Legs(legs) => legs.iter().for_each(|leg| leg.for_changes(m, &mut visit)),
            Route::Site(site) => site.for_changes(m, visit),
            Route::Fixed(_) | Route::Ball(..) | Route::Turned(..) => {}
        }
    }

    /// Moves the points of the path to these places in their bodies' frames.
    pub fn place_points(&mut self, model: &Model, at: impl Fn(usize) -> (usize, Vec3)) {
        if let Route::Legs(legs) = &mut self.route {
            for leg in legs {
                for (end, i) in leg.ends.iter_mut().zip(leg.points) {
                    end.place_at(model, at(i));
                }
            }
        }
    }

    /// Change of the length by displacements at fixed coordinates. Visits the changes of the moment by index
    /// in the support, in parts that add up.
    pub fn along(&self, kin: &Kinematics, m: &Moved, mut visit: impl FnMut(usize, f64)) -> f64 {
        let support = &self.support;
        self.for_changes(m, |span, w| support.for_span(kin, span, w, &mut visit));
        if let Moved::Carried(range, xi) = m {
            support.for_turned(kin, &self.wrenches, range.start, *xi, visit);
        }
        match (&self.route, m) {
            (Route::Legs(_), Moved::Carried(range, xi)) => xi.dot(self.wrenches[range.start]),
            (Route::Legs(legs), Moved::Point(..)) => legs.iter().map(|leg| leg.along(m)).sum(),
            (Route::Site(site), _) => {
                let mut change = 0.0;
                site.for_gradient(|station, _, w| {
                    change += m.carried(station).map_or(0.0, |xi| xi.dot(w));
                });
                change
            }
            (Route::Fixed(_) | Route::Ball(..) | Route::Turned(..), _) => 0.0,
        }
    }
}
