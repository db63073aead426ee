"""Text in other encodings: what is read, what cannot be decoded, guesses, and UTF-16 by its mark."""

import csv
import io
import json
import re
from pathlib import Path

import pytest

from harness import jsonl, run

TEXTS = ["Größe über alles", "größe ÜBER alles!", "“naïve” café – 5 €", "Ça va"]
KEPT = [0, 2, 3]
CODECS = ["cp1252", "utf-16", "utf-16-le", "utf-32", "gb18030", "utf-8-sig", "utf-7"]


def table(texts: list[str]) -> str:
    made = io.StringIO()
    csv.writer(made).writerows([["id", "text"], *([f"é{number}", text] for number, text in enumerate(texts))])
    return made.getvalue()


FILES = {
    "a.csv": table(TEXTS),
    "a.jsonl": "".join(json.dumps({"id": n, "text": text}, ensure_ascii=False) + "\n" for n, text in enumerate(TEXTS)),
    "a.txt": "".join(f"{text}\n" for text in TEXTS),
    "array": json.dumps([{"id": number, "text": text} for number, text in enumerate(TEXTS)], ensure_ascii=False),
    "a.ris": "".join(
        f"TY  - A\nTI  - {text} of all that we know\nPY  - 2000\nVL  - 1\nSP  - 2\nER  - \n\n" for text in TEXTS
    ),
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("codec", CODECS)
def test_every_format_of_text(name: str, codec: str, tmp_path: Path) -> None:
    """What is kept is what is kept of UTF-8, in UTF-8."""
    (tmp_path / "utf8").mkdir()
    (tmp_path / "utf8" / name).write_text(FILES[name], newline="")
    (tmp_path / name).write_bytes(FILES[name].encode(codec))
    marked = codec in ("utf-16", "utf-32", "utf-8-sig")
    form = ["--array"] if name == "array" else []
    encoding = [] if marked and name != "array" else ["--encoding", codec]
    one, two = (
        run("shingletools", "unique", *form, *words, cwd=tmp_path) for words in ([*encoding, name], [f"utf8/{name}"])
    )
    assert (one.status, one.out.removeprefix(b"\xef\xbb\xbf")) == (0, two.out), one
    assert re.search(r" 3 kept( \(.*\))?, 1 removed, 0 left out\n", two.err)
    ways = {"a.csv": "--csv", "a.txt": "--lines", "a.ris": "--ris", "array": "--array", "a.jsonl": ""}
    one, two = (run("canon", *filter(None, [ways[name]]), "-j", jobs, *encoding, name, cwd=tmp_path) for jobs in "12")
    assert one.good() == two.good() == run("canon", *filter(None, [ways[name]]), f"utf8/{name}", cwd=tmp_path).good()


def test_folders_and_files(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "a.txt").write_bytes("Größe".encode("latin-1"))
    (tmp_path / "d" / "b.txt").write_bytes("größe".encode("utf-16"))
    (tmp_path / "d" / "c.html").write_bytes("<p>größe".encode("latin-1"))
    for way in ("--recursive d", "--whole d/a.txt d/b.txt d/c.html --html"):
        texts = [each["text"] for each in run(f"canon {way} --encoding latin-1", cwd=tmp_path).records()]
        assert texts == ["grösse"] * 3


def test_what_cannot_be_decoded_is_a_bad_record(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"id,text\n1,caf\xe9\n2,a\x81b\n3,c\n")
    ran = run("canon --csv --encoding cp1252 --rejects bad a", cwd=tmp_path)
    assert [json.loads(line)["text"] for line in ran.out.splitlines()] == ["café", "c"]
    assert (ran.status, ran.err.split(";")[0]) == (1, "canon: a:3: not UTF-8 (byte 4)")
    assert (tmp_path / "bad").read_bytes() == b"2,a\xffb\n"  # not as it came, as the page about formats says
    for data, codec, texts in [
        ('{"id":1,"text":"A"}\n{"id":2,"text":"B"}\n'.encode("utf-16")[:-1], "utf-16", ["a"]),
        ("a\nb".encode("utf-16-le") + b"\x00\xd8", "utf-16-le", ["a"]),
        (b"\xff\xfe", "latin-1", []),
        (b"\xff", "latin-1", ["ÿ"]),
        (b"\xef\xbb\xbfa", "latin-1", ["a"]),
        ("日本\n語".encode("cp932")[:-1], "cp932", ["日 本"]),
        (b"a\n+2ADYAA-", "utf-7", ["a"]),
    ]:
        lines = "" if codec == "utf-16" else "--lines "
        ran = run(f"canon {lines}--encoding {codec}", stdin=data)
        assert [json.loads(line)["text"] for line in ran.out.splitlines()] == texts
        assert ran.status == (len(texts) == 1 and codec != "latin-1")


def test_utf_16_without_its_mark(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("größe\n".encode("utf-16-le"))
    (tmp_path / "p").write_bytes(b"")
    for name, known in (("utf-16", "utf-16"), ("U16", "utf-16"), ("utf-32", "utf-32")):
        for command in (
            "canon --lines",
            "shingletools unique",
            "shingletools compare a.txt",
            "dedup --pairs p --lines",
        ):
            ran = run(f"{command} --encoding {name} a.txt", cwd=tmp_path)
            program = "dedup" if command.startswith("dedup") else "canon"
            cause = f"a.txt: has no byte order mark: say --encoding {known}le or {known}be"
            assert (ran.status, ran.err.splitlines()[-1]) == (2, f"{program}: {cause}")
    for mark, codec in ((b"\0\0\xfe\xff", "utf-32-be"), (b"\xfe\xff", "utf-16-be")):
        (tmp_path / "a.txt").write_bytes(mark + "Größe\n".encode(codec))
        for encoding in ("", f"--encoding {codec[:6]}"):
            ran = run(f"shingletools unique --lines {encoding} a.txt", cwd=tmp_path)
            assert (ran.status, ran.out.decode()) == (0, "Größe\n")
    assert run("canon --lines --encoding utf-16", stdin=b"").good() == b""


@pytest.mark.parametrize("name", ["hex", "no-such", "rot13", "", "undefined", "idna", "punycode"])
def test_names_that_are_no_encodings(name: str) -> None:
    ran = run("canon", "--encoding", name)
    assert (ran.status, ran.err) == (2, f'canon: --encoding "{name}": not an encoding that Python knows\n')
    for form in ("--parquet", "--warc"):
        assert "which says how its texts are encoded" in run(f"canon --encoding latin-1 {form}").err


def test_a_guess_is_shown(tmp_path: Path) -> None:
    """UTF-8 where that is possible; else by resiliparse, whose version is in the recipe."""
    for codec, text in [("cp1251", "Съешь же ещё этих мягких французских булок"), ("utf-8", "Größe"), ("ascii", "a")]:
        (tmp_path / "a").write_bytes(f"plain\n{text}\n".encode(codec))
        ran = run("canon --lines --encoding guess a", cwd=tmp_path)
        assert [json.loads(line)["text"] for line in ran.out.splitlines()] == [
            "plain",
            text.lower().replace("ß", "ss").replace("ё", "ё"),
        ]
        guess = f'canon: a: read as cp1251, which is a guess (1 of 1 lines alone look like it): "{text}"\n'
        assert ran.err == (guess if codec == "cp1251" else "")
        assert b" encoding=guess@resiliparse-" in ran.out
        assert run("shingletools unique --lines --encoding guess a", cwd=tmp_path).out.decode() == f"plain\n{text}\n"
    russian = "Съешь же ещё этих мягких французских булок".encode("cp1251")
    (tmp_path / "a").write_bytes(b"\n".join([russian, b"plain", "é".encode("latin-1"), russian]))
    ran = run("canon --lines --encoding guess a", cwd=tmp_path)
    assert "read as cp1251, which is a guess (2 of 3 lines alone look like it): " in ran.err


def test_marks_of_utf_16_for_other_commands(tmp_path: Path) -> None:
    lines = jsonl({"id": 1, "text": "größe a"}, {"id": 2, "text": "größe b"})
    for codec in ("utf-16", "utf-32"):
        (tmp_path / "docs").write_bytes(lines.decode().encode(codec))
        for jobs in "12":
            assert run("shingle -k 1 -j", jobs, "docs", cwd=tmp_path).good() == run("shingle -k 1", stdin=lines).good()
