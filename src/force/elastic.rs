//! Forces of tendons and springs along their lengths.

use super::face::State;
use super::slopes::Slopes;
use super::tension::Tension;
use super::{spring, tendon};
use crate::dynamics::coupling::Coupling;
use crate::model::Model;
use crate::model::params::{Param, ParamKind, Params};
use crate::tendon::{Displacement, Paths, Stretch};

/// The force −g T of every tendon and spring. A step takes stiffness and damping implicitly: h (d + h k)
/// g gᵀ joins the system matrix. The curvature of the length stays explicit. Constraints respond through
/// the factors of the trees alone; if there are any, rows replace these forces. Terms of tendons beyond
/// the linear ones are explicit, and always forces.
#[derive(Clone, Debug)]
pub struct Elastic {
    /// Tensions of the tendons, then three for each spring.
    tensions: Vec<Tension>,
    /// Of tendons with terms beyond the linear ones: the tensions of these terms.
    curved: Vec<Tension>,
    /// Whether no constraint rows replace the linear terms.
    is_whole: bool,
    /// Whether there are cables (tendons that only pull).
    fades: bool,
    /// Time step for which they were last taken implicitly, or zero [s].
    ahead: f64,
    switch_distance: f64,
}

impl Elastic {
    /// `acts`: no constraint rows replace these forces.
    pub fn new(model: &Model, paths: &Paths, acts: bool) -> Self {
        let tendons = model.tendons().iter().enumerate();
        let curved = tendons.filter(|(_, t)| t.is_curved());
        let count = if acts { paths.tensions() } else { 0 };
        Elastic {
            tensions: (0..count).map(Tension::slack).collect(),
            curved: curved.map(|(i, _)| Tension::slack(i)).collect(),
            is_whole: acts,
            fades: acts && model.tendons().iter().any(|t| t.pull_only),
            ahead: 0.0,
            switch_distance: f64::INFINITY,
        }
    }

    /// Whether any tendon or spring pulls here.
    pub fn acts(&self) -> bool {
        !(self.tensions.is_empty() && self.curved.is_empty())
    }

    /// Whether any tension is along this length.
    pub fn pulls(&self, path: usize) -> bool {
        self.all().any(|x| x.path == path)
    }

    fn all(&self) -> impl Iterator<Item = &Tension> {
        self.tensions.iter().chain(&self.curved)
    }

    /// Whether dampers of some tendons fade in.
    pub fn fades(&self) -> bool {
        self.fades
    }

    /// Largest number of entries that [`Elastic::slopes`] adds.
    pub fn entries(&self, paths: &Paths) -> usize {
        self.all().map(|x| paths.hessian(x.path).len()).sum()
    }

    /// Largest number of dofs whose forces depend on other dofs.
    pub fn rows(&self, paths: &Paths) -> usize {
        self.all().map(|x| paths.support(x.path).len()).sum()
    }

    /// Largest number of products, and of numbers in them.
    pub fn room(&self, paths: &Paths) -> [usize; 2] {
        let sizes = self.tensions.iter().map(|x| paths.support(x.path).len());
        [self.tensions.len(), sizes.sum()]
    }

    /// Adds the forces to `tau`, without the terms that are products. `paths` holds the lengths at the
    /// state.
    pub fn apply(&mut self, at: &State<'_>, paths: &Paths, tau: &mut [f64]) {
        (self.ahead, self.switch_distance) = (at.time_step, f64::INFINITY);
        let tendons = at.model.tendons();
        for i in 0..self.tensions.len() {
            let tension = match tendons.get(i) {
                Some(t) => {
                    let (x, margin) = tendon::tension(t, at, paths, i);
                    self.switch_distance = self.switch_distance.min(margin);
                    x
                }
                None => {
                    let of = [(i - tendons.len()) / 3, (i - tendons.len()) % 3];
                    spring::tension(at.params, paths, of, at.v, at.time_step)
                }
            };
            self.tensions[i] = tension;
        }
        for x in &mut self.curved {
            let (tension, margin) = tendon::curved(&tendons[x.path], at, paths, x.path);
            self.switch_distance = self.switch_distance.min(margin);
            *x = tension;
        }
        for x in self.all().filter(|x| x.acts()) {
            for (k, g) in paths.moments(x.path) {
                tau[k] -= g * x.force;
            }
        }
    }

    /// The last tension along a length [N].
    pub fn tension(&self, i: usize) -> f64 {
        self.along(i).map(|x| x.force).sum()
    }

    fn along(&self, path: usize) -> impl Iterator<Item = &Tension> {
        self.all().filter(move |x| x.path == path)
    }

    /// Derivatives of a tension by the length and by its rate.
    pub fn slopes_of(&self, i: usize) -> [f64; 2] {
        let slopes = self.along(i).map(|x| [x.by_length, x.by_rate()]);
        slopes.fold([0.0; 2], |[a, b], [x, y]| [a + x, b + y])
    }

    pub fn switch_distance(&self) -> f64 {
        self.switch_distance
    }

    /// The products of the last [`Elastic::apply`] for the system matrix: weight, dofs and entries.
    pub fn products<'a>(
        &'a self,
        paths: &'a Paths,
    ) -> impl Iterator<Item = (f64, &'a [usize], &'a [f64])> {
        let acts = move |x: &&Tension| x.weight() > 0.0 && !paths.support(x.path).is_empty();
        let acting = self.tensions.iter().filter(acts);
        acting.map(|x| (x.weight(), paths.support(x.path), paths.moment(x.path)))
    }

    /// Joins the trees that tendons and springs connect.
    pub fn couple(&self, model: &Model, paths: &Paths, coupling: &mut Coupling) {
        for x in self.all().filter(|x| x.acts()) {
            paths.couple(model, x.path, coupling);
        }
    }

    /// Adds R_q and R_v at the acceleration `acc`. `paths` also holds second derivatives.
    pub fn slopes(&self, at: &State<'_>, paths: &Paths, acc: &[f64], into: &mut Slopes) {
        for x in self.all().filter(|x| x.acts()) {
            let (dofs, g) = (paths.support(x.path), paths.moment(x.path));
            let whole = x.whole(paths, acc);
            let hessian = paths.hessian(x.path).chunks_exact(dofs.len().max(1));
            for ((c, column), h) in dofs.iter().enumerate().zip(hessian) {
                let moved = (dofs.iter().zip(h)).map(|(k, h)| x.motion(at.v[*k], acc.get(*k)) * h);
                let by_q = x.by_length * g[c] + moved.sum::<f64>();
                let by_v = x.by_rate() * g[c];
                for (r, row) in dofs.iter().enumerate() {
                    into.add([*row, *column], whole * h[r] + g[r] * by_q, g[r] * by_v);
                }
            }
        }
    }

    /// Adds the derivative of the balance by a parameter to `r`.
    pub fn by_parameter(
        &self,
        at: &State<'_>,
        paths: &Paths,
        acc: &[f64],
        p: &Param,
        r: &mut [f64],
    ) {
        let (index, component) = (p.index as usize, p.component as usize);
        let moved = Displacement::of(at.model, at.params, at.kin, p);
        let add = |x: &Tension, slope: f64, r: &mut [f64]| {
            (paths.moments(x.path)).for_each(|(k, g)| r[k] += g * slope);
        };
        if let Some(displaced) = moved {
            for x in self.all().filter(|x| x.acts()) {
                let (whole, mut moved) = (x.whole(paths, acc), 0.0);
                let stretched = paths.along(at.kin, x.path, &displaced, |k, dg| {
                    r[k] += whole * dg;
                    moved += x.motion(at.v[k], acc.get(k)) * dg;
                });
                add(x, x.by_length * stretched + moved, r);
            }
            return;
        }
        match p.kind {
            ParamKind::Tendon => {
                let t = &at.model.tendons()[index];
                if let Some(x) = self.tensions.get(index) {
                    let rate = x.rate_ahead(paths, at.v, acc);
                    let by = tendon::by_parameter(t, at.params, paths, x, component, rate);
                    add(x, by, r);
                }
                // The terms beyond the linear ones depend on the rest lengths alone.
                for x in self.curved.iter().filter(|x| x.path == index && x.taut) {
                    let end = Stretch::of(at.params.tendon[index], paths.length(index), false).end;
                    if end.is_some_and(|end| component == 2 + end) {
                        add(x, -x.by_length, r);
                    }
                }
            }
            ParamKind::Spring if self.is_whole => {
                let first = paths.of_spring(index, 0);
                for x in &self.tensions[first..first + 3] {
                    let rate = x.rate_ahead(paths, at.v, acc);
                    add(x, spring::by_parameter(x, component, rate), r);
                }
            }
            _ => {}
        }
    }

    /// Whether the derivative by a parameter is one-sided at a state where the derivatives by the state
    /// do not jump.
    pub fn has_kink(&self, model: &Model, params: &Params, paths: &Paths, p: &Param) -> bool {
        if !self.acts() {
            return false;
        }
        let fades = self.is_whole
            && p.kind == ParamKind::Tendon
            && p.component == 0
            && self.ahead == 0.0
            && {
                let i = p.index as usize;
                tendon::begins_to_fade(&model.tendons()[i], params, paths, i)
            };
        fades || paths.has_kink(model, params, p)
    }

    /// Energy stored in tendons and springs at these lengths [J].
    pub fn energy(&self, model: &Model, params: &Params, paths: &Paths) -> f64 {
        let tendons = model.tendons().iter().enumerate();
        let of_tendons: f64 = tendons
            .map(|(i, t)| tendon::energy(t, params, i, paths.length(i)))
            .sum();
        let springs = (0..model.springs().len()).flat_map(|s| [0, 1, 2].map(|axis| (s, axis)));
        let of_springs: f64 = springs
            .map(|(s, axis)| {
                let stretch = paths.length(paths.of_spring(s, axis));
                spring::energy(params, s, stretch)
            })
            .sum();
        of_tendons + of_springs
    }
}
