//! Hydroelastic contact: bodies press on each other over faces, by pressure fields inside them.
//!
//! A compliant body has a mesh of tetrahedra. Its pressure is linear in each, 0 at the surface and
//! equal to the modulus at the medial axis. A rigid body has its surface. The contact surface is where
//! two pressures are equal, or the part of a rigid surface inside a field. It consists of polygons, one
//! for each pair of elements.
//!
//! A polygon of area A acts at its centroid like a point contact of stiffness A g and gap −p/g. Here p
//! is the pressure there and g its slope along the normal; for two compliant bodies g = g_A g_B/(g_A +
//! g_B). (Masterjohn et al., "Velocity level approximation of pressure field contact patches".)
//!
//! Every polygon is cut where the pressure is zero. The part beyond is a contact of its own that is not
//! closed yet. Faces whose normal is nearly perpendicular to the slope of the pressure fade out
//! smoothly.
//!
//! The scene calls [`collide`] and [`differentiate`].

mod cell;
mod element;
mod growth;
mod mesh;
mod polygon;
mod scalar;
mod search;
mod section;
mod sketch;
mod tree;

pub use growth::grow;
pub use mesh::Representation;
pub use search::{
    Face, FaceDerivative, MOST_VERTICES, Press, Shift, Side, collide, differentiate, meets, outline,
};
