//! Hydroelastic contact: bodies press each other over faces, by pressure fields inside of them.
//!
//! A compliant body has a mesh of tetrahedra with a pressure that grows linearly in each from 0 at the
//! surface to the modulus at the medial axis; a rigid one has its surface. The contact surface is where two
//! pressures are equal, or the part of a rigid surface inside of a field. It is made of polygons, one for
//! each pair of elements. A polygon of area A acts at its centroid like a point contact of stiffness A g and
//! gap −p/g, where p is the pressure there and g its slope along the normal: of two bodies g = g_A g_B/(g_A +
//! g_B). (Masterjohn et al., "Velocity level approximation of pressure field contact patches".)
//!
//! Every polygon is cut where the pressure is zero: the part beyond is a contact of its own, which is not
//! closed yet. Faces whose normal leaves the slope of the pressure by nearly a right angle fade out smoothly.

mod element;
mod mesh;
mod polygon;
mod scalar;
mod search;
mod section;
mod sketch;
mod tree;

pub use mesh::Representation;
pub use search::{Face, FaceDerivative, Press, Shift, Side, collide, differentiate, meets};
