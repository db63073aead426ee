"""Stems by Snowball."""

from collections.abc import Callable, Sequence

import Stemmer

from shingletools.commands.canon.rules import FirstChange, Rule
from shingletools.record.package_versions import made_with
from shingletools.system.errors import Failed, shown

# One name for each language, so that equal stems have equal recipes. Other names are PyStemmer's own
NAMES = (
    "arabic ar, armenian hy, basque eu, catalan ca, czech cs, danish da, dutch nl, english en, esperanto "
    "eo, estonian et, finnish fi, french fr, german de, greek el, hindi hi, hungarian hu, indonesian id, "
    "irish ga, italian it, lithuanian lt, nepali ne, norwegian no, persian fa, polish pl, portuguese pt, "
    "romanian ro, russian ru, serbian sr, spanish es, swedish sv, tamil ta, turkish tr, yiddish yi"
)
CODES = dict(language.split(" ") for language in NAMES.split(", "))


def stemmer(language: str) -> Callable[[str], str]:
    # Canonizer's memo has the stems; the stemmer's own cache would only take memory
    stem: Callable[[str], str] = Stemmer.Stemmer(language, 0).stemWord
    return lambda word: stem(word) or word


def stem(languages: Sequence[str]) -> Rule:
    """Returns the rule: a word's stem in the first language whose stemmer changes it.

    Raises Failed for a language that PyStemmer does not have.
    """
    names = tuple(CODES.get(name, name) for name in languages)
    try:
        function = FirstChange(stemmer, names)
    except KeyError:
        known = ", ".join(Stemmer.algorithms())
        asked = shown(",".join(languages))
        raise Failed(f"--stem: no stemmer for all of {asked} (there are {known}, by name or code)") from None
    return Rule("stem", made_with(",".join(names), "PyStemmer"), function)
