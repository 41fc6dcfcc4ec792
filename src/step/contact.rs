//! The contact stage of a step: computes impulses from a free velocity, and their part of the derivatives.

mod answer;
mod descent;
mod dofs;
mod idle;
mod impact;
mod impulse_bar;
mod loads;
mod meeting;
mod parameters;
mod ranks;
mod report;
mod request;
mod sides;
mod solve;
mod ties;
mod variations;

pub(crate) use impulse_bar::ImpulseBar;
pub(super) use parameters::Larger;
pub use report::ContactReport;
pub(super) use report::check_finite;
pub(super) use sides::Kink;
pub(super) use ties::SolveSystem;

use super::constrained_inverse::ConstrainedInverse;
use super::contact_kernels::{gather, respond, scatter};
use super::options::{self, ConvexVariant, Options, STICTION};
use crate::collision::scene::Scene;
use crate::constraint::{Compliance, ConstraintDerivative, Constraints, Source, Stabilization};
use crate::contact::capacity::Capacity;
use crate::contact::law::{Law, Outcome, Variations, Verdict};
use crate::contact::problem::{Friction, Lag};
use crate::contact::relaxed::Relaxed;
use crate::contact::work_budget::WorkBudget;
use crate::dynamics::coupling::Coupling;
use crate::dynamics::external::{External, LinkStiffness};
use crate::dynamics::factors::Factors;
use crate::dynamics::kinematics::Kinematics;
use crate::dynamics::mass::DenseInverse;
use crate::error::{Error, Result};
use crate::linalg::F4;
use crate::model::Model;
use crate::model::limits::{limits, speed_limits};
use crate::model::topology::Topology;
use crate::spatial::Twist;
use crate::tendon::Paths;
use impact::Impact;
use variations::{General, OfStep};

/// Scene, constraints and solver of one simulation, sized at creation.
#[derive(Debug)]
pub(super) struct ContactStage {
    pub scene: Scene,
    /// Lengths of tendons at the beginning of the last step.
    pub paths: Paths,
    pub constraints: Constraints,
    law: Box<dyn Law>,
    /// Set by [`ContactStage::relax`]; its solution then replaces the law's.
    relaxed: Option<Box<Relaxed>>,
    /// Work budget of a step.
    work_budget: WorkBudget,
    /// Tolerance of a law that adopts solutions ([`Law::adopts_within`]).
    tolerance: Option<f64>,
    /// True if the last step had no contacts and was solved as bounds of single dofs.
    is_alone: bool,
    reports: Vec<ContactReport>,
    v_free: Vec<f64>,
    /// Velocity without the impulses of the rows, if some dry friction has no rows.
    v_without: Vec<f64>,
    v_pulled: Vec<f64>,
    /// The velocity before the step minus the free velocity, in whitened coordinates.
    kept: Vec<f64>,
    /// Spatial velocities of the links at some v.
    twists: Vec<Twist>,
    outcome: Option<Outcome>,
    pub linear: Option<ContactLinear>,
    /// Distance added to the gap up to which contacts and limits get rows [m or rad].
    speculative_margin: f64,
}

/// Workspace of the contact stage's derivatives.
#[derive(Debug)]
pub(super) struct ContactLinear {
    pub variation: ConstraintDerivative,
    pub response: ConstrainedInverse,
    general: General,
    /// True if the derivative is not the same on all sides: a contact has no derivative, or redundant rows
    /// disagree.
    pub one_sided: bool,
    /// The reasons: modes around the solution, which [`ContactStage::begin_sides`] compares; friction that
    /// begins at nearby states; and impacts for which redundant rows are inconsistent.
    pub by_modes: bool,
    begins: bool,
    disagree: bool,
    /// True while a direction ends at the rows: [`ContactStage::correct_one`] then only computes δσ.
    ends_at_rows: bool,
    /// The reason if there is no derivative.
    pub refused: Option<&'static str>,
    dlambda: Vec<f64>,
    force: Vec<f64>,
    /// JVP: δσ at fixed velocity, and δ(bounds). VJP: their adjoints.
    sigma: Vec<f64>,
    bounds: Vec<f64>,
    /// For a parameter: δσ in `w_param`, δ(bounds) in `limits`, and the variation of the gaps.
    w_param: Vec<f64>,
    /// A random impulse in the null space of G, if [`ContactStage::find_idle_impulses`] was called.
    idle: Vec<f64>,
    /// Adjoint of the impulses by the loads of joints; empty without friction by load.
    row_bar: Vec<f64>,
    limits: Vec<f64>,
    gaps: Vec<f64>,
    /// Contacts that rebound.
    impacts: Vec<Impact>,
}

impl ContactStage {
    /// A stage with a law like `law`. `options.contact` decides whether rows are compliant.
    ///
    /// # Errors
    /// `Unsupported` naming a geom or joint that the stage does not support.
    pub fn new(model: &Model, options: &Options, law: &dyn Law) -> Result<Self> {
        let convex = options.contact == options::Contact::Convex;
        let mut scene = Scene::with_friction(model, options.max_contacts, options.friction_rule)?;
        let derivatives = options.derivatives || model.load_friction().next().is_some();
        let paths = Paths::new(model, derivatives).with_turns(&limits(model)?, derivatives);
        let mut constraints = Constraints::new(
            model,
            &scene,
            &paths,
            options.max_contacts,
            convex,
            match options.velocity_limits {
                true => speed_limits(model),
                false => Vec::new(),
            },
            Stabilization {
                rebound_above: options.restitution_threshold,
                ..Stabilization::new(
                    options.time_step,
                    [options.kp, options.kd],
                    [options.max_push_out, options.max_push_out_angle],
                )
            },
        )?;
        if convex {
            scene.glide(&model.params().geom_friction);
            scene.press(model)?;
            let compliance = Compliance::new(
                constraints.max_blocks(),
                constraints.max_groups(),
                options.time_step,
                friction(options.convex_variant),
            );
            constraints.compliance = Some(compliance);
        }
        constraints.cone = law.cone();
        let tolerance = law.adopts_within();
        if tolerance.is_some() {
            constraints.bound_dofs(model.topology());
        }
        let capacity = constraints.capacity(model.topology());
        let (rows, blocks) = (constraints.max_rows(), constraints.max_blocks());
        let nv = model.nv();
        let variation =
            derivatives.then(|| ConstraintDerivative::new(model, &constraints.rows, &paths));
        let response = ConstrainedInverse::new(model.topology(), &constraints);
        Ok(ContactStage {
            paths,
            scene,
            law: law.renewed(&capacity),
            relaxed: None,
            work_budget: WorkBudget {
                iterations: options.max_iterations,
                work: options.max_work,
            },
            tolerance,
            is_alone: false,
            reports: Vec::with_capacity(options.max_contacts),
            v_free: vec![0.0; nv],
            v_without: vec![0.0; nv],
            v_pulled: vec![0.0; nv],
            kept: vec![0.0; nv],
            twists: vec![Twist::ZERO; model.topology().links.len()],
            outcome: None,
            linear: variation.map(|variation| ContactLinear {
                variation,
                response,
                general: General::new(nv),
                one_sided: false,
                by_modes: false,
                begins: false,
                disagree: false,
                ends_at_rows: false,
                refused: None,
                dlambda: vec![0.0; rows],
                force: vec![0.0; nv],
                sigma: vec![0.0; rows],
                bounds: vec![0.0; blocks],
                w_param: vec![0.0; rows],
                idle: vec![0.0; rows],
                row_bar: vec![
                    0.0;
                    if model.load_friction().next().is_some() {
                        rows
                    } else {
                        0
                    }
                ],
                limits: vec![0.0; blocks],
                gaps: vec![0.0; options.max_contacts],
                impacts: Vec::with_capacity(options.max_contacts),
            }),
            constraints,
            speculative_margin: 0.0,
        })
    }

    /// A law like the stage's, with no capacity.
    pub fn renewed_law(&self) -> Box<dyn Law> {
        self.law.renewed(&Capacity::default())
    }

    /// Contacts and limits within this additional distance [m or rad] enter all following steps.
    pub fn widen_speculative_margin(&mut self, distance: f64) {
        self.scene.widen(distance);
        self.speculative_margin += distance;
    }

    /// Prepares the derivative of the impulses of the last step, and adds the impulses to the external
    /// loads. `mass` holds the factors of A as the step left them.
    ///
    /// # Errors
    /// `NotConverged` for a step without a derivative.
    pub fn linearize(
        &mut self,
        model: &Model,
        (kin, mass): (&Kinematics, &Factors),
        state: [&[f64]; 3],
        larger: Larger<'_>,
        external: &mut External,
    ) -> Result<()> {
        self.complete_rows(model, mass)?;
        let alone = self.verdict_alone();
        let (has_rows, problem) = (self.has_rows(), self.constraints.problem());
        let law = solved_by(&mut self.law, &mut self.relaxed);
        let law = has_rows.then(|| law.linearize(&problem)).transpose()?;
        if let Some(l) = &mut self.linear {
            let c = &self.constraints;
            self.paths.differentiate(kin);
            let scene = (&mut self.scene, &self.paths);
            l.variation.prepare(c, scene, model, kin, state, external);
            impact::find(c, [state[1], state[2]], &mut l.impacts);
            let v_end = state[2];
            let mut state = OfStep {
                general: &mut l.general,
                c,
                variation: &mut l.variation,
                t: model.topology(),
                kin,
                bounds: &mut l.bounds,
            };
            let begins = c.has_zero_normals() && {
                let varied = &mut l.w_param[..problem.rows()];
                state.of_rows(varied);
                c.has_friction_beside(v_end, varied)
            };
            let mut disagree = false;
            let verdict = match law {
                _ if alone.is_some() => alone.unwrap_or(Verdict::Exact),
                Some(law) => match law.verdict(&problem, &mut state)? {
                    // Redundant rows whose impact times change differently may be inconsistent.
                    Verdict::Exact if l.impacts.len() > 1 => {
                        let w = &mut l.w_param[..problem.rows()];
                        impact::vary(&mut l.impacts, c, l.general.displacement(), w);
                        match law.answers(&problem, w)? {
                            true => Verdict::Exact,
                            false => {
                                disagree = true;
                                Verdict::OneSided
                            }
                        }
                    }
                    verdict => verdict,
                },
                None => Verdict::Exact,
            };
            let tied = larger.is_at_kink(c, self.scene.contacts());
            l.by_modes = verdict == Verdict::OneSided && !disagree;
            (l.begins, l.disagree) = (begins, disagree);
            let unplaced = l.variation.degenerate || begins || disagree;
            l.one_sided = l.by_modes || unplaced || tied;
            l.refused = match verdict {
                Verdict::Refused(why) => Some(why),
                _ => None,
            };
        }
        Ok(())
    }

    /// Prepares columns by dofs: [`ConstraintDerivative::expand`].
    pub fn expand(&mut self, t: &Topology, kin: &Kinematics, stiffness: &mut LinkStiffness) {
        if let Some(l) = &mut self.linear {
            l.variation.expand(t, kin, stiffness);
        }
    }

    /// Prepares the Jacobians' part. Afterwards [`ContactLinear::response`] is the response of the last
    /// step, if the step has rows.
    pub fn prepare_response(
        &mut self,
        t: &Topology,
        kin: &Kinematics,
        m: &Factors,
        coupling: &Coupling,
        inverse: &DenseInverse,
    ) -> Result<Option<&ConstrainedInverse>> {
        let (c, Some(l)) = (&self.constraints, &mut self.linear) else {
            return Ok(None);
        };
        let rows = c.g.len();
        if rows == 0 {
            return Ok(None);
        }
        let law = solved_by(&mut self.law, &mut self.relaxed).linearize(&c.problem())?;
        let scratch = [&mut l.sigma, &mut l.dlambda];
        l.response.prepare(
            law,
            c,
            &l.variation,
            t,
            kin,
            m,
            coupling,
            inverse,
            scratch.map(|x| &mut x[..rows]),
        )?;
        Ok(Some(&l.response))
    }

    /// Response of the step, with all its impulses, to an impulse on a dof: columns of K, or of A⁻¹ without
    /// rows.
    pub fn response<'a>(&'a self, inverse: &'a DenseInverse) -> &'a DenseInverse {
        match &self.linear {
            Some(l) if !self.constraints.g.is_empty() => &l.response.inverse,
            _ => inverse,
        }
    }

    /// Starts one direction: the variation of σ at fixed velocity along (dq, dv), and the variation of the
    /// impulses' generalized force on the dofs of contacts between moving bodies, which is added to
    /// `force`. An empty slice is zero.
    pub fn direction(
        &mut self,
        t: &Topology,
        kin: &Kinematics,
        dq: &[f64],
        dv: &[f64],
        force: &mut [f64],
    ) {
        let (c, Some(l)) = (&self.constraints, &mut self.linear) else {
            return;
        };
        l.sigma.fill(0.0);
        l.bounds.fill(0.0);
        if !dq.is_empty() {
            (l.variation).direction(t, kin, dq, &mut l.sigma, &mut l.bounds);
            l.variation.cross_forces(t, kin, &self.paths, dq, force);
        }
        if !dv.is_empty() && c.keeps_speed() {
            for b in 0..c.groups() {
                if let Some(row) = c.normal_row(b) {
                    let n = c.range(b).len() - 1;
                    let speed = c.rows.times(b, dv).0[n];
                    l.sigma[row] += c.by_speed(b) * speed;
                    if let Some((lag, mu)) = c.lagged(b) {
                        l.bounds[b] += mu * lag.by_speed * speed;
                    }
                }
            }
        }
    }

    /// x ← x + A⁻¹ Jᵀ dλ along the direction. On entry x is the variation of the velocity at fixed
    /// impulses.
    pub fn correct_one(&mut self, model: &Model, m: &mut Factors, x: &mut [f64]) -> Result<()> {
        let (c, Some(l)) = (&self.constraints, &mut self.linear) else {
            return Ok(());
        };
        let (rows, blocks, groups) = (c.g.len(), c.blocks.len(), c.groups());
        if rows == 0 {
            return Ok(());
        }
        for b in 0..groups {
            add(&mut l.sigma[c.range(b)], c.rows.times(b, x));
        }
        if l.ends_at_rows {
            return Ok(());
        }
        let (w, out) = (&l.sigma[..rows], &mut l.dlambda[..rows]);
        let bounds = Some(&l.bounds[..blocks]);
        let problem = c.problem();
        let law = solved_by(&mut self.law, &mut self.relaxed);
        law.linearize(&problem)?
            .apply(&problem, w, bounds, 1, out)?;
        l.force.fill(0.0);
        for b in 0..groups {
            let d = lanes(&l.dlambda[c.range(b)]);
            c.rows.add_half(b, d, &mut l.force);
        }
        c.rows.complete(model.topology(), m, &mut l.force);
        for (x, f) in x.iter_mut().zip(&l.force) {
            *x += f;
        }
        Ok(())
    }

    /// True if the last problem had rows.
    pub fn has_rows(&self) -> bool {
        !self.constraints.g.is_empty()
    }

    /// Adjoint of [`ContactStage::correct_one`]. On entry z = ∂L/∂v⁺, and `solved` = z too; `impulse_bar`
    /// is the adjoint of the contacts' impulses (t₁ t₂ n each; empty for zero). Adds to z the effect of the
    /// velocity at fixed impulses through the impulses, and sets `solved` to A⁻¹ z of the result. Keeps the
    /// adjoints of the direction in the workspace, those of the laws' bounds only if `bounds` is true.
    pub fn correct_transposed(
        &mut self,
        t: &Topology,
        m: &mut Factors,
        impulse_bar: &ImpulseBar<'_>,
        bounds: bool,
        z: &mut [f64],
        solved: &mut [f64],
    ) -> Result<()> {
        let (c, Some(l)) = (&self.constraints, &mut self.linear) else {
            return Err(Error::internal("the linearization is missing"));
        };
        let (rows, blocks) = (c.g.len(), c.blocks.len());
        // J A⁻¹ z and the contribution of the impulses are formed halfway through the factors of A.
        c.rows.begin(t, m, solved);
        gather(c, solved, &mut l.dlambda);
        impulse_bar.for_rows(c, |row, weight| l.dlambda[row] += weight);
        for (x, bar) in l.dlambda.iter_mut().zip(&l.row_bar) {
            *x += bar;
        }
        let problem = c.problem();
        let law = solved_by(&mut self.law, &mut self.relaxed);
        law.linearize(&problem)?.apply_transpose(
            &problem,
            &l.dlambda[..rows],
            &mut l.sigma[..rows],
            (bounds || c.lags()).then_some(&mut l.bounds[..blocks]),
        )?;
        scatter(c, &l.sigma, z, solved);
        c.rows.complete(t, m, solved);
        Ok(())
    }

    /// Adjoint of [`ContactStage::direction`]: `weights` = A⁻¹ z weigh the impulses on the dofs.
    pub fn direction_adjoint(
        &mut self,
        t: &Topology,
        kin: &Kinematics,
        weights: &[f64],
        q_bar: &mut [f64],
        v_bar: &mut [f64],
    ) {
        let (c, Some(l)) = (&self.constraints, &mut self.linear) else {
            return;
        };
        let paths = &self.paths;
        l.variation
            .direction_adjoint(t, kin, paths, [&l.sigma, &l.bounds], weights, q_bar);
        if !c.keeps_speed() {
            return;
        }
        for b in 0..c.groups() {
            if let Some(row) = c.normal_row(b) {
                let mut scale = c.by_speed(b) * l.sigma[row];
                if let Some((lag, mu)) = c.lagged(b) {
                    scale += mu * lag.by_speed * l.bounds[b];
                }
                let n = c.range(b).len() - 1;
                for k in c.rows.dofs(b) {
                    v_bar[k] += scale * c.rows.column(b, k).0[n];
                }
            }
        }
    }

    pub fn forget(&mut self) {
        self.constraints.memory.forget();
        self.outcome = None;
    }
}

/// The friction of the convex law.
fn friction(variant: ConvexVariant) -> Friction {
    match variant {
        ConvexVariant::Sap => Friction::Projected,
        ConvexVariant::Lagged => Friction::Lagged(Lag::default()),
        ConvexVariant::Similar => Friction::Similar { slip: STICTION },
    }
}

/// The law that solved the last step.
fn solved_by<'a>(
    law: &'a mut Box<dyn Law>,
    relaxed: &'a mut Option<Box<Relaxed>>,
) -> &'a mut dyn Law {
    match relaxed {
        Some(relaxed) => &mut **relaxed,
        None => &mut **law,
    }
}

/// The groups that are contacts, in the order of the reports.
fn contact_groups(c: &Constraints) -> impl Iterator<Item = (usize, &Source)> {
    let groups = c.sources.iter().enumerate();
    groups.filter(|(_, s)| matches!(s, Source::Contact(_)))
}

fn add(x: &mut [f64], y: F4) {
    for (x, y) in x.iter_mut().zip(y.0) {
        *x += y;
    }
}

/// Up to three numbers as lanes.
fn lanes(x: &[f64]) -> F4 {
    let mut l = F4::ZERO;
    l.0[..x.len()].copy_from_slice(x);
    l
}
