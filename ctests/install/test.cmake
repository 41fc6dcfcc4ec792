# Installs into an empty folder, moves that elsewhere, and builds and runs programs with what is there:
# find_package (shared and static) and pkg-config; and the same programs with add_subdirectory. Which versions
# the packages take, what is in which component, and that a debugger finds the symbols.
file(REMOVE_RECURSE "${WORK}")
set(first "${WORK}/first")
set(prefix "${WORK}/moved")
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${first}"
  COMMAND_ERROR_IS_FATAL ANY)
file(RENAME "${first}" "${prefix}")
set(lib "${prefix}/${LIBDIR}")

foreach(file "${prefix}/include/diffsim.h" "${prefix}/include/diffsim_record.h" "${prefix}/include/diffsim.hpp" "${lib}/libdiffsim.a" "${lib}/libdiffsim.so.${VERSION}"
        "${lib}/libdiffsim.so.${VERSION}.debug" "${prefix}/share/doc/diffsim/LICENSE-APACHE" "${prefix}/share/doc/diffsim/LICENSE-MIT"
        "${prefix}/share/doc/diffsim/THIRD-PARTY.txt")
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

# Without the component debug nothing but symbols is missing, and programs need only runtime.
function(component expected)
  file(REMOVE_RECURSE "${WORK}/component")
  foreach(name ${ARGN})
    execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${WORK}/component" --component ${name}
      COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  file(GLOB_RECURSE files RELATIVE "${WORK}/component/${LIBDIR}" "${WORK}/component/${LIBDIR}/libdiffsim*")
  list(SORT files)
  if(NOT "${files}" STREQUAL "${expected}")
    message(FATAL_ERROR "the components ${ARGN} have ${files}, not ${expected}")
  endif()
endfunction()
component("${SONAME};libdiffsim.so.${VERSION}" runtime)
component("libdiffsim.a;libdiffsim.so;${SONAME};libdiffsim.so.${VERSION}" runtime development)
component("libdiffsim.so.${VERSION}.debug" debug)

if(READELF)
  function(build_id result file)
    execute_process(COMMAND "${READELF}" -n "${file}" OUTPUT_VARIABLE notes COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCH "Build ID: ([0-9a-f]+)" found "${notes}")
    set(${result} "${CMAKE_MATCH_1}" PARENT_SCOPE)
  endfunction()
  build_id(of_library "${lib}/libdiffsim.so.${VERSION}")
  build_id(of_symbols "${lib}/libdiffsim.so.${VERSION}.debug")
  if(NOT of_library MATCHES "^[0-9a-f]+$" OR NOT of_library STREQUAL of_symbols)
    message(FATAL_ERROR "build ids: \"${of_library}\" of the library, \"${of_symbols}\" of its symbols")
  endif()
  execute_process(COMMAND "${READELF}" -SW "${lib}/libdiffsim.so.${VERSION}" OUTPUT_VARIABLE sections
    COMMAND_ERROR_IS_FATAL ANY)
  if(sections MATCHES "\\.debug_|\\.symtab" OR NOT sections MATCHES "\\.gnu_debuglink")
    message(FATAL_ERROR "the installed library is not stripped, or does not name its symbols:\n${sections}")
  endif()
endif()

function(build source folder)
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -S "${source}" -B "${folder}" -G "${GENERATOR}"
            "-DCMAKE_PREFIX_PATH=${prefix}" "-DWANTED=${VERSION}" ${ARGN}
    COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND "${CMAKE_COMMAND}" --build "${folder}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()
build("${SOURCE}/bindings/cpp" "${WORK}/start")
build("${CMAKE_CURRENT_LIST_DIR}" "${WORK}/package")
build("${CMAKE_CURRENT_LIST_DIR}" "${WORK}/subdirectory" "-DSUBDIRECTORY=${SOURCE}")
foreach(way package subdirectory)
  foreach(program c_diffsim c_static cpp_diffsim cpp_static)
    execute_process(COMMAND "${WORK}/${way}/${program}" COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
endforeach()
execute_process(COMMAND "${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/versions" -B "${WORK}/versions" -G "${GENERATOR}"
  "-DCMAKE_PREFIX_PATH=${prefix}" "-DVERSION=${VERSION}" COMMAND_ERROR_IS_FATAL ANY)

if(GDB)
  # From inside the library, where only its own symbols tell the line.
  execute_process(
    COMMAND "${GDB}" -nx -batch -iex "set debuginfod enabled off" -ex "set breakpoint pending on"
            -ex "break ds_sim_step" -ex run -ex backtrace "${WORK}/package/c_diffsim"
    OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(NOT said MATCHES "#0 [^#]*ds_sim_step[^#]* at [^#]*src/capi/[a-z_]+\\.rs:[0-9]+")
    message(FATAL_ERROR "gdb does not find the lines of the library:\n${said}")
  endif()
else()
  message("SKIPPED: gdb is not installed, the symbols were not tried")
endif()

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
string(REGEX MATCH "^[0-9]+\\.[0-9]+" series "${VERSION}")
string(REGEX MATCH "^[0-9]+" major "${VERSION}")
math(EXPR next "${major} + 1")
foreach(range "--atleast-version=${series}" "--exact-version=${VERSION}" "--max-version=${next}")
  execute_process(COMMAND "${PKG_CONFIG}" ${range} diffsim COMMAND_ERROR_IS_FATAL ANY)
endforeach()
foreach(range "--atleast-version=${VERSION}.1" "--atleast-version=${next}" "--exact-version=${next}")
  execute_process(COMMAND "${PKG_CONFIG}" ${range} diffsim RESULT_VARIABLE refused)
  if(refused EQUAL 0)
    message(FATAL_ERROR "pkg-config ${range} takes ${VERSION}")
  endif()
endforeach()
pkg_config(said --modversion)
if(NOT said STREQUAL VERSION)
  message(FATAL_ERROR "pkg-config says version ${said}, not ${VERSION}")
endif()
