//! A force made outside of the library: a step, its Jacobians, directions, adjoints and rollouts know it.

use crate::common::checker::{Checker, options, quadruped, standing};
use crate::common::{Rng, in_body, random_body, random_q, random_tree, relative_error};
use diffsim::dynamics::tree_lu::TreeLu;
use diffsim::error::Status;
use diffsim::force::{Force, Input, Slopes, State};
use diffsim::model::params::{Param, ParamKind, Params};
use diffsim::model::spec::{JointKind, ModelSpec};
use diffsim::model::topology::Topology;
use diffsim::model::{Actuation, Model};
use diffsim::rollout::Rollout;
use diffsim::step::{Contact, Options, Parts, Sim};
use std::sync::Arc;

/// Between two one-dof joints, x = q_a − q_b − l: f_a = −k s(x) − d ẋ and f_b = −b f_a, where b = 1 is an
/// ordinary spring and any other b one with a reaction of its own. Explicit with s = x + x³, implicit with s
/// = x. An input pulls, too.
#[derive(Clone, Debug)]
struct Tie {
    dofs: [usize; 2],
    stiffness: f64,
    rest: f64,
    damping: f64,
    back: f64,
    implicit: bool,
    inputs: Vec<Input>,
}

impl Tie {
    fn new(model: &Model, dofs: [usize; 2], back: f64, implicit: bool) -> Self {
        let mut input = Input::new(model.nu() - 1, [(dofs[1], 0.7)]);
        input.slope = 1.3;
        Tie {
            dofs,
            stiffness: 30.0,
            rest: 0.4,
            damping: 2.0,
            back,
            implicit,
            inputs: vec![input],
        }
    }

    fn coordinate(&self, model: &Model, q: &[f64], k: usize) -> f64 {
        let t = model.topology();
        q[t.links[t.dofs[self.dofs[k]].link].iq]
    }

    fn length(&self, model: &Model, q: &[f64]) -> f64 {
        self.coordinate(model, q, 0) - self.coordinate(model, q, 1) - self.rest
    }

    fn speed(&self, v: &[f64]) -> f64 {
        v[self.dofs[0]] - v[self.dofs[1]]
    }

    /// s and its slope.
    fn shape(&self, x: f64) -> [f64; 2] {
        match self.implicit {
            true => [x, 1.0],
            false => [x + x * x * x, 1.0 + 3.0 * x * x],
        }
    }

    /// The generalized force of a unit of f_a.
    fn spread(&self, f: f64, tau: &mut [f64]) {
        tau[self.dofs[0]] += f;
        tau[self.dofs[1]] -= self.back * f;
    }

    fn add(&self, by_q: f64, by_v: f64, into: &mut Slopes) {
        for (row, r) in [(self.dofs[0], 1.0), (self.dofs[1], -self.back)] {
            for (column, c) in [(self.dofs[0], r), (self.dofs[1], -r)] {
                into.add([row, column], c * by_q, c * by_v);
            }
        }
    }
}

impl Force for Tie {
    fn entries(&self, _: &Model) -> usize {
        4
    }

    fn implicit(&self, _: &Params, into: &mut Slopes) {
        if self.implicit {
            self.add(self.stiffness, self.damping, into);
        }
    }

    fn apply(&mut self, at: &State<'_>, tau: &mut [f64]) {
        let (mut x, speed) = (self.length(at.model, at.q), self.speed(at.v));
        if self.implicit {
            x += at.time_step * speed;
        }
        self.spread(
            -self.stiffness * self.shape(x)[0] - self.damping * speed,
            tau,
        );
        let pull = &self.inputs[0];
        for (k, moment) in pull.moments() {
            tau[k] += moment * pull.slope * at.u[pull.input];
        }
    }

    fn slopes(&self, at: &State<'_>, into: &mut Slopes) {
        let slope = self.shape(self.length(at.model, at.q))[1];
        self.add(self.stiffness * slope, self.damping, into);
    }

    fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    fn by_parameter(&self, at: &State<'_>, acc: &[f64], p: &Param, r: &mut [f64]) {
        let mut x = self.length(at.model, at.q);
        if self.implicit {
            x += at.time_step * (self.speed(at.v) + at.time_step * self.speed(acc));
        }
        let [s, slope] = self.shape(x);
        self.spread([s, -self.stiffness * slope][p.component as usize], r);
    }

    fn parameters(&self) -> usize {
        2
    }

    fn parameter(&self, component: usize) -> f64 {
        [self.stiffness, self.rest][component]
    }

    fn set_parameter(&mut self, component: usize, value: f64) {
        *[&mut self.stiffness, &mut self.rest][component] = value;
    }
}

fn smooth() -> Options {
    Options {
        contact: Contact::None,
        ..options(0.01)
    }
}

fn sim_with(model: Model, options: &Options, tie: Option<Tie>) -> Sim {
    let mut parts = Parts::new(&model, options);
    parts
        .forces
        .extend(tie.map(|t| Box::new(t) as Box<dyn Force>));
    Sim::with_parts(Arc::new(model), options, parts).unwrap()
}

fn own_params() -> Vec<Param> {
    let own = |component| Param {
        kind: ParamKind::Force,
        index: 0,
        component,
    };
    vec![own(0), own(1)]
}

/// Two one-dof joints far from each other, of different branches if there are any.
fn distant(model: &Model, rng: &mut Rng) -> Option<[usize; 2]> {
    let t = model.topology();
    let single = |k: &usize| t.links[t.dofs[*k].link].nv == 1;
    let dofs: Vec<usize> = (0..t.nv()).filter(single).collect();
    let pairs = (0..50).map(|_| [0, 1].map(|_| dofs[rng.below(dofs.len())]));
    pairs.into_iter().find(|[a, b]| !t.are_on_a_path(*a, *b))
}

/// Two chains of hinges on one trunk, of which one makes the tree a deep one.
fn long_arms() -> Model {
    let (mut rng, mut spec) = (Rng::new(3), ModelSpec::default());
    spec.bodies
        .push(random_body(&mut rng, 1, 0, JointKind::Free));
    for id in 2..=70 {
        let parent = if id == 67 { 1 } else { id - 1 };
        let body = random_body(&mut rng, id, parent, JointKind::Revolute);
        spec.bodies.push(body);
    }
    Model::compile(spec, Actuation::Full).unwrap()
}

#[test]
fn derivatives_against_differences() {
    for (implicit, back) in [(false, 1.0), (false, 0.4), (true, 1.0), (true, 0.4)] {
        for seed in 0..6 {
            let mut rng = Rng::new(seed);
            let model = match seed {
                5 => long_arms(),
                _ => random_tree(40 + seed, 12),
            };
            assert_eq!(model.topology().is_deep(), seed == 5);
            let dofs = match seed {
                5 => [40, 73],
                _ => distant(&model, &mut rng).unwrap(),
            };
            let options = match seed % 2 {
                0 => smooth(),
                _ => in_body(smooth()),
            };
            let tie = Tie::new(&model, dofs, back, implicit);
            let mut c = Checker::of(sim_with(model, &options, Some(tie)));
            c.select(&own_params());
            let q = random_q(&mut rng, &c.sim.model().clone(), 0.5);
            c.run(&format!("{implicit}, {back}, {seed}"), &q, 1.0, 2);
        }
    }
}

/// An implicit force is that at the end of the step, to first order in the time step.
#[test]
fn an_implicit_force_is_where_the_step_ends() {
    for back in [1.0, 0.4] {
        let mut rng = Rng::new(8);
        let model = random_tree(41, 14);
        let dofs = distant(&model, &mut rng).unwrap();
        let mut tie = Tie::new(&model, dofs, back, true);
        tie.inputs[0].slope = 0.0;
        let (nv, h) = (model.nv(), 0.01);
        let q = random_q(&mut rng, &model, 0.5);
        let (v, mut u) = (rng.vector(nv, 1.0), rng.vector(nv, 1.0));
        let step = |sim: &mut Sim, u: &[f64]| {
            let (mut q_next, mut v_next) = (q.clone(), v.clone());
            sim.step(&q, &v, u, &mut q_next, &mut v_next).unwrap();
            v_next
        };
        let mut with = sim_with(model.clone(), &smooth(), Some(tie.clone()));
        let v_next = step(&mut with, &u);
        let speed = tie.speed(&v_next);
        let x = tie.length(&model, &q) + h * speed;
        tie.spread(-tie.stiffness * x - tie.damping * speed, &mut u);
        let again = step(&mut sim_with(model, &smooth(), None), &u);
        assert!(relative_error(&v_next, &again) < 1e-11);
    }
}

#[test]
fn an_explicit_one_meets_contacts() {
    let model = quadruped(false);
    let q = standing(&model);
    // A hip with the knee across.
    let tie = Tie::new(&model, [7, 6 + 9 + 2], 1.0, false);
    let mut c = Checker::of(sim_with(model, &options(0.002), Some(tie)));
    c.select(&own_params());
    c.run("a tied quadruped", &q, 0.05, 12);
}

#[test]
fn constraints_refuse_an_implicit_one() {
    let model = quadruped(false);
    let tie = Tie::new(&model, [7, 17], 1.0, true);
    let mut parts = Parts::new(&model, &options(0.002));
    parts.forces.push(Box::new(tie));
    let refused = Sim::with_parts(Arc::new(model), &options(0.002), parts).unwrap_err();
    assert_eq!(refused.status, Status::Unsupported, "{refused}");
}

#[test]
fn parameters_that_it_does_not_have_are_refused() {
    let model = random_tree(41, 10);
    let tie = Tie::new(
        &model,
        distant(&model, &mut Rng::new(1)).unwrap(),
        1.0,
        false,
    );
    let mut sim = sim_with(model, &smooth(), Some(tie));
    for (index, component) in [(0, 2), (1, 0), (-1, 0), (0, -1)] {
        let p = Param {
            kind: ParamKind::Force,
            index,
            component,
        };
        assert!(sim.select_params(&[p]).is_err());
    }
}

#[test]
fn rollouts_go_back_through_it() {
    for implicit in [false, true] {
        let mut rng = Rng::new(2);
        let model = random_tree(43, 8);
        let tie = Tie::new(&model, distant(&model, &mut rng).unwrap(), 0.6, implicit);
        let (nv, nu, steps) = (model.nv(), model.nu(), 12);
        let q0 = random_q(&mut rng, &model, 0.5);
        let (v0, u) = (rng.vector(nv, 0.5), rng.vector(nu * steps, 1.0));
        let weights = rng.vector(nv * (steps + 1), 1.0);
        let mut rollout = Rollout::of(sim_with(model, &smooth(), Some(tie)), steps).unwrap();
        rollout.select_params(&own_params()).unwrap();
        let loss = |rollout: &mut Rollout, p: &[f64], u: &[f64]| {
            rollout.sim_mut().set_params(p).unwrap();
            let mut v = vec![0.0; nv * (steps + 1)];
            rollout.run(&q0, &v0, u, steps, None, Some(&mut v)).unwrap();
            v.iter().zip(&weights).map(|(v, w)| v * w).sum::<f64>()
        };
        let p = [30.0, 0.4];
        loss(&mut rollout, &p, &u);
        let (mut u_bar, mut p_bar) = (vec![0.0; nu * steps], [0.0; 2]);
        let zero = vec![0.0; nv * (steps + 1)];
        rollout
            .adjoint(
                &zero,
                &weights,
                None,
                None,
                Some(&mut u_bar),
                Some(&mut p_bar),
            )
            .unwrap();
        for k in 0..2 {
            let [up, down] = [1e-5, -1e-5].map(|e| {
                let mut p = p;
                p[k] += e;
                loss(&mut rollout, &p, &u)
            });
            let slope = (up - down) / 2e-5;
            assert!((slope - p_bar[k]).abs() < 1e-6 * slope.abs().max(1.0));
        }
        // The last input pulls in two ways.
        let [up, down] = [1e-4, -1e-4].map(|e| {
            let mut u = u.clone();
            u[nu - 1] += e;
            loss(&mut rollout, &p, &u)
        });
        let slope = (up - down) / 2e-4;
        assert!((slope - u_bar[nu - 1]).abs() < 1e-6 * slope.abs().max(1.0));
    }
}

/// A random matrix with the sparsity of a tree, in both forms, row-major.
fn random_matrix(t: &Topology, rng: &mut Rng) -> (TreeLu, Vec<f64>) {
    let n = t.nv();
    let (mut lu, mut dense) = (TreeLu::new(t), vec![0.0; n * n]);
    for row in 0..n {
        for column in (0..n).filter(|c| t.are_on_a_path(row, *c)) {
            // Entries are added up; pivots stay away from zero.
            for part in [0.3, 0.7] {
                let own = if row == column { 12.0 } else { 0.0 };
                let x = part * (own + rng.range(-1.0, 1.0));
                lu.add(t, row, column, x);
                dense[row * n + column] += x;
            }
        }
    }
    (lu, dense)
}

#[test]
fn lu_along_a_tree_is_that_of_the_dense_matrix() {
    for seed in 0..12 {
        let mut rng = Rng::new(seed);
        let model = match seed {
            11 => long_arms(),
            _ => random_tree(60 + seed, 3 + 3 * seed as usize),
        };
        let t = model.topology();
        let n = t.nv();
        let (mut lu, dense) = random_matrix(t, &mut rng);
        assert_eq!(lu.factor(t), None);
        let b = rng.vector(n, 1.0);
        let (mut x, mut y) = (b.clone(), b.clone());
        lu.solve(t, &mut x);
        lu.solve_transposed(t, &mut y);
        for k in 0..n {
            let of_row: f64 = (0..n).map(|j| dense[k * n + j] * x[j]).sum();
            let of_column: f64 = (0..n).map(|j| dense[j * n + k] * y[j]).sum();
            assert!((of_row - b[k]).abs() < 1e-12, "{seed}");
            assert!((of_column - b[k]).abs() < 1e-12, "{seed}");
        }
    }
}

#[test]
fn a_pivot_of_round_off_is_refused() {
    let model = random_tree(61, 6);
    let t = model.topology();
    let lower = (0..t.nv()).rfind(|k| t.dofs[*k].depth > 0).unwrap();
    let upper = t.dofs[lower].parent;
    let mut lu = TreeLu::new(t);
    for k in 0..t.nv() {
        lu.add(t, k, k, 1.0);
    }
    // A block [1 3; 1/3 1].
    lu.add(t, upper, lower, 3.0);
    lu.add(t, lower, upper, 1.0 / 3.0);
    assert_eq!(lu.factor(t), Some(upper));
}
