"""Entries of BibTeX: where they end, and the values of their fields, without LaTeX's commands."""

import re
import unicodedata
from bisect import bisect
from collections.abc import Collection
from functools import cached_property

KEY = rb"[^\s\"#%(),={}\\]*+"
KIND = rb"@[ \t]*+[A-Za-z][\w-]*+\s*+"
# Comments in group 1, and what else is no reference in group 2
ENTRY = (
    rb"(?:@[ \t]*+(?:((?i:comment))\s*+\{|((?i:preamble|string))\s*+[{(])"
    rb"|" + KIND + rb"(?:\{|\((?=\s*+" + KEY + rb"\s*+[,=])))"
)
# Where an entry begins although the one before it does not end
NEW_ENTRY = rb"(?:\xef\xbb\xbf)?+[ \t]*+" + KIND + rb"[{(]\s*+" + KEY + rb"\s*+[,=]"
ANEW = re.compile(rb"[\r\n](?=" + NEW_ENTRY + b")")
BRACE = re.compile(rb"\\.|([{}])", re.DOTALL)
INNER = rb"(?:[^{}\\]++|\\.)*+"
for _ in range(3):  # levels of braces that one match takes; more are counted
    INNER = rb"(?:[^{}\\]++|\\.|\{" + INNER + rb"\})*+"
# Outside of values: a name, number or string; values; what ends one; comments
TOKEN = re.compile(
    rb"(" + KEY[:-2] + rb"++)(\s*+=)?+|\{(" + INNER + rb")\}|\"((?:[^\"{}\\]++|\\.|\{" + INNER + rb"\})*+)\""
    rb"|(,++|[{})\"])|(?<![^\s,{}\"])%[^\r\n]*+|\\[\0-\x7f]",
    re.DOTALL,
)
AND = re.compile(r"\\.|\{" + INNER.decode() + r"\}|\s(and)(?=\s)", re.DOTALL)
NO_END = "not BibTeX (an entry does not end with a brace)"

ACCENT = re.compile(r"""\\([`'^"~=.]|[cvuHkdbr](?![A-Za-z])) ?\{? ?\\?([A-Za-z])""")
COMMAND = re.compile(r"\\([A-Za-z]+)( ?)(?=(\[|\{(?!\}))?)|\\([$%&#_{}])|(\\[,;: \\])|\\[-/!]?|[{}$]")
SPECIAL = re.compile(r"[\\{}$~]")
MARKS = "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0323\u0327\u0328\u0331"
COMBINING = dict(zip("`'^~=u.\"rHvdckb", MARKS, strict=True))  # the characters of these accents
GREEK = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon"
SYMBOLS = dict(zip(f"{GREEK} phi chi psi omega".split(), "αβγδεζηθικλμνξοπρστυφχψω", strict=True))
SYMBOLS |= {name.title(): letter.upper() for name, letter in SYMBOLS.items()}
SYMBOLS |= {f"var{name}": SYMBOLS[name] for name in "epsilon theta pi rho sigma phi".split()}
SYMBOLS |= dict(zip("ss ae AE oe OE aa AA o O l L i j".split(), "ßæÆœŒåÅøØłŁıȷ", strict=True))
SYMBOLS |= dict(zip("times pm leq le geq ge to infty ldots dots degree".split(), "×±≤≤≥≥→∞……°", strict=True))
# Commands that say only how the text after them looks
LOOKS = frozenset(
    "bf em emph it rm sc sf sl tt bfseries itshape mdseries rmfamily scshape sffamily slshape ttfamily upshape"
    " normalfont tiny scriptsize footnotesize small normalsize large Large LARGE huge Huge protect relax left right"
    " displaystyle textstyle mathrm mathbf mathit noopsort textit textbf".split()
)


class EntryEnds:
    """Where entries end in data. final: whether the file ends there."""

    def __init__(self, data: bytes, final: bool) -> None:
        self.data, self.final = data, final

    @cached_property
    def anew(self) -> list[int]:
        return [each.end() for each in ANEW.finditer(self.data)]

    @cached_property
    def closed(self) -> dict[int, int]:
        """Returns the places behind braces that open, and behind those that close them."""
        found, opened = dict[int, int](), list[int]()
        for mark in BRACE.finditer(self.data):
            if mark[1] == b"{":
                opened.append(mark.end())
            elif mark[1] and opened:
                found[opened.pop()] = mark.end()
        return found

    def end(self, begin: "re.Match[bytes]", comment: bool) -> tuple[int, bool]:
        """Returns where the entry ends that begins so, and whether with its brace; -1 if it may go on.

        An entry without a brace ends where another one must begin. A comment without one is only its first word:
        BibTeX, too, reads entries in it.
        """
        at = begin.end()
        if comment:
            end, limit = self.closed.get(at, -1), at
        else:
            place = bisect(self.anew, at)
            limit = self.anew[place] if place < len(self.anew) else len(self.data)
            whole = self.final or limit < len(self.data)
            end = scanned(self.data, at, limit, whole)[0]
        if end >= 0:
            return end, True
        return (limit if self.final or (not comment and limit < len(self.data)) else -1), False


def scanned(data: bytes, at: int, limit: int, whole: bool = True) -> tuple[int, dict[bytes, list[bytes]]]:
    """Returns where an entry ends, of which the opening brace or parenthesis is before `at`, and its fields.

    The end is -1 if it is not before `limit`, or depends on what follows there: whole says that nothing does. A field
    has its values that # joins.

    >>> scanned(b'@a(k, title = {On {C}ats} # x, % }\\n year=2020) ', 3, 99)
    (46, {b'title': [b'On {C}ats', b'x'], b'year': [b'2020']})
    """
    fields: dict[bytes, list[bytes]] = {}
    ending = b")" if data[at - 1 : at] == b"(" else b"}"
    values: list[bytes] = []  # of no field
    while token := TOKEN.search(data, at, limit):
        word, equals, inside, quoted, mark = token.groups()
        at = token.end()
        if equals:  # a comma before the name of a field may be missing
            values = fields[word.lower()] = []
        elif mark == b"{":  # nested deeply
            at = closing(data, at, limit)
            if at < 0:
                break
            values.append(data[token.end() : at - 1])
        elif mark == b'"' and not whole:  # it may begin a value
            break
        elif mark == ending:
            return at, fields
        elif mark and mark.startswith(b","):
            values = []
        elif (value := word or inside or quoted) and not mark:
            values.append(value)
    return -1, fields


def closing(data: bytes, at: int, limit: int) -> int:
    """Returns the place behind the brace that closes one before `at`; -1 if it is not before `limit`."""
    depth = 1
    for mark in BRACE.finditer(data, at, limit):
        depth += (mark[1] == b"{") - (mark[1] == b"}")
        if not depth:
            return mark.end()
    return -1


def bibtex_values(raw: bytes, at: int, names: Collection[str]) -> dict[str, list[str]]:
    """Returns the values of the fields of these names, as text; the entry's brace is before `at`.

    >>> bibtex_values(b'@book{k, title = {On {C}ats}, Author="Ode, N. and {A and B}", x=1}', 6, ["title", "author"])
    {'title': ['On Cats'], 'author': ['Ode, N.', 'A and B']}
    """
    found = dict[str, list[str]]()
    for name, parts in scanned(raw, at, len(raw))[1].items():
        if (known := name.decode()) in names:
            value = b" ".join(parts).decode()
            found[known] = [*map(without_latex, authors(value) if known == "author" else [value])]
    return found


def authors(value: str) -> list[str]:
    """Returns the names between which `and` is, but not within braces, as in the name of a firm."""
    ands = [each for each in AND.finditer(value) if each[1]]
    starts, ends = [0, *(each.end() for each in ands)], [*(each.start() for each in ands), len(value)]
    return [value[start:end] for start, end in zip(starts, ends, strict=True)]


def without_latex(value: str) -> str:
    """Returns a value as text: the characters that LaTeX's accents and symbols mean, no other commands and no braces.

    >>> without_latex(r"{\\emph Se\\~{n}or}~M{\\o}r \\& \\$5, $\\alpha$-decay")
    'Señor Mør & $5, α-decay'
    """
    if SPECIAL.search(value):
        value = ACCENT.sub(lambda found: found[2] + COMBINING[found[1]], value).replace("~", " ")
        value = unicodedata.normalize("NFC", COMMAND.sub(meant, value))
    return " ".join(value.split())


def meant(command: re.Match[str]) -> str:
    """Returns the text of a command; a command that is not known is its name, unless it has an argument."""
    name, blank, argument, character, space = command.groups()
    if not name:
        return character or (" " if space else "")
    return SYMBOLS.get(name) or ("" if argument or name in LOOKS else name + blank)
