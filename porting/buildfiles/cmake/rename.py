"""Convert a CMake file for ROCm alone: HIP takes CUDA's place."""

from collections.abc import Callable

from porting.buildfiles.cmake import (
    findcuda,
    languages,
    linking,
    packages,
    settings,
    sources,
    steps,
)
from porting.buildfiles.cmake.commands import Command, Listing
from porting.buildfiles.cmake.conversion import Conversion
from porting.buildfiles.cmake.leftovers import find_leftovers
from porting.buildfiles.cmake.options import apply_runs, runs_of
from porting.buildfiles.cmake.project import CMakeProject
from porting.buildfiles.cmake.references import rename_references
from porting.hipify import Hipified

_Rule = Callable[[Conversion, Command], None]
# The rules of a command, in order.  What they leave of it is then renamed word by word.
_RULES: dict[str, tuple[_Rule, ...]] = {
    "cmake_minimum_required": (languages.minimum_version,),
    "project": (languages.project,),
    "enable_language": (languages.enable_language,),
    "check_language": (languages.check_language,),
    "find_package": (packages.find_package,),
    "find_library": (packages.find_library,),
    "find_path": (packages.find_path,),
    "find_program": (steps.find_program,),
    "include": (packages.include,),
    "fetchcontent_declare": (packages.fetched,),
    "cpmaddpackage": (packages.fetched,),
    "externalproject_add": (packages.fetched,),
    "set": (settings.setting, sources.listed),
    "unset": (settings.setting,),
    "option": (settings.setting,),
    "mark_as_advanced": (settings.setting,),
    "list": (settings.setting, sources.listed),
    "string": (settings.setting,),
    "file": (sources.globbed,),
    "set_target_properties": (settings.properties,),
    "set_property": (settings.properties,),
    "set_source_files_properties": (settings.properties,),
    "target_compile_options": (settings.compile_options,),
    "add_compile_options": (settings.compile_options,),
    "target_compile_definitions": (settings.definitions,),
    "add_compile_definitions": (settings.definitions,),
    "add_definitions": (settings.definitions,),
    "target_include_directories": (linking.include_directories,),
    "include_directories": (linking.include_directories,),
    "target_link_libraries": (linking.link_libraries,),
    "link_libraries": (linking.link_libraries,),
    "add_library": (sources.target,),
    "add_executable": (sources.target,),
    "target_sources": (sources.target,),
    "add_custom_command": (steps.custom_command,),
    "add_custom_target": (steps.custom_command,),
    "execute_process": (steps.custom_command,),
}


def convert(project: CMakeProject, listing: Listing) -> Hipified:
    """Return a file for a ROCm tree, or as it is with an error at each place that stops it."""
    conversion = Conversion(project, listing)
    for command in listing.commands:
        for rule in _rules_of(project, command):
            rule(conversion, command)
        apply_runs(
            conversion.edits,
            command.args,
            conversion.conditional_runs(command, runs_of(listing.source.text, command.args, _none)),
            in_string=False,
        )
        rename_references(conversion, command)
    languages.drop_second_default(conversion)
    find_leftovers(conversion)
    return conversion.edits.result()


def _none(_: object) -> bool:
    return False


def _rules_of(project: CMakeProject, command: Command) -> tuple[_Rule, ...]:
    if command.name in findcuda.RULES and command.name not in project.functions:
        return (findcuda.RULES[command.name],)
    if command.name not in _RULES and command.name not in project.functions:
        return (sources.made_elsewhere,)
    return _RULES.get(command.name, ())
