"""What must agree: lines of all kinds, filters and collectors, and the ways to run them.

`record_lines` makes lines by a grammar, `WAYS`, `CHAINS` and `PATHS` are filters, and `check_lines`, `check_chain` and
`check_collector` compare the kernel with the definition.
"""

import importlib
import json
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple, cast

from hypothesis import strategies as st

from harness import Made, filtered, jsonl, read_by_definition
from shingletools.cli.options import make_parser
from shingletools.commands.shingle.fingerprints import Rolling
from shingletools.kernel.lines import split_lines
from shingletools.record import wire
from shingletools.record.filter_chain import Chain
from shingletools.record.filter_line import filter_line
from shingletools.record.json_members import members
from shingletools.record.record_batch import RecordBatch
from shingletools.record.stage import Filter, Stage
from shingletools.running.step_events import take_batch
from shingletools.spark.pipeline import parse
from shingletools.system.errors import Failed, Rejected
from suite import kept_in_a_file

Fields = dict[str, tuple[str, ...]]  # the values that fields may have, as JSON spells them; the first are ordinary


def quoted(*texts: str) -> tuple[str, ...]:
    return tuple(f'"{text}"' for text in texts)


IDS = (
    *r'1 2 -3 "1" "x" "é" "\u00e9" 0 -0 "\"\\" "" "\ud800"'.split(),
    *'123456789012345678 18446744073709551615 123456789012345678901 1.0 null [1] "a b"'.split(" ", 6),
)
VIA = (*quoted("canon", "canon", "x", "", "x"), '"\\u0063anon"', "1", '"x | \\"y\\""', '"é"')
WORDS_OF_TEXT = (
    *quoted("A word, or two", "Don't", "中文 é", "", "0123456789abcdef 00000000000000ff", "01234567 89abcdef"),
    *quoted(r"\u0410 b\nc", r"\ud83d\ude00 x", r"Don't \"q\" \\", "0123456789abcdef", "0123456789ABCDEF  0"),
    *(*quoted(r"\u0030123456789abcdef", "a\x00b", r"a\u0000b", r"a\tb\u001fc\u007f"), "7", "null"),
)
ODD = (
    *"1 -0 0.10 1E5 -1.5e+10 123456789012345678901234567890 1e400 01 1. .5 1e - 1e-400".split(),
    *'true false null nul NaN {} [] [1,] {"a":1,"a":2} [{"b":[[]]},"]"] {"a":1,}'.split(),
    *r'"\u0041" "\ud83d\ude00" "\ud800" "\x" "a\/b\"c\\"'.split(),
    *('[ {"x" : "A" },{"x":["B\\n", null ,"-"]},[],{"text":"-"}]', '[{"x":null},{"x":"a","x":"b"}]', '[{"x":1}]'),
    *('"\t"', '"中é\u2028"', "[" * 70 + "]" * 70, "9" * 309, "9" * 70, '"', "", "[1 2]", '{"a" 1}'),
)
FILTERED: Fields = {"id": IDS, "text": WORDS_OF_TEXT, "shingles": WORDS_OF_TEXT}
MORE: Fields = {
    **dict.fromkeys(("text", "shingles", "words", "sketch", "simhash"), WORDS_OF_TEXT),
    **dict.fromkeys(("source", "at", "x", "", "é", "a\x01"), ODD),
    "via": VIA,
}
anything = st.recursive(
    st.sampled_from(ODD)
    | st.builds(json.dumps, st.text(max_size=9), ensure_ascii=st.booleans())
    | st.builds(json.dumps, st.floats(allow_nan=False, allow_infinity=False) | st.integers()),
    lambda inner: st.builds("[{}]".format, st.lists(inner, max_size=3).map(",".join)),
    max_leaves=4,
)
BESIDE = ('"x":[{"id":1}, "}"]', '"duplicate_of":1', '"duplicate_of":null')
blanks = st.sampled_from(["", "", "", " ", "\t \r"])
DAMAGE = (b"", b"\xff", b"\xc3", b'"', b"}", b"\\", b"\x00")


def rarely(draw: st.DrawFn) -> bool:
    return draw(st.integers(0, 19)) == 19


def member(draw: st.DrawFn, name: str, value: str) -> str:
    spelled = f'"\\u{ord(name[0]):04x}{name[1:]}"' if name and rarely(draw) else f'"{name}"'
    return "".join([draw(blanks), spelled, draw(blanks), ":", draw(blanks), value, draw(blanks)])


@st.composite
def record(draw: st.DrawFn, fields: Fields, more: Fields) -> bytes:
    """A line with most of the fields, and sometimes others; most are ordinary, some are no records."""
    members = []
    for name, values in fields.items():
        if not rarely(draw):
            members.append(member(draw, name, draw(st.sampled_from(values[:5] if draw(st.booleans()) else values))))
    for name in draw(st.lists(st.sampled_from([*more]), max_size=3)) if more else []:
        some = st.sampled_from(more[name])
        members.append(member(draw, name, draw(some | anything if more[name] is ODD else some)))
    if rarely(draw):
        members.append(draw(st.sampled_from(BESIDE)))
    if members and rarely(draw):
        members.append(draw(st.sampled_from(members)))
    line = f"{draw(blanks)}{{{','.join(draw(st.permutations(members)))}}}{draw(blanks)}"
    if rarely(draw):
        line = draw(st.sampled_from([line[:-1], f"\ufeff{line}", f"\ufeff\ufeff{line}", f"{line}\r", "", f"{line}x"]))
    made = line.encode("utf-8", "surrogatepass").replace(b"\n", b"")
    if made and rarely(draw):
        place = draw(st.integers(0, len(made) - 1))
        made = made[:place] + draw(st.sampled_from(DAMAGE)) + made[place + 1 :]
    return made


def record_lines(*fields: Fields, more: Fields | None = None, most: int = 12) -> st.SearchStrategy[bytes]:
    """Lines of records that have these fields; the last may end without a newline."""
    together = {name: values for group in fields for name, values in group.items()}
    several = st.lists(record(together, more or {}), max_size=most).map(b"\n".join)
    return st.builds(bytes.__add__, several, st.sampled_from([b"", b"\n"]))


@cache
def command(line: str) -> tuple[str, list[str]]:
    name, *argv = line.split()
    return name, argv


def stage_of(line: str) -> Stage:
    """A command's stage, as the driver has it."""
    name, argv = command(line)
    module = importlib.import_module(f"shingletools.commands.{name}.command")
    parser = make_parser(name, module.__doc__ or "", module.add_options)
    built: Stage = module.build(parser.parse(argv))
    return built


@cache
def filter_of(line: str) -> Filter:
    stage = stage_of(line).record_by_record
    assert stage is not None
    return stage


# Shingles that lines of the corpus have, and others; some weigh nothing
WEIGHTS = kept_in_a_file(
    "weights",
    jsonl(
        *({"shingle": f"{each:016x}", "weight": each % 5 / 4} for each in (0, 1, 0xAB, 0x0123456789ABCDEF, 2**64 - 1)),
        *({"shingle": Rolling(1)(word), "weight": 3.5} for word in ("a", "b", "word")),
    ),
)

# Each of the ways in which the kernel makes a payload
WAYS = (
    "canon",
    "canon --stop en --mask-numbers",
    "canon --sentences",
    "canon --text words",
    r"canon --word \S+",
    "shingle -k 2",
    "shingle -k 2 --chars",
    "shingle -k 3 --word-chars --mod 2",
    "shingle -k 1 --mod 2",
    "shingle -k 2 --hash md5",
    "shingle --readable",
    "sketch -n 5",
    "sketch -n 5 --bits 8",
    "sketch -n 7 --bits 16 --keep",
    "sketch -n 4 --keep",
    "sketch -n 6 --super 2",
    "sketch -n 6 --mega 2",
    "sketch --simhash",
    "sketch --simhash --keep",
    f"sketch --simhash --weights {WEIGHTS}",
    "canon --offsets",
    "canon --offsets --stop en",
    "canon --offsets --sentences",
    "canon --text words,text",
    "canon --text x[].text,words,x[].x[],[].x,x[]text",
    "canon --text words,x[].text,x[].x,x[].x[]",
    "canon --text x[].x",
    "canon --offsets --text words,x.y,sketch",
)


def check_lines(data: bytes, ways: Sequence[str] = WAYS) -> None:
    """Lines between good ones: the kernel makes what the definition makes, and all other bytes stay."""
    for way in ways:
        stage = filter_of(way)
        around = b'{"id":1,"%b":"00000000000000ab"}' % stage.consumes.encode()
        check_chain(Chain([(stage, "id")]), data, around)
        for line in split_lines(data):
            if isinstance(made := by_definition(stage, line), bytes):
                conserved(stage, line, made)


class Reject(NamedTuple):
    """A document that is left out, and why."""

    cause: str
    document: bytes


def by_definition(stage: Filter, line: bytes, id_field: str = "id") -> bytes | Reject:
    try:
        return filter_line(stage, id_field, line)
    except Rejected as error:
        return Reject(str(error), line)


SECRET = kept_in_a_file("secret", b"a secret of more than 32 bytes, as a key must be")
WHOLE = "canon | shingle -k 10 | sketch -n 84"
# Filters of which the kernel does some at once, all or none
CHAINS = (
    WHOLE,
    f"canon | shingle -k 2 --key-file {SECRET} | sketch -n 3",
    "canon | shingle -k 2 | sketch -n 5",
    "canon | shingle -k 2 | sketch -n 5 --bits 8",
    "canon | shingle -k 1 | sketch -n 3 --bits 16",
    "canon --stop en --stem en | canon | shingle -k 1 --mod 2 | sketch --simhash",
    "canon | shingle -k 2 | sketch -n 6 --super 2",
    "canon | shingle -k 3 --chars | sketch -n 4",
    "canon | shingle -k 3 --word-chars | sketch --simhash",
    "canon | shingle | sketch -n 4 --keep | sketch --simhash",
    "shingle --id x -k 3 | sketch --id x -n 6 --mega 2",
    "canon --text words | shingle --text words --hash md5 | sketch -n 3",
    "canon | shingle --id x -k 2 | sketch --id x -n 3",
    "canon --offsets | canon --offsets --stem en | shingle -k 2 | sketch -n 3",
    "canon --html | shingle | sketch -n 2",
    "canon --text words,text | shingle -k 1 | sketch -n 3",
    f"canon | shingle -k 1 --mod 2 | sketch --simhash --weights {WEIGHTS}",
    "canon | shingle -k 2 | canon --text shingles | shingle -k 1 --text shingles | sketch -n 2",
)


# Filters of fields within objects
PATHS = tuple(
    pipeline.format("--id a.b --text b.a.t")
    for pipeline in (
        "canon {0}",
        "shingle {0} -k 1 --readable",
        "shingle {0} -k 2",
        "canon {0} --offsets",
        "canon {0} | shingle -k 1 {0} | sketch --id a.b -n 3",
        "shingle -k 1 {0} | sketch --id a.b -n 3",
        "canon {0} | canon {0} --stem en",
        "canon {0} | shingle -k 2 {0} --readable",
        "canon --offsets {0} | shingle -k 1 {0} | sketch --id a.b -n 3",
    )
)


@cache
def chain_of(pipeline: str) -> Chain:
    steps = parse(pipeline)
    return Chain([(cast(Filter, step.stage), step.id_field) for step in steps])


GOOD = b'{"id":1,"x":2,"text":"A b c","words":"D"}'


def check_chain(chain: Chain, data: bytes, good: bytes = GOOD) -> None:
    """Lines between good ones: a chain makes what the definitions of its filters make, one after the other."""
    every = [good, *split_lines(data), good]
    made, rejections = [], []
    for place, first in enumerate(every):
        line = first
        for step, (stage, id_field) in enumerate(chain.filters, 1):
            result = by_definition(stage, line, id_field)
            if isinstance(result, Reject):
                rejections.append((place, step, result.cause, first))
                break
            line = result.removesuffix(b"\n")
        else:
            made.append(line + b"\n")
    assert filtered(chain, b"\n".join(every)) == (b"".join(made), rejections)


def conserved(stage: Filter, line: bytes, made: bytes) -> None:
    """What is left without the payloads and via, white space behind their names aside, is the same."""
    payloads = {stage.produces, *stage.adds, "via"} | (set() if stage.keep else {stage.consumes})
    rest = []
    for each in (line.removeprefix(wire.BOM), made.removesuffix(b"\n")):
        every = members(each)
        kept = [each[member.start : member.end] for member in every if member.name not in payloads]
        rest.append((each[: every[0].start], kept, each[every[-1].end :]))
    assert rest[0] == rest[1]


def collected(command: str, sides: Sequence[list[bytes]], at_once: bool) -> tuple[Made, object]:
    """All that a collector says of some chunks for each side."""
    collector = stage_of(command).collector()
    if not at_once:
        read_by_definition(collector)
    made = Made()
    for side, chunks in enumerate(sides):
        for number, data in enumerate(chunks):
            before = made.records + len(made.rejects)
            try:
                made.add(take_batch(collector, side, RecordBatch(data, f"{side}.{number}")))
            except Failed as failed:
                made.records = 0  # those before it in a batch are not counted
                return made, str(failed)
            assert made.records + len(made.rejects) == before + len(split_lines(data))
    made.add(collector.finish())
    for record in split_lines(made.output):
        wire.parse_json(record)
    return made, collector.summary()


def check_collector(command: str, sides: Sequence[list[bytes]]) -> None:
    """Lines that a collector takes at once, or one by one."""
    assert collected(command, sides, at_once=True) == collected(command, sides, at_once=False)
