"""Documents, a pipeline that makes pairs of them, and what it writes in Python."""

import json
from typing import Any

from harness import DOCS
from shingletools import run

TO_PAIRS = "canon | shingle -k 10 | simjoin -t 0.5"
RECORDS = [json.loads(line) for line in DOCS.read_bytes().splitlines()]


def written(pipeline: str, documents: Any, **options: Any) -> bytes:
    return b"".join(run(pipeline, documents, **options).lines())
