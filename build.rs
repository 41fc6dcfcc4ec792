//! Gives the shared library the name under which programs look for it: cargo sets none.

use std::env;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    match env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("linux") => println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libdiffsim.so.0"),
        Ok("macos") => {
            println!("cargo:rustc-cdylib-link-arg=-Wl,-install_name,@rpath/libdiffsim.0.dylib");
        }
        _ => {}
    }
}
