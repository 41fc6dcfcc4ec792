//! The solver alone: problems given by their matrices obey the laws, and have the derivatives of differences by all that
//! they are made of; a step of a simulation is one of them.

mod common;

use common::checker::{quadruped_spec, standing};
use common::scene::{at, cuboid, free, on_ground};
use common::{Rng, at_once, difference, in_body, relative_error};
use diffsim::contact::mode::Mode;
use diffsim::error::Status;
use diffsim::model::spec::ModelSpec;
use diffsim::model::{Actuation, Model};
use diffsim::problem::{ContactProblem, ProblemBars, ProblemData, ProblemOptions};
use diffsim::step::{Contact, Gradient, Options, Sim};
use std::sync::Arc;

/// Those with impulses.
const LAWS: [Contact; 3] = [Contact::Ncp, Contact::Lcp, Contact::Convex];

/// Everything that makes a problem, or a variation of one: A, J, v_free, target, friction, compliance.
#[derive(Clone)]
struct Case([Vec<f64>; 6]);

impl Case {
    fn data(&self) -> ProblemData<'_> {
        let [a, j, v_free, target, friction, compliance] = self.0.each_ref().map(|x| &x[..]);
        ProblemData {
            a,
            j,
            v_free,
            target,
            friction,
            compliance,
        }
    }

    fn rows(&self) -> usize {
        self.0[3].len()
    }

    /// Contacts that come down on a body of many dofs, none of them the same.
    fn random(rng: &mut Rng, law: Contact, nv: usize, contacts: usize) -> Case {
        let rows = 3 * contacts;
        let b = rng.vector(nv * nv, 1.0);
        let mut a = vec![0.0; nv * nv];
        for i in 0..nv {
            for j in 0..nv {
                let dot: f64 = (0..nv).map(|k| b[k * nv + i] * b[k * nv + j]).sum();
                a[j * nv + i] = 0.3 * dot + f64::from(i == j);
            }
        }
        let mut target = rng.vector(rows, 0.3);
        target.iter_mut().skip(2).step_by(3).for_each(|t| *t -= 0.7);
        let compliance = match law {
            Contact::Convex => (0..contacts)
                .flat_map(|_| {
                    let tangential = rng.range(0.003, 0.03);
                    [tangential, tangential, rng.range(0.02, 0.3)]
                })
                .collect(),
            _ => Vec::new(),
        };
        Case([
            a,
            rng.vector(rows * nv, 1.0),
            rng.vector(nv, 1.0),
            target,
            (0..contacts).map(|_| rng.range(0.1, 0.8)).collect(),
            compliance,
        ])
    }

    /// The same on two bodies whose dofs alternate: the first contact on the one, the second on the other, the third on both.
    fn on_two_bodies(mut self) -> Case {
        let (nv, rows) = (self.0[2].len(), self.rows());
        for i in 0..nv {
            for j in (0..nv).filter(|j| (i + j) % 2 == 1) {
                self.0[0][j * nv + i] = 0.0;
            }
            for row in (0..rows).filter(|row| row / 3 % 3 != 2 && row / 3 % 2 != i % 2) {
                self.0[1][i * rows + row] = 0.0;
            }
        }
        self
    }

    /// A direction of one part of it, or of all: that of A symmetric, that of R the same along tangents.
    fn direction(&self, rng: &mut Rng, part: Option<usize>) -> Case {
        let nv = self.0[2].len();
        let mut d = Case(self.0.each_ref().map(|x| rng.vector(x.len(), 1.0)));
        for i in 0..nv {
            for j in 0..i {
                d.0[0][j * nv + i] = d.0[0][i * nv + j];
            }
        }
        for r in d.0[5].chunks_exact_mut(3) {
            r[1] = r[0];
            // The tangents' R is small.
            r.iter_mut().for_each(|r| *r *= 0.01);
        }
        for k in 0..6 {
            if part.is_some_and(|part| part != k) {
                d.0[k].clear();
            }
        }
        d
    }

    fn moved(&self, by: &Case, e: f64) -> Case {
        let mut to = self.clone();
        for (to, by) in to.0.iter_mut().zip(&by.0) {
            for (to, by) in to.iter_mut().zip(by) {
                *to += e * by;
            }
        }
        to
    }

    /// A and J times vectors.
    fn times_a(&self, x: &[f64]) -> Vec<f64> {
        let nv = x.len();
        let row = |i: usize| (0..nv).map(|k| self.0[0][k * nv + i] * x[k]).sum();
        (0..nv).map(row).collect()
    }

    fn sigma(&self, v: &[f64]) -> Vec<f64> {
        let rows = self.rows();
        let row = |i: usize| (0..v.len()).map(move |k| self.0[1][k * rows + i] * v[k]);
        (0..rows)
            .map(|i| self.0[3][i] + row(i).sum::<f64>())
            .collect()
    }

    fn force(&self, impulse: &[f64]) -> Vec<f64> {
        let columns = self.0[1].chunks_exact(self.rows());
        columns.map(|column| dot(column, impulse)).collect()
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn options(law: Contact, nv: usize, max_contacts: usize) -> ProblemOptions {
    ProblemOptions {
        law,
        nv,
        max_contacts,
        ..ProblemOptions::default()
    }
}

fn solver(law: Contact, nv: usize, max_contacts: usize) -> ContactProblem {
    ContactProblem::new(&options(law, nv, max_contacts)).unwrap()
}

/// The solution: v, then the impulses.
fn solve(solver: &mut ContactProblem, case: &Case) -> Vec<f64> {
    let nv = case.0[2].len();
    let mut x = vec![0.0; nv + case.rows()];
    let (v, impulse) = x.split_at_mut(nv);
    let info = solver.solve(&case.data(), v, impulse).unwrap();
    assert!(info.converged, "{info:?}");
    x
}

fn jvp(solver: &mut ContactProblem, by: &Case, nv: usize, rows: usize) -> Vec<f64> {
    let mut x = vec![0.0; nv + rows];
    let (dv, dimpulse) = x.split_at_mut(nv);
    solver.jvp(&by.data(), dv, dimpulse).unwrap();
    x
}

/// Gradients by everything, in the shapes of the case.
fn vjp(solver: &mut ContactProblem, case: &Case, bar: &[f64]) -> Case {
    let mut out = case.clone();
    let (v_bar, impulse_bar) = bar.split_at(case.0[2].len());
    let yields = !case.0[5].is_empty();
    let [a, j, v_free, target, friction, compliance] = out.0.each_mut().map(|x| &mut x[..]);
    let bars = ProblemBars {
        a: Some(a),
        j: Some(j),
        v_free: Some(v_free),
        target: Some(target),
        friction: Some(friction),
        compliance: yields.then_some(compliance),
    };
    solver.vjp(v_bar, impulse_bar, bars).unwrap();
    out
}

/// How far impulses are from their law, by what each law says of σ and λ.
fn off_law(law: Contact, case: &Case, sigma: &[f64], impulse: &[f64]) -> f64 {
    let mut worst = 0.0f64;
    let contacts = sigma.chunks_exact(3).zip(impulse.chunks_exact(3));
    for (i, ((s, l), mu)) in contacts.zip(&case.0[4]).enumerate() {
        let slip = s[0].hypot(s[1]);
        let friction = l[0].hypot(l[1]);
        let off = match law {
            Contact::Convex => {
                // The projection of y = −R⁻¹σ on the cone, in the norm of R.
                let r = &case.0[5][3 * i..3 * i + 3];
                let y = [0, 1, 2].map(|k| -s[k] / r[k]);
                let (y_t, ratio) = (y[0].hypot(y[1]), mu * r[0] / r[2]);
                let projected = if y_t <= mu * y[2] {
                    y
                } else if y[2] <= -ratio * y_t {
                    [0.0; 3]
                } else {
                    let n = (y[2] + ratio * y_t) / (1.0 + mu * ratio);
                    [mu * n * y[0] / y_t, mu * n * y[1] / y_t, n]
                };
                relative_error(l, &projected)
            }
            Contact::Lcp => {
                let boxed = |s: f64, l: f64| {
                    let bound = mu * impulse[3 * i + 2];
                    let within = (l.abs() - bound).max(0.0);
                    // At rest inside, against the motion at the bound.
                    let against = (l + bound * s.signum()).abs().min(s.abs());
                    within.max(against)
                };
                boxed(s[0], l[0])
                    .max(boxed(s[1], l[1]))
                    .max((-s[2]).max(0.0))
                    .max((-l[2]).max(0.0))
                    .max((s[2] * l[2]).abs())
            }
            _ => {
                let within = (friction - mu * l[2]).max(0.0);
                let dissipation = (l[0] * s[0] + l[1] * s[1] + mu * l[2] * slip).abs();
                within
                    .max(dissipation)
                    .max((-s[2]).max(0.0))
                    .max((-l[2]).max(0.0))
                    .max((s[2] * l[2]).abs())
            }
        };
        worst = worst.max(off);
    }
    worst
}

/// 200 problems a law: the momentum is balanced, and impulses are what the law says.
#[test]
fn solutions_balance_momentum_and_obey_their_law() {
    for law in LAWS {
        let mut rng = Rng::new(1);
        let mut seen = [0; 3];
        let mut solver = solver(law, 14, 5);
        for k in 0..200 {
            let mut case = Case::random(&mut rng, law, 14, 1 + k % 5);
            if k % 2 == 1 {
                case = case.on_two_bodies();
            }
            solver.reset();
            let x = solve(&mut solver, &case);
            let (v, impulse) = x.split_at(14);
            let change: Vec<f64> = v.iter().zip(&case.0[2]).map(|(v, f)| v - f).collect();
            let balance = relative_error(&case.times_a(&change), &case.force(impulse));
            assert!(balance < 1e-12, "{law:?} {k}: {balance:e}");
            let off = off_law(law, &case, &case.sigma(v), impulse);
            assert!(off < 1e-9, "{law:?} {k}: {off:e}");
            for mode in solver.modes() {
                match mode {
                    Mode::Breaking => seen[0] += 1,
                    Mode::Sticking => seen[1] += 1,
                    _ => seen[2] += 1,
                }
            }
        }
        assert!(seen.iter().all(|n| *n > 10), "{law:?} {seen:?}");
    }
}

/// Directions of each of the six, and of all at once, wherever no mode changes inside the difference; adjoints.
#[test]
fn derivatives_are_those_of_differences() {
    const EPS: f64 = 1e-5;
    for law in LAWS {
        let (mut rng, nv) = (Rng::new(2), 14);
        let (mut checked, mut worst, mut apart) = (0, 0.0f64, 0.0f64);
        let mut solver = solver(law, nv, 5);
        for k in 0..40 {
            let mut case = Case::random(&mut rng, law, nv, 1 + k % 5);
            if k % 2 == 1 {
                case = case.on_two_bodies();
            }
            for part in (0..6).map(Some).chain([None]) {
                let by = case.direction(&mut rng, part);
                solver.reset();
                solve(&mut solver, &case);
                let modes = solver.modes().to_vec();
                let d = jvp(&mut solver, &by, nv, case.rows());
                assert_eq!(solver.info().unwrap().gradient, Gradient::Exact);
                let bar = rng.vector(nv + case.rows(), 1.0);
                let bars = vjp(&mut solver, &case, &bar);
                let forward = dot(&d, &bar);
                let parts = bars.0.iter().zip(&by.0);
                let backward: f64 = parts.map(|(b, d)| dot(b, d)).sum();
                apart = apart.max((forward - backward).abs() / forward.abs().max(1.0));
                let mut same = true;
                let expected = difference(EPS, |e| {
                    let x = solve(&mut solver, &case.moved(&by, e));
                    same &= modes == solver.modes();
                    x
                });
                if same {
                    checked += 1;
                    worst = worst.max(relative_error(&d, &expected));
                }
            }
        }
        println!("{law:?}: {checked} directions, worst {worst:.1e}, adjoints {apart:.1e}");
        assert!(
            checked > 250 && worst < 1e-6,
            "{law:?} {checked} {worst:.1e}"
        );
        assert!(apart < 1e-10, "{law:?} {apart:.1e}");
    }
}

/// A box of 2 kg that stands on its four corners, or slides: J of the corners, below the centre by z.
fn on_corners(law: Contact, v_free: [f64; 6], mu: f64) -> Case {
    let arms = [(0.2, 0.1), (-0.2, 0.1), (-0.2, -0.1), (0.2, -0.1)].map(|(x, y)| [x, y, -0.15]);
    let mut j = vec![0.0; 12 * 6];
    for (c, [x, y, z]) in arms.into_iter().enumerate() {
        // v + ω × arm
        let turn = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]];
        for axis in 0..3 {
            j[axis * 12 + 3 * c + axis] = 1.0;
            for (row, line) in turn.iter().enumerate() {
                j[(3 + axis) * 12 + 3 * c + row] = -line[axis];
            }
        }
    }
    let mut a = vec![0.0; 36];
    for (k, m) in [2.0, 2.0, 2.0, 0.03, 0.05, 0.06].into_iter().enumerate() {
        a[7 * k] = m;
    }
    let compliance = match law {
        Contact::Convex => [1e-3, 1e-3, 0.02].repeat(4),
        _ => Vec::new(),
    };
    Case([
        a,
        j,
        v_free.to_vec(),
        vec![0.0; 12],
        vec![mu; 4],
        compliance,
    ])
}

/// Four corners depend on each other: the velocity has its derivative by free velocity, mass and friction, and is labelled
/// exact; of a target of one corner it is said that it is not.
#[test]
fn corners_that_depend_on_each_other_have_the_right_derivative() {
    for law in LAWS {
        for (speed, mu) in [(0.0, 0.6), (1.0, 0.3)] {
            let case = on_corners(law, [speed, 0.3 * speed, -0.05, 0.0, 0.0, 0.01], mu);
            let mut solver = solver(law, 6, 4);
            let x = solve(&mut solver, &case);
            let off = off_law(law, &case, &case.sigma(&x[..6]), &x[6..]);
            assert!(off < 1e-9, "{law:?} {off:e}");
            let mut rng = Rng::new(3);
            for part in [0, 2, 4] {
                let mut by = case.direction(&mut rng, Some(part));
                by.0[0].iter_mut().for_each(|x| *x *= 0.01);
                solve(&mut solver, &case);
                let d = jvp(&mut solver, &by, 6, 12);
                let label = solver.info().unwrap().gradient;
                assert_eq!(label, Gradient::Exact, "{law:?} {speed} {part}");
                let expected = difference(1e-6, |e| solve(&mut solver, &case.moved(&by, e)));
                let error = relative_error(&d[..6], &expected[..6]);
                assert!(error < 1e-6, "{law:?} {speed} {part}: {error:e}");
            }
            solve(&mut solver, &case);
            let unique = solver.impulses_are_unique().unwrap();
            let yields = law == Contact::Convex;
            assert_eq!(unique, yields, "{law:?} {speed}");
            let mut corner = Case([const { Vec::new() }; 6]);
            corner.0[3] = vec![0.0; 12];
            corner.0[3][2] = 1.0;
            jvp(&mut solver, &corner, 6, 12);
            let expected = if yields {
                Gradient::Exact
            } else {
                Gradient::OneSided
            };
            assert_eq!(solver.info().unwrap().gradient, expected, "{law:?} {speed}");
        }
    }
}

/// A, J, v_free and the target of a step, as an engine with dynamics of its own would make them.
fn of_step(sim: &mut Sim, q: &[f64], v: &[f64], u: &[f64]) -> Case {
    let (model, h) = (sim.model().clone(), sim.options().time_step);
    let (nv, reports) = (model.nv(), sim.contacts().to_vec());
    let rows = 3 * reports.len();
    let (mut a, mut acc) = (vec![0.0; nv * nv], vec![0.0; nv]);
    sim.mass_matrix(q, &mut a).unwrap();
    sim.forward_dynamics(q, v, u, &mut acc).unwrap();
    let mut placements = vec![0.0; 16 * model.nbody()];
    sim.forward_kinematics(q, &mut placements).unwrap();
    let mut case = Case([
        a,
        vec![0.0; rows * nv],
        v.iter().zip(&acc).map(|(v, a)| v + h * a).collect(),
        vec![0.0; rows],
        vec![0.7; reports.len()],
        Vec::new(),
    ]);
    for (c, report) in reports.iter().enumerate() {
        for (body, sign) in report.body.into_iter().zip([-1.0, 1.0]) {
            let frame = &placements[16 * body..16 * body + 16];
            let from = [0, 1, 2].map(|k| report.point[k] - frame[12 + k]);
            let local = [0, 1, 2].map(|k| dot(&frame[4 * k..4 * k + 3], &from));
            let mut jacobian = vec![0.0; 6 * nv];
            sim.body_jacobian(q, body, local, &mut jacobian).unwrap();
            let [t1, t2] = report.tangents;
            for (r, axis) in [t1, t2, report.normal].into_iter().enumerate() {
                for k in 0..nv {
                    let speed = dot(&axis, &jacobian[6 * k..6 * k + 3]);
                    case.0[1][k * rows + 3 * c + r] += sign * speed;
                }
            }
        }
        case.0[3][3 * c + 2] = report.gap / h;
    }
    case
}

/// A box, a stack of two, beside which a third stands alone, and a robot on the ground: the problem that their dynamics make has the velocity and the impulses of the step.
#[test]
fn a_step_is_such_a_problem() {
    let ground_box = on_ground(0.7, 0.0999, 2.0, cuboid(0.2, 0.15, 0.1));
    let mut robot = quadruped_spec(false);
    for j in robot.bodies.iter_mut().flat_map(|b| &mut b.joints) {
        (j.damping, j.friction_loss) = (0.0, 0.0);
    }
    let mut stack = ground_box.clone();
    for (name, x, z) in [("upper", 0.01, 0.2998), ("third", 1.0, 0.0999)] {
        let shape = cuboid(0.2, 0.15, 0.1);
        free(&mut stack, name, at(x, 0.0, z), 1.0, shape);
    }
    for geom in &mut stack.geoms {
        geom.friction[0] = 0.7;
    }
    let compile = |spec: ModelSpec| Arc::new(Model::compile(spec, Actuation::Full).unwrap());
    let laws = LAWS.into_iter().filter(|law| *law != Contact::Convex);
    for (law, (model, feet)) in laws.flat_map(|law| {
        [
            (law, (compile(ground_box.clone()), 4)),
            (law, (compile(stack.clone()), 12)),
            (law, (compile(robot.clone()), 4)),
        ]
    }) {
        let options = at_once(in_body(Options {
            time_step: 1e-3,
            contact: law,
            ..Options::default()
        }));
        let (nq, nv) = (model.nq(), model.nv());
        let mut sim = Sim::new(model.clone(), &options).unwrap();
        let walks = nv == 18 && feet == 4;
        let mut q = match walks {
            true => standing(&model),
            false => model.neutral().to_vec(),
        };
        if walks {
            // Down to the ground.
            let mut placements = vec![0.0; 16 * model.nbody()];
            sim.forward_kinematics(&q, &mut placements).unwrap();
            let calf = &placements[16 * 4..16 * 5];
            q[2] -= calf[14] - 0.21 * calf[10] - 0.02 + 1e-4;
        }
        let mut rng = Rng::new(4);
        let v = rng.vector(nv, 0.05);
        let u: Vec<f64> = (0..model.nu())
            .map(|k| if walks && k >= 6 { 0.1 * k as f64 } else { 0.0 })
            .collect();
        let (mut q_next, mut v_next) = (vec![0.0; nq], vec![0.0; nv]);
        sim.step(&q, &v, &u, &mut q_next, &mut v_next).unwrap();
        let reports = sim.contacts().to_vec();
        assert_eq!(reports.len(), feet);
        let case = of_step(&mut sim, &q, &v, &u);
        let x = solve(&mut solver(law, nv, feet), &case);
        let error = relative_error(&x[..nv], &v_next);
        assert!(error < 1e-10, "{law:?} {nv}: {error:e}");
        let impulses: Vec<f64> = reports.iter().flat_map(|r| r.impulse).collect();
        let size = impulses.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let error = relative_error(&x[nv..], &impulses) / size.min(1.0);
        assert!(size > 1e-3 && error < 1e-8, "{law:?} {nv}: {error:e}");
    }
}

/// More rows than are held as one matrix: a plate on a grid of points.
#[test]
fn many_contacts_on_few_dofs() {
    for law in LAWS {
        let one = on_corners(law, [0.3, 0.1, -0.05, 0.1, 0.0, 0.2], 0.4);
        let (mut rng, copies) = (Rng::new(5), 10);
        // The box under other corners.
        let rows = 12 * copies;
        let mut case = one.clone();
        case.0[1] = vec![0.0; rows * 6];
        for k in 0..copies {
            let s = 1.0 - 0.05 * k as f64;
            for column in 0..6 {
                for row in 0..12 {
                    let lever = if column < 3 || row % 3 != 2 { 1.0 } else { s };
                    let x = one.0[1][column * 12 + row];
                    case.0[1][column * rows + 12 * k + row] = lever * x;
                }
            }
        }
        case.0[3] = vec![0.0; rows];
        case.0[4] = vec![0.4; 4 * copies];
        case.0[5] = one.0[5].repeat(copies);
        let mut solver = solver(law, 6, 4 * copies);
        let x = solve(&mut solver, &case);
        let off = off_law(law, &case, &case.sigma(&x[..6]), &x[6..]);
        assert!(off < 1e-9, "{law:?} {off:e}");
        let by = case.direction(&mut rng, Some(2));
        let d = jvp(&mut solver, &by, 6, rows);
        let bar = rng.vector(6, 1.0);
        let mut free = vec![0.0; 6];
        let bars = ProblemBars {
            v_free: Some(&mut free),
            ..ProblemBars::default()
        };
        solver.vjp(&bar, &[], bars).unwrap();
        let (forward, backward) = (dot(&d[..6], &bar), dot(&free, &by.0[2]));
        assert!((forward - backward).abs() < 1e-9 * forward.abs().max(1.0));
    }
}

/// A ball that just touches: of an impulse there is one to one side only.
#[test]
fn the_label_of_a_touch_is_one_sided() {
    for law in LAWS {
        let mut case = Case::random(&mut Rng::new(9), law, 6, 1);
        let mut solver = solver(law, 6, 1);
        case.0[2].fill(0.0);
        case.0[3].fill(0.0);
        solve(&mut solver, &case);
        assert_eq!(solver.info().unwrap().gradient, Gradient::OneSided);
        let by = case.direction(&mut Rng::new(10), Some(2));
        jvp(&mut solver, &by, 6, 3);
        assert_eq!(solver.info().unwrap().gradient, Gradient::OneSided);
    }
}

#[test]
fn without_contacts_the_velocity_is_free() {
    for law in LAWS {
        let mut rng = Rng::new(6);
        let case = Case::random(&mut rng, law, 4, 0);
        let mut solver = solver(law, 4, 2);
        assert_eq!(solve(&mut solver, &case), case.0[2]);
        let by = case.direction(&mut rng, None);
        assert_eq!(jvp(&mut solver, &by, 4, 0), by.0[2]);
        let bars = vjp(&mut solver, &case, &[1.0, 2.0, 3.0, 4.0]);
        assert_eq!(bars.0[2], [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(bars.0[0], [0.0; 16]);
        let info = solver.info().unwrap();
        assert!(info.converged && info.gradient == Gradient::Exact && info.contacts == 0);
        // The next one may have some.
        solve(&mut solver, &Case::random(&mut rng, law, 4, 1));
    }
}

/// The warm start is state: without it a solve is that of a new solver, to the bit.
#[test]
fn a_reset_solver_is_a_new_one() {
    for law in LAWS {
        let mut rng = Rng::new(7);
        let cases: Vec<Case> = (0..8).map(|_| Case::random(&mut rng, law, 9, 3)).collect();
        let mut used = solver(law, 9, 3);
        for case in &cases {
            used.reset();
            let x = solve(&mut used, case);
            assert_eq!(x, solve(&mut solver(law, 9, 3), case));
            let again = solve(&mut used, case);
            assert!(relative_error(&again, &x) < 1e-12, "{law:?}");
        }
        used.reset();
        let none = used.info().unwrap_err();
        assert_eq!(none.status, Status::NoStep);
    }
}

#[test]
fn bad_input_is_refused_and_nothing_is_written() {
    for law in LAWS {
        let mut rng = Rng::new(8);
        let good = Case::random(&mut rng, law, 5, 2);
        let mut solver = solver(law, 5, 2);
        let early = solver.jvp(&ProblemData::default(), &mut [0.0; 5], &mut [0.0; 6]);
        assert_eq!(early.unwrap_err().status, Status::NoStep);
        let early = solver.vjp(&[], &[], ProblemBars::default());
        assert_eq!(early.unwrap_err().status, Status::NoStep);
        let solution = solve(&mut solver, &good);
        let by = good.direction(&mut rng, None);
        let derivative = jvp(&mut solver, &by, 5, 6);

        let mut refuse = |change: &dyn Fn(&mut Case), status: Status, said: &str| {
            let mut case = good.clone();
            change(&mut case);
            let (mut v, mut impulse) = (vec![7.0; 5], vec![7.0; case.rows()]);
            let e = solver.solve(&case.data(), &mut v, &mut impulse);
            let e = e.unwrap_err();
            assert!(e.status == status && e.message.contains(said), "{e} {said}");
            assert!(v.iter().chain(&impulse).all(|x| *x == 7.0));
            // The last solution stays.
            assert_eq!(jvp(&mut solver, &by, 5, 6), derivative);
        };
        let invalid = Status::InvalidArgument;
        refuse(
            &|c| c.0[0][1] += 0.1,
            invalid,
            "A must be symmetric: A[0, 1]",
        );
        refuse(
            &|c| c.0[0][3 * 5 + 3] = -1.0,
            invalid,
            "A must be positive definite: its Cholesky pivot 3",
        );
        refuse(&|c| c.0[0].fill(0.0), invalid, "Cholesky pivot 0");
        refuse(&|c| c.0[0][7] = f64::NAN, Status::Numerical, "A[7]");
        refuse(&|c| c.0[1][3] = f64::INFINITY, Status::Numerical, "J[3]");
        refuse(&|c| c.0[2][0] = f64::NAN, Status::Numerical, "v_free[0]");
        refuse(&|c| c.0[3][5] = f64::NAN, Status::Numerical, "target[5]");
        refuse(&|c| c.0[4][1] = f64::NAN, Status::Numerical, "friction[1]");
        refuse(
            &|c| c.0[4][1] = -0.1,
            invalid,
            "friction[1] must be at least 0",
        );
        refuse(&|c| c.0[1].truncate(29), invalid, "J must have 30 entries");
        refuse(
            &|c| c.0[4].push(0.1),
            Status::Capacity,
            "options.max_contacts = 2",
        );
        if law == Contact::Convex {
            refuse(
                &|c| c.0[5].clear(),
                invalid,
                "compliance must have 6 entries",
            );
            refuse(
                &|c| c.0[5][2] = 0.0,
                invalid,
                "compliance[2] must be positive",
            );
            refuse(&|c| c.0[5][4] *= 2.0, invalid, "compliance[4] must be");
        } else {
            refuse(&|c| c.0[5] = vec![0.1; 6], invalid, "compliance: ");
        }
        assert!(relative_error(&solve(&mut solver, &good), &solution) < 1e-12);
        let (mut dv, mut dimpulse) = ([7.0; 5], [7.0; 6]);
        let long = ProblemData {
            target: &[0.0; 5],
            ..ProblemData::default()
        };
        let e = solver.jvp(&long, &mut dv, &mut dimpulse).unwrap_err();
        assert!(e.message.contains("dtarget must have 6 entries"), "{e}");
        assert!(dv == [7.0; 5] && dimpulse == [7.0; 6]);

        // One iteration does not solve four contacts that come as they please.
        let hard = ProblemOptions {
            max_iterations: 1,
            ..options(law, 12, 8)
        };
        let mut stopped = ContactProblem::new(&hard).unwrap();
        let case = Case::random(&mut rng, law, 12, 8);
        let (mut v, mut impulse) = ([0.0; 12], [0.0; 24]);
        let info = stopped.solve(&case.data(), &mut v, &mut impulse).unwrap();
        assert!(
            !info.converged && info.gradient == Gradient::Refused,
            "{law:?}"
        );
        let e = stopped.jvp(&ProblemData::default(), &mut v, &mut impulse);
        assert_eq!(e.unwrap_err().status, Status::NotConverged);
    }
    for (o, status, said) in [
        (
            options(Contact::Ncp, 0, 1),
            Status::InvalidArgument,
            "options.nv",
        ),
        (
            options(Contact::Ncp, 1, 0),
            Status::InvalidArgument,
            "options.max_contacts",
        ),
        (
            options(Contact::None, 1, 1),
            Status::InvalidArgument,
            "options.law",
        ),
        (
            options(Contact::Penalty, 1, 1),
            Status::InvalidArgument,
            "options.law",
        ),
        (
            options(Contact::Ncp, usize::MAX / 2, 1),
            Status::Capacity,
            "memory",
        ),
        (
            options(Contact::Convex, 6, 1 << 60),
            Status::Capacity,
            "memory",
        ),
    ] {
        let e = ContactProblem::new(&o).unwrap_err();
        assert!(e.status == status && e.message.contains(said), "{e}");
    }
}

/// Numbers of any size: a finite solution or an error, a finite derivative or an error, and an end.
#[test]
fn extreme_numbers_come_to_an_end() {
    for law in LAWS {
        let mut rng = Rng::new(11);
        let (mut solved, mut refused, mut unsolved) = (0, 0, 0);
        let mut solver = solver(law, 6, 4);
        for k in 0..300 {
            let mut case = match k % 3 {
                0 => on_corners(law, [0.3, 0.1, -0.1, 0.0, 0.2, 0.1], 0.5),
                _ => Case::random(&mut rng, law, 6, 1 + k % 4),
            };
            for (part, values) in case.0.iter_mut().enumerate() {
                // A quarter of the parts, by up to hundreds of powers of ten; or some of their entries.
                let power = [0.0, 0.0, 0.0, rng.range(-1.0, 1.0)][rng.below(4)];
                let reach = [3.0, 20.0, 300.0][rng.below(3)];
                let whole = part == 0 || part == 5 || rng.below(2) == 0;
                let scale = 10f64.powf(power * reach);
                for x in values.iter_mut() {
                    if whole || rng.below(4) == 0 {
                        *x *= scale;
                    }
                }
            }
            if k % 7 == 0 {
                let rows = case.rows();
                for row in 0..3 {
                    case.0[1]
                        .iter_mut()
                        .skip(row)
                        .step_by(rows)
                        .for_each(|x| *x = 0.0);
                }
            }
            let (mut v, mut impulse) = (vec![7.0; 6], vec![7.0; case.rows()]);
            let info = match solver.solve(&case.data(), &mut v, &mut impulse) {
                Ok(info) => info,
                Err(_) => {
                    refused += 1;
                    assert!(v.iter().chain(&impulse).all(|x| *x == 7.0));
                    continue;
                }
            };
            assert!(v.iter().chain(&impulse).all(|x| x.is_finite()));
            solved += usize::from(info.converged);
            unsolved += usize::from(!info.converged);
            let by = case.direction(&mut rng, None);
            let rows = case.rows();
            let (mut dv, mut dimpulse) = (vec![7.0; 6], vec![7.0; rows]);
            match solver.jvp(&by.data(), &mut dv, &mut dimpulse) {
                Ok(()) => assert!(dv.iter().chain(&dimpulse).all(|x| x.is_finite())),
                Err(e) => {
                    assert!(dv.iter().chain(&dimpulse).all(|x| *x == 7.0));
                    assert!(!info.converged || e.status == Status::Numerical, "{e}");
                }
            }
            let mut bars = case.clone();
            let [a, j, v_free, ..] = bars.0.each_mut().map(|x| &mut x[..]);
            let out = ProblemBars {
                a: Some(a),
                j: Some(j),
                v_free: Some(v_free),
                ..ProblemBars::default()
            };
            let done = solver.vjp(&dv, &dimpulse, out);
            if done.is_ok() {
                let finite = |x: &[f64]| x.iter().all(|x| x.is_finite());
                assert!(
                    finite(&bars.0[0]) && finite(&bars.0[1]) && finite(&bars.0[2]),
                    "{law:?} {k}"
                );
            }
        }
        println!("{law:?}: {solved} solved, {unsolved} not, {refused} refused");
        assert!(solved > 150 && refused > 0, "{law:?}");
    }
}
