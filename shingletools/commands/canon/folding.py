"""Folding: makes texts equal that differ only in case, compatibility forms, invisible characters or apostrophes."""

import re
import unicodedata

from shingletools.system.lazy_imports import lazy, regex

# Typographic and reversed quotes, the letters of their form, which Uzbek, Hawaiian, Ukrainian and Breton use, Hebrew's
# geresh, and what people type in their place, the grave accent and the prime: inside a word all become '. Hebrew's
# gershayim becomes "
APOSTROPHES = str.maketrans({**dict.fromkeys("`\u2018\u2019\u201b\u02bb\u02bc\u02bd\u2032\u05f3", "'"), "\u05f4": '"'})
# What NFKD would change otherwise: the acute accent, of which it makes a space, and fractions, whose digits it joins to
# those before, so that 3½ would become 31⁄2
FRACTIONS = "¼½¾" + "".join(map(chr, range(0x2150, 0x2160))) + "\u2189"
BEFORE_NFKD = str.maketrans({**dict.fromkeys("\u00b4\u1ffd", "'"), **{each: f" {each}" for each in FRACTIONS}})

# Letters that were spelled with a virama and a zero-width joiner before they had a character of their own: Bengali's
# khanda ta and Malayalam's chillus (DoNotEmit.txt of Unicode 17.0)
JOINER = "\u200d"
ATOMIC = {
    "\u09a4\u09cd": "\u09ce",
    "\u0d23\u0d4d": "\u0d7a",
    "\u0d28\u0d4d": "\u0d7b",
    "\u0d30\u0d4d": "\u0d7c",
    "\u0d32\u0d4d": "\u0d7d",
    "\u0d33\u0d4d": "\u0d7e",
}
SPELLED = re.compile(f"({'|'.join(ATOMIC)}){JOINER}")

TATWEEL = "\u0640"  # stretches an Arabic word, as letter spacing stretches a Latin one

# Invisible: soft hyphens, zero-width characters, byte order marks, bidi controls, variation selectors; and what makes a
# keycap of a digit
INVISIBLE = lazy(lambda: regex.compile(r"[\p{Cf}\p{Default_Ignorable_Code_Point}\u20e3]+"))

# unicodedata.normalize sorts combining marks by insertion, in quadratic time: minutes for 1 MB of
# "\u0301\u0316" * 250000. So long runs are sorted first. These five characters, and no others, join such a run only
# when they are decomposed
LONG = 32
LONG_RUN = lazy(lambda: regex.compile(rf"\P{{ccc=0}}{{{LONG},}}"))
DECOMPOSED = str.maketrans({c: unicodedata.normalize("NFKD", c) for c in "\u0f73\u0f75\u0f81\uff9e\uff9f"})

# Letters with a stroke, and the dotless i, do not decompose as other accented letters do
STROKES = str.maketrans("ƀȼđɇǥħɨɉłƚøɍŧʉɏƶı", "bcdeghijllortuyzi")
# Cyrillic letters whose mark is an accent. The others, such as й and ї, are letters of their own
CYRILLIC = str.maketrans("ёѐѝ", "ееи")
LATIN = lazy(lambda: regex.compile(r"[\p{Latin}\p{Greek}]\p{Mn}+"))
POINTED = lazy(lambda: regex.compile(r"(?<=[\p{Cyrillic}\p{Hebrew}\p{Arabic}])\p{Mn}+"))


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
        text = SPELLED.sub(lambda found: ATOMIC[found[1]], text)
    visible = INVISIBLE.sub("", text).translate(BEFORE_NFKD)
    if len(visible) >= LONG:
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
    bare = unicodedata.normalize("NFC", LATIN.sub(lambda run: run[0][0], parted)).translate(CYRILLIC)
    return POINTED.sub("", bare).translate(STROKES)


def _sorted_marks(run: "regex.Match[str]") -> str:
    """Returns the run in canonical order: a stable sort by combining class, in one pass for each class."""
    marks = run[0]
    classes: dict[int, list[str]] = {}
    for mark in set(marks):
        classes.setdefault(unicodedata.combining(mark), []).append(mark)
    return "".join(re.sub(f"[^{''.join(of_class)}]+", "", marks) for _, of_class in sorted(classes.items()))
