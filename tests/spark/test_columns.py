"""Parquet in: which of its columns matter."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from harness import DOCS, Ran, jsonl, pipe

Simspark = Callable[..., Ran]
RECORDS = [json.loads(line) for line in DOCS.read_bytes().splitlines()]
NUMBERED = [{"id": number, "text": record["text"]} for number, record in enumerate(RECORDS)]


def kept(folder: Path) -> Mapping[str, bytes]:
    return {each.name: b"".join(path.read_bytes() for path in sorted(each.glob("part-*")))
            for each in sorted(folder.iterdir())}  # fmt: skip


@pytest.mark.parametrize("rejects", [False, True])
def test_a_join_reads_the_columns_of_its_commands(rejects: bool, simspark: Simspark, tmp_path: Path) -> None:
    """Another one makes no record bad; if bad ones are to be kept, they have all columns."""
    records = [*NUMBERED, {"id": 300, "text": None}]
    columns = {name: [record[name] for record in records] for name in ("id", "text")}
    bad = pa.array([b"caf\xe9"] * len(records)).view(pa.string())
    others = (
        {"bad": bad}
        if rejects
        else {"bad": bad, "m": pa.array([[(b"k", 1)]] * len(records), pa.map_(pa.binary(), pa.int8()))}
    )
    pq.write_table(pa.table(columns | others), tmp_path / "docs.parquet")
    commands = "canon", "shingle -k 3", "sketch", "simjoin -t 0.5"
    words = ["--rejects", tmp_path / "bad"] if rejects else []
    ran = simspark(" | ".join(commands), "--in", tmp_path / "docs.parquet", *words)
    assert (ran.status, ran.out) == (1, pipe(jsonl(*NUMBERED), *commands))
    assert ran.err == f'simspark: canon: file:{tmp_path}/docs.parquet:301: field "text" is not a string\n'
    if rejects:
        assert kept(tmp_path / "bad") == {"1-canon": '{"id":300,"text":null,"bad":"caf\ufffd"}\n'.encode()}
