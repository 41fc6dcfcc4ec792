//! Sums over a body and all its descendants: mass, momentum, and the forces that their motion needs.

use super::dual::Dual;
use super::motion::{ALL, Columns, Motion};
use crate::dynamics::asked::Asked;
use crate::model::Model;
use crate::model::params::Params;
use crate::model::sensor::{Reading, SensorFrame};
use crate::spatial::{Pose, Sym3, Vec3};

/// Sums over all bodies of a subtree: Σ m c, Σ m ċ, the angular momentum, and force and moment with weight,
/// moments about the world's origin.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    first: Dual,
    linear: Dual,
    angular: Dual,
    force: Dual,
    moment: Dual,
}

/// Workspace for the sums along every dof, by q, v and a.
#[derive(Clone, Debug)]
pub(super) struct Room {
    sums: [Vec<Sums>; 3],
    columns: Columns,
}

impl Room {
    pub fn new(nv: usize) -> Room {
        Room {
            sums: [(); 3].map(|()| vec![Sums::default(); nv]),
            columns: Columns::new(nv),
        }
    }

    pub fn along(&self, by: usize, dof: usize) -> &Sums {
        &self.sums[by][dof]
    }

    pub fn along_mut(&mut self, by: usize, dof: usize) -> &mut Sums {
        &mut self.sums[by][dof]
    }
}

/// True if a body is `root`, or one of its descendants.
pub(super) fn carries(model: &Model, root: usize, mut body: usize) -> bool {
    while body != root && body != 0 {
        body = model.bodies()[body].parent;
    }
    body == root
}

impl Sums {
    fn add(&mut self, m: f64, about_com: &Sym3, gravity: Vec3, at: &Motion) {
        let turned = |v: Dual| {
            let own = at.axes.inward(v);
            let own = Dual::new(about_com.mul_vec(own.x), about_com.mul_vec(own.d));
            at.axes.out(own)
        };
        let (linear, spin) = (at.velocity * m, turned(at.spin));
        let force = (at.acceleration - Dual::constant(gravity)) * m;
        self.first = self.first + at.at * m;
        self.linear = self.linear + linear;
        self.angular = self.angular + spin + at.at.cross(linear);
        self.force = self.force + force;
        let moment = turned(at.spin_rate) + at.spin.cross(spin) + at.at.cross(force);
        self.moment = self.moment + moment;
    }

    /// These variations, with the values of sums from which other forces have been subtracted.
    pub fn with_values(&self, of: &Sums) -> Sums {
        let with = |change: Dual, value: Dual| Dual::new(value.x, change.d);
        Sums {
            first: with(self.first, of.first),
            linear: with(self.linear, of.linear),
            angular: with(self.angular, of.angular),
            force: with(self.force, of.force),
            moment: with(self.moment, of.moment),
        }
    }

    /// Subtracts a force at a point that something else exerts.
    pub fn relieve(&mut self, force: Dual, moment: Dual, at: Dual) {
        self.force = self.force - force;
        self.moment = self.moment - moment - at.cross(force);
    }

    /// The reading of a sensor of this subtree; `at` is the motion of its frame.
    pub fn read(&self, reading: Reading, mass: f64, at: &Motion) -> Dual {
        let per_mass = if mass > 0.0 { 1.0 / mass } else { 0.0 };
        let center = self.first * per_mass;
        match reading {
            Reading::SubtreeCenter => center,
            Reading::SubtreeLinearVelocity => self.linear * per_mass,
            Reading::SubtreeAngularMomentum => self.angular - center.cross(self.linear),
            Reading::Force => at.axes.inward(self.force),
            Reading::Torque => at.axes.inward(self.moment - at.at.cross(self.force)),
            _ => Dual::default(),
        }
    }
}

/// The sums of a body's subtree and its mass; with joint accelerations also along every dof, into `room`.
pub(super) fn sums(
    model: &Model,
    params: &Params,
    asked: &Asked,
    root: usize,
    a: Option<&[f64]>,
    room: &mut Room,
) -> (Sums, f64) {
    let (mut total, mut mass) = (Sums::default(), 0.0);
    for sums in &mut room.sums {
        sums.fill(Sums::default());
    }
    for (body, inertia) in params.body_inertia.iter().enumerate() {
        if !carries(model, root, body) {
            continue;
        }
        let frame = SensorFrame {
            body,
            placement: Pose::translation(inertia.com()),
        };
        let (at, about_com) = (Motion::of(model, asked, &frame), inertia.about_com());
        mass += inertia.mass;
        total.add(inertia.mass, &about_com, params.gravity, &at);
        let Some(a) = a else {
            continue;
        };
        Motion::differentiate(model, asked, &frame, a, &mut room.columns);
        for (by, sums) in ALL.into_iter().zip(&mut room.sums) {
            for (k, sums) in sums.iter_mut().enumerate() {
                let along = at.along(&room.columns, by, k);
                sums.add(inertia.mass, &about_com, params.gravity, &along);
            }
        }
    }
    (total, mass)
}
