//! Editing of models: a builder from a model, and changes to the parts of a builder.

use super::args;
use super::args::Growing;
use super::builder::{self, body, ds_builder, geom_spec, get, joint_spec, pose};
use super::builder_desc::{ds_geom_desc, ds_joint_desc};
use super::describe::{ds_body_desc, geom_desc, joint_desc, tell};
use super::model::{self, ds_model};
use super::status::ds_status;
use super::wall;
use crate::error::{Error, Result};
use crate::model::builder::ModelBuilder;
use crate::spatial::Inertia;
use std::ffi::c_char;

/// Makes a builder from all parts of a model. ds_builder_build gives the same model again; before it
/// you can add, change and remove parts. Ids of bodies, joints, geoms and sites are the model's; ids
/// of new parts follow them. New actuators take the next entries of u, also after the inputs of
/// DS_ACTUATION_FULL. Keyframes remain; new parts are there at their neutral configuration, at rest
/// and without input. Release *out with ds_builder_free. The model does not change and may be freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_builder_from_model(
    model: *const ds_model,
    out: *mut *mut ds_builder,
) -> ds_status {
    wall::status(|| {
        let m = &model::get(model)?.model;
        args::give(out, || Ok(ds_builder::new(ModelBuilder::from_model(m)?)))
    })
}

/// Adds all parts of another model. Bodies on its world are attached to `body`. `placement` is the
/// pose of its world frame in that body, a column-major 4×4 matrix; NULL for the identity. `prefix`
/// is put before all its names; NULL for none. Two hands from one file need two prefixes. Gravity,
/// fluid and time step remain those of the builder. Inputs of the added model follow the existing
/// ones; a builder with inputs on all dofs (DS_ACTUATION_FULL) instead gets inputs on the new dofs.
/// The model does not change and may be freed.
///
/// Errors: DS_ERR_INVALID_ARGUMENT for a body out of range, for a name that is taken, and for a robot
/// on a free joint if `body` is not the world; DS_ERR_UNSUPPORTED for inputs on dofs of joints
/// without a name. Then the builder does not change.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_builder_attach(
    builder: *mut ds_builder,
    body: i32,
    placement: *const f64,
    model: *const ds_model,
    prefix: *const c_char,
) -> ds_status {
    wall::status(|| {
        let b = get(builder)?;
        let placement = builder::placement(placement)?;
        let m = &model::get(model)?.model;
        let prefix = match prefix.is_null() {
            true => "",
            false => args::text(prefix, "prefix")?,
        };
        b.attach(self::body(body, "body")?, placement, m, prefix)
    })
}

unsafe fn find(
    builder: *const ds_builder,
    name: *const c_char,
    what: &str,
    of: impl FnOnce(&ModelBuilder, &str) -> Option<usize>,
) -> i32 {
    wall::value(-1, || {
        let b = builder::look(builder)?;
        let name = args::text(name, "name")?;
        match of(b, name) {
            Some(i) => Ok(args::id(Some(i))),
            None => Err(Error::invalid(format!(
                "name: the builder has no {what} called \"{name}\""
            ))),
        }
    })
}

/// The builder's id of the body of this name; -1 if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_builder_body_id(
    builder: *const ds_builder,
    name: *const c_char,
) -> i32 {
    find(builder, name, "body", ModelBuilder::body_id)
}

/// The builder's id of the joint of this name; -1 if there is none. Joint ids follow the order of
/// additions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_builder_joint_id(
    builder: *const ds_builder,
    name: *const c_char,
) -> i32 {
    find(builder, name, "joint", ModelBuilder::joint_id)
}

/// The builder's id of the geom of this name; -1 if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_builder_geom_id(
    builder: *const ds_builder,
    name: *const c_char,
) -> i32 {
    find(builder, name, "geom", ModelBuilder::geom_id)
}

fn part(id: i32, name: &str) -> Result<usize> {
    usize::try_from(id).map_err(|_| Error::invalid(format!("{name}: must be an id, got {id}")))
}

/// Description of a joint of a builder, as given. Fill *out with ds_joint_desc_init first; its name
/// stays NULL.
///
/// Errors: DS_ERR_INVALID_ARGUMENT for an id out of range or a struct that was not filled.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_builder_joint(
    builder: *const ds_builder,
    joint: i32,
    out: *mut ds_joint_desc,
) -> ds_status {
    wall::status(|| {
        let b = builder::look(builder)?;
        tell(out, &joint_desc(b.joint(part(joint, "joint")?)?))
    })
}

/// Description of a body of a builder. Fill *out with ds_body_desc_init first; its name stays NULL.
///
/// Errors: DS_ERR_INVALID_ARGUMENT for an id out of range or a struct that was not filled.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_builder_body(
    builder: *const ds_builder,
    body: i32,
    out: *mut ds_body_desc,
) -> ds_status {
    wall::status(|| {
        let bodies = &builder::look(builder)?.spec().bodies;
        let i = args::index(body, bodies.len(), "body", "body")?;
        let b = &bodies[i];
        let before = bodies[..i].iter().filter(|b| b.mocap).count();
        let made = ds_body_desc {
            parent: args::id(Some(b.parent)),
            mocap: args::id(b.mocap.then_some(before)),
            placement: b.placement.homogeneous(),
            inertia: b.inertia.to_params(),
            gravity_compensation: b.gravity_compensation,
            ..ds_body_desc::defaults()
        };
        tell(out, &made)
    })
}

/// Description of a geom of a builder. Fill *out with ds_geom_desc_init first; its name stays NULL.
/// The arrays of its mesh or heights belong to the builder and are valid until the builder changes.
///
/// Errors: DS_ERR_INVALID_ARGUMENT for an id out of range or a struct that was not filled.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_builder_geom(
    builder: *const ds_builder,
    geom: i32,
    out: *mut ds_geom_desc,
) -> ds_status {
    wall::status(|| {
        let geoms = &builder::look(builder)?.spec().geoms;
        let i = args::index(geom, geoms.len(), "geom", "geom")?;
        tell(out, &geom_desc(&geoms[i]))
    })
}

/// Replaces the description of a joint, except its kind. Fill the struct with ds_builder_joint,
/// change fields and pass it, for example to give a joint friction that its file leaves at 0. If the
/// struct's name is NULL, the joint keeps its name.
///
/// Errors: DS_ERR_INVALID_ARGUMENT for an id out of range or another kind; those of
/// ds_builder_add_joint.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_builder_set_joint(
    builder: *mut ds_builder,
    joint: i32,
    to: *const ds_joint_desc,
) -> ds_status {
    wall::status(|| {
        let b = get(builder)?;
        let id = part(joint, "joint")?;
        let mut spec = joint_spec(to)?;
        let old = b.joint(id)?;
        spec.origin.clone_from(&old.origin);
        if args::grown(to, "joint")?.name.is_null() {
            spec.name.clone_from(&old.name);
        }
        b.set_joint(id, spec)
    })
}

/// Replaces the placement, inertia and gravity compensation of a body by those of a struct as
/// ds_model_body fills it. Other fields are not read.
///
/// Errors: DS_ERR_INVALID_ARGUMENT for an id out of range or the world's; those of
/// ds_builder_add_body.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_builder_set_body(
    builder: *mut ds_builder,
    body: i32,
    to: *const ds_body_desc,
) -> ds_status {
    wall::status(|| {
        let b = get(builder)?;
        args::reference(to, "to")?;
        let d = args::grown(to, "to")?;
        args::finite(&d.inertia, "to.inertia")?;
        let placement = pose(&d.placement, "to.placement")?;
        let inertia = Inertia::from_params(&d.inertia);
        b.set_body(
            self::body(body, "body")?,
            placement,
            inertia,
            d.gravity_compensation,
        )
    })
}

/// Replaces a geom by another one on the same body. If the struct's name is NULL, the geom keeps its
/// name.
///
/// Errors: DS_ERR_INVALID_ARGUMENT for an id out of range; those of ds_builder_add_geom.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_builder_set_geom(
    builder: *mut ds_builder,
    geom: i32,
    to: *const ds_geom_desc,
) -> ds_status {
    wall::status(|| {
        let b = get(builder)?;
        let id = part(geom, "geom")?;
        let mut spec = geom_spec(0, to)?;
        if let Some(old) = b.spec().geoms.get(id) {
            // Fields that the struct does not have.
            (spec.fluid, spec.rgba) = (old.fluid, old.rgba);
            spec.origin.clone_from(&old.origin);
            if args::grown(to, "geom")?.name.is_null() {
                spec.name.clone_from(&old.name);
            }
        }
        b.set_geom(id, spec)
    })
}

/// Removes a geom and all settings of its pairs. The ids of later geoms decrease by one.
///
/// Errors: DS_ERR_INVALID_ARGUMENT for an id out of range.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_builder_remove_geom(builder: *mut ds_builder, geom: i32) -> ds_status {
    wall::status(|| get(builder)?.remove_geom(part(geom, "geom")?))
}
