//! Sparse Jacobians of a step: without the zeros between bodies that nothing connects.

use super::args;
use super::derivatives::{ds_step_jacobians, jacobians_of};
use super::sim::{ds_sim, get};
use super::status::ds_status;
use super::wall;
use crate::error::{Error, Result};
use crate::step::{JacobianEntries, JacobianPattern, Sim};

/// Numbers of structural nonzeros of a step's Jacobians.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ds_jacobian_entries {
    /// In each of dq_dq, dq_dv, dv_dq and dv_dv.
    pub by_state: usize,
    /// In each of dq_du and dv_du.
    pub by_input: usize,
    /// Number of the pattern: two steps of a sim with the same number have the same pattern. It
    /// increases.
    pub pattern: u64,
}

/// Numbers of structural nonzeros of the last step's Jacobians: entries of bodies in one tree of
/// joints, or in trees that contacts and equalities of the step connect. The pattern changes only if
/// other trees are connected; then out->pattern changes too.
///
/// Errors: DS_ERR_NO_STEP before a step; DS_ERR_INVALID_ARGUMENT if options.derivatives is 0; those
/// of ds_sim_step_jacobians after a step of an implicit integrator.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_jacobian_entries(
    sim: *mut ds_sim,
    out: *mut ds_jacobian_entries,
) -> ds_status {
    wall::status(|| {
        let s = get(sim)?;
        let out = args::place(out, "out")?;
        let JacobianEntries {
            by_state,
            by_input,
            pattern,
        } = s.sim.jacobian_entries()?;
        // SAFETY: checked above; the header's rules promise a place to write.
        unsafe {
            out.write(ds_jacobian_entries {
                by_state,
                by_input,
                pattern,
            })
        };
        Ok(())
    })
}

/// The pattern in compressed columns, as sparse matrices of Eigen and SciPy use it. The rows of
/// column j are state_rows[k], in increasing order, for k from state_starts[j] (nv + 1 numbers) to
/// state_starts[j + 1] - 1; likewise input_starts (nu + 1) and input_rows for the columns by u. NULL
/// for arrays that are not wanted. `entries` must be those of the last step. The arrays must not
/// overlap.
///
/// Errors: as ds_sim_jacobian_entries; DS_ERR_INVALID_ARGUMENT for entries of another pattern;
/// DS_ERR_CAPACITY for more entries than an int32_t can count.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_jacobian_pattern(
    sim: *mut ds_sim,
    entries: *const ds_jacobian_entries,
    state_starts: *mut i32,
    state_rows: *mut i32,
    input_starts: *mut i32,
    input_rows: *mut i32,
) -> ds_status {
    wall::status(|| {
        let s = get(sim)?;
        let now = same(&mut s.sim, entries)?;
        let (nv, nu) = (s.sim.model().nv(), s.sim.model().nu());
        let [state_starts, state_rows, input_starts, input_rows] = apart([
            ("state_starts", state_starts, nv + 1),
            ("state_rows", state_rows, now.by_state),
            ("input_starts", input_starts, nu + 1),
            ("input_rows", input_rows, now.by_input),
        ])?;
        s.sim.jacobian_pattern(JacobianPattern {
            state_starts,
            state_rows,
            input_starts,
            input_rows,
        })
    })
}

/// Jacobians of the last step, only the entries of ds_sim_jacobian_pattern, column by column:
/// entries->by_state numbers in each Jacobian by q or v, entries->by_input in each by u. dq_dp and
/// dv_dp are dense. The numbers are those of ds_sim_step_jacobians, to which this call is otherwise
/// equal. `entries` must be those of the last step, so that arrays made for another pattern are
/// refused.
///
/// Errors: as ds_sim_step_jacobians; DS_ERR_INVALID_ARGUMENT for entries of another pattern.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_step_jacobians_sparse(
    sim: *mut ds_sim,
    entries: *const ds_jacobian_entries,
    out: *const ds_step_jacobians,
) -> ds_status {
    wall::status(|| {
        let s = get(sim)?;
        let now = same(&mut s.sim, entries)?;
        let params = s.sim.model().nv() * s.sim.np();
        let out = jacobians_of(out, [now.by_state, now.by_input, params])?;
        s.sim.step_jacobians_sparse(out)
    })
}

/// The entries of the last step; the caller's must be equal to them.
unsafe fn same(sim: &mut Sim, entries: *const ds_jacobian_entries) -> Result<JacobianEntries> {
    let given = args::reference(entries, "entries")?;
    let now = sim.jacobian_entries()?;
    for (name, expected, got) in [
        ("pattern", now.pattern, given.pattern),
        ("by_state", now.by_state as u64, given.by_state as u64),
        ("by_input", now.by_input as u64, given.by_input as u64),
    ] {
        if expected != got {
            return Err(Error::invalid(format!(
                "entries->{name}: expected {expected}, the number in the last step, got {got}"
            )));
        }
    }
    Ok(now)
}

/// The caller's arrays, which must not overlap; `None` for NULL.
unsafe fn apart<'a, const N: usize>(
    arrays: [(&str, *mut i32, usize); N],
) -> Result<[Option<&'a mut [i32]>; N]> {
    for (i, (name, at, count)) in arrays.iter().enumerate() {
        args::optional_place(*at, name)?;
        let end = |at: *mut i32, count: usize| at.addr().saturating_add(size_of::<i32>() * count);
        for (other, from, length) in arrays[..i].iter().filter(|(_, from, _)| !from.is_null()) {
            if !at.is_null() && at.addr() < end(*from, *length) && from.addr() < end(*at, *count) {
                return Err(Error::invalid(format!("{name}: must not overlap {other}")));
            }
        }
    }
    Ok(arrays.map(|(_, at, count)| {
        // SAFETY: not null, aligned and disjoint; the header's rules promise room for `count` numbers.
        (!at.is_null()).then(|| unsafe { std::slice::from_raw_parts_mut(at, count) })
    }))
}
