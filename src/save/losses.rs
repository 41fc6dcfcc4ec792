//! Things that a format cannot express: one line for each kind, with the names of the first few.

/// Number of names in a line.
const NAMED: usize = 3;

#[derive(Default)]
pub(super) struct Losses(Vec<Loss>);

struct Loss {
    what: String,
    named: Vec<String>,
    count: usize,
}

impl Losses {
    /// Adds `who` to the line with the text `what`.
    pub fn note(&mut self, what: impl Into<String>, who: &str) {
        let what = what.into();
        let at = self.0.iter().position(|l| l.what == what);
        let at = at.unwrap_or_else(|| {
            self.0.push(Loss {
                what,
                named: Vec::new(),
                count: 0,
            });
            self.0.len() - 1
        });
        let loss = &mut self.0[at];
        loss.count += 1;
        if loss.named.len() < NAMED {
            loss.named.push(format!("\"{who}\""));
        }
    }

    /// Adds a separate line.
    pub fn say(&mut self, what: impl Into<String>) {
        self.0.push(Loss {
            what: what.into(),
            named: Vec::new(),
            count: 1,
        });
    }

    pub fn into_lines(self) -> Vec<String> {
        let line = |l: Loss| match (l.named.is_empty(), l.count > l.named.len()) {
            (true, _) => l.what,
            (false, false) => format!("{}: {} ({})", l.what, l.count, l.named.join(", ")),
            (false, true) => format!("{}: {} ({}, ...)", l.what, l.count, l.named.join(", ")),
        };
        self.0.into_iter().map(line).collect()
    }
}
