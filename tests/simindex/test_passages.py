"""An archive of passages: it keeps documents as they came, whatever fails, and says what it was made for."""

import errno
import os
import random
import shutil
import signal
from pathlib import Path

import pytest

from harness import Record, jsonl, run, run_here
from simindex.test_faults import dumped, run_failing

FAULTS = [("write", errno.ENOSPC), ("write", 0), ("fsync", 0), ("replace", 0)]  # 0: killed
ACTIONS = ("add archive -k 3 --replace edited", "merge archive")


def documents(chance: random.Random, ids: range) -> list[Record]:
    """Of few words, so that some are short or empty, and many have passages in common."""
    words = [[chance.choice("abc") for _ in range(chance.randrange(12))] for _ in ids]
    return [{"id": number, "text": " ".join(some)} for number, some in zip(ids, words, strict=True)]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive of two segments, of which one has a dropped document, and what comes next."""
    folder, chance = tmp_path_factory.mktemp("made"), random.Random(5)
    for name, ids in (("one", range(8)), ("two", range(8, 14)), ("edited", range(5, 20))):
        (folder / name).write_bytes(jsonl(*documents(chance, ids)))
    (folder / "first").write_bytes(jsonl({"id": 0}))
    for command in ("add archive -k 3 one", "add archive -k 3 two", "drop archive --ids first"):
        run_here(f"simindex {command}", cwd=folder).good()
    return folder


def test_what_it_keeps(tmp_path: Path) -> None:
    """Lines, byte for byte; a record comes again, is bad, or replaces another, as in any archive."""
    docs = documents(random.Random(1), range(40))
    for some in (docs[:15], docs[10:30], docs[30:], docs[:3]):
        run_here("simindex add A -k 4 --id id --as day", stdin=jsonl(*some), cwd=tmp_path).good()
    assert dumped(tmp_path, "A") == jsonl(*docs)
    edited = {"text": "b a b a b", "via": "", "id": 7, "at": "0-1 2-3 4-5 6-7 8-9", "more": [1]}
    ran = run_here("simindex add A -k 4", stdin=jsonl(docs[0], edited), cwd=tmp_path)
    assert (ran.status, ran.err) == (1, "simindex: -:2: A has another record of id 7\n")
    run_here("simindex add A -k 4 --replace", stdin=jsonl(edited), cwd=tmp_path).good()
    run_here("simindex drop A --ids -", stdin=jsonl({"id": 20}, {"id": 99}), cwd=tmp_path).good()
    left = jsonl(*docs[:7], *docs[8:20], *docs[21:], edited)
    assert dumped(tmp_path, "A") == left
    run_here("simindex merge A", cwd=tmp_path).good()
    run_here("simindex check A", cwd=tmp_path).good()
    assert dumped(tmp_path, "A") == left
    (listed,) = run_here("simindex list A", cwd=tmp_path).records()
    assert (listed["documents"], listed["k"], listed["field"], len(listed["segments"])) == (39, 4, "text", 1)


def test_kernels_write_the_same_bytes(made: Path, tmp_path: Path) -> None:
    for kernel in ("c", "numpy"):
        env = {"SHINGLETOOLS_KERNEL": kernel}
        run("simindex", "add", tmp_path / kernel, "-k3", made / "one", "-j2", env=env).good()
    files = [[each.read_bytes() for each in sorted((tmp_path / kernel).iterdir())] for kernel in ("c", "numpy")]
    assert files[0] == files[1]


def test_what_does_not_fit(made: Path, tmp_path: Path) -> None:
    signed = jsonl({"id": 1, "sketch": "0000000a 0000000b"})
    run_here("simindex add S", stdin=signed, cwd=tmp_path).good()
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    keeps = "the archive keeps passages (simindex add -k 3), which repeats --against asks for"
    for command, stdin, said in (
        ("simindex add S -k 3 one", b"", "S: the archive keeps signatures, not passages"),
        ("simindex add archive -k 4 one", b"", "archive: the archive was made for -k 3, not for -k 4"),
        (
            "simindex add archive -k 3 --text t one",
            b"",
            "archive: the archive was made for --text text, not for --text t",
        ),
        ("simindex add archive", signed, f"archive: {keeps}"),
        ("simjoin --against archive", signed, f"archive: {keeps}"),
        (
            "simindex add archive -k 3",
            jsonl({"id": 50, "text": "a", "via": "canon"}),
            '-:1: made by "canon", but the archive by an unnamed recipe',
        ),
        (
            "simindex add archive -k 3 -t 0.8",
            b"",
            "-k cannot be combined with -t, -m, -d or --unless-known, which compare signatures",
        ),
        ("simindex merge archive -k 3", b"", "merge cannot be combined with -k, only add can"),
        ("simindex add archive --text t", b"", "--text needs -k"),
        *(
            (f"simindex add N -k 3 {options}", b"", f'the id and the text need fields of their own, not "{field}"')
            for options, field in (("--text id", "id"), ("--id at", "at"), ("--text source.x", "source.x"))
        ),
    ):
        ran = run_here(command, stdin=stdin, cwd=tmp_path)
        assert (ran.status, ran.err) == (2, f"{command.split()[0]}: {said}\n")
    bad = jsonl({"id": 60, "text": 7}, {"id": 61, "text": "a b", "at": "0-1"}, {"id": 62, "text": "b b a"})
    ran = run_here("simindex add archive -k 3", stdin=bad, cwd=tmp_path)
    causes = 'field "text" is not a string', 'field "at" has 1 places for 2 words'
    assert (ran.status, ran.err) == (1, "".join(f"simindex: -:{at}: {said}\n" for at, said in enumerate(causes, 1)))
    assert dumped(tmp_path).endswith(jsonl({"id": 62, "text": "b b a"}))
    for options, name, has in (
        ("--text body", "body", '"id", "text"'),
        ("", "text", '"word": --text NAME says which is meant'),
    ):
        words = jsonl({"id": 1, "word" if name == "text" else "text": "a b c", "via": "canon/4"})
        ran = run_here(f"simindex add new -k 3 {options}", stdin=words, cwd=tmp_path)
        assert ran.err.splitlines()[0] == f'simindex: -:1: field "{name}" is missing; the record has {has}'


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # what the fork runs starts no threads
@pytest.mark.parametrize("action", ACTIONS)
def test_every_call_that_fails(action: str, made: Path, tmp_path: Path) -> None:
    """The state before, or the state after; and the same run, said again, leads there."""
    folder, command = tmp_path / "made", f"simindex {action}"
    shutil.copytree(made, folder)
    run_here(command, cwd=folder).good()
    before, after = dumped(made), dumped(folder)
    for function, error in FAULTS:
        for nth in range(1, 60):
            shutil.rmtree(folder)
            shutil.copytree(made, folder)
            ran = run_failing(command, folder, function, nth, error)
            assert ran.status in {0, 2, -signal.SIGKILL}
            assert dumped(folder) in ({after} if ran.status == 0 else {before, after})
            assert ran.status != 2 or ran.err.endswith(f": {os.strerror(error)}\n")
            run_here("simindex check archive", cwd=folder).good()
            run_here(command, cwd=folder).good()
            assert dumped(folder) == after
            if ran.status == 0:
                break
        assert ran.status == 0
