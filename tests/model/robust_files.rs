//! Small files that ask for much, and meshes without thickness: each is read in seconds, or refused by a
//! limit.

use crate::common::checker::Checker;
use crate::common::in_body;
use diffsim::error::{Error, Status};
use diffsim::load::mjcf;
use diffsim::load::options::{Format, LoadOptions, load_str};
use diffsim::model::spec::OpenMesh;
use diffsim::model::{Actuation, Model};
use diffsim::step::{Contact, Options, Sim};
use std::sync::Arc;
use std::time::Instant;

/// Steps of 1 ms.
fn millisecond() -> Options {
    Options {
        time_step: 1e-3,
        ..Options::default()
    }
}

fn load(text: &str) -> Result<Model, Error> {
    load_str(text, Format::Mjcf, None, &LoadOptions::default())
}

/// 112 bytes that took more than 40 s; and copies of copies of what is no geom, which never ended.
#[test]
fn replicates_have_a_limit() {
    let start = Instant::now();
    for (text, limit) in [
        (
            "<replicate count='1000000'><geom size='.1'/></replicate>".to_owned(),
            "more than 100000 bodies and geoms",
        ),
        (
            "<replicate count='1000001'><site/></replicate>".to_owned(),
            "more than 1000000 elements",
        ),
        (
            "<replicate count='1000'>".repeat(5) + &"</replicate>".repeat(5),
            "more than 1000000 elements",
        ),
    ] {
        let e = load(&format!("<mujoco><worldbody>{text}</worldbody></mujoco>")).unwrap_err();
        assert_eq!(e.status, Status::Capacity, "{e}");
        assert!(
            e.message.contains(limit) && e.message.contains("line 1"),
            "{e}"
        );
    }
    assert!(start.elapsed().as_secs() < 30);
}

/// 100,000 attributes took 30 s: the parser compares each with all others.
#[test]
fn attributes_have_a_limit() {
    let attributes: String = (0..100_000).map(|i| format!(" a{i}='0'")).collect();
    let start = Instant::now();
    let e = load(&format!("<mujoco{attributes}/>")).unwrap_err();
    assert!(
        e.status == Status::Capacity && e.message.contains("100000 attributes"),
        "{e}"
    );
    assert!(start.elapsed().as_secs() < 5);
}

fn mesh(height: f64) -> String {
    format!(
        "<mujoco><asset><mesh name='m' inertia='shell' vertex='0 0 0 1 0 0 1 1 {height:e} 0 1 0' face='0 1 2 0 2 3 0 2 1 0 3 2'/></asset>\
         <worldbody><geom type='plane' size='0 0 1'/><body pos='0 0 0'><freejoint/><geom type='mesh' mesh='m'/></body>\
         </worldbody></mujoco>"
    )
}

/// Flat meshes were refused, nearly flat ones were a defect of the library (DS_ERR_INTERNAL): they collide as
/// plates.
#[test]
fn a_flat_mesh_rests_on_the_ground() {
    for height in [
        0.0, 5e-324, 1e-300, 1e-20, 1e-12, 1e-9, 1e-8, 1.1e-7, 1e-6, 1e-5, 3e-5, 1e-4, 1e-3, 1e-2,
    ] {
        let model = load(&mesh(height)).unwrap_or_else(|e| panic!("{height:e}: {e}"));
        let mut sim = Sim::new(Arc::new(model), &millisecond()).unwrap();
        let (mut q, mut v) = (sim.model().neutral().to_vec(), vec![0.0; 6]);
        for _ in 0..20 {
            let (q0, v0) = (q.clone(), v.clone());
            sim.step(&q0, &v0, &[], &mut q, &mut v).unwrap();
        }
        assert!(
            q[2] > -2.0 * height.max(1e-4),
            "{height:e}: it fell to {}",
            q[2]
        );
    }
}

/// A box of half extent 5e-324 m was a defect of the library.
#[test]
fn sizes_have_limits() {
    for (size, fits) in [
        (5e-324, false),
        (1e-101, false),
        (1e-90, true),
        (1e-3, true),
        (1e101, false),
    ] {
        let text = format!(
            "<mujoco><worldbody><body><freejoint/><geom type='box' size='.05 .05 {size:e}' mass='1'/></body></worldbody></mujoco>"
        );
        let made = load(&text).and_then(|m| Sim::new(Arc::new(m), &millisecond()));
        match made {
            Ok(_) => assert!(fits, "{size:e}"),
            Err(e) => assert!(
                !fits && e.status == Status::InvalidArgument,
                "{size:e}: {e}"
            ),
        }
    }
}

/// Most geoms of published robots have no name: a refusal says which body they are of.
#[test]
fn geoms_without_a_name_are_told_by_their_body() {
    let text = "<mujoco><worldbody><geom type='plane' size='0 0 1'/><body name='leg'><freejoint/><geom size='.1' condim='6'/></body>\
         </worldbody></mujoco>";
    let mut spec = mjcf::read_str(text, None, &Default::default()).unwrap();
    spec.geoms.iter_mut().for_each(|g| g.friction[1] = 0.0);
    let model = Model::compile(spec, Actuation::FromFile).unwrap();
    let e = Sim::new(Arc::new(model), &millisecond()).unwrap_err();
    assert_eq!(e.status, Status::InvalidArgument);
    let told = "geom 0 of body \"world\" and geom 1 of body \"leg\": condim 6";
    assert!(e.message.contains(told), "{e}");
}

/// ALOHA and many others have shells that are open: they were refused until somebody found the option.
#[test]
fn open_meshes_collide_as_hulls_and_a_warning_says_so() {
    let bowl = "<mujoco><asset><mesh name='m' inertia='shell' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 2 1 0 1 3 1 2 3'/></asset>\
                <worldbody><geom type='plane' size='0 0 1'/><body pos='0 0 .1'><freejoint/><geom name='shell' type='mesh' mesh='m'/></body>\
                </worldbody></mujoco>";
    let model = load(bowl).unwrap();
    let told =
        |w: &&String| w.contains("\"shell\"") && w.contains("is open and collides as its hull");
    assert_eq!(
        model.warnings().iter().filter(told).count(),
        1,
        "{:?}",
        model.warnings()
    );
    let mut sim = Sim::new(Arc::new(model), &Options::default()).unwrap();
    let (mut q, mut v) = (sim.model().neutral().to_vec(), vec![0.0; 6]);
    for _ in 0..400 {
        let (q0, v0) = (q.clone(), v.clone());
        sim.step(&q0, &v0, &[], &mut q, &mut v).unwrap();
    }
    assert!(q[2].abs() < 1e-6, "it rests on its face: {}", q[2]);
    let strict = LoadOptions {
        open_mesh: OpenMesh::Error,
        ..LoadOptions::default()
    };
    let e = load_str(bowl, Format::Mjcf, None, &strict)
        .map(|_| ())
        .unwrap_err();
    assert!(
        e.message.contains("\"shell\"") && e.message.contains("open_mesh"),
        "{e}"
    );
}

const DRONE: &str = "<mujoco><worldbody><geom type='plane' size='0 0 1'/><body pos='0 0 .2'><freejoint/><geom type='box' size='.1 .1 .02' mass='.8'/>\
    <site name='a' pos='.1 .1 0'/><site name='b' pos='-.1 .1 0'/>\
    <body pos='0 -.1 0' euler='10 20 30'><geom type='box' size='.1 .01 .01' mass='.1'/><site name='c' pos='.1 0 0'/></body>\
    <body pos='0 0 .05'><joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 0 0 .1' size='.01' mass='.1'/></body></body></worldbody>\
    <actuator><motor site='a' gear='0 0 1 0 0 -.02'/><motor site='b' gear='0 0 1 0 0 .02'/><motor site='c' gear='.1 .2 1 .01 .02 .03'/></actuator></mujoco>";

/// Thrusts at sites, forward and all derivatives, in flight and on the ground.
#[test]
fn thrusters_at_sites_have_derivatives() {
    let model = Arc::new(load(DRONE).unwrap());
    let q = model.neutral().to_vec();
    Checker::new(model.clone(), &Options::default()).run("drone", &q, 1.0, 150);
    // Force and torque at rest: those of the three sites at the origin of the body, in its axes.
    // One step in the body's own axes changes momentum by the step times the wrench, to round-off.
    let options = in_body(Options {
        contact: Contact::None,
        ..Options::default()
    });
    let mut sim = Sim::new(model, &options).unwrap();
    let (mut qn, mut vn) = (q.clone(), vec![0.0; 7]);
    let mut speeds = Vec::new();
    for u in [[0.0; 3], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]] {
        sim.step(&q, &[0.0; 7], &u, &mut qn, &mut vn).unwrap();
        speeds.push(vn.clone());
    }
    let h = sim.options().time_step;
    let mut mass = vec![0.0; 49];
    sim.mass_matrix(&q, &mut mass).unwrap();
    for (k, wrench) in [
        [0.0, 0.0, 2.0, 0.2, -0.2, -0.04],
        [0.0, 0.0, 2.0, 0.2, 0.2, 0.04],
    ]
    .iter()
    .enumerate()
    {
        for row in 0..7 {
            let gained: f64 = (0..7)
                .map(|c| mass[7 * c + row] * (speeds[k + 1][c] - speeds[0][c]))
                .sum();
            let wanted = h * wrench.get(row).unwrap_or(&0.0);
            assert!(
                (gained - wanted).abs() < 1e-12,
                "{k} {row}: {gained} {wanted}"
            );
        }
    }
}

/// With the convex law and torsion 4000 contacts ask for 18 GB: the message says for how many there is room,
/// and why.
#[test]
fn room_for_contacts_is_told() {
    let text = "<mujoco><worldbody><geom type='plane' size='0 0 1'/><body><freejoint/><geom size='.1' condim='6'/></body></worldbody></mujoco>";
    let model = Arc::new(load(text).unwrap());
    let options = |max_contacts| Options {
        max_contacts,
        contact: Contact::Convex,
        ..Options::default()
    };
    let e = Sim::new(model.clone(), &options(1_000_000))
        .map(|_| ())
        .unwrap_err();
    assert_eq!(e.status, Status::Capacity);
    assert!(
        e.message.contains("condim 4 and 6") && e.message.contains("by the square"),
        "{e}"
    );
    let (_, rest) = e
        .message
        .split_once("there is for about ")
        .expect("how many there are");
    let most: usize = rest
        .split(' ')
        .next()
        .and_then(|n| n.parse().ok())
        .expect("a number");
    assert!((100..1_000_000).contains(&most), "{most}");
    assert!(Sim::new(model, &options(100)).is_ok());
}
