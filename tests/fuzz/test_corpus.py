"""The inputs that are kept, of which some have found faults: what targets.py promises holds for each."""

from pathlib import Path

import pytest

from agreement import check_lines
from fuzz.targets import TARGETS

CORPUS = Path(__file__).parent / "corpus"
INPUTS = [(path.parent.name, path) for path in sorted(CORPUS.glob("*/*"))]


@pytest.mark.parametrize(("target", "path"), INPUTS, ids=[f"{target}/{path.name}" for target, path in INPUTS])
def test_corpus(target: str, path: Path) -> None:
    TARGETS[target](path.read_bytes())
    if target == "lines":
        check_lines(path.read_bytes())


def test_each_target_has_inputs() -> None:
    assert {target for target, _ in INPUTS} == set(TARGETS)
