//! Many robots in one model: derivatives cost the sum of those of each, and only touching bodies interact.

mod common;

use common::checker::{quadruped_spec, standing};
use common::{all_jacobians, relative_error};
use diffsim::error::Status;
use diffsim::model::spec::ModelSpec;
use diffsim::model::{Actuation, Model};
use diffsim::spatial::Vec3;
use diffsim::step::{Contact, JacobianPattern, Options, Sim, StepJacobians};
use std::sync::Arc;
use std::time::Instant;

/// `n` quadrupeds, this far apart.
fn herd(n: usize, apart: f64) -> ModelSpec {
    let mut spec = quadruped_spec(false);
    let (bodies, geoms) = (spec.bodies.clone(), spec.geoms.clone());
    for i in 1..n {
        let first = spec.bodies.len() - 1;
        for b in &bodies[1..] {
            let mut b = b.clone();
            b.name = format!("{}_{i}", b.name);
            for j in &mut b.joints {
                j.name = format!("{}_{i}", j.name);
            }
            match b.parent {
                0 => b.placement.pos += Vec3::X * (apart * i as f64),
                _ => b.parent += first,
            }
            spec.bodies.push(b);
        }
        for g in geoms.iter().filter(|g| g.body != 0) {
            let mut g = g.clone();
            g.name = format!("{}_{i}", g.name);
            g.body += first;
            spec.geoms.push(g);
        }
    }
    spec
}

struct Scene {
    sim: Sim,
    q: Vec<f64>,
    v: Vec<f64>,
    u: Vec<f64>,
    by_q: [Vec<f64>; 4],
    by_v: [Vec<f64>; 4],
}

impl Scene {
    /// Standing still, each a little higher than the one before.
    fn new(n: usize, apart: f64, contact: Contact) -> Scene {
        let one = Model::compile(herd(1, apart), Actuation::Full).unwrap();
        let model = Arc::new(Model::compile(herd(n, apart), Actuation::Full).unwrap());
        let options = Options {
            contact,
            max_contacts: 8 * n,
            ..Options::default()
        };
        let stand = standing(&one);
        let mut q = Vec::new();
        for i in 0..n {
            let at = q.len();
            q.extend_from_slice(&stand);
            q[at] = apart * i as f64;
            q[at + 2] += 1e-4 * i as f64 / n as f64;
        }
        let nv = model.nv();
        let square = || vec![0.0; nv * nv];
        let rest = || [square(), square(), square(), Vec::new()];
        Scene {
            sim: Sim::new(model, &options).unwrap(),
            q,
            v: vec![0.0; nv],
            u: vec![0.0; nv],
            by_q: rest(),
            by_v: rest(),
        }
    }

    fn step(&mut self) {
        let (q, v) = (self.q.clone(), self.v.clone());
        (self.sim)
            .step(&q, &v, &self.u, &mut self.q, &mut self.v)
            .unwrap();
    }

    fn jacobians(&mut self) {
        let out = all_jacobians(&mut self.by_q, &mut self.by_v);
        self.sim.step_jacobians(out).unwrap();
    }

    /// Smallest times of a step's Jacobians, and of writing as many zeros.
    fn seconds(&mut self, repeats: usize) -> [f64; 2] {
        let mut least = [f64::INFINITY; 2];
        for _ in 0..repeats {
            self.step();
            let start = Instant::now();
            self.jacobians();
            least[0] = least[0].min(start.elapsed().as_secs_f64());
            let start = Instant::now();
            for x in self.by_q.iter_mut().chain(&mut self.by_v) {
                x.fill(std::hint::black_box(0.0));
            }
            least[1] = least[1].min(start.elapsed().as_secs_f64());
        }
        least
    }
}

impl Scene {
    /// Smallest time of a step's sparse Jacobians.
    fn sparse_seconds(&mut self, repeats: usize) -> f64 {
        self.step();
        let entries = self.sim.jacobian_entries().unwrap();
        let mut values = vec![vec![0.0; entries.by_state]; 4];
        let mut by_inputs = vec![vec![0.0; entries.by_input]; 2];
        let mut least = f64::INFINITY;
        for _ in 0..repeats {
            self.step();
            let ([a, b, c, d], [e, f]) = (&mut values[..], &mut by_inputs[..]) else {
                unreachable!()
            };
            let start = Instant::now();
            let out = StepJacobians {
                dq_dq: Some(a),
                dq_dv: Some(b),
                dv_dq: Some(c),
                dv_dv: Some(d),
                dq_du: Some(e),
                dv_du: Some(f),
                ..StepJacobians::default()
            };
            self.sim.step_jacobians_sparse(out).unwrap();
            least = least.min(start.elapsed().as_secs_f64());
        }
        least
    }
}

/// The Jacobians of 64 quadrupeds took 1.3 s, as those of one robot of 1152 dofs. They are blocks.
#[test]
fn jacobians_of_many_robots_cost_what_those_of_each_do() {
    for contact in [Contact::Ncp, Contact::Lcp, Contact::Convex] {
        let [one, _] = Scene::new(1, 1.0, contact).seconds(200);
        let [herd, zeros] = Scene::new(64, 1.0, contact).seconds(6);
        println!(
            "{contact:?}: one {:.1} µs, 64 {:.2} ms of which zeros {:.2} ms: {:.0} times",
            1e6 * one,
            1e3 * herd,
            1e3 * zeros,
            (herd - zeros) / one
        );
        // As one robot of all dofs they would be 64³ times, and writing zeros is the machine's memory's
        // business.
        assert!(herd < 3000.0 * one, "{contact:?}");
        let sparse = Scene::new(64, 1.0, contact).sparse_seconds(20);
        println!("{contact:?}: without zeros {:.0} times", sparse / one);
        assert!(sparse < 500.0 * one, "{contact:?}");
    }
}

/// Each robot's block is that of the robot alone, and between robots there is nothing.
#[test]
fn separate_robots_have_the_jacobians_of_each() {
    for contact in [Contact::None, Contact::Ncp, Contact::Lcp, Contact::Convex] {
        let (n, nv) = (3, 18);
        let mut all = Scene::new(n, 1.0, contact);
        for _ in 0..3 {
            all.step();
        }
        all.jacobians();
        let (q, v) = (all.q.clone(), all.v.clone());
        all.step();
        all.jacobians();
        for i in 0..n {
            let mut one = Scene::new(1, 1.0, contact);
            one.q.copy_from_slice(&q[19 * i..19 * (i + 1)]);
            one.q[0] = 0.0;
            one.v.copy_from_slice(&v[nv * i..nv * (i + 1)]);
            one.step();
            one.jacobians();
            let pairs = one.by_q.iter().zip(&all.by_q);
            for (small, large) in pairs
                .chain(one.by_v.iter().zip(&all.by_v))
                .filter(|(x, _)| !x.is_empty())
            {
                for j in 0..nv {
                    let column = &large[(nv * i + j) * nv * n..][..nv * n];
                    let (own, rest): (Vec<_>, Vec<_>) = (0..nv * n).partition(|k| k / nv == i);
                    let own: Vec<f64> = own.into_iter().map(|k| column[k]).collect();
                    let error = relative_error(&own, &small[j * nv..][..nv]);
                    assert!(error < 1e-7, "{contact:?}: {error:e}");
                    assert!(rest.into_iter().all(|k| column[k] == 0.0), "{contact:?}");
                }
            }
        }
    }
}

/// Robots that touch join: Jacobians agree with directions, whichever trees lie between them.
#[test]
fn robots_that_touch_are_one_island() {
    for contact in [Contact::Ncp, Contact::Lcp, Contact::Convex] {
        let mut scene = Scene::new(4, 1.0, contact);
        // The trunks of the first and the last overlap by a millimetre, end to end.
        scene.q[3 * 19] = 0.379;
        scene.q[3 * 19 + 2] = scene.q[2];
        scene.v[0] = 0.1;
        scene.step();
        scene.jacobians();
        let nv = scene.v.len();
        let (mut dq, mut dv) = (vec![0.0; nv], vec![0.0; nv]);
        let (mut unit, mut met) = (vec![0.0; nv], false);
        for k in (0..nv).step_by(5) {
            unit[k] = 1.0;
            for (by_q, columns) in [(true, 0), (false, 1)] {
                let none = &[][..];
                let (a, b) = if by_q {
                    (&unit[..], none)
                } else {
                    (none, &unit[..])
                };
                scene
                    .sim
                    .step_jvp(a, b, none, none, &mut dq, &mut dv)
                    .unwrap();
                for (x, all) in [(&dq, &scene.by_q), (&dv, &scene.by_v)] {
                    let column = &all[columns][k * nv..][..nv];
                    assert!(relative_error(column, x) < 1e-10, "{contact:?}, column {k}");
                    met |= k < 18 && column[3 * 18..].iter().any(|x| *x != 0.0);
                }
            }
            unit[k] = 0.0;
        }
        assert!(met, "{contact:?}: the robots do not touch");
    }
}

/// Robots of which some touch: the sparse Jacobians are the dense ones without entries that are all zero.
#[test]
fn sparse_jacobians_are_the_dense_ones_without_zeros() {
    for contact in [Contact::None, Contact::Ncp, Contact::Lcp, Contact::Convex] {
        let (n, nv) = (4, 72);
        let mut scene = Scene::new(n, 1.0, contact);
        let e = scene.sim.jacobian_entries().unwrap_err();
        assert_eq!(e.status, Status::NoStep);
        let mut seen = Vec::new();
        for joined in [false, true, true] {
            if joined {
                // The trunks of the first and the last overlap by a millimetre, end to end.
                scene.q[3 * 19] = scene.q[0] + 0.379;
                scene.q[3 * 19 + 2] = scene.q[2];
            }
            scene.step();
            scene.jacobians();
            let entries = scene.sim.jacobian_entries().unwrap();
            let blocks = match joined && contact != Contact::None {
                false => 4 * 18 * 18,
                true => 36 * 36 + 2 * 18 * 18,
            };
            assert_eq!((entries.by_state, entries.by_input), (blocks, blocks));
            seen.push(entries.pattern);
            let (mut starts, mut rows) = (vec![-1; nv + 1], vec![-1; blocks]);
            let (mut input_starts, mut input_rows) = (starts.clone(), rows.clone());
            let out = JacobianPattern {
                state_starts: Some(&mut starts),
                state_rows: Some(&mut rows),
                input_starts: Some(&mut input_starts),
                input_rows: Some(&mut input_rows),
            };
            scene.sim.jacobian_pattern(out).unwrap();
            assert_eq!((&starts, &rows), (&input_starts, &input_rows));
            let values = || vec![f64::NAN; blocks];
            let mut sparse: Vec<Vec<f64>> = (0..6).map(|_| values()).collect();
            let [a, b, c, d, e, f] = &mut sparse[..] else {
                unreachable!()
            };
            let out = StepJacobians {
                dq_dq: Some(a),
                dq_dv: Some(b),
                dq_du: Some(c),
                dv_dq: Some(d),
                dv_dv: Some(e),
                dv_du: Some(f),
                ..StepJacobians::default()
            };
            scene.sim.step_jacobians_sparse(out).unwrap();
            let dense = scene.by_q[..3].iter().chain(&scene.by_v[..3]);
            for (values, dense) in sparse.iter().zip(dense) {
                let mut filled = vec![0.0; nv * nv];
                for j in 0..nv {
                    let part = starts[j] as usize..starts[j + 1] as usize;
                    assert!(rows[part.clone()].is_sorted_by(|a, b| a < b));
                    for (row, x) in rows[part.clone()].iter().zip(&values[part]) {
                        filled[j * nv + *row as usize] = *x;
                    }
                }
                assert!(filled == *dense, "{contact:?}");
            }
            // Arrays for another pattern are told, and nothing is written.
            let mut short = vec![7.0; blocks - 1];
            let out = StepJacobians {
                dv_dq: Some(&mut short),
                ..StepJacobians::default()
            };
            let e = scene.sim.step_jacobians_sparse(out).unwrap_err();
            assert!(e.message.contains("dv_dq"), "{e}");
            let mut short = vec![7; nv];
            let out = JacobianPattern {
                state_starts: Some(&mut short),
                ..JacobianPattern::default()
            };
            let e = scene.sim.jacobian_pattern(out).unwrap_err();
            assert!(e.message.contains("state_starts: expected 73"), "{e}");
            assert!(short.iter().all(|x| *x == 7));
        }
        assert_eq!(seen[1], seen[2]);
        assert_eq!(seen[0] == seen[1], contact == Contact::None);
    }
}
