"""Hints about fields: records of another stage, or with other names, and what they are instead."""

from functools import cache
from pathlib import Path

import pytest

from harness import jsonl, pipe, program, run_here
from shingletools.record.command_registry import STAGES, info_of, record_kinds
from shingletools.running.completion import parser_of

BY_URL = b'"named":"--id url --text text",'


@pytest.mark.parametrize(
    ("option", "given", "message"),
    [
        (
            "--groups",
            "pairs",
            'field "members" is missing; these are pairs: simgroup, simshow or dedup --pairs takes them',
        ),
        (
            "--groups",
            "docs",
            'field "members" is missing; these are documents, not groups: simjoin makes pairs of them,'
            " and simgroup groups of pairs",
        ),
        ("--known", "groups", 'field "a" is missing; these are groups: dedup --groups or simshow takes them'),
        ("--known", "docs", 'field "a" is missing; these are documents, not pairs: simjoin makes pairs of them'),
        (
            "--known",
            "array",
            "not a JSON object; this looks like a JSON array: canon --array reads it, and jq -c '.[]'"
            " writes each element on a line",
        ),
    ],
)
def test_other_records_than_those_that_decide_what_goes(option: str, given: str, message: str, tmp_path: Path) -> None:
    (tmp_path / given).write_bytes(b'[{"a":1,"b":2}]\n' if given == "array" else made()[given])
    ran = run_here("dedup", option, given, stdin=DOC, cwd=tmp_path)
    assert (ran.status, ran.out, ran.err) == (2, b"", f"dedup: {given}:1: {message}\n")


@pytest.mark.parametrize(
    ("command", "table", "said"),
    [
        ("simscore --truth t pairs", b"a,b", "with --csv or --tsv, columns of --truth are separated by commas or tabs"),
        ("simgroup t", b"a;b;similarity", "pairs are read as JSON lines, such as simjoin writes"),
        ("dedup --pairs t docs", b"a\tb", "pairs are read as JSON lines, such as simjoin writes"),
        (
            "simtune --truth t docs",
            b"a,b,label",
            "with --csv or --tsv, columns of --truth are separated by commas or tabs",
        ),
        ("simtune t", b"id,text", "--csv or --tsv reads documents, and simtune --csv or --tsv the files of --truth"),
        ("canon t", b"a,b", "--csv or --tsv reads it"),
        ("canon t", b"id;text", "--csv --delimiter ';' reads it"),
        ("simshow --docs t pairs", b"id,text", "--csv or --tsv reads it"),
    ],
)
def test_a_table_gets_the_options_of_the_command(command: str, table: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(table + b"\n")
    for name in ("docs", "pairs"):
        (tmp_path / name).write_bytes(made()[name])
    assert f"t:1: not JSON (column 1); this looks like the header of a table: {said}\n" in run_here(
        command, cwd=tmp_path
    ).err.replace("canon --", "--")


def test_simscore_names_no_delimiter_that_it_does_not_take(tmp_path: Path) -> None:
    (tmp_path / "pairs").write_bytes(made()["pairs"])
    for header, hint in (("a;b", ""), ("sep=,", ""), ("a\tb", "; --tsv splits columns at tabs")):
        (tmp_path / "t").write_text(f"{header}\n")
        ran = run_here("simscore --csv --truth t pairs", cwd=tmp_path)
        names = header.replace("\t", "\\t").split(",")
        there = ", ".join(f'"{name}"' for name in names)
        assert ran.err == f'simscore: t:1: no column "a" among {there}{hint}\n'


DOC = jsonl({"id": 1, "text": "A word or two of it"})


@cache
def made() -> dict[str, bytes]:
    """Records of each stage, and others."""
    canon = pipe(DOC, "canon")
    shingles = pipe(canon, "shingle")
    return {
        "docs": DOC,
        "canon": canon,
        "shingle": shingles,
        "sketch": pipe(shingles, "sketch -n1"),
        "pairs": jsonl({"a": 1, "b": 2, "similarity": 1.0}),
        "groups": jsonl({"group": 1, "size": 2, "members": [1, 2]}),
        "df": pipe(canon, "shingle --df"),
        "parts": pipe(DOC, "parts"),
        "by url": pipe(jsonl({"url": "u", "text": "A word"}), "canon --id url").replace(BY_URL, b""),
        "nameless canon": jsonl({"text": "a word", "via": "canon/4"}),
        "nameless": jsonl({"text": "A word"}),
        "nested": jsonl({"meta": {"url": "u"}, "text": "A word"}),
        "other": jsonl({"url": "u", "body": "b", "n": 1.5}),
        "named": jsonl({"id": 1, "title": "t", "body": "b"}),
    }


@pytest.mark.parametrize(
    ("command", "given", "message"),
    [
        ("sketch", "docs", 'field "shingles" is missing; these are documents: canon and shingle come before sketch'),
        ("sketch", "canon", 'field "shingles" is missing; these are records of canon: shingle comes next'),
        ("sketch", "parts", 'field "shingles" is missing; these are records of parts: canon comes next'),
        ("sketch", "sketch", 'field "shingles" is missing; these are records of sketch: simjoin comes next'),
        ("simjoin", "canon", 'field "sketch" is missing; these are records of canon: shingle comes next'),
        (
            "simjoin",
            "docs",
            'field "sketch" is missing; these are documents: canon, shingle and sketch come before simjoin',
        ),
        ("simjoin --verify", "sketch", 'field "shingles" is missing; sketch --keep leaves it'),
        ("simjoin", "pairs", 'field "id" is missing; these are pairs: simgroup, simshow or dedup --pairs takes them'),
        ("shingle", "shingle", 'field "text" is missing; these are records of shingle: sketch or simjoin comes next'),
        ("simgroup", "sketch", 'field "a" is missing; these are records of sketch: simjoin comes next'),
        ("simgroup", "docs", 'field "a" is missing; these are documents, not pairs: simjoin makes pairs of them'),
        ("simgroup", "groups", 'field "a" is missing; these are groups: dedup --groups or simshow takes them'),
        (
            "canon",
            "df",
            'field "id" is missing; these are document frequencies: shingle --df-table or sketch --weights takes them',
        ),
        (
            "canon",
            "other",
            'field "id" is missing; the record has "url", "body": --id NAME says which is meant;'
            " --number numbers the records",
        ),
        ("canon", "nameless", 'field "id" is missing; --number numbers the records'),
        ("shingle", "nameless", 'field "id" is missing'),
        (
            "simscore --truth f",
            "docs",
            'field "a" is missing; these are documents, not pairs: simjoin makes pairs of them, and with --field,'
            " --truth takes documents",
        ),
        ("simtune", "by url", 'field "id" is missing; the record has "url": --id NAME says which is meant'),
        (
            "simtune",
            "named",
            'field "text" is missing; the record has "title", "body": --text NAME says which is meant',
        ),
        ("simtune", "shingle", 'field "text" is missing; these are records of shingle: sketch or simjoin comes next'),
        ("sketch", "by url", 'field "id" is missing; the record has "url": --id NAME says which is meant'),
        ("sketch", "nameless canon", 'field "id" is missing; these are records of canon: shingle comes next'),
        ("canon --text Title", "named", 'field "Title" is missing; the record has "title", "id", "body"'),
        ("canon --id url", "nested", 'field "url" is missing; the record has "text", "meta.url"'),
        ("simtune", "nested", 'field "id" is missing; the record has "meta.url": --id NAME says which is meant'),
        ("canon --id Nr", "named", 'field "Nr" is missing; the record has "id", "title", "body"'),
        ("canon --id URL", "other", 'field "URL" is missing; the record has "url", "body", "n"'),
        ("dedup --known f --id URL", "by url", 'field "URL" is missing; the record has "url", "text"'),
        ("simtune --id URL", "by url", 'field "URL" is missing; the record has "url", "text"'),
        ("simtune --text Text", "canon", 'field "Text" is missing; the record has "text", "id"'),
        ("simtune --field lable", "canon", 'field "lable" is missing; the record has "id", "text"'),
        ("sketch --id URL", "by url", 'field "URL" is missing; the record has "url", "text"'),
        (
            "shingle --text body",
            "shingle",
            'field "body" is missing; these are records of shingle: sketch or simjoin comes next',
        ),
        ("canon", "named", 'field "text" is missing; the record has "title", "body": --text NAME says which is meant'),
    ],
)
def test_records_of_another_stage_or_with_other_fields(command: str, given: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(made()["pairs"])
    ran = run_here(command, stdin=2 * made()[given], cwd=tmp_path)
    assert ran.err.splitlines()[0] == f"{program(command)}: -:1: {message}"
    assert ";" not in message or ran.err.count(message.partition("; ")[2]) == 1
    assert ran.status == 2


def test_documents_beside_pairs_have_hints_too(tmp_path: Path) -> None:
    (tmp_path / "docs").write_bytes(made()["named"])
    ran = run_here("simshow", "--docs", "docs", stdin=made()["pairs"], cwd=tmp_path)
    hint = 'the record has "title", "body": --text NAME says which is meant'
    assert ran.err.splitlines()[0] == f'simshow: docs:1: field "text" is missing; {hint}'


def test_a_file_without_a_field_before_files_that_are_good(tmp_path: Path) -> None:
    """One message with a hint, though others have it: labels of simtune, and an input among several."""
    records = [{"id": number, "text": f"a {number}", "title": "b"} for number in range(30)]
    (tmp_path / "docs").write_bytes(jsonl(*records))
    (tmp_path / "labelled").write_bytes(jsonl(*(each | {"label": "c"} for each in records)))
    cause = 'docs:1: field "label" is missing'
    hint = 'the record has "id", "text", "title"'
    for command in ("simtune --truth docs --field label labelled", "canon --text label docs labelled"):
        ran = run_here(command, cwd=tmp_path)
        assert ran.status == 2
        assert ran.err.replace(f"{program(command)}: ", "").splitlines() == [
            f"{cause}; {hint}",
            f"29 more like {cause} (--all-messages shows all)",
            "docs: not one good record",
        ]


def test_documents_beside_others_whose_ids_have_another_name(tmp_path: Path) -> None:
    hint = '1: field "id" is missing; the record has "url": --id NAME says which is meant'
    stages = ["canon --id url", "shingle --id url", "sketch --id url"]
    (tmp_path / "pairs").write_bytes(made()["pairs"])
    pipe(made()["docs"], "canon", "shingle", "sketch", f"simindex add {tmp_path}/A")
    for number in range(len(stages) + 1):
        made_by_url = pipe(jsonl({"url": "u", "text": "A word"}), *stages[:number]).replace(BY_URL, b"")
        (tmp_path / "by-url").write_bytes(made_by_url)
        for command in ("simgroup --singletons by-url pairs", "simindex drop A --ids by-url"):
            ran = run_here(command, cwd=tmp_path)
            assert ran.err.splitlines()[0].endswith(f"by-url:{hint}")


def test_marked_documents_whose_ids_have_another_name(tmp_path: Path) -> None:
    """Of dedup --annotate, those that stay and those that would go."""
    documents = [{"nr": number, "text": "The cat sat on the mat, and a dog saw it"} for number in (1, 2)]
    marked = pipe(jsonl(*documents), "canon --id nr", "shingle --id nr", "sketch --id nr --keep")
    (tmp_path / "docs").write_bytes(jsonl(*documents))
    (tmp_path / "pairs").write_bytes(pipe(marked, "simjoin --id nr"))
    marking = "dedup --annotate --id nr --pairs pairs docs"
    (tmp_path / "marked").write_bytes(run_here(marking, cwd=tmp_path).good())
    ran = run_here("simshow --docs docs --brief marked", cwd=tmp_path)
    hint = 'the record has "nr": --id NAME says which is meant'
    assert ran.err.splitlines()[:2] == [
        f'simshow: marked:1: field "a" is missing; {hint}',
        'simshow: marked:2: field "id" is missing',
    ]
    assert run_here("simshow --id nr -k 2 --docs docs --brief marked", cwd=tmp_path).good()


def test_hints_know_every_command() -> None:
    """But simspark, whose stages have names of their own."""
    made = {each.name for each in record_kinds()}
    for command in STAGES:
        info = info_of(command)
        assert set(info.takes) <= made
        assert info.takes
        assert info.text == ("--text" in parser_of(command)._option_string_actions)
