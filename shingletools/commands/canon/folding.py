"""Folding: texts become equal that differ only in case, compatibility forms, invisible characters or apostrophes."""

import re
import unicodedata

from shingletools.system.deferred import later, regex

# Typographic and reversed quotes, the letter that Ukrainian and Breton use, and what people type in their place, the
# grave accent and the prime: inside a word all become '
APOSTROPHES = str.maketrans(dict.fromkeys("`\u2018\u2019\u201b\u02bc\u2032", "'"))
ACUTE = str.maketrans(dict.fromkeys("\u00b4\u1ffd", "'"))  # the same, but NFKD would make a space of it

TATWEEL = "\u0640"  # stretches an Arabic word, as letter spacing stretches a Latin one

# Invisible: soft hyphens, zero-width characters, byte order marks, bidi controls, variation selectors; and what makes a
# keycap of a digit
INVISIBLE = later(lambda: regex.compile(r"[\p{Cf}\p{Default_Ignorable_Code_Point}\u20e3]+"))

# unicodedata.normalize sorts combining marks by insertion, in quadratic time: minutes for 1 MB of
# "\u0301\u0316" * 250000. So long runs are sorted first. These five characters, and no others, join such a run only
# when they are decomposed
LONG = 32
LONG_RUN = later(lambda: regex.compile(rf"\P{{ccc=0}}{{{LONG},}}"))
DECOMPOSED = str.maketrans({c: unicodedata.normalize("NFKD", c) for c in "\u0f73\u0f75\u0f81\uff9e\uff9f"})


def fold(text: str) -> str:
    """Text without differences of case, compatibility forms and invisible characters; fold(fold(x)) == fold(x).

    This is Unicode's compatibility caseless matching (The Unicode Standard, D146). In addition, invisible characters
    and keycaps around digits are dropped, and whatever is typed as an apostrophe becomes a straight one.

    >>> fold("Ｆｕｌｌ ｗｉｄｔｈ, STRASSE, straße, co\\u00adoperate")
    'full width, strasse, strasse, cooperate'
    """
    if text.isascii():
        return text.lower().replace("`", "'")
    visible = INVISIBLE.sub("", text).translate(ACUTE)
    if len(visible) >= LONG:
        visible = LONG_RUN.sub(_sorted_marks, visible.translate(DECOMPOSED))
    folded = unicodedata.normalize("NFKD", visible).replace(TATWEEL, "").casefold()
    return unicodedata.normalize("NFKC", folded).translate(APOSTROPHES)


def _sorted_marks(run: "regex.Match[str]") -> str:
    """The run in canonical order: a stable sort by combining class, in one pass for each class."""
    marks = run[0]
    classes: dict[int, list[str]] = {}
    for mark in set(marks):
        classes.setdefault(unicodedata.combining(mark), []).append(mark)
    return "".join(re.sub(f"[^{''.join(of_class)}]+", "", marks) for _, of_class in sorted(classes.items()))
