//! The same points from step to step, the same bits from run to run, and no heap.

use crate::common::Rng;
use crate::{block, body, compile, fixed, options_without_contact, shapes};
use diffsim::model::spec::{ModelSpec, ShapeSpec};
use diffsim::query::ContactDerivatives;
use diffsim::spatial::Vec3;
use diffsim::step::{ContactReport, Options, Sim};

#[test]
fn geometry_queries_leave_the_heap_alone() {
    let all = shapes();
    let mut spec = ModelSpec::default();
    fixed(&mut spec, "plane", Vec3::ZERO, all[0].1.clone());
    fixed(&mut spec, "field", Vec3::ZERO, all[1].1.clone());
    for (i, (name, s)) in all[2..].iter().enumerate() {
        body(
            &mut spec,
            name,
            Vec3::new(0.15 * i as f64, 0.0, 0.05),
            s.clone(),
        );
    }
    let model = compile(spec);
    let q = model.neutral().to_vec();
    let mut sim = Sim::new(model.clone(), &Options::default()).unwrap();
    let (n, nv) = (64, model.nv());
    let (mut d, mut gradient) = (vec![0.0; 3 * n * nv], vec![0.0; nv]);
    let used = allocation_counter::measure(|| {
        sim.collide(&q).unwrap();
        let n = sim.contacts().len();
        sim.contact_derivatives(ContactDerivatives {
            point: Some(&mut d[..3 * n * nv]),
            ..Default::default()
        })
        .unwrap();
        sim.distance(1, 5, &q, Some(&mut gradient)).unwrap();
    });
    assert!(sim.contacts().len() > 10);
    assert_eq!(used.count_total, 0);
}

#[test]
fn a_box_slides_on_the_same_four_points() {
    let floors = [
        shapes().swap_remove(0).1,
        ShapeSpec::Box {
            half_extents: Vec3::new(3.0, 3.0, 0.5),
        },
        block([3.0, 3.0, 0.5]),
    ];
    for (k, floor) in floors.into_iter().enumerate() {
        let top = if k == 0 { 0.0 } else { 0.5 };
        let mut spec = ModelSpec::default();
        fixed(&mut spec, "floor", Vec3::Z * -top, floor);
        let half_extents = Vec3::new(0.1, 0.12, 0.08);
        body(
            &mut spec,
            "box",
            Vec3::Z * 0.0799,
            ShapeSpec::Box { half_extents },
        );
        let model = compile(spec);
        let mut sim = Sim::new(model.clone(), &Options::default()).unwrap();
        let mut q = model.neutral().to_vec();
        q[3..7].copy_from_slice(
            &diffsim::spatial::Quat::exp(Vec3::Z * 0.3)
                .normalized()
                .to_array(),
        );
        let mut corners: Option<(Vec<u64>, Vec<Vec3>)> = None;
        for i in 0..=1000 {
            q[0] = 1e-3 * f64::from(i) - 0.5;
            sim.collide(&q).unwrap();
            let at = Vec3::new(q[0], 0.0, 0.0);
            let own: Vec<Vec3> = sim
                .contacts()
                .iter()
                .map(|c| Vec3::from_slice(&c.point) - at)
                .collect();
            assert_eq!(own.len(), 4, "floor {k}, {i} mm");
            let features: Vec<u64> = sim.contacts().iter().map(|c| c.feature).collect();
            let first = corners.get_or_insert_with(|| (features.clone(), own.clone()));
            assert_eq!(features, first.0, "floor {k}, {i} mm");
            for (a, b) in first.1.iter().zip(&own) {
                assert!((*a - *b).norm() < 1e-9, "floor {k}, {i} mm");
            }
        }
    }
}

#[test]
fn contacts_are_the_same_with_derivatives_and_again() {
    let all = shapes();
    let run = |derivatives: bool| {
        let mut spec = ModelSpec::default();
        fixed(&mut spec, "floor", Vec3::ZERO, block([3.0, 3.0, 0.2]));
        for (i, (name, s)) in all[2..].iter().enumerate() {
            body(
                &mut spec,
                name,
                Vec3::new(0.25 * i as f64, 0.0, 0.4),
                s.clone(),
            );
        }
        let model = compile(spec);
        let options = Options {
            derivatives,
            ..Options::default()
        };
        let mut sim = Sim::new(model.clone(), &options).unwrap();
        let (mut q, mut v) = (model.neutral().to_vec(), vec![0.0; model.nv()]);
        let (mut qn, mut vn) = (q.clone(), v.clone());
        let mut seen = Vec::new();
        for _ in 0..300 {
            sim.step(&q, &v, &[], &mut qn, &mut vn).unwrap();
            std::mem::swap(&mut q, &mut qn);
            std::mem::swap(&mut v, &mut vn);
            for c in sim.contacts() {
                seen.push((
                    (c.geom, c.feature),
                    c.point.map(f64::to_bits),
                    c.gap.to_bits(),
                ));
            }
        }
        seen
    };
    let first = run(true);
    assert!(first.len() > 1000);
    assert_eq!(first, run(false));
    assert_eq!(first, run(true));
}

/// Meshes and curved shapes that overlap, pass each other and part: what was found at the states before
/// changes no bit.
#[test]
fn a_moving_simulation_finds_what_a_new_one_finds() {
    let mut spec = ModelSpec::default();
    let all = shapes();
    fixed(&mut spec, "field", Vec3::ZERO, all[1].1.clone());
    for (i, (name, s)) in all[2..].iter().chain(&all[4..]).enumerate() {
        let at = Vec3::new(0.11 * (i % 4) as f64, 0.13 * (i / 4) as f64, 0.1);
        body(&mut spec, &format!("{name}{i}"), at, s.clone());
    }
    let model = compile(spec);
    let options = Options {
        max_contacts: 512,
        ..options_without_contact()
    };
    let mut moving = Sim::new(model.clone(), &options).unwrap();
    let mut q = model.neutral().to_vec();
    let mut next = q.clone();
    let mut rng = Rng::new(90);
    let turns: Vec<f64> = (0..model.nv()).map(|_| rng.range(-1.0, 1.0)).collect();
    let mut seen = 0;
    for k in 0..120 {
        // Slow, at rest, then fast.
        let speed = [1e-4, 0.0, 5e-3][k / 40];
        let dq: Vec<f64> = turns.iter().map(|x| speed * x).collect();
        model.integrate(&q, &dq, &mut next);
        std::mem::swap(&mut q, &mut next);
        moving.collide(&q).unwrap();
        let mut new = Sim::new(model.clone(), &options).unwrap();
        new.collide(&q).unwrap();
        let bits = |sim: &Sim| -> Vec<_> {
            let of = |x: [f64; 3]| x.map(f64::to_bits);
            let one = |c: &ContactReport| {
                (
                    c.geom,
                    c.feature,
                    of(c.point),
                    of(c.normal),
                    c.gap.to_bits(),
                )
            };
            sim.contacts().iter().map(one).collect()
        };
        assert_eq!(bits(&moving), bits(&new), "state {k}");
        seen += new.contacts().len();
    }
    assert!(seen > 120 * 20, "{seen}");
}
