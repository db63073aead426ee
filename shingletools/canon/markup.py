"""Markup that would cost an HTML parser far more than its size, made harmless before it is parsed.

HTML nested n deep may take n * n steps to parse, and a page in which n formatting elements stay open while m paragraphs
begin becomes n * m elements, by the HTML Standard itself. Real pages are far from both. `tame` estimates the cost from
the tags; where that is beyond all proportion it takes the tags away, leaving what they do to the text: parting it.
"""

import re
from collections.abc import Iterator
from itertools import islice

from shingletools.wire import Rejected

PARAGRAPH = "\u2029"  # what a block leaves of itself in the text

# Elements that the HTML Standard renders as blocks, list items or parts of tables (section 15.3).
BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure "
    "footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li listing main menu nav ol optgroup p "
    "pre search section summary table tbody td tfoot th thead title tr ul".split()
)
# Others that part words, within a line.
PARTS = frozenset(
    "audio br button canvas embed img input meter object option progress rp rt select svg textarea video".split()
)
# Elements whose content nobody reads.
UNSEEN = frozenset("datalist iframe noembed noframes noscript script style template".split())
RAW = "iframe noembed noframes noscript script style textarea title xmp"  # hold text, not elements
VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
FORMATTING = frozenset("a b big code em font i nobr s small strike strong tt u".split())
# End tags do not reach through these.
SCOPES = frozenset(f"applet button caption html marquee math object select svg table td template th {RAW}".split())

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
    re.IGNORECASE | re.DOTALL,
)
START = re.compile(r"<([a-z][^\t\n\f\r />]*+)", re.IGNORECASE)

SHORT, FREE = 1 << 15, 1000  # characters, and tags among them, that cannot cost much, whatever they are
NEAR = 16  # open elements that an end tag is compared with
MOST_ATTRIBUTES = 500  # of an element; each is compared with those before it
NODE = 200  # bytes
MEMORY = 16  # bytes for each character of markup, and MEMORY << 20 for any
STEPS = 100  # of a walk through the open elements, for each character, and STEPS << 20 for any; 5 ns each, measured


def tame(markup: str) -> str:
    """The markup itself, or, where parsing it would cost too much, its text with all but a few tags taken away.

    Raises Rejected if that is of no use.
    """
    if costs(markup):
        markup = flatten(markup)
        if costs(markup, foreign=False):
            raise Rejected("HTML that takes too much memory or time")
    return markup


def costs(markup: str, foreign: bool = True) -> bool:
    """Whether parsing takes more memory or time than is in proportion to the markup.

    An estimate from above: an end tag counts only where it surely ends something, and where foreign elements (SVG) may
    be about, what seems to begin within an element of text may well begin.
    """
    if len(markup) <= SHORT and markup.count("<") <= FREE:
        return False
    most_nodes = MEMORY * (len(markup) + (1 << 20)) // NODE
    most_steps = STEPS * (len(markup) + (1 << 20))
    nodes = steps = formatting = roots = 0
    opened: list[str] = []
    for name, attributes in tags(markup, foreign):
        if attributes > MOST_ATTRIBUTES:
            return True
        steps += len(opened)
        if name[0] == "/":
            formatting -= closed(opened, name[1:])
            continue
        nodes += 2 + formatting
        roots += attributes if name in ("html", "body") else 0
        if name not in VOID:
            opened.append(name)
            formatting += name in FORMATTING
        if nodes > most_nodes or steps > most_steps or roots > MOST_ATTRIBUTES:
            return True
    return False


def closed(opened: list[str], name: str) -> int:
    """Takes the nearest element of that name, and those in it, from the open ones: how many formatting ones."""
    for back in range(1, min(NEAR, len(opened)) + 1):
        if opened[-back] == name:
            gone = sum(other in FORMATTING for other in opened[-back:])
            del opened[-back:]
            return gone
        if opened[-back] in SCOPES and name not in SCOPES:
            break
    return 0


def tags(markup: str, foreign: bool) -> Iterator[tuple[str, int]]:
    """The tags' names, in lower case, and how many attributes each has, counted up to one too many."""
    for token in TOKEN.finditer(markup):
        if name := token["name"]:
            yield name.lower(), _count(token["attributes"])
        elif raw := token["raw"]:
            yield raw.lower(), _count(token["rest"])
            if foreign:
                yield from ((start[1].lower(), 0) for start in START.finditer(token["text"]))
            yield f"/{raw.lower()}", 0


def _count(attributes: str) -> int:
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
    name = (token["name"] or "").lower().removeprefix("/")
    if name == "template":
        return f"<{token['name']}>"
    return PARAGRAPH if name in BLOCKS else "\n" if name in PARTS else ""
