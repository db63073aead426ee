"""The page in a browser: keys, clicks, and the alignment of both texts."""

import re

from playwright.sync_api import expect

from report.conftest import Open
from report.views import go, rows


def test_keys_go_through_passages_and_pairs(opened: Open) -> None:
    page = opened("special", "pairs")
    names = [row[0] for row in rows(page)]
    places = [
        int(each.rpartition("/")[2]) for each in page.locator("tbody a").evaluate_all("(all) => all.map((a) => a.href)")
    ]
    go(page, "pair/0")
    status = page.get_by_role("status")
    page.keyboard.press("n")
    expect(status).to_have_text("Passage 1 of 2")
    assert page.evaluate("document.activeElement.textContent") == "One two three four five six seven"
    page.keyboard.press("n")
    expect(status).to_contain_text("Passage 2 of 2")
    assert page.locator("mark.current").all_text_contents() == ["And the end of many words indeed"] * 2
    page.keyboard.press("p")
    expect(status).to_contain_text("Passage 1 of 2")
    page.keyboard.press("p")
    expect(status).to_contain_text("Passage 2 of 2")
    place = places.index(0)
    for key, step in (("k", -1), ("j", 1), ("j", 1)):
        page.keyboard.press(key)
        place += step
        if not 0 <= place < len(places):
            place -= step
            continue
        expect(page).to_have_url(re.compile(f"#pair/{places[place]}$"))
        expect(page.locator("#heading")).to_have_text(names[place])
        expect(page.locator("#heading")).to_be_focused()
    page.keyboard.press("l")
    expect(page).to_have_url(re.compile("#pairs$"))
    page.keyboard.press("/")
    expect(page.get_by_label("Search")).to_be_focused()
    page.keyboard.type("junk")
    expect(page.get_by_label("Search")).to_have_value("junk")
    expect(page.locator("caption")).to_have_text("0 pairs of 6")


def test_the_order_of_a_list_is_that_of_next_and_previous(opened: Open) -> None:
    page = opened("real", "pairs")
    page.get_by_role("button", name="Shared", exact=True).click()
    names = [row[0] for row in rows(page)]
    page.get_by_role("link", name=names[3], exact=True).click()
    page.get_by_role("link", name="Next pair").click()
    expect(page.locator("#heading")).to_have_text(names[4])
    page.keyboard.press("k")
    expect(page.locator("#heading")).to_have_text(names[3])
    page.go_back()
    expect(page.locator("#heading")).to_have_text(names[4])


def test_keys_can_be_turned_off(opened: Open) -> None:
    page = opened("special", "pair/0")
    page.get_by_label("Keys are on").uncheck()
    page.locator("h1").click()
    page.keyboard.press("n")
    expect(page.locator("mark.current")).to_have_count(0)


def test_all_is_reached_with_the_tab_key(opened: Open) -> None:
    page = opened("special", "pair/0")
    reached = []
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.innerText.trim() || document.activeElement.id"))
    buttons = "Groups, Pairs, All pairs, Same, Different, Unsure, What both share, Next →".split(", ")
    for wanted in ("Skip to the content", *buttons):
        assert wanted in reached, wanted
    go(page, "pairs")
    page.locator("tbody a").first.focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("#pair/"))


def test_keys_bring_each_difference_to_the_middle(opened: Open) -> None:
    page = opened("special", "pair/5")
    for steps in range(1, 32):
        page.keyboard.press("n")
        if steps in (1, 12, 30, 31):
            expect(page.get_by_role("status")).to_contain_text(f"Difference {(steps - 1) % 30 + 1} of 30")
            expect(page.locator(".current")).to_have_count(1)
            expect(page.locator(".current")).to_be_in_viewport()
