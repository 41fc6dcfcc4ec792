//! Actuators at sites and servos on ball joints: lengths, rates and forces against MuJoCo's, derivatives with
//! every law and scheme, joint placements, clamps, a site that does not move, bad input.

use crate::common::checker::{Checker, FOURTH_ORDER};
use crate::common::prescribed::{ALL, LAWS, SYMPLECTIC, mjcf, with};
use crate::common::{EPS, Rng, param, random_q, relative_error};
use diffsim::force::ForceKinds;
use diffsim::model::params::{Param, ParamKind};
use diffsim::model::spec::{ActuatorSpec, ModelSpec};
use diffsim::model::tendon::Transmission;
use diffsim::model::{Actuation, Model};
use diffsim::query::{ForceDerivatives, Transmissions};
use diffsim::step::{Contact, Sim};
use std::sync::Arc;

/// A chain with a hinge, a ball joint, a slide and a hinge, a branch, and a free body.
const SCENE: &str = r#"<mujoco><compiler angle="radian"/><worldbody>
<site name="w" pos=".3 -.2 .1" euler=".4 -.3 .7"/>
<body name="a" pos="0 0 .2"><joint name="a1" axis="0 1 .2"/><geom size=".05" mass="1"/><site name="sa" pos=".1 0 .05" euler="0 .2 .1"/>
 <body name="b" pos=".3 0 0"><joint name="b1" type="ball"/><geom type="box" size=".1 .05 .04" pos=".05 .02 0" mass=".8"/><site name="sb" pos=".2 .1 0" euler=".3 .5 -.2"/>
  <body name="c" pos=".3 0 .1" euler=".2 0 .3"><joint name="c1" type="slide" axis=".3 1 0"/><joint name="c2" axis="1 0 .4" pos=".02 0 .01"/><geom type="box" size=".03 .09 .04" mass=".5"/><site name="sc" pos="0 .1 .03" euler="1 .2 0"/></body></body>
 <body name="d" pos="0 .3 0"><joint name="d1" axis="0 0 1"/><geom type="box" size=".03 .09 .04" pos="0 .1 0" mass=".5"/><site name="sd" pos=".05 .2 0" euler=".1 .1 .6"/></body></body>
<body name="f" pos="1 0 .5"><freejoint name="f1"/><geom type="box" size=".1 .07 .04" mass="1.2"/><site name="sf" pos=".1 -.05 .02" euler=".2 .4 .1"/></body>
</worldbody><actuator>
<motor name="m1" site="sc" gear=".5 -1 .3 .2 .1 -.4"/>
<motor name="m2" site="sf" gear=".1 .2 1 0 0 -.02"/>
<velocity name="v1" site="sb" gear="0 1 .5 .3 0 0" kv="2"/>
<damper name="d1" site="sd" gear="1 0 0 0 .2 0" kv="1.5" ctrlrange="0 3"/>
<position name="p1" site="sc" refsite="w" gear="1 .2 0 0 0 0" kp="20" kv="1"/>
<position name="p2" site="sc" refsite="sd" gear=".3 .5 1 .2 .1 .3" kp="15" kv=".5"/>
<position name="p3" site="sb" gear=".3 .5 1 .2 .1 .3" kp="15" kv=".5"/>
<motor name="m3" site="sf" refsite="sa" gear="0 1 0 .4 0 0"/>
<motor name="m4" site="w" gear="0 1 0 .4 0 0"/>
<position name="p4" site="sf" refsite="sd" gear=".2 0 .5 .2 .1 .3" kp="12" kv=".4" forcerange="-50 50"/>
<motor name="m5" site="sa" refsite="sc" gear=".3 0 .5 .1 0 .2" ctrlrange="-3 3"/>
<position name="p5" site="sc" refsite="sb" gear="0 .4 0 0 .3 .1" kp="10"/>
<position name="p6" joint="b1" gear=".3 1 -.5" kp="8" kv=".2"/>
<velocity name="v2" joint="b1" gear="0 1 0" kv=".3" forcerange="-20 20"/>
</actuator></mujoco>"#;

/// MuJoCo 4.0's numbers at this state, in its order.
const QPOS: [f64; 15] = [
    -0.8333333333333334,
    0.8875882426817526,
    0.16037346997900007,
    -0.16037346997900007,
    0.4009336749475002,
    0.16666666666666666,
    -0.5,
    0.6666666666666666,
    1.0,
    -0.6666666666666666,
    1.0,
    0.8976292703465593,
    -0.08046980655647674,
    -0.4023490327823837,
    0.1609396131129535,
];
const QVEL: [f64; 13] = [
    -1.2, -0.2, 0.8, -0.8, 0.2, 1.2, -0.4, 0.6, -1.0, 0.0, 1.0, -0.6, 0.4,
];
const CONTROLS: [f64; 14] = [
    -0.6666666666666666,
    0.3333333333333333,
    1.3333333333333333,
    0.0,
    1.0,
    -0.3333333333333333,
    0.6666666666666666,
    -0.6666666666666666,
    0.3333333333333333,
    1.3333333333333333,
    0.0,
    1.0,
    -0.3333333333333333,
    0.6666666666666666,
];
const LENGTHS: [f64; 14] = [
    0.0,
    0.0,
    0.0,
    0.0,
    0.38028418598939207,
    0.21626396016232322,
    0.0,
    -0.554752781648638,
    0.0,
    -0.19165427020606468,
    -0.459240681280683,
    0.04991924812693696,
    -0.6499999999999999,
    -0.33333333333333326,
];
const RATES: [f64; 14] = [
    -0.027351877993566285,
    -0.44797136646264885,
    -0.06920816200664051,
    0.022782677626376837,
    0.064090725295068,
    0.5272856535599951,
    -0.15805089926431667,
    -0.4797135416712298,
    0.0,
    0.2563834244686111,
    -0.03966791666651179,
    0.3217498383505061,
    1.1400000000000001,
    0.8,
];
const FORCES: [f64; 14] = [
    -0.6666666666666666,
    0.3333333333333333,
    2.8050829906799475,
    0.0,
    12.330225554917092,
    -8.507602229214847,
    10.079025449632159,
    -0.6666666666666666,
    0.3333333333333333,
    18.197297872685333,
    0.0,
    9.50080751873063,
    2.305333333333333,
    -0.04000000000000001,
];
const POWER: f64 = 5.024351475437323;

fn scene() -> Arc<Model> {
    mjcf(SCENE)
}

#[test]
fn lengths_rates_and_forces_are_those_of_mujoco() {
    let model = scene();
    let (mut q, mut v) = (vec![0.0; model.nq()], vec![0.0; model.nv()]);
    model.q_from_mujoco(&QPOS, &mut q);
    model.v_from_mujoco(&q, &QVEL, &mut v);
    let mut sim = Sim::new(model, &with(SYMPLECTIC[0], Contact::None, 1e-3)).unwrap();
    let [mut lengths, mut rates, mut forces] = [[0.0; 14]; 3];
    let out = Transmissions {
        lengths: Some(&mut lengths),
        rates: Some(&mut rates),
        forces: Some(&mut forces),
        ..Default::default()
    };
    sim.actuator_states(&q, &v, &CONTROLS, out).unwrap();
    for (name, ours, theirs) in [
        ("lengths", lengths, LENGTHS),
        ("rates", rates, RATES),
        ("forces", forces, FORCES),
    ] {
        let error = relative_error(&ours, &theirs);
        assert!(error < 1e-13, "{name}: {error:e}");
    }
    let mut force = vec![0.0; v.len()];
    let none = ForceDerivatives::default();
    sim.generalized_forces(&q, &v, &CONTROLS, ForceKinds::ACTUATOR, &mut force, none)
        .unwrap();
    let power: f64 = force.iter().zip(&v).map(|(f, v)| f * v).sum();
    assert!((power - POWER).abs() < 1e-12 * POWER.abs(), "{power}");
}

/// Placements of joints above the sites, and all gains.
fn parameters(model: &Model) -> Vec<Param> {
    let of = |name| model.joint_id(name).unwrap();
    let each = |j| (0..6).map(move |k| param(ParamKind::JointPlacement, j, k));
    let joints = [of("b1"), of("c2"), of("d1"), of("f1")];
    let mut list: Vec<Param> = joints.into_iter().flat_map(each).collect();
    list.extend((0..model.nu()).map(|j| param(ParamKind::ActuatorGain, j, 0)));
    list
}

/// All Jacobians, directions and adjoints. The clamp of an input and that of a force hold in some.
#[test]
fn derivatives_with_every_law_and_scheme() {
    let model = Model::clone(&scene());
    for integrator in ALL {
        for contact in LAWS.into_iter().chain([Contact::Penalty]) {
            let symplectic = SYMPLECTIC.contains(&integrator);
            if !symplectic && !matches!(contact, Contact::None | Contact::Penalty) {
                continue;
            }
            let options = with(integrator, contact, 4e-3);
            let mut c = Checker::new(model.clone(), &options);
            (c.eps, c.stencil) = (EPS, FOURTH_ORDER);
            c.select(&parameters(&model));
            let q = random_q(&mut Rng::new(7), &model, 0.8);
            c.run(&format!("{integrator:?}, {contact:?}"), &q, 1.0, 2);
        }
    }
}

/// A site on the world moves nothing, and neither does a site whose reference is on the same body.
#[test]
fn a_site_that_does_not_move_has_no_effect() {
    let with_gear = |gear: &str, reference: &str| {
        let model = mjcf(&format!(
            "<mujoco><worldbody><site name='w'/><body><joint name='j' axis='0 1 0'/><geom size='.1' pos='.2 0 0'/>\
             <site name='s' pos='.4 0 0'/><site name='r' pos='.1 0 0'/></body></worldbody>\
             <actuator><motor site='w' gear='1 2 3 4 5 6'/><motor site='s' refsite='r' gear='1 2 3 4 5 6'/>\
             <motor site='s' {reference} gear='{gear}'/></actuator></mujoco>"
        ));
        let mut sim = Sim::new(model, &with(SYMPLECTIC[0], Contact::Ncp, 1e-3)).unwrap();
        let (mut q, mut v) = ([0.0], [0.0]);
        sim.step(&[0.3], &[0.1], &[5.0, -3.0, 2.0], &mut q, &mut v)
            .unwrap();
        v[0]
    };
    let still = with_gear("0 0 0 0 0 0", "");
    // The axis of the hinge is y, and 0.4 m of x are a lever for the z of the site.
    let pushed = with_gear("0 0 1 0 0 0", "");
    let turned = with_gear("0 0 0 0 -.4 0", "");
    assert!(
        still != pushed && (pushed - turned).abs() < 1e-15,
        "{pushed} {turned}"
    );
    // Along the axes of the world it has another lever.
    let (world, lever) = (with_gear("0 0 1 0 0 0", "refsite='w'"), (0.3_f64).cos());
    let expected = still + (pushed - still) * lever;
    assert!((world - expected).abs() < 1e-15, "{world} {expected}");
}

#[test]
fn bad_sites_are_refused() {
    let spec = |transmission: Transmission| -> ModelSpec {
        let mut spec = ModelSpec::clone(&diffsim::model::spec::ModelSpec::default());
        spec.actuators.push(ActuatorSpec::new("a", transmission));
        spec
    };
    let unknown = Transmission::Site {
        site: "nowhere".into(),
        reference: None,
    };
    let e = Model::compile(spec(unknown), Actuation::FromFile).unwrap_err();
    assert!(e.message.contains("no site is called \"nowhere\""), "{e}");
}
