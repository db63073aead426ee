"""Dictionary forms: one word at a time, never by its neighbours, so that they can be remembered."""

from collections.abc import Callable

from shingletools.canon.folding import fold
from shingletools.canon.rules import Rule, made_with, needs
from shingletools.canon.russian import russian
from shingletools.canon.words import WORD
from shingletools.wire import Failed, shown


class Lemmas:
    """The word's dictionary form in the first of the languages that has another one for it."""

    def __init__(self, languages: tuple[str, ...]) -> None:
        self.languages = languages
        self.steps = [russian() if language == "ru" else simple(language) for language in languages]

    def __call__(self, word: str) -> str:
        for step in self.steps:
            lemma = settled(step, word)
            if lemma != word:
                return lemma
        return word

    def __reduce__(self) -> tuple[type["Lemmas"], tuple[tuple[str, ...]]]:
        return Lemmas, (self.languages,)


def lemma(languages: str) -> Rule:
    """Raises Failed for a language without a dictionary, or where a package is missing."""
    names = tuple(languages.split(","))
    packages = ["pymorphy3", "pymorphy3-dicts-ru"] if "ru" in names else []
    if set(names) != {"ru"}:
        packages.insert(0, "simplemma")
    function = Lemmas(names)
    return Rule("lemma", made_with(languages, *packages), function)


def settled(step: Callable[[str], str], word: str) -> str:
    """The form at which a step stays, or the least of those among which it goes round.

    So all words on one way end at one form: dictionaries send bacteria to bacterium, and bacterium to bacteria.

    >>> settled({"a": "b", "b": "c", "c": "b"}.__getitem__, "a")
    'b'
    """
    seen: list[str] = []
    while word not in seen:
        seen.append(word)
        word = step(word)
    return min(seen[seen.index(word) :])


def simple(language: str) -> Callable[[str], str]:
    """Dictionary forms by simplemma, folded."""
    package = needs("--lemma", "simplemma")
    strategies = needs("--lemma", "simplemma.strategies")
    known = needs("--lemma", "simplemma.strategies.dictionaries.dictionary_factory").SUPPORTED_LANGUAGES
    if language not in known:
        raise Failed(f"--lemma: no dictionary for {shown(language)} (there are {', '.join(sorted(known))})")
    strategy = strategies.DefaultStrategy(low_memory=True)
    lemmatizer = package.Lemmatizer(cache_max_size=1, lemmatization_strategy=strategy)

    def step(word: str) -> str:
        if language == "de":
            # A German noun is in the dictionary with its capital; in lower case, haus would come from hausen
            noun = word[:1].upper() + word[1:]
            word = noun if strategy.is_dictionary_member(noun, language) else word
        found = fold(lemmatizer.lemmatize(word, language))
        return found if WORD.fullmatch(found) else fold(word)

    return step
