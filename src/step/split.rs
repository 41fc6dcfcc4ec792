//! Derivative of a free motion with forces between dofs; the equations are in
//! [`free_motion`](super::free_motion).

/// The derivative of the free motion's balance, and vectors. Allocated when forces are set.
#[derive(Clone, Debug)]
pub(crate) struct Split {
    /// R_f by q and v (column-major), by the drive of each actuator before its moment, and by each selected
    /// parameter.
    pub by_q: Vec<f64>,
    pub by_v: Vec<f64>,
    pub by_u: Vec<f64>,
    pub by_p: Vec<f64>,
    /// y, or the adjoint of the balance.
    pub free: Vec<f64>,
    pub sum: Vec<f64>,
}

impl Split {
    /// Allocates the memory if the balance `may_split`, and frees it otherwise.
    pub fn fit(split: &mut Option<Box<Split>>, may_split: bool, [nv, nu, np]: [usize; 3]) {
        let fits = |s: &mut Box<Split>| s.by_p.len() == nv * np;
        match may_split {
            false => *split = None,
            true if split.as_mut().is_some_and(fits) => {}
            true => *split = Some(Box::new(Split::new([nv, nu, np]))),
        }
    }

    /// For these numbers of dofs, inputs and parameters.
    pub fn new([nv, nu, np]: [usize; 3]) -> Split {
        let zeros = |n: usize| vec![0.0; n];
        Split {
            by_q: zeros(nv * nv),
            by_v: zeros(nv * nv),
            by_u: zeros(nu),
            by_p: zeros(nv * np),
            free: zeros(nv),
            sum: zeros(nv),
        }
    }
}
