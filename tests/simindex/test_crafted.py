"""Archives that somebody made to harm, with right sums: each is used, or refused in words."""

import copy
import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness import DOCS, pipe, run_here
from shingletools.archive.checksummed_files import hexdigest, sums_of
from shingletools.archive.manifest import Manifest, decode
from shingletools.archive.segment import npy
from shingletools.system.errors import Failed

HEAD = len(b'{"sum":"') + 64 + len(b'",')
MISSING = object()
VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    1,
    2,
    7,
    10**6,
    2**31,
    2**62,
    2**63,
    1.5,
    "",
    "x",
    "../../x",
    "<u8",
    "|O",
    "|V0",
    "<f8",
    "|S3",
    "<u8,<u4",
    "<i8,O",
    [],
    [0],
    [[0]],
    [1, 2, 3],
    [[1, 2], [0, 2]],
    {},
    {"x": 0},
)
ARRAYS = (
    np.arange(3),
    np.arange(9)[::-1],
    np.zeros((2, 2)),
    np.array(5),
    np.array(["x"]),
    np.full(6, 2**63, np.uint64),
    np.full(7, -1),
    np.array([1.5, np.nan]),
    np.zeros(0),
    np.array([(1, 2)], "<u8,<u4"),
    np.arange(6, dtype="<u4"),
    np.full(6, 3, "<u4"),
    np.arange(99, 105, dtype="<u4"),
)
FILES = (  # of arrays
    *map(npy, ARRAYS),
    b"",
    b"\x93NUMPY",
    b"\x80\x04N.",
    b"PK\3\4" + bytes(40),
    bytes(range(256)),
    *(npy(np.arange(3)).replace(b"(3,)", shape) for shape in (b"(9,)", b"-5  ", b"(9999999999999,)")),
    npy(np.arange(3)).replace(b"<i8", b"|O8"),
)
KINDS = {
    "signatures": (
        "simindex list A",
        "simindex check A",
        "simindex dump A",
        "simjoin -t 0.3 --against A new",
        "simjoin --within id --against A new",
        "simindex merge A",
        "simindex drop A --ids some",
        "simindex add A new",
        "simindex add A --unless-known --replace --as x some",
    ),
    "passages": (
        "simindex list A",
        "simindex check A",
        "simindex dump A",
        "repeats -k 9 --against A words",
        "repeats --against A --share 1/2 --least 3 words",
        "simindex merge A",
        "simindex add A -k 9 words",
    ),
}


@pytest.fixture(scope="module", params=KINDS)
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """An archive of two segments, of which one has dropped documents."""
    folder, kind = tmp_path_factory.mktemp("made"), request.param
    lines = pipe(DOCS.read_bytes(), "canon").splitlines(keepends=True)
    (folder / "words").write_bytes(b"".join(lines[:40]))
    how = "-k 9"
    if kind == "signatures":
        lines, how = pipe(b"".join(lines), "shingle -k 4", "sketch -n 12").splitlines(keepends=True), "-t 0.3"
    for name, part in (("one", lines[:50]), ("two", lines[50:70]), ("some", lines[40:60]), ("new", lines[60:120])):
        (folder / name).write_bytes(b"".join(part))
    run_here(f"simindex add A {how} --as x one", cwd=folder).good()
    run_here("simindex add A two" + (" -k 9" if kind == "passages" else ""), cwd=folder).good()
    (folder / "first").write_bytes(b"".join(lines[3:9]))
    run_here("simindex drop A --ids first", cwd=folder).good()
    return kind, folder


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all values within a value."""
    if path:
        yield path
    for key, each in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from leaves(each, (*path, key))


def state_of(folder: Path) -> dict[str, Any]:
    state: dict[str, Any] = json.loads(b"{" + (folder / "A" / "manifest.json").read_bytes()[HEAD:])
    return state


def with_sum(state: dict[str, Any]) -> bytes:
    body = json.dumps(state, separators=(",", ":")).encode()[1:]
    return b'{"sum":"%b",%b\n' % (hexdigest(body).encode(), body)


def put(folder: Path, state: dict[str, Any]) -> None:
    (folder / "A" / "manifest.json").write_bytes(with_sum(state))


def changed(state: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """A copy with another value at a path, or without it if that is MISSING."""
    inside = state = copy.deepcopy(state)
    for key in path[:-1]:
        inside = inside[key]
    if value is MISSING:
        del inside[path[-1]]
    else:
        inside[path[-1]] = value
    return state


def put_sums(folder: Path, entry: dict[str, Any], sums: bytes | None = None) -> None:
    """Makes the sums of a segment those of its file."""
    data = (folder / "A" / f"{entry['number']:06}.npz").read_bytes()
    sums = npy(np.frombuffer(sums_of(memoryview(data)), "<u8")) if sums is None else sums
    (folder / "A" / f"{entry['number']:06}.sums.npy").write_bytes(sums)
    entry["sums"], entry["size"] = hexdigest(sums), len(data)


def harmed(folder: Path, rng: random.Random) -> str:
    """Changes one thing, and says which."""
    state = state_of(folder)
    entry = rng.choice(state["segments"])
    way = rng.randrange(4)
    if way == 0:
        place = rng.choice(list(leaves(state)))
        new = rng.choice((*VALUES, MISSING))
        put(folder, changed(state, place, new))
        return f"{place} {new!r}"
    if way == 1:
        name = rng.choice(list(entry["columns"]))
        offset, dtype, shape = entry["columns"][name]
        size = np.dtype(dtype).itemsize * int(np.prod(shape))
        path = folder / "A" / f"{entry['number']:06}.npz"
        data = bytearray(path.read_bytes())
        item = np.dtype(dtype).itemsize
        at = offset + rng.randrange(size // item) * item
        value = rng.choice([b"\xff", b"\0", b"\x7f", b"\x80", b"\1", b"\2", b"\3", b'"'])
        where = rng.choice([slice(offset, offset + size), slice(at, at + item), slice(at + item - 1, at + item)])
        data[where] = (value * size)[: where.stop - where.start]
        path.write_bytes(data)
        put_sums(folder, entry)
        put(folder, state)
        return f"{name} {where} {value!r}"
    array = rng.choice(FILES)
    if way == 2:
        put_sums(folder, entry, array)
    else:
        entry["removed"] = {"number": 3, "rows": rng.choice([1, 3, 6, 50]), "sum": hexdigest(array)}
        (folder / "A" / "000003.removed.npy").write_bytes(array)
    put(folder, state)
    return f"{'sums' if way == 2 else 'removed'} {array[-60:]!r} {len(array)}"


@pytest.mark.parametrize("seed", range(40))
def test_a_crafted_archive(seed: int, made: tuple[str, Path], tmp_path: Path) -> None:
    kind, original = made
    folder = tmp_path / "made"
    shutil.copytree(original, folder)
    what = harmed(folder, random.Random(seed))
    shutil.copytree(folder / "A", folder / "kept")
    for command in KINDS[kind]:
        ran = run_here(command, cwd=folder)
        assert ran.status in {0, 1, 2}, (what, ran)
        assert "Traceback" not in ran.err, (what, ran)
        shutil.rmtree(folder / "A")
        shutil.copytree(folder / "kept", folder / "A")


def test_each_leaf_of_a_manifest(made: tuple[str, Path]) -> None:
    """Every value by every other one; a manifest that says what cannot be is refused as a whole."""
    _, original = made
    data = (original / "A" / "manifest.json").read_bytes()
    state = json.loads(b"{" + data[HEAD:])
    refused = 0
    for path in leaves(state):
        for value in (*VALUES, MISSING):
            try:
                assert isinstance(decode(with_sum(changed(state, path, value)), "here"), Manifest)
            except Failed as error:
                assert str(error).startswith("here: ")
                refused += 1
    assert decode(data, "here") == decode(with_sum(state), "here")
    assert refused > 1000
