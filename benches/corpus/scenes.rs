//! The scenes of the corpus: models, and the states that they start from. All numbers are the same in every
//! run.

use diffsim::constraint::{home, place_on_ground};
use diffsim::load::mjcf::{self, MjcfOptions};
use diffsim::load::options::{LoadOptions, load_file};
use diffsim::model::{Actuation, Model};
use std::f64::consts::PI;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

/// A model, a state, and how long it is simulated.
pub struct Scene {
    pub name: String,
    pub model: Arc<Model>,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub u: Vec<f64>,
    pub time_step: f64,
    pub steps: usize,
    /// 0: the number that the model is likely to need.
    pub max_contacts: usize,
}

/// Uniform numbers.
struct Numbers(u64);

impl Numbers {
    fn within(&mut self, low: f64, high: f64) -> f64 {
        self.0 = (self.0)
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        low + (high - low) * (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A rotation, as a quaternion in any order.
    fn rotation(&mut self) -> [f64; 4] {
        let x: [f64; 4] = std::array::from_fn(|_| self.within(-1.0, 1.0));
        let norm = x.iter().map(|x| x * x).sum::<f64>().sqrt();
        x.map(|x| x / norm)
    }
}

fn compiled(text: &str) -> Arc<Model> {
    let spec = mjcf::read_str(text, None, &MjcfOptions::default()).expect("a valid text");
    Arc::new(Model::compile(spec, Actuation::FromFile).expect("a valid model"))
}

fn around(x: [f64; 4]) -> String {
    format!("quat=\"{} {} {} {}\"", x[0], x[1], x[2], x[3])
}

impl Scene {
    /// From the state in which robots stand or rest: the file's own, else the neutral one.
    pub fn of(name: &str, model: Arc<Model>, time_step: f64, steps: usize) -> Scene {
        let key = model.keyframes().first();
        let q = home(&model).unwrap_or_else(|_| model.neutral().to_vec());
        let u = match key {
            Some(key) => key.u.clone(),
            None => vec![0.0; model.nu()],
        };
        Scene {
            name: name.into(),
            v: vec![0.0; model.nv()],
            model,
            q,
            u,
            time_step,
            steps,
            max_contacts: 0,
        }
    }

    /// Takes joints at random within their limits, widened by `beyond` of their range on either side, free
    /// bodies in any orientation, and velocities up to `speed`. Robots are put on the ground if there is one.
    pub fn thrown(mut self, seed: u64, beyond: f64, speed: f64) -> Scene {
        let mut numbers = Numbers(seed);
        for joint in self.model.joints() {
            let q = &mut self.q[joint.iq..joint.iq + joint.nq];
            match (joint.nq, joint.nv) {
                (1, 1) => {
                    let (low, high) = joint.limits.unwrap_or((-PI, PI));
                    let (low, high) = (low.max(-3.0), high.min(3.0));
                    let more = beyond * (high - low);
                    q[0] = numbers.within(low - more, high + more);
                }
                (4 | 7, 3 | 6) => {
                    let first = joint.nq - 4;
                    q[first..].copy_from_slice(&numbers.rotation());
                }
                _ => {}
            }
        }
        if let Ok(q) = place_on_ground(&self.model, &self.q) {
            self.q = q;
        }
        for v in &mut self.v {
            *v = numbers.within(-speed, speed);
        }
        self
    }

    /// Lifts all free bodies.
    fn lifted(mut self, by: f64) -> Scene {
        for joint in self.model.joints().iter().filter(|j| j.nv == 6) {
            self.q[joint.iq + 2] += by;
        }
        self
    }

    /// Moves all free bodies along x, in the axes of the body.
    fn pushed(mut self, speed: f64) -> Scene {
        for joint in self.model.joints().iter().filter(|j| j.nv == 6) {
            self.v[joint.iv] = speed;
        }
        self
    }
}

/// A container of bodies, three shapes in turn, that fall into a heap.
fn pile(n: usize, seed: u64, steps: usize) -> Scene {
    let mut numbers = Numbers(seed);
    let half = 0.25 * (n as f64 / 40.0).max(1.0).cbrt() + 0.25;
    let mut text = String::from("<mujoco><worldbody><geom type=\"plane\" size=\"5 5 1\"/>");
    for (x, y) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        let [a, b] = if x == 0.0 { [half, 0.05] } else { [0.05, half] };
        let at = half + 0.05;
        let (x, y) = (x * at, y * at);
        write!(
            text,
            "<geom type=\"box\" size=\"{a} {b} 1\" pos=\"{x} {y} 1\"/>"
        )
        .unwrap();
    }
    for i in 0..n {
        let reach = half - 0.12;
        let at: [f64; 2] = std::array::from_fn(|_| numbers.within(-reach, reach));
        let z = 0.15 + 4.0 * i as f64 / n.max(40) as f64;
        let a: [f64; 3] = std::array::from_fn(|_| numbers.within(0.04, 0.09));
        let (shape, size) = match i % 3 {
            0 => ("sphere", format!("{}", a[0])),
            1 => ("box", format!("{} {} {}", a[0], a[1], a[2])),
            _ => ("capsule", format!("{} {}", 0.6 * a[0], 0.7 * a[1])),
        };
        let turned = around(numbers.rotation());
        write!(
            text,
            "<body pos=\"{} {} {z}\" {turned}><freejoint/><geom type=\"{shape}\" size=\"{size}\" density=\"500\"/></body>",
            at[0], at[1]
        )
        .unwrap();
    }
    let model = compiled(&(text + "</worldbody></mujoco>"));
    Scene {
        max_contacts: 24 * n + 64,
        ..Scene::of(&format!("pile/{n}"), model, 0.01, steps)
    }
}

/// Cubes on a lattice that is closer than their size, between walls that leave no room.
fn pressed(n: usize) -> Scene {
    let (half, apart) = (0.05, 0.08);
    let wall = 0.5 * apart * (n - 1) as f64 + 0.9 * half;
    let mut text = String::from("<mujoco><worldbody><geom type=\"plane\" size=\"5 5 1\"/>");
    for (x, y) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        let (x, y) = (x * (wall + 0.1), y * (wall + 0.1));
        let [a, b] = if x == 0.0 { [1.0, 0.1] } else { [0.1, 1.0] };
        write!(
            text,
            "<geom type=\"box\" size=\"{a} {b} 1\" pos=\"{x} {y} 1\"/>"
        )
        .unwrap();
    }
    for i in 0..n * n * n {
        let at = [i % n, i / n % n, i / (n * n)].map(|k| apart * k as f64);
        let off = 0.5 * apart * (n - 1) as f64;
        write!(
            text,
            "<body pos=\"{} {} {}\"><freejoint/><geom type=\"box\" size=\"{half} {half} {half}\"/></body>",
            at[0] - off,
            at[1] - off,
            at[2] + half
        )
        .unwrap();
    }
    let model = compiled(&(text + "</worldbody></mujoco>"));
    Scene {
        max_contacts: 40 * n * n * n,
        ..Scene::of("jam/cubes", model, 0.005, 200)
    }
}

/// A robot on four legs of three joints each. `condim` and dry friction [N m] are those of all feet and all
/// joints. Flat feet touch the ground at four points.
fn legged(condim: usize, friction: f64, flat: bool) -> Arc<Model> {
    let mut text = format!(
        "<mujoco><compiler angle=\"radian\" autolimits=\"true\"/><default><geom condim=\"{condim}\" \
         friction=\"0.8 0.01 0.002\"/><joint type=\"hinge\" frictionloss=\"{friction}\" armature=\"0.01\" \
         damping=\"0.1\"/></default><worldbody><geom name=\"floor\" type=\"plane\" size=\"5 5 1\"/>\
         <body name=\"trunk\" pos=\"0 0 0.43\"><freejoint/><geom type=\"box\" size=\"0.2 0.08 0.05\" mass=\"6\"/>"
    );
    for (x, y) in [(0.18, 0.11), (0.18, -0.11), (-0.18, 0.11), (-0.18, -0.11)] {
        let foot = match flat {
            true => "<geom type=\"box\" size=\"0.04 0.025 0.01\" pos=\"0 0 -0.2\" mass=\"0.06\"/>",
            false => "<geom type=\"sphere\" size=\"0.02\" pos=\"0 0 -0.19\" mass=\"0.06\"/>",
        };
        write!(
            text,
            "<body pos=\"{x} {y} 0\"><joint axis=\"1 0 0\" range=\"-0.8 0.8\"/><geom type=\"sphere\" size=\"0.04\" mass=\"0.5\"/>\
             <body><joint axis=\"0 1 0\" range=\"-1.5 1.5\"/><geom type=\"capsule\" size=\"0.025\" fromto=\"0 0 -0.06 0 0 -0.19\" mass=\"0.8\"/>\
             <body pos=\"0 0 -0.22\"><joint axis=\"0 1 0\" range=\"-2 2\"/><geom type=\"capsule\" size=\"0.015\" fromto=\"0 0 0 0 0 -0.15\" mass=\"0.2\"/>\
             {foot}</body></body></body>"
        )
        .unwrap();
    }
    compiled(&(text + "</body></worldbody></mujoco>"))
}

/// Two arms of capsules on opposite sides, each through the other.
fn crossed(condim: usize) -> Arc<Model> {
    let mut text = format!(
        "<mujoco><compiler angle=\"radian\" autolimits=\"true\"/><default><geom condim=\"{condim}\" \
         friction=\"0.8 0.01 0.002\"/><joint type=\"hinge\" frictionloss=\"0.3\" range=\"-2 2\" damping=\"0.2\"/></default><worldbody>"
    );
    for (x, way) in [(-0.5, 1.0), (0.5, -1.0)] {
        write!(text, "<body pos=\"{x} 0 0.5\">").unwrap();
        for k in 0..6 {
            let axis = ["0 0 1", "0 1 0", "1 0 0"][k % 3];
            let (at, to) = (if k == 0 { 0.0 } else { 0.16 * way }, 0.16 * way);
            write!(
                text,
                "<body pos=\"{at} 0 0\"><joint axis=\"{axis}\"/><geom type=\"capsule\" size=\"0.04\" fromto=\"0 0 0 {to} 0.01 0\" mass=\"0.5\"/>"
            )
            .unwrap();
        }
        text += &"</body>".repeat(7);
    }
    compiled(&(text + "</worldbody></mujoco>"))
}

/// A hanging chain that touches nothing: limits and dry friction alone.
fn chain(n: usize) -> Arc<Model> {
    let mut text = String::from(
        "<mujoco><compiler angle=\"radian\" autolimits=\"true\"/><worldbody><body pos=\"0 0 3\">",
    );
    for k in 0..n {
        let axis = ["1 0 0", "0 1 0"][k % 2];
        write!(
            text,
            "<body pos=\"0 0 -0.2\"><joint type=\"hinge\" axis=\"{axis}\" range=\"-0.5 0.5\" frictionloss=\"0.2\"/>\
             <geom type=\"capsule\" size=\"0.02\" fromto=\"0 0 0 0 0 -0.2\" mass=\"0.4\" contype=\"0\" conaffinity=\"0\"/>"
        )
        .unwrap();
    }
    text += &"</body>".repeat(n + 1);
    compiled(&(text + "</worldbody></mujoco>"))
}

/// The scenes that need no files but those of `examples/models`.
pub fn own() -> Vec<Scene> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/models");
    let names = [
        "arm7.urdf",
        "cable_arm.xml",
        "cartpole.xml",
        "catapult.xml",
        "humanoid.xml",
        "quadruped.xml",
        "runner.xml",
        "worm.xml",
    ];
    let load = |name: &str| {
        let model = load_file(&folder.join(name), &LoadOptions::default());
        Arc::new(model.expect("a valid file"))
    };
    let mut all = Vec::new();
    for name in names {
        let (model, stem) = (load(name), name.split('.').next().unwrap());
        let scene = |what: &str| Scene::of(&format!("{stem}/{what}"), model.clone(), 1e-3, 400);
        all.push(scene("home"));
        all.push(scene("thrown").thrown(1, 0.0, 1.0));
    }
    let humanoid = Scene::of("humanoid/landing", load("humanoid.xml"), 2e-3, 400);
    all.push(humanoid.lifted(0.3));
    for condim in [3, 6] {
        let (flat, round) = (legged(condim, 20.0, true), legged(condim, 0.5, false));
        let name = |what: &str| format!("{what}/condim {condim}");
        all.push(Scene::of(
            &name("stand on friction"),
            flat.clone(),
            1e-3,
            300,
        ));
        all.push(Scene::of(&name("slide"), flat.clone(), 1e-3, 300).pushed(1.0));
        all.push(Scene::of(&name("collapse"), round.clone(), 1e-3, 400));
        let fall = Scene::of(&name("fall"), round.clone(), 2e-3, 400);
        all.push(fall.thrown(3, 0.0, 3.0).lifted(0.3));
        // Legs in each other and beyond their limits.
        let jam = Scene::of(&name("jam/robot"), flat, 1e-3, 300);
        all.push(jam.thrown(4, 0.3, 0.0));
        all.push(Scene::of(
            &name("jam/arms"),
            crossed(condim),
            1e-3,
            if condim == 3 { 300 } else { 100 },
        ));
    }
    all.push(Scene::of("alone/hanging", chain(16), 1e-3, 400));
    all.push(Scene::of("alone/thrown", chain(16), 1e-3, 400).thrown(5, 0.2, 5.0));
    all.push(pressed(3));
    for (n, steps) in [(20, 400), (40, 400), (80, 300), (160, 150)] {
        all.push(pile(n, 0, steps));
    }
    all
}
