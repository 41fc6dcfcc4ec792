//! What a model's file says of steps, and inertias that no body has.

use diffsim::batch::Batch;
use diffsim::error::Status;
use diffsim::load::mjcf::{MjcfOptions, read_file, read_str};
use diffsim::load::urdf::{self, UrdfOptions};
use diffsim::model::params::{Param, ParamKind};
use diffsim::model::{Actuation, Model};
use diffsim::rollout::Rollout;
use diffsim::save::save_file;
use diffsim::step::{Contact, Integrator, Options, Sim};
use std::sync::Arc;

fn mjcf(inside: &str) -> Arc<Model> {
    let text = format!("<mujoco>{inside}</mujoco>");
    let spec = read_str(&text, None, &MjcfOptions::default()).unwrap();
    Arc::new(Model::compile(spec, Actuation::FromFile).unwrap())
}

const BOX: &str = r#"<worldbody><geom type="plane" size="1 1 1"/><body name="b" pos="0 0 0.2"><freejoint/>
    <geom type="box" size="0.1 0.1 0.1" mass="1"/></body></worldbody>"#;

#[test]
fn a_file_chooses_the_step_and_the_integrator() {
    use Integrator::{ImplicitEuler, Midpoint, SymplecticEulerWorld};
    for (option, h, integrator) in [
        ("", 0.002, SymplecticEulerWorld),
        (
            "<option timestep=\"0.005\" integrator=\"Euler\"/>",
            0.005,
            SymplecticEulerWorld,
        ),
        (
            "<option integrator=\"implicitfast\"/>",
            0.002,
            SymplecticEulerWorld,
        ),
        ("<option integrator=\"implicit\"/>", 0.002, ImplicitEuler),
        ("<option integrator=\"RK4\"/>", 0.002, Midpoint),
    ] {
        let model = mjcf(&format!("{option}{BOX}"));
        for contact in [
            Contact::Ncp,
            Contact::Lcp,
            Contact::Convex,
            Contact::Penalty,
            Contact::None,
        ] {
            let options = Options {
                contact,
                ..Options::default()
            };
            let sim = Sim::new(model.clone(), &options).unwrap();
            let rollout = Rollout::new(model.clone(), &options, 2).unwrap();
            let batch = Batch::new(model.clone(), &options, 2, 1).unwrap();
            for o in [
                sim.options(),
                rollout.sim().options(),
                batch.sim(1).unwrap().options(),
            ] {
                assert_eq!(
                    (o.time_step, o.integrator),
                    (h, integrator),
                    "{option} {contact:?}"
                );
            }
        }
        let named = Options {
            time_step: 1e-3,
            integrator: Integrator::SymplecticEuler,
            ..Options::default()
        };
        let sim = Sim::new(model, &named).unwrap();
        let o = sim.options();
        assert_eq!(
            (o.time_step, o.integrator),
            (1e-3, Integrator::SymplecticEuler)
        );
    }
}

/// The steps are those with the same options by name, to the bit, and so are their derivatives.
#[test]
fn what_the_file_chooses_is_what_it_would_be_by_name() {
    for option in [
        "",
        "<option integrator=\"RK4\"/>",
        "<option integrator=\"implicit\" timestep=\"0.004\"/>",
    ] {
        let model = mjcf(&format!("{option}{BOX}"));
        let mut chosen = Sim::new(model.clone(), &Options::default()).unwrap();
        let named = Options {
            time_step: chosen.options().time_step,
            integrator: chosen.options().integrator,
            ..Options::default()
        };
        let mut named = Sim::new(model.clone(), &named).unwrap();
        let (mut q, mut v) = (model.neutral().to_vec(), vec![0.0; 6]);
        v[1] = 0.3;
        v[3] = 1.0;
        for _ in 0..200 {
            let ends = [&mut chosen, &mut named].map(|sim| {
                let (mut q2, mut v2) = (q.clone(), v.clone());
                sim.step(&q, &v, &[], &mut q2, &mut v2).unwrap();
                let (mut dq, mut dv) = (vec![0.0; 6], vec![0.0; 6]);
                let along = [1.0, 2.0, -1.0, 0.5, 0.0, 1.0];
                sim.step_jvp(&along, &along, &[], &[], &mut dq, &mut dv)
                    .unwrap();
                (q2, v2, dq, dv)
            });
            assert_eq!(ends[0], ends[1], "{option}");
            (q, v) = (ends[0].0.clone(), ends[0].1.clone());
        }
    }
}

#[test]
fn a_file_keeps_its_integrator_through_saving() {
    for option in [
        "",
        "<option integrator=\"RK4\" timestep=\"0.003\"/>",
        "<option integrator=\"implicitfast\"/>",
    ] {
        let model = mjcf(&format!("{option}{BOX}"));
        let path =
            std::env::temp_dir().join(format!("diffsim_settings_{}.xml", std::process::id()));
        save_file(&model, &path, true).unwrap();
        let spec = read_file(&path, &MjcfOptions::default()).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(
            (spec.integrator, spec.time_step),
            (model.integrator(), Some(model.time_step()))
        );
    }
}

fn ten(values: [f64; 10]) -> (Sim, Vec<f64>) {
    let mut sim = Sim::new(mjcf(BOX), &Options::default()).unwrap();
    let all = (0..10).map(|component| Param {
        kind: ParamKind::BodyInertia,
        index: 1,
        component,
    });
    sim.select_params(&all.collect::<Vec<_>>()).unwrap();
    (sim, values.to_vec())
}

#[test]
fn an_inertia_of_no_body_is_refused() {
    for (p, why) in [
        (
            [1.0, 0.0, 0.0, 0.0, 0.01, 0.0, 0.01, 0.0, 0.0, 0.1],
            "must not exceed the sum",
        ),
        (
            [
                1.0,
                0.0,
                0.0,
                0.0,
                0.01,
                0.0,
                0.01,
                0.0,
                0.0,
                0.02 * (1.0 + 1e-6),
            ],
            "must not exceed the sum",
        ),
        (
            [1.0, 0.0, 0.0, 0.0, -1e-6, 0.0, 0.1, 0.0, 0.0, 0.1],
            "none may be negative",
        ),
        (
            [1.0, 1.0, 0.0, 0.0, 0.1, 0.0, 0.1, 0.0, 0.0, 0.1],
            "none may be negative",
        ),
        (
            [0.0, 0.0, 1e-9, 0.0, 0.1, 0.0, 0.1, 0.0, 0.0, 0.1],
            "no first moment",
        ),
    ] {
        let (mut sim, p) = ten(p);
        let mut before = [0.0; 10];
        sim.get_params(&mut before).unwrap();
        let e = sim.set_params(&p).unwrap_err();
        assert_eq!(e.status, Status::InvalidArgument);
        assert!(
            e.message.starts_with("p[0]: BodyInertia of body \"b\": ") && e.message.contains(why),
            "{e}"
        );
        let mut after = [0.0; 10];
        sim.get_params(&mut after).unwrap();
        assert_eq!(before, after);
    }
    // Round-off of bodies on the boundary: a disc, a needle off its centre, a point far off.
    for p in [
        [
            1.0,
            0.0,
            0.0,
            0.0,
            0.01,
            0.0,
            0.01,
            0.0,
            0.0,
            0.02 * (1.0 + 1e-10),
        ],
        [1.0, 0.5, 0.0, 0.0, -1e-12, 0.0, 0.25, 0.0, 0.0, 0.25],
        [
            3.0,
            3e3,
            0.0,
            0.0,
            0.0,
            0.0,
            3e6 * (1.0 - 1e-12),
            0.0,
            0.0,
            3e6,
        ],
        [0.0; 10],
    ] {
        let (mut sim, p) = ten(p);
        sim.set_params(&p).unwrap();
    }
}

/// A URDF file may have an inertia that no body has. It can be set again, not made another one. MJCF is
/// refused, as in MuJoCo.
#[test]
fn an_inertia_of_a_file_stays() {
    let text = r#"<robot name="r"><link name="world"/><link name="b"><inertial><mass value="1"/>
        <inertia ixx="0.01" iyy="0.01" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <joint name="j" type="continuous"><parent link="world"/><child link="b"/><axis xyz="0 0 1"/></joint></robot>"#;
    let spec = urdf::read_str(text, None, &UrdfOptions::default()).unwrap();
    let model = Arc::new(Model::compile(spec, Actuation::FromFile).unwrap());
    let mut sim = Sim::new(model, &Options::default()).unwrap();
    let all = (0..10).map(|component| Param {
        kind: ParamKind::BodyInertia,
        index: 1,
        component,
    });
    sim.select_params(&all.collect::<Vec<_>>()).unwrap();
    let mut p = [0.0; 10];
    sim.get_params(&mut p).unwrap();
    sim.set_params(&p).unwrap();
    p[9] = 0.09;
    assert!(sim.set_params(&p).is_err());
    p[9] = 0.015;
    sim.set_params(&p).unwrap();
    let inside = r#"<mujoco><worldbody><body name="b"><freejoint/><inertial mass="1" pos="0 0 0"
        diaginertia="0.01 0.01 0.1"/></body></worldbody></mujoco>"#;
    let e = read_str(inside, None, &MjcfOptions::default()).unwrap_err();
    assert!(e.to_string().contains("balanceinertia"), "{e}");
}
