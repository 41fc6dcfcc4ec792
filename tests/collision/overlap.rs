//! Geoms that overlap by construction, and pairs chosen for the whole model.

use crate::{body, compile, fixed};
use diffsim::collision::scene::{exclude_inseparable, exclude_overlapping, may_touch};
use diffsim::model::Model;
use diffsim::model::spec::{GeomSpec, JointKind, JointSpec, ModelSpec, ShapeSpec};
use diffsim::rollout::Rollout;
use diffsim::spatial::{Pose, Vec3};
use diffsim::step::{Options, Sim};
use std::sync::Arc;

const SPHERE: ShapeSpec = ShapeSpec::Sphere { radius: 0.1 };

/// A chain of four spheres that hangs on hinges: neighbours but one overlap when it is stretched.
/// Another robot, a plane and a sphere of the world overlap with it, too.
fn chain() -> Arc<Model> {
    let mut spec = ModelSpec::default();
    let half_extents = [0.0; 2];
    fixed(
        &mut spec,
        "floor",
        Vec3::ZERO,
        ShapeSpec::Plane { half_extents },
    );
    fixed(&mut spec, "post", Vec3::ZERO, SPHERE);
    body(&mut spec, "other", Vec3::X * 0.05, SPHERE);
    let root = spec.bodies.len();
    for i in 0..4 {
        let name = format!("link{i}");
        let parent = if i == 0 { 0 } else { root + i - 1 };
        body(&mut spec, &name, Vec3::X * 0.08, SPHERE);
        let b = &mut spec.bodies[root + i];
        b.parent = parent;
        if i > 0 {
            b.joints = vec![JointSpec::new(format!("hinge{i}"), JointKind::Revolute)];
        }
    }
    // Flush: it touches link0 by less than the digits of a file.
    let beside = Pose::translation(Vec3::new(-0.16, 0.2 - 1e-8, 0.0));
    spec.geoms
        .push(GeomSpec::new("flush", root + 2, beside, SPHERE));
    compile(spec)
}

fn touching(model: &Arc<Model>, q: &[f64]) -> Vec<[String; 2]> {
    let mut sim = Sim::new(model.clone(), &Options::default()).unwrap();
    sim.collide(q).unwrap();
    let name = |g: usize| model.geoms()[g].name.clone();
    sim.contacts().iter().map(|c| c.geom.map(name)).collect()
}

#[test]
fn what_overlaps_by_construction_is_kept_apart() {
    let model = chain();
    let q = model.neutral();
    let within = |p: &[String; 2]| p.iter().all(|n| n.starts_with("link") || n == "flush");
    let before = touching(&model, q);
    let (inner, outer): (Vec<_>, Vec<_>) = before.into_iter().partition(within);
    let named = |a: &str, b: &str| [a.to_owned(), b.to_owned()];
    let expected = [
        named("link0", "link2"),
        named("link0", "flush"),
        named("link1", "link3"),
    ];
    assert_eq!(inner, expected);
    assert!(outer.len() > 5);

    let apart = Arc::new(exclude_overlapping(&model, q).unwrap());
    let after = touching(&apart, q);
    let kept: Vec<_> = after.iter().filter(|p| within(p)).cloned().collect();
    assert_eq!(kept, [named("link0", "flush")]);
    assert_eq!(after.len(), outer.len() + 1);
    let id = |name| model.geom_id(name).unwrap();
    assert!(may_touch(&model, id("link0"), id("link2")));
    assert!(!may_touch(&apart, id("link2"), id("link0")));
    assert!(may_touch(&apart, id("link0"), id("link3")));
    let warning = apart.warnings().last().unwrap();
    assert!(
        warning.contains("never touch: 2 (") && warning.contains("\"link0\" with \"link2\""),
        "{warning}"
    );
    // Nothing more overlaps; from another configuration, something else does.
    assert_eq!(
        exclude_overlapping(&apart, q).unwrap().warnings(),
        apart.warnings()
    );
    let mut folded = q.to_vec();
    folded[model.joint(model.joint_id("hinge2").unwrap()).iq] = std::f64::consts::PI;
    let other = exclude_overlapping(&model, &folded).unwrap();
    assert!(!may_touch(&other, id("link0"), id("link3")));
    // Sims take their own word from there.
    let mut sim = Sim::new(apart.clone(), &Options::default()).unwrap();
    sim.set_pair_enabled(id("link0"), id("link2"), true)
        .unwrap();
    sim.collide(q).unwrap();
    assert_eq!(sim.contacts().len(), after.len() + 1);
}

/// A trunk in whose hull the second link of a leg stays whatever the joints do, and a third link that meets
/// the trunk where the leg is folded.
fn leg(turn: f64) -> ModelSpec {
    let mut spec = ModelSpec::default();
    let names = ["trunk", "hip", "thigh", "shank"];
    for (i, name) in names.into_iter().enumerate() {
        body(&mut spec, name, Vec3::X * [0.0, 0.05, 0.0, 0.2][i], SPHERE);
        if i > 0 {
            let mut joint = JointSpec::new(format!("joint{i}"), JointKind::Revolute);
            joint.axis = Vec3::Y;
            joint.limits = Some(if i == 2 {
                (turn - 3.0, turn + 3.0)
            } else {
                (-1.0, 1.0)
            });
            spec.bodies[1 + i].parent = i;
            spec.bodies[1 + i].joints = vec![joint];
        }
    }
    spec
}

#[test]
fn limits_beyond_half_a_turn_are_those_of_the_samples() {
    let model = compile(leg(std::f64::consts::TAU));
    let apart = exclude_inseparable(&model).unwrap();
    let id = |name| model.geom_id(name).unwrap();
    assert!(may_touch(&apart, id("trunk"), id("shank")));
    assert!(!may_touch(&apart, id("trunk"), id("thigh")));
}

#[test]
fn what_no_motion_parts_is_kept_apart() {
    let model = compile(leg(0.0));
    let id = |name: &str| model.geom_id(name).unwrap();
    let [trunk, thigh, shank] = ["trunk", "thigh", "shank"].map(id);
    let apart = exclude_inseparable(&model).unwrap();
    assert!(may_touch(&model, trunk, thigh));
    assert!(!may_touch(&apart, trunk, thigh));
    // Overlaps while the leg is folded, which it is in few configurations.
    assert!(may_touch(&apart, trunk, shank));
    let warning = apart.warnings().last().unwrap();
    assert!(
        warning.starts_with("inseparable: ") && warning.contains("\"trunk\" with \"thigh\""),
        "{warning}"
    );
    // Said once, and the user's word stands.
    assert_eq!(
        exclude_inseparable(&apart).unwrap().warnings(),
        apart.warnings()
    );
    let wanted = model.with_pairs(&[[thigh, trunk]], true).unwrap();
    assert!(may_touch(
        &exclude_inseparable(&wanted).unwrap(),
        trunk,
        thigh
    ));
    // The plane and another robot are no part of it.
    let model = chain();
    let apart = exclude_inseparable(&model).unwrap();
    let id = |name| model.geom_id(name).unwrap();
    for name in ["post", "other", "floor"] {
        assert!(may_touch(&apart, id(name), id("link2")), "{name}");
    }
}

#[test]
fn pairs_of_the_model_hold_for_rollouts() {
    let model = chain();
    let all: Vec<[usize; 2]> = (0..model.ngeom())
        .flat_map(|a| (a + 1..model.ngeom()).map(move |b| [b, a]))
        .collect();
    let none = Arc::new(model.with_pairs(&all, false).unwrap());
    assert!(touching(&none, none.neutral()).is_empty());
    let (nq, nv) = (model.nq(), model.nv());
    let fall = |model: &Arc<Model>| {
        let mut r = Rollout::new(model.clone(), &Options::default(), 1).unwrap();
        let (mut q, mut v) = (vec![0.0; 2 * nq], vec![0.0_f64; 2 * nv]);
        r.run(
            model.neutral(),
            &vec![0.0; nv],
            &[],
            1,
            Some(&mut q),
            Some(&mut v),
        )
        .unwrap();
        v[nv + 2]
    };
    // The other robot falls freely where nothing may touch.
    assert!((fall(&none) + 9.81e-3).abs() < 1e-12);
    assert!(fall(&model) > -1e-3);
    let id = |name| model.geom_id(name).unwrap();
    let back = none
        .with_pairs(&[[id("link2"), id("link0")]], true)
        .unwrap();
    assert_eq!(touching(&Arc::new(back), none.neutral()).len(), 1);
    for (pair, enabled) in [([0, 0], false), ([0, 99], false), ([0, 0], true)] {
        assert!(model.with_pairs(&[pair], enabled).is_err());
    }
}
