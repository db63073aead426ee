"""The examples of simspark in README and man pages keep their word."""

import doctest
import importlib
import os
import pkgutil
import shutil
from pathlib import Path

import pytest

from documents import DOCUMENTS, blocks, on_a_cluster, output, steps
from harness import DATA
from shingletools import spark
from spark.cluster import JAVA, QUICK

FOUND = [(document, step) for document in DOCUMENTS for _, block in blocks(document) if on_a_cluster(block)
         for step in steps(block)]  # fmt: skip


def test_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "JDK_JAVA_OPTIONS", JAVA)
    monkeypatch.setitem(os.environ, "SPARK_CONF_DIR", str(tmp_path))
    (tmp_path / "spark-defaults.conf").write_text("".join(f"{name} {value}\n" for name, value in QUICK.items()))
    assert {document.name for document, _ in FOUND} == {"README.md", "simspark.1"}
    for document, (command, expected) in FOUND:
        folder = tmp_path / document.name
        if not folder.exists():
            shutil.copytree(DATA, folder)
        assert output(command, folder) == expected, command


@pytest.mark.parametrize("name", [name for _, name, _ in pkgutil.iter_modules(spark.__path__, "shingletools.spark.")])
def test_docstrings(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0
