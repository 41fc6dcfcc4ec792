//! Recordings: data come back to the bit, in time, within the memory, and also after damage to the file.

use diffsim::error::{Result, Status};
use diffsim::load::options::{Format, LoadOptions, load_file, load_str};
use diffsim::model::Model;
use diffsim::record::{Quantity, Recorder, RecorderOptions, Recording, read};
use diffsim::rollout::Rollout;
use diffsim::step::{Options, Sim};
use std::path::Path;
use std::sync::Arc;

/// Steps of 1 ms.
fn millisecond() -> Options {
    Options {
        time_step: 1e-3,
        ..Options::default()
    }
}

fn quadruped() -> Arc<Model> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/models/quadruped.xml");
    Arc::new(load_file(&path, &LoadOptions::default()).expect("the quadruped"))
}

fn every_step() -> RecorderOptions {
    RecorderOptions {
        rate: 0.0,
        ..RecorderOptions::default()
    }
}

/// Lets it fall, and calls `see` after each step.
fn fall(sim: &mut Sim, steps: usize, mut see: impl FnMut(&Sim)) -> (Vec<f64>, Vec<f64>) {
    let model = sim.model().clone();
    let (mut q, mut v) = (model.neutral().to_vec(), vec![0.0; model.nv()]);
    let u: Vec<f64> = (0..model.nu()).map(|i| (i as f64).sin()).collect();
    let (mut x, mut y) = (q.clone(), v.clone());
    for _ in 0..steps {
        sim.step(&q, &v, &u, &mut x, &mut y).expect("a step");
        std::mem::swap(&mut q, &mut x);
        std::mem::swap(&mut v, &mut y);
        see(sim);
    }
    (q, v)
}

fn bits(x: &[f64]) -> Vec<u64> {
    x.iter().map(|x| x.to_bits()).collect()
}

fn recorded(steps: usize, options: &RecorderOptions) -> (Arc<Model>, Recorder) {
    let model = quadruped();
    let mut sim = Sim::new(model.clone(), &millisecond()).expect("a sim");
    let mut recorder = Recorder::new(model.clone(), options).expect("a recorder");
    fall(&mut sim, steps, |sim| {
        recorder.step(sim).expect("a frame");
    });
    (model, recorder)
}

#[test]
fn frames_are_what_the_sim_says_to_the_bit() {
    let model = quadruped();
    let mut sim = Sim::new(model.clone(), &millisecond()).expect("a sim");
    let trunk = 1;
    let wrench = [1.0, 2.0, -3.0, 0.1, 0.2, 0.3];
    sim.set_external_wrench(trunk, wrench).expect("a wrench");
    let mut recorder = Recorder::new(model.clone(), &every_step()).expect("a recorder");
    let height = recorder.add_channel("height", 1).expect("a channel");
    let pair = recorder
        .add_channel("two <b>numbers</b>", 2)
        .expect("a channel");
    assert!(recorder.add_channel("height", 1).is_err());
    let mut states = Vec::new();
    let mut contacts = Vec::new();
    let mut fk = Sim::new(model.clone(), &millisecond()).expect("a sim");
    let mut poses = vec![0.0; 16 * model.nbody()];
    fall(&mut sim, 600, |sim| {
        let last = sim.last_step().expect("a step");
        recorder
            .set_channel(height, &last.q_next[2..3])
            .expect("a value");
        recorder
            .set_channel(pair, &[states.len() as f64, -1.0])
            .expect("values");
        recorder.step(sim).expect("a frame");
        states.push((last.q_next.to_vec(), last.v_next.to_vec(), last.info));
        contacts.push(sim.contacts().to_vec());
    });
    assert!(recorder.add_channel("late", 1).is_err());
    let r = read(recorder.bytes()).expect("a recording");
    assert_eq!(r.damage, None);
    assert_eq!(r.frames.len(), 601);
    assert_eq!(
        (&r.name[..], r.nq, r.nv, r.nu),
        (model.name(), model.nq(), model.nv(), model.nu())
    );
    assert_eq!(r.channels[1].0, "two <b>numbers</b>");
    for (a, b) in r.bodies.iter().zip(model.bodies()) {
        assert_eq!((&a.name, a.parent), (&b.name, b.parent));
    }
    for (a, b) in r.joints.iter().zip(model.joints()) {
        assert_eq!((&a.name, a.body, a.iq, a.iv), (&b.name, b.body, b.iq, b.iv));
    }
    assert_eq!(r.shapes.len(), model.ngeom());
    assert_eq!(r.frames[0].gradient, None);
    assert_eq!(bits(&r.frames[0].q), bits(model.neutral()));
    let mut touched = 0;
    for (k, f) in r.frames[1..].iter().enumerate() {
        let (q, v, info) = &states[k];
        assert_eq!((bits(&f.q), bits(&f.v)), (bits(q), bits(v)));
        assert_eq!(f.step, k as u64 + 1);
        assert_eq!(f.time.to_bits(), ((k + 1) as f64 * 0.001).to_bits());
        assert_eq!(f.gradient, Some(info.gradient as u32));
        assert_eq!(f.residual.to_bits(), info.residual.to_bits());
        assert_eq!(bits(&f.channels), bits(&[q[2], k as f64, -1.0]));
        assert_eq!(f.wrenches, [(trunk, wrench)]);
        assert_eq!(f.contacts.len(), contacts[k].len());
        for ((ids, x), c) in f.contacts.iter().zip(&contacts[k]) {
            touched += 1;
            assert_eq!(ids[..2], c.geom.map(|g| g as u32));
            let want = [
                &c.point[..],
                &c.normal,
                &c.tangents[0],
                &c.impulse,
                &[c.gap],
            ]
            .concat();
            assert_eq!(bits(x), bits(&want));
        }
        if k % 50 == 0 {
            fk.forward_kinematics(q, &mut poses).expect("poses");
            for (p, m) in f.poses.iter().zip(poses.chunks(16)) {
                assert_eq!(bits(&p[..3]), bits(&m[12..15]));
                let norm: f64 = p[3..].iter().map(|x| x * x).sum();
                assert!((norm - 1.0).abs() < 1e-12);
            }
        }
    }
    assert!(touched > 900, "{touched} contacts");
}

#[test]
fn the_rate_chooses_the_nearest_steps() {
    let options = RecorderOptions {
        rate: 60.0,
        ..RecorderOptions::default()
    };
    let (_, mut recorder) = recorded(1000, &options);
    let r = read(recorder.bytes()).expect("a recording");
    assert_eq!(r.frames.len(), 61);
    for (k, f) in r.frames.iter().enumerate() {
        assert!(
            (f.time - k as f64 / 60.0).abs() <= 0.0005 + 1e-12,
            "{k}: {}",
            f.time
        );
    }
}

#[test]
fn a_ring_keeps_the_newest_frames_and_a_file_all_of_them() -> Result<()> {
    let small = RecorderOptions {
        rate: 0.0,
        capacity: 100_000,
    };
    let (_, mut whole) = recorded(300, &every_step());
    let whole = read(whole.bytes())?;
    let (_, mut ring) = recorded(300, &small);
    let held = read(ring.bytes())?;
    let n = held.frames.len();
    assert!(n > 5 && n < 200, "{n}");
    assert_eq!(ring.dropped() as usize, 301 - n);
    assert_eq!(held.frames[..], whole.frames[301 - n..]);

    let path = std::env::temp_dir().join(format!("diffsim_{}.dsrec", std::process::id()));
    let model = quadruped();
    let mut sim = Sim::new(model.clone(), &millisecond())?;
    let mut recorder = Recorder::new(model, &small)?;
    recorder.open(&path)?;
    fall(&mut sim, 300, |sim| {
        recorder.step(sim).expect("a frame");
    });
    // A process that ends here leaves the flushed data.
    let before = read(&std::fs::read(&path).expect("the file"))?;
    assert_eq!(before.damage, None);
    assert_eq!(before.frames[..], whole.frames[..before.frames.len()]);
    drop(recorder);
    let all = read(&std::fs::read(&path).expect("the file"))?;
    std::fs::remove_file(&path).expect("the file");
    assert_eq!(all.frames, whole.frames);
    Ok(())
}

#[test]
fn what_is_cut_or_changed_is_told_and_the_rest_is_whole() {
    let (_, mut recorder) = recorded(20, &every_step());
    let bytes = recorder.bytes().to_vec();
    let whole = read(&bytes).expect("a recording");
    let last_chunk = (bytes.windows(4).rposition(|w| w == b"FRMS")).expect("frames");
    for cut in (0..bytes.len()).step_by(7) {
        match read(&bytes[..cut]) {
            Ok(r) => {
                assert!(r.frames.is_empty());
                assert_eq!(r.bodies, whole.bodies);
                assert!(r.damage.is_some() || cut == last_chunk, "cut at {cut}");
            }
            Err(e) => assert_eq!(e.status, Status::Parse, "cut at {cut}: {e}"),
        }
    }
    for at in (0..bytes.len()).step_by(11) {
        let mut bad = bytes.clone();
        bad[at] ^= 0x10;
        match read(&bad) {
            Ok(r) => assert!(r.damage.is_some(), "changed at {at}"),
            Err(e) => assert_eq!(e.status, Status::Parse, "changed at {at}: {e}"),
        }
    }
    // Two chunks of frames: the first survives damage to the second.
    let mut twice = bytes.clone();
    twice.extend(&bytes[last_chunk..]);
    let end = twice.len() - 5;
    let r: Recording = read(&twice[..end]).expect("a recording");
    assert_eq!(r.frames, whole.frames);
    assert!(r.damage.unwrap_or_default().contains("ends within a chunk"));
    assert!(read(b"solid stl").is_err());
}

#[test]
fn recording_changes_no_bit_and_allocates_nothing() {
    let model = quadruped();
    let mut sim = Sim::new(model.clone(), &millisecond()).expect("a sim");
    let alone = fall(&mut sim, 400, |_| {});
    let mut sim = Sim::new(model.clone(), &millisecond()).expect("a sim");
    let options = RecorderOptions {
        rate: 0.0,
        capacity: 200_000,
    };
    let mut recorder = Recorder::new(model.clone(), &options).expect("a recorder");
    let gradient = vec![1.0; model.nv()];
    let mut first = true;
    let with = fall(&mut sim, 400, |sim| {
        let info = allocation_counter::measure(|| {
            recorder
                .set_gradient(Quantity::Velocity, &gradient)
                .expect("a gradient");
            recorder.step(sim).expect("a frame");
        });
        assert!(
            first || info.count_total == 0,
            "{} allocations",
            info.count_total
        );
        first = false;
    });
    assert!(recorder.dropped() > 0);
    assert_eq!(
        (bits(&alone.0), bits(&alone.1)),
        (bits(&with.0), bits(&with.1))
    );
}

#[test]
fn gradients_of_a_rollout_stand_on_the_bodies() {
    const ARM: &str = r#"<mujoco><option gravity="0 0 0"/><worldbody><body name="base" pos="0 0 1">
        <freejoint/><geom type="sphere" size="0.1"/>
        <body name="arm" pos="0.5 0 0"><joint name="hinge" axis="0 1 0"/><geom type="sphere" size="0.1"/></body>
        </body></worldbody><actuator><motor joint="hinge" gear="-3"/></actuator></mujoco>"#;
    let model = load_str(ARM, Format::Mjcf, None, &LoadOptions::default()).expect("a model");
    let model = Arc::new(model);
    let mut rollout = Rollout::new(model.clone(), &millisecond(), 10).expect("a rollout");
    let mut recorder = Recorder::new(model.clone(), &every_step()).expect("a recorder");
    let none = recorder.rollout(&mut rollout, None, None, None);
    assert_eq!(none.map_err(|e| e.status), Err(Status::NoStep));
    // Turned by a quarter about z: the body's x is the world's y.
    let h = 0.5f64.sqrt();
    let q0 = [0.0, 0.0, 1.0, 0.0, 0.0, h, h, 0.0];
    let u = [0.0; 5];
    rollout
        .run(&q0, &[0.0; 7], &u, 5, None, None)
        .expect("a run");
    let q0_bar = [1.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.5];
    let u_bar = [1.0, 2.0, 3.0, 4.0, 5.0];
    assert!(
        recorder
            .rollout(&mut rollout, None, None, Some(&u_bar[1..]))
            .is_err()
    );
    recorder
        .rollout(&mut rollout, Some(&q0_bar), None, Some(&u_bar))
        .expect("frames");
    let r = read(recorder.bytes()).expect("a recording");
    assert_eq!(r.frames.len(), 6);
    let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12);
    let first = &r.frames[0].arrows;
    assert_eq!(first.len(), 3);
    // Along x of the body, about its z, about the hinge; the hinge is 0.5 m along the body's x.
    assert_eq!(first[0].0, [0, 0, 1]);
    assert!(
        near(&first[0].1, &[0.0, 0.0, 1.0, 0.0, 1.0, 0.0]),
        "{first:?}"
    );
    assert_eq!(first[1].0, [0, 1, 1]);
    assert!(
        near(&first[1].1, &[0.0, 0.0, 1.0, 0.0, 0.0, 2.0]),
        "{first:?}"
    );
    assert_eq!(first[2].0, [0, 1, 2]);
    assert!(
        near(&first[2].1, &[0.0, 0.5, 1.0, -0.5, 0.0, 0.0]),
        "{first:?}"
    );
    for (k, f) in r.frames[1..].iter().enumerate() {
        assert_eq!(f.arrows.len(), 1);
        assert_eq!(f.arrows[0].0, [2, 1, 2]);
        // The gear turns it around.
        assert!(
            near(&f.arrows[0].1[3..], &[u_bar[k], 0.0, 0.0]),
            "{:?}",
            f.arrows
        );
    }
    // The run is still there for an adjoint.
    let zero = [0.0; 7 * 6];
    assert!(
        rollout
            .adjoint(&zero, &zero, None, None, None, None)
            .is_ok()
    );
}

#[test]
fn misuse_is_an_error_and_changes_nothing() {
    let model = quadruped();
    let bad = |rate: f64, capacity: usize| {
        let made = Recorder::new(model.clone(), &RecorderOptions { rate, capacity });
        made.err().map(|e| e.message).unwrap_or_default()
    };
    assert!(bad(-1.0, 1 << 20).starts_with("rate"));
    assert!(bad(f64::NAN, 1 << 20).starts_with("rate"));
    assert!(bad(60.0, 100).starts_with("capacity"));
    let mut recorder = Recorder::new(model.clone(), &every_step()).expect("a recorder");
    let sim = Sim::new(model.clone(), &millisecond()).expect("a sim");
    assert_eq!(
        recorder.step(&sim).map_err(|e| e.status),
        Err(Status::NoStep)
    );
    let mut other = Sim::new(quadruped(), &millisecond()).expect("a sim");
    fall(&mut other, 1, |other| {
        let e = recorder.step(other).map_err(|e| e.status);
        assert_eq!(e, Err(Status::InvalidArgument));
    });
    assert_eq!(
        recorder
            .open(Path::new("/no such folder/a"))
            .map_err(|e| e.status),
        Err(Status::Io)
    );
    assert!(
        recorder
            .state(0.0, &[f64::NAN; 19], &vec![0.0; model.nv()])
            .is_err()
    );
    assert_eq!(recorder.frames(), 0);
    let e = recorder.set_gradient(Quantity::User, &[]);
    assert_eq!(e.map_err(|e| e.status), Err(Status::InvalidArgument));
}
