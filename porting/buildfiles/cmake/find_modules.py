"""Generated find modules: CUDA's targets and variables over ROCm's packages."""

from collections.abc import Iterable, Iterator

from porting.buildfiles.cmake.names import Action, variable
from porting.buildfiles.cmake.project import IDENTIFIER, TARGET, CMakeProject
from porting.buildfiles.cmake.references import link_text
from porting.buildfiles.cmake.versions import LEVEL
from porting.buildfiles.libraries import Linked, library

_ALWAYS = ("cudart", "cudart_static", "cuda_driver", "toolkit")
_TOOLKIT = """\
set(CUDAToolkit_FOUND TRUE)
# HIP follows the interfaces of CUDA {level}.
set(CUDAToolkit_VERSION {level})
set(CUDAToolkit_VERSION_MAJOR {major})
set(CUDAToolkit_VERSION_MINOR {minor})
set(CUDAToolkit_ROOT "${{GPU_HOME}}")
set(CUDAToolkit_BIN_DIR "${{GPU_HOME}}/bin")
set(CUDAToolkit_LIBRARY_DIR "${{GPU_HOME}}/lib")
set(CUDAToolkit_TARGET_DIR "${{GPU_HOME}}")
set(CUDAToolkit_NVCC_EXECUTABLE "${{CMAKE_HIP_COMPILER}}")
set(CUDAToolkit_INCLUDE_DIRS "${{GPU_FOLDER}}/include" ${{hip_INCLUDE_DIRS}})
"""
_LEGACY = """\
set(CUDA_FOUND TRUE)
# HIP follows the interfaces of CUDA {level}.
set(CUDA_VERSION {level})
set(CUDA_VERSION_STRING {level})
set(CUDA_VERSION_MAJOR {major})
set(CUDA_VERSION_MINOR {minor})
set(CUDA_TOOLKIT_ROOT_DIR "${{GPU_HOME}}")
set(CUDA_NVCC_EXECUTABLE "${{CMAKE_HIP_COMPILER}}")
set(CUDA_TOOLKIT_INCLUDE "${{GPU_FOLDER}}/include")
set(CUDA_INCLUDE_DIRS "${{GPU_FOLDER}}/include" ${{hip_INCLUDE_DIRS}})
set(CUDA_LIBRARIES hip::host)
set(CUDA_CUDART_LIBRARY hip::host)
"""
_COMMANDS = """\

# Gives a target the options and libraries that FindCUDA gives it.
function(gpu_finish_legacy_target target)
  set(config "")
  set(options ${CUDA_NVCC_FLAGS})
  foreach(word IN LISTS ARGN)
    if(word MATCHES "^(DEBUG|RELEASE|RELWITHDEBINFO|MINSIZEREL)$")
      set(config ${word})
    elseif(config)
      list(APPEND CUDA_NVCC_FLAGS_${config} ${word})
    else()
      list(APPEND options ${word})
    endif()
  endforeach()
  string(REPLACE ";" " " options "${options}")
  separate_arguments(options UNIX_COMMAND "${options}")
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:HIP>:${options}>")
  foreach(config Debug Release RelWithDebInfo MinSizeRel)
    string(TOUPPER ${config} name)
    string(REPLACE ";" " " options "${CUDA_NVCC_FLAGS_${name}}")
    separate_arguments(options UNIX_COMMAND "${options}")
    target_compile_options(${target} PRIVATE
      "$<$<AND:$<COMPILE_LANGUAGE:HIP>,$<CONFIG:${config}>>:${options}>")
  endforeach()
  if(CUDA_SEPARABLE_COMPILATION)
    set_property(TARGET ${target} PROPERTY CUDA_SEPARABLE_COMPILATION ON)
  endif()
endfunction()

macro(cuda_add_library target)
  cmake_parse_arguments(GPU_LEGACY "" "" "OPTIONS" ${ARGN})
  add_library(${target} ${GPU_LEGACY_UNPARSED_ARGUMENTS})
  gpu_finish_legacy_target(${target} ${GPU_LEGACY_OPTIONS})
  target_link_libraries(${target} ${CUDA_LINK_LIBRARIES_KEYWORD} ${CUDA_LIBRARIES})
endmacro()

macro(cuda_add_executable target)
  cmake_parse_arguments(GPU_LEGACY "" "" "OPTIONS" ${ARGN})
  add_executable(${target} ${GPU_LEGACY_UNPARSED_ARGUMENTS})
  gpu_finish_legacy_target(${target} ${GPU_LEGACY_OPTIONS})
  target_link_libraries(${target} ${CUDA_LINK_LIBRARIES_KEYWORD} ${CUDA_LIBRARIES})
endmacro()

macro(cuda_compile objects)
  cmake_parse_arguments(GPU_LEGACY "" "" "OPTIONS" ${ARGN})
  add_library(${objects}_objects OBJECT ${GPU_LEGACY_UNPARSED_ARGUMENTS})
  gpu_finish_legacy_target(${objects}_objects ${GPU_LEGACY_OPTIONS})
  set(${objects} $<TARGET_OBJECTS:${objects}_objects>)
endmacro()

macro(cuda_include_directories)
  include_directories(${ARGN})
endmacro()

macro(cuda_build_clean_target)
endmacro()

# Architectures are those of CMAKE_HIP_ARCHITECTURES.
macro(cuda_select_nvcc_arch_flags result)
  set(${result} "")
endmacro()
"""
_LIBRARY_COMMANDS = {"cuda_add_cublas_to_target": "cublas", "cuda_add_cufft_to_target": "cufft"}


def toolkit_module(banner: str, project: CMakeProject) -> str:
    """Return FindCUDAToolkit.cmake: the targets that the tree uses."""
    names = set(_ALWAYS)
    for value in _values(project):
        names |= {match[1] for match in TARGET.finditer(value)}
    found = {name: item for name in sorted(names) if (item := library(name))}
    return "".join(
        (
            banner,
            "# CUDA's targets over ROCm's libraries, for builds with GPU_PLATFORM=rocm.\n",
            *_finds(found.values(), "CUDAToolkit"),
            *(_target(name, item, project) for name, item in found.items()),
            _TOOLKIT.format(**_level()),
        )
    )


def legacy_module(banner: str, project: CMakeProject) -> str:
    """Return FindCUDA.cmake: the commands and variables that the tree uses."""
    variables: dict[str, Linked] = {}
    for value in _values(project):
        for match in IDENTIFIER.finditer(value):
            meaning = variable(match[0])
            if meaning and meaning.action is Action.LIBRARY and meaning.linked:
                variables[match[0]] = meaning.linked
    commands = {c.name for listing in project.listings.values() for c in listing.commands}
    added = {
        n: item for n, x in _LIBRARY_COMMANDS.items() if n in commands and (item := library(x))
    }
    return "".join(
        (
            banner,
            "# FindCUDA's commands over HIP, for builds with GPU_PLATFORM=rocm.\n",
            *_finds((*variables.values(), *added.values()), "CUDA"),
            _LEGACY.format(**_level()),
            *_settings(project, variables),
            _COMMANDS,
            *(_adds(name, item) for name, item in added.items()),
        )
    )


def _values(project: CMakeProject) -> Iterator[str]:
    for listing in project.listings.values():
        for command in listing.commands:
            yield from command.values


def _level() -> dict[str, str]:
    major, _, minor = LEVEL.partition(".")
    return {"level": LEVEL, "major": major, "minor": minor}


def _finds(items: Iterable[Linked], module: str) -> Iterator[str]:
    """Yield the lines that find ROCm's packages, and leave quietly where that is allowed."""
    packages = {item.package for item in items} - {"", "hip"}
    for package in ("hip", *sorted(packages)):
        yield f"find_package({package} QUIET)\n"
        yield f"if(NOT {package}_FOUND)\n"
        yield f"  if({module}_FIND_REQUIRED)\n"
        yield f'    message(FATAL_ERROR "no {package} was found below ${{GPU_HOME}}; install it")\n'
        yield f"  endif()\n  set({module}_FOUND FALSE)\n  return()\nendif()\n"


def _linked(item: Linked, project: CMakeProject) -> str:
    """Return what a library is linked as, "" for nothing."""
    if not (item.link or item.target) or not project.links(item):
        return ""
    return link_text(item)


def _target(name: str, item: Linked, project: CMakeProject) -> str:
    linked = _linked(item, project)
    line = f"  target_link_libraries(CUDA::{name} INTERFACE {linked})\n" if linked else ""
    return (
        f"if(NOT TARGET CUDA::{name})\n"
        f"  add_library(CUDA::{name} INTERFACE IMPORTED)\n"
        f"  set_target_properties(CUDA::{name} PROPERTIES\n"
        f'    INTERFACE_INCLUDE_DIRECTORIES "${{GPU_FOLDER}}/include")\n'
        f"{line}endif()\n"
    )


def _settings(project: CMakeProject, variables: dict[str, Linked]) -> Iterator[str]:
    for name in sorted(variables.keys() - {"CUDA_LIBRARIES", "CUDA_CUDART_LIBRARY"}):
        linked = _linked(variables[name], project)
        yield f"set({name} {linked or chr(34) * 2})\n"


def _adds(command: str, item: Linked) -> str:
    return (
        f"\nmacro({command} target)\n"
        f"  target_link_libraries(${{target}} ${{CUDA_LINK_LIBRARIES_KEYWORD}} {link_text(item)})\n"
        "endmacro()\n"
    )
