"""The README's picture: two examples as a terminal shows them, drawn as SVG; with --refresh it is written anew.

The commands run in a copy of tests/data; the same outputs give the same bytes.
"""

import re
import shutil
import sys
from collections.abc import Iterator
from html import escape
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory

from documents import output
from harness import DATA

PICTURE = DATA / "terminal.svg"
EXAMPLES = [
    "canon docs.jsonl | shingle -k 5 | simjoin -t 0.8 | grep nemo | simshow --docs docs.jsonl",
    "canon --offsets --stop en --stem en essays.jsonl -o essays",
    "shingle -k 2 essays | simjoin --measure containment -t 0.2 | simshow -k 2 --docs essays --side-by-side",
]
# What simshow does on a terminal of its own accord
ON_A_TERMINAL = " --color always"
WIDTH, HEIGHT, MARGIN = 7.2, 17, 16  # of a character, a line, and around all, in pixels
HEAD = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}">
<title>{title}</title>
<style>
text {{ font: 12px monospace; fill: #d0d0d0; white-space: pre }}
.c1 {{ font-weight: bold; fill: #ffffff }} .c2 {{ fill: #909090 }}
.c31 {{ fill: #ff8080 }} .c32 {{ fill: #80e080 }} .prompt {{ fill: #80c0ff }}
</style>
<rect width="100%" height="100%" rx="8" fill="#202428"/>
"""
TITLE = "simshow marks what two texts share: a sibling with one other name, and a passage that was rewritten"
COLOUR = re.compile("\x1b" + r"\[(\d+)m")


def shown(folder: Path) -> list[str]:
    """The lines of the terminal, with its codes of colours."""
    lines = []
    for command in EXAMPLES:
        colours = ON_A_TERMINAL if "simshow" in command else ""
        lines += [f"$ {command}", *output(command + colours, folder)]
    return lines[:-1]  # the last one is empty


def pieces(line: str) -> Iterator[tuple[int, str, str]]:
    """Each piece of one colour without the blanks around it: its column, the code, the text."""
    parts = COLOUR.split(line)
    texts, codes = parts[::2], ["0", *parts[1::2]]
    for column, code, text in zip(accumulate(map(len, texts), initial=0), codes, texts, strict=False):
        if text.strip():
            yield column + len(text) - len(text.lstrip()), code, text.strip()


def drawn(lines: list[str]) -> str:
    """The terminal as SVG. Each piece says how long it is, so that columns meet in any font."""
    elements = []
    for row, line in enumerate(lines):
        for column, code, text in pieces(line):
            kind = "prompt" if line.startswith("$ ") else f"c{code}"
            x, y, length = MARGIN + WIDTH * column, MARGIN + HEIGHT * (row + 0.75), WIDTH * len(text)
            place = f'x="{x:g}" y="{y:g}" textLength="{length:g}" lengthAdjust="spacingAndGlyphs"'
            elements.append(f'<text class="{kind}" {place}>{escape(text)}</text>\n')
    longest = max(len(COLOUR.sub("", line)) for line in lines)
    head = HEAD.format(title=TITLE, width=2 * MARGIN + WIDTH * longest, height=2 * MARGIN + HEIGHT * len(lines))
    return f"{head}{''.join(elements)}</svg>\n"


def picture() -> str:
    """What the file holds."""
    with TemporaryDirectory() as name:
        return drawn(shown(shutil.copytree(DATA, Path(name) / "data")))


if __name__ == "__main__" and sys.argv[1:] == ["--refresh"]:
    PICTURE.write_text(picture(), "utf-8")
