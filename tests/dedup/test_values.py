"""Values by which documents are preferred, compared exactly, and what is said where it is in doubt how."""

from itertools import product
from pathlib import Path

import pytest

from dedup.test_known import NUMBERS, VALUES, order_of, orders_of
from harness import Record, collect, finished, jsonl, run, run_here
from shingletools.commands.dedup.dedup_collector import DedupCollector
from shingletools.commands.dedup.spec import DedupSpec
from shingletools.record.collector import CollectorContext


def kept_of(documents: list[bytes], rule: str, form: str) -> list[bytes]:
    """Of one group of documents 0 and 1."""
    spec = DedupSpec("id", groups=("groups",), keep=f"{rule}:n", as_form=form)
    dedup = DedupCollector(spec, CollectorContext(read=lambda _, path: iter([(path, b'{"members":[0,1]}')])))
    assert collect(dedup, b"".join(documents)).records == 2
    return finished(dedup).splitlines(keepends=True)


@pytest.mark.parametrize("rule", ["min", "max"])
def test_values_are_compared_exactly(rule: str) -> None:
    """Any two, in both orders, by fractions and code points: the one that comes first stays where they tie."""
    for one, two in [*product(VALUES, repeat=2), *product(NUMBERS, repeat=2)]:
        form = "" if {one, two} <= {*NUMBERS} else "text"
        first, second = map(order_of, (one, two)) if form else orders_of((one, two))
        if second is None:
            stays = 0
        elif first is None:
            stays = 1
        else:
            stays = int(second < first if rule == "min" else second > first)
        documents = [
            b'{"id":%d%b}\n' % (place, b"" if value is None else f',"n":{value}'.encode())
            for place, value in enumerate((one, two))
        ]
        assert kept_of(documents, rule, form) == [documents[stays]], (one, two)


NAMES_NONE = (
    'dedup: {} names no document of the input: are their ids the same? --id names their field; 1 and "1" are two ids\n'
)


@pytest.mark.parametrize("keep", ["first", "longest", "max:n", "none"])
def test_it_says_which_option_names_no_document(keep: str, tmp_path: Path) -> None:
    """Of an option that names some, of an empty file and of no documents, nothing is said. Nothing else changes."""
    (tmp_path / "groups").write_bytes(jsonl({"members": ["1", "2"]}, {"members": ["a#1", "a#2"]}))
    (tmp_path / "known").write_bytes(jsonl({"a": "3", "b": "old"}))
    (tmp_path / "empty").write_bytes(b"")
    stdin = jsonl(*({"id": number, "text": "", "n": 1} for number in (1, 2, 3)))
    groups, known = f"--groups groups --keep {keep}", "--known known"
    both = NAMES_NONE.format("--groups") + NAMES_NONE.format("--known")
    for options, said in (
        (groups, NAMES_NONE.format("--groups")),
        (known, NAMES_NONE.format("--known")),
        (f"{groups} {known}", both),
        (f"--groups empty --keep {keep} --known empty", ""),
    ):
        ran = run_here(f"dedup {options}", stdin=stdin, cwd=tmp_path)
        assert (ran.status, ran.out, ran.err) == (0, stdin, said)
        assert run_here(f"dedup {options}", cwd=tmp_path).err == ""
    some = stdin + jsonl({"id": "3", "text": "", "n": 1})
    ran = run_here(f"dedup {groups} {known}", stdin=some, cwd=tmp_path)
    assert (ran.status, ran.out, ran.err) == (0, stdin, NAMES_NONE.format("--groups"))
    some = stdin + jsonl({"id": "a#1", "text": "", "n": 1})
    ran = run_here(f"dedup {groups} {known}", stdin=some, cwd=tmp_path)
    assert (ran.status, ran.err) == (0, NAMES_NONE.format("--known"))


@pytest.mark.parametrize("rule", ["min", "max"])
@pytest.mark.parametrize("field", ["n", "meta.n"])
def test_it_says_that_no_document_of_the_groups_has_the_field(rule: str, field: str, tmp_path: Path) -> None:
    """What a document in no group has does not matter; one value in one group is enough. The first stays."""
    (tmp_path / "groups").write_bytes(jsonl({"members": [1, 2]}, {"members": [3, 4]}))
    command = f"dedup --groups groups --keep {rule}:{field}"
    there: list[Record] = [{"n": value, "meta": {"n": value}} for value in (None, True, 7)]
    records: list[Record] = [{"id": 1}, {"id": 2, **there[0]}, {"id": 3}, {"id": 4, **there[1]}, {"id": 5, **there[2]}]
    ran = run_here(command, stdin=jsonl(*records), cwd=tmp_path)
    assert (ran.status, ran.out) == (0, jsonl(records[0], records[2], records[4]))
    assert ran.err == (
        f'dedup: --keep: no document of the groups has a number or a string in the field "{field}", '
        "so the first is kept\n"
    )
    records[3] |= there[2]
    ran = run_here(command, stdin=jsonl(*records), cwd=tmp_path)
    assert (ran.out, ran.err) == (jsonl(records[0], records[3], records[4]), "")
    assert run_here(command, stdin=jsonl(records[4]), cwd=tmp_path).err == NAMES_NONE.format("--groups")


IN_DOUBT = (
    'dedup: --keep: values of the field "n" are neither all numbers nor all dates such as 2026-01-31: '
    "--as number, --as date:%d/%m/%Y or --as text says what they are\n"
)
FORMS = (  # two values, what they are, and which is greater, if they can be compared
    (["9", "10"], "", 1),
    ([9, "10"], "", 1),
    (["9", "1_0"], "", None),
    (["9", "nan"], "", None),
    (["9", "1e1000000000"], "", None),
    (["9/1/2024", "10/1/2023"], "", None),
    (["9/1/2024", "10/1/2023"], "date:%m/%d/%Y", 0),
    (["9/1/2024", "13/1/2023"], "date:%m/%d/%Y", None),
    (["1 Sep 2024", "2 May 2024"], "date:%d %b %Y", 0),
    ([20240901, "20240902"], "date:%Y%m%d", None),
    (["2024-01-09", "2024-01-10"], "", 1),
    (["2024-01", "2023-12"], "", 0),
    (["2024-01-09 10:00", "2024-01-09 09:30"], "", 0),
    (["2024-01-09", "2024-01-08T23:00"], "", 0),
    (["2024-01-09T10:00:00.25Z", "2024-01-09T10:00:00.30Z"], "", 1),
    (["2024-01-09T10:00:00Z", "2024-01-09T10:00:00.000000001Z"], "", 1),
    (["2024-01-09T10:00:00+02:00", "2024-01-09T09:59:00+01:00"], "", 1),
    (["2024-01-09", "2024-31-01"], "", None),
    (["2024-01T10:00", "2024-02"], "", None),
    (["2024-01-09", 10], "", None),
    (["9", "b"], "number", None),
    (["9", 10], "number", 1),
    (["b", "a"], "", None),
    (["b", "a"], "text", 0),
    (["9", "10"], "text", 0),
    ([10, "9"], "text", 1),
)


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_what_values_are(form: str, tmp_path: Path) -> None:
    """All numbers or all dates, or what --as says; else the run fails. Others do not matter."""
    (tmp_path / "groups").write_bytes(jsonl({"members": ["0", "1", "2"]}))
    for values, wanted, greater in FORMS:
        if form == "csv" and not all(isinstance(value, str) for value in values):
            continue  # in a table all values are strings
        for order in ((0, 1), (1, 0)):
            lines = [jsonl({"id": str(place), "n": values[place]}) for place in order]
            lines += [jsonl({"id": "2", "n": ""}), jsonl({"id": "3", "n": "none of the group"})]
            options = [*(["--as", wanted] if wanted else []), "--keep", "max:n"]
            if form == "csv":
                rows = [*(f"{place},{values[place]}" for place in order), "2,", "3,none of the group"]
                lines = [f"{row}\n".encode() for row in rows]
                options.append("--csv")
            (tmp_path / "docs").write_bytes((b"id,n\n" if form == "csv" else b"") + b"".join(lines))
            ran = run_here("dedup --groups groups", *options, "-o", "out", "docs", cwd=tmp_path)
            if greater is None:
                said = f'dedup: --as {wanted}: not all values of the field "n" read so\n' if wanted else IN_DOUBT
                assert (ran.status, ran.err) == (2, said), values
                assert not (tmp_path / "out").exists()
                continue
            assert ran.good() == b"", values
            assert (tmp_path / "out").read_bytes().endswith(lines[order.index(greater)] + lines[3]), values
            (tmp_path / "out").unlink()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--as text", "--as needs --keep min:FIELD or max:FIELD"),
        ("--keep min:n --as day", 'argument --as: not number, text or date:FORMAT: "day" (see dedup --help)'),
    ],
)
def test_as_what(options: str, said: str) -> None:
    ran = run("dedup --pairs /dev/null", *options.split())
    assert (ran.status, ran.err) == (2, f"dedup: {said}\n")
