//! Readers of model files: each turns a file into a [`ModelSpec`](crate::model::spec::ModelSpec).

pub mod mesh;
pub mod mjcf;
mod xml;
