"""The generated eclosion/gpu.cmake: the platform, its language, and what differs by it."""

from collections.abc import Iterable

from porting.buildfiles.cmake.detection import NAME as DETECTION
from porting.buildfiles.cmake.languages import OLDEST
from porting.buildfiles.cmake.project import CMakeProject
from porting.buildfiles.cmake.vendor import VendorVariable, VendorVariables
from porting.buildfiles.cmake.versions import LEVEL
from porting.buildfiles.cmake_variables import SAME_FOR_HIP

_HEAD = """\
# Chooses the GPU platform (GPU_PLATFORM=cuda|rocm|none; unset, what is installed) and sets
# GPU_LANGUAGE and what else differs between the two.
if(DEFINED GPU_LANGUAGE)
  return()
endif()
set(GPU_FOLDER "${{CMAKE_CURRENT_LIST_DIR}}")
if(NOT GPU_PLATFORM AND "$ENV{{GPU_PLATFORM}}" STREQUAL "")
  # A build that names a compiler of one platform has chosen it.
  if(CMAKE_CUDA_COMPILER OR NOT "$ENV{{CUDACXX}}" STREQUAL "")
    set(GPU_PLATFORM cuda)
    set(GPU_HOME named)
  elseif(CMAKE_HIP_COMPILER OR NOT "$ENV{{HIPCXX}}" STREQUAL "")
    set(GPU_PLATFORM rocm)
  endif()
endif()
if(NOT GPU_PLATFORM OR NOT GPU_HOME)
  include("${{CMAKE_CURRENT_LIST_DIR}}/cmake/{detection}")
  gpu_detect()
endif()
# What was chosen holds for the build folder, whatever later runs find in their environment.
set(GPU_PLATFORM "${{GPU_PLATFORM}}" CACHE STRING "cuda, rocm or none")
set(GPU_HOME "${{GPU_HOME}}" CACHE PATH "the folder of CUDA or ROCm")
message(STATUS "GPU platform: ${{GPU_PLATFORM}} ${{GPU_HOME}}")
"""
_NONE = """\

if(GPU_PLATFORM STREQUAL "none")
  set(GPU_LANGUAGE NONE)
{missing}  return()
endif()
"""
_MISSING = """\
  message(FATAL_ERROR
    "this project needs a GPU platform and there is none; set ROCM_PATH or CUDA_HOME to its folder")
"""
_CUDA = """\

if(GPU_PLATFORM STREQUAL "cuda")
  set(GPU_LANGUAGE CUDA)
  set(GPU_DIALECT cuda)
  set(GPU_COMPILER_ID NVIDIA)
{variables}  # CMake looks on PATH by itself; a home that is known otherwise is told.
  find_program(GPU_NVCC nvcc)
  mark_as_advanced(GPU_NVCC)
  if(NOT GPU_NVCC AND NOT CMAKE_CUDA_COMPILER AND "$ENV{{CUDACXX}}" STREQUAL ""
      AND EXISTS "${{GPU_HOME}}/bin/nvcc")
    set(CMAKE_CUDA_COMPILER "${{GPU_HOME}}/bin/nvcc")
  endif()
  return()
endif()
"""
_ROCM = """\

set(GPU_LANGUAGE HIP)
set(GPU_DIALECT hip)
set(GPU_COMPILER_ID Clang)
{variables}if(CMAKE_VERSION VERSION_LESS {oldest})
  message(FATAL_ERROR "CMake ${{CMAKE_VERSION}} is too old for HIP; {oldest} or newer is needed")
endif()
if(NOT DEFINED CMAKE_HIP_ARCHITECTURES)
  set(CMAKE_HIP_ARCHITECTURES {archs})
endif()
if(NOT DEFINED CMAKE_HIP_COMPILER_ROCM_ROOT)
  set(CMAKE_HIP_COMPILER_ROCM_ROOT "${{GPU_HOME}}")
endif()
if(NOT CMAKE_HIP_COMPILER AND "$ENV{{HIPCXX}}" STREQUAL ""
    AND EXISTS "${{GPU_HOME}}/llvm/bin/clang++")
  set(CMAKE_HIP_COMPILER "${{GPU_HOME}}/llvm/bin/clang++")
endif()
string(APPEND CMAKE_HIP_FLAGS " --rocm-path=${{GPU_HOME}}")
list(APPEND CMAKE_PREFIX_PATH "${{GPU_HOME}}")
list(INSERT CMAKE_MODULE_PATH 0 "${{GPU_FOLDER}}/cmake")
list(INSERT CMAKE_INCLUDE_PATH 0 "${{GPU_FOLDER}}/include")
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
list(APPEND CMAKE_BUILD_RPATH "${{CMAKE_HIP_COMPILER_ROCM_ROOT}}/lib")
{enable}find_package(hip REQUIRED)
set(CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES "${{GPU_FOLDER}}/include" ${{hip_INCLUDE_DIRS}})
# HIP follows the interfaces of CUDA {level}.
set(CMAKE_CUDA_COMPILER_VERSION {level})
"""
_TARGETS = """\

# Gives a target what its sources need to be built by HIP under CUDA's names.
function(gpu_prepare_target target)
  get_target_property(type ${target} TYPE)
  if(NOT type MATCHES "EXECUTABLE|(STATIC|SHARED|MODULE|OBJECT)_LIBRARY")
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  if(sources)
    list(FILTER sources INCLUDE REGEX "\\\\.cu$")
  endif()
  get_target_property(folder ${target} SOURCE_DIR)
  foreach(source IN LISTS sources)
    # This runs in the top folder, whose relative paths are others.
    get_filename_component(source "${source}" ABSOLUTE BASE_DIR "${folder}")
    set_source_files_properties("${source}" TARGET_DIRECTORY ${target} PROPERTIES LANGUAGE HIP)
  endforeach()
  foreach(name @PROPERTIES@)
    get_property(is_set TARGET ${target} PROPERTY CUDA_${name} SET)
    if(is_set)
      get_property(value TARGET ${target} PROPERTY CUDA_${name})
      set_property(TARGET ${target} PROPERTY HIP_${name} "${value}")
    endif()
  endforeach()
  gpu_link_device_code(${target} ${type})
  target_include_directories(${target} SYSTEM BEFORE PRIVATE "${GPU_FOLDER}/include")
  set_property(TARGET ${target} APPEND PROPERTY INCLUDE_DIRECTORIES ${hip_INCLUDE_DIRS})
  set_property(TARGET ${target} APPEND PROPERTY COMPILE_DEFINITIONS __HIP_PLATFORM_AMD__=1)
  if(EXISTS "${GPU_FOLDER}/cuda_to_hip.h")
    set_property(TARGET ${target} APPEND PROPERTY COMPILE_OPTIONS
      "$<$<COMPILE_LANGUAGE:C,CXX,HIP>:SHELL:-include \\"${GPU_FOLDER}/cuda_to_hip.h\\">")
  endif()
endfunction()

# Has clang link relocatable device code, where a target asks for it.
function(gpu_link_device_code target type)
  get_target_property(separable ${target} CUDA_SEPARABLE_COMPILATION)
  get_target_property(options ${target} COMPILE_OPTIONS)
  if(NOT separable AND NOT "${options} ${CMAKE_HIP_FLAGS}" MATCHES "-fgpu-rdc")
    return()
  endif()
  set(link "$<$<LINK_LANGUAGE:HIP>:-fgpu-rdc;--hip-link>")
  set_property(TARGET ${target} APPEND PROPERTY COMPILE_OPTIONS
    "$<$<COMPILE_LANGUAGE:HIP>:-fgpu-rdc>")
  set_property(TARGET ${target} APPEND PROPERTY LINK_OPTIONS "${link}")
  if(type MATCHES "STATIC|OBJECT")
    set_property(TARGET ${target} APPEND PROPERTY INTERFACE_LINK_OPTIONS "${link}")
  endif()
endfunction()

# Does so for every target of a folder and of those below it, but for what was downloaded.
function(gpu_prepare_folder folder)
  get_property(targets DIRECTORY "${folder}" PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    gpu_prepare_target(${target})
  endforeach()
  get_property(children DIRECTORY "${folder}" PROPERTY SUBDIRECTORIES)
  foreach(child IN LISTS children)
    string(FIND "${child}/" "${CMAKE_BINARY_DIR}/" at)
    if(NOT at EQUAL 0)
      gpu_prepare_folder("${child}")
    endif()
  endforeach()
endfunction()

# At the end of the folder, when its targets are complete.
cmake_language(DEFER CALL gpu_prepare_folder "${CMAKE_CURRENT_SOURCE_DIR}")
"""


def gpu_file(banner: str, project: CMakeProject, variables: VendorVariables) -> str:
    """Return the file.  `variables`: what the tree's files refer to."""
    needs = any("CUDA" in c.values for _, c in project.commands("project"))
    legacy_sources = not project.enables_cuda and bool(project.context.cuda_sources)
    enable = "enable_language(HIP)\n" if legacy_sources or project.is_legacy else ""
    oldest = ".".join(map(str, OLDEST))
    return "".join(
        (
            banner,
            _HEAD.format(detection=DETECTION),
            _NONE.format(missing=_MISSING if needs else ""),
            _CUDA.format(variables="".join(_set(variables, "cuda", "  "))),
            _ROCM.format(
                variables="".join(_set(variables, "rocm", "")),
                oldest=oldest,
                archs=" ".join(project.context.target.archs),
                enable=enable,
                level=LEVEL,
            ),
            "".join(_packages(project, variables)),
            _TARGETS.replace("@PROPERTIES@", " ".join(SAME_FOR_HIP)),
        )
    )


def _set(variables: Iterable[VendorVariable], platform: str, indent: str) -> Iterable[str]:
    for variable in variables:
        value = variable.cuda if platform == "cuda" else variable.rocm
        yield f"{indent}set({variable.name} {value or chr(34) * 2})\n"


def _packages(project: CMakeProject, variables: VendorVariables) -> Iterable[str]:
    """Yield the lines that find what the ROCm values of the variables name."""
    for item in project.libraries:
        named = item.target and any(item.target in v.rocm.split() for v in variables)
        if named and item.package not in ("", "hip"):
            yield f"find_package({item.package} REQUIRED)\n"
    for name in project.unpackaged:
        yield f"find_library({name.upper()}_LIBRARY {name} REQUIRED)\n"
