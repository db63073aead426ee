"""canon --extract: the text as people read it, with its paragraphs and lines, and without folding."""

import re
from collections.abc import Callable, Sequence
from functools import partial

from shingletools.commands.canon.canonizer import Rules
from shingletools.commands.canon.html import BLOCKS, PARTS, Html
from shingletools.commands.canon.rules import PARAGRAPH, Rule
from shingletools.kernel.lines import Link, no_link

LINE = "\u2028"  # stands where a line ends
BEGIN, END = AS_IT_STANDS = "\0\udc00"  # around text whose white space counts; no page has these characters
READABLE = {
    **dict.fromkeys(PARTS, " "),
    **dict.fromkeys(BLOCKS, PARAGRAPH),
    **dict.fromkeys(("br", "dd", "dt", "li", "option", "tr"), LINE),
    "td": " ",
    "th": " ",
    **dict.fromkeys(("listing", "plaintext", "pre", "textarea", "xmp"), AS_IT_STANDS),
}
BLANKS = re.compile(r"[ \t\n\f\r]+")  # white space of HTML, which a no-break space is not
MARK = re.compile(f"([{AS_IT_STANDS}])")
BLANK_LINES = re.compile(r"\n(?:[ \t]*\n)+")


class Extractor:
    """Applies only the rules for whole texts, in place of a Canonizer."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules

    def __call__(self, text: str) -> str:
        self.rules.budget.start(text)
        for rule in self.rules.texts:
            text = rule.function(text)
        return text

    def link(self) -> Link:
        """Returns no link: the kernel has no such function."""
        return no_link()


def readable_html(html: Html, markup: str) -> str:
    """Returns the text of HTML. Raises Rejected for a page that takes too much memory or time.

    >>> html = Html(parting=READABLE)
    >>> readable_html(html, "<h1>A\\n cat</h1><p>It<b>s</b> fur<br>is red.<ul><li>one<li>two</ul><pre>a\\n  b</pre>")
    'A cat\\n\\nIts fur\\nis red.\\n\\none\\ntwo\\n\\na\\n  b'
    """
    blocks, held, depth = list[str](), list[str](), 0
    for part in MARK.split(html(markup)):
        depth += (part == BEGIN) - (part == END)
        if depth:
            held.append("\n" if part in (BEGIN, END) else part.replace(PARAGRAPH, "\n").replace(LINE, "\n"))
        elif part == END:
            blocks.append("".join(held).strip("\n").rstrip())
            held.clear()
        else:
            blocks += map(in_lines, part.split(PARAGRAPH))
    return "\n\n".join(filter(None, blocks))


def in_lines(block: str) -> str:
    """Returns a block with each of its lines on one line."""
    lines = (BLANKS.sub(" ", line).strip(" ") for line in block.split(LINE))
    return "\n".join(filter(None, lines))


def in_paragraphs(article: Callable[[str], str], markup: str) -> str:
    """Finds an article, and writes one blank line between its paragraphs."""
    return BLANK_LINES.sub("\n\n", article(markup).replace(PARAGRAPH, "\n\n")).strip()


def readable(rule: Rule, part: str, skip: Sequence[str]) -> Rule:
    """Returns the rule for a part of a page, as text for people."""
    if part == "article":
        return Rule(rule.name, rule.label, partial(in_paragraphs, rule.function))
    return Rule(rule.name, rule.label, partial(readable_html, Html(part == "main", tuple(skip), READABLE)))
