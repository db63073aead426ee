"""Canonical words with their places: the words of Canonizer, each with its place in the original text."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from shingletools import kernel
from shingletools.commands.canon.canonizer import Canonizer, Rules, later_words
from shingletools.commands.canon.character_origins import Origin, original_place
from shingletools.commands.canon.folding_origins import PlacedFolding
from shingletools.commands.canon.hyphens import join_soft_hyphens_traced
from shingletools.commands.canon.known_characters import is_later, part_later
from shingletools.commands.canon.rules import PARAGRAPH
from shingletools.commands.canon.user_patterns import WordPattern
from shingletools.commands.canon.word_splitting import cut
from shingletools.kernel.lines import Link, no_link
from shingletools.kernel.memo import CUT_CHARS, cut_at_blanks, shifted_places
from shingletools.record.wire import Placed
from shingletools.text.hyphenation import SOFT
from shingletools.text.sentences import sentences

BLANKS = re.compile(f"[ \t\n\f\r{PARAGRAPH}]{{2,}}")


class Placer:
    """Turns a text into its canonical words and their places. The words are those of Canonizer with the same rules.

    A place, FROM-TO, is counted in code points of the original text, half open. It runs from the first character that
    contributes to the word to the last. Of HTML, the text that a rule takes from it counts as the original.

    >>> Placer()("The cat’s  “whiskers”")
    Placed(words="the cat's whiskers", at='0-3 4-9 12-20', source='The cat’s  “whiskers”')
    """

    def __init__(self, rules: Rules | None = None) -> None:
        self.canonizer = Canonizer(rules)
        self.rules = self.canonizer.rules
        self.fold = PlacedFolding(self.canonizer.fold)
        self.symbols = Placer(self.rules.alone()) if self.rules.symbols else None
        alone = self.rules.cut is cut
        wherever = self.canonizer.wherever if alone and not self.rules.words else None
        self.tokens = kernel.words(self._token, wherever, alone)

    def __reduce__(self) -> "tuple[type[Placer], tuple[Rules]]":
        """Pickles the rules only, so that another process starts with empty memos and its own kernel."""
        return (Placer, (self.rules,))

    def __call__(self, text: str) -> Placed:
        rules = self.rules
        rules.budget.start(text)
        source, origins = text, list[Origin]()
        for rule in rules.texts:
            if rule.traced is None:
                text = in_short(rule.function(text))
                source = text.replace(PARAGRAPH, "\n")
                origins.clear()
            else:
                text, origin = rule.traced(text)
                origins.append(origin)
        if SOFT in text:
            text, origin = join_soft_hyphens_traced(text)
            origins.append(origin)
        lines, places = [], []
        begin = 0
        for part in sentences(text) if rules.sentences else [text]:
            words, _, at = self.tokens.placed(part).partition("\n")
            if words:
                lines.append(words)
                places.append(shifted_places(at, begin))
            begin += len(part)
        if not lines and self.symbols is not None:
            words, _, at = self.symbols.tokens.placed(text).partition("\n")
            lines, places = [words], [at]
        at = " ".join(places)
        if origins:
            at = " ".join(_before(origins, place) for place in at.split(" ")) if at else ""
        return Placed("\n".join(lines), at, source)

    def link(self) -> Link:
        """Returns the link of a stage.Filter."""
        return self.tokens.link_placed() if self.rules.by_token() else no_link()

    def _token(self, token: str) -> str:
        """Returns the words of a token, a line feed, and their places in the token."""
        words, places = [], []
        for word, start, end in self._words(token):
            words.append(word)
            places.append(f"{start}-{end}")
        return f"{' '.join(words)}\n{' '.join(places)}"

    def _words(self, token: str) -> Iterator[tuple[str, int, int]]:
        for piece, begin in pieces(token):
            if len(piece) == 1 and is_later(piece):
                placed = [(word, 0, 1) for word in later_words(self.rules, piece)]
            else:
                text, starts, ends = self.fold(piece)
                cuts = cut_places(self.rules.cut, text)
                placed = [(text[start:end], starts[start], ends[end - 1]) for start, end in cuts]
            for form, start, end in placed:
                if word := self.canonizer.words[form]:
                    yield word, begin + start, begin + end


def in_short(text: str) -> str:
    """Returns the text of HTML with little white space. Hyphens divide the same words at the ends of lines.

    >>> in_short(" a \\u2029\\u2029b\\n  c \\u2029\\n\\n d")
    'a\\u2029b\\nc\\n\\nd'
    """
    return BLANKS.sub(
        lambda match: "\n" * min(match[0].count("\n"), 2) or (PARAGRAPH if PARAGRAPH in match[0] else " "), text
    ).strip()


def _before(origins: Sequence[Origin], place: str) -> str:
    start, _, end = place.partition("-")
    first, last = original_place(origins, int(start), int(end))
    return f"{first}-{last}"


def pieces(token: str) -> Iterator[tuple[str, int]]:
    """Yields characters newer than Unicode 14.0, and the text between them, each with its place.

    >>> list(pieces("ab\\U0001FADDc"))
    [('ab', 0), ('\\U0001fadd', 2), ('c', 3)]
    """
    if part_later(token) is token:
        yield token, 0
        return
    begin = 0
    for later, characters in groupby(token, is_later):
        for piece in characters if later else ["".join(characters)]:
            yield piece, begin
            begin += len(piece)


def cut_places(cutter: Callable[[str], list[str]], folded: str) -> Iterator[tuple[int, int]]:
    """Yields the places of the words that a cutter finds in folded text, cut in parts as Canonizer does.

    >>> list(cut_places(cut, "don't-'quote'"))
    [(0, 5), (7, 12)]
    """
    begin = 0
    for part in cut_at_blanks(folded) if len(folded) > CUT_CHARS else [folded]:
        if isinstance(cutter, WordPattern):
            for start, end in cutter.places(part):
                yield begin + start, begin + end
        else:
            # Each word begins with a letter or digit, and between words there is none
            end = 0
            for word in cutter(part):
                start = part.index(word, end)
                end = start + len(word)
                yield begin + start, begin + end
        begin += len(part) + 1  # with the white space behind it
