"""dedup of whole files writes the names of those that stay."""

import csv
import io
import os
from pathlib import Path

import pytest

from harness import run_here, shell

NAMES = ["plain.txt", "two\nlines.txt", "- dash.txt", "é ü.txt", "sub/a.txt", "sub/b.txt", "sub/c\\n.md"]


def folder_of(tmp_path: Path) -> list[Path]:
    (tmp_path / "docs" / "sub").mkdir(parents=True)
    paths = [tmp_path / "docs" / name for name in NAMES]
    for path, text in zip(paths, ["a b c d", "a b c d e", "x", "y", "x", "a b c d", "z"], strict=True):
        path.write_text(text)
    return sorted(paths, key=os.fsencode)


def test_names_of_files(tmp_path: Path) -> None:
    """Those of other than UTF-8 have no ids, and so are in neither list."""
    paths = folder_of(tmp_path)
    other = os.fsdecode(os.fsencode(tmp_path / "docs") + b"/\xff.txt")
    Path(other).write_text("a b c d")
    rest = "| shingle -k 1 | simjoin -t 0.8 > pairs"
    assert shell(f"canon --recursive docs {rest}", tmp_path).status == 1
    ran = run_here("dedup -0 --pairs pairs --recursive docs --removed gone", cwd=tmp_path)
    relative = [str(path.relative_to(tmp_path)) for path in paths]
    read = [Path(tmp_path / name).read_text() for name in relative]
    first = [  # an equal text, or one with one word more of five
        not any(other in text or text in other for other in read[:place]) for place, text in enumerate(read)
    ]
    assert ran.status == 1
    assert ran.out.decode().split("\0")[:-1] == [name for name, kept in zip(relative, first, strict=True) if kept]
    gone = [name for name, kept in zip(relative, first, strict=True) if not kept]
    assert (tmp_path / "gone").read_bytes().decode().split("\0")[:-1] == gone
    assert len(gone) == 3
    lines = run_here("dedup --pairs pairs --recursive docs", cwd=tmp_path)
    assert lines.status == 2
    assert "two\\nlines.txt: a name with a line feed: -0 ends names with zero bytes\n" in lines.err
    move = "mkdir away; xargs -0r mv --backup=numbered -t away -- < gone"
    shell(move, tmp_path).good()
    assert len(list((tmp_path / "away").iterdir())) == len(gone)
    assert {str(path.relative_to(tmp_path)) for path in tmp_path.glob("docs/**/*.[tm]*")} == {
        *relative,
        str(Path(other).relative_to(tmp_path)),
    } - {*gone}


def test_names_of_whole_files_and_of_a_list(tmp_path: Path) -> None:
    folder_of(tmp_path)
    (tmp_path / "list").write_bytes(b"\0".join(os.fsencode(f"docs/{name}") for name in NAMES))
    script = (
        "canon --whole --files0-from list | shingle -k 1 | simjoin -t 0.8 > pairs\n"
        "dedup -0 --pairs pairs --whole --files0-from list --keep longest\n"
    )
    kept = shell(script, tmp_path).good().decode().split("\0")[:-1]
    assert kept == ["docs/two\nlines.txt", "docs/- dash.txt", "docs/é ü.txt", "docs/sub/c\\n.md"]
    simple = run_here("dedup --pairs pairs --whole docs/plain.txt docs/sub/b.txt", cwd=tmp_path)
    assert simple.out == b"docs/plain.txt\n"


@pytest.mark.parametrize(
    ("keep", "stays"),
    [("first", "Copy of b,\n.txt"), ("oldest", "c.txt"), ("newest", "a.txt"), ("shortest-name", "a.txt")],
)
def test_times_and_names_of_files(keep: str, stays: str, tmp_path: Path) -> None:
    """A table says who stays for whom; names of folders do not count, and of equal lengths the first is preferred."""
    times = {"docs/Copy of b,\n.txt": 3, "docs/sub/a.txt": 2**53 + 1, "docs/sub/c.txt": 1, "docs/x.txt": 2}
    (tmp_path / "docs" / "sub").mkdir(parents=True)
    for name, time in times.items():
        (tmp_path / name).write_text("other" if name == "docs/x.txt" else "a b c d")
        os.utime(tmp_path / name, ns=(time, time))
    kept = next(name for name in times if name.endswith(stays))
    removed = [name for name in sorted(times) if name not in (kept, "docs/x.txt")]
    shell("canon --recursive docs | shingle -k 1 | simjoin -t 0.8 > pairs", tmp_path).good()
    command = f"dedup --pairs pairs --recursive docs --keep {keep}"
    assert run_here(f"{command} -0", cwd=tmp_path).good().decode().split("\0")[:-1] == sorted([kept, "docs/x.txt"])
    table = csv.reader(io.StringIO(run_here(f"{command} --annotate", cwd=tmp_path).good().decode(), newline=""))
    header, *rows = table
    assert header == ["name", "duplicate_of", "duplicate_by", "duplicate_similarity"]
    assert [row for row in rows if row[1]] == [[name, kept, keep, "1.0"] for name in removed]
    assert sorted(row[0] for row in rows if row[1:] == [""] * 3) == sorted([kept, "docs/x.txt"])
    figures = run_here(f"{command} -0v", cwd=tmp_path).err
    assert f"2 kept, 2 removed (2 by --keep {keep})" in figures
