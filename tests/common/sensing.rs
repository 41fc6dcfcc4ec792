//! Shared code of tests of sensors.

use super::{difference, relative_error};
use diffsim::model::Model;
use diffsim::query::{SensorJacobians, SensorRoom};
use diffsim::step::{Contact, Gradient, Integrator, Options, Sim};
use std::sync::Arc;

pub fn sim(model: &Arc<Model>, contact: Contact, integrator: Integrator) -> Sim {
    let options = Options {
        contact,
        integrator,
        time_step: 1e-3,
        ..Options::default()
    };
    Sim::new(model.clone(), &options).unwrap()
}

pub fn told(sim: &mut Sim, room: &mut SensorRoom, q: &[f64], v: &[f64], u: &[f64]) -> Vec<f64> {
    let mut data = vec![f64::NAN; sim.model().nsensordata()];
    sim.sensors(room, q, v, u, &mut data).unwrap();
    data
}

/// By q, v and u.
pub fn jacobians(
    sim: &mut Sim,
    room: &mut SensorRoom,
    [q, v, u]: [&[f64]; 3],
) -> ([Vec<f64>; 3], Gradient) {
    let m = sim.model();
    let (n, nv, nu) = (m.nsensordata(), m.nv(), m.nu());
    let [mut by_q, mut by_v, mut by_u] = [nv, nv, nu].map(|c| vec![f64::NAN; n * c]);
    let out = SensorJacobians {
        by_q: Some(&mut by_q),
        by_v: Some(&mut by_v),
        by_u: Some(&mut by_u),
        by_act: None,
    };
    let gradient = sim.sensor_jacobians(room, q, v, u, out).unwrap();
    ([by_q, by_v, by_u], gradient)
}

/// Compares rows of one sensor after the other, so that none hides behind the size of another.
pub fn compare(model: &Model, what: &str, exact: &[f64], numeric: &[f64], skip: &[usize]) {
    let n = model.nsensordata();
    for (i, s) in model.sensors().iter().enumerate() {
        if skip.contains(&i) {
            continue;
        }
        for row in s.address..s.address + s.reading.dim() {
            let of = |x: &[f64]| -> Vec<f64> { x.iter().skip(row).step_by(n).copied().collect() };
            let error = relative_error(&of(exact), &of(numeric));
            assert!(error < 2e-7, "{what} {} [{row}]: {error}", s.name);
        }
    }
}

/// Of Jacobians by q and v against differences that stay within the modes.
pub fn largest_error(
    sim: &mut Sim,
    room: &mut SensorRoom,
    [q, v, u]: [&[f64]; 3],
    [by_q, by_v]: [&[f64]; 2],
) -> f64 {
    let model = sim.model().clone();
    let (n, mut worst) = (model.nsensordata(), 0.0_f64);
    for k in 0..model.nv() {
        let mut dv = vec![0.0; model.nv()];
        let numeric = difference(2e-6, |x| {
            dv[k] = x;
            let mut at = q.to_vec();
            model.integrate(q, &dv, &mut at);
            told(sim, room, &at, v, u)
        });
        worst = worst.max(relative_error(&by_q[k * n..][..n], &numeric));
        let numeric = difference(2e-5, |x| {
            let mut at = v.to_vec();
            at[k] += x;
            told(sim, room, q, &at, u)
        });
        worst = worst.max(relative_error(&by_v[k * n..][..n], &numeric));
    }
    worst
}
