"""The page in a browser: counts, lists, search, order, pairs and groups."""

import re
from typing import Any

from playwright.sync_api import Page, expect

from report.conftest import Open
from report.naive import WORD, compare
from report.samples import MOVED, comparisons, copied, documents
from report.views import VIEWS, facts, go, order, rows, search


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
        members = page.locator("li h3 bdi").all_inner_texts()
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
        "Shared": lambda pair: min(pair.shared / words for words in pair.words),
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


def test_a_group_is_a_chain(opened: Open) -> None:
    page = opened("special", "groups")
    page.get_by_role("link", name="chain 0").click()
    expect(page.locator("#heading")).to_have_text("Group chain 0")
    assert facts(page)["Documents"] == "4"
    members = page.locator("li.member")
    fates = ["kept", "removed", "kept", "removed"]  # each is a pair with the next one only
    assert members.locator("h3").all_inner_texts() == [f"chain {at} {fates[at]}" for at in range(4)]
    expect(members.nth(1)).not_to_contain_text("No pair with the first")
    expect(members.nth(3)).to_contain_text("No pair with the first. Compared with chain 2: ")
    page.get_by_role("link", name="Compare chain 3 with chain 2").click()
    expect(page.locator("#heading")).to_have_text("chain 2 and chain 3")


def test_a_group_begins_with_what_is_kept_and_shows_how_others_differ(opened: Open) -> None:
    """Whoever undoes the differences has the kept text again, but for what stands between words."""
    page = opened("copies", "group/0")
    texts = copied()
    members = page.locator("li.member")
    assert members.locator("h3").all_inner_texts() == ["first kept", "changed removed", "longer removed"]
    expect(members.nth(0)).to_contain_text("60 words")
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
        for tag, name in (("del", members.nth(place).locator("h3 bdi").inner_text()), ("ins", "first")):
            kept = body.evaluate(
                "(body, tag) => { const copy = body.cloneNode(true);"
                " copy.querySelectorAll(tag).forEach((each) => each.remove()); return copy.textContent; }",
                f"{tag}, summary",
            )
            assert re.findall(r"\w+", kept) == re.findall(r"\w+", texts[name])


def test_lists_say_where_pairs_come_from(opened: Open) -> None:
    page = opened("copies")
    figures = facts(page)
    assert (figures["Command"], figures["Recipe"]) == ("canon | shingle | simjoin -t 0.5", "canon/4 | shingle k=10")
    assert (figures["Threshold"], figures["Date"]) == ("0.5", "May Day")
    go(page, "pairs")
    expect(page.locator("caption")).to_have_text("3 pairs, and 2 more of the same texts")
    assert [row[2] for row in rows(page)] == ["100%,\u00a0100%", "100%,\u00a095%", "96%,\u00a096%"]
    expect(page.locator("tr.item").first).to_contain_text("and 2 more of the same texts")
    expect(page.locator(".fields").first).to_have_text("title: About first <b>")


def test_pairs_that_only_groups_bring_are_not_counted(opened: Open) -> None:
    page = opened("given", "pairs")
    expect(page.locator("caption")).to_have_text("3 pairs")


def test_what_makes_no_sense_is_not_shown(opened: Open) -> None:
    """Texts that share some passages are neither to be removed nor seen as changes of each other."""
    page = opened("common")
    for view in VIEWS:
        go(page, view)
        text = page.locator("main").inner_text()
        assert not re.search("remove|kept|keeps (?!it)|null", text), view
    go(page, "group/0")
    second = page.locator("li.member").nth(1)
    expect(second.locator("del, ins")).to_have_count(0)
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
    letters_ = [f"letter {at} removed" for at in range(3)]
    assert members.locator("h3").all_inner_texts() == ["book (--against) kept", *letters_]


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


COLUMNS = """() => [0, 1].map((side) => [...document.querySelectorAll('.rows .sides')].map((row) => {
    const cell = row.children[side].cloneNode(true);
    cell.querySelectorAll('summary').forEach((each) => each.remove());
    return cell.textContent;
}).join(''))"""


def columns(page: Page) -> list[str]:
    """Both texts of a pair, also what is folded."""
    found: list[str] = page.evaluate(COLUMNS)
    return found


def outside(text: str, places: list[tuple[int, int]]) -> list[str]:
    """The words of a text that no place has."""
    return [each[0] for each in WORD.finditer(text) if not any(a <= each.start() < b for a, b in places)]


def test_a_pair_shows_both_texts_whole_and_what_differs(opened: Open) -> None:
    """Letter for letter; passages that moved stand beside each other. Words of one side only are coloured."""
    pairs, texts = comparisons(), documents()
    page = opened("real")
    kinds = sorted(range(len(pairs)), key=lambda at: -len([p for q in pairs[at].passages for p in q.pieces]))
    for place in kinds[:8]:
        pair = pairs[place]
        both = [texts[str(name)] for name in pair[:2]]
        for view, coloured in (("Differences", ("del", "ins")), ("What both share", ("mark", "mark"))):
            go(page, f"pair/{place}")
            page.get_by_role("button", name=view).click()
            assert columns(page)[0] == both[0]
            assert sorted(columns(page)[1]) == sorted(both[1])
            for side, tag in enumerate(coloured):
                pieces = [p for each in pair.passages for p in each.pieces]
                equal = [(p.a, p.b)[side] for p in pieces if p.kind == "equal"]
                own = outside(both[side], equal)
                found = page.locator(f".cell:nth-child({side + 1}) {tag}").all_text_contents()
                words = WORD.findall(" ".join(found))
                if tag == "mark":
                    assert sorted([*words, *own]) == sorted(WORD.findall(both[side]))
                else:
                    assert sorted(words) == sorted(own)
    place = next(at for at, each in enumerate(pairs) if any(p.template for q in each.passages for p in q.pieces))
    go(page, f"pair/{place}")
    page.get_by_role("button", name="What both share").click()
    template = [p.a for each in pairs[place].passages for p in each.pieces if p.template]
    assert page.locator(".cell:first-child .template").all_text_contents() == [
        texts[str(pairs[place].a)][slice(*span)] for span in template
    ]


def test_one_difference_in_a_long_text_is_in_sight(opened: Open) -> None:
    """On a screen and on a phone: equal text before it is folded, and both texts are there."""
    for width in (1280, 390):
        page = opened("long", "pair/0", width=width)
        for text in page.locator(".rows ins, .rows del").all():
            expect(text).to_be_in_viewport()
        assert page.locator(".rows ins, .rows del").all_text_contents() == ["river", "an insertion"]
        expect(page.locator(".rows > details")).to_have_count(2)
        page.get_by_role("button", name="Next").click()
        expect(page.get_by_role("status")).to_have_text("Difference 1 of 1")
        assert page.evaluate("document.documentElement.scrollHeight") < 1600


def test_a_page_of_one_pair_begins_with_its_texts(opened: Open) -> None:
    page = opened("long")
    expect(page.locator("#heading")).to_have_text("a and b")
    expect(page.locator(".rows ins")).to_be_in_viewport()
    go(page, "pairs")
    expect(page.locator("#heading")).to_have_text("Pairs")


def test_a_search_opens_what_is_folded(opened: Open) -> None:
    page = opened("long", "pairs")
    for letters, opens in (("w5998", [False, True]), ("8", [True, True]), ("w20 ", [True, False])):
        go(page, "pairs")
        search(page, letters)
        expect(page.locator(".extract .hit").first).to_have_text(letters)
        page.locator("tbody a").click()
        expect(page.locator(".rows > details")).to_have_count(len(opens))  # a click changes the view later
        assert page.locator(".rows > details").evaluate_all("(all) => all.map((each) => each.open)") == opens
        expect(page.locator(".rows .hit").first).to_have_text(letters)
    page.reload()  # what was chosen is chosen still
    go(page, "pairs")
    expect(page.get_by_label("Search")).to_have_value("w20 ")


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
