"""The examples of simspark in its page keep their word."""

import doctest
import importlib
import json
import os
import pkgutil
import shutil
import socket
import sys
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from documents import DOCUMENTS, blocks, on_a_cluster, output, steps
from harness import DATA, ENVIRONMENT
from shingletools import spark
from shingletools.running import driver
from shingletools.spark import command

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FOUND = [
    (document, step)
    for document in DOCUMENTS
    for _, block in blocks(document)
    if on_a_cluster(block)
    for step in steps(block)
]
# In place of simspark: the session that is here runs it, as it would take some seconds to start another for each
ASKING = """#!{python}
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as here:
    here.connect({path!r})
    here.sendall(json.dumps([os.getcwd(), sys.argv[1:]]).encode() + b"\\n")
    status, said = json.loads(here.makefile().readline())
sys.stderr.write(said)
sys.exit(status)
"""


Go = Callable[[str], None]


def goes_to(spark: "SparkSession") -> Go:
    """What makes a folder the one in which Python and Java look."""
    machine = spark._jvm
    assert machine is not None
    hadoop = machine.org.apache.hadoop.fs
    system = hadoop.FileSystem.get(spark.sparkContext._jsc.hadoopConfiguration())

    def go(folder: str) -> None:
        os.chdir(folder)
        system.setWorkingDirectory(hadoop.Path(folder))

    return go


def serve(server: socket.socket, done: "Future[None]", capfd: pytest.CaptureFixture[str], go: Go) -> None:
    """Runs what is asked for, in this thread, until that is done."""
    server.settimeout(0.05)
    while not done.done():
        try:
            asker, _ = server.accept()
        except TimeoutError:
            continue
        with asker:
            asker.settimeout(None)
            folder, argv = json.loads(asker.makefile().readline())
            go(folder)
            capfd.readouterr()
            status = driver.main("simspark", argv, own=command.run)
            asker.sendall(json.dumps([status, capfd.readouterr().err]).encode() + b"\n")
    done.result()


def run_all(folder: Path) -> None:
    for document, (example, expected) in FOUND:
        here = folder / document.name
        if not here.exists():
            shutil.copytree(DATA, here)
        assert output(example, here) == expected, example


def test_examples(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert {document.name for document, _ in FOUND} == {"simspark.1"}
    (tmp_path / "bin").mkdir()
    asking, path = tmp_path / "bin" / "simspark", str(tmp_path / "socket")
    asking.write_text(ASKING.format(python=sys.executable, path=path))
    asking.chmod(0o755)
    monkeypatch.setitem(ENVIRONMENT, "PATH", f"{asking.parent}:{ENVIRONMENT['PATH']}")
    with socket.socket(socket.AF_UNIX) as server, ThreadPoolExecutor(1) as other:
        server.bind(path)
        server.listen()
        before, go = os.getcwd(), goes_to(request.getfixturevalue("spark"))
        try:
            serve(server, other.submit(run_all, tmp_path), capfd, go)
        finally:
            go(before)


def test_docstrings() -> None:
    names = [name for _, name, _ in pkgutil.iter_modules(spark.__path__, "shingletools.spark.")]
    failed = {name: doctest.testmod(importlib.import_module(name)).failed for name in names}
    assert {name: number for name, number in failed.items() if number} == {}
