"""Divides texts into sentences, as the Unicode Standard does."""

from collections.abc import Iterator

from shingletools.system.lazy_imports import lazy, regex

# Unicode Standard Annex 29, rules SB6 to SB11, on its classes: ST and AT end sentences (AT is the ambiguous full stop),
# CL closes quotes and brackets, SP is space, SC goes on with a sentence, NU is a digit, LO lower case, UP upper case,
# LE other letters. Three things differ: a single line feed is a space, for texts come wrapped; an empty line always
# parts; and so does the shad of Tibetan, in all its forms, as ST does.
SHAD = r"\u0f0d-\u0f11\u0f14"
END = rf"[\p{{SB=ST}}{SHAD}]"
STOP = rf"[\p{{SB=AT}}\p{{SB=ST}}{SHAD}]"
AFTER = r"[\p{SB=CL}]*+[\p{SB=SP}\n\r]*+"
GOES_ON = rf"(?!\p{{SB=SC}}|{STOP})"  # SB8a
NO_LOWER = rf"(?![^\p{{SB=LE}}\p{{SB=UP}}\p{{SB=LO}}\p{{SB=ST}}\p{{SB=AT}}{SHAD}\n\u2029]*+\p{{SB=LO}})"  # SB8
BREAK = lazy(
    lambda: regex.compile(
        # A run of ends is looked at once, from its first; its last character decides
        rf"\n[ \t\r]*+\n\s*+|\u2029\s*+|(?<!{STOP}){STOP}++(?<={END}){AFTER}{GOES_ON}"
        rf"|(?<!{STOP}){STOP}++(?<=\p{{SB=AT}})(?!\p{{SB=NU}}|(?<=[\p{{SB=UP}}\p{{SB=LO}}].)\p{{SB=UP}})"
        rf"{AFTER}{GOES_ON}{NO_LOWER}"
    )
)


def sentences(text: str) -> Iterator[str]:
    """Yields the sentences of a text, with all that is between them.

    >>> list(sentences('At 3.14 p.m. it rained. "Stop!" 雨だ。Really?'))
    ['At 3.14 p.m. it rained. ', '"Stop!" ', '雨だ。', 'Really?', '']
    """
    start = 0
    for end in BREAK.finditer(text):
        yield text[start : end.end()]
        start = end.end()
    yield text[start:]
