"""Markup that would cost an HTML parser far more than its size, made harmless before it is parsed.

HTML nested n deep may take n * n steps to parse, and a page in which n formatting elements stay open while m paragraphs
begin becomes n * m elements, by the HTML Standard itself. Real pages are far from both. `tame` estimates the cost from
the tags; where that is beyond all proportion it takes the tags away, leaving what they do to the text: parting it.
"""

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from itertools import islice

from shingletools.wire import Rejected

PARAGRAPH = "\u2029"  # what a block leaves of itself in the text

# Elements that the HTML Standard renders as blocks, list items or parts of tables (section 15.3).
BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure "
    "footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li listing main menu nav ol optgroup p "
    "plaintext pre search section summary table tbody td tfoot th thead title tr ul xmp".split()
)
# Others that part words, within a line; of SVG the texts.
PARTS = frozenset(
    "audio br button canvas desc embed img input meter object option progress rp rt select svg text textarea "
    "video".split()
)
# Elements whose content nobody reads.
UNSEEN = frozenset("datalist iframe noembed noframes noscript script style template".split())
RAW = "iframe noembed noframes noscript script style textarea title xmp"  # hold text, not elements
VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
FORMATTING = frozenset("a b big code em font i nobr s small strike strong tt u".split())
# End tags do not reach through these, nor do start tags that end others.
SCOPES = frozenset(f"applet button caption html marquee math object select svg table td template th {RAW}".split())
LISTS = frozenset("dl menu ol ul".split())
# A start tag may end an element that is open.
ENDS = {name: frozenset({name}) for name in ("li", "option", "a", "nobr")}
ENDS |= {"dd": frozenset({"dd", "dt"}), "dt": frozenset({"dd", "dt"}), "tr": frozenset({"td", "th", "tr"})}
ENDS |= {"td": frozenset({"td", "th"}), "th": frozenset({"td", "th"})}

# Comments, elements of text, tags: as the tokenizer of the HTML Standard parts them (section 13.2.5). What is not ended
# goes on to the end, so that nothing is read twice.
SPACE = r"[\t\n\f\r ]"
END = r"(?![^\t\n\f\r />])"  # of a name
VALUE = r"""(?:"[^"]*+"?|'[^']*+'?|[^\t\n\f\r >"'][^\t\n\f\r >]*+)?"""
ATTRIBUTE = rf"[^\t\n\f\r />][^\t\n\f\r />=]*+(?:{SPACE}*+={SPACE}*+{VALUE})?+"
ATTRIBUTES = rf"(?:[\t\n\f\r /]++|{ATTRIBUTE})*+"
EACH = re.compile(ATTRIBUTE)
TOKEN = re.compile(
    r"<!--(?:-?>|.*?(?:--!?>|\Z))|<(?:[!?]|/[^a-zA-Z])[^>]*+>?"
    rf"|<(?P<raw>{RAW.replace(' ', '|')}){END}(?P<rest>{ATTRIBUTES})>(?P<text>.*?)(?:</(?P=raw){END}|\Z)"
    rf"|<(?P<name>/?[a-z][^\t\n\f\r />]*+)(?P<attributes>{ATTRIBUTES})(?:>|\Z)",
    re.ASCII | re.IGNORECASE | re.DOTALL,
)
START = re.compile(rf"<([a-z][^\t\n\f\r />]*+)({ATTRIBUTES})", re.ASCII | re.IGNORECASE)

SHORT, FREE = 1 << 15, 1000  # characters, and tags among them, that cannot cost much, whatever they are
COMMENT = "!"  # in place of a tag's name
NEAR = 16  # open elements that an end tag is compared with
MOST_ATTRIBUTES = 500  # of an element; each is compared with those before it
NODE = 160  # bytes of an element, a text or an attribute, measured
MEMORY, MEMORY_OF_STRUCTURE = 20, 60  # bytes for each character of markup, and for a million more
STEPS = 100  # through the open elements, for each character and for a million more; 5 ns each, measured


def tame(markup: str, structure: bool = False) -> str:
    """The markup itself, or, where parsing it would cost too much, its text with all but a few tags taken away.

    Where the structure of a page counts, more memory may be spent on it. Raises Rejected if all is of no use.
    """
    if costs(markup, MEMORY_OF_STRUCTURE if structure else MEMORY):
        markup = flatten(markup)
        if costs(markup, foreign=False):
            raise Rejected("HTML that takes too much memory or time")
    return markup


def costs(markup: str, memory: int = MEMORY, foreign: bool = True) -> bool:
    """Whether parsing takes more memory or time than is in proportion to the markup.

    An estimate from above. The stack of open elements is that of the standard as far as `NEAR` elements below its top:
    what a tag surely ends there is gone, what it may end further down is not. Formatting elements that an end takes
    away come back as new ones. Where `foreign` elements (SVG) may be about, what seems to begin within an element of
    text may well begin.
    """
    if len(markup) <= SHORT and markup.count("<") <= FREE:
        return False
    most_nodes = memory * (len(markup) + (1 << 20)) // NODE
    most_steps = STEPS * (len(markup) + (1 << 20))
    nodes = steps = formatting = roots = 0
    opened: list[str] = []
    for tag, attributes in tags(markup, foreign):
        name = tag.removeprefix("/")
        nodes += 2 + attributes if name is tag else 1  # the text after it counts
        steps += len(opened) + formatting
        if name is not tag:
            taken = end(opened, {name}, SCOPES - {name})
            if name in FORMATTING:
                formatting -= taken is not None
            else:
                nodes += formatting if taken is None else taken
        elif name != COMMENT:
            roots += attributes if name in ("html", "body") else 0
            if name in BLOCKS:
                taken = end(opened, {"p"}, SCOPES)
                nodes += formatting if taken is None else taken
            if name in ENDS:
                taken = end(opened, ENDS[name], (SCOPES - ENDS[name]) | LISTS)
                formatting -= name in FORMATTING and taken is not None
                nodes += taken or 0
            if name not in VOID:
                opened.append(name)
                formatting += name in FORMATTING
        if attributes > MOST_ATTRIBUTES or nodes > most_nodes or steps > most_steps or roots > MOST_ATTRIBUTES:
            return True
    return False


def end(opened: list[str], names: AbstractSet[str], limits: AbstractSet[str]) -> int | None:
    """Takes the nearest element of these names from the open ones, with all in it but the formatting ones.

    Gives the number of those, or None if no such element is near, or one of the limits is nearer.
    """
    for back in range(1, min(NEAR, len(opened)) + 1):
        name = opened[-back]
        if name in names:
            kept = [inner for inner in opened[len(opened) - back + 1 :] if inner in FORMATTING]
            opened[-back:] = kept
            return len(kept)
        if name in limits:
            break
    return None


def tags(markup: str, foreign: bool) -> Iterator[tuple[str, int]]:
    """The tags' names, in lower case, ! for a comment, and how many attributes each has, up to one too many."""
    for token in TOKEN.finditer(markup):
        if name := token["name"]:
            yield lower(name), count(token["attributes"])
        elif raw := token["raw"]:
            yield lower(raw), count(token["rest"])
            if foreign:
                yield from ((lower(start[1]), count(start[2])) for start in START.finditer(token["text"]))
            yield f"/{lower(raw)}", 0
        else:
            yield COMMENT, 0


def lower(name: str) -> str:
    """The standard knows the case of ASCII letters only."""
    return name.lower() if name.isascii() else name


def count(attributes: str) -> int:
    return sum(1 for _ in islice(EACH.finditer(attributes), MOST_ATTRIBUTES + 1)) if attributes else 0


def flatten(markup: str) -> str:
    """The text of the markup, with paragraph separators for blocks and the elements of text as they are.

    >>> flatten("<div><p id=x>a<b>b</b><!-- c --><script src=d>e</script></div>f")
    '\\u2029\\u2029ab<script>e</script>\\u2029f'
    """
    return TOKEN.sub(_flat, markup)


def _flat(token: "re.Match[str]") -> str:
    if raw := token["raw"]:
        return f"<{raw}>{token['text']}</{raw}"
    name = lower(token["name"] or "").removeprefix("/")
    if name == "template":
        return f"<{token['name']}>"
    return PARAGRAPH if name in BLOCKS else "\n" if name in PARTS else ""
