//! A stage: its unknown, its starting values, and the state it leads to.

use super::curvature::Curvature;
use crate::integrator::implicit::{Formula, Mix, Stage, Tangents, arrive, velocities};
use crate::joint::LinkKind;
use crate::model::Model;

/// The coefficients of a stage for a time step h.
#[derive(Clone, Copy, Debug)]
pub(in crate::step) struct Rule {
    /// γ_q, 1/γ_a and σ.
    pub displacement: f64,
    pub rate: f64,
    pub share: f64,
    pub w0: Mix,
    /// Coefficients of velocities, times h, and of the last displacement.
    pub xi0: Mix,
}

impl Rule {
    fn of(stage: &Stage, h: f64) -> Rule {
        Rule {
            displacement: stage.displacement * h,
            rate: 1.0 / (stage.rate * h),
            share: stage.share,
            w0: stage.w0,
            xi0: Mix {
                start: h * stage.xi0.start,
                before: h * stage.xi0.before,
                history: stage.xi0.history,
            },
        }
    }

    /// Time [s] by which a rounding of positions is divided to get a rounding of w: γ_q, or γ_a if positions
    /// do not depend on w.
    pub fn reach(&self) -> f64 {
        match self.displacement {
            0.0 => 1.0 / self.rate,
            displacement => displacement,
        }
    }
}

/// Where the stages of a step come from.
#[derive(Clone, Copy, Debug)]
pub(in crate::step) enum Source {
    /// The step ends at its last stage, without impulses.
    Formula(Formula),
    /// The stage of a scheme, which finds the velocity without impulses.
    Scheme(Stage),
}

impl Source {
    /// Largest number of stages of a step.
    pub fn most_stages(self) -> usize {
        match self {
            Source::Formula(formula) => formula.most_stages(),
            Source::Scheme(_) => 1,
        }
    }

    /// The rules of all stages of a step.
    pub fn rules(
        self,
        carried: &[f64],
        h: f64,
    ) -> impl DoubleEndedIterator<Item = (usize, Rule)> + ExactSizeIterator + use<> {
        let (stages, count) = match self {
            Source::Formula(formula) => {
                let stages = formula.stages(carried);
                (stages, stages.len())
            }
            Source::Scheme(_) => (&[][..], 1),
        };
        (0..count).map(move |i| match &self {
            Source::Formula(_) => (i, Rule::of(&stages[i], h)),
            Source::Scheme(stage) => (i, Rule::of(stage, h)),
        })
    }
}

/// The integrator's state from the last step: its velocity and its displacement, or empty.
pub(in crate::step) fn history(carried: &[f64], nv: usize) -> [&[f64]; 2] {
    match carried.get(..2 * nv) {
        Some(both) => {
            let (v, xi) = both.split_at(nv);
            [v, xi]
        }
        None => [&[], &[]],
    }
}

/// out ← the weighted sum; an empty part is zero.
pub(in crate::step) fn mix(
    by: Mix,
    start: &[f64],
    before: &[f64],
    history: &[f64],
    out: &mut [f64],
) {
    out.fill(0.0);
    for (share, x) in [
        (by.start, start),
        (by.before, before),
        (by.history, history),
    ] {
        if share != 0.0 {
            for (out, x) in out.iter_mut().zip(x) {
                *out += share * x;
            }
        }
    }
}

/// A stage: nq entries of q', nv entries of all others.
#[derive(Clone, Debug)]
pub(in crate::step) struct StageState {
    /// The unknown.
    pub w: Vec<f64>,
    pub w0: Vec<f64>,
    pub xi0: Vec<f64>,
    pub xi: Vec<f64>,
    /// x and ẇ.
    x: Vec<f64>,
    rate: Vec<f64>,
    /// q', v' and a'.
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub a: Vec<f64>,
    /// γ of this stage.
    pub(super) curvature: Curvature,
    /// w at the last balance.
    pub(super) balanced: Vec<f64>,
    /// True if `balanced` is the solution up to round-off of positions, and if H was factored there.
    pub(super) is_settled: bool,
    pub(super) is_factored: bool,
    /// True if H was factored at least at a point of the same search.
    pub(super) is_near: bool,
    /// Size of the last correction, if Newton's method has not converged.
    pub(super) missed: Option<f64>,
    /// True if all joints are hinges and slides, so that displacements are added to coordinates.
    is_plain: bool,
}

impl StageState {
    pub fn new(model: &Model) -> StageState {
        let zeros = || vec![0.0; model.nv()];
        StageState {
            w: zeros(),
            w0: zeros(),
            xi0: zeros(),
            xi: zeros(),
            x: zeros(),
            rate: zeros(),
            q: vec![0.0; model.nq()],
            v: zeros(),
            a: zeros(),
            curvature: Curvature::unknown(model.nv()),
            balanced: zeros(),
            is_settled: false,
            is_factored: false,
            is_near: false,
            missed: None,
            is_plain: (model.topology().links.iter())
                .all(|l| matches!(l.kind, LinkKind::Revolute | LinkKind::Prismatic)),
        }
    }

    /// Computes q', v' and a' from w, for a step that begins at `q`.
    pub fn lead(&mut self, model: &Model, rule: &Rule, q: &[f64]) {
        if self.is_plain {
            return self.lead_plain(rule, q);
        }
        for ((xi, xi0), w) in self.xi.iter_mut().zip(&self.xi0).zip(&self.w) {
            *xi = xi0 + rule.displacement * w;
        }
        for ((rate, w), w0) in self.rate.iter_mut().zip(&self.w).zip(&self.w0) {
            *rate = (w - w0) * rule.rate;
        }
        match rule.share {
            1.0 => self.x.copy_from_slice(&self.w),
            share => {
                for ((x, w), w0) in self.x.iter_mut().zip(&self.w).zip(&self.w0) {
                    *x = share * w + (1.0 - share) * w0;
                }
            }
        }
        arrive(model, q, &self.xi, &mut self.q);
        let at = Tangents {
            xi: &self.xi,
            x: &self.x,
            rate: &self.rate,
        };
        velocities(model, at, &mut self.v, &mut self.a);
    }

    /// [`StageState::lead`] for hinges and slides, in one loop.
    fn lead_plain(&mut self, rule: &Rule, q: &[f64]) {
        let nv = self.w.len();
        let [w, w0, xi0, q] = [&self.w, &self.w0, &self.xi0, q].map(|x| &x[..nv]);
        let [xi, x, rate] = [&mut self.xi, &mut self.x, &mut self.rate].map(|x| &mut x[..nv]);
        let [q_next, v, a] = [&mut self.q, &mut self.v, &mut self.a].map(|x| &mut x[..nv]);
        let rest = 1.0 - rule.share;
        for k in 0..nv {
            xi[k] = xi0[k] + rule.displacement * w[k];
            rate[k] = (w[k] - w0[k]) * rule.rate;
            x[k] = match rest {
                0.0 => w[k],
                _ => rule.share * w[k] + rest * w0[k],
            };
            q_next[k] = q[k] + xi[k];
            (v[k], a[k]) = (x[k], rate[k]);
        }
    }

    pub fn tangents(&self) -> Tangents<'_> {
        Tangents {
            xi: &self.xi,
            x: &self.x,
            rate: &self.rate,
        }
    }
}
