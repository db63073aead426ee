"""The page in a browser: counts, search, order, keys, alignment, colours, small screens, hostile texts."""

import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from report.browser import at, settled
from report.conftest import Open
from report.naive import compare
from report.samples import COMMON, HOSTILE, MOVED, comparisons, documents
from shingletools.simshow.passages import Comparison

VIEWS = ("overview", "groups", "group/0", "pairs", "pair/0")
SLACK = 2  # pixels


def rows(page: Page) -> list[list[str]]:
    """The cells of a list; of ids without what isolates them."""
    return [row.locator("th, td").all_inner_texts() for row in page.locator("tbody tr").all()]


def order() -> list[Comparison]:
    """The pairs as the list has them at first."""
    return sorted(comparisons(), key=lambda pair: -float(str(pair.similarity)))


def facts(page: Page) -> dict[str, str]:
    return dict(zip(page.locator("dt").all_inner_texts(), page.locator("dd").all_inner_texts(), strict=True))


def search(page: Page, letters: str) -> None:
    page.get_by_label("Search").fill(letters)


def go(page: Page, view: str) -> None:
    """To another view of the same page."""
    page.goto(re.sub("#.*|$", f"#{view}", page.url, count=1))
    settled(page)


def overflow(page: Page) -> int:
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


def heights(page: Page, passage: int) -> list[float]:
    """Where a passage stands in each text's frame."""
    return [
        page.evaluate("""(id) => {
            const mark = document.getElementById(id);
            return mark.getClientRects()[0].top - mark.closest('.text').getBoundingClientRect().top;
        }""", f"{side}{passage}")
        for side in "ab"
    ]  # fmt: skip


def test_the_overview_counts(opened: Open) -> None:
    page = opened("real")
    pairs = comparisons()
    figures = facts(page)
    assert figures["Documents"] == str(len({name for pair in pairs for name in (pair.a, pair.b)}))
    assert figures["Pairs"] == str(len(pairs))
    bars = page.locator("section", has_text="Similarities").locator("tbody tr")
    counted = [int(each.replace(",", "")) for each in bars.locator(".count").all_inner_texts()]
    assert sum(counted) == len(pairs)
    widths = [float(each.get_attribute("width").removesuffix("%")) for each in bars.locator("rect").all()]  # type: ignore[union-attr]
    assert widths == pytest.approx([100 * count / max(counted) for count in counted])
    sizes = page.locator("section", has_text="Sizes").locator("tbody .count").all_inner_texts()
    assert str(sum(map(int, sizes))) == figures["Groups"]


def test_a_list_is_shown_in_pages(opened: Open) -> None:
    page = opened("real", "pairs")
    pairs = order()
    assert [row[0] for row in rows(page)] == [f"{pair.a} and {pair.b}" for pair in pairs[:50]]
    expect(page.locator("caption")).to_have_text(f"{len(pairs)} pairs, 1 to 50 are shown")
    page.get_by_role("button", name="Next page").click()
    assert [row[0] for row in rows(page)] == [f"{pair.a} and {pair.b}" for pair in pairs[50:100]]
    page.get_by_role("button", name="Previous page").click()
    expect(page.get_by_role("button", name="Previous page")).to_be_disabled()


def test_search_finds_ids_and_texts(opened: Open) -> None:
    texts = documents()
    page = opened("real", "pairs")
    for letters in ("KERBEROS", 'usually called "principals"', "network\n", "krb5", "no such letters"):
        search(page, letters.replace("\n", " "))
        wanted = letters.replace("\n", " ").lower()
        found = [
            f"{pair.a} and {pair.b}" for pair in order()
            if any(wanted in name.lower() or wanted in texts[name].lower() for name in map(str, (pair.a, pair.b)))
        ]  # fmt: skip
        shown = ", 1 to 50 are shown" if len(found) > 50 else ""
        plural = "" if len(found) == 1 else "s"
        expect(page.locator("caption")).to_have_text(f"{len(found)} pair{plural} of {len(comparisons())}{shown}")
        assert [row[0] for row in rows(page)] == found[:50]
        expect(page.get_by_role("status")).to_have_text(f"{len(found)} pair{plural} of {len(comparisons())}{shown}")
    go(page, "groups")
    search(page, "kerberos")
    expect(page.locator("caption")).to_contain_text(" of ")
    for row in rows(page):
        go(page, "groups")
        page.get_by_role("link", name=row[0], exact=True).click()
        expect(page.locator("#heading")).to_have_text(f"Group {row[0]}")
        members = page.locator("li h3").all_inner_texts()
        assert any("kerberos" in f"{name} {texts[name]}".lower() for name in members)


def test_lists_are_sorted_by_their_columns(opened: Open) -> None:
    values: dict[str, Any] = {
        "Similarity": lambda pair: pair.similarity, "Words shared": lambda pair: pair.shared,
        "Longest run": lambda pair: pair.longest, "Passages": lambda pair: len(pair.passages),
        "Jaccard": lambda pair: round(float(pair.jaccard), 6),
        "Containment": lambda pair: round(float(pair.containment), 6),
    }  # fmt: skip
    page = opened("real", "pairs")
    for title, value in values.items():
        head = page.locator("th", has=page.get_by_role("button", name=title))
        for turn in ("descending", "ascending"):
            if head.get_attribute("aria-sort") != turn:
                head.get_by_role("button").click()
                expect(head.get_by_role("button")).to_be_focused()
            expect(head).to_have_attribute("aria-sort", turn)
            expect(page.locator("th[aria-sort]")).to_have_count(1)
            sign = -1 if turn == "descending" else 1
            expected = sorted(comparisons(), key=lambda pair: sign * value(pair))
            assert [row[0] for row in rows(page)] == [f"{pair.a} and {pair.b}" for pair in expected[:50]]
    page.get_by_role("button", name="Pair", exact=True).click()
    assert rows(page)[0][0].split()[0] == min(str(pair.a) for pair in comparisons())


def test_a_group_is_strips_with_density_and_weakest_link(opened: Open) -> None:
    page = opened("special", "groups")
    page.get_by_role("link", name="chain 0").click()
    expect(page.locator("#heading")).to_have_text("Group chain 0")
    figures = facts(page)
    assert (figures["Documents"], figures["Density"], figures["Chained"]) == ("4", "0.500", "2")
    assert re.fullmatch(r"0\.\d{3}, chain \d and chain \d", figures["Weakest link"])
    members = page.locator("li.member")
    assert members.locator("h3").all_inner_texts() == [f"chain {at}" for at in range(4)]
    expect(members.nth(0)).to_contain_text("The representative")
    expect(members.nth(1)).not_to_contain_text("Chained")
    expect(members.nth(3)).to_contain_text("3 pairs away from the representative, by way of chain 2")
    assert [members.nth(at).locator(".lane.chained").count() for at in range(4)] == [0, 0, 1, 1]
    page.get_by_role("link", name="Compare chain 3 with chain 2").click()
    expect(page.locator("#heading")).to_have_text("chain 2 and chain 3")


def test_jaccard_is_not_called_a_similarity(opened: Open) -> None:
    page = opened("unsaid")
    expect(page.locator("#similarities")).to_have_text("Similarities of pairs (Jaccard where none was given)")
    jaccard = float(compare("a", "b", *MOVED).jaccard)
    for place, said in enumerate((f"Jaccard {jaccard:.3f}, where no similarity was given, ", "similarity ")):
        go(page, f"group/{place}")
        text = page.locator("li.member").nth(1).locator("p").text_content() or ""
        assert text.startswith(said)


def test_shares_are_rounded_down_as_in_text(opened: Open) -> None:
    """So 100% is all; of a pair whose shares are nearest to the next whole number."""
    pairs = comparisons()
    place = max(
        range(len(pairs)), key=lambda at: min((100 * pairs[at].shared) % words / words for words in pairs[at].words)
    )
    shared, words = pairs[place].shared, pairs[place].words
    assert min((100 * shared) % each / each for each in words) > 0.5
    page = opened("real", f"pair/{place}")
    expected = " and ".join(f"{100 * shared // each}%" for each in words)
    assert facts(page)["Words shared"] == f"{shared} ({expected})"


def test_strips_lie_where_the_passages_are(opened: Open) -> None:
    page = opened("special", "group/0")
    strip = page.locator("svg.strip").last
    width = strip.bounding_box()["width"]  # type: ignore[index]
    left = strip.bounding_box()["x"]  # type: ignore[index]
    lanes = [lane.bounding_box() for lane in strip.locator(".lane").all()]
    assert lanes[1]["width"] / lanes[0]["width"] == pytest.approx(len(MOVED[1]) / len(MOVED[0]), abs=0.01)  # type: ignore[index]
    blocks = [block.bounding_box() for block in strip.locator(".block").all()]
    starts = [(block["x"] - left) / width * len(MOVED[0]) for block in blocks]  # type: ignore[index]
    phrases = ("One two", "One two", "And the end", "And the end")
    assert starts == pytest.approx([MOVED[at % 2].index(phrase) for at, phrase in enumerate(phrases)], abs=1)


def test_a_pair_shows_both_texts_whole(opened: Open) -> None:
    """Without numbers and buttons, letter for letter."""
    page = opened("special", "pair/0")
    texts = [
        page.locator(".text").nth(side).evaluate(
            "(pane) => { const copy = pane.cloneNode(true); copy.querySelectorAll('button').forEach((b) => b.remove());"
            " return copy.textContent; }"
        )
        for side in (0, 1)
    ]  # fmt: skip
    assert texts == [*MOVED]
    for passage, words in enumerate(("one two three four five six seven", "and the end of many words indeed")):
        for side in "ab":
            shown = page.locator(f"#{side}{passage}").inner_text().lower()
            assert re.findall("[a-z]+", shown) == words.split()
            assert shown.startswith(str(passage + 1))


def test_differences_and_template(opened: Open) -> None:
    """Each word of one side only is marked as such, in its own text; template in both."""
    pairs = comparisons()
    place = max(range(len(pairs)), key=lambda at: len({p.kind for each in pairs[at].passages for p in each.pieces}))
    pair, texts = pairs[place], documents()
    page = opened("real", f"pair/{place}")
    pieces = [piece for passage in pair.passages for piece in passage.pieces]
    for side, kind, tag in ((0, "a", "del"), (1, "b", "ins")):
        spans = sorted((piece.a, piece.b)[side] for piece in pieces if piece.kind == kind)
        text = texts[str(pair[side])]
        assert spans
        shown = page.locator(".text").nth(side).locator("del, ins").evaluate_all(
            "(found) => found.map((each) => [each.localName, each.textContent])"
        )  # fmt: skip
        assert shown == [[tag, text[start:end]] for start, end in spans]
        line = page.locator(f".text {tag}").first.evaluate("(each) => getComputedStyle(each).textDecorationLine")
        assert line == {"del": "line-through", "ins": "underline"}[tag]
    place = next(at for at, each in enumerate(pairs) if any(p.template for q in each.passages for p in q.pieces))
    page = opened("real", f"pair/{place}")
    # Words of template one after the other
    template = [p.a for each in pairs[place].passages for p in each.pieces if p.template]
    assert page.locator(".text").first.locator("span.template").all_text_contents() == [
        texts[str(pairs[place].a)][slice(*span)] for span in template
    ]


def test_keys_go_through_passages_and_pairs(opened: Open) -> None:
    page = opened("special", "pairs")
    names = [row[0] for row in rows(page)]
    places = [
        int(each.rpartition("/")[2]) for each in page.locator("tbody a").evaluate_all("(all) => all.map((a) => a.href)")
    ]
    go(page, "pair/0")
    status = page.get_by_role("status")
    page.keyboard.press("n")
    expect(status).to_have_text("Passage 1 of 2: 7 equal words")
    assert page.evaluate("document.activeElement.closest('mark').id") == "a0"
    page.keyboard.press("n")
    expect(status).to_contain_text("Passage 2 of 2")
    assert page.locator("mark.current").evaluate_all("(all) => all.map((each) => each.id)") == ["a1", "b1"]
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
    page.keyboard.press("u")
    expect(page).to_have_url(re.compile("#pairs$"))
    page.keyboard.press("/")
    expect(page.get_by_label("Search")).to_be_focused()
    page.keyboard.type("junk")
    expect(page.get_by_label("Search")).to_have_value("junk")
    expect(page.locator("caption")).to_have_text("0 pairs of 6")


def test_the_order_of_a_list_is_that_of_next_and_previous(opened: Open) -> None:
    page = opened("real", "pairs")
    page.get_by_role("button", name="Words shared").click()
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
    for wanted in (
        "Skip to the content",
        "Overview",
        "Groups",
        "Pairs",
        "All pairs",
        "What this shows",
        "Next passage",
        "1",
        "2",
    ):
        assert wanted in reached, wanted
    go(page, "pairs")
    page.locator("tbody a").first.focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("#pair/"))


@pytest.mark.parametrize("side", ["a", "b"])
@pytest.mark.parametrize("passage", [0, 7, 15, 29])
def test_a_click_brings_the_other_text_to_a_passage(opened: Open, side: str, passage: int) -> None:
    page = opened("special", "pair/5")
    mark = page.locator(f"#{side}{passage}")
    mark.scroll_into_view_if_needed()
    mark.click(position={"x": 60, "y": 5})
    expect(page.locator("mark.current")).to_have_count(2)
    first, second = heights(page, passage)
    assert abs(first - second) <= SLACK
    for frame in page.locator(".text").all():
        box = frame.bounding_box()
        assert box is not None and 0 <= first < box["height"]


@pytest.mark.parametrize("steps", [1, 12, 30])
def test_keys_bring_both_texts_to_a_passage(opened: Open, steps: int) -> None:
    page = opened("special", "pair/5")
    for _ in range(steps):
        page.keyboard.press("n")
    first, second = heights(page, steps - 1)
    assert abs(first - second) <= SLACK
    expect(page.get_by_role("status")).to_contain_text(f"Passage {steps} of 30")


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
    first, second = (frame.bounding_box() for frame in page.locator(".text").all())
    assert first is not None and second is not None
    assert (first["y"] == second["y"]) == (width == 1200)  # on small screens one below the other


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["real", "special", "hostile"])
@pytest.mark.parametrize("width", [360, 1200])
def test_axe_finds_no_serious_fault(opened: Open, name: str, scheme: str, width: int) -> None:
    page = opened(name, width=width, scheme=scheme)
    for view in VIEWS:
        go(page, view)
        if view.startswith("pair/"):
            page.locator("summary").click()
            page.keyboard.press("n")
        result = Axe().run(page).response
        bad = [each for each in result["violations"] if each["impact"] in ("serious", "critical")]
        assert [(each["id"], [node["html"] for node in each["nodes"]]) for each in bad] == [], view
        assert len(result["passes"]) > 10


def test_hostile_texts_do_nothing(opened: Open) -> None:
    page = opened("hostile")
    page.evaluate("() => { window.hits = 0; window.hit = () => { window.hits += 1; }; }")
    count = int(page.evaluate("pairs.count"))
    assert count >= 5
    for view in ("overview", "groups", "group/0", "pairs", *(f"pair/{place}" for place in range(count))):
        go(page, view)
        foreign = (
            "img, iframe, object, embed, link, base, meta[http-equiv=refresh], svg[onload], a:not([href^='#']), [style]"
        )
        expect(page.locator(foreign)).to_have_count(0)
        expect(page.locator("body script:not([type])")).to_have_count(1)
        if view.startswith("pair/"):
            page.keyboard.press("n")
            for pane in page.locator(".text").all():
                assert any(COMMON in content for content in pane.locator("mark").all_text_contents())
    assert page.evaluate("window.hits") == 0
    assert page.locator("h1").inner_text() == "Shared passages"


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
    assert page.locator("#b4999").inner_text() == "5000w4999"
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


class Asked(BaseHTTPRequestHandler):
    """A server that notes what it is asked for."""

    paths: ClassVar[set[str]] = set()

    def do_GET(self) -> None:  # its base class says so
        self.paths.add(self.path)
        self.send_error(404)

    do_POST = do_GET  # noqa: N815 # likewise

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.mark.parametrize("policy", [True, False], ids=["as it is", "without the policy"])
def test_the_browser_refuses_what_the_policy_forbids(
    browser: Browser, pages: dict[str, Path], tmp_path: Path, policy: bool
) -> None:
    """Were there a hole for markup or code, it would lead nowhere; without the policy, all of this would happen."""
    content = pages["special"].read_text("utf-8")
    target = tmp_path / "page.html"
    target.write_text(content if policy else re.sub('default-src [^"]*', "", content, count=1), "utf-8")
    Asked.paths.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Asked) as server, browser.new_page() as page:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page.goto(at(target))
        marks = page.evaluate(
            """async (server) => {
                const made = (name, given) => Object.assign(document.createElement(name), given);
                const attempt = (work) => { try { work(); } catch { /* Trusted Types */ } };
                attempt(() => { document.body.insertAdjacentHTML('beforeend', '<b id="markup">x</b>'); });
                attempt(() => document.body.append(made('script', { text: 'window.ran = true' })));
                attempt(() => document.body.append(made('script', { src: `${server}/script` })));
                document.body.append(made('img', { src: `${server}/image` }),
                    made('iframe', { src: `${server}/frame` }),
                    made('link', { rel: 'stylesheet', href: `${server}/style` }),
                    made('style', { textContent: 'main { display: none }' }));
                await fetch(`${server}/fetch`, { mode: 'no-cors' }).catch(() => null);
                navigator.sendBeacon(`${server}/beacon`, 'x');
                const form = made('form', { action: `${server}/form`, method: 'post', target: 'elsewhere' });
                document.body.append(made('iframe', { name: 'elsewhere' }), form);
                form.submit();
                await new Promise((done) => setTimeout(done, 500));
                return [Boolean(byId('markup')), Boolean(window.ran), getComputedStyle(byId('main')).display];
            }""",
            f"http://127.0.0.1:{server.server_port}",
        )
        server.shutdown()
    if policy:
        assert (marks, Asked.paths) == ([False, False, "block"], set())
    else:
        paths = {"/script", "/image", "/frame", "/style", "/fetch", "/beacon", "/form"}
        assert (marks, Asked.paths) == ([True, True, "none"], paths)


def test_what_was_left_out_is_said(opened: Open) -> None:
    page = opened("short")
    for view in ("overview", "groups", "pairs"):
        go(page, view)
        note = page.get_by_role("note").inner_text()
        assert re.match(r"Left out: \d+ pairs and \d+ groups\. .* 20,000 bytes", note)
    shown = page.evaluate("pairs.count")
    assert re.match(rf"Left out: {len(comparisons()) - shown} pairs", note)


def test_without_pairs(opened: Open) -> None:
    page = opened("empty")
    for view, title in zip(VIEWS, ("Overview", "Groups", "Overview", "Pairs", "Overview"), strict=True):
        go(page, view)
        expect(page.locator("#heading")).to_have_text(title)


def test_texts_of_the_hostile_page_are_the_ones_meant() -> None:
    assert all(any(each in text for text in HOSTILE) for each in ("</script>", "\0", "\u202e", "\u2028", "😀"))
