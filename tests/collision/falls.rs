//! Bodies that fall on a mesh or a height field stay above it.

use crate::common::Rng;
use crate::{block, body, compile, field, fixed, options_without_contact};
use diffsim::model::spec::{ModelSpec, ShapeSpec};
use diffsim::spatial::{Pose, Vec3};
use diffsim::step::{Options, Sim};

#[test]
fn nothing_passes_a_mesh_floor() {
    let sphere = || ShapeSpec::Sphere { radius: 0.1 };
    let cuboid = || ShapeSpec::Box {
        half_extents: Vec3::new(0.1, 0.15, 0.08),
    };
    let floors = [("slab", block([2.0, 2.0, 0.05])), ("field", field())];
    let mut deepest = 0.0_f64;
    for (floor, shape) in floors {
        for (name, falling) in [
            ("sphere", sphere()),
            ("box", cuboid()),
            ("mesh", block([0.12, 0.09, 0.1])),
            (
                "cylinder",
                ShapeSpec::Cylinder {
                    radius: 0.1,
                    half_length: 0.1,
                },
            ),
        ] {
            let mut spec = ModelSpec::default();
            fixed(&mut spec, floor, Vec3::ZERO, shape.clone());
            body(&mut spec, name, Vec3::new(0.03, 0.02, 0.4), falling);
            let model = compile(spec);
            let mut sim = Sim::new(model.clone(), &Options::default()).unwrap();
            let mut geometry = Sim::new(model.clone(), &options_without_contact()).unwrap();
            let mut rng = Rng::new(7);
            for speed in [0.5, 2.0, 5.0] {
                let mut q = model.neutral().to_vec();
                let turn = rng.quat().to_array();
                q[3..7].copy_from_slice(&turn);
                let mut v = vec![0.0; 6];
                // The velocity is along the body's axes.
                let down = Pose::from_quat(diffsim::spatial::Quat::from_slice(&turn), Vec3::ZERO)
                    .rot
                    .tr_mul_vec(Vec3::Z * -speed);
                v[..3].copy_from_slice(&down.to_array());
                let (mut qn, mut vn) = (q.clone(), v.clone());
                let (mut depth, mut touched) = (0.0_f64, false);
                for _ in 0..400 {
                    sim.step(&q, &v, &[], &mut qn, &mut vn).unwrap();
                    std::mem::swap(&mut q, &mut qn);
                    std::mem::swap(&mut v, &mut vn);
                    touched |= !sim.contacts().is_empty();
                    geometry.collide(&q).unwrap();
                    depth = geometry.contacts().iter().fold(depth, |d, c| d.max(-c.gap));
                }
                println!("{name} on {floor} at {speed} m/s: {:.1e} m deep", depth);
                deepest = deepest.max(depth);
                assert!(touched && q[2] > 0.0, "{name} on {floor} at {speed} m/s");
            }
        }
    }
    // A step at 5 m/s goes 5 mm.
    assert!(deepest < 1e-3, "{deepest} m deep");
}
