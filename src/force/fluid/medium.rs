//! The properties of a fluid.

#[derive(Clone, Copy, Debug)]
pub struct Medium {
    /// [kg/m³]
    pub density: f64,
    /// [Pa s]
    pub viscosity: f64,
}
