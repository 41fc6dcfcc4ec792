//! Smoothed distances: both estimates where the normal is smooth, and at the kinks of boxes against the
//! expectation of the normal distribution.

use crate::common::scene::*;
use diffsim::model::spec::{ModelSpec, ShapeSpec};
use diffsim::model::{Actuation, Model};
use diffsim::query::{
    DistanceSmoothing, SmoothedDistance, SmoothedDistanceDerivatives, SmoothingMethod,
};
use diffsim::spatial::{Pose, Quat, Vec3};
use diffsim::step::{Options, Sim};
use std::f64::consts::TAU;
use std::sync::Arc;

/// A fixed shape, geom 0, and a free one, geom 1.
fn couple(fixed_shape: ShapeSpec, free_shape: ShapeSpec) -> Sim {
    let mut spec = ModelSpec::default();
    fixed(&mut spec, "a", at(0.1, 0.2, 0.3), fixed_shape, 1.0);
    free(&mut spec, "b", Pose::IDENTITY, 1.0, free_shape);
    let model = Model::compile(spec, Actuation::FromFile).unwrap();
    Sim::new(Arc::new(model), &Options::default()).unwrap()
}

fn placed(pose: &Pose) -> Vec<f64> {
    let mut q = pose.pos.to_array().to_vec();
    q.extend(Quat::from_mat3(&pose.rot).to_array());
    q
}

struct Smoothed {
    mean: SmoothedDistance,
    distance: Vec<f64>,
    point: Vec<f64>,
    normal: Vec<f64>,
}

fn smoothed(sim: &mut Sim, order: [usize; 2], q: &[f64], options: &DistanceSmoothing) -> Smoothed {
    let nv = sim.model().nv();
    let (mut distance, mut point) = (vec![f64::NAN; nv], vec![f64::NAN; 3 * nv]);
    let mut normal = point.clone();
    let out = SmoothedDistanceDerivatives {
        distance: Some(&mut distance),
        point: Some(&mut point),
        normal: Some(&mut normal),
    };
    let mean = sim
        .smoothed_distance(order[0], order[1], q, options, out)
        .unwrap();
    Smoothed {
        mean,
        distance,
        point,
        normal,
    }
}

fn options(method: SmoothingMethod, pairs: usize) -> DistanceSmoothing {
    DistanceSmoothing {
        method,
        width_linear: 0.01,
        width_angular: 0.1,
        pairs,
        seed: 3,
    }
}

const EGG: ShapeSpec = ShapeSpec::Ellipsoid {
    semi_axes: Vec3::new(0.1, 0.15, 0.25),
};
const ORDERS: [[usize; 2]; 2] = [[0, 1], [1, 0]];

#[test]
fn the_first_order_estimate_is_the_derivative_of_the_mean() {
    // With the same numbers drawn, the mean is a smooth function that differences see.
    let mut sim = couple(EGG, EGG);
    let model = sim.model().clone();
    let q = placed(&Pose::from_quat(
        Quat::exp(Vec3::new(0.4, -0.3, 0.8)).normalized(),
        Vec3::new(0.35, 0.3, 0.5),
    ));
    let o = options(SmoothingMethod::FirstOrder, 20);
    for order in ORDERS {
        let here = smoothed(&mut sim, order, &q, &o);
        let h = 1e-5;
        for k in 0..6 {
            let mut at = |s: f64| {
                let mut step = vec![0.0; 6];
                step[k] = s;
                let mut moved = q.clone();
                model.integrate(&q, &step, &mut moved);
                smoothed(&mut sim, order, &moved, &o).mean
            };
            let (plus, minus) = (at(h), at(-h));
            let slope = |p: f64, m: f64| (p - m) / (2.0 * h);
            assert!((slope(plus.distance, minus.distance) - here.distance[k]).abs() < 1e-7);
            for x in 0..3 {
                let p = slope(plus.point[x], minus.point[x]) - here.point[3 * k + x];
                let n = slope(plus.normal[x], minus.normal[x]) - here.normal[3 * k + x];
                assert!(p.abs() < 1e-7 && n.abs() < 1e-7, "{order:?} {k}: {p} {n}");
            }
        }
    }
}

#[test]
fn both_orders_agree_where_the_normal_is_smooth() {
    let mut sim = couple(EGG, EGG);
    let q = placed(&Pose::from_quat(
        Quat::exp(Vec3::new(0.4, -0.3, 0.8)).normalized(),
        Vec3::new(0.35, 0.3, 0.5),
    ));
    // Narrow in rotation, whose part in the point's spread is the zeroth order's noise.
    let o = |method, pairs| DistanceSmoothing {
        width_angular: 0.03,
        ..options(method, pairs)
    };
    for order in ORDERS {
        let first = smoothed(&mut sim, order, &q, &o(SmoothingMethod::FirstOrder, 2000));
        let zeroth = smoothed(
            &mut sim,
            order,
            &q,
            &o(SmoothingMethod::ZerothOrder, 40_000),
        );
        for (name, a, b) in [
            ("distance", &first.distance, &zeroth.distance),
            ("point", &first.point, &zeroth.point),
            ("normal", &first.normal, &zeroth.normal),
        ] {
            let size = a.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            let error = a
                .iter()
                .zip(b)
                .fold(0.0, |m: f64, (x, y)| m.max((x - y).abs()));
            println!("{name} {order:?}: largest {size:.3}, apart {error:.1e}");
            assert!(error < 0.03 * size, "{name}");
        }
    }
}

#[test]
fn a_ball_under_a_boxs_edge_feels_both_faces() {
    // As deep below one face as below the other, the normal is the one face's or the other's with
    // equal odds, and moves at the density of the difference of two coordinates, σ√2 wide, at zero.
    let cuboid = cuboid(0.3, 0.3, 0.3);
    let mut sim = couple(cuboid, ShapeSpec::Sphere { radius: 0.05 });
    let q = placed(&at(0.1 + 0.25, 0.2 + 0.25, 0.3));
    let mut o = options(SmoothingMethod::ZerothOrder, 20_000);
    let s = smoothed(&mut sim, [0, 1], &q, &o);
    let rate = 1.0 / (o.width_linear * 2.0 * (TAU / 2.0).sqrt());
    for (k, expected) in [
        (0, [rate, -rate, 0.0]),
        (1, [-rate, rate, 0.0]),
        (2, [0.0; 3]),
    ] {
        for (x, e) in expected.iter().enumerate() {
            let d = s.normal[3 * k + x];
            assert!((d - e).abs() < 0.03 * rate, "{k} {x}: {d} instead of {e}");
        }
    }
    for (n, e) in s.mean.normal.iter().zip([0.5, 0.5, 0.0]) {
        assert!((n - e).abs() < 0.02, "{:?}", s.mean.normal);
    }
    // The exact derivatives of all samples say that the normal does not move.
    o.method = SmoothingMethod::FirstOrder;
    let blind = smoothed(&mut sim, [0, 1], &q, &o);
    assert!(blind.normal.iter().all(|x| x.abs() < 1e-12));
}

#[test]
fn a_box_rolling_flat_on_a_plane_moves_its_lowest_point_across() {
    // The lowest corner is on the side to which the box leans: the mean of ±w moves at
    // 2 w / (σ √(2π)) a radian, and all of the lower face at −h.
    let plane = ShapeSpec::Plane {
        half_extents: [0.0; 2],
    };
    let (w, h) = (0.1, 0.08);
    let mut sim = couple(plane, cuboid(w, w, h));
    let q = placed(&at(0.1, 0.2, 0.3 + h));
    let o = options(SmoothingMethod::ZerothOrder, 40_000);
    let s = smoothed(&mut sim, [0, 1], &q, &o);
    let rate = 2.0 * w / (o.width_angular * TAU.sqrt()) - h;
    // Leaning about y by a positive angle lowers the side of positive x.
    let d = s.point[3 * 4];
    assert!((d - rate).abs() < 0.03 * rate, "{d} instead of {rate}");
    assert!((s.distance[2] - 1.0).abs() < 0.02, "{}", s.distance[2]);
    assert!(s.distance.iter().chain(&s.point).all(|x| x.is_finite()));
}

#[test]
fn the_same_seed_gives_the_same_bits_and_leaves_the_simulation_alone() {
    let mut sim = couple(EGG, cuboid(0.1, 0.1, 0.1));
    let q = placed(&at(0.3, 0.3, 0.4));
    let o = options(SmoothingMethod::ZerothOrder, 50);
    sim.collide(&q).unwrap();
    let before = sim.contacts().to_vec();
    let (a, b) = (
        smoothed(&mut sim, [0, 1], &q, &o),
        smoothed(&mut sim, [0, 1], &q, &o),
    );
    assert_eq!((a.mean, &a.normal), (b.mean, &b.normal));
    let other = smoothed(&mut sim, [0, 1], &q, &DistanceSmoothing { seed: 4, ..o });
    assert_ne!(a.normal, other.normal);
    assert_eq!(before.len(), sim.contacts().len());
    let used = allocation_counter::measure(|| {
        smoothed_only(&mut sim, &q, &o);
    });
    assert_eq!(used.count_total, 0);
}

fn smoothed_only(sim: &mut Sim, q: &[f64], o: &DistanceSmoothing) {
    sim.smoothed_distance(0, 1, q, o, SmoothedDistanceDerivatives::default())
        .unwrap();
}

#[test]
fn wrong_options_are_refused_by_name() {
    let mut sim = couple(EGG, EGG);
    let q = placed(&at(0.3, 0.3, 0.4));
    let o = options(SmoothingMethod::ZerothOrder, 5);
    for (culprit, wrong) in [
        ("pairs", DistanceSmoothing { pairs: 0, ..o }),
        (
            "width_linear",
            DistanceSmoothing {
                width_linear: 0.0,
                ..o
            },
        ),
        (
            "width_angular",
            DistanceSmoothing {
                width_angular: f64::NAN,
                ..o
            },
        ),
        (
            "width_angular",
            DistanceSmoothing {
                width_angular: 2.0,
                ..o
            },
        ),
        (
            "method",
            DistanceSmoothing {
                method: SmoothingMethod::CentralPath,
                ..o
            },
        ),
    ] {
        let e = sim
            .smoothed_distance(0, 1, &q, &wrong, SmoothedDistanceDerivatives::default())
            .unwrap_err();
        assert!(e.message.contains(culprit), "{}", e.message);
    }
    let mut short = vec![0.0; 5];
    let out = SmoothedDistanceDerivatives {
        point: Some(&mut short),
        ..SmoothedDistanceDerivatives::default()
    };
    let e = sim.smoothed_distance(0, 1, &q, &o, out).unwrap_err();
    assert!(e.message.contains("point"), "{}", e.message);
    for (a, b) in [(0, 0), (0, 2)] {
        let out = SmoothedDistanceDerivatives::default();
        assert!(sim.smoothed_distance(a, b, &q, &o, out).is_err());
    }
}
