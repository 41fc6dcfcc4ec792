//! How the contacts at a configuration move with δq, against central differences of fourth order.

use diffsim::query::ContactDerivatives;
use diffsim::spatial::Vec3;
use diffsim::step::{ContactReport, Sim};

/// Steps of the differences [m or rad]. The longer one is tried where the shorter one disagrees: points
/// that are searched for are known to some 1e-11 m only. A wrong derivative differs from both.
const STEPS: [f64; 2] = [1e-6, 1e-5];
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
            let mut around = |step: f64| {
                [1.0, -1.0, 2.0, -2.0].map(|s| {
                    let mut tangent = vec![0.0; nv];
                    tangent[k] = s * step;
                    let mut moved = q.to_vec();
                    model.integrate(q, &tangent, &mut moved);
                    contacts(sim, &moved)
                })
            };
            let near = around(STEPS[0]);
            let mut far = None;
            for (i, c) in here.iter().enumerate() {
                let at = i * nv + k;
                let motion = Motion {
                    point: &dp[3 * at..3 * at + 3],
                    normal: &dn[3 * at..3 * at + 3],
                    tangents: &dt[6 * at..6 * at + 6],
                    gap: dg[at],
                };
                let Some(mut e) = motion.error(c, &near, STEPS[0]) else {
                    self.excluded += 1;
                    continue;
                };
                if e > TOLERANCE {
                    let far = far.get_or_insert_with(|| around(STEPS[1]));
                    e = e.min(motion.error(c, far, STEPS[1]).unwrap_or(e));
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

/// A column of a contact's derivatives.
struct Motion<'a> {
    point: &'a [f64],
    normal: &'a [f64],
    tangents: &'a [f64],
    gap: f64,
}

impl Motion<'_> {
    /// Largest error against the contacts a step forth, back, and twice as far; `None` where the contact's
    /// features are not among them all.
    fn error(&self, c: &ContactReport, around: &[Vec<ContactReport>; 4], step: f64) -> Option<f64> {
        let mut same = [*c; 4];
        for (same, all) in same.iter_mut().zip(around) {
            *same = *all
                .iter()
                .find(|x| (x.geom, x.feature) == (c.geom, c.feature))?;
        }
        let slope = |of: &dyn Fn(&ContactReport) -> Vec3| {
            let [p, m, p2, m2] = [0, 1, 2, 3].map(|i| of(&same[i]));
            ((p - m) * 8.0 - (p2 - m2)) * (1.0 / (12.0 * step))
        };
        let error =
            |d: &[f64], slope: Vec3| (Vec3::from_slice(d) - slope).norm() / slope.norm().max(1.0);
        let gap = slope(&|x| Vec3::Z * x.gap).z;
        let mut worst = (self.gap - gap).abs();
        let mut take = |e: f64| worst = if e > worst || e.is_nan() { e } else { worst };
        take(error(self.point, slope(&|x| Vec3::from_slice(&x.point))));
        take(error(self.normal, slope(&|x| Vec3::from_slice(&x.normal))));
        // The tangents jump where the frame's chart changes.
        if (c.normal[2] - CHART).abs() > 1e-4 {
            for (t, d) in self.tangents.chunks(3).enumerate() {
                take(error(d, slope(&|x| Vec3::from_slice(&x.tangents[t]))));
            }
        }
        Some(worst)
    }
}
