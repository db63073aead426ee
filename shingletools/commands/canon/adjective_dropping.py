"""The rule that drops words that can only be adjectives."""

from shingletools.commands.canon.rules import Rule
from shingletools.commands.canon.russian_lemmas import RUSSIAN, readings
from shingletools.record.package_versions import made_with
from shingletools.system.errors import Failed, shown
from shingletools.system.lazy_imports import needs

# Nouns and determiners that are only adjectives in the dictionary of lemminflect or pymorphy3
NOT_ONLY_ADJECTIVES = {
    "en": frozenset(
        "amber apt audio boolean broadband certain desktop dynamic few fewer fewest gamer multi remote same several "
        "sundry unlike various woody wheezy".split()
    ),
    "ru": frozenset(("должен", "должна", "должны")),
}


def drop_adjectives(language: str) -> Rule:
    """Returns the rule for a language, en or ru. Raises Failed for another language or if a package is missing."""
    if language not in NOT_ONLY_ADJECTIVES:
        raise Failed(f"--drop-adjectives: en or ru, not {shown(language)}")
    if language == "en":
        needs("--drop-adjectives en", "lemminflect")
        return Rule("drop-adjectives", made_with(language, "lemminflect"), drop_english_adjective)
    needs("--drop-adjectives ru", "pymorphy3")
    return Rule("drop-adjectives", made_with(language, "pymorphy3", "pymorphy3-dicts-ru"), drop_russian_adjective)


def drop_english_adjective(word: str) -> str:
    """Returns the word, or "" if lemminflect's dictionary has it only as an adjective.

    It must be there only as an adjective with a capital, too.
    """
    lemmas = needs("--drop-adjectives en", "lemminflect").getAllLemmas
    if word in NOT_ONLY_ADJECTIVES["en"] or set(lemmas(word)) != {"ADJ"}:
        return word
    return "" if set(lemmas(word.capitalize())) <= {"ADJ"} else word


def drop_russian_adjective(word: str) -> str:
    """Returns the word, or "" if pymorphy3's dictionary has it only as an adjective.

    Participles, pronouns and ordinal numbers stay. Comparatives stay, too, since they are also adverbs.
    """
    if word in NOT_ONLY_ADJECTIVES["ru"] or not RUSSIAN.fullmatch(word):
        return word
    for reading in readings()(word):
        tag = reading.tag
        if not reading.is_known or tag.POS not in ("ADJF", "ADJS") or tag.grammemes & {"Apro", "Anum", "Subx"}:
            return word
    return ""
