//! The data of a problem, their variations, and adjoints.

use super::options::ProblemOptions;
use crate::error::{Error, Result};
use crate::step::info::{check_finite, check_length};

/// A problem, or a variation of one. Matrices are column-major. With nc contacts, the number of entries of
/// `friction`:
#[derive(Clone, Copy, Debug, Default)]
pub struct ProblemData<'a> {
    /// A, nv × nv, symmetric positive definite. An A that is not symmetric to round-off is refused; otherwise
    /// (A + Aᵀ)/2 counts. Its unit is that of mass, the unit of J v that of velocity.
    pub a: &'a [f64],
    /// J, 3 nc × nv: rows t₁, t₂, n of each contact.
    pub j: &'a [f64],
    /// Velocity without impulses, nv.
    pub v_free: &'a [f64],
    /// Added to J v, 3 nc [m/s].
    pub target: &'a [f64],
    /// Coefficients, at least 0, nc.
    pub friction: &'a [f64],
    /// Diagonal of R, positive, 3 nc [m/(s·N·s)], equal along both tangents of a contact: for compliant laws.
    /// Empty for others.
    pub compliance: &'a [f64],
}

/// Receives a gradient by the parts of [`ProblemData`], in the same shapes; the gradient by A is symmetric.
#[derive(Debug, Default)]
pub struct ProblemBars<'a> {
    pub a: Option<&'a mut [f64]>,
    pub j: Option<&'a mut [f64]>,
    pub v_free: Option<&'a mut [f64]>,
    pub target: Option<&'a mut [f64]>,
    pub friction: Option<&'a mut [f64]>,
    pub compliance: Option<&'a mut [f64]>,
}

/// Two opposite entries of A may differ by this share of the root of the product of their diagonals.
const SYMMETRIC: f64 = 1e-9;

/// Names of all parts, and the size of each.
pub(super) fn sizes(nv: usize, contacts: usize) -> [(&'static str, usize); 6] {
    let rows = 3 * contacts;
    [
        ("A", nv * nv),
        ("J", rows * nv),
        ("v_free", nv),
        ("target", rows),
        ("friction", contacts),
        ("compliance", rows),
    ]
}

impl ProblemData<'_> {
    fn parts(&self) -> [&[f64]; 6] {
        [
            self.a,
            self.j,
            self.v_free,
            self.target,
            self.friction,
            self.compliance,
        ]
    }

    /// Number of contacts of a problem.
    pub fn contacts(&self) -> usize {
        self.friction.len()
    }

    /// Refuses invalid data, except an A that is not definite.
    pub(super) fn check(&self, o: &ProblemOptions) -> Result<()> {
        let contacts = self.contacts();
        o.check_contacts(contacts)?;
        for ((name, n), x) in sizes(o.nv, contacts).into_iter().zip(self.parts()) {
            if name != "compliance" || o.yields() {
                check_finite(name, x, n)?;
            } else if !x.is_empty() {
                return Err(no_compliance(o));
            }
        }
        if let Some(i) = self.friction.iter().position(|x| *x < 0.0) {
            return Err(Error::invalid(format!(
                "friction[{i}] must be at least 0, got {}",
                self.friction[i]
            )));
        }
        if let Some(i) = self.compliance.iter().position(|x| *x <= 0.0) {
            return Err(Error::invalid(format!(
                "compliance[{i}] must be positive, got {}",
                self.compliance[i]
            )));
        }
        let contacts = self.compliance.chunks_exact(3);
        if let Some((i, r)) = contacts.enumerate().find(|(_, r)| r[0] != r[1]) {
            return Err(Error::invalid(format!(
                "compliance[{}] must be compliance[{}] = {}, as along the other tangent of the contact, got {}",
                3 * i + 1,
                3 * i,
                r[0],
                r[1]
            )));
        }
        self.check_symmetry(o.nv)
    }

    fn check_symmetry(&self, nv: usize) -> Result<()> {
        let a = |i: usize, j: usize| self.a[j * nv + i];
        for j in 0..nv {
            for i in 0..j {
                let scale = (a(i, i).abs() * a(j, j).abs()).sqrt();
                if (a(i, j) - a(j, i)).abs() > SYMMETRIC * scale {
                    return Err(Error::invalid(format!(
                        "A must be symmetric: A[{i}, {j}] is {}, A[{j}, {i}] is {}",
                        a(i, j),
                        a(j, i)
                    )));
                }
            }
        }
        Ok(())
    }

    /// Refuses an invalid variation of a problem with this many contacts; empty parts are zero.
    pub(super) fn check_variation(&self, o: &ProblemOptions, contacts: usize) -> Result<()> {
        if !self.compliance.is_empty() && !o.yields() {
            return Err(no_compliance(o));
        }
        const NAMES: [&str; 6] = ["dA", "dJ", "dv_free", "dtarget", "dfriction", "dcompliance"];
        let sizes = sizes(o.nv, contacts);
        for ((name, (_, n)), x) in NAMES.into_iter().zip(sizes).zip(self.parts()) {
            if !x.is_empty() {
                check_finite(name, x, n)?;
            }
        }
        Ok(())
    }
}

impl ProblemBars<'_> {
    pub(super) fn check(&self, o: &ProblemOptions, contacts: usize) -> Result<()> {
        if self.compliance.is_some() && !o.yields() {
            return Err(no_compliance(o));
        }
        const NAMES: [&str; 6] = [
            "A_bar",
            "J_bar",
            "v_free_bar",
            "target_bar",
            "friction_bar",
            "compliance_bar",
        ];
        let parts = [
            &self.a,
            &self.j,
            &self.v_free,
            &self.target,
            &self.friction,
            &self.compliance,
        ];
        let sizes = sizes(o.nv, contacts);
        for ((name, (_, n)), x) in NAMES.into_iter().zip(sizes).zip(parts) {
            if let Some(x) = x {
                check_length(name, x, n)?;
            }
        }
        Ok(())
    }
}

fn no_compliance(o: &ProblemOptions) -> Error {
    Error::invalid(format!(
        "compliance: {:?} is a law of rigid contact, expected none",
        o.law
    ))
}
