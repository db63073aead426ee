"""The page of pairs that simcheck checked, and that of `shingletools unique --report`, in a browser."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from harness import Record, jsonl, run_here
from report.conftest import Open
from report.test_decisions import decision, saved
from report.views import facts, go, rows

WORDS = [f"w{chr(97 + at // 26)}{chr(97 + at % 26)}" for at in range(60)]
TEXTS = {
    "kept": " ".join(WORDS),
    "equal": " ".join(WORDS).upper(),
    "covered": " ".join([*WORDS, "yesterday"]),
    "doubtful": " ".join([*WORDS[:50], *"but here one more sentence says what none else knows".split()]),
    "12 Main Street": "12 Main Street of the old town",
    "13 Main Street": "13 Main Street of the old town",
}


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A folder with documents, and their checked pairs, one of which has a field of its own and a label."""
    (tmp_path / "docs").write_bytes(jsonl(*({"id": name, "text": text} for name, text in TEXTS.items())))
    (tmp_path / "words").write_bytes(run_here("canon docs", cwd=tmp_path).good())
    shingles = run_here("shingle -k 1 words", cwd=tmp_path).good()
    pairs = run_here("simjoin -t 0.6 --copies once", stdin=shingles, cwd=tmp_path).good()
    checked = run_here("simcheck --docs words", stdin=pairs, cwd=tmp_path).records()
    checked[-1] |= {"judge": {"label": "<b>", "n": 1.0}, "label": "different"}
    (tmp_path / "pairs").write_bytes(jsonl(*checked))
    return tmp_path


@pytest.fixture
def page(here: Path, pages: dict[str, Path], opened: Open) -> Iterator[Page]:
    run_here("simshow --docs docs --html page pairs", cwd=here).good()
    (here / "page").rename(here / "page.html")
    pages["made"] = here / "page.html"
    yield opened("made", "pairs")
    del pages["made"]


def kept(here: Path, pairs: list[Record]) -> list[str]:
    (here / "some").write_bytes(jsonl(*pairs))
    return [record["id"] for record in run_here("dedup --pairs some docs", cwd=here).records()]


def only(page: Page, answer: str) -> list[str]:
    page.get_by_role("search").get_by_role("button", name=answer, exact=True).click()
    return [row[0] for row in rows(page)]


def test_pairs_show_their_answers_and_what_each_side_has(page: Page) -> None:
    assert only(page, "doubtful") == ["kept and doubtful", "covered and doubtful"]
    own = "10 of its own: wby wbz wca wcb wcc | 10 of its own: but here one more sentence"
    expect(page.locator(".extracts").first).to_contain_text(own)
    assert rows(page)[0][1:3] == ["0.714", "doubtful"]
    assert only(page, "different") == ["12 Main Street and 13 Main Street"]
    assert set(only(page, "copy")) == {"kept and equal", "kept and covered"}
    go(page, "pairs")
    assert only(page, "Any answer") and len(rows(page)) == 5
    only(page, "different")
    page.locator("tbody a").first.click()
    assert facts(page)["Answer"] == "different"
    expect(page.locator("h3").first).to_have_text("12 Main Street 7 words, 1 of its own: 12")


def test_saved_pairs_keep_what_came_with_them(here: Path, page: Page) -> None:
    given = {(pair["a"], pair["b"]): pair for pair in map(json.loads, (here / "pairs").read_bytes().splitlines())}
    for at in range(5):
        decision(page, "Unsure", at)
    unsure = saved(page, "unsure.jsonl")
    assert {(pair["a"], pair["b"]): pair for pair in unsure} == {
        ends: pair | {"label": "unsure"} for ends, pair in given.items()
    }
    assert saved(page, "remaining.jsonl") == []
    for at in range(5):
        decision(page, "Unsure", at)  # takes it back
    only(page, "doubtful")
    decision(page, "Reject", 0)
    rejected = given.pop(("kept", "doubtful"))
    assert {(pair["a"], pair["b"]): pair for pair in saved(page, "remaining.jsonl")} == given
    assert saved(page, "labels.jsonl") == [rejected | {"label": "different"}]


def test_an_accepted_doubtful_pair_removes(here: Path, page: Page) -> None:
    pairs = [*map(json.loads, (here / "pairs").read_bytes().splitlines())]
    before = ["kept", "doubtful", "12 Main Street", "13 Main Street"]
    assert kept(here, pairs) == before
    only(page, "doubtful")
    decision(page, "Reject", 1)
    assert kept(here, saved(page, "labels.jsonl")) == [*TEXTS]
    only(page, "doubtful")
    decision(page, "Accept", 0)
    decision(page, "Accept", 1)
    accepted = saved(page, "accepted.jsonl")
    assert [(pair["covers"], pair["answer"]) for pair in accepted] == [("both", "doubtful")] * 2
    assert kept(here, saved(page, "remaining.jsonl")) == ["kept", "12 Main Street", "13 Main Street"]
    assert kept(here, saved(page, "labels.jsonl")) == ["kept", "equal", "covered", "12 Main Street", "13 Main Street"]


def test_the_report_of_unique(tmp_path: Path, pages: dict[str, Path], opened: Open) -> None:
    """What dedup removes goes; a doubtful pair is there to be decided, but removes nothing and makes no group."""
    records = [f"TY  - JOUR\nTI  - {text}\nJO  - Nature\nER  - \n" for text in TEXTS.values()]
    (tmp_path / "refs.ris").write_text("\n".join(records))
    words = "shingletools unique --text title -t 0.6 --report page.html"
    ran = run_here(f"{words} --show journal refs.ris", cwd=tmp_path)
    assert ran.status == 0 and "shingletools unique: 4 kept (2 doubtful pairs), 2 removed" in ran.err
    pages["made"] = tmp_path / "page.html"
    page = opened("made", "groups")
    assert page.evaluate("lists.names.filter((_, each) => lists.go[each]).sort()") == ["2", "3"]
    expect(page.locator("caption")).to_have_text("1 group")
    go(page, "pairs")
    expect(page.locator(".extract", has_text="Nature").first).to_be_visible()
    expect(page.get_by_text("| simcheck --docs unique.words")).to_be_visible()
    assert set(only(page, "removed")) == {"1 and 2", "1 and 3"}
    assert set(only(page, "doubtful")) == {"1 and 4", "3 and 4"}
    decision(page, "Accept")
    (accepted,) = saved(page, "accepted.jsonl")
    assert (accepted["covers"], accepted["answer"]) == ("both", "doubtful")
    del pages["made"]
    ran = run_here("shingletools unique --show journal refs.ris", cwd=tmp_path)
    assert (ran.status, ran.err) == (2, "shingletools unique: --show needs --report\n")
