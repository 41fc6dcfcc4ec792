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

/// Five boxes stay one on the other, and come to rest.
#[test]
fn a_stack_of_five_stays() {
    for mass in MASSES {
        let (model, half) = stack(mass, 5);
        for h in STEPS {
            let steps = (1.0 / h) as usize;
            let (top, last, _) = run(&model, Integrator::SymplecticEulerWorld, h, steps, 0.0);
            assert!(top < 1.0 + 9.81 * h, "{mass} {h}: {top}, half {half}");
            assert!(last < 0.05, "{mass} {h}: {last}");
        }
    }
}

/// What the caller gives stays, and the implicit schemes have the numbers of old.
#[test]
fn numbers_that_are_given_stay() {
    let (model, _) = stack(1.0, 1);
    let stiffness = |integrator: Integrator, h: f64| {
        let options = Options {
            time_step: h,
            integrator,
            contact: Contact::Penalty,
            ..Options::default()
        };
        let sim = Sim::new(model.clone(), &options).unwrap();
        let p = sim.params();
        [p.geom_stiffness[1], p.geom_tangential[1]]
    };
    let soft = stiffness(Integrator::SymplecticEulerWorld, 1e-2);
    let stiff = stiffness(Integrator::SymplecticEulerWorld, 1e-4);
    let implicit = stiffness(Integrator::Bdf1, 1e-2);
    assert_eq!(implicit, [1e4, 200.0]);
    assert_eq!(stiff, [1e4, 200.0]);
    assert!(
        soft[0] < 0.1 * implicit[0] && soft[1] < 0.1 * implicit[1],
        "{soft:?}"
    );
}
