"""Prints the table of shingletools/commands/canon/homoglyphs.py, made of Unicode's confusables.

usage: python tests/homoglyphs.py confusables.txt
       (from https://www.unicode.org/Public/security/VERSION/)
"""

import sys
import unicodedata
from itertools import permutations
from pathlib import Path

LETTERS = {"latin": range(0x100), "cyrillic": range(0x400, 0x530), "greek": range(0x386, 0x3CF)}
RARE = range(0x460, 0x530)  # Cyrillic letters that take the place of none


def letters(script: str) -> list[str]:
    kinds = tuple(f"{script} {case} LETTER ".upper() for case in ("capital", "small"))
    return [chr(code) for code in LETTERS[script] if unicodedata.name(chr(code), "").startswith(kinds)]


def main(path: str) -> None:
    looks = {}
    for line in Path(path).read_text("utf-8-sig").splitlines():
        if line and line[0] != "#":
            source, target, _ = line.split(";", 2)
            looks[chr(int(source, 16))] = "".join(chr(int(code, 16)) for code in target.split())

    def look(letter: str) -> tuple[str, str, str]:
        """Equal for letters that look alike: the base, its case and its marks."""
        parted = unicodedata.normalize("NFD", letter)
        return looks.get(parted[0], parted[0]), unicodedata.category(letter), parted[1:]

    for source, target in permutations(LETTERS, 2):
        by_look = {look(letter): letter for letter in reversed(letters(target)) if ord(letter) not in RARE}
        pairs = [(letter, by_look[look(letter)]) for letter in letters(source) if look(letter) in by_look]
        print(source, target)
        print("", *(f'"{"".join(pair[side] for pair in pairs)}",' for side in (0, 1)), sep="\n    ")


if __name__ == "__main__":
    main(sys.argv[1])
