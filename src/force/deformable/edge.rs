//! The tension of an edge: a spring and damper along the line between two nodes.

use crate::spatial::{Mat3, Vec3};

/// An edge with its tension T = k (l − rest) + β k l̇.
#[derive(Clone, Copy, Debug, Default)]
pub struct Edge {
    pub ends: [usize; 2],
    /// Length without tension [m].
    pub rest: f64,
    /// Direction from the first node to the second, length and its rate, and the rate of the vector between
    /// the nodes.
    along: Vec3,
    length: f64,
    rate: f64,
    turned: Vec3,
    tension: f64,
}

impl Edge {
    pub fn new(ends: [usize; 2]) -> Edge {
        Edge {
            ends,
            ..Edge::default()
        }
    }

    /// Takes the vector between its nodes and the rate of this vector. Returns the force on the first
    /// node; the second has the opposite one.
    pub fn take(&mut self, [stiffness, damping]: [f64; 2], d: Vec3, rate: Vec3) -> Vec3 {
        self.length = d.norm();
        // Nodes in one place have no direction between them.
        self.along = d.normalized().unwrap_or(Vec3::ZERO);
        self.rate = self.along.dot(rate);
        self.turned = rate - self.along * self.rate;
        self.tension = stiffness * (self.length - self.rest + damping * self.rate);
        self.along * self.tension
    }

    /// Distance from the state in which the direction is not defined [m].
    pub fn length(&self) -> f64 {
        self.length
    }

    /// Minus the derivatives of the force on the second node by its position and by its velocity.
    pub fn slopes(&self, [stiffness, damping]: [f64; 2]) -> [Mat3; 2] {
        let n = self.along;
        if self.length <= 0.0 {
            return [Mat3::ZERO; 2];
        }
        let inverse = 1.0 / self.length;
        let by_length = n + self.turned * (damping * inverse);
        let across = Mat3::IDENTITY - Mat3::outer(n, n);
        [
            Mat3::outer(n, by_length) * stiffness + across * (self.tension * inverse),
            Mat3::outer(n, n) * (stiffness * damping),
        ]
    }

    /// Minus the change of the force on the second node along changes of stiffness, damping and rest length.
    pub fn by_numbers(&self, [stiffness, damping]: [f64; 2], [dk, dd, dl]: [f64; 3]) -> Vec3 {
        let stretch = self.length - self.rest + damping * self.rate;
        self.along * (dk * stretch + stiffness * (dd * self.rate - dl))
    }

    /// Energy [J].
    pub fn energy(&self, stiffness: f64, d: Vec3) -> f64 {
        0.5 * stiffness * (d.norm() - self.rest).powi(2)
    }
}
