//! Every ordered pair of shapes, at random poses near touching, through the simulation: gap and
//! normal against a reference, both orders, and how each contact moves.
//!
//! `DIFFSIM_POSES` sets the poses of a pair (1000 in a thorough run).

use crate::common::Rng;
use crate::motion::Tally;
use crate::reference::{Form, KINDS, Placed, direction};
use crate::{body, compile, fixed_at};
use diffsim::model::spec::ModelSpec;
use diffsim::query::Distance;
use diffsim::spatial::{Pose, Quat, Vec3};
use diffsim::step::{ContactReport, Options, Sim};

fn poses() -> usize {
    std::env::var("DIFFSIM_POSES").map_or(160, |n| n.parse().unwrap())
}

/// Sizes drawn for a pair.
const DRAWS: usize = 4;
/// Contacts are reported up to this gap [m].
const MARGIN: f64 = 0.02;

/// Two geoms, planes fixed in the world at a random pose, all others free.
struct Couple {
    forms: [Form; 2],
    fixed: [Option<Pose>; 2],
    /// Indices of the geoms: a model numbers those of the world first.
    geom: [usize; 2],
    sim: Sim,
}

impl Couple {
    fn new(forms: [Form; 2], fixed: [Option<Pose>; 2]) -> Couple {
        let mut spec = ModelSpec::default();
        for (name, (form, pose)) in ["a", "b"].iter().zip(forms.iter().zip(&fixed)) {
            match pose {
                Some(pose) => fixed_at(&mut spec, name, *pose, form.spec()),
                None => body(&mut spec, name, Vec3::ZERO, form.spec()),
            }
        }
        for g in &mut spec.geoms {
            g.margin = 0.5 * MARGIN;
        }
        let model = compile(spec);
        let geom = ["a", "b"].map(|name| model.geom_id(name).unwrap());
        let sim = Sim::new(model, &Options::default()).unwrap();
        Couple {
            forms,
            fixed,
            geom,
            sim,
        }
    }

    fn mirrored(&self) -> Couple {
        let [a, b] = self.forms.clone();
        Couple::new([b, a], [self.fixed[1], self.fixed[0]])
    }

    fn configuration(&self, poses: &[Pose; 2]) -> Vec<f64> {
        let mut q = Vec::new();
        for (pose, fixed) in poses.iter().zip(&self.fixed) {
            if fixed.is_none() {
                q.extend(pose.pos.to_array());
                q.extend(Quat::from_mat3(&pose.rot).to_array());
            }
        }
        q
    }

    /// Random poses, moved together until the gap is near a random target.
    fn draw(&mut self, rng: &mut Rng, near: f64) -> [Pose; 2] {
        let thickness = self.forms[0].thickness().min(self.forms[1].thickness());
        loop {
            let target = near * thickness * rng.range(-1.0, 1.0);
            let mut poses = self.fixed.map(|f| f.unwrap_or_else(|| rng.pose(1.0)));
            let free = usize::from(self.fixed[1].is_none());
            let way = direction(rng);
            poses[free].pos = poses[1 - free].pos + way * 0.3;
            for _ in 0..8 {
                let q = self.configuration(&poses);
                let d = self.distance(&q);
                let out = Vec3::from_slice(&d.normal) * if free == 1 { 1.0 } else { -1.0 };
                if (d.distance - target).abs() < 0.1 * near * thickness {
                    return poses;
                }
                // Along the way as long as it leads out, else along the normal.
                let way = if way.dot(out) > 0.3 { way } else { out };
                poses[free].pos += way * ((target - d.distance) / way.dot(out));
            }
        }
    }

    fn placed(&self, poses: &[Pose; 2]) -> Placed<'_> {
        Placed {
            a: &self.forms[0],
            pose_a: poses[0],
            b: &self.forms[1],
            pose_b: poses[1],
        }
    }

    fn distance(&mut self, q: &[f64]) -> Distance {
        let [a, b] = self.geom;
        self.sim.distance(a, b, q, None).unwrap()
    }

    /// With normals from a to b.
    fn contacts(&mut self, q: &[f64]) -> Vec<ContactReport> {
        self.sim.collide(q).unwrap();
        let mut contacts = self.sim.contacts().to_vec();
        for c in contacts.iter_mut().filter(|c| c.geom != self.geom) {
            c.normal = c.normal.map(|x| -x);
        }
        contacts
    }
}

/// Calls `check` with every ordered pair that can touch, several times with new sizes.
fn for_every_pair(seed: u64, mut check: impl FnMut(&str, &mut Couple, &mut Rng, usize)) {
    let mut rng = Rng::new(seed);
    for a in KINDS {
        for b in KINDS {
            if a == "plane" && b == "plane" {
                continue;
            }
            for _ in 0..DRAWS {
                let forms = [a, b].map(|kind| Form::draw(kind, &mut rng));
                let fixed = [a, b].map(|kind| (kind == "plane").then(|| rng.pose(1.0)));
                let mut couple = Couple::new(forms, fixed);
                check(&format!("{a}-{b}"), &mut couple, &mut rng, poses() / DRAWS);
            }
        }
    }
}

fn vector(x: &[f64; 3]) -> Vec3 {
    Vec3::from_slice(x)
}

#[test]
fn gap_and_normal_are_those_of_the_reference() {
    let mut worst = [0.0_f64; 4];
    for_every_pair(1, |name, couple, rng, count| {
        for k in 0..count {
            let near = if k % 4 == 0 { 1e-4 } else { 0.2 };
            let poses = couple.draw(rng, near);
            let q = couple.configuration(&poses);
            let d = couple.distance(&q);
            let contacts = couple.contacts(&q);
            let placed = couple.placed(&poses);
            let n = vector(&d.normal);
            assert!((n.norm() - 1.0).abs() < 1e-12, "{name} {k}");
            // The normal bounds the gap from below, the witnesses of a gap from above; the depth
            // of an overlap is bounded by all other directions.
            let off = (placed.room(n) - d.distance).abs();
            let [xa, xb] = [vector(&d.point_a), vector(&d.point_b)];
            let out = placed
                .a
                .outside(poses[0].inverse_point(xa))
                .max(placed.b.outside(poses[1].inverse_point(xb)));
            let apart = (xb - xa - n * d.distance).norm();
            let short = if d.distance < 0.0 && couple.fixed == [None; 2] {
                placed.largest_room(n, rng) - d.distance
            } else {
                0.0
            };
            for (w, e) in worst.iter_mut().zip([off, out, apart, short]) {
                *w = w.max(e);
                assert!(
                    e < 1e-6,
                    "{name} {k}: {d:?}\noff {off:e} out {out:e} apart {apart:e} short {short:e}\n{:?} {poses:?}",
                    couple.forms
                );
            }
            // The contacts hold the closest point, and every one lies on both shapes.
            let least = contacts.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
            if d.distance < MARGIN {
                assert!(
                    (least - d.distance).abs() < 1e-6,
                    "{name} {k}: {least} {d:?}"
                );
            }
            for c in &contacts {
                // On a flat face, or midway between the surfaces.
                let out = [0.0, 0.5, 1.0].map(|share| {
                    let on_a = vector(&c.point) - vector(&c.normal) * (share * c.gap);
                    let on_b = on_a + vector(&c.normal) * c.gap;
                    let [in_a, in_b] =
                        [(0, on_a), (1, on_b)].map(|(k, x)| poses[k].inverse_point(x));
                    placed.a.outside(in_a).max(placed.b.outside(in_b))
                });
                let out = out.into_iter().fold(f64::INFINITY, f64::min);
                let allowed = placed.a.patch_error().max(placed.b.patch_error());
                assert!(
                    out < 1e-6 || c.gap > least + 1e-6 && out < allowed,
                    "{name} {k}: {c:?} is {out} outside"
                );
            }
        }
    });
    println!(
        "off the normal {:.1e} m, witnesses outside by {:.1e} m and apart by {:.1e} m, depth short by {:.1e} m",
        worst[0], worst[1], worst[2], worst[3]
    );
}

#[test]
fn both_orders_give_the_mirrored_result() {
    let (mut all, mut counts, mut differ) = (0, Vec::new(), Vec::new());
    for_every_pair(2, |name, couple, rng, count| {
        let mut mirrored = couple.mirrored();
        for k in 0..count {
            let poses = couple.draw(rng, if k % 4 == 0 { 1e-4 } else { 0.1 });
            let [q, r] = [
                couple.configuration(&poses),
                mirrored.configuration(&[poses[1], poses[0]]),
            ];
            let d = couple.distance(&q);
            let e = mirrored.distance(&r);
            assert!(
                (d.distance - e.distance).abs() < 1e-9,
                "{name} {k}: {d:?} {e:?}"
            );
            assert!(
                (vector(&d.normal) + vector(&e.normal)).norm() < 1e-6,
                "{name} {k} {d:?} {e:?}"
            );
            let (m, w) = (couple.contacts(&q), mirrored.contacts(&r));
            all += 1;
            if m.len() != w.len() {
                counts.push(format!("{name} {k} {} {}", m.len(), w.len()));
            }
            let matched = m.iter().all(|c| {
                w.iter().any(|e| {
                    (vector(&c.point) - vector(&e.point)).norm() < 1e-6
                        && (vector(&c.normal) + vector(&e.normal)).norm() < 1e-6
                        && (c.gap - e.gap).abs() < 1e-6
                })
            });
            if !matched {
                differ.push(format!("{name} {k}"));
            }
        }
    });
    println!(
        "{all} pairs, with other counts {counts:?}, {} with other points {differ:?}",
        differ.len()
    );
    assert!(counts.is_empty() && differ.is_empty());
}

#[test]
fn contacts_move_as_differences_say() {
    let mut tallies: Vec<(String, Tally)> = Vec::new();
    for_every_pair(3, |name, couple, rng, count| {
        if tallies.last().is_none_or(|t| t.0 != name) {
            tallies.push((name.into(), Tally::default()));
        }
        let Some((_, tally)) = tallies.last_mut() else {
            return;
        };
        for _ in 0..count {
            let poses = couple.draw(rng, 0.1);
            let q = couple.configuration(&poses);
            tally.compare(&mut couple.sim, &q);
        }
    });
    tallies.iter().for_each(|(name, t)| t.report(name));
    tallies.iter().for_each(|(name, t)| t.check(name));
}
