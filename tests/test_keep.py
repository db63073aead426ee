"""`shingletools run --keep`: the same command goes on from what it kept, and gives what one run gives."""

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from itertools import count, pairwise
from pathlib import Path
from typing import Any

import pytest

from completions import KINDS
from harness import BIN, DATA, ENVIRONMENT, Ran, parser_of, run_here, run_process, shell
from shingletools.record.command_registry import STAGES
from shingletools.running import checkpointing
from shingletools.running.outputs import Output
from shingletools.system.files import State
from test_run import BAD, TO_PAIRS

REMOVAL = f"{TO_PAIRS} | dedup --pairs - bad"
PIPELINES = {  # with the number of parts that are kept
    TO_PAIRS: 1,
    REMOVAL: 2,
    "canon bad | shingle -k 3 | simjoin -t 0.3 | simgroup | dedup --groups - bad --keep longest --annotate": 3,
    "canon --rejects r1 bad | shingle -k 3 --rejects r2 --all-messages | simjoin -t 0.3 --rejects r3 | simgroup": 2,
    "dedup --pairs pairs bad | canon --stop en | shingle -k 2 | sketch | simjoin -t 0.3": 2,
    "parts --by line bad | canon | shingle -k 2 | sketch | simjoin -t 0.5": 1,
    "canon bad --allow-rejects 1 | shingle -k 3 | simjoin": 1,
    "shingle --max-df 3 words | sketch | simjoin -t 0.5 | simgroup": 2,
    "canon --lines lines | shingle -k 1 | simjoin -t 0.5 | simgroup": 2,
    "simgroup pairs | dedup --groups - bad --removed gone | canon | shingle | simjoin": 1,
    "canon docs.jsonl bad | shingle --text nothing | sketch | simjoin | simgroup": 0,  # whose first part fails
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = shutil.copytree(DATA, tmp_path_factory.mktemp("keep") / "data")
    lines = (made / "docs.jsonl").read_bytes().splitlines(keepends=True)
    (made / "bad").write_bytes(b"".join([*lines[:50], BAD, *lines[50:99], BAD, b'{"id":"\xff"}\n']))
    (made / "lines").write_text("One line\nand another one\nOne  line\n")
    (made / "words").write_bytes(run_here("canon docs.jsonl", cwd=made).good())
    (made / "pairs").write_bytes(run_here("shingletools run", "canon docs.jsonl|shingle|simjoin", cwd=made).good())
    return made


@pytest.fixture
def here(folder: Path, tmp_path: Path) -> Path:
    return shutil.copytree(folder, tmp_path / "here")


def run(text: str, here: Path, *options: str) -> Ran:
    return run_here("shingletools", "run", *options, text, cwd=here)


def observed(ran: Ran) -> tuple[int, bytes, str]:
    """All that a run gives, but for its time; the messages of commands that work side by side come in any order."""
    return (
        ran.status,
        ran.out,
        "\n".join(sorted(each for each in ran.err.splitlines() if not each.startswith("shingletools run:"))),
    )


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def kept(here: Path) -> list[str]:
    return sorted(path.name for path in (here / "k").iterdir() if path.name not in {"lock", "kept.json"})


def states(here: Path) -> dict[str, State]:
    return {name: State.read(str(here / "k" / name)) for name in kept(here)}


# Workers make what is kept, whatever the commands behind it are
@pytest.mark.parametrize(
    ("jobs", "text", "count"),
    [*(("1", *each) for each in PIPELINES.items()), *(("2", *each) for each in list(PIPELINES.items())[2:4])],
)
def test_what_one_run_gives(jobs: str, text: str, count: int, here: Path) -> None:
    """Now; after it; and where only some parts were kept, or the lines before them are gone."""
    expected = observed(run(text, here, "-v"))
    files = files_of(here)
    names: list[str] = []
    for done in [0, *range(count, -1, -1)]:
        if names:
            for name in names:  # the lines of one part are there, or of none
                if int(name[0]) != done and ".bad." not in name:
                    (here / "k" / name).unlink()
        for name in ("r1", "r2", "r3", "gone"):
            (here / name).unlink(missing_ok=True)
        ran = run(text, here, "-v", "-j", jobs, "--keep", "k")
        assert observed(ran) == expected
        assert files_of(here) == files
        names = kept(here)
        assert sum(".bad." not in name for name in names) >= min(count, 1)


def test_what_is_kept_is_what_the_shell_makes(here: Path) -> None:
    run(REMOVAL, here, "--keep", "k")
    sketches = subprocess.run(
        "canon bad 2> /dev/null | shingle -k 3 2> /dev/null | sketch 2> /dev/null",
        shell=True,
        capture_output=True,
        cwd=here,
        env=ENVIRONMENT,
        check=False,
    ).stdout
    assert (here / "k" / "1.sketch.jsonl").read_bytes() == sketches
    pairs = run_here("simjoin -t 0.3", here / "k" / "1.sketch.jsonl", cwd=here)
    assert (here / "k" / "2.simjoin.jsonl").read_bytes() == pairs.out


def killed(nth: int, here: Path) -> int:
    """The status of a run in a fork of this process, which is killed at its nth call that concerns files."""
    child = os.fork()
    if not child:
        calls = count(1)

        def counted(real: Callable[..., Any]) -> Callable[..., Any]:
            def call(*arguments: Any, **named: Any) -> Any:
                if next(calls) == nth:
                    os.kill(os.getpid(), signal.SIGKILL)
                return real(*arguments, **named)

            return call

        for name in ("open", "fsync", "replace", "unlink"):
            setattr(os, name, counted(getattr(os, name)))
        os._exit(run(REMOVAL, here, "--keep", "k", "-o", "out").status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # what the fork runs starts no threads
def test_killed_at_each_call_of_the_system(here: Path) -> None:
    """One that concerns files; the last try goes to the end."""
    expected = observed(run(REMOVAL, here))
    done = set()
    for nth in range(1, 1000):
        shutil.rmtree(here / "k", ignore_errors=True)
        ended = killed(nth, here)
        assert ended in {-signal.SIGKILL, expected[0]}
        ran = run(REMOVAL, here, "-v", "--keep", "k")
        assert (ran.status, ran.out) == expected[:2]
        assert [*filter(re.compile(r".*: (bad|-):|.* more like").match, sorted(ran.err.splitlines()))] == (
            expected[2].splitlines()
        )
        done.add(next((line for line in ran.err.splitlines() if "went on" in line), "anew"))
        assert kept(here) == ["1.sketch.bad.jsonl", "1.sketch.jsonl", "2.simjoin.bad.jsonl", "2.simjoin.jsonl"]
        if ended != -signal.SIGKILL:
            break
    went = "shingletools run: went on from k/"
    assert done == {"anew", f"{went}1.sketch.jsonl", f"{went}2.simjoin.jsonl"}


@pytest.mark.slow
def test_killed_at_random_moments(here: Path) -> None:
    """Over and over, until it has gone to the end; workers may be left for a moment."""
    (here / "bad").write_bytes((here / "bad").read_bytes() * 20)
    expected = observed(run(REMOVAL, here))
    kills = 0
    while True:
        words = [str(BIN / "shingletools"), "run", "-j2", "--keep", "k", "-o", "out", REMOVAL]
        process = subprocess.Popen(words, cwd=here, env=ENVIRONMENT, stderr=subprocess.PIPE)
        try:
            _, err = process.communicate(timeout=0.2 + 0.1 * kills)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            kills += 1
            continue
        assert observed(Ran((), process.returncode, (here / "out").read_bytes(), err.decode())) == expected
        break
    assert kills


def test_on_the_disk_before_it_has_a_name(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What loses power keeps what was synced; a file that gets a name is, and the manifest comes after its lines."""
    order: list[tuple[str, str]] = []
    on_disk: set[int] = set()
    fsync, replace = os.fsync, os.replace

    def synced(descriptor: int) -> None:
        on_disk.add(os.fstat(descriptor).st_ino)
        order.append(("synced", os.readlink(f"/proc/self/fd/{descriptor}")))
        fsync(descriptor)

    def replaced(source: str, target: str) -> None:
        assert os.stat(source).st_ino in on_disk
        order.append(("named", os.path.basename(target)))
        replace(source, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", replaced)
    run(REMOVAL, here, "--keep", "k", "-o", "out")
    named = [(number, name) for number, (what, name) in enumerate(order) if what == "named"]
    assert [name for _, name in named] == [
        "kept.json",
        "1.sketch.jsonl",
        "1.sketch.bad.jsonl",
        "kept.json",
        "2.simjoin.jsonl",
        "2.simjoin.bad.jsonl",
        "kept.json",
        "out",
    ]
    for (number, name), (then, after) in pairwise(named):
        if "kept.json" in {name, after}:
            assert ("synced", str(here / "k")) in order[number:then]


@pytest.mark.parametrize(
    ("change", "said", "remade"),
    [
        ("touch", "1.sketch: {here}/bad has changed", 2),
        ("grow", "1.sketch: {here}/bad has changed", 2),
        ("threshold", "2.simjoin: it was made by simjoin -t 0.3", 1),
        ("version", "1.sketch: it was made by another version", 2),
        ("recipe", "1.sketch: it was made by canon bad | shingle -k 3 | sketch", 2),
        ("pairs edited", "2.simjoin: it is not as it was left", 1),
        ("bad gone", "1.sketch: k/1.sketch.bad.jsonl is not as it was left", 2),
        ("both gone", "2.simjoin: it is not as it was left", 2),
        ("docs", "", 0),
        ("shorter", "", 0),
    ],
)
def test_what_has_changed_is_made_anew(
    change: str, said: str, remade: int, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = REMOVAL.replace("pairs - bad", "pairs - docs.jsonl")
    run(text, here, "--keep", "k")
    before = states(here)
    if change in {"touch", "grow"}:
        with open(here / "bad", "ab") as file:
            file.write(b'{"id":"new","text":"a b c"}\n' * (change == "grow"))
        os.utime(here / "bad", ns=(1, 1))
    text = text.replace("0.3", "0.7") if change == "threshold" else text
    text = text.replace("-k 3", "-k 4") if change == "recipe" else text
    text = text.rpartition(" | ")[0] if change == "shorter" else text
    if change == "version":
        monkeypatch.setattr(checkpointing, "__version__", "x")
    if change == "pairs edited":
        (here / "k" / "2.simjoin.jsonl").write_bytes(b"")
    for name in {"bad gone": ["1.sketch.bad.jsonl"], "both gone": ["1.sketch.jsonl", "2.simjoin.jsonl"]}.get(
        change, []
    ):
        (here / "k" / name).unlink()
    if change == "docs":  # which no part that is kept reads
        os.utime(here / "docs.jsonl", ns=(1, 1))
    expected = observed(run(text, here))
    ran = run(text, here, "--keep", "k")
    assert observed(ran) == expected
    first = ran.err.partition("\n")[0]
    onward = "goes on from k/1.sketch.jsonl" if remade == 1 else "begins anew"
    why = f"{said.replace(': ', '.jsonl is not used: ', 1).format(here=here)}; the run {onward}"
    assert first == f"shingletools run: k/{why}" if said else "shingletools" not in ran.err
    after = states(here)
    lines = ("1.sketch.jsonl", "2.simjoin.jsonl")
    assert {*after} >= {*lines}
    assert [name for name in lines if before[name] != after[name]] == [*lines][2 - remade :]
    assert observed(run(text, here, "--keep", "k")) == expected


def test_a_folder_that_is_read(here: Path) -> None:
    """Any file in it counts."""
    text = "canon --recursive texts | shingle -k 1 | simjoin -t 0.5"
    (here / "texts").mkdir()
    (here / "texts" / "a.txt").write_text("one two")
    assert run(text, here, "--keep", "k").good() == b""
    (here / "texts" / "b.txt").write_text("one two")
    ran = run(text, here, "--keep", "k")
    assert ran.out.count(b"\n") == 1
    assert (
        ran.err == f"shingletools run: k/1.shingle.jsonl is not used: {here}/texts has changed; the run begins anew\n"
    )
    assert (run(text, here, "--keep", "k").out, run(text, here).out) == (ran.out, ran.out)


SKETCHES = "canon docs.jsonl | shingle -k 3 | sketch"
MADE = f"""
printf 'docs.jsonl\\0' > names
echo the > list
head -c 32 /dev/zero | base64 > key
shingle -k 1 --df --header words > table
echo '{{"a":1,"b":2,"similarity":1,"against":true}}' > known
simgroup pairs > groups
{SKETCHES} > sketches
shingle -k 1 words > shingles
cp words copy
simindex add archive sketches
simindex add passages -k 5 words
"""
NAMED = [  # options that name what is read, its name, and a pipeline that keeps what is made of it
    ("canon --files0-from", "names", "canon --files0-from NAME | simgroup"),
    ("canon --stop", "list", "canon --stop NAME bad | shingle | simjoin"),
    ("shingle --spots", "list", "shingle -k 2 --spots NAME words | simjoin"),
    ("shingle --key-file", "key", "shingle --key-file NAME words | simjoin"),
    ("shingle --df-table", "table", "shingle -k 1 --max-df 9 --df-table NAME words | simjoin"),
    ("sketch --lexicon", "table", "shingle -k 1 words | sketch --lexicon NAME | simjoin -t 1"),
    ("sketch --weights", "table", "shingle -k 1 words | sketch --top 4 --weights NAME | simjoin -t 1"),
    ("simjoin --weights", "table", "simjoin --weights NAME shingles | simgroup"),
    ("simjoin --against", "sketches", "simjoin --against NAME sketches | dedup --known - docs.jsonl"),
    ("simjoin --against", "archive", "simjoin --against NAME sketches | dedup --known - docs.jsonl"),
    ("simgroup --singletons", "words", "simgroup --singletons NAME pairs | dedup --groups - bad"),
    ("dedup --files0-from", "names", "dedup --known known --files0-from NAME | canon | simtune"),
    ("dedup --pairs", "pairs", "dedup --pairs NAME bad | canon | simtune"),
    ("dedup --known", "known", "dedup --known NAME bad | canon | simtune"),
    ("dedup --without", "words", "dedup --without NAME bad | canon | simtune"),
    ("dedup --groups", "groups", "dedup --groups NAME bad | canon | simtune"),
    ("repeats --against", "words", "repeats --against NAME words | simtune"),
    ("repeats --against", "passages", "repeats --against NAME words | simtune"),
    ("simshow --docs", "words", "simshow --json --docs NAME pairs | simgroup"),
    ("simshow --against", "copy", "simshow --json --docs words --against NAME pairs | simgroup"),
    ("simshow --canon", "list", "simshow --json --docs docs.jsonl --canon '--stop NAME' pairs | simgroup"),
    ("simscore --truth", "pairs", "simscore --truth NAME --docs docs.jsonl pairs | simgroup"),
    ("simscore --docs", "words", "simscore --truth pairs --docs NAME pairs | simgroup"),
    ("simtune --truth", "pairs", "simtune -k 2 --truth NAME words | simgroup"),
    ("simtune --against", "copy", "simtune -k 2 --against NAME words | simgroup"),
    ("simindex DIR", "archive", "simindex dump NAME | simjoin"),
]
WRITTEN = {"--output", "--rejects", "--removed", "--items", "--html", "--temporary-directory"}


@pytest.mark.parametrize(("option", "name", "text"), NAMED)
def test_what_an_option_names_is_an_input(option: str, name: str, text: str, here: Path) -> None:
    """A change of it counts, whether it is a file or an archive."""
    shell(MADE, here).good()
    text = text.replace("NAME", name)
    before = run(text, here, "--keep", "k")
    assert not before.err.startswith("shingletools"), before
    assert "shingletools" not in run(text, here, "--keep", "k").err
    (here / "more").write_bytes(b'{"id":"more","text":"' + b"word " * 20 + b'"}\n')
    if name == "archive":
        shell("canon more | shingle -k 3 | sketch | simindex add archive", here).good()
    elif name == "passages":
        shell("canon more | simindex add passages -k 5", here).good()
    else:
        os.utime(here / name, ns=(1, 1))
    if name == "names":
        (here / name).write_bytes(b"bad\0")
    changed = here / name / "manifest.json" if (here / name).is_dir() else here / name
    ran = run(text, here, "--keep", "k")
    why = "it was made of other files" if option == "dedup --files0-from" else f"{changed} has changed"
    assert f".jsonl is not used: {why}; the run begins anew\n" in ran.err, ran
    assert ran.out == run(text, here).out


def test_all_options_that_name_what_is_read_are_in_the_table() -> None:
    """Of commands that change an archive nothing is kept: of drop --ids."""
    options = {
        f"{command} {action.option_strings[-1] if action.option_strings else action.metavar}"
        for command in STAGES
        for action in parser_of(command)._actions
        if {"<file>", "<dir>"} & {*KINDS.get(str(action.metavar), [])} and action.dest != "files"
    }
    named = {option for option in options if option.split()[1] not in WRITTEN}
    assert {option for option, *_ in NAMED} == named - {"simindex --ids"} | {"simshow --canon"}


def test_an_input_that_changes_meanwhile(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    complete = Output.complete

    def changing(self: Output) -> None:
        os.utime(here / "bad", ns=(1, 1))
        complete(self)

    monkeypatch.setattr(Output, "complete", changing)
    ran = run(REMOVAL, here, "--keep", "k")
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err.splitlines()[-1] == f"shingletools run: {here}/bad has changed while it was read"
    assert "1.sketch.jsonl" not in kept(here)


def test_what_fails_later_costs_nothing(here: Path) -> None:
    (here / "other").write_bytes(b'{"id":1,"sketch":"00000000","via":"mine"}\n')
    text = "canon bad | shingle -k 3 | sketch -n 1 | simjoin -t 1 --against other | simgroup"
    for _ in range(2):
        assert run(text, here, "--keep", "k").status == 2
        assert kept(here) == ["1.sketch.bad.jsonl", "1.sketch.jsonl"]
    assert "went on from k/1.sketch.jsonl" not in run(text, here).err


def test_two_runs_in_one_folder(here: Path) -> None:
    expected = observed(run(REMOVAL, here))
    words = [str(BIN / "shingletools"), "run", "--keep", "k", "-o", "out", REMOVAL]
    process = subprocess.Popen(words, cwd=here, env=ENVIRONMENT, stderr=subprocess.PIPE)
    while not (here / "k" / "kept.json").exists():
        assert process.poll() is None
        time.sleep(0.001)
    process.send_signal(signal.SIGSTOP)
    try:
        ran = run_process("shingletools", "run", "--keep", "k", REMOVAL, cwd=here)
        # It may have come to its end meanwhile
        assert process.poll() is not None or ran.err == "shingletools run: k: another run keeps its parts there\n"
    finally:
        process.send_signal(signal.SIGCONT)
    _, err = process.communicate(timeout=60)
    assert observed(Ran((), process.returncode, (here / "out").read_bytes(), err.decode())) == expected


def test_what_is_refused(here: Path) -> None:
    (here / "strange").mkdir()
    (here / "strange" / "1.sketch.jsonl").write_bytes(b"mine")
    (here / "damaged").mkdir()
    (here / "damaged" / "kept.json").write_bytes(b"{}")
    run(REMOVAL, here, "--keep", "k")
    for words, said in (
        (["canon bad | shingle"], "--keep: no command passes on lines that could be kept"),
        (["canon bad | shingle | sketch | simindex add a | dedup --known - docs.jsonl"], ""),
        (["simgroup pairs | dedup --groups - bad --removed x"], ""),
        (["dedup --pairs pairs bad --removed x | canon | simtune"], "--keep: no command passes on"),
        (["canon | shingle | simjoin"], "--keep: nothing tells whether standard input is the same again: name files"),
        (["canon | shingle | simjoin", "/dev/null"], "/dev/null: not a regular file: --keep must be able to read it"),
        (["--keep", "strange", REMOVAL], "strange: kept.json is missing, but 1.sketch.jsonl is there"),
        (
            ["--keep", "damaged", REMOVAL],
            "damaged/kept.json: not what this version of --keep writes; remove the folder, or name another",
        ),
        (["--keep", "bad", REMOVAL], "--keep bad: Not a directory"),
        ([REMOVAL, "-o", "./k/out"], "./k/out: --keep needs that folder for itself: write to another one"),
        ([f"{REMOVAL} --removed k/x"], "k/x: --keep needs that folder for itself"),
        (["canon --rejects k/1.canon.jsonl bad | simtune"], "k/1.canon.jsonl: --keep needs that folder for itself"),
        (["simjoin k/1.sketch.jsonl | simgroup"], "k/1.sketch.jsonl: --keep may remove that file: copy it, or keep"),
    ):
        before = files_of(here / "k")
        where = [] if "--keep" in words else ["--keep", "k"]
        ran = run_here("shingletools", "run", *where, *words, cwd=here)
        if said:
            assert (ran.status, ran.out) == (2, b"")
            assert ran.err.startswith(f"shingletools run: {said}"), ran
            assert files_of(here / "k") == before
    assert files_of(here / "strange") == {"1.sketch.jsonl": b"mine"}
    assert files_of(here / "damaged") == {"kept.json": b"{}"}


def test_memory_and_workers_are_no_part_of_the_command(here: Path) -> None:
    expected = run(TO_PAIRS, here, "-j", "2", "--keep", "k").out
    ran = run(TO_PAIRS, here, "-v", "-S", "1M", "--keep", "k")
    assert ran.out == expected
    assert "went on from k/1.sketch.jsonl" in ran.err


def test_progress_says_the_part(here: Path) -> None:
    for parts in (["1/3 canon | shingle | sketch", "2/3 simjoin", "3/3 dedup"], ["3/3 dedup"]):
        ran = run(REMOVAL, here, "--progress", "--keep", "k")
        shown = [part.partition(":")[0] for part in ran.err.replace("\n", "\r").split("\r") if "%|" in part]
        assert list(dict.fromkeys(name for name in shown if name[1:2] == "/")) == parts
        assert "100%" in ran.err
