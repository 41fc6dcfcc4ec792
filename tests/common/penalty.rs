//! Steps with penalty contact against differences.

use super::{Rng, all_jacobians, param, relative_error};
use diffsim::contact::mode::Mode;
use diffsim::model::params::{Param, ParamKind};
use diffsim::model::spec::ModelSpec;
use diffsim::model::{Actuation, Model};
use diffsim::step::{Contact, Gradient, Options, Sim};
use std::sync::Arc;

pub fn options(h: f64) -> Options {
    Options {
        time_step: h,
        contact: Contact::Penalty,
        ..Options::default()
    }
}

/// With rotors, so that no parameter is at the end of its range.
pub fn compile(mut spec: ModelSpec) -> Arc<Model> {
    for j in spec.bodies.iter_mut().flat_map(|b| &mut b.joints) {
        j.armature = j.armature.max(0.01);
    }
    Arc::new(Model::compile(spec, Actuation::Full).unwrap())
}

/// What a difference may not step across: features and modes of all contacts.
pub fn pieces(sim: &Sim) -> Vec<([usize; 2], u64, Mode)> {
    let seen = sim.contacts().iter().map(|c| (c.geom, c.feature, c.mode));
    seen.collect()
}

/// Weights of a derivative's difference over points at ±1 and ±2 steps.
const STENCIL: [(f64, f64); 4] = [
    (1.0, 8.0 / 12.0),
    (-1.0, -8.0 / 12.0),
    (2.0, -1.0 / 12.0),
    (-2.0, 1.0 / 12.0),
];

/// Results of [`check`]: columns compared, those across a kink, the worst relative error, and how far
/// directions and adjoints are from the Jacobians.
#[derive(Debug, Default)]
pub struct Tally {
    pub columns: usize,
    pub across: usize,
    pub worst: f64,
    pub apart: f64,
    pub modes: [usize; 3],
}

/// All columns of a step's Jacobians against differences.
pub fn check(
    sim: &mut Sim,
    list: &[Param],
    (q, v, u): (&[f64], &[f64], &[f64]),
    eps: f64,
    tally: &mut Tally,
) {
    let model = sim.model().clone();
    let (nv, sizes) = (model.nv(), [model.nv(), model.nv(), model.nu(), sim.np()]);
    let (mut base, mut vn) = (q.to_vec(), v.to_vec());
    let mut memory = vec![0.0; sim.memory_size()];
    sim.get_memory(&mut memory).unwrap();
    sim.step(q, v, u, &mut base, &mut vn).unwrap();
    let here = pieces(sim);
    for (_, _, mode) in &here {
        tally.modes[match mode {
            Mode::Breaking => 0,
            Mode::Sticking => 1,
            _ => 2,
        }] += 1;
    }
    let mut jq = sizes.map(|n| vec![f64::NAN; nv * n]);
    let mut jv = jq.clone();
    sim.step_jacobians(all_jacobians(&mut jq, &mut jv)).unwrap();
    if sim.step_info().unwrap().gradient != Gradient::Exact {
        tally.across += 1;
        return;
    }
    tally.apart = tally.apart.max(products(sim, &jq, &jv));
    let mut p = vec![0.0; sim.np()];
    sim.get_params(&mut p).unwrap();
    for kind in 0..4 {
        for k in 0..sizes[kind] {
            let own = match kind {
                0 => eps,
                1 => 4.0 * eps,
                2 => 0.1,
                _ if list[k].kind.moves_surfaces() => eps,
                _ if list[k].kind == ParamKind::Gravity => 0.1,
                _ => 1e-3 * p[k].abs().max(0.1),
            };
            let mut slope = vec![0.0; 2 * nv];
            let mut same = true;
            for (offset, weight) in STENCIL {
                let (mut q2, mut v2, mut u2) = (q.to_vec(), v.to_vec(), u.to_vec());
                let s = offset * own;
                match kind {
                    0 => {
                        let mut d = vec![0.0; nv];
                        d[k] = s;
                        model.integrate(q, &d, &mut q2);
                    }
                    1 => v2[k] += s,
                    2 => u2[k] += s,
                    _ => {
                        let mut p2 = p.clone();
                        p2[k] += s;
                        sim.set_params_for_differences(&p2).unwrap();
                    }
                }
                let (mut qn, mut vn) = (q2.clone(), v2.clone());
                sim.set_memory(&memory).unwrap();
                sim.step(&q2, &v2, &u2, &mut qn, &mut vn).unwrap();
                same &= pieces(sim) == here;
                if kind == 3 {
                    sim.set_params_for_differences(&p).unwrap();
                }
                let mut x = vec![0.0; nv];
                model.difference(&base, &qn, &mut x);
                x.extend(vn);
                for (slope, x) in slope.iter_mut().zip(x) {
                    *slope += weight * x / own;
                }
            }
            if !same {
                tally.across += 1;
                continue;
            }
            let column = [&jq[kind][k * nv..][..nv], &jv[kind][k * nv..][..nv]].concat();
            // Derivatives by parameters in metres and radians are compared no more finely than by positions.
            let least = match kind {
                0 | 1 => 1.0,
                3 if list[k].kind.moves_surfaces() => 1.0,
                _ => 1e-8,
            };
            let size = column.iter().fold(least, |m: f64, x| m.max(x.abs()));
            // Differences see results to their last digits: weights of 1.5 in all times newton_tolerance.
            let floor = 1.5e-15 * vn.iter().fold(1.0_f64, |m, x| m.max(x.abs())) / own;
            let off = column.iter().zip(&slope).map(|(a, b)| (a - b).abs());
            let error = (off.fold(0.0, f64::max) - floor).max(0.0) / size;
            if error > 1e-7 {
                let which = list.get(k).filter(|_| kind == 3);
                println!(
                    "{} {k}, {which:?}: {error:e} of {size:e}",
                    ["q", "v", "u", "p"][kind]
                );
            }
            tally.worst = tally.worst.max(error);
            tally.columns += 1;
        }
    }
}

/// How far a direction and an adjoint of the last step are from its Jacobians.
pub fn products(sim: &mut Sim, jq: &[Vec<f64>; 4], jv: &[Vec<f64>; 4]) -> f64 {
    let nv = sim.model().nv();
    let sizes = [nv, nv, sim.model().nu(), sim.np()];
    let mut rng = Rng::new(5);
    let w = sizes.map(|n| rng.vector(n, 1.0));
    let z = rng.vector(2 * nv, 1.0);
    let mut product = vec![0.0; 2 * nv];
    let mut adjoint = sizes.map(|n| vec![0.0; n]);
    for i in 0..4 {
        for (k, x) in w[i].iter().enumerate() {
            let column = [&jq[i][k * nv..][..nv], &jv[i][k * nv..][..nv]].concat();
            for (y, c) in product.iter_mut().zip(&column) {
                *y += c * x;
            }
            adjoint[i][k] = column.iter().zip(&z).map(|(c, z)| c * z).sum();
        }
    }
    let (mut dq, mut dv) = (vec![0.0; nv], vec![0.0; nv]);
    sim.step_jvp(&w[0], &w[1], &w[2], &w[3], &mut dq, &mut dv)
        .unwrap();
    let mut worst = relative_error(&[dq, dv].concat(), &product);
    let mut bars = sizes.map(|n| vec![0.0; n]);
    let [a, b, c, d] = &mut bars;
    sim.step_vjp(&z[..nv], &z[nv..], Some(a), Some(b), Some(c), Some(d))
        .unwrap();
    for (bar, adjoint) in bars.iter().zip(&adjoint) {
        worst = worst.max(relative_error(bar, adjoint));
    }
    worst
}

/// Says what was checked, and refuses what is off.
pub fn accept(tally: &Tally, name: &str, least: [usize; 3]) {
    println!("{name}: {tally:?}");
    assert!(
        tally.worst < 1e-7 && tally.apart < 1e-10,
        "{name}: {tally:?}"
    );
    assert!(
        tally.modes.iter().zip(least).all(|(n, m)| *n >= m),
        "{name}: {tally:?}"
    );
    assert!(10 * tally.across <= tally.columns, "{name}: {tally:?}");
}

/// All parameters of a model by which steps with penalty contact vary.
pub fn all_parameters(model: &Model) -> Vec<Param> {
    use ParamKind as K;
    let mut list = Vec::new();
    for (g, geom) in model.geoms().iter().enumerate() {
        for kind in [K::GeomFriction, K::ContactDissipation] {
            list.push(param(kind, g, 0));
        }
        if geom.body > 0 {
            list.push(param(K::ContactStiffness, g, 0));
            list.push(param(K::ContactTangential, g, 0));
        }
        for c in 0..geom.shape.variable_sizes() {
            list.push(param(K::GeomSize, g, c));
        }
    }
    for j in 0..model.njoint() {
        list.extend((0..6).map(|c| param(K::JointPlacement, j, c)));
        list.extend((0..model.joint(j).nv).map(|c| param(K::JointArmature, j, c)));
    }
    for b in 1..model.nbody() {
        list.extend((0..10).map(|c| param(K::BodyInertia, b, c)));
    }
    list.extend((0..3).map(|c| param(K::Gravity, 0, c)));
    list
}

/// Different coefficients of friction, so that no larger one is tied.
pub fn roughen(spec: &mut ModelSpec) {
    for (k, g) in spec.geoms.iter_mut().enumerate() {
        g.friction[0] = 0.3 + 0.05 * k as f64;
        g.dissipation = 0.01 + 0.002 * k as f64;
        // Given, so that what slides does not depend on the numbers that are stable.
        (g.stiffness, g.tangential) = (2e4, 400.0 + 20.0 * k as f64);
    }
}
