"""The inputs that are kept, of which some have found faults: what targets.py promises holds for each."""

from pathlib import Path

import pytest

from agreement import check_lines
from fuzz.targets import TARGETS
from harness import run

CORPUS = Path(__file__).parent / "corpus"
INPUTS = [(path.parent.name, path) for path in sorted(CORPUS.glob("*/*"))]


@pytest.mark.parametrize(("target", "path"), INPUTS, ids=[f"{target}/{path.name}" for target, path in INPUTS])
def test_corpus(target: str, path: Path) -> None:
    TARGETS[target](path.read_bytes())
    if target == "lines":
        check_lines(path.read_bytes())


def test_each_target_has_inputs() -> None:
    assert {target for target, _ in INPUTS} == set(TARGETS)


# In place of the library that fuzzes: it gives the target one line
ATHERIS = """
from contextlib import nullcontext

def instrument_imports(include):
    return nullcontext()

def Setup(argv, target):
    global fuzzed
    fuzzed = target
    print(argv[1:])

def Fuzz():
    print(fuzzed(b'{"id":1,"text":"a"}'))
"""


def test_guided_finds_what_it_imports(tmp_path: Path) -> None:
    """In a run of its own, which pytest's settings do not reach."""
    (tmp_path / "atheris.py").write_text(ATHERIS)
    words = "python", CORPUS.parent / "guided.py", "lines", "-max_total_time=1"
    assert run(*words, cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)}).good() == b"['-max_total_time=1']\nNone\n"
