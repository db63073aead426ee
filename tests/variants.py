"""Prints the table of canon/letter_variants.py, made of CLDR's collations and Unicode's DoNotEmit.txt.

usage: python tests/variants.py DoNotEmit.txt
       (from https://www.unicode.org/Public/VERSION/ucd/; needs PyICU, whose version says that of CLDR)
"""

import sys
import textwrap
from functools import cmp_to_key
from itertools import combinations
from pathlib import Path

import icu

# Letters of Arabic that are no letters of their own in the collation that searches in any language, then in those of
# Persian and Arabic; letters of Romanian
ARABIC = [letter for letter in bytes(range(0xC1, 0xEB)).decode("iso8859-6", "ignore") if letter.isalpha()]
SOURCES = (("und-u-co-search", ARABIC), ("fa", [*ARABIC, *"پچژکگی"]), ("ro", [*"ţțşș"]))
KINDS = ("Indic_Vowel_Letter", "Tamil_Shrii", "Hamza_Form")


def main(path: str) -> None:
    found: dict[str, str] = {}
    for locale, letters in SOURCES:
        collator = icu.Collator.createInstance(icu.Locale.forLanguageTag(locale))
        ordered = sorted(letters, key=cmp_to_key(collator.compare))
        collator.setStrength(icu.Collator.PRIMARY)
        for base, letter in combinations(ordered, 2):
            if collator.compare(base, letter) == 0 and base not in found and "ء" not in (base, letter):
                found.setdefault(letter, base)
        collator.setStrength(icu.Collator.SECONDARY)
        found |= {f"{one}\u0654": "ئ" for one in letters if collator.compare(f"{one}\u0654", "ئ") == 0}
    for line in Path(path).read_text("utf-8").splitlines():
        source, _, rest = line.partition("#")[0].partition(";")
        replacement, _, kind = rest.partition(";")
        if kind.strip() in KINDS and len(source.split()[0]) == 4:  # of the basic plane: of scripts that are in use
            found[spelled(source)] = spelled(replacement)
    print(icu.ICU_VERSION)
    pairs = ["=".join("+".join(f"{ord(one):X}" for one in side) for side in pair) for pair in sorted(found.items())]
    print(textwrap.fill(" ".join(pairs), 112))


def spelled(codes: str) -> str:
    return "".join(chr(int(code, 16)) for code in codes.split())


if __name__ == "__main__":
    main(sys.argv[1])
