"""The text of HTML, as the HTML5 parser Lexbor reads it. Words and blocks end where they do in a browser."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode, SelectolaxError

from shingletools.commands.canon.limited_process import LimitedProcess, LimitExceeded
from shingletools.commands.canon.rules import PARAGRAPH
from shingletools.system.errors import Failed, Rejected, shown

# Elements that the HTML Standard renders as blocks, list items or parts of tables (section 15.3)
BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure "
    "footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li listing main menu nav ol optgroup p "
    "plaintext pre search section summary table tbody td tfoot th thead title tr ul xmp".split()
)
# Other elements that separate words within a line, with the texts of SVG
PARTS = frozenset(
    "audio br button canvas desc embed img input meter object option progress rp rt select svg text textarea "
    "video".split()
)
# Elements whose content no reader sees
INVISIBLE_ELEMENTS = frozenset("datalist iframe noembed noframes noscript script style template".split())
LINE = "\u2028"  # stands where a line ends
BEGIN, END = "\0", "\udc00"  # around text whose white space counts; no page has these characters
PARTING: Mapping[str, str] = dict.fromkeys(PARTS, "\n") | dict.fromkeys(BLOCKS, PARAGRAPH)
READABLE: Mapping[str, str] = {  # of text for people
    **dict.fromkeys(PARTS, " "),
    **dict.fromkeys(BLOCKS, PARAGRAPH),
    **dict.fromkeys(("br", "dd", "dt", "li", "option", "tr"), LINE),
    "td": " ",
    "th": " ",
    **dict.fromkeys(("listing", "plaintext", "pre", "textarea", "xmp"), BEGIN + END),
}

# Why main is no heuristic like `article`: on 1,097 pages of documentation in 19 languages, made by 15 programs,
# resiliparse 2.0.1 lost more than half of the main text of 91 pages, trafilatura 2.3.1 of 34. Landmarks lost it of
# none, at 1 to 20 times the speed.
# The landmarks of ARIA, and the HTML elements that have these roles. A header or footer is the page's own only outside
# of articles and main elements (HTML Accessibility API Mappings).
# In the Lexbor of selectolax 1.0.2, :is before a blank sees the parent only, *:is sees all elements above
MAIN = "*:is(main,[role=main i]):not(*:is(main,[role=main i]) *)"
AROUND = (
    "nav,aside,header:not(*:is(article,main,section) header),footer:not(*:is(article,main,section) footer),"
    "[role=navigation i],[role=complementary i],[role=banner i],[role=contentinfo i],[role=search i]"
)
HEADLINES = "title:not(svg title),h1:not(h1 *)"

# The HTML Standard itself lets a page take the square of its size: n formatting elements that stay open while m
# paragraphs begin become n * m elements. So pages are parsed under limits
SMALL_PAGE_CHARS = 1000  # characters, which take a few milliseconds at most whatever they are
SECONDS, SECONDS_A_CHARACTER = 0.5, 0.3e-6
MEMORY, MEMORY_A_CHARACTER = 1 << 26, 128  # bytes; a page of start tags alone takes 105 a character


class PageReader:
    """Reads a page in another process. Raises Rejected for one that takes too much memory or time."""

    def __init__(self, read: Callable[[str], str], seconds: float, memory: int) -> None:
        """seconds, memory: each character of a page adds these to its limits; memory is in bytes."""
        self.confined = LimitedProcess(read)
        self.seconds, self.memory = seconds, memory

    def __call__(self, markup: str) -> str:
        size = len(markup)
        try:
            if size <= SMALL_PAGE_CHARS:
                return self.confined.function(markup)
            return self.confined(markup, SECONDS + self.seconds * size, MEMORY + self.memory * size)
        except LimitExceeded:
            raise Rejected("HTML that takes too much memory or time") from None


def html_reader(main: bool = False, skip: Sequence[str] = (), parting: Mapping[str, str] = PARTING) -> PageReader:
    """Returns the reader of a page's text, with paragraph separators between blocks.

    With `main` it takes the title, the headlines and the main content, unless this has no text. Elements that match the
    CSS selectors `skip` are left out. parting: the characters before and after the elements that have these names; if
    only one, it is both. Raises Failed unless `skip` has CSS selectors only.

    >>> html_reader()("<title>t</title><p>a&amp;b</p><script>no</script><b>c</b>d<br>e").split()
    ['t', 'a&b', 'cd', 'e']
    """
    for selector in skip:
        try:
            LexborHTMLParser("").css(selector)
        except SelectolaxError:
            raise Failed(f"--skip: not a CSS selector: {shown(selector)}") from None
    return PageReader(partial(parse, main, skip, parting=parting), SECONDS_A_CHARACTER, MEMORY_A_CHARACTER)


def parse(main: bool, skip: Sequence[str], markup: str, parting: Mapping[str, str] = PARTING) -> str:
    """Returns the text of a page, without the elements that are left out. Raises LimitExceeded if memory is short."""
    # Without events no option's content is copied elsewhere. With scripting, the content of noscript is text
    try:
        tree = LexborHTMLParser(markup, options=LexborDocumentOptions.WO_EVENTS, scripting=True)
        left_out = {node.mem_id for selector in skip for node in tree.css(selector)}
    except SelectolaxError:
        raise LimitExceeded from None
    roots = [] if tree.root is None else [tree.root]
    if main:
        around = left_out | {node.mem_id for node in tree.css(AROUND)}
        for tops in (tree.css(MAIN), roots):
            text = text_of_all(tops, around, parting)
            if text.strip():
                return PARAGRAPH.join([*headlines(tree, tops, around, left_out), text])
    return text_of_all(roots, left_out, parting)


def headlines(tree: LexborHTMLParser, tops: list[LexborNode], around: set[int], left_out: set[int]) -> list[str]:
    """Returns the title and headlines that the main content has not: pages may differ only in these."""
    main = {node.mem_id for node in tops}
    known: dict[int, list[str]] = {}  # by node: the list for headlines in it, so that no node is looked at twice
    inside, outside, nowhere = list[str](), list[str](), list[str]()
    for node in tree.css(HEADLINES):
        path: list[LexborNode] = []
        above: LexborNode | None = node
        while above is not None and above.mem_id not in known:
            path.append(above)
            above = above.parent
        found_in = outside if above is None else known[above.mem_id]
        for each in reversed(path):
            if each.mem_id in left_out or each.tag in INVISIBLE_ELEMENTS:
                found_in = nowhere
            elif found_in is not nowhere and (each.mem_id in main or each.mem_id in around):
                found_in = inside if each.mem_id in main else outside
            known[each.mem_id] = found_in
        found_in.append(" ".join(text_of(node, left_out, PARTING).split()))
    return [text for text in dict.fromkeys(outside) if text not in inside]


def text_of_all(tops: list[LexborNode], left_out: set[int], parting: Mapping[str, str]) -> str:
    return PARAGRAPH.join(text_of(node, left_out, parting) for node in tops)


def text_of(top: LexborNode, left_out: set[int], parting: Mapping[str, str]) -> str:
    """Returns the text under a node. It does not recurse, since pages may be nested deeply."""
    parts: list[str] = []
    above: list[tuple[LexborNode, str]] = []  # the open elements, and the separator after each
    node: LexborNode | None = top
    while node is not None:
        tag = node.tag or ""
        if tag == "-text":
            parts.append(node.text_content or "")
        elif tag not in INVISIBLE_ELEMENTS and not (left_out and node.mem_id in left_out):
            between = parting.get(tag, "")
            inner = node.child
            if between:
                parts.append(between if inner is None else between[0])
            if inner is not None:
                above.append((node, between[-1:]))
                node = inner
                continue
        following = node.next
        while following is None and above:
            node, between = above.pop()
            if between:
                parts.append(between)
            following = node.next
        node = following if above else None
    return "".join(parts)
