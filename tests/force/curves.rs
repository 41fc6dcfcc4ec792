//! Springs and dampers of joints, tendons and motors with quadratic and cubic terms, and forces on free
//! joints: forces and energy against MuJoCo's, derivatives, the saved file.

use crate::common::checker::{Checker, FOURTH_ORDER};
use crate::common::prescribed::{ALL, SYMPLECTIC, mjcf, with};
use crate::common::{EPS, Rng, param, random_q, relative_error};
use diffsim::force::ForceKinds;
use diffsim::model::Model;
use diffsim::model::params::ParamKind;
use diffsim::query::ForceDerivatives;
use diffsim::save::save_file;
use diffsim::step::{Contact, Sim};

const SCENE: &str = r#"<mujoco><compiler angle="radian"/><worldbody>
<body name="a" pos="0 0 .2"><joint name="hinge" axis="0 1 .2" stiffness="3 2 5" damping=".2 .3 .1" springref=".1"/><geom size=".05" mass="1"/>
 <body name="b" pos=".3 0 0"><joint name="ball" type="ball" stiffness="1 4 3" damping=".1 .2 .3"/><geom type="box" size=".1 .05 .04" pos=".05 .02 0" mass=".8"/>
  <body name="c" pos=".3 0 .1"><joint name="slide" type="slide" axis=".3 1 0" stiffness="0 -6 40" damping="0 0 2"/><geom type="box" size=".03 .09 .04" mass=".5"/></body></body></body>
<body name="f" pos="1 0 .5"><joint name="free" type="free" stiffness="2 3 4" damping=".1"/><geom type="box" size=".1 .07 .04" mass="1.2"/></body>
</worldbody><actuator><motor name="push" joint="free" gear="1 -2 .5"/><motor name="turn" joint="free" gear="0 0 0 .1 .2 .3"/><damper name="drag" joint="free" gear="0 0 1" kv="2" ctrlrange="0 3"/></actuator></mujoco>"#;

/// MuJoCo 4.0's numbers at this state; forces on the free joint in the axes of the body.
const QPOS: [f64; 13] = [
    -0.5, 0.8, 0.2, -0.4, 0.4, -0.1, 1.0, -0.4, 0.8, 0.5, -0.1, 0.7, 0.5,
];
const QVEL: [f64; 11] = [0.2, 0.5, 0.9, -0.4, 0.3, 0.4, -0.4, -1.0, 0.9, -0.4, -0.4];
const SPRING: [f64; 11] = [
    2.1599999999999997,
    -4.769258272403112,
    9.538516544806225,
    -9.538516544806225,
    0.10000000000000003,
    1.7280000000000002,
    0.05399999999999994,
    1.44,
    6.246519128933256,
    -43.725633902532785,
    -31.23259564466628,
];
const DAMPER: [f64; 11] = [
    -0.05280000000000001,
    -0.1375,
    -0.4707,
    0.09120000000000002,
    -0.054,
    -0.0464,
    0.1048,
    0.008000000000000002,
    -0.09000000000000001,
    0.04000000000000001,
    0.04000000000000001,
];
const ACTUATOR: [f64; 11] = [
    0.0,
    0.0,
    0.0,
    0.0,
    0.0,
    -2.88,
    0.41000000000000014,
    -0.6999999999999998,
    -0.13,
    -0.26,
    -0.39,
];
const CONTROLS: [f64; 3] = [0.7, -1.3, 1.1];
/// Of the springs.
const ENERGY: f64 = 39.54155185066769;

/// A fixed tendon, one around a ball, and a motor with damping.
const TENDONS: &str = r#"<mujoco><compiler angle="radian"/><option gravity="0 0 0"/><worldbody><site name="w" pos="0 .1 1"/><geom name="rod" type="sphere" size=".08" pos=".1 0 .6" contype="0" conaffinity="0"/>
<body name="a" pos="0 0 .2"><joint name="hinge" axis="0 1 .2"/><geom size=".05" mass="1"/><site name="s" pos=".1 .05 0"/>
 <body name="b" pos=".3 0 0"><joint name="turn" axis=".1 1 0"/><geom type="box" size=".1 .05 .04" pos=".05 .02 0" mass=".8"/><site name="e" pos=".2 0 .05"/>
  <body name="c" pos=".3 0 .1"><joint name="slide" type="slide" axis=".3 1 0"/><geom type="box" size=".03 .09 .04" mass=".5"/></body></body></body>
</worldbody><tendon><fixed name="f" stiffness="3 2 5" damping=".2 .3 .1" springlength=".1 .2"><joint joint="hinge" coef=".7"/><joint joint="slide" coef="-2"/></fixed>
<spatial name="p" stiffness="0 -6 40" damping="0 .4 .2"><site site="w"/><geom geom="rod"/><site site="e"/></spatial></tendon>
<actuator><motor joint="turn" gear="-2" damping=".1 .2 .3"/></actuator></mujoco>"#;

/// MuJoCo 4.0's forces of springs and of dampers, and the energy of the springs, at q = (-0.5, 0.8, 0.3) and
/// v = (0.4, -0.7, 0.9).
const TENDON_SPRING: [f64; 3] = [4.7353036354195766, 0.00799372185340839, -13.46625];
const TENDON_DAMPER: [f64; 3] = [0.9430974790349856, 1.0833422618922726, -2.6966015999999997];
const TENDON_ENERGY: f64 = 2.40256575264701;

fn assert_tendons(model: std::sync::Arc<Model>) {
    let (q, v) = ([-0.5, 0.8, 0.3], [0.4, -0.7, 0.9]);
    let mut sim = Sim::new(model, &with(SYMPLECTIC[0], Contact::None, 1e-3)).unwrap();
    let (mut force, none) = ([0.0; 3], ForceDerivatives::default());
    sim.generalized_forces(&q, &v, &[0.0], ForceKinds::PASSIVE, &mut force, none)
        .unwrap();
    let both: Vec<f64> = (TENDON_SPRING.iter().zip(&TENDON_DAMPER))
        .map(|(a, b)| a + b)
        .collect();
    let error = relative_error(&force, &both);
    assert!(error < 1e-13, "{error:e}: {force:?}");
    let (_, stored) = sim.energy(&q, &v).unwrap();
    assert!(
        (stored - TENDON_ENERGY).abs() < 1e-13 * TENDON_ENERGY,
        "{stored}"
    );
}

fn state(model: &Model) -> (Vec<f64>, Vec<f64>) {
    let (mut q, mut v) = (vec![0.0; model.nq()], vec![0.0; model.nv()]);
    model.q_from_mujoco(&QPOS, &mut q);
    model.v_from_mujoco(&q, &QVEL, &mut v);
    (q, v)
}

fn assert_forces(model: std::sync::Arc<Model>) {
    let (q, v) = state(&model);
    let mut sim = Sim::new(model, &with(SYMPLECTIC[0], Contact::None, 1e-3)).unwrap();
    for (kind, theirs) in [
        (ForceKinds::JOINT_SPRING, SPRING),
        (ForceKinds::JOINT_DAMPER, DAMPER),
        (ForceKinds::ACTUATOR, ACTUATOR),
    ] {
        let (mut force, none) = (vec![0.0; v.len()], ForceDerivatives::default());
        sim.generalized_forces(&q, &v, &CONTROLS, kind, &mut force, none)
            .unwrap();
        let error = relative_error(&force, &theirs);
        assert!(error < 1e-13, "{error:e}: {force:?}");
    }
}

#[test]
fn forces_and_energy_are_those_of_mujoco() {
    let model = mjcf(SCENE);
    assert_forces(model.clone());
    let (q, v) = state(&model);
    let still = mjcf(&SCENE.replace("<worldbody>", "<option gravity=\"0 0 0\"/><worldbody>"));
    let mut sim = Sim::new(still, &with(SYMPLECTIC[0], Contact::None, 1e-3)).unwrap();
    let (_, stored) = sim.energy(&q, &v).unwrap();
    assert!((stored - ENERGY).abs() < 1e-13 * ENERGY, "{stored}");
}

#[test]
fn derivatives_with_every_scheme() {
    let model = Model::clone(&mjcf(SCENE));
    let parameters = [
        param(ParamKind::JointStiffness, 0, 0),
        param(ParamKind::JointSpringReference, 0, 0),
        param(ParamKind::JointSpringReference, 2, 0),
        param(ParamKind::JointDamping, 0, 0),
    ];
    for integrator in ALL {
        for contact in [Contact::None, Contact::Ncp] {
            if contact == Contact::Ncp && !SYMPLECTIC.contains(&integrator) {
                continue;
            }
            let mut c = Checker::new(model.clone(), &with(integrator, contact, 4e-3));
            (c.eps, c.stencil) = (EPS, FOURTH_ORDER);
            c.select(&parameters);
            let q = random_q(&mut Rng::new(7), &model, 0.8);
            c.run(&format!("{integrator:?}, {contact:?}"), &q, 1.0, 2);
        }
    }
}

/// The terms are forces also with the laws, whose rows replace linear springs and dampers.
#[test]
fn tendons_and_motors_are_those_of_mujoco_and_have_derivatives() {
    assert_tendons(mjcf(TENDONS));
    let model = Model::clone(&mjcf(TENDONS));
    // Without a linear term the stiffness and damping of the second one are at their bound.
    let mut parameters: Vec<_> = [0, 1, 2, 3, 6, 7]
        .map(|k| param(ParamKind::Tendon, k / 4, k % 4))
        .into();
    parameters.extend((0..6).map(|k| param(ParamKind::JointPlacement, 1, k)));
    for integrator in ALL {
        for contact in [Contact::None, Contact::Ncp, Contact::Lcp, Contact::Convex] {
            if contact != Contact::None && integrator != SYMPLECTIC[0] {
                continue;
            }
            for seed in [3, 4] {
                let mut c = Checker::new(model.clone(), &with(integrator, contact, 4e-3));
                (c.eps, c.stencil) = (EPS, FOURTH_ORDER);
                c.select(&parameters);
                let q = random_q(&mut Rng::new(seed), &model, 0.8);
                c.run(&format!("{integrator:?}, {contact:?}, {seed}"), &q, 1.0, 2);
            }
        }
    }
}

#[test]
fn saved_files_keep_the_terms() {
    let saved = |scene| {
        let path = std::env::temp_dir().join(format!("diffsim-curves-{}.xml", std::process::id()));
        let left_out = save_file(&mjcf(scene), &path, false).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(left_out, Vec::<String>::new());
        mjcf(&text)
    };
    assert_forces(saved(SCENE));
    assert_tendons(saved(TENDONS));
}
