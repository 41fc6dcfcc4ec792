//! How the contacts of whole robots move: the example models, and those that `DIFFSIM_ROBOTS` holds.

use crate::common::{Rng, random_q};
use crate::motion::Tally;
use diffsim::load::options::{LoadOptions, load_file};
use diffsim::load::urdf::MissingMesh;
use diffsim::model::Model;
use diffsim::step::{Contact, Options, Sim};
use std::path::Path;
use std::sync::Arc;

/// Files looked for in `DIFFSIM_ROBOTS`.
const ROBOTS: [&str; 5] = [
    "go1.urdf",
    "go1.xml",
    "h1_urdf.urdf",
    "atlas.urdf",
    "icub.urdf",
];

/// Configurations of a robot, and columns beyond which it has no more.
const FEWEST: usize = 20;
const ENOUGH: usize = 5_000;

fn load(path: &Path) -> Model {
    let options = LoadOptions {
        mesh_dirs: path.parent().map(Path::to_owned).into_iter().collect(),
        ground_friction: Some(1.0),
        missing_mesh: MissingMesh::Skip,
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
    let Ok(directory) = std::env::var("DIFFSIM_ROBOTS") else {
        println!("skipped: DIFFSIM_ROBOTS is not set");
        return;
    };
    for name in ROBOTS {
        let path = Path::new(&directory).join(name);
        if path.exists() {
            check(name, load(&path));
        } else {
            println!("skipped: {} is not there", path.display());
        }
    }
}
