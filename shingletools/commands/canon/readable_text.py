"""canon --extract: the text as people read it, with its paragraphs and lines, and without folding."""

import re
from collections.abc import Callable

from shingletools.commands.canon.html import BEGIN, END, LINE
from shingletools.commands.canon.rules import PARAGRAPH

BLANKS = re.compile(r"[ \t\n\f\r]+")  # white space of HTML, which a no-break space is not
MARK = re.compile(f"([{BEGIN}{END}])")
BLANK_LINES = re.compile(r"\n(?:[ \t]*\n)+")


def readable_html(read: Callable[[str], str], markup: str) -> str:
    """Returns the text of HTML. Raises Rejected for a page that takes too much memory or time.

    >>> from shingletools.commands.canon.html import READABLE, html_reader
    >>> page = "<h1>A\\n cat</h1><p>It<b>s</b> fur<br>is red.<ul><li>one<li>two</ul><pre>a\\n  b</pre>"
    >>> readable_html(html_reader(parting=READABLE), page)
    'A cat\\n\\nIts fur\\nis red.\\n\\none\\ntwo\\n\\na\\n  b'
    """
    blocks, held, depth = list[str](), list[str](), 0
    for part in MARK.split(read(markup)):
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
