//! Mocap bodies in simulations, and equalities between sites as MuJoCo has them.

use diffsim::constraint::equalities;
use diffsim::constraint::rows::Rows;
use diffsim::dynamics::kinematics::{Kinematics, positions};
use diffsim::load::mjcf::{MjcfOptions, read_str};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::{Quat, Vec3};
use diffsim::step::{Contact, Options, Sim};
use diffsim::tendon::Paths;
use std::sync::Arc;

fn mjcf(text: &str) -> Arc<Model> {
    let spec = read_str(text, None, &MjcfOptions::default()).unwrap();
    Arc::new(Model::compile(spec, Actuation::FromFile).unwrap())
}

const SITES: &str = r#"<mujoco><compiler angle="radian"/><worldbody>
    <site name="w" pos="0.1 0.2 0.3" euler="0.2 0.1 -0.3"/>
    <body name="a" pos="0 0 1" euler="0.1 0.2 0.3"><freejoint/><geom size="0.1" mass="1"/>
      <site name="sa" pos="0.2 0.1 0" euler="0.4 -0.2 0.1"/></body>
    <body name="b" pos="0.5 0 1" euler="-0.3 0.1 0.2"><freejoint/><geom size="0.1" mass="1"/>
      <site name="sb" pos="-0.1 0.1 0.2" euler="0.1 0.3 -0.2"/></body>
  </worldbody><equality><connect site1="sa" site2="sb"/><weld site1="sa" site2="sb" torquescale="0.7"/>
    <weld site1="w" site2="sa"/></equality></mujoco>"#;

const QVEL: [f64; 12] = [
    0.3, -0.2, 0.5, 0.1, -0.4, 0.2, 0.6, -0.1, 0.3, -0.5, 0.7, 0.2,
];

/// Of MuJoCo 4.0: norms of `efc_pos` and of `efc_J` times QVEL, by groups of rows. Those of a turn have other
/// axes there.
const NORMS: [[f64; 2]; 5] = [
    [0.31314313632694696, 0.5527270503036793],
    [0.31314313632694696, 0.5527270503036793],
    [0.32433912256980624, 0.42283281888165053],
    [0.6873337377276997, 0.6860440831618758],
    [0.3472071528649361, 0.22151184280292618],
];

#[test]
fn sites_are_held_as_by_mujoco() {
    let model = mjcf(SITES);
    let (t, q) = (model.topology(), model.neutral());
    let mut v = vec![0.0; model.nv()];
    model.v_from_mujoco(q, &QVEL, &mut v);
    let mut kin = Kinematics::new(&model);
    positions(&mut kin, &model, model.params(), q);
    let mut paths = Paths::new(&model, false);
    paths.update(&kin, q);
    let list = equalities(&model).unwrap();
    assert_eq!(list.len(), NORMS.len());
    let mut rows = Rows::new(t, list.len());
    for (i, (e, [error, speed])) in list.iter().zip(NORMS).enumerate() {
        let found = e.fill(t, (&kin, &paths), q, &mut rows);
        assert!(
            (found.norm() - error).abs() < 1e-13,
            "{i}: {}",
            found.norm()
        );
        let [x, y, z, _] = rows.times(i, &v).0;
        let found = Vec3::new(x, y, z).norm();
        assert!((found - speed).abs() < 1e-13, "{i}: {found}");
    }
}

const HAND: &str = r#"<mujoco><worldbody><geom type="plane" size="1 1 1"/>
    <body name="target" mocap="true" pos="0 0 0.5"><geom size="0.05" contype="0" conaffinity="0" mass="2"/></body>
    <body name="hand" pos="0 0 0.5"><freejoint/><geom type="box" size="0.05 0.1 0.02" mass="1"/></body>
    <body name="stone" pos="0.4 0 0.1"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="0.5"/></body>
  </worldbody><equality><weld body1="target" body2="hand"/></equality></mujoco>"#;

fn rotation(q: &[f64]) -> Quat {
    Quat::new(q[3], q[4], q[5], q[6])
}

/// The hand goes where the target goes, turns with it, and pushes a stone along; the target feels nothing.
#[test]
fn a_hand_follows_its_target() {
    let model = mjcf(HAND);
    for contact in [Contact::Ncp, Contact::Lcp, Contact::Convex] {
        let options = Options {
            contact,
            time_step: 2e-3,
            ..Options::default()
        };
        let mut sim = Sim::new(model.clone(), &options).unwrap();
        let (mut q, mut v) = (model.neutral().to_vec(), vec![0.0; model.nv()]);
        let mut go = |sim: &mut Sim, q: &mut Vec<f64>, steps: usize| {
            for _ in 0..steps {
                let (q0, v0) = (q.clone(), v.clone());
                sim.step(&q0, &v0, &[], q, &mut v).unwrap();
            }
        };
        go(&mut sim, &mut q, 100);
        assert_eq!(q[..7], model.neutral()[..7], "it rests at first");
        let near = if contact == Contact::Convex {
            3e-3
        } else {
            1e-8
        };
        assert!((q[9] - 0.5).abs() < near, "{contact:?}: {}", q[9]);
        // Down to the stone and against it.
        sim.prescribe(2, -0.38).unwrap();
        go(&mut sim, &mut q, 500);
        sim.prescribe(2, 0.0).unwrap();
        sim.prescribe(0, 0.4).unwrap();
        go(&mut sim, &mut q, 500);
        assert!((q[0] - 0.4).abs() < 1e-9 && (q[2] - 0.12).abs() < 1e-9);
        for k in 0..3 {
            assert!((q[7 + k] - q[k]).abs() < near, "{contact:?}: {q:?}");
        }
        // It is pushed by the side of the hand, 5 cm from its middle and 10 from its own.
        assert!((q[14] - 0.55).abs() < 5e-3, "{contact:?}: {}", q[14]);
        // A quarter turn on the spot, up where there is room.
        sim.prescribe(0, 0.0).unwrap();
        sim.prescribe(2, 0.5).unwrap();
        go(&mut sim, &mut q, 500);
        sim.prescribe(2, 0.0).unwrap();
        sim.prescribe(5, std::f64::consts::FRAC_PI_2).unwrap();
        go(&mut sim, &mut q, 500);
        let quarter = Quat::exp(Vec3::Z * std::f64::consts::FRAC_PI_2);
        for at in [0, 7] {
            let q = rotation(&q[at..]);
            let along =
                (q.x * quarter.x + q.y * quarter.y + q.z * quarter.z + q.w * quarter.w).abs();
            assert!(along > 1.0 - 1e-5, "{contact:?}: {along}");
        }
        // Set from outside, it is there at once, and the hand comes after.
        q[..3].copy_from_slice(&[0.38, 0.01, 0.64]);
        sim.prescribe(5, 0.0).unwrap();
        go(&mut sim, &mut q, 300);
        for k in 0..3 {
            assert!((q[7 + k] - q[k]).abs() < near, "{contact:?}: {q:?}");
        }
        assert_eq!(q[..3], [0.38, 0.01, 0.64]);
    }
}
