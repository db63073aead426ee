"""Joins words that a hyphen divides at the end of a line: soft hyphens always, others by an option."""

from shingletools.commands.canon.character_origins import Origin
from shingletools.text.hyphenation import LINE_END, PARTED, SOFT

# Of --join-hyphens. What begins with a capital is rarely the rest of a word, and what is all capitals is a word alone
SMALL = r"[\p{L}--[\p{Lu}\p{Lt}]]"
HARD = rf"(?V1)(?<={SMALL}\p{{M}}*)[-\u2010]{LINE_END}(?={SMALL})"


def join_soft_hyphens(text: str) -> str:
    """Joins words that soft hyphens divide at the ends of lines. kernel/words.c knows texts without such a hyphen.

    >>> join_soft_hyphens("co\\u00ad\\n  operate, racing\\u00ad game")
    'cooperate, racing\\xad game'
    """
    return PARTED.sub("", text) if SOFT in text else text


def join_soft_hyphens_traced(text: str) -> tuple[str, Origin]:
    """Does `join_soft_hyphens`, and returns the origin, too."""
    return join_soft_hyphens(text), Origin(len(text), ((*match.span(), 0) for match in PARTED.finditer(text)))
