"""Sets of words, written as one text with spaces: readable, and a line holds ten of them."""


def words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())
