//! How the cost of the recursions and of the contact step grows, by ratios within one run.

mod common;

use allocation_counter::measure;
use common::checker::{free_body, ground};
use common::scene::{lying, lying_spec};
use common::tendons::tendon;
use common::*;
use diffsim::collision::patch::{Representation, Side, collide};
use diffsim::model::spec::{
    GeomSpec, HeightField, HydroelasticKind, JointKind, ModelSpec, ShapeSpec,
};
use diffsim::model::tendon::{PathPoint, TendonPath};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::{Pose, Quat, Vec3};
use diffsim::step::{Contact, Integrator, Options, Sim};
use std::sync::Arc;
use std::time::Instant;

fn chain(n: usize) -> Arc<Model> {
    let mut rng = Rng::new(1);
    let mut spec = ModelSpec::default();
    for id in 1..=n {
        let mut b = random_body(&mut rng, id, id - 1, JointKind::Revolute);
        b.joints[0].armature = 0.01;
        spec.bodies.push(b);
    }
    Arc::new(Model::compile(spec, Actuation::Full).unwrap())
}

fn forward_only() -> Options {
    Options {
        contact: Contact::None,
        derivatives: false,
        ..Options::default()
    }
}

/// Smallest time of one forward dynamics call, per link.
fn seconds_per_link(n: usize) -> f64 {
    let model = chain(n);
    let mut sim = Sim::new(model.clone(), &forward_only()).unwrap();
    let mut rng = Rng::new(2);
    let (q, v, tau) = (rng.vector(n, 1.0), rng.vector(n, 0.1), rng.vector(n, 1.0));
    let mut a = vec![0.0; n];
    (0..200)
        .map(|_| {
            let start = Instant::now();
            sim.forward_dynamics(&q, &v, &tau, &mut a).unwrap();
            start.elapsed().as_secs_f64() / n as f64
        })
        .fold(f64::INFINITY, f64::min)
}

#[test]
fn forward_dynamics_of_a_chain_is_linear() {
    let times = [10, 100, 1000].map(|n| (n, seconds_per_link(n)));
    println!(
        "forward dynamics, nanoseconds per link: {:?}",
        times.map(|(n, t)| (n, t * 1e9))
    );
    // Quadratic growth would make this ratio 10.
    assert!(times[2].1 < 2.5 * times[1].1, "{times:?}");
    assert!(times[1].1 < 2.5 * times[0].1, "{times:?}");
}

/// Smallest time of a step of `n` balls in a square grid that lie still, none touching another.
fn seconds_per_ball(n: usize) -> f64 {
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.5);
    let side = n.isqrt();
    for i in 0..n {
        let at = Vec3::new((i % side) as f64, (i / side) as f64, 0.1);
        free_body(
            &mut spec,
            &format!("ball{i}"),
            at,
            ShapeSpec::Sphere { radius: 0.1 },
        );
    }
    let model = Arc::new(Model::compile(spec, Actuation::Full).unwrap());
    let options = Options {
        max_contacts: n,
        derivatives: false,
        ..Options::default()
    };
    let mut sim = Sim::new(model.clone(), &options).unwrap();
    let (mut q, mut v) = (model.neutral().to_vec(), vec![0.0; model.nv()]);
    let (mut q_next, mut v_next) = (q.clone(), v.clone());
    let u = vec![0.0; model.nu()];
    let mut least = f64::INFINITY;
    for _ in 0..60 {
        let start = Instant::now();
        sim.step(&q, &v, &u, &mut q_next, &mut v_next).unwrap();
        least = least.min(start.elapsed().as_secs_f64());
        assert_eq!(sim.contacts().len(), n);
        std::mem::swap(&mut q, &mut q_next);
        std::mem::swap(&mut v, &mut v_next);
    }
    least / n as f64
}

#[test]
fn a_step_of_separate_contacts_grows_slower_than_their_number_to_the_power_of_one_and_a_half() {
    let times = [16, 64, 256].map(|n| (n, seconds_per_ball(n)));
    println!(
        "step, nanoseconds per ball: {:?}",
        times.map(|(n, t)| (n, t * 1e9))
    );
    // To the power 1.5 four times the contacts make this ratio 2; one matrix for all would make it 16.
    assert!(times[1].1 < 2.0 * times[0].1, "{times:?}");
    assert!(times[2].1 < 2.0 * times[1].1, "{times:?}");
}

/// Median time of a step of a ball over a field of so many static boxes, and the bytes that its simulation
/// takes.
fn among_boxes(n: usize) -> (f64, f64) {
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.5);
    let ball = ShapeSpec::Sphere { radius: 0.1 };
    free_body(&mut spec, "ball", Vec3::Z * 0.1, ball);
    let (side, mut rng) = (n.isqrt().max(1), Rng::new(8));
    for i in 0..n {
        let cell = Vec3::new((i % side) as f64, (i / side) as f64, 0.0);
        let at = (cell + rng.vec3(0.1)) * 0.3 + Vec3::X * 0.3;
        let half_extents = Vec3::new(0.05, 0.08, 0.1);
        let shape = ShapeSpec::Box { half_extents };
        let pose = Pose::from_quat(Quat::exp(rng.vec3(1.0)), at);
        spec.geoms
            .push(GeomSpec::new(format!("box{i}"), 0, pose, shape));
    }
    let model = Arc::new(Model::compile(spec, Actuation::Full).unwrap());
    let mut sim = None;
    let create = || sim = Some(Sim::new(model.clone(), &Options::default()).unwrap());
    let bytes = measure(create).bytes_max as f64;
    let mut sim = sim.unwrap();
    let (q, v) = (model.neutral().to_vec(), vec![0.0; model.nv()]);
    let (mut q_next, mut v_next) = (q.clone(), v.clone());
    let mut step = || {
        let start = Instant::now();
        sim.step(&q, &v, &[0.0; 6], &mut q_next, &mut v_next)
            .unwrap();
        start.elapsed().as_secs_f64()
    };
    let mut times: Vec<f64> = (0..300).map(|_| step()).collect();
    times.sort_unstable_by(f64::total_cmp);
    (times[times.len() / 2], bytes)
}

/// A quadruped's step took 21 µs alone and 30 ms among 20,000 static boxes; it takes 1.2 times its step
/// alone.
#[test]
fn what_stands_far_away_costs_a_step_nothing() {
    let [(alone, _), (_, some), (among, many)] = [0, 5_000, 20_000].map(among_boxes);
    println!(
        "{} and {} µs, {some} and {many} bytes",
        1e6 * alone,
        1e6 * among
    );
    assert!(among < 3.0 * alone, "{alone} {among}");
    assert!(many < 4.5 * some, "{some} {many}");
}

/// Median time of a step of a ball of half a metre that rests on a flat field of 2 m with so many nodes a
/// side.
fn seconds_on_field(n: usize) -> f64 {
    let mut spec = ModelSpec::default();
    let field = ShapeSpec::HeightField(Arc::new(HeightField {
        columns: n,
        rows: n,
        half_extents: [1.0, 1.0],
        base: 0.1,
        heights: vec![0.0; n * n],
    }));
    spec.geoms
        .push(GeomSpec::new("field", 0, Pose::IDENTITY, field));
    let ball = ShapeSpec::Sphere { radius: 0.5 };
    free_body(&mut spec, "ball", Vec3::new(1e-4, 2e-4, 0.5), ball);
    let model = Arc::new(Model::compile(spec, Actuation::Full).unwrap());
    let mut sim = Sim::new(model.clone(), &Options::default()).unwrap();
    let (q, v) = (model.neutral().to_vec(), vec![0.0; model.nv()]);
    let (mut q_next, mut v_next) = (q.clone(), v.clone());
    let mut step = || {
        let start = Instant::now();
        sim.step(&q, &v, &[0.0; 6], &mut q_next, &mut v_next)
            .unwrap();
        start.elapsed().as_secs_f64()
    };
    let mut times: Vec<f64> = (0..30).map(|_| step()).collect();
    times.sort_unstable_by(f64::total_cmp);
    times[times.len() / 2]
}

/// With 250,000 cells under a ball a step took 360 ms; what counts are the cells that it is near to: 0.1 ms.
#[test]
fn a_field_costs_the_cells_that_something_is_near_to() {
    let [coarse, fine] = [64, 640].map(seconds_on_field);
    println!("{} and {} µs", 1e6 * coarse, 1e6 * fine);
    // A hundred times as many cells under the ball.
    assert!(fine < 50.0 * coarse, "{coarse} {fine}");
}

/// Number of faces between two balls whose edges are 1/n of their radius, and the smallest time per face [s].
fn seconds_per_face(n: f64) -> (usize, f64) {
    let shape = ShapeSpec::Sphere { radius: 0.05 };
    let mut spec = GeomSpec::new("ball", 1, Pose::IDENTITY, shape.clone());
    spec.hydroelastic.kind = HydroelasticKind::Compliant;
    spec.hydroelastic.resolution = 0.05 / n;
    let body = Representation::of(&spec, &shape).unwrap().unwrap();
    let other = Pose::from_quat(
        Quat::exp(Vec3::new(0.1, 0.2, 0.3)),
        Vec3::new(1e-3, 2e-3, 0.098),
    );
    let side = |pose| Side {
        body: &body,
        pose,
        modulus: 1e5,
    };
    let (mut count, mut least) = (0, f64::INFINITY);
    for _ in 0..30 {
        count = 0;
        let start = Instant::now();
        collide(side(&Pose::IDENTITY), side(&other), f64::INFINITY, |_| {
            count += 1
        });
        least = least.min(start.elapsed().as_secs_f64());
    }
    (count, least / count as f64)
}

/// With one box around each tetrahedron, the candidates of a face grew with the number of faces.
#[test]
fn faces_of_fine_meshes_cost_as_much_as_those_of_coarse_ones() {
    let [(few, coarse), (many, fine)] = [4.0, 12.0].map(seconds_per_face);
    println!("{few} faces, {coarse:e} s each; {many} faces, {fine:e} s each");
    assert!(many > 5 * few && fine < 3.0 * coarse);
}

/// Smallest time of a step of a chain that touches nothing.
fn seconds_per_step(n: usize, contact: Contact, steps: usize) -> f64 {
    let model = chain(n);
    let options = Options {
        contact,
        derivatives: false,
        ..Options::default()
    };
    let mut sim = Sim::new(model.clone(), &options).unwrap();
    let (mut q, mut v) = (model.neutral().to_vec(), vec![0.0; n]);
    let (mut qn, mut vn) = (q.clone(), v.clone());
    let u = vec![0.0; n];
    let mut least = f64::INFINITY;
    for _ in 0..steps {
        let start = Instant::now();
        sim.step(&q, &v, &u, &mut qn, &mut vn).unwrap();
        least = least.min(start.elapsed().as_secs_f64());
        std::mem::swap(&mut q, &mut qn);
        std::mem::swap(&mut v, &mut vn);
    }
    assert!(v.iter().all(|x| x.is_finite()) && v.iter().any(|x| *x != 0.0));
    least
}

/// Smallest time of a step and its adjoint of a chain with five cables, per link.
fn seconds_per_implicit_step(n: usize, integrator: Integrator) -> f64 {
    let mut spec = lying_spec(n, 0);
    spec.geoms.clear();
    for k in 0..5 {
        let first = 1 + k * (n - 5) / 5;
        let path = [first, first + 2, first + 5].map(|body| PathPoint::Point {
            body,
            at: Vec3::new(0.05, 0.02, 0.03),
        });
        let mut tendon = tendon(&format!("cable{k}"), TendonPath::Spatial(path.to_vec()));
        (tendon.stiffness, tendon.damping) = (20.0, 0.2);
        spec.tendons.push(tendon);
    }
    let model = Arc::new(Model::compile(spec, Actuation::Full).unwrap());
    let options = Options {
        contact: Contact::None,
        integrator,
        ..Options::default()
    };
    let mut sim = Sim::new(model.clone(), &options).unwrap();
    let (q, v) = (vec![0.01; n], vec![0.1 / n as f64; n]);
    let (mut qn, mut vn, u) = (q.clone(), v.clone(), vec![0.0; n]);
    let (mut q_bar, mut v_bar) = (v.clone(), v.clone());
    let once = || {
        let start = Instant::now();
        sim.step(&q, &v, &u, &mut qn, &mut vn).unwrap();
        sim.step_vjp(&v, &v, Some(&mut q_bar), Some(&mut v_bar), None, None)
            .unwrap();
        start.elapsed().as_secs_f64() / n as f64
    };
    std::iter::repeat_with(once)
        .take(30)
        .fold(f64::INFINITY, f64::min)
}

/// Dense factors took 12 ms at 100 links and 1.4 s at 1000.
#[test]
fn an_implicit_step_of_a_chain_with_cables_is_linear() {
    for integrator in [Integrator::Bdf1, Integrator::ImplicitEuler] {
        let [few, many] = [125, 1000].map(|n| seconds_per_implicit_step(n, integrator));
        println!("{integrator:?}: {few:e} and {many:e} s a link");
        // Quadratic growth would make this ratio 8.
        assert!(many < 5.0 * few, "{integrator:?}: {few:e} {many:e}");
    }
}

/// With a law that finds nothing to do, chains of 250, 1000 and 4000 links took 1.3 ms, 76 ms and 11 s, where
/// 45 µs, 0.19 ms and 1.0 ms were the step without a law; now it is that one's cost at any length.
#[test]
fn a_chain_that_touches_nothing_pays_for_no_law() {
    for n in [250, 1000, 4000] {
        let [none, ncp, convex] =
            [Contact::None, Contact::Ncp, Contact::Convex].map(|law| seconds_per_step(n, law, 10));
        println!(
            "{n} links, nanoseconds per link: without a law {:.0}, NCP {:.0}, convex {:.0}",
            none * 1e9 / n as f64,
            ncp * 1e9 / n as f64,
            convex * 1e9 / n as f64
        );
        assert!(ncp < 3.0 * none && convex < 3.0 * none, "{n} links");
    }
}

/// Of a chain that lies on four balls: smallest time of a step and time of creation in seconds, and bytes
/// that are held.
fn lying_on_four(n: usize, contact: Contact) -> [f64; 3] {
    let model = lying(n, 4);
    let options = Options {
        contact,
        derivatives: false,
        ..Options::default()
    };
    let mut sim = None;
    let mut create = || sim = Some(Sim::new(model.clone(), &options).unwrap());
    let bytes = measure(&mut create).bytes_max as f64;
    let mut made = f64::INFINITY;
    for _ in 0..3 {
        let start = Instant::now();
        create();
        made = made.min(start.elapsed().as_secs_f64());
    }
    let mut sim = sim.unwrap();
    let (q, v) = (model.neutral().to_vec(), vec![0.0; n]);
    let (mut qn, mut vn) = (q.clone(), v.clone());
    let u = vec![0.0; n];
    let mut least = f64::INFINITY;
    for _ in 0..20 {
        let start = Instant::now();
        sim.step(&q, &v, &u, &mut qn, &mut vn).unwrap();
        least = least.min(start.elapsed().as_secs_f64());
    }
    if contact != Contact::None {
        assert_eq!(sim.contacts().len(), 4);
        assert!(sim.contacts().iter().any(|c| c.impulse[2] > 0.0));
    }
    [least, made, bytes]
}

/// 10,000 links with a law were refused for their memory, where the convex law's weights alone would have
/// taken n², and its solve n³.
#[test]
fn a_chain_with_a_few_contacts_costs_its_links() {
    let without = lying_on_four(10_000, Contact::None);
    for contact in LAWS {
        let [short, long] = [1000, 10_000].map(|n| lying_on_four(n, contact));
        println!(
            "{contact:?}: step {:.3} and {:.3} ms, without a law {:.3}, create {:.2} ms, {:.1} and {:.1} MB",
            1e3 * short[0],
            1e3 * long[0],
            1e3 * without[0],
            1e3 * long[1],
            1e-6 * short[2],
            1e-6 * long[2]
        );
        // As many numbers as links squared take a hundred times the step without a law.
        assert!(long[0] < 20.0 * without[0], "{contact:?}");
        assert!(long[1] < 400.0 * without[0], "{contact:?}");
        // Ten times the links.
        assert!(long[2] < 12.0 * short[2], "{contact:?}");
    }
}
