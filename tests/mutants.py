"""Changes of the source that the tests must notice: `python tests/mutants.py [WORD ...]`.

Each one of data/mutants.txt is made alone, in a copy of the package in an environment of its own, where the tests that
are said to guard it are run until one fails. Those that no test notices are printed at the end, and the status is 1 if
one of them has no reason with it. With words, only mutants in whose file or text one of them stands. One whose old
text is gone is an error: state it anew. A file is named without its folder, since these move; so does code, so that a
text which the file lacks may stand in any other.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import venv
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

TOP = Path(__file__).parents[1]
JOBS = os.cpu_count() or 1
LONGEST = 900  # seconds that tests may take; a mutant that makes them wait is noticed, too
EDGE = 10**9  # where files get times, each another one: Python knows a changed source by time and size


class Mutant(NamedTuple):
    """A change of a source, and the tests that notice it."""

    file: str
    tests: str  # files of tests, or tests in them, as pytest names them
    old: str  # stands once in one file
    new: str
    reason: str  # why it need not be noticed


def mutants() -> Iterator[Mutant]:
    """Those of data/mutants.txt: FILE: TESTS, then the old text after -, the new after +, perhaps a reason after =."""
    for block in (TOP / "tests" / "data" / "mutants.txt").read_text().split("\n\n"):
        if not block.startswith("#"):
            head, *lines = block.strip("\n").split("\n")
            file, _, tests = head.partition(": ")
            yield Mutant(file, tests, *("\n".join(line[1:] for line in lines if line[0] == sign) for sign in "-+="))


class Copy:
    """The package and its tests in a folder, with an environment that has the first and all else that this one has."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        venv.create(folder / "venv", with_pip=False)
        self.python = folder / "venv" / "bin" / "python"
        (site,) = (folder / "venv").glob("lib/python*/site-packages")
        self.package = site / "shingletools"
        (site / "others.pth").write_text("".join(f"{path}\n" for path in sys.path if path.endswith("-packages")))
        ignored = shutil.ignore_patterns("__pycache__", "*.so")
        shutil.copytree(TOP / "shingletools", self.package, ignore=ignored)
        shutil.copytree(TOP / "tests", folder / "tests", ignore=ignored)
        shutil.copy(TOP / "pyproject.toml", folder)
        for launcher in (TOP / "bin").iterdir():
            script = folder / "venv" / "bin" / launcher.name
            script.write_text(f"#!{self.python}\n{launcher.read_text().partition(chr(10))[2]}")
            script.chmod(0o755)
        self.times = count(EDGE)
        self.build(self.package.rglob("*.c"))

    def build(self, sources: Iterable[Path]) -> None:
        """Compiles sources of the kernel, and links all."""
        include = sysconfig.get_paths()["include"]
        options = ["-std=c11", "-pthread", "-O1", "-fPIC"]
        (self.folder / "objects").mkdir(exist_ok=True)
        for source in sources:
            made = self.folder / "objects" / f"{source.stem}.o"
            subprocess.run(["cc", *options, f"-I{include}", "-c", source, "-o", made], check=True)
        (kernel,) = self.package.rglob("_kernel.c")
        objects = sorted((self.folder / "objects").iterdir())
        subprocess.run(["cc", *options, "-shared", *objects, "-o", kernel.with_name("_kernel.abi3.so")], check=True)

    def write(self, path: Path, text: str) -> None:
        path.write_text(text)
        time_ = next(self.times)
        os.utime(path, (time_, time_))
        if path.suffix in {".c", ".h"}:
            self.build([path] if path.suffix == ".c" else self.package.rglob("*.c"))

    def fails(self, tests: str) -> str:
        """What pytest says at the end if one of these tests fails; nothing if all pass."""
        # To show in what long outputs differ, pytest would take minutes
        words = [str(self.python), "-P", "-m", "pytest", "-qx", "-p", "no:cacheprovider", "--assert=plain"]
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {"CI": "mutants"}
        try:
            ran = subprocess.run(
                [*words, *(path_of(test, self.folder) for test in tests.split())],
                cwd=self.folder,
                env=environment,
                capture_output=True,
                text=True,
                timeout=LONGEST,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return "the tests do not end"
        if ran.returncode not in (0, 1):
            raise SystemExit(f"{tests}: pytest ended with {ran.returncode}\n{ran.stdout}{ran.stderr}")
        return ran.stdout.splitlines()[-1] if ran.returncode else ""

    def is_noticed(self, mutant: Mutant) -> str:
        """What pytest says of it; nothing if no test fails."""
        path = place_of(mutant, self.package)
        before = path.read_text()
        try:
            self.write(path, before.replace(mutant.old, mutant.new))
            return self.fails(mutant.tests)
        finally:
            self.write(path, before)


def path_of(test: str, top: Path) -> str:
    """Tests as pytest is to be given them, from the end of the path of their file or folder. Raises SystemExit."""
    file, colons, name = test.partition("::")
    found = [path for path in (top / "tests").rglob(Path(file).name) if f"{path}".endswith(f"/{file}")]
    if len(found) != 1 or (name and f"def {name.partition('[')[0]}(" not in found[0].read_text()):
        raise SystemExit(f"{test}: no such test")
    return f"{found[0].relative_to(top)}{colons}{name}"


def place_of(mutant: Mutant, package: Path) -> Path:
    """The file in which its old text stands: of its name, or any. Raises SystemExit unless it stands in one, once."""
    for name in (mutant.file, "*.py", "*.[ch]"):
        found = [path for path in package.rglob(name) if path.read_text().count(mutant.old) == 1]
        if len(found) == 1:
            return found[0]
    raise SystemExit(f"{mutant.file}: neither there nor in one other file, once: {mutant.old!r}")


def main(words: list[str]) -> int:
    chosen = [each for each in mutants() if not words or any(word in f"{each.file} {each.old}" for word in words)]
    for mutant in chosen:
        place_of(mutant, TOP / "shingletools")
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copies: SimpleQueue[Copy] = SimpleQueue()
        for number in range(JOBS):
            copies.put(Copy(Path(folder, str(number))))

        def with_copy(task: Mutant | str) -> str:
            copy = copies.get()
            begun = time.monotonic()
            try:
                said = copy.fails(task) if isinstance(task, str) else copy.is_noticed(task)
            finally:
                copies.put(copy)
            what = task if isinstance(task, str) else f"{task.file}: {task.old.strip()!r}"
            print(f"{time.monotonic() - begun:4.0f} s  {what}: {said or 'no test fails'}", flush=True)
            return said

        with ThreadPoolExecutor(JOBS) as pool:
            tests = dict.fromkeys(word for each in chosen for word in each.tests.split())
            if broken := [said for said in pool.map(with_copy, tests) if said]:
                print("tests fail without a change", *broken, sep="\n")
                return 2
            noticed = list(pool.map(with_copy, chosen))
    survivors = [mutant for mutant, said in zip(chosen, noticed, strict=True) if not said]
    for mutant in survivors:
        print(f"survives: {mutant.file}: {mutant.old!r} as {mutant.new!r}: {mutant.reason or 'write a test'}")
    print(f"{len(chosen)} mutants, {len(survivors)} survive")
    return int(not all(mutant.reason for mutant in survivors))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
