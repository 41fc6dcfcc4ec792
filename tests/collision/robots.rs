//! How the contacts of whole robots move: the example models, and those of packages and of the user.

use crate::common::robots::{ATLAS, GO1, H1, ICUB, find, mesh_dirs};
use crate::common::{Rng, random_q};
use crate::motion::Tally;
use diffsim::load::options::{LoadOptions, load_file};
use diffsim::model::Model;
use diffsim::model::spec::OpenMesh;
use diffsim::step::{Contact, Options, Sim};
use std::path::Path;
use std::sync::Arc;

/// Configurations of a robot, and columns beyond which it has no more.
const FEWEST: usize = 20;
const ENOUGH: usize = 5_000;

fn load(path: &Path) -> Model {
    let options = LoadOptions {
        mesh_dirs: mesh_dirs(),
        ground_friction: Some(1.0),
        open_mesh: OpenMesh::Hull,
        ..LoadOptions::default()
    };
    load_file(path, &options).unwrap()
}

/// Random configurations, self-collision and the ground on.
fn check(name: &str, model: Model) {
    let model = Arc::new(model);
    let options = Options {
        contact: Contact::None,
        max_contacts: 1024,
        time_step: 1e-3,
        ..Options::default()
    };
    let mut sim = Sim::new(model.clone(), &options).unwrap();
    let mut rng = Rng::new(19);
    let mut tally = Tally::default();
    let mut poses = 0;
    while poses < FEWEST || poses < 400 && tally.compared < ENOUGH {
        tally.compare(&mut sim, &random_q(&mut rng, &model, 0.5));
        poses += 1;
    }
    println!("{name}: {poses} configurations");
    tally.report(name);
    tally.check(name);
}

#[test]
fn contacts_of_robots_move_as_differences_say() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/models");
    for name in ["humanoid.xml", "quadruped.xml"] {
        check(name, load(&examples.join(name)));
    }
    for robot in [GO1, ICUB, H1, ATLAS] {
        if let Some(path) = find(robot) {
            check(robot.1, load(&path));
        }
    }
}
