//! How the friction of two geoms combines with every law, and lagged and similar friction of the convex law:
//! values against formulas, and all derivatives against differences.

use crate::common::checker::{Checker, free_body, quadruped_spec, standing};
use crate::common::param;
use crate::common::scene::options;
use diffsim::collision::scene::FrictionRule;
use diffsim::error::Status;
use diffsim::model::params::{Param, ParamKind};
use diffsim::model::spec::{GeomSpec, Hydroelastic, HydroelasticKind, ModelSpec, ShapeSpec};
use diffsim::model::{Actuation, Model};
use diffsim::rollout::Rollout;
use diffsim::spatial::{Inertia, Pose, Quat, Sym3, Vec3};
use diffsim::step::{Contact, ConvexVariant, Integrator, Options, STICTION, Sim};
use std::sync::Arc;

const G: f64 = 9.81;
const RULES: [(FrictionRule, f64); 3] = [
    (FrictionRule::Larger, 0.8),
    (FrictionRule::Harmonic, 2.0 * 0.8 * 0.3 / 1.1),
    (FrictionRule::Product, 0.24),
];

fn plane(spec: &mut ModelSpec, friction: f64) -> usize {
    let shape = ShapeSpec::Plane {
        half_extents: [0.0; 2],
    };
    let mut g = GeomSpec::new("ground", 0, Pose::IDENTITY, shape);
    g.friction[0] = friction;
    spec.geoms.push(g);
    spec.geoms.len() - 1
}

fn cube(half: f64) -> ShapeSpec {
    ShapeSpec::Box {
        half_extents: Vec3::new(half, half, half),
    }
}

/// A cube of 1 kg on a plane: friction 0.3 and 0.8.
fn slider(sink: f64) -> ModelSpec {
    let mut spec = ModelSpec::default();
    plane(&mut spec, 0.8);
    free_body(&mut spec, "cube", Vec3::Z * (0.05 - sink), cube(0.05));
    let inertia = Sym3::diagonal(Vec3::new(1.0, 1.0, 1.0));
    spec.bodies[1].inertia = Inertia::from_com(1.0, Vec3::ZERO, inertia);
    spec.geoms[1].friction[0] = 0.3;
    spec
}

fn compile(spec: ModelSpec) -> Arc<Model> {
    Arc::new(Model::compile(spec, Actuation::Full).unwrap())
}

fn lagged(h: f64) -> Options {
    Options {
        contact: Contact::Convex,
        convex_variant: ConvexVariant::Lagged,
        ..options(h)
    }
}

fn stepped(sim: &mut Sim, q: &mut Vec<f64>, v: &mut Vec<f64>, u: &[f64]) {
    let (mut qn, mut vn) = (q.clone(), v.clone());
    sim.step(q, v, u, &mut qn, &mut vn).unwrap();
    (*q, *v) = (qn, vn);
}

#[test]
fn friction_combines_by_the_rule_with_every_law() {
    for contact in [
        Contact::Ncp,
        Contact::Lcp,
        Contact::Convex,
        Contact::Penalty,
    ] {
        for (rule, mu) in RULES {
            let mut o = Options {
                contact,
                friction_rule: rule,
                ..options(1e-3)
            };
            if contact == Contact::Convex {
                o.convex_variant = ConvexVariant::Lagged;
            }
            let model = compile(slider(1e-6));
            let (mut q, mut v) = (model.neutral().to_vec(), vec![0.0; 6]);
            let u = vec![0.0; 6];
            let mut sim = Sim::new(model, &o).unwrap();
            v[0] = 3.0;
            // Until it has settled; then over 0.1 s.
            for _ in 0..100 {
                stepped(&mut sim, &mut q, &mut v, &u);
            }
            let before = v[0];
            for _ in 0..100 {
                stepped(&mut sim, &mut q, &mut v, &u);
            }
            let slowed = (before - v[0]) / 0.1;
            assert!(
                (slowed - mu * G).abs() < 0.02 * mu * G,
                "{contact:?} {rule:?}: {slowed}"
            );
        }
    }
}

#[test]
fn derivatives_by_both_coefficients_are_exact() {
    let list = [
        param(ParamKind::GeomFriction, 0, 0),
        param(ParamKind::GeomFriction, 1, 0),
    ];
    for contact in [Contact::Ncp, Contact::Lcp, Contact::Convex] {
        for (rule, _) in RULES {
            for same in [false, true] {
                let o = Options {
                    contact,
                    friction_rule: rule,
                    ..options(1e-3)
                };
                let mut spec = slider(1e-4);
                if same {
                    spec.geoms[0].friction[0] = 0.3;
                }
                let model = compile(spec);
                let mut c = Checker::new(model.clone(), &o);
                c.select(&list);
                let (mut q, mut v) = (model.neutral().to_vec(), vec![0.0; 6]);
                (v[0], v[1]) = (2.0, 0.7);
                for _ in 0..3 {
                    c.check(&mut q, &mut v, &[0.0; 6]);
                }
                let t = c.tally(&format!("{contact:?} {rule:?} same {same}"));
                assert!(
                    t.wrong == 0 && t.apart < 1e-10,
                    "{contact:?} {rule:?} {t:?}"
                );
                // Of two equal coefficients of which the larger counts, there are two derivatives while the
                // cube slides.
                let tied = same && rule == FrictionRule::Larger;
                assert_eq!(tied, t.one_sided > 0, "{contact:?} {rule:?} {t:?}");
                assert!(t.checked + t.one_sided > 30, "{contact:?} {rule:?} {t:?}");
            }
        }
    }
}

#[test]
fn penalty_forces_have_the_derivative_by_both_coefficients() {
    for (rule, _) in RULES {
        let o = Options {
            contact: Contact::Penalty,
            friction_rule: rule,
            ..options(1e-3)
        };
        let model = compile(slider(1e-4));
        let mut sim = Sim::new(model.clone(), &o).unwrap();
        let list = [0, 1].map(|g| param(ParamKind::GeomFriction, g, 0));
        sim.select_params(&list).unwrap();
        let (q, v) = (model.neutral().to_vec(), [2.0, 0.7, 0.0, 0.0, 0.0, 0.0]);
        let mut after = |p: [f64; 2]| {
            sim.set_params(&p).unwrap();
            let (mut qn, mut vn) = (q.clone(), v.to_vec());
            sim.step(&q, &v, &[0.0; 6], &mut qn, &mut vn).unwrap();
            let mut by_p = vec![0.0; 12];
            let out = diffsim::step::StepJacobians {
                dv_dp: Some(&mut by_p),
                ..Default::default()
            };
            sim.step_jacobians(out).unwrap();
            (vn, by_p)
        };
        let (slow, by_p) = after([0.8, 0.3]);
        assert!(slow[0] < v[0]);
        for g in 0..2 {
            let mut at = |s: f64| {
                let mut p = [0.8, 0.3];
                p[g] += s;
                after(p).0
            };
            let (up, down) = (at(1e-5), at(-1e-5));
            let differences = up.iter().zip(&down).map(|(up, down)| (up - down) / 2e-5);
            for (fd, ours) in differences.zip(&by_p[6 * g..]) {
                assert!((fd - ours).abs() < 1e-9, "{rule:?} {g}: {fd} {ours}");
            }
        }
    }
}

/// How high a cube glides at 1 m/s above where it rests, and its greatest hop when it begins to slide.
fn glide(variant: ConvexVariant, h: f64, stiffness: f64) -> (f64, f64) {
    let mut spec = slider(0.0);
    for g in &mut spec.geoms {
        g.stiffness = stiffness;
    }
    let model = compile(spec);
    let o = Options {
        convex_variant: variant,
        ..lagged(h)
    };
    let (mut q, mut v) = (model.neutral().to_vec(), vec![0.0; 6]);
    let mut sim = Sim::new(model, &o).unwrap();
    let mut u = vec![0.0; 6];
    for _ in 0..(1.0 / h) as usize {
        stepped(&mut sim, &mut q, &mut v, &u);
    }
    let rest = q[2];
    let mut hop: f64 = 0.0;
    // A force that makes it slide, then one that keeps its speed near 1 m/s.
    for _ in 0..(1.0 / h) as usize {
        u[0] = 0.8 * G + 20.0 * (1.0 - v[0]);
        stepped(&mut sim, &mut q, &mut v, &u);
        hop = hop.max(q[2] - rest);
    }
    (q[2] - rest, hop)
}

#[test]
fn lagged_friction_neither_glides_nor_hops() {
    println!("| h | stiffness | variant | gap while sliding | hop |\n|---|---|---|---|---|");
    for h in [1e-3, 5e-3, 1e-2] {
        for stiffness in [f64::INFINITY, 1e5] {
            for variant in [
                ConvexVariant::Sap,
                ConvexVariant::Lagged,
                ConvexVariant::Similar,
            ] {
                let (gap, hop) = glide(variant, h, stiffness);
                println!("| {h} | {stiffness:e} | {variant:?} | {gap:.2e} | {hop:.2e} |");
                // A soft cube tips a little while the force grows.
                let most = if stiffness.is_finite() { 5e-5 } else { 1e-6 };
                match variant {
                    ConvexVariant::Lagged => {
                        assert!(
                            gap.abs() < 1e-6 && hop < most,
                            "{h} {stiffness} {gap} {hop}"
                        )
                    }
                    _ => assert!((gap - 0.8 * h).abs() < 0.1 * h, "{variant:?} {h} {gap}"),
                }
            }
        }
    }
}

fn all_params(model: &Model, geoms: &[usize], body: usize) -> Vec<Param> {
    let mut list = vec![
        param(ParamKind::BodyInertia, body, 0),
        param(ParamKind::Gravity, 0, 2),
    ];
    for g in geoms {
        list.push(param(ParamKind::GeomFriction, *g, 0));
        list.push(param(ParamKind::ContactDissipation, *g, 0));
        if model.geoms()[*g].hydroelastic.kind == HydroelasticKind::None {
            list.push(param(ParamKind::ContactStiffness, *g, 0));
        } else if model.geoms()[*g].hydroelastic.kind == HydroelasticKind::Compliant {
            list.push(param(ParamKind::HydroelasticModulus, *g, 0));
        }
    }
    list
}

#[test]
fn derivatives_of_lagged_friction_are_exact() {
    let plain = [
        Integrator::SymplecticEulerWorld,
        Integrator::SymplecticEuler,
    ];
    derivatives_are_exact(ConvexVariant::Lagged, &plain);
}

#[test]
fn derivatives_of_similar_friction_are_exact() {
    let all = [
        Integrator::SymplecticEulerWorld,
        Integrator::SymplecticEuler,
        Integrator::ImplicitEuler,
        Integrator::Midpoint,
    ];
    derivatives_are_exact(ConvexVariant::Similar, &all);
}

fn derivatives_are_exact(convex_variant: ConvexVariant, integrators: &[Integrator]) {
    let mut checked = 0;
    for (name, shape, turn) in [
        ("cube", cube(0.05), Vec3::new(0.02, 0.03, 0.4)),
        ("ball", ShapeSpec::Sphere { radius: 0.05 }, Vec3::ZERO),
    ] {
        for faces in [false, true] {
            for integrator in integrators.iter().copied() {
                let mut spec = slider(2e-3);
                spec.geoms[1].shape = shape.clone();
                for (k, g) in spec.geoms.iter_mut().enumerate() {
                    (g.stiffness, g.dissipation) = (4e3, 0.01 + 0.005 * k as f64);
                    if faces {
                        g.hydroelastic = Hydroelastic {
                            kind: HydroelasticKind::Compliant,
                            modulus: 2e5,
                            resolution: 0.03,
                            slab_thickness: 0.05,
                            ..Hydroelastic::default()
                        };
                    }
                }
                let model = compile(spec);
                let o = Options {
                    integrator,
                    convex_variant,
                    max_contacts: 300,
                    friction_rule: FrictionRule::Harmonic,
                    ..lagged(2e-3)
                };
                let mut c = Checker::new(model.clone(), &o);
                let mut list = all_params(&model, &[0, 1], 1);
                if !faces {
                    list.push(param(ParamKind::GeomSize, 1, 0));
                }
                c.select(&list);
                let mut q = model.neutral().to_vec();
                let at = Quat::exp(turn).normalized();
                q[3..7].copy_from_slice(&[at.x, at.y, at.z, at.w]);
                let mut v = vec![0.4, -0.3, -0.1, 0.2, -0.3, 0.5];
                for i in 0..8 {
                    let u = [0.5, 0.2, -1.0, 0.01, 0.0, 0.02].map(|x| x * f64::from(i % 3));
                    c.check(&mut q, &mut v, &u);
                }
                let t = c.tally(&format!(
                    "{convex_variant:?} {name} faces {faces} {integrator:?}"
                ));
                assert!(t.wrong == 0 && t.apart < 1e-10, "{name} {faces} {t:?}");
                checked += t.checked;
            }
        }
    }
    assert!(checked > 800, "{checked}");
}

/// A robot of one tree whose feet slide and stick, with limits and dry friction.
#[test]
fn derivatives_of_a_robot_are_exact() {
    for (variant, most) in [
        (ConvexVariant::Lagged, 1e-9),
        (ConvexVariant::Similar, 1e-9),
    ] {
        robot(variant, most);
    }
}

fn robot(convex_variant: ConvexVariant, most: f64) {
    let mut spec = quadruped_spec(true);
    for g in &mut spec.geoms {
        (g.stiffness, g.dissipation) = (2e4, 0.01);
    }
    let model = compile(spec);
    let o = Options {
        convex_variant,
        friction_rule: FrictionRule::Product,
        ..lagged(2e-3)
    };
    let mut c = Checker::new(model.clone(), &o);
    // Feet that have just landed are less than a micrometre deep, where friction begins.
    c.eps = 1e-7;
    let joint = model.joints().len() - 3;
    let mut list = all_params(&model, &[0, 2], 1);
    list.push(param(ParamKind::JointPlacement, joint, 1));
    c.select(&list);
    let mut q = standing(&model);
    q[2] = 0.3125;
    let mut v = vec![0.0; model.nv()];
    (v[0], v[1], v[5]) = (0.6, 0.2, 0.4);
    let u = vec![0.0; model.nu()];
    for _ in 0..12 {
        c.check(&mut q, &mut v, &u);
    }
    let t = c.tally(&format!("{convex_variant:?} quadruped"));
    assert!(t.wrong == 0 && t.apart < most && t.checked > 600, "{t:?}");
}

/// The gradient of the place where a sliding cube stops is that of differences: the bound of friction
/// depends on the state before each step.
#[test]
fn the_gradient_of_a_slide_is_exact() {
    const STEPS: usize = 80;
    let mut spec = slider(0.0);
    for g in &mut spec.geoms {
        (g.stiffness, g.dissipation) = (2e4, 0.01);
    }
    let model = compile(spec);
    let o = Options {
        friction_rule: FrictionRule::Harmonic,
        ..lagged(2e-3)
    };
    let mut run = Rollout::new(model.clone(), &o, STEPS).unwrap();
    let list = [
        param(ParamKind::GeomFriction, 0, 0),
        param(ParamKind::GeomFriction, 1, 0),
        param(ParamKind::BodyInertia, 1, 0),
        param(ParamKind::ContactStiffness, 1, 0),
        param(ParamKind::ContactDissipation, 1, 0),
    ];
    run.select_params(&list).unwrap();
    let mut q = model.neutral().to_vec();
    q[2] -= 5e-4;
    let mut v = vec![0.0; 6];
    (v[0], v[1], v[2]) = (1.2, 0.5, -0.02);
    let u = vec![0.0; 6 * STEPS];
    let (nq, nv) = (model.nq(), 6);
    let end = |run: &mut Rollout, q: &[f64], v: &[f64]| {
        run.sim_mut().reset();
        let (mut qs, mut vs) = (vec![0.0; nq * (STEPS + 1)], vec![0.0; nv * (STEPS + 1)]);
        run.run(q, v, &u, STEPS, Some(&mut qs), Some(&mut vs))
            .unwrap();
        let q = &qs[nq * STEPS..];
        let turn = Quat::new(q[3], q[4], q[5], q[6]).to_mat3();
        (q[0], vs[nv * STEPS], turn.tr_mul_vec(Vec3::X))
    };
    let mut p = vec![0.0; list.len()];
    run.sim().get_params(&mut p).unwrap();
    let (far, _, x_axis) = end(&mut run, &q, &v);
    assert!(far > 0.1, "{far}");
    let (mut q_bar, mut v_bar) = (vec![0.0; nv * (STEPS + 1)], vec![0.0; nv * (STEPS + 1)]);
    // The tangent of q is in the axes of the body.
    q_bar[nv * STEPS..nv * STEPS + 3].copy_from_slice(&x_axis.to_array());
    v_bar[nv * STEPS] = 0.3;
    let (mut dq, mut dv, mut dp) = (vec![0.0; nv], vec![0.0; nv], vec![0.0; list.len()]);
    let [q0, v0, by_p] = [&mut dq, &mut dv, &mut dp].map(|x| Some(&mut x[..]));
    run.adjoint(&q_bar, &v_bar, q0, v0, None, by_p).unwrap();
    let loss = |(x, v, _): (f64, f64, Vec3)| x + 0.3 * v;
    for (k, ours) in dq.iter().zip(&dv).enumerate() {
        let mut at = |s: f64| {
            let mut moved = q.clone();
            let mut along = vec![0.0; nv];
            along[k] = s;
            model.integrate(&q, &along, &mut moved);
            let mut fast = v.clone();
            fast[k] += s;
            [
                loss(end(&mut run, &moved, &v)),
                loss(end(&mut run, &q, &fast)),
            ]
        };
        let (up, down) = (at(1e-6), at(-1e-6));
        for (i, ours) in [ours.0, ours.1].into_iter().enumerate() {
            let fd = (up[i] - down[i]) / 2e-6;
            assert!(
                (fd - ours).abs() < 1e-5 * (1.0 + fd.abs()),
                "{k} {i}: {fd} {ours}"
            );
        }
    }
    for (k, (value, ours)) in p.iter().zip(&dp).enumerate() {
        let step = 1e-6 * value.abs().max(1e-3);
        let mut at = |s: f64| {
            let mut moved = p.clone();
            moved[k] += s;
            run.sim_mut().set_params(&moved).unwrap();
            loss(end(&mut run, &q, &v))
        };
        let fd = (at(step) - at(-step)) / (2.0 * step);
        run.sim_mut().set_params(&p).unwrap();
        let size = fd.abs().max(1e-4 / value.abs().max(1e-3));
        assert!((fd - ours).abs() < 1e-5 * size, "{k}: {fd} {ours}");
    }
}

/// A cube on a slope creeps at the slip s t/(1 − t²)^½ with t = tan(slope)/μ; steeper than μ it slides
/// down as a body with Coulomb friction does.
#[test]
fn similar_friction_creeps_on_a_slope_and_slides_on_a_steep_one() {
    let mu: f64 = 0.8;
    for share in [0.2, 0.5, 0.9, 1.5] {
        let tilt = (share * mu).atan();
        let mut spec = slider(1e-6);
        spec.gravity = Vec3::new(G * tilt.sin(), 0.0, -G * tilt.cos());
        let o = Options {
            convex_variant: ConvexVariant::Similar,
            ..lagged(1e-3)
        };
        let model = compile(spec);
        let (mut q, mut v) = (model.neutral().to_vec(), vec![0.0; 6]);
        let mut sim = Sim::new(model, &o).unwrap();
        for _ in 0..1000 {
            stepped(&mut sim, &mut q, &mut v, &[0.0; 6]);
        }
        let due = match share < 1.0 {
            true => STICTION * share / (1.0 - share * share).sqrt(),
            false => G * (tilt.sin() - mu * tilt.cos()),
        };
        println!("| {share} | {:.6e} | {due:.6e} |", v[0]);
        assert!((v[0] - due).abs() < 1e-3 * due, "{share}: {} {due}", v[0]);
    }
}

#[test]
fn lagged_friction_says_where_it_is_missing() {
    let refused = |model: &Arc<Model>, o: &Options, word: &str| {
        let e = Sim::new(model.clone(), o).unwrap_err();
        assert_eq!(e.status, Status::Unsupported);
        assert!(
            e.message.contains("convex_variant") && e.message.contains(word),
            "{e}"
        );
    };
    let model = compile(slider(0.0));
    for contact in [Contact::Ncp, Contact::Lcp, Contact::Penalty, Contact::None] {
        for convex_variant in [ConvexVariant::Lagged, ConvexVariant::Similar] {
            let o = Options {
                contact,
                convex_variant,
                ..lagged(1e-3)
            };
            refused(&model, &o, "Convex");
        }
    }
    for integrator in [Integrator::ImplicitEuler, Integrator::Midpoint] {
        let o = Options {
            integrator,
            ..lagged(1e-3)
        };
        refused(&model, &o, "integrator");
        let plain = Options {
            derivatives: false,
            ..o
        };
        assert!(Sim::new(model.clone(), &plain).is_ok());
    }
    let mut spec = slider(0.0);
    spec.geoms[1].condim = 4;
    spec.geoms[1].friction[1] = 0.01;
    refused(&compile(spec), &lagged(1e-3), "condim");
    // The inverse of a step works; its derivative does not.
    let mut sim = Sim::new(model.clone(), &lagged(1e-3)).unwrap();
    let mut q = model.neutral().to_vec();
    q[2] -= 1e-4;
    let (v, u, a) = (vec![0.1; 6], vec![0.0; 6], vec![0.5; 6]);
    let mut force = vec![0.0; 6];
    sim.inverse(&q, &v, &u, &a, &mut force).unwrap();
    let mut by_q = vec![0.0; 36];
    let out = diffsim::step::InverseJacobians {
        by_q: Some(&mut by_q),
        ..Default::default()
    };
    let e = sim.inverse_jacobians(out).unwrap_err();
    assert_eq!(e.status, Status::Unsupported, "{e}");
}
