//! Tests that every broad phase gives the same contacts as a test of all pairs.

use super::face::Face;
use super::found::pair_key;
use super::*;
use crate::collision::{Approach, ContactPoint};
use crate::dynamics::kinematics::{Kinematics, positions};
use crate::model::Actuation;
use crate::model::spec::{
    BodySpec, GeomSpec, HeightField, JointKind, JointSpec, ModelSpec, PairSpec, ShapeSpec,
};
use crate::spatial::{Inertia, Quat, Sym3, Twist};
use std::sync::Arc;

/// A small generator (splitmix64): the same scenes on every machine.
struct Random(u64);

impl Random {
    fn uniform(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        low + (high - low) * (z >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, n: usize) -> usize {
        self.uniform(0.0, n as f64) as usize
    }

    fn vector(&mut self, size: f64) -> Vec3 {
        Vec3::from_slice(&[0; 3].map(|_| self.uniform(-size, size)))
    }

    fn pose(&mut self, size: f64) -> Pose {
        Pose::from_quat(Quat::exp(self.vector(2.0)), self.vector(size))
    }

    fn shape(&mut self) -> ShapeSpec {
        let [a, b, c] = [0; 3].map(|_| self.uniform(0.05, 0.2));
        match self.below(6) {
            0 => ShapeSpec::Sphere { radius: a },
            1 => ShapeSpec::Capsule {
                radius: a,
                half_length: b,
            },
            2 => ShapeSpec::Cylinder {
                radius: a,
                half_length: b,
            },
            3 => ShapeSpec::Ellipsoid {
                semi_axes: Vec3::new(a, b, c),
            },
            // As long and thin as beams.
            4 => ShapeSpec::Box {
                half_extents: Vec3::new(0.1 * a, b, 5.0 * c),
            },
            _ => ShapeSpec::Box {
                half_extents: Vec3::new(a, b, c),
            },
        }
    }

    fn geom(&mut self, body: usize, pose: Pose, shape: ShapeSpec) -> GeomSpec {
        let mut geom = GeomSpec::new(format!("{}", self.0), body, pose, shape);
        geom.margin = [0.0, 0.0, 0.05, 0.3][self.below(4)];
        (geom.contype, geom.conaffinity) = [(1, 1), (1, 1), (2, 3), (0, 1), (0, 0)][self.below(5)];
        geom
    }
}

fn field() -> ShapeSpec {
    ShapeSpec::HeightField(Arc::new(HeightField {
        columns: 9,
        rows: 9,
        half_extents: [0.8, 0.8],
        base: 0.2,
        heights: (0..81).map(|i| 0.05 * f64::from(i).sin()).collect(),
    }))
}

fn plane() -> ShapeSpec {
    ShapeSpec::Plane {
        half_extents: [0.0; 2],
    }
}

/// Static geoms, free bodies with several geoms each, both kinds of planes, filters and all kinds of
/// pairs.
fn scene(random: &mut Random) -> Model {
    let mut spec = ModelSpec::default();
    let (statics, bodies) = (random.below(70), 1 + random.below(8));
    let size = random.uniform(0.3, 2.0);
    for _ in 0..statics {
        let (pose, shape) = (random.pose(size), random.shape());
        let geom = random.geom(0, pose, shape);
        spec.geoms.push(geom);
    }
    let ground = Pose::translation(Vec3::Z * (-0.8 * size));
    for shape in [plane(), field()] {
        let geom = random.geom(0, ground, shape);
        spec.geoms.push(geom);
    }
    for k in 1..=bodies {
        let mut body = BodySpec::world();
        body.name = format!("body{k}");
        body.placement = random.pose(size);
        body.inertia = Inertia::from_com(1.0, Vec3::ZERO, Sym3::diagonal(Vec3::new(0.1, 0.1, 0.1)));
        body.joints = vec![JointSpec::new(format!("free{k}"), JointKind::Free)];
        spec.bodies.push(body);
        for _ in 0..=random.below(4) {
            let (pose, shape) = (random.pose(0.2), random.shape());
            let geom = random.geom(k, pose, shape);
            spec.geoms.push(geom);
        }
    }
    let odd = [plane(), field()];
    let (pose, shape) = (random.pose(size), odd[random.below(2)].clone());
    let geom = random.geom(bodies, pose, shape);
    spec.geoms.push(geom);
    for _ in 0..random.below(4) {
        let other = 1 + random.below(bodies);
        spec.excludes.push((random.below(other), other));
    }
    let ground = |g: &GeomSpec| g.shape.is_ground();
    for _ in 0..random.below(12) {
        let [geom1, geom2] = [0; 2].map(|_| random.below(spec.geoms.len()));
        let both = ground(&spec.geoms[geom1]) && ground(&spec.geoms[geom2]);
        if geom1 != geom2 && !both && spec.geoms[geom1].body != spec.geoms[geom2].body {
            spec.pairs.push(PairSpec {
                geom1,
                geom2,
                friction: None,
                condim: None,
                margin: [None, Some(0.0), Some(0.4)][random.below(3)],
                gap: None,
            });
        }
    }
    Model::compile(spec, Actuation::FromFile).unwrap()
}

type Found = Vec<([usize; 2], [u32; 2], ContactPoint)>;

fn sorted(mut found: Found) -> Found {
    found.sort_by_key(|c| (c.0, c.1, c.2.feature, c.2.gap.to_bits()));
    found
}

fn found(scene: &Scene) -> Found {
    let contacts = scene.contacts().iter();
    sorted(contacts.map(|c| (c.geom, c.part, c.point)).collect())
}

/// The contacts from every pair that the rules allow, without a bound that could dismiss it.
fn by_trial(scene: &mut Scene) -> Found {
    let mut all = Vec::new();
    scene.place_all();
    for a in 0..scene.geoms.len() {
        for b in a + 1..scene.geoms.len() {
            let Some(pair) = scene.rules.pair(a, b) else {
                continue;
            };
            let (pa, pb) = (scene.poses[a], scene.poses[b]);
            let [sa, sb] = scene.solids.get_disjoint_mut([a, b]).unwrap();
            let still = Approach::still(pair.margin + scene.wider);
            let face = Face::teller(sa, sb);
            let sink = &mut |point: ContactPoint, part| {
                all.push(([a, b], part, face(point.feature).place(point)));
            };
            let key = pair_key([a, b]);
            narrow::collide(sa, &pa, sb, &pb, &still, key, &mut scene.buffers, sink);
        }
    }
    sorted(all)
}

const ROOM: usize = 20_000;
const NONE: usize = usize::MAX;

#[test]
fn every_broad_phase_finds_what_a_trial_of_all_pairs_finds() {
    let mut random = Random(7);
    let (mut contacts, mut held) = (0, 0);
    for _ in 0..40 {
        let model = scene(&mut random);
        // A list or a sweep, each with and without the hierarchy.
        let ways = [(NONE, NONE), (NONE, 0), (0, NONE), (0, 0)];
        let mut scenes = ways.map(|(few, listed)| {
            Scene::with(&model, ROOM, Rules::new(&model), few, listed).unwrap()
        });
        let mut kin = Kinematics::new(&model);
        let mut q = model.neutral().to_vec();
        for visit in 0..6 {
            if visit == 3 {
                let n = model.ngeom();
                for _ in 0..6 {
                    let (a, b, on) = (random.below(n), random.below(n), random.below(2) == 0);
                    for scene in &mut scenes {
                        // For two geoms that may never touch, every scene returns an error.
                        let _ = scene.set_pair_enabled(&model, a, b, on);
                    }
                }
            }
            if visit == 4 {
                let sizes = model.geoms().iter().map(|g| {
                    let scale = random.uniform(0.7, 1.4);
                    g.shape.sizes().map(|x| scale * x)
                });
                let sizes: Vec<_> = sizes.collect();
                for scene in &mut scenes {
                    scene.resize(&model, &sizes).unwrap();
                }
            }
            positions(&mut kin, &model, model.params(), &q);
            let wider = if visit == 5 { 0.1 } else { 0.0 };
            for scene in &mut scenes {
                scene.place(&model, &kin);
                scene.widen(wider);
                scene.collide(0.0).unwrap();
            }
            let expected = by_trial(&mut scenes[0]);
            contacts += expected.len();
            held += scenes[2].statics.searches();
            for scene in &scenes {
                assert_eq!(found(scene), expected);
            }
            let twists = model.topology().links.iter();
            let twists: Vec<Twist> = twists
                .map(|_| Twist::new(random.vector(3.0), random.vector(3.0)))
                .collect();
            let changed: Vec<Twist> = twists
                .iter()
                .map(|t| *t + Twist::new(random.vector(0.5), random.vector(0.5)))
                .collect();
            for scene in &mut scenes {
                scene.speculate(&twists, &changed, 0.05);
                scene.collide(0.05).unwrap();
            }
            let expected = found(&scenes[0]);
            contacts += expected.len();
            for scene in &scenes[1..] {
                assert_eq!(found(scene), expected);
            }
            let dv: Vec<f64> = (0..model.nv()).map(|_| random.uniform(-0.2, 0.2)).collect();
            let from = q.clone();
            model.integrate(&from, &dv, &mut q);
        }
    }
    assert!(contacts > 15_000 && held > 3_000, "{contacts} {held}");
}

/// Bodies that move little from search to search: groups are passed over for many searches.
#[test]
fn a_walk_in_small_steps_finds_what_a_trial_of_all_pairs_finds() {
    let mut random = Random(11);
    let (mut contacts, mut changes) = (0, 0);
    for walk in 0..12 {
        let model = scene(&mut random);
        let mut scenes = [(); 2].map(|()| Scene::new(&model, ROOM).unwrap());
        let mut kin = Kinematics::new(&model);
        let mut q = model.neutral().to_vec();
        let speed = [1e-3, 1e-2, 0.05][walk % 3];
        let mut dv: Vec<f64> = (0..model.nv())
            .map(|_| random.uniform(-speed, speed))
            .collect();
        let mut before = 0;
        for step in 0..150 {
            if step % 50 == 49 {
                dv.iter_mut()
                    .for_each(|x| *x = random.uniform(-speed, speed));
            }
            positions(&mut kin, &model, model.params(), &q);
            let [watched, tried] = &mut scenes;
            for scene in [&mut *watched, &mut *tried] {
                scene.place(&model, &kin);
            }
            watched.collide(0.0).unwrap();
            let expected = by_trial(tried);
            assert_eq!(found(watched), expected, "walk {walk}, step {step}");
            contacts += expected.len();
            changes += usize::from(expected.len() != before);
            before = expected.len();
            let from = q.clone();
            model.integrate(&from, &dv, &mut q);
        }
    }
    assert!(contacts > 5_000 && changes > 100, "{contacts} {changes}");
}
