"""Each task of a run fails once, behind its first rows, and is tried again: the shell's bytes, and nothing twice."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from harness import DOCS, Ran, jsonl, run
from shingletools.spark import arrow_batches
from spark.failing import fail_first
from spark.packing import rejects_of

JOIN = "canon | shingle -k 3 | sketch | simjoin -t 0.5"
BAD = [b"{", b'{"id":"x"}', b""]


@pytest.mark.parametrize(
    ("pipeline", "way"),
    [(f"{JOIN} | simgroup", ("--at-once", "0")), (JOIN, ()), ("dedup --keep longest --pairs {}", ("--at-once", "0"))],
    ids=["join and group in parts", "join at once", "dedup in parts"],
)
def test_each_task_fails_once(
    pipeline: str,
    way: tuple[str, ...],
    simspark: Callable[..., Ran],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines = DOCS.read_bytes().splitlines()[:120]
    ids = [json.loads(line)["id"] for line in lines]
    (tmp_path / "pairs").write_bytes(
        jsonl(*({"a": a, "b": b, "similarity": 1} for a, b in zip(ids, ids[3:], strict=False)))
    )
    (tmp_path / "docs").write_bytes(b"".join(line + b"\n" for line in [*lines[:59], *BAD, *lines[59:], lines[7]]))
    (tmp_path / "failed").mkdir()
    monkeypatch.setattr(arrow_batches, "in_task", partial(fail_first, str(tmp_path / "failed")))
    command = pipeline.format(tmp_path / "pairs")
    ran = simspark(command, "-v", *way, "--in", tmp_path / "docs", "--rejects", tmp_path / "bad")
    expected, rejected = (tmp_path / "docs").read_bytes(), b""
    for each in command.split(" | "):
        there = run(each, "--rejects", tmp_path / "rejects", stdin=expected)
        expected, rejected = there.out, rejected + (tmp_path / "rejects").read_bytes()
    assert (ran.status, ran.out) == (1, expected)
    kept = [line + b"\n" for folder in sorted((tmp_path / "bad").iterdir()) for _, line in rejects_of(folder)]
    assert kept == rejected.splitlines(keepends=True)
    figures = ran.err.splitlines()[-1].split(", ")
    counts = {"simspark: 124 lines read", f"{len(kept)} rejected", f"{len(expected.splitlines())} written"}
    assert counts <= set(figures)
    assert len(list((tmp_path / "failed").iterdir())) > (5 if way else 1)
