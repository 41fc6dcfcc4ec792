//! A law of contact and an integrator made outside of the library: steps, Jacobians, directions, adjoints,
//! columns by parameters and rollouts know them. A force is in `forces.rs`.

use crate::common::checker::{Checker, options, quadruped, standing};
use crate::common::{Rng, in_body, param, random_q, random_tree};
use diffsim::contact::block::Cone;
use diffsim::contact::capacity::Capacity;
use diffsim::contact::certificate::{Certificate, Path};
use diffsim::contact::law::{Law, Linearized, Outcome, Request, Variations, Verdict};
use diffsim::contact::mode::Mode;
use diffsim::contact::problem::{Delassus, Problem};
use diffsim::contact::push_out::PushOut;
use diffsim::contact::work_budget::WorkBudget;
use diffsim::dynamics::coupling::Columns;
use diffsim::error::{Result, Status};
use diffsim::force::{Force, Slopes, State};
use diffsim::integrator::implicit::{Formula, Mix, Stage};
use diffsim::integrator::{By, End, EndMap, Scheme, Start, SymplecticEuler, Tangent, Theta};
use diffsim::load::options::{Format, LoadOptions, load_str};
use diffsim::model::Model;
use diffsim::model::params::ParamKind;
use diffsim::rollout::Rollout;
use diffsim::step::{Contact, ConvexVariant, Integrator, Options, Parts, Sim};
use std::sync::Arc;

/// σ + ρ λ = 0 in every row: whatever is near is glued to by a creeping glue, λ = −(G + ρ)⁻¹ g.
#[derive(Debug)]
struct Glue {
    creep: f64,
    /// (G + ρ)⁻¹ of the last problem.
    inverse: Vec<f64>,
}

/// x of a x = b for the columns of b, by elimination; symmetric positive definite.
fn solve(n: usize, mut a: Vec<f64>, mut b: Vec<f64>) -> Vec<f64> {
    for k in 0..n {
        for i in k + 1..n {
            let f = a[k * n + i] / a[k * n + k];
            for j in k..n {
                a[j * n + i] -= f * a[j * n + k];
            }
            for column in b.chunks_exact_mut(n) {
                column[i] -= f * column[k];
            }
        }
    }
    for column in b.chunks_exact_mut(n) {
        for k in (0..n).rev() {
            let rest: f64 = (k + 1..n).map(|j| a[j * n + k] * column[j]).sum();
            column[k] = (column[k] - rest) / a[k * n + k];
        }
    }
    b
}

impl Law for Glue {
    fn renewed(&self, _: &Capacity) -> Box<dyn Law> {
        Box::new(Glue {
            creep: self.creep,
            inverse: Vec::new(),
        })
    }

    fn solve(&mut self, step: &mut dyn Request, _: &WorkBudget) -> Result<Outcome> {
        step.ask(PushOut::Full);
        let posed = step.posed();
        let Delassus::Dense(g) = posed.problem.delassus else {
            panic!("one robot");
        };
        let n = posed.problem.rows();
        let (mut a, mut unit) = (g.to_vec(), vec![0.0; n * n]);
        for k in 0..n {
            a[k * n + k] += self.creep;
            unit[k * n + k] = 1.0;
        }
        self.inverse = solve(n, a, unit);
        self.multiply(posed.problem.g, posed.lambda);
        posed.modes.fill(Mode::Sticking);
        Ok(Outcome::full(Certificate::new(Path::Empty)))
    }

    fn linearize(&mut self, _: &Problem) -> Result<&mut dyn Linearized> {
        Ok(self)
    }

    fn cone(&self) -> Cone {
        Cone::Circular
    }

    fn is_local(&self) -> bool {
        true
    }
}

impl Glue {
    /// y ← −(G + ρ)⁻¹ x.
    fn multiply(&self, x: &[f64], y: &mut [f64]) {
        let n = y.len();
        for (k, y) in y.iter_mut().enumerate() {
            *y = -(0..n).map(|j| self.inverse[j * n + k] * x[j]).sum::<f64>();
        }
    }
}

impl Linearized for Glue {
    fn apply(
        &mut self,
        problem: &Problem,
        w: &[f64],
        _: Option<&[f64]>,
        _: usize,
        dlambda: &mut [f64],
    ) -> Result<()> {
        let n = problem.rows();
        for (w, d) in w.chunks_exact(n).zip(dlambda.chunks_exact_mut(n)) {
            self.multiply(w, d);
        }
        Ok(())
    }

    fn apply_transpose(
        &mut self,
        _: &Problem,
        lambda_bar: &[f64],
        w_bar: &mut [f64],
        limits_bar: Option<&mut [f64]>,
    ) -> Result<()> {
        self.multiply(lambda_bar, w_bar);
        limits_bar.into_iter().for_each(|bar| bar.fill(0.0));
        Ok(())
    }

    fn verdict(&mut self, _: &Problem, _: &mut dyn Variations) -> Result<Verdict> {
        Ok(Verdict::Exact)
    }
}

/// Symplectic Euler that gives back a share of the change of velocity in the last step: v⁺ = v̂ + c w, w⁺ =
/// v̂ − v.
#[derive(Debug)]
struct Echo {
    euler: SymplecticEuler,
    share: f64,
}

impl Echo {
    fn new(model: &Model) -> Echo {
        Echo {
            euler: SymplecticEuler::new(model, true),
            share: 0.3,
        }
    }
}

impl Scheme for Echo {
    fn duplicate(&self, model: &Model, _: bool) -> Box<dyn Scheme> {
        Box::new(Echo::new(model))
    }

    fn carried(&self, model: &Model) -> usize {
        model.nv()
    }

    fn end(&self, at: &Start<'_>, v_end: &[f64], next: End<'_>) {
        let End { q, v, carried } = next;
        for (w, (end, start)) in carried.iter_mut().zip(v_end.iter().zip(at.v)) {
            *w = end - start;
        }
        let none = &mut [];
        let moved = End {
            q,
            v: &mut *v,
            carried: none,
        };
        self.euler.end(at, v_end, moved);
        for (v, w) in v.iter_mut().zip(at.carried) {
            *v += self.share * w;
        }
    }

    fn linearize(&mut self, at: &Start<'_>, v_end: &[f64]) {
        self.euler.linearize(at, v_end);
    }

    fn map(&self) -> &EndMap {
        self.euler.map()
    }

    fn end_direction(&self, at: &Start<'_>, state: Tangent<'_>, dv_end: &[f64], next: End<'_>) {
        for (k, (w, end)) in next.carried.iter_mut().zip(dv_end).enumerate() {
            *w = end - state.v.get(k).unwrap_or(&0.0);
        }
        self.map().direction(at, state.q, dv_end, next);
    }

    fn end_adjoint(&self, at: &Start<'_>, next: Tangent<'_>, z: &mut [f64]) {
        self.map().adjoint(at, next, z);
        for (z, w) in z.iter_mut().zip(next.carried) {
            *z += w;
        }
    }

    fn state_adjoint(&self, at: &Start<'_>, next: Tangent<'_>, state: End<'_>) {
        self.map().position_adjoint(at, next.q, state.q);
        for (v, w) in state.v.iter_mut().zip(next.carried) {
            *v -= w;
        }
        for (w, v) in state.carried.iter_mut().zip(next.v) {
            *w = self.share * v;
        }
    }
}

/// The midpoint rule with the forces at q ⊕ h/2 v, whatever the velocity of the stage is (leapfrog).
#[derive(Debug)]
struct Drift {
    midpoint: Theta,
    displacement: f64,
}

impl Drift {
    fn new(model: &Model) -> Drift {
        Drift {
            midpoint: Theta::midpoint(model, true),
            displacement: 0.0,
        }
    }
}

impl Scheme for Drift {
    fn duplicate(&self, model: &Model, _: bool) -> Box<dyn Scheme> {
        Box::new(Drift::new(model))
    }

    fn stage(&self) -> Option<Stage> {
        self.midpoint.stage().map(|stage| Stage {
            displacement: self.displacement,
            xi0: Mix {
                start: 0.5,
                ..stage.xi0
            },
            ..stage
        })
    }

    fn end(&self, at: &Start<'_>, v_end: &[f64], next: End<'_>) {
        self.midpoint.end(at, v_end, next);
    }

    fn linearize(&mut self, at: &Start<'_>, v_end: &[f64]) {
        self.midpoint.linearize(at, v_end);
    }

    fn map(&self) -> &EndMap {
        self.midpoint.map()
    }

    fn end_columns(
        &self,
        at: &Start<'_>,
        by: By,
        which: Columns<'_>,
        v_end: &[f64],
        q_next: Option<&mut [f64]>,
        v_next: Option<&mut [f64]>,
    ) {
        (self.midpoint).end_columns(at, by, which, v_end, q_next, v_next);
    }

    fn end_direction(&self, at: &Start<'_>, state: Tangent<'_>, dv_end: &[f64], next: End<'_>) {
        self.midpoint.end_direction(at, state, dv_end, next);
    }

    fn end_adjoint(&self, at: &Start<'_>, next: Tangent<'_>, z: &mut [f64]) {
        self.midpoint.end_adjoint(at, next, z);
    }

    fn state_adjoint(&self, at: &Start<'_>, next: Tangent<'_>, state: End<'_>) {
        self.midpoint.state_adjoint(at, next, state);
    }
}

#[derive(Clone, Debug)]
struct Bar {
    dofs: [usize; 2],
    /// Of q, where each hinge has its angle.
    coordinates: [usize; 2],
    stiffness: f64,
}

impl Force for Bar {
    fn entries(&self, _: &Model) -> usize {
        4
    }

    fn apply(&mut self, at: &State<'_>, tau: &mut [f64]) {
        let [i, j] = self.coordinates;
        let f = -self.stiffness * (at.q[i] - at.q[j]);
        tau[self.dofs[0]] += f;
        tau[self.dofs[1]] -= f;
    }

    fn slopes(&self, _: &State<'_>, into: &mut Slopes) {
        for (row, x) in [(0, 1.0), (1, -1.0)] {
            for (column, y) in [(0, x), (1, -x)] {
                into.add([self.dofs[row], self.dofs[column]], self.stiffness * y, 0.0);
            }
        }
    }
}

/// What docs/architecture.md shows.
#[test]
fn a_force_in_an_afternoon() {
    let (model, options) = (random_tree(41, 12), in_body(step_options()));
    let ends: Vec<_> = (model.topology().links.iter())
        .filter(|l| l.kind.nv() == 1)
        .map(|l| (l.iv, l.iq))
        .collect();
    let ((i, at_i), (j, at_j)) = (ends[0], ends[ends.len() - 1]);
    let bar = Bar {
        dofs: [i, j],
        coordinates: [at_i, at_j],
        stiffness: 20.0,
    };
    let mut parts = Parts::new(&model, &options);
    parts.forces.push(Box::new(bar));
    let q = random_q(&mut Rng::new(4), &model, 0.5);
    let sim = Sim::with_parts(Arc::new(model), &options, parts).unwrap();
    Checker::of(sim).run("a tree with a bar", &q, 0.5, 4);
}

/// On its feet, which are in the ground by a hair.
fn on_feet(model: &Model) -> Vec<f64> {
    let mut q = standing(model);
    q[2] = 0.3125;
    q
}

fn step_options() -> Options {
    options(0.002)
}

fn sim(model: &Arc<Model>, law: Option<Glue>, scheme: Option<Echo>) -> Sim {
    let options = step_options();
    let mut parts = Parts::new(model, &options);
    if let Some(law) = law {
        parts.law = Box::new(law);
    }
    if let Some(scheme) = scheme {
        parts.integrator = Box::new(scheme);
    }
    Sim::with_parts(model.clone(), &options, parts).unwrap()
}

fn glue() -> Glue {
    Glue {
        creep: 0.05,
        inverse: Vec::new(),
    }
}

/// Checks all Jacobians against differences, and forward against reverse mode.
fn check(sim: Sim, name: &str) {
    let q = on_feet(sim.model());
    check_at(sim, name, &q);
}

fn check_at(sim: Sim, name: &str, q: &[f64]) {
    let mut c = Checker::of(sim);
    c.select(&[
        param(ParamKind::BodyInertia, 3, 0),
        param(ParamKind::JointDamping, 2, 0),
        param(ParamKind::JointPlacement, 4, 1),
        param(ParamKind::GeomSize, 2, 0),
        param(ParamKind::Gravity, 0, 2),
    ]);
    c.run(name, q, 0.05, 6);
}

#[test]
fn a_law_of_ones_own() {
    let model = Arc::new(quadruped(false));
    let mut probe = sim(&model, Some(glue()), None);
    let q = on_feet(&model);
    let (mut q_next, mut v_next) = (q.clone(), vec![0.0; model.nv()]);
    let (v, u) = (vec![0.0; model.nv()], vec![0.0; model.nu()]);
    probe.step(&q, &v, &u, &mut q_next, &mut v_next).unwrap();
    let pulled: f64 = probe.contacts().iter().map(|c| c.impulse[2]).sum();
    assert!(!probe.contacts().is_empty() && pulled != 0.0);
    // Across the normal σ is the velocity.
    for c in probe.contacts() {
        for k in 0..2 {
            assert!((c.velocity[k] + 0.05 * c.impulse[k]).abs() < 1e-12);
        }
    }
    check(sim(&model, Some(glue()), None), "a quadruped in glue");
}

#[test]
fn an_integrator_of_ones_own() {
    let model = Arc::new(quadruped(false));
    let in_air = sim(&model, None, Some(Echo::new(&model)));
    check_at(in_air, "a quadruped with an echo", &standing(&model));
    check(
        sim(&model, Some(glue()), Some(Echo::new(&model))),
        "a quadruped in glue with an echo",
    );
}

#[test]
fn an_integrator_with_a_stage_of_ones_own() {
    let model = Arc::new(random_tree(41, 12));
    let options = in_body(step_options());
    let mut parts = Parts::new(&model, &options);
    parts.integrator = Box::new(Drift::new(&model));
    let q = random_q(&mut Rng::new(4), &model, 0.5);
    let sim = Sim::with_parts(model, &options, parts).unwrap();
    Checker::of(sim).run("a tree with a drift", &q, 0.5, 4);
}

/// Newton's method finds the velocity of a stage whose positions do not depend on it, or says that it has
/// not: over 2 s the drag of water has no solution near every start.
#[test]
fn a_stage_without_displacement_is_solved() {
    const SWIMMER: &str = r#"<mujoco><option density="1000" viscosity="0.001"/><worldbody><body>
      <joint type="ball" stiffness="5" damping="0.01"/><geom type="capsule" fromto="0 0 0 0 0 -.4" size=".03"/>
      <body pos="0 0 -.4"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -.4" size=".03"/></body>
    </body></worldbody></mujoco>"#;
    let model = load_str(SWIMMER, Format::Mjcf, None, &LoadOptions::default()).unwrap();
    let model = Arc::new(model);
    let mut rng = Rng::new(7);
    for (h, least) in [(0.01, 50), (0.1, 50), (2.0, 25)] {
        let mut solved = 0;
        let options = Options {
            contact: Contact::None,
            ..options(h)
        };
        let mut parts = Parts::new(&model, &options);
        parts.integrator = Box::new(Drift::new(&model));
        let mut sim = Sim::with_parts(model.clone(), &options, parts).unwrap();
        for _ in 0..50 {
            let (q, v) = (random_q(&mut rng, &model, 1.0), rng.vector(model.nv(), 3.0));
            let (mut q_next, mut v_next) = (q.clone(), v.clone());
            sim.step(&q, &v, &[], &mut q_next, &mut v_next).unwrap();
            let info = sim.step_info().unwrap();
            assert!(!info.converged || info.residual < 1e-9, "h = {h}: {info:?}");
            solved += usize::from(info.converged);
        }
        assert!(solved >= least, "h = {h}: {solved} of 50 solved");
    }
}

#[test]
fn a_stage_out_of_range_is_refused() {
    let model = Arc::new(random_tree(41, 12));
    let options = in_body(step_options());
    let mut parts = Parts::new(&model, &options);
    parts.integrator = Box::new(Drift {
        displacement: -0.25,
        ..Drift::new(&model)
    });
    let e = Sim::with_parts(model, &options, parts).unwrap_err();
    assert_eq!(e.status, Status::InvalidArgument);
    assert!(
        e.message
            .contains("displacement must be finite and not negative, got -0.25"),
        "{e}"
    );
}

/// Refusals follow from the parts of a simulation, not from the integrator that the options name.
#[test]
fn stages_of_ones_own_are_refused_where_stages_are() {
    let model = Arc::new(quadruped(false));
    let lagged = Options {
        contact: Contact::Convex,
        convex_variant: ConvexVariant::Lagged,
        ..step_options()
    };
    let refused = |options: &Options, change: &dyn Fn(&mut Parts)| {
        let mut parts = Parts::new(&model, options);
        Sim::with_parts(model.clone(), options, Parts::new(&model, options)).unwrap();
        change(&mut parts);
        let e = Sim::with_parts(model.clone(), options, parts).unwrap_err();
        assert_eq!(e.status, Status::Unsupported, "{e}");
    };
    refused(&lagged, &|parts| {
        parts.integrator = Box::new(Drift::new(&model))
    });
    refused(&step_options(), &|parts| {
        parts.formula = Some(Formula::Bdf1)
    });
}

#[test]
fn names_of_integrators_advance_as_their_parts() {
    let model = random_tree(41, 12);
    for integrator in [
        Integrator::SymplecticEuler,
        Integrator::SymplecticEulerWorld,
        Integrator::ImplicitEuler,
        Integrator::Midpoint,
        Integrator::Bdf1,
        Integrator::Bdf2,
        Integrator::Sdirk2,
    ] {
        let options = Options {
            integrator,
            ..step_options()
        };
        let parts = Parts::new(&model, &options);
        assert_eq!(parts.advance(), integrator.advance(), "{integrator:?}");
    }
}

#[test]
fn what_is_carried_is_checked() {
    let model = Arc::new(quadruped(false));
    let mut echo = sim(&model, None, Some(Echo::new(&model)));
    let mut memory = vec![0.0; echo.memory_size()];
    echo.get_memory(&mut memory).unwrap();
    *memory.last_mut().unwrap() = f64::NAN;
    let e = echo.set_memory(&memory).unwrap_err();
    assert_eq!(e.status, Status::Numerical);
    assert!(e.message.contains(&format!("warm[{}]", memory.len() - 1)));
    assert_eq!(
        Rollout::of(echo, 0).unwrap_err().status,
        Status::InvalidArgument
    );
}

/// What the integrator carries goes through restored memory, checkpoints and the adjoint.
#[test]
fn what_is_carried_comes_back_in_the_adjoint() {
    let model = Arc::new(quadruped(false));
    let (nv, nu, steps) = (model.nv(), model.nu(), 9);
    let mut rng = Rng::new(3);
    let (q0, v0) = (on_feet(&model), rng.vector(nv, 0.05));
    let (u, du) = (rng.vector(nu * steps, 0.5), rng.vector(nu * steps, 1.0));
    let weights = rng.vector(nv * (steps + 1), 1.0);
    let zero = vec![0.0; nv * (steps + 1)];
    let dv = rng.vector(nv, 1.0);
    let mut both = Vec::new();
    for interval in [1, 4] {
        let options = Options {
            checkpoint_interval: interval,
            ..step_options()
        };
        let parts = Parts {
            integrator: Box::new(Echo::new(&model)),
            law: Box::new(glue()),
            ..Parts::new(&model, &options)
        };
        let sim = Sim::with_parts(model.clone(), &options, parts).unwrap();
        assert_eq!(sim.carried(), nv);
        let mut rollout = Rollout::of(sim, steps).unwrap();
        let loss = |rollout: &mut Rollout, e: f64| {
            let v0: Vec<f64> = v0.iter().zip(&dv).map(|(v, d)| v + e * d).collect();
            let u: Vec<f64> = u.iter().zip(&du).map(|(u, d)| u + e * d).collect();
            let mut v = vec![0.0; nv * (steps + 1)];
            rollout
                .run(&q0, &v0, &u, steps, None, Some(&mut v))
                .unwrap();
            v.iter().zip(&weights).map(|(v, w)| v * w).sum::<f64>()
        };
        let slope = (loss(&mut rollout, 1e-5) - loss(&mut rollout, -1e-5)) / 2e-5;
        loss(&mut rollout, 0.0);
        let (mut v_bar, mut u_bar) = (vec![0.0; nv], vec![0.0; nu * steps]);
        rollout
            .adjoint(
                &zero,
                &weights,
                None,
                Some(&mut v_bar),
                Some(&mut u_bar),
                None,
            )
            .unwrap();
        let along = |bar: &[f64], d: &[f64]| bar.iter().zip(d).map(|(a, b)| a * b).sum::<f64>();
        let found = along(&v_bar, &dv) + along(&u_bar, &du);
        assert!(
            (found - slope).abs() < 1e-6 * slope.abs(),
            "{found} {slope}"
        );
        both.push(v_bar);
    }
    assert_eq!(both[0], both[1]);
}
