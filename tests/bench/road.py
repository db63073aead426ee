"""Counts the functions and files of the package that one record of a command passes.

usage: python tests/bench/road.py [JOB ...]

Each job runs in a process of its own on two records, in one thread. Functions that run while a module is imported,
class bodies, lambdas and comprehensions do not count; changes are those from a file to another one. Openings are those
of the input, which is read in each.
"""

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from types import FrameType

import shingletools
from shingletools.running.launch import main as begin

RUNNER = "shingletools.running.shingletools_command"
DOCS = '{"id":1,"text":"The cat sat on the mat"}\n{"id":2,"text":"the cat sat on a mat"}\n'
JOBS = {
    "canon": "canon docs.jsonl",
    "simjoin": "simjoin sketches.jsonl",
    "dedup": "dedup --pairs pairs.jsonl docs.jsonl",
    "run": "shingletools run 'canon docs.jsonl | shingle -k 2 | sketch | simjoin -t 0.5'",
    "unique": "shingletools unique docs.jsonl",
}
INPUT = {"simjoin": "sketches.jsonl"}


def main(names: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name, make in {"docs": "", "sketches": "canon docs.jsonl | shingle -k 2 | sketch", "pairs": ""}.items():
            path = Path(folder, f"{name}.jsonl")
            made = DOCS if name == "docs" else '{"a":1,"b":2,"similarity":0.9}\n'
            if make:
                made = subprocess.run(make, shell=True, cwd=folder, capture_output=True, text=True, check=True).stdout
            path.write_text(made)
        for name in names or JOBS:
            subprocess.run([sys.executable, __file__, "--trace", name], cwd=folder, check=True)


def trace(name: str) -> None:
    """Runs a job in this process, and prints its counts."""
    command, *argv = shlex.split(JOBS[name])
    functions: dict[str, set[str]] = {}
    importing, changes, last = 0, 0, ""
    root, opened = shingletools.__path__[0] + os.sep, 0

    def profile(frame: FrameType, event: str, _: object) -> None:
        nonlocal importing, changes, last
        code = frame.f_code
        if code.co_name == "<module>":
            importing += {"call": 1, "return": -1}.get(event, 0)
        if event != "call" or importing or code.co_name[0] == "<" or not code.co_filename.startswith(root):
            return
        if not code.co_flags & 2:  # CO_NEWLOCALS: a class body has none
            return
        file = code.co_filename.removeprefix(root)
        functions.setdefault(file, set()).add(f"{code.co_qualname}:{code.co_firstlineno}")
        changes += file != last
        last = file

    def audit(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal opened
        if event == "open":
            opened += os.path.basename(str(arguments[0])) == INPUT.get(name, "docs.jsonl")

    sys.addaudithook(audit)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.argv = [command, *argv]
    sys.setprofile(profile)
    begin(command, RUNNER if command == "shingletools" else "")
    sys.setprofile(None)
    count = sum(map(len, functions.values()))
    line = f"{name}: {count} functions in {len(functions)} files, {changes} changes of file"
    print(f"{line}, {opened} openings of the input", file=sys.stderr)
    if os.environ.get("ROAD_LIST"):
        for file in sorted(functions):
            print(f"  {file}: {' '.join(sorted(functions[file]))}", file=sys.stderr)


if __name__ == "__main__":
    trace(sys.argv[2]) if sys.argv[1:2] == ["--trace"] else main(sys.argv[1:])
