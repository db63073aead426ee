"""The page in a browser: counts, lists, search, order, pairs and groups."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from report.conftest import Open
from report.naive import compare
from report.samples import MOVED, comparisons, copied, documents
from report.views import VIEWS, attribute, facts, go, order, rows, search


def test_a_list_is_shown_in_pages(opened: Open) -> None:
    page = opened("real", "pairs")
    pairs = order()
    assert [row[0] for row in rows(page)] == [f"{pair.a} and {pair.b}" for pair in pairs[:50]]
    more = len(comparisons()) - len(pairs)
    assert more > 0
    caption = f"{len(pairs)} pairs, 1 to 50 are shown, and {more} more of the same texts"
    expect(page.locator("caption")).to_have_text(caption)
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
            f"{pair.a} and {pair.b}"
            for pair in order()
            if any(wanted in name.lower() or wanted in texts[name].lower() for name in map(str, (pair.a, pair.b)))
        ]
        shown = ", 1 to 50 are shown" if len(found) > 50 else ""
        plural = "" if len(found) == 1 else "s"
        caption = re.compile(rf"{len(found)} pair{plural} of {len(order())}{shown}(, and \d+ more of the same texts)?$")
        expect(page.locator("caption")).to_have_text(caption)
        assert [row[0] for row in rows(page)] == found[:50]
        expect(page.get_by_role("status")).to_have_text(caption)
    go(page, "groups")
    search(page, "kerberos")
    expect(page.locator("caption")).to_contain_text(" of ")
    for row in rows(page):
        go(page, "groups")
        page.get_by_role("link", name=row[0], exact=True).click()
        expect(page.locator("#heading")).to_have_text(f"Group {row[0]}")
        members = page.locator("li h3").all_inner_texts()
        assert any("kerberos" in f"{name} {texts[name]}".lower() for name in members)


def common(a: str, b: str) -> int:
    """How many letters both begin with."""
    return next((at for at, (one, other) in enumerate(zip(a, b, strict=False)) if one != other), min(len(a), len(b)))


def test_lists_show_where_texts_begin_or_differ_and_after_a_search_the_hit(opened: Open) -> None:
    """With 120 letters of each, or fewer at the end; of equal texts, one is shown."""
    page = opened("real", "pairs")
    texts = documents()
    shown = page.locator("tr.extracts").first.locator(".extract")
    ends = dict.fromkeys(texts[str(name)] for name in order()[0][:2])
    assert shown.all_text_contents() == [text[:120] + " …" * (len(text) > 120) for text in ends]
    later = 0
    for pair, row in zip(order(), page.locator("tr.extracts").all(), strict=False):
        both = [texts[str(name)] for name in pair[:2]]
        if len(set(both)) == 2 and common(*both) > 80:
            extracts = [
                each.removeprefix("… ").removesuffix(" …") for each in row.locator(".extract").all_text_contents()
            ]
            assert [extract in text for extract, text in zip(extracts, both, strict=True)] == [True, True]
            assert 20 <= common(*extracts) <= 40
            later += 1
    assert later > 5
    search(page, "workflow")
    expect(page.locator("caption")).to_contain_text(f" of {len(order())}")
    assert {hit.lower() for hit in page.locator(".extract .hit").all_text_contents()} == {"workflow"}
    assert all(len(found) <= 125 for found in page.locator(".extract").all_text_contents())
    search(page, "(no such) [letters*")
    expect(page.locator("caption")).to_contain_text("0 pairs")
    go(page, "groups")
    assert page.locator(".extract").count() == len(rows(page))


def test_lists_are_sorted_by_their_columns(opened: Open) -> None:
    values: dict[str, Any] = {
        "Similarity": lambda pair: pair.similarity,
        "% of a, % of b": lambda pair: min(pair.shared / words for words in pair.words),
        "Words shared": lambda pair: pair.shared,
        "Longest run": lambda pair: pair.longest,
        "Passages": lambda pair: len(pair.passages),
        "Jaccard": lambda pair: round(float(pair.jaccard), 6),
        "Containment": lambda pair: round(float(pair.containment), 6),
    }
    page, first = opened("real", "pairs"), order()
    listed = [pair for pair in comparisons() if pair in first]
    for title, value in values.items():
        head = page.locator("th", has=page.get_by_role("button", name=title))
        for turn in ("descending", "ascending"):
            if head.get_attribute("aria-sort") != turn:
                head.get_by_role("button").click()
                expect(head.get_by_role("button")).to_be_focused()
            expect(head).to_have_attribute("aria-sort", turn)
            expect(page.locator("th[aria-sort]")).to_have_count(1)
            sign = -1 if turn == "descending" else 1
            expected = sorted(listed, key=lambda pair: sign * value(pair))
            assert [row[0] for row in rows(page)] == [f"{pair.a} and {pair.b}" for pair in expected[:50]]
    page.get_by_role("button", name="Pair", exact=True).click()
    assert rows(page)[0][0].split()[0] == min(str(pair.a) for pair in comparisons())


def test_a_group_is_strips(opened: Open) -> None:
    page = opened("special", "groups")
    page.get_by_role("link", name="chain 0").click()
    expect(page.locator("#heading")).to_have_text("Group chain 0")
    assert facts(page)["Documents"] == "4"
    members = page.locator("li.member")
    assert members.locator("h3").all_inner_texts() == [f"chain {at}" for at in range(4)]
    expect(members.nth(0)).to_contain_text("Kept")
    expect(members.nth(1)).not_to_contain_text("No pair with the first")
    expect(members.nth(3)).to_contain_text("No pair with the first. Compared with chain 2: ")
    assert [members.nth(at).locator(".lane.chained").count() for at in range(4)] == [0, 0, 1, 1]
    page.get_by_role("link", name="Compare chain 3 with chain 2").click()
    expect(page.locator("#heading")).to_have_text("chain 2 and chain 3")


def test_a_group_begins_with_what_is_kept_and_shows_how_others_differ(opened: Open) -> None:
    """Whoever undoes the differences has the kept text again, but for what stands between words."""
    page = opened("copies", "group/0")
    texts = copied()
    members = page.locator("li.member")
    assert members.locator("h3").all_inner_texts() == ["first", "changed", "longer"]
    expect(members.nth(0)).to_contain_text("Kept, 60 words")
    expect(members.nth(0)).to_contain_text("title: About first <b>")
    assert members.nth(0).locator(".body").inner_text() == texts["first"]
    expect(members.nth(0).locator("summary")).to_have_text("and 3 identical")
    copies = members.nth(0).locator("details bdi").all_text_contents()
    assert copies == ["same 1", "same 2", "same 3"]
    for place, (gone, new) in (
        (1, (texts["first"].split()[20:22], ["quite", "other"])),
        (2, ([], ["and", "so", "on"])),
    ):
        body = members.nth(place).locator(".body")
        assert " ".join(body.locator("del").all_text_contents()).split() == gone
        assert " ".join(body.locator("ins").all_text_contents()).split() == new
        for more in body.get_by_role("button").all()[::-1]:
            more.click()
        for tag, name in (("del", members.nth(place).locator("h3").inner_text()), ("ins", "first")):
            kept = body.evaluate(
                "(body, tag) => { const copy = body.cloneNode(true);"
                " copy.querySelectorAll(tag).forEach((each) => each.remove()); return copy.textContent; }",
                tag,
            )
            assert re.findall(r"\w+", kept) == re.findall(r"\w+", texts[name])


def test_in_near_copies_the_differences_are_coloured(opened: Open) -> None:
    """And a switch colours what both share instead."""
    page = opened("copies", "pair/1")
    ground = "(each) => getComputedStyle(each).backgroundColor"
    plain = "rgba(0, 0, 0, 0)"
    mark, gone = page.locator("mark").first, page.locator(".text del, .text .only").first
    assert (mark.evaluate(ground), gone.evaluate(ground) == plain) == (plain, False)
    page.get_by_role("button", name="What both share").click()
    assert mark.evaluate(ground) != plain
    expect(page.get_by_role("button", name="What both share")).to_have_attribute("aria-pressed", "true")
    go(page, "pair/0")
    assert page.locator(".only, .text del, .text ins").count() == 0


def test_lists_say_where_pairs_come_from(opened: Open) -> None:
    page = opened("copies")
    figures = facts(page)
    assert (figures["Command"], figures["Recipe"]) == ("canon | shingle | simjoin -t 0.5", "canon/4 | shingle k=10")
    assert (figures["Threshold"], figures["Date"]) == ("0.5", "May Day")
    go(page, "pairs")
    expect(page.locator("caption")).to_have_text("3 pairs, and 2 more of the same texts")
    assert [row[2] for row in rows(page)] == ["100%, 100%", "100%, 95%", "96%, 96%"]
    expect(page.locator("tr.item").first).to_contain_text("and 2 more of the same texts")
    expect(page.locator(".fields").first).to_have_text("About first <b>")


def test_figures_explain_themselves(opened: Open) -> None:
    """To the pointer and to the keyboard; Escape hides it."""
    page = opened("copies", "pair/1")
    name = page.get_by_role("button", name="Jaccard")
    why = page.locator(f"#{attribute(name, 'aria-describedby')}")
    expect(why).to_be_hidden()
    name.hover()
    expect(why).to_be_visible()
    expect(why).to_contain_text("the share that both have")
    page.mouse.move(0, 0)
    expect(why).to_be_hidden()
    page.get_by_role("button", name="Similarity", exact=True).focus()
    page.keyboard.press("Tab")
    expect(name).to_be_focused()
    expect(why).to_be_visible()
    page.keyboard.press("Escape")
    expect(why).to_be_hidden()


def test_pairs_that_only_groups_bring_are_not_counted(opened: Open) -> None:
    page = opened("given", "pairs")
    expect(page.locator("caption")).to_have_text("3 pairs")


def test_what_makes_no_sense_is_not_shown(opened: Open) -> None:
    """Texts that share some passages are neither to be removed nor seen as changes of each other."""
    page = opened("common")
    for view in VIEWS:
        go(page, view)
        text = page.locator("main").inner_text()
        assert "remove" not in text and "Kept" not in text and "null" not in text, view
    go(page, "group/0")
    second = page.locator("li.member").nth(1)
    expect(second.locator("del, ins")).to_have_count(0)
    expect(second.locator(".block")).to_have_count(2)
    go(page, "pair/0")
    expect(page.get_by_role("button", name="What both share")).to_have_attribute("aria-pressed", "true")
    page = opened("copies", "pair/0")
    expect(page.locator("main")).to_contain_text("the same words in the same order")
    expect(page.get_by_role("button", name="Differences")).to_have_count(0)


def test_documents_of_the_other_side_stay(opened: Open) -> None:
    page = opened("against")
    letters = [2 + 12] * 3
    go(page, "group/0")
    expect(page.locator("#heading")).to_have_text("Group book (--against)")
    assert facts(page)["Words to remove"] == str(sum(letters))
    members = page.locator("li.member")
    expect(members.nth(0)).to_contain_text("Kept")
    assert members.locator("h3").all_inner_texts() == ["book (--against)", *(f"letter {at}" for at in range(3))]


def test_jaccard_is_not_called_a_similarity(opened: Open) -> None:
    page = opened("unsaid")
    jaccard = float(compare("a", "b", *MOVED).jaccard)
    for place, said in enumerate((f"Jaccard {jaccard:.3f} (no similarity was given), ", "similarity ")):
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


def extent(element: Locator) -> tuple[float, float]:
    """Where it begins from the left, and how wide it is, in pixels."""
    box = element.bounding_box()
    assert box is not None
    return box["x"], box["width"]


def test_strips_lie_where_the_passages_are(opened: Open) -> None:
    page = opened("special", "group/0")
    strip = page.locator("svg.strip").last
    left, width = extent(strip)
    lanes = [extent(lane) for lane in strip.locator(".lane").all()]
    assert lanes[1][1] / lanes[0][1] == pytest.approx(len(MOVED[1]) / len(MOVED[0]), abs=0.01)
    blocks = [extent(block) for block in strip.locator(".block").all()]
    starts = [(start - left) / width * len(MOVED[0]) for start, _ in blocks]
    phrases = ("One two", "One two", "And the end", "And the end")
    assert starts == pytest.approx([MOVED[at % 2].index(phrase) for at, phrase in enumerate(phrases)], abs=1)


def test_a_pair_shows_both_texts_whole(opened: Open) -> None:
    """Without numbers and buttons, letter for letter."""
    page = opened("special", "pair/0")
    texts = [
        page.locator(".text")
        .nth(side)
        .evaluate(
            "(pane) => { const copy = pane.cloneNode(true); copy.querySelectorAll('button').forEach((b) => b.remove());"
            " return copy.textContent; }"
        )
        for side in (0, 1)
    ]
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
        shown = (
            page.locator(".text")
            .nth(side)
            .locator("del, ins")
            .evaluate_all("(found) => found.map((each) => [each.localName, each.textContent])")
        )
        assert shown == [[tag, text[start:end]] for start, end in spans]
        line = page.locator(f".text {tag}").first.evaluate("(each) => getComputedStyle(each).textDecorationLine")
        assert line == "underline"
    place = next(at for at, each in enumerate(pairs) if any(p.template for q in each.passages for p in q.pieces))
    page = opened("real", f"pair/{place}")
    # Words of template one after the other
    template = [p.a for each in pairs[place].passages for p in each.pieces if p.template]
    assert page.locator(".text").first.locator("span.template").all_text_contents() == [
        texts[str(pairs[place].a)][slice(*span)] for span in template
    ]


def test_what_was_left_out_is_said(opened: Open) -> None:
    page = opened("short")
    for view in ("groups", "pairs"):
        go(page, view)
        note = page.get_by_role("note").inner_text()
        assert re.match(r"Left out: \d+ pairs and \d+ groups\. .* 20,000 bytes", note)
    shown = page.evaluate("pairs.count")
    assert re.match(rf"Left out: {len(comparisons()) - shown} pairs", note)


def test_without_pairs(opened: Open) -> None:
    page = opened("empty")
    for view, title in zip(VIEWS, ("Groups", "Pairs", "Pairs", "Pairs"), strict=True):
        go(page, view)
        expect(page.locator("#heading")).to_have_text(title)
