# Builds both libraries, shows cargo's output as it comes, and keeps it: it has the list of native libraries.
# Cargo optimizes across crates only without Rust's own kind of library, which Cargo.toml names for the tests.
set(for)
if(TARGET)
  set(for --target "${TARGET}")
endif()
execute_process(
  COMMAND "${CARGO}" rustc --release --locked --lib --crate-type cdylib,staticlib --target-dir "${TARGET_DIR}" ${for} --
          --print native-static-libs
  RESULT_VARIABLE result ERROR_VARIABLE said ECHO_ERROR_VARIABLE)
file(WRITE "${LOG}" "${said}")
if(NOT result EQUAL 0)
  message(FATAL_ERROR "cargo failed")
endif()
