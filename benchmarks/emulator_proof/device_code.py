"""Compile kernels for the proof: `device_code(source, cuda_home, output)`.

clang reads the CUDA source as device code for the processor; an entry, which takes what a launch
gives, a pointer per parameter, is added to the text of its IR for every kernel, and the text is
made into a library.  The proof's own method; the emulator has another (porting/emulate).
"""

import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

CLANG = "clang++-19"
_HEADERS = Path(__file__).with_name("include")
_READING = ("-std=c++17", "-O1", "-S", "-emit-llvm", "-fPIC", "-w", "-D__CUDA_ARCH__=900")
_AS_DEVICE = ("-fcuda-is-device", "-fcuda-allow-variadic-functions", "-target-sdk-version=12.3")
_SECONDS = 120
_KERNEL = re.compile(
    r"^define\s+(?:(?:weak_odr|protected|hidden|dso_local|linkonce_odr)\s+)*"
    r"void @(\w+)\((.*)\)[^\n]*\{$",
    re.MULTILINE,
)
_DYNAMIC_SHARED = re.compile(r"^(@\w+) = external (?:\w+ )*global \[0 x [\w.]+\].*$", re.MULTILINE)
_SHARED_WORDS = 16384


def compile_device_code(source: Path, cuda_home: Path, output: Path) -> None:
    """Write the library of a source's kernels; raises CalledProcessError when clang fails."""
    text = output.with_suffix(".ll")
    subprocess.run(
        _reading_command(source, cuda_home, text),
        check=True,
        capture_output=True,
        text=True,
        timeout=_SECONDS,
    )
    text.write_text(with_entries(text.read_text()))
    making = (CLANG, "-w", "-shared", "-fPIC", "-O2", "-x", "ir", str(text), "-o", str(output))
    subprocess.run((*making, "-lm"), check=True, capture_output=True, text=True, timeout=_SECONDS)


def _reading_command(source: Path, cuda_home: Path, output: Path) -> list[str]:
    """Return clang's own command for plain C++, with the language changed to CUDA's."""
    include = ("-I", str(_HEADERS), "-isystem", str(cuda_home / "include"))
    words = (CLANG, "-###", "-x", "c++", *_READING, *include, str(source), "-o", str(output))
    done = subprocess.run(words, check=True, capture_output=True, text=True, timeout=_SECONDS)
    command = shlex.split(done.stderr.strip().splitlines()[-1])
    language = len(command) - 1 - command[::-1].index("-x")
    command[language + 1] = "cuda"
    command[2:2] = _AS_DEVICE
    return command


def with_entries(text: str) -> str:
    """Return a module's IR with an entry per kernel, and room for dynamic shared memory."""
    entries = [_entry(match[1], _split(match[2])) for match in _KERNEL.finditer(text)]
    room = rf"\1 = internal global [{_SHARED_WORDS} x i64] zeroinitializer, align 16"
    text = _DYNAMIC_SHARED.sub(room, text).replace("externally_initialized ", "")
    return "\n".join([text, *entries, ""])


def _entry(name: str, parameters: list[str]) -> str:
    """Return a function that loads each parameter from its pointer, and calls the kernel."""
    lines, values, slot = [], [], -1
    for number, parameter in enumerate(parameters):
        second = parameter.endswith(".coerce1")  # the second word of a structure in registers
        slot += 0 if second else 1
        lines.append(f"  %s{number} = getelementptr ptr, ptr %a, i64 {slot}")
        lines.append(f"  %p{number} = load ptr, ptr %s{number}")
        structure = re.search(r"byval\(([^)]*)\)", parameter)
        if structure:
            values.append(f"ptr byval({structure[1]}) align 8 %p{number}")
            continue
        match = re.match(r"(<[^>]*>|\{[^}]*\}|[\w.%]+)", parameter)
        kind = match[1] if match else "ptr"
        lines.append(f"  %q{number} = getelementptr i8, ptr %p{number}, i64 {8 if second else 0}")
        lines.append(f"  %v{number} = load {kind}, ptr %q{number}, align 1")
        values.append(f"{kind} %v{number}")
    body = "\n".join([*lines, f"  call void @{name}({', '.join(values)})", "  ret void"])
    return f"define void @{name}__entry(ptr %a) {{\n{body}\n}}"


def _split(text: str) -> list[str]:
    return list(_parts(text)) if text.strip() else []


def _parts(text: str) -> Iterator[str]:
    """Yield what commas outside brackets separate."""
    depth, part = 0, ""
    for letter in text:
        depth += (letter in "([{<") - (letter in ")]}>")
        if letter == "," and depth == 0:
            yield part.strip()
            part = ""
        else:
            part += letter
    yield part.strip()
