"""Lines made by a grammar: nearly JSON, nearly records; what targets.py promises holds for them."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agreement import FILTERED, IDS, MORE, Fields, check_lines, record_lines
from fuzz.targets import TARGETS
from shingletools.record import wire

pytestmark = pytest.mark.slow
LOTS = settings(max_examples=60)
NUMBERS = ("1", "0.5", "1e0", "-0", "2", "true", '"1"', "NaN")
JOINED: Fields = {**FILTERED, **{each: MORE[each] for each in ("sketch", "simhash")}}
JOINED |= {"a": IDS, "b": IDS[::-1], "similarity": NUMBERS}


@LOTS
@given(record_lines(FILTERED, more=MORE) | st.binary(max_size=40))
def test_records(data: bytes) -> None:
    TARGETS["records"](data)


@LOTS
@given(record_lines(JOINED, more=MORE, most=6) | record_lines({}, more=JOINED | MORE, most=6))
def test_joins(data: bytes) -> None:
    TARGETS["joins"](data)


BLANKS = ("", "", " ", "  ", "\t", "\r", " \t\r", " " * 30)
SCALARS = (
    *"1 -0 0.5e-3 1.7976931348623157e308 18446744073709551615 18446744073709551616 -9223372036854775809".split(),
    *("true", "null", "9" * 40, '""', '"A b"', '"\\u0041\\ud83d\\ude00\\/\\n"', '"中 é"', "[]", "{}", "[[],[]]"),
)
MEMBERS = ('"x"', '"x\\u0079"', '"id "', '"a"', '""', '"é"')
LEVELS = (("[", "]"), ('{"a":', "}"), ("[1,", "]"), ('[{"x" :[[]],"b":', "}]"))
DAMAGE = (
    *'{}[],:"\\0-+.eEx \t\r\x00\x1f\x7fé\U0001f600\u2028\ud800',
    *("\\ud800", "\\ude00", "\\u", "\\u0041", "\\n", "NaN", '"id":1,', "nul", "true", '""', '"a":', "[[", '{"a":'),
    *("1e999", "9" * 20, "1" * 310, "-1e308", "1.7976931348623159e308", "0." + "0" * 330 + "1"),
)


def large(rng: random.Random, size: int) -> str:
    """A good record of about so many bytes, of white space, of values in a row, and of levels."""
    blank = rng.choice(BLANKS)
    comma, colon = (f"{rng.choice(['', '', blank])}{mark}{rng.choice(['', '', blank])}" for mark in ",:")

    def row(size: int) -> str:
        some = ["1"] if rng.random() < 0.5 else rng.sample(SCALARS, rng.randint(1, 3))
        opened, closed = "[]"
        if rng.random() < 0.3:
            opened, closed = "{}"
            some = [f"{name}{colon}{rng.choice(some)}" for name in rng.sample(MEMBERS, 3)]
        count = 1 + size // (max(map(len, some)) + len(comma))
        return f"{opened}{rng.choice(BLANKS)}{comma.join(rng.choices(some, k=count))}{rng.choice(BLANKS)}{closed}"

    def value(size: int) -> str:
        opener, closer = rng.choice(LEVELS)
        levels = rng.choice((0, 0, rng.randint(1, 60), rng.randint(60, 1015))) // len(closer)
        rows = [row(size // 4) for _ in range(4)] if rng.random() < 0.3 else [row(size)]
        return f"{(opener + blank) * levels}[{comma.join(rows)}]{(blank + closer) * levels}"

    sizes = rng.choice(((size,), (size // 2, size // 2), (10, size), (size, 10)))
    every = [f"{rng.choice(MEMBERS[:2])}{colon}{value(each)}" for each in sizes]
    every += [f'"id"{colon}1', f'"text"{colon}"A b"', f'"meta"{colon}{{{blank}"id"{colon}1}}']
    rng.shuffle(every)
    return f"{rng.choice(['', blank])}{{{rng.choice(BLANKS)}{comma.join(every)}{blank}}}{rng.choice(['', blank])}"


def damaged(rng: random.Random, line: str) -> str:
    """The same with a fault, mostly."""
    start = rng.randrange(len(line))
    dropped = rng.choice((0, 1, 1, 5, len(line)))
    return f"{line[:start]}{rng.choice(DAMAGE)}{line[start + dropped :]}"


def check_large(seed: int, most: float) -> None:
    """Checks a line that the seed makes, of 1000 bytes to `most`; each second one is good."""
    rng = random.Random(seed)
    line = large(rng, int(1000 * (most / 1000) ** rng.random()))
    if seed % 2:
        line = damaged(rng, line)
    else:
        assert wire.parse_json(line.encode())["meta"] == {"id": 1}
    data = line.encode("utf-8", "surrogatepass")
    TARGETS["readers"](data)
    check_lines(data, ["canon"])


@settings(max_examples=15)
@given(st.integers(0, 1 << 32))
def test_large_lines(seed: int) -> None:
    check_large(seed, 3e4)


@settings(max_examples=400)
@given(st.integers(0, 1 << 32))
def test_nearly_json(seed: int) -> None:
    """Short lines with some faults; levels around as many as are read, which may not be closed."""
    rng = random.Random(seed)
    line = large(rng, rng.randrange(200))
    if seed % 3 == 0:
        opener, closer = rng.choice(LEVELS)
        count = rng.choice((rng.randint(1015, 1035), rng.randint(1, 2500))) // len(closer)
        line = opener * count + rng.choice(SCALARS) + closer * rng.choice((count, count, rng.randint(0, count)))
    for _ in range(rng.randrange(4)):
        line = damaged(rng, line)
    TARGETS["readers"](line.encode("utf-8", "surrogatepass"))
