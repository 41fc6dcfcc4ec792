//! Drag and lift of the fluid that bodies move in.

use crate::common::checker::{Checker, FOURTH_ORDER};
use crate::common::varying::Universal;
use crate::common::{EPS, KINDS, Rng, param, random_body, random_q};
use diffsim::error::Status;
use diffsim::model::fluid::{Fluid, FluidCoefficients};
use diffsim::model::params::ParamKind;
use diffsim::model::spec::{BodySpec, GeomSpec, JointKind, JointSpec, ModelSpec, ShapeSpec};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::{Inertia, Pose, Sym3, Vec3};
use diffsim::step::{Contact, Integrator, Options, Sim};
use std::f64::consts::PI;
use std::sync::Arc;

const ALL: [Integrator; 6] = [
    Integrator::SymplecticEuler,
    Integrator::SymplecticEulerWorld,
    Integrator::ImplicitEuler,
    Integrator::Midpoint,
    Integrator::Bdf1,
    Integrator::Sdirk2,
];

fn options(integrator: Integrator) -> Options {
    Options {
        contact: Contact::None,
        time_step: 0.01,
        integrator,
        ..Options::default()
    }
}

fn water() -> Fluid {
    Fluid {
        density: 4.0,
        viscosity: 0.3,
        wind: Vec3::new(0.7, -1.1, 0.4),
    }
}

fn compiled(spec: ModelSpec) -> Arc<Model> {
    Arc::new(Model::compile(spec, Actuation::Full).unwrap())
}

fn shapes() -> [ShapeSpec; 5] {
    [
        ShapeSpec::Sphere { radius: 0.3 },
        ShapeSpec::Capsule {
            radius: 0.1,
            half_length: 0.3,
        },
        ShapeSpec::Cylinder {
            radius: 0.2,
            half_length: 0.05,
        },
        ShapeSpec::Ellipsoid {
            semi_axes: Vec3::new(0.1, 0.4, 0.2),
        },
        ShapeSpec::Box {
            half_extents: Vec3::new(0.3, 0.2, 0.1),
        },
    ]
}

/// A chain of all kinds of joints that forks; every other body meets the fluid by two ellipsoids.
fn tree() -> ModelSpec {
    let mut rng = Rng::new(31);
    let mut spec = ModelSpec {
        gravity: rng.vec3(9.0),
        fluid: water(),
        ..ModelSpec::default()
    };
    for (k, kind) in KINDS.into_iter().enumerate() {
        let parent = if k == 6 { 2 } else { k };
        let mut body = random_body(&mut rng, k + 1, parent, kind);
        if kind == JointKind::Universal {
            body.joints[0] = JointSpec {
                varying: Some(Arc::new(Universal {
                    a: Vec3::X,
                    b: Vec3::Y,
                })),
                ..JointSpec::new("hooke", kind)
            };
        }
        spec.bodies.push(body);
        for n in 0..2 * (k % 2) {
            let shape = shapes()[(k / 2 + n) % 5].clone();
            let mut g = GeomSpec::new(format!("g{k}{n}"), k + 1, rng.pose(0.3), shape);
            g.fluid = Some(FluidCoefficients::from_array([0.5, 0.3, 1.5, 0.8, 1.2]));
            spec.geoms.push(g);
        }
    }
    spec
}

#[test]
fn derivatives_by_state_inertia_and_placement() {
    let model = compiled(tree());
    let mut rng = Rng::new(3);
    for integrator in ALL {
        let mut c = Checker::new(model.clone(), &options(integrator));
        (c.eps, c.stencil) = (EPS, FOURTH_ORDER);
        let inertia = [1, 2, 5, 9]
            .into_iter()
            .flat_map(|b| (0..10).map(move |i| param(ParamKind::BodyInertia, b, i)));
        let placement = [1, 4, 5, 9]
            .into_iter()
            .flat_map(|j| (0..6).map(move |i| param(ParamKind::JointPlacement, j, i)));
        c.select(&inertia.chain(placement).collect::<Vec<_>>());
        for _ in 0..2 {
            let mut q = random_q(&mut rng, &model, 1.0);
            let mut v = rng.vector(model.nv(), 1.0);
            let u = rng.vector(model.nu(), 1.0);
            c.check(&mut q, &mut v, &u);
        }
        let t = c.tally(&format!("{integrator:?}"));
        assert!(t.wrong == 0 && t.p99 < 1e-8 && t.apart < 1e-10);
        // Differences do not settle where a velocity along an axis is about zero: drag has no second
        // derivative there.
        assert!(t.checked > 100 && 50 * t.excluded < t.checked);
    }
}

/// A body alone that floats without weight, meeting the fluid by a box or by an ellipsoid.
fn floating(shape: Option<ShapeSpec>, inertia: Inertia, fluid: Fluid) -> Arc<Model> {
    let mut spec = ModelSpec {
        gravity: Vec3::ZERO,
        fluid,
        ..ModelSpec::default()
    };
    spec.bodies.push(BodySpec {
        name: "body".into(),
        inertia,
        joints: vec![JointSpec::new("free", JointKind::Free)],
        ..BodySpec::world()
    });
    if let Some(shape) = shape {
        let mut g = GeomSpec::new("geom", 1, Pose::IDENTITY, shape);
        g.fluid = Some(FluidCoefficients::default());
        spec.geoms.push(g);
    }
    compiled(spec)
}

fn ball(radius: f64) -> Inertia {
    let moment = 0.4 * 2.0 * radius * radius;
    Inertia::from_com(
        2.0,
        Vec3::ZERO,
        Sym3::diagonal(Vec3::new(moment, moment, moment)),
    )
}

/// The change of v in a step of a body that starts with `v`.
fn change(model: &Arc<Model>, v: [f64; 6]) -> Vec<f64> {
    let mut sim = Sim::new(model.clone(), &options(Integrator::SymplecticEuler)).unwrap();
    let (mut q, mut end) = (model.neutral().to_vec(), v.to_vec());
    let start = q.clone();
    sim.step(&start, &v, &[0.0; 6], &mut q, &mut end).unwrap();
    end.iter().zip(v).map(|(a, b)| a - b).collect()
}

#[test]
fn what_moves_with_the_fluid_meets_nothing() {
    for shape in shapes().map(Some).into_iter().chain([None]) {
        let model = floating(shape, ball(0.3), water());
        let w = water().wind;
        assert_eq!(change(&model, [w.x, w.y, w.z, 0.0, 0.0, 0.0]), [0.0; 6]);
        assert!(change(&model, [0.0; 6])[0] > 1e-3);
    }
}

/// A sphere: Stokes' law, quadratic drag of its face, Magnus' lift and half of its displacement carried
/// along.
#[test]
fn a_sphere_by_closed_forms() {
    let (r, v, w) = (0.3, 1.7, 0.9);
    let fluid = Fluid {
        wind: Vec3::ZERO,
        ..water()
    };
    let model = floating(Some(ShapeSpec::Sphere { radius: r }), ball(r), fluid);
    let dv = change(&model, [v, 0.0, 0.0, 0.0, 0.0, w]);
    let per = 0.01 / 2.0;
    let face = PI * r * r;
    let stokes = 6.0 * PI * fluid.viscosity * r * v;
    let drag = 0.5 * fluid.density * face * v * v;
    assert!((dv[0] / (-per * (stokes + drag)) - 1.0).abs() < 1e-13);
    // p × ω with half of the displacement, and ω × v with all; the axes turn, too.
    let volume = 4.0 / 3.0 * PI * r.powi(3);
    let lift = (1.0 - 0.5) * fluid.density * volume * w * v;
    assert!((dv[1] / (per * lift - 0.01 * w * v) - 1.0).abs() < 1e-13);
    let moment = 0.4 * 2.0 * r * r;
    let torsion = 8.0 * PI * fluid.viscosity * r.powi(3) * w
        + 1.5 * 8.0 / 15.0 * PI * r.powi(5) * fluid.density * w * w;
    assert!((dv[5] / (-0.01 / moment * torsion) - 1.0).abs() < 1e-13);
}

/// The box of a cube's inertia is the cube.
#[test]
fn a_cube_by_closed_forms() {
    let (b, v) = (0.5, 1.3);
    let moment = 2.0 * b * b / 6.0;
    let inertia = Inertia::from_com(
        2.0,
        Vec3::ZERO,
        Sym3::diagonal(Vec3::new(moment, moment, moment)),
    );
    let fluid = Fluid {
        wind: Vec3::ZERO,
        ..water()
    };
    let model = floating(None, inertia, fluid);
    let dv = change(&model, [0.0, v, 0.0, 0.0, 0.0, 0.0]);
    let force = 3.0 * PI * fluid.viscosity * b * v + 0.5 * fluid.density * b * b * v * v;
    assert!((dv[1] / (-0.01 / 2.0 * force) - 1.0).abs() < 1e-12);
}

#[test]
fn a_flat_box_has_no_derivative_by_the_inertia() {
    let flat = Inertia::from_com(2.0, Vec3::ZERO, Sym3::diagonal(Vec3::new(0.1, 0.1, 0.2)));
    let model = floating(None, flat, water());
    let mut sim = Sim::new(model, &options(Integrator::SymplecticEuler)).unwrap();
    let e = sim
        .select_params(&[param(ParamKind::BodyInertia, 1, 0)])
        .unwrap_err();
    assert_eq!(e.status, Status::Unsupported);
    assert!(
        e.message
            .contains("params[0]: param: BodyInertia of body \"body\": its inertia box"),
        "{e}"
    );
    sim.select_params(&[param(ParamKind::JointPlacement, 0, 0)])
        .unwrap();
}

#[test]
fn what_no_ellipsoid_stands_for_and_what_is_no_number_is_refused() {
    let mut spec = tree();
    spec.geoms[1].shape = ShapeSpec::Plane {
        half_extents: [0.0; 2],
    };
    let refused = |spec: ModelSpec| Model::compile(spec, Actuation::Full).unwrap_err().message;
    let message = refused(spec.clone());
    assert!(
        message.contains("geom \"g11\": planes, meshes and height fields"),
        "{message}"
    );
    spec.fluid = Fluid::default();
    assert!(Model::compile(spec, Actuation::Full).is_ok());
    let mut spec = tree();
    spec.fluid.viscosity = -1.0;
    assert_eq!(
        refused(spec),
        "fluid: viscosity must be finite and not negative, got -1"
    );
    let mut spec = tree();
    spec.geoms[0].fluid = Some(FluidCoefficients::from_array([f64::NAN; 5]));
    assert_eq!(
        refused(spec),
        "geom \"g10\": coefficients in a fluid must be finite, got NaN"
    );
}
