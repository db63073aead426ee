"""simscore as a command: what is bad and where, documents that are not there, pairs of two sides, the table."""

import itertools
import json
import tracemalloc
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from agreement import stage_of
from harness import Made, Ran, Record, collect, jsonl, run_here
from shingletools import kernel
from shingletools.kernel import NAME
from shingletools.kernel.line_columns import Field, ReadColumns
from shingletools.record.events import Event
from shingletools.record.record_batch import RecordBatch

EITHER = "a file has either pairs or groups, as its first record says"
PAIRS = jsonl({"a": 1, "b": 2}, {"a": 2, "b": "x"})


def ran(folder: Path, options: str, found: bytes = PAIRS, **files: bytes) -> Ran:
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return run_here(f"simscore {options}", stdin=found, cwd=folder)


def total(done: Ran) -> Record:
    record: Record = json.loads(done.out.splitlines()[-1])
    return record


def counts(done: Ran) -> tuple[int, ...]:
    return tuple(total(done)[name] for name in ("documents", "outside", "found", "truth", "right"))


def test_bad_labels_are_reported_by_file_and_line_and_left_out(tmp_path: Path) -> None:
    labels = b'{"id":1,"l":"p"}\n{"id":2}\n{"id":2,"l":["p"]}\n{"id":null,"l":"p"}\n{"id":"x","l":"p","l":"p"}\n'
    done = ran(tmp_path, "--truth one --truth labels --field l", one=b'{"id":3,"l":"p"}\n', labels=labels)
    assert (done.status, done.err.splitlines()) == (
        1,
        [
            'simscore: labels:2: field "l" is missing; the record has "id"',
            'simscore: labels:3: field "l" is a list or an object',
            'simscore: labels:4: field "id" is neither a string nor an integer of 64 bits',
            'simscore: labels:5: field "l" occurs twice',
        ],
    )
    assert counts(done) == (4, 0, 2, 1, 0)


SAME, DIFFERENT = (
    ["1", "1.0", "true", '"1"', '"TRUE"', '"yes"', '"Same"'],
    ["0", "-0", "false", '"0"', '"no"', '"different"'],
)
UNKNOWN = ["2", "-1", "null", '""', '"maybe"', "[0]", "{}", "0.5"]


@pytest.mark.parametrize("options", ["", "--bands 0.5", "--docs docs"])
@pytest.mark.parametrize("spelled", ["label", "l\\u0061bel"])
def test_pairs_may_be_judged_different(options: str, spelled: str, tmp_path: Path) -> None:
    """They are not true; they were judged, so their documents are known. Other spellings are bad, and no pairs."""
    labels = [*SAME, *DIFFERENT, *UNKNOWN]
    found = b"".join(b'{"a":%d,"b":%d,"similarity":0.9}\n' % (2 * n, 2 * n + 1) for n in range(len(labels)))
    truth = "".join(f'{{"a":{2 * n},"b":{2 * n + 1},"{spelled}":{label}}}\n' for n, label in enumerate(labels))
    (tmp_path / "docs").write_bytes(jsonl(*({"id": n} for n in range(2 * len(labels)))))
    done = ran(tmp_path, f"-v --truth truth {options}", found, truth=truth.encode())
    assert done.status == 1
    assert done.err.splitlines()[:-1] == [
        f'simscore: truth:{len(SAME + DIFFERENT) + n}: field "label" is neither 1, true, yes or same, '
        "nor 0, false, no or different"
        for n in range(1, len(UNKNOWN) + 1)
    ]
    assert counts(done) == (2 * len(labels), 0, len(labels), len(SAME), len(SAME))
    assert total(done)["precision"] == round(len(SAME) / len(labels), 6)
    assert f"{2 * len(UNKNOWN)} without a label" in done.err


@pytest.mark.parametrize("also", [{"a": "x", "b": 1}, {"a": 1, "b": "x", "label": "yes"}, {"members": [1, 2, "x"]}])
def test_a_pair_that_is_judged_the_same_and_different_fails_the_run(also: Record, tmp_path: Path) -> None:
    different = jsonl({"a": 1, "b": 2, "label": 1} if "a" in also else {"a": 5, "b": 6}, {"a": 1, "b": "x", "label": 0})
    done = ran(tmp_path, "--truth one --truth two", one=different, two=jsonl(also))
    assert (done.status, done.out) == (2, b"")
    assert done.err == 'simscore: ids 1 and "x" are judged the same and different\n'


@pytest.mark.parametrize("options", ["", "--by 0.5"])
def test_the_message_names_that_pair_in_the_order_in_which_its_ids_came(options: str, tmp_path: Path) -> None:
    """Also if records are read together, as those after a file's first are."""
    found = jsonl(*({"a": a, "b": b, "similarity": 1} for a, b in ((8, 9), (7, 1), (2, 7))))
    done = ran(tmp_path, f"--truth t {options}", found, t=jsonl({"a": 1, "b": 2}, {"a": 2, "b": 1, "label": 0}))
    assert (done.status, done.err) == (2, "simscore: ids 1 and 2 are judged the same and different\n")


def test_a_label_may_stand_but_once(tmp_path: Path) -> None:
    twice = b'{"a":1,"b":2,"label":1,"label":0}\n'
    once = jsonl({"a": 1, "b": 2})
    done = ran(tmp_path, "--truth t", once + twice, t=twice + once)
    assert (done.status, done.err.splitlines()) == (
        1,
        ['simscore: -:2: field "label" occurs twice', 'simscore: t:1: field "label" occurs twice'],
    )
    assert counts(done) == (2, 0, 1, 1, 1)


def test_labels_are_equal_as_json_values(tmp_path: Path) -> None:
    """1, 1.0 and "1" are three; null is none, and the document is alone."""
    values = ["1", '"1"', "1.0", "1e0", '"\\u0031"', "null", "null", "true", '"true"', "true", "0.5", "5e-1", "-0", "0"]
    labels = b"".join(b'{"id":%d,"l":%b}\n' % (number, value.encode()) for number, value in enumerate(values))
    done = ran(tmp_path, "--truth labels --field l", b"", labels=labels)
    assert (done.status, done.err) == (0, "")
    assert counts(done) == (len(values), 0, 0, len(["1 twice", "1.0 twice", "true", "a half", "zero"]), 0)


def test_numbers_are_equal_as_they_are_written(tmp_path: Path) -> None:
    """Not as the nearest doubles, of which 0.1 and the next three have one, and the last four another."""
    values = (
        "0.1 0.10 0.10000000000000000001 10000000000000000000.1e-20 12345678901234567890123 "
        "12345678901234567890124 1234567890123456789012.4e1 12345678901234567890123.0"
    ).split()
    labels = b"".join(b'{"id":%d,"meta":{"l":%b}}\n' % (number, value.encode()) for number, value in enumerate(values))
    for at_once in (labels, labels.replace(b'"meta"', b'"m\\u0065ta"')):
        done = ran(tmp_path, "--truth labels --field meta.l", b"", labels=at_once)
        assert (done.status, done.err) == (0, "")
        alike = sum(Fraction(Decimal(one)) == Fraction(Decimal(two)) for one, two in itertools.combinations(values, 2))
        assert counts(done) == (len(values), 0, 0, alike, 0)


@pytest.mark.parametrize("edges", ["0.00,0.8,5/7,1", "0/1,0.8,1", ".0,0.799999999999999999,1"])
def test_bands_are_exact(edges: str, tmp_path: Path) -> None:
    edges = ",".join(sorted(edges.split(","), key=Fraction))
    below = [
        *(f"0.{'7' * 5000} 0.79999999999999999999 0.799999999999 0.8 0.80 8e-1 0.80000000000000000001 1").split(),
        *"0.999999999999999999999 0 0e99 1e-999999999999999999999".split(),
        *("0." + "714285" * 9, "1.0", "0." + "714285" * 9 + "714286"),
    ]
    found = b"".join(
        b'{"a":1,"b":%d,"similarity":%b}\n' % (number, text.encode()) for number, text in enumerate(below, 2)
    )
    done = ran(tmp_path, f"--truth t --bands {edges}", found, t=PAIRS)
    bounds = [*map(Fraction, edges.split(",")), Fraction(2)]
    values = [Fraction(0) if "99999e" in text or "-9999" in text else Fraction(Decimal(text)) for text in below]
    expected = [sum(one <= value < two for value in values) for one, two in itertools.pairwise(bounds)]
    records = [json.loads(line) for line in done.out.splitlines()]
    assert [record["found"] for record in records if record["scope"] == "band"] == expected
    bad = ran(tmp_path, f"--truth t --bands {edges}", b'{"a":1,"b":2,"similarity":1.00000000000000000001}\n', t=PAIRS)
    message = 'simscore: -:1: field "similarity" is not a number from 0 to 1\n'
    assert (bad.status, bad.err) == (2, f"{message}simscore: -: not one good record\n")


@pytest.mark.parametrize(
    ("options", "files", "message"),
    [
        ("--field l", {"t": b'{"id":1,"l":1}\n{"id":1,"l":1}\n{"id":1,"l":2}\n'}, "t:3: id 1 has two labels"),
        ("", {"t": jsonl({"members": [1, 2]}, {"members": [3, 1]})}, "t:2: id 1 is in two groups"),
        (
            "--truth t2",
            {"t": jsonl({"members": ["x", 2]}), "t2": jsonl({"members": []}, {"members": ["x"]})},
            't2:2: id "x" is in two groups',
        ),
    ],
)
def test_what_says_two_things_of_a_document_fails(
    options: str, files: dict[str, bytes], message: str, tmp_path: Path
) -> None:
    done = ran(tmp_path, f"--truth t {options}", **files)
    assert (done.status, done.out, done.err) == (2, b"", f"simscore: {message}\n")


def test_groups_that_were_found_in_two(tmp_path: Path) -> None:
    done = ran(tmp_path, "--truth t", jsonl({"members": [1, 2]}, {"members": [1]}), t=PAIRS)
    assert (done.status, done.err) == (2, "simscore: -:2: id 1 is in two groups\n")


def test_a_file_holds_pairs_or_groups(tmp_path: Path) -> None:
    """Its first good record says which; what has both is a pair."""
    mixed = b'{}\n{"a":1,"b":2,"members":[3]}\n{"members":[1,2]}\n'
    done = ran(tmp_path, "--truth t", mixed, t=b'{"members":[1,2],"group":1}\n{"a":1,"b":2}\n{"members":7}\n')
    assert (done.status, done.err.splitlines()) == (
        1,
        [
            'simscore: -:1: field "a" is missing',
            f'simscore: -:3: field "a" is missing; these are groups: {EITHER}',
            f'simscore: t:2: field "members" is missing; these are pairs: {EITHER}',
            'simscore: t:3: field "members" is not a list of strings and integers',
        ],
    )
    assert counts(done) == (2, 0, 1, 1, 1)


def test_a_pair_that_is_repeated_counts_once_with_its_highest_similarity(tmp_path: Path) -> None:
    found = jsonl(*({"a": a, "b": b, "similarity": s} for a, b, s in [(1, 2, 0.8), (2, 1, 0.91), (1, 2, 0.7)]))
    done = ran(tmp_path, "-v --bands 0.7,0.9 --truth t", found, t=PAIRS + PAIRS)
    assert [json.loads(line)["found"] for line in done.out.splitlines()] == [0, 1, 1, 1, 1]
    assert total(done)["truth"] == 2
    assert "2 pairs repeated" in done.err


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        (b'{"a":1,"b":2}', 'field "similarity" is missing'),
        (b'{"a":1,"b":2,"similarity":"1"}', 'field "similarity" is not a number from 0 to 1'),
        (b'{"a":1,"b":2,"similarity":1.1}', 'field "similarity" is not a number from 0 to 1'),
        (b'{"a":1,"b":2,"similarity":-0.1}', 'field "similarity" is not a number from 0 to 1'),
        (b'{"a":1,"b":2,"similarity":null}', 'field "similarity" is not a number from 0 to 1'),
        (b'{"a":1,"b":2,"similarity":1,"similarity":1}', 'field "similarity" occurs twice'),
        (b'{"a":1,"a":1,"b":2,"similarity":1}', 'field "a" occurs twice'),
    ],
)
def test_similarities_that_bands_cannot_use(line: bytes, cause: str, tmp_path: Path) -> None:
    good = b'{"a":2,"b":6,"similarity":0.5}\n'
    done = ran(tmp_path, "--by 1 --truth t", good + line + b"\n" + good, t=PAIRS)
    assert (done.status, done.err) == (1, f"simscore: -:2: {cause}\n")
    if "occurs twice" not in cause or "similarity" in cause:
        assert ran(tmp_path, "--truth t", line, t=PAIRS).status == 0
    done = ran(tmp_path, "--by 1 --truth t", good, t=good + line + b"\n")
    assert done.err == ("" if "missing" in cause else f"simscore: t:2: {cause}\n")


def test_groups_have_no_bands(tmp_path: Path) -> None:
    done = ran(tmp_path, "--by 0.1 --truth t", jsonl({"members": [1, 2]}), t=PAIRS)
    assert (done.status, done.err) == (2, "simscore: -:1: a group has no similarity, which --bands and --by need\n")
    assert ran(tmp_path, "--by 0.1 --truth t", b"", t=jsonl({"members": [1, 2]})).status == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--truth t --field id", 'the id and the label need fields of their own, not "id"'),
        ("--truth - -", "standard input can be read only once: name a FILE"),
        (
            "--truth t --bands 0.9,0.8",
            'argument --bands: not at most 1000 rising numbers: "0.9,0.8" (see simscore --help)',
        ),
        (
            "--truth t --bands 0.8,0.8",
            'argument --bands: not at most 1000 rising numbers: "0.8,0.8" (see simscore --help)',
        ),
        (
            "--truth t --bands 0,x",
            'argument --bands: not a number from 0 to 1, such as 0.8 or 4/5, of at most 18 digits: "x"'
            " (see simscore --help)",
        ),
        (
            "--truth t --bands 0,2",
            'argument --bands: not a number from 0 to 1, such as 0.8 or 4/5, of at most 18 digits: "2"'
            " (see simscore --help)",
        ),
        ("--truth t --by 0.0009", 'argument --by: makes more than 1000 bands: "0.0009" (see simscore --help)'),
        ("--truth t --by 1 --bands 1", "argument --bands: not allowed with argument --by (see simscore --help)"),
        ("", "needs --truth FILE or --merge FILE"),
        ("--truth none", "none: No such file or directory"),
    ],
)
def test_usage(options: str, said: str, tmp_path: Path) -> None:
    done = ran(tmp_path, options, t=PAIRS)
    assert (done.status, done.out, done.err) == (2, b"", f"simscore: {said}\n")


def test_table(tmp_path: Path) -> None:
    found = jsonl({"a": 1, "b": 2, "similarity": 0.95}, {"a": 2, "b": 3, "similarity": 1 / 3})
    # All: groups {1,2,3} {x} and {1,2,x} {3}; from 0.9 on {1,2} {3} {x}; a third as it is written is less than 1/3
    done = ran(tmp_path, "--table --bands 1/3,0.9 --truth t", found, t=PAIRS)
    assert [line.split() for line in done.good().decode().split("\n")] == [
        "least below found right precision truth recalled recall".split(),
        "0.333333 0.9 0 0 - 0 0 -".split(),
        "0.9 - 1 1 1.0000 0 0 -".split(),
        [],
        "least found right truth precision recall F1 ARI B3-P B3-R B3-F1".split(),
        "0.333333 1 1 2 1.0000 0.5000 0.6667 0.3333 1.0000 0.6667 0.8000".split(),
        "0.9 1 1 2 1.0000 0.5000 0.6667 0.3333 1.0000 0.6667 0.8000".split(),
        "all 2 1 2 0.5000 0.5000 0.5000 -0.3333 0.6667 0.6667 0.6667".split(),
        [],
    ]
    assert len({len(line) for line in done.out.splitlines()}) == 3  # columns end below one another
    alone = ran(tmp_path, "--table --truth t", t=PAIRS).good().splitlines()
    assert alone[1].split() == b"all 2 2 2 1.0000 1.0000 1.0000 - 1.0000 1.0000 1.0000".split()


@pytest.mark.skipif(NAME != "c", reason="the definition takes one by one")
@pytest.mark.parametrize("options", ["", "--by 0.1"])
def test_ordinary_lines_are_taken_at_once_and_take_little_memory(options: str) -> None:
    """But a file's first, which says what it holds."""
    collector = stage_of(f"simscore --truth t {options}").collector()
    lines = b"".join(b'{"a":%d,"b":%d,"similarity":0.%d}\n' % (i, i + 1, i % 9) for i in range(100_000))
    taken: list[int] = []
    take = collector.take

    def noted(batch: RecordBatch, side: int) -> Iterator[Event]:
        taken.append(batch.rows)
        return take(batch, side)

    vars(collector)["take"] = noted
    collect(collector, lines)
    assert taken == [1, 99_999]
    tracemalloc.start()
    for _ in range(10):
        collect(collector, lines, 2)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 1_000_000 * 12
    record = json.loads(Made().add(collector.finish()).output.splitlines()[-1])
    assert (record["right"], record["documents"]) == (100_000, 100_001)


@pytest.mark.parametrize("command", ["simscore --docs d --truth t --field l", "simjoin t"])
def test_a_strict_run_ends_with_the_first_of_several_bad_records(command: str, tmp_path: Path) -> None:
    """Also where a batch has more of them."""
    (tmp_path / "d").write_bytes(jsonl({"id": 1}))
    names = [1, 7, 8, 9] if "simscore" in command else [1, 1, 1, 2]
    (tmp_path / "t").write_bytes(jsonl(*({"id": each, "l": "x", "sketch": "00000001"} for each in names)))
    ran = run_here(f"{command} --strict", cwd=tmp_path)
    assert (ran.status, ran.out, ran.err.count("\n")) == (2, b"", 1)
    assert ran.err.startswith(f"{command.split(maxsplit=1)[0]}: t:2: ")


def test_lines_are_read_once_however_many_are_bad(monkeypatch: pytest.MonkeyPatch) -> None:
    collector = stage_of("simscore --truth t --field l").collector()
    lines = b"".join(b'{"id":%d,"%b":1}\n' % (i, b"xl"[i % 2 : i % 2 + 1]) for i in range(5000))
    rows: list[int] = []
    read = kernel.read_columns

    def noted(lines: bytes, at: int, fields: tuple[Field, ...]) -> ReadColumns:
        found = read(lines, at, fields)
        rows.append(found.rows)
        return found

    monkeypatch.setattr(kernel, "read_columns", noted)
    result = collect(collector, lines, 2)
    assert (len(result.rejects), result.records) == (2500, 2500)
    assert sum(rows) == (2500 if NAME == "c" else 0)


@pytest.mark.parametrize("form", ["csv", "tsv"])
@pytest.mark.parametrize("spelled", [int, str])
def test_labels_in_a_table(form: str, spelled: type[int] | type[str], tmp_path: Path) -> None:
    """The same as in JSON lines, whether the ids of the input are numbers or strings."""
    found = jsonl(*({"a": spelled(n), "b": spelled(n + 1), "similarity": 0.9} for n in range(9)))
    labels = [(n, n + 1, label) for n, label in enumerate(("1", "no", "yes", "0", "Same"))]
    truth = jsonl(*({"a": spelled(a), "b": spelled(b), "label": label} for a, b, label in labels))
    between = "," if form == "csv" else "\t"
    rows = [("a", "x", "b", "label"), *((str(a), "z", str(b), label) for a, b, label in labels)]
    table = "".join(between.join(row) + "\r\n" for row in rows)
    plain = ran(tmp_path, "--truth truth", found, truth=truth)
    assert ran(tmp_path, f"--{form} --truth table", found, table=table.encode()).good() == plain.good()
    topics = [(spelled(n), "ab"[n % 2]) for n in range(4)]
    by_label = ran(tmp_path, "--truth truth --field t", found, truth=jsonl(*({"id": i, "t": t} for i, t in topics)))
    rows_of = "".join(f"{i}{between}{t}\n" for i, t in [("id", "t"), *topics])
    assert ran(tmp_path, f"--{form} --truth t --field t", found, t=rows_of.encode()).good() == by_label.good()
    bad = ran(tmp_path, f"--{form} --truth t", found, t=f"a{between}b{between}label\n1{between}2{between}\n".encode())
    assert bad.err.startswith('simscore: t:2: field "label" is neither 1, true, yes or same')
    none = ran(tmp_path, f"--{form} --truth t", found, t=b"a\n1\n")
    assert (none.status, none.err) == (2, 'simscore: t:1: no column "b" among "a"\n')


def test_similarities_of_a_table_are_numbers(tmp_path: Path) -> None:
    """Though all of its values are text; an empty one is none."""
    truth: list[dict[str, object]] = [{"a": "1", "b": "2", "similarity": 0.9300000000000000001}, {"a": "2", "b": "3"}]
    (tmp_path / "truth").write_bytes(jsonl(*truth))
    (tmp_path / "table").write_bytes(b"a,b,similarity\n1,2,0.9300000000000000001\n2,3,\n")
    (tmp_path / "bad").write_bytes(b"a,b,similarity\n1,2,high\n2,3,1.5\n1,3,1\n")
    pairs = jsonl({"a": "1", "b": "2", "similarity": 0.95})
    expected = run_here("simscore --bands 0,0.5,0.93 --truth truth", stdin=pairs, cwd=tmp_path).good()
    assert run_here("simscore --bands 0,0.5,0.93 --csv --truth table", stdin=pairs, cwd=tmp_path).good() == expected
    ran = run_here("simscore --bands 0,0.5,0.93 --csv --truth bad", stdin=pairs, cwd=tmp_path)
    cause = 'field "similarity" is not a number from 0 to 1'
    assert (ran.status, ran.err) == (1, f"simscore: bad:2: {cause}\nsimscore: bad:3: {cause}\n")


def test_two_people_are_compared_and_a_third_gets_what_differs(tmp_path: Path) -> None:
    """Of 50 pairs, 20 are the same and 15 different to both: kappa .4, as in Cohen's figures; either way of a pair."""
    verdicts: list[tuple[Any, Any]] = (
        [("same", "same")] * 20 + [("same", "different")] * 5 + [("no", 1)] * 10 + [(0, "Different")] * 15
    )
    one: list[Record] = [{"a": at, "b": "x", "own": 1.0, "label": first} for at, (first, _) in enumerate(verdicts)]
    other: list[Record] = [{"a": "x", "b": at, "label": second} for at, (_, second) in enumerate(verdicts)]
    more: list[Record] = [
        {"a": 1, "b": 2, "label": 1},
        {"a": 1, "b": 3, "label": 1},
        {"a": 1, "b": 4},
        {"a": "x", "b": 0, "label": 1},
    ]
    (tmp_path / "one").write_bytes(jsonl(*one, more[0]))
    done = ran(tmp_path, "--merge one", jsonl(*other, *more[1:]))
    differ = [(pair, verdict) for pair, verdict in zip(one, verdicts, strict=True) if 20 <= pair["a"] < 35]
    merged = [{"a": pair["a"], "b": "x", "own": 1.0, "labels": [*verdict]} for pair, verdict in differ]
    assert (done.status, [*map(json.loads, done.out.splitlines())]) == (1, merged)
    assert done.err.splitlines() == [
        'simscore: -:52: field "label" is missing, or neither a string nor a number',
        'simscore: -:53: the pair "x" 0 was seen before',
        "simscore: pairs with two labels: 50, of which 35 agree (0.7000), kappa 0.4000; "
        'only in "one": 1, only in the input: 1',
    ]
    done = ran(tmp_path, "--merge one --table", b"")
    assert (done.status, done.err) == (2, "simscore: --table cannot be combined with --merge\n")
    done = ran(tmp_path, "--merge unsure", jsonl({"a": 1, "b": 2, "label": "unsure"}), unsure=jsonl(more[0]))
    assert "labels: 1, of which 0 agree (0.0000), kappa 0.0000;" in done.err
    done = ran(tmp_path, "--merge unsure", jsonl(more[0]))
    assert "labels: 1, of which 1 agree (1.0000), kappa -;" in done.err
