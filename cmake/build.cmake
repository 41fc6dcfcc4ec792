# Builds both libraries, shows cargo's output as it comes, and keeps it: it has the list of native libraries.
set(ENV{CARGO_TARGET_DIR} "${TARGET_DIR}")
if(TARGET)
  set(ENV{CARGO_BUILD_TARGET} "${TARGET}")
endif()
execute_process(
  COMMAND "${CARGO}" libraries
  RESULT_VARIABLE result ERROR_VARIABLE said ECHO_ERROR_VARIABLE)
file(WRITE "${LOG}" "${said}")
if(NOT result EQUAL 0)
  message(FATAL_ERROR "cargo failed")
endif()
