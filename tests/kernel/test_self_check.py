"""The comparison of the C kernel with its definition, by which a build leaves out a kernel that is wrong."""

import shutil
import subprocess
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from documents import TOP
from harness import run, run_here
from shingletools import kernel
from shingletools.kernel import _kernel, kernel_build, self_check

# What asks something of the system, or gives no result
WITHOUT = {"end_with_parent", "fail_at_exit", "keep_memory", "part_large_arrays", "close"}


@pytest.mark.parametrize("seed", range(5))
def test_c_is_as_defined(seed: int) -> None:
    found = [*self_check.differing(seed)]
    assert [(name, differ) for name, _, differ in found if differ] == []
    assert sum(compared for _, compared, _ in found) > 500


def functions() -> Iterator[tuple[Any, str]]:
    """All of the kernel: functions, and methods of its types."""
    for name, value in vars(_kernel).items():
        owner = value if isinstance(value, type) else _kernel
        for each in vars(value) if owner is value else [name]:
            if not each.startswith("_") and each not in WITHOUT:
                yield owner, each


def spoil(*arguments: Any) -> None:
    """Finds nothing, and writes it."""
    if isinstance(arguments[-1], np.ndarray):
        arguments[-1][:] = 1


@pytest.mark.slow
@pytest.mark.parametrize(("owner", "name"), [*functions()], ids=lambda each: getattr(each, "__name__", each))
def test_no_function_may_be_wrong(owner: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(owner, name, spoil if callable(getattr(owner, name)) else property(lambda _: b""))
    assert any(differ for _, _, differ in self_check.differing())


def test_check_of_a_wrong_kernel(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def all_agree(*arguments: Any) -> None:
        arguments[-1][:] = arguments[0]

    monkeypatch.setattr(_kernel, "agreements", all_agree)
    ran = run_here("shingletools", "--check", cwd=tmp_path)
    message = "the C kernel differs from its definition, so use SHINGLETOOLS_KERNEL=numpy: agreements"
    assert (ran.status, ran.out, ran.err) == (2, b"", f"shingletools: {message}\n")


def test_check() -> None:
    lines = run("shingletools", "--check").good().decode().splitlines()
    assert [line.split(":")[0] for line in lines] == [*self_check.CHECKS]
    without = run("shingletools", "--check", env={"SHINGLETOOLS_KERNEL": "numpy"}).good()
    assert without == b"SHINGLETOOLS_KERNEL=numpy: the C kernel is not used\n"


def test_why_there_is_no_kernel(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    note = tmp_path / kernel_build.NOTE_FILE
    assert note.name == kernel.NOTE_FILE
    for name, value in {"NOTE_FILE": str(note), "WANTED": None, "NAME": "numpy"}.items():
        monkeypatch.setattr(kernel, name, value)
    for cause in ("it was not built", "it could not be compiled: no gcc"):
        said = f"no C kernel, which is several times faster: {cause}\n"
        for command in ("canon", "shingletools"):
            assert run_here(command, "--version", cwd=tmp_path).good().decode().splitlines(True)[1] == said
        assert run_here("shingletools", "--check", cwd=tmp_path).good().decode() == said
        note.write_text("it could not be compiled: no gcc\n")
    monkeypatch.setattr(kernel, "WANTED", "c")
    ran = run_here("canon", cwd=tmp_path)
    assert (ran.status, ran.err) == (2, f"canon: SHINGLETOOLS_KERNEL=c: {said}")


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    copy = tmp_path_factory.mktemp("package") / "shingletools"
    shutil.copytree(TOP / "shingletools", copy, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    return copy


def compiled(package: Path, to: Path) -> Path:
    include = sysconfig.get_paths()["include"]
    sources = sorted((package / "kernel").glob("*.c"))
    subprocess.run(["gcc", "-std=c11", "-O0", "-w", "-fPIC", "-shared", f"-I{include}", *sources, "-o", to], check=True)
    return to


@pytest.mark.slow
def test_a_build_finds_what_a_compiler_made_wrong(package: Path, tmp_path: Path) -> None:
    made = tmp_path / "_kernel.abi3.so"
    assert kernel_build.difference(package, compiled(package, made)) == ""
    rows = package / "kernel/signature_rows.c"
    rows.write_text(rows.read_text("utf-8").replace("same++;", "same += 1 + (i == 9);"), "utf-8")
    assert kernel_build.difference(package, compiled(package, made)) == "agreements"
    made.write_bytes(b"no library")
    assert kernel_build.difference(package, made)
