"""References of RIS, NBIB and BibTeX as documents, and written again byte for byte."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness import run, run_here
from shingletools.reading.formats import citations
from shingletools.reading.formats.citations import Citations

NO_END, NO_RECORD = (
    "not BibTeX (an entry does not end with a brace)",
    "not a citation (it does not begin with TY, PMID, %0, PT or @)",
)
RIS = [
    "TY  - JOUR\r\nTI  - Wing length\r\nAU  - Ode, N.\r\nAU  - Lib, E.\r\nY1  - 2020\r\nDO  - 10.1/x\r\nER  - \r\n\r\n",
    "TY  - JOUR\nT1  - Wing length.\nA1  - Ode N\nA1  - Lib E\nN2  - We measured\nDNA - it.\nT2  - Flies\nER  - \n",
    "TY  - BOOK\nTI  - Été\nAU  - \nZZ  - TI\nER  - \n\n\n",
]
NBIB = [
    "\nPMID- 7\nLID - 1/z [doi]\nLID - S [pii]\nTI  - On the wings\n   of flies\nAU  - Ode N\nDP  - 2020\nAB  - L.\n\n",
    "PMID- 8\nTI  - Other\nJT  - Flies",
]
BIBTEX = [
    '@Article{a,\n title = "The {DNA} of" # { flies \\& {"b"}},\nAuthor = {M{\\"u}ller, \\\'{I}. and S\\\'{\\i}~{\\O}},'
    "\nJournal = jan # { of \\emph{x}}, year = 2020,\r\n}\n",
    "  @misc{b2, doi={10.1/y}, title={Cats, {a = b}}, abstract={mail a@b.org}}\n\n",
]


def made(folder: Path, text: bytes, options: str = "") -> list[dict[str, object]]:
    (folder / "refs").write_bytes(text)
    return run_here(f"canon --ris {options} --extract refs", cwd=folder).records()


def test_fields(tmp_path: Path) -> None:
    """Those of the first tag that is there; several values are one."""
    one, two, three = made(tmp_path, "".join(RIS).encode())
    via = "canon/3 extract"
    assert one == {
        "id": 1,
        "title": "Wing length",
        "author": "Ode, N.; Lib, E.",
        "abstract": "",
        "journal": "",
        "year": "2020",
        "doi": "10.1/x",
        "text": "Wing length\nOde, N.; Lib, E.",
        "via": via,
    }
    assert two["abstract"] == "We measured DNA - it."
    assert (two["journal"], two["author"], two["title"]) == ("Flies", "Ode N; Lib E", "Wing length.")
    assert three == {
        "id": 3,
        "title": "Été",
        **dict.fromkeys(("author", "abstract", "journal", "year", "doi"), ""),
        "text": "Été",
        "type": "BOOK",
        "via": via,
    }
    seven, eight = made(tmp_path, "".join(NBIB).encode())
    assert seven == {
        "id": 1,
        "title": "On the wings of flies",
        "author": "Ode N",
        "abstract": "L.",
        "journal": "",
        "year": "2020",
        "doi": "1/z",
        "pmid": "7",
        "text": "On the wings of flies\nOde N\nL.",
        "via": via,
    }
    assert eight["journal"] == "Flies"
    assert made(tmp_path, b"\xef\xbb\xbf" + "".join(RIS).encode())[0]["title"] == "Wing length"
    assert made(tmp_path, "".join(RIS).replace("\r\n", "\n").replace("\n", "\r").encode()) == [one, two, three]
    named = made(tmp_path, RIS[0].encode(), "--id doi --text title,journal")
    assert (named[0]["doi"], named[0]["text"]) == ("10.1/x", "Wing length")


def test_bibtex(tmp_path: Path) -> None:
    strings = "% free text\n@string{x = {@y}}\n@Comment{@article{z, title = {z}}}\n"
    one, two = made(tmp_path, (strings + "".join(BIBTEX)).encode())
    assert [one[name] for name in ("id", "title", "author", "journal", "year", "doi")] == [
        *(1, 'The DNA of flies & "b"', "Müller, Í.; Sí Ø", "jan of x", "2020", "")
    ]
    assert (two["text"], two["doi"]) == ("Cats, a = b\nmail a@b.org", "10.1/y")
    (tmp_path / "a.bib").write_text("@a{a, title = {x}\n@b(c, title = {y})\n@c{d, title={z}} @d{e,title={v}}\n")
    ran = run_here("canon --ris --extract a.bib", cwd=tmp_path)
    assert [json.loads(line)["text"] for line in ran.out.splitlines()] == ["y", "z", "v"]
    assert ran.err == f"canon: a.bib:1: {NO_END}\n"


def test_bad_files(tmp_path: Path) -> None:
    (tmp_path / "refs").write_bytes(RIS[0].encode() + RIS[2].encode("latin-1") + RIS[1].encode())
    ran = run_here("canon --ris --rejects bad refs", cwd=tmp_path)
    assert (ran.status, ran.err.split(";")[0]) == (1, "canon: refs:9: not UTF-8 (byte 18)")
    assert [json.loads(line)["id"] for line in ran.out.splitlines()] == [1, 3]
    assert (tmp_path / "bad").read_bytes() == RIS[2].encode("latin-1").rstrip(b"\n") + b"\n"
    ran = run_here("canon --ris", stdin=b'{"id":1,"text":"a"}\n', cwd=tmp_path)
    message = "no record begins with TY, PMID, %0, PT or @; this looks like JSON lines: leave out --ris"
    assert (ran.status, ran.out, ran.err) == (2, b"", f"canon: -: {message}\n")
    assert run_here("canon --ris", cwd=tmp_path).good() == b""


def test_a_long_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(citations, "MAX_RECORD_BYTES", 50)
    (tmp_path / "refs").write_bytes(RIS[2].encode() + RIS[1].encode())
    ran = run_here("canon --ris refs", cwd=tmp_path)
    assert (ran.status, ran.err) == (2, "canon: refs:8: a record of more than 50 bytes\n")


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_all_bytes_are_written_again(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """What is kept and what is removed are the file, with a line feed after its last record."""
    folder = tmp_path_factory.mktemp("refs")
    kinds = [data.draw(st.sampled_from([[*RIS, *NBIB], BIBTEX])) for _ in range(2)]
    several = [data.draw(st.lists(st.sampled_from(kind), min_size=1, max_size=6)) for kind in kinds]
    names = ["one", "two"]
    for name, some in zip(names, several, strict=True):
        some[:-1] = [each if each.endswith("\n") else f"{each}\n" for each in some[:-1]]
        (folder / name).write_text("".join(some), newline="")
    number = sum(map(len, several))
    gone = data.draw(st.sets(st.integers(1, number)))
    pairs = "".join(f'{{"a":{each},"b":0,"against":true}}\n' for each in sorted(gone))
    (folder / "pairs").write_text(pairs)
    run_here("dedup --known pairs --ris -o left --removed gone one two", cwd=folder)
    every = [each.strip("\n") for some in several for each in some]
    for name, wanted in (("left", set(range(1, number + 1)) - gone), ("gone", gone)):
        found = (folder / name).read_bytes().decode()
        assert [each.strip("\n") for each in cut(found)] == [every[each - 1] for each in sorted(wanted)]


def cut(text: str) -> list[str]:
    """The records, by other means than the reader."""
    found: list[str] = []
    for line in text.split("\n"):
        if line.startswith(("TY  -", "PMID-", "@A", "  @")):
            found.append(line)
        elif found:
            found[-1] += f"\n{line}"
    return found


def test_any_cut_of_the_input_gives_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "refs").write_text("".join(RIS * 3), newline="")
    whole = [each for part in Citations("id").read([str(tmp_path / "refs")]) for each in part.documents()]
    assert len(whole) == 9
    for size in (1, 7, 100):
        monkeypatch.setattr("shingletools.system.interruptible_reads.READ_BYTES", size)
        parts = list(Citations("id").read([str(tmp_path / "refs")]))
        assert len(parts) > 5
        assert [each for part in parts for each in part.documents()] == whole


def test_references_without_copies(tmp_path: Path) -> None:
    """Of two with one place, the one of which more fields have a value is kept."""
    fuller = RIS[1].replace("T2  - Flies", "T2  - Flies\nY1  - 2020\nVL  - 3\nSP  - 9")
    bare = RIS[0].replace("Y1  - 2020\r\n", "Y1  - 2020\r\nVL  - 3\r\nSP  - 9\r\n")
    (tmp_path / "refs.ris").write_text(bare + fuller + RIS[2], newline="")
    ran = run_here("shingletools unique refs.ris", cwd=tmp_path)
    assert ran.out.decode() == fuller + RIS[2]
    ran = run_here("shingletools unique -t 1 refs.ris --dry-run", cwd=tmp_path)
    assert "shingle --chars -k 3 unique.words | simjoin -t 1 -o unique.alike" in ran.good().decode()


def texts(folder: Path, text: str, field: str = "text") -> list[object]:
    return [each[field] for each in made(folder, text.encode())]


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        (
            "TY  - A\nTI  - On\n@home (and so on)\n@a{b,\nER  -\nTY  - B\nTI  - Two\n",
            ["On @home (and so on) @a{b,", "Two"],
        ),
        ("@a{k, title = {On\n@alice {a nickname} it}}\n@b{l, title={Two}}\n", ["On @alice a nickname it", "Two"]),
        ("@a{k, title={See {\\url{x}}@foo{bar}}}\n", ["See x@foobar"]),
        ("@Comment{\n@Article{old,\n title={Old}}\n}\nfree { text\n@string{j = {J}}\n@a{k, title={New}}", ["New"]),
        ("@comment{\n@a{k, title={One}}\n@b{l, title={Two}}\n", ["One", "Two"]),
    ],
)
def test_where_records_begin(text: str, titles: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not within values; and dedup writes every byte."""
    for size in (1 << 18, 1):
        monkeypatch.setattr("shingletools.system.interruptible_reads.READ_BYTES", size)
        assert texts(tmp_path, text, "title") == titles
        ran = run_here("dedup --known /dev/null --ris refs", cwd=tmp_path)
        assert ran.good() == text.encode()


def test_an_entry_without_an_end_does_not_go_on(tmp_path: Path) -> None:
    (tmp_path / "refs").write_text("@a{k, title={One}\n@string{j = {J}}\n@b{l, title={Two}}\n@c{m, title={Three}}")
    ran = run_here("canon --ris --extract refs", cwd=tmp_path)
    assert [json.loads(line)["text"] for line in ran.out.splitlines()] == ["Two", "Three"]
    assert ran.err == f"canon: refs:1: {NO_END}\n"


def test_a_doi_in_the_second_tag(tmp_path: Path) -> None:
    assert texts(tmp_path, "PMID- 7\nLID - S1 [pii]\nAID - 1/z [doi]\n", "doi") == ["1/z"]


def test_escaped_characters_and_names_in_braces(tmp_path: Path) -> None:
    text = r"@a{k, title={\$5 \{a\} 7\% \& \# \_ {\emph $x$}}, author={{A and B Inc} and Bob}}"
    assert texts(tmp_path, text, "title") == ["$5 {a} 7% & # _ x"]
    assert texts(tmp_path, text, "author") == ["A and B Inc; Bob"]
    assert texts(tmp_path, '@a{k, author="{A and B}\nand C"}', "author") == ["A and B; C"]


def test_carriage_returns_alone_are_read_in_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shingletools.system.interruptible_reads.READ_BYTES", 100)
    (tmp_path / "refs").write_bytes("".join(RIS * 9).replace("\r\n", "\n").replace("\n", "\r").encode())
    parts = list(Citations("id").read([str(tmp_path / "refs")]))
    assert max(sum(1 for _ in part.documents()) for part in parts) <= 3
    assert sum(1 for part in parts for _ in part.documents()) == 27


ONE = "TY  - JOUR\nTI  - One\nER  - \n"
THREE = "TY  - JOUR\nTI  - Three\nER  - \n"
REFERENCES = [
    pytest.param(f"{ONE}@book{{b, title={{Two}}}}\n{THREE}", ["One", "Two", "Three"], id="BibTeX after RIS"),
    pytest.param(f"@a{{k,title={{Nil}}}}\n\n{ONE}@a{{l,title={{Two}}}}", ["Nil", "One", "Two"], id="RIS in BibTeX"),
    pytest.param(f"{ONE}TY - JOUR\nTI - Two\nER - \n{THREE}", ["One", "Two", "Three"], id="one blank"),
    pytest.param(
        "TY - JOUR\nTI - One\nTY - BOOK\nTI - Two\nPMID - 7\nTI - Three\n", ["One", "Two", "Three"], id="no end"
    ),
    pytest.param(f"{ONE}  TY  - A\n  TI  - Two\n  ER  - \n{THREE}", ["One", "Two", "Three"], id="indented"),
    pytest.param(f"{ONE}TY\xa0\xa0- A\nTI\xa0\xa0- Two\nER\xa0\xa0- \n{THREE}", ["One", "Two", "Three"], id="NBSP"),
    pytest.param(f"{ONE[:-1]}{ONE[:-2]}{THREE[:-1]}@a{{k,title={{x}}}}", ["One", "One", "Three", "x"], id="joined RIS"),
    pytest.param("PMID- 1\nTI  - One\nSO  - J.PMID- 2\nTI  - Two\n", ["One", "Two"], id="joined NBIB"),
    pytest.param("@a{k,title={One}}TY  - A\nTI  - Two\n", ["One", "Two"], id="joined BibTeX"),
    pytest.param("@ article{k, title={One}}\n@\tbook {l, title={Two}}\n", ["One", "Two"], id="blanks before a kind"),
    pytest.param('@a(k, title={a ) b}, note=")")\n@a (l,title="x)")', ["a ) b", "x)"], id="parentheses"),
    pytest.param(
        "\ufeffScopus\nEXPORT DATE: 1\n\n" + ONE + "\ufeffProvider: J\n" + THREE, ["One", "Three"], id="heads"
    ),
    pytest.param("@a{k,title={One}}\n% x = {y}\n\nFree text.\n@a{l,title={Two}}\n}\n", ["One", "Two"], id="free text"),
    pytest.param(
        "TY  - A\nTI  - One\nN2  - ER - positive,\nTY - cat and MR - imaging\nER  - \n", ["One"], id="abstract"
    ),
    pytest.param("@a{k,title={One},abstract={\n\nTY  - A\n%0 B}}\n", ["One"], id="RIS in a value"),
    pytest.param("@a{k,title={" + "{" * 9 + "x" + "}" * 9 + " y}}@a{l,title={z}}", ["x y", "z"], id="nested"),
    pytest.param(
        "FN Clarivate\r\nVR 1.0\r\nPT J\r\nTI One\r\n   and\r\nZ9 7\r\nER\r\n\r\nPT J\r\nTI Two\r\nPT B\r\nTI Three\r\n"
        "ER\r\nEF",
        ["One and", "Two", "Three"],
        id="Web of Science",
    ),
    pytest.param(
        "\ufeff%0 Journal Article\n%T One\nand\n%X PT\n\n%\n\nER\n%0 Book\n%T Two\n\n\n%0 Web Page\n%T Three",
        ["One and", "Two", "Three"],
        id="EndNote",
    ),
    pytest.param(
        f"{ONE}%0 Book\n%T Two\n{THREE}PT J\nTI Four\nER\n\n@a{{k,title={{Five}}}}\n%0 Book\n%T Six\nPMID- 7\n"
        "TI  - Seven\nPT J\nTI Eight\nTY  - A\nTI  - Nine\nER  -\n",
        ["One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"],
        id="all",
    ),
    pytest.param('@a{k,title={One},x="\n@a\n)"}@a{l,title=\\é" x}', ["One", "é x"], id="quotes"),
]


@pytest.mark.parametrize(("text", "titles"), REFERENCES)
def test_each_reference_is_read(text: str, titles: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However the file is cut; and dedup writes every byte."""
    monkeypatch.setattr("shingletools.system.interruptible_reads.READ_BYTES", 1)
    assert texts(tmp_path, text, "title") == titles
    assert run_here("dedup --known /dev/null --ris refs", cwd=tmp_path).good() == text.encode()


FOREIGN = [
    pytest.param("%0 7\n%T Two\n", (4,), id="no EndNote"),
    pytest.param("AU  - Ode, N.\nTI  - Two\nER  - \n", (4,), id="RIS without a type"),
    pytest.param('{"title": "Two"}\n', (4,), id="JSON"),
    pytest.param("@article without braces\n", (4,), id="no entry"),
]


@pytest.mark.parametrize(("text", "lines"), FOREIGN)
@pytest.mark.parametrize("bibtex", [False, True])
def test_what_is_no_reference_is_rejected(text: str, lines: tuple[int, ...], bibtex: bool, tmp_path: Path) -> None:
    before, after = ("@a{k,\ntitle={One}\n}\n", "@a{l, title={Three}}\n") if bibtex else (ONE, THREE)
    for whole in (f"{before}{text}{after}", f"{before}\n\n{text}\n\n{after}"):
        (tmp_path / "refs").write_text(whole)
        ran = run_here("canon --ris --extract --rejects bad refs", cwd=tmp_path)
        first = whole[: whole.index(text)].count("\n") + 1
        wanted = [f"canon: refs:{first + line - lines[0]}: {NO_RECORD}" for line in lines]
        assert (ran.status, ran.err.splitlines()) == (1, wanted)
        assert [json.loads(line)["title"] for line in ran.out.splitlines()] == ["One", "Three"]
        assert (tmp_path / "bad").read_text().split() == text.split()
        ran = run_here("dedup --known /dev/null --ris --rejects bad refs", cwd=tmp_path)
        assert (ran.status, ran.out.decode().split()) == (1, (before + after).split())
        assert (tmp_path / "bad").read_text().split() == text.split()


def test_before_the_first_reference_and_without_an_end(tmp_path: Path) -> None:
    (tmp_path / "refs").write_text(f"FN X\n% Nil\n\nTY  - A\nTI  - One\n<?xml\n<a>\n{THREE}Text\n")
    ran = run_here("canon --ris --extract refs", cwd=tmp_path)
    assert [json.loads(line)["title"] for line in ran.out.splitlines()] == ["One", "Three"]
    assert ran.err.splitlines() == [f"canon: refs:{line}: {NO_RECORD}" for line in (1, 6, 11)]
    (tmp_path / "refs").write_text("PMID- 1\nTI  - One\n\n%0Book\n\nPMID- 2\nTI  - Two\n      it\n\nAB  - x\n")
    ran = run_here("canon --ris --extract refs", cwd=tmp_path)
    assert [json.loads(line)["text"] for line in ran.out.splitlines()] == ["One", "Two it\nx"]
    assert ran.err == f"canon: refs:4: {NO_RECORD}\n"


def test_free_text_of_bibtex_stays(tmp_path: Path) -> None:
    """It is no part of the entry before it, which goes."""
    (tmp_path / "refs").write_text("% head\n@a{k,title={One}}\n\n% about two\n@string{j={J}}\n@a{l,title={Two}}\n")
    (tmp_path / "pairs").write_text('{"a":1,"b":0,"against":true}\n{"a":2,"b":0,"against":true}\n')
    ran = run_here("dedup --known pairs --ris --removed gone refs", cwd=tmp_path)
    assert ran.good().decode() == "% head\n% about two\n@string{j={J}}\n"
    assert (tmp_path / "gone").read_text() == "@a{k,title={One}}\n\n@a{l,title={Two}}\n"


def test_all_fields_of_each_format(tmp_path: Path) -> None:
    wanted = {
        "title": "Wings",
        "author": "Ode, N.; Lib, E.",
        "journal": "Flies",
        "year": "2020",
        "doi": "10.1000/ab(c)",
        "pmid": "77",
        "volume": "3",
        "number": "2",
        "pages": "11-19",
    }
    ris = (
        "TY  - JOUR\nTI  -\nT1  - Wings\nAU  - Ode, N.\nAU  -\nAU  - Lib, E.\nT2  - Flies\nPY  - 2020/05/01/\n"
        "VL  - 3\nIS  - 2\nSP  - 11\nEP  - 19\nAN  - 77\nDB  - Ovid MEDLINE(R)\nSN  - 1234-5678\n"
        "UR  - https://dx.doi.org/10.1000/AB(c)\nER  - \n"
    )
    nbib = (
        "PMID- 77\nIS  - 1234-5678 (Linking)\nVI  - 3\nIP  - 2\nDP  - 2020 May 1\nTI  - Wings\nPG  - 11-19\n"
        "LID - 10.1000/AB(c) [doi]\nAU  - Ode, N.\nAU  - Lib, E.\nJT  - Flies\n"
    )
    bibtex = (
        "@article{k, title={Wings}, author={Ode, N. and\n Lib, E.}, journal={}, journaltitle=Flies,\n"
        "date={2020-05-01}, "
        "doi={https://doi.org/10.1000%2FAB(c)}, pmid={77}, volume=3 % , year={1}, }\n number={2} pages={11--19} }"
    )
    endnote = (
        "%0 Journal Article\n%A Ode, N.\n%A Lib, E.\n%T Wings\n%J Flies\n%V 3\n%N 2\n%P 11-19\n%@ 1234-5678\n%D 2020\n"
        "%R https://doi.org/10.1000/AB(c)\n%M 77\n%~ PubMed\n%K DA\n"
    )
    web = (
        "PT J\nAU Ode, N.\n   Lib, E.\nAF Ode, Nil\n   Lib, Ed\nTI Wings\nSO Flies\nPD MAY\nPY 2020\nVL 3\n"
        "IS 2\nBP 11\nEP 19\nPG 9\nSN 1234-5678\nDI 10.1000/ab(c)\nPM 77\nDA 2021-02-03\nER\n"
    )
    for text in (ris, nbib, bibtex, endnote, web):
        (found,) = made(tmp_path, text.encode())
        assert {name: found.get(name) for name in wanted} == wanted
        assert "isbn" not in found
    for text in (
        "TY  - BOOK\nSN  - 978-0-306-40615-7 (print); 1234-5678\nSN  - 0-306-40615-x\nER  -\n",
        "PMID- 1\nISBN- 978-0306406157\nISBN- 030640615x\n",
        "@book{k, isbn={978 0 306 40615 7, 0-306-40615-X}}",
        "%0 Book\n%@ 978-0-306-40615-7\n%@ 030640615x\n",
        "PT B\nBN 978-0-306-40615-7; 0-306-40615-x\nER\n",
    ):
        assert texts(tmp_path, text, "isbn") == ["9780306406157; 030640615X"]
    notes = (
        "@a{k, note={PMID: 123. doi: 10.1234/X_y.}}\n@a{l, url={https://pubmed.ncbi.nlm.nih.gov/45/}, doi={DOI 10.1/z}}"
    )
    assert (texts(tmp_path, notes, "pmid"), texts(tmp_path, notes, "doi")) == (["123", "45"], ["10.1234/x_y", "10.1/z"])


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"$\alpha$-decay of $^{14}$C", "α-decay of ^14C"),
        (r"\LaTeX{} and \BibTeX, {\it new} \emph{or} \textbf{old}", "LaTeX and BibTeX, new or old"),
        (r"Y{\i}ld{\i}z, $\Omega$ 5\,mm $\leq$ 7 hy\-phen", "Yıldız, Ω 5 mm ≤ 7 hyphen"),
        (r"{\'E}t{\'{e}}, \v{C}apek, \O rsted, a~b", "Été, Čapek, Ørsted, a b"),
    ],
)
def test_latex(latex: str, text: str, tmp_path: Path) -> None:
    assert texts(tmp_path, f"@a{{k, title={{{latex}}}}}", "title") == [text]


EXPORTS = {
    "pubmed.txt": "\nPMID- 1\nTI  - One\n\nPMID- 2\nTI  - Two\n",
    "endnote.txt": "%0 Journal Article\n%T One\n\n%0 Book\n%T Two\n",
    "savedrecs.txt": "\ufeffFN Clarivate Analytics Web of Science\nVR 1.0\nPT J\nTI One\nER\n\nPT J\nTI Two\nER\n\nEF",
    "plain.ciw": "FN Clarivate\nVR 1.0\nPT J\nTI One\nER\n\nPT J\nTI Two\nER\n\nEF",
    "ovid.txt": "<1>\n1. \nTY  - JOUR\nT1  - One\nER  - \n\n\n<2>\n2. \nTY  - JOUR\nT1  - Two\nER  - \n",
    "cochrane.txt": (
        'Record #1 of 2\nProvider: John Wiley & Sons, Ltd\nContent: text/plain; charset="UTF-8"\n\n\n'
        "TY  - JOUR\nTI  - One\nER  -\n\n\nRecord #2 of 2\nProvider: John Wiley\nContent: text/plain\n\n\n"
        "TY  - JOUR\nTI  - Two\nER  -\n"
    ),
}


@pytest.mark.parametrize("name", EXPORTS)
def test_exports_of_databases(name: str, tmp_path: Path) -> None:
    """Their first bytes say what they are; another file of text is lines."""
    (tmp_path / name).write_text(EXPORTS[name])
    assert texts(tmp_path, EXPORTS[name], "title") == ["One", "Two"]
    ran = run("shingletools unique -o", name, name, cwd=tmp_path)
    assert ran.status == 0
    assert "2 kept, 0 removed, 0 left out" in ran.err
    assert (tmp_path / name).read_text() == EXPORTS[name]
    (tmp_path / "lines.txt").write_text("Record 1\nTY  - A\nPT J\n")
    assert run("shingletools unique lines.txt", cwd=tmp_path).out == b"Record 1\nTY  - A\nPT J\n"
