//! How the contacts at a configuration move with δq, against central differences.

use diffsim::spatial::Vec3;
use diffsim::step::{ContactDerivatives, ContactReport, Sim};

/// Step of the differences [m or rad].
const STEP: f64 = 1e-6;
/// The normals' z at which the tangents change their chart.
const CHART: f64 = -0.5;
/// Largest error of a point, normal or gap, relative where it moves faster than 1.
const TOLERANCE: f64 = 1e-5;

/// Columns compared with differences, left out at feature changes, and wrong.
#[derive(Default)]
pub struct Tally {
    pub compared: usize,
    excluded: usize,
    wrong: usize,
    worst: f64,
}

impl Tally {
    /// Compares every column of every contact at q. A column is left out where the contact's features
    /// are not there on both sides.
    pub fn compare(&mut self, sim: &mut Sim, q: &[f64]) {
        let model = sim.model().clone();
        let nv = model.nv();
        let contacts = |sim: &mut Sim, q: &[f64]| {
            sim.collide(q).unwrap();
            sim.contacts().to_vec()
        };
        let here = contacts(sim, q);
        let n = here.len();
        let [mut dp, mut dn, mut dt, mut dg] =
            [3, 3, 6, 1].map(|rows| vec![f64::NAN; rows * n * nv]);
        sim.contact_derivatives(ContactDerivatives {
            point: Some(&mut dp),
            normal: Some(&mut dn),
            tangents: Some(&mut dt),
            gap: Some(&mut dg),
        })
        .unwrap();
        for k in 0..nv {
            let mut at = |s: f64| {
                let mut step = vec![0.0; nv];
                step[k] = s;
                let mut moved = q.to_vec();
                model.integrate(q, &step, &mut moved);
                contacts(sim, &moved)
            };
            let (plus, minus) = (at(STEP), at(-STEP));
            for (i, c) in here.iter().enumerate() {
                let same = |l: &[ContactReport]| {
                    l.iter()
                        .find(|x| (x.geom, x.feature) == (c.geom, c.feature))
                        .copied()
                };
                let (Some(p), Some(m)) = (same(&plus), same(&minus)) else {
                    self.excluded += 1;
                    continue;
                };
                let at = i * nv + k;
                let error = |d: &[f64], p: &[f64; 3], m: &[f64; 3]| {
                    let slope = (Vec3::from_slice(p) - Vec3::from_slice(m)) * (0.5 / STEP);
                    (Vec3::from_slice(d) - slope).norm() / slope.norm().max(1.0)
                };
                let mut e = error(&dp[3 * at..], &p.point, &m.point)
                    .max(error(&dn[3 * at..], &p.normal, &m.normal))
                    .max((dg[at] - (p.gap - m.gap) * (0.5 / STEP)).abs());
                // The tangents jump where the frame's chart changes.
                if (c.normal[2] - CHART).abs() > 1e-4 {
                    for t in 0..2 {
                        let d = &dt[6 * at + 3 * t..];
                        e = e.max(error(d, &p.tangents[t], &m.tangents[t]));
                    }
                }
                self.compared += 1;
                self.wrong += usize::from(e.is_nan() || e > TOLERANCE);
                self.worst = self.worst.max(e);
            }
        }
    }

    pub fn report(&self, name: &str) {
        let share = |n: usize| 100.0 * n as f64 / (self.compared + self.excluded) as f64;
        println!(
            "{name}: {} compared, {:.2} % excluded at feature changes, {:.2} % above 1e-5, worst {:.1e}",
            self.compared,
            share(self.excluded),
            share(self.wrong),
            self.worst
        );
    }

    pub fn check(&self, name: &str) {
        assert!(
            self.compared > 0 && self.excluded * 10 < self.compared,
            "{name}: {} of {} excluded",
            self.excluded,
            self.compared
        );
        assert!(
            self.wrong == 0,
            "{name}: {} of {} wrong, by up to {:.1e}",
            self.wrong,
            self.compared,
            self.worst
        );
    }
}
