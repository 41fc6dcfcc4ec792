//! JVP and VJP of the displacement S by a change of impact times ([`impact`](super::impact)).

use super::{ContactStage, lanes, solved_by};
use crate::dynamics::factors::Factors;
use crate::error::Result;
use crate::model::topology::Topology;
use crate::step::contact_kernels::gather;

impl ContactStage {
    /// Number of contacts of the last step that rebound. Call it after [`ContactStage::linearize`].
    pub fn impacts(&self) -> usize {
        self.linear.as_ref().map_or(0, |l| l.impacts.len())
    }

    /// Starts a direction with the change of the gaps by a displacement. An empty displacement stands
    /// for zero.
    pub fn meet(&mut self, dq: &[f64]) {
        let (c, Some(l)) = (&self.constraints, &mut self.linear) else {
            return;
        };
        for impact in &mut l.impacts {
            let change = |(k, n): (usize, f64)| n * dq.get(k).unwrap_or(&0.0);
            impact.gap = impact.normal(c).map(change).sum();
        }
    }

    /// The same along the gap of one impact.
    pub fn meet_one(&mut self, index: usize) {
        if let Some(l) = &mut self.linear {
            for (i, impact) in l.impacts.iter_mut().enumerate() {
                impact.gap = f64::from(u8::from(i == index));
            }
        }
    }

    /// Adds `scale` times the change of the gaps by the parameter of the last
    /// [`ContactStage::parameter`].
    pub fn meet_by_parameter(&mut self, scale: f64) {
        if let Some(l) = &mut self.linear {
            for impact in &mut l.impacts {
                impact.gap += scale * l.gaps[impact.group];
            }
        }
    }

    /// S along the direction.
    pub fn displacement(&mut self, t: &Topology, m: &mut Factors, out: &mut [f64]) -> Result<()> {
        out.fill(0.0);
        let (c, Some(l)) = (&self.constraints, &mut self.linear) else {
            return Ok(());
        };
        let rows = c.g.len();
        let (w, answer) = (&mut l.sigma[..rows], &mut l.w_param[..rows]);
        w.fill(0.0);
        for impact in &l.impacts {
            impact.add(c, w);
        }
        let problem = c.problem();
        let law = solved_by(&mut self.law, &mut self.relaxed);
        law.linearize(&problem)?
            .apply(&problem, w, None, 1, answer)?;
        for group in 0..c.groups() {
            c.rows.add_half(group, lanes(&answer[c.range(group)]), out);
        }
        c.rows.complete(t, m, out);
        Ok(())
    }

    /// Adjoint of [`ContactStage::displacement`]. It takes the adjoint of S, which it overwrites, and
    /// adds to the adjoint of q. The adjoints of the gaps are kept.
    pub fn displacement_adjoint(
        &mut self,
        t: &Topology,
        m: &mut Factors,
        bar: &mut [f64],
        q_bar: &mut [f64],
    ) -> Result<()> {
        let (c, Some(l)) = (&self.constraints, &mut self.linear) else {
            return Ok(());
        };
        let rows = c.g.len();
        c.rows.begin(t, m, bar);
        gather(c, bar, &mut l.dlambda);
        let problem = c.problem();
        let law = solved_by(&mut self.law, &mut self.relaxed);
        let (answer, w) = (&l.dlambda[..rows], &mut l.sigma[..rows]);
        law.linearize(&problem)?
            .apply_transpose(&problem, answer, w, None)?;
        for impact in &mut l.impacts {
            let w = w[c.range(impact.group)].iter();
            impact.gap = w.zip(impact.by_gap).map(|(w, by_gap)| w * by_gap).sum();
            for (k, n) in impact.normal(c) {
                q_bar[k] += n * impact.gap;
            }
        }
        Ok(())
    }

    /// Adjoint of [`ContactStage::meet_by_parameter`].
    pub fn meeting_adjoint(&self) -> f64 {
        let Some(l) = &self.linear else {
            return 0.0;
        };
        (l.impacts.iter()).map(|i| i.gap * l.gaps[i.group]).sum()
    }

    /// Calls `visit(dof, x)` for the slopes of an impact's gap by q.
    pub fn for_gap(&self, index: usize, mut visit: impl FnMut(usize, f64)) {
        if let Some(l) = &self.linear {
            for (k, n) in l.impacts[index].normal(&self.constraints) {
                visit(k, n);
            }
        }
    }
}
