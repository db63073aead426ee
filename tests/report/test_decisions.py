"""The page in a browser: decisions, what keeps them, and the files that take them away."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from harness import Record, jsonl, pipe, run_here
from report.browser import settled
from report.conftest import Open
from report.views import facts, go, overflow, rows


def decision(page: Page, verdict: str, at: int = 0) -> None:
    page.locator(".decide").nth(at).get_by_role("button", name=verdict, exact=True).click()


def expect_pressed(page: Page, decisions: list[str]) -> None:
    expect(page.locator(".decide [aria-pressed=true]")).to_have_text(decisions)


def saved(page: Page, name: str) -> list[Record]:
    go(page, "pairs")
    with page.expect_download() as download:
        page.get_by_role("button", name=name).click()
    assert download.value.suggested_filename == name
    return [json.loads(line) for line in Path(download.value.path()).read_text("utf-8").splitlines()]


def test_a_click_decides_and_the_browser_keeps_it(opened: Open) -> None:
    page = opened("copies", "pairs")
    decision(page, "Same")
    decision(page, "Unsure", 1)
    decision(page, "Different", 2)
    expect(page.get_by_role("status")).to_have_text("Different: first and changed")
    page.reload()
    expect_pressed(page, ["Same", "Unsure", "Different"])
    decision(page, "Different", 2)  # takes it back
    expect(page.get_by_role("status")).to_have_text("Not decided: first and changed")
    for name, shown in (("Undecided", "changed"), ("Same", "same 1"), ("Unsure", "longer")):
        page.get_by_role("search").get_by_role("button", name=name, exact=True).click()
        assert [row[0] for row in rows(page)] == [f"first and {shown}"]
    go(page, "pairs")
    expect(page.locator(".saves p").first).to_contain_text("Decided: 2 of 3.")
    go(page, "group/0")  # where a copy of the first has no decision of its own
    expect_pressed(page, ["Unsure"])


def test_a_browser_that_keeps_nothing_says_so_and_loses_nothing(opened: Open) -> None:
    """Its storage can be read, but is full."""
    page = opened("copies", "pairs")
    page.evaluate("() => { Storage.prototype.setItem = () => { throw new DOMException('', 'QuotaExceededError'); }; }")
    decision(page, "Same")
    decision(page, "Different", 1)
    expect(page.get_by_role("status")).to_have_text("Different: first and longer. This browser does not keep it")
    expect_pressed(page, ["Same", "Different"])
    assert sorted(each["label"] for each in saved(page, "labels.jsonl")) == ["different", *["same"] * 3]
    said = "Decided: 2 of 3. This browser does not keep it. Before you close the page, save:"
    expect(page.locator(".saves p").first).to_have_text(said)


def test_two_windows_do_not_undo_each_other(opened: Open) -> None:
    """A decision is about what its window shows, which is what the other one stored from the next decision on."""
    page = opened("copies", "pairs")
    page.evaluate("localStorage.setItem(KEPT, JSON.stringify({ [pairList.rows[0]]: 0, [pairList.rows[1]]: 1 }))")
    decision(page, "Same")
    expect(page.get_by_role("status")).to_have_text("Same: first and same 1")
    expect_pressed(page, ["Same", "Different"])
    decision(page, "Different", 1)  # takes back what it shows
    page.reload()
    expect_pressed(page, ["Same"])


def test_undo_takes_back_each_decision(opened: Open) -> None:
    page = opened("copies", "pairs")
    decision(page, "Same")
    page.locator("tbody a").nth(1).click()
    expect(page.locator("#heading")).to_have_text("first and longer")
    page.keyboard.press("d")
    expect(page.locator("#heading")).to_have_text("first and changed")
    page.keyboard.press("z")
    expect(page.get_by_role("status")).to_have_text("Undone: first and longer")
    expect(page.locator("#heading")).to_have_text("first and longer")
    expect_pressed(page, [])
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#heading")).to_have_text("first and same 1")
    page.keyboard.press("z")
    expect(page.get_by_role("status")).to_have_text("Nothing to undo")
    assert page.evaluate("pairs.a.every((_, pair) => verdictOf(pair) < 0)")


def test_a_list_stays_where_it_was(opened: Open) -> None:
    """Its page and its filter, when people come back from a pair; and what was decided stays in it meanwhile."""
    page = opened("real", "pairs")
    page.get_by_role("button", name="Next page").click()
    names = [row[0] for row in rows(page)]
    page.locator("tbody a").nth(3).click()
    expect(page.locator("#heading")).to_have_text(names[3])
    page.keyboard.press("l")
    settled(page)
    assert [row[0] for row in rows(page)] == names
    page.get_by_role("search").get_by_role("button", name="Undecided").click()
    first = [row[0] for row in rows(page)][:2]
    page.locator("tbody a").first.click()
    expect(page.locator("#heading")).to_have_text(first[0])
    page.keyboard.press("s")
    expect(page.locator("#heading")).to_have_text(first[1])
    page.keyboard.press("l")
    settled(page)
    assert [row[0] for row in rows(page)][:2] == first
    page.get_by_role("search").get_by_role("button", name="Undecided").click()
    assert rows(page)[0][0] == first[1]


def test_next_to_a_folded_pair_is_what_is_next_to_its_row(opened: Open) -> None:
    page = opened("copies", "pair/2")  # the first text and its second copy, which the list has with the first copy
    expect(page.locator("#heading")).to_have_text("first and same 2")
    page.keyboard.press("j")
    expect(page.locator("#heading")).to_have_text("first and longer")


def test_keys_decide_and_go_on(opened: Open) -> None:
    page = opened("empty")
    page.keyboard.press("s")
    expect(page.get_by_role("status")).to_have_text("")  # no pair is here
    page = opened("copies")
    go(page, "pairs")
    page.keyboard.press("s")
    expect(page.get_by_role("status")).to_have_text("Which pair? The key n goes to the first")
    page.keyboard.press("n")
    for key in "sdu":
        page.keyboard.press(key)
    expect_pressed(page, ["Same", "Different", "Unsure"])
    page.keyboard.press("u")  # takes back the last, and stays
    expect_pressed(page, ["Same", "Different"])
    page.locator("tbody a").first.click()
    expect(page.locator("#heading")).to_have_text("first and same 1")
    page.keyboard.press("d")
    expect(page.locator("#heading")).to_have_text("first and longer")
    expect(page.get_by_role("status")).to_have_text("Different: first and same 1")
    page.keyboard.press("l")
    expect_pressed(page, ["Different", "Different"])
    page = opened("copies", "group/0")
    for key in "nsd":
        page.keyboard.press(key)
    expect_pressed(page, ["Same", "Different"])


def test_a_large_group_is_a_list_and_one_member(opened: Open) -> None:
    for width in (1400, 390):
        page = opened("large", "group/0", width=width)
        assert facts(page)["Documents"] == "25"
        expect(page.locator(".beside li")).to_have_count(22)  # of 25, two are copies, and one is the first
        expect(page.locator(".beside li").last).to_contain_text("23 and 1 identical")
        expect(page.locator(".member")).to_have_count(2)
        assert page.evaluate("document.documentElement.scrollHeight") < 2500 and overflow(page) == 0
        page.get_by_role("button", name="5", exact=False).first.click()
        expect(page.locator(".member ins").first).to_contain_text("word5")
    page = opened("large", "group/0")
    for key in "sds":  # the first is chosen already
        page.keyboard.press(key)
    assert page.locator(".beside b").all_text_contents()[:4] == ["Same", "Different", "Same", ""]
    expect(page.locator(".member h3").first).to_contain_text("5")
    page.get_by_role("button", name="All the same").click()
    assert page.locator(".beside b").all_text_contents() == ["Same"] * 22
    page.get_by_role("button", name="Undo").click()
    assert page.locator(".beside b").all_text_contents()[:4] == ["Same", "Different", "Same", ""]
    page.get_by_role("button", name="All different").click()
    assert (facts(page)["Words to remove"], page.locator(".fate", has_text="removed").count()) == ("0", 0)
    assert len(saved(page, "labels.jsonl")) == 300


def test_paper_has_all_rows_and_no_navigation(opened: Open) -> None:
    page = opened("real", "pairs")
    all_rows, some = page.evaluate("pairList.rows.length"), len(rows(page))
    assert some == 50 < all_rows
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert len(rows(page)) == all_rows
    for hidden in ("nav", ".turns", ".decide button", ".saves", ".pager"):
        expect(page.locator(hidden).first).to_be_hidden()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert len(rows(page)) == 50
    page = opened("large", "group/0")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(page.locator(".member")).to_have_count(23)
    page = opened("many", "pair/0")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(page.get_by_role("button", name="Show more")).to_have_count(0)


def test_filters_survive_a_reload(opened: Open) -> None:
    page = opened("real", "pairs")
    page.get_by_role("button", name="Shared", exact=True).click()
    page.get_by_role("search").get_by_role("button", name="Undecided").click()
    page.get_by_role("button", name="Next page").click()
    names = [row[0] for row in rows(page)]
    page.reload()
    assert [row[0] for row in rows(page)] == names
    expect(page.get_by_role("search").locator("[aria-pressed=true]")).to_have_text("Undecided")
    decision(page, "Same")
    page.reload()
    assert rows(page)[0][0] == names[1]


@pytest.mark.parametrize("side", ["", "against"])
def test_what_was_decided_is_scored_the_same(opened: Open, tmp_path: Path, side: str) -> None:
    """Ids come back as they are, strings and numbers; pairs of exact copies are decided together."""
    words = [f"w{at}" for at in range(12)]
    texts = {
        1: " ".join(words),
        "1": " ".join(words).upper(),
        'q"': " ".join(words[1:]),
        " x": " ".join([*words[2:], "y"]),
        9_007_199_254_740_993: " ".join(words[3:]),
    }
    (tmp_path / "docs").write_bytes(jsonl(*({"id": name, "text": text} for name, text in texts.items())))
    (tmp_path / "shingles").write_bytes(pipe((tmp_path / "docs").read_bytes(), "canon", "shingle -k 1"))
    sides = "--against shingles" if side else ""
    (tmp_path / "pairs").write_bytes(run_here(f"simjoin -t 0.5 {sides} shingles", cwd=tmp_path).good())
    both = "--against docs" if side else ""
    page_file = tmp_path / "page.html"
    run_here(f"simshow --docs docs {both} --html page.html pairs", cwd=tmp_path).good()
    page = opened(page_file, "pairs")
    lists = page.evaluate("pairList.rows.map((pair) => folded(pair).length)")
    assert sum(lists) > len(lists)
    for at in range(len(lists)):
        decision(page, ("Same", "Different", "Unsure")[at % 3], at)
    counts = [sum(lists[at] for at in range(len(lists)) if at % 3 == verdict) for verdict in range(3)]
    labels, remaining = saved(page, "labels.jsonl"), saved(page, "remaining.jsonl")
    assert [sum(each["label"] == label for each in labels) for label in ("same", "different")] == counts[:2]
    assert remaining == [{k: v for k, v in each.items() if k != "label"} for each in labels if each["label"] == "same"]
    given = {(each["a"], each["b"]): each for each in map(json.loads, (tmp_path / "pairs").read_bytes().splitlines())}
    assert all(given[each["a"], each["b"]]["similarity"] == each["similarity"] for each in labels)
    unsure = saved(page, "unsure.jsonl")
    assert [each["label"] for each in unsure] == ["unsure"] * counts[2] != []
    (tmp_path / "labels").write_bytes(jsonl(*labels))
    (tmp_path / "remaining").write_bytes(jsonl(*remaining))
    again = opened(page_file, "groups")  # in a window that keeps nothing yet
    (tmp_path / "mixed").write_bytes(b"no label\n" + jsonl(*({**each, "similarity": 0.5} for each in labels)))
    again.get_by_label("Load saved labels").set_input_files(tmp_path / "mixed")
    said = f"Loaded: {len(labels)} of {len(labels) + 1} lines are labels of pairs on this page"
    expect(again.get_by_role("status")).to_have_text(said)
    assert saved(again, "labels.jsonl") == labels
    (tmp_path / "unsure").write_bytes(jsonl(*unsure))
    again.get_by_label("Load saved labels").set_input_files(tmp_path / "unsure")
    assert (saved(again, "labels.jsonl"), saved(again, "unsure.jsonl")) == (labels, unsure)
    score = run_here("simscore --judged --truth labels pairs", cwd=tmp_path).records()[-1]
    assert (score["found"], score["right"], score["truth"]) == (sum(counts[:2]), counts[0], counts[0])
    refused = run_here("simscore --judged --truth unsure pairs", cwd=tmp_path)
    assert (refused.status, refused.out) == (2, b"")
    option = "--known" if side else "--pairs"
    assert run_here(f"dedup {option} remaining docs", cwd=tmp_path).good().count(b"\n") < len(texts)


def test_what_another_page_or_program_kept_does_no_harm(opened: Open) -> None:
    """The key is of ids and texts, and what no page wrote counts as nothing."""
    page = opened("copies", "pairs")
    page.evaluate("localStorage.setItem('shingletools 0', '{\"0\":0}')")
    for kept in ("[7, {", "7", "null", '{"0":"constructor","1":-1,"2":"1"}'):
        page.evaluate("(kept) => localStorage.setItem(KEPT, kept)", kept)
        page.reload()
        expect(page.locator(".decide")).to_have_count(3)
        expect_pressed(page, [])
    decision(page, "Same")
    expect_pressed(page, ["Same"])
