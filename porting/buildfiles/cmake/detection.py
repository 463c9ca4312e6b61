"""The detection rule as CMake text: the table of `porting.toolkits.platforms` with its messages."""

from collections.abc import Mapping
from importlib import resources

from porting.toolkits import platforms
from porting.toolkits.platforms import CHOICES, CUDA, PLATFORMS, ROCM, SELECTOR, Platform, Question

NAME = "GpuDetection.cmake"
_WIDTH = 80


def detection(banner: str) -> str:
    """Return the file: `gpu_detect()` sets GPU_PLATFORM and GPU_HOME in its caller, or fails."""
    parts = [f"{banner}# {_ABOUT}\n", _functions(), *map(_inspect, PLATFORMS)]
    parts += map(_find, PLATFORMS)
    return "".join(parts).rstrip("\n") + "\n" + _detect()


_ABOUT = "Finds ROCm and CUDA: GPU_PLATFORM decides; unset, what is installed."


def _functions() -> str:
    """Return the functions that are the same for every platform."""
    says = platforms.SAYS.format(command="${command}", said="${line}")
    no_end = platforms.NO_END.format(command="${command}", seconds="${seconds}")
    answer = {"command": "${command}", "code": "${code}", "words": "${words}"}
    values = {
        "says": _quoted(says),
        "no_end": _quoted(no_end),
        "no_answer": _quoted(platforms.NO_ANSWER.format(**answer)),
        "no_words": platforms.NO_WORDS,
        "most_words": str(platforms.MOST_WORDS),
    }
    return _filled("functions", values)


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
        "  set(GPU_WHOLE FALSE PARENT_SCOPE)",
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
        "  set(GPU_WHOLE TRUE PARENT_SCOPE)",
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
    name = platform.name
    defaults = (f'  gpu_consider_{name}("{path}" "{path}")' for path in platform.defaults)
    values = {
        "name": name,
        "upper": name.upper(),
        "variables": " ".join(platform.variables),
        "compiler": platform.compiler,
        "defaults": "\n".join(defaults),
        "questions": "\n".join(_question(platform, each) for each in platform.questions),
        "no_home_there": platforms.NO_HOME_THERE,
        "silent": "\n".join(f"  {line}" for line in _fail(_silent(platform)).split("\n")),
    }
    return _filled("find", values)


def _question(platform: Platform, question: Question) -> str:
    """Return the call that asks a program; what a line begins with is an expression."""
    parts = [
        f'    gpu_question_{platform.name}("${{folder}}/{question.program}"',
        f'      "{" ".join(question.arguments)}" {platform.patience:g}',
        *(f'      "{prefix.replace("$", "[$]") or "[ ]*"}"' for prefix in question.prefixes),
    ]
    return "\n".join(parts) + ")"


def _silent(platform: Platform) -> str:
    variable, program = platform.variables[0], "${compiler}"
    help_ = platforms.SILENT_HELP.format(variable=variable, program=program)
    reason = "${reason}"
    return platforms.SILENT.format(program=program, title=platform.title, reason=reason, help=help_)


def _filled(name: str, values: Mapping[str, str]) -> str:
    """Return a template with its marks, like @name@, replaced; an empty line's goes with it."""
    folder = resources.files("porting.buildfiles.cmake")
    template = folder.joinpath(f"gpu_{name}.cmake.in").read_text("utf-8")
    for mark, value in values.items():
        template = template.replace(f"@{mark}@\n", f"{value}\n" if value else "")
        template = template.replace(f"@{mark}@", value)
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
    return _filled("detect", values)


def _not_found(platform: Platform) -> str:
    return platforms.NOT_FOUND.format(
        selector=SELECTOR,
        value=platform.name,
        title=platform.title,
        looked=f"${{GPU_{platform.name.upper()}_LOOKED}}",
        variable=platform.variables[0],
    )
