"""simshow --runs: what repeats marked, as text, lines, records and a page."""

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from harness import DOCS, Record, jsonl, pipe, run, run_here
from shingletools.running.canon_function import canonizing

FIRST = "To be, or not to be."
SECOND = "He said:\r\nto be or not to \N{GRINNING FACE} <b>\u202e & be or not to be."
MARKED: list[Record] = [
    {"id": 1, "text": "to be or not to be", "source": FIRST, "at": "0-2 3-5 7-9 10-13 14-16 17-19", "repeats": []},
    {
        "id": "two",
        "text": "he said to be or not to be or not to be",
        "source": SECOND,
        "at": "0-2 3-7 10-12 13-15 16-18 19-22 23-25 35-37 38-40 41-44 45-47 48-50",
        "repeats": [
            {"from": 10, "to": 37, "words": 6, "of": {"id": 1, "from": 0, "to": 19}},
            {"from": 35, "to": 50, "words": 5, "of": {"id": "two", "from": 13, "to": 37}},
        ],
    },
    {
        "id": 3,
        "text": "a b c d e",
        "repeats": [
            {"from": 1, "to": 4, "words": 3, "ids": [7, "q\x1b"], "items": 5},
            {"from": 4, "to": 5, "words": 1},
        ],
    },
]
TEXT = r"""
"two": 10 of 12 words in 2 runs, longest 6
  1: 10-37, 6 words, first in 1 at 0-19
    He said: >>to be or not to 😀 <b>\u202e & be<< or not
  2: 35-50, 5 words, first in "two" at 13-37
    not to 😀 <b>\u202e & >>be or not to be<<

3: 4 of 5 words in 2 runs, longest 3
  1: 1-4, 3 words, in 7, "q\u001b" and 3 other items
    a >>b c d<< e
  2: 4-5, 1 word
    c d >>e<<

"""


class Parsed(HTMLParser):
    """The texts of a page, each as pieces with the depth of marks, and its lists."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: list[list[tuple[str, bool]]] = []
        self.said: list[str] = []
        self.inside: list[str] = []
        self.links: list[str] = []
        self.names: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        attribute = dict(attributes)
        self.names.add(attribute.get("id") or "")
        self.links += [str(attribute["href"])] if tag == "a" else []
        if tag not in ("meta", "br"):
            self.inside.append(tag)
        if attribute.get("class") == "text":
            self.texts.append([])
        if tag == "li":
            self.said.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.inside.pop() == tag

    def handle_data(self, data: str) -> None:
        if "div" in self.inside and "a" not in self.inside:
            self.texts[-1].append((data, "mark" in self.inside))
        if "li" in self.inside:
            self.said[-1] += data


def page_of(folder: Path, *records: Record, limit: str = "32M") -> Parsed:
    ran = run_here(f"simshow --runs --html page.html --limit {limit}", stdin=jsonl(*records), cwd=folder)
    assert (ran.status, ran.out, ran.err) == (0, b"", "")
    return Parsed((folder / "page.html").read_bytes().decode())


def test_text_lines_and_records(tmp_path: Path) -> None:
    ran = run_here("simshow --runs --context 2 --color never", stdin=jsonl(*MARKED), cwd=tmp_path)
    assert (ran.status, ran.out.decode(), ran.err) == (0, TEXT[1:], "")
    ran = run_here("simshow --runs --brief", stdin=jsonl(*MARKED), cwd=tmp_path)
    assert ran.out.decode().splitlines() == [line for line in TEXT.splitlines() if line and line[0] != " "]
    records = run_here("simshow --runs --json", stdin=jsonl(*MARKED), cwd=tmp_path).records()
    texts = ["to be or not to \N{GRINNING FACE} <b>\u202e & be", "be or not to be", "b c d", "e"]
    assert records == [
        {"id": document["id"], **each, "text": texts.pop(0)} for document in MARKED for each in document["repeats"]
    ]


def test_runs_of_a_corpus_are_where_they_say_they_are() -> None:
    """Canonized anew, the text of each run has its words, and those of its first copy."""
    marked = pipe(DOCS.read_bytes(), "canon --offsets", "repeats -k 12 --ids --all")
    sources = {each["id"]: each["source"] for each in map(json.loads, marked.splitlines())}
    records = run("simshow --runs --json", stdin=marked).records()
    canon = canonizing("").function
    assert len(records) > 200
    for each in records:
        words = canon(each["text"]).words.split()
        assert (each["text"], len(words)) == (sources[each["id"]][each["from"] : each["to"]], each["words"])
        if "of" in each:
            there = canon(sources[each["of"]["id"]][each["of"]["from"] : each["of"]["to"]]).words.split()
            assert there == words[: len(there)] and len(there) >= 12


def test_a_page_has_each_text_with_its_runs(tmp_path: Path) -> None:
    page = page_of(tmp_path, *MARKED)
    visible = SECOND.replace("\u202e", "\\u202e")
    # A browser takes CR LF for one line feed, and so does a parser of HTML for what no script reads
    assert ["".join(piece for piece, _ in text) for text in page.texts] == [visible, "a b c d e"]
    assert ["".join(piece for piece, is_marked in text if is_marked) for text in page.texts] == [
        visible[10:-1],
        "b c de",
    ]
    assert page.said[2:] == [
        "10-37, 6 words, first in 1 at 0-19",
        '35-50, 5 words, first in "two" at 13-37',
        '1-4, 3 words, in 7, "q\\u001b" and 3 other items',
        "4-5, 1 word",
    ]
    assert {link.removeprefix("#") for link in page.links} <= page.names
    runs = [{"from": first, "to": 3, "words": 3 - first} for first in (0, 1)]
    page = page_of(tmp_path, {"id": 4, "text": "a b c d", "repeats": runs})
    assert page.texts == [[("a ", True), ("b c", True), (" d", False)]]


def test_a_page_that_is_too_small_says_so(tmp_path: Path) -> None:
    small = {"id": 4, "text": "f g", "repeats": [{"from": 0, "to": 2, "words": 2}]}
    large = {**small, "id": 5, "text": "f g " * 1000}
    page = page_of(tmp_path, large, small, limit="2K")
    assert page.texts == [[("f g", True)]]
    said = "4 of 2002 words in 2 runs of 2 documents. 1 document left out: the page would be larger than --limit."
    assert said in (tmp_path / "page.html").read_text()


def test_no_runs(tmp_path: Path) -> None:
    assert run_here("simshow --runs", stdin=jsonl(MARKED[0]), cwd=tmp_path).good() == b""
    assert page_of(tmp_path, MARKED[0]).texts == []


NO_RUNS = 'field "repeats" holds no runs, as repeats writes them'
BAD: list[tuple[Any, str]] = [
    ({"repeats": None}, NO_RUNS),
    *(
        ({"repeats": [{"from": 0, "to": 2, "words": 1} | each]}, NO_RUNS)
        for each in (
            {"from": 2},
            {"from": -1},
            {"to": 6},
            {"to": True},
            {"words": "1"},
            {"of": 1},
            {"of": {"id": None, "from": 0, "to": 1}},
            {"of": {"id": 1, "from": 1, "to": 1}},
            {"ids": [1]},
            {"ids": [None], "items": 1},
            {"ids": 1, "items": 1},
        )
    ),
    ({"text": None}, 'field "text" is not a string'),
    ({"at": "0-1"}, 'field "source" is missing'),
    ({"at": "0-1", "source": "a"}, 'field "at" has places for 1 words, of 5'),
    ({"at": "0-1 1-2 2-3 3-4 4-5", "source": "abc"}, 'field "at" has a place that is not in the original'),
]


def test_bad_records(tmp_path: Path) -> None:
    """Each with a good one."""
    good = {"id": 1, "text": "a b c d e", "repeats": []}
    for changes, said in BAD:
        ran = run_here("simshow --runs", stdin=jsonl(good | changes, good), cwd=tmp_path)
        assert (ran.status, ran.out, ran.err) == (1, b"", f"simshow: -:1: {said}\n")
    ran = run_here("simshow --runs", stdin=jsonl({"id": 1, "text": "a"}, good), cwd=tmp_path)
    assert ran.err == 'simshow: -:1: field "repeats" is missing; repeats writes it\n'


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("", "needs --docs FILE for pairs, --runs for documents of repeats, or two files to compare"),
        ("--runs --docs d", "argument --docs: not allowed with argument --runs (see simshow --help)"),
        ("--runs -k 3", "-k cannot be combined with --runs"),
        ("--runs --side-by-side", "--side-by-side cannot be combined with --runs"),
        ("--runs --canon=--html", "--canon cannot be combined with --runs"),
        ("--runs -S 1M", "--buffer-size cannot be combined with --runs"),
        ("--runs --json --context 3", "--context cannot be combined with --json"),
        ("--runs --id text", 'the id and the text need fields of their own, not "text"'),
        ("--runs --text repeats", 'the id and the text need fields of their own, not "repeats"'),
        ("--runs --id at.x", 'the id and the text need fields of their own, not "at.x"'),
    ],
)
def test_usage(options: str, said: str, tmp_path: Path) -> None:
    ran = run_here(f"simshow {options}", cwd=tmp_path)
    assert (ran.status, ran.out, ran.err) == (2, b"", f"simshow: {said}\n")
