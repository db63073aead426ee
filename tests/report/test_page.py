"""The page as a file: what it holds, what its policy allows, its limit, its places."""

import base64
import hashlib
import json
import re
from collections import Counter
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from report.naive import compare
from report.samples import comparisons, documents, hostile, real, shown, written
from shingletools.commands.simshow.passages import Comparison
from shingletools.commands.simshow.report.page import Report
from shingletools.commands.simshow.report.page_shell import shell
from shingletools.commands.simshow.report.pair_graph import PairGraph
from shingletools.commands.simshow.report.pair_origin import Corpus
from shingletools.commands.simshow.report.shown_ids import names
from shingletools.commands.simshow.report.utf16_places import Units

NOTHING = Comparison("a", "b", None, (), (3, 4), 0, 0, Fraction(1, 3), Fraction(1, 2))


class Parts(HTMLParser):
    """The elements of a page, and what stands in scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str | None]] = []
        self.code: list[tuple[str, dict[str, str | None], str]] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += attrs
        if tag in ("script", "style"):
            self.code.append((tag, dict(attrs), ""))

    def handle_data(self, data: str) -> None:
        if self.cdata_elem:
            tag, attributes, content = self.code[-1]
            self.code[-1] = tag, attributes, content + data

    def data(self) -> dict[str, Any]:
        return {attributes["id"] or "": json.loads(text) for _, attributes, text in self.code if "type" in attributes}


def page(*pairs: tuple[Comparison, str, str], limit: int = 1 << 20) -> tuple[bytes, dict[str, Any]]:
    report = Report(limit)
    lines = [report.write(compared, shown(a), shown(b)) for compared, a, b in pairs]
    made = b"".join(lines) + report.finish(Corpus())
    return made, Parts(made.decode()).data()


@pytest.mark.parametrize("make", [real, hostile], ids=lambda make: make.__name__)
def test_the_policy_allows_the_one_script_and_the_one_style(make: Any, tmp_path: Path) -> None:
    make(tmp_path / "page.html")
    parts = Parts((tmp_path / "page.html").read_text("utf-8"))
    policy = next(value for _, value in parts.attributes if value and "default-src" in value)
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    for tag in ("script", "style"):
        (code,) = (text for name, attributes, text in parts.code if name == tag and not attributes)
        digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
        assert rules.pop(f"{tag}-src") == f"'sha256-{digest}'"
    assert rules == {
        "default-src": "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }
    assert parts.tags["script"] == len(parts.data()) + 1
    assert {"img", "iframe", "svg", "base", "link"}.isdisjoint(parts.tags)
    names = {name for name, _ in parts.attributes}
    assert "style" not in names and "src" not in names and not any(name.startswith("on") for name in names)


def test_nothing_in_the_frame_calls_the_network_or_makes_markup() -> None:
    before, after = (part.decode() for part in shell())
    assert re.findall(r"\b(?:innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval|fetch|import)\b", after) == []
    assert re.findall(r"\w*://[\w.]+|'//|url\(|@import", before + after) == []


def test_texts_come_back(tmp_path: Path) -> None:
    real(tmp_path / "page.html")
    data = Parts((tmp_path / "page.html").read_text("utf-8")).data()
    names = data["lists"]["names"]
    assert {name: data[f"d{place}"] for place, name in enumerate(names)} == {
        name: text for name, text in documents().items() if name in set(names)
    }
    pairs = data["lists"]["pairs"]
    assert [(names[a], names[b]) for a, b in zip(pairs["a"], pairs["b"], strict=True)] == [
        (pair.a, pair.b) for pair in comparisons()
    ]


@given(st.text(), st.text())
def test_any_text_comes_back(one: str, other: str) -> None:
    one, other = (text.encode("utf-8", "ignore").decode() for text in (one, other))
    data = page((NOTHING._replace(a=one + "1", b=other + "2"), one, other))[1]
    assert (data["d0"], data["d1"]) == (one, other)
    assert data["lists"]["names"] == names([(0, one + "1"), (0, other + "2")])


@given(st.text(st.sampled_from("aé漢😀𝒳"), max_size=20))
def test_places_are_those_of_utf_16(text: str) -> None:
    units = Units(text)
    for place in range(len(text) + 1):
        assert units(place) == len(text[:place].encode("utf-16-le")) // 2


@pytest.mark.parametrize("limit", [0, 500, 20_000, 60_000])
def test_the_limit(limit: int) -> None:
    """What does not fit is left out and counted; smaller pairs may follow."""
    texts = documents()
    pairs = [(pair, texts[pair.a], texts[pair.b]) for pair in comparisons()]  # type: ignore[index]
    whole, parts = page(*pairs), page(*pairs, limit=limit)
    lists, others = whole[1]["lists"], parts[1]["lists"]
    assert lists["left"] == {"pairs": 0, "groups": 0}
    assert len(others["pairs"].get("a", [])) + others["left"]["pairs"] == len(pairs)
    assert len(others["groups"]) + others["left"]["groups"] == len(lists["groups"])
    assert others["left"]["pairs"] > 0
    assert others["limit"] == limit
    assert len(parts[0]) - sum(map(len, shell())) <= limit + 2_000
    places = {place for group in others["groups"] for place in group["members"]}
    assert places <= set(range(len(others["names"])))
    for place, (a, b) in enumerate(zip(others["pairs"].get("a", []), others["pairs"].get("b", []), strict=True)):
        assert {f"p{place}", f"d{a}", f"d{b}"} <= parts[1].keys()


def test_there_is_room_for_the_groups_of_pairs_that_are_shown() -> None:
    """However many pairs came before: a group is shown if all its documents are."""
    texts = documents()
    lists = page(*((pair, texts[str(pair.a)], texts[str(pair.b)]) for pair in comparisons()), limit=60_000)[1]["lists"]
    groups: list[set[Any]] = []
    for pair in comparisons():
        mine = [group for group in groups if group & {pair.a, pair.b}]
        groups = [group for group in groups if group not in mine] + [{pair.a, pair.b}.union(*mine)]
    names, pairs = lists["names"], lists["pairs"]
    there = {names[place] for place in (*pairs["a"], *pairs["b"])}
    shown = [{names[place] for place in group["members"]} for group in lists["groups"]]
    whole = [group for group in groups if group <= there]
    assert len(groups) > len(whole) >= 5
    assert all(group in shown for group in whole)


def test_one_text_too_many_does_not_keep_others_out() -> None:
    small = NOTHING._replace(a="c", b="d")
    lists = page((NOTHING, "x" * 5000, "y"), (small, "z", "z"), limit=2000)[1]["lists"]
    assert (lists["left"], lists["pairs"]["a"], lists["names"][:2]) == ({"pairs": 1, "groups": 0}, [0], ["c", "d"])


def test_groups_that_are_given() -> None:
    report = Report(1 << 20)
    texts = {"x": "text of x", 7: "text of seven", "z": "z"}
    pairs = [NOTHING._replace(a="x", b=7, words=(3, 5)), NOTHING._replace(a="x", b="z", words=(3, 1))]
    made = written(report, pairs, texts) + report.group("x", ["x", 7, "z"]) + report.group("alone", [7, "q"])
    lists = Parts((made + report.finish(Corpus())).decode()).data()["lists"]
    assert lists["names"] == ["x", "7", "z", "q"]
    assert lists["words"] == [3, 5, 1, None]
    assert lists["groups"] == [{"name": "x", "members": [0, 1, 2]}, {"name": "alone", "members": [1, 3]}]
    assert (lists["order"], lists["pairs"]["covers"]) == ([0, 1, 2, 3], [',"covers":"b"'] * 2)
    assert lists["pairs"]["similarity"] == [None, None]


@pytest.mark.parametrize("pairs_first", [True, False])
def test_groups_beside_their_pairs(pairs_first: bool) -> None:
    """Each pair is shown once; only those that do not come from groups are in the list of pairs."""
    report = Report(1 << 20)
    texts = {name: name for name in "uvwxyz"}

    def pairs(*similar: tuple[str, str, float | None]) -> bytes:
        each = [(NOTHING._replace(a=a, b=b, similarity=said), {"a": a} if said else {}) for a, b, said in similar]
        return written(report, [pair._replace(record=record) for pair, record in each], texts)

    def group(*members: str) -> bytes:
        return pairs(*((members[0], other, None) for other in members[1:])) + report.group(members[0], members)

    records = ("x", "y", 0.9), ("y", "z", 0.75), ("u", "v", 1.0), ("v", "w", 0.8)
    made = pairs(*records) if pairs_first else b""
    made += group("x", "y", "z") + group("u", "v")
    made += b"" if pairs_first else pairs(*records)
    made += pairs(("z", "y", 0.75))  # again
    lists = Parts((made + report.finish(Corpus())).decode()).data()["lists"]
    names = lists["names"]
    assert [[names[at] for at in group["members"]] for group in lists["groups"]] == [["x", "y", "z"], ["u", "v"]]
    ends = [{names[a], names[b]} for a, b in zip(lists["pairs"]["a"], lists["pairs"]["b"], strict=True)]
    assert sorted(map(sorted, ends)) == [["u", "v"], ["v", "w"], ["x", "y"], ["x", "z"], ["y", "z"]]
    assert [sorted(pair) for pair, here in zip(ends, lists["listed"], strict=True) if not here] == [["x", "z"]]


def test_the_same_page_always(tmp_path: Path) -> None:
    for name in ("one", "other"):
        real(tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


def test_the_key_of_decisions_is_of_texts_and_ids() -> None:
    """And not of what else the page says."""
    pair = NOTHING._replace(a="x", b="y")
    pairs = [(pair, "one", "two"), (pair._replace(similarity=0.1), "one", "two"), (pair._replace(b="z"), "one", "two")]
    keys = [page(each)[1]["lists"]["key"] for each in [*pairs, (pair, "one", "other")]]
    assert keys[0] == keys[1] and len({*keys}) == 3


def test_an_empty_page() -> None:
    lists = page()[1]["lists"]
    assert lists["pairs"] == {} and lists["groups"] == []


@pytest.mark.parametrize("similarity", [0, 1, 0.0, 1e-320, 0.25])
def test_similarities_on_a_page(similarity: float) -> None:
    """A similarity is what the pair says, to six decimals."""
    other = NOTHING._replace(a="c", b="d", similarity=0.1234565)
    lists = page((NOTHING._replace(similarity=similarity), "x", "y"), (other, "x", "y"))[1]["lists"]
    assert lists["pairs"]["similarity"] == [round(similarity, 6), float(f"{0.1234565:.6f}")]


def test_the_matcher_of_these_tests() -> None:
    a, b = "x One, two three FOUR five six. y", "z one two three four new five, six seven"
    pair = compare("a", "b", a, b)
    assert (pair.shared, pair.longest, pair.words) == (0, 0, (8, 9))
    pair = compare("a", "b", "x a b c d e y f g h i j z", "a b c d e new f g h i j")
    (passage,) = pair.passages
    assert [(piece.kind, piece.a, piece.b) for piece in passage.pieces] == [
        ("equal", (2, 11), (0, 9)),
        ("a", (12, 13), (9, 9)),
        ("b", (13, 13), (10, 13)),
        ("equal", (14, 23), (14, 23)),
    ]


IDS = st.sampled_from([1, -1, 10**18, "1", "-1", '"1"', "1 (--against)", '"1" (--against)', '"', "\x1b"])
BLANKS = st.sampled_from(["", " ", "x", "x ", " x", "x  y", "x   y", "x y", "x\ty", "\u00a0", "\u2028"])


@given(st.lists(st.tuples(st.integers(0, 1), IDS | BLANKS | st.text(max_size=3)), max_size=20))
def test_no_two_names_look_alike(keys: list[tuple[int, str | int]]) -> None:
    """To a browser, which shows white space as one blank, and none at the ends."""
    found = names(keys)
    looks = [" ".join(name.split()) for name in found]
    assert all(looks)
    assert len(set(looks)) == len(set(keys))
    for (side, name), label in zip(keys, found, strict=True):
        content = label.removesuffix(" (--against)") if side else label
        assert content == str(name) or json.loads(content) == name


def test_names_are_bare_where_nothing_else_looks_so() -> None:
    assert names([(0, 17), (0, "18"), (0, "a b"), (0, 17)]) == ["17", "18", "a b", "17"]


@given(
    st.lists(
        st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 3)).filter(lambda pair: pair[0] != pair[1]),
        max_size=25,
    )
)
def test_groups_of_pairs_that_remove(pairs: list[tuple[int, int, int]]) -> None:
    """Sets are merged as long as a pair connects two of them. The third number has the bits of PairEnds.may_go."""
    graph, sets = PairGraph(), list[set[int]]()
    for a, b, may_go in pairs:
        graph.add(a, b, may_go)
        if may_go:
            mine = [each for each in sets if each & {a, b}]
            sets = [each for each in sets if each not in mine] + [{a, b}.union(*mine)]
    assert list(graph.groups(10)) == sorted(map(sorted, sets))
