//! Sensors as outputs of the states of a rollout.

use crate::error::Result;
use crate::query::SensorRoom;
use crate::rollout::{At, Observer};
use crate::step::{Gradient, Sim};
use std::ops::Range;

/// The workspace for the sensors of an element.
pub struct Sensors {
    room: SensorRoom,
    /// Gradient by the readings of one state.
    sum: Vec<f64>,
}

impl Sensors {
    pub fn new(sim: &Sim) -> Self {
        Sensors {
            room: SensorRoom::new(sim),
            sum: vec![0.0; sim.model().nsensordata()],
        }
    }
}

/// Readings of an element's sensors, and a gradient by them: a column for each state.
pub struct Readings<'a> {
    pub sensors: &'a mut Sensors,
    pub data: &'a mut [f64],
    pub bar: &'a [f64],
}

impl Observer for Readings<'_> {
    fn read(&mut self, columns: Range<usize>, sim: &mut Sim, at: At<'_>) -> Result<()> {
        let n = sim.model().nsensordata();
        let first = columns.start * n..(columns.start + 1) * n;
        let data = &mut self.data[first.clone()];
        sim.sensors(&mut self.sensors.room, at.q, at.v, at.u, data)?;
        for k in columns.skip(1) {
            self.data.copy_within(first.clone(), k * n);
        }
        Ok(())
    }

    fn pull(
        &mut self,
        columns: Range<usize>,
        sim: &mut Sim,
        at: At<'_>,
        bars: [&mut [f64]; 4],
    ) -> Result<Gradient> {
        let Sensors { room, sum } = &mut *self.sensors;
        sum.fill(0.0);
        for k in columns {
            let column = &self.bar[k * sum.len()..(k + 1) * sum.len()];
            sum.iter_mut().zip(column).for_each(|(s, x)| *s += x);
        }
        let bars = bars.map(Some);
        sim.sensor_vjp(room, at.q, at.v, at.u, sum, bars)
    }
}
