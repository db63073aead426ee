"""What the tests of faults share."""

from pathlib import Path

import pytest

import suite
from harness import DOCS


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
