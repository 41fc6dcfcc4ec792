//! Sparsity pattern of the step's Jacobians: nonzero blocks of trees that the step connects.

use super::linearization::Linearization;
use super::taken::Taken;
use crate::error::{Error, Result};

/// Numbers of structural nonzeros of the last step's Jacobians.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JacobianEntries {
    /// In each Jacobian by q or v, and in each by u.
    pub by_state: usize,
    pub by_input: usize,
    /// Number of the pattern: two steps of a simulation with the same number have the same pattern. It
    /// increases.
    pub pattern: u64,
}

/// Destination of a pattern in compressed columns: the rows of column j are those from its start to the
/// start of the next.
#[derive(Default)]
pub struct JacobianPattern<'a> {
    /// nv + 1 and nu + 1 numbers.
    pub state_starts: Option<&'a mut [i32]>,
    pub input_starts: Option<&'a mut [i32]>,
    /// As many as in [`JacobianEntries`], in increasing order in each column.
    pub state_rows: Option<&'a mut [i32]>,
    pub input_rows: Option<&'a mut [i32]>,
}

impl Taken<'_> {
    /// Numbers of entries of the pattern, which is laid out in the workspace.
    pub(super) fn jacobian_entries(&mut self, lin: &mut Linearization) -> Result<JacobianEntries> {
        self.couple(lin)?;
        let driven = self.state.drives.driven();
        lin.place_inputs(self.forces.actuator_inputs(), driven);
        let mut starts = std::mem::take(&mut lin.starts);
        let [dofs, inputs, _] = lin.kinds();
        for (columns, starts) in [dofs, inputs].into_iter().zip(&mut starts) {
            columns.lay_out(starts);
        }
        lin.starts = starts;
        let [by_state, by_input] = &lin.starts;
        let end = |starts: &[usize]| starts.last().copied().unwrap_or(0);
        Ok(JacobianEntries {
            by_state: end(by_state),
            by_input: end(by_input),
            pattern: lin.coupling.changes(),
        })
    }

    /// Writes the pattern.
    pub(super) fn jacobian_pattern(
        &mut self,
        lin: &mut Linearization,
        out: JacobianPattern<'_>,
    ) -> Result<()> {
        let entries = self.jacobian_entries(lin)?;
        if let Some(n) = [entries.by_state, entries.by_input]
            .into_iter()
            .find(|n| i32::try_from(*n).is_err())
        {
            return Err(Error::capacity(format!(
                "the pattern has {n} entries, more than an int32_t counts"
            )));
        }
        let (nv, nu) = (self.model.nv(), self.model.nu());
        for (name, x, size) in [
            ("state_starts", &out.state_starts, nv + 1),
            ("state_rows", &out.state_rows, entries.by_state),
            ("input_starts", &out.input_starts, nu + 1),
            ("input_rows", &out.input_rows, entries.by_input),
        ] {
            if let Some(x) = x
                && x.len() != size
            {
                return Err(Error::invalid(format!(
                    "{name}: expected {size} numbers, got {}",
                    x.len()
                )));
            }
        }
        let [dofs, inputs, _] = lin.kinds();
        let kinds = [
            (dofs, &lin.starts[0], out.state_starts, out.state_rows),
            (inputs, &lin.starts[1], out.input_starts, out.input_rows),
        ];
        for (columns, from, starts, rows) in kinds {
            if let Some(starts) = starts {
                for (to, from) in starts.iter_mut().zip(from) {
                    *to = *from as i32;
                }
            }
            if let Some(rows) = rows {
                let all = (0..from.len() - 1).flat_map(|j| columns.spans(j).iter().cloned());
                for (to, row) in rows.iter_mut().zip(all.flatten()) {
                    *to = row as i32;
                }
            }
        }
        Ok(())
    }
}
