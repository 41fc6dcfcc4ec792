//! One binary for all targets: the environment variable `DIFFSIM_FUZZ_TARGET` names one of them.

#![no_main]

#[path = "../tests/fuzz/targets/mod.rs"]
mod targets;

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static TARGET: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let name = std::env::var("DIFFSIM_FUZZ_TARGET").unwrap_or_default();
    let found = targets::ALL.iter().find(|(known, _)| *known == name);
    found.unwrap_or_else(|| panic!("DIFFSIM_FUZZ_TARGET: {name:?} is no target")).1
});

fuzz_target!(|data: &[u8]| {
    let taken = targets::timed(*TARGET, data);
    assert!(taken < targets::SECONDS, "{taken} s");
});
