"""Stems, by Snowball."""

from shingletools.canon.rules import Rule, made_with
from shingletools.wire import Failed, shown


class Stem:
    """The word's stem in the first of the languages whose Snowball stemmer changes it."""

    def __init__(self, languages: tuple[str, ...]) -> None:
        import Stemmer

        self.languages = languages
        # Our memo remembers; the stemmer's own cache would only cost memory
        self.stemmers = [Stemmer.Stemmer(language, 0) for language in languages]

    def __call__(self, word: str) -> str:
        for stemmer in self.stemmers:
            stem: str = stemmer.stemWord(word)
            if stem != word:
                return stem or word
        return word

    def __reduce__(self) -> tuple[type["Stem"], tuple[tuple[str, ...]]]:
        return Stem, (self.languages,)


def stem(languages: str) -> Rule:
    """Raises Failed for a language that PyStemmer does not know."""
    names = tuple(languages.split(","))
    try:
        function = Stem(names)
    except KeyError:
        import Stemmer

        known = ", ".join(Stemmer.algorithms())
        raise Failed(f"--stem: no stemmer for all of {shown(languages)} (there are {known}, by name or code)") from None
    return Rule("stem", made_with(languages, "PyStemmer"), function)
