"""The kinds of findings of building a ported tree with its own build system."""

from porting.diagnostics import Code, Severity

BUILD_FAILED = Code(
    "BUI001",
    "build-system",
    Severity.ERROR,
    "the ported tree does not build with its own build system",
    "The build system of the tree was run against the toolkit of the platform, and ended with this"
    " error.  The place is the one that the error names, in the input; an error without a place"
    " stands at the build file.",
)
NOT_BUILT = Code(
    "BUI002",
    "build-system",
    Severity.WARNING,
    "not built: what the build needs is missing here",
    "The build system's own program, or a package that the build asks for, is not on this machine,"
    " so nothing is said about whether the tree builds.  Install it, or build where it is.",
)
NOT_LOADED = Code(
    "BUI003",
    "build-system",
    Severity.ERROR,
    "a library that was built does not load",
    "The dynamic loader refused the library in a process of its own, with every symbol bound at"
    " once: it wants a library or a symbol that the toolkit of the platform does not have.",
)
NO_CLEAN_ANSWER = Code(
    "BUI004",
    "build-system",
    Severity.ERROR,
    "a library that was built breaks where there is no GPU",
    "After loading, the GPU runtime that the library brings was asked for the number of devices; or"
    " a command of [tool.porting] smoke was run.  The process ended by a signal, did not end, or"
    " the answer was neither devices nor 'no device'.",
)
NOTHING_MADE = Code(
    "BUI005",
    "build-system",
    Severity.WARNING,
    "a build that made nothing",
    "The build system of the tree ended well, and no program, library, archive, object or device"
    " code is there that was not there before: nothing is said about whether the tree builds.  The"
    " default target may do something else; files of an earlier build may lie in the tree, so that"
    " nothing was left to do.",
)
NOT_TRIED = Code(
    "BUI006",
    "build-system",
    Severity.WARNING,
    "not loaded: a file that was built is not for this machine",
    "The file is for another processor or another system's loader, is 32-bit, or is damaged, so"
    " nothing is said about whether it loads.",
)
UNUSED_FILE = Code(
    "BUI007",
    "build-system",
    Severity.NOTE,
    "build files that the build did not come to",
    "Build files of the same system lie below the one that was run, and nothing of what it left"
    " behind speaks of them: an option that is off by default, a project that is built by itself,"
    " a copy of other people's code.  What they build was not built here.",
)
CODES = (BUILD_FAILED, NOT_BUILT, NOT_LOADED, NO_CLEAN_ANSWER, NOTHING_MADE, NOT_TRIED, UNUSED_FILE)
