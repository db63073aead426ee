"""simcheck --citations: kinds of pairs that are one reference or not, whatever their order, and what always holds."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import Record, jsonl, pipe, run
from shingletools.commands.simcheck.citation_verdicts import CitationVerdict, citation_verdict
from shingletools.commands.simcheck.citations import Citation
from shingletools.commands.simcheck.spec import CITATION_FIELDS

PAPER = {
    "title": "Timing of chest tube removal after coronary bypass surgery",
    "author": "Abramov, Dan; Yeshayahu, Michal; Tsodikov, Vadim",
    "journal": "Journal of Cardiac Surgery",
    "year": "2005",
    "volume": "20",
    "pages": "142-146",
}
NOWHERE = {"volume": "", "pages": ""}
COLUMN = {"title": "This week in the journal", "number": "3", "pages": "100-101"}
# What is changed in each of two records of one paper, and the answer
KINDS: list[tuple[str, Record, Record, str]] = [
    ("the same", {}, {}, "copy"),
    ("initials", {}, {"author": "Abramov D; Yeshayahu M; Tsodikov V"}, "copy"),
    ("et al.", {}, {"author": "Abramov, D., et al."}, "copy"),
    ("order of authors", {}, {"author": "V Tsodikov; D Abramov; M Yeshayahu"}, "copy"),
    ("accents", {"author": "Müller, José; Åkesson, K"}, {"author": "Muller J; Akesson K"}, "copy"),
    ("no author", {}, {"author": ""}, "copy"),
    ("no journal", {}, {"journal": ""}, "copy"),
    ("no year", {}, {"year": ""}, "copy"),
    ("no place", {}, NOWHERE, "copy"),
    ("no values of an export", {}, {"volume": "NA", "pages": "n/a", "doi": "NA"}, "copy"),
    ("abbreviated journal", NOWHERE, {"journal": "J Card Surg"}, "copy"),
    ("initials of a journal", NOWHERE, {"journal": "JCS"}, "copy"),
    (
        "cut words of a journal",
        {"journal": "Journal of the National Cancer Institute", "pages": ""},
        {"journal": "J Natl Cancer Inst"},
        "copy",
    ),
    ("no journal and no pages", {"journal": ""}, {"pages": ""}, "copy"),
    ("another journal", NOWHERE, {"journal": "Thorax"}, "doubtful"),
    ("journal and its meeting", NOWHERE, {"journal": "Journal of Cardiac Surgery. Conference: Rome 2005"}, "copy"),
    ("last page only", {"pages": "S109-S112"}, {"pages": "Suppl-12"}, "copy"),
    ("article number and pages", {"pages": "e142"}, {"pages": "1-6"}, "doubtful"),
    ("typing error", {}, {"title": "Timing of chest tube removal after coronray bypass surgery"}, "copy"),
    (
        "no subtitle",
        {},
        {"title": PAPER["title"] + ": a randomized trial of early and late removal, with costs"},
        "doubtful",
    ),
    (
        "note of a database",
        {},
        {"title": PAPER["title"] + ".[Erratum appears in J Card Surg. 2011 Mar;26(2):1]"},
        "copy",
    ),
    ("Roman numbers", {"title": "A phase II trial of talc"}, {"title": "A phase 2 trial of talc"}, "copy"),
    ("no title", {}, {"title": ""}, "doubtful"),
    ("translated title", {}, {"title": "Wann Drainagen nach Operationen gezogen werden"}, "doubtful"),
    ("erratum", {}, {"title": "Erratum: " + PAPER["title"], "pages": "310"}, "different"),
    ("retraction", {"doi": "10.1/x"}, {"title": "Retraction: " + PAPER["title"], "doi": "10.1/y"}, "doubtful"),
    ("retracted", {"doi": "10.1/x"}, {"title": "RETRACTED: " + PAPER["title"], "doi": "10.1/x"}, "doubtful"),
    ("reply", {}, {"title": "Reply: " + PAPER["title"], "pages": "147"}, "different"),
    ("comment", {}, {"title": "Comment on " + PAPER["title"], "pages": "150", "author": "Light, R"}, "different"),
    (
        "part",
        {"title": "Linomide in MS. Part I"},
        {"title": "Linomide in MS. Part II", "pages": "147-150"},
        "different",
    ),
    ("edition", {"title": "The lung"}, {"title": "The lung, 2nd edition", "year": "2009"} | NOWHERE, "different"),
    ("report of a year", {"title": "Annual report 2004"} | NOWHERE, {"title": "Annual report 2005"}, "different"),
    (
        "another number of years",
        {"title": "Two-year results of talc in pleurisy"} | NOWHERE,
        {"title": "Ten-year results of talc in pleurisy"} | NOWHERE,
        "different",
    ),
    ("editorials", {"title": "Editorial"}, {"title": "Editorial", "pages": "201"}, "doubtful"),
    (
        "letters on one page",
        {"title": "Letter to the editor"},
        {"title": "Letter to the editor", "author": "Ode, N"},
        "different",
    ),
    ("letters of one title on one page", {"pages": "2243-5"}, {"author": "Ode, N", "pages": "2243-5"}, "different"),
    ("paper of a group", {}, {"author": "Chest Tube Trial Group"}, "copy"),
    (
        "translated title with one DOI",
        {"doi": "10.1/x"},
        {"doi": "10.1/x", "title": "Wann Drainagen nach Operationen gezogen werden"},
        "copy",
    ),
    (
        "papers of one volume of proceedings",
        {"isbn": "9780306406157", "title": "Chest tubes after operations in men"} | NOWHERE,
        {"isbn": "9780306406157", "title": "Chest tubes after operations in women"} | NOWHERE,
        "doubtful",
    ),
    ("other DOIs", {"doi": "10.1/x"}, {"doi": "10.1/y"}, "doubtful"),
    ("other PMIDs", {"pmid": "11"}, {"pmid": "12"}, "doubtful"),
    ("preprint", {"doi": "10.1101/1"}, {"doi": "10.1/y", "journal": "medRxiv", "year": "2004"} | NOWHERE, "doubtful"),
    ("preprint without DOI", {}, {"journal": "medRxiv"} | NOWHERE, "doubtful"),
    ("online first", {"year": "2004"}, {}, "copy"),
    ("online first without a place", {"year": "2004"} | NOWHERE, {}, "doubtful"),
    ("two years later", {"year": "2007"}, {}, "doubtful"),
    ("another volume", {"volume": "21"}, {}, "doubtful"),
    ("another volume with one DOI", {"doi": "10.1/x", "volume": "21"}, {"doi": "10.1/x"}, "copy"),
    ("supplement as the volume", {"volume": "1"}, {"number": "2 SUPPL. 1"}, "copy"),
    ("another supplement as the volume", {"volume": "1"}, {"number": "1 Suppl 2"}, "doubtful"),
    ("talk at two meetings", {"journal": "Thorax", "volume": "60"}, {}, "doubtful"),
    ("one DOI", {"doi": "10.1/x"} | NOWHERE, {"doi": "10.1/x", "year": "2007", "journal": "Heart"}, "copy"),
    ("one PMID", {"pmid": "11"}, {"pmid": "11", "volume": "1", "pages": ""}, "copy"),
    (
        "talks with the DOI of a supplement",
        {"doi": "10.1/x"},
        {"doi": "10.1/x", "title": "Timing of chest tube removal after heart transplantation", "pages": "190"},
        "doubtful",
    ),
    (
        "chapters of a book",
        {"isbn": "9780306406157", "title": "Introduction"},
        {"isbn": "9780306406157", "title": "Introduction", "pages": "80-99"},
        "doubtful",
    ),
    (
        "chapters of one title",
        {"isbn": "9780306406157"},
        {"isbn": "9780306406157", "pages": "80-99"},
        "doubtful",
    ),
    (
        "blank within a formula",
        {"title": "Expression of p16(INK4a) in men"},
        {"title": "Expression of p16INK4a in men"},
        "copy",
    ),
    ("a dose", {"title": "A trial of 1.5 mg"}, {"title": "A trial of 15 mg"}, "doubtful"),
    (
        "temperatures",
        NOWHERE | {"title": "Wheat yield at -5 °C in spring"},
        NOWHERE | {"title": "Wheat yield at 5 °C in spring"},
        "different",
    ),
    (
        "ions",
        NOWHERE | {"title": "Transport of water, Na+"},
        NOWHERE | {"title": "Transport of water, Na-"},
        "different",
    ),
    (
        "percent and dollars",
        NOWHERE | {"title": "A tax on sugar of 5 %"},
        NOWHERE | {"title": "A tax on sugar of $5"},
        "different",
    ),
    (
        "a hyphen",
        NOWHERE | {"title": "Virus- positive smears in young women"},
        NOWHERE | {"title": "Virus-positive smears in young women"},
        "copy",
    ),
    ("a column", COLUMN, COLUMN | {"number": "4", "pages": "200-201"}, "doubtful"),
    ("a column that begins each issue", COLUMN | {"pages": "1"}, COLUMN | {"pages": "1", "number": "4"}, "doubtful"),
    ("a column without pages", COLUMN | {"pages": ""}, COLUMN | {"pages": "", "number": "4"}, "doubtful"),
    ("a column with one DOI", COLUMN | {"doi": "10.1/x"}, COLUMN | {"doi": "10.1/x", "pages": "200"}, "copy"),
    ("one detail", NOWHERE | {"edition": "1.0"}, NOWHERE | {"edition": "1.0", "language": "en"}, "copy"),
    (
        "one ISBN in two forms",
        NOWHERE | {"isbn": "9780306406157"},
        NOWHERE | {"isbn": "0306406152"},
        "copy",
    ),
    *(
        (f"another {name}", NOWHERE | {name: one}, NOWHERE | {name: other}, "doubtful")
        for name, one, other in (
            ("date", "2020/03/05", "2020/03/12"),
            ("isbn", "9780306406157", "9780470059029"),
            ("edition", "1.0", "1.1"),
            ("number", "US1234567", "US1234568"),
            ("number", "TR-1", "TR-2"),
            ("language", "en", "de"),
            ("type", "THES", ""),
            ("accession", "11", "12"),
        )
    ),
    ("databases", NOWHERE | {"accession": "1", "database": "A"}, NOWHERE | {"accession": "2", "database": "B"}, "copy"),
    *(
        (title, {}, {"title": title}, "doubtful")
        for title in (
            PAPER["title"].replace("after", "not after"),
            PAPER["title"].replace("after", "without"),
            *(f"{PAPER['title']}{more}" for more in (": a rejoinder", " (response)", ": supplementary material")),
            *(
                f"{kind} {PAPER['title']}"
                for kind in (
                    *("Response to:", "Rebuttal:", "Expression of concern:", "Author response:", "Re:"),
                    *("Berichtigung:", "Rectificatif:", "Clarification:", "Answer to:", "Follow-up:"),
                )
            ),
        )
    ),
    *(
        (
            f"{one} and {other}",
            {"title": f"{PAPER['title']}: {one} men"},
            {"title": f"{PAPER['title']}: {other} men"},
            "doubtful",
        )
        for one, other in (
            ("men or", "women or"),
            ("with", "without"),
            ("B", "C"),
            ("part one", "part two"),
            ("α", "β"),
        )
    ),
    (
        "a book",
        {"isbn": "9780306406157", "title": "The lung"} | NOWHERE,
        {"isbn": "9780306406157; 0306406152", "title": "The Lung", "journal": ""} | NOWHERE,
        "copy",
    ),
]


def citation(record: Record) -> Citation:
    return Citation(json.dumps([record.get(name) for name in CITATION_FIELDS]).encode())


def mirrored(found: CitationVerdict) -> CitationVerdict:
    return CitationVerdict(found.b, found.a, {"a": "b", "b": "a"}.get(found.covers, found.covers), found.answer)


@pytest.mark.parametrize(("one", "other", "answer"), [pytest.param(*each[1:], id=each[0]) for each in KINDS])
def test_kinds(one: Record, other: Record, answer: str) -> None:
    a, b = citation(PAPER | one), citation(PAPER | other)
    found = citation_verdict(a, b)
    assert found.answer == answer, found
    assert (found.covers == "none") == (answer != "copy")
    assert citation_verdict(b, a) == mirrored(found)


def test_equal_records_of_which_little_is_known_are_doubtful() -> None:
    """Their addresses, which are not compared, may differ."""
    home = citation({"title": "Home", "year": "2020"})
    assert citation_verdict(home, home)[2:] == ("none", "doubtful")


def test_the_fuller_record_covers_the_other_one() -> None:
    bare, full = (citation(PAPER | more) for more in ({"abstract": ""}, {"abstract": "1", "doi": "10.1/x"}))
    found = citation_verdict(bare, full)
    assert (found.covers, found.a, found.b) == ("a", [], ["doi 10.1/x", "abstract"])


VALUES = {
    "title": [
        PAPER["title"],
        "Timing of chest tubes",
        "Erratum: timing of chest tubes",
        "Editorial",
        "胸膜疾病的治疗 2",
        "s s s s",
    ],
    "author": ["Ode, N", "Müller, K; Ode, Nils", "Li, H"],
    "journal": ["Chest", "J Card Surg", PAPER["journal"], "J J"],
    "year": ["2004", "2005", "9" * 5000],
    "volume": ["1", "20 Suppl 1"],
    "number": ["3", "Suppl 1"],
    "pages": ["1", "142-6", "142-146", "S1-S6"],
    "doi": ["10.1/x", "10.1/y", "NA"],
    "pmid": ["11", "12"],
    "isbn": ["9780306406157", "9780306406157; 0306406152"],
}
RECORDS = st.fixed_dictionaries({}, optional={name: st.sampled_from(values) for name, values in VALUES.items()})


@given(RECORDS, RECORDS)
def test_laws(one: Record, other: Record) -> None:
    a, b = citation(one), citation(other)
    found = citation_verdict(a, b)
    assert citation_verdict(b, a) == mirrored(found)
    known = a.long or a.doi or one.get("pmid") or (one.get("volume") and one.get("pages"))
    assert citation_verdict(a, a).covers == "both" or not known
    if found.answer == "copy":
        assert all(len({each.get(name) for each in (one, other)} - {None, "NA"}) < 2 for name in ("doi", "pmid"))
        assert bool(one.get("title")) == bool(other.get("title"))


REFS = """\
TY  - JOUR
TI  - Timing of chest tube removal
AU  - Abramov, Dan
PY  - 2005
UR  - https://doi.org/10.1234/X
ER  -

@article{two, title = {Timing of {C}hest tube removal}, year = 2005, doi = {10.1234/x}, volume = 20}

TY  - JOUR
TI  - Erratum
PY  - 2005
DO  - 10.1234/x
ER  -
"""


def test_pipeline_checks_each_pair_once(tmp_path: Path) -> None:
    (tmp_path / "titles").write_bytes(pipe(REFS.encode(), "canon --ris --text title,year"))
    (tmp_path / "near").write_bytes(pipe((tmp_path / "titles").read_bytes(), "shingle --chars -k 3", "simjoin -t 0.5"))
    (tmp_path / "same").write_bytes(pipe(REFS.encode(), "canon --ris --text doi", "shingle -k 1", "simjoin -t 1"))
    files = [tmp_path / "near", tmp_path / "same", tmp_path / "near"]
    found = [
        json.loads(line)
        for line in run("simcheck", "--citations", "--docs", tmp_path / "titles", *files).out.splitlines()
    ]
    assert [(each["a"], each["b"], each["covers"], each["answer"]) for each in found] == [
        (1, 2, "both", "copy"),
        (1, 3, "none", "doubtful"),
        (2, 3, "none", "doubtful"),
    ]
    assert found[0]["own"] == {
        "a": {"words": 1, "run": 0, "first": "author Abramov, Dan"},
        "b": {"words": 1, "run": 0, "first": "volume 20"},
    }


def test_documents_may_lack_fields_or_have_other_values(tmp_path: Path) -> None:
    records = [{"id": 1, "title": "Cats", "doi": "10.1/x"}, {"id": 2, "title": "Cats", "doi": "10.1/x", "year": 2005}]
    (tmp_path / "docs").write_bytes(jsonl(*records))
    result = run("simcheck", "--citations", "--docs", tmp_path / "docs", stdin=jsonl({"a": 1, "b": 2}))
    assert (result.status, json.loads(result.out)["covers"]) == (0, "a")
