# hipify() and get_hipified_list() of hipify_torch's cmake/Hipify.cmake, in front of Eclosion's port.
#
#   execute_process(COMMAND ${Python_EXECUTABLE} -m porting.hipify_torch --cmake-dir ...)
#   list(APPEND CMAKE_MODULE_PATH <what that prints>)
#   include(Hipify)
#
#   hipify(CUDA_SOURCE_DIR <dir> [HIP_SOURCE_DIR <dir>] [CUSTOM_MAP_FILE <json>]
#          [HEADER_INCLUDE_DIR <dir>...] [IGNORES <pattern>...])
#   hipify(CONFIG_FILE <json>)
#       Hipifies every source below CUDA_SOURCE_DIR while CMake configures, into HIP_SOURCE_DIR or
#       beside it.  An edited source makes the next build configure, and so hipify, again.
#
#   get_hipified_list("<sources>" <variable>)
#       Sets the variable to the sources with each that was hipified replaced by its new file, inside
#       generator expressions too.
#
# Interface: ROCm/hipify_torch, cmake/Hipify.cmake.  The Python that runs is Python_EXECUTABLE or
# Python3_EXECUTABLE, and else the one that find_package(Python) finds.

cmake_policy(VERSION 3.15...3.31)

# The folder that holds the package `porting`: this file is in porting/hipify_torch/cmake.
get_filename_component(_HIPIFY_PACKAGES "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
# What became of each file, as hipify_torch dumps it; a further hipify() writes it anew.
set(HIPIFY_DICT_FILE "${CMAKE_BINARY_DIR}/hipify_output_dict_dump.txt")

function(hipify)
  cmake_parse_arguments(
    PARSE_ARGV 0 arg ""
    "CUDA_SOURCE_DIR;HIP_SOURCE_DIR;CONFIG_FILE;CUSTOM_MAP_FILE"
    "HEADER_INCLUDE_DIR;IGNORES"
  )
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "hipify() does not know '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  if(arg_CONFIG_FILE)
    get_filename_component(config "${arg_CONFIG_FILE}" ABSOLUTE)
    set(options --config-json "${config}")
  elseif(arg_CUDA_SOURCE_DIR)
    get_filename_component(source "${arg_CUDA_SOURCE_DIR}" ABSOLUTE)
    set(output "${source}")
    if(arg_HIP_SOURCE_DIR)
      get_filename_component(output "${arg_HIP_SOURCE_DIR}" ABSOLUTE)
    endif()
    set(options --project-directory "${source}" --output-directory "${output}")
    # What a build folder inside the project holds is no part of it; [ and the like are themselves.
    string(FIND "${CMAKE_BINARY_DIR}" "${source}/" inside)
    if(inside EQUAL 0)
      string(REGEX REPLACE "([][*?])" "[\\1]" built "${CMAKE_BINARY_DIR}")
      list(APPEND arg_IGNORES "${built}/*")
    endif()
    # A list is one argument, its parts separated by semicolons.
    foreach(pair IN ITEMS "--header-include-dirs=HEADER_INCLUDE_DIR" "--ignores=IGNORES")
      string(REPLACE "=" ";" pair "${pair}")
      list(GET pair 0 option)
      list(GET pair 1 name)
      if(arg_${name})
        string(REPLACE ";" "\\;" parts "${arg_${name}}")
        list(APPEND options "${option}" "[${parts}]")
      endif()
    endforeach()
    if(arg_CUSTOM_MAP_FILE)
      get_filename_component(map "${arg_CUSTOM_MAP_FILE}" ABSOLUTE)
      list(APPEND options --custom-map-json "${map}")
    endif()
  else()
    message(FATAL_ERROR "hipify() needs CUDA_SOURCE_DIR or CONFIG_FILE")
  endif()

  _hipify_python(python)
  set(paths "${_HIPIFY_PACKAGES}")
  if(NOT "$ENV{PYTHONPATH}" STREQUAL "")
    string(APPEND paths ":$ENV{PYTHONPATH}")
  endif()
  set(properties "${CMAKE_BINARY_DIR}/hipify_properties.cmake")
  execute_process(
    COMMAND
      "${CMAKE_COMMAND}" -E env "PYTHONPATH=${paths}" "${python}" -m porting.hipify_torch ${options}
      --dump-dict-file "${HIPIFY_DICT_FILE}" --cmake-file "${properties}"
    RESULT_VARIABLE status
  )
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "hipify() failed with ${status}; what Python printed above says why")
  endif()
  include("${properties}")
endfunction()

function(get_hipified_list INPUT_LIST OUTPUT_LIST)
  set(hipified "")
  foreach(source IN LISTS INPUT_LIST)
    # An expression with several sources comes in parts: "$<condition:a.cu", "b.cu", "c.cu>".
    set(before "")
    set(after "")
    if(source MATCHES "^(\\$<.*:)([^:]*)$")
      set(before "${CMAKE_MATCH_1}")
      set(source "${CMAKE_MATCH_2}")
    endif()
    if(source MATCHES "^([^>]*)(>+)$")
      set(source "${CMAKE_MATCH_1}")
      set(after "${CMAKE_MATCH_2}")
    endif()
    get_filename_component(path "${source}" ABSOLUTE)
    get_property(new GLOBAL PROPERTY "HIPIFIED_AS ${path}")
    if(new)
      list(APPEND hipified "${before}${new}${after}")
    elseif(before OR after)
      list(APPEND hipified "${before}${source}${after}")
    else()
      list(APPEND hipified "${path}")
    endif()
  endforeach()
  set(${OUTPUT_LIST} "${hipified}" PARENT_SCOPE)
endfunction()

# Sets a variable to the Python that runs the port.
function(_hipify_python result)
  set(python "${Python_EXECUTABLE}")
  if(NOT python)
    set(python "${Python3_EXECUTABLE}")
  endif()
  if(NOT python)
    find_package(Python 3.11 REQUIRED COMPONENTS Interpreter)
    set(python "${Python_EXECUTABLE}")
  endif()
  set(${result} "${python}" PARENT_SCOPE)
endfunction()
