//! Tables and plots of the examples: one task, solved with each of the compared gradients.

use super::gauss_newton::{Gradient, Run};
use super::plot::{Plot, Series};
use diffsim::error::{Error, Result};
use std::path::PathBuf;

/// A task in words.
pub struct Report {
    pub title: &'static str,
    /// The plural name of an evaluation of the residual.
    pub evaluations: &'static str,
    /// The residual and its units.
    pub residual: &'static str,
    pub units: &'static str,
    /// Where the plot goes, and beside it the recordings.
    pub path: PathBuf,
}

impl Report {
    /// Prints the cost of each run, plots its error, and returns the run with the first gradient.
    pub fn compare(
        &self,
        gradients: &[Gradient],
        solve: impl Fn(Gradient) -> Result<Run>,
    ) -> Result<Run> {
        println!("{}", self.title);
        let (mut series, mut first) = (Vec::new(), None);
        for gradient in gradients {
            let run = solve(*gradient)?;
            println!(
                "  {:26} {:2} iterations, {:3} linearized and {:4} plain {}, {:7.2} ms, {} {:.1e}",
                gradient.label(),
                run.iterations(),
                run.linearizations,
                run.evaluations,
                self.evaluations,
                1e3 * run.seconds,
                self.residual,
                run.error(),
            );
            series.push(Series::of(&gradient.label(), &run.history));
            first.get_or_insert(run);
        }
        let plot = Plot {
            title: self.title,
            x_label: "Gauss–Newton iteration",
            y_label: &format!("{}, largest entry [{}]", self.residual, self.units),
            series,
        };
        plot.write(&self.path)?;
        println!("  {}", self.path.display());
        first.ok_or_else(|| Error::invalid("gradients: expected at least one"))
    }
}
