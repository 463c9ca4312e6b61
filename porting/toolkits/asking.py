"""Ask a compiler where its toolkit is: a wrapper's own path says nothing of it."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from porting.processes.running import Ran, run
from porting.toolkits import platforms
from porting.toolkits.platforms import Platform, Question


@dataclass(frozen=True)
class Answer:
    """What a program was asked and became of it; `folder` is None where it named none.

    `told`: the question and its answer, as they stand in a message.
    """

    told: str
    folder: Path | None = None


def ask(platform: Platform, compiler: Path, environment: Mapping[str, str]) -> Iterator[Answer]:
    """Yield the answer of a compiler, and of the programs beside it, one at a time.

    It is run by the name it was found by, since ccache and its kind go by that.
    """
    told = tuple(sorted(environment.items()))
    for question in platform.questions:
        program = compiler.with_name(question.program)
        if program.name == compiler.name or os.access(program, os.X_OK):
            yield _asked(question, program.absolute(), platform.patience, told)


@lru_cache(maxsize=16)  # a wrapper that hangs does so once
def _asked(
    question: Question, program: Path, patience: float, environment: tuple[tuple[str, str], ...]
) -> Answer:
    command = [str(program), *question.arguments]
    done = run(command, Path("/"), dict(environment), patience)
    return answer(" ".join(command), question, done, patience)


def answer(command: str, question: Question, done: Ran, patience: float) -> Answer:
    """Return what a program that was asked says; how it ended is no matter if it names a folder.

    nvcc prints its folders, and then fails where there is no host compiler.
    """
    if done.timed_out:
        return Answer(platforms.NO_END.format(command=command, seconds=f"{patience:g}"))
    lines = done.output.splitlines()
    for prefix in question.prefixes:
        for line in lines:
            folder = Path(line.removeprefix(prefix).strip())
            if line.startswith(prefix) and folder.is_absolute() and _is_dir(folder):
                told = platforms.SAYS.format(command=command, said=line.strip())
                return Answer(told, Path(os.path.realpath(folder)))
    words = " ".join(done.output.split())[: platforms.MOST_WORDS] or platforms.NO_WORDS
    return Answer(platforms.NO_ANSWER.format(command=command, code=done.code, words=words))


def _is_dir(path: Path) -> bool:
    """Whether a folder is there and may be looked at; what a program prints may be no name."""
    try:
        return path.is_dir()
    except OSError:
        return False
