//! Models made call by call.

use super::session::{Session, expect};
use super::source::Source;
use diffsim::capi::actuators::*;
use diffsim::capi::builder::*;
use diffsim::capi::builder_desc::*;
use diffsim::capi::equality::*;
use diffsim::capi::model::{ds_model, ds_model_free};
use diffsim::capi::model_parts::ds_geom_kind;
use diffsim::model::mesh::TriMesh;
use std::ffi::{CStr, c_char};
use std::ptr::{null, null_mut};

const NAMES: [&CStr; 6] = [c"a", c"b", c"c", c"d", c"world", c""];

fn name(s: &mut Source) -> *const c_char {
    match s.below(3) {
        0 => null(),
        _ => s.pick(&NAMES).as_ptr(),
    }
}

/// A pose, mostly a proper one.
fn placement(s: &mut Source) -> [f64; 16] {
    let mut p = [0.0; 16];
    for k in [0, 5, 10, 15] {
        p[k] = 1.0;
    }
    p[12..15].copy_from_slice(&s.array::<3>());
    match s.below(4) {
        0 => {
            let (sine, cosine) = s.number().sin_cos();
            [p[0], p[1], p[4], p[5]] = [cosine, sine, -sine, cosine];
        }
        1 if s.once_in(16) => p = s.array(),
        _ => {}
    }
    p
}

pub struct Made {
    pub model: *mut ds_model,
}

impl Drop for Made {
    fn drop(&mut self) {
        // SAFETY: made by the library, released once.
        unsafe { ds_model_free(self.model) };
    }
}

/// A model of up to a dozen calls, or none where the library refuses it.
pub fn model(s: &mut Source) -> Option<Made> {
    let mut b = null_mut();
    let mut model = null_mut();
    // SAFETY: every pointer is null, or to memory that lives during the call, of the sizes in its struct.
    unsafe {
        expect(ds_builder_create(&raw mut b), "ds_builder_create");
        if s.once_in(8) {
            let gravity = s.array::<3>();
            expect(ds_builder_set_gravity(b, gravity.as_ptr()), "set_gravity");
        }
        if s.once_in(2) {
            let kind = s.id(2);
            expect(ds_builder_set_actuation(b, kind), "set_actuation");
        }
        let mut bodies = 1;
        for _ in 0..2 + s.below(12) {
            match s.below(8) {
                0..=2 => bodies += usize::from(add_body(b, bodies, s)),
                3 | 4 => add_joint(b, bodies, s),
                5 | 6 => add_geom(b, bodies, s),
                _ if s.once_in(2) => add_actuator(b, s),
                _ => add_equality(b, bodies, s),
            }
        }
        expect(ds_builder_build(b, &raw mut model), "ds_builder_build");
        ds_builder_free(b);
    }
    (!model.is_null()).then_some(Made { model })
}

unsafe fn add_body(b: *mut ds_builder, bodies: usize, s: &mut Source) -> bool {
    let placement = placement(s);
    let mut inertia = [1.0, 0.0, 0.0, 0.0, 0.01, 0.0, 0.01, 0.0, 0.0, 0.01];
    if s.once_in(3) {
        inertia[0] = s.size();
        inertia[s.below(10)] = s.number();
    }
    let inertia = if s.once_in(8) {
        null()
    } else {
        inertia.as_ptr()
    };
    let (parent, mut id) = (s.id(bodies), -7);
    let status = unsafe {
        ds_builder_add_body(b, parent, name(s), placement.as_ptr(), inertia, &raw mut id)
    };
    let done = expect(status, "ds_builder_add_body");
    assert!(done || id == -7, "an id from a call that failed");
    if done && s.byte() < 200 {
        let mut joint = joint_desc();
        joint.kind = s.pick(&[0, 1, 2, 3, 4, 5]);
        joint.name = name(s);
        expect(
            unsafe { ds_builder_add_joint(b, id, &raw const joint) },
            "ds_builder_add_joint",
        );
    }
    done
}

fn joint_desc() -> ds_joint_desc {
    let mut joint = std::mem::MaybeUninit::uninit();
    // SAFETY: written by the call.
    unsafe {
        ds_joint_desc_init(joint.as_mut_ptr());
        joint.assume_init()
    }
}

unsafe fn add_joint(b: *mut ds_builder, bodies: usize, s: &mut Source) {
    let mut joint = joint_desc();
    joint.name = name(s);
    joint.kind = s.id(10);
    if s.once_in(2) {
        joint.axis = s.array();
        joint.axis2 = s.array();
    }
    for field in [
        &mut joint.reference,
        &mut joint.damping,
        &mut joint.stiffness,
        &mut joint.spring_reference,
        &mut joint.armature,
        &mut joint.friction_loss,
        &mut joint.limit_margin,
    ] {
        if s.once_in(3) {
            *field = s.size();
        }
    }
    if s.once_in(2) {
        [joint.lower, joint.upper] = s.array();
        joint.anchor = s.array();
    }
    let body = s.id(bodies);
    expect(
        unsafe { ds_builder_add_joint(b, body, &raw const joint) },
        "ds_builder_add_joint",
    );
}

unsafe fn add_geom(b: *mut ds_builder, bodies: usize, s: &mut Source) {
    let mut geom = geom_desc();
    geom.name = name(s);
    geom.kind = s.id(9);
    geom.size = std::array::from_fn(|_| s.size());
    if s.once_in(2) {
        geom.placement = placement(s);
    }
    if s.once_in(4) {
        geom.friction = s.array();
        geom.condim = s.pick(&[1, 3, 4, 6, 0]);
        geom.margin = s.number();
        geom.priority = s.id(3);
    }
    let (mut vertices, mut triangles): (Vec<f64>, Vec<u32>);
    if s.once_in(3) {
        let n = 4 + s.below(12);
        vertices = s.numbers(3 * n);
        if s.once_in(3) {
            // On a plane, or nearly.
            let scale = s.size() * 1e-3;
            vertices
                .iter_mut()
                .skip(2)
                .step_by(3)
                .for_each(|z| *z *= scale);
        }
        let corners = 3 * (2 + s.below(2 * n));
        triangles = (0..corners).map(|_| s.below(n) as u32).collect();
        if s.once_in(16) {
            triangles[0] = u32::MAX;
        }
        geom.kind = ds_geom_kind::DS_GEOM_MESH as i32;
        geom.vertices = vertices.as_ptr();
        geom.vertex_count = n;
        geom.triangles = triangles.as_ptr();
        geom.triangle_count = corners / 3;
        geom.mesh_mode = s.id(2);
        geom.open_mesh = s.id(2);
    }
    let (body, mut id) = (s.id(bodies), -7);
    let done = expect(
        unsafe { ds_builder_add_geom(b, body, &raw const geom, &raw mut id) },
        "ds_builder_add_geom",
    );
    assert!(done || id == -7, "an id from a call that failed");
}

fn geom_desc() -> ds_geom_desc {
    let mut geom = std::mem::MaybeUninit::uninit();
    // SAFETY: written by the call.
    unsafe {
        ds_geom_desc_init(geom.as_mut_ptr());
        geom.assume_init()
    }
}

unsafe fn add_actuator(b: *mut ds_builder, s: &mut Source) {
    let mut actuator = std::mem::MaybeUninit::<ds_actuator_desc>::uninit();
    let status = unsafe {
        ds_actuator_desc_init(actuator.as_mut_ptr());
        let mut actuator = actuator.assume_init();
        actuator.name = name(s);
        actuator.joint = name(s);
        if s.once_in(2) {
            actuator.gear = s.array();
            actuator.gain = s.number();
            actuator.bias = s.array();
        }
        if s.once_in(3) {
            [actuator.control_lower, actuator.control_upper] = s.array();
            [actuator.force_lower, actuator.force_upper] = s.array();
        }
        if s.once_in(3) {
            actuator.gain_slopes = s.array();
            actuator.activation = s.below(6) as i32;
            actuator.activation_time = s.array();
            actuator.activation_smoothing = s.number();
            actuator.act_early = i32::from(s.once_in(2));
            [actuator.act_lower, actuator.act_upper] = s.array();
            actuator.muscle_active = i32::from(s.once_in(2));
            actuator.muscle_passive = i32::from(s.once_in(2));
            actuator.muscle_length_range = s.array();
            actuator.muscle_force = s.number();
        }
        ds_builder_add_actuator(b, &raw const actuator)
    };
    expect(status, "ds_builder_add_actuator");
}

unsafe fn add_equality(b: *mut ds_builder, bodies: usize, s: &mut Source) {
    let mut equality = std::mem::MaybeUninit::<ds_equality_desc>::uninit();
    let relative = placement(s);
    let status = unsafe {
        ds_equality_desc_init(equality.as_mut_ptr());
        let mut e = equality.assume_init();
        e.name = name(s);
        e.kind = s.id(4);
        (e.body1, e.body2) = (s.id(bodies), s.id(bodies));
        (e.joint1, e.joint2) = (name(s), name(s));
        if s.once_in(2) {
            e.anchor1 = s.array();
            e.anchor2 = s.array();
            e.length = s.size();
            e.torque_scale = s.size();
            e.coefficients = s.array();
        }
        if s.once_in(2) {
            e.relative = relative.as_ptr();
        }
        ds_builder_add_equality(b, &raw const e)
    };
    expect(status, "ds_builder_add_equality");
}

pub fn run(data: &[u8]) {
    let s = &mut Source::new(data);
    if let Some(made) = model(s) {
        let contact = s.pick(&[0, 2, 4]);
        if let Some(mut session) = Session::ordinary(made.model, contact) {
            session.step_and_differentiate(s);
        }
    }
}

/// A mesh on a free body above a box.
pub fn of_mesh(mesh: &TriMesh) {
    let (mut b, mut model) = (null_mut(), null_mut());
    let numbers: Vec<f64> = mesh.vertices.iter().flat_map(|v| v.to_array()).collect();
    let corners: Vec<u32> = mesh.triangles.iter().copied().flatten().collect();
    let inertia = [1.0, 0.0, 0.0, 0.0, 0.01, 0.0, 0.01, 0.0, 0.0, 0.01];
    // SAFETY: as in `model`.
    unsafe {
        ds_builder_create(&raw mut b);
        let mut geom = geom_desc();
        geom.kind = ds_geom_kind::DS_GEOM_BOX as i32;
        geom.size = [0.5; 3];
        expect(
            ds_builder_add_geom(b, 0, &raw const geom, null_mut()),
            "box",
        );
        let mut id = 0;
        ds_builder_add_body(b, 0, null(), null(), inertia.as_ptr(), &raw mut id);
        let mut joint = joint_desc();
        joint.kind = 5;
        ds_builder_add_joint(b, id, &raw const joint);
        geom = geom_desc();
        geom.kind = ds_geom_kind::DS_GEOM_MESH as i32;
        geom.vertices = numbers.as_ptr();
        geom.vertex_count = mesh.vertices.len();
        geom.triangles = corners.as_ptr();
        geom.triangle_count = mesh.triangles.len();
        expect(
            ds_builder_add_geom(b, id, &raw const geom, null_mut()),
            "mesh",
        );
        expect(ds_builder_build(b, &raw mut model), "ds_builder_build");
        ds_builder_free(b);
    }
    if model.is_null() {
        return;
    }
    let made = Made { model };
    let script = [40; 64];
    if let Some(mut session) = Session::ordinary(made.model, 0) {
        session.step_and_differentiate(&mut Source::new(&script));
    }
}
