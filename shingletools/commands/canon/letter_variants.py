"""Replaces variants of a letter, which are typed in several ways, by one letter."""

import re

from shingletools.commands.canon.rules import Rule
from shingletools.system.lazy_imports import lazy


def spelled(codes: str) -> str:
    """Returns the characters with these codes.

    >>> spelled("649+654") == "\\u0649\\u0654"
    True
    """
    return "".join(chr(int(code, 16)) for code in codes.split("+"))


# By tests/variants.py from CLDR's collations for search, Persian and Romanian, which take such letters for one, and
# from DoNotEmit.txt of Unicode's character database, which has sequences that look like a letter. Both are (c) 2025
# Unicode, Inc., under the Unicode License V3: https://www.unicode.org/license.txt
VERSIONS = "cldr-48,donotemit-17.0.0"
CODES = """
    219=15F 21B=163 622=627 623=627 624=648 625=627 626=64A 629=647 643=6A9 649=64A 649+654=626 64A=6CC 64A+654=626
    6CC+654=626 905+93A=973 905+93B=974 905+93E=906 905+945=972 905+946=904 905+949=911 905+94A=912 905+94B=913
    905+94C=914 905+94F=975 905+956=976 905+957=977 906+93A=974 906+945=911 906+946=912 906+947=913 906+948=914
    909+941=90A 90F+945=90D 90F+946=90E 90F+947=910 930+94D+907=908 985+9BE=986 98B+9C3=9E0 98C+9E2=9E1 A05+A3E=A06
    A05+A48=A10 A05+A4C=A14 A72+A3F=A07 A72+A40=A08 A72+A47=A0F A73+A41=A09 A73+A42=A0A A73+A4B=A13 A85+ABE=A86
    A85+ABE+AC5=A93 A85+ABE+AC8=A94 A85+AC5=A8D A85+AC7=A8F A85+AC8=A90 A85+AC9=A91 A85+ACB=A93 A85+ACC=A94
    AC5+ABE=AC9 B05+B3E=B06 B0F+B57=B10 B13+B57=B14 B85+BC2=B86 BB8+BCD+BB0+BC0=BB6+BCD+BB0+BC0 C12+C4C=C14
    C12+C55=C13 C3F+C55=C40 C46+C55=C47 C4A+C55=C4B C89+CBE=C8A C8B+CBE=CE0 C92+CCC=C94 D07+D57=D08 D09+D57=D0A
    D0E+D46=D10 D12+D3E=D13 D12+D57=D14 D85+DCF=D86 D85+DD0=D87 D85+DD1=D88 D8B+DDF=D8C D8D+DD8=D8E D8F+DDF=D90
    D91+DCA=D92 D91+DD9=D93 D94+DDF=D96
"""
PAIRS = (pair.split("=") for pair in CODES.split())
VARIANTS = {spelled(source): spelled(letter) for source, letter in PAIRS}
PATTERN = lazy(lambda: re.compile("|".join(sorted(VARIANTS, key=len, reverse=True))))


def fold_variants(word: str) -> str:
    """Returns the word with one letter for all variants of it.

    >>> fold_variants("مكتبة"), fold_variants("أخي"), fold_variants("ştiinţă") == fold_variants("știință")
    ('مکتبه', 'اخی', True)
    """
    if word.isascii():
        return word
    while (folded := PATTERN.sub(lambda match: VARIANTS[match[0]], word)) != word:  # some become others in turn
        word = folded
    return word


def variants() -> Rule:
    return Rule("fold-variants", VERSIONS, fold_variants)
