"""Words that can only be adjectives."""

from shingletools.canon.rules import Rule, made_with, needs
from shingletools.canon.russian import RUSSIAN, readings
from shingletools.errors import Failed, shown

# Nouns and determiners that lemminflect's dictionary, or pymorphy3's, knows only as adjectives.
ALSO_OTHERS = {
    "en": frozenset(
        "amber apt audio boolean broadband certain desktop dynamic few fewer fewest gamer multi remote same several "
        "sundry unlike various woody wheezy".split()
    ),
    "ru": frozenset(("должен", "должна", "должны")),
}


def drop_adjectives(language: str) -> Rule:
    """Raises Failed for another language, or where a package is missing."""
    if language not in ALSO_OTHERS:
        raise Failed(f"--drop-adjectives: en or ru, not {shown(language)}")
    if language == "en":
        needs("--drop-adjectives en", "lemminflect")
        return Rule("drop-adjectives", made_with(language, "lemminflect"), drop_english_adjective)
    needs("--drop-adjectives ru", "pymorphy3")
    return Rule("drop-adjectives", made_with(language, "pymorphy3", "pymorphy3-dicts-ru"), drop_russian_adjective)


def drop_english_adjective(word: str) -> str:
    """Nothing for a word that lemminflect's dictionary knows, with or without a capital, as an adjective only."""
    lemmas = needs("--drop-adjectives en", "lemminflect").getAllLemmas
    if word in ALSO_OTHERS["en"] or set(lemmas(word)) != {"ADJ"}:
        return word
    return "" if set(lemmas(word.capitalize())) <= {"ADJ"} else word


def drop_russian_adjective(word: str) -> str:
    """Nothing for a word that pymorphy3's dictionary knows as an adjective only.

    Participles, pronouns and ordinal numbers stay, and so do comparatives, which are adverbs too.
    """
    if word in ALSO_OTHERS["ru"] or not RUSSIAN.fullmatch(word):
        return word
    for reading in readings()(word):
        tag = reading.tag
        if not reading.is_known or tag.POS not in ("ADJF", "ADJS") or tag.grammemes & {"Apro", "Anum", "Subx"}:
            return word
    return ""
