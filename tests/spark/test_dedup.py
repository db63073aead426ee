"""dedup on a cluster: against the shell."""

import random
from pathlib import Path

import pytest

from harness import run
from shingletools.commands.dedup.spec import DedupSpec
from shingletools.spark import dedup
from shingletools.spark.packed_names import StepInput
from shingletools.spark.parts import StepOutput
from shingletools.spark.pipeline import build
from shingletools.spark.spark_files import Kept
from shingletools.system.errors import Failed
from spark.packing import framed, random_documents, told, unpacked


def on_spark(kept: Kept, command: str, documents: bytes, *groups: bytes, gap: int = 1) -> StepOutput:
    frames = framed(kept.spark, gap, documents, *groups)
    stage = build(command).stage
    assert isinstance(stage, DedupSpec)
    where = "line {}".format  # the first of groups is 1, behind no document
    return dedup.deduplicated(StepInput(frames[0], frames[1:], 1, kept, where), stage)


@pytest.mark.parametrize("options", ["--annotate", "--keep shortest --removed"])
def test_documents(options: str, kept: Kept, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dedup, "PART", 1000)
    documents, groups = random_documents(random.Random(len(options)))
    paths = [tmp_path / f"groups{number}" for number in range(len(groups))]
    for path, data in zip(paths, groups, strict=True):
        path.write_bytes(data)
    gone = tmp_path / "gone"
    removed = f" {gone}" * ("--removed" in options)
    command = "dedup " + "".join(f" --groups {path}" for path in paths) + f" {options}{removed}"
    ran = run(f"{command} -v --all-messages --rejects {tmp_path / 'bad'}", stdin=documents)
    assert ran.status == 1
    *bad, said = ran.err.splitlines()
    gap = 1 + len(options) % 2
    found = on_spark(kept, command, documents, *groups, gap=gap)
    assert unpacked(found.lines) == ran.out
    assert list(found.figures) == said.split(", ")[-2:]
    if removed:
        assert found.removed is not None
        assert unpacked(found.removed) == gone.read_bytes()
    rejects = told(found.rejects)
    assert b"".join(line + b"\n" for *_, line in rejects) == (tmp_path / "bad").read_bytes()
    where = [f"dedup: -:{(number or 0) // gap + 1}: {cause}" for number, _, cause, _ in rejects]
    assert where == bad
    assert found.again == sum("was seen before" in cause for cause in bad)


def test_names_as_they_are_spelled(kept: Kept, tmp_path: Path) -> None:
    """An id is one id, escaped or not; a number is no string; a document twice in one group is there once."""
    groups = b'{"members":["\\u0061", 7 ,"a"]}\n{"members":["7","b"] }\n\n'[:-1]
    documents = b'{"id":"7"}\n{"id":7}\n{"id" : "a","x":1}\n{"id":"\\u0062"}\n{"id":"\\u0061"}\n{"id":"c"}\n'
    (tmp_path / "groups").write_bytes(groups)
    command = f"dedup --groups {tmp_path / 'groups'} --annotate"
    ran = run(command, stdin=documents)
    found = on_spark(kept, command, documents, groups)
    assert unpacked(found.lines) == ran.out
    assert ran.out.count(b"duplicate_of") == 2
    assert told(found.rejects) == [(4, 1, 'id "a" was seen before', b'{"id":"\\u0061"}')]
    assert found.figures == ["3 kept", "2 marked (2 by --keep first)"]


@pytest.mark.parametrize("documents", [b"", b'{"id":1}\n'])
def test_nothing(documents: bytes, kept: Kept, tmp_path: Path) -> None:
    command = f"dedup --groups x --removed {tmp_path / 'gone'}"
    found = on_spark(kept, command, documents, b"")
    assert found.removed is not None
    assert (unpacked(found.lines), unpacked(found.removed), found.rejects) == (documents, b"", [])
    assert found.figures == [f"{len(documents) // 9} kept", "0 removed (0 by --keep first)"]


@pytest.mark.parametrize(
    ("groups", "cause"),
    [
        ('{"members":[1,2]}\n{"members":[3,"x","y",2,1]}\n{"members":["x"]}\n{', "line 2: id 2 is in two groups"),
        (
            '{"members":[1]}\n{"members":"x"}\n{"members":[1]}',
            'line 2: field "members" is not a list of strings and integers',
        ),
        ('{"members":[1]}\n{"members":[1]}\n\n', "line 2: id 1 is in two groups"),
        ('{"members":[1]}\n{"members":[2],"members":[3]}\n', 'line 2: field "members" occurs twice'),
        ('{"members":["a"]}\n{"members":["\\u0061"]}\n', 'line 2: id "a" is in two groups'),
    ],
)
def test_what_is_no_group(groups: str, cause: str, kept: Kept, tmp_path: Path) -> None:
    (tmp_path / "groups").write_text(groups)
    said = run("dedup", "--groups", tmp_path / "groups", stdin=b"").err
    assert said == f"dedup: {tmp_path / 'groups'}:{cause.removeprefix('line ')}\n"
    with pytest.raises(Failed) as error:
        on_spark(kept, "dedup --groups x", b"", groups.encode())
    assert str(error.value) == cause
