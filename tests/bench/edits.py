"""Copies with planted edits: of a known kind, of so many words.

A kind takes the words of a text, how many of them to edit, a source of chance, and running words of other texts, and
gives the words of the copy. The source of chance decides all, so that a seed gives the same copies everywhere.
"""

import random
from collections.abc import Callable, Sequence

Words = list[str]
Edit = Callable[[Words, int, random.Random, Sequence[str]], Words]

FULL_WIDTH = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
ZERO_WIDTH_SPACE = "\u200b"


def number_of(words: Sequence[str], share: float) -> int:
    """How many words a share of a text is: the nearest number, but one at least."""
    return max(1, round(share * len(words)))


def replace(words: Words, number: int, rng: random.Random, others: Sequence[str]) -> Words:
    """So many words, each in its place, become another."""
    copy = words.copy()
    for place in rng.sample(range(len(words)), number):
        while copy[place] == words[place]:
            copy[place] = rng.choice(others)
    return copy


def insert(words: Words, number: int, rng: random.Random, others: Sequence[str]) -> Words:
    """So many words more, each at a place of its own chance."""
    copy = words.copy()
    for _ in range(number):
        copy.insert(rng.randrange(len(copy) + 1), rng.choice(others))
    return copy


def delete(words: Words, number: int, rng: random.Random, _: Sequence[str]) -> Words:
    """So many words fewer."""
    gone = set(rng.sample(range(len(words)), number))
    return [word for place, word in enumerate(words) if place not in gone]


def move(words: Words, number: int, rng: random.Random, _: Sequence[str]) -> Words:
    """A block of so many words stands at another place; the text must have more than those."""
    start, target = rng.sample(range(len(words) - number + 1), 2)
    rest = words[:start] + words[start + number :]
    return rest[:target] + words[start : start + number] + rest[target:]


def case(words: Words, number: int, rng: random.Random, _: Sequence[str]) -> Words:
    """So many words are written otherwise, which canonizing undoes."""
    copy = words.copy()
    for place in rng.sample(range(len(words)), number):
        copy[place] = otherwise(words[place])
    return copy


def otherwise(word: str) -> str:
    """In the other case; what has none, in full width; what has no such form, with a character that nobody sees."""
    forms = (word.swapcase(), word.translate(FULL_WIDTH), word + ZERO_WIDTH_SPACE)
    return next(form for form in forms if form != word)


def boilerplate(words: Words, number: int, _: random.Random, others: Sequence[str]) -> Words:
    """The same so many words around each text: half of them in front, half behind."""
    around = list(others[:number])
    return around[: number // 2] + words + around[number // 2 :]


KINDS: dict[str, Edit] = {each.__name__: each for each in (replace, insert, delete, move, case, boilerplate)}
