"""Russian dictionary forms, chosen from pymorphy3's readings of a word."""

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

import regex

from shingletools.system.lazy_imports import needs

MAX_LETTERS = 40  # letters; dictionaries have no longer words, and guessing longer ones takes quadratic time
RUSSIAN = regex.compile(f"[а-яё]{{2,{MAX_LETTERS}}}+")
ADJECTIVES = {"ADJF", "ADJS", "PRTF", "PRTS", "COMP"}
MIN_SHARE = 0.2  # of the score of all readings: less, and a part of speech is not preferred
CLEAR_SHARE = 0.75  # of the score of the readings as a noun: so much, and the word alone decides which noun it is
CACHED_NOUNS = 1 << 16  # nouns that are remembered


@cache
def readings() -> Callable[[str], Any]:
    """Returns the function that gives pymorphy3's readings of a word; its dictionary is loaded once."""
    import pymorphy3  # of the extra [lang]

    parse: Callable[[str], Any] = pymorphy3.MorphAnalyzer(lang="ru").parse
    return parse


def russian() -> Callable[[str], str]:
    """Returns a function from words to dictionary forms by pymorphy3. Raises Failed if the package is missing.

    It prefers readings as a noun, because nouns carry the topic.

    The best reading alone sends the cases of one noun to several forms: парка to the coat, парк to the park. So if a
    word may belong to several nouns, the readings of all cases of these nouns decide, which are the same for each case.
    In this way 957 of the 1,000 nouns most frequent in wordfreq 3.1 have one form for all cases, and 99.0 % of 2,500
    nouns drawn from a spelling dictionary; by the heaviest reading as a noun, 940 and 98.0 %. Without CLEAR_SHARE 963
    have, but политика (politics) becomes политик (politician).
    """
    needs("--lemma ru", "pymorphy3")
    parse = readings()

    def step(word: str) -> str:
        if not RUSSIAN.fullmatch(word):
            return word
        word = word.replace("ё", "е")
        parses = parse(word)
        if not any(reading.is_known for reading in parses):
            if parses[0].tag.POS in ADJECTIVES:
                return _form(parses[0])
            return min(map(_form, _nouns(parses) or parses))
        if any(map(_is_adjective, parses)):
            # новое is taken for the adjective, though the dictionary also has it as a noun
            parses = [
                reading for reading in parses if reading.tag.POS != "NOUN" or not _is_adjectival(reading.normal_form)
            ] or parses
        nouns = _nouns(parses)
        # Readings as a noun also count if the word is such a noun's own form
        if _weight(nouns) >= MIN_SHARE * _weight(parses) or word in map(_form, nouns):
            return _noun(nouns)
        adjectives = [reading for reading in parses if reading.tag.POS == "ADJF"]
        return _heaviest(_sums(adjectives if _weight(adjectives) >= MIN_SHARE * _weight(parses) else parses))

    return step


def _form(reading: Any) -> str:
    form: str = reading.normal_form
    return form.replace("ё", "е")


def _is_adjective(reading: Any) -> bool:
    return reading.tag.POS == "ADJF" and "Apro" not in reading.tag


@lru_cache(CACHED_NOUNS)
def _is_adjectival(form: str) -> bool:
    """Returns whether a noun's dictionary form is an adjective, too: not иванов, which rarely is Ivan's."""
    parses = readings()(form)
    return _weight(list(filter(_is_adjective, parses))) >= MIN_SHARE * _weight(parses)


def _nouns(parses: list[Any]) -> list[Any]:
    return [reading for reading in parses if reading.tag.POS == "NOUN"]


def _weight(parses: list[Any]) -> float:
    return sum(float(reading.score) for reading in parses)


def _sums(parses: list[Any]) -> dict[str, float]:
    """Returns the total score of the readings of each form."""
    sums: dict[str, float] = {}
    for reading in parses:
        sums[_form(reading)] = sums.get(_form(reading), 0.0) + float(reading.score)
    return sums


def _heaviest(sums: dict[str, float]) -> str:
    """Returns the form with the highest score; of equal ones the longest, then the first."""
    return min((-round(score, 6), -len(form), form) for form, score in sums.items())[2]


def _noun(nouns: list[Any]) -> str:
    sums = _sums(nouns)
    heaviest = _heaviest(sums)
    if sums[heaviest] >= CLEAR_SHARE * sum(sums.values()):
        return heaviest
    return _heaviest({form: _certainty(form) for form in sums})


@lru_cache(CACHED_NOUNS)
def _certainty(noun: str) -> float:
    """Returns how likely a noun is meant, from 0 to 1.

    This is the noun's share of its dictionary form, times its share of all its cases.
    """
    cases = {
        case.word.replace("ё", "е")
        for reading in _nouns(readings()(noun))
        if _form(reading) == noun
        for case in reading.lexeme
    }
    return _share(noun, noun) * sum(_share(noun, case) for case in sorted(cases)) / len(cases) if cases else 0.0


@lru_cache(CACHED_NOUNS)
def _share(noun: str, case: str) -> float:
    """Returns a noun's share of the score of a word's readings as nouns."""
    sums = _sums(_nouns(readings()(case)))
    return sums.get(noun, 0.0) / sum(sums.values()) if sums else 0.0
