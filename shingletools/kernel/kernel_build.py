"""Compiles the C kernel, and leaves it out if it differs from its definition. Only a build runs this."""

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from setuptools import Extension
from setuptools.command.build_ext import build_ext

NOTE_FILE = "left_out.txt"  # kernel/__init__.py reads it
NEEDED_PACKAGES = ("numpy", "blake3")  # for the definition
MAX_CHECK_SECONDS = 300


def difference(package: Path, compiled: Path) -> str:
    """Returns the functions in which a compiled kernel differs from its definition; empty if there are none."""
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder, "shingletools")
        top.mkdir()
        shutil.copy(package / "__init__.py", top)
        shutil.copytree(package / "kernel", top / "kernel", ignore=shutil.ignore_patterns("*.so", "*.c", "*.h"))
        shutil.copy(compiled, top / "kernel")
        check = [sys.executable, "-m", "shingletools.kernel.self_check"]
        try:
            done = subprocess.run(
                check, cwd=folder, stdout=subprocess.PIPE, text=True, timeout=MAX_CHECK_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            return "it has no end"
    return "" if not done.returncode else done.stdout.strip() or f"it ended with status {done.returncode}"


def is_foreign() -> bool:
    """Returns whether the kernel is built for another kind of machine."""
    platform = os.environ.get("_PYTHON_HOST_PLATFORM")  # set by those who build for other machines
    return platform is not None and not platform.endswith(os.uname().machine)


class BuildExt(build_ext):
    """Builds the package; without a kernel if none works, with a note that says why."""

    def build_extension(self, ext: Extension) -> None:
        package = Path("shingletools").absolute()
        made = Path(self.get_ext_fullpath(ext.name))
        home = package / "kernel" if self.editable_mode else made.parent
        for each in (made, home / made.name, home / NOTE_FILE):  # of an earlier build
            each.unlink(missing_ok=True)
        try:
            super().build_extension(ext)
        except Exception as error:  # of any compiler
            cause = f"it could not be compiled: {error}"
        else:
            cause = self.checked(package, made)
        if cause:
            made.unlink(missing_ok=True)
            home.mkdir(parents=True, exist_ok=True)
            (home / NOTE_FILE).write_text(f"{cause}\n", "utf-8")
            self.warn(f"the package gets no C kernel, so it will be several times slower: {cause}")

    def checked(self, package: Path, made: Path) -> str:
        """Returns why the kernel must be left out; empty if it may stay."""
        if is_foreign():
            self.warn("the C kernel is for another machine, and was not checked; shingletools --check does that there")
        elif lacking := [name for name in NEEDED_PACKAGES if importlib.util.find_spec(name) is None]:
            self.warn(f"the C kernel was not checked: {' and '.join(lacking)} missing; shingletools --check does that")
        elif found := difference(package, made):
            return f"it differs from its definition: {found}"
        return ""
