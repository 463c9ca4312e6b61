"""The CMake packages of a ROCm tree: hip, its language, and the libraries above it."""

from collections.abc import Iterable
from pathlib import Path

from porting.toolkits.sysroot.stub_libraries import RocmLibrary

_IMPORT = """\
# Generated with the tree it stands in.
get_filename_component(_eclosion_root "${{CMAKE_CURRENT_LIST_DIR}}/../../.." ABSOLUTE)
if(NOT TARGET {package}::amdhip64)
  add_library({package}::amdhip64 SHARED IMPORTED)
  set_target_properties({package}::amdhip64 PROPERTIES
    IMPORTED_LOCATION "${{_eclosion_root}}/lib/libamdhip64.so"
    IMPORTED_SONAME "{soname}"
    INTERFACE_COMPILE_DEFINITIONS "__HIP_PLATFORM_AMD__=1"
    INTERFACE_INCLUDE_DIRECTORIES "${{_eclosion_root}}/include")
endif()
"""
_HIP = """\
if(NOT TARGET hip::host)
  add_library(hip::host INTERFACE IMPORTED)
  set_target_properties(hip::host PROPERTIES INTERFACE_LINK_LIBRARIES hip::amdhip64)
  add_library(hip::device INTERFACE IMPORTED)
  set_target_properties(hip::device PROPERTIES INTERFACE_LINK_LIBRARIES hip::host)
endif()
set(hip_INCLUDE_DIR "${_eclosion_root}/include")
set(hip_INCLUDE_DIRS "${_eclosion_root}/include")
set(hip_FOUND TRUE)
"""
_HIP_LANG = """\
if(NOT TARGET hip-lang::device)
  add_library(hip-lang::device INTERFACE IMPORTED)
  set_target_properties(hip-lang::device PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "$<$<COMPILE_LANGUAGE:HIP>:${_eclosion_root}/include>"
    INTERFACE_LINK_LIBRARIES hip-lang::amdhip64)
endif()
# CMake reads this name to link every HIP target with the device runtime.
set(_CMAKE_HIP_DEVICE_RUNTIME_TARGET "hip-lang::device")
set(hip-lang_FOUND TRUE)
"""
_LIBRARY = """\
# Generated with the tree it stands in.
get_filename_component(_eclosion_root "${{CMAKE_CURRENT_LIST_DIR}}/../../.." ABSOLUTE)
if(NOT TARGET {target})
  add_library({target} SHARED IMPORTED)
  set_target_properties({target} PROPERTIES
    IMPORTED_LOCATION "${{_eclosion_root}}/lib/{soname}"
    IMPORTED_SONAME "{soname}"
    INTERFACE_INCLUDE_DIRECTORIES "${{_eclosion_root}}/include")
endif()
set({name}_INCLUDE_DIR "${{_eclosion_root}}/include")
set({name}_LIBRARIES {target})
set({name}_FOUND TRUE)
"""
_VERSION = """\
set(PACKAGE_VERSION "{version}")
if(PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE FALSE)
else()
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
  if(PACKAGE_FIND_VERSION STREQUAL PACKAGE_VERSION)
    set(PACKAGE_VERSION_EXACT TRUE)
  endif()
endif()
"""


def write_packages(root: Path, hip_version: str) -> None:
    """Write lib/cmake/hip and lib/cmake/hip-lang; they find the tree from their own place."""
    soname = f"libamdhip64.so.{hip_version.partition('.')[0]}"
    for package, rest in (("hip", _HIP), ("hip-lang", _HIP_LANG)):
        folder = root / "lib/cmake" / package
        folder.mkdir(parents=True)
        text = _IMPORT.format(package=package, soname=soname) + rest
        (folder / f"{package}-config.cmake").write_text(text)
        (folder / f"{package}-config-version.cmake").write_text(
            _VERSION.format(version=hip_version)
        )


def write_library_packages(root: Path, libraries: Iterable[tuple[RocmLibrary, str]]) -> None:
    """Write lib/cmake/NAME for the libraries that have a package, each given with its SONAME."""
    for library, soname in libraries:
        if not library.target:
            continue
        name = library.stub.name
        folder = root / "lib/cmake" / name
        folder.mkdir(parents=True)
        text = _LIBRARY.format(name=name, target=library.target, soname=soname)
        (folder / f"{name}-config.cmake").write_text(text)
