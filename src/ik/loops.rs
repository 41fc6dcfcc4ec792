//! The model's equalities as rows.

use crate::constraint::rows::Rows;
use crate::constraint::{Equality, equalities};
use crate::dynamics::kinematics::{Kinematics, positions};
use crate::error::Result;
use crate::model::Model;
use crate::spatial::Vec3;
use crate::tendon::Paths;

/// Active equalities with their violations and rows at a configuration.
#[derive(Clone, Debug)]
pub struct Loops {
    pub list: Vec<Equality>,
    pub violation: Vec<Vec3>,
    pub rows: Rows,
    paths: Paths,
}

impl Loops {
    /// `None` if the model has no equalities.
    pub fn new(model: &Model) -> Result<Option<Loops>> {
        let list = equalities(model)?;
        if list.is_empty() {
            return Ok(None);
        }
        let mut loops = Loops {
            violation: vec![Vec3::ZERO; list.len()],
            rows: Rows::new(model.topology(), list.len()),
            paths: Paths::new(model, false),
            list,
        };
        let mut kin = Kinematics::new(model);
        positions(&mut kin, model, model.params(), model.neutral());
        loops.update(model, &kin, model.neutral());
        Ok(Some(loops))
    }

    /// `kin` must hold positions at q.
    pub fn update(&mut self, model: &Model, kin: &Kinematics, q: &[f64]) {
        self.paths.update(kin, q);
        self.rows.clear();
        for (e, out) in self.list.iter().zip(&mut self.violation) {
            let at = (kin, &self.paths);
            *out = e.fill(model.topology(), at, q, &mut self.rows);
        }
    }
}
