"""A tree that differs from the installed package is reported before any test runs."""

import os
import shutil
import sys
from pathlib import Path

import pytest

import shingletools
from installed import unlike


def test_a_tree_is_compared_with_what_is_installed(tmp_path: Path) -> None:
    """Of another program or of none nothing is said: the tests then are of what is installed."""
    installed = Path(shingletools.__file__).parent
    tree = shutil.copytree(installed, tmp_path / "shingletools", ignore=shutil.ignore_patterns("__pycache__"))
    assert unlike(tree) == unlike(tmp_path / "none") == ""
    (tree / "record" / "wire.py").write_bytes((installed / "record" / "wire.py").read_bytes() + b"#")
    assert unlike(tree) == f"{installed}/record/wire.py is not shingletools/record/wire.py of this tree"
    (tree / "record" / "wire.py").write_bytes((installed / "record" / "wire.py").read_bytes())
    (tree / "kernel" / "new.c").touch()
    assert unlike(tree) == f"{installed}/kernel/new.c is not shingletools/kernel/new.c of this tree"


def test_a_linked_tree_needs_a_kernel_of_its_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Installed with -e, or on the path."""
    kernel = tmp_path / "shingletools" / "kernel"
    kernel.mkdir(parents=True)
    for name in ("__init__.py", "kernel/a.c", "kernel/_kernel.abi3.so"):
        (tmp_path / "shingletools" / name).touch()
    monkeypatch.delitem(sys.modules, "shingletools")
    monkeypatch.syspath_prepend(tmp_path)
    assert unlike(tmp_path / "shingletools") == ""
    os.utime(kernel / "_kernel.abi3.so", (0, 0))
    assert unlike(tmp_path / "shingletools") == "the kernel was built before a.c was changed"
