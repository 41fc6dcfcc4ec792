//! Every shape on, in and above a height field: distances and contacts move as differences say.

use crate::common::{Rng, random_q};
use crate::motion::Tally;
use crate::{body, compile, field, fixed, shapes};
use diffsim::model::spec::ModelSpec;
use diffsim::spatial::Vec3;
use diffsim::step::{Options, Sim};

/// A shape over the field, from below its surface to above it; whether the field is geom A of the
/// queries.
fn over_the_field(mut check: impl FnMut(&str, &mut Sim, [usize; 2], &[f64])) {
    let mut rng = Rng::new(12);
    for (name, shape) in shapes() {
        if name == "plane" || name == "field" {
            continue;
        }
        let mut spec = ModelSpec::default();
        fixed(&mut spec, "field", Vec3::ZERO, field());
        body(&mut spec, "b", Vec3::Z * 0.1, shape);
        for g in &mut spec.geoms {
            g.margin = 0.02;
        }
        let model = compile(spec);
        let geoms = ["field", "b"].map(|g| model.geom_id(g).unwrap());
        let mut sim = Sim::new(model.clone(), &Options::default()).unwrap();
        for k in 0..60 {
            let q = random_q(&mut rng, &model, 0.35);
            let order = if k % 2 == 0 {
                geoms
            } else {
                [geoms[1], geoms[0]]
            };
            check(name, &mut sim, order, &q);
        }
    }
}

#[test]
fn distances_from_a_height_field_move_as_differences_say() {
    let h = 1e-6;
    let (mut checked, mut kinks, mut bad) = (0, 0, Vec::new());
    over_the_field(|name, sim, [a, b], q| {
        let model = sim.model().clone();
        let mut gradient = vec![f64::NAN; model.nv()];
        let d = sim
            .distance(a, b, q, Some(&mut gradient))
            .unwrap_or_else(|e| panic!("{name} {q:?}: {e}"));
        let back = sim.distance(b, a, q, None).unwrap();
        let away = Vec3::from_slice(&d.point_b) - Vec3::from_slice(&d.point_a);
        let n = Vec3::from_slice(&d.normal);
        assert!((away - n * d.distance).norm() < 1e-9, "{name}");
        assert!((back.distance - d.distance).abs() < 1e-9, "{name}");
        for (k, slope) in gradient.iter().enumerate() {
            let mut at = |s: f64| {
                let mut step = vec![0.0; model.nv()];
                step[k] = s;
                let mut moved = q.to_vec();
                model.integrate(q, &step, &mut moved);
                sim.distance(a, b, &moved, None).unwrap().distance
            };
            let [plus, minus] = [at(h), at(-h)];
            // The one-sided slopes differ where another triangle or feature takes over.
            let sides = [(plus - d.distance) / h, (d.distance - minus) / h];
            checked += 1;
            if (sides[0] - sides[1]).abs() > 1e-3 {
                kinks += 1;
            } else if !((sides[0] + sides[1]) * 0.5 - slope).abs().le(&1e-5) {
                bad.push((name.to_owned(), k, d.distance, *slope, sides));
            }
        }
    });
    println!("{checked} checked, {kinks} at kinks, off: {bad:?}");
    assert!(kinks * 10 < checked && bad.len() * 100 < checked, "{bad:?}");
}

#[test]
fn contacts_with_a_height_field_move_as_differences_say() {
    let mut tally = Tally::default();
    over_the_field(|_, sim, _, q| tally.compare(sim, q));
    tally.report("field");
    tally.check("field");
}
