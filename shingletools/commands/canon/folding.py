"""Folding: makes texts equal that differ only in case, compatibility forms, invisible characters or apostrophes."""

import re
import unicodedata

from shingletools.system.lazy_imports import lazy, regex

# These become ': typographic and reversed quotes; letters of the same form in Uzbek, Hawaiian, Ukrainian and Breton;
# Hebrew's geresh; the grave accent and the prime, which people type instead. Hebrew's gershayim becomes "
APOSTROPHES = str.maketrans({**dict.fromkeys("`\u2018\u2019\u201b\u02bb\u02bc\u02bd\u2032\u05f3", "'"), "\u05f4": '"'})
# NFKD alone would make a space of the acute accent, and join the digits of a fraction to those before it: 3½ would
# become 31⁄2
FRACTIONS = "¼½¾" + "".join(map(chr, range(0x2150, 0x2160))) + "\u2189"
BEFORE_NFKD = str.maketrans({**dict.fromkeys("\u00b4\u1ffd", "'"), **{each: f" {each}" for each in FRACTIONS}})

# Bengali's khanda ta and Malayalam's chillus: letters that were written with a virama and a zero-width joiner before
# Unicode had a single character for each (DoNotEmit.txt of Unicode 17.0)
JOINER = "\u200d"
SINGLE_CHARACTERS = {
    "\u09a4\u09cd": "\u09ce",
    "\u0d23\u0d4d": "\u0d7a",
    "\u0d28\u0d4d": "\u0d7b",
    "\u0d30\u0d4d": "\u0d7c",
    "\u0d32\u0d4d": "\u0d7d",
    "\u0d33\u0d4d": "\u0d7e",
}
JOINER_SPELLING = re.compile(f"({'|'.join(SINGLE_CHARACTERS)}){JOINER}")

TATWEEL = "\u0640"  # stretches an Arabic word, as letter spacing stretches a Latin one

# Soft hyphens, zero-width characters, byte order marks, bidi controls, variation selectors, and the mark that makes a
# keycap of a digit
INVISIBLE = lazy(lambda: regex.compile(r"[\p{Cf}\p{Default_Ignorable_Code_Point}\u20e3]+"))

# unicodedata.normalize sorts combining marks by insertion, in quadratic time: minutes for 1 MB of
# "\u0301\u0316" * 250000. So long runs are sorted first. Of all characters, only these five become part
# of such a run by being decomposed
LONG_RUN_MARKS = 32
LONG_RUN = lazy(lambda: regex.compile(rf"\P{{ccc=0}}{{{LONG_RUN_MARKS},}}"))
DECOMPOSED = str.maketrans({c: unicodedata.normalize("NFKD", c) for c in "\u0f73\u0f75\u0f81\uff9e\uff9f"})

# Letters with a stroke, and the dotless i, do not decompose as other accented letters do
WITHOUT_STROKES = str.maketrans("ƀȼđɇǥħɨɉłƚøɍŧʉɏƶı", "bcdeghijllortuyzi")
# Cyrillic letters whose mark is an accent. The others, such as й and ї, are letters of their own
CYRILLIC_ACCENTED = str.maketrans("ёѐѝ", "ееи")
ACCENTED_LETTER = lazy(lambda: regex.compile(r"[\p{Latin}\p{Greek}]\p{Mn}+"))
MARKS_TO_DROP = lazy(lambda: regex.compile(r"(?<=[\p{Cyrillic}\p{Hebrew}\p{Arabic}])\p{Mn}+"))


def fold(text: str) -> str:
    """Returns the text without differences of case and form, and without invisible characters.

    This is Unicode's compatibility caseless matching (The Unicode Standard, D146). In addition, invisible characters
    and keycaps around digits are dropped, all characters that are typed as apostrophes become a straight one, letters
    have one spelling, and a fraction begins with a space. Folding twice changes nothing more.

    >>> fold("Ｆｕｌｌ ｗｉｄｔｈ, STRASSE, straße, co\\u00adoperate")
    'full width, strasse, strasse, cooperate'
    """
    if text.isascii():
        return text.lower().replace("`", "'")
    if JOINER in text:
        text = JOINER_SPELLING.sub(lambda match: SINGLE_CHARACTERS[match[1]], text)
    visible = INVISIBLE.sub("", text).translate(BEFORE_NFKD)
    if len(visible) >= LONG_RUN_MARKS:
        visible = LONG_RUN.sub(_sorted_marks, visible.translate(DECOMPOSED))
    folded = unicodedata.normalize("NFKD", visible).replace(TATWEEL, "").casefold()
    return unicodedata.normalize("NFKC", folded).translate(APOSTROPHES)


def fold_accents(text: str) -> str:
    """Returns folded text without the accents, diaereses, strokes and vowel points that people omit when typing.

    Marks that make a different letter stay: in Cyrillic й, in Hangul, and in the scripts of India and South-East Asia.

    >>> fold_accents("crème brûlée, øl, ёлка й, tiếng việt, ά, שָׁלוֹם, हिन्दी")
    'creme brulee, ol, елка й, tieng viet, α, שלום, हिन्दी'
    """
    if text.isascii():
        return text
    parted = unicodedata.normalize("NFD", text)
    bare = unicodedata.normalize("NFC", ACCENTED_LETTER.sub(lambda run: run[0][0], parted)).translate(CYRILLIC_ACCENTED)
    return MARKS_TO_DROP.sub("", bare).translate(WITHOUT_STROKES)


def _sorted_marks(run: "regex.Match[str]") -> str:
    """Returns the run in canonical order: a stable sort by combining class, in one pass for each class."""
    marks = run[0]
    classes: dict[int, list[str]] = {}
    for mark in set(marks):
        classes.setdefault(unicodedata.combining(mark), []).append(mark)
    return "".join(re.sub(f"[^{''.join(of_class)}]+", "", marks) for _, of_class in sorted(classes.items()))
