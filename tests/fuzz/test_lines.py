"""Lines made by a grammar: nearly JSON, nearly records; what targets.py promises holds for them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from targets import TARGETS

pytestmark = pytest.mark.slow
LOTS = settings(max_examples=400)
FIELDS = ("id", "text", "shingles", "sketch", "simhash", "via", "a", "b", "similarity", "Id", "", "\u0000")
WORDS = ("00000000", "0123abcd", "0123456789abcdef", "FFFFFFFFFFFFFFFF", "0", "canon", "<p>", "&#x41;", "中文", "don't")

strings = st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join) | st.text(max_size=8)
quoted = strings.map(lambda text: '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"')
scalars = st.sampled_from(
    ("1", "-0", "1.5", "1e400", "9007199254740993", "18446744073709551616", "true", "null", "NaN", '"\\ud800"', "01")
)  # fmt: skip
values = st.recursive(
    quoted | scalars,
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda several: f"[{','.join(several)}]")
        | st.lists(st.tuples(quoted, inner), max_size=3).map(lambda pairs: f"{{{','.join(map(':'.join, pairs))}}}")
    ),
    max_leaves=4,
)
names = st.sampled_from(FIELDS).map(lambda name: f'"{name}"'.replace("\u0000", "\\u0000"))
objects = st.lists(st.tuples(names, values), max_size=5).map(lambda pairs: f"{{{','.join(map(':'.join, pairs))}}}")
records = st.tuples(st.integers(0, 9), strings, strings).map(
    lambda made: f'{{"id":{made[0]},"sketch":"{made[1].strip()}","text":"t"}}'.replace("\n", " ")
)
breaks = st.sampled_from(("", "\\", '"', "{", "\u2028", "\r", "\x00", "\ufeff", " "))
lines = st.tuples(breaks | st.just(""), objects | records, st.just("") | breaks).map("".join)
inputs = st.lists(lines, max_size=6).map("\n".join).map(lambda text: text.encode("utf-8", "surrogatepass"))


@LOTS
@given(inputs | inputs.map(lambda data: data + b"\n") | st.binary(max_size=40))
def test_records(data: bytes) -> None:
    TARGETS["records"](data)


@LOTS
@given(inputs)
def test_joins(data: bytes) -> None:
    TARGETS["joins"](data)
