//! Forces along lengths: tendons and springs, with the lengths that they and actuators act along.

use super::face::State;
use super::slopes::Slopes;
use super::tension::Tension;
use super::{spring, tendon};
use crate::dynamics::coupling::Coupling;
use crate::dynamics::kinematics::Kinematics;
use crate::dynamics::system::System;
use crate::model::Model;
use crate::model::params::{Param, ParamKind, Params};
use crate::tendon::Cords;

/// −g T of every tendon and spring. A step takes stiffness and damping implicitly: h (d + h k) g gᵀ joins the system matrix,
/// and the curvature of the length stays explicit. Constraints respond through the tree's factors alone: where there are any,
/// rows of theirs pull in place of these forces.
#[derive(Clone, Debug)]
pub struct Elastic {
    cords: Cords,
    /// Of the tendons, then three of each spring.
    tensions: Vec<Tension>,
    acts: bool,
    switch_distance: f64,
}

impl Elastic {
    /// `acts`: no constraints pull in their place. Slopes have room if `derivatives` are wanted.
    pub fn new(model: &Model, acts: bool, derivatives: bool) -> Self {
        let cords = Cords::new(model, acts && derivatives);
        Elastic {
            tensions: vec![Tension::default(); cords.len()],
            acts: acts && !cords.is_empty(),
            cords,
            switch_distance: f64::INFINITY,
        }
    }

    /// Whether it has any lengths.
    pub fn is_empty(&self) -> bool {
        self.cords.is_empty()
    }

    /// Whether there is anything that pulls here.
    pub fn acts(&self) -> bool {
        self.acts
    }

    /// The lengths at the state of the last [`Elastic::apply`].
    pub fn cords(&self) -> &Cords {
        &self.cords
    }

    /// The most entries that [`Elastic::slopes`] adds.
    pub fn entries(&self) -> usize {
        let sizes = (0..self.cords.len()).map(|i| self.cords.hessian(i).len());
        sizes.sum()
    }

    /// The most products, and the most numbers in them.
    pub fn room(&self) -> [usize; 2] {
        let n = self.cords.len();
        let numbers = (0..n).map(|i| self.cords.support(i).len()).sum();
        match self.acts {
            true => [n, numbers],
            false => [0; 2],
        }
    }

    /// Takes the lengths at q; `kin` holds positions.
    pub fn place(&mut self, kin: &Kinematics, q: &[f64]) {
        self.cords.update(kin, q);
    }

    /// Adds the forces to `tau`, without what products hold; lengths are taken at the state.
    pub fn apply(&mut self, at: &State<'_>, tau: &mut [f64]) {
        self.place(at.kin, at.q);
        self.switch_distance = f64::INFINITY;
        let tendons = at.model.tendons();
        for i in 0..self.tensions.len() {
            let cords = &self.cords;
            let tension = match tendons.get(i) {
                Some(t) => {
                    let (x, margin) = tendon::tension(t, at.params, cords, i, at.v, at.time_step);
                    self.switch_distance = self.switch_distance.min(margin);
                    x
                }
                None => {
                    let of = [(i - tendons.len()) / 3, (i - tendons.len()) % 3];
                    spring::tension(at.params, cords, of, at.v, at.time_step)
                }
            };
            if tension.acts() {
                for (k, g) in cords.moments(i) {
                    tau[k] -= g * tension.force;
                }
            }
            self.tensions[i] = tension;
        }
    }

    pub fn switch_distance(&self) -> f64 {
        self.switch_distance
    }

    /// Gives the system matrix the products of the last [`Elastic::apply`].
    pub fn set_products(&self, system: &mut System) {
        let acting = self.tensions.iter().filter(|x| x.weight() > 0.0);
        let products = acting.map(|x| (x.weight(), x.cord));
        system
            .set_products(products.map(|(w, i)| (w, self.cords.support(i), self.cords.moment(i))));
    }

    /// Joins the trees between which anything acts.
    pub fn couple(&self, model: &Model, coupling: &mut Coupling) {
        for x in self.tensions.iter().filter(|x| x.acts()) {
            self.cords.couple(model, x.cord, coupling);
        }
    }

    /// Second derivatives of the lengths at the state of the last [`Elastic::apply`].
    pub fn differentiate(&mut self, kin: &Kinematics) {
        self.cords.differentiate(kin);
    }

    /// Adds R_q and R_v at the acceleration `acc`, after [`Elastic::differentiate`].
    pub fn slopes(&self, at: &State<'_>, acc: &[f64], into: &mut Slopes) {
        for x in self.tensions.iter().filter(|x| x.acts()) {
            let (dofs, g) = (self.cords.support(x.cord), self.cords.moment(x.cord));
            let whole = x.whole(&self.cords, acc);
            let hessian = self.cords.hessian(x.cord).chunks_exact(dofs.len().max(1));
            for ((c, column), h) in dofs.iter().enumerate().zip(hessian) {
                let moved = (dofs.iter().zip(h)).map(|(k, h)| x.motion(at.v[*k], acc.get(*k)) * h);
                let by_q = x.stiffness * g[c] + moved.sum::<f64>();
                let by_v = x.by_rate() * g[c];
                for (r, row) in dofs.iter().enumerate() {
                    into.add([*row, *column], whole * h[r] + g[r] * by_q, g[r] * by_v);
                }
            }
        }
    }

    /// Adds the derivative of the balance by a parameter to `r`.
    pub fn by_parameter(&self, at: &State<'_>, acc: &[f64], p: &Param, r: &mut [f64]) {
        if !self.acts {
            return;
        }
        let (index, component) = (p.index as usize, p.component as usize);
        let add = |x: &Tension, slope: f64, r: &mut [f64]| {
            self.cords
                .moments(x.cord)
                .for_each(|(k, g)| r[k] += g * slope);
        };
        match p.kind {
            ParamKind::Tendon => {
                let x = &self.tensions[index];
                let rate = x.rate_ahead(&self.cords, at.v, acc);
                let t = &at.model.tendons()[index];
                let by = tendon::by_parameter(t, at.params, &self.cords, x, component, rate);
                add(x, by, r);
            }
            ParamKind::Spring => {
                let first = self.cords.of_spring(index, 0);
                for x in &self.tensions[first..first + 3] {
                    let rate = x.rate_ahead(&self.cords, at.v, acc);
                    add(x, spring::by_parameter(x, component, rate), r);
                }
            }
            ParamKind::JointPlacement => {
                let link = at.model.joint(index).first_link;
                let xi = at
                    .kin
                    .placement_twist(at.model, at.params, [index, component]);
                for x in self.tensions.iter().filter(|x| x.acts()) {
                    let (whole, mut moved) = (x.whole(&self.cords, acc), 0.0);
                    let stretched = self.cords.along(at.kin, x.cord, link, xi, |k, dg| {
                        r[k] += whole * dg;
                        moved += x.motion(at.v[k], acc.get(k)) * dg;
                    });
                    add(x, x.stiffness * stretched + moved, r);
                }
            }
            _ => {}
        }
    }

    /// Energy that tendons and springs store at q [J]; `kin` holds positions. The lengths are those at q then.
    pub fn energy(&mut self, model: &Model, params: &Params, kin: &Kinematics, q: &[f64]) -> f64 {
        self.place(kin, q);
        let tendons = model.tendons().iter().enumerate();
        let of_tendons: f64 = tendons
            .map(|(i, t)| tendon::energy(params, i, self.cords.length(i), t.pull_only))
            .sum();
        let springs = (0..model.springs().len()).flat_map(|s| [0, 1, 2].map(|axis| (s, axis)));
        let of_springs: f64 = springs
            .map(|(s, axis)| {
                let stretch = self.cords.length(self.cords.of_spring(s, axis));
                spring::energy(params, s, stretch)
            })
            .sum();
        of_tendons + of_springs
    }
}
