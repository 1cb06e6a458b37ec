# The project's few build functions: one library, one test program and its fuzzers per folder, all found by glob.
find_program(TIDEMARK_CCACHE ccache)
if(TIDEMARK_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${TIDEMARK_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${TIDEMARK_CCACHE})
endif()

set(TIDEMARK_SANITIZE "" CACHE STRING "address,undefined or thread")
option(TIDEMARK_FUZZ "build the fuzzers (clang)" OFF)
option(TIDEMARK_TESTS "build the tests" ON)
option(TIDEMARK_BENCH "build the benchmarks" OFF)
# For the builds that only a test run needs: the headers of many files are read once. Released binaries are built file by file.
option(TIDEMARK_BATCH "compile a library's files in batches, and tests with a precompiled header" OFF)

find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(absl REQUIRED)
find_package(Protobuf REQUIRED)
pkg_check_modules(GRPCPP REQUIRED IMPORTED_TARGET grpc++)
find_program(TIDEMARK_GRPC_PLUGIN grpc_cpp_plugin REQUIRED)
if(TIDEMARK_TESTS)
  find_package(GTest REQUIRED)
endif()

add_library(tidemark_flags INTERFACE)
target_include_directories(tidemark_flags INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
target_compile_options(tidemark_flags INTERFACE -Wall -Wextra -Wpedantic -Werror -Wno-missing-field-initializers
  $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety -Werror=thread-safety>)
target_link_libraries(tidemark_flags INTERFACE Threads::Threads)
if(TIDEMARK_SANITIZE)
  target_compile_options(tidemark_flags INTERFACE -fsanitize=${TIDEMARK_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(tidemark_flags INTERFACE -fsanitize=${TIDEMARK_SANITIZE})
  # With a sanitizer's checks in between, GCC 12 sees overruns in std::string's own code (GCC PR 105329, 105651).
  target_compile_options(tidemark_flags INTERFACE "$<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds;-Wno-stringop-overflow;-Wno-restrict>")
endif()
if(TIDEMARK_FUZZ)
  target_compile_options(tidemark_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(TIDEMARK_BATCH)
  # In a batch the file that is compiled is not the one that a type belongs to.
  target_compile_options(tidemark_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endif()

# tidemark_library(NAME DEPS... [ALONE FILES...]): every *.cc of this folder that is no test, benchmark, fuzzer or main.
# ALONE: files that share a private name with another file of the folder, and so cannot stand in one batch with it.
function(tidemark_library name)
  cmake_parse_arguments(arg "" "" "ALONE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS *.cc)
  list(FILTER sources EXCLUDE REGEX "_(test|bench|fuzz|main)\\.cc$")
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC tidemark_flags ${arg_UNPARSED_ARGUMENTS})
  if(TIDEMARK_BATCH)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 10)
    set_source_files_properties(${arg_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()

# tidemark_tests(NAME DEPS... [LABELS threads]): the folder's *_test.cc in one program, and its *_fuzz.cc, one program each.
# LABELS threads: also built and run under ThreadSanitizer.
function(tidemark_tests name)
  cmake_parse_arguments(arg "" "" "DEPS;LABELS" ${ARGN})
  file(GLOB tests CONFIGURE_DEPENDS *_test.cc)
  if(TIDEMARK_TESTS AND tests)
    add_executable(${name}_tests ${tests})
    target_link_libraries(${name}_tests PRIVATE ${name} ${arg_DEPS} GTest::gmock GTest::gtest_main)
    if(TIDEMARK_BATCH)
      target_precompile_headers(${name}_tests PRIVATE <gmock/gmock.h> <gtest/gtest.h> <absl/status/statusor.h> <absl/strings/str_cat.h>)
    endif()
    add_test(NAME ${name} COMMAND ${name}_tests)
    set_tests_properties(${name} PROPERTIES LABELS "unit;${arg_LABELS}" TIMEOUT 600)
    set_property(GLOBAL APPEND PROPERTY TIDEMARK_UNIT_TESTS ${name}_tests)
    if("threads" IN_LIST arg_LABELS)
      set_property(GLOBAL APPEND PROPERTY TIDEMARK_THREAD_TESTS ${name}_tests)
    endif()
  endif()
  file(GLOB fuzzers CONFIGURE_DEPENDS *_fuzz.cc)
  if(TIDEMARK_FUZZ)
    foreach(source ${fuzzers})
      get_filename_component(fuzzer ${source} NAME_WE)
      add_executable(${fuzzer} ${source})
      target_link_libraries(${fuzzer} PRIVATE ${name} ${arg_DEPS})
      target_link_options(${fuzzer} PRIVATE -fsanitize=fuzzer)
      set_property(GLOBAL APPEND PROPERTY TIDEMARK_FUZZERS ${fuzzer})
    endforeach()
  endif()
endfunction()

# tidemark_rows(NAME SCRIPT DATA...): the tables that this folder's SCRIPT makes of its DATA, in a library of their own, without
# dependencies: what a target with a command links would have to be built before its first source.
function(tidemark_rows name script)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  set(rows ${CMAKE_CURRENT_BINARY_DIR}/${script}.cc)
  add_custom_command(OUTPUT ${rows}
    COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/${script} generate ${rows}
    DEPENDS ${script} ${ARGN})
  add_library(${name} STATIC ${rows})
  target_link_libraries(${name} PUBLIC tidemark_flags)
endfunction()
