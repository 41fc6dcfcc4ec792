//! The blocks without torsional and rolling friction, as a problem for the law of three rows.

use crate::contact::capacity::Capacity;
use crate::contact::certificate::Certificate;
use crate::contact::island_part::{Part, gather, scatter};
use crate::contact::law::{Law, Posed, Request, Side, Variation, Variations, Verdict};
use crate::contact::problem::{Block, Delassus, Regularization};
use crate::contact::product::{Columns, Product};
use crate::contact::push_out::PushOut;
use crate::contact::work_budget::WorkBudget;
use crate::error::{Error, Result};
use crate::linalg::LANES;

/// This problem and its law. Sized at creation.
#[derive(Debug)]
pub(super) struct Plain {
    pub law: Box<dyn Law>,
    part: Part,
    regularization: Vec<Regularization>,
    kept: Vec<f64>,
    /// Panels of columns, in and out; numbers by blocks; indices of columns.
    input: Vec<f64>,
    output: Vec<f64>,
    limits: Vec<f64>,
    columns: Vec<usize>,
    /// A vector by rows of the whole problem.
    whole: Vec<f64>,
}

impl Plain {
    pub fn new(capacity: &Capacity, law: Box<dyn Law>) -> Plain {
        let Capacity {
            rows,
            blocks,
            coordinates,
            ..
        } = *capacity;
        // Only problems stored by trees are split.
        let split = |n: usize| if capacity.trees == 0 { 0 } else { n };
        Plain {
            law,
            part: Part::new(capacity, split(rows), split(blocks), 0),
            regularization: Vec::with_capacity(split(blocks)),
            kept: Vec::with_capacity(coordinates),
            input: vec![0.0; split(rows) * LANES],
            output: vec![0.0; split(rows) * LANES],
            limits: vec![0.0; split(blocks) * LANES],
            columns: Vec::with_capacity(LANES),
            whole: vec![0.0; split(rows)],
        }
    }

    /// Takes the blocks `members`, with the initial guess of their solution.
    pub fn take(&mut self, posed: &Posed<'_>, members: &[usize]) -> Result<()> {
        let Delassus::Trees(rows) = posed.problem.delassus else {
            return Err(Error::internal("a dense problem is not taken apart"));
        };
        let (lambda, modes) = (&*posed.lambda, &*posed.modes);
        (self.part).extract(&posed.problem, rows, members, lambda, modes, 0);
        self.regularization.clear();
        if !posed.regularization.is_empty() {
            let of = |b: &usize| posed.regularization[*b];
            self.regularization.extend(members.iter().map(of));
        }
        self.kept.clear();
        if !posed.kept.is_empty() {
            let places = self.part.coordinates(rows);
            self.kept.extend(places.map(|k| posed.kept[k]));
        }
        Ok(())
    }

    /// Solves the blocks. The biases are already set.
    pub fn solve(
        &mut self,
        posed: &mut Posed<'_>,
        work_budget: &WorkBudget,
    ) -> Result<Certificate> {
        let mut step = OfPart {
            part: &mut self.part,
            regularization: &self.regularization,
            kept: &self.kept,
        };
        let outcome = self.law.solve(&mut step, work_budget)?;
        self.part.put_back(posed.lambda, posed.modes);
        Ok(outcome.certificate)
    }

    /// As [`Law::answer`], for these blocks.
    pub fn answer(&mut self, posed: &mut Posed<'_>) -> Result<()> {
        let mut step = OfPart {
            part: &mut self.part,
            regularization: &self.regularization,
            kept: &self.kept,
        };
        self.law.answer(&mut step)?;
        self.part.put_back(posed.lambda, posed.modes);
        Ok(())
    }

    /// As [`Linearized::apply`](crate::contact::law::Linearized::apply), into the rows of these blocks.
    /// `n` and `blocks` are the sizes of the whole problem.
    pub fn apply(
        &mut self,
        [n, blocks]: [usize; 2],
        w: &[f64],
        limits: Option<&[f64]>,
        columns: usize,
        dlambda: &mut [f64],
    ) -> Result<()> {
        let (own, own_blocks) = (self.part.rows.len(), self.part.members.len());
        for first in (0..columns).step_by(LANES) {
            self.columns.clear();
            self.columns.extend((first..columns).take(LANES));
            let count = self.columns.len();
            let input = &mut self.input[..own * count];
            let output = &mut self.output[..own * count];
            gather(&self.part.rows, w, n, &self.columns, input);
            let own_limits = &mut self.limits[..own_blocks * count];
            if let Some(limits) = limits {
                gather(
                    &self.part.members,
                    limits,
                    blocks,
                    &self.columns,
                    own_limits,
                );
            }
            let own_limits = limits.is_some().then_some(&*own_limits);
            let problem = self.part.posed();
            let linear = self.law.linearize(&problem)?;
            linear.apply(&problem, input, own_limits, count, output)?;
            scatter(&self.part.rows, output, n, &self.columns, dlambda);
        }
        Ok(())
    }

    /// As [`Linearized::apply_transpose`](crate::contact::law::Linearized::apply_transpose), for these
    /// blocks.
    pub fn apply_transpose(
        &mut self,
        bar: &[f64],
        w_bar: &mut [f64],
        limits_bar: Option<&mut [f64]>,
    ) -> Result<()> {
        let (own, own_blocks) = (self.part.rows.len(), self.part.members.len());
        let (input, output) = (&mut self.input[..own], &mut self.output[..own]);
        gather(&self.part.rows, bar, 0, &[0], input);
        let own_limits = &mut self.limits[..own_blocks];
        let problem = self.part.posed();
        let linear = self.law.linearize(&problem)?;
        let wanted = limits_bar.is_some().then_some(&mut *own_limits);
        linear.apply_transpose(&problem, input, output, wanted)?;
        scatter(&self.part.rows, output, 0, &[0], w_bar);
        if let Some(limits_bar) = limits_bar {
            scatter(&self.part.members, own_limits, 0, &[0], limits_bar);
        }
        Ok(())
    }

    /// As [`Linearized::answer`](crate::contact::law::Linearized::answer), for these blocks.
    pub fn answer_along(&mut self, dsigma: &[f64], dlambda: &mut [f64]) -> Result<()> {
        let own = self.part.rows.len();
        let (input, output) = (&mut self.input[..own], &mut self.output[..own]);
        gather(&self.part.rows, dsigma, 0, &[0], input);
        let problem = self.part.posed();
        let linear = self.law.linearize(&problem)?;
        linear.answer(&problem, input, output)?;
        scatter(&self.part.rows, output, 0, &[0], dlambda);
        Ok(())
    }

    /// As [`Linearized::verdict`](crate::contact::law::Linearized::verdict), for these blocks. The whole
    /// problem has `n` rows.
    pub fn verdict(&mut self, state: &mut dyn Variations, n: usize) -> Result<Verdict> {
        let mut state = OfRows {
            state,
            rows: &self.part.rows,
            whole: &mut self.whole[..n],
        };
        let problem = self.part.posed();
        self.law.linearize(&problem)?.verdict(&problem, &mut state)
    }

    /// As [`Linearized::answers`](crate::contact::law::Linearized::answers), for these blocks.
    pub fn answers(&mut self, w: &[f64]) -> Result<bool> {
        let input = &mut self.input[..self.part.rows.len()];
        gather(&self.part.rows, w, 0, &[0], input);
        let problem = self.part.posed();
        self.law.linearize(&problem)?.answers(&problem, input)
    }

    pub fn begin_sides(&mut self) -> Result<()> {
        let problem = self.part.posed();
        self.law.linearize(&problem)?.begin_sides(&problem)
    }

    /// As [`Linearized::differs`](crate::contact::law::Linearized::differs), for these blocks.
    pub fn differs(&mut self, x: &Variation<'_>, side: Side) -> Result<bool> {
        let (own, own_blocks) = (self.part.rows.len(), self.part.members.len());
        let (input, limits) = (&mut self.input[..own], &mut self.limits[..own_blocks]);
        gather(&self.part.rows, x.w, 0, &[0], input);
        gather(&self.part.members, x.limits, 0, &[0], limits);
        let x = Variation {
            w: input,
            limits,
            felt: x.felt,
        };
        let problem = self.part.posed();
        self.law.linearize(&problem)?.differs(&problem, &x, side)
    }

    pub fn end_sides(&mut self) -> Result<()> {
        let problem = self.part.posed();
        self.law.linearize(&problem)?.end_sides(&problem)
    }

    pub fn is_unique(&mut self) -> Result<bool> {
        let problem = self.part.posed();
        self.law.linearize(&problem)?.is_unique(&problem)
    }

    /// Products of C with the columns over these blocks.
    pub fn times_right(&mut self, columns: &mut dyn Columns) -> Result<()> {
        let problem = self.part.posed();
        let mut own = OfBlocks {
            columns,
            members: &self.part.members,
            blocks: problem.blocks,
        };
        match self.law.linearize(&problem)?.product(&problem) {
            Product::Islands(islands) => islands.times_right(&problem, &mut own),
            _ => Err(Error::internal(
                "a problem by trees has products by islands",
            )),
        }
    }
}

/// The step as the law of three rows sees it. The whole problem sets the biases, so requests have no
/// effect here.
struct OfPart<'a> {
    part: &'a mut Part,
    regularization: &'a [Regularization],
    kept: &'a [f64],
}

impl Request for OfPart<'_> {
    fn ask(&mut self, _push_out: PushOut) {}

    fn posed(&mut self) -> Posed<'_> {
        let (problem, lambda, modes) = self.part.problem();
        Posed {
            problem,
            blocks: None,
            regularization: self.regularization,
            kept: self.kept,
            lambda,
            modes,
        }
    }

    fn gentler(&self, _push_out: PushOut) -> Option<PushOut> {
        None
    }

    fn throws(&mut self) -> bool {
        false
    }
}

/// Variations of the rows of these blocks.
struct OfRows<'a> {
    state: &'a mut dyn Variations,
    rows: &'a [usize],
    whole: &'a mut [f64],
}

impl Variations for OfRows<'_> {
    fn of_state(&mut self, w: &mut [f64]) {
        self.state.of_state(self.whole);
        gather(self.rows, self.whole, 0, &[0], w);
    }

    fn of_velocity(&mut self, which: usize, w: &mut [f64]) {
        self.state.of_velocity(which, self.whole);
        gather(self.rows, self.whole, 0, &[0], w);
    }

    fn of_rows(&mut self, w: &mut [f64]) {
        self.state.of_rows(self.whole);
        gather(self.rows, self.whole, 0, &[0], w);
    }
}

/// Columns over these blocks.
struct OfBlocks<'a> {
    columns: &'a mut dyn Columns,
    members: &'a [usize],
    blocks: &'a [Block],
}

impl OfBlocks<'_> {
    /// The numbers of these blocks in the whole problem, each with its rows of a panel.
    fn places<'a>(
        &'a self,
        blocks: &'a [usize],
    ) -> impl Iterator<Item = (usize, std::ops::Range<usize>)> + 'a {
        let mut at = 0;
        blocks.iter().map(move |b| {
            let rows = at..at + self.blocks[*b].rows();
            at = rows.end;
            (self.members[*b], rows)
        })
    }
}

impl Columns for OfBlocks<'_> {
    fn count(&self, block: usize) -> usize {
        self.columns.count(self.members[block])
    }

    fn most(&self) -> usize {
        self.columns.most()
    }

    fn read(&self, blocks: &[usize], first: usize, x: &mut [[f64; LANES]]) {
        for (block, rows) in self.places(blocks) {
            self.columns.read(&[block], first, &mut x[rows]);
        }
    }

    fn take(&mut self, blocks: &[usize], first: usize, y: &[[f64; LANES]]) {
        let mut at = 0;
        for b in blocks {
            let rows = at..at + self.blocks[*b].rows();
            at = rows.end;
            self.columns.take(&[self.members[*b]], first, &y[rows]);
        }
    }
}
