//! Deformable bodies: additions to a builder.

use super::args::{self, Growing};
use super::builder::{self, ds_builder};
use super::status::ds_status;
use super::wall;
use crate::error::{Error, Result};
use crate::model::deformable::{DeformableSpec, Material};
use crate::model::deformable_builder::Skin;
use crate::spatial::Vec3;
use std::ffi::c_char;
use std::ptr;

/// The law of the stress in tetrahedra. For small strains both are Hooke's law.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ds_material {
    /// Stable neo-Hookean: smooth at every deformation, inverted tetrahedra included.
    DS_MATERIAL_NEO_HOOKEAN = 0,
    /// Hooke's law in axes that turn with the tetrahedron.
    DS_MATERIAL_COROTATED = 1,
}

/// A deformable body: nodes that tetrahedra (solids), triangles (membranes) or edges (strings and nets) join.
/// Fill with ds_deformable_desc_init, then change fields. Everything is copied during the call.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ds_deformable_desc {
    /// Size of this struct in bytes; set by ds_deformable_desc_init.
    pub struct_size: usize,
    /// Name, unique among deformable bodies. Body, joint and geom of node i are called NAME_i. NULL for
    /// none.
    pub name: *const c_char,
    /// Number of nodes. Default 0.
    pub node_count: usize,
    /// Places of the nodes in the world while every joint is at its reference, 3×node_count, column-major
    /// [m]. There the body has no stress.
    pub nodes: *const f64,
    /// Number of edges. Default 0.
    pub edge_count: usize,
    /// The two nodes of each edge, 2×edge_count.
    pub edges: *const i32,
    /// Number of tetrahedra. Default 0.
    pub tet_count: usize,
    /// The four nodes of each tetrahedron, 4×tet_count, in an order with a positive volume
    /// (x1 - x0) . ((x2 - x0) x (x3 - x0)) / 6.
    pub tets: *const i32,
    /// Number of attached nodes. Default 0.
    pub attach_count: usize,
    /// The attached nodes. Forces act both ways. An attached node has no mass: the body has its inertia.
    pub attach_nodes: *const i32,
    /// The body that carries each attached node; 0 is the world.
    pub attach_bodies: *const i32,
    /// A ds_material. Default DS_MATERIAL_NEO_HOOKEAN.
    pub material: i32,
    /// condim of the nodes' geoms, as in ds_geom_desc. Default 3.
    pub condim: i32,
    /// Mass per volume of tetrahedra and triangles [kg/m3]; without these, per length of the edges [kg/m].
    /// Each element gives equal shares to its nodes. Default 1000.
    pub density: f64,
    /// The mass of all elements together [kg]; it replaces density if it is not 0. Default 0.
    pub mass: f64,
    /// Young's modulus of tetrahedra and triangles [Pa]. Default 0, which these refuse.
    pub young: f64,
    /// Poisson's ratio of tetrahedra and triangles, above -1 and below 0.5. Default 0.3.
    pub poisson: f64,
    /// Stiffness of each edge: force per change of length [N/m]. Default 0.
    pub stiffness: f64,
    /// Ratio of damping to stiffness [s]; it damps strains, not rigid motions. Default 0.
    pub damping: f64,
    /// Radius of the sphere of each free node for contact [m]; 0: no contact. Nodes touch neither each
    /// other nor bodies to which nodes are attached. Default 0.
    pub radius: f64,
    /// Sliding friction of these spheres. Default 1.
    pub friction: f64,
    /// Number of triangles. They resist strains in their plane, not bending. Default 0.
    pub triangle_count: usize,
    /// The three nodes of each triangle, 3×triangle_count.
    pub triangles: *const i32,
    /// Thickness of the triangles [m]. Default 0, which triangles refuse.
    pub thickness: f64,
}

// SAFETY: repr(C), the size first, i32 in pairs, else words: no padding, every bit pattern a value.
unsafe impl Growing for ds_deformable_desc {
    const NAME: &'static str = "ds_deformable_desc";
    const FIRST: usize = size_of::<ds_deformable_desc>();

    fn defaults() -> Self {
        ds_deformable_desc {
            struct_size: size_of::<ds_deformable_desc>(),
            name: ptr::null(),
            node_count: 0,
            nodes: ptr::null(),
            edge_count: 0,
            edges: ptr::null(),
            tet_count: 0,
            tets: ptr::null(),
            attach_count: 0,
            attach_nodes: ptr::null(),
            attach_bodies: ptr::null(),
            material: ds_material::DS_MATERIAL_NEO_HOOKEAN as i32,
            condim: 3,
            density: 1000.0,
            mass: 0.0,
            young: 0.0,
            poisson: 0.3,
            stiffness: 0.0,
            damping: 0.0,
            radius: 0.0,
            friction: 1.0,
            triangle_count: 0,
            triangles: ptr::null(),
            thickness: 0.0,
        }
    }
}

/// Fills the struct with the defaults. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_deformable_desc_init(deformable: *mut ds_deformable_desc) {
    args::init(deformable)
}

/// Adds a deformable body. Each free node becomes a body on a translation joint, which follows the bodies
/// added before; q of the joint is the displacement of the node [m]. Ids of deformable bodies follow the
/// order of additions.
///
/// A simulation with deformable bodies needs an implicit integrator (DS_INTEGRATOR_FROM_MODEL takes
/// DS_INTEGRATOR_IMPLICIT_EULER) and DS_CONTACT_PENALTY or DS_CONTACT_NONE.
///
/// Errors: DS_ERR_INVALID_ARGUMENT for nodes or bodies out of range, a node without an element or attached
/// twice, flat or inverted tetrahedra, triangles without area, edges of length zero, numbers that are not
/// finite or out of range, and a name that is taken. Then nothing is added.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_builder_add_deformable(
    builder: *mut ds_builder,
    deformable: *const ds_deformable_desc,
) -> ds_status {
    wall::status(|| {
        let b = builder::get(builder)?;
        args::reference(deformable, "deformable")?;
        let d = args::grown(deformable, "deformable")?;
        let material = choice!(d.material, "deformable.material", ds_material {
            DS_MATERIAL_NEO_HOOKEAN => Material::NeoHookean,
            DS_MATERIAL_COROTATED => Material::Corotated,
        })?;
        let nodes = args::numbers(
            d.nodes,
            times(d.node_count, 3, "node_count")?,
            "deformable.nodes",
        )?;
        let edges = args::array(
            d.edges,
            times(d.edge_count, 2, "edge_count")?,
            "deformable.edges",
        )?;
        let tets = args::array(
            d.tets,
            times(d.tet_count, 4, "tet_count")?,
            "deformable.tets",
        )?;
        let triangles = args::array(
            d.triangles,
            times(d.triangle_count, 3, "triangle_count")?,
            "deformable.triangles",
        )?;
        let attached = args::array(d.attach_nodes, d.attach_count, "deformable.attach_nodes")?;
        let bodies = args::array(d.attach_bodies, d.attach_count, "deformable.attach_bodies")?;
        let attached: Result<Vec<_>> = (attached.iter().zip(bodies))
            .map(|(node, body)| {
                let node = args::index(*node, d.node_count, "deformable.attach_nodes", "node")?;
                Ok((node, builder::body(*body, "deformable.attach_bodies")?))
            })
            .collect();
        let mut spec = DeformableSpec {
            name: builder::name(d.name)?.into(),
            nodes: Vec::new(),
            rest: nodes.chunks_exact(3).map(Vec3::from_slice).collect(),
            edges: elements(edges, d.node_count, "deformable.edges")?,
            triangles: elements(triangles, d.node_count, "deformable.triangles")?,
            tets: elements(tets, d.node_count, "deformable.tets")?,
            thickness: d.thickness,
            material,
            density: d.density,
            young: d.young,
            poisson: d.poisson,
            stiffness: d.stiffness,
            damping: d.damping,
            origin: String::new(),
        };
        let positive = |name: &str, x: f64| match x >= 0.0 && x.is_finite() {
            true => Ok(x > 0.0),
            false => Err(Error::invalid(format!(
                "deformable.{name}: must be finite and not negative, got {x}"
            ))),
        };
        if positive("mass", d.mass)? {
            spec.density = d.mass / spec.extent();
        }
        let skin = positive("radius", d.radius)?.then_some(Skin {
            radius: d.radius,
            friction: d.friction,
            condim: d.condim,
        });
        b.add_deformable(spec, &attached?, skin).map(|_| ())
    })
}

fn times(count: usize, each: usize, name: &str) -> Result<usize> {
    count.checked_mul(each).ok_or_else(|| {
        Error::invalid(format!(
            "deformable.{name}: {count} are more than memory holds"
        ))
    })
}

fn elements<const N: usize>(all: &[i32], nodes: usize, name: &str) -> Result<Vec<[usize; N]>> {
    let list = all.as_chunks::<N>().0.iter();
    list.map(|corners| {
        let mut element = [0; N];
        for (to, i) in element.iter_mut().zip(corners) {
            *to = args::index(*i, nodes, name, "node")?;
        }
        Ok(element)
    })
    .collect()
}
