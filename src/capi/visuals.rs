//! Visual shapes: read from the file of a robot.

use super::args;
use super::load::{ds_load_options, load_options};
use super::model::{ds_model, get};
use super::model_parts::kind;
use super::status::ds_status;
use super::wall;
use crate::error::Result;
use crate::load::options::read_drawings;
use crate::load::visual::Visual;
use crate::model::spec::ShapeSpec;
use std::ffi::{CString, c_char};
use std::ptr;

/// A visual shape of one colour on a body. It and all that it points to belong to its ds_visuals.
#[repr(C)]
pub struct ds_visual {
    /// Name in the file; "" if it has none. Shapes of one element of the file that differ in colour
    /// share it.
    pub name: *const c_char,
    /// Path of the mesh file that was found. NULL for other shapes and for shapes of an MJCF.
    pub file: *const c_char,
    /// Id of the body.
    pub body: i32,
    /// A ds_geom_kind.
    pub kind: i32,
    /// Sizes [m] as the kind says, the unused ones zero.
    pub size: [f64; 3],
    /// Pose in the body's frame: a column-major 4×4 matrix.
    pub placement: [f64; 16],
    /// Red, green, blue, opacity, 0 to 1; NaN if the file gives no colour.
    pub rgba: [f64; 4],
    /// For a mesh: 3 × vertex_count numbers [m], with the file's scale. NULL for other shapes.
    pub vertices: *const f64,
    /// Number of vertices.
    pub vertex_count: usize,
    /// For a mesh: 3 × triangle_count indices of vertices. NULL for other shapes.
    pub triangles: *const u32,
    /// Number of triangles.
    pub triangle_count: usize,
}

/// Owner of the strings and arrays of a ds_visual.
struct Held {
    name: CString,
    file: Option<CString>,
    vertices: Vec<f64>,
    triangles: Vec<u32>,
}

/// The visual shapes of a robot, read from a file. Constant once made.
pub struct ds_visuals {
    shapes: Vec<ds_visual>,
    left_out: usize,
    warnings: Vec<CString>,
    _held: Vec<Held>,
}

impl Held {
    fn new(visual: &Visual) -> Held {
        let text = |s: String| args::strings(std::iter::once(&s)).pop().unwrap_or_default();
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        if let ShapeSpec::Mesh { mesh, .. } = &visual.shape {
            vertices.extend(mesh.vertices.iter().flat_map(|v| v.to_array()));
            triangles.extend(mesh.triangles.iter().flatten());
        }
        let file = visual.file.as_ref();
        Held {
            name: text(visual.name.clone()),
            file: file.map(|f| text(f.to_string_lossy().into_owned())),
            vertices,
            triangles,
        }
    }

    fn shape(&self, visual: &Visual) -> ds_visual {
        let mesh = !self.vertices.is_empty();
        ds_visual {
            name: self.name.as_ptr(),
            file: self.file.as_ref().map_or(ptr::null(), |f| f.as_ptr()),
            body: args::id(Some(visual.body)),
            kind: kind(&visual.shape) as i32,
            size: visual.shape.sizes(),
            placement: visual.placement.homogeneous(),
            rgba: visual.rgba.map(f64::from),
            vertices: if mesh {
                self.vertices.as_ptr()
            } else {
                ptr::null()
            },
            vertex_count: self.vertices.len() / 3,
            triangles: if mesh {
                self.triangles.as_ptr()
            } else {
                ptr::null()
            },
            triangle_count: self.triangles.len() / 3,
        }
    }
}

/// Reads the visual shapes of a file for the bodies of the model that was loaded from it. In a URDF
/// these are the `<visual>` elements, with meshes and colours (of materials, otherwise of the mesh
/// file). In an MJCF these are the geoms that touch nothing. Of the options, which may be NULL, only
/// mesh_dirs is used. Shapes whose mesh is missing or unreadable are left out, with a warning.
/// Release *out with ds_visuals_free; you may free the model's handle before.
///
/// Errors: DS_ERR_IO, DS_ERR_PARSE, DS_ERR_UNSUPPORTED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_visuals_load(
    model: *const ds_model,
    path: *const c_char,
    options: *const ds_load_options,
    out: *mut *mut ds_visuals,
) -> ds_status {
    wall::status(|| {
        let model = &get(model)?.model;
        let path = args::path(path, "path")?;
        let options = load_options(options)?;
        args::give(out, || {
            let found = read_drawings(path, &options.mesh_dirs, model)?;
            let held: Vec<Held> = found.shapes.iter().map(Held::new).collect();
            Ok(ds_visuals {
                shapes: (held.iter().zip(&found.shapes))
                    .map(|(held, visual)| held.shape(visual))
                    .collect(),
                left_out: found.left_out,
                warnings: args::strings(found.warnings.iter()),
                _held: held,
            })
        })
    })
}

unsafe fn read<'a>(visuals: *const ds_visuals) -> Result<&'a ds_visuals> {
    args::reference(visuals, "visuals")
}

/// Releases visual shapes. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_visuals_free(visuals: *mut ds_visuals) {
    args::take(visuals)
}

/// Number of visual shapes. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_visuals_count(visuals: *const ds_visuals) -> usize {
    wall::value(0, || Ok(read(visuals)?.shapes.len()))
}

/// A visual shape; NULL if the index is out of range. Lives as long as visuals.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_visuals_at(
    visuals: *const ds_visuals,
    index: usize,
) -> *const ds_visual {
    wall::value(ptr::null(), || {
        let list = &read(visuals)?.shapes;
        let index = i32::try_from(index).unwrap_or(-1);
        Ok(ptr::from_ref(
            &list[args::index(index, list.len(), "index", "visual")?],
        ))
    })
}

/// Number of shapes that were left out because their mesh is missing or unreadable. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_visuals_left_out(visuals: *const ds_visuals) -> usize {
    wall::value(0, || Ok(read(visuals)?.left_out))
}

/// Number of meshes and colours that could not be read. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_visuals_warning_count(visuals: *const ds_visuals) -> usize {
    wall::value(0, || Ok(read(visuals)?.warnings.len()))
}

/// One line that names a mesh or colour that could not be read, and the reason; NULL if the index is
/// out of range. Lives as long as visuals.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_visuals_warning(
    visuals: *const ds_visuals,
    index: usize,
) -> *const c_char {
    wall::value(ptr::null(), || {
        let list = &read(visuals)?.warnings;
        let index = i32::try_from(index).unwrap_or(-1);
        Ok(list[args::index(index, list.len(), "index", "warning")?].as_ptr())
    })
}
