"""The commands of the suite, and what tests ask of each: a command that is added gets one entry here."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from harness import Record, pipe, program


@dataclass(frozen=True)
class Command:
    """A command as tests run it: a way to run it is its name and some options.

    Tests take for granted that no input gives no output, and that megabytes give megabytes.
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
    little: bool = False  # it makes less than two blocks of output of megabytes of input


SUITE = (
    Command(
        "canon", "text", "A word, or two", ways=("canon",), produces="text", verbatim=True,
        repeated=frozenset({"--delete", "--replace", "--skip", "--stop", "--drop-adjectives", "--lemma", "--stem"}),
    ),
    Command(
        "shingle", "text", "a word or two", ways=("shingle",), produces="shingles", verbatim=True, before="canon"
    ),
    Command(
        "sketch", "shingles", "0123456789abcdef 00000000000000ff", ways=("sketch",), produces="sketch",
        verbatim=True, before="shingle -k 10",
    ),
    Command(
        "simjoin", "sketch", "01234567 89abcdef", ways=("simjoin", "simjoin -S1M"), before="sketch",
        gives=lambda a, b, _: [{"a": a, "b": b, "similarity": 1.0}], repeated=frozenset({"--against"}),
        scratch=("simjoin -S1M",), killed=("simjoin -j2", "simjoin -S1M -T scratch"),
    ),
    Command(
        "simgroup", "b", "other", ways=("simgroup",), identity="a", before="simjoin -t 0.3", recipes=False,
        gives=lambda a, b, other: [{"group": a, "size": 3, "members": [a, other, b]}],
        form="neither a string nor an integer of 64 bits", little=True, repeated=frozenset({"--singletons"}),
        wrong=((b'{"a":"other","b":"other"}', 'pairs "other" with itself'),),
    ),
    Command(
        "dedup", "text", "A word, or two", recipes=False, verbatim=True, needed=("--groups=g",),
        ways=("dedup --groups /dev/null", "dedup --groups /dev/null --keep longest"),
        by_id=("dedup --groups /dev/null",), scratch=("dedup --groups /dev/null --keep longest",),
        killed=("dedup --groups /dev/null --keep longest",), repeated=frozenset({"--groups"}),
    ),
    Command(
        "parts", "text", "A word, or two", ways=("parts",), produces="text", repeated=frozenset({"--carry"}),
        carrying="--carry", gives=lambda a, b, text: [
            {"id": f"{name}#1", "of": name, "part": 1, "place": [0, len(text)], "before": "", "text": text,
             "behind": "", "via": "parts by=paragraph"} for name in (a, b)
        ],
    ),
    Command(
        "parts", "text", "A word, or two", ways=("parts --together",), identity="of", before="parts",
        also=(("part", 1), ("before", "")), repeated=frozenset({"--carry"}), late=("parts --together",),
        killed=("parts --together",),
        gives=lambda a, b, text: [{"id": name, "text": text, "via": "parts together"} for name in (a, b)],
        wrong=(
            (b'{"of":1,"text":""}', 'field "part" is missing'),
            (b'{"of":1,"part":0,"text":""}', 'field "part" is not a number from 1 on'),
            (b'{"of":1,"part":1,"text":""}', 'field "before" is missing'),
            (b'{"of":1,"part":1,"before":"","text":"","behind":null}', 'field "behind" is not a string'),
        ),
    ),
)  # fmt: skip
RUNNERS = ("simspark",)  # which run the others, and have tests of their own

COMMANDS = tuple(dict.fromkeys(each.name for each in SUITE))
PROGRAMS = (*COMMANDS, *RUNNERS)
FILTERS = tuple(each.name for each in SUITE if each.produces is not None)
WAYS = tuple(way for each in SUITE for way in each.ways)
WITH_WORKERS = tuple(f"{name} -j2" for name in FILTERS)
AT_ONCE = (*FILTERS, *(way for each in SUITE for way in each.by_id))  # they write before all is read
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
    for each in SUITE:
        made[each.name] = pipe(made[program(each.before)], each.before) if each.before else documents
    return made
