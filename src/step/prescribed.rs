//! Dofs with a prescribed velocity: data of steps and derivatives. The equations are in
//! [`prescribe`](super::prescribe).

use crate::model::params::{Param, ParamKind};

/// Data of prescribed dofs; sized at creation.
#[derive(Clone, Debug)]
pub(crate) struct Prescribed {
    /// Prescribed velocity per dof; zero for other dofs.
    pub velocity: Vec<f64>,
    /// v̂ for which v⁺ is the prescribed velocity.
    pub end: Vec<f64>,
    is_prescribed: Vec<bool>,
    count: usize,
    /// The diagonal of A beyond M; infinite for prescribed dofs.
    pub pivots: Vec<f64>,
    /// Prescribed accelerations of a step; w of a direction.
    pub given: Vec<f64>,
    /// δv̂ of a direction, or the adjoint by the prescribed velocities.
    pub change: Vec<f64>,
    pub work: Vec<f64>,
}

impl Prescribed {
    pub fn new(nv: usize) -> Prescribed {
        let zeros = || vec![0.0; nv];
        Prescribed {
            velocity: zeros(),
            end: zeros(),
            is_prescribed: vec![false; nv],
            count: 0,
            pivots: zeros(),
            given: zeros(),
            change: zeros(),
            work: zeros(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub fn is_prescribed(&self) -> &[bool] {
        &self.is_prescribed
    }

    /// The prescribed velocity; NaN for a dof without one.
    pub fn velocity(&self, dof: usize) -> f64 {
        match self.is_prescribed[dof] {
            true => self.velocity[dof],
            false => f64::NAN,
        }
    }

    pub fn dofs(&self) -> impl Iterator<Item = usize> + use<'_> {
        let some = match self.is_empty() {
            true => &[][..],
            false => &self.is_prescribed[..],
        };
        let all = some.iter().enumerate();
        all.filter_map(|(k, prescribed)| prescribed.then_some(k))
    }

    /// Sets a finite velocity, or NaN for none. True if the set of prescribed dofs has changed.
    pub fn set(&mut self, dof: usize, velocity: f64) -> bool {
        let (prescribed, before) = (!velocity.is_nan(), self.is_prescribed[dof]);
        self.is_prescribed[dof] = prescribed;
        self.velocity[dof] = if prescribed { velocity } else { 0.0 };
        self.count = self.count + usize::from(prescribed) - usize::from(before);
        prescribed != before
    }

    /// Changes the velocity of a prescribed dof.
    pub fn change_velocity(&mut self, dof: usize, velocity: f64) {
        self.velocity[dof] = velocity;
    }

    /// Takes the diagonal of A beyond M.
    pub fn take_diagonal(&mut self, diagonal: &[f64]) {
        self.pivots.copy_from_slice(diagonal);
        for (pivot, prescribed) in self.pivots.iter_mut().zip(&self.is_prescribed) {
            if *prescribed {
                *pivot = f64::INFINITY;
            }
        }
    }

    /// Accelerations from these velocities to the ones at the end of a step.
    pub fn accelerate(&mut self, v_start: &[f64], h: f64) {
        for k in 0..v_start.len() {
            self.given[k] = match self.is_prescribed[k] {
                true => (self.end[k] - v_start[k]) / h,
                false => 0.0,
            };
        }
    }

    /// Writes v̂ of prescribed dofs to `v`.
    pub fn write(&self, v: &mut [f64]) {
        for k in self.dofs() {
            v[k] = self.end[k];
        }
    }

    /// w from δv̂ and δv̂₀; the latter is in `work`.
    pub fn leave_start(&mut self) {
        for k in 0..self.given.len() {
            self.given[k] = match self.is_prescribed[k] {
                true => self.change[k] - self.work[k],
                false => 0.0,
            };
        }
    }

    /// On entry z is the adjoint by v̂, and `work` holds Aᵀ A⁻ᵀ z. Keeps the adjoints by the prescribed
    /// velocities; on return z is the adjoint by v̂₀.
    pub fn share(&mut self, z: &mut [f64]) {
        for (k, z) in z
            .iter_mut()
            .enumerate()
            .filter(|(k, _)| self.is_prescribed[*k])
        {
            self.change[k] = *z - self.work[k];
            *z = self.work[k];
        }
    }

    /// Sets the rows of prescribed dofs to zero.
    pub fn clear_rows(&self, x: &mut [f64]) {
        for k in self.dofs() {
            x[k] = 0.0;
        }
    }

    /// Adjusts ∂r/∂p: in the rows of prescribed dofs the balance is that of the prescribed velocity.
    pub fn replace_rows(&self, p: &Param, column: &mut [f64]) {
        self.clear_rows(column);
        if p.kind == ParamKind::Prescribed {
            column[p.index as usize] = -1.0;
        }
    }

    /// The adjoint by a parameter. For other kinds it is negative zero, which leaves any sum unchanged.
    pub fn adjoint(&self, p: &Param) -> f64 {
        match p.kind {
            ParamKind::Prescribed => self.change[p.index as usize],
            _ => -0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dof_counts_once_however_often_it_is_set() {
        let mut prescribed = Prescribed::new(3);
        assert!(prescribed.set(1, 2.0));
        assert!(!prescribed.set(1, -3.0));
        assert_eq!(prescribed.velocity(1), -3.0);
        assert!(prescribed.velocity(0).is_nan());
        prescribed.take_diagonal(&[1.0, 2.0, 3.0]);
        assert_eq!(prescribed.pivots, [1.0, f64::INFINITY, 3.0]);
        assert!(prescribed.set(1, f64::NAN));
        assert!(!prescribed.set(1, f64::NAN));
        assert!(prescribed.is_empty());
    }
}
