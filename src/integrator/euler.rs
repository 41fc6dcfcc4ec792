//! Symplectic Euler in the bodies' own axes: v⁺ = v̂ = v + h a, q⁺ = q ⊕ h v̂.

use super::{End, EndMap, Scheme, Start};
use crate::model::Model;

#[derive(Debug)]
pub struct SymplecticEuler {
    map: EndMap,
}

/// h times velocities.
pub(super) fn displacement(h: f64, v: &[f64]) -> [f64; 6] {
    let mut w = [0.0; 6];
    for (w, v) in w.iter_mut().zip(v) {
        *w = h * v;
    }
    w
}

impl SymplecticEuler {
    pub fn new(model: &Model, derivatives: bool) -> Self {
        SymplecticEuler {
            map: EndMap::new(model, derivatives),
        }
    }
}

impl Scheme for SymplecticEuler {
    fn duplicate(&self, model: &Model, derivatives: bool) -> Box<dyn Scheme> {
        Box::new(Self::new(model, derivatives))
    }

    fn end(&self, at: &Start<'_>, v_end: &[f64], next: End<'_>) {
        for (w, v) in next.v.iter_mut().zip(v_end) {
            *w = at.h * v;
        }
        at.model.integrate(at.q, next.v, next.q);
        next.v.copy_from_slice(v_end);
    }

    fn linearize(&mut self, at: &Start<'_>, v_end: &[f64]) {
        self.map.fill(at.model.topology(), |l| {
            let w = displacement(at.h, &v_end[l.iv..l.iv + l.kind.nv()]);
            (l.kind.integrate_blocks(&w[..l.kind.nv()]), None)
        });
    }

    fn map(&self) -> &EndMap {
        &self.map
    }
}
