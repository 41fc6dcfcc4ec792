//! The fuzzer's targets on its corpus, and on fresh inputs made from it with a seed.
//!
//! `fuzz/run.sh` lets coverage guide them; a case that it finds is mended, minimized and added to the corpus.

mod fresh;
mod targets;

use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;
use targets::{ALL, SECONDS, timed};

/// Tests are less optimized, on machines that do other things.
const SLOWER: f64 = 6.0;

fn corpus(name: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz/corpus")
        .join(name);
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .map(|f| f.unwrap().path())
        .collect();
    files.sort();
    assert!(!files.is_empty(), "{}: empty", folder.display());
    files
        .into_iter()
        .map(|f| (f.clone(), std::fs::read(f).unwrap()))
        .collect()
}

#[test]
fn the_corpus_keeps_every_promise() {
    for (name, target) in ALL {
        for (path, data) in corpus(name) {
            let taken = timed(target, &data);
            assert!(taken < SLOWER * SECONDS, "{}: {taken} s", path.display());
        }
    }
}

/// The same inputs on every run; `DIFFSIM_FUZZ_SEED` and `DIFFSIM_FUZZ_CASES` (of each target) ask for
/// others, and `DIFFSIM_FUZZ_TARGET` for those of one target.
#[test]
fn fresh_inputs_keep_every_promise() {
    let asked = |name: &str, otherwise: u64| {
        let value = std::env::var(name).ok();
        value.map_or(otherwise, |v| v.parse().unwrap())
    };
    let (seed, cases) = (
        asked("DIFFSIM_FUZZ_SEED", 1),
        asked("DIFFSIM_FUZZ_CASES", 300),
    );
    let only = std::env::var("DIFFSIM_FUZZ_TARGET").ok();
    let named = |name: &str| only.as_deref().is_none_or(|only| only == name);
    assert!(ALL.iter().any(|(name, _)| named(name)), "{only:?}");
    for (name, target) in ALL.into_iter().filter(|(name, _)| named(name)) {
        let parents: Vec<Vec<u8>> = corpus(name).into_iter().map(|(_, data)| data).collect();
        let input = move |case: u64| fresh::input(&parents, seed.wrapping_mul(1 << 32) + case);
        // A failing case is kept on disk for its minimization.
        let keep = |case: u64, outcome: &str| {
            let kept =
                std::env::temp_dir().join(format!("diffsim-fuzz-{name}-{}", std::process::id()));
            std::fs::write(&kept, input(case)).unwrap();
            panic!(
                "{name}, seed {seed}, case {case}: {outcome}; it is in {}",
                kept.display()
            );
        };
        // On a thread of its own, so that one that never ends is told of.
        let (tell, told) = mpsc::channel();
        let of_thread = input.clone();
        std::thread::spawn(move || {
            for case in 0..cases {
                let data = of_thread(case);
                let outcome = std::panic::catch_unwind(|| timed(target, &data));
                if tell.send(outcome).is_err() {
                    break;
                }
            }
        });
        for case in 0..cases {
            match told.recv_timeout(Duration::from_secs_f64(2.0 * SLOWER * SECONDS)) {
                Ok(Ok(taken)) if taken < SLOWER * SECONDS => {}
                Ok(outcome) => keep(case, &format!("{outcome:?}")),
                Err(e) => keep(case, &format!("no end: {e}")),
            }
        }
    }
}
