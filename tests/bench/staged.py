"""Pipelines over one corpus: what several of them have in common is made once."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from harness import ENVIRONMENT

WORDS = "canon | shingle -k 1 --df"
Pair = tuple[str, str]


class Staged:
    """What stages make of a file of documents, in files of a folder.

    A pipeline is written as in a shell. In it {words} stands for a table of the words of all documents.
    """

    def __init__(self, folder: Path, documents: list[tuple[str, str]]) -> None:
        self.folder = folder
        self._made = {"": folder / "docs.jsonl"}
        with self._made[""].open("w") as lines:
            for identity, text in documents:
                lines.write(json.dumps({"id": identity, "text": text}, ensure_ascii=False) + "\n")

    def made(self, pipeline: str) -> Path:
        """The output of a pipeline."""
        if pipeline not in self._made:
            before, _, stage = pipeline.rpartition(" | ")
            source = self.made(before)
            words = [str(self.made(WORDS)) if word == "{words}" else word for word in stage.split()]
            target = self.folder / str(len(self._made))
            with target.open("wb") as out:
                subprocess.run([*words, str(source)], stdout=out, env=environment(), check=True)
            self._made[pipeline] = target
        return self._made[pipeline]

    def pairs(self, pipeline: str) -> Iterator[tuple[Pair, float]]:
        """Ids and similarity."""
        return pairs_of(self.made(pipeline))


def pairs_of(path: Path) -> Iterator[tuple[Pair, float]]:
    """Those in a file: ids and similarity."""
    with path.open("rb") as lines:
        for line in lines:
            record = json.loads(line)
            yield (record["a"], record["b"]), record["similarity"]


def environment() -> dict[str, str]:
    """That of all tests, and the kernel that was asked for."""
    kernel = os.environ.get("SHINGLETOOLS_KERNEL")
    return ENVIRONMENT | ({"SHINGLETOOLS_KERNEL": kernel} if kernel else {})
