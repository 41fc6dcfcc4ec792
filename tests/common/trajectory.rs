//! The adjoint of a rollout against differences of all that it runs from.

use super::{Rng, difference};
use diffsim::model::Model;
use diffsim::model::params::Param;
use diffsim::rollout::Rollout;
use diffsim::step::Options;
use std::sync::Arc;

/// Where a trajectory begins, and its inputs, as many as it has steps.
pub struct From {
    pub q0: Vec<f64>,
    pub v0: Vec<f64>,
    pub u: Vec<f64>,
}

/// How far the adjoint is from differences along a random direction of q0, of v0, of the inputs and of these parameters, each
/// relative to the norm of what its entries add. Parameters are moved in units of their size.
pub fn adjoint_errors(
    model: &Arc<Model>,
    options: &Options,
    steps: usize,
    from: &From,
    list: &[Param],
    epsilon: f64,
) -> [f64; 4] {
    let (nq, nv, nu, np) = (model.nq(), model.nv(), model.nu(), list.len());
    let mut rng = Rng::new(17);
    let mut rollout = Rollout::new(model.clone(), options, steps).unwrap();
    rollout.sim_mut().select_params(list).unwrap();
    let mut p = vec![0.0; np];
    rollout.sim().get_params(&mut p).unwrap();
    let run = |r: &mut Rollout, q0: &[f64], v0: &[f64], u: &[f64], p: &[f64]| {
        let (mut q, mut v) = (vec![0.0; nq * (steps + 1)], vec![0.0; nv * (steps + 1)]);
        r.sim_mut().set_params(p).unwrap();
        r.run(q0, v0, u, steps, Some(&mut q), Some(&mut v)).unwrap();
        (q, v)
    };
    let From { q0, v0, u } = from;
    let (base, _) = run(&mut rollout, q0, v0, u, &p);
    let weights = [(); 2].map(|()| rng.vector(nv * (steps + 1), 1.0));
    let mut bars = [nv, nv, nu * steps, np].map(|n| vec![0.0; n]);
    let [a, b, c, d] = &mut bars;
    rollout
        .adjoint(&weights[0], &weights[1], Some(a), Some(b), Some(c), Some(d))
        .unwrap();
    let mut loss = |q0: &[f64], v0: &[f64], u: &[f64], p: &[f64]| {
        let (q, v) = run(&mut rollout, q0, v0, u, p);
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let (mut sum, mut dq) = (dot(&weights[1], &v), vec![0.0; nv]);
        for k in 0..=steps {
            model.difference(&base[k * nq..][..nq], &q[k * nq..][..nq], &mut dq);
            sum += dot(&weights[0][k * nv..], &dq);
        }
        vec![sum]
    };
    [0, 1, 2, 3].map(|kind| {
        let mut along = rng.vector(bars[kind].len(), 1.0);
        if kind == 3 {
            along
                .iter_mut()
                .zip(&p)
                .for_each(|(d, p)| *d *= p.abs().max(0.1));
        }
        let moved = |x: &[f64], e: f64| -> Vec<f64> {
            x.iter().zip(&along).map(|(x, d)| x + e * d).collect()
        };
        let slope = difference(epsilon, |e| match kind {
            0 => {
                let mut start = q0.clone();
                model.integrate(q0, &moved(&vec![0.0; nv], e), &mut start);
                loss(&start, v0, u, &p)
            }
            1 => loss(q0, &moved(v0, e), u, &p),
            2 => loss(q0, v0, &moved(u, e), &p),
            _ => loss(q0, v0, u, &moved(&p, e)),
        })[0];
        let parts = bars[kind].iter().zip(&along).map(|(b, d)| b * d);
        let size = parts.clone().map(|x| x * x).sum::<f64>().sqrt();
        let error = (parts.sum::<f64>() - slope).abs();
        if error == 0.0 { 0.0 } else { error / size }
    })
}
