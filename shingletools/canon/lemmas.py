"""Dictionary forms: one word at a time, never by its neighbours, so that they can be remembered."""

from collections.abc import Callable, Sequence

from shingletools.canon.folding import fold
from shingletools.canon.rules import Rule, made_with, needs
from shingletools.canon.russian import LONGEST, russian
from shingletools.canon.words import WORD
from shingletools.errors import Failed, shown


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


def lemma(languages: Sequence[str]) -> Rule:
    """Raises Failed for a language without a dictionary, or where a package is missing."""
    names = tuple(languages)
    packages = ["pymorphy3", "pymorphy3-dicts-ru"] if "ru" in names else []
    if set(names) != {"ru"}:
        packages.insert(0, "simplemma")
    function = Lemmas(names)
    return Rule("lemma", made_with(",".join(names), *packages), function)


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
    supported = needs("--lemma", "simplemma.strategies.dictionaries.dictionary_factory").SUPPORTED_LANGUAGES
    if language not in supported:
        raise Failed(f"--lemma: no dictionary for {shown(language)} (there are {', '.join(sorted(supported))})")
    strategy = strategies.DefaultStrategy(low_memory=True)
    lemmatizer = package.Lemmatizer(cache_max_size=1, lemmatization_strategy=strategy)

    def known(word: str) -> bool:
        return bool(strategy.is_dictionary_member(word, language))

    def step(word: str) -> str:
        if len(word) > LONGEST:
            return word
        # Words come folded: dictionaries have some with a capital, such as Germans, or with a ß that has become ss
        for spelling in dict.fromkeys((word, word.capitalize(), word.replace("ss", "ß"))):
            if known(spelling):
                break
        else:
            spelling = word
        found = fold(lemmatizer.lemmatize(spelling, language))
        if language == "de":
            # haus is the noun, not hausen's imperative; but kleine is from klein, not the little one
            noun = next(filter(known, (spelling.capitalize(), spelling.capitalize().replace("ss", "ß"))), None)
            if noun is not None and not (word.startswith(found) and word != found):
                found = fold(lemmatizer.lemmatize(noun, language))
        return found if WORD.fullmatch(found) else word

    return step
