"""What input costs that was made to harm: seconds and memory as it grows.

usage: python tests/bench/hostile.py [MEGABYTES]

Each kind of input is made of MEGABYTES (default 4) and of four times as much. Printed: processor seconds and
peak memory of each, and the seconds of the last divided by those of the first: 4 where cost is linear, 16 where it
is quadratic. Status 1 if it is more than 12 for any, or memory grows six times.
"""

import json
import random
import sys
from collections.abc import Callable
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
from measure import table_row, timed


class Kind(NamedTuple):
    command: str
    make: Callable[[int], bytes]  # of so many bytes, about


def one(text: str, **fields: object) -> bytes:
    return json.dumps({"id": 1, "text": text, **fields}, ensure_ascii=False).encode() + b"\n"


def distinct(size: int) -> str:
    return " ".join(f"w{number:06x}" for number in range(size // 8))


def sketches(size: int, common: Callable[[int, int], bool]) -> bytes:
    """Of 84 words, some of which are the same as those in the same place of others."""
    lines = []
    for number in range(size // 780):
        words = [f"{0 if common(number, place) else number * 84 + place + 1:08x}" for place in range(84)]
        lines.append(b'{"id":%d,"sketch":"%b"}\n' % (number, " ".join(words).encode()))
    return b"".join(lines)


def one_band(size: int) -> bytes:
    """Alike in 16 words, which is not enough."""
    return sketches(4 * size, lambda _, place: place < 16)


def boilerplate(size: int) -> bytes:
    """As those of texts that are half boilerplate, of which each minimum is with a chance that differs by its place."""
    rng = random.Random(size)
    chances = [rng.random() for _ in range(84)]
    return sketches(4 * size, lambda _, place: rng.random() < chances[place])


def simhashes(size: int) -> bytes:
    """Alike in 16 bits of 64."""
    rng = random.Random(size)
    return b"".join(
        b'{"id":%d,"simhash":"7777%012x"}\n' % (number, rng.getrandbits(48)) for number in range(size // 45)
    )


def sets(size: int) -> bytes:
    """Of 40 shingles, 30 of which all have, so that the similarity is just not enough."""
    lines = []
    for number in range(size // 700):
        shingles = [*range(30), *range(100 + 10 * number, 110 + 10 * number)]
        lines.append(b'{"id":%d,"shingles":"%b"}\n' % (number, " ".join(f"{each:016x}" for each in shingles).encode()))
    return b"".join(lines)


def common(size: int) -> bytes:
    """Sets of 20 shingles, one of which all have."""
    lines = []
    for number in range(size // 360):
        shingles = [0, *range(1 + 19 * number, 20 + 19 * number)]
        lines.append(b'{"id":%d,"shingles":"%b"}\n' % (number, " ".join(f"{each:016x}" for each in shingles).encode()))
    return b"".join(lines)


def payload(size: int) -> bytes:
    words = " ".join(f"{number * 0x9E3779B97F4A7C15 % 2**64:016x}" for number in range(size // 17))
    return b'{"id":1,"shingles":"%b"}\n' % words.encode()


def one_group(size: int) -> bytes:
    """A line with the group of all documents, then the documents."""
    members = range(size // 40)
    group = json.dumps({"group": 0, "members": [*members], "size": len(members)}).encode()
    return group + b"\n" + b"".join(b'{"id":%d,"text":"%d"}\n' % (number, number) for number in members)


def copies(size: int) -> bytes:
    text = json.dumps({"sketch": " ".join(f"{place:08x}" for place in range(84))})[1:].encode()
    return b"".join(b'{"id":%d,%b\n' % (number, text) for number in range(size // 780))


def nested(size: int) -> bytes:
    return b'{"id":1,"text":"a","x":%b%b}\n' % (b"[" * (size // 2), b"]" * (size // 2))


def star(size: int) -> bytes:
    return b"".join(b'{"a":0,"b":%d,"similarity":0.9}\n' % number for number in range(1, size // 35))


def two(text: str, other: str) -> bytes:
    """A line with a pair, then its two documents."""
    lines = {"a": 1, "b": 2}, {"id": 1, "text": text}, {"id": 2, "text": other}
    return b"".join(json.dumps(each).encode() + b"\n" for each in lines)


def shuffled(size: int) -> bytes:
    """Two texts of the same few words, each in an order of its own."""
    rng = random.Random(size)
    words = [f"w{number % 1000}" for number in range(size // 10)]
    return two(" ".join(words), " ".join(rng.sample(words, len(words))))


def template(size: int) -> bytes:
    """Records of an archive that differ in all but their sketch."""
    sketch = " ".join(f"{place:08x}" for place in range(84))
    lines = ({"id": number, f"f{number}": number, "sketch": sketch} for number in range(size // 800))
    return b"".join(json.dumps(each).encode() + b"\n" for each in lines)


def wide(size: int) -> bytes:
    """Parquet of one row and many columns."""
    columns = {"id": [1], "text": ["a"]} | {f"c{number}": [number] for number in range(size // 400)}
    file = BytesIO()
    pq.write_table(pa.table(columns), file)
    return file.getvalue()


SHOW = 'read -r pair; simshow --json --docs - <(printf %s "$pair")'

KINDS = {
    "words that never come again": Kind("canon", lambda size: one(distinct(size))),
    "one word": Kind("canon", lambda size: one("x" * size)),
    "one letter with marks": Kind("canon", lambda size: one("a" + "\u0301\u0323" * (size // 4))),
    "jamo": Kind("canon", lambda size: one("\u3147\u314f" * (size // 6))),
    "ligatures of 18 letters": Kind("canon", lambda size: one("\ufdfa" * (size // 3))),
    "apostrophes": Kind("canon", lambda size: one("a'" * (size // 2))),
    "a million fields": Kind("canon", lambda size: one("a", **{f"f{number}": 0 for number in range(size // 11)})),
    "many columns of Parquet": Kind("canon --parquet", wide),
    "lists in lists": Kind("canon", nested),
    "bad lines": Kind("canon --rejects /dev/null", lambda size: b"{\n" * (size // 20)),
    "elements in elements": Kind("canon --html", lambda size: one("<div>" * (size // 5))),
    "bold in bold": Kind("canon --html", lambda size: one("<b>" * (size // 3))),
    "angle brackets": Kind("canon --html", lambda size: one("<" * size)),
    "entities": Kind("canon --html", lambda size: one("&amp;" * (size // 5))),
    "attributes": Kind("canon --html", lambda size: one("<p" + " a=b" * (size // 4) + ">")),
    "places of words that never come again": Kind("canon --offsets", lambda size: one(distinct(size))),
    "places of one letter with marks": Kind("canon --offsets", lambda size: one("a" + "\u0301\u0323" * (size // 4))),
    "lines of blanks": Kind("parts", lambda size: one((" " * 99 + "\n") * (size // 100))),
    "sentences without end": Kind("parts --by sentence", lambda size: one("a. b" * (size // 4))),
    "headings that are none": Kind("parts --by heading", lambda size: one("#" * (size // 2) + "\n1" * (size // 4))),
    "citations of a tag": Kind("canon --ris", lambda size: b"TY  - JOUR\n" * (size // 20)),
    "no citations": Kind(
        "canon --ris --rejects /dev/null", lambda size: b"TY  - A\nER  -\n" + b"%0 A\n\n" * (size // 20)
    ),
    "entries without an end": Kind("canon --ris --rejects /dev/null", lambda size: b"@a{k, t={x\n" * (size // 20)),
    "comments without an end": Kind("canon --ris", lambda size: b"@comment{\n@a{k, title={x}}\n" * (size // 40)),
    "braces in braces": Kind(
        "canon --ris", lambda size: b"@a{k, title={%b}}" % (b"{" * (size // 2) + b"}" * (size // 2))
    ),
    "braces, quotes and TeX": Kind("canon --ris", lambda size: b"@a{k, title={%b}}" % (b"\"\\'{e}{a}" * (size // 9))),
    "fields of an entry": Kind("canon --ris", lambda size: b"@a{k,%b}" % (b"title={a}," * (size // 10))),
    "parts of one letter, and back": Kind("parts --by line | parts --together", lambda size: one("a\n" * (size // 20))),
    "two texts of one word": Kind(SHOW, lambda size: two("a " * (size // 8), "a " * (size // 8))),
    "two texts in two orders": Kind(SHOW, shuffled),
    "words that never come again, fingerprints": Kind("shingle", lambda size: one(distinct(size))),
    "runs longer than the text": Kind("shingle -k 1000000", lambda size: one(distinct(size))),
    "one run again and again": Kind("shingle", lambda size: one("a " * (size // 2))),
    "one payload": Kind("sketch", payload),
    "one payload, simhash": Kind("sketch --simhash", payload),
    "copies of one sketch": Kind("simjoin --forest", copies),
    "copies of one sketch, on disk": Kind("simjoin --forest -S 1M", copies),
    "one band in common": Kind("simjoin", one_band),
    "one band in common, --forest": Kind("simjoin --forest", one_band),
    "one band in common, on disk": Kind("simjoin -S 1M", one_band),
    "half boilerplate": Kind("simjoin", boilerplate),
    "one band of bits in common": Kind("simjoin", simhashes),
    "most shingles in common": Kind("simjoin", sets),
    "most shingles in common, on disk": Kind("simjoin -S 1M", sets),
    "one shingle in common": Kind("simjoin --measure containment", common),
    "one shingle in common, --forest": Kind("simjoin --measure containment --forest", common),
    "one shingle in common, on disk": Kind("simjoin --measure containment -S 1M", common),
    "other fields in each record of an archive": Kind("d=$(mktemp -d); simindex add $d/archive && rm -r $d", template),
    "a star of pairs": Kind("simgroup", star),
    "one group": Kind('read -r group; dedup --groups <(printf %s "$group")', one_group),
}


@lru_cache(maxsize=2)  # kinds of the same input follow each other
def made(make: Callable[[int], bytes], size: int) -> bytes:
    return make(size)


def main(size: int) -> int:
    failed = False
    table_row("input", "command", "s", "four times", "peak MB", "four times", "last s / first s")
    table_row(*["---"] * 2, *["---:"] * 5)
    with TemporaryDirectory() as folder:
        source, target = Path(folder, "source"), Path(folder, "target")
        for name, kind in KINDS.items():
            figures = []
            for times in (1, 4):
                source.write_bytes(made(kind.make, times * size))
                # Bad records are no failure here, even if no other is there
                script = f"{kind.command} 2>{folder}/err; [ $? -lt 2 ] || grep -q 'not one good record$' {folder}/err"
                figures.append(timed(["bash", "-c", script], source, target))
            seconds, peaks = [run.cpu for run in figures], [run.peak for run in figures]
            failed |= seconds[-1] > 12 * seconds[0] or peaks[-1] > 6 * peaks[0]
            table_row(
                name,
                f"`{kind.command}`",
                *(f"{value:.2f}" for value in seconds),
                *(f"{value:.0f}" for value in peaks),
                f"{seconds[-1] / seconds[0]:.1f}",
            )

    return int(failed)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) * 1_000_000 if len(sys.argv) > 1 else 4_000_000))
