//! The cost of a caller's sizes, and that sizes beyond the memory are refused.

mod common;

use allocation_counter::measure;
use common::scene::*;
use diffsim::batch::Batch;
use diffsim::error::Status;
use diffsim::load::options::{LoadOptions, load_file};
use diffsim::model::spec::{ActuatorSpec, JointKind, ModelSpec};
use diffsim::model::tendon::Transmission;
use diffsim::model::{Actuation, Model};
use diffsim::rollout::Rollout;
use diffsim::step::{Bytes, Contact, Integrator, Options, Sim};
use std::sync::Arc;

const LAWS: [Contact; 5] = [
    Contact::None,
    Contact::Ncp,
    Contact::Lcp,
    Contact::Convex,
    Contact::Penalty,
];

fn chain(n: usize) -> ModelSpec {
    let mut spec = ModelSpec::default();
    for i in 0..n {
        let (name, place) = (format!("link{i}"), at(0.0, 0.0, -0.3));
        let rod = cuboid(0.02, 0.02, 0.1);
        let id = body(&mut spec, &name, JointKind::Revolute, place, 1.0, rod);
        spec.bodies[id].parent = id.max(1) - 1;
        spec.bodies[id].joints[0].limits = (i % 3 == 0).then_some((-1.0, 1.0));
    }
    spec
}

fn models() -> Vec<(String, Arc<Model>)> {
    let compiled = |spec| Arc::new(Model::compile(spec, Actuation::Full).unwrap());
    let mut all = vec![("empty".into(), compiled(ModelSpec::default()))];
    for n in [1, 10, 60] {
        all.push((format!("{n} balls"), compiled(rows_of_balls(n))));
    }
    for n in [10, 40, 200] {
        all.push((format!("{n} links"), compiled(chain(n))));
    }
    // One tree with about as many rows as its dense matrices have.
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/models/cartpole.xml");
    let cart = load_file(file.as_ref(), &LoadOptions::default()).unwrap();
    all.push(("cart and pole".into(), Arc::new(cart)));
    // What a model keeps of its geoms is made with its first simulation.
    for (_, model) in &all {
        drop(Sim::new(model.clone(), &options(1e-3)));
    }
    all
}

/// Bytes that a simulation holds.
fn held(model: &Arc<Model>, o: &Options) -> u64 {
    let mut sim = None;
    let used = measure(|| sim = Some(Sim::new(model.clone(), o).unwrap()));
    used.bytes_current.unsigned_abs()
}

/// The memory that is counted before a simulation is made is never less than the simulation takes: an
/// allocation that fails would end the process. An earlier count left out memory of several trees and of many
/// contacts, and `max_contacts` of 10⁶ aborted.
#[test]
fn memory_is_counted_before_it_is_taken() {
    for (name, model) in models() {
        for (contact, derivatives) in LAWS.into_iter().flat_map(|l| [(l, false), (l, true)]) {
            for (max_contacts, integrator) in [
                (0, Integrator::SymplecticEulerWorld),
                (1, Integrator::SymplecticEulerWorld),
                (64, Integrator::Midpoint),
                (64, Integrator::SymplecticEulerWorld),
                (256, Integrator::SymplecticEulerWorld),
                (1024, Integrator::SymplecticEulerWorld),
            ] {
                let o = Options {
                    contact,
                    derivatives,
                    max_contacts,
                    integrator,
                    ..options(1e-3)
                };
                let (held, counted) = (held(&model, &o), Bytes::of(&model, &o).total() as u64);
                let case = format!(
                    "{name}, {contact:?}, derivatives {derivatives}, {max_contacts}, {integrator:?}"
                );
                assert!(held <= counted, "{case}: {held} bytes, counted {counted}");
                assert!(
                    counted < 5 * held / 2 + 800_000,
                    "{case}: {held} bytes, counted {counted}"
                );
            }
        }
    }
}

/// A batch has lanes for four simulations a thread, if there are as many fours as threads.
#[test]
fn memory_of_lanes_is_counted() {
    let mut with_lanes = 0;
    for (name, model) in models() {
        for contact in [Contact::None, Contact::Ncp] {
            let o = Options {
                contact,
                ..options(1e-3)
            };
            let held = |count| {
                let mut batch = None;
                let made = || batch = Some(Batch::new(model.clone(), &o, count, 1).unwrap());
                measure(made).bytes_current.unsigned_abs()
            };
            // The fourth simulation, and the lanes of four.
            let (lanes, counted) = (
                held(4) + held(2) - 2 * held(3),
                Bytes::of_lanes(&model) as u64,
            );
            let case = format!("{name}, {contact:?}: {lanes} bytes, counted {counted}");
            assert!(
                lanes <= counted && (lanes == 0 || counted < 4 * lanes + 10_000),
                "{case}"
            );
            with_lanes += usize::from(lanes > 0);
        }
    }
    #[cfg(target_arch = "x86_64")]
    assert!(with_lanes > 10 || !std::arch::is_x86_feature_detected!("avx2"));
    println!("{with_lanes} batches with lanes");
}

/// What adheres has contacts of its own.
#[test]
fn memory_of_what_adheres_is_counted() {
    for mut spec in [rows_of_balls(10), rows_of_balls(40), chain(40), chain(80)] {
        let bodies: Vec<String> = spec.bodies[1..].iter().map(|b| b.name.clone()).collect();
        for name in bodies.iter().step_by(3) {
            let mut a = ActuatorSpec::new(name.clone(), Transmission::Body(name.clone()));
            a.control_range = Some((0.0, 1.0));
            spec.actuators.push(a);
        }
        let model = Arc::new(Model::compile(spec, Actuation::FromFile).unwrap());
        drop(Sim::new(model.clone(), &options(1e-3)));
        for (contact, integrator) in [
            (Contact::None, Integrator::SymplecticEulerWorld),
            (Contact::Ncp, Integrator::SymplecticEulerWorld),
            (Contact::Convex, Integrator::Midpoint),
            (Contact::Penalty, Integrator::SymplecticEulerWorld),
            (Contact::Penalty, Integrator::Sdirk2),
        ] {
            for (max_contacts, derivatives) in [(1, true), (64, false), (64, true), (512, true)] {
                let o = Options {
                    contact,
                    derivatives,
                    max_contacts,
                    integrator,
                    ..options(1e-3)
                };
                let (held, counted) = (held(&model, &o), Bytes::of(&model, &o).total() as u64);
                let nv = model.nv();
                let case = format!(
                    "{nv}, {contact:?}, {integrator:?}, derivatives {derivatives}, {max_contacts}"
                );
                assert!(held <= counted, "{case}: {held} bytes, counted {counted}");
                let most = 5 * held / 2 + 800_000;
                assert!(counted < most, "{case}: {held} bytes, counted {counted}");
            }
        }
    }
}

/// With the compliant law, contacts that resist torsion and rolling are solved in one matrix, which grows
/// with their square. Unused memory is not touched.
#[test]
fn memory_of_contacts_that_resist_torsion_is_counted() {
    for n in [1, 10] {
        let mut spec = rows_of_balls(n);
        spec.geoms.iter_mut().for_each(|g| g.condim = 6);
        let model = Arc::new(Model::compile(spec, Actuation::Full).unwrap());
        drop(Sim::new(model.clone(), &options(1e-3)));
        for contact in [Contact::Ncp, Contact::Lcp, Contact::Convex] {
            for (max_contacts, derivatives) in [(1, true), (64, false), (64, true), (256, true)] {
                let o = Options {
                    contact,
                    derivatives,
                    max_contacts,
                    ..options(1e-3)
                };
                let (held, counted) = (held(&model, &o), Bytes::of(&model, &o).total() as u64);
                let case = format!("{n}, {contact:?}, derivatives {derivatives}, {max_contacts}");
                assert!(held <= counted, "{case}: {held} bytes, counted {counted}");
                let most = 5 * held / 2 + 800_000;
                assert!(counted < most, "{case}: {held} bytes, counted {counted}");
            }
        }
        let huge = Options {
            max_contacts: 1_000_000,
            ..options(1e-3)
        };
        let refused = Sim::new(model, &huge).unwrap_err();
        assert_eq!(refused.status, Status::Capacity, "{refused}");
    }
}

/// Once 92 MB at 256 contacts, 1.0 GB at 1024 and 4.1 GB at 2048, now 18, 31 and 48 MB.
#[test]
fn memory_is_linear_in_the_contacts() {
    for (name, model) in models() {
        for contact in [Contact::Ncp, Contact::Lcp, Contact::Convex] {
            let bytes = |max_contacts| {
                let o = Options {
                    contact,
                    max_contacts,
                    ..options(1e-3)
                };
                held(&model, &o) as f64
            };
            let more = [512, 1024, 2048, 4096].map(bytes);
            let growth = [more[1] - more[0], more[2] - more[1], more[3] - more[2]];
            for pair in growth.windows(2) {
                let ratio = pair[1] / pair[0];
                assert!(
                    (1.99..2.01).contains(&ratio),
                    "{name}, {contact:?}: {more:?}"
                );
            }
        }
    }
}

fn rows_of_balls(n: usize) -> ModelSpec {
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.5);
    for i in 0..n {
        let place = at(0.3 * i as f64, 0.0, 0.099);
        free(&mut spec, &format!("ball{i}"), place, 1.0, ball(0.1));
    }
    spec
}

/// Once "64 do not suffice", whatever the model: 65 bodies that stand beside each other were an error.
#[test]
fn room_for_contacts_follows_the_model() {
    let mut w = World::new(rows_of_balls(100), Actuation::Full, &options(1e-3));
    w.step();
    assert_eq!(w.sim.contacts().len(), 100);
    assert_eq!(w.sim.options().max_contacts, 32 + 16 * 100);
    // With the compliant law matrices for torsional friction grow by the square of this number.
    for (contact, most) in [(Contact::Ncp, 32 + 16 * 40), (Contact::Convex, 512)] {
        let mut spec = rows_of_balls(40);
        spec.geoms[1].condim = 6;
        let o = Options {
            contact,
            ..options(1e-3)
        };
        let w = World::new(spec, Actuation::Full, &o);
        assert_eq!(w.sim.options().max_contacts, most);
    }
    let w = World::new(ModelSpec::default(), Actuation::Full, &options(1e-3));
    assert_eq!(w.sim.options().max_contacts, 32);
}

/// The error says how many contacts there are, of which geoms, and what can be done.
#[test]
fn too_many_contacts_are_counted_and_named() {
    let mut spec = rows_of_balls(9);
    let boxes = [("plate", 2.0, 0.05), ("lid", 2.2, 0.149)];
    for (name, y, z) in boxes {
        free(&mut spec, name, at(0.0, y, z), 1.0, cuboid(0.5, 0.5, 0.05));
    }
    let few = Options {
        max_contacts: 5,
        ..options(1e-3)
    };
    let mut w = World::new(spec.clone(), Actuation::Full, &few);
    let (mut q, mut v) = (w.q.clone(), w.v.clone());
    let u = vec![0.0; v.len()];
    let e = w.sim.step(&w.q, &w.v, &u, &mut q, &mut v).unwrap_err();
    let geometry = w.sim.collide(&w.q).unwrap_err();
    let none = Options {
        contact: Contact::None,
        ..few
    };
    let mut without = World::new(spec, Actuation::Full, &none);
    let without = without.sim.collide(&w.q).unwrap_err();
    for e in [e, geometry, without] {
        assert_eq!(e.status, Status::Capacity);
        for part in [
            "options.max_contacts: 5 do not suffice for 17 contacts",
            "4 of \"ground\" and \"plate\"",
            "4 of \"plate\" and \"lid\"",
            "exclude_overlapping",
            "ds_sim_set_pair_enabled",
            "margins",
        ] {
            assert!(e.message.contains(part), "{part}: {e}");
        }
    }
}

/// As many steps as there are numbers: once a panic in the first run, as the number of states wrapped to
/// none.
#[test]
fn more_steps_than_any_array_has_entries_are_refused() {
    let model = Arc::new(Model::compile(ModelSpec::default(), Actuation::FromFile).unwrap());
    for contact in [Contact::Ncp, Contact::Lcp, Contact::Convex, Contact::None] {
        for interval in [1, 7, usize::MAX] {
            let o = Options {
                contact,
                checkpoint_interval: interval,
                ..options(1e-3)
            };
            let e = Rollout::new(model.clone(), &o, usize::MAX).unwrap_err();
            assert_eq!(e.status, Status::Capacity);
            assert!(e.message.contains("max_steps"), "{e}");
            let mut rollout = Rollout::new(model.clone(), &o, 5).unwrap();
            rollout.run(&[], &[], &[], 5, None, None).unwrap();
        }
    }
}

/// Once accepted, and a panic in the first step.
#[test]
fn an_actuator_of_a_fixed_joint_is_refused() {
    let mut spec = ModelSpec::default();
    let shape = cuboid(0.1, 0.1, 0.1);
    let id = body(
        &mut spec,
        "post",
        JointKind::Fixed,
        at(0.0, 0.0, 0.0),
        1.0,
        shape,
    );
    spec.actuators.push(ActuatorSpec {
        gear: [1.0; 6],
        ..ActuatorSpec::new(
            "motor",
            Transmission::Joint(spec.bodies[id].joints[0].name.clone()),
        )
    });
    let e = Model::compile(spec, Actuation::FromFile).unwrap_err();
    assert_eq!(e.status, Status::InvalidArgument);
    assert!(
        e.message.contains("motor") && e.message.contains("fixed"),
        "{e}"
    );
}

/// A few links with several geoms each can all overlap, with four points a pair. An arm that folded up once
/// had room for 80 contacts only.
#[test]
fn links_of_several_geoms_have_room_for_their_overlaps() {
    let room = |links: usize, geoms: usize| {
        let mut spec = chain(links);
        for b in &mut spec.bodies[1..] {
            b.placement = at(0.0, 0.0, -1e-3);
        }
        let own = spec.geoms.clone();
        for k in 1..geoms {
            spec.geoms.extend(own.iter().map(|g| {
                let mut other = g.clone();
                other.name += &format!(" {k}");
                other.placement = at(0.01 * k as f64, 0.0, 0.0);
                other
            }));
        }
        let model = Arc::new(Model::compile(spec, Actuation::Full).unwrap());
        let room = Options::default().for_model(&model).max_contacts;
        (model, room)
    };
    // Links touch all but their neighbours.
    for (links, geoms, contacts) in [
        (2, 4, 160),
        (4, 1, 96),
        (4, 3, 224),
        (6, 1, 128),
        (6, 3, 320),
        (13, 1, 240),
        (13, 4, 864),
    ] {
        assert_eq!(room(links, geoms).1, contacts, "{links} links of {geoms}");
    }
    let (model, room) = room(4, 3);
    let mut sim = Sim::new(model.clone(), &options(1e-3)).unwrap();
    let (q, v) = (vec![0.0; model.nq()], vec![0.0; model.nv()]);
    sim.collide(&q).unwrap();
    let found = sim.contacts().len();
    println!("{found} contacts, room for {room}");
    assert!((65..=room).contains(&found), "{found}");
    let (mut q_next, mut v_next) = (q.clone(), v.clone());
    sim.step(&q, &v, &vec![0.0; model.nu()], &mut q_next, &mut v_next)
        .unwrap();
}
