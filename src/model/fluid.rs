//! The fluid in which bodies move, as in a description.

use crate::error::{Error, Result};
use crate::spatial::Vec3;

/// A fluid that is at rest, or moves with the same velocity everywhere.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fluid {
    /// [kg/m³]
    pub density: f64,
    /// [Pa s]
    pub viscosity: f64,
    /// Its velocity, world axes [m/s].
    pub wind: Vec3,
}

impl Fluid {
    /// Whether it exerts any force.
    pub fn acts(&self) -> bool {
        self.density > 0.0 || self.viscosity > 0.0
    }

    pub(super) fn check(&self) -> Result<()> {
        for (name, value) in [("density", self.density), ("viscosity", self.viscosity)] {
            if !(value.is_finite() && value >= 0.0) {
                return Err(Error::invalid(format!(
                    "fluid: {name} must be finite and not negative, got {value}"
                )));
            }
        }
        match self.wind.is_finite() {
            true => Ok(()),
            false => Err(Error::invalid(format!(
                "fluid: wind must be finite, got {:?}",
                self.wind.to_array()
            ))),
        }
    }
}

/// Drag and lift coefficients of a geom that is an ellipsoid in the fluid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FluidCoefficients {
    /// Quadratic drag on the area that faces the stream.
    pub blunt: f64,
    /// Quadratic drag on the rest of the largest such area.
    pub slender: f64,
    /// Quadratic drag on rotation.
    pub angular: f64,
    /// Lift of an inclined body.
    pub kutta: f64,
    /// Lift of a rotating body.
    pub magnus: f64,
}

impl Default for FluidCoefficients {
    /// The defaults of MJCF.
    fn default() -> Self {
        FluidCoefficients::from_array([0.5, 0.25, 1.5, 1.0, 1.0])
    }
}

impl FluidCoefficients {
    pub fn from_array([blunt, slender, angular, kutta, magnus]: [f64; 5]) -> Self {
        FluidCoefficients {
            blunt,
            slender,
            angular,
            kutta,
            magnus,
        }
    }

    pub fn to_array(self) -> [f64; 5] {
        let c = self;
        [c.blunt, c.slender, c.angular, c.kutta, c.magnus]
    }
}
