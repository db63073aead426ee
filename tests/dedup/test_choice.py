"""dedup: one of each group stays, whatever the order and whoever is missing; nothing else goes."""

import json
import os
import random
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import collect, jsonl, read_by_definition, run, run_here, shell
from shingletools.commands.dedup.command import collector_of
from shingletools.commands.dedup.decisions_by_groups import GroupMembers
from shingletools.commands.dedup.dedup_collector import DedupCollector
from shingletools.commands.dedup.spec import FIRST, LONGEST, NONE, SHORTEST, DedupSpec
from shingletools.kernel import arrays
from shingletools.record.collector import ONE_PROCESS
from shingletools.system.errors import Failed

GROUPS = jsonl({"group": "a", "members": ["a", "b", "c"]}, {"members": [1, "x", "gone"]}, {"members": ["all", "gone2"]})
TEXTS = [("b", "bb"), ("z", "zzzz"), ("a", "a"), (1, "one"), ("c", "cc"), ("1", "two"), ("x", "xxxx"), ("gone3", "")]
DOCUMENTS = jsonl(*({"id": name, "text": text, "n": 10**20} for name, text in TEXTS))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "groups").write_bytes(GROUPS)
    (tmp_path / "docs").write_bytes(DOCUMENTS)
    return tmp_path


def test_the_size_of_a_group_counts_each_document_once(folder: Path) -> None:
    (folder / "groups").write_bytes(jsonl({"members": ["a", "a", "a"]}, {"members": ["b", "c", "b"]}, {"members": []}))
    ran = run("dedup", "--groups", "groups", "--keep", "none", "docs", cwd=folder)
    assert [record["id"] for record in ran.records()] == ["z", "a", 1, "1", "x", "gone3"]


names = st.integers(0, 9)


@pytest.mark.parametrize("ordinary", [True, False])
@given(st.lists(names, unique=True), st.lists(st.integers(0, 3), min_size=10, max_size=10), st.integers(1, 4))
def test_one_of_each_group_stays(ordinary: bool, present: list[int], group_of: list[int], least: int) -> None:
    """The first of the best, found by looking at all; or none. Groups that are too small are left alone."""
    groups = [[name for name in range(10) if group_of[name] == group] for group in (1, 2, 3)]  # 0: in none
    records = [{"id": name, "text": "x" * (name % 3)} for name in present]
    with tempfile.NamedTemporaryFile() as file:
        file.write(jsonl(*({"members": group} for group in groups)))
        file.flush()
        for keep, best in (
            (FIRST, lambda _: 0),
            (LONGEST, lambda name: -(name % 3)),
            (SHORTEST, lambda name: name % 3),
            (NONE, None),
        ):
            spec = DedupSpec("id", groups=(file.name,), keep=keep, larger_than=least)
            dedup = spec.with_maker(collector_of).collector()
            if not ordinary:
                read_by_definition(dedup)
            made = collect(dedup, jsonl(*records)).add(dedup.finish())
            kept = [json.loads(line)["id"] for line in made.output.splitlines()]
            gone = [json.loads(line)["id"] for line in made.removed.splitlines()]
            large = [group for group in groups if len(group) > least]
            there = [[name for name in present if name in group] for group in large]
            stay = {min(group, key=best) for group in there if group and best}
            stay |= {name for name in present if not any(name in group for group in large)}
            assert kept == [name for name in present if name in stay]
            assert gone == [name for name in present if name not in stay]


def test_a_scratch_folder_that_cannot_be_written(folder: Path) -> None:
    big = jsonl(*({"id": i, "text": "x" * 1000} for i in range(20000)))
    (folder / "big").write_bytes(big)
    script = "ulimit -f 1000; trap '' XFSZ; dedup --groups groups --keep longest big -o /dev/null"
    ran = run("bash", "-c", script, cwd=folder, env={"TMPDIR": str(folder)})
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err.endswith(f": {folder}: File too large\n")
    assert sorted(path.name for path in folder.iterdir()) == ["big", "docs", "groups"]


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        (b'{"members":["z","a"]}', 'id "a" is in two groups'),
        (b'{"members":"a"}', 'field "members" is not a list of strings and integers'),
        (b'{"members":["q"],"members":["r"]}', 'field "members" occurs twice'),
        (b'{"members":["q"],"\\u006dembers":["r"]}', 'field "members" occurs twice'),
        (b'{"group":"q"}', 'field "members" is missing'),
        (b'{"members":[1.5]}', 'field "members" is not a list of strings and integers'),
        (b"{", "not JSON (column 2)"),
        (b"{\n", "not JSON (column 2)"),
        (b"[" * 250 + b"\n", "not JSON (column 251)"),
    ],
)
def test_groups_that_are_none_fail_the_run(line: bytes, cause: str, folder: Path) -> None:
    (folder / "groups").write_bytes(GROUPS + line)
    ran = run("dedup", "--groups", "groups", "docs", "--removed", "gone", cwd=folder)
    assert (ran.status, ran.out, ran.err) == (2, b"", f"dedup: groups:4: {cause}\n")
    assert not (folder / "gone").exists()


def test_what_goes_is_missed_where_the_reader_goes_away(folder: Path) -> None:
    """Status 0 would say that --removed has all that is missing from the output."""
    documents = jsonl(*({"id": number, "text": "x" * 1000} for number in range(3000)))
    (folder / "many").write_bytes(documents)
    (folder / "gone").write_bytes(b"of another run\n")
    command = "dedup --groups groups --removed gone many | head -1; exit ${PIPESTATUS[0]}"
    ran = shell(command, folder)
    assert (ran.status, ran.out.count(b"\n")) == (2, 1)
    assert ran.err == "dedup: standard output: the reader has gone away, so --removed gone is not complete\n"
    assert (folder / "gone").read_bytes() == b"of another run\n"


def test_bad_documents(folder: Path) -> None:
    stdin = jsonl({"id": "a"}) + b"{\n" + jsonl({"id": "a"}, {"text": ""}, {"id": 1})
    ran = run("dedup", "--groups", "groups", "--rejects", "bad", stdin=stdin, cwd=folder)
    assert (ran.status, ran.out) == (1, jsonl({"id": "a"}, {"id": "a"}, {"id": 1}))
    assert ran.err.splitlines() == [
        "dedup: -:2: not JSON (column 2)",
        'dedup: -:4: field "id" is missing',
        'dedup: -:3: id "a" was seen before, so the document stays',
    ]
    ran = run("dedup", "--groups", "groups", "--keep", "longest", stdin=stdin, cwd=folder)
    assert ran.err.splitlines()[0] == 'dedup: -:1: field "text" is missing'


@pytest.mark.parametrize("keep", ["first", "longest"])
@pytest.mark.parametrize("side", ["groups", "pairs", "known", "without"])
def test_documents_with_an_id_that_came_before_stay(side: str, keep: str, tmp_path: Path) -> None:
    """Pairs and groups are about the first document of an id, --without about all, even some in one batch."""
    rng = random.Random(side)
    (tmp_path / "groups").write_bytes(jsonl({"members": [1, "2"]}))
    (tmp_path / "pairs").write_bytes(jsonl({"a": 1, "b": "2", "similarity": 0.5}))
    (tmp_path / "known").write_bytes(jsonl({"a": 1, "b": 3, "against": True}))
    (tmp_path / "without").write_bytes(jsonl({"id": 1}, {"id": "2"}))
    named = {"known": [1]}.get(side, [1, "2"])
    stay = {"known": [], "without": []}.get(side, [1] if keep == "first" else ["2"])
    documents: list[object] = [1, "2", *rng.choices([1, "2", 2, 3, "é", "1"], k=40)]
    command = f"dedup --{side} {side} {f'--keep {keep}' * (side in ('groups', 'pairs'))} --removed gone -v"
    records = [{"id": name, "text": "x" * place, "n": place} for place, name in enumerate(documents)]
    rest = [place for place, name in enumerate(documents) if name not in named]
    again = [place for place, name in enumerate(documents) if name in named and place != documents.index(name)]
    kept = sorted([*rest, *(documents.index(name) for name in stay), *(again if side != "without" else ())])
    ran = run_here(command, stdin=jsonl(*records), cwd=tmp_path)
    assert (ran.status, [json.loads(line)["n"] for line in ran.out.splitlines()]) == (0, kept)
    gone = [json.loads(line)["n"] for line in (tmp_path / "gone").read_bytes().splitlines()]
    assert gone == [place for place in range(len(documents)) if place not in kept]
    assert f"{len(kept)} kept, {len(gone)} removed" in ran.err
    first = f"-:{again[0] + 1}: id {json.dumps(documents[again[0]])} was seen before, so the document stays"
    said = f"dedup: {first}, like {len(again) - 1} more\n"
    assert (said in ran.err) == ("was seen" in ran.err) == (side != "without")


def test_documents_in_no_group_leave_nothing_in_memory(folder: Path) -> None:
    dedup = DedupCollector(DedupSpec("id", groups=(str(folder / "groups"),)), ONE_PROCESS)
    collect(dedup, jsonl(*({"id": number} for number in range(1000))))
    assert len(dedup.ids) == 8


def test_usage(folder: Path) -> None:
    for script, message in [
        ("dedup docs", "--pairs, --groups, --known or --without is needed to say which documents are duplicates"),
        (
            "dedup --groups groups --pairs groups docs",
            "--groups cannot be combined with --pairs, which decides without groups",
        ),
        ("dedup --pairs groups --keep none docs", "--keep none needs --groups"),
        ("dedup --pairs groups --larger-than 2 docs", "--larger-than needs --groups"),
        ("dedup --groups groups -t 0.8 docs", "-t needs --pairs"),
        ("dedup --groups groups --of url docs", "--of needs --larger-than, which counts its values"),
        (
            "dedup --groups groups --annotate --id duplicate_by docs",
            '--annotate needs the field "duplicate_by" for itself',
        ),
        (
            "dedup --known /dev/null --removed x --id duplicate_of docs",
            '--removed, with --known, needs the field "duplicate_of" for itself',
        ),
        *(
            (
                f"dedup --groups groups --keep {keep} docs",
                "argument --keep: not first, longest, shortest, oldest, newest, shortest-name, none, "
                "min:FIELD or max:FIELD: "
                f'"{keep}" (see dedup --help)',
            )
            for keep in ("median", "min:", "max", "known")
        ),
        ("dedup --known x --keep first docs", "--keep needs --pairs or --groups"),
        ("dedup --without x --keep first docs", "--keep needs --pairs or --groups"),
        *(
            (
                f"dedup --without x {more} docs",
                "--without cannot be combined with --known or --annotate, which say what a document repeats",
            )
            for more in ("--known y", "--annotate")
        ),
        ("dedup --known x --larger-than 1 docs", "--larger-than needs --groups"),
        ("dedup --groups none docs", "--groups: none: No such file or directory"),
        (
            "dedup --groups groups --annotate --keep none docs",
            "--annotate cannot be combined with --keep none, which keeps no document for it to name",
        ),
        (
            "dedup --groups groups --larger-than 0 docs",
            'argument --larger-than: not a whole number from 1 to 1000000: "0" (see dedup --help)',
        ),
        (
            "dedup --groups groups --annotate --removed x docs",
            "--removed cannot be combined with --annotate, which removes nothing",
        ),
        (
            "dedup --groups groups --annotate --id duplicate_of docs",
            '--annotate needs the field "duplicate_of" for itself',
        ),
        ("dedup --groups groups --removed docs docs", "--removed docs: this run reads or writes that file already"),
        ("dedup --groups groups --removed groups docs", "--removed groups: this run reads or writes that file already"),
        (
            "dedup --groups groups --removed x --rejects x docs",
            "--rejects x: this run reads or writes that file already",
        ),
        (
            "dedup --groups groups --removed - docs",
            "--removed -: needs the name of a file (standard output carries records only)",
        ),
    ]:
        ran = shell(script, folder)
        assert (ran.status, ran.out, ran.err) == (2, b"", f"dedup: {message}\n")
    assert (folder / "docs").read_bytes() == DOCUMENTS


def test_a_removed_file_appears_only_when_complete(folder: Path) -> None:
    ran = shell("(cat docs; echo bad) | dedup --strict --groups groups --removed gone -o out", folder)
    assert ran.status == 2
    assert sorted(path.name for path in folder.iterdir()) == ["docs", "groups"]


SPELLED = ("1", "-5", '"1"', '"a"', '"\\u0061"', '"\\"\\n"', '"é"', "-0", "0", "12345678901234567890")


@given(st.lists(st.lists(st.sampled_from(SPELLED), max_size=4), max_size=6), st.sampled_from([b"\n", b" \r\n"]))
def test_members_against_a_dictionary(groups: list[list[str]], end: bytes) -> None:
    """Which group each is in, or which line first names one that is in another."""
    lines = [f'{{"x":0,"members":[ {" ,".join(group)}]}}'.encode() for group in groups]
    group_of: dict[str | int, int] = {}
    expected = ""
    for number, line in enumerate(lines):
        for name in json.loads(line)["members"]:
            if group_of.setdefault(name, number) != number and not expected:
                expected = f":{number + 1}: id {json.dumps(name, ensure_ascii=False)} is in two groups"
    with tempfile.NamedTemporaryFile() as file:
        file.write(end.join(lines))
        file.flush()
        if expected:
            with pytest.raises(Failed) as raised:
                GroupMembers(arrays.new_ids()).read("--groups", [file.name])
            assert str(raised.value) == file.name + expected
            return
        found = GroupMembers(arrays.new_ids())
        found.read("--groups", [file.name, os.devnull])
    ends = np.frombuffer(found.ids.ends, np.int64).tolist()
    names = [json.loads(found.ids.data[start:stop]) for start, stop in zip([0, *ends], ends, strict=False)]
    assert list(zip(names, found.group, strict=True)) == list(group_of.items())
    assert found.groups == len(groups)


def test_groups_from_a_pipe(folder: Path) -> None:
    expected = run("dedup", "--groups", "groups", "docs", cwd=folder).good()
    assert shell("dedup --groups - docs < groups", folder).good() == expected
    for script, message in (
        ("dedup --groups - < groups", "standard input can be read only once: name a FILE"),
        ("dedup --groups - docs <&-", "standard input: closed"),
        (
            "dedup --groups - docs --removed groups < groups",
            "--removed groups: this run reads or writes that file already",
        ),
    ):
        ran = shell(script, folder)
        assert (ran.status, ran.out, ran.err) == (2, b"", f"dedup: {message}\n")


@pytest.mark.parametrize("spelled", ["of", "\\u006ff"], ids=["at once", "by line"])
@pytest.mark.parametrize("keep", ["none", "longest"])
@given(data=st.data(), least=st.integers(1, 4))
def test_a_group_is_as_large_as_the_documents_it_is_in(
    spelled: str, keep: str, data: st.DataObject, least: int
) -> None:
    """Parts of one document count once; what is part of nothing, or is not there, counts by itself."""
    wholes = st.sampled_from(['"a"', '"\\u0061"', "1", '"1"', "null", None])
    of = data.draw(st.lists(wholes, min_size=8, max_size=8))
    lines = [
        f'{{"id":{name},"text":"{name}"{"" if whole is None else f",{chr(34)}{spelled}{chr(34)}:{whole}"}}}\n'
        for name, whole in enumerate(of)
    ]
    groups: list[list[int | str]] = [[*range(6)] + ["gone"] * data.draw(st.integers(0, 2)), [6, 7]]
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "groups").write_bytes(jsonl(*({"members": group} for group in groups)))
        command = f"dedup --groups groups --keep {keep} --larger-than {least}"
        ran = run_here(command, stdin="".join(lines).encode(), cwd=Path(name))
    expected = set(range(8))
    for group in groups:
        read = [None if isinstance(each, str) else json.loads(of[each] or "null") for each in group]
        alone = {number for number, whole in zip(group, read, strict=True) if whole is None}
        size = len(alone) + len({(type(whole), whole) for whole in read if whole is not None})
        there = {number for number in group if number != "gone"}
        if size > least:
            expected -= there if keep == "none" else there - {min(there)}  # all texts are equally long
    assert [record["id"] for record in ran.records()] == sorted(expected)
