"""What ends a command of the parity matrix: a message that says what is wrong and what to do."""


class ParityError(Exception):
    """A file, a report or a command line that cannot be used; commands exit 2 with its text."""


class CannotRunError(ParityError):
    """This machine lacks what a cell needs; the text is the reason."""


class BrokenRunError(ParityError):
    """A cell's run broke off and there is no report; the command exits 1 with its text."""
