"""Files in folders as documents, and files whose names are in a file."""

import gzip
import json
import lzma
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness import run, run_here
from shingletools.reading import streams
from shingletools.reading.encodings import Encoding
from shingletools.reading.formats import folders
from shingletools.record.package_versions import version
from shingletools.system.errors import Failed

BAD = b"d/a/bad.txt\0not UTF-8 (byte 4)\0"  # as --rejects has it


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "d" / "a").mkdir(parents=True)
    files = {
        "a.md": b"# A title",
        "a/x.txt": b"A <b>text</b>",
        "a-b.HTM": b"<p>A <b>p</b>age<script>x</script>",
        "p.jpg": b"x",
        "a/q.jpg": b"x",
        "README": b"x",
        "a/bad.txt": b"ok \xff",
    }
    for name, content in files.items():
        (tmp_path / "d" / name).write_bytes(content)
    (tmp_path / "d" / "l.txt").symlink_to("a.md")
    (tmp_path / "d" / "m").symlink_to("a")
    return tmp_path


def test_files_of_text_and_html_in_the_order_of_their_paths(folder: Path) -> None:
    ran = run_here("canon", "--recursive", "-v", "d", cwd=folder)
    via = f"canon/4 html=page@selectolax-{version('selectolax')},by=suffix"
    expected = [("d/a-b.HTM", "a page"), ("d/a.md", "a title"), ("d/a/x.txt", "a b text b")]
    assert ran.out.decode() == "".join(f'{{"id":"{name}","text":"{text}","via":"{via}"}}\n' for name, text in expected)
    paths = [name.encode() for name, _ in expected]
    assert paths == sorted(paths)
    *said, figures, _ = ran.err.split("\n")
    assert said == [
        "canon: d/a/bad.txt: not UTF-8 (byte 4); iconv -f ENCODING -t UTF-8 makes UTF-8 of it",
        "canon: passed over 5 files: 2 in .jpg, 2 symbolic links, 1 without a suffix",
    ]
    assert figures.startswith("canon: 3 records, 1 rejected, ")
    assert figures.endswith(" MB/s, 5 files passed over")
    assert ran.status == 1


JAPANESE, RUSSIAN = "この文書は日本語で書かれている", "Съешь же ещё этих мягких французских булок"
PAGES = [
    ("windows-1251", RUSSIAN, "cp1251"),
    ("koi8-r", RUSSIAN, "koi8-r"),
    ("Shift_JIS", JAPANESE, "cp932"),
    ("euc-jp", JAPANESE, "euc-jp"),
    ("ISO-2022-JP", JAPANESE, "iso2022_jp"),
    ("GB18030", "这份文件是用中文写的€", "gb18030"),
    ("big5", "這份文件是用中文寫的", "big5"),
    ("iso-8859-1", "naïve “quotes” cost 5 €", "cp1252"),
    ("windows-1251", RUSSIAN, "utf-8"),  # as iconv leaves it
    ("utf-8", f"{RUSSIAN}\x1b", "utf-8"),
]


@pytest.mark.parametrize(("label", "text", "codec"), PAGES)
def test_pages_that_declare_their_character_set(label: str, text: str, codec: str, tmp_path: Path) -> None:
    """As browsers read them; in folders, alone, and for dedup, which writes the names."""
    page = f'<!doctype html><html><head><meta http-equiv="x"><meta charset="{label}"></head><body><p>{text}'
    (tmp_path / "a.html").write_bytes(page.encode(codec))
    (tmp_path / "utf8.html").write_bytes(page.replace(label, "utf-8").encode())
    for way in ("--recursive", "--whole --html=page"):
        one, two = (run_here(f"canon --extract {way} {name}.html", cwd=tmp_path).records() for name in ("a", "utf8"))
        assert one[0]["text"] == two[0]["text"] == text
    ran = run("shingletools unique .", cwd=tmp_path)
    assert ran.out == b"./a.html\n"


def test_pages_that_cannot_be_decoded(tmp_path: Path) -> None:
    """One that says it is UTF-8, or nothing that is known, is no guess; and a package may be missing."""
    for label in ("utf-8", "utf-16", "nonsense"):
        (tmp_path / "a.html").write_bytes(f"<meta charset={label}>\xe9".encode("latin-1"))
        assert "a.html: not UTF-8 (byte " in run_here("canon --recursive .", cwd=tmp_path).err
    (tmp_path / "a.html").write_bytes(b"<meta charset=iso-8859-1>\xe9")
    (tmp_path / "resiliparse").mkdir()
    (tmp_path / "resiliparse" / "__init__.py").write_text("raise ImportError")
    ran = run("canon --recursive .", cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)})
    assert "canon: ./a.html: a page that is not UTF-8 needs resiliparse: pip install resiliparse (or" in ran.err


def test_compressed_files_are_what_they_hold(tmp_path: Path) -> None:
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(b"One two"))
    (tmp_path / "b.html.xz").write_bytes(lzma.compress(b"<p>One <b>two</b></p>"))
    (tmp_path / "c.gz").write_bytes(gzip.compress(b"no suffix"))
    ran = run_here("canon", "--recursive", ".", cwd=tmp_path)
    found = [(each["id"], each["text"]) for each in map(json.loads, ran.out.splitlines())]
    assert found == [("./a.txt.gz", "one two"), ("./b.html.xz", "one two")]
    assert ran.err == "canon: passed over 1 file: 1 without a suffix\n"


def test_workers_change_nothing(folder: Path) -> None:
    one, two = (run("canon", "--recursive", "-j", jobs, "--rejects", jobs, "d", cwd=folder) for jobs in "12")
    assert (one.status, one.out, one.err) == (two.status, two.out, two.err)
    assert (folder / "1").read_bytes() == (folder / "2").read_bytes() == BAD


def test_the_rule_for_html_is_the_one_that_was_asked_for(folder: Path) -> None:
    (folder / "d" / "a-b.HTM").write_bytes(b"<nav>menu</nav><main>main <i>text</i></main>")
    ran = run_here("canon", "--recursive", "--html=main", "--skip", "i", "d/a-b.HTM", "d/a.md", cwd=folder)
    texts = [line.split(b",")[1] for line in ran.out.splitlines()]
    assert texts == [b'"text":"main"', b'"text":"a title"']


def test_what_cannot_be_read_is_a_bad_record(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As for a user who may not; root may read all."""
    read_whole, entries_of = streams.read_whole, folders.entries_of

    def read(name: str, encoding: Encoding | None) -> tuple[bytes, int]:
        if name == "d/a.md":
            raise Failed("d/a.md: Permission denied")
        return read_whole(name, encoding)

    def entries(name: str) -> Iterator[tuple[str, int]]:
        if name == "d/a":
            raise PermissionError(13, "Permission denied")
        return entries_of(name)

    monkeypatch.setattr(streams, "read_whole", read)
    monkeypatch.setattr(folders, "entries_of", entries)
    ran = run_here("canon", "--recursive", "--rejects", "bad", "d", cwd=folder)
    assert (ran.status, ran.out.count(b"\n")) == (1, 1)
    assert ran.err.split("\n")[:2] == ["canon: d/a.md: Permission denied", "canon: d/a: Permission denied"]
    assert (folder / "bad").read_bytes() == b"d/a.md\0Permission denied\0d/a\0Permission denied\0"
    assert run_here("canon", "--recursive", "none", cwd=folder).err == "canon: none: No such file or directory\n"


@pytest.mark.parametrize("options", ["-o d/out.txt --rejects ./d/rejected.txt", "-o out.txt --rejects bad"])
def test_what_the_run_writes_is_no_document(options: str, folder: Path) -> None:
    """In the folder, or through links to it."""
    (folder / "d" / "out.txt").write_bytes(b"of the run before")
    (folder / "d" / ".shingletools.abc").write_bytes(b"of another run")
    (folder / "out.txt").symlink_to("d/out.txt")
    (folder / "bad").symlink_to("d/rejected.txt")
    ran = [run_here("canon --recursive", *options.split(), "d", cwd=folder) for _ in range(2)]
    assert ran[0] == ran[1]
    out = (folder / "d" / "out.txt").read_bytes()
    assert [json.loads(line)["id"] for line in out.splitlines()] == ["d/a-b.HTM", "d/a.md", "d/a/x.txt"]
    assert (folder / "d" / "rejected.txt").read_bytes() == BAD


def test_many_suffixes_are_reported_in_one_short_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The most frequent come first, and what does not fit is counted; as many kinds are held as memory is taken for."""
    monkeypatch.setattr(folders, "MAX_SUFFIXES", 100)
    for number in range(130):
        for copy in range(1 + (number == 77)):
            (tmp_path / f"{copy}.{number:04}").touch()
    (tmp_path / "z.txt").symlink_to("x.0000")
    ran = run("canon", "--recursive", "-v", ".", cwd=tmp_path)
    assert (ran.status, ran.err.count("\n")) == (2, 1)
    message, _, instead = ran.err.removeprefix("canon: .: no document: ").partition("; ")
    assert instead == "--include GLOB takes files by their names\n"
    kinds = ["2 in .0077", *(f"1 in .{number:04}" for number in range(12))]
    assert message == f"passed over 132 files: {', '.join(kinds)}, 118 of other kinds"
    assert len(message) <= 200 < len(message) + len(", 1 in .0012")
    monkeypatch.setattr(folders, "MAX_SUFFIXES", 1)
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "a.txt").touch()
    assert run("canon", "--recursive", "0.0077", "a", "1.0077", "--include", "*.txt", cwd=tmp_path).err == (
        "canon: 0.0077 has no document\ncanon: 1.0077 has no document\n"
    )


@pytest.mark.parametrize(
    "names",
    ["d ./d", "d l", "l d", "d d/s", "d/s d", "d d/a.txt", "d/../d/a.txt d", "d d d", "d/s d/t d/s", "d d-e", "d"],
)
def test_a_file_with_several_names_is_one_document(names: str, tmp_path: Path) -> None:
    """Whoever deletes what `unique --removed` lists must not delete the last name of a file."""
    for name in ("d/a.txt", "d/s/b.txt", "d/t/c.txt", "d-e/a.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("the same text in each file")
    (tmp_path / "l").symlink_to("d")
    (tmp_path / "d" / "z.txt").hardlink_to(tmp_path / "d" / "a.txt")
    found = [
        path.relative_to(tmp_path) if path.is_absolute() else path
        for name in names.split()
        for path in [tmp_path / name, *sorted((tmp_path / name).rglob("*.txt"))]
        if path.is_file()
    ]
    different: list[Path] = []
    for path in found:
        if not any((tmp_path / path).samefile(tmp_path / other) for other in different):
            different.append(path)
    ran = run("canon", "--recursive", "-v", *names.split(), cwd=tmp_path)
    assert [Path(record["id"]).resolve() for record in map(json.loads, ran.out.splitlines())] == [
        path.resolve() for path in different
    ]
    more = len(found) - len(different)
    said = "" if not more else f"canon: passed over {more} other names of files, such as " if more > 1 else "canon: "
    assert ran.status == 0
    assert ran.err.startswith(said)
    assert (f", {more} file" in ran.err) == bool(more)
    options = ("--recursive", "--removed", "gone", "-o", "stay")
    assert run("shingletools", "unique", *options, *names.split(), cwd=tmp_path).status == 0
    gone, stay = ((tmp_path / name).read_text().split() for name in ("gone", "stay"))
    assert len(gone) + len(stay) == len(different)
    assert not any((tmp_path / one).samefile(tmp_path / other) for one in gone for other in stay)


def test_whole_files_with_several_names(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one")
    (tmp_path / "b").hardlink_to(tmp_path / "a")
    (tmp_path / "c").write_text("two")
    ran = run("canon", "--whole", "a", "c", "-", "./a", "b", "a", stdin=b"three", cwd=tmp_path)
    assert [json.loads(line)["id"] for line in ran.out.splitlines()] == ["a", "c", "-"]
    assert ran.err == "canon: passed over 3 other names of files, such as ./a, which is a\n"
    ran = run("canon", "--whole", "a", "b", cwd=tmp_path)
    assert ran.err == "canon: passed over 1 other name of a file: b, which is a\n"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("--include *.py", ["c.py", "s/c.py", "s/d.py.gz", "t/x/e.py"]),
        ("--include *.py --include *.md --exclude s", ["a.md", "c.py", "t/a.md", "t/x/e.py"]),
        ("--include t/*.py", ["t/x/e.py"]),
        ("--exclude t/*", ["a.md", "p.html", "s/b.txt"]),
        ("--exclude [!a]*.*", ["a.md", "t/a.md"]),
        ("--include *.html --include b.*", ["p.html", "s/b.txt"]),
    ],
)
def test_names_that_match(options: str, expected: list[str], tmp_path: Path) -> None:
    """Patterns with a slash are for paths below the folder, others for last names; page.html stays HTML."""
    for name in ("a.md", "c.py", "p.html", "s/b.txt", "s/c.py", "s/d.py.gz", "t/a.md", "t/x/e.py"):
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        content = f"<b>{name}</b>".encode()
        (tmp_path / "in" / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    ran = run("canon", "--recursive", *options.split(), "in", cwd=tmp_path)
    records = [json.loads(line) for line in ran.out.splitlines()]
    assert "--include" not in options or not ran.err
    assert [record["id"] for record in records] == [f"in/{name}" for name in expected]
    for record in records:
        text = record["id"].removeprefix("in/").replace("/", " ").replace(".", " ").lower()
        assert record["text"] == (text if record["id"].endswith("html") else f"b {text} b")


def test_names_from_a_file(tmp_path: Path) -> None:
    for name in ("a", "b\nc"):
        (tmp_path / name).write_bytes(b'{"id":"%d","text":"x"}\n' % len(name))
    names = b"b\nc\0a\0"
    (tmp_path / "names").write_bytes(names)
    for stdin, option in ((b"", "names"), (names, "-"), (names[:-1], "-")):
        ran = run_here("canon", "--files0-from", option, stdin=stdin, cwd=tmp_path)
        assert [record["id"] for record in ran.records()] == ["3", "1"]
    whole = run_here("canon --whole --files0-from names", cwd=tmp_path).records()
    assert [record["id"] for record in whole] == ["b\nc", "a"]
    assert run_here("canon", "--files0-from", "-", cwd=tmp_path).good() == b""


@pytest.mark.parametrize(
    ("options", "names", "said"),
    [
        ("--files0-from - a", b"a", "--files0-from cannot be combined with names of files"),
        ("--files0-from none", b"", "--files0-from: none: No such file or directory"),
        ("--files0-from -", b"a\0\0a\0", "--files0-from: -:2: an empty name"),
        ("--files0-from -", b"\0", "--files0-from: -:1: an empty name"),
        ("--files0-from -", b"\0\0", "--files0-from: -:1: an empty name"),
        ("--files0-from -", b"a\0-\0", "standard input can be read only once: name a FILE"),
        ("--files0-from -", b"nothing", "nothing: No such file or directory"),
        ("--files0-from - --explain", b"a", "--explain needs words instead of files, and writes to standard output"),
        ("--recursive", b"", "--recursive needs folders; standard input is not a folder"),
        ("--include *.py a", b"", "--include needs --recursive"),
        ("--exclude *.py --whole a", b"", "--exclude needs --recursive"),
    ],
)
def test_names_that_cannot_be_read(options: str, names: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"")
    ran = run_here("canon", *options.split(), stdin=names, cwd=tmp_path)
    assert (ran.status, ran.out, ran.err) == (2, b"", f"canon: {said}\n")
