"""repeats --against on a cluster: the shell's bytes, with the reference in each task."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from harness import DOCS, Ran, jsonl, pipe, run

Simspark = Callable[..., Ran]
BAD = b'{"id":1\n'
SHORT = "--against: items of fewer than 8 words are not looked for: 1"


@pytest.fixture(scope="module")
def items(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every seventh document, of every third only its first words; one item is too short."""
    path = tmp_path_factory.mktemp("items") / "items"
    documents = [json.loads(line) for line in DOCS.read_bytes().splitlines()[::7]]
    some = [each | {"text": each["text"][: 90 if number % 3 else None]} for number, each in enumerate(documents)]
    path.write_bytes(pipe(jsonl(*some, {"id": "short", "text": "a library"}), "canon"))
    return path


@pytest.mark.parametrize(
    "commands",
    [
        ["canon --offsets", "repeats -k 9 --against {}"],
        [
            "canon --offsets",
            "repeats -k 9 --against {} --share 1/2 --cut --drop 0.9",
            "canon",
            "shingle -k 5",
            "simjoin",
        ],
    ],
    ids=["marks", "cuts"],
)
def test_documents(commands: list[str], items: Path, simspark: Simspark, tmp_path: Path) -> None:
    """Of two inputs, with a bad record; the shell reads them as one."""
    lines = DOCS.read_bytes().splitlines(keepends=True)
    (tmp_path / "one").write_bytes(b"".join(lines[:200]))
    (tmp_path / "two").write_bytes(BAD + b"".join(lines[200:]))
    commands = [each.format(items) for each in commands]
    ran = simspark(" | ".join(commands), "--in", tmp_path / "one", "--in", tmp_path / "two")
    marked = run(commands[1], stdin=pipe(DOCS.read_bytes(), commands[0]))
    assert marked.err == f"repeats: {SHORT}\n"
    assert (ran.status, ran.out) == (1, pipe(marked.out, *commands[2:]))
    assert ran.err == "simspark: canon: not JSON (column 8)\n"
