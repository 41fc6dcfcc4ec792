//! All Jacobians of a step with constraints against differences, wherever no mode changes inside the
//! difference, and forward against reverse mode; scenes that several tests use.

use super::all_jacobians;
use super::{Rng, relative_error};
use diffsim::contact::mode::Mode;
use diffsim::model::params::Param;
use diffsim::model::spec::{GeomSpec, JointKind, JointSpec, ModelSpec, ShapeSpec};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::{Inertia, Pose, Sym3, Vec3};
use diffsim::step::{Contact, Gradient, Options, Sim};
use std::sync::Arc;

pub fn ground(spec: &mut ModelSpec, friction: f64) {
    let mut g = GeomSpec::new(
        "ground",
        0,
        Pose::IDENTITY,
        ShapeSpec::Plane {
            half_extents: [0.0; 2],
        },
    );
    g.friction[0] = friction;
    g.priority = 1;
    spec.geoms.push(g);
}

pub fn free_body(spec: &mut ModelSpec, name: &str, at: Vec3, shape: ShapeSpec) {
    let id = spec.bodies.len();
    let mut b = diffsim::model::spec::BodySpec::world();
    b.name = name.into();
    b.placement = Pose::translation(at);
    b.inertia = Inertia::from_com(
        1.0,
        Vec3::ZERO,
        Sym3::diagonal(Vec3::new(0.02, 0.025, 0.03)),
    );
    b.joints = vec![JointSpec::new(format!("{name}_free"), JointKind::Free)];
    spec.bodies.push(b);
    spec.geoms
        .push(GeomSpec::new(name, id, Pose::IDENTITY, shape));
}

/// A free trunk with four three-joint legs that end in spheres; limits and dry friction on joints.
pub fn quadruped(self_collision: bool) -> Model {
    Model::compile(quadruped_spec(self_collision), Actuation::Full).unwrap()
}

pub fn quadruped_spec(self_collision: bool) -> ModelSpec {
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.7);
    let half = Vec3::new(0.19, 0.05, 0.06);
    free_body(
        &mut spec,
        "trunk",
        Vec3::new(0.0, 0.0, 0.35),
        ShapeSpec::Box { half_extents: half },
    );
    spec.bodies[1].inertia = Inertia::from_com(
        5.0,
        Vec3::new(0.01, 0.0, 0.0),
        Sym3::diagonal(Vec3::new(0.02, 0.06, 0.07)),
    );
    for (i, (x, y)) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)]
        .into_iter()
        .enumerate()
    {
        let mut parent = 1;
        for (part, at, axis, mass) in [
            ("hip", Vec3::new(x * 0.19, y * 0.05, 0.0), Vec3::X, 0.6),
            ("thigh", Vec3::new(0.0, y * 0.08, 0.0), Vec3::Y, 0.9),
            ("calf", Vec3::new(0.0, 0.0, -0.21), Vec3::Y, 0.2),
        ] {
            let id = spec.bodies.len();
            let mut b = diffsim::model::spec::BodySpec::world();
            b.name = format!("{part}{i}");
            b.parent = parent;
            b.placement = Pose::translation(at);
            b.inertia = Inertia::from_com(
                mass,
                Vec3::new(0.0, 0.0, -0.05),
                Sym3::diagonal(Vec3::new(4e-3, 4e-3, 1e-3)),
            );
            let mut j = JointSpec::new(format!("{part}{i}"), JointKind::Revolute);
            j.axis = axis;
            j.damping = 0.5;
            j.armature = 0.01;
            j.limits = Some((-2.7, 2.7));
            if part == "calf" {
                j.friction_loss = 0.2;
                j.limits = Some((-2.7, -0.9));
            }
            b.joints = vec![j];
            spec.bodies.push(b);
            parent = id;
        }
        let place = Pose::translation(Vec3::new(0.0, 0.0, -0.21));
        let mut g = GeomSpec::new(
            format!("foot{i}"),
            parent,
            place,
            ShapeSpec::Sphere { radius: 0.02 },
        );
        if !self_collision {
            g.contype = 0;
            g.conaffinity = 1;
        }
        spec.geoms.push(g);
    }
    spec
}

pub fn standing(model: &Model) -> Vec<f64> {
    let mut q = model.neutral().to_vec();
    for leg in 0..4 {
        q[7 + 3 * leg + 1] = 0.8;
        q[7 + 3 * leg + 2] = -1.6;
    }
    q[2] = 0.32;
    q
}

/// Outcome of a step as tangent of q⁺ at `base` and v⁺, and the modes it went through.
pub struct Outcome {
    pub x: Vec<f64>,
    pub modes: Modes,
    /// The step says so: impulses that vanished on the way keep their mode.
    pub at_switch: bool,
}

/// Between states with equal modes a step is smooth, as far as modes show. Breaking contacts break on both
/// sides, and so do contacts out of reach.
#[derive(PartialEq)]
pub struct Modes {
    /// Active ones with geoms, feature and piece of the stabilization.
    contacts: Vec<([usize; 2], u64, usize, Mode)>,
    /// Of all other active constraints.
    others: Vec<Mode>,
    /// Pieces of the stabilization at the bounds of joints.
    limits: Vec<[usize; 2]>,
    push_out_given_up: bool,
    /// Contacts that rebound.
    impacts: usize,
}

/// Of the last step, which began at `q`.
pub fn modes(sim: &Sim, q: &[f64]) -> Modes {
    // The stabilization's linear pieces: open, pushed out, pushed out at the largest speed.
    let o = sim.options();
    let info = sim.step_info().unwrap();
    let yields = info.push_out_given_up;
    let piece = |gap: f64, largest: f64| {
        let bounded = (1.0 - o.kp) * gap / o.time_step < -largest;
        // Compliant contacts leave a share for every kp, and have friction within a step's travel only.
        let convex = o.contact == Contact::Convex;
        usize::from((o.kp > 0.0 || convex || yields) && gap < 0.0)
            + usize::from(bounded)
            + 4 * usize::from(convex && gap > o.time_step)
    };
    let is_active = |m: &Mode| *m != Mode::Breaking;
    let contacts = sim.contacts().iter().filter(|c| is_active(&c.mode));
    let others = sim.constraint_modes()[sim.contacts().len()..].iter();
    let limited = sim.model().joints().iter().filter(|j| j.nq == 1);
    Modes {
        contacts: contacts
            .map(|c| (c.geom, c.feature, piece(c.gap, o.max_push_out), c.mode))
            .collect(),
        others: others.copied().filter(is_active).collect(),
        limits: limited
            .filter_map(|j| {
                j.limits.map(|(lo, hi)| {
                    let largest = match j.kind {
                        JointKind::Prismatic => o.max_push_out,
                        _ => o.max_push_out_angle,
                    };
                    // A passed limit that is near is led.
                    let near = 8.0 * o.time_step * largest / (1.0 - o.kp);
                    [q[j.iq] - lo, hi - q[j.iq]].map(|gap| {
                        piece(gap, largest)
                            + 8 * usize::from(gap < -near)
                            + 16 * usize::from(gap < -1e-4 * near)
                    })
                })
            })
            .collect(),
        push_out_given_up: yields,
        impacts: info.impacts,
    }
}

/// Central differences: offsets in units of the step, with their weights.
pub type Stencil = &'static [(f64, f64)];
pub const SECOND_ORDER: Stencil = &[(1.0, 0.5), (-1.0, -0.5)];
pub const FOURTH_ORDER: Stencil = &[
    (1.0, 2.0 / 3.0),
    (-1.0, -2.0 / 3.0),
    (2.0, -1.0 / 12.0),
    (-2.0, 1.0 / 12.0),
];

/// Relative error from which on a column counts as wrong.
const WRONG: f64 = 1e-5;

/// Relative difference of one-sided differences of two lengths from which on the step jumps between them.
const JUMP: f64 = 0.1;

pub struct Checker {
    pub sim: Sim,
    /// Step and order of the differences.
    pub eps: f64,
    pub stencil: Stencil,
    memory: Vec<f64>,
    checked: usize,
    excluded: usize,
    /// Columns of which differences of second and fourth order differ themselves.
    unresolved: usize,
    /// Columns along which states beside this one have another solution.
    jumps: usize,
    /// Columns of steps that say they are at a switch, and how many of them differ.
    one_sided: usize,
    one_sided_differ: usize,
    /// Steps whose derivative is refused though their contact problem is solved.
    refused: usize,
    errors: Vec<f64>,
    /// Columns that are off by more than [`WRONG`], and which.
    wrong: Vec<(f64, String)>,
    /// How far directions and adjoints are from the Jacobians, in exact steps and others.
    apart: [f64; 2],
    /// Contacts that rebounded in the last step.
    pub impacts: usize,
    /// Of the step, for the report.
    pub label: String,
    parameters: Vec<Param>,
}

/// What a report says.
#[derive(Clone, Copy, Debug)]
pub struct Tally {
    pub checked: usize,
    pub excluded: usize,
    pub one_sided: usize,
    pub one_sided_differ: usize,
    /// Columns of the checked ones that are off by more than 1e-5.
    pub wrong: usize,
    pub median: f64,
    pub p99: f64,
    pub refused: usize,
    /// How far directions and adjoints are from the Jacobians, in exact steps.
    pub apart: f64,
    /// The same in one-sided steps.
    pub apart_one_sided: f64,
}

impl Checker {
    pub fn new(model: impl Into<Arc<Model>>, options: &Options) -> Self {
        Checker::of(Sim::new(model.into(), options).unwrap())
    }

    pub fn of(sim: Sim) -> Self {
        let memory = vec![0.0; sim.memory_size()];
        Checker {
            sim,
            eps: 1e-6,
            stencil: SECOND_ORDER,
            memory,
            checked: 0,
            excluded: 0,
            unresolved: 0,
            jumps: 0,
            one_sided: 0,
            one_sided_differ: 0,
            refused: 0,
            errors: Vec::new(),
            wrong: Vec::new(),
            apart: [0.0; 2],
            impacts: 0,
            label: String::new(),
            parameters: Vec::new(),
        }
    }

    /// Chooses the parameters to differentiate by.
    pub fn select(&mut self, list: &[Param]) {
        self.sim.select_params(list).unwrap();
        self.parameters = list.to_vec();
    }

    pub fn outcome(&mut self, base: &[f64], q: &[f64], v: &[f64], u: &[f64]) -> Outcome {
        self.sim.set_memory(&self.memory).unwrap();
        let (mut qn, mut vn) = (q.to_vec(), v.to_vec());
        self.sim.step(q, v, u, &mut qn, &mut vn).unwrap();
        let mut x = vec![0.0; v.len()];
        self.sim.model().difference(base, &qn, &mut x);
        x.extend(vn);
        let modes = modes(&self.sim, q);
        let at_switch = self.sim.step_info().unwrap().gradient != Gradient::Exact;
        Outcome {
            x,
            modes,
            at_switch,
        }
    }

    /// Checks all Jacobians of the step from (q, v, u) and advances to the next state.
    pub fn check(&mut self, q: &mut Vec<f64>, v: &mut Vec<f64>, u: &[f64]) {
        let model = self.sim.model().clone();
        let (nv, nu, np) = (model.nv(), model.nu(), self.sim.np());
        self.sim.get_memory(&mut self.memory).unwrap();
        let (mut base, mut vn) = (q.clone(), v.clone());
        self.sim.step(q, v, u, &mut base, &mut vn).unwrap();
        let here = modes(&self.sim, q);
        let mut memory_after = vec![0.0; self.memory.len()];
        self.sim.get_memory(&mut memory_after).unwrap();
        let info = self.sim.step_info().unwrap();
        assert!(info.converged, "residual {:e}", info.residual);
        self.impacts = info.impacts;
        let at_switch = info.gradient != Gradient::Exact;
        let sizes = [nv, nv, nu, np];
        let mut jq = sizes.map(|n| vec![f64::NAN; nv * n]);
        let mut jv = jq.clone();
        {
            let given = self.sim.step_jacobians(all_jacobians(&mut jq, &mut jv));
            let info = self.sim.step_info().unwrap();
            let refused = info.gradient == Gradient::Refused;
            assert_eq!(given.is_err(), refused, "{given:?}");
            if refused {
                self.refused += 1;
                (*q, *v) = (base, vn);
                return;
            }
        }
        let apart = self.modes_of_differentiation(&jq, &jv);
        let info = self.sim.step_info().unwrap();
        // Rows that are all but dependent cost digits: where the step is one-sided in the worst case all of
        // them.
        let kind = usize::from(info.gradient != Gradient::Exact);
        self.apart[kind] = self.apart[kind].max(apart);
        let mut p = vec![0.0; np];
        self.sim.get_params(&mut p).unwrap();
        let origin = [vec![0.0; nv], vn.clone()].concat();
        let scale = jv[0]
            .iter()
            .chain(&jv[1])
            .fold(1.0_f64, |m, x| m.max(x.abs()));
        for (kind, &size) in sizes.iter().enumerate() {
            for k in 0..size {
                let (eps, stencil) = (self.eps, self.stencil);
                let mut same = true;
                let mut shifted = |s: f64, this: &mut Checker| {
                    let (mut q2, mut v2, mut u2) = (q.clone(), v.clone(), u.to_vec());
                    match kind {
                        0 => {
                            let mut dv = vec![0.0; nv];
                            dv[k] = s;
                            model.integrate(q, &dv, &mut q2);
                        }
                        1 => v2[k] += s,
                        2 => u2[k] += s,
                        _ => {
                            let mut p2 = p.clone();
                            p2[k] += s;
                            this.sim.set_params_for_differences(&p2).unwrap();
                        }
                    }
                    let o = this.outcome(&base, &q2, &v2, &u2);
                    if kind == 3 {
                        this.sim.set_params_for_differences(&p).unwrap();
                    }
                    same &= o.modes == here && (at_switch || !o.at_switch);
                    o.x
                };
                let mut fd = vec![0.0; 2 * nv];
                let mut coarse = fd.clone();
                let mut sides: [Vec<Vec<f64>>; 2] = Default::default();
                for (i, (offset, weight)) in stencil.iter().enumerate() {
                    let x = shifted(offset * eps, self);
                    let slope = x.iter().zip(&origin).map(|(x, o)| (x - o) / (offset * eps));
                    sides[usize::from(*offset < 0.0)].push(slope.collect());
                    for ((fd, coarse), x) in fd.iter_mut().zip(&mut coarse).zip(x) {
                        *fd += weight * x / eps;
                        if i < 2 {
                            *coarse += 0.5 * offset * x / eps;
                        }
                    }
                }
                if !same {
                    self.excluded += 1;
                    continue;
                }
                let ours = [
                    &jq[kind][k * nv..(k + 1) * nv],
                    &jv[kind][k * nv..(k + 1) * nv],
                ]
                .concat();
                // Where impacts are, positions vary through their times: no difference of one step shows it.
                let moves = kind == 0 || kind == 3 && self.parameters[k].kind.moves_surfaces();
                let from = if info.impacts > 0 && moves { nv } else { 0 };
                let size = ours
                    .iter()
                    .fold(1.0_f64, |m, x| m.max(x.abs()))
                    .max(1e-3 * scale);
                let distance = |a: &[f64], b: &[f64]| {
                    let apart = a[from..].iter().zip(&b[from..]).map(|(a, b)| (a - b).abs());
                    apart.fold(0.0, f64::max) / size
                };
                if distance(&fd, &coarse) > WRONG {
                    self.unresolved += 1;
                    continue;
                }
                // The slope to another solution of the same problem falls with the step's length; at a kink
                // it does not.
                let mut sides = sides.iter().flat_map(|side| side.windows(2));
                if sides.any(|side| distance(&side[0], &side[1]) > JUMP) {
                    self.jumps += 1;
                    continue;
                }
                let error = distance(&fd, &ours);
                if info.gradient == Gradient::OneSided {
                    self.one_sided += 1;
                    self.one_sided_differ += usize::from(error > WRONG);
                    continue;
                }
                if error > WRONG {
                    let by = match kind {
                        3 => format!("{:?}", self.parameters[k]),
                        _ => format!("{}[{k}]", ["q", "v", "u"][kind]),
                    };
                    self.wrong
                        .push((error, format!("by {by} of {}", self.label)));
                }
                self.errors.push(error);
                self.checked += 1;
            }
        }
        self.sim.set_memory(&memory_after).unwrap();
        (*q, *v) = (base, vn);
    }

    /// How far directional derivative and adjoint of the last step are from its Jacobians.
    fn modes_of_differentiation(&mut self, jq: &[Vec<f64>], jv: &[Vec<f64>]) -> f64 {
        let model = self.sim.model().clone();
        let (nv, nu, np) = (model.nv(), model.nu(), self.sim.np());
        let mut rng = Rng::new(5);
        let w: [Vec<f64>; 4] = [nv, nv, nu, np].map(|n| rng.vector(n, 1.0));
        let z = rng.vector(2 * nv, 1.0);
        let mut product = vec![0.0; 2 * nv];
        let mut adjoint: [Vec<f64>; 4] = [nv, nv, nu, np].map(|n| vec![0.0; n]);
        for i in 0..4 {
            for (k, x) in w[i].iter().enumerate() {
                let column = [&jq[i][k * nv..(k + 1) * nv], &jv[i][k * nv..(k + 1) * nv]].concat();
                for (y, c) in product.iter_mut().zip(&column) {
                    *y += c * x;
                }
                adjoint[i][k] = column.iter().zip(&z).map(|(c, z)| c * z).sum();
            }
        }
        let (mut dq, mut dv) = (vec![0.0; nv], vec![0.0; nv]);
        self.sim
            .step_jvp(&w[0], &w[1], &w[2], &w[3], &mut dq, &mut dv)
            .unwrap();
        let e = relative_error(&[dq, dv].concat(), &product);
        let mut worst = e;
        let mut bars: [Vec<f64>; 4] = [nv, nv, nu, np].map(|n| vec![0.0; n]);
        let [a, b, c, d] = &mut bars;
        self.sim
            .step_vjp(&z[..nv], &z[nv..], Some(a), Some(b), Some(c), Some(d))
            .unwrap();
        for i in 0..4 {
            worst = worst.max(relative_error(&bars[i], &adjoint[i]));
        }
        worst
    }

    /// Prints the number of checks.
    pub fn tally(&mut self, name: &str) -> Tally {
        self.errors.sort_by(f64::total_cmp);
        let n = self.errors.len();
        let quantile = |share: usize| self.errors.get(n * share / 100).copied().unwrap_or(0.0);
        let (median, p99) = (quantile(50), quantile(99));
        let wrong = self.wrong.len();
        println!(
            "{name}: {} columns checked, {wrong} of them off by more than 1e-5, {} excluded for a mode that \
             changes, {} for differences that do not settle, {} for jumps to another solution, {} one-sided ({} of them differ), {} steps refused; median {median:.1e}, 99 % {p99:.1e}, worst {:.1e}; directions \
             and adjoints to {:.0e}, {:.0e} where one-sided",
            self.checked,
            self.excluded,
            self.unresolved,
            self.jumps,
            self.one_sided,
            self.one_sided_differ,
            self.refused,
            self.errors.last().copied().unwrap_or(0.0),
            self.apart[0],
            self.apart[1]
        );
        for (error, which) in &self.wrong {
            println!("    off by {error:.1e} {which}");
        }
        Tally {
            checked: self.checked,
            excluded: self.excluded + self.unresolved + self.jumps,
            one_sided: self.one_sided,
            one_sided_differ: self.one_sided_differ,
            wrong,
            median,
            p99,
            refused: self.refused,
            apart: self.apart[0],
            apart_one_sided: self.apart[1],
        }
    }

    /// Gives some of the selected parameters, by their places, other values.
    pub fn set(&mut self, values: &[(usize, f64)]) {
        let mut p = vec![0.0; self.sim.np()];
        self.sim.get_params(&mut p).unwrap();
        for (place, value) in values {
            p[*place] = *value;
        }
        self.sim.set_params_for_differences(&p).unwrap();
    }

    /// Checks `steps` steps on end, from q with random velocities of up to `speed` and with random inputs,
    /// and reports.
    pub fn run(mut self, name: &str, q: &[f64], speed: f64, steps: usize) {
        let (model, mut rng) = (self.sim.model().clone(), Rng::new(5));
        let (mut q, mut v) = (q.to_vec(), rng.vector(model.nv(), speed));
        for _ in 0..steps {
            let u = rng.vector(model.nu(), 2.0);
            self.check(&mut q, &mut v, &u);
        }
        self.report(name);
    }

    pub fn report(mut self, name: &str) {
        let t = self.tally(name);
        assert!(t.median < 1e-7 && t.p99 < 1e-5, "{name}");
        assert!(t.apart < 1e-10 && t.apart_one_sided < 1e-6, "{name}");
        // Mostly, one side's derivative is that of both.
        let compared = t.checked + t.one_sided;
        assert!(100 * (t.wrong + t.one_sided_differ) <= compared, "{name}");
        assert!(compared > 2 * t.excluded, "{name}");
    }
}

pub fn options(h: f64) -> Options {
    Options {
        time_step: h,
        ..Options::default()
    }
}
