//! The fuzzer's targets on its corpus, and on fresh inputs made from it with a seed.
//!
//! `fuzz/run.sh` lets coverage guide them; a case that it finds is mended, minimized and added to the corpus.

mod fresh;
mod targets;

use std::path::{Path, PathBuf};
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

/// The same inputs on every run; `DIFFSIM_FUZZ_SEED` and `DIFFSIM_FUZZ_CASES` (of each target) ask for others, and
/// `DIFFSIM_FUZZ_TARGET` for those of one target.
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
        for case in 0..cases {
            let data = fresh::input(&parents, seed.wrapping_mul(1 << 32) + case);
            // What a failing case was is on disk for its minimization.
            let kept =
                std::env::temp_dir().join(format!("diffsim-fuzz-{name}-{}", std::process::id()));
            let outcome = std::panic::catch_unwind(|| timed(target, &data));
            if !outcome
                .as_ref()
                .is_ok_and(|taken| *taken < SLOWER * SECONDS)
            {
                std::fs::write(&kept, &data).unwrap();
                panic!(
                    "{name}, seed {seed}, case {case}: {outcome:?}; it is in {}",
                    kept.display()
                );
            }
        }
    }
}
