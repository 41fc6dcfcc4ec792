//! Queries of a model.

use super::args;
use super::edge;
use super::wall;
use crate::error::{Error, Result};
use crate::model::Model;
use std::ffi::{CString, c_char};
use std::ptr;
use std::sync::Arc;

/// A robot or scene. Constant once made; any number of threads may use it at once.
pub struct ds_model {
    pub(super) model: Arc<Model>,
    pub(super) bodies: Vec<CString>,
    pub(super) joints: Vec<CString>,
    pub(super) geoms: Vec<CString>,
    pub(super) sites: Vec<CString>,
    pub(super) tendons: Vec<CString>,
    pub(super) actuators: Vec<CString>,
    sensors: Vec<CString>,
    keyframes: Vec<CString>,
    warnings: Vec<CString>,
}

impl ds_model {
    pub(super) fn new(model: Model) -> ds_model {
        ds_model {
            bodies: args::strings(model.bodies().iter().map(|b| &b.name)),
            joints: args::strings(model.joints().iter().map(|j| &j.name)),
            geoms: args::strings(model.geoms().iter().map(|g| &g.name)),
            sites: args::strings(model.sites().iter().map(|s| &s.name)),
            tendons: args::strings(model.tendons().iter().map(|t| &t.name)),
            actuators: args::strings(model.actuators().iter().map(|a| &a.name)),
            sensors: args::strings(model.sensors().iter().map(|s| &s.name)),
            keyframes: args::strings(model.keyframes().iter().map(|k| &k.name)),
            warnings: args::strings(model.warnings().iter()),
            model: Arc::new(model),
        }
    }
}

pub(super) unsafe fn get<'a>(model: *const ds_model) -> Result<&'a ds_model> {
    args::reference(model, "model")
}

/// A model for calls that do not convert reduced coordinates.
pub(super) unsafe fn whole<'a>(model: *const ds_model) -> Result<&'a ds_model> {
    let m: &ds_model = get(model)?;
    edge::refuse(&m.model)?;
    Ok(m)
}

pub(super) unsafe fn count(model: *const ds_model, of: impl FnOnce(&Model) -> usize) -> usize {
    wall::value(0, || Ok(of(&get(model)?.model)))
}

unsafe fn find(
    model: *const ds_model,
    name: *const c_char,
    what: &str,
    of: impl FnOnce(&Model, &str) -> Option<usize>,
) -> i32 {
    wall::value(-1, || {
        let m = get(model)?;
        let name = args::text(name, "name")?;
        match of(&m.model, name) {
            Some(i) => Ok(args::id(Some(i))),
            None => Err(Error::invalid(format!(
                "name: no {what} is called \"{name}\""
            ))),
        }
    })
}

unsafe fn named(
    model: *const ds_model,
    id: i32,
    what: &str,
    of: impl FnOnce(&ds_model) -> &Vec<CString>,
) -> *const c_char {
    wall::value(ptr::null(), || {
        let list = of(get(model)?);
        Ok(list[args::index(id, list.len(), what, what)?].as_ptr())
    })
}

/// Releases a model. Sims and rollouts made from it live on. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_free(model: *mut ds_model) {
    args::take(model)
}

/// Length of configurations q. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_nq(model: *const ds_model) -> usize {
    count(model, Model::free_nq)
}

/// Length of velocities v and of tangent vectors: the number of dofs. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_nv(model: *const ds_model) -> usize {
    count(model, Model::free_nv)
}

/// Number of inputs u. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_nu(model: *const ds_model) -> usize {
    count(model, Model::nu)
}

/// Number of bodies, the world (body 0) included. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_nbody(model: *const ds_model) -> usize {
    count(model, Model::nbody)
}

/// Number of joints, fixed ones included. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_njoint(model: *const ds_model) -> usize {
    count(model, Model::njoint)
}

/// Number of geoms. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_ngeom(model: *const ds_model) -> usize {
    count(model, Model::ngeom)
}

/// Number of sites: named frames on bodies. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_nsite(model: *const ds_model) -> usize {
    count(model, |m| m.sites().len())
}

/// Number of tendons. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_ntendon(model: *const ds_model) -> usize {
    count(model, |m| m.tendons().len())
}

/// Number of keyframes. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_nkeyframe(model: *const ds_model) -> usize {
    count(model, |m| m.keyframes().len())
}

/// Id of the body of this name; -1 if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_body_id(model: *const ds_model, name: *const c_char) -> i32 {
    find(model, name, "body", Model::body_id)
}

/// Id of the joint of this name; -1 if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_joint_id(model: *const ds_model, name: *const c_char) -> i32 {
    find(model, name, "joint", Model::joint_id)
}

/// Id of the geom of this name; -1 if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_geom_id(model: *const ds_model, name: *const c_char) -> i32 {
    find(model, name, "geom", Model::geom_id)
}

/// Id of the site of this name; -1 if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_site_id(model: *const ds_model, name: *const c_char) -> i32 {
    find(model, name, "site", Model::site_id)
}

/// Id of the tendon of this name; -1 if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_tendon_id(model: *const ds_model, name: *const c_char) -> i32 {
    find(model, name, "tendon", Model::tendon_id)
}

/// Index in u of the actuator of this name; -1 if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_actuator_id(model: *const ds_model, name: *const c_char) -> i32 {
    find(model, name, "actuator", |m, name| {
        m.actuators().iter().position(|a| a.name == name)
    })
}

/// Name of a body, "" if it has none; NULL if the id is out of range. Lives as long as the model.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_body_name(model: *const ds_model, body: i32) -> *const c_char {
    named(model, body, "body", |m| &m.bodies)
}

/// Name of a joint, as ds_model_body_name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_joint_name(model: *const ds_model, joint: i32) -> *const c_char {
    named(model, joint, "joint", |m| &m.joints)
}

/// Name of a tendon, as ds_model_body_name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_tendon_name(
    model: *const ds_model,
    tendon: i32,
) -> *const c_char {
    named(model, tendon, "tendon", |m| &m.tendons)
}

/// Name of a geom, as ds_model_body_name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_geom_name(model: *const ds_model, geom: i32) -> *const c_char {
    named(model, geom, "geom", |m| &m.geoms)
}

/// Name of a site, as ds_model_body_name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_site_name(model: *const ds_model, site: i32) -> *const c_char {
    named(model, site, "site", |m| &m.sites)
}

/// Id of the sensor of this name; -1 if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_sensor_id(model: *const ds_model, name: *const c_char) -> i32 {
    find(model, name, "sensor", Model::sensor_id)
}

/// Name of a sensor, as ds_model_body_name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_sensor_name(
    model: *const ds_model,
    sensor: i32,
) -> *const c_char {
    named(model, sensor, "sensor", |m| &m.sensors)
}

/// Name of the actuator of an input, as ds_model_body_name. With DS_ACTUATION_FULL it is the name
/// of the joint.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_actuator_name(
    model: *const ds_model,
    actuator: i32,
) -> *const c_char {
    named(model, actuator, "actuator", |m| &m.actuators)
}

/// Name of a keyframe, as ds_model_body_name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_keyframe_name(
    model: *const ds_model,
    keyframe: i32,
) -> *const c_char {
    named(model, keyframe, "keyframe", |m| &m.keyframes)
}

/// Number of warnings: elements that the loader read but does not use. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_warning_count(model: *const ds_model) -> usize {
    count(model, |m| m.warnings().len())
}

/// A warning of the loader about an element that it does not use, in one line; NULL if the index is
/// out of range. Lives as long as the model.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_warning(model: *const ds_model, index: usize) -> *const c_char {
    let index = i32::try_from(index).unwrap_or(-1);
    named(model, index, "warning", |m| &m.warnings)
}
