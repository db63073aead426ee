"""sketch: tables of weights, what they say, and what does not fit them."""

import json
from pathlib import Path

import pytest

from harness import jsonl, pipe, run
from shingletools.numbers.inverse_document_frequency import UNIT
from shingletools.reading.shingle_weights import read_weights


def payload_of(shingles: list[int]) -> str:
    return " ".join(f"{each:016x}" for each in shingles)


@pytest.mark.parametrize("options", ["--simhash", "--top 3"])
def test_what_weighs_nothing_is_like_nothing(options: str, tmp_path: Path) -> None:
    """Texts that are template alone: else all of them would be alike."""
    (tmp_path / "df").write_bytes(jsonl(*({"shingle": f"{each:016x}", "weight": each // 3} for each in (1, 2, 3))))
    records = jsonl(*({"id": each, "shingles": payload_of([each])} for each in (1, 2, 3)))
    made = run(f"sketch --weights df {options}", stdin=records, cwd=tmp_path).records()
    field = "simhash" if "simhash" in options else "sketch"
    assert [bool(record[field]) for record in made] == [False, False, True]


def test_a_table_says_what_it_is_of(tmp_path: Path) -> None:
    """With its first line it is known whether it is whole, and of which records."""
    texts = jsonl({"id": 1, "text": "a b c"}, {"id": 2, "text": "b c d"})
    table = pipe(texts, "shingle -k 1 --df --header")
    lines = table.splitlines(keepends=True)
    (tmp_path / "df").write_bytes(table)
    (tmp_path / "cut").write_bytes(b"".join(lines[:-1]))
    (tmp_path / "twice").write_bytes(lines[1].replace(b'"weight":', b'"weight":1,"weight":'))
    shingled = pipe(texts, "shingle -k 1")
    assert run("sketch --simhash --weights df", stdin=shingled, cwd=tmp_path).status == 0
    ran = run("sketch --simhash --weights df", stdin=pipe(texts, "shingle -k 2"), cwd=tmp_path)
    assert ran.status == 2 and ran.out == b""
    assert ran.err.splitlines()[0] == 'sketch: -:1: made by "shingle k=2", not by "shingle k=1" as the table'
    for name, message in [
        ("cut", "cut:4: the table ends here; its first line says 4 shingles"),
        ("twice", 'twice:1: field "weight" occurs twice'),
    ]:
        ran = run(f"sketch --simhash --weights {name}", stdin=shingled, cwd=tmp_path)
        assert (ran.status, ran.out, ran.err) == (2, b"", f"sketch: {message}\n")


def test_digits_of_a_table_and_of_records(tmp_path: Path) -> None:
    """Else a table of other fingerprints would know no shingle, and all would weigh the same."""
    (tmp_path / "crc").write_bytes(jsonl({"shingle": "000000ff", "weight": 2}))
    (tmp_path / "wide").write_bytes(jsonl({"shingle": "00000000000000ff", "weight": 2}))
    (tmp_path / "both").write_bytes(jsonl({"shingle": "000000ff", "weight": 2}, {"shingle": 16 * "0", "weight": 2}))
    records = jsonl({"id": 1, "shingles": "000000ff"}, {"id": 2, "shingles": "00000000000000ff"})
    for options in (
        "--simhash --weights {}",
        "--top 3 --weights {}",
        "--lexicon {} --idf 1,3 --least 1",
    ):
        for name, good, place, digits, other in [("crc", 1, 2, 8, 16), ("wide", 2, 1, 16, 8)]:
            ran = run("sketch", *options.format(name).split(), stdin=records, cwd=tmp_path)
            (made,) = (json.loads(line) for line in ran.out.splitlines())
            cause = f'field "shingles" is groups of {other} hex digits, but the table has shingles of {digits}'
            assert (ran.status, ran.err, made["id"]) == (1, f"sketch: -:{place}: {cause}\n", good)
    ran = run("sketch --simhash --weights both", stdin=records, cwd=tmp_path)
    message = 'sketch: both:2: field "shingle" is not a group of 8 hex digits\n'
    assert (ran.status, ran.out, ran.err) == (2, b"", message)


@pytest.mark.parametrize("kernel", ["c", "numpy"])
@pytest.mark.parametrize(
    ("weight", "units"),
    [
        ("0", 0),
        ("65536", 65536 * UNIT),
        ("65536.0", 65536 * UNIT),
        ("1", UNIT),
        ("0.5", UNIT // 2),
        ("7.228819", 473748),
        ("0.00000762939453125", 0),
        ("0.000022888183594", 2),
        ("0.0000228881835937", 1),
        ("1e1", 10 * UNIT),
        ("2.50e-1", UNIT // 4),
        ("0.000007629395", 1),
        ("3.14159265358979323846", 205887),
        ("-0.0", 0),
        ("-1", None),
        ("65536.1", None),
        ("1e300", None),
        ("true", None),
        ("null", None),
        ('"1"', None),
        ("[1]", None),
    ],
)
def test_weights_as_they_are_written(weight: str, units: int | None, kernel: str, tmp_path: Path) -> None:
    """By the kernel, whose first line is the definition's, and by the definition."""
    path = tmp_path / "df"
    ordinary = jsonl({"shingle": f"{9:016x}", "weight": 1})
    path.write_bytes(ordinary + f'{{"shingle":"{5:016x}","weight":{weight}}}\n'.encode() + ordinary)
    module = "shingletools.reading.shingle_weights"
    code = f"from {module} import read_weights; print(read_weights('df').weights.weights.tolist())"
    ran = run("python3", "-P", "-c", code, cwd=tmp_path, env={"SHINGLETOOLS_KERNEL": kernel})
    if units is None:
        assert ran.err.splitlines()[-1].endswith('Failed: df:2: field "weight" is not a number from 0 to 65536')
    else:
        assert ran.good().decode() == f"[{units}, {UNIT}]\n"


def test_the_last_line_of_a_shingle_counts(tmp_path: Path) -> None:
    weights = [(5, 1), (3, 2), (5, 4), (4, 1), (3, 8), (3, 0.5)]
    (tmp_path / "df").write_bytes(jsonl(*({"shingle": f"{each:016x}", "weight": weight} for each, weight in weights)))
    read = read_weights(str(tmp_path / "df")).weights
    assert read.shingles.tolist() == [3, 4, 5]
    assert read.weights.tolist() == [UNIT // 2, UNIT, 4 * UNIT]
    assert read.heaviest == 4 * UNIT
