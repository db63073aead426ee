"""Coverage-guided fuzzing of a target, of the Python code and of the C kernel if that was built for it.

usage: python tests/fuzz/guided.py TARGET [OPTIONS of libFuzzer] [CORPUS]

TARGET is a function of targets.py. `tests/fuzz/run SECONDS` fuzzes them all, with a kernel that clang has built for
libFuzzer and with sanitizers. Needs atheris, which has libFuzzer in it.
"""

import sys
from pathlib import Path

import atheris

sys.path.insert(0, str(Path(__file__).parents[1]))
with atheris.instrument_imports(include=["shingletools", "agreement", "fuzz"]):
    from fuzz.targets import TARGETS


def main() -> None:
    target = TARGETS[sys.argv.pop(1)]
    atheris.Setup(sys.argv, target)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
