"""The commands of the suite, and what tests ask of each: a command that is added gets one entry here."""

import json
import os
import tempfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from harness import DOCS, Record, jsonl, pipe, program
from tuning import few_findings


@dataclass(frozen=True)
class Command:
    """A command as tests run it: a way to run it is its name and some options.

    Tests take for granted that megabytes give megabytes, unless it says that it makes little.
    """

    name: str
    field: str  # that it consumes
    payload: str  # a good one
    ways: tuple[str, ...]  # to run it, that share no more than the driver
    identity: str = "id"  # the field that names a record
    needed: tuple[str, ...] = ()  # options without which it does not run
    repeated: frozenset[str] = frozenset()  # options that add up when given several times
    produces: str | None = None  # the payload that a filter puts in the place of the one consumed; no filter has none
    gives: Callable[[Any, Any, str], list[Record]] | None = None  # for two ids with one payload; else both records
    recipes: bool = True  # it reads payloads that recipes tell of; of none it makes none
    form: str = "not a string"  # what is wrong with null or a list in the field
    wrong: tuple[tuple[bytes, str], ...] = ()  # other lines that are bad, and why
    by_id: tuple[str, ...] = ()  # ways that ask for no more than the id, and let each record pass at once
    verbatim: bool = False  # what it does not consume passes as it came, white space included
    scratch: tuple[str, ...] = ()  # ways that write scratch files before their output
    also: tuple[tuple[str, Any], ...] = ()  # other fields that a good record needs
    carrying: str = ""  # what lets a filter pass a field
    late: tuple[str, ...] = ()  # ways that write before all is read, but of what is read not the last
    killed: tuple[str, ...] = ()  # ways that leave most to clear up; if there are none, all ways, filters with workers
    before: str | None = None  # what makes its input from that of a command above; without, documents are its input
    documents: int = 0  # how many it reads in addition to its input, whose records name some of them
    little: bool = False  # it makes less than two blocks of output of megabytes of input
    nothing: bytes | None = b""  # what it makes of no input; None if that fails


ODD = "a\u2028b\u2029c\x85d\x0be\x0cf\x1cg\rh\x00"  # separators that do not part lines
COPIES = 8  # of the sample documents, which tests of larger inputs make
ON_DISK = "simjoin: scratch files: "  # what -v of a join on disk says before its work


SAMPLE = [str(json.loads(line)["id"]) for line in DOCS.read_bytes().splitlines()]
NAMES: list[str | int] = [
    *("é", "a", "b", "x", "y", "one", "two", "other", f"x{ODD}"),
    *range(-1, 200),
    *(f"{copy}-{name}" for copy in range(COPIES) for name in SAMPLE),
]


def kept_in_a_file(name: str, content: bytes) -> Path:
    """A file whose name is the same in all processes of a run of the tests, for it is in the names of tests.

    Other runs at the same time may be of another version, with other content.
    """
    path = Path(tempfile.gettempdir(), f"shingletools-{name}-{os.getuid()}-{zlib.crc32(content):08x}.jsonl")
    if not path.exists() or path.read_bytes() != content:
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(content)
        os.replace(file.name, path)
    return path


# All documents whose ids tests give to pairs; all have the same text
EVERYBODY = kept_in_a_file("everybody", jsonl(*({"id": name, "text": "A word or two of it all"} for name in NAMES)))
NO_TABLE = kept_in_a_file("none", jsonl({"documents": 0, "shingles": 0, "min_df": 1, "via": "shingle k=10"}))


def score(found: int, right: int) -> Record:
    """Of so many pairs, when all documents of EVERYBODY belong together, and those found make one group."""
    count = len(NAMES)
    truth = count * (count - 1) // 2
    group = 3 if found else 1  # documents in it
    recall = Fraction(group * group + count - group, count * count)
    return {
        "scope": "all",
        "documents": count,
        "outside": 0,
        "found": found,
        "right": right,
        "truth": truth,
        "precision": right / found if found else None,
        "recall": round(right / truth, 6),
        "f1": round(2 * right / (found + truth), 6),
        "ari": 0.0,
        "b3_precision": 1.0,
        "b3_recall": float(round(recall, 6)),
        "b3_f1": float(round(2 * recall / (1 + recall), 6)),
    }


def same(a: object, b: object) -> Record:
    """What two documents of EVERYBODY share."""
    return {
        "a": a,
        "b": b,
        "similarity": None,
        "shared": [{"a": [0, 23], "b": [0, 23], "words": 7}],
        "words": 7,
        "share_a": 1.0,
        "share_b": 1.0,
        "longest": 7,
        "jaccard": 1.0,
        "containment": 1.0,
    }


def covering(a: object, b: object) -> Record:
    """What simcheck says of two documents of EVERYBODY."""
    nothing = {"words": 0, "run": 0, "first": ""}
    return {"a": a, "b": b, "own": {"a": nothing, "b": nothing}, "covers": "both", "answer": "copy"}


SUITE = (
    Command(
        "canon",
        "text",
        "A word, or two",
        ways=("canon",),
        produces="text",
        verbatim=True,
        repeated=frozenset(
            "--include --exclude --delete --replace --skip --stop --drop-adjectives --lemma --stem".split()
        ),
    ),
    Command(
        "shingle",
        "text",
        "a word or two of a text that is no shorter",
        ways=("shingle", f"shingle --max-df 9 --df-table {NO_TABLE}"),
        produces="shingles",
        verbatim=True,
        before="canon",
        scratch=("shingle --max-df 9 -S1b", "shingle --df -S1b"),
        killed=("shingle -j2", "shingle --max-df 9 -S1b -T scratch", "shingle --df -S1b -T scratch"),
    ),
    Command(
        "sketch",
        "shingles",
        "0123456789abcdef 00000000000000ff",
        ways=("sketch",),
        produces="sketch",
        verbatim=True,
        before="shingle -k 10",
    ),
    Command(
        "simjoin",
        "sketch",
        "01234567 89abcdef",
        ways=("simjoin", "simjoin -S1M"),
        before="sketch",
        gives=lambda a, b, _: [{"a": a, "b": b, "similarity": 1.0}],
        repeated=frozenset({"--against", "--within", "--across"}),
        scratch=("simjoin -S1M",),
        killed=("simjoin -j2", "simjoin -S1M -T scratch"),
    ),
    Command(
        "simgroup",
        "b",
        "other",
        ways=("simgroup",),
        identity="a",
        before="simjoin -t 0.3",
        recipes=False,
        gives=lambda a, b, other: [{"group": a, "size": 3, "members": [a, other, b]}],
        form="neither a string nor an integer of 64 bits",
        little=True,
        repeated=frozenset({"--singletons"}),
        wrong=((b'{"a":"other","b":"other"}', 'pairs "other" with itself'),),
    ),
    Command(
        "dedup",
        "text",
        "A word, or two",
        recipes=False,
        verbatim=True,
        needed=("--pairs=p",),
        ways=("dedup --pairs /dev/null", "dedup --groups /dev/null --keep longest", "dedup --known /dev/null"),
        by_id=("dedup --pairs /dev/null", "dedup --known /dev/null"),
        scratch=("dedup --groups /dev/null --keep longest",),
        killed=("dedup --groups /dev/null --keep longest",),
        repeated=frozenset({"--groups", "--known", "--pairs", "--without", "--include", "--exclude"}),
    ),
    Command(
        "repeats",
        "text",
        "a word or two",
        recipes=False,
        verbatim=True,
        before="canon",
        ways=("repeats", "repeats --against /dev/null"),
        repeated=frozenset({"--against"}),
        scratch=("repeats -S1b",),
        by_id=("repeats --against /dev/null",),
        killed=("repeats -S1b -T scratch", "repeats --against /dev/null -j2"),
    ),
    Command(
        "parts",
        "text",
        "A word, or two",
        ways=("parts",),
        produces="text",
        repeated=frozenset({"--carry"}),
        carrying="--carry",
        gives=lambda a, b, text: [
            {
                "id": f"{name}#1",
                "of": name,
                "part": 1,
                "place": [0, len(text)],
                "before": "",
                "text": text,
                "behind": "",
                "via": "parts by=paragraph",
            }
            for name in (a, b)
        ],
    ),
    Command(
        "parts",
        "text",
        "A word, or two",
        ways=("parts --together",),
        identity="of",
        before="parts",
        also=(("part", 1), ("before", "")),
        repeated=frozenset({"--carry"}),
        late=("parts --together",),
        killed=("parts --together",),
        gives=lambda a, b, text: [{"id": name, "text": text, "via": "parts together"} for name in (a, b)],
        wrong=(
            (b'{"of":1,"text":""}', 'field "part" is missing'),
            (b'{"of":1,"part":0,"text":""}', 'field "part" is not a number from 1 on'),
            (b'{"of":1,"part":1,"text":""}', 'field "before" is missing'),
            (b'{"of":1,"part":1,"before":"","text":"","behind":null}', 'field "behind" is not a string'),
        ),
    ),
    Command(
        "simshow",
        "b",
        "other",
        identity="a",
        before="simjoin -t 0.3 --forest --interval",
        recipes=False,
        documents=len(NAMES),
        ways=(f"simshow --json --docs {EVERYBODY}", f"simshow --json -S1M --docs {EVERYBODY}"),
        gives=lambda a, b, other: [same(a, other), same(b, other)],
        form="neither a string nor an integer of 64 bits",
        needed=("--docs=d",),
        scratch=(f"simshow --json -S1M --docs {EVERYBODY}",),
        repeated=frozenset({"--docs", "--against", "--include", "--exclude"}),
    ),
    Command(
        "simcheck",
        "b",
        "other",
        identity="a",
        before="simjoin -t 0.3",
        recipes=False,
        documents=len(NAMES),
        verbatim=True,
        ways=(f"simcheck --docs {EVERYBODY}", f"simcheck -S1M --docs {EVERYBODY}"),
        gives=lambda a, b, other: [covering(a, other), covering(b, other)],
        form="neither a string nor an integer of 64 bits",
        needed=("--docs=d",),
        scratch=(f"simcheck -S1M --docs {EVERYBODY}",),
        repeated=frozenset({"--docs", "--against"}),
        wrong=((b'{"a":"other","b":"other"}', 'pairs "other" with itself'),),
    ),
    Command(
        "simscore",
        "b",
        "other",
        identity="a",
        before="simjoin -t 0.3",
        recipes=False,
        documents=len(NAMES),
        ways=(f"simscore --truth {EVERYBODY} --field text",),
        gives=lambda *_: [score(2, 2)],
        form="neither a string nor an integer of 64 bits",
        needed=("--truth=t",),
        little=True,
        repeated=frozenset({"--truth", "--docs"}),
        nothing=jsonl(score(0, 0)).replace(b" ", b""),
        wrong=(
            (b'{"a":"other","b":"other"}', 'pairs "other" with itself'),
            (b'{"a":1,"b":"other","against":1}', 'field "against" is neither true nor false'),
        ),
    ),
    Command(
        "simtune",
        "text",
        "a word or two",
        ways=("simtune -k 2",),
        before="canon",
        little=True,
        gives=lambda _one, _two, text: few_findings([text, text], 2),
        nothing=None,
        repeated=frozenset({"--truth", "--against"}),
    ),
)
RUNNERS = ("simspark",)  # which run the others, and have tests of their own
KEEPERS = ("simindex",)  # whose output is what they keep; likewise
LISTERS = ("shingletools",)  # which tell of the others; likewise
SHORT = ("shingletools unique", "shingletools compare")  # which make a pipeline; likewise

COMMANDS = tuple(dict.fromkeys(each.name for each in SUITE))
PROGRAMS = (*COMMANDS, *KEEPERS, *RUNNERS)
FILTERS = tuple(each.name for each in SUITE if each.produces is not None)
WAYS = tuple(way for each in SUITE for way in each.ways)
ONE_WAY = tuple(each.ways[0] for each in SUITE)
SEQUENCES = tuple(  # each command's ways, after those that make its input
    " | ".join([*before, way])
    for each in SUITE
    for before in [
        {"canon": ["canon"], "shingle -k 10": ["canon", "shingle -k 3"]}.get(
            each.before or "", ["canon", "shingle -k 3", each.before] if each.before else []
        )
    ]
    for way in each.ways
    if "max-df 9 -S" not in way
)
# A filter, workers, a collector, and scratch files: enough for what is the driver's alone
DRIVEN = ("canon", "sketch -j2", "dedup --pairs /dev/null", "simjoin -S1M")
WITH_WORKERS = tuple(f"{name} -j2" for name in FILTERS)
AT_ONCE = tuple(  # they write before all is read
    way for each in SUITE for way in (each.by_id if each.produces is None else (*each.ways, *each.by_id))
)
LATE = tuple(way for each in SUITE for way in each.late)
SCRATCH = tuple(way for each in SUITE for way in each.scratch)
KILLED = tuple(
    way for each in SUITE for way in each.killed or ((f"{each.name} -j2",) if each.name in FILTERS else each.ways)
)


def of(command: str) -> Command:
    """The command that is run in this way, perhaps with more options."""
    same = [each for each in SUITE if each.name == program(command)]
    return next(
        (each for each in reversed(same) if any(f"{command} ".startswith(f"{way} ") for way in each.ways)), same[0]
    )


def good(command: str, identity: str | int) -> Record:
    """A record that it takes."""
    each = of(command)
    return {each.identity: identity, **dict(each.also), each.field: each.payload}


def inputs(documents: bytes) -> dict[str, bytes]:
    """Each command's input, from documents; that of a command with several entries will do for all of them."""
    made: dict[str, bytes] = {}
    outputs: dict[str | None, bytes] = {None: documents}  # several commands take what one makes
    for each in SUITE:
        if each.before not in outputs:
            outputs[each.before] = pipe(made[program(str(each.before))], str(each.before))
        made[each.name] = outputs[each.before]
    return made
