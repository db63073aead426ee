"""`shingletools run` gives the bytes, messages and statuses of the shell's pipeline."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import time
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from harness import BIN, DATA, ENVIRONMENT, has_open, run_here, run_process, shell
from shingletools import kernel
from shingletools.record.command_registry import STAGES
from shingletools.record.events import Reject
from shingletools.running.step_events import SourceFiles, with_sources
from shingletools.running.steps import command_lines, split, steps_of
from shingletools.system import interruptible_reads
from shingletools.system.errors import Failed
from suite import SEQUENCES, SUITE

# Good for canon, and bad for one of the next: a field that a filter writes stands there twice; an id that came before
BAD = (
    b'bad\n{"id":1.5,"text":"a b"}\n{"id":"x","text":"a b","shingles":1,"shingles":2}\n{"id":"y","text":"a b c d"}\n'
    b'{"id":"z","text":"a b c d","sketch":1,"sketch":2}\n\n{"id":"y","text":"a b c d"}\n{"id":"w"}\n'
)
TO_PAIRS = "canon bad | shingle -k 3 | sketch | simjoin -t 0.3"
PIPELINES = (
    TO_PAIRS,
    "canon bad | shingle -k 3 | simjoin -t 0.3",
    f"{TO_PAIRS} | simgroup",
    f"{TO_PAIRS} | simgroup | dedup --groups - bad --keep longest --annotate",
    f"{TO_PAIRS} | dedup --pairs - docs.jsonl | canon --stop en | shingle -k 2",
    f"{TO_PAIRS} | dedup --pairs - bad --removed removed --rejects rejected.dedup",
    f"{TO_PAIRS} | simshow --brief --docs docs.jsonl",
    f"{TO_PAIRS} | simscore --truth labels --field text",
    "canon bad --rejects rejected.1 | shingle --rejects rejected.2 --all-messages | sketch --rejects rejected.3 --keep",
    "canon bad --allow-rejects 0 | shingle --allow-rejects 90% | sketch --simhash --allow-rejects 1 | simjoin",
    "canon bad | shingle --df --header",
    "parts --by line bad | canon | shingle -k 2 | sketch | simjoin -t 0.5",
    "parts docs.jsonl | parts --together | canon --stop en | canon",
    "canon bad | shingle --text nothing | sketch | simjoin",  # of which no record is good
    "canon --strict bad | shingle",
    "canon docs.jsonl bad | shingle --strict | sketch --strict",
    "canon bad | simtune -k 2",
    "canon --lines words | shingle -k 1",
    "dedup --pairs pairs bad | canon | shingle -k 5 | sketch | simjoin -t 0.3 --against sketches",
    "simgroup pairs | dedup --groups - docs.jsonl",
    "canon bad",
    "simgroup -v nothing",
    "parts docs.jsonl | canon --offsets | repeats -k 20 --cut --drop 1/2 | parts --together",
    "canon --offsets bad | repeats -k 3 --ids | simshow --runs",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Documents, some of them bad, and what some commands make of them."""
    made = shutil.copytree(DATA, tmp_path_factory.mktemp("run") / "data")
    lines = (made / "docs.jsonl").read_bytes().splitlines(keepends=True)
    (made / "bad").write_bytes(b"".join([*lines[:50], BAD, *lines[50:99], BAD]))
    (made / "words").write_text("One line\nand another one\n")
    (made / "labels").write_bytes(b"".join(lines[:99]))
    (made / "nothing").write_bytes(b"")
    sketches = run_here("canon", "docs.jsonl", cwd=made).good()
    for way, name in (("shingle -k 5", ""), ("sketch", "sketches"), ("simjoin -t 0.3", "pairs")):
        sketches = run_here(way, stdin=sketches, cwd=made).good()
        if name:
            (made / name).write_bytes(sketches)
    return made


Ran = tuple[int, bytes, list[str]]  # status, output, lines of messages


def in_shell(text: str, stdin: bytes, cwd: Path) -> Ran:
    """What a shell with pipefail gives, command by command: the status, the output, and the lines of messages."""
    status, said = 0, []
    for command in split(text):
        name, *argv = shlex.split(command)
        ran = run_here(name, *argv, stdin=stdin, cwd=cwd)
        status, stdin = ran.status or status, ran.out
        said += ran.err.splitlines()
    return status, stdin, sorted(said)


def in_one(text: str, stdin: bytes, cwd: Path, *options: str) -> Ran:
    ran = run_here("shingletools", "run", *options, text, stdin=stdin, cwd=cwd)
    return ran.status, ran.out, sorted(ran.err.splitlines())


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


PLACE = re.compile(r"[^ :]+:\d+: |(?<=: )[^ :]+: (?=not one good)")


def causes(messages: list[str]) -> list[str]:
    """Messages without files and lines, which the shell counts for each command anew, and without hints."""
    return sorted(PLACE.sub("", each, count=1).partition("; ")[0] for each in messages)


def assert_same_files(found: dict[str, bytes], expected: dict[str, bytes], read: bytes) -> None:
    """But for files of bad records, which have the lines that were read."""
    assert found.keys() == expected.keys()
    for name, data in found.items():
        if name.startswith("rejected"):
            assert len(data.splitlines()) == len(expected[name].splitlines())
            assert {*data.splitlines()} <= {*read.splitlines()}
        else:
            assert data == expected[name]


def assert_same(found: Ran, expected: Ran) -> None:
    """But for the lines of bad records."""
    found, expected = (*found[:2], causes(found[2])), (*expected[:2], causes(expected[2]))
    if expected[0] == 2:  # the shell's other commands go on meanwhile, and may say more
        assert found[2] != []
        # Nor does the shell know that a command before it made what has no good record
        assert {each for each in found[2] if " more like " not in each} <= {*expected[2]}
        expected, found = (*expected[:2], []), (*found[:2], [])
    assert found == expected


@pytest.mark.parametrize("text", PIPELINES)
def test_what_the_shell_gives(text: str, folder: Path, tmp_path: Path) -> None:
    one, other = (shutil.copytree(folder, tmp_path / name) for name in ("shell", "run"))
    expected = in_shell(text, b"", one)
    found = in_one(text, b"", other)
    if "-v" in text:  # whose seconds are those of a process
        assert [line.partition(",")[0] for line in found[2]] == [line.partition(",")[0] for line in expected[2]]
        assert not any(" s," in line or line.endswith(" s") for line in found[2])
        expected, found = (*expected[:2], []), (*found[:2], [])
    assert_same(found, expected)
    assert_same_files(files_of(other), files_of(one), (folder / "bad").read_bytes())


@pytest.mark.slow
@pytest.mark.parametrize("text", [PIPELINES[4], PIPELINES[8], PIPELINES[11], PIPELINES[14], PIPELINES[15]])
def test_any_number_of_workers(text: str, folder: Path, tmp_path: Path) -> None:
    several = tmp_path / "several"
    shutil.copytree(folder, several)
    (several / "bad").write_bytes((folder / "bad").read_bytes() * 40)  # spans of more than one worker
    one = shutil.copytree(several, tmp_path / "one")
    assert in_one(text, b"", several, "-j", "3") == in_one(text, b"", one)
    assert files_of(several) == files_of(one)


@pytest.mark.parametrize("text", SEQUENCES)
def test_every_way_of_every_command(text: str, folder: Path, tmp_path: Path) -> None:
    """From standard input."""
    stdin = (folder / "bad").read_bytes()
    assert_same(in_one(text, stdin, tmp_path), in_shell(text, stdin, tmp_path))


def mixed(folder: Path) -> bytes:
    """Documents with others between: escapes, nothing to sign, other fields of signatures, ids that came before."""
    lines = (folder / "docs.jsonl").read_bytes().splitlines(keepends=True)
    others = [
        each + b"\n"
        for each in (
            b'{"id":%d,"text":""}',
            b'{"id":%d,"text":"?!","via":""}',
            b'{"id":%d,"text":"a b c d","simhash":"x"}',
            b'{"id":%d,"text":"a \\u00e4 c d","meta":{"a":[]}}',
            b'{"id":%d.5,"text":"a b"}',
            b'{"i\\u0064":%d,"text":"a b"}',
            b'{"id":1%d,"text":"a b c d","sketch":null}',
            b'{"id":-0,"text":"a b c d"} ',
            b'{"id":"a","text":"a b c %d"}',
            b'{"shingles":"","text":"a b","id":2%d}',
            b'\xef\xbb\xbf{"id":3%d,"text":"a b c d"}',
        )
    ]
    made = []
    for number, line in enumerate(lines):
        other = others[number % len(others)]
        made += [line, other % number if b"%d" in other else other]
    return b"".join([*made, *lines[:9]])


SMALL = 2000  # bytes of a block: a few lines
SIGNING = (
    "canon | shingle -k 3 | sketch -n 20 | simjoin -t 0.5",
    "canon | shingle -k 3 | sketch -n 20 --super 5 | simjoin -m 1",
    "canon | shingle -k 3 | sketch --simhash | simjoin -d 9",
    "canon | shingle -k 3 | simjoin -t 0.5",
    "canon | shingle -k 3 --mod 4 | sketch -n 20 | simjoin -t 0.5 -S 1M",
    "canon | shingle -k 3 | sketch -n 20 --keep | simjoin -t 0.5 --verify",
    "canon | shingle -k 3 | sketch -n 20 | simjoin -t 0.5 --rejects rejected",
    "canon | shingle -k 3 | sketch -n 20 | simjoin -t 0.5 --strict",
    "canon | shingle -k 3 | sketch -n 20 | simjoin -t 0.5 --against sketches -",
    "canon --id text | shingle --id text | simjoin",
    "canon | shingle -k 3 | sketch -n 20 | simindex add archive",
    "canon | shingle -k 3 | sketch --simhash | simindex add archive",
    "canon | shingle -k 3 | sketch -n 20 --super 5 | simindex add archive -m 1 -S 1M --replace",
    "canon | shingle -k 3 | sketch -n 20 | simindex add archive --unless-known --strict",
)


@pytest.mark.parametrize("text", SIGNING)
def test_signatures_in_place_of_lines(text: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Odd lines, empty payloads, kept fields and ids that came before, from standard input."""
    monkeypatch.setattr(interruptible_reads, "READ_BYTES", SMALL)
    one, other = (shutil.copytree(folder, tmp_path / name) for name in ("shell", "run"))
    for stdin in (mixed(folder), b'{"id":1,"text":"a","via":"x"}\n' + (folder / "docs.jsonl").read_bytes()):
        assert_same(in_one(text, stdin, other), in_shell(text, stdin, one))
        assert_same_files(files_of(other), files_of(one), stdin)


@pytest.mark.slow
@pytest.mark.parametrize("text", [*SIGNING[1:7], SIGNING[10], SIGNING[12]])
def test_signatures_from_workers(text: str, folder: Path, tmp_path: Path) -> None:
    several = [re.sub(rb'"id":("?)', rb'"id":\g<1>%d' % number, mixed(folder)) for number in range(1, 20)]
    made = []
    for jobs in ("1", "3"):
        here = tmp_path / jobs
        here.mkdir()
        (here / "mixed").write_bytes(b"".join(several))  # spans of more than one worker
        made.append((in_one(text.replace("canon", "canon mixed"), b"", here, "-j", jobs), files_of(here)))
    assert made[1] == made[0]
    assert made[0][0][0] == 1  # some records are bad, and no option is


@pytest.mark.parametrize(
    ("text", "made"),
    [(SIGNING[0], True), (SIGNING[3], True), (SIGNING[5], False), (SIGNING[6], True), (SIGNING[10], False)],
)
def test_the_kernel_makes_signatures(
    text: str, made: bool, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of all lines but the first block's, which tell what is wanted."""
    monkeypatch.setattr(interruptible_reads, "READ_BYTES", SMALL)
    counts = [0]
    linked_lines: Any = getattr(kernel, "linked_lines", len)  # which only C has

    def counted(*arguments: Any) -> Any:
        done = linked_lines(*arguments)
        counts.append(done[1] if arguments[-1] is not None else 0)
        return done

    monkeypatch.setattr(kernel, "linked_lines", counted, raising=False)
    stdin = (folder / "docs.jsonl").read_bytes()
    assert in_one(text, stdin, tmp_path)[0] == 0
    first = stdin[:SMALL].count(b"\n")
    assert sum(counts) == (stdin.count(b"\n") - first if made and kernel.NAME == "c" else 0)


def test_the_other_kernel(folder: Path) -> None:
    ran = run_process("shingletools", "run", TO_PAIRS, cwd=folder, env={"SHINGLETOOLS_KERNEL": "numpy"})
    assert (ran.status, ran.out, sorted(ran.err.splitlines())) == in_one(TO_PAIRS, b"", folder)


ODD = (
    b'{"id":1,"text":"A b c"}',
    b"odd",
    b'{"id":2,"text":"A b c","shingles":1,"shingles":2}',
    b'{"id":1,"text":"D e f"}',
    b'{"id":3,"text":"A b c d"}',
    b'{"id":4,"text":"A b c","sketch":1,"sketch":2}',
    b'{"id":3,"text":"again"}',
)
ODD_SAID = [
    "canon: odd:2: not JSON (column 1)",
    'shingle: odd:3: field "shingles" occurs twice',
    "simjoin: odd:4: id 1 was seen before",
    'sketch: odd:6: field "sketch" occurs twice',
    "simjoin: odd:7: id 3 was seen before",
]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_bad_records_are_told_by_their_lines_in_the_input(jobs: str, tmp_path: Path) -> None:
    """Whichever command rejects them; each keeps the lines of the input."""
    (tmp_path / "odd").write_bytes(b"\n".join(ODD))
    text = "canon odd | shingle -k 2 --rejects a | sketch --rejects b | simjoin -t 0.1 --rejects c"
    status, out, said = in_one(text, b"", tmp_path, "-j", jobs)
    assert (status, len(out.splitlines()), said) == (1, 1, sorted(ODD_SAID))
    for name, lines in {"a": [2], "b": [5], "c": [3, 6]}.items():
        assert (tmp_path / name).read_bytes() == b"".join(ODD[line] + b"\n" for line in lines)
    (tmp_path / "two").write_bytes(b"\n".join(ODD[:1]))
    said = in_one(text.replace("canon odd", "canon two odd"), b"", tmp_path, "-j", jobs)[2]
    assert said == sorted(["simjoin: odd:1: id 1 was seen before", *ODD_SAID])


def test_a_strict_run_stops_at_the_first_bad_record_of_the_input(tmp_path: Path) -> None:
    (tmp_path / "odd").write_bytes(b"\n".join([ODD[0], ODD[5], ODD[2], ODD[1]]))
    status, out, said = in_one("canon odd --strict | shingle -k 2 --strict | sketch --strict", b"", tmp_path)
    assert (status, len(out.splitlines()), said) == (2, 1, ['sketch: odd:2: field "sketch" occurs twice'])


def test_lines_of_parts_and_of_pairs(tmp_path: Path) -> None:
    """A part is told by the line of its document; a record of several by its number."""
    (tmp_path / "docs").write_bytes(b'{"id":"1","text":"a\\nb"}\n{}\n{"id":2,"text":"c\\nd"}\n')
    said = in_one("parts --by line docs | shingle -k 1 --text of", b"", tmp_path)[2]
    assert said == ['parts: docs:2: field "id" is missing', *['shingle: docs:3: field "of" is not a string'] * 2]
    (tmp_path / "docs").write_bytes(b'{"id":1,"text":"a b"}\n{"id":2,"text":"a b"}\n{"id":3,"text":"a b"}\n')
    (tmp_path / "words").write_bytes(b'{"id":1,"text":"a b"}\n{"id":2,"text":"a b"}\n')
    said = in_one("canon docs | shingle -k 1 | simjoin -t 1 | simcheck --docs words", b"", tmp_path)[2]
    assert said == [f"simcheck: -:{line}: no document of --docs has the id 3" for line in (2, 3)]


def test_an_archive_grows_as_in_the_shell(folder: Path, tmp_path: Path) -> None:
    text = "canon bad | shingle -k 3 | sketch | simindex add archive --unless-known | dedup --known - docs.jsonl"
    made = []
    for way, work in (("shell", in_shell), ("run", in_one)):
        here = shutil.copytree(folder, tmp_path / way)
        rounds = [work(text.replace(" bad ", f" {name} "), b"", here) for name in ("labels", "bad")]
        rounds = [(status, out, causes(said)) for status, out, said in rounds]
        made.append((rounds, run_here("simindex dump archive", cwd=here).good()))
    assert made[1] == made[0]


def test_output_and_files_as_arguments(folder: Path, tmp_path: Path) -> None:
    expected = in_shell("canon docs.jsonl labels | shingle | sketch", b"", folder)[1]
    docs, labels = str(folder / "docs.jsonl"), str(folder / "labels")
    for words in (
        ["canon | shingle | sketch", docs, labels],
        ["-o", "made", "canon | shingle | sketch", docs, labels],
        ["canon | shingle | sketch -o made", "--", docs, labels],
        [f"canon '{docs}' {labels}|shingle|sketch -o  \"made\""],
    ):
        ran = run_here("shingletools", "run", *words, cwd=tmp_path)
        out = (tmp_path / "made").read_bytes() if "made" in " ".join(words) else ran.good()
        assert (ran.err, out) == ("", expected)
        (tmp_path / "made").unlink(missing_ok=True)


REFUSED = (
    ("", 'shingletools run: the pipeline: "" is none of parts, canon, '),
    ("canon | sort", 'shingletools run: the pipeline: "sort" is none of parts, canon, '),
    ("canon 'x", "shingletools run: the pipeline: no closing quotation"),
    ("shingle -k 0", 'shingle: argument -k: not a whole number from 1 to 1000000: "0" (see shingle --help)'),
    ("canon > out", "canon: >: this is not a shell; name files for the output by -o, and for the input as FILE"),
    ("canon docs.jsonl | shingle -o x | sketch", "shingle: -o: the next command would get nothing"),
    ("canon --progress", "canon: --progress: run has one for all commands"),
    ("canon docs.jsonl | shingle docs.jsonl", "shingle: does not read the output of canon: name it as - among"),
    ("simjoin sketches | dedup --pairs -", "dedup: standard input can be read only once: name a FILE"),
    ("simjoin sketches | simindex list x", "simindex: does not read the output of simjoin"),
    ("canon docs.jsonl | canon --lines", "canon: --lines reads files, not lines of another command"),
    ("canon docs.jsonl | shingle --max-df 3 --df-table -", "shingle: --df-table -: is read before the pipeline runs"),
    ("canon docs.jsonl | shingle --max-df 3", "shingle: --max-df and --min-df without --df-table read the input twice"),
    ("canon nowhere | shingle", "canon: nowhere: No such file or directory"),
    ("canon docs.jsonl --rejects x | shingle --rejects x", "canon: --rejects x: shingle reads or writes that file"),
    ("canon docs.jsonl | shingle --id shingles", "shingle: the id, the payload and via need fields of their own"),
)


@pytest.mark.parametrize(("text", "message"), REFUSED)
def test_what_makes_no_sense_is_refused(text: str, message: str, folder: Path) -> None:
    ran = run_here("shingletools", "run", "-o", "out", text, cwd=folder)
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err.startswith(message), ran
    assert ran.err.count("\n") == 1
    assert not (folder / "out").exists()


def test_options_of_run_that_make_no_sense(folder: Path) -> None:
    for words, message in (
        (["-T", "x", "canon"], "shingletools run: -T says where -S puts its scratch files, so it needs -S"),
        (["-o", "x", "canon -o y"], "shingletools run: -o: given twice, here and to canon"),
        (["canon docs.jsonl", "docs.jsonl"], "canon: docs.jsonl: name files in the pipeline or after it, not both"),
        (["--nonsense", "canon"], "shingletools run: unrecognized arguments: --nonsense (see shingletools run --help)"),
        ([], "shingletools run: the following arguments are required: PIPELINE (see shingletools run --help)"),
    ):
        ran = run_here("shingletools", "run", *words, cwd=folder)
        assert (ran.status, ran.out, ran.err) == (2, b"", f"{message}\n")


def test_a_step_that_fails_leaves_no_output(folder: Path, tmp_path: Path) -> None:
    """In the shell, the commands after it would make a whole output of a part of the lines."""
    (tmp_path / "old").write_bytes(b"as it was")
    shutil.copy(folder / "bad", tmp_path)
    for text, status in (
        ("canon --strict bad | shingle | simjoin", 2),
        ("canon bad | shingle --text nothing | simjoin", 2),
        ("canon bad --allow-rejects 1 | shingle", 1),
    ):
        ran = run_here("shingletools", "run", "-o", "old", text, cwd=tmp_path)
        assert (ran.status, ran.out, files_of(tmp_path)["old"]) == (status, b"", b"as it was")
    assert (
        ran.err.splitlines()[-2:]
        == ['shingle: -:52: field "shingles" occurs twice', "canon: old is left as it was: too many bad records"]
        or "canon: old is left as it was: too many bad records" in ran.err
    )
    assert {path.name for path in tmp_path.iterdir()} == {"old", "bad"}


def test_figures(folder: Path) -> None:
    ran = run_here(
        "shingletools", "run", "-v", "canon | shingle -k 3 | simjoin -t 0.3 | simgroup", "docs.jsonl", cwd=folder
    )
    lines = ran.err.splitlines()
    count = (folder / "docs.jsonl").read_bytes().count(b"\n")
    assert [line.partition(":")[0] for line in lines] == ["canon", "shingle", "simjoin", "simgroup", "shingletools run"]
    assert lines[0] == f"canon: {count} records, 0 rejected"
    assert lines[1].startswith(f"shingle: {count} records, 0 rejected")
    assert lines[2].endswith(" pairs")
    assert lines[4].endswith(" MB/s")
    one = run_here("shingletools", "run", "canon | shingle -v -k 3", "docs.jsonl", cwd=folder)
    assert one.err == f"{lines[1]}\n"


def test_memory_goes_to_the_commands_that_take_it(folder: Path, tmp_path: Path) -> None:
    expected = in_one("canon docs.jsonl | shingle -k 3 | sketch | simjoin -t 0.3 | simgroup", b"", folder)
    text = "canon docs.jsonl | shingle -k 3 | sketch | simjoin -t 0.3 | simgroup"
    assert in_one(text, b"", folder, "-S", "1M", "-T", str(tmp_path)) == expected
    ran = run_here("shingletools", "run", "-S1M", "-T", str(tmp_path / "none"), text, cwd=folder)
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err.startswith(f"simjoin: {tmp_path / 'none'}")


def test_one_bar_names_the_step_at_work(folder: Path) -> None:
    ran = run_here(
        "shingletools", "run", "--progress", "canon | shingle -k 3 | simjoin | simgroup", "docs.jsonl", cwd=folder
    )
    assert ran.status == 0
    shown = [re.split("[:,]", part)[0] for part in ran.err.replace("\n", "\r").split("\r") if ":" in part]
    assert [name for name, _ in groupby(shown)][-3:] == ["canon | shingle", "simjoin", "simgroup"]
    assert "100%" in ran.err


def test_one_command(folder: Path) -> None:
    for words in (["canon", "-v", "bad"], ["simgroup", "pairs"], ["canon", "--nonsense"], ["canon", "--help"]):
        alone, here = run_here(*words, cwd=folder), run_here("shingletools", *words, cwd=folder)
        assert (here.status, here.out) == (alone.status, alone.out)
        assert here.err.partition(" rejected, ")[0] == alone.err.partition(" rejected, ")[0]  # then time and memory


def test_the_reader_goes_away(folder: Path) -> None:
    (folder / "many").write_bytes((folder / "docs.jsonl").read_bytes() * 30)
    for text in ("canon many | shingle", "canon many bad | shingle -k 3 -j 2"):
        ran = shell(f"shingletools run '{text}' | head -1", folder)
        assert (ran.status, ran.out.count(b"\n"), ran.err) == (0, 1, "")
    ran = shell("shingletools run 'canon many | shingle' > /dev/full", folder)
    assert (ran.status, ran.err) == (2, "shingletools run: standard output: No space left on device\n")


def started(words: list[str], cwd: Path) -> "subprocess.Popen[bytes]":
    """Ctrl-C ends it, even if the tests run in the background of a script, where it would be ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return subprocess.Popen(
            [BIN / "shingletools", "run", *words],
            cwd=cwd,
            env=ENVIRONMENT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_signal_ends_all_of_it(number: int, jobs: str, folder: Path, tmp_path: Path) -> None:
    process = started(["-j", jobs, "-o", str(tmp_path / "out"), "canon | shingle -k 3 | simjoin"], folder)
    assert process.stdin is not None
    process.stdin.write((folder / "docs.jsonl").read_bytes())
    process.stdin.flush()
    while not has_open(process.pid, tmp_path):
        time.sleep(0.01)  # until there is an unfinished output
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (-number, b"", b"")
    assert list(tmp_path.iterdir()) == []


def test_a_worker_is_killed(folder: Path, tmp_path: Path) -> None:
    process = started(["-j", "2", "-o", str(tmp_path / "out"), "canon | shingle -k 3 | simjoin"], folder)
    documents = (folder / "docs.jsonl").read_bytes()
    assert process.stdin is not None
    process.stdin.write(documents)  # workers begin when it is known what signatures they are to make
    process.stdin.flush()
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    while len(found := children.read_text().split()) < 2:
        time.sleep(0.01)
    os.kill(int(found[0]), signal.SIGKILL)
    _, err = process.communicate(documents * 9, timeout=60)
    assert (process.returncode, err) == (2, b"canon: a worker process died (Killed)\n")
    assert list(tmp_path.iterdir()) == []


def test_what_a_pipeline_may_have() -> None:
    assert [step.name for step in steps_of(command_lines("canon | shingle -k 3"))] == ["canon", "shingle"]
    with pytest.raises(Failed):
        command_lines("nothing")
    assert set(STAGES) == {each.name for each in SUITE} | {"simindex"}


@pytest.mark.parametrize("given", ["-j 1 docs", "-j 2 docs", "--csv docs.csv", "-j 2 --csv docs.csv"])
def test_late_rejects_are_lines_of_the_input(given: str, tmp_path: Path) -> None:
    """A record that a collector rejects only at the end is kept as it is in the file that the first filter reads."""
    rows = ["id,text", "1,a b c", "2,Some", "2,  Late!", "1, Later"]
    lines = ['{"id": 1, "text": "a b c"}', "not JSON", '{"id":2, "text":"Some"}', '{"id":2,  "text":"Late!"}']
    (tmp_path / "docs.csv").write_text("\n".join(rows))
    (tmp_path / "docs").write_text("\n".join([*lines, '{"id":1,"text":"Later"}']))
    text = f"canon {given} | shingle -k 1 | sketch -n 4 | simindex add A --rejects late"
    status, _, said = in_one(text, b"", tmp_path)
    name, late = ("docs.csv", rows[3:]) if "csv" in given else ("docs", [lines[3], '{"id":1,"text":"Later"}'])
    assert status == 1
    assert [f"simindex: {name}:{line}: id {each} was seen before" for line, each in ((4, 2), (5, 1))] == [
        each.replace('"', "") for each in said if each.startswith("simindex")
    ]
    assert (tmp_path / "late").read_text() == "".join(f"{line}\n" for line in late)


def test_a_file_that_has_changed_is_not_read_again_for_late_rejects(tmp_path: Path) -> None:
    file = tmp_path / "docs"
    file.write_text('{"id":1,"text":"a"}\n')
    reject = Reject(str(file), 1, "id 1 was seen before", b"as a filter made it", late=True)
    sources = SourceFiles.named(None, ["-", str(file)])

    def kept() -> bytes:
        (event,) = with_sources(iter([reject]), sources, {"-"})
        assert isinstance(event, Reject)
        return event.record.rstrip(b"\n")

    assert kept() == b'{"id":1,"text":"a"}'
    file.write_text('{"id":8,"text":"another"}\n')
    assert kept() == b"as a filter made it"
    file.unlink()
    assert kept() == b"as a filter made it"
