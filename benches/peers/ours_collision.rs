//! Times broad and narrow phase and their derivatives over the states of a file, one JSON line a
//! function: the median over all calls of all passes, in microseconds.
//!
//! usage: ours_collision MODEL.xml STATES PASSES
//!
//! A line of STATES holds one configuration (MuJoCo's convention); the states are visited in order, as
//! a simulation does.

use diffsim::collision::ContactDerivative;
use diffsim::collision::scene::Scene;
use diffsim::dynamics::Dynamics;
use diffsim::load::mjcf;
use diffsim::model::{Actuation, Model};
use diffsim::query::ContactDerivatives;
use diffsim::step::{Contact, Options, Sim};
use std::error::Error;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

const MAX_CONTACTS: usize = 4096;

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo adds a flag of its own.
    let args: Vec<String> = std::env::args().filter(|a| a != "--bench").collect();
    let [_, model, states, passes] = args.as_slice() else {
        eprintln!("usage: ours_collision MODEL.xml STATES PASSES (collision.py calls it)");
        return Ok(());
    };
    let spec = mjcf::read_file(Path::new(model), &mjcf::MjcfOptions::default())?;
    let model = Arc::new(Model::compile(spec, Actuation::FromFile)?);
    let mut states_q = Vec::new();
    for line in std::fs::read_to_string(states)?.lines() {
        let qpos = line.split_whitespace().map(str::parse);
        let qpos = qpos.collect::<Result<Vec<f64>, _>>()?;
        let mut q = vec![0.0; model.nq()];
        model.q_from_mujoco(&qpos, &mut q);
        states_q.push(q);
    }
    let passes: usize = passes.parse()?;
    detection(&model, &states_q, passes)?;
    calls(&model, &states_q, passes)
}

struct Timer(Vec<f64>);

impl Timer {
    fn time<T>(&mut self, f: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let out = f();
        self.0.push(start.elapsed().as_nanos() as f64 * 1e-3);
        out
    }

    fn report(mut self, what: &str, contacts: f64) {
        self.0.sort_unstable_by(f64::total_cmp);
        let median = self.0[self.0.len() / 2];
        println!("{{\"what\": \"{what}\", \"median_us\": {median}, \"contacts\": {contacts}}}");
    }
}

/// The work of MuJoCo's mj_collision, and the derivatives by the motions of both bodies.
fn detection(model: &Model, states: &[Vec<f64>], passes: usize) -> Result<(), Box<dyn Error>> {
    let mut dynamics = Dynamics::new(model, false);
    let mut scene = Scene::new(model, MAX_CONTACTS)?;
    let (mut found, mut moved) = (Timer(Vec::new()), Timer(Vec::new()));
    let mut contacts = 0;
    for _ in 0..passes {
        for q in states {
            dynamics.update_positions(model, model.params(), q);
            found.time(|| {
                scene.place(model, &dynamics.kin);
                scene.collide(0.0)
            })?;
            contacts += scene.contacts().len();
            moved.time(|| {
                for i in 0..scene.contacts().len() {
                    let c = scene.contacts()[i];
                    let mut d = ContactDerivative::default();
                    scene.differentiate(&c, &mut d);
                    black_box(&d);
                }
            });
        }
    }
    let mean = contacts as f64 / (passes * states.len()) as f64;
    found.report("detection", mean);
    moved.report("derivatives by bodies", mean);
    Ok(())
}

/// The public calls, kinematics and copies included.
fn calls(model: &Arc<Model>, states: &[Vec<f64>], passes: usize) -> Result<(), Box<dyn Error>> {
    // A scene of hundreds of bodies has no room for a step's dense problem.
    let options = Options {
        contact: Contact::None,
        max_contacts: MAX_CONTACTS,
        derivatives: false,
        time_step: 1e-3,
        ..Options::default()
    };
    let mut sim = Sim::new(model.clone(), &options)?;
    let nv = model.nv();
    let (mut found, mut moved) = (Timer(Vec::new()), Timer(Vec::new()));
    let [mut point, mut normal, mut gap] = [const { Vec::new() }; 3];
    let mut contacts = 0;
    for _ in 0..passes {
        for q in states {
            found.time(|| sim.collide(q))?;
            let n = sim.contacts().len();
            contacts += n;
            for (out, rows) in [(&mut point, 3), (&mut normal, 3), (&mut gap, 1)] {
                out.resize(rows * n * nv, 0.0);
            }
            moved.time(|| {
                sim.contact_derivatives(ContactDerivatives {
                    point: Some(&mut point),
                    normal: Some(&mut normal),
                    gap: Some(&mut gap),
                    tangents: None,
                })
            })?;
        }
    }
    let mean = contacts as f64 / (passes * states.len()) as f64;
    found.report("ds_sim_collide", mean);
    moved.report("ds_sim_contact_derivatives", mean);
    Ok(())
}
