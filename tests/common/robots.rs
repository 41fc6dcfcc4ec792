//! Robots that the repository does not hold: those of packages, and the user's.

use std::io::Write;
use std::path::{Path, PathBuf};

/// Who brings a robot.
#[derive(Clone, Copy)]
pub enum From {
    /// gymnasium and example-robot-data, in the virtual environment that tests/peers/run.sh makes.
    Gymnasium,
    ExampleRobotData,
    /// The directory that `DIFFSIM_ROBOTS` names, as tests/peers has it.
    User,
}

pub const HALF_CHEETAH: (From, &str) = (From::Gymnasium, "half_cheetah.xml");
pub const WALKER: (From, &str) = (From::Gymnasium, "walker2d.xml");
pub const HUMANOID: (From, &str) = (From::Gymnasium, "humanoid.xml");
pub const GO1: (From, &str) = (From::ExampleRobotData, "go1_description/urdf/go1.urdf");
pub const ICUB: (From, &str) = (From::ExampleRobotData, "icub_description/robots/icub.urdf");
pub const H1: (From, &str) = (From::User, "h1/h1.urdf");
pub const ATLAS: (From, &str) = (From::User, "atlas_v4/atlas_v4_with_multisense.urdf");

/// The robot's file. Where it is not there, a line says so, which the harness does not capture.
pub fn find((from, file): (From, &str)) -> Option<PathBuf> {
    let path = home(from).map(|home| home.join(file));
    if let Some(path) = path.filter(|p| p.exists()) {
        return Some(path);
    }
    let wanted = match from {
        From::User => "DIFFSIM_ROBOTS, a directory with it",
        _ => "target/venvs/peers, which tests/peers/run.sh makes",
    };
    let _ = writeln!(std::io::stderr(), "skipped: {file} needs {wanted}");
    None
}

/// Where package://example-robot-data is.
pub fn mesh_dirs() -> Vec<PathBuf> {
    let share = site_packages().map(|site| site.join("cmeel.prefix/share"));
    share.into_iter().collect()
}

fn home(from: From) -> Option<PathBuf> {
    Some(match from {
        From::Gymnasium => site_packages()?.join("gymnasium/envs/mujoco/assets"),
        From::ExampleRobotData => {
            site_packages()?.join("cmeel.prefix/share/example-robot-data/robots")
        }
        From::User => PathBuf::from(std::env::var_os("DIFFSIM_ROBOTS")?),
    })
}

fn site_packages() -> Option<PathBuf> {
    let lib = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/venvs/peers/lib");
    let python = std::fs::read_dir(lib).ok()?.next()?.ok()?;
    Some(python.path().join("site-packages"))
}
