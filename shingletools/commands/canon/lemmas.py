"""Dictionary forms. A form depends on the word alone, never on its neighbours, so a memo can keep it."""

from collections.abc import Callable, Sequence
from functools import partial

from shingletools.commands.canon.folding import fold
from shingletools.commands.canon.rules import FirstChange, Rule
from shingletools.commands.canon.russian_lemmas import MAX_LETTERS, russian
from shingletools.commands.canon.word_splitting import WORD
from shingletools.record.package_versions import made_with
from shingletools.system.errors import Failed, shown
from shingletools.system.lazy_imports import needs


def lemma(languages: Sequence[str]) -> Rule:
    """Returns the rule: a word's dictionary form in the first language whose form differs from it.

    Raises Failed for a language without a dictionary or if a package is missing.
    """
    names = tuple(languages)
    packages = ["pymorphy3", "pymorphy3-dicts-ru"] if "ru" in names else []
    if set(names) != {"ru"}:
        packages.insert(0, "simplemma")
    return Rule("lemma", made_with(",".join(names), *packages), FirstChange(lemmatizer, names))


def lemmatizer(language: str) -> Callable[[str], str]:
    """Returns the function from folded words to dictionary forms. Raises Failed."""
    return partial(fixed_point, russian() if language == "ru" else simple(language))


def fixed_point(step: Callable[[str], str], word: str) -> str:
    """Repeats a step until the form no longer changes; of forms that come round in a circle, the least.

    So all words of a circle get one form: dictionaries send bacteria to bacterium, and bacterium to bacteria.

    >>> fixed_point({"a": "b", "b": "c", "c": "b"}.__getitem__, "a")
    'b'
    """
    seen: list[str] = []
    while word not in seen:
        seen.append(word)
        word = step(word)
    return min(seen[seen.index(word) :])


def simple(language: str) -> Callable[[str], str]:
    """Returns a function from folded words to dictionary forms by simplemma, folded. Raises Failed."""
    package = needs("--lemma", "simplemma")
    strategies = needs("--lemma", "simplemma.strategies")
    supported = needs("--lemma", "simplemma.strategies.dictionaries.dictionary_factory").SUPPORTED_LANGUAGES
    if language not in supported:
        raise Failed(f"--lemma: no dictionary for {shown(language)} (there are {', '.join(sorted(supported))})")
    strategy = strategies.DefaultStrategy(low_memory=True)
    lemmatizer = package.Lemmatizer(cache_max_size=1, lemmatization_strategy=strategy)

    def known(word: str) -> bool:
        return bool(strategy.is_dictionary_member(word, language))

    def step(word: str) -> str:
        if len(word) > MAX_LETTERS:
            return word
        # Words are folded, but dictionaries have some with a capital, such as Germans, or with ß where we have ss
        for spelling in dict.fromkeys((word, word.capitalize(), word.replace("ss", "ß"))):
            if known(spelling):
                break
        else:
            spelling = word
        base = fold(lemmatizer.lemmatize(spelling, language))
        if language == "de":
            # haus is the noun, not the imperative of hausen; but kleine is a form of klein, not a noun
            noun = next(filter(known, (spelling.capitalize(), spelling.capitalize().replace("ss", "ß"))), None)
            if noun is not None and not (word.startswith(base) and word != base):
                base = fold(lemmatizer.lemmatize(noun, language))
        return base if WORD.fullmatch(base) else word

    return step
