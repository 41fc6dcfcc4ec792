//! Rays against all shapes: values by other means, derivatives against differences, many geoms, bad rays.

use crate::common::{Rng, by_q, random_q, relative_error};
use diffsim::load::options::{Format, LoadOptions, load_str};
use diffsim::model::Model;
use diffsim::query::{RayHit, Rays};
use diffsim::step::{Contact, Gradient, Options, Sim};
use std::fmt::Write;
use std::sync::Arc;

const SCENE: &str = r#"<mujoco>
  <asset>
    <mesh name="wedge" vertex="0 0 0  0.4 0 0  0 0.3 0  0 0 0.5"/>
    <hfield name="hills" nrow="3" ncol="4" size="2 1.5 0.6 0.3"
            elevation="0 0.4 0.1 0.9  0.5 1 0.2 0.3  0.1 0.6 0.8 0"/>
  </asset>
  <worldbody>
    <geom name="ground" type="plane" size="0 0 1" pos="0 0 -1"/>
    <geom name="hills" type="hfield" hfield="hills" pos="3 0 -1"/>
    <body name="trunk" pos="0 0 1">
      <freejoint/>
      <geom name="box" type="box" size="0.2 0.15 0.1" euler="10 20 30"/>
      <geom name="seen" type="sphere" size="0.1" pos="0.4 0 0.1" contype="0" conaffinity="0"/>
      <body name="arm" pos="0.1 0.3 0">
        <joint type="ball"/>
        <geom name="capsule" type="capsule" size="0.07" fromto="0 0 0 0.1 0.4 0.1"/>
        <body pos="0.1 0.5 0.1">
          <joint type="hinge" axis="1 0.2 0"/>
          <geom name="cylinder" type="cylinder" size="0.1 0.15" euler="40 0 10"/>
          <geom name="egg" type="ellipsoid" size="0.1 0.2 0.15" pos="0 0.2 0.2"/>
        </body>
      </body>
      <body name="slide" pos="-0.5 0 0">
        <joint type="slide" axis="0 1 1"/>
        <geom name="wedge" type="mesh" mesh="wedge"/>
      </body>
    </body>
  </worldbody>
</mujoco>"#;

fn scene() -> Arc<Model> {
    Arc::new(load_str(SCENE, Format::Mjcf, None, &LoadOptions::default()).unwrap())
}

fn sim(model: &Arc<Model>, contact: Contact) -> Sim {
    let options = Options {
        contact,
        time_step: 1e-3,
        ..Options::default()
    };
    Sim::new(model.clone(), &options).unwrap()
}

fn rays<'a>(origins: &'a [f64], directions: &'a [f64]) -> Rays<'a> {
    Rays {
        origins,
        directions,
        max_distance: f64::INFINITY,
        exclude_body: None,
    }
}

fn unit(d: [f64; 3]) -> [f64; 3] {
    let norm = d.iter().map(|x| x * x).sum::<f64>().sqrt();
    d.map(|x| x / norm)
}

/// A ray from around the robot towards some part of it or of the world.
fn aimed(rng: &mut Rng, model: &Model, sim: &mut Sim, q: &[f64]) -> ([f64; 3], [f64; 3]) {
    let mut at = vec![0.0; 16 * model.nbody()];
    sim.forward_kinematics(q, &mut at).unwrap();
    let body = rng.below(model.nbody());
    let mut target = [at[16 * body + 12], at[16 * body + 13], at[16 * body + 14]];
    if body == 0 {
        target = [3.0, 0.0, -0.8];
    }
    target
        .iter_mut()
        .for_each(|x| *x += 0.3 * rng.range(-1.0, 1.0));
    let origin = target.map(|x| x + 3.0 * rng.range(-1.0, 1.0));
    let direction = [0, 1, 2].map(|k| target[k] - origin[k]);
    (origin, direction)
}

#[test]
fn distances_and_their_derivatives_are_those_of_differences_for_every_shape() {
    let model = scene();
    let (nv, mut sim) = (model.nv(), sim(&model, Contact::None));
    let mut rng = Rng::new(11);
    let mut met = vec![0; model.ngeom()];
    for _ in 0..4000 {
        let q = random_q(&mut rng, &model, 0.7);
        let (origin, direction) = aimed(&mut rng, &model, &mut sim, &q);
        let r = rays(&origin, &direction);
        let mut column = vec![f64::NAN; nv];
        let Some(hit) = sim.ray_cast(&q, &r, Some(&mut column)).unwrap() else {
            assert!(column.iter().all(|x| *x == 0.0));
            continue;
        };
        let d = unit(direction);
        let slope: f64 = (0..3).map(|k| hit.normal[k] * d[k]).sum();
        if hit.gradient != Gradient::Exact || slope.abs() < 0.1 {
            continue;
        }
        met[hit.geom] += 1;
        let mut same = true;
        let mut distance = |q: &[f64]| {
            let h = sim.ray_cast(q, &r, None).unwrap();
            let near = h.is_some_and(|h| {
                h.geom == hit.geom && (0..3).all(|k| (h.normal[k] - hit.normal[k]).abs() < 1e-4)
            });
            same &= near;
            vec![h.map_or(0.0, |h| h.distance)]
        };
        let numeric = by_q(&model, &q, &mut distance);
        if same {
            let error = relative_error(&column, &numeric);
            assert!(error < 1e-6, "{}: {error}", model.geoms()[hit.geom].name);
        }
        // By the ray's own origin and direction.
        for k in 0..3 {
            let step = 1e-6;
            let mut moved = |by: f64| {
                let mut o = origin;
                o[k] += by;
                let h = sim.ray_cast(&q, &rays(&o, &direction), None).unwrap();
                h.map_or(f64::NAN, |h| h.distance)
            };
            let slope_o = -hit.normal[k] / slope;
            let numeric = (moved(step) - moved(-step)) / (2.0 * step);
            assert!(
                !same || (numeric - slope_o).abs() < 1e-5,
                "{numeric} {slope_o}"
            );
        }
    }
    for (geom, count) in met.iter().enumerate() {
        let name = &model.geoms()[geom].name;
        assert!(*count > 10, "{name}: {count}");
    }
}

/// What the distance query of a tiny sphere finds of the point where a ray ends.
#[test]
fn where_a_ray_ends_is_a_surface_and_nothing_lies_before_it() {
    let probe = SCENE.replace(
        "</worldbody>",
        r#"<body name="probe"><freejoint/><geom name="probe" type="sphere" size="1e-9" contype="0" conaffinity="0"/></body></worldbody>"#,
    );
    let model = Arc::new(load_str(&probe, Format::Mjcf, None, &LoadOptions::default()).unwrap());
    let mut sim = sim(&model, Contact::None);
    let mut rng = Rng::new(5);
    let (last, nq) = (model.ngeom() - 1, model.nq());
    let mut seen = 0;
    for _ in 0..300 {
        let mut q = random_q(&mut rng, &model, 0.7);
        let (origin, direction) = aimed(&mut rng, &model, &mut sim, &q);
        let (r, d) = (
            Rays {
                exclude_body: Some(model.nbody() - 1),
                ..rays(&origin, &direction)
            },
            unit(direction),
        );
        let Some(hit) = sim.ray_cast(&q, &r, None).unwrap() else {
            continue;
        };
        seen += 1;
        let mut away = |t: f64, geom: usize| {
            for k in 0..3 {
                q[nq - 7 + k] = origin[k] + t * d[k];
            }
            sim.distance(geom, last, &q, None).map(|d| d.distance)
        };
        // A height field has no walls: a ray that hits it from below went through its solid.
        let rises = (0..3).map(|k| hit.normal[k] * d[k]).sum::<f64>() > 0.0;
        let inside = rises && model.geoms()[hit.geom].name == "hills"
            || (0..last).any(|g| away(0.0, g).is_ok_and(|d| d < 0.0));
        let end = away(hit.distance, hit.geom);
        assert!(end.is_err() || end.is_ok_and(|d| d.abs() < 1e-8));
        for step in 1..20 {
            let t = hit.distance * f64::from(step) / 20.0;
            let hidden = (0..last).find(|g| away(t, *g).is_ok_and(|d| d < -1e-7));
            assert!(inside || hidden.is_none(), "{hit:?} {hidden:?}");
        }
    }
    assert!(seen > 200, "{seen}");
}

#[test]
fn what_a_ray_passes_through_and_how_far_it_sees() {
    let model = scene();
    let mut sim = sim(&model, Contact::Ncp);
    let q = model.neutral().to_vec();
    let (origin, down) = ([0.0, 0.0, 5.0], [0.0, 0.0, -2.0]);
    let cast = |sim: &mut Sim, r: Rays<'_>| sim.ray_cast(&q, &r, None).unwrap();
    let name = |h: Option<RayHit>| h.map(|h| model.geoms()[h.geom].name.clone());
    let r = rays(&origin, &down);
    assert_eq!(name(cast(&mut sim, r)), Some("box".into()));
    let trunk = model.geoms()[2].body;
    let without = Rays {
        exclude_body: Some(trunk),
        ..r
    };
    let ground = cast(&mut sim, without).unwrap();
    assert_eq!((ground.distance, ground.normal), (6.0, [0.0, 0.0, 1.0]));
    for (far, seen) in [(6.0, true), (5.999, false)] {
        let r = Rays {
            max_distance: far,
            ..without
        };
        assert_eq!(cast(&mut sim, r).is_some(), seen);
    }
    // The last step and its contacts stay.
    let (mut next, mut v) = (q.clone(), vec![0.0; model.nv()]);
    sim.step(&q, &vec![0.0; model.nv()], &[], &mut next, &mut v)
        .unwrap();
    let before = sim.contacts().len();
    cast(&mut sim, r);
    assert_eq!(sim.contacts().len(), before);
    sim.step_info().unwrap();
}

#[test]
fn bad_rays_are_refused_with_their_names() {
    let model = scene();
    let mut sim = sim(&model, Contact::None);
    let q = model.neutral().to_vec();
    let (o, d) = ([0.0, 0.0, 3.0], [0.0, 0.0, -1.0]);
    let good = rays(&o, &d);
    let cases = [
        (
            rays(&o, &[0.0; 3]),
            "directions: the direction of ray 0 must not be zero",
        ),
        (
            rays(&o, &[f64::NAN, 0.0, 1.0]),
            "directions[0] must be finite",
        ),
        (
            rays(&[0.0, f64::INFINITY, 0.0], &d),
            "origins[1] must be finite",
        ),
        (rays(&[0.0, 1e200, 0.0], &d), "origins[1]: must be below"),
        (rays(&o, &[0.0, 1.0]), "directions must have 3 entries"),
        (
            Rays {
                max_distance: f64::NAN,
                ..good
            },
            "max_distance must be positive",
        ),
        (
            Rays {
                max_distance: 0.0,
                ..good
            },
            "max_distance must be positive",
        ),
        (
            Rays {
                exclude_body: Some(99),
                ..good
            },
            "body must be in",
        ),
    ];
    for (r, message) in cases {
        let e = sim.ray_cast(&q, &r, None).unwrap_err();
        assert!(e.message.contains(message), "{} / {message}", e.message);
    }
    assert!(sim.ray_cast(&q, &good, None).unwrap().is_some());
}

/// Ten thousand boxes: what the hierarchy finds is what a look at each of them does.
#[test]
fn among_many_static_geoms_the_nearest_is_found() {
    let mut rng = Rng::new(3);
    let mut text = String::from("<mujoco><worldbody>");
    let mut centres = Vec::new();
    for _ in 0..10_000 {
        let c = [0; 3].map(|_| 20.0 * rng.range(-1.0, 1.0));
        centres.push(c);
        write!(
            text,
            r#"<geom type="sphere" size="0.2" pos="{} {} {}"/>"#,
            c[0], c[1], c[2]
        )
        .unwrap();
    }
    text += r#"<body><freejoint/><geom type="sphere" size="0.1" pos="0 0 100"/></body></worldbody></mujoco>"#;
    let model = Arc::new(load_str(&text, Format::Mjcf, None, &LoadOptions::default()).unwrap());
    let mut sim = sim(&model, Contact::None);
    let q = model.neutral().to_vec();
    let mut met = 0;
    for _ in 0..300 {
        let origin = [0; 3].map(|_| 25.0 * rng.range(-1.0, 1.0));
        let d = unit([0; 3].map(|_| rng.range(-1.0, 1.0)));
        let hit = sim.ray_cast(&q, &rays(&origin, &d), None).unwrap();
        let mut nearest = f64::INFINITY;
        for c in &centres {
            let to = [0, 1, 2].map(|k| c[k] - origin[k]);
            let along: f64 = (0..3).map(|k| to[k] * d[k]).sum();
            let beside = to.iter().map(|x| x * x).sum::<f64>() - along * along;
            if beside < 0.04 {
                let half = (0.04 - beside).sqrt();
                let from_within = along - half < 0.0;
                let at = if from_within {
                    along + half
                } else {
                    along - half
                };
                if at >= 0.0 {
                    nearest = nearest.min(at);
                }
            }
        }
        let found = hit.map_or(f64::INFINITY, |h| h.distance);
        met += usize::from(found.is_finite());
        assert!(found == nearest || (found - nearest).abs() < 1e-9);
    }
    assert!(met > 40, "{met}");
}

/// A saddle whose diagonal from the corner of the least x and y is the low one, as in MuJoCo.
#[test]
fn cells_of_a_height_field_are_cut_along_their_rising_diagonal() {
    let text = r#"<mujoco><asset><hfield name="h" nrow="2" ncol="2" size="1 1 1 0.1" elevation="1 0  0 1"/></asset>
        <worldbody><geom type="hfield" hfield="h"/></worldbody></mujoco>"#;
    let model = Arc::new(load_str(text, Format::Mjcf, None, &LoadOptions::default()).unwrap());
    let mut sim = sim(&model, Contact::None);
    for ([x, y], height) in [
        ([0.3, 0.3], 0.0),
        ([-0.6, -0.6], 0.0),
        ([0.5, -0.5], 0.5),
        ([0.5, 0.1], 0.2),
        ([-0.7, 0.1], 0.4),
    ] {
        // From above, and aslant over the diagonal.
        for [dx, dy] in [[0.0, 0.0], [0.4, -0.3], [-0.5, 0.6]] {
            let origin = [x - dx, y - dy, height + 1.0];
            let direction = [dx, dy, -1.0];
            let hit = sim.ray_cast(&[], &rays(&origin, &direction), None);
            let hit = hit.unwrap().unwrap();
            let expected = (dx * dx + dy * dy + 1.0_f64).sqrt();
            assert!((hit.distance - expected).abs() < 1e-12, "{x} {y}: {hit:?}");
        }
    }
}
