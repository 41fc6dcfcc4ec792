# Installs into an empty folder, moves that elsewhere, and builds and runs a program with what is
# there: find_package (shared and static) and pkg-config.
file(REMOVE_RECURSE "${WORK}")
set(first "${WORK}/first")
set(prefix "${WORK}/moved")
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${first}"
  COMMAND_ERROR_IS_FATAL ANY)
file(RENAME "${first}" "${prefix}")
set(lib "${prefix}/${LIBDIR}")

foreach(file "${prefix}/include/diffsim.h" "${lib}/libdiffsim.a" "${lib}/libdiffsim.so.${VERSION}")
  if(NOT EXISTS "${file}" OR IS_SYMLINK "${file}")
    message(FATAL_ERROR "not installed: ${file}")
  endif()
endforeach()
foreach(link "${SONAME}>libdiffsim.so.${VERSION}" "libdiffsim.so>${SONAME}")
  string(REPLACE ">" ";" link "${link}")
  list(POP_FRONT link name)
  file(READ_SYMLINK "${lib}/${name}" target)
  if(NOT target STREQUAL link)
    message(FATAL_ERROR "${name} leads to ${target}, not to ${link}")
  endif()
endforeach()

execute_process(
  COMMAND "${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}" -B "${WORK}/build" -G "${GENERATOR}"
          "-DCMAKE_PREFIX_PATH=${prefix}" "-DWANTED=${VERSION}"
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${WORK}/build" COMMAND_ERROR_IS_FATAL ANY)
foreach(program c_diffsim c_static cpp_diffsim cpp_static)
  execute_process(COMMAND "${WORK}/build/${program}" COMMAND_ERROR_IS_FATAL ANY)
endforeach()

if(NOT PKG_CONFIG)
  message("SKIPPED: pkg-config is not installed, diffsim.pc was not tried")
  return()
endif()
set(ENV{PKG_CONFIG_PATH} "${lib}/pkgconfig")
set(ENV{LD_LIBRARY_PATH} "${lib}")
function(pkg_config result)
  execute_process(COMMAND "${PKG_CONFIG}" ${ARGN} diffsim OUTPUT_VARIABLE said
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(${result} "${said}" PARENT_SCOPE)
endfunction()
pkg_config(flags --cflags --libs)
separate_arguments(flags UNIX_COMMAND "${flags}")
execute_process(COMMAND "${CC}" "${CMAKE_CURRENT_LIST_DIR}/consumer.c" ${flags} -o "${WORK}/by_pkg_config"
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${WORK}/by_pkg_config" COMMAND_ERROR_IS_FATAL ANY)
pkg_config(said --static --libs-only-l)
if(NOT said STREQUAL "-ldiffsim ${NATIVE}")
  message(FATAL_ERROR "pkg-config --static says ${said}")
endif()
pkg_config(said --modversion)
if(NOT said STREQUAL VERSION)
  message(FATAL_ERROR "pkg-config says version ${said}, not ${VERSION}")
endif()
