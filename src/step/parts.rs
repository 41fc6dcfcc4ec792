//! The exchangeable parts of a simulation.

use super::implicit::Source;
use super::options::{Advance, Contact, ConvexVariant, Integrator, Options};
use crate::contact::capacity::Capacity;
use crate::contact::convex::Convex;
use crate::contact::elliptic::Elliptic;
use crate::contact::law::Law;
use crate::contact::lcp::Lcp;
use crate::contact::ncp::{Ncp, NcpOptions};
use crate::error::{Error, Result};
use crate::force::{Coriolis, Force, Gyroscopic};
use crate::integrator::implicit::Formula;
use crate::integrator::{Scheme, SymplecticEuler, SymplecticEulerWorld, Theta};
use crate::model::Model;
use crate::model::tendon::TendonSpec;

/// The parts that options name, or that the caller gives instead
/// ([`Sim::with_parts`](super::Sim::with_parts)).
#[derive(Debug)]
pub struct Parts {
    pub integrator: Box<dyn Scheme>,
    /// An implicit formula that replaces the integrator; without contact, limits, dry friction and
    /// equalities.
    pub formula: Option<Formula>,
    /// Prototype of the law; the simulation makes its own with capacity ([`Law::renewed`]).
    /// `Options::contact` decides which rows it gets: rigid ones, or compliant ones with
    /// [`Contact::Convex`].
    pub law: Box<dyn Law>,
    /// Forces in addition to the springs, dampers, actuators and wrenches of every model.
    pub forces: Vec<Box<dyn Force>>,
}

impl Parts {
    pub fn new(model: &Model, options: &Options) -> Parts {
        let options = &options.for_model(model);
        let integrator: Box<dyn Scheme> = match options.integrator {
            Integrator::SymplecticEuler => {
                Box::new(SymplecticEuler::new(model, options.derivatives))
            }
            Integrator::ImplicitEuler => {
                Box::new(Theta::implicit_euler(model, options.derivatives))
            }
            Integrator::Midpoint => Box::new(Theta::midpoint(model, options.derivatives)),
            // A formula replaces the scheme.
            Integrator::SymplecticEulerWorld
            | Integrator::Bdf1
            | Integrator::Bdf2
            | Integrator::Sdirk2
            | Integrator::FromModel => {
                Box::new(SymplecticEulerWorld::new(model, options.derivatives))
            }
        };
        Parts {
            integrator,
            formula: options.integrator.formula(),
            law: law_for(model, options),
            forces: Vec::new(),
        }
    }
}

impl Parts {
    /// Where the stages of a step come from; `None` if all forces are taken at the beginning.
    pub(super) fn source(&self) -> Option<Source> {
        match self.formula {
            Some(formula) => Some(Source::Formula(formula)),
            None => self.integrator.stage().map(Source::Scheme),
        }
    }

    pub fn advance(&self) -> Advance {
        match self.source() {
            None => Advance::Explicit,
            Some(Source::Scheme(_)) => Advance::Stage,
            Some(Source::Formula(_)) => Advance::Formula,
        }
    }

    /// The torque on freely rotating bodies, if the integrator conserves their momentum.
    pub(super) fn torsion(&self, model: &Model, derivatives: bool) -> Option<Box<Gyroscopic>> {
        let keeps = self.integrator.keeps_momentum() && self.formula.is_none();
        keeps.then(|| Gyroscopic::new(model, derivatives)).flatten()
    }

    /// The implicit Coriolis forces of limbs, if all other forces are taken at the beginning. `torsion`: the
    /// torque on freely rotating bodies.
    pub(super) fn limbs(
        &self,
        model: &Model,
        torsion: Option<&Gyroscopic>,
        derivatives: bool,
    ) -> Option<Box<Coriolis>> {
        if self.advance() != Advance::Explicit {
            return None;
        }
        let turns = |link| torsion.is_some_and(|g| g.turns(link));
        Coriolis::new(model, derivatives, turns)
    }
}

/// [`law_of`], also for compliant torsional and rolling friction if the model has any.
pub(super) fn law_for(model: &Model, options: &Options) -> Box<dyn Law> {
    let plain = law_of(options);
    match options.contact == Contact::Convex && model.resists_torsion() {
        true => Box::new(Elliptic::new(
            &Capacity::default(),
            plain,
            options.tolerance,
        )),
        false => plain,
    }
}

/// The law that `options.contact` names, with no capacity.
pub(crate) fn law_of(options: &Options) -> Box<dyn Law> {
    let none = &Capacity::default();
    if options.contact == Contact::Convex {
        return Box::new(Convex::new(none, options.tolerance));
    }
    let rigid = NcpOptions {
        method: options.solver,
        tolerance: options.tolerance,
        ..NcpOptions::default()
    };
    match options.contact {
        Contact::Lcp => Box::new(Lcp::new(none, rigid)),
        _ => Box::new(Ncp::new(none, rigid)),
    }
}

/// Refuses variants of the convex law where they are not supported: with other laws, with torsional and
/// rolling friction, and lagged friction with the derivatives of integrators that have a stage.
pub(crate) fn refuse_variant(model: &Model, options: &Options, advance: Advance) -> Result<()> {
    if options.convex_variant == ConvexVariant::Sap {
        return Ok(());
    }
    let instead = match options.contact {
        Contact::Convex if model.resists_torsion() => {
            "contacts without torsional and rolling friction (condim 1 or 3)".into()
        }
        Contact::Convex
            if advance == Advance::Stage
                && options.derivatives
                && options.convex_variant == ConvexVariant::Lagged =>
        {
            format!(
                "an integrator SymplecticEuler or SymplecticEulerWorld, or options.derivatives 0, got {:?}",
                options.integrator
            )
        }
        Contact::Convex => return Ok(()),
        other => format!("options.contact Convex, got {other:?}"),
    };
    Err(Error::unsupported(format!(
        "options.convex_variant {:?}: expected {instead}",
        options.convex_variant
    )))
}

/// Refuses deformable bodies where a step would not take their forces implicitly: with explicit
/// schemes, and with laws whose impulses act through the factors of single trees.
pub(crate) fn refuse_deformables(model: &Model, options: &Options, advance: Advance) -> Result<()> {
    let Some(d) = model.deformables().first() else {
        return Ok(());
    };
    if advance == Advance::Explicit {
        return Err(Error::unsupported(format!(
            "options.integrator: deformable \"{}\" needs an implicit one (ImplicitEuler, Midpoint, Bdf1, Sdirk2 or Bdf2), got {:?}",
            d.name, options.integrator
        )));
    }
    if !matches!(options.contact, Contact::None | Contact::Penalty) {
        return Err(Error::unsupported(format!(
            "options.contact: with deformable \"{}\" it must be Penalty or None, got {:?}, whose impulses act on one tree each",
            d.name, options.contact
        )));
    }
    if model.topology().is_deep() {
        return Err(Error::unsupported(format!(
            "deformable \"{}\": not supported in a model with more than 64 dofs on a path of a tree",
            d.name
        )));
    }
    if model.reduction().is_some() {
        return Err(Error::unsupported(format!(
            "deformable \"{}\": not supported in a model with reduced coordinates, whose stages have dense matrices",
            d.name
        )));
    }
    Ok(())
}

/// Refuses bounds and dry friction of tendons with penalty contact. They are constraints, for which penalty
/// contact has springs only at joints.
pub(crate) fn refuse_paths(model: &Model, options: &Options) -> Result<()> {
    let binds = |t: &&TendonSpec| t.limits.is_some() || t.friction_loss > 0.0;
    match model.tendons().iter().find(binds) {
        Some(t) if options.contact == Contact::Penalty => Err(Error::unsupported(format!(
            "tendon \"{}\": limits and friction loss of tendons are not supported with options.contact {:?}",
            t.name, options.contact
        ))),
        _ => Ok(()),
    }
}
