//! The step with rigid contact: Jacobians against differences wherever no mode changes inside the
//! difference, forward against reverse mode, and invariants of the interface.

mod common;

use common::checker::*;
use common::*;
use diffsim::model::params::{Param, ParamKind};
use diffsim::model::spec::{ModelSpec, ShapeSpec};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::{Quat, Vec3};
use diffsim::step::Options;

#[test]
fn a_box_that_drops_slides_and_sticks() {
    for (kp, kd) in [(0.0, 0.0), (0.5, 0.0), (0.2, 0.3)] {
        let mut spec = ModelSpec::default();
        ground(&mut spec, 0.5);
        free_body(
            &mut spec,
            "box",
            Vec3::new(0.0, 0.0, 0.12),
            ShapeSpec::Box {
                half_extents: Vec3::new(0.1, 0.08, 0.1),
            },
        );
        let model = Model::compile(spec, Actuation::Full).unwrap();
        let mut q = model.neutral().to_vec();
        q[3..7].copy_from_slice(
            &Quat::exp(Vec3::new(0.02, 0.05, 0.3))
                .normalized()
                .to_array(),
        );
        let mut v = vec![0.6, 0.2, -0.3, 0.3, -0.2, 0.5];
        let mut c = Checker::new(
            model,
            &Options {
                kp,
                kd,
                ..options(5e-3)
            },
        );
        let friction = Param {
            kind: ParamKind::GeomFriction,
            index: 0,
            component: 0,
        };
        let mass = Param {
            kind: ParamKind::BodyInertia,
            index: 1,
            component: 0,
        };
        c.sim.select_params(&[friction, mass]).unwrap();
        for _ in 0..60 {
            c.check(&mut q, &mut v, &[0.0; 6]);
        }
        c.report(&format!("box, kp {kp} kd {kd}"));
    }
}

#[test]
fn round_bodies_that_roll_and_collide() {
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.4);
    free_body(
        &mut spec,
        "ball",
        Vec3::new(0.0, 0.0, 0.1),
        ShapeSpec::Sphere { radius: 0.1 },
    );
    free_body(
        &mut spec,
        "rod",
        Vec3::new(0.02, 0.24, 0.09),
        ShapeSpec::Capsule {
            radius: 0.08,
            half_length: 0.1,
        },
    );
    free_body(
        &mut spec,
        "egg",
        Vec3::new(-0.01, 0.01, 0.33),
        ShapeSpec::Ellipsoid {
            semi_axes: Vec3::new(0.1, 0.12, 0.14),
        },
    );
    spec.geoms[3].condim = 1;
    let model = Model::compile(spec, Actuation::FromFile).unwrap();
    let mut q = model.neutral().to_vec();
    let mut rng = Rng::new(3);
    let mut v = rng.vector(18, 0.4);
    let mut c = Checker::new(model, &options(2e-3));
    let list: Vec<Param> = (0..4)
        .map(|i| Param {
            kind: ParamKind::GeomFriction,
            index: i,
            component: 0,
        })
        .collect();
    c.sim.select_params(&list).unwrap();
    for _ in 0..60 {
        c.check(&mut q, &mut v, &[]);
    }
    c.report("round bodies");
}

#[test]
fn a_quadruped_that_lands_and_stands() {
    for self_collision in [false, true] {
        let model = quadruped(self_collision);
        let (mut q, mut v) = (standing(&model), vec![0.0; 18]);
        v[0] = 0.4;
        let rest = q.clone();
        let calf = model.joint_id("calf0").unwrap() as i32;
        let hip = model.joint_id("hip1").unwrap() as i32;
        let mut c = Checker::new(model, &options(2e-3));
        let mut list = vec![
            Param {
                kind: ParamKind::GeomFriction,
                index: 0,
                component: 0,
            },
            Param {
                kind: ParamKind::JointFriction,
                index: calf,
                component: 0,
            },
            Param {
                kind: ParamKind::JointDamping,
                index: hip,
                component: 0,
            },
            Param {
                kind: ParamKind::BodyInertia,
                index: 1,
                component: 1,
            },
            Param {
                kind: ParamKind::Gravity,
                index: 0,
                component: 0,
            },
        ];
        for (kind, index) in [
            (ParamKind::JointPlacement, calf),
            (ParamKind::ExternalWrench, 1),
        ] {
            list.extend((0..6).map(|component| Param {
                kind,
                index,
                component,
            }));
        }
        c.sim.select_params(&list).unwrap();
        let mut rng = Rng::new(9);
        for step in 0..80 {
            let mut u = vec![0.0; 18];
            for k in 6..18 {
                u[k] = 40.0 * (rest[k + 1] - q[k + 1]) - v[k] + rng.range(-2.0, 2.0);
            }
            if step % 4 == 0 {
                c.check(&mut q, &mut v, &u);
            } else {
                let (q0, v0) = (q.clone(), v.clone());
                c.sim.step(&q0, &v0, &u, &mut q, &mut v).unwrap();
            }
        }
        c.report("quadruped");
    }
}
