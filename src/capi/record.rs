//! Recorder: frames of sims, rollouts and batches, written to a file.

use super::args::{self, Growing};
use super::batch::ds_batch;
use super::edge::{self, Edge};
use super::load::{ds_load_options, load_options};
use super::model::ds_model;
use super::rollout::ds_rollout;
use super::sim::{ds_sim, look_any as look_at_sim};
use super::status::ds_status;
use super::wall;
use crate::error::Result;
use crate::load::options::read_visuals;
use crate::record::{Quantity, Recorder, RecorderOptions};
use std::ffi::{CString, c_char};
use std::ptr;

/// A recorder takes frames of sims, rollouts and batches of one model. It keeps them in a ring buffer
/// of fixed size and writes them as a recording (docs/recording.md). Recording does not change the
/// recorded objects. One thread at a time.
pub struct ds_recorder {
    recorder: Recorder,
    /// Warnings of ds_recorder_add_visuals.
    warnings: Vec<CString>,
    edge: Edge,
}

/// The variable by which a recorded gradient is taken.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ds_quantity {
    /// The tangent of q: nv numbers.
    DS_QUANTITY_POSE = 0,
    /// v: nv numbers.
    DS_QUANTITY_VELOCITY = 1,
    /// u: nu numbers.
    DS_QUANTITY_CONTROL = 2,
}

/// Options of a recorder. Fill with ds_recorder_options_init, then change fields. Pass NULL for the
/// defaults.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ds_recorder_options {
    /// Size of this struct in bytes; set by ds_recorder_options_init.
    pub struct_size: usize,
    /// Frames per second of simulated time; 0: one frame for each step. Default 60.
    pub rate: f64,
    /// Size of the ring buffer in bytes, allocated at creation. The default 2^24 holds more than a
    /// minute of a quadruped at 60 Hz.
    pub capacity: usize,
}

// SAFETY: repr(C), the size first, else words: no padding, every bit pattern a value.
unsafe impl Growing for ds_recorder_options {
    const NAME: &'static str = "ds_recorder_options";
    const FIRST: usize = size_of::<ds_recorder_options>();

    fn defaults() -> Self {
        let o = RecorderOptions::default();
        ds_recorder_options {
            struct_size: size_of::<ds_recorder_options>(),
            rate: o.rate,
            capacity: o.capacity,
        }
    }
}

unsafe fn get<'a>(recorder: *mut ds_recorder) -> Result<&'a mut Recorder> {
    Ok(&mut args::exclusive(recorder, "recorder")?.recorder)
}

unsafe fn look<'a>(recorder: *const ds_recorder) -> Result<&'a Recorder> {
    Ok(&args::reference(recorder, "recorder")?.recorder)
}

/// Fills the struct with the defaults. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_recorder_options_init(options: *mut ds_recorder_options) {
    args::init(options)
}

/// Makes a recorder for a model and keeps the model alive. Release *out with ds_recorder_free.
///
/// Errors: DS_ERR_INVALID_ARGUMENT naming the option; DS_ERR_CAPACITY if there is not enough memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_recorder_create(
    model: *const ds_model,
    options: *const ds_recorder_options,
    out: *mut *mut ds_recorder,
) -> ds_status {
    wall::status(|| {
        let model = super::model::get(model)?;
        let o = args::grown(options, "options")?;
        args::give(out, || {
            let options = RecorderOptions {
                rate: o.rate,
                capacity: o.capacity,
            };
            Ok(ds_recorder {
                recorder: Recorder::new(model.model.clone(), &options)?,
                warnings: Vec::new(),
                edge: Edge::new(&model.model, 0),
            })
        })
    })
}

/// Releases a recorder. Frames that are still in the ring are first written to the file of
/// ds_recorder_open, if that is possible. Call ds_recorder_flush before to get the error. NULL is
/// ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_recorder_free(recorder: *mut ds_recorder) {
    args::take(recorder)
}

/// Adds a channel of `size` numbers with a name to every frame. They are 0 until you set them.
/// *channel, which may be NULL: the number of the channel, from 0. Call it before the first frame and
/// before ds_recorder_open. Allocates.
///
/// Errors: DS_ERR_INVALID_ARGUMENT for a name that is taken, a size of 0, or if a frame has been
/// taken.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_recorder_add_channel(
    recorder: *mut ds_recorder,
    name: *const c_char,
    size: usize,
    channel: *mut i32,
) -> ds_status {
    wall::status(|| {
        let r = get(recorder)?;
        let name = args::text(name, "name")?;
        let channel = args::optional_place(channel, "channel")?;
        let made = r.add_channel(name, size)?;
        if let Some(channel) = channel {
            channel.write(args::id(Some(made)));
        }
        Ok(())
    })
}

/// Sets all numbers of a channel for the frames that follow.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_recorder_set_channel(
    recorder: *mut ds_recorder,
    channel: i32,
    values: *const f64,
) -> ds_status {
    wall::status(|| {
        let r = get(recorder)?;
        let channel = args::index(channel, r.channel_count(), "channel", "channel")?;
        let n = r.channel(channel)?.len();
        r.set_channel(channel, args::array(values, n, "values")?)
    })
}

/// Adds the visual shapes of a file to the bodies of the model that was loaded from it: the "visual"
/// elements of a URDF, with meshes and colours. An MJCF adds nothing, because its visual geoms are
/// part of the model. Of the options only mesh_dirs is used. left_out, which may be NULL: number of
/// shapes whose mesh is missing or unreadable; ds_recorder_warning gives the reasons. Call it before
/// the first frame and before ds_recorder_open. Allocates.
///
/// Errors: DS_ERR_IO, DS_ERR_PARSE, DS_ERR_UNSUPPORTED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_recorder_add_visuals(
    recorder: *mut ds_recorder,
    path: *const c_char,
    options: *const ds_load_options,
    left_out: *mut usize,
) -> ds_status {
    wall::status(|| {
        let r = args::exclusive(recorder, "recorder")?;
        let path = args::path(path, "path")?;
        let options = load_options(options)?;
        let left_out = args::optional_place(left_out, "left_out")?;
        let visuals = read_visuals(path, &options.mesh_dirs, r.recorder.model())?;
        let missing = visuals.left_out;
        let warnings = args::strings(visuals.warnings.iter());
        r.recorder.add_visuals(visuals)?;
        r.warnings.extend(warnings);
        if let Some(left_out) = left_out {
            left_out.write(missing);
        }
        Ok(())
    })
}

/// Number of meshes and colours that ds_recorder_add_visuals could not read. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_recorder_warning_count(recorder: *const ds_recorder) -> usize {
    wall::value(0, || {
        Ok(args::reference(recorder, "recorder")?.warnings.len())
    })
}

/// One line that names a mesh or colour that ds_recorder_add_visuals could not read, and the reason.
/// NULL if the index is out of range. Lives as long as the recorder.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_recorder_warning(
    recorder: *const ds_recorder,
    index: usize,
) -> *const c_char {
    wall::value(ptr::null(), || {
        let list = &args::reference(recorder, "recorder")?.warnings;
        let index = i32::try_from(index).unwrap_or(-1);
        Ok(list[args::index(index, list.len(), "index", "warning")?].as_ptr())
    })
}

/// Opens a file to which the recorder writes its frames whenever the ring is full, so that no frame
/// is lost. Flushed frames form a valid file even if the process dies afterwards. Allocates.
///
/// Errors: DS_ERR_IO; DS_ERR_INVALID_ARGUMENT if the recorder has a file already.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_recorder_open(
    recorder: *mut ds_recorder,
    path: *const c_char,
) -> ds_status {
    wall::status(|| get(recorder)?.open(args::path(path, "path")?))
}

/// Writes the frames in the ring to the file of ds_recorder_open. Does nothing without a file.
///
/// Errors: DS_ERR_IO; then the frames stay in the ring.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_recorder_flush(recorder: *mut ds_recorder) -> ds_status {
    wall::status(|| get(recorder)?.flush())
}

/// Writes the frames in the ring, which are the newest ones, to a recording file of their own.
/// Allocates.
///
/// Errors: DS_ERR_IO.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_recorder_save(
    recorder: *mut ds_recorder,
    path: *const c_char,
) -> ds_status {
    wall::status(|| get(recorder)?.save(args::path(path, "path")?))
}

/// The frames in the ring as the bytes of a recording file: *size bytes at *bytes. They belong to the
/// recorder and live until the next call on it. Allocates.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_recorder_bytes(
    recorder: *mut ds_recorder,
    bytes: *mut *const u8,
    size: *mut usize,
) -> ds_status {
    wall::status(|| {
        let r = get(recorder)?;
        let bytes = args::place(bytes, "bytes")?;
        let size = args::place(size, "size")?;
        let all = r.bytes();
        bytes.write(all.as_ptr());
        size.write(all.len());
        Ok(())
    })
}

/// Takes a frame of the last step of a sim if the rate makes one due; call it after every step. The
/// very first call also takes the state before the step. Does not allocate.
///
/// Errors: DS_ERR_NO_STEP before a step; DS_ERR_INVALID_ARGUMENT for a sim of another model;
/// DS_ERR_CAPACITY for a frame larger than the ring; DS_ERR_IO if the ring is full and the file
/// cannot be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_recorder_step(
    recorder: *mut ds_recorder,
    sim: *const ds_sim,
) -> ds_status {
    wall::status(|| get(recorder)?.step(&look_at_sim(sim)?.sim).map(|_| ()))
}

/// Same as ds_recorder_step for an element of a batch, 0 to count-1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_recorder_batch_step(
    recorder: *mut ds_recorder,
    batch: *const ds_batch,
    element: usize,
) -> ds_status {
    wall::status(|| {
        let batch = &args::reference(batch, "batch")?.batch;
        get(recorder)?.element(batch, element).map(|_| ())
    })
}

/// Repeats the last run of a rollout and takes frames of it, as ds_recorder_step after each step
/// would. You may pass the gradients of ds_rollout_adjoint (nv, nv and nu×N numbers, NULL for each
/// that you do not have); they are shown as arrows. The first frame shows the gradients by the
/// initial state. The gradient by an input is shown in the frame that follows this input.
///
/// Errors: those of ds_recorder_step; DS_ERR_NO_STEP before a run.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_recorder_rollout(
    recorder: *mut ds_recorder,
    rollout: *mut ds_rollout,
    q0_bar: *const f64,
    v0_bar: *const f64,
    u_bar: *const f64,
) -> ds_status {
    wall::status(|| {
        let ds_recorder {
            recorder: r, edge, ..
        } = args::exclusive(recorder, "recorder")?;
        let rollout = &mut args::exclusive(rollout, "rollout")?.0;
        let (nv, nu) = (r.model().free_nv(), r.model().nu());
        let entries = nu * rollout.steps().unwrap_or(0);
        let given =
            |p: *const f64, n, name| (!p.is_null()).then(|| args::array(p, n, name)).transpose();
        let (q0_bar, v0_bar) = (given(q0_bar, nv, "q0_bar")?, given(v0_bar, nv, "v0_bar")?);
        r.rollout(
            rollout,
            q0_bar.map(|x| edge::force(&edge.map, x, &mut edge.a)),
            v0_bar.map(|x| edge::force(&edge.map, x, &mut edge.b)),
            given(u_bar, entries, "u_bar")?,
        )
    })
}

/// Takes a frame of a state (nq and nv numbers) at a time [s], independent of the rate. The frame has
/// no contacts.
///
/// Errors: those of ds_recorder_step; those of ds_sim_step for q and v.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_recorder_state(
    recorder: *mut ds_recorder,
    time: f64,
    q: *const f64,
    v: *const f64,
) -> ds_status {
    wall::status(|| {
        let ds_recorder {
            recorder: r, edge, ..
        } = args::exclusive(recorder, "recorder")?;
        let (nq, nv) = (r.model().free_nq(), r.model().free_nv());
        let (q, v) = (args::array(q, nq, "q")?, args::array(v, nv, "v")?);
        let q = edge::place(&edge.map, q, &mut edge.q);
        r.state(time, q, edge::expand(&edge.map, v, &mut edge.v))
    })
}

/// Shows a gradient as arrows on the bodies in the next frame. quantity: a ds_quantity, the variable
/// of the gradient; values: nv or nu numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_recorder_set_gradient(
    recorder: *mut ds_recorder,
    quantity: i32,
    values: *const f64,
) -> ds_status {
    wall::status(|| {
        let ds_recorder {
            recorder: r, edge, ..
        } = args::exclusive(recorder, "recorder")?;
        let quantity = choice!(quantity, "quantity", ds_quantity {
            DS_QUANTITY_POSE => Quantity::Pose,
            DS_QUANTITY_VELOCITY => Quantity::Velocity,
            DS_QUANTITY_CONTROL => Quantity::Control,
        })?;
        let n = match quantity {
            Quantity::Control => r.model().nu(),
            _ => r.model().free_nv(),
        };
        let values = args::array(values, n, "values")?;
        match quantity {
            Quantity::Control => r.set_gradient(quantity, values),
            _ => r.set_gradient(quantity, edge::force(&edge.map, values, &mut edge.a)),
        }
    })
}

/// Shows an arrow in the next frame: body, start point and vector, 3 numbers each, world axes. At
/// most 64 arrows per frame.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_recorder_add_arrow(
    recorder: *mut ds_recorder,
    body: i32,
    point: *const f64,
    vector: *const f64,
) -> ds_status {
    wall::status(|| {
        let r = get(recorder)?;
        let body = args::index(body, r.model().nbody(), "body", "body")?;
        let (p, v) = (
            args::array(point, 3, "point")?,
            args::array(vector, 3, "vector")?,
        );
        r.add_arrow(body, [p[0], p[1], p[2]], [v[0], v[1], v[2]])
    })
}

/// Shows a surface in all following frames until you set this name again, for example a contact
/// patch. npoints points [m] (3 numbers each), world axes; ntriangles triangles (the indices of 3
/// points each, from 0), visible from both sides; rgba: the colour (red, green, blue, opacity: 4
/// numbers from 0 to 1). npoints = 0 removes the surface, and rgba may be NULL. The name of a
/// deformable body replaces the surface that frames show of it. If you set a name several times
/// before a frame, the last call counts. Does not allocate if the sizes are the same as last time.
///
/// Errors: DS_ERR_NUMERICAL for a point that is not finite; DS_ERR_INVALID_ARGUMENT for an index out
/// of range or a colour out of range; DS_ERR_CAPACITY for a surface larger than the ring and for more
/// than 256 names. Then nothing changes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_recorder_surface(
    recorder: *mut ds_recorder,
    name: *const c_char,
    points: *const f64,
    npoints: usize,
    triangles: *const u32,
    ntriangles: usize,
    rgba: *const f32,
) -> ds_status {
    wall::status(|| {
        let r = get(recorder)?;
        let name = args::text(name, "name")?;
        let points = args::array(points.cast::<[f64; 3]>(), npoints, "points")?;
        let triangles = args::array(triangles.cast::<[u32; 3]>(), ntriangles, "triangles")?;
        let rgba = match npoints {
            0 => [0.0; 4],
            _ => *args::reference(rgba.cast::<[f32; 4]>(), "rgba")?,
        };
        r.set_surface(name, points, triangles, rgba)
    })
}

/// Number of frames taken until now. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_recorder_frames(recorder: *const ds_recorder) -> u64 {
    wall::value(0, || Ok(look(recorder)?.frames()))
}

/// Number of frames that newer ones have displaced from the ring; always 0 with ds_recorder_open. 0
/// for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_recorder_dropped(recorder: *const ds_recorder) -> u64 {
    wall::value(0, || Ok(look(recorder)?.dropped()))
}
