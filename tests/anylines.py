"""Lines for filters: records of all kinds, and what is none."""

import json

from hypothesis import strategies as st

blanks = st.text(" \t\r", max_size=2)
odd = st.sampled_from(
    [
        *"-0 0.10 1E5 -1.5e+10 123456789012345678901234567890 1e400 01 1. .5 1e - 1e-400".split(),
        *'true false null nul NaN {} [] [1,] {"a":1,"a":2} [{"b":[[]]},"]"] {"a":1,}'.split(),
        *r'"\u0041" "\ud83d\ude00" "\ud800" "\x" "a\/b\"c\\"'.split(),
        *('"\t"', '"中é\u2028"', "[" * 70 + "]" * 70, "9" * 309, "9" * 70, '"', "", "[1 2]", '{"a" 1}'),
    ]
)
values = st.recursive(
    st.one_of(
        odd,
        st.builds(json.dumps, st.text(max_size=9), ensure_ascii=st.booleans()),
        st.builds(json.dumps, st.floats(allow_nan=False, allow_infinity=False) | st.integers()),
    ),
    lambda inner: st.builds("[{}]".format, st.lists(inner, max_size=3).map(",".join)),
    max_leaves=4,
)
words = st.sampled_from(
    [
        '"A word, or two"',
        '"\\u0410 b\\nc"',
        '"\\ud83d\\ude00 x"',
        '""',
        '"Don\'t \\"q\\" \\\\"',
        '"中文 é"',
        "7",
        '"0123456789abcdef 00000000000000ff"',
        '"01234567 89abcdef"',
        '"0123456789abcdef"',
        '"0123456789ABCDEF  0"',
        '"\\u0030123456789abcdef"',
        '"a\x00b"',
        '"a\\u0000b"',
        '"a\\tb\\u001fc\\u007f"',
        "null",
    ]
)
named = st.one_of(
    st.tuples(st.just('"id"'), st.sampled_from(["1", '"é"', '"\\u00e9"', "-0", "1.0", "18446744073709551615", "null"])),
    st.tuples(st.sampled_from(['"text"', '"shingles"', '"words"', '"sketch"', '"simhash"', '"t\\u0065xt"']), words),
    st.tuples(st.sampled_from(['"source"', '"at"', '"a\\u0074"']), values),
    st.tuples(st.just('"via"'), st.sampled_from(['"canon"', '""', '"\\u0063anon"', "1", '"x | \\"y\\""'])),
    st.tuples(st.sampled_from(['"x"', '""', '"\\u0078"', '"é"', '"x"', "x", '"a\x01"']), values),
)


@st.composite
def lines(draw: st.DrawFn) -> bytes:
    """Records of all kinds, with white space anywhere; some are none."""
    wanted = [('"id"', draw(st.sampled_from(["1", '"a"']))), ('"text"', draw(words)), ('"shingles"', draw(words))]
    every = draw(st.permutations([*wanted[: draw(st.integers(0, 3))], *draw(st.lists(named, max_size=4))]))
    body = ",".join(
        "".join([draw(blanks), name, draw(blanks), ":", draw(blanks), value, draw(blanks)]) for name, value in every
    )
    line = f"{draw(blanks)}{{{body}}}{draw(blanks)}".encode()
    if draw(st.integers(0, 4)) == 0 and line:  # and some that are broken
        place = draw(st.integers(0, len(line) - 1))
        line = (
            line[:place]
            + draw(st.sampled_from([b"", b"\xff", b"\xc3", b'"', b"}", b"\\", b"\x00"]))
            + line[place + 1 :]
        )
    return line.replace(b"\n", b"")
