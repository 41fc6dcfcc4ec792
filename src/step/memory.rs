//! Memory of a simulation, counted before it is allocated.
//!
//! A failed allocation ends the process. Therefore the total is first reserved in a way that may fail. The
//! counts below are rounded up, which covers small allocations that are not counted. Tests compare the
//! counts with the actual allocations.

use super::options::{Advance, Contact, Options};
use crate::constraint::room;
use crate::contact::capacity::DENSE;
use crate::error::{Error, Result};
use crate::model::topology::Topology;
use crate::model::{ActsOn, Actuator, Model};

/// Bytes of a simulation: never less than it allocates, and at most about twice as much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes {
    /// The part that grows with the model and in proportion to options.max_contacts.
    pub linear: u128,
    /// Matrices for many dependent rows. Most simulations never touch most of these pages.
    pub matrices: u128,
}

impl Bytes {
    /// The bytes of a simulation with these options.
    pub fn of(model: &Model, options: &Options) -> Bytes {
        let options = &options.for_model(model);
        Bytes::with(model, options, options.integrator.advance())
    }

    /// The bytes of a simulation with parts that advance in this way, whatever integrator the options name.
    fn with(model: &Model, options: &Options, advance: Advance) -> Bytes {
        let t = model.topology();
        let [nv, nu, na, packed] =
            [model.nv(), model.nu(), model.na(), t.packed].map(|n| n as u128);
        let [links, geoms, trees] =
            [t.links.len(), model.ngeom(), t.trees.len()].map(|n| n as u128);
        let sizes = t.trees.iter().map(|tree| tree.end_dof - tree.first_dof);
        let tree = sizes.max().unwrap_or(0) as u128;
        // More contacts do not fit, and the squares below would overflow.
        let contacts = (options.max_contacts as u128).min(1 << 40);
        let mut linear = 64_000 + 4000 * (links + geoms) + 160 * packed + 40 * nu + 300 * na;
        // Memory of queries.
        linear += 1500 * links;
        let mut matrices = 0;
        let deep = t.is_deep();
        // Terms that couple dofs of different links.
        let pushes = |a: &Actuator| matches!(a.acts_on, ActsOn::Site { .. });
        let has_paths = !model.tendons().is_empty()
            || !model.springs().is_empty()
            || model.actuators().iter().any(pushes);
        let coupled = if has_paths { 24 } else { 0 };
        let is_implicit = advance == Advance::Formula;
        let pulls = |a: &Actuator| matches!(a.acts_on, ActsOn::Body(_));
        let grips = model.actuators().iter().filter(|a| pulls(a)).count() as u128;
        let adheres = grips > 0 && options.contact != Contact::None;
        let touches = adheres || options.contact == Contact::Penalty;
        let has_stage = advance == Advance::Stage;
        let differentiates = options.derivatives || is_implicit || has_stage;
        if options.derivatives || is_implicit {
            let square = if deep { 24 } else { 52 };
            linear += square * nv * nv + 3000 * nv + 8 * nv * (nu + na);
        }
        if options.derivatives {
            // Memory of queries.
            let square = if deep { 16 } else { 24 };
            linear += square * nv * nv + 1500 * nv + 48 * packed;
        }
        if !deep && !is_implicit && !has_stage {
            // Coriolis forces of limbs.
            linear += if options.derivatives { 40 } else { 16 } * nv * tree + 600 * links;
        }
        if is_implicit {
            let square = match (deep, touches) {
                (true, true) => 128,
                (true, false) => 16 + 2 * coupled,
                (false, true) => 80,
                (false, false) => 48,
            };
            let links = if deep { 10_000 } else { 1000 };
            linear += square * nv * nv + links * nv + 120 * packed + 8 * nv * (nu + na);
        }
        if has_stage {
            let crossed = touches;
            let square = match deep {
                true if crossed => 64,
                true => coupled,
                false if crossed => 32,
                false if nv <= 256 => 16,
                false => 0,
            };
            // Newton's method needs derivatives too.
            let inverse = if options.derivatives || deep { 0 } else { 9 };
            let links = if deep { 8000 } else { 3000 };
            linear += (square + inverse) * nv * nv + links * nv + 120 * packed;
        }
        if !model.deformables().is_empty() {
            linear += 16 * nv * nv;
        }
        linear += grips * 64 * nv;
        if adheres {
            linear += at_contacts(t, [contacts, nv, nu, geoms], differentiates);
        }
        if options.contact == Contact::None {
            return Bytes { linear, matrices };
        }
        // The counts below include Jacobians of impulses, which a simulation without derivatives has not.
        let left_out = match options.derivatives {
            true => 0,
            false => 24 * contacts * (2 * nv + nu.min(nv)),
        };
        if options.contact == Contact::Penalty {
            linear += at_contacts(t, [contacts, nv, nu, geoms], differentiates) - left_out;
            return Bytes { linear, matrices };
        }
        let turns = model.resists_torsion();
        let parts = if turns { 2 } else { 1 };
        let groups = parts * contacts + single_rows(model);
        let rows = 3 * parts * contacts + single_rows(model);
        let most = usize::try_from(rows).unwrap_or(usize::MAX / 16);
        let [all, largest, turned] = room(t, most).map(|n| n as u128);
        // With torsional friction a single tree is solved by trees, too.
        let several = match (trees > 1 || turns, options.derivatives) {
            (false, _) => 0,
            (true, true) => 100 * nv,
            (true, false) => 18 * nv,
        };
        // Pairs of geoms are listed only if there are few.
        linear += 250_000 + 3000 * geoms + 160 * (geoms * geoms).min(40_000);
        linear += 20 * all * all + 1000 * nv + 8 * turned;
        linear += groups * (4200 + 160 * tree.min(nv) + several) + rows * (80 + 40 * largest);
        linear -= if trees > 1 || turns { 0 } else { left_out };
        if turns && options.contact == Contact::Convex {
            matrices = 8 * rows * (4 * rows + 6 * nv);
            linear += rows * 2000;
        }
        if turns {
            linear += contacts * 5000;
        }
        if options.contact != Contact::Convex {
            let most = rows.min(DENSE as u128);
            matrices += 8 * 28 * most * most;
            linear += rows * (700 + 20 * largest) + 24 * all * all;
        }
        if options.derivatives {
            linear += groups * 5500 + rows * 500;
            if !deep {
                let dense = rows.min(DENSE as u128);
                linear += 64 * groups * tree + 48 * dense * nv + 36 * nv * nv;
            }
        }
        Bytes { linear, matrices }
    }

    /// The bytes for the recursions of four simulations side by side, which a batch has once a thread.
    pub fn of_lanes(model: &Model) -> u128 {
        let t = model.topology();
        let [nv, links, packed] = [model.nv(), t.links.len(), t.packed].map(|n| n as u128);
        8000 + 6000 * links + 1000 * nv + 160 * packed
    }

    pub fn total(&self) -> u128 {
        self.linear.saturating_add(self.matrices)
    }

    /// Checks that the memory of a simulation is available. `options` are those of
    /// [`Options::for_model`].
    ///
    /// # Errors
    /// `Capacity` naming the options.
    pub(super) fn check(model: &Model, options: &Options, advance: Advance) -> Result<()> {
        let total = Bytes::with(model, options, advance).total();
        if is_there(total) {
            return Ok(());
        }
        let contacts = options.max_contacts;
        let mut message = format!(
            "options: there is no memory for {} dofs with max_contacts {contacts} and derivatives {}: about {} MB",
            model.nv(),
            i32::from(options.derivatives),
            total / 1_000_000
        );
        match most_contacts(model, options, advance, contacts) {
            0 => {}
            most => message += &format!("; there is for about {most} contacts"),
        }
        if model.resists_torsion() && options.contact == Contact::Convex {
            message += "; with the convex law torsional and rolling friction (condim 4 and 6) need memory by the square of their number, \
                        sliding friction (condim 3) in proportion";
        }
        Err(Error::capacity(message))
    }
}

/// The largest number of contacts below `too_many` that fits, to within one percent.
fn most_contacts(model: &Model, options: &Options, advance: Advance, too_many: usize) -> usize {
    let fits = |contacts: usize| {
        let options = Options {
            max_contacts: contacts,
            ..*options
        };
        is_there(Bytes::with(model, &options, advance).total())
    };
    let (mut most, mut end) = (0, too_many);
    while end - most > 1 + most / 100 {
        let middle = most + (end - most) / 2;
        match fits(middle) {
            true => most = middle,
            false => end = middle,
        }
    }
    most
}

/// True if the system can provide this many bytes now.
pub(crate) fn is_there(bytes: u128) -> bool {
    usize::try_from(bytes).is_ok_and(|n| Vec::<u8>::new().try_reserve_exact(n).is_ok())
}

/// Bytes of forces at contacts that have a scene of their own.
fn at_contacts(t: &Topology, [contacts, nv, nu, geoms]: [u128; 4], differentiates: bool) -> u128 {
    let mut linear = 250_000 + 3000 * geoms + 160 * (geoms * geoms).min(40_000);
    linear += contacts * (2500 + 48 * nv + 24 * nu);
    if differentiates {
        let arms = nv.min(2 * t.max_depth as u128);
        let bent = if t.varying.is_empty() { 0 } else { 200 };
        linear += contacts * arms * (200 + bent);
    }
    linear
}

/// Upper bound of the rows beside those of contacts: bounds, dry friction, equalities, springs and tendons.
fn single_rows(model: &Model) -> u128 {
    let limits = model.joints().iter().filter(|j| j.limits.is_some()).count();
    let friction = &model.params().friction_loss;
    let by_load: usize = model.load_friction().map(|i| model.joint(i).nv).sum();
    let dry = friction.iter().filter(|f| **f > 0.0).count() + by_load;
    let paths = 4 * model.tendons().len() + 3 * model.springs().len();
    (2 * limits + dry + 6 * model.equalities().len() + paths) as u128
}
