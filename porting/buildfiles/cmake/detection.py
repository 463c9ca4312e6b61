"""The detection rule as CMake text: the table of `porting.toolkits.platforms` with its messages."""

from collections.abc import Mapping

from porting.toolkits import platforms
from porting.toolkits.platforms import CHOICES, CUDA, PLATFORMS, ROCM, SELECTOR, Platform

NAME = "GpuDetection.cmake"
_WIDTH = 80

_FUNCTIONS = """\
# Appends a home to the caller's lists unless it is there: where it was named, and its path.
macro(gpu_add_place source path)
  string(REGEX REPLACE "(.)/+$" "\\\\1" gpu_path "${path}")
  get_filename_component(gpu_real "${gpu_path}" REALPATH)
  list(FIND gpu_known "${gpu_real}" gpu_at)
  if(gpu_at EQUAL -1)
    list(APPEND gpu_known "${gpu_real}")
    list(APPEND gpu_sources "${source}")
    list(APPEND gpu_paths "${gpu_path}")
  endif()
endmacro()

# Sets `result` to the first file of a list that a home has, or to "".
function(gpu_first_file result home)
  set(found "")
  foreach(name IN LISTS ARGN)
    if(NOT found AND EXISTS "${home}/${name}" AND NOT IS_DIRECTORY "${home}/${name}")
      set(found "${name}")
    endif()
  endforeach()
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

# Sets `result` to the numbers that expressions find one after the other in a file, or to "".
function(gpu_version result file)
  set(${result} "" PARENT_SCOPE)
  if(NOT EXISTS "${file}")
    return()
  endif()
  file(READ "${file}" text)
  set(numbers "")
  foreach(expression IN LISTS ARGN)
    if(NOT "${text}" MATCHES "${expression}")
      return()
    endif()
    foreach(group RANGE 1 ${CMAKE_MATCH_COUNT})
      list(APPEND numbers "${CMAKE_MATCH_${group}}")
    endforeach()
    set(match "${CMAKE_MATCH_0}")
    string(FIND "${text}" "${match}" at)
    string(LENGTH "${match}" length)
    math(EXPR at "${at} + ${length}")
    string(SUBSTRING "${text}" ${at} -1 text)
  endforeach()
  string(REPLACE ";" "." numbers "${numbers}")
  set(${result} "${numbers}" PARENT_SCOPE)
endfunction()

# Sets GPU_REASON to why a folder is no home that can be used, or to "".
"""


_FIND = """\
# Sets GPU_@upper@_HOME to a home or "", GPU_@upper@_LOOKED to what was looked at.
function(gpu_find_@name@)
  set(gpu_known "")
  set(gpu_sources "")
  set(gpu_paths "")
  foreach(name @variables@)
    if(NOT "$ENV{${name}}" STREQUAL "")
      gpu_add_place("${name}" "$ENV{${name}}")
    endif()
  endforeach()
  set(compiler "")
  string(REPLACE ":" ";" folders "$ENV{PATH}")
  foreach(folder IN LISTS folders)
    set(program "${folder}/@compiler@")
    if(NOT compiler AND EXISTS "${program}" AND NOT IS_DIRECTORY "${program}")
      get_filename_component(compiler "${program}" REALPATH)
    endif()
  endforeach()
  if(compiler)
    get_filename_component(folder "${compiler}" DIRECTORY)
    get_filename_component(folder "${folder}" DIRECTORY)
    gpu_add_place("@compiler@ on PATH" "${folder}")
  endif()
@defaults@
  set(home "")
  set(looked "")
  foreach(path IN LISTS gpu_paths)
    list(FIND gpu_paths "${path}" at)
    list(GET gpu_sources ${at} source)
    gpu_inspect_@name@("${path}")
    if(NOT GPU_REASON AND NOT home)
      set(home "${path}")
    endif()
    list(APPEND looked "${source}: ${GPU_REASON}")
  endforeach()
  foreach(name @variables@)
    if("$ENV{${name}}" STREQUAL "")
      list(APPEND looked "${name} is not set")
    endif()
  endforeach()
  string(REPLACE ";" "; " looked "${looked}")
  set(GPU_@upper@_HOME "${home}" PARENT_SCOPE)
  set(GPU_@upper@_LOOKED "${looked}" PARENT_SCOPE)
endfunction()

"""
_DETECT = """\

# Sets GPU_PLATFORM to rocm, cuda or none and GPU_HOME to its folder.
function(gpu_detect)
  set(asked "${@selector@}")
  if(NOT asked)
    set(asked "$ENV{@selector@}")
  endif()
  if(asked AND NOT asked MATCHES "^(@choices@)$")
@unknown@
  endif()
  set(home "")
  if(NOT asked STREQUAL "none")
    gpu_find_rocm()
    gpu_find_cuda()
  endif()
  if(asked STREQUAL "rocm" AND NOT GPU_ROCM_HOME)
@no_rocm@
  elseif(asked STREQUAL "cuda" AND NOT GPU_CUDA_HOME)
@no_cuda@
  elseif(NOT asked AND GPU_ROCM_HOME AND GPU_CUDA_HOME)
@both@
  elseif(NOT asked AND GPU_ROCM_HOME)
    set(asked rocm)
  elseif(NOT asked AND GPU_CUDA_HOME)
    set(asked cuda)
  elseif(NOT asked)
    set(asked none)
  endif()
  if(asked STREQUAL "rocm")
    set(home "${GPU_ROCM_HOME}")
  elseif(asked STREQUAL "cuda")
    set(home "${GPU_CUDA_HOME}")
  endif()
  set(GPU_PLATFORM "${asked}" PARENT_SCOPE)
  set(GPU_HOME "${home}" PARENT_SCOPE)
endfunction()
"""


def detection(banner: str) -> str:
    """Return the file: `gpu_detect()` sets GPU_PLATFORM and GPU_HOME in its caller, or fails."""
    parts = [f"{banner}# {_ABOUT}\n", _FUNCTIONS, *map(_inspect, PLATFORMS)]
    parts += map(_find, PLATFORMS)
    return "".join(parts).rstrip("\n") + "\n" + _detect()


_ABOUT = "Finds ROCm and CUDA: GPU_PLATFORM decides; unset, what is installed."


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _fail(text: str) -> str:
    """Return the lines that end the run with a message, which CMake joins again."""
    words = text.split(" ")
    parts = [""]
    for number, word in enumerate(words):
        if len(parts[-1]) + len(word) > _WIDTH:
            parts.append("")
        parts[-1] += word + " " * (number < len(words) - 1)
    lines = [f"      {_quoted(part)}" for part in parts]
    return "\n".join(["    message(FATAL_ERROR", *lines]) + ")"


def _expression(pattern: str) -> list[str]:
    """Return a regular expression of the table as CMake's, in parts to be found in order."""
    parts = pattern.split(r"[\s\S]*?")
    return [part.replace(r"\d", "[0-9]").replace(r"\s*", "[ \t\r\n]*") for part in parts]


def _inspect(platform: Platform) -> str:
    """Return the function that says why a folder is no home of a platform."""
    name = platform.name
    lines = [
        f"function(gpu_inspect_{name} home)",
        '  set(GPU_REASON "" PARENT_SCOPE)',
        '  if(NOT IS_DIRECTORY "${home}")',
        f"    set(GPU_REASON {_quoted(platforms.NO_FOLDER.format(path='${home}'))} PARENT_SCOPE)",
        "    return()",
        "  endif()",
        '  set(missing "")',
    ]
    for number, group in enumerate((platform.headers, platform.libraries)):
        lines += [
            '  gpu_first_file(found "${home}"',
            *(f"    {name}" for name in group[:-1]),
            f"    {group[-1]})",
            "  if(NOT found)",
            *_missing(group[0], first=number == 0),
            "  endif()",
        ]
    text = platforms.INCOMPLETE.format(path="${home}", missing="${missing}")
    lines += [
        "  if(missing)",
        f"    set(GPU_REASON {_quoted(text)} PARENT_SCOPE)",
        "    return()",
        "  endif()",
        *_age(platform),
        "endfunction()",
        "",
        "",
    ]
    return "\n".join(lines)


def _missing(name: str, *, first: bool) -> list[str]:
    """Return the lines that note what a home lacks."""
    if first:
        return [f'    set(missing "{name}")']
    return [
        "    if(missing)",
        '      set(missing "${missing} and no ' + f'{name}")',
        "    else()",
        f'      set(missing "{name}")',
        "    endif()",
    ]


def _age(platform: Platform) -> list[str]:
    """Return the lines that say that a home is too old."""
    if platform.oldest == (0, 0):
        return []
    lines = []
    for number, (file, pattern) in enumerate(platform.version_files):
        parts = [_quoted(part) for part in _expression(pattern)]
        read = [f'  gpu_version(version "${{home}}/{file}"', *(f"    {part}" for part in parts)]
        read[-1] += ")"
        lines += read if number == 0 else ["  if(NOT version)", *_deeper(read), "  endif()"]
    oldest = ".".join(map(str, platform.oldest))
    text = platforms.TOO_OLD.format(
        name=platform.name,
        version="${version}",
        path="${home}",
        oldest=oldest,
        variable=platform.variables[0],
    )
    return [
        *lines,
        f'  if(version AND version VERSION_LESS "{oldest}")',
        f"    set(GPU_REASON {_quoted(text)} PARENT_SCOPE)",
        "  endif()",
    ]


def _deeper(lines: list[str]) -> list[str]:
    return [f"  {line}" for line in lines]


def _find(platform: Platform) -> str:
    """Return the function that finds a platform's home, and what was looked at in vain."""
    defaults = (f'  gpu_add_place("{path}" "{path}")' for path in platform.defaults)
    values = {
        "name": platform.name,
        "upper": platform.name.upper(),
        "variables": " ".join(platform.variables),
        "compiler": platform.compiler,
        "defaults": "\n".join(defaults),
    }
    return _filled(_FIND, values)


def _filled(template: str, values: Mapping[str, str]) -> str:
    """Return a template with its marks, like @name@, replaced; an empty line's goes with it."""
    for name, value in values.items():
        template = template.replace(f"@{name}@\n", f"{value}\n" if value else "")
        template = template.replace(f"@{name}@", value)
    return template


def _detect() -> str:
    """Return the function that decides."""
    unknown = platforms.UNKNOWN_CHOICE.format(
        selector=SELECTOR, value="${asked}", choices=", ".join(CHOICES)
    )
    both = platforms.BOTH_FOUND.format(
        selector=SELECTOR, rocm="${GPU_ROCM_HOME}", cuda="${GPU_CUDA_HOME}"
    )
    values = {
        "selector": SELECTOR,
        "choices": "|".join(CHOICES),
        "unknown": _fail(unknown),
        "no_rocm": _fail(_not_found(ROCM)),
        "no_cuda": _fail(_not_found(CUDA)),
        "both": _fail(both),
    }
    return _filled(_DETECT, values)


def _not_found(platform: Platform) -> str:
    return platforms.NOT_FOUND.format(
        selector=SELECTOR,
        value=platform.name,
        title=platform.title,
        looked=f"${{GPU_{platform.name.upper()}_LOOKED}}",
        variable=platform.variables[0],
    )
