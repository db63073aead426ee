"""Replaces letters of one script within words of another by the letters that they look like."""

from functools import partial

from shingletools.commands.canon.rules import Rule, in_place
from shingletools.kernel.memo import Memo
from shingletools.system.lazy_imports import lazy, regex
from shingletools.text.unspaced_scripts import SPACELESS

# Letters of one case that look alike. tests/homoglyphs.py made the tables from confusables.txt of Unicode's UTS #39,
# (c) 2025 Unicode, Inc., under the Unicode License V3: https://www.unicode.org/license.txt
VERSION = "17.0.0"
LOOKALIKES = {
    "Cyrillic": str.maketrans(
        "ABCEHIJKMOPSTXYaceijoprswxyÈËÏèëïþΑΒΓΕΗΙΚΛΜΟΠΡΤΥΦΧΪαγεικοπρστφϊ",
        "АВСЕНІЈКМОРЅТХУасеіјоргѕшхуЀЁЇѐёїрАВГЕНІКЛМОПРТУФХЇауєікопротфї",
    ),
    "Greek": str.maketrans(
        "ABEHIKMNOPTXYZaiopuvyÁÉÍÏÓÝßáíïóúüþІЇАВГЕКЛМНОПРТУФХакопртуфєіїѰѱѲѵҮүӨӰԑ",
        "ΑΒΕΗΙΚΜΝΟΡΤΧΥΖαιορυνγΆΈΊΪΌΎβάίϊόύϋρΙΪΑΒΓΕΚΛΜΗΟΠΡΤΥΦΧακοπρτγφειϊΨψΘνΥγΘΫε",
    ),
    "Latin": str.maketrans(
        "ЀЁЅІЇЈАВЕКМНОРСТУХагеорсухшѐёѕіїјѡѴѵҮүһҽӏӒӓӦӧӱԁԌԛԜԝΆΈΊΌΎΑΒΕΖΗΙΚΜΝΟΡΤΥΧΪάίαβγινορσυϊϋόύ",
        "ÈËSIÏJABEKMHOPCTYXareopcyxwèësiïjwVvYyhelÄäÖöÿdGqWwÁÉÍÓÝABEZHIKMNOPTYXÏáíaßyivopouïüóú",
    ),
}

# Letters and digits without a gap. The apostrophe of debian'у separates two runs
LETTER_RUN = lazy(lambda: regex.compile(rf"[[\p{{L}}\p{{N}}\p{{M}}\p{{Cf}}]--{SPACELESS}]+", regex.VERSION1))
LETTERS = {script: lazy(partial(lambda script: regex.compile(rf"\p{{{script}}}"), script)) for script in LOOKALIKES}


def fold_word(word: str) -> str:
    """Returns the word in the script of most of its letters, if all others look like letters of that script.

    If scripts have equally many letters, Cyrillic is tried first, then Greek.

    >>> fold_word("Дeнь"), fold_word("рaypаl"), fold_word("USBшный"), fold_word("Нa")
    ('День', 'paypal', 'USBшный', 'На')
    """
    if word.isascii():
        return word
    numbers = {script: len(letters) for script, letter in LETTERS.items() if (letters := letter.findall(word))}
    if len(numbers) > 1:
        for script in (script for script, number in numbers.items() if number == max(numbers.values())):
            folded = word.translate(LOOKALIKES[script])
            if not any(LETTERS[other].search(folded) for other in numbers if other != script):
                return folded
    return word


WORDS = Memo(fold_word)


def fold_homoglyphs(text: str) -> str:
    return text if text.isascii() else LETTER_RUN.sub(lambda run: WORDS[run[0]], text)


def homoglyphs() -> Rule:
    return Rule("fold-homoglyphs", f"confusables-{VERSION}", fold_homoglyphs, partial(in_place, fold_homoglyphs))
