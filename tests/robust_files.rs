//! Small files that ask for much, and meshes without thickness: each is read in seconds, or refused by a limit.

use diffsim::error::{Error, Status};
use diffsim::load::mjcf;
use diffsim::load::options::{Format, LoadOptions, load_str};
use diffsim::model::{Actuation, Model};
use diffsim::step::{Options, Sim};
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

/// Flat meshes were refused, nearly flat ones were a defect of the library (DS_ERR_INTERNAL): they collide as plates.
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
