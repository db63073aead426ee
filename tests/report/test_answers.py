"""The page of pairs that simcheck checked, and that of `shingletools unique --report`, in a browser."""

import json
import random
from itertools import combinations
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
    "covered": " ".join(["the", *WORDS]),
    "doubtful": " ".join([*WORDS[:50], *"but here one more sentence says what none else knows".split()]),
    "12 Main Street": "12 Main Street of the old town",
    "13 Main Street": "13 Main Street of the old town",
}


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A folder with documents, and their checked pairs, one of which has fields of its own, and one is none."""
    (tmp_path / "docs").write_bytes(jsonl(*({"id": name, "text": text} for name, text in TEXTS.items())))
    (tmp_path / "words").write_bytes(run_here("canon docs", cwd=tmp_path).good())
    shingles = run_here("shingle -k 1 words", cwd=tmp_path).good()
    pairs = run_here("simjoin -t 0.6 --copies once", stdin=shingles, cwd=tmp_path).good()
    checked = run_here("simcheck --docs words", stdin=pairs, cwd=tmp_path).records()
    checked[-1] |= {"judge": {"label": "<b>", "n": 1.0}, "label": 1}
    none = {"a": "kept", "b": "12 Main Street", "covers": "both", "label": 0}  # judged to be no pair
    (tmp_path / "pairs").write_bytes(jsonl(*checked, none))
    return tmp_path


@pytest.fixture
def page(here: Path, opened: Open) -> Page:
    run_here("simshow --docs docs --html page.html pairs", cwd=here).good()
    return opened(here / "page.html", "pairs")


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
    expect(page.locator("h3").first).to_have_text("12 Main Street kept 7 words, 1 of its own: 12")  # drawn anew
    assert facts(page)["Answer"] == "different"


def test_saved_pairs_keep_what_came_with_them(here: Path, page: Page) -> None:
    given = {(pair["a"], pair["b"]): pair for pair in map(json.loads, (here / "pairs").read_bytes().splitlines())}
    for at in range(5):
        decision(page, "Unsure", at)
    given.pop(("kept", "12 Main Street"))
    unsure = saved(page, "unsure.jsonl")
    assert {(pair["a"], pair["b"]): pair for pair in unsure} == {
        ends: pair | {"label": "unsure"} for ends, pair in given.items()
    }
    assert saved(page, "remaining.jsonl") == []
    for at in range(5):
        decision(page, "Unsure", at)  # takes it back
    only(page, "doubtful")
    decision(page, "Different", 0)
    rejected = given.pop(("kept", "doubtful"))
    assert {(pair["a"], pair["b"]): pair for pair in saved(page, "remaining.jsonl")} == given
    assert saved(page, "labels.jsonl") == [rejected | {"label": "different"}]


def test_an_accepted_doubtful_pair_removes(here: Path, page: Page) -> None:
    pairs = [*map(json.loads, (here / "pairs").read_bytes().splitlines())]
    before = ["kept", "doubtful", "12 Main Street", "13 Main Street"]
    assert kept(here, pairs) == before
    only(page, "doubtful")
    decision(page, "Different", 1)
    assert kept(here, saved(page, "labels.jsonl")) == [*TEXTS]
    only(page, "doubtful")
    decision(page, "Same", 0)
    decision(page, "Same", 1)
    labels = saved(page, "labels.jsonl")
    assert [(pair["covers"], pair["answer"]) for pair in labels] == [("b", "doubtful")] * 2
    assert kept(here, saved(page, "remaining.jsonl")) == ["kept", "12 Main Street", "13 Main Street"]
    assert kept(here, saved(page, "labels.jsonl")) == ["kept", "equal", "covered", "12 Main Street", "13 Main Street"]


def test_the_report_of_unique(tmp_path: Path, opened: Open) -> None:
    """What dedup removes goes; a doubtful pair is there to be decided, but removes nothing and makes no group."""
    records = [f"TY  - JOUR\nTI  - {text}\nJO  - Nature\nER  - \n" for text in TEXTS.values()]
    (tmp_path / "refs.ris").write_text("\n".join(records))
    words = "shingletools unique --text title -t 0.6 --report page.html"
    ran = run_here(f"{words} --show journal refs.ris", cwd=tmp_path)
    assert ran.status == 0 and "shingletools unique: 4 kept (2 doubtful pairs), 2 removed" in ran.err
    page = opened(tmp_path / "page.html", "groups")
    assert page.evaluate("lists.names.filter((_, each) => goes(each)).sort()") == ["2", "3"]
    expect(page.locator("caption")).to_have_text("1 group")
    go(page, "pairs")
    expect(page.locator(".fields", has_text="Nature").first).to_be_visible()
    expect(page.get_by_text("| simcheck --docs unique.words")).to_be_visible()
    assert set(only(page, "copy")) == {"1 and 2", "1 and 3"}
    assert set(only(page, "doubtful")) == {"1 and 4", "3 and 4"}
    decision(page, "Same")
    (label,) = saved(page, "labels.jsonl")
    assert (label["covers"], label["answer"], label["own"]["b"]["words"]) == ("b", "doubtful", 10)
    remaining = saved(page, "remaining.jsonl")
    assert [pair["copy"] for pair in remaining if "copy" in pair] == [True]
    (tmp_path / "remaining.jsonl").write_bytes(jsonl(*remaining))
    line = page.locator(".saves p", has_text="remaining.jsonl")
    expect(line).to_contain_text("dedup removes 3 documents")
    command = line.locator("code").inner_text()
    assert command == "dedup --pairs remaining.jsonl --ris refs.ris -o kept.ris"
    assert "3 kept, 3 removed" in run_here(f"{command} -v", cwd=tmp_path).err
    ran = run_here("shingletools unique --show journal refs.ris", cwd=tmp_path)
    assert (ran.status, ran.err) == (2, "shingletools unique: --show needs --report\n")


def removed_of(page: Page) -> set[str]:
    """The documents that go as long as nothing is decided."""
    return {*page.evaluate("lists.names.filter((_, each) => goes(each))")}


def remaining(page: Page) -> list[Record]:
    """What the file of this name would hold if nothing is decided."""
    lines = page.evaluate("pairsThat(remains).map(FILES[0][3])")
    return [json.loads(line) for line in lines]


def test_what_is_to_be_removed_is_what_dedup_removes(tmp_path: Path, opened: Open) -> None:
    """Of a chain of five in which only neighbours are pairs, the second and the fourth, by the order of the documents;
    by groups all but the first. The page says so of each document, whichever pair comes first.
    """
    texts = [" ".join(f"w{word}" for word in range(3 * start, 3 * start + 12)) for start in range(5)]
    (tmp_path / "docs").write_bytes(jsonl(*({"id": n, "text": text} for n, text in enumerate(texts))))
    shingled = run_here("shingle -k 1 docs", cwd=tmp_path).good()
    made = run_here("simjoin -t 0.6", stdin=shingled, cwd=tmp_path).good()
    pairs = b"".join(reversed(made.splitlines(keepends=True)))
    (tmp_path / "pairs").write_bytes(pairs)
    (tmp_path / "groups").write_bytes(run_here("simgroup", stdin=made, cwd=tmp_path).good())
    for given, option, removed in (("pairs", "--pairs", [1, 3]), ("groups", "--groups", [1, 2, 3, 4])):
        left = run_here(f"dedup {option} {given} docs", cwd=tmp_path).good()
        assert [n for n in range(5) if n not in [json.loads(line)["id"] for line in left.splitlines()]] == removed
        run_here(f"simshow --docs docs --html page.html {given}", cwd=tmp_path).good()
        page = opened(tmp_path / "page.html", "group/0")
        assert removed_of(page) == {*map(str, removed)}
        expect(page.locator("h3").first).to_have_text("0 kept")
        (tmp_path / "remaining").write_bytes(jsonl(*remaining(page)))  # which is of pairs, even if groups were given
        stay = [record["id"] for record in run_here("dedup --pairs remaining docs", cwd=tmp_path).records()]
        assert [n for n in range(5) if n not in stay] == removed


@pytest.mark.parametrize("seed", range(6))
def test_a_page_removes_what_dedup_removes(tmp_path: Path, opened: Open, seed: int) -> None:
    """By pairs of which either document, one or none may go, by marks, and beside an archive; copies have one pair."""
    chosen = random.Random(seed)
    ids = [f"d{at}" for at in range(14)]
    docs = jsonl(*({"id": name, "text": f"{name} text"} for name in ids))
    (tmp_path / "docs").write_bytes(docs)
    said = [*SAYS, {"covers": "none", "answer": "doubtful"}, {"covers": "none", "answer": "different"}]
    said += [{"covers": "none", "contained": "a"}, {"contained": "b"}, {"label": "same"}]
    ends = chosen.sample([*combinations(ids[:11], 2)], 14)
    pairs: list[Record] = [{"a": a, "b": b, "similarity": 0.5, **chosen.choice(said)} for a, b in ends]
    copies: list[Record] = [
        {"a": chosen.choice(ids[:11]), "b": name, "similarity": 1, "copy": True, **covers}
        for name, covers in zip(ids[11:], ({}, {"covers": "both"}, {"covers": "none"}), strict=True)
    ]
    (tmp_path / "pairs").write_bytes(jsonl(*chosen.sample([*pairs, *copies], len(pairs) + 3)))
    left = {record["id"] for record in run_here("dedup --pairs pairs docs", cwd=tmp_path).records()}

    def removed(given: str, stdin: bytes = b"") -> set[str]:
        run_here(f"simshow --docs docs --html page.html {given}", stdin=stdin, cwd=tmp_path).good()
        return removed_of(opened(tmp_path / "page.html"))

    assert removed("pairs") == {*ids} - left != set()
    marks = run_here("dedup --pairs pairs --keep max:id --as text --annotate --marks docs", cwd=tmp_path).good()
    for given in ("- pairs", "-"):
        assert removed(given, marks) == {json.loads(line)["id"] for line in marks.splitlines()}
    known = [{**pair, "against": True} for pair in pairs]
    (tmp_path / "known").write_bytes(jsonl(*known))
    left = {record["id"] for record in run_here("dedup --known known docs", cwd=tmp_path).records()}
    assert removed("--against docs known") == {*ids} - left


SAYS: list[Record] = [{}, *({"covers": side} for side in ("a", "b", "both", "none")), {"contained": "a"}, {"label": 0}]


@pytest.mark.parametrize("seed", range(6))
def test_the_page_counts_what_dedup_removes(tmp_path: Path, opened: Open, seed: int) -> None:
    """With the file that it saves, whatever pairs say and people decide: circles, copies, one side or either."""
    chosen = random.Random(seed)
    texts = {at: " ".join(chosen.sample(WORDS, 20)) for at in range(12)} | dict.fromkeys(range(12, 15), "copy of it")
    (tmp_path / "docs").write_bytes(jsonl(*({"id": at, "text": text} for at, text in texts.items())))
    some = chosen.sample([*combinations(range(12), 2)], 20)
    pairs: list[Record] = [
        {**dict(zip("ab", chosen.sample(ends, 2), strict=True)), **chosen.choice(SAYS)} for ends in some
    ]
    copies = [{"a": 12, "b": at, "similarity": 1.0, "copy": True, "covers": "both"} for at in (13, 14)]
    (tmp_path / "pairs").write_bytes(jsonl(*pairs, *copies, {"a": chosen.randrange(12), "b": 12}))
    run_here("simshow --docs docs --html page.html pairs", cwd=tmp_path).good()
    page = opened(tmp_path / "page.html", "pairs")
    for turn in range(3):
        for at in chosen.sample(range(page.evaluate("pairs.count")), 5) if turn else []:
            page.evaluate("([pair, verdict]) => { decide(pair, verdict); }", [at, chosen.randrange(3)])
        for name in ("remaining.jsonl", "labels.jsonl") if turn else ():
            (tmp_path / name).write_bytes(jsonl(*saved(page, name)))
            line = page.locator(".saves p", has_text=name)
            ran = run_here(line.locator("code").inner_text(), cwd=tmp_path)
            kept = [record["id"] for record in map(json.loads, (tmp_path / "kept").read_bytes().splitlines())]
            words = sum(len(text.split()) for at, text in texts.items() if at not in kept)
            removed = len(texts) - len(kept)
            said = f"removes {removed} document{'s' * (removed != 1)}, {words} word{'s' * (words != 1)}:"
            assert ran.status == 0
            expect(line).to_contain_text(said)
            if name == "remaining.jsonl":
                assert {*page.evaluate("lists.names.filter((_, each) => goes(each))")} == {
                    str(at) for at in texts if at not in kept
                }


def test_citations_show_their_fields_and_what_differs(tmp_path: Path, opened: Open) -> None:
    entry = "@article{%s, title={Music and memory in older adults: a trial}, author={%s}, doi={%s}, year=2019}\n"
    (tmp_path / "refs.bib").write_text(entry % ("One", "Ode, N.", "10.1/a") + entry % ("Two", "Ode, Nora", "10.1/A"))
    assert run_here("shingletools unique --report page.html refs.bib", cwd=tmp_path).status == 0
    page = opened(tmp_path / "page.html", "pairs")
    fields = ["key: One · author: Ode, N. · doi: 10.1/a", "key: Two · author: Ode, Nora · doi: 10.1/a"]
    assert page.locator("td .fields").all_inner_texts() == fields
    assert page.locator("td .fields b").all_inner_texts() == ["Two", "Ode, Nora"]
    go(page, "pair/0")
    assert page.locator("main .fields b").all_inner_texts() == ["One", "Ode, N.", "Two", "Ode, Nora"]
    expect(page.locator(".cell").first).to_contain_text("Music and memory")
