//! Penalty contact with the numbers that nobody has given: stable at any mass and step.

use diffsim::load::mjcf::{MjcfOptions, read_str};
use diffsim::model::{Actuation, Model};
use diffsim::step::{Contact, Integrator, Options, Sim};
use std::sync::Arc;

const SCHEMES: [Integrator; 2] = [
    Integrator::SymplecticEuler,
    Integrator::SymplecticEulerWorld,
];

/// Boxes of 1 kg per litre on the ground, one on the other.
fn stack(mass: f64, count: usize) -> (Arc<Model>, f64) {
    let half = 0.5 * (mass / 1000.0).cbrt();
    let mut bodies = String::new();
    for i in 0..count {
        let z = half * (2 * i + 1) as f64;
        bodies += &format!(
            "<body pos=\"0 0 {z}\"><freejoint/><geom type=\"box\" size=\"{half} {half} {half}\" mass=\"{mass}\"/></body>"
        );
    }
    let text = format!(
        "<mujoco><worldbody><geom type=\"plane\" size=\"9 9 1\"/>{bodies}</worldbody></mujoco>"
    );
    let spec = read_str(&text, None, &MjcfOptions::default()).unwrap();
    let model = Model::compile(spec, Actuation::FromFile).unwrap();
    (Arc::new(model), half)
}

/// The largest velocity after each of so many steps.
fn run(
    model: &Arc<Model>,
    integrator: Integrator,
    h: f64,
    steps: usize,
    speed: f64,
) -> (f64, f64, Vec<f64>) {
    let options = Options {
        time_step: h,
        integrator,
        contact: Contact::Penalty,
        derivatives: false,
        ..Options::default()
    };
    let mut sim = Sim::new(model.clone(), &options).unwrap();
    let (mut q, mut v) = (model.neutral().to_vec(), vec![0.0; model.nv()]);
    for v in v.chunks_mut(6) {
        v[0] = speed;
    }
    let (mut q2, mut v2) = (q.clone(), v.clone());
    let mut top = 0.0;
    let mut last = 0.0;
    for _ in 0..steps {
        sim.step(&q, &v, &[], &mut q2, &mut v2).unwrap();
        std::mem::swap(&mut q, &mut q2);
        std::mem::swap(&mut v, &mut v2);
        last = (v.chunks(6)).fold(0.0, |m: f64, v| m.max(v[0].hypot(v[1]).hypot(v[2])));
        top = f64::max(top, last);
    }
    (top, last, q)
}

const MASSES: [f64; 3] = [1e-3, 1.0, 1e3];
const STEPS: [f64; 5] = [1e-4, 1e-3, 2e-3, 5e-3, 1e-2];

/// A box that slides slows down and comes to rest, at no time faster than it was.
#[test]
fn a_box_slides_to_rest() {
    for integrator in SCHEMES {
        for mass in MASSES {
            let (model, half) = stack(mass, 1);
            let speed = (2.0 * 9.81 * half).sqrt();
            for h in STEPS {
                let steps = (2.0 / h) as usize;
                let (top, last, q) = run(&model, integrator, h, steps, speed);
                assert!(
                    top < 1.1 * speed + 2.0 * 9.81 * h,
                    "{mass} {h}: {top} of {speed}"
                );
                assert!(last < 0.05 * speed, "{mass} {h}: {last} of {speed}");
                // It does not sink in by more than what it falls in two steps, and a millimetre.
                assert!(
                    q[2] > half - 1e-3 - 2.0 * 9.81 * (h * 0.05) && q[2] < 1.1 * half + 1e-3,
                    "{mass} {h}: {} of {half}",
                    q[2]
                );
            }
        }
    }
}

/// Five boxes come to rest one on the other, as deep in each other as four springs of the default stiffness k
/// give way.
///
/// The lowest sinks in by 5 m g/(4 k), and by k/2 of two boxes box i into the one below by (5 − i) m g/(2 k).
/// Explicit steps allow k ∝ m/(h (h + 4 τ)) only, so that small boxes at long steps are pressed through each
/// other: where the deepest would be more than half an edge in its neighbour, only the speed is bounded. The
/// slowest mode of such a chain, ω = 2 sin(π/22) √(2 k/m), decays as exp(−ω² τ t) with τ = 0.01 s of each
/// geom: at 10 ms that is 0.6 /s.
#[test]
fn a_stack_of_five_stays() {
    const G: f64 = 9.81;
    let integrator = Integrator::SymplecticEulerWorld;
    let mut compared = 0;
    for mass in MASSES {
        let (model, half) = stack(mass, 5);
        for h in STEPS {
            let steps = ((1.0 / h) as usize).max(800);
            let (top, last, q) = run(&model, integrator, h, steps, 0.0);
            let k = default_numbers(&model, integrator, h)[0];
            let slowest = 2.0 * (std::f64::consts::PI / 22.0).sin() * (2.0 * k / mass).sqrt();
            assert!(top < 1.2 * G / slowest, "{mass} {h}: {top}, half {half}");
            let load = mass * G / (4.0 * k);
            if 8.0 * load > half {
                continue;
            }
            compared += 1;
            assert!(last < 0.05, "{mass} {h}: {last}");
            let mut height = -half - 5.0 * load;
            for (i, q) in q.chunks(7).enumerate() {
                height += 2.0 * half;
                if i > 0 {
                    height -= 2.0 * (5 - i) as f64 * load;
                }
                assert!(
                    (q[2] - height).abs() < 0.02 * half,
                    "{mass} {h}: box {i} at {}, not {height}",
                    q[2]
                );
            }
        }
    }
    assert_eq!(compared, 11);
}

/// Stiffness and tangential damping of a geom that moves.
fn default_numbers(model: &Arc<Model>, integrator: Integrator, h: f64) -> [f64; 2] {
    let options = Options {
        time_step: h,
        integrator,
        contact: Contact::Penalty,
        ..Options::default()
    };
    let sim = Sim::new(model.clone(), &options).unwrap();
    let p = sim.params();
    [p.geom_stiffness[1], p.geom_tangential[1]]
}

/// What the caller gives stays, and the implicit schemes have the numbers of old.
#[test]
fn numbers_that_are_given_stay() {
    let (model, _) = stack(1.0, 1);
    let soft = default_numbers(&model, Integrator::SymplecticEulerWorld, 1e-2);
    let stiff = default_numbers(&model, Integrator::SymplecticEulerWorld, 1e-4);
    let implicit = default_numbers(&model, Integrator::Bdf1, 1e-2);
    assert_eq!(implicit, [1e4, 200.0]);
    assert_eq!(stiff, [1e4, 200.0]);
    assert!(
        soft[0] < 0.1 * implicit[0] && soft[1] < 0.1 * implicit[1],
        "{soft:?}"
    );
}
