# Builds both libraries, shows cargo's output as it comes, and keeps it: it has the list of native libraries.
set(for)
if(TARGET)
  set(for --target "${TARGET}")
endif()
execute_process(
  COMMAND "${CARGO}" rustc --release --locked --lib --target-dir "${TARGET_DIR}" ${for} --
          --print native-static-libs
  RESULT_VARIABLE result ERROR_VARIABLE said ECHO_ERROR_VARIABLE)
file(WRITE "${LOG}" "${said}")
if(NOT result EQUAL 0)
  message(FATAL_ERROR "cargo failed")
endif()
