"""What the tests of faults share."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

import suite
from harness import DOCS, program, run


@pytest.fixture(scope="session")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One file of input for each command, of a few megabytes, which makes megabytes of output."""
    folder = tmp_path_factory.mktemp("inputs")
    lines = DOCS.read_bytes().splitlines()
    data = b"".join(
        line.replace(b'{"id":"', b'{"id":"%d-' % copy) + b"\n" for copy in range(suite.COPIES) for line in lines
    )
    for name, content in suite.inputs(data).items():
        (folder / name).write_bytes(content)
    return folder


@pytest.fixture(scope="session")
def few(inputs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first lines of each, for faults that come whatever the size: less than a block."""
    folder = tmp_path_factory.mktemp("few")
    for path in inputs.iterdir():
        (folder / path.name).write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:40]))
    return folder


@pytest.fixture(scope="session")
def whole(inputs: Path) -> Callable[[str], bytes]:
    """What a command makes of its input where nothing fails, made once."""
    return cache(lambda command: run(command, inputs / program(command)).good())
