//! Options of a solver of contact problems.

use crate::error::{Error, Result};
use crate::step::{Contact, Options};

/// Options, fixed at creation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProblemOptions {
    /// A law that solves for impulses.
    pub law: Contact,
    /// As [`Options::tolerance`] and [`Options::max_iterations`].
    pub tolerance: f64,
    pub max_iterations: usize,
    /// Length of the velocity; at least 1.
    pub nv: usize,
    /// Contacts for which memory is made; at least 1.
    pub max_contacts: usize,
}

impl Default for ProblemOptions {
    fn default() -> Self {
        let o = Options::default();
        ProblemOptions {
            law: o.contact,
            tolerance: o.tolerance,
            max_iterations: o.max_iterations,
            nv: 0,
            max_contacts: 32,
        }
    }
}

impl ProblemOptions {
    /// Refuses options that no solver supports.
    pub fn check(&self) -> Result<()> {
        if matches!(self.law, Contact::None | Contact::Penalty) {
            return Err(Error::invalid(format!(
                "options.law: expected a law with impulses (Ncp, Lcp or Convex), got {:?}",
                self.law
            )));
        }
        for (name, n) in [("nv", self.nv), ("max_contacts", self.max_contacts)] {
            if n == 0 {
                return Err(Error::invalid(format!(
                    "options.{name} must be positive, got 0"
                )));
            }
        }
        self.of_steps().check()
    }

    /// # Errors
    /// `Capacity` for more contacts than `max_contacts`.
    pub fn check_contacts(&self, contacts: usize) -> Result<()> {
        if contacts <= self.max_contacts {
            return Ok(());
        }
        Err(Error::capacity(format!(
            "contacts: got {contacts}, there is room for options.max_contacts = {}",
            self.max_contacts
        )))
    }

    /// The same options for a step.
    pub(super) fn of_steps(&self) -> Options {
        Options {
            contact: self.law,
            tolerance: self.tolerance,
            max_iterations: self.max_iterations,
            ..Options::default()
        }
    }

    /// True if rows are compliant: the caller then gives R.
    pub(super) fn yields(&self) -> bool {
        self.law == Contact::Convex
    }
}
