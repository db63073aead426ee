"""Input of another kind than the command takes: status 2, no output, and a first message that says what it is."""

from pathlib import Path

import pytest

from harness import jsonl, program, run_here
from shingletools.commands.simtune.tune_collector import UNCANONIZED
from suite import EVERYBODY, WAYS, of

TEXTS = ["A word, or two of a text that is no shorter", "A word or two of it, and a text that is longer"]
IDS = [1, 2]
KINDS = {
    "documents": jsonl(*({"id": name, "text": text} for name, text in zip(IDS, TEXTS, strict=True))),
    "canon": jsonl(*({"id": name, "text": text, "via": "canon"} for name, text in zip(IDS, TEXTS, strict=True))),
    "parts": jsonl(
        *(
            {
                "id": f"{name}#1",
                "of": name,
                "part": 1,
                "before": "",
                "text": "a word or two of a text that is no shorter",
                "behind": "",
                "via": "parts by=paragraph",
            }
            for name in IDS
        )
    ),
    "shingle": jsonl(*({"id": name, "shingles": "0123456789abcdef", "via": "shingle k=2"} for name in IDS)),
    "sketch": jsonl(*({"id": name, "sketch": "01234567", "via": "sketch n=1"} for name in IDS)),
    "simhash": jsonl(*({"id": name, "simhash": "0123456789abcdef", "via": "sketch simhash"} for name in IDS)),
    "pairs": jsonl({"a": 1, "b": 2, "similarity": 1}, {"a": 1, "b": "x", "similarity": 1}),
    "groups": jsonl({"group": 1, "size": 2, "members": IDS}, {"group": "x", "size": 2, "members": ["x", "y"]}),
    "frequencies": jsonl(*({"shingle": f"0123456789abcde{number}", "df": 2} for number in IDS)),
    "figures": jsonl({"scope": "all", "documents": 2, "found": 1}, {"scope": "advice", "pipeline": "canon"}),
    "page": b"<!DOCTYPE html>\n<html><body>A word\n</body></html>\n",
    "table": b"id,text\n1,a word\n2,two\n",
    "text": b"This is a text of several words.\nAnd this is its second line.\n",
    "array": b'[{"id":1,"text":"a word"},\n{"id":2,"text":"two"}]\n',
}
NAMES = {  # one of which the message has
    "documents": ("these are documents",),
    "canon": ("these are documents", "records of canon"),
    "parts": ("these are documents", "records of parts"),
    "shingle": ("these are documents", "records of shingle", "but no sketch"),
    "sketch": ("these are documents", "records of sketch"),
    "simhash": ("these are documents", "records of sketch"),
    "pairs": ("these are pairs",),
    "groups": ("these are groups",),
    "frequencies": ("these are document frequencies",),
    "figures": ("these are figures",),
    "page": ("this looks like HTML",),
    "table": ("the header of a table",),
    "text": ("this looks like plain text",),
    "array": ("this looks like a JSON array",),
}
TEXTUAL = {"documents", "canon", "parts"}
WITH_ID = TEXTUAL | {"shingle", "sketch", "simhash"}
TAKES = {  # each command, or a way to run it
    "canon": TEXTUAL,
    "shingle": TEXTUAL,
    "parts": TEXTUAL,
    "parts --together": {"parts"},
    "sketch": {"shingle"},
    "simjoin": {"shingle", "sketch", "simhash"},
    "simgroup": {"pairs"},
    "simcheck": {"pairs"},
    "dedup": WITH_ID,
    "dedup --groups /dev/null --keep longest": TEXTUAL,
    "simshow": {"pairs", "groups"},
    "simscore": {"pairs", "groups"},
    "simtune": TEXTUAL,
    "repeats": TEXTUAL,
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", [*WAYS, "shingle --df", f"simshow --brief --docs {EVERYBODY}"])
def test_input(way: str, kind: str, tmp_path: Path) -> None:
    """What a command takes gives no message; all else no output, and no file."""
    ran = run_here(way, stdin=KINDS[kind], cwd=tmp_path)
    if kind in TAKES.get(way, TAKES[program(way)]):
        remark = f"simtune: {UNCANONIZED}\n" if (program(way), kind) == ("simtune", "documents") else ""
        assert (ran.status, ran.err) == (0, remark)
        return
    assert (ran.status, ran.out) == (2, b"")
    assert any(name in ran.err.splitlines()[0] for name in NAMES[kind]), ran
    out = run_here(f"{way} -o out --rejects bad", stdin=KINDS[kind], cwd=tmp_path)
    assert (out.status, (tmp_path / "out").exists()) == (2, False)


SIDE_FILES = [
    ("dedup --groups {} documents", {"groups"}),
    ("dedup --pairs {} documents", {"pairs"}),
    ("dedup --known {} documents", {"pairs"}),
    ("simgroup --singletons {} pairs", WITH_ID),
    ("simscore --truth {} groups", {"pairs", "groups"}),
    ("simscore --truth groups --docs {} groups", WITH_ID),
    ("simshow --json --docs {} groups", TEXTUAL),
    ("simtune -k 2 --truth {} documents", {"pairs", "groups"}),
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("command", "takes"), SIDE_FILES, ids=[command for command, _ in SIDE_FILES])
def test_side_files(command: str, takes: set[str], kind: str, tmp_path: Path) -> None:
    """Of those that are taken, ids may still name nothing, so that some records are bad."""
    for name in ("documents", "pairs", "groups"):
        (tmp_path / name).write_bytes(KINDS[name])
    (tmp_path / "given").write_bytes(KINDS[kind])
    ran = run_here(command.format("given"), cwd=tmp_path)
    first = ran.err.partition("\n")[0]
    said = first.startswith(f"{program(command)}: given:1: ") and any(name in first for name in NAMES[kind])
    assert said is (kind not in takes), ran
    assert ran.status == 2 or kind in takes


@pytest.mark.parametrize("kind", sorted({*KINDS} - {"frequencies"}))
def test_tables(kind: str, tmp_path: Path) -> None:
    (tmp_path / "given").write_bytes(KINDS[kind])
    for command in ("sketch --simhash --weights given", "shingle --max-df 2 --df-table given"):
        ran = run_here(command, stdin=KINDS["shingle" if "sketch" in command else "canon"], cwd=tmp_path)
        assert (ran.status, ran.out, ran.err.count("\n")) == (2, b"", 1)
        assert ran.err.startswith(f"{program(command)}: given:1: ")


def test_documents_of_which_some_are_duplicates_show_them(tmp_path: Path) -> None:
    """As dedup --annotate marks them; and documents with pairs or groups among them are no fault."""
    marked = jsonl({"id": 2, "text": "x", "duplicate_of": 1})
    for stdin in (marked, KINDS["documents"] + marked, KINDS["documents"] + jsonl({"members": [1]})):
        ran = run_here(f"simshow --json --docs {EVERYBODY}", stdin=stdin, cwd=tmp_path)
        assert (ran.status, ran.err) == (0, "")


def test_no_input_is_an_answer_where_nothing_is_one(tmp_path: Path) -> None:
    for way in WAYS:
        ran = run_here(way, cwd=tmp_path)
        assert (ran.status, ran.err) == (
            (0, "") if of(way).nothing is not None else (2, f"{way.split()[0]}: {NOTHING}\n")
        )


NOTHING = "no documents, so there is nothing to recommend"


@pytest.mark.parametrize("allowed", [0, 1, 2])
def test_pairs_of_which_none_can_be_shown_fail_the_run(allowed: int, tmp_path: Path) -> None:
    """Unless so many bad records are all right; of two, one that is shown is enough."""
    (tmp_path / "docs").write_bytes(jsonl({"id": 1, "text": "a"}, {"id": 3, "text": "a"}))
    none, some = jsonl({"a": 1, "b": 2}, {"a": 2, "b": 3}), jsonl({"a": 1, "b": 2}, {"a": 1, "b": 3})
    command = f"simshow --json --docs docs --allow-rejects {allowed}"
    assert run_here(command, stdin=none, cwd=tmp_path).status == (0 if allowed == len(IDS) else 2)
    assert run_here(command, stdin=some, cwd=tmp_path).status == (0 if allowed else 1)
