"""The text of HTML: parsed by Lexbor, an HTML5 parser, and parted where a browser would part it."""

from collections.abc import Iterable
from functools import partial
from itertools import chain
from typing import TypeVar, cast

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode, SelectolaxError

from shingletools.canon.confined import Confined, TooMuch
from shingletools.canon.markup import numbered
from shingletools.canon.origins import Origin
from shingletools.canon.rules import Rule, made_with
from shingletools.errors import Failed, Rejected, shown
from shingletools.wire import quoted

Argument = TypeVar("Argument")
Result = TypeVar("Result")

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
PARTING = dict.fromkeys(PARTS, "\n") | dict.fromkeys(BLOCKS, PARAGRAPH)

# Why not a heuristic extractor: on 1,097 pages of documentation in 19 languages, made by 15 programs, resiliparse 2.0.1
# lost more than half of the main text of 91, trafilatura 2.3.1 of 34, landmarks of none, at 1 to 20 times the speed.
# The landmarks of ARIA, and the elements of HTML that are such: a header or footer is the page's own only outside of
# its articles and main part (HTML Accessibility API Mappings).
# In the Lexbor of selectolax 1.0.2, :is before a blank looks at the parent only, *:is at all elements above.
MAIN = "*:is(main,[role=main i]):not(*:is(main,[role=main i]) *)"
AROUND = (
    "nav,aside,header:not(*:is(article,main,section) header),footer:not(*:is(article,main,section) footer),"
    "[role=navigation i],[role=complementary i],[role=banner i],[role=contentinfo i],[role=search i]"
)


# By the HTML Standard itself, a page may cost the square of its size: n formatting elements that stay open while m
# paragraphs begin become n * m elements. So pages are parsed under limits.
SMALL = 1000  # characters, which cost some milliseconds at most, whatever they are
SECONDS, SECONDS_A_CHARACTER = 0.5, 0.3e-6
MEMORY, MEMORY_A_CHARACTER = 1 << 26, 128  # bytes; text with nothing but start tags takes 105 a character
# With --offsets a page is parsed twice and its pieces are numbered, all under one limit. A page of prose takes 0.3
# microseconds and 54 bytes a character; "<p>a" again and again takes 1.3 and 254, "&a" 2.7 and 341.
SECONDS_A_CHARACTER_TRACED, MEMORY_A_CHARACTER_TRACED = 1.5e-6, 384


class Html:
    """HTML to its text; may raise Rejected.

    Blocks are parted by paragraph separators. With `main`, what stands around the main content is left out, unless
    nothing else is there; so is what the CSS selectors `skip` match.

    >>> Html()("<title>t</title><p>a&amp;b</p><script>no</script><b>c</b>d<br>e").split()
    ['t', 'a&b', 'cd', 'e']
    """

    def __init__(self, main: bool = False, skip: tuple[str, ...] = ()) -> None:
        self.options = main, skip
        self.confined = Confined(partial(parse, main, skip))
        self.confined_traced = Confined(partial(parse_traced, main, skip))

    def __reduce__(self) -> tuple[object, ...]:
        return Html, self.options

    def __call__(self, markup: str) -> str:
        return within(SECONDS_A_CHARACTER, MEMORY_A_CHARACTER, self.confined, (markup,), len(markup))[0]

    def traced(self, markup: str) -> tuple[str, Origin]:
        """The same, and where it comes from."""
        limits = SECONDS_A_CHARACTER_TRACED, MEMORY_A_CHARACTER_TRACED
        text, origin = within(*limits, self.confined_traced, markup, len(markup))
        if origin is None:
            raise Rejected("HTML of which --offsets cannot tell what is text")
        return text, origin


def within(seconds: float, memory: int, confined: Confined[Argument, Result], argument: Argument, size: int) -> Result:
    """What a function gives for a page of so many characters; raises Rejected beyond so much for each of them."""
    try:
        if size <= SMALL:
            return confined.function(argument)
        return confined(argument, SECONDS + seconds * size, MEMORY + memory * size)
    except TooMuch:
        raise Rejected("HTML that takes too much memory or time") from None


def parse_traced(main: bool, skip: tuple[str, ...], markup: str) -> tuple[str, Origin | None]:
    """The text of a page and where it comes from, None if that cannot be told; raises TooMuch as `parse` does."""
    page = numbered(markup)
    text, numbers = parse(main, skip, (markup, page.markup))
    return text, page.trace(text, numbers)


def parse(main: bool, skip: tuple[str, ...], markups: tuple[str, ...]) -> list[str]:
    """The texts of pages, the first of which decides what is left out; raises TooMuch if there is not enough memory."""
    # Without events no option's content is copied elsewhere; with scripting, what is for browsers without is text
    try:
        options = LexborDocumentOptions.WO_EVENTS
        trees = [LexborHTMLParser(markup, options=options, scripting=True) for markup in markups]
        skipped = {node.mem_id for selector in skip for node in trees[0].css(selector)}
    except SelectolaxError:
        raise TooMuch from None
    roots = [[] if tree.root is None else [tree.root] for tree in trees]
    left_out = [skipped, *(likewise(skipped, roots[0], other) for other in roots[1:])]
    if main:
        around = [some | {node.mem_id for node in tree.css(AROUND)} for some, tree in zip(left_out, trees, strict=True)]
        mains = [tree.css(MAIN) for tree in trees]
        for tops in (mains, roots):
            texts = list(map(text_of_all, tops, around))
            if texts[0].strip():
                return texts
    return list(map(text_of_all, roots, left_out))


def text_of_all(tops: list[LexborNode], left_out: set[int]) -> str:
    return PARAGRAPH.join(text_of(node, left_out) for node in tops)


def likewise(chosen: set[int], roots: list[LexborNode], others: list[LexborNode]) -> set[int]:
    """The nodes of another tree that stand where some stand in the first."""
    if not chosen:
        return set()
    both = zip(*(chain.from_iterable(map(nodes_of, tops)) for tops in (roots, others)), strict=False)
    return {two.mem_id for one, two in both if one.mem_id in chosen}


def nodes_of(root: LexborNode) -> Iterable[LexborNode]:
    return cast(Iterable[LexborNode], root.traverse())


def text_of(top: LexborNode, left_out: set[int]) -> str:
    """The text under a node, without recursion, since pages may be nested deeply."""
    parts: list[str] = []
    above: list[tuple[LexborNode, str]] = []  # the open elements, and what parts the text after each
    node: LexborNode | None = top
    while node is not None:
        tag = node.tag or ""
        if tag == "-text":
            parts.append(node.text_content or "")
        elif tag not in UNSEEN and not (left_out and node.mem_id in left_out):
            parting = PARTING.get(tag)
            if parting:
                parts.append(parting)
            inner = node.child
            if inner is not None:
                above.append((node, parting or ""))
                node = inner
                continue
        following = node.next
        while following is None and above:
            node, parting = above.pop()
            if parting:
                parts.append(parting)
            following = node.next
        node = following if above else None
    return "".join(parts)


def html(part: str, skip: list[str]) -> Rule:
    """Raises Failed for what is no CSS selector."""
    for selector in skip:
        try:
            LexborHTMLParser("").css(selector)
        except SelectolaxError:
            raise Failed(f"--skip: not a CSS selector: {shown(selector)}") from None
    label = made_with(part, "selectolax")
    if skip:
        label += f",skip={quoted(','.join(sorted(set(skip))))}"
    rule = Html(part == "main", tuple(skip))
    return Rule("html", label, rule, rule.traced)
