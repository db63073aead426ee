"""simshow --html: what the page of some records holds."""

import json
import random
import re
from itertools import combinations
from pathlib import Path

import pytest

from harness import Record, jsonl, run_here
from simshow.samples import PAIR


def lists_of(page: bytes) -> Record:
    """What the page says of all pairs and groups."""
    found = re.search(rb'<script type="application/json" id="lists">(.*?)</script>', page)
    assert found
    lists: Record = json.loads(found[1])
    return lists


def test_a_page_of_pairs(folder: Path) -> None:
    """And of the groups that they make; no records are written."""
    ran = run_here("simshow --docs docs --html page.html", stdin=jsonl(PAIR), cwd=folder)
    assert (ran.status, ran.out, ran.err) == (0, b"", "")
    lists = lists_of((folder / "page.html").read_bytes())
    assert (lists["names"], len(lists["groups"])) == (["1", "2"], 1)
    shared = json.loads(run_here("simshow --docs docs --json", stdin=jsonl(PAIR), cwd=folder).out)
    assert lists["pairs"]["shared"] == [shared["words"]]
    assert lists["pairs"]["longest"] == [shared["longest"]]


def test_a_page_of_groups(folder: Path) -> None:
    group = {"group": "two", "members": [1, "2"]}
    run_here("simshow --docs docs --html page.html", stdin=jsonl(group), cwd=folder)
    lists = lists_of((folder / "page.html").read_bytes())
    assert lists["groups"] == [{"name": "two", "members": [0, 1]}]


def test_a_page_of_two_sides_with_the_same_ids(folder: Path) -> None:
    pair = {"a": 1, "b": 1, "similarity": 0.5}
    run_here("simshow --docs docs --against docs --html page.html", stdin=jsonl(pair), cwd=folder)
    lists = lists_of((folder / "page.html").read_bytes())
    assert lists["names"] == ["1", "1 (--against)"]


def test_a_page_of_ids_that_look_alike(folder: Path) -> None:
    """Each side has its documents, and 1 is not "1": pairs or groups, they are as many as they are."""
    words = "one two three four five"
    (folder / "docs").write_bytes(jsonl({"id": "1 (--against)", "text": words + " a"}, {"id": 7, "text": words}))
    (folder / "old").write_bytes(jsonl({"id": 1, "text": words + " b"}, {"id": "1", "text": words + " c d"}))
    command = "simshow --docs docs --against old --html page.html"
    for stdin, members in (
        (jsonl(*({"a": "1 (--against)", "b": name, "similarity": 0.5} for name in (1, "1"))), [1, 2, 0]),
        (jsonl({"group": 9, "members": ["1 (--against)", 1, "1"]}), [0, 1, 2]),
    ):
        ran = run_here(command, stdin=stdin, cwd=folder)
        lists = lists_of((folder / "page.html").read_bytes())
        assert (ran.status, lists["words"]) == (0, [6, 6, 7])
        assert lists["names"] == ['"1 (--against)"', "1 (--against)", '"1" (--against)']
        assert (lists["pairs"]["a"], lists["pairs"]["b"]) == ([0, 0], [1, 2])
        assert [group["members"] for group in lists["groups"]] == [members]
    run_here("simshow --docs old --html page.html", stdin=jsonl({"a": 1, "b": "1"}), cwd=folder)
    lists = lists_of((folder / "page.html").read_bytes())
    assert (lists["names"], lists["words"], lists["pairs"]["b"]) == (["1", '"1"'], [6, 7], [1])


def test_a_page_that_is_too_small(folder: Path) -> None:
    ran = run_here("simshow --docs docs --html page.html --limit 10b", stdin=jsonl(PAIR), cwd=folder)
    lists = lists_of((folder / "page.html").read_bytes())
    assert (ran.status, lists["left"]["pairs"], lists["names"]) == (0, 1, [])


def test_a_page_says_of_what_and_how_it_was_made(folder: Path) -> None:
    """K is that of the pairs; each run gives the same bytes, and a date only if it is given."""
    (folder / "docs").write_bytes(
        jsonl(
            {"id": 1, "text": "one two three four", "meta": {"day": "May"}, "n": [1]},
            {"id": "2", "text": "one two three five", "n": None},
            {"id": 3, "text": "123456789"},
        )
    )
    pair = PAIR | {"similarity": 0.333333}
    words = ["--show", "meta.day,n", "--date", "today", "--made-by", "canon docs | shingle -k 3 | simjoin -t 1/3"]
    pages = []
    for _ in range(2):
        assert (
            run_here("simshow", "--docs", "docs", "--html", "page.html", *words, stdin=jsonl(pair), cwd=folder).err
            == ""
        )
        pages.append((folder / "page.html").read_bytes())
    assert pages[0] == pages[1]
    lists = lists_of(pages[0])
    assert (lists["k"], lists["pairs"]["jaccard"]) == (3, [0.333333])
    assert (lists["fields"], lists["said"]) == (["meta.day", "n"], [["May", "[1]"], ["", ""]])
    assert lists["origin"]["date"] == "today" and lists["origin"]["recipe"].endswith(" | shingle k=3")
    for command, said in (
        ("canon --help", "--help and --version cannot be given here"),
        ("canon -x", "canon: unrecognized arguments: -x (see canon --help)"),
        ("canon 'x", "the pipeline: no closing quotation"),
    ):
        ran = run_here("simshow", "--docs", "docs", "--html", "page.html", "--made-by", command, stdin=b"", cwd=folder)
        assert (ran.status, ran.err) == (2, f"simshow: --made-by: {said}\n")


def test_pairs_of_shingles_in_common_are_no_reason_to_remove(folder: Path) -> None:
    for more, removable in (
        ({}, True),
        ({"shared": 7}, False),
        ({"shared": 7, "covers": "a"}, True),
        ({"contained": "a"}, True),
    ):
        run_here("simshow --docs docs --html page.html", stdin=jsonl(PAIR | more), cwd=folder)
        assert lists_of((folder / "page.html").read_bytes())["removable"] == removable
    group = jsonl({"group": 1, "members": [1, "2"]})  # of which only the pipeline can say it
    for command, removable in (
        ("canon | shingle | simjoin -m 3 | simgroup", False),
        ("canon | shingle | simjoin -m 3 --copies once", True),  # which is for removal
        ("canon | shingle | sketch | simjoin -m 42", True),
        ("canon | shingle | simjoin -t 0.5", True),
        ("canon | shingle | simjoin --measure overlap -m 3", False),
        ("canon | shingle | simjoin --measure containment -t 0.5", True),
        ("canon docs | shingle | simjoin -m 3 | simcheck --docs words", True),
    ):
        run_here("simshow", "--docs", "docs", "--html", "page.html", "--made-by", command, stdin=group, cwd=folder)
        assert lists_of((folder / "page.html").read_bytes())["removable"] == removable


def test_what_is_to_be_removed_is_what_dedup_removes(tmp_path: Path) -> None:
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
        lists = lists_of((tmp_path / "page.html").read_bytes())
        assert sorted(int(name) for name, go in zip(lists["names"], lists["go"], strict=True) if go) == removed
        assert [lists["names"][group["members"][0]] for group in lists["groups"]] == ["0"]


def removed_of(page: Path) -> set[str]:
    """Returns the documents that the page says go. It has no others in groups but the first, which stay."""
    lists = lists_of(page.read_bytes())
    firsts = {group["members"][0] for group in lists["groups"]}
    gone = {at for at, go in enumerate(lists["go"]) if go}
    assert not gone & firsts
    assert gone <= {at for group in lists["groups"] for at in group["members"]}
    return {lists["names"][at] for at in gone}


@pytest.mark.parametrize("seed", range(12))
def test_a_page_removes_what_dedup_removes(tmp_path: Path, seed: int) -> None:
    """By pairs of which either document, one or none may go, by marks, and beside an archive; copies have one pair."""
    chosen = random.Random(seed)
    ids = [f"d{at}" for at in range(14)]
    docs = jsonl(*({"id": name, "text": f"{name} text"} for name in ids))
    (tmp_path / "docs").write_bytes(docs)
    said: list[Record] = [{"covers": side} for side in ("a", "b", "both", "none")] + [
        {"covers": "none", "answer": "doubtful"},
        {"covers": "none", "answer": "different"},
        {"covers": "none", "contained": "a"},
        {"contained": "b"},
        {"label": 0},
        {"label": "same"},
        {},
    ]
    ends = chosen.sample([*combinations(ids[:11], 2)], 14)
    pairs: list[Record] = [{"a": a, "b": b, "similarity": 0.5, **chosen.choice(said)} for a, b in ends]
    copies: list[Record] = [
        {"a": chosen.choice(ids[:11]), "b": name, "similarity": 1, "copy": True, **covers}
        for name, covers in zip(ids[11:], ({}, {"covers": "both"}, {"covers": "none"}), strict=True)
    ]
    (tmp_path / "pairs").write_bytes(jsonl(*chosen.sample([*pairs, *copies], len(pairs) + 3)))
    left = {record["id"] for record in run_here("dedup --pairs pairs docs", cwd=tmp_path).records()}
    run_here("simshow --docs docs --html page pairs", cwd=tmp_path).good()
    assert removed_of(tmp_path / "page") == {*ids} - left != set()
    marks = run_here("dedup --pairs pairs --keep max:id --as text --annotate --marks docs", cwd=tmp_path).good()
    run_here("simshow --docs docs --html page - pairs", stdin=marks, cwd=tmp_path).good()
    assert removed_of(tmp_path / "page") == {json.loads(line)["id"] for line in marks.splitlines()}
    known = [{**pair, "against": True} for pair in pairs]
    (tmp_path / "known").write_bytes(jsonl(*known))
    left = {record["id"] for record in run_here("dedup --known known docs", cwd=tmp_path).records()}
    run_here("simshow --docs docs --against docs --html page known", cwd=tmp_path).good()
    assert removed_of(tmp_path / "page") == {*ids} - left


def test_a_side_that_no_pair_has(folder: Path) -> None:
    ran = run_here("simshow --docs docs --html page", stdin=jsonl(PAIR, PAIR | {"covers": "c"}), cwd=folder)
    assert (ran.status, ran.err) == (1, 'simshow: -:2: field "covers" is not a, b, both or none\n')


def test_the_pipeline_that_is_named_is_checked_against_the_pairs(folder: Path) -> None:
    """By its recipe, its threshold, and by the similarities of an exact join; its canon makes the words."""
    texts = "alpha the beta gamma delta epsilon", "alpha beta gamma delta zeta"
    (folder / "docs").write_bytes(
        jsonl(*({"id": name, "text": text} for name, text in zip((1, "2"), texts, strict=True)))
    )
    offsets = run_here("canon --offsets --stop en docs", cwd=folder).good()
    (folder / "stopped").write_bytes(offsets)
    page = ["simshow", "--html", "page.html", "--made-by"]
    made = run_here("canon --stop en docs", cwd=folder).good()
    made = run_here("shingle -k 2", stdin=made, cwd=folder).good()
    pairs = run_here("simjoin -t 0.2", stdin=made, cwd=folder).good()
    assert json.loads(pairs) == {"a": 1, "b": "2", "similarity": 0.6}
    for command, docs, wrong in (
        ("canon --stop en x.csv --csv | shingle -k 2 | simjoin -t 0.2", "docs", ""),
        ("canon --stop en | shingle -k 2 | simjoin -t 0.2", "stopped", ""),
        ("canon --stop en | shingle -k 2 | sketch | simjoin -t 0.2", "stopped", ""),
        (
            "canon --stop en | shingle -k 2 | simjoin -t 0.9",
            "docs",
            '1 "2" has a similarity of 0.6, less than the 0.9 of simjoin',
        ),
        (
            "canon | shingle -k 2 | simjoin -t 0.2",
            "docs",
            '1 "2" would have a similarity of 0.285714, and has 0.6',
        ),
        (
            "canon | shingle -k 2 | simjoin -t 0.2",
            "stopped",
            'words made by "canon/4 stop=en" cannot become "canon/4 | shingle k=2"',
        ),
    ):
        ran = run_here(*page, command, "--docs", docs, stdin=pairs, cwd=folder)
        said = f"simshow: --made-by: these pairs were not made so: {wrong}\n" if wrong else ""
        assert (ran.status, ran.err) == (2 if wrong else 0, said), command
