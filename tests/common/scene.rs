//! Scenes of free bodies and planes, built in code, and a simulation that keeps its state.

use super::relative_error;
use diffsim::contact::mode::Mode;
use diffsim::model::spec::{BodySpec, GeomSpec, JointKind, JointSpec, ModelSpec, ShapeSpec};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::{Inertia, Pose, Quat, Sym3, Vec3};
use diffsim::step::{Options, Sim, StepInfo, StepJacobians};
use std::sync::Arc;

pub const G: f64 = 9.81;

/// What every step of every test must reach, scaled as the contact solver's certificate says.
pub const RESIDUAL: f64 = 1e-8;

pub fn options(h: f64) -> Options {
    Options {
        time_step: h,
        ..Options::default()
    }
}

/// A chain of links of 0.1 m with hinges across, and so many balls under them, a tenth of a millimetre in the
/// ground.
pub fn lying(links: usize, balls: usize) -> Arc<Model> {
    Arc::new(Model::compile(lying_spec(links, balls), Actuation::Full).unwrap())
}

pub fn lying_spec(links: usize, balls: usize) -> ModelSpec {
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.6);
    for id in 1..=links {
        let mut b = BodySpec::world();
        b.name = format!("link{id}");
        b.parent = id - 1;
        b.placement = Pose::translation(match id {
            1 => Vec3::Z * 0.0499,
            _ => Vec3::X * 0.1,
        });
        b.inertia = Inertia::from_com(
            0.1,
            Vec3::X * 0.05,
            Sym3::diagonal(Vec3::new(1e-4, 2e-4, 2e-4)),
        );
        let mut j = JointSpec::new(format!("hinge{id}"), JointKind::Revolute);
        j.axis = if id % 3 == 0 { Vec3::Z } else { Vec3::Y };
        j.armature = 0.01;
        j.damping = 0.05;
        b.joints = vec![j];
        spec.bodies.push(b);
        if balls > 0 && id % (links / balls) == 0 {
            let ball = ShapeSpec::Sphere { radius: 0.05 };
            let place = Pose::translation(Vec3::X * 0.05);
            let mut g = GeomSpec::new(format!("ball{id}"), id, place, ball);
            (g.contype, g.conaffinity) = (0, 1);
            spec.geoms.push(g);
        }
    }
    spec
}

/// A plane fixed to the world whose friction counts in all of its contacts.
pub fn plane(spec: &mut ModelSpec, name: &str, pose: Pose, friction: f64) {
    let half_extents = [0.0; 2];
    fixed(
        spec,
        name,
        pose,
        ShapeSpec::Plane { half_extents },
        friction,
    );
}

pub fn ground(spec: &mut ModelSpec, friction: f64) {
    plane(spec, "ground", Pose::IDENTITY, friction);
}

/// A geom fixed to the world whose friction counts in all of its contacts.
pub fn fixed(spec: &mut ModelSpec, name: &str, pose: Pose, shape: ShapeSpec, friction: f64) {
    let mut g = GeomSpec::new(name, 0, pose, shape);
    g.friction[0] = friction;
    g.priority = 1;
    spec.geoms.push(g);
}

/// Moments of inertia of the homogeneous solid [kg m²]; of a capsule, those of the cylinder that
/// surrounds it.
pub fn moments(mass: f64, shape: &ShapeSpec) -> Vec3 {
    let of_box = |a: Vec3| {
        Vec3::new(
            a.y * a.y + a.z * a.z,
            a.x * a.x + a.z * a.z,
            a.x * a.x + a.y * a.y,
        ) * (mass / 3.0)
    };
    let of_cylinder = |r: f64, l: f64| {
        let side = mass * (0.25 * r * r + l * l / 3.0);
        Vec3::new(side, side, 0.5 * mass * r * r)
    };
    match *shape {
        ShapeSpec::Sphere { radius } => Vec3::new(1.0, 1.0, 1.0) * (0.4 * mass * radius * radius),
        ShapeSpec::Box { half_extents } => of_box(half_extents),
        ShapeSpec::Ellipsoid { semi_axes } => of_box(semi_axes) * 0.6,
        ShapeSpec::Cylinder {
            radius,
            half_length,
        } => of_cylinder(radius, half_length),
        ShapeSpec::Capsule {
            radius,
            half_length,
        } => of_cylinder(radius, half_length + radius),
        ShapeSpec::Mesh { ref mesh, .. } => {
            let solid = mesh.solid();
            let i = solid.i.to_mat3();
            Vec3::new(i.c[0].x, i.c[1].y, i.c[2].z) * (mass / solid.mass)
        }
        _ => panic!("no moments for {shape:?}"),
    }
}

/// A homogeneous body on a joint of the kind, its frame at the centre; returns its id.
pub fn body(
    spec: &mut ModelSpec,
    name: &str,
    kind: JointKind,
    pose: Pose,
    mass: f64,
    shape: ShapeSpec,
) -> usize {
    let id = spec.bodies.len();
    let mut b = BodySpec::world();
    b.name = name.into();
    b.placement = pose;
    b.inertia = Inertia::from_com(mass, Vec3::ZERO, Sym3::diagonal(moments(mass, &shape)));
    b.joints = vec![JointSpec::new(format!("{name}_joint"), kind)];
    spec.bodies.push(b);
    spec.geoms
        .push(GeomSpec::new(name, id, Pose::IDENTITY, shape));
    id
}

pub fn free(spec: &mut ModelSpec, name: &str, pose: Pose, mass: f64, shape: ShapeSpec) -> usize {
    body(spec, name, JointKind::Free, pose, mass, shape)
}

/// The ground and a free body with its centre above the origin.
pub fn on_ground(friction: f64, height: f64, mass: f64, shape: ShapeSpec) -> ModelSpec {
    let mut spec = ModelSpec::default();
    ground(&mut spec, friction);
    free(&mut spec, "body", at(0.0, 0.0, height), mass, shape);
    spec
}

pub fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::translation(Vec3::new(x, y, z))
}

pub fn ball(radius: f64) -> ShapeSpec {
    ShapeSpec::Sphere { radius }
}

pub fn cuboid(x: f64, y: f64, z: f64) -> ShapeSpec {
    ShapeSpec::Box {
        half_extents: Vec3::new(x, y, z),
    }
}

/// Rotation by `angle` about the horizontal direction at `azimuth`.
pub fn tilt(angle: f64, azimuth: f64) -> Pose {
    let axis = Vec3::new(azimuth.cos(), azimuth.sin(), 0.0);
    Pose::from_quat(Quat::exp(axis * angle).normalized(), Vec3::ZERO)
}

/// The fall line of a horizontal plane turned by [`tilt`].
pub fn fall_line(slope: &Pose, azimuth: f64) -> Vec3 {
    slope
        .rot
        .mul_vec(Vec3::new(azimuth.sin(), -azimuth.cos(), 0.0))
}

/// A simulation with its state and inputs.
pub struct World {
    pub sim: Sim,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub u: Vec<f64>,
}

impl World {
    pub fn new(spec: ModelSpec, actuation: Actuation, options: &Options) -> World {
        World::of(Model::compile(spec, actuation).unwrap(), options)
    }

    pub fn of(model: Model, options: &Options) -> World {
        World {
            q: model.neutral().to_vec(),
            v: vec![0.0; model.nv()],
            u: vec![0.0; model.nu()],
            sim: Sim::new(Arc::new(model), options).unwrap(),
        }
    }

    /// Steps; every step's contact problem must be solved to [`RESIDUAL`].
    pub fn step(&mut self) -> StepInfo {
        let (mut q, mut v) = (self.q.clone(), self.v.clone());
        self.sim
            .step(&self.q, &self.v, &self.u, &mut q, &mut v)
            .unwrap();
        (self.q, self.v) = (q, v);
        let info = self.sim.step_info().unwrap();
        assert!(info.residual <= RESIDUAL, "residual {:e}", info.residual);
        info
    }

    pub fn run(&mut self, steps: usize) {
        for _ in 0..steps {
            self.step();
        }
    }

    /// Position of the n-th free body.
    pub fn position(&self, n: usize) -> Vec3 {
        Vec3::from_slice(&self.q[7 * n..])
    }

    /// World-frame velocity of the origin of the n-th free body.
    pub fn velocity(&self, n: usize) -> Vec3 {
        let quat = Quat::from_slice(&self.q[7 * n + 3..]);
        Pose::from_quat(quat, Vec3::ZERO)
            .rot
            .mul_vec(Vec3::from_slice(&self.v[6 * n..]))
    }

    /// Angular velocity of the n-th free body, body axes.
    pub fn spin(&self, n: usize) -> Vec3 {
        Vec3::from_slice(&self.v[6 * n + 3..])
    }

    /// Sets the world-frame velocity of the origin of the n-th free body.
    pub fn launch(&mut self, n: usize, velocity: Vec3) {
        let quat = Quat::from_slice(&self.q[7 * n + 3..]);
        let local = Pose::from_quat(quat, Vec3::ZERO).rot.tr_mul_vec(velocity);
        for i in 0..3 {
            self.v[6 * n + i] = local[i];
        }
    }

    /// ∂v⁺/∂q, ∂v⁺/∂v, ∂v⁺/∂u of the last step, column-major.
    pub fn velocity_jacobians(&mut self) -> [Vec<f64>; 3] {
        let (nv, nu) = (self.v.len(), self.u.len());
        let mut j = [nv, nv, nu].map(|n| vec![f64::NAN; nv * n]);
        let [a, b, c] = &mut j;
        self.sim
            .step_jacobians(StepJacobians {
                dv_dq: Some(a),
                dv_dv: Some(b),
                dv_du: Some(c),
                ..StepJacobians::default()
            })
            .unwrap();
        j
    }
}

/// q⁺ (tangent at `base`) and v⁺ of a step from the warm start `memory`, and the modes.
pub fn outcome(
    w: &mut World,
    memory: &[f64],
    base: &[f64],
    q: &[f64],
    v: &[f64],
    u: &[f64],
) -> (Vec<f64>, Vec<Mode>) {
    w.sim.set_memory(memory).unwrap();
    let (mut qn, mut vn) = (q.to_vec(), v.to_vec());
    w.sim.step(q, v, u, &mut qn, &mut vn).unwrap();
    let mut x = vec![0.0; v.len()];
    w.sim.model().difference(base, &qn, &mut x);
    x.extend(vn);
    (x, w.sim.constraint_modes().to_vec())
}

/// Jacobians of v⁺ at the world's state against differences; returns how many columns kept their
/// modes, all of which must agree. The state does not advance.
pub fn check_jacobians(w: &mut World) -> usize {
    let (q, v, u) = (w.q.clone(), w.v.clone(), w.u.clone());
    let nv = v.len();
    let mut memory = vec![0.0; w.sim.memory_size()];
    w.sim.get_memory(&mut memory).unwrap();
    w.step();
    let base = w.q.clone();
    let modes = w.sim.constraint_modes().to_vec();
    let jacobians = w.velocity_jacobians();
    let model = w.sim.model().clone();
    let eps = 1e-7;
    let mut checked = 0;
    for (kind, jacobian) in jacobians.iter().enumerate() {
        for (k, column) in jacobian.chunks(nv).enumerate() {
            let mut ends = [1.0, -1.0].map(|s| {
                let (mut q2, mut v2, mut u2) = (q.clone(), v.clone(), u.clone());
                match kind {
                    0 => {
                        let mut d = vec![0.0; nv];
                        d[k] = s * eps;
                        model.integrate(&q, &d, &mut q2);
                    }
                    1 => v2[k] += s * eps,
                    _ => u2[k] += s * eps,
                }
                outcome(w, &memory, &base, &q2, &v2, &u2)
            });
            if ends.iter().any(|e| e.1 != modes) {
                continue;
            }
            let minus = std::mem::take(&mut ends[1].0);
            let slope: Vec<f64> = (ends[0].0[nv..].iter().zip(&minus[nv..]))
                .map(|(a, b)| (a - b) / (2.0 * eps))
                .collect();
            let error = relative_error(column, &slope);
            assert!(error < 1e-5, "block {kind}, column {k}: {error:e}");
            checked += 1;
        }
    }
    w.sim.set_memory(&memory).unwrap();
    (w.q, w.v) = (q, v);
    checked
}
