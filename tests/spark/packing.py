"""What simspark reads and writes."""

import random
from pathlib import Path

from harness import jsonl


def random_documents(rng: random.Random) -> tuple[bytes, list[bytes]]:
    """Documents, some bad and some twice; and groups of some, and of documents that are not there."""
    ids = [number if number % 3 else f"{number} é" for number in range(400)]
    ids = [f"{each}" if rng.random() < 0.2 else each for each in ids]
    some = rng.sample(ids, 250)
    lines = []
    for each in rng.sample(ids, 350):
        record = {
            "id": each,
            "text": rng.choice("aé語") * rng.randrange(6),
            **({"duplicate_of": 1} if rng.random() < 0.1 else {}),
        }
        lines.append(jsonl(record))
        if rng.random() < 0.05:
            lines.append(rng.choice([b"{\n", b'{"id":1.5,"text":"a"}\n', b"\n", b'{"id":"no text"}\n', lines[-1]]))
        if rng.random() < 0.05:
            lines.append(jsonl({"id": f"x{each}"}).replace(b"x", b"\\u0078"))
    found = []
    while some:
        size = rng.choice([1, 2, 2, 3, 20])
        found.append({"group": some[0], "members": some[:size]})
        some = some[size:]
    data = [jsonl(*found[::2]), jsonl(*found[1::2])]
    return b"".join(lines), data


def parts_of(folder: Path) -> bytes:
    """What the parts of an output hold, in the order of their names."""
    return b"".join(path.read_bytes() for path in sorted(folder.glob("part-*")))


def rejects_of(folder: Path) -> list[tuple[str, bytes]]:
    """Returns the causes and lines of a folder of bad records."""
    rows = [line.partition(b"\t") for line in parts_of(folder).split(b"\n")[:-1]]
    return [(cause.decode(), line) for cause, _, line in rows]
