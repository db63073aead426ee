"""Fields within objects of any record: the kernel, the definition and chains agree with what JSON tells."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from targets import Reject, by_definition, check_chain, filter_of

from shingletools.record.filter_chain import Chain
from shingletools.spark.pipeline import parse


class Pairs(list[tuple[str, Any]]):
    """An object as its members, also those that stand twice."""


def parsed(line: bytes) -> Pairs:
    record = json.loads(line, object_pairs_hook=Pairs)
    assert isinstance(record, Pairs)
    return record


def expected_of(record: Pairs, field: str) -> Any:
    """The pairs in which a field stands, and its place there; or why there is no such."""
    names = [name for name, _ in record]
    if field in names or "." not in field:
        return (record, names.index(field)) if names.count(field) == 1 else "twice" if field in names else "missing"
    first, *rest = field.split(".")
    while True:
        names = [name for name, _ in record]
        if names.count(first) != 1:
            return "twice" if first in names else "missing"
        place = names.index(first)
        if not rest:
            return record, place
        if not isinstance(record[place][1], Pairs):
            return "missing"
        record = record[place][1]
        first, *rest = rest


def expected_line(way: str, record: Pairs) -> Pairs | None:
    """What canon or shingle makes of a record, computed from its members alone; None if it is bad."""
    found = [expected_of(record, field) for field in ("a.b", "b.a.t")]
    if any(isinstance(each, str) for each in found):
        return None
    (holder, place), (inner, at) = found
    value, text = holder[place][1], inner[at][1]
    named = [name for name, _ in record]
    vias = [value for name, value in record if name == "via"]
    if type(value) not in (str, int) or not isinstance(text, str) or [*map(type, vias)] not in ([], [str]):
        return None
    if way == "canon":
        inner[at] = (inner[at][0], " ".join(text.lower().split()))
        added: list[tuple[str, Any]] = [("named", "--id a.b --text b.a.t")]
    elif named.count("shingles") > 1:
        return None
    else:
        made = text.split()
        if inner is record:  # by its whole name
            if "shingles" in named:
                record[min(at, named.index("shingles"))] = ("shingles", made)
                del record[max(at, named.index("shingles"))]
            else:
                record[at] = ("shingles", made)
            added = []
        else:
            del inner[at]
            added = [] if "shingles" in named else [("shingles", made)]
            record[:] = [(name, made if name == "shingles" else value) for name, value in record]
    record += added
    recipe = {"canon": "canon/4", "shingle": "shingle k=1 readable"}[way]
    record[:] = [(n, f"{v} | {recipe}" if v else recipe) if n == "via" else (n, v) for n, v in record]
    return record if vias else Pairs([*record, ("via", recipe)])


IDS = (
    '"a":{"b":1}',
    '"a" : { "x":0.10 , "b" : "u" ,"c":{"b":2}}',
    '"a.b":3',
    '"a":{"c":[{"b":1}],"b":5}',
    '"a":{"\\u0062":4}',
    '"\\u0061":{"b":1}',
    '"a\\u002eb":"x"',
    '"a":{"b":1,"b":2}',
    '"a":[{"b":1}]',
    '"a":{}',
    '"a":7',
    '"a":{"b":1.0}',
    '"a":{"b":-0}',
    '"a":{"c":1,"c":2,"b":"\\u00e9"}',
    '"a":{"b":{"b":1}}',
    '"a.b":null',
)
TEXTS = (
    '"b":{"a":{"t":"A b"}}',
    '"b" :{ "x":[1], "a" : {\t"t" : "A b" , "y":1E5 } }',
    '"b.a.t":"A b"',
    '"b":{"a":{"y":{"t":0.10} ,\r"t":"C"},"t":"Z"}',
    '"b":{"a":{"t":"\\u0041 b"}}',
    '"b":{"a":{"t" : "w" }}',
    '"b":{"a.t":"x"}',
    '"b":{"a":{"t":"x","t":"y"}}',
    '"b":{"a":{"t":"x"},"a":{}}',
    '"b":{"a":[{"t":"A"}]}',
    '"b":{"a":{"t":7}}',
    '"b":{}',
    '"b":{"a":{"\\u0074":"A"}}',
    '"b.a.t":["x"]',
    '"b.a":{"t":"x"}',
    '"t":"x"',
)
MORE = ('"via":"x"', '"via":""', '"x":{"b":1,"b":2}', '"shingles":{"q":[0.10]}', '"shingles":"y"', '"via":1', '"":0')


def one_of(values: tuple[str, ...]) -> st.SearchStrategy[str]:
    """Most often one of the first, which are ordinary."""
    return st.sampled_from(values[:4]) | st.sampled_from(values[:4]) | st.sampled_from(values)


@st.composite
def objects(draw: st.DrawFn) -> str:
    """Records, about half of which are good."""
    every = [draw(one_of(IDS)), draw(one_of(TEXTS)), *draw(st.lists(st.sampled_from(MORE), max_size=2, unique=True))]
    if draw(st.integers(0, 4)) == 0:
        every.append(draw(st.sampled_from(IDS + TEXTS)))
    return "{" + draw(st.sampled_from([",", " , ", ",\t"])).join(draw(st.permutations(every))) + "}"


@given(objects())
@example('{"a":{"b":1},"b":{"a":{"t":"A b"}}}')
@example('{"a.b":1,"b.a.t":"A b","a":{"b":2},"b":{"a":{"t":"C"}}}')
def test_the_kernel_the_definition_and_what_json_tells(record: str) -> None:
    line = record.encode()
    options = "--id a.b --text b.a.t"
    around = b'{"a":{"b":5},"b":{"a":{"t":"w x"}}}'
    for way, also in (("canon", ""), ("shingle", "-k 1 --readable"), ("shingle", "-k 2"), ("canon", "--offsets")):
        stage = filter_of(f"{way} {options} {also}")
        expected = by_definition(stage, line, "a.b")
        check_chain(Chain([(stage, "a.b")]), line, around)
        if also in ("", "-k 1 --readable"):
            made = expected_line(way, parsed(line))
            assert (None if isinstance(expected, Reject) else parsed(expected)) == made


CHAINS = (
    "canon {0} | shingle -k 1 {0} | sketch --id a.b -n 3",
    "shingle -k 1 {0} | sketch --id a.b -n 3",
    "canon {0} | canon {0} --stem en",
    "canon {0} | shingle -k 2 {0} --readable",
    "canon --offsets {0} | shingle -k 1 {0} | sketch --id a.b -n 3",
)


@pytest.mark.parametrize("chain", CHAINS)
@given(record=objects())
def test_chains(chain: str, record: str) -> None:
    """Through several filters at once as through one after the other."""
    steps = parse(chain.format("--id a.b --text b.a.t"))
    filters = [(step.stage.record_by_record, step.id_field) for step in steps]
    assert all(stage is not None for stage, _ in filters)
    around = b'{"a":{"b":5},"b":{"a":{"t":"w x"}}}'
    data = record.encode() + b'\n{"a":{"b":5},"b":{"a":{"t":"w x"}},"via":"x"}'
    check_chain(Chain([(stage, name) for stage, name in filters if stage]), data, around)
