"""The page in a browser: colours, small screens, marks, letters of all kinds."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from report.conftest import Open
from report.views import VIEWS, go, overflow, search


def luminance(colour: str) -> float:
    """Of an rgb() colour, relative: WCAG 2.2."""
    parts = [int(each) / 255 for each in re.findall(r"\d+", colour)[:3]]
    red, green, blue = (each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_both_colour_schemes(opened: Open, scheme: str) -> None:
    page = opened("special", "pair/0", scheme=scheme)
    colours = page.evaluate("""['body', 'mark', '.decide button'].map((each) => {
        const style = getComputedStyle(document.querySelector(each));
        return [style.backgroundColor, style.color];
    })""")
    for ground, ink in colours:
        assert (luminance(ground) > luminance(ink)) == (scheme == "light")


@pytest.mark.parametrize("name", ["real", "special", "hostile"])
@pytest.mark.parametrize("width", [360, 1200])
def test_nothing_is_wider_than_the_screen(opened: Open, name: str, width: int) -> None:
    page = opened(name, width=width)
    for view in VIEWS:
        go(page, view)
        assert overflow(page) == 0, view
    boxes = [each.bounding_box() for each in page.locator(".sides:has(.cell:nth-child(2))").last.locator(".cell").all()]
    assert boxes[0] and boxes[1]
    beside = width == 1200  # on a small screen one above the other, and no keys
    assert (boxes[0]["y"] == boxes[1]["y"]) == beside == (boxes[0]["x"] != boxes[1]["x"])
    assert page.locator("kbd").first.is_visible() == beside


@pytest.mark.parametrize(
    ("name", "width", "scheme"),
    [
        ("real", 360, "light"),
        ("real", 1200, "dark"),
        ("special", 1200, "light"),
        ("hostile", 360, "dark"),
        ("copies", 768, "dark"),
        ("large", 1200, "light"),
        ("large", 360, "dark"),
    ],
)
def test_axe_finds_no_fault(opened: Open, name: str, width: int, scheme: str) -> None:
    page = opened(name, width=width, scheme=scheme)
    for view in VIEWS:
        go(page, view)
        for each in page.locator("summary").all()[:5]:
            each.click()
        page.keyboard.press("n")
        for place, decider in enumerate(page.locator(".decide").all()[:3]):
            decider.get_by_role("button").nth(place).click()
        result = Axe().run(page).response
        assert [(each["id"], [node["html"] for node in each["nodes"]]) for each in result["violations"]] == [], view
        assert len(result["passes"]) > 10


def test_control_characters_are_shown_by_their_numbers(opened: Open) -> None:
    page = opened("hostile", "pairs")
    search(page, "nul ")
    expect(page.locator("caption")).to_contain_text(" of ")
    page.locator("tbody a").first.click()
    text = page.locator(".rows").inner_text()
    hidden = "\0\x85\xad\u061c\u180e\u200b\u200e\u200f\u2028\u2029\u202e\u2060\u2061\u2062\u2063\u2064\u2066\ufeff"
    for character in hidden:
        assert f"⟦U+{ord(character):04X}⟧" in text
        assert character not in text
    assert "joined a\u200cb\u200dc" in text  # which letters need


def test_a_long_word_is_shown_in_parts(opened: Open) -> None:
    """Of three million letters no more than some thousands, until they are asked for."""
    page = opened("hostile", "pairs")
    place = page.evaluate("pairs.b.findIndex((b) => textOf(b).length > 3e6)")
    go(page, f"pair/{place}")
    cell = page.locator(".cell", has_text="characters more").first
    before = len(cell.inner_text())
    assert before < 10_000
    assert re.fullmatch(r"2,99\d,\d{3} characters more", cell.locator("summary").first.inner_text())
    cell.locator("summary").first.click()
    assert before + 90_000 < len(cell.inner_text()) < before + 110_000


@pytest.mark.parametrize(("place", "count", "view"), [(0, 5000, "What both share"), (1, 4000, "Differences")])
def test_much_is_drawn_as_far_as_it_is_looked_at(opened: Open, place: int, count: int, view: str) -> None:
    """Five thousand passages, or four thousand differences."""
    page = opened("many", f"pair/{place}")
    page.get_by_role("button", name=view).click()
    shown = page.locator("[data-number]")
    some = shown.count()
    assert 100 < some < 10_000
    page.keyboard.press("n")
    what = "Passage" if place == 0 else "Difference"
    expect(page.get_by_role("status")).to_have_text(f"{what} 1 of {count:,}")
    page.keyboard.press("p")
    expect(page.get_by_role("status")).to_have_text(f"{what} {count:,} of {count:,}")
    expect(page.locator(".current").first).to_be_in_viewport()
    assert len({*shown.evaluate_all("(all) => all.map((each) => each.dataset.number)")}) == count
    expect(page.get_by_role("button", name="Show more")).to_have_count(0)


def test_right_to_left(opened: Open) -> None:
    """Texts and their beginnings in lists stand at the right."""
    page = opened("special", "pair/1")
    for each in (".cell mark", ".extract"):
        text = page.locator(each, has_text="مرحبا").first
        text.evaluate(
            "(each) => { const range = document.createRange(); range.selectNodeContents(each); window.range = range; }"
        )
        first, column = (
            page.evaluate("range.getClientRects()[0].right"),
            text.evaluate("(each) => each.closest('.cell, td').getBoundingClientRect().right"),
        )
        assert abs(first - column) < 40
        go(page, "pairs")
