"""The page in a browser: colours, small screens, marks, letters of all kinds."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from report.conftest import Open
from report.views import SLACK, VIEWS, go, heights, overflow, search

FIRST_LETTER = """(mark) => {
  const range = document.createRange();
  const text = [...mark.childNodes].find((node) => node.nodeType === Node.TEXT_NODE && node.length);
  range.setStart(text, 0);
  range.setEnd(text, 1);
  return range.getBoundingClientRect();
}"""


def luminance(colour: str) -> float:
    """Of an rgb() colour, relative: WCAG 2.2."""
    parts = [int(each) / 255 for each in re.findall(r"\d+", colour)[:3]]
    red, green, blue = (each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_both_colour_schemes(opened: Open, scheme: str) -> None:
    page = opened("special", "pair/0", scheme=scheme)
    colours = page.evaluate("""['body', 'mark', 'button.number'].map((each) => {
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
    first, second = page.locator(".text").all()
    if width == 1200:
        tops = [box and box["y"] for box in (first.bounding_box(), second.bounding_box())]
        assert tops[0] == tops[1] is not None
        return
    # On a small screen one at a time, as long as it is, and no keys
    expect(first).to_be_visible()
    expect(second).to_be_hidden()
    assert first.evaluate("(each) => each.scrollHeight - each.clientHeight") <= SLACK
    expect(page.locator("kbd").first).to_be_hidden()
    page.get_by_role("button", name="Second text").click()
    expect(first).to_be_hidden()
    expect(second).to_be_visible()
    if page.locator("#b0 .number:visible").count():
        page.locator("#b0 .number").click()
        expect(page.locator("#a0.current")).to_be_in_viewport()


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
def test_axe_finds_no_serious_fault(opened: Open, name: str, width: int, scheme: str) -> None:
    page = opened(name, width=width, scheme=scheme)
    for view in VIEWS:
        go(page, view)
        if view.startswith("pair/"):
            page.locator("summary").click()
            page.keyboard.press("n")
        for place, decider in enumerate(page.locator(".decide").all()[:3]):
            decider.get_by_role("button").nth(place).click()
        result = Axe().run(page).response
        bad = [each for each in result["violations"] if each["impact"] in ("serious", "critical")]
        assert [(each["id"], [node["html"] for node in each["nodes"]]) for each in bad] == [], view
        assert len(result["passes"]) > 10


def test_control_characters_are_shown_by_their_numbers(opened: Open) -> None:
    page = opened("hostile", "pairs")
    search(page, "nul ")
    expect(page.locator("caption")).to_contain_text(" of ")
    page.locator("tbody a").first.click()
    expect(page.locator(".text")).to_have_count(2)
    text = page.locator("main").inner_text()
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
    pane = page.locator(".text").nth(1)
    before = len(pane.inner_text())
    assert before < 10_000
    more = pane.get_by_role("button", name=re.compile("characters more"))
    assert re.fullmatch(r"… 2,99\d,\d{3} characters more …", more.inner_text())
    more.click()
    assert before + 90_000 < len(pane.inner_text()) < before + 110_000
    expect(more).to_have_count(1)


def test_many_passages_are_marked_as_far_as_they_are_looked_at(opened: Open) -> None:
    page = opened("many", "pair/0")
    first = page.locator(".text").first
    expect(page.locator("main")).to_contain_text("Marked: 3,000 of 5,000 passages")
    expect(first.locator("mark")).to_have_count(3000)
    expect(first).to_contain_text("w2999")
    page.keyboard.press("p")
    page.keyboard.press("p")  # from the first to the last, which is not marked yet
    expect(page.get_by_role("status")).to_have_text("Passage 5,000 of 5,000: 1 equal word")
    expect(first.locator("mark")).to_have_count(3000)
    expect(page.locator("main")).to_contain_text("from 2,001 to 5,000")
    assert page.locator("#b4999").text_content() == "5000w4999"
    assert page.locator("mark.current").evaluate_all("(all) => all.map((each) => each.id)") == ["a4999", "b4999"]
    page.get_by_role("button", name="Mark more").click()
    expect(first.locator("mark")).to_have_count(5000)
    expect(page.get_by_role("button", name="Mark more")).to_have_count(0)


def test_passages_in_the_middle_are_marked_on_both_sides(opened: Open) -> None:
    page = opened("many", "pair/0")
    for key, count, status, window in (("p", 3, "4,998", "2,001 to 5,000"), ("n", 3, "1", "1 to 3,000")):
        for _ in range(count + (key == "p")):
            page.keyboard.press(key)
        expect(page.get_by_role("status")).to_contain_text(f"Passage {status} of 5,000")
        expect(page.locator("main")).to_contain_text(f"from {window}, perhaps in part")
    page.evaluate("shown.pair.step(2500)")
    expect(page.get_by_role("status")).to_contain_text("Passage 2,501 of 5,000")
    page.evaluate("shown.pair.step(1000)")
    expect(page.get_by_role("status")).to_contain_text("Passage 3,501 of 5,000")
    expect(page.locator("main")).to_contain_text("from 2,001 to 5,000, perhaps in part")
    assert heights(page, 3500)[0] == pytest.approx(heights(page, 3500)[1], abs=SLACK)


def test_many_pieces_are_marked_as_far_as_they_are_looked_at(opened: Open) -> None:
    page = opened("many", "pair/1")
    gone = page.locator(".text del")
    for count in (1500, 3000):
        expect(gone).to_have_count(count)
        page.get_by_role("button", name="Mark more").click()
        expect(page.get_by_role("status")).to_have_text("Marked: 1 passage")
    expect(gone).to_have_count(4000)
    expect(page.get_by_role("button", name="Mark more")).to_have_count(0)


def test_right_to_left(opened: Open) -> None:
    page = opened("special", "pair/1")
    mark, frame = page.locator("#a0").bounding_box(), page.locator(".text").first.bounding_box()
    assert mark is not None and frame is not None
    assert frame["x"] + frame["width"] - mark["x"] - mark["width"] < 40  # the first words stand at the right
    for view in ("pair/0", "pair/1"):
        go(page, view)
        number, word = page.locator("#a0 .number").bounding_box(), page.locator("#a0").evaluate(FIRST_LETTER)
        assert number is not None
        gap = max(word["x"] - number["x"] - number["width"], number["x"] - word["x"] - word["width"])
        assert gap >= SLACK, f"{view}: the number touches the first word"
