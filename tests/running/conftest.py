"""What the tests of pipelines in Python, and of short commands, share."""

import gzip
import json
from pathlib import Path

import pytest

from harness import DOCS, jsonl, run_here
from running.results import TO_PAIRS
from running.short_inputs import CATS, OTHERS, TEXTS


@pytest.fixture(scope="module")
def pairs() -> bytes:
    return run_here("shingletools", "run", TO_PAIRS, DOCS, cwd=DOCS.parent).good()


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "docs.jsonl").write_bytes(jsonl(*CATS))
    (tmp_path / "docs.gz").write_bytes(gzip.compress(b" " + jsonl(*CATS)))
    (tmp_path / "other.ndjson").write_bytes(jsonl(*OTHERS))
    (tmp_path / "array").write_text("\ufeff " + json.dumps(CATS))
    (tmp_path / "table.csv").write_text("id,text\n" + "".join(f'{n},"{text}"\n' for n, text in enumerate(TEXTS)))
    (tmp_path / "named.csv").write_text("Nr,Text\n" + "".join(f'{n},"{text}"\n' for n, text in enumerate(TEXTS)))
    (tmp_path / "semi.csv").write_text("id;text\n" + "".join(f"{n};{text}\n" for n, text in enumerate(TEXTS)))
    (tmp_path / "table.TSV").write_text("id\ttext\n" + "".join(f"{n}\t{text}\n" for n, text in enumerate(TEXTS)))
    (tmp_path / "lines.txt").write_text("".join(f"{text}\n" for text in TEXTS))
    for name in ("-lines.txt", "lines.rst"):
        (tmp_path / name).write_bytes((tmp_path / "lines.txt").read_bytes())
    (tmp_path / "folder").mkdir()
    for number, text in enumerate(TEXTS):
        (tmp_path / "folder" / f"{number}.txt").write_text(text)
    reference = "TY  - JOUR\nTI  - {}\nPY  - 2005\nVL  - 8\nSP  - 9\nER  - \n"
    (tmp_path / "refs").write_text("".join(map(reference.format, TEXTS)))
    (tmp_path / "page.xml").write_text("<p>a")
    (tmp_path / "paper.pdf").write_bytes(b"%PDF-1.7\n\xff")
    for number, text in enumerate(TEXTS):
        (tmp_path / f"{number}.html").write_text(f"<nav class=a{number}></nav><p>{text}")
    return tmp_path
