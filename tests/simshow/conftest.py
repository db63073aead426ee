"""Three documents in a folder, and the pairs of the sample documents."""

from pathlib import Path

import pytest

from harness import DOCS, jsonl, pipe
from simshow.samples import ONE, THREE, TWO


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "docs").write_bytes(jsonl(ONE, TWO, THREE))
    return tmp_path


@pytest.fixture(scope="module")
def pairs() -> bytes:
    """Of the sample documents, with the exact Jaccard of their shingles of 10 words."""
    return pipe(DOCS.read_bytes(), "canon", "shingle -k 10", "simjoin -t 0.3")
