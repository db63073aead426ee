"""The elements of a JSON array as records."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness import run_here
from shingletools.reading.formats import json_array
from shingletools.reading.formats.json_array import MAX_DEPTH, Elements
from shingletools.reading.streams import Blocks
from shingletools.system.errors import Failed

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.sampled_from('a"\\[]{},: \né'), max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=12,
)


def elements(data: bytes, size: int = 1 << 20) -> list[tuple[int | None, bytes, bytes, str]]:
    blocks = (data[at : at + size] for at in range(0, len(data), size))
    made = [
        document for _, some, _ in Elements("file", Blocks(blocks, "file", "nothing")).portions() for document in some
    ]
    return [(document.line, document.raw, document.record, document.cause) for document in made]


@settings(max_examples=100)
@given(st.lists(VALUES, max_size=5), st.sampled_from([None, 1]), st.integers(1, 30))
def test_elements_are_what_python_finds(values: list[object], indent: int | None, size: int) -> None:
    data = json.dumps(values, indent=indent, ensure_ascii=False).encode()
    found = elements(data, size)
    assert [json.loads(raw) for _, raw, _, _ in found] == values
    objects = [(raw, record) for (_, raw, record, _), value in zip(found, values, strict=True) if type(value) is dict]
    assert all(record == raw.replace(b"\n", b" ") for raw, record in objects)
    for line, raw, _, _ in found:
        assert line is not None
        assert raw.split(b"\n")[0] in data.split(b"\n")[line - 1]


@settings(max_examples=100)
@given(st.text(st.sampled_from('[]{},"\\1 \n'), max_size=14), st.integers(1, 4))
def test_any_cut_of_the_input_gives_the_same(text: str, size: int) -> None:
    def result(size: int) -> object:
        try:
            return elements(b"[" + text.encode(), size)
        except Failed as error:
            return str(error)

    assert result(size) == result(1 << 20)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 100])
def test_a_byte_order_mark_may_come_in_parts(size: int) -> None:
    """Only one, and before all else."""
    mark = "\ufeff".encode()
    assert elements(mark + b"[1]", size) == [(1, b"1", b"1", "")]
    assert elements(b"[]", size) == []
    for data in (mark + mark + b"[1]", b" " + mark + b"[1]", mark[:2]):
        with pytest.raises(Failed, match="not a JSON array"):
            elements(data, size)


def test_bytes_stay_as_they_came_and_bad_elements_are_reported(tmp_path: Path) -> None:
    good = b'{"id":1,"x":1.10e1,"y":"\\u00e9","text":"A ]},"}'
    (tmp_path / "a").write_bytes(
        b"\xef\xbb\xbf [" + good + b',\n{"id":2},3,\n{"id" 4},,\n{\n"id":5,\r\n"text":"B"}]\n[]\n[6'
    )
    ran = run_here("canon", "--array", "--rejects", "bad", "a", cwd=tmp_path)
    assert ran.out.split(b"\n") == [
        b'{"id":1,"x":1.10e1,"y":"\\u00e9","text":"a","via":"canon/4"}',
        b'{ "id":5,\r "text":"b","via":"canon/4"}',
        b"",
    ]
    assert ran.err.split("\n") == [
        'canon: a:2: field "text" is missing',
        "canon: a:2: not a JSON object",
        "canon: a:3: not JSON (column 7)",
        "canon: a:3: an element is missing",
        "canon: a:8: the array has no end",
        "",
    ]
    assert (tmp_path / "bad").read_bytes() == b'{"id":2}\n3\n{"id" 4}\n\n6\n'


def test_an_element_is_not_taken_for_json_lines(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b'[{"id" 4},[{"id":1}],{"id":1,"text":"a"}]')
    ran = run_here("canon", "--array", "a", cwd=tmp_path)
    assert (ran.status, ran.err) == (1, "canon: a:1: not JSON (column 7)\ncanon: a:1: not a JSON object\n")


def test_elements_without_an_id_get_their_number(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b'[{"text":"a"},{},{"id":"x","text":"b"}][{"text":"c"}]')
    ran = run_here("canon", "--array", "--number", "a", "a", cwd=tmp_path)
    assert [json.loads(line)["id"] for line in ran.out.splitlines()] == [1, "x", 4, 5, "x", 8]
    assert ran.err == 2 * 'canon: a:1: field "text" is missing\n'


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            b'\n{"id":1,"text":"a"}',
            "a:2: not a JSON array; this looks like JSON lines: leave out --array",
        ),
        (b"7", "a:1: not a JSON array"),
        (b"[]\n1", "a:2: text after an array"),
        (b"[" * (MAX_DEPTH + 9), f"a:1: an element with more than {MAX_DEPTH} nested brackets"),
    ],
)
def test_what_is_no_array_ends_the_run(content: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(content)
    ran = run_here("canon", "--array", "a", cwd=tmp_path)
    assert (ran.status, ran.out, ran.err) == (2, b"", f"canon: {said}\n")


def test_an_element_that_does_not_end_is_not_held_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_array, "MAX_ELEMENT_BYTES", 99)
    assert elements(b'[1,\n"' + b"a" * 80 + b'"]', 7)[1][0] == 2
    with pytest.raises(Failed, match=r"^file:2: an element of more than 99 bytes \(a string without an end\?\)$"):
        elements(b'[1,\n"' + b"a" * 300, 7)


def test_elements_flow_on_as_they_come() -> None:
    blocks = (block for block in [b"[1,", b"2,3", b"]"])
    made = Elements("file", Blocks(blocks, "file", "nothing")).portions()
    assert [[document.raw for document in some] for _, some, _ in made] == [[b"1"], [b"2"], [b"3"], []]
