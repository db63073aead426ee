"""simshow --html: what the page of some records holds."""

import json
import re
import shlex
from pathlib import Path

from harness import Record, jsonl, run_here
from simshow.samples import PAIR


def lists_of(options: str, folder: Path, *records: Record) -> Record:
    """What the page of some records says of all pairs and groups; no records are written."""
    ran = run_here("simshow --html page.html", *shlex.split(options), stdin=jsonl(*records), cwd=folder)
    assert (ran.status, ran.out, ran.err) == (0, b"", "")
    page = (folder / "page.html").read_bytes()
    found = re.search(rb'<script type="application/json" id="lists">(.*?)</script>', page)
    assert found
    lists: Record = json.loads(found[1])
    return lists


def test_a_page_of_pairs(folder: Path) -> None:
    """And of the groups that they make."""
    lists = lists_of("--docs docs", folder, PAIR)
    assert (lists["names"], len(lists["groups"])) == (["1", "2"], 1)
    shared = json.loads(run_here("simshow --docs docs --json", stdin=jsonl(PAIR), cwd=folder).out)
    assert lists["pairs"]["shared"] == [shared["words"]]
    assert lists["pairs"]["longest"] == [shared["longest"]]


def test_a_page_of_groups(folder: Path) -> None:
    group = {"group": "two", "members": [1, "2"]}
    lists = lists_of("--docs docs", folder, group)
    assert lists["groups"] == [{"name": "two", "members": [0, 1]}]


def test_a_page_of_two_sides_with_the_same_ids(folder: Path) -> None:
    pair = {"a": 1, "b": 1, "similarity": 0.5}
    lists = lists_of("--docs docs --against docs", folder, pair)
    assert lists["names"] == ["1", "1 (--against)"]


def test_a_page_of_ids_that_look_alike(folder: Path) -> None:
    """Each side has its documents, and 1 is not "1": pairs or groups, they are as many as they are."""
    words = "one two three four five"
    (folder / "docs").write_bytes(jsonl({"id": "1 (--against)", "text": words + " a"}, {"id": 7, "text": words}))
    (folder / "old").write_bytes(jsonl({"id": 1, "text": words + " b"}, {"id": "1", "text": words + " c d"}))
    pairs: list[Record] = [{"a": "1 (--against)", "b": name, "similarity": 0.5} for name in (1, "1")]
    groups: list[Record] = [{"group": 9, "members": ["1 (--against)", 1, "1"]}]
    for records, members in ((pairs, [1, 2, 0]), (groups, [0, 1, 2])):
        lists = lists_of("--docs docs --against old", folder, *records)
        assert lists["words"] == [6, 6, 7]
        assert lists["names"] == ['"1 (--against)"', "1 (--against)", '"1" (--against)']
        assert (lists["pairs"]["a"], lists["pairs"]["b"]) == ([0, 0], [1, 2])
        assert [group["members"] for group in lists["groups"]] == [members]
    lists = lists_of("--docs old", folder, {"a": 1, "b": "1"})
    assert (lists["names"], lists["words"], lists["pairs"]["b"]) == (["1", '"1"'], [6, 7], [1])


def test_a_page_that_is_too_small(folder: Path) -> None:
    lists = lists_of("--docs docs --limit 10b", folder, PAIR)
    assert (lists["left"]["pairs"], lists["names"]) == (1, [])


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
    words = "--docs docs --show meta.day,n --date today --made-by 'canon docs | shingle -k 3 | simjoin -t 1/3'"
    lists = lists_of(words, folder, pair)
    page = (folder / "page.html").read_bytes()
    assert (lists, page) == (lists_of(words, folder, pair), (folder / "page.html").read_bytes())
    assert lists["pairs"]["jaccard"] == [0.333333]  # of runs of three words
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
        assert lists_of("--docs docs", folder, PAIR | more)["removable"] == removable
    group: Record = {"group": 1, "members": [1, "2"]}  # of which only the pipeline can say it
    for command, removable in (
        ("canon | shingle | simjoin -m 3 | simgroup", False),
        ("canon | shingle | simjoin -m 3 --copies once", True),  # which is for removal
        ("canon | shingle | sketch | simjoin -m 42", True),
        ("canon | shingle | simjoin -t 0.5", True),
        ("canon | shingle | simjoin --measure overlap -m 3", False),
        ("canon | shingle | simjoin --measure containment -t 0.5", True),
        ("canon docs | shingle | simjoin -m 3 | simcheck --docs words", True),
    ):
        assert lists_of(f"--docs docs --made-by '{command}'", folder, group)["removable"] == removable


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
