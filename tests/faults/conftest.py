"""What the tests of faults share."""

from pathlib import Path

import pytest

from harness import COMMANDS, DOCS, pipe, program


@pytest.fixture(scope="session")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One file of input for each command, of a few megabytes, which makes megabytes of output."""
    folder = tmp_path_factory.mktemp("inputs")
    lines = DOCS.read_bytes().splitlines()
    data = b"".join(line.replace(b'{"id":"', b'{"id":"%d-' % copy) + b"\n" for copy in range(12) for line in lines)
    (folder / "dedup").write_bytes(data)
    for command, stage in zip(COMMANDS, ("canon", "shingle", "sketch", "simjoin -t 0.3", "cat"), strict=False):
        (folder / program(command)).write_bytes(data)
        data = pipe(data, stage)
    return folder
