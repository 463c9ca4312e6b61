"""Decisions by the version of CUDA: made as for the CUDA whose interfaces HIP follows."""

from porting.buildfiles.cmake.commands import Argument, Command
from porting.buildfiles.cmake.conversion import Conversion
from porting.buildfiles.cmake.names import Action, Meaning
from porting.buildfiles.codes import LEFT_ALONE, VERSION_DECISION
from porting.config import FOLLOWED_CUDA

LEVEL = ".".join(map(str, FOLLOWED_CUDA))
_LEVELS = {
    Action.VERSION: LEVEL,
    Action.VERSION_MAJOR: str(FOLLOWED_CUDA[0]),
    Action.VERSION_MINOR: str(FOLLOWED_CUDA[1]),
}
_SHOWS = frozenset(("message", "configure_file", "file"))


def replace_version(
    conversion: Conversion,
    command: Command,
    argument: Argument,
    place: tuple[int, int],
    meaning: Meaning,
) -> None:
    """Decide a condition on a version, show HIP's where it is only shown, else give up."""
    name = conversion.edits.text[place[0] : place[1]].strip("${}")
    if command.name in ("if", "elseif", "while"):
        level = _LEVELS[meaning.action]
        message = (
            f"{name} is decided as {level}: HIP follows the interfaces of CUDA {FOLLOWED_CUDA[0]}"
        )
        conversion.edits.say(
            VERSION_DECISION, argument.start, message, "check that its branches fit"
        )
        conversion.edits.replace(*place, level)
    elif command.name in _SHOWS and meaning.action is Action.VERSION:
        conversion.edits.replace(*place, "${hip_VERSION}")
    else:
        message = f"{name}: {meaning.reason}, and the build depends on it here"
        conversion.edits.say(LEFT_ALONE, argument.start, message)
