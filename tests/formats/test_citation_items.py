"""Citations of CSL-JSON, and of PubMed's and EndNote's XML."""

import json
from pathlib import Path

from harness import run

ITEMS = [
    {
        "id": "a",
        "type": "article-journal",
        "title": "Wings",
        "author": [{"family": "Ode", "given": "N."}, {"literal": "WHO"}, 5],
        "issued": {"date-parts": [[2020, 5]]},
        "container-title": "Flies",
        "DOI": "https://doi.org/10.1000/AB(c)",
        "volume": 3,
        "issue": "2",
        "page": "11-19",
        "PMID": "77",
    },
    {"title": "Other", "issued": {"raw": "May 1999"}, "author": "x", "page": None},
    {"id": "c", "title": "WINGS", "issued": {"date-parts": [["2020"]]}, "DOI": "10.1000/ab(C)"},
]
WANTED = {
    "title": "Wings",
    "author": "Ode, N.; WHO",
    "journal": "Flies",
    "year": "2020",
    "doi": "10.1000/ab(c)",
    "pmid": "77",
    "volume": "3",
    "number": "2",
    "pages": "11-19",
}
ARTICLE = """<PubmedArticle><MedlineCitation><PMID Version="1">77</PMID><Article><Journal><JournalIssue>
<Volume>3</Volume><Issue>2</Issue><PubDate><Year>2020</Year><Month>05</Month></PubDate></JournalIssue><Title>Flies</Title></Journal>
<ArticleTitle>Wi<i>ng</i>s</ArticleTitle><Pagination><MedlinePgn>11-19</MedlinePgn></Pagination><Abstract><AbstractText>A
&lt; b.</AbstractText><AbstractText>C.</AbstractText></Abstract><AuthorList><Author><LastName>Ode,</LastName>
<ForeName>Nil</ForeName><Initials>N.</Initials></Author><Author><CollectiveName>WHO</CollectiveName></Author></AuthorList></Article>
</MedlineCitation><PubmedData><ArticleIdList><ArticleId IdType="pubmed">77</ArticleId>
<ArticleId IdType="doi">10.1000/ab(c)</ArticleId></ArticleIdList></PubmedData></PubmedArticle>
"""
HEAD = '<?xml version="1.0" ?>\n<!DOCTYPE PubmedArticleSet PUBLIC "x" "y">\n<PubmedArticleSet>\n'
PUBMED = f"{HEAD}{ARTICLE * 2}</PubmedArticleSet>\n"
ENDNOTE = (
    '<?xml version="1.0" encoding="UTF-8"?><xml><records><record><contributors><authors><author><style>Ode, N.</style>'
    "</author><author>WHO</author></authors></contributors><titles><title><style face='x'>Wings</style></title>"
    "<secondary-title>Flies</secondary-title></titles><pages>11-19</pages><volume>3</volume><number>2</number><dates>"
    "<year>2020</year></dates><electronic-resource-num>10.1000/ab(c)</electronic-resource-num></record></records></xml>"
)


def test_items_of_csl(tmp_path: Path) -> None:
    (tmp_path / "refs.json").write_text(json.dumps([*ITEMS, 5, {"title": []}]))
    ran = run("canon --csl --extract refs.json", cwd=tmp_path)
    one, two, three, last = map(json.loads, ran.out.splitlines())
    assert {name: one.get(name) for name in WANTED} == WANTED
    assert [each["id"] for each in (one, two, three, last)] == ["a", 2, "c", 5]
    assert (two["title"], two["year"], two["author"], last["text"]) == ("Other", "1999", "", "")
    assert ran.err == "canon: refs.json:1: not a JSON object\n"
    (tmp_path / "refs.json").write_text(json.dumps(ITEMS))
    ran = run("shingletools unique refs.json -o kept.json", cwd=tmp_path)
    assert "canon --csl --symbols --text title,year" in ran.err
    assert ran.err.splitlines()[-1] == "shingletools unique: 2 kept, 1 removed, 0 left out"
    assert json.loads((tmp_path / "kept.json").read_text()) == ITEMS[:2]


def test_records_of_xml(tmp_path: Path) -> None:
    (tmp_path / "p.xml").write_text(PUBMED)
    (tmp_path / "e.xml").write_text(ENDNOTE)
    one, two, three = run("canon --xml --extract p.xml e.xml", cwd=tmp_path).records()
    assert {name: one.get(name) for name in WANTED} == WANTED
    assert one["abstract"] == "A < b. C."
    assert [each["id"] for each in (one, two, three)] == [1, 2, 3]
    assert {name: three.get(name, "77") for name in WANTED} == WANTED
    for command in ("shingletools unique p.xml", "dedup --known /dev/null --xml p.xml"):
        ran = run(command, cwd=tmp_path)
        assert (ran.status, ran.out) == (2, b"")
        assert (
            "--xml is only read: export RIS, or remove copies from the JSON lines of canon --xml --extract" in ran.err
        )


def test_xml_that_is_hostile(tmp_path: Path) -> None:
    """Cut short, no records, entities that expand, and a record without an end."""
    bomb = "".join(f"<!ENTITY a{n} '{f'&a{n - 1};' * 10}'>" for n in range(1, 10))
    for text, cause, good in [
        (PUBMED[:-15], "3: not XML, or damaged: ", 2),
        (PUBMED[:700], "1: not XML, or damaged: ", 0),
        ("", "1: not XML, or damaged: ", 0),
        ("<html></html>", "1: no record of PubMed or EndNote", 0),
        (PUBMED.replace("<PMID", "<PMID <"), "1: not XML, or damaged: ", 0),
        (
            f"<!DOCTYPE a [<!ENTITY a0 'aaaaaaaaaa'>{bomb}]><xml><record><abstract>&a9;</abstract></record></xml>",
            "1: not XML",
            0,
        ),
        ("<xml>" + "<a>" * (1 << 23), "1: a record of more than 16777216 bytes", 0),
        (f"<xml>{'<record/>' * 9}</xml></xml>", "10: not XML, or damaged: ", 9),
    ]:
        (tmp_path / "a").write_text(text)
        ran = run("canon --xml a", cwd=tmp_path)
        assert (ran.status, ran.out.count(b"\n")) == (2, good), text[:99]
        assert ran.err.startswith(f"canon: a:{cause}")
