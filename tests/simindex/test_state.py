"""What an archive refuses, what its files hold, and who may write to it."""

import json
import random
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from harness import DOCS, jsonl, pipe, run_here
from shingletools.archive.archive_reader import open_archive
from shingletools.archive.archive_writer import ArchiveWriter

REFUSED = [
    ("simindex add A -t 0.7 old", "A: the archive was made for -t 0.8 (68 of 84 components), not for -t 0.7 (59)"),
    ("simindex add A -t 0.9 old", "A: the archive was made for -t 0.8 (68 of 84 components), not for -t 0.9 (76)"),
    ("simindex add A -d 3 old", "A: -d counts the bits of simhashes, but the records have sketches"),
    (
        "simindex add A short",
        "short:1: a sketch of 1 components of 8 hex digits, "
        "but the archive has a sketch of 84 components of 8 hex digits",
    ),
    (
        "simindex add A unnamed",
        'unnamed:1: made by an unnamed recipe, but the archive by "canon/4 | shingle k=10 | sketch n=84"',
    ),
    ("simindex add B sets", "sets:1: the record has shingles, but no sketch; archives do not keep sets of shingles"),
    ("simindex list none", "none: No such file or directory"),
    ("simindex list old", "old: Not a directory"),
    ("simindex check none", "none: No such file or directory"),
    ("simindex check old", "old: Not a directory"),
    ("simindex check folder", "folder: no archive (manifest.json is missing)"),
    ("simindex dump folder", "folder: no archive (manifest.json is missing)"),
    ("simindex add folder old", "folder: manifest.json is missing, but x is there"),
    ("simindex add old old", "old: Not a directory"),
    ("simindex", "the following arguments are required: ACTION, DIR (see simindex --help)"),
    ("simindex list", "the following arguments are required: DIR (see simindex --help)"),
    ("simjoin old --against folder", "folder: no archive (manifest.json is missing)"),
    ("simjoin old --against A/000001.npz", "--against A/000001.npz: a file of an archive; name its folder, A"),
    ("simjoin old --against A/manifest.json", "--against A/manifest.json: a file of an archive; name its folder, A"),
    (
        "simjoin old --against A --measure dice",
        "A: the archive was made for -t 0.8 (68 of 84 components), not for --measure dice -t 0.8 (56)",
    ),
    ("simjoin old --against A -m 67", "A: the archive was made for -t 0.8 (68 of 84 components), not for -m 67 (67)"),
    ("simindex dump A -o A/lock", "A/lock: cannot be written into the archive's folder"),
    ("simindex add A --unless-known old --rejects ./A/x", "./A/x: cannot be written into the archive's folder"),
    ("simindex list A old", "list reads no FILE (see simindex --help)"),
    ("simindex drop A", "drop needs --ids (see simindex --help)"),
    ("simindex merge A -t 0.5", "merge cannot be combined with -t, -m or -d, only add can"),
    ("simindex dump A --unless-known", "dump cannot be combined with --unless-known, only add can"),
    ("simindex list A --replace", "list cannot be combined with --replace, only add can"),
    ("simindex drop A --keep-old --ids old", "drop cannot be combined with --keep-old, only add can"),
    ("simindex merge A --as monday", "merge cannot be combined with --as, only add can"),
    (
        "simindex add A --replace --keep-old old",
        "argument --keep-old: not allowed with argument --replace (see simindex --help)",
    ),
    ("simindex add A --ids old old", "add cannot be combined with --ids, only drop can"),
    ("simjoin old --against A -t 0.7", "A: the archive was made for -t 0.8 (68 of 84 components), not for -t 0.7 (59)"),
    ("simjoin old --against A -d 3", "old:1: -d counts the bits of simhashes, but the records have sketches"),
    (
        "simjoin short --against A",
        "A: a sketch of 84 components of 8 hex digits, "
        "but the records before have a sketch of 1 components of 8 hex digits",
    ),
    (
        "simjoin old --against A --forest",
        "--forest cannot be combined with an archive; name the file that simindex dump writes",
    ),
    (
        "simjoin old --against A --recall 0.9",
        "--recall cannot be combined with an archive; name the file that simindex dump writes",
    ),
    (
        "simjoin old --against A --verify",
        "--verify cannot be combined with an archive; name the file that simindex dump writes",
    ),
]


@pytest.fixture(scope="module")
def refusing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("refusing")
    lines = pipe(DOCS.read_bytes(), "canon", "shingle", "sketch").splitlines(keepends=True)
    (folder / "old").write_bytes(b"".join(lines[:20]))
    via = json.loads(lines[0])["via"]
    (folder / "short").write_bytes(jsonl({"id": "s", "sketch": "00000000", "via": via}))
    (folder / "unnamed").write_bytes(jsonl({"id": "s", "sketch": " ".join(["00000000"] * 84)}))
    (folder / "sets").write_bytes(jsonl({"id": "s", "shingles": "00000000"}))
    (folder / "folder").mkdir()
    (folder / "folder" / "x").touch()
    run_here("simindex add A old", cwd=folder).good()
    return folder


@pytest.mark.parametrize(("command", "message"), REFUSED)
def test_what_is_refused(command: str, message: str, refusing: Path) -> None:
    before = {path: path.read_bytes() for path in refusing.rglob("*") if path.is_file()}
    ran = run_here(command, cwd=refusing)
    said = f"{message} (see" if "usage" in message else message
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err.removeprefix(f"{command.split(maxsplit=1)[0]}: ").startswith(said)
    assert {path: path.read_bytes() for path in refusing.rglob("*") if path.is_file()} == before


def test_an_archive_without_documents(tmp_path: Path) -> None:
    run_here("simindex add A", cwd=tmp_path).good()
    (tmp_path / "new").write_bytes(jsonl({"id": 1, "sketch": "0000000a"}))
    assert run_here("simindex dump A", cwd=tmp_path).good() == b""
    assert run_here("simjoin --against A new", cwd=tmp_path).good() == b""
    assert run_here("simindex list A", cwd=tmp_path).records() == [
        {
            "archive": "A",
            "documents": 0,
            "dropped": 0,
            "bytes": 0,
            "via": None,
            "field": None,
            "components": None,
            "agreeing": None,
            "segments": [],
        }
    ]
    run_here("simindex merge A", cwd=tmp_path).good()
    run_here("simindex add A new", cwd=tmp_path).good()
    run_here("simindex drop A --ids new", cwd=tmp_path).good()
    assert run_here("simjoin --against A new", cwd=tmp_path).good() == b""
    run_here("simindex merge A", cwd=tmp_path).good()
    assert run_here("simindex list A", cwd=tmp_path).records()[0]["segments"] == []
    assert run_here("simjoin --against A new", cwd=tmp_path).good() == b""


def test_numpy_reads_a_segment(refusing: Path) -> None:
    arrays = np.load(refusing / "A" / "000001.npz")
    records = [json.loads(line) for line in (refusing / "old").read_bytes().splitlines()]
    payloads = [row.tobytes().hex(" ", 4) for row in arrays["signature"]]
    assert payloads == [record["sketch"] for record in records]
    bounds = arrays["bounds"]
    names = [arrays["ids"][start:stop].tobytes() for start, stop in pairwise(bounds)]
    assert [json.loads(name) for name in names] == [record["id"] for record in records]
    for band in range(17):
        table = arrays[f"band{band}"]
        assert sorted(table["f1"].tolist()) == list(range(20))
        assert (np.diff(table["f0"].astype(object)) >= 0).all()


def test_the_bytes_of_a_document(refusing: Path) -> None:
    """What the manual says: 540, and 21 and the id's own."""
    rows, names = 5000, 0
    rng = random.Random(1)
    records = []
    for row in range(rows):
        records.append({"id": row, "sketch": " ".join(f"{rng.getrandbits(32):08x}" for _ in range(84))})
        names += len(str(row))
    run_here("simindex add C -t 0.8", stdin=jsonl(*records), cwd=refusing).good()
    assert 0 <= (refusing / "C" / "000001.npz").stat().st_size - names - 561 * rows < 20_000


def test_a_state_is_one_state(tmp_path: Path) -> None:
    """Who has opened an archive sees it as it was, after a merge that removed the files."""
    for number in range(3):
        run_here("simindex add A", stdin=jsonl({"id": number, "sketch": "0000000a"}), cwd=tmp_path).good()
    archive = open_archive(str(tmp_path / "A"))
    run_here("simindex drop A --ids -", stdin=jsonl({"id": 1}), cwd=tmp_path).good()
    run_here("simindex merge A", cwd=tmp_path).good()
    lines = [line for rows in archive.live() for line in archive.lines(rows)]
    assert [json.loads(line)["id"] for line in lines] == [0, 1, 2]
    archive.close()


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    run_here("simindex add A", stdin=jsonl({"id": 1, "sketch": "0000000a"}), cwd=tmp_path).good()
    writer = ArchiveWriter(str(tmp_path / "A"))
    for action in ("add A", "merge A", "drop A --ids /dev/null"):
        ran = run_here(f"simindex {action}", cwd=tmp_path)
        assert (ran.status, ran.err) == (2, "simindex: A: another process is changing the archive\n")
    for action in ("list A", "check A", "dump A"):
        run_here(f"simindex {action}", cwd=tmp_path).good()
    writer.close()
    run_here("simindex merge A", cwd=tmp_path).good()


def test_what_a_killed_writer_left_is_removed_by_the_next(tmp_path: Path) -> None:
    run_here("simindex add A", stdin=jsonl({"id": 1, "sketch": "0000000a"}), cwd=tmp_path).good()
    for name in ("000002.npz", "000002.sums.npy", "000007.removed.npy", "manifest.json.new"):
        (tmp_path / "A" / name).write_bytes(b"left")
    run_here("simindex add A", stdin=jsonl({"id": 2, "sketch": "0000000a"}), cwd=tmp_path).good()
    assert sorted(path.name for path in (tmp_path / "A").iterdir()) == [
        "000001.npz",
        "000001.sums.npy",
        "000002.npz",
        "000002.sums.npy",
        "lock",
        "manifest.json",
    ]
