//! Contact solver: contact problems given by their matrices.

use super::args::{self, Growing, Out};
use super::options::ds_contact_law;
use super::report::{ds_contact_mode, ds_step_info};
use super::sim::parts;
use super::status::ds_status;
use super::wall;
use crate::error::{Error, Result};
use crate::problem::{ContactProblem, ProblemBars, ProblemData, ProblemOptions};
use crate::step::Contact;

/// Solves contact problems of an engine that has its own dynamics, and differentiates the last
/// solution. All memory is allocated at creation. One thread at a time.
///
/// A problem with `contacts` contacts is v = v_free + A⁻¹ Jᵀ impulse, sigma = J v + target, and a
/// contact law between sigma and the impulses. Matrices are column-major:
///   A           nv×nv, symmetric positive definite: the mass matrix, with the implicit terms
///   J           3 contacts × nv: rows t1, t2, n of each contact, n in the direction in which
///               the bodies separate; J v is a velocity [m/s]
///   v_free      nv: the velocity after the step without contacts
///   target      3 contacts [m/s]: 0, or a bias that closes a gap, such as gap / h for n
///   friction    contacts: coefficients, at least 0
///   compliance  3 contacts: with DS_CONTACT_CONVEX the diagonal of R, positive, the same for t1
///               and t2 [m/(s N s)]; NULL with the other laws, which are rigid
/// With DS_CONTACT_CONVEX v minimizes (v - v_free)ᵀ A (v - v_free)/2 + impulseᵀ R impulse/2, where
/// the impulse is -R⁻¹ sigma projected on the friction cone in the norm of R.
pub struct ds_problem {
    problem: ContactProblem,
    /// Results before they are published.
    stage: Vec<f64>,
}

/// Options of a ds_problem, fixed at its creation. Fill with ds_problem_options_init, then change fields.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ds_problem_options {
    /// Size of this struct in bytes; set by ds_problem_options_init.
    pub struct_size: usize,
    /// DS_CONTACT_NCP, DS_CONTACT_LCP or DS_CONTACT_CONVEX. Default DS_CONTACT_NCP.
    pub law: i32,
    /// Must be 0.
    pub reserved: i32,
    /// Largest residual of the contact problem that counts as solved. Default 1e-9.
    pub tolerance: f64,
    /// Largest number of iterations, of any kind, on contacts that are connected by bodies. Default 1000.
    pub max_iterations: usize,
    /// Length of the velocity, at least 1. Default 0: you must set it.
    pub nv: usize,
    /// Number of contacts for which memory is allocated, at least 1. Default 32.
    pub max_contacts: usize,
}

// SAFETY: repr(C), the size first, i32 in pairs, else words: no padding, every bit pattern a value.
unsafe impl Growing for ds_problem_options {
    const NAME: &'static str = "ds_problem_options";
    const FIRST: usize = size_of::<ds_problem_options>();

    fn defaults() -> Self {
        let o = ProblemOptions::default();
        ds_problem_options {
            struct_size: size_of::<ds_problem_options>(),
            law: o.law as i32,
            reserved: 0,
            tolerance: o.tolerance,
            max_iterations: o.max_iterations,
            nv: o.nv,
            max_contacts: o.max_contacts,
        }
    }
}

unsafe fn options(p: *const ds_problem_options) -> Result<ProblemOptions> {
    let o = args::grown(p, "options")?;
    args::zero(o.reserved, "options.reserved")?;
    Ok(ProblemOptions {
        law: choice!(o.law, "options.law", ds_contact_law {
            DS_CONTACT_NCP => Contact::Ncp,
            DS_CONTACT_LCP => Contact::Lcp,
            DS_CONTACT_CONVEX => Contact::Convex,
        })?,
        tolerance: o.tolerance,
        max_iterations: o.max_iterations,
        nv: o.nv,
        max_contacts: o.max_contacts,
    })
}

unsafe fn get<'a>(problem: *mut ds_problem) -> Result<&'a mut ds_problem> {
    args::exclusive(problem, "problem")
}

/// Lengths of A, J, v_free, target, friction and compliance.
fn sizes(nv: usize, contacts: usize) -> [usize; 6] {
    let rows = 3 * contacts;
    [nv * nv, rows * nv, nv, rows, contacts, rows]
}

/// Fills the struct with the defaults. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_problem_options_init(options: *mut ds_problem_options) {
    args::init(options)
}

/// Makes a solver of contact problems. Release *out with ds_problem_free.
///
/// Errors: DS_ERR_INVALID_ARGUMENT naming the option; DS_ERR_CAPACITY if there is not enough memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_problem_create(
    options: *const ds_problem_options,
    out: *mut *mut ds_problem,
) -> ds_status {
    wall::status(|| {
        let options = self::options(options)?;
        args::give(out, || {
            let problem = ContactProblem::new(&options)?;
            let count = sizes(options.nv, options.max_contacts).iter().sum();
            let mut stage = Vec::new();
            if stage.try_reserve_exact(count).is_err() {
                return Err(Error::capacity(format!(
                    "options: there is no memory for nv = {} and max_contacts = {}",
                    options.nv, options.max_contacts
                )));
            }
            stage.resize(count, 0.0);
            Ok(ds_problem { problem, stage })
        })
    })
}

/// Releases a solver. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_problem_free(problem: *mut ds_problem) {
    args::take(problem)
}

/// Solves a problem (see ds_problem). Writes v (nv numbers) and impulse (3 contacts numbers [N s],
/// NULL if contacts is 0); both may overlap arguments. Of A the symmetric part counts. info: facts
/// about the solve; may be NULL. Starts from the last solution if it had the same number of
/// contacts (ds_problem_reset prevents this). A problem that is not solved to the tolerance is no
/// error: the best impulses are written and info.converged is 0. See docs/solver.md.
///
/// Errors: DS_ERR_INVALID_ARGUMENT for an A that is not symmetric up to round-off or not positive
/// definite (the message names the entry or the pivot), a negative friction coefficient, and a
/// compliance that is missing, not positive, or given with a rigid law; DS_ERR_CAPACITY for more
/// than options.max_contacts; DS_ERR_NUMERICAL for an argument or result that is not finite.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_problem_solve(
    problem: *mut ds_problem,
    contacts: usize,
    A: *const f64,
    J: *const f64,
    v_free: *const f64,
    target: *const f64,
    friction: *const f64,
    compliance: *const f64,
    v: *mut f64,
    impulse: *mut f64,
    info: *mut ds_step_info,
) -> ds_status {
    wall::status(|| {
        let p = get(problem)?;
        p.problem.options().check_contacts(contacts)?;
        let nv = p.problem.options().nv;
        let [square, panel, dofs, rows, count, _] = sizes(nv, contacts);
        let data = ProblemData {
            a: args::array(A, square, "A")?,
            j: args::array(J, panel, "J")?,
            v_free: args::array(v_free, dofs, "v_free")?,
            target: args::array(target, rows, "target")?,
            friction: args::array(friction, count, "friction")?,
            compliance: args::optional_array(compliance, rows, "compliance")?,
        };
        let to_v = Out::new(v, nv, "v")?;
        let to_impulse = Out::new(impulse, rows, "impulse")?;
        let info = args::optional_place(info, "info")?;
        let [x, y] = parts(&mut p.stage, [nv, rows]);
        let found = p.problem.solve(&data, x, y)?;
        args::publish([(x, to_v), (y, to_impulse)])?;
        if let Some(info) = info {
            info.write(found.into());
        }
        Ok(())
    })
}

/// Forward mode: the variation of the last solution, dv (nv numbers) and dimpulse (3 contacts),
/// for variations of all arguments of ds_problem_solve, in the same shapes. NULL: a zero
/// variation, or a result that is not wanted. Results may overlap arguments. Of dA the symmetric
/// part counts. If contacts are redundant (ds_problem_impulses_unique), dimpulse is one of several
/// changes; A⁻¹Jᵀ dimpulse is determined. Afterwards the gradient in ds_problem_info is the label
/// of this direction; see docs/solver.md, Its derivative.
///
/// Errors: DS_ERR_NO_STEP before a solve; DS_ERR_NOT_CONVERGED if the problem was not solved;
/// DS_ERR_NUMERICAL if the derivative would be round-off (DS_GRADIENT_REFUSED) or a number is not
/// finite; DS_ERR_INVALID_ARGUMENT for a dcompliance with a rigid law.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_problem_jvp(
    problem: *mut ds_problem,
    dA: *const f64,
    dJ: *const f64,
    dv_free: *const f64,
    dtarget: *const f64,
    dfriction: *const f64,
    dcompliance: *const f64,
    dv: *mut f64,
    dimpulse: *mut f64,
) -> ds_status {
    wall::status(|| {
        let p = get(problem)?;
        let nv = p.problem.options().nv;
        let [square, panel, dofs, rows, count, _] = sizes(nv, p.problem.contacts());
        let by = ProblemData {
            a: args::optional_array(dA, square, "dA")?,
            j: args::optional_array(dJ, panel, "dJ")?,
            v_free: args::optional_array(dv_free, dofs, "dv_free")?,
            target: args::optional_array(dtarget, rows, "dtarget")?,
            friction: args::optional_array(dfriction, count, "dfriction")?,
            compliance: args::optional_array(dcompliance, rows, "dcompliance")?,
        };
        let to_v = Out::optional(dv, nv, "dv")?;
        let to_impulse = Out::optional(dimpulse, rows, "dimpulse")?;
        let [x, y] = parts(&mut p.stage, [nv, rows]);
        p.problem.jvp(&by, x, y)?;
        args::publish([(x, to_v), (y, to_impulse)])
    })
}

/// Reverse mode: given the gradient v_bar (nv numbers) and impulse_bar (3 contacts) of a function by
/// the last solution (NULL: zero), computes its gradient by all arguments of ds_problem_solve, in the
/// same shapes. NULL for results that are not wanted. Results may overlap arguments. A_bar is
/// symmetric; its product with any dA is the right one.
///
/// Afterwards the gradient in ds_problem_info is the label of this result. It cannot show whether the
/// variations of J and target with which you use the result agree on redundant contacts. They do if
/// they come from the motion of one body. ds_problem_jvp checks it.
///
/// Errors: as ds_problem_jvp.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_problem_vjp(
    problem: *mut ds_problem,
    v_bar: *const f64,
    impulse_bar: *const f64,
    A_bar: *mut f64,
    J_bar: *mut f64,
    v_free_bar: *mut f64,
    target_bar: *mut f64,
    friction_bar: *mut f64,
    compliance_bar: *mut f64,
) -> ds_status {
    wall::status(|| {
        let p = get(problem)?;
        let nv = p.problem.options().nv;
        let sizes = sizes(nv, p.problem.contacts());
        let v_bar = args::optional_array(v_bar, nv, "v_bar")?;
        let impulse_bar = args::optional_array(impulse_bar, sizes[3], "impulse_bar")?;
        let outs = [
            Out::optional(A_bar, sizes[0], "A_bar")?,
            Out::optional(J_bar, sizes[1], "J_bar")?,
            Out::optional(v_free_bar, sizes[2], "v_free_bar")?,
            Out::optional(target_bar, sizes[3], "target_bar")?,
            Out::optional(friction_bar, sizes[4], "friction_bar")?,
            Out::optional(compliance_bar, sizes[5], "compliance_bar")?,
        ];
        let [a, j, v_free, target, friction, compliance] = parts(&mut p.stage, sizes);
        let bars = ProblemBars {
            a: outs[0].wanted().then_some(&mut *a),
            j: outs[1].wanted().then_some(&mut *j),
            v_free: outs[2].wanted().then_some(&mut *v_free),
            target: outs[3].wanted().then_some(&mut *target),
            friction: outs[4].wanted().then_some(&mut *friction),
            compliance: outs[5].wanted().then_some(&mut *compliance),
        };
        p.problem.vjp(v_bar, impulse_bar, bars)?;
        args::publish([
            (a, outs[0]),
            (j, outs[1]),
            (v_free, outs[2]),
            (target, outs[3]),
            (friction, outs[4]),
            (compliance, outs[5]),
        ])
    })
}

/// Facts about the last solve, and the label of the last derivative.
///
/// Errors: DS_ERR_NO_STEP before a solve.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_problem_info(
    problem: *const ds_problem,
    out: *mut ds_step_info,
) -> ds_status {
    wall::status(|| {
        let p = args::reference(problem, "problem")?;
        let info = p.problem.info()?.into();
        // The caller's struct may be uninitialized: write it, do not assign.
        args::place(out, "out")?.write(info);
        Ok(())
    })
}

/// Modes of the contacts of the last solve, one ds_contact_mode each; NULL if there are no contacts.
///
/// Errors: DS_ERR_NO_STEP before a solve.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_problem_modes(
    problem: *const ds_problem,
    modes: *mut i32,
) -> ds_status {
    wall::status(|| {
        let p = args::reference(problem, "problem")?;
        p.problem.info()?;
        let found = p.problem.modes();
        if !found.is_empty() {
            let to = args::place(modes, "modes")?;
            for (k, mode) in found.iter().enumerate() {
                to.add(k).write(ds_contact_mode::from(*mode) as i32);
            }
        }
        Ok(())
    })
}

/// 1 if the impulses of the last solve are unique for its velocity, as far as the solver can tell. 0
/// if contacts are redundant (four points under a flat foot); then the solution has the least-norm
/// impulses.
///
/// Errors: as ds_problem_jvp.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_problem_impulses_unique(
    problem: *mut ds_problem,
    out: *mut i32,
) -> ds_status {
    wall::status(|| {
        let p = get(problem)?;
        let out = args::place(out, "out")?;
        out.write(i32::from(p.problem.impulses_are_unique()?));
        Ok(())
    })
}

/// Forgets the last solution. The next solve then equals that of a new ds_problem.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_problem_reset(problem: *mut ds_problem) -> ds_status {
    wall::status(|| {
        get(problem)?.problem.reset();
        Ok(())
    })
}
