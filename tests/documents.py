"""The examples in README and man pages: found, run, and with --refresh written anew for review as a diff.

With --script, the README's commands are printed as a shell script.

An example is a block of lines: a line that begins with "$ " is a command (continued by a backslash at the end of a
line), what follows up to the next command is its output, standard error included. The commands of one document run in
one folder that starts as a copy of tests/data. A line that begins with ">>> " is a statement of Python, continued by
lines that begin with "... "; those of one document run one after the other, too. In README.md a block is fenced as
```console, in a man page it is a literal display.
"""

import contextlib
import io
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from harness import DATA, run_process

TOP = Path(__file__).parents[1]
DOCUMENTS = [TOP / "README.md", *sorted((TOP / "man").glob("*.[1357]"))]
PYTHON = ">>> "
PROMPTS = ("$ ", PYTHON)
CLUSTER = find_spec("pyspark") is not None and shutil.which("java") is not None  # else its examples stay as they are
NAMES: dict[Path, dict[str, object]] = {}  # of Python's statements, by the folder of a document's run
# What a terminal must show as it is typed, in roff
ESCAPES = {"\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti"}


def fences(document: Path) -> tuple[str, str]:
    return ("```console", "```") if document.suffix == ".md" else (".Bd -literal", ".Ed")


def unescape(line: str) -> str:
    for character, escape in reversed(ESCAPES.items()):
        line = line.replace(escape, character)
    return line.removeprefix("\\&")


def escape(line: str) -> str:
    line = "".join(ESCAPES.get(character, character) for character in line)
    return f"\\&{line}" if line.startswith(".") else line


def blocks(document: Path) -> list[tuple[int, list[str]]]:
    """Each example: the number of its first line, from 0, and its lines as a terminal shows them."""
    opening, closing = fences(document)
    lines = document.read_text("utf-8").split("\n")
    found = []
    start = None
    for number, line in enumerate(lines):
        if line.startswith(opening):
            start = number + 1
        elif start is not None and line == closing:
            block = lines[start:number]
            block = [unescape(line) for line in block] if document.suffix != ".md" else block
            if block[0].startswith(PROMPTS):
                found.append((start, block))
            start = None
    return found


def on_a_cluster(block: list[str]) -> bool:
    """Whether an example needs Java."""
    return any(line.startswith("$ simspark ") for line in block)


def steps(block: list[str]) -> list[tuple[str, list[str]]]:
    """Commands and their outputs."""
    found: list[tuple[str, list[str]]] = []
    for line in block:
        if line.startswith(PROMPTS):
            found.append((line.removeprefix("$ "), []))
        elif found[-1][0].endswith("\\") or line.startswith("... "):
            found[-1] = (f"{found[-1][0]}\n{line}", [])
        else:
            found[-1][1].append(line)
    return found


def output(command: str, folder: Path) -> list[str]:
    if command.startswith(PYTHON):
        return python_output("\n".join(line[len(PYTHON) :] for line in command.split("\n")), folder)
    return run_process("bash", "-c", f"exec 2>&1; {command}", cwd=folder).out.decode().split("\n")[:-1]


def python_output(statement: str, folder: Path) -> list[str]:
    """What a statement shows; of an exception that it raises, the last line."""
    shown = io.StringIO()
    names = NAMES.setdefault(folder, {})
    with contextlib.chdir(folder), contextlib.redirect_stdout(shown):
        try:
            exec(compile(f"{statement}\n", str(folder), "single"), names)
        except Exception as error:
            print(f"{type(error).__name__}: {error}")
    return shown.getvalue().split("\n")[:-1]


def refresh(document: Path) -> None:
    """Writes what the commands print today in place of what the document says they print."""
    lines = document.read_text("utf-8").split("\n")
    rewritten = []
    with TemporaryDirectory() as name:
        folder = shutil.copytree(DATA, Path(name) / "data")
        for start, block in blocks(document):
            if on_a_cluster(block) and not CLUSTER:
                continue
            shown = []
            for command, _ in steps(block):
                prompt = "" if command.startswith(PYTHON) else "$ "
                shown += [f"{prompt}{command}".split("\n"), output(command, folder)]
            rewritten.append((start, len(block), [line for part in shown for line in part]))
    for start, length, block in reversed(rewritten):
        lines[start : start + length] = block if document.suffix == ".md" else map(escape, block)
    document.write_text("\n".join(lines), "utf-8")


def script(document: Path) -> str:
    """The commands of a document, one after the other, as a shell script."""
    commands = [command for _, block in blocks(document) for command, _ in steps(block)]
    return "\n".join(["#!/bin/bash", *(command for command in commands if not command.startswith(PYTHON)), ""])


if __name__ == "__main__" and sys.argv[1:] == ["--refresh"]:
    for page in DOCUMENTS:
        refresh(page)
if __name__ == "__main__" and sys.argv[1:] == ["--script"]:
    print(script(DOCUMENTS[0]), end="")
