"""What is said of bad records: how many messages, which hints, and the status where nothing is good."""

from pathlib import Path

import pytest

from harness import Record, jsonl, run, run_here
from shingletools.record.events import Reject
from shingletools.running.reject_messages import MAX_CAUSES, MAX_SHOWN, RejectMessages, cause_of
from shingletools.system.errors import Failed

GOOD = jsonl({"id": "good", "text": "A word"})
ALL = "(--all-messages shows all)"


def said(*causes: str, every: bool = False) -> list[str]:
    messages: list[str] = []
    complaints = RejectMessages("canon", messages.append, every)
    for number, cause in enumerate(causes, 1):
        complaints.add(Reject("f", number, cause, b"x"))
    complaints.close()
    return messages


def test_ten_of_one_cause_and_how_many_more() -> None:
    causes = [f'id "{number}" was seen before' for number in range(25)]
    every = [f"f:{number}: {cause}" for number, cause in enumerate(causes, 1)]
    assert said(*causes) == [*every[:MAX_SHOWN], f"15 more like {every[0]} {ALL}"]
    assert said(*causes, every=True) == every
    assert said(*causes[:MAX_SHOWN]) == every[:MAX_SHOWN]


def test_each_distinct_problem_is_seen() -> None:
    """However late it comes, and in the order in which they come."""
    causes = [*(["not JSON (column 1)"] * 30), 'field "id" is missing', 'field "text" is missing', "not UTF-8 (byte 7)"]
    assert [message.partition(" ")[2] for message in said(*causes)] == [
        *(["not JSON (column 1)"] * MAX_SHOWN),
        *causes[30:-1],
        "not UTF-8 (byte 7); iconv -f ENCODING -t UTF-8 makes UTF-8 of it",
        f"more like f:1: not JSON (column 1) {ALL}",
    ]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("not JSON (column 1)", "not JSON (column 22)", True),
        ("not JSON (column 1)", "not JSON (empty line)", False),
        ("not JSON (column 1)", "not JSON (lone surrogate)", False),
        ('id "a" was seen before', "id -7 was seen before", True),
        (f'id "{"a" * 200}"... (999 characters) was seen before', 'id "a\\"b" was seen before', True),
        ('pairs "a" with itself', "pairs 7 with itself", True),
        ('part 3 of "a" comes after 4', 'part 1 of "b" comes after 9', True),
        ('field "a" is missing', 'field "b" is missing', False),
        ('field "a.1" is missing', 'field "a.2" is missing', False),
        ('field "a" is missing', 'field "a" is not a string', False),
        ('made by "canon", not by "x" as the table', 'made by "parts", not by "x" as the table', False),
        ('--replace "a": more than 9', '--replace "b": more than 9', False),
    ],
)
def test_what_one_cause_is(one: str, other: str, same: bool) -> None:
    assert (cause_of(one) == cause_of(other)) is same


def test_causes_without_end() -> None:
    """Causes are counted separately up to a limit; all others count as one."""
    causes = [f'made by "{number}", not by "canon" as the table' for number in range(MAX_CAUSES + 50)]
    every = [f"f:{number}: {cause}" for number, cause in enumerate(causes, 1)]
    assert said(*causes) == [*every[: MAX_CAUSES + MAX_SHOWN], f"40 more of other causes {ALL}"]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_messages_counts_and_status_of_a_run(jobs: str, tmp_path: Path) -> None:
    lines = [GOOD, *(b"x" * number + b"\n" for number in range(1, 40)), b"{}\n", *([b'{"id":1}\n'] * 12)]
    (tmp_path / "docs").write_bytes(b"".join(lines))
    command = ["canon", "-v", "-j", jobs, "--rejects", "bad", "docs"]
    every = [f"canon: docs:{number}: not JSON (column 1)" for number in range(2, 41)]
    fields = ['canon: docs:41: field "id" is missing']
    texts = [f'canon: docs:{number}: field "text" is missing' for number in range(42, 54)]
    ran = run(*command, cwd=tmp_path)
    *messages, figures = ran.err.splitlines()
    assert (ran.status, ran.out) == (1, run("canon", stdin=GOOD).out)
    assert figures.startswith("canon: 1 record, 52 rejected, ")
    assert messages == [
        *every[:10],
        *fields,
        *texts[:10],
        f"canon: 29 more like docs:2: not JSON (column 1) {ALL}",
        f'canon: 2 more like docs:42: field "text" is missing {ALL}',
    ]
    assert (tmp_path / "bad").read_bytes() == b"".join(lines[1:])
    ran = run(*command, "--all-messages", cwd=tmp_path)
    assert (ran.status, ran.err.splitlines()[:-1]) == (1, every + fields + texts)


def test_a_run_that_fails_says_how_many_there_were() -> None:
    records = [{"id": number, "sketch": "01234567", "via": via} for number, via in enumerate("ab")]
    ran = run("simjoin", stdin=15 * b"x\n" + jsonl(*records))
    assert ran.status == 2
    assert ran.err.splitlines()[10:] == [
        f"simjoin: 5 more like -:1: not JSON (column 1) {ALL}",
        'simjoin: -:17: made by "b", but the records before by "a"; "via" is the field of recipes: rename yours',
    ]


@pytest.mark.parametrize(
    ("files", "options", "status", "blamed"),
    [
        (("good", "empty"), (), 0, ()),
        (("mixed",), (), 1, ()),
        (("bad",), (), 2, ("bad",)),
        (("good", "bad", "worse"), (), 2, ("bad", "worse")),
        (("good", "bad"), ("--allow-rejects", "2"), 0, ()),
        (("good", "bad"), ("--allow-rejects", "1"), 2, ("bad",)),
        (("mixed",), ("--allow-rejects", "0"), 1, ()),
        (("page", "\udcff"), ("--whole",), 1, ()),
        (("\udcff",), ("--whole",), 2, ("",)),
    ],
)
def test_a_file_of_which_nothing_could_be_read(
    files: tuple[str, ...], options: tuple[str, ...], status: int, blamed: tuple[str, ...], tmp_path: Path
) -> None:
    contents = {"good": GOOD, "empty": b"", "mixed": b"x\n" + GOOD, "bad": b"x\ny\n", "worse": b"z", "page": b"A"}
    for name in files:
        (tmp_path / name).write_bytes(contents.get(name, b"\xff"))
    (tmp_path / "out").write_bytes(b"old")
    for jobs in ("1", "2"):
        ran = run("canon", *options, "-j", jobs, "-o", "out", *files, cwd=tmp_path)
        assert ran.status == status
        said = [line for line in ran.err.splitlines() if line.endswith("not one good record")]
        reasons = [f"canon: {name}: not one" if name else "canon: not one" for name in blamed]
        reasons += ["canon: out is left as it was: not one"] if blamed else []
        assert said == [f"{reason} good record" for reason in reasons]
        unplaced = blamed or "too many" in ran.err
        assert ((tmp_path / "out").read_bytes() == b"old") is bool(unplaced)
        (tmp_path / "out").write_bytes(b"old")


def test_ids_that_were_there_before_could_be_read(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).write_bytes(jsonl({"id": 1, "sketch": "01234567"}))
    ran = run("simjoin", "one", "two", cwd=tmp_path)
    assert (ran.status, ran.err) == (1, "simjoin: two:1: id 1 was seen before\n")


def test_an_archive_is_not_made(tmp_path: Path) -> None:
    ran = run("simindex", "add", "archive", stdin=b"x\n", cwd=tmp_path)
    assert (ran.status, list(tmp_path.iterdir())) == (2, [])
    assert ran.err.splitlines()[1:] == [
        "simindex: -: not one good record",
        "simindex: archive is not written: not one good record",
    ]


def begun(*lines: bytes, command: str = "canon", every: bool = False) -> tuple[list[str], str]:
    """What is said of bad lines of a file, and with which message the run stops."""
    said: list[str] = []
    complaints = RejectMessages(command, said.append, every, stops=True)
    try:
        for number, line in enumerate(lines, 1):
            complaints.add(Reject("f", number, "not JSON (column 1)", line))
    except Failed as error:
        complaints.close()
        return said, str(error)
    complaints.close()
    return said, ""


HEADER = "f:1: not JSON (column 1); this looks like the header of a table: canon --csv or --tsv reads it"


def test_a_file_of_another_kind_ends_the_run_after_a_megabyte() -> None:
    """However it is cut up, and be it one long line; without a hint, or with all messages, it is read to its end."""
    row = b"7,some text" * 100
    enough = -(-((1 << 20) - len(b"id,text\n")) // (len(row) + 1)) + 1
    assert begun(b"id,text", *[row] * (enough - 2)) == (
        [HEADER, f"{enough - 2} more like f:1: not JSON (column 1) (--all-messages shows all)"],
        "",
    )
    assert begun(b"id,text", *[row] * (enough - 1)) == ([], HEADER)
    assert begun(b"PAR1" + b"\xff" * ((1 << 20) - 5))[1].startswith("f:1: not JSON (column 1); this looks like Parquet")
    assert begun(b"x", *[row] * 2 * enough)[1] == ""
    assert begun(b"id,text", *[row] * 2 * enough, every=True)[1] == ""


def test_one_good_record_is_enough_to_go_on(tmp_path: Path) -> None:
    rows = [b"id,text\n", *[b"7,some text" * 99 + b"\n"] * 970]  # more than a megabyte
    (tmp_path / "file").write_bytes(rows[0] + jsonl({"id": 1, "text": "a"}) + b"".join(rows[1:]))
    ran = run_here("canon file", cwd=tmp_path)
    assert (ran.status, ran.out.count(b"\n")) == (1, 1)
    assert ran.err.splitlines()[1].startswith("canon: file:3: ")
    (tmp_path / "file").write_bytes(b"".join(rows) + jsonl({"id": 1, "text": "a"}))
    for options in ("", "-j2 "):
        ran = run("canon", *options.split(), "file", cwd=tmp_path)
        assert (ran.status, ran.out, ran.err) == (2, b"", f"canon: {HEADER.replace('f:1', 'file:1')}\n")
    assert run_here("canon --allow-rejects 100% file", cwd=tmp_path).status == 0


def test_a_stage_that_is_left_out_ends_the_run_after_a_megabyte(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"".join(jsonl({"id": n, "text": "word " * 200}) for n in range(1200)))
    for command, said in (
        ("simjoin", 'field "sketch" is missing; these are documents: canon, shingle and sketch come before simjoin'),
        ("simgroup", 'field "a" is missing; these are documents, not pairs: simjoin makes pairs of them'),
    ):
        ran = run_here(f"{command} file", cwd=tmp_path)
        assert (ran.status, ran.out, ran.err) == (2, b"", f"{command}: file:1: {said}\n")


@pytest.mark.parametrize(
    ("command", "lines"),
    [
        ("simtune --field label --truth {} {}", [{"id": 1, "text": "a b"}, {"id": 2, "text": "a c"}]),
        ("simtune --field label --truth {} {}", [{"id": 1, "label": "a"}, {"id": 2, "label": "a"}]),
        ("simscore --field label --truth {} {}", [{"id": 1, "label": "a"}, {"id": 2, "label": "a"}]),
        ("simscore --truth {} {}", [{"a": 1, "b": 2, "same": True}, {"a": 1, "b": 3, "same": True}]),
        ("dedup --pairs {} {}", [{"a": 1, "b": 2}, {"a": 1, "b": 3}]),
        ("dedup --pairs {} {}", [{"id": 1, "a": 1}, {"id": 2, "a": 2}]),
        ("simshow --docs {} {}", [{"id": 1, "text": "a"}, {"id": 2, "text": "a"}]),
        ("simjoin --against {} {}", [{"id": 1, "sketch": "00000001"}, {"id": 1, "sketch": "00000001"}]),
        ("simjoin --against {} {}", [{"id": 1, "text": "a"}, {"id": 2, "text": "b"}]),
    ],
)
def test_a_file_that_is_read_for_two_ends_is_judged_for_each(command: str, lines: list[Record], tmp_path: Path) -> None:
    """As if it were two files of the same content, but what is said of both need not be said twice."""
    for name in ("one", "two"):
        (tmp_path / name).write_bytes(jsonl(*lines))
    one, two = (run_here(command.format("one", other), cwd=tmp_path) for other in ("one", "two"))
    assert (one.status, one.out) == (two.status, two.out)
    said, expected = (dict.fromkeys(ran.err.replace("two", "one").splitlines()) for ran in (one, two))
    assert [*said] == [*expected]


def test_files_without_a_good_record_are_ten_and_a_count(tmp_path: Path) -> None:
    for number in range(30):
        (tmp_path / f"{number:02}").write_bytes(b'{"Nr":1,"text":"a"}\n')
    names = [f"{number:02}" for number in range(30)]
    said = run_here("canon", *names, cwd=tmp_path).err.splitlines()
    assert said[10:] == [
        'canon: 20 more like 00:1: field "id" is missing (--all-messages shows all)',
        *(f"canon: {name}: not one good record" for name in names[:10]),
        "canon: 20 more files: not one good record",
    ]
