//! Times of several ways to do the same, taken in turns.

use std::time::Instant;

/// Rounds; every way has its turn in each.
const ROUNDS: usize = 41;
/// Of ways that take longer than this [ns] there are few rounds.
const LONG: f64 = 1e9;
const FEW: usize = 3;
/// A turn takes about this long [ns].
const TURN: f64 = 1e6;

pub type Way<'a> = (&'a str, Box<dyn FnMut() + 'a>);

/// Prints the median time of each way [ns], and the median over the rounds of its ratio to the first.
pub fn compare(what: &str, ways: &mut [Way]) {
    let mut rounds = ROUNDS;
    let runs: Vec<usize> = ways
        .iter_mut()
        .map(|(_, f)| {
            let mut once = time(1, f);
            // A single one may have been interrupted.
            for _ in 0..if once < LONG { 8 } else { 0 } {
                once = once.min(time(1, f));
            }
            rounds = if once < LONG { rounds } else { rounds.min(FEW) };
            ((TURN / once) as usize).max(1)
        })
        .collect();
    let mut times = vec![Vec::with_capacity(rounds); ways.len()];
    for _ in 0..rounds {
        for ((times, (_, f)), runs) in times.iter_mut().zip(ways.iter_mut()).zip(&runs) {
            times.push(time(*runs, f));
        }
    }
    for ((name, _), own) in ways.iter().zip(&times) {
        let ratios = own.iter().zip(&times[0]).map(|(t, first)| t / first);
        let (ns, ratio) = (median(own.clone()), median(ratios.collect()));
        println!("{what:34} {name:26} {ns:12.0} ns {ratio:8.2}");
    }
}

fn time(runs: usize, f: &mut dyn FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..runs {
        f();
    }
    start.elapsed().as_nanos() as f64 / runs as f64
}

fn median(mut x: Vec<f64>) -> f64 {
    x.sort_unstable_by(f64::total_cmp);
    x[x.len() / 2]
}
