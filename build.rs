//! Gives the shared library the name under which programs look for it, which cargo does not, and on Linux a
//! build id, by which debuggers find its symbols.

use std::env;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    match env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("linux") => {
            println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libdiffsim.so.0");
            println!("cargo:rustc-cdylib-link-arg=-Wl,--build-id=sha1");
        }
        Ok("macos") => {
            println!("cargo:rustc-cdylib-link-arg=-Wl,-install_name,@rpath/libdiffsim.0.dylib");
        }
        _ => {}
    }
}
