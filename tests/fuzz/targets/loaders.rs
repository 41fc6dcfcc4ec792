//! Files: a loaded file is stepped, and its collision geometry used.

use super::session::{Session, expect};
use super::source::Source;
use diffsim::capi::load::*;
use diffsim::capi::model::{ds_model, ds_model_free};
use diffsim::error::Status;
use diffsim::load::height_file::{HeightFormat, parse_heights};
use diffsim::load::mesh_file::{MeshFormat, parse_mesh};
use std::ptr::{null, null_mut};

/// No case is longer; what long files do is a test's business.
const LONGEST: usize = 1 << 16;

pub fn urdf(data: &[u8]) {
    load(data, ds_format::DS_FORMAT_URDF as i32);
}

pub fn mjcf(data: &[u8]) {
    load(data, ds_format::DS_FORMAT_MJCF as i32);
}

fn load(data: &[u8], format: i32) {
    let data = &data[..data.len().min(LONGEST)];
    let mut model: *mut ds_model = null_mut();
    // SAFETY: the text has that length, and `model` is a place.
    let status = unsafe {
        let text = data.as_ptr().cast();
        ds_model_load_string(text, data.len(), format, null(), &raw mut model)
    };
    if !expect(status, "ds_model_load_string") {
        assert!(model.is_null(), "a model from a call that failed");
        return;
    }
    // The same few calls for every file.
    let script: Vec<u8> = (0..96).map(|k| (k * 37 % 200) as u8).collect();
    let mut source = Source::new(&script);
    for contact in [0, 2] {
        if let Some(mut session) = Session::ordinary(model, contact) {
            session.step_and_differentiate(&mut source);
        }
    }
    // SAFETY: made above, released once.
    unsafe { ds_model_free(model) };
}

pub fn stl(data: &[u8]) {
    mesh(data, MeshFormat::Stl);
}

pub fn obj(data: &[u8]) {
    mesh(data, MeshFormat::Obj);
}

pub fn dae(data: &[u8]) {
    mesh(data, MeshFormat::Collada);
}

pub fn glb(data: &[u8]) {
    mesh(data, MeshFormat::Glb);
}

pub fn msh(data: &[u8]) {
    mesh(data, MeshFormat::Msh);
}

fn mesh(data: &[u8], format: MeshFormat) {
    let data = &data[..data.len().min(LONGEST)];
    match parse_mesh(data, format) {
        Err(e) => assert_ne!(e.status, Status::Internal, "{e}"),
        Ok(mesh) => super::builder::of_mesh(&mesh),
    }
}

/// An image where the bytes begin as one, else numbers.
pub fn hfield(data: &[u8]) {
    /// Bound on the nodes of a case of few bytes.
    const BUDGET: usize = 1 << 20;
    let format = match data.starts_with(b"\x89PNG") {
        true => HeightFormat::Png,
        false => HeightFormat::Binary,
    };
    match parse_heights(&data[..data.len().min(LONGEST)], format, BUDGET) {
        Err(e) => assert_ne!(e.status, Status::Internal, "{e}"),
        Ok(h) => {
            assert!(h.rows >= 2 && h.columns >= 2 && h.rows * h.columns <= BUDGET);
            assert_eq!(h.values.len(), h.rows * h.columns);
            assert!(h.values.iter().all(|z| z.is_finite()));
        }
    }
}
