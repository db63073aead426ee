"""The places of a text's parts, in code points, half open: in order, none of them blank.

White space is as in str.isspace. Lines end as in Unicode's Technical Standard 18 (RL1.6).
"""

import re
from collections.abc import Callable, Iterator
from itertools import islice

from shingletools.system.lazy_imports import lazy, regex
from shingletools.text.hyphenation import PARTED, SOFT
from shingletools.text.sentences import sentences
from shingletools.text.unspaced_scripts import ALONE, JOINING

Place = tuple[int, int]
Cut = Callable[[str], Iterator[Place]]

ENDS = r"\n-\r\x85\u2028\u2029"  # characters that end lines; CR LF is one end
LINE = lazy(lambda: re.compile(rf"[^{ENDS}]++"))
# A word is what stands between white space. In scripts without spaces each letter is a word, with the signs around it.
# So no part begins inside a word of canon
WHITE = r"\s\x1c-\x1f"
NO_LETTER = rf"[[^\p{{L}}\p{{N}}{WHITE}]{JOINING}]*+"
LETTER = rf"[{ALONE}--[{JOINING}]]"
WORD = lazy(lambda: regex.compile(rf"{NO_LETTER}{LETTER}{NO_LETTER}|(?:(?!{LETTER})[^{WHITE}])++", regex.VERSION1))
SPACED_WORD = lazy(lambda: re.compile(r"\S++"))
MAY_BE_SPACELESS = lazy(lambda: re.compile(r"[\u0e00-\u1fff\u2e80-\U0010ffff]"))  # the scripts that ALONE has


def lines(text: str) -> Iterator[Place]:
    r"""Yields whole lines, without the characters that end them.

    >>> list(lines("one\n\n  two \r\n"))
    [(0, 3), (5, 11)]
    """
    for line in LINE.finditer(text):
        if not line[0].isspace():
            yield line.span()


def paragraphs(text: str) -> Iterator[Place]:
    r"""Yields runs of lines that are not blank. U+2029 also ends a paragraph.

    >>> list(paragraphs("\n one\ntwo\n \nthree\n"))
    [(1, 9), (12, 17)]
    """
    paragraph = None
    for start, end in lines(text):
        if paragraph and is_line_end(text[paragraph[1] : start]):
            paragraph = paragraph[0], end
        else:
            if paragraph:
                yield paragraph
            paragraph = start, end
    if paragraph:
        yield paragraph


def is_line_end(between: str) -> bool:
    """Returns whether the text between two lines is the end of a line, not of a paragraph."""
    return between == "\r\n" or (len(between) == 1 and between != "\u2029")


def by_sentence(text: str) -> Iterator[Place]:
    """Yields sentences, as canon --sentences finds them, without the white space around them.

    >>> list(by_sentence("One.  Two? "))
    [(0, 4), (6, 10)]
    """
    at = 0
    for sentence in sentences(text):
        end = at + len(sentence.rstrip())
        start = at + len(sentence) - len(sentence.lstrip())
        if start < end:
            yield start, end
        at += len(sentence)


def runs_of_words(number: int, text: str) -> Iterator[Place]:
    """Yields runs of `number` words, from the start of the first word to the end of the last.

    >>> list(runs_of_words(2, "A b, c")), list(runs_of_words(2, "你好。吗"))
    ([(0, 4), (5, 6)], [(0, 3), (3, 4)])
    """
    if SOFT in text:
        text = PARTED.sub(lambda match: SOFT * len(match[0]), text)
    pattern = WORD if MAY_BE_SPACELESS.search(text) else SPACED_WORD
    words = (word.span() for word in pattern.finditer(text))
    for start, end in words:
        *_, (_, end_of_last) = (start, end), *islice(words, number - 1)
        yield start, end_of_last
