//! Workspace of implicit stages and their derivatives.

use super::linear::{Linear, Start};
use super::newton::Newton;
use super::panels::Panels;
use super::stage::{Source, StageState};
use crate::force::Forces;
use crate::integrator::implicit::Formula;
use crate::linalg::LANES;
use crate::model::Model;
use crate::model::reduction::Reduction;
use crate::step::state::Held;

/// State of a simulation with implicit stages. Sized at creation.
#[derive(Debug)]
pub(crate) struct Implicit {
    pub(in crate::step) source: Source,
    /// Stages of the last step, and of a step in progress.
    pub stages: Vec<StageState>,
    pub pending: Vec<StageState>,
    /// Linearization of each stage; during a solve, at intermediate points.
    pub(super) linear: Vec<Linear>,
    pub newton: Newton,
    /// True if `linear` belongs to the stages of the last step.
    pub(super) is_linear: bool,
    /// The stage at which the recursions are evaluated.
    pub(super) loaded: usize,
    pub(in crate::step) work: Work,
    /// Columns of the balance by the selected parameters, nv entries each. Only for the stage of a scheme:
    /// the rest of its derivative moves the recursions.
    pub(super) by_p: Vec<f64>,
    /// Only for a formula.
    pub(super) panels: Option<Panels>,
}

/// Vectors of derivatives on their way, nv entries each.
#[derive(Debug)]
pub(in crate::step) struct Work {
    pub(super) start: Start,
    /// δw of a stage or its adjoint, and that of the stage before.
    pub w: Vec<f64>,
    pub(super) before: Vec<f64>,
    /// δξ of the last stage or its adjoint.
    pub xi: Vec<f64>,
    pub lanes: Lanes<Vec<f64>>,
}

/// Columns in a group, row by row: unit vectors of q, v or u, the starting values of a stage, and the
/// results.
#[derive(Debug)]
pub(in crate::step) struct Lanes<T> {
    pub unit: T,
    pub w0: T,
    pub xi0: T,
    pub x: T,
}

impl Lanes<Vec<f64>> {
    /// With `rows` rows.
    pub fn new(rows: usize) -> Self {
        let zeros = || vec![0.0; LANES * rows];
        Lanes {
            unit: zeros(),
            w0: zeros(),
            xi0: zeros(),
            x: zeros(),
        }
    }

    pub fn rows(&mut self) -> Lanes<&mut [[f64; LANES]]> {
        Lanes {
            unit: self.unit.as_chunks_mut().0,
            w0: self.w0.as_chunks_mut().0,
            xi0: self.xi0.as_chunks_mut().0,
            x: self.x.as_chunks_mut().0,
        }
    }
}

impl Implicit {
    pub(in crate::step) fn new(
        model: &Model,
        source: Source,
        forces: &Forces,
        derivatives: bool,
    ) -> Implicit {
        let nv = model.nv();
        // A start without history uses the stages of another formula.
        let count = source.most_stages();
        let is_formula = matches!(source, Source::Formula(_));
        // With impulses, columns of deep trees are computed one by one.
        let in_lanes = derivatives && (is_formula || !model.topology().is_deep());
        let stages = vec![StageState::new(model); count];
        let zeros = || vec![0.0; nv];
        Implicit {
            source,
            pending: stages.clone(),
            stages,
            linear: (0..count).map(|_| Linear::new(model, forces)).collect(),
            newton: Newton::new(nv, count),
            is_linear: false,
            loaded: 0,
            work: Work {
                start: Start {
                    w0: zeros(),
                    xi0: zeros(),
                },
                w: zeros(),
                before: zeros(),
                xi: zeros(),
                lanes: Lanes::new(if in_lanes { nv.max(model.nu()) } else { 0 }),
            },
            by_p: Vec::new(),
            panels: (derivatives && is_formula).then(|| Panels::new(model)),
        }
    }

    /// Allocates the columns by selected parameters.
    pub fn fit(&mut self, nv: usize, np: usize) {
        self.is_linear = false;
        match (&mut self.panels, self.source) {
            (Some(panels), _) => panels.fit(nv, np),
            (None, Source::Scheme(_)) => self.by_p = vec![0.0; nv * np],
            _ => {}
        }
    }

    /// The formula, if the step ends at its last stage.
    pub fn formula(&self) -> Option<Formula> {
        match self.source {
            Source::Formula(formula) => Some(formula),
            Source::Scheme(_) => None,
        }
    }

    /// Takes the current values of the reductions.
    pub fn reduce(&mut self, reduction: &Reduction) {
        self.linear.iter_mut().for_each(|l| l.reduce(reduction));
    }

    /// Makes the pending step the last one. Returns the contents of the shared workspace; with impulses
    /// after the stage these are `held`.
    pub fn accept(&mut self, held: Held) -> Held {
        std::mem::swap(&mut self.stages, &mut self.pending);
        self.is_linear = false;
        match (self.source, self.stages[0].is_settled) {
            (Source::Scheme(_), _) => held,
            (_, true) => Held::Stage,
            (_, false) => Held::Other,
        }
    }
}
