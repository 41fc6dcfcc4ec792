//! The aware adjoint: the largest of the step's adjoint and the adjoints in modes that a descent reaches.

use super::adjoints::{Adjoints, StepAdjoint};
use super::info::Aware;
use super::linearization::Linearization;
use super::link::{Bars, Seed};
use super::taken::Taken;
use crate::contact::law::Turn;
use crate::error::{Result, Status};

impl Taken<'_> {
    /// Writes the largest of the adjoints to `out`; `both` is memory for two of them.
    pub(super) fn adjoint_aware(
        &mut self,
        lin: &mut Linearization,
        both: &mut [Adjoints; 2],
        seed: &Seed<'_>,
        out: StepAdjoint<'_>,
    ) -> Result<Aware> {
        let by_parameters = self.prepare_adjoint(lin, &out)?;
        let found = self.largest(lin, seed, by_parameters, both);
        if let Ok(aware) = found {
            let from = &both[0];
            for (to, from) in [
                (out.q, &from.q),
                (out.v, &from.v),
                (out.act, &from.act),
                (out.u, &from.u),
                (out.p, &from.p),
                (out.carried, &from.carried),
            ] {
                if let Some(to) = to {
                    to.copy_from_slice(from);
                }
            }
            self.state.aware = Some(aware);
        }
        found
    }

    /// Computes the largest adjoint in `best`.
    fn largest(
        &mut self,
        lin: &mut Linearization,
        seed: &Seed<'_>,
        by_parameters: bool,
        [best, other]: &mut [Adjoints; 2],
    ) -> Result<Aware> {
        self.adjoint_into(lin, seed, by_parameters, best)?;
        let mut aware = Aware::default();
        // ∂L/∂λ is the same in every adjoint.
        for turn in [Turn::Release, Turn::Hold] {
            let resorted = match &mut self.contact {
                Some(c) if c.has_rows() => c.sort_by_descent(turn)?,
                _ => 0,
            };
            if resorted == 0 {
                continue;
            }
            let found = self.adjoint_into(lin, seed, by_parameters, other);
            if let Some(c) = &mut self.contact {
                c.put_back()?;
            }
            match found {
                Ok(()) if other.is_finite() && other.is_larger(best) => {
                    std::mem::swap(best, other);
                    aware = Aware {
                        other: true,
                        resorted,
                    };
                }
                // A larger adjoint is optional: a numerical failure only leaves it out.
                Err(e) if e.status != Status::Numerical => return Err(e),
                _ => {}
            }
        }
        Ok(aware)
    }

    fn adjoint_into(
        &mut self,
        lin: &mut Linearization,
        seed: &Seed<'_>,
        by_parameters: bool,
        to: &mut Adjoints,
    ) -> Result<()> {
        let mut bars = Bars {
            u: Some(&mut to.u),
            p: by_parameters.then_some(&mut to.p),
        };
        self.backward(lin, seed, &mut bars)?;
        to.q.copy_from_slice(&lin.q_sum);
        to.v.copy_from_slice(&lin.v_sum);
        to.carried.copy_from_slice(&lin.carried);
        to.act.copy_from_slice(&lin.act);
        Ok(())
    }
}
