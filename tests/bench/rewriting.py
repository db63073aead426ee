"""Texts that are rewritten as people do who take over what others wrote: a model, of which each step is one word.

A function word goes, or becomes another one; another word gets another form that the dictionary has for it, and where
it has none, it becomes another word. English forms are those of lemminflect, Russian ones those of pymorphy3 (extra
lang). Words keep their order, and no synonyms are looked up.
"""

import random
import re
from collections.abc import Sequence
from functools import cache
from typing import Any

import edits

from shingletools.text.wordlists import word_list

EDGES = re.compile(r"^(\W*)(.*?)(\W*)$", re.DOTALL)


def rewritten(words: edits.Words, number: int, rng: random.Random, others: Sequence[str], language: str) -> edits.Words:
    """So many words of a text are rewritten."""
    copy: list[str | None] = [*words]
    for place in rng.sample(range(len(words)), number):
        copy[place] = another(words[place], rng, others, language)
    return [word for word in copy if word is not None]


def another(word: str, rng: random.Random, others: Sequence[str], language: str) -> str | None:
    """What stands for a word; the signs around it stay."""
    match = EDGES.match(word)
    assert match
    before, core, behind = match.groups()
    small = core.lower()
    if small in stop_words(language):
        return None if rng.random() < 0.5 else before + rng.choice(sorted(stop_words(language))) + behind
    forms = sorted(forms_of(small, language) - {small})
    return before + (rng.choice(forms) if forms else rng.choice(others)) + behind


@cache
def stop_words(language: str) -> frozenset[str]:
    return frozenset(word_list("--stop", language)[0])


@cache
def forms_of(word: str, language: str) -> frozenset[str]:
    """All forms of the word that a dictionary has, small."""
    if language == "en":
        from lemminflect import getAllInflections, getAllLemmas

        lemmas = {lemma for found in getAllLemmas(word).values() for lemma in found}
        return frozenset(form for lemma in lemmas for found in getAllInflections(lemma).values() for form in found)
    if language == "ru":
        return frozenset(form.word for form in analyzer().parse(word)[0].lexeme)
    return frozenset()


@cache
def analyzer() -> Any:
    from pymorphy3 import MorphAnalyzer

    return MorphAnalyzer(lang="ru")
