//! The stages of a step and of its Jacobians, each alone, on the example quadruped and humanoid at rest on
//! the floor. `cargo bench --bench stages`; on a busy machine pinned, `taskset -c 1`.

use criterion::{
    BenchmarkGroup, Criterion, criterion_group, criterion_main, measurement::WallTime,
};
use diffsim::collision::ContactDerivative;
use diffsim::collision::scene::Scene;
use diffsim::constraint::{Constraints, Stabilization};
use diffsim::contact::ncp::NcpOptions;
use diffsim::contact::ncp::island_solver::IslandSolver;
use diffsim::contact::push_out::PushOut;
use diffsim::dynamics::Dynamics;
use diffsim::dynamics::mass::{BranchMatrix, Crba, DenseInverse, crba, factor, inverse};
use diffsim::load::mjcf;
use diffsim::model::{Actuation, Model};
use diffsim::step::{Options, Sim, StepJacobians};
use diffsim::tendon::Paths;
use std::hint::black_box;
use std::sync::Arc;

const TIME_STEP: f64 = 1e-3;
const MAX_CONTACTS: usize = 64;

/// A robot where it has come to rest, and the last step there.
struct Settled {
    model: Arc<Model>,
    sim: Sim,
    q: Vec<f64>,
    v: Vec<f64>,
    u: Vec<f64>,
}

fn settle(name: &str) -> Settled {
    let path = format!("{}/examples/models/{name}.xml", env!("CARGO_MANIFEST_DIR"));
    let spec = mjcf::read_file(path.as_ref(), &mjcf::MjcfOptions::default()).unwrap();
    let model = Arc::new(Model::compile(spec, Actuation::FromFile).unwrap());
    let options = Options {
        time_step: TIME_STEP,
        max_contacts: MAX_CONTACTS,
        ..Options::default()
    };
    let mut sim = Sim::new(model.clone(), &options).unwrap();
    let start = &model.keyframes()[0];
    let (mut q, mut v, u) = (start.q.clone(), start.v.clone(), start.u.clone());
    let (mut q_next, mut v_next) = (q.clone(), v.clone());
    for _ in 0..500 {
        sim.step(&q, &v, &u, &mut q_next, &mut v_next).unwrap();
        std::mem::swap(&mut q, &mut q_next);
        std::mem::swap(&mut v, &mut v_next);
    }
    Settled {
        model,
        sim,
        q,
        v,
        u,
    }
}

fn dynamics(group: &mut BenchmarkGroup<'_, WallTime>, s: &Settled) {
    let (model, q, v) = (&*s.model, &s.q, &s.v);
    let (params, t, nv) = (model.params(), model.topology(), model.nv());
    let (zero, diagonal) = (vec![0.0; nv], params.armature.clone());
    let mut out = vec![0.0; nv];
    let mut d = Dynamics::new(model, true);
    group.bench_function("kinematics", |b| {
        b.iter(|| d.update(model, params, black_box(q), v));
    });
    group.bench_function("bias", |b| {
        b.iter(|| d.inverse(model, params, black_box(&zero), &mut out));
    });
    group.bench_function("forward dynamics", |b| {
        b.iter(|| d.forward(model, params, &diagonal, black_box(&zero), &mut out));
    });
    let (mut workspace, mut m) = (Crba::new(model), BranchMatrix::new(t));
    group.bench_function("mass matrix", |b| {
        b.iter(|| crba(&mut workspace, &d.kin, black_box(model), &mut m));
    });
    group.bench_function("mass matrix, factors", |b| {
        b.iter(|| {
            crba(&mut workspace, &d.kin, black_box(model), &mut m);
            factor(&mut m, t, &diagonal);
        });
    });
    let mut dense = DenseInverse::new(nv);
    group.bench_function("inverse from factors", |b| {
        b.iter(|| inverse(&mut dense, black_box(&m), t));
    });
    group.bench_function("inverse dynamics, derivatives", |b| {
        b.iter(|| d.differentiate_inverse(black_box(model), params));
    });
    let (mut q_bar, mut v_bar) = (vec![0.0; nv], vec![0.0; nv]);
    group.bench_function("inverse dynamics, adjoint", |b| {
        b.iter(|| d.inverse_adjoint(model, params, black_box(v), &mut q_bar, &mut v_bar));
    });
    let (mut by_q, mut by_v) = (vec![0.0; nv * nv], vec![0.0; nv * nv]);
    group.bench_function("forward dynamics, derivatives", |b| {
        b.iter(|| {
            d.differentiate_forward(
                model,
                params,
                &diagonal,
                black_box(&zero),
                &mut out,
                &mut by_q,
                &mut by_v,
            );
        });
    });
}

fn contact(group: &mut BenchmarkGroup<'_, WallTime>, s: &Settled) {
    let (model, q, v) = (&*s.model, &s.q, &s.v);
    let (params, t, nv) = (model.params(), model.topology(), model.nv());
    let mut d = Dynamics::new(model, false);
    d.update(model, params, q, v);
    let mut acc = vec![0.0; nv];
    d.forward_factored(model, params, &params.armature, &vec![0.0; nv], &mut acc);
    let v_free: Vec<f64> = v.iter().zip(&acc).map(|(v, a)| v + TIME_STEP * a).collect();

    let mut scene = Scene::new(model, MAX_CONTACTS).unwrap();
    group.bench_function("collision", |b| {
        b.iter(|| {
            scene.place(model, black_box(&d.kin));
            scene.speculate(&d.kin.v, &d.kin.v, 2e-3);
            scene.collide(2.0 * TIME_STEP).unwrap();
        });
    });
    let contacts = scene.contacts().to_vec();
    let mut motion = ContactDerivative::default();
    group.bench_function("collision, derivatives", |b| {
        b.iter(|| {
            for c in &contacts {
                black_box(scene.differentiate(c, &mut motion));
            }
        });
    });

    let stabilization = Stabilization::new(TIME_STEP, [0.0; 2], [f64::INFINITY; 2]);
    let paths = Paths::new(model, false);
    let mut c = Constraints::new(
        model,
        &scene,
        &paths,
        MAX_CONTACTS,
        false,
        Vec::new(),
        stabilization,
    )
    .unwrap();
    group.bench_function("constraint rows, Delassus", |b| {
        b.iter(|| {
            c.assemble(
                model,
                params,
                &d.kin,
                &scene,
                &paths,
                q,
                v,
                black_box(&v_free),
                TIME_STEP,
                TIME_STEP,
            );
            c.condense(t, &d.mass);
            c.ask(PushOut::Full, v, &v_free);
        });
    });
    let (mut lambda, mut modes) = (c.lambda.clone(), c.modes.clone());
    let problem = c.problem();
    let mut solver = IslandSolver::new(&c.capacity(t));
    let options = NcpOptions::default();
    solver
        .solve(&problem, &mut lambda, &mut modes, &options)
        .unwrap();
    group.bench_function("contact solve, warm", |b| {
        b.iter(|| {
            solver
                .solve(black_box(&problem), &mut lambda, &mut modes, &options)
                .unwrap()
        });
    });
    // A second linearization of one solution would be free.
    group.bench_function("contact solve, warm, and linearization", |b| {
        b.iter(|| {
            solver
                .solve(black_box(&problem), &mut lambda, &mut modes, &options)
                .unwrap();
            solver.linearize(&problem).unwrap();
        });
    });
}

fn whole(group: &mut BenchmarkGroup<'_, WallTime>, s: &mut Settled) {
    let (sim, q, v, u) = (&mut s.sim, &s.q, &s.v, &s.u);
    let (nv, nu) = (v.len(), u.len());
    let (mut q_next, mut v_next) = (q.clone(), v.clone());
    group.bench_function("step", |b| {
        b.iter(|| {
            sim.step(black_box(q), v, u, &mut q_next, &mut v_next)
                .unwrap();
        });
    });
    let [mut qq, mut qv, mut vq, mut vv] = std::array::from_fn(|_| vec![0.0; nv * nv]);
    let [mut qu, mut vu] = std::array::from_fn(|_| vec![0.0; nv * nu]);
    group.bench_function("step and Jacobians", |b| {
        b.iter(|| {
            sim.step(black_box(q), v, u, &mut q_next, &mut v_next)
                .unwrap();
            sim.step_jacobians(StepJacobians {
                dq_dq: Some(&mut qq),
                dq_dv: Some(&mut qv),
                dq_du: Some(&mut qu),
                dv_dq: Some(&mut vq),
                dv_dv: Some(&mut vv),
                dv_du: Some(&mut vu),
                ..StepJacobians::default()
            })
            .unwrap();
        });
    });
    let (mut q_bar, mut v_bar, mut u_bar) = (vec![0.0; nv], vec![0.0; nv], vec![0.0; nu]);
    group.bench_function("step and VJP", |b| {
        b.iter(|| {
            sim.step(black_box(q), v, u, &mut q_next, &mut v_next)
                .unwrap();
            sim.step_vjp(
                &v_next,
                &v_next,
                Some(&mut q_bar),
                Some(&mut v_bar),
                Some(&mut u_bar),
                None,
            )
            .unwrap();
        });
    });
}

fn run(c: &mut Criterion) {
    for name in ["quadruped", "humanoid"] {
        let mut settled = settle(name);
        let mut group = c.benchmark_group(name);
        dynamics(&mut group, &settled);
        contact(&mut group, &settled);
        whole(&mut group, &mut settled);
        group.finish();
    }
}

criterion_group! { name = benches; config = Criterion::default().sample_size(20).measurement_time(std::time::Duration::from_millis(400)).warm_up_time(std::time::Duration::from_millis(100)); targets = run }
criterion_main!(benches);
