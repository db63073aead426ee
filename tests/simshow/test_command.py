"""simshow as people run it: what names documents, what is chosen, what comes out, what is rejected."""

import gc
import json
import re
import tracemalloc
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import DOCS, Record, collect, jsonl, run, run_here
from shingletools.commands.simshow.selected_pairs import sample
from shingletools.commands.simshow.show_collector import MEMORY_PARTS, ShowCollector
from shingletools.commands.simshow.spec import ShowSpec
from shingletools.system.memory_limit import Memory
from shingletools.system.spilling_list import SpillingList
from simshow.samples import ONE, PAIR, THREE, TWO


def test_a_record_of_a_pair(folder: Path) -> None:
    (record,) = run("simshow --docs docs --json -k 4", stdin=jsonl(PAIR), cwd=folder).records()
    assert record == {
        "a": 1,
        "b": "2",
        "similarity": 0.25,
        "shared": [{"a": [0, 45], "b": [3, 48], "words": 9}],
        "words": 9,
        "share_a": 0.9,
        "share_b": 0.818182,
        "longest": 5,
        "jaccard": 0.25,
        "containment": 0.428571,
    }
    assert ONE["text"][0:45] == "The quick brown fox, it jumps over a lazy dog"
    assert TWO["text"][3:48] == "THE QUICK-BROWN fox, he jumps over a lazy dog"


def test_resemblance_is_what_simjoin_found(pairs: bytes) -> None:
    """Which has it from other fingerprints, and by other means."""
    records = run("simshow", "-k", "10", "--json", "--docs", DOCS, stdin=pairs).records()
    assert len(records) > 200
    assert [record["jaccard"] for record in records] == [record["similarity"] for record in records]
    assert [(each["a"], each["b"]) for each in records] == [
        (each["a"], each["b"]) for each in map(json.loads, pairs.splitlines())
    ]


def test_other_sides_give_the_mirror_image(pairs: bytes) -> None:
    swapped = jsonl(*({**each, "a": each["b"], "b": each["a"]} for each in map(json.loads, pairs.splitlines())))
    one, two = (run("simshow", "--json", "--docs", DOCS, stdin=each).records() for each in (pairs, swapped))
    for here, there in zip(one, two, strict=True):
        passages = [{**each, "a": each["b"], "b": each["a"]} for each in there["shared"]]
        sides = {"a": there["b"], "b": there["a"], "share_a": there["share_b"], "share_b": there["share_a"]}
        assert here == {**there, **sides, "shared": sorted(passages, key=lambda each: list(each["a"]))}


@pytest.mark.parametrize("name", ["a", "b", "similarity", "members", "duplicate_of", "duplicate_by"])
def test_ids_in_fields_of_pairs(name: str, folder: Path) -> None:
    ran = run_here(f"simshow --docs docs --id {name}", stdin=jsonl(PAIR), cwd=folder)
    said = f'simshow: the id needs a field of its own, not "{name}", which pairs and groups have\n'
    assert (ran.status, ran.out, ran.err) == (2, b"", said)


def test_groups_and_documents_that_are_marked(folder: Path) -> None:
    group = {"group": 1, "size": 3, "members": [1, "2", 3]}
    records = run("simshow --docs docs --json", stdin=jsonl(group), cwd=folder).records()
    assert [(each["a"], each["b"], each["words"]) for each in records] == [(1, "2", 9), (1, 3, 0)]
    marked = [ONE, {**TWO, "duplicate_of": 1}, THREE]
    records = run("simshow --docs docs --json", stdin=jsonl(*marked), cwd=folder).records()
    assert [(each["a"], each["b"], each["words"]) for each in records] == [(1, "2", 9)]


def test_documents_that_are_marked_for_either_reason(folder: Path) -> None:
    """Ids of an archive are looked for on its side, and never among those of the input."""
    (folder / "old").write_bytes(jsonl({"id": 1, "text": "over a lazy dog that sleeps"}))
    known = {**ONE, "duplicate_of": 1, "duplicate_by": {"rule": "known", "similarity": 0.5}}
    grouped = {**TWO, "duplicate_of": 1, "duplicate_by": {"rule": "first", "similarity": 0.25}}
    for sides, pair in (("--docs docs", (1, "2", 0.25)), ("--docs docs --against old", (1, 1, 0.5))):
        records = run_here(f"simshow {sides} --json -k 4", stdin=jsonl(known, grouped, THREE), cwd=folder).records()
        assert [(each["a"], each["b"], each["similarity"]) for each in records] == [pair]


def test_two_sides(folder: Path) -> None:
    """Of which each has ids of its own."""
    (folder / "old").write_bytes(jsonl({"id": 1, "text": "over a lazy dog that sleeps"}))
    pair = jsonl({"a": 1, "b": 1, "similarity": 1})
    (record,) = run("simshow --docs docs --against old --json -k 4", stdin=pair, cwd=folder).records()
    assert record["shared"] == [{"a": [30, 45], "b": [0, 15], "words": 4}]
    ran = run("simshow --docs docs --against old", stdin=jsonl(PAIR), cwd=folder)
    assert (ran.status, ran.err.splitlines()) == (
        2,
        ['simshow: -:1: no document of --against has the id "2"', "simshow: -: not one good record"],
    )
    several = "simshow --docs docs --docs old --json"
    assert run(several, stdin=jsonl(PAIR), cwd=folder).err == "simshow: old:1: id 1 was seen before\n"
    assert run(several, stdin=jsonl({"a": 3, "b": "2"}), cwd=folder).status == 0  # nobody named the other


@pytest.mark.parametrize("options", ["", "-S 1b"])
def test_records_whose_documents_are_not_there(options: str, folder: Path) -> None:
    """They are rejected as they came, with their places, once all documents were read; all others come out."""
    lost: list[Record] = [{"a": 1, "b": 9}, {"group": 1, "members": [1, "2", "x" * 300]}]
    stdin = jsonl(PAIR, lost[0], PAIR, lost[1])
    ran = run(f"simshow {options} --docs docs --json --rejects bad -v", stdin=stdin, cwd=folder)
    first, second, figures = ran.err.splitlines()
    assert (ran.status, ran.out.count(b"\n")) == (1, 2)
    assert first == "simshow: -:2: no document of --docs has the id 9"
    assert second == f'simshow: -:4: no document of --docs has the id "{"x" * 200}"... (300 characters)'
    assert figures.startswith("simshow: 5 records, 2 rejected, ")
    assert figures.endswith(" 2 pairs, 2 documents, 2 passages, 18 words in them")
    assert (folder / "bad").read_bytes() == jsonl(*lost)
    ran = run(f"simshow {options} --docs docs --json --strict", stdin=stdin, cwd=folder)
    assert (ran.status, ran.out.count(b"\n"), ran.err) == (2, 1, first + "\n")


def test_bad_documents(folder: Path) -> None:
    """Of those that nobody names, only the id is asked."""
    (folder / "docs").write_bytes(jsonl(ONE, TWO, {"id": 4}, {"id": 3, "text": 7}, {"text": "a"}, ONE))
    ran = run("simshow --docs docs --json", stdin=jsonl(PAIR), cwd=folder)
    said = 'simshow: docs:5: field "id" is missing\nsimshow: docs:6: id 1 was seen before\n'
    assert (ran.status, ran.out.count(b"\n"), ran.err) == (1, 1, said)


def test_a_document_that_is_bad(folder: Path) -> None:
    """It is there: that is not denied; and a good one of the same id may follow."""
    bad = {"id": 1, "text": 7}
    (folder / "docs").write_bytes(jsonl(bad, TWO))
    stdin = jsonl(PAIR, {"a": "2", "b": 9})
    ran = run_here("simshow --docs docs --json", stdin=stdin, cwd=folder)
    assert (ran.status, ran.out, ran.err.splitlines()) == (
        2,
        b"",
        [
            'simshow: docs:1: field "text" is not a string',
            "simshow: -:1: the document 1 of --docs was rejected",
            "simshow: -:2: no document of --docs has the id 9",
            "simshow: -: not one good record",
        ],
    )
    (folder / "docs").write_bytes(jsonl(bad, TWO, ONE))
    ran = run_here("simshow --docs docs --json", stdin=jsonl(PAIR), cwd=folder)
    assert (ran.status, ran.err) == (1, 'simshow: docs:1: field "text" is not a string\n')
    assert json.loads(ran.out)["words"] == 9
    (folder / "old").write_bytes(jsonl({"id": "2", "text": None}))
    ran = run_here("simshow --docs docs --against old --json", stdin=jsonl(PAIR), cwd=folder)
    assert ran.status == 2
    assert ran.err.splitlines()[-3:] == [
        'simshow: -:1: the document "2" of --against was rejected',
        "simshow: -: not one good record",
        "simshow: old: not one good record",
    ]


@pytest.mark.parametrize("size", ["1b", "100K"])
def test_in_little_memory_it_is_the_same(size: str, pairs: bytes) -> None:
    for form in ("--json",), ("--template", "3"):
        command = ("simshow", *form, "--docs", DOCS)
        assert run(*command, "-S", size, stdin=pairs).good() == run(*command, stdin=pairs).good()


@pytest.mark.parametrize("size", [1, 1 << 20])
def test_texts_that_are_ready_are_bounded(size: int, tmp_path: Path) -> None:
    """By memory that Python counts: what grows with the texts is in a file; but two texts are compared."""
    lines = [
        jsonl({"id": name, "text": " ".join(f"w{(name * word) % 999}" for word in range(900))}) for name in range(120)
    ]
    peaks = []
    for allowed in (None, size):
        show = ShowCollector(
            ShowSpec("id", ["docs"], memory=None if allowed is None else Memory(allowed, str(tmp_path)))
        )
        for name in range(119):
            collect(show, jsonl({"a": name, "b": name + 1}))
        collect(show, b"".join(lines), 1)
        gc.collect()
        tracemalloc.start()
        for _ in show.finish():
            assert len(show.texts) <= 2 or show.ready <= size // MEMORY_PARTS or allowed is None
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] <= max(size, 1 << 20) < 3 << 20 < peaks[0]


def test_what_is_held_is_bounded(tmp_path: Path) -> None:
    held: SpillingList[int] = SpillingList(Memory(100, str(tmp_path)))
    for number in range(50):
        held.add(number * number, 30)
        assert len(held.here) <= 3
    for number in (0, 49, 7, 7, 8, 0):
        assert held[number] == number * number
        assert len(held.here) <= 3
    assert list(held) == [number * number for number in range(50)]
    assert list(tmp_path.iterdir()) == []


def test_ranges_of_similarity(folder: Path) -> None:
    stdin = jsonl(*({"a": 1, "b": 3, "similarity": value} for value in (0.5, 0.81, 0.8, 1, 0.1 + 0.2)))
    for options, expected in [
        ("--least 0.8", [0.81, 0.8, 1]),
        ("--least 4/5 --most 0.8", [0.8]),
        ("--most 0.3", []),
        ("--most 0.5", [0.5, 0.30000000000000004]),
        ("--sample 2", [0.5, 0.81]),
        ("--sample 9", [0.5, 0.81, 0.8, 1, 0.30000000000000004]),
        ("--sample 1 --least 0.8", [0.81]),
    ]:
        records = run(f"simshow --docs docs --json {options}", stdin=stdin, cwd=folder).records()
        assert [each["similarity"] for each in records] == expected


@pytest.mark.parametrize("options", ["--least 0.1", "--most 1", "--sample 2"])
def test_what_says_no_similarity_is_not_chosen_by_it(options: str, folder: Path) -> None:
    """Pairs without one, groups, and documents that are marked; documents that are kept name no pair."""
    (folder / "docs").write_bytes(jsonl(ONE, {**TWO, "duplicate_of": 1}, THREE))
    stdin = jsonl({"a": 1, "b": 3}, PAIR, {"group": 1, "members": [1, "2"]}, ONE, {**TWO, "duplicate_of": 1})
    ran = run_here(f"simshow --docs docs --brief {options}", stdin=stdin, cwd=folder)
    cause = "it has no similarity, which --least, --most and --sample need"
    assert (ran.status, ran.out.count(b"\n")) == (1, 1)
    assert ran.err.splitlines() == [f"simshow: -:{line}: {cause}" for line in (1, 3, 5)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        *(
            (f"{form} {option}", f"{option} cannot be combined with {form}")
            for form in ("--json", "--brief", "--html page")
            for option in ("--color always", "--context 6", "--full")
        ),
        ("--json --template 2", "--template cannot be combined with --json"),
        ("--brief --template 2", "--template cannot be combined with --brief"),
        ("--side-by-side --context 0", "--context cannot be combined with --side-by-side"),
        ("--html page -o out", "--output cannot be combined with --html"),
        ("--least 0.9 --most 0.8", "--least is above --most"),
        ("--limit 32M", "--limit needs --html"),
        ("--show title", "--show needs --html"),
        ("--date today", "--date needs --html"),
        ("--made-by canon", "--made-by needs --html"),
    ],
)
def test_options_that_change_nothing_together(options: str, message: str, folder: Path) -> None:
    ran = run_here(f"simshow --docs docs {options}", stdin=jsonl(PAIR), cwd=folder)
    message = re.sub("(--context|--html) (6|page)", r"\1", message)
    assert (ran.status, ran.out, ran.err) == (2, b"", f"simshow: {message}\n")
    assert {path.name for path in folder.iterdir()} == {"docs"}


GO_TOGETHER = (
    "--json --color never|--html page --template 2|--least 0.8 --most 0.8|--side-by-side --full --color always"
)


@pytest.mark.parametrize("options", [*GO_TOGETHER.split("|"), "--brief -o out"])
def test_options_that_go_together(options: str, folder: Path) -> None:
    assert run_here(f"simshow --docs docs {options}", stdin=jsonl(PAIR), cwd=folder).status == 0


@pytest.mark.parametrize("options", ["--json", "--brief", "--least 0.5", "--sample 2", "--html page"])
@pytest.mark.parametrize("value", ["0.5", "\x1b[2J", True, [0.5], {"x": 1}, 1.000001, -0.1, 10**18, 1e300])
def test_similarities_that_are_none(value: object, options: str, folder: Path) -> None:
    """Whether some are chosen by them or not."""
    bad = jsonl({**PAIR, "similarity": value})
    ran = run_here(f"simshow --docs docs --rejects bad {options}", stdin=bad, cwd=folder)
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err.splitlines()[0] == 'simshow: -:1: field "similarity" is not a number from 0 to 1'
    assert ran.err.splitlines()[1] == "simshow: -: not one good record"
    assert (folder / "bad").read_bytes() == bad


@pytest.mark.parametrize("value", [0, 1, 0.0, -0.0, 0.125, 1e-320, None])
def test_similarities_pass_as_they_are(value: object, folder: Path) -> None:
    (record,) = run_here("simshow --docs docs --json", stdin=jsonl({**PAIR, "similarity": value}), cwd=folder).records()
    assert record["similarity"] == value


FORTIETHS = st.integers(0, 40).map(lambda number: number / 40)
EXTREME = st.sampled_from([1.7e308, 1e308, -1e308, -1.7e308, 1e300, 1.0, 0.0])
TINY = st.sampled_from([0.0, 5e-324, 1e-323, 1e-310, 1e-300])


@pytest.mark.filterwarnings("error")
@given(st.one_of(*(st.lists(each, min_size=1) for each in (FORTIETHS, EXTREME, TINY))), st.integers(1, 30))
def test_a_sample_is_spread_over_the_range(values: list[float], count: int) -> None:
    """As many as asked for; one of each part of the range that has one, so the least and the greatest part too."""
    found = sample(values, count).tolist()
    assert found == sorted(set(found))
    assert len(found) == min(count, len(values))
    if count < len(values) and max(values) > min(values):
        low, width = Fraction(min(values)), Fraction(max(values)) - Fraction(min(values))

        def part(value: float) -> int:
            return min(int((Fraction(value) - low) * count / width), count - 1)

        assert len({part(values[place]) for place in found}) >= len({part(value) for value in values}) - 1


def test_a_document_with_itself(folder: Path) -> None:
    """Is no pair, unless the sides differ."""
    ran = run_here("simshow --docs docs --json", stdin=jsonl({"a": 1, "b": 1}), cwd=folder)
    message = "simshow: -:1: pairs 1 with itself\nsimshow: -: not one good record\n"
    assert (ran.status, ran.out, ran.err) == (2, b"", message)
    ran = run_here("simshow --docs docs --against docs --brief", stdin=jsonl({"a": 1, "b": 1}), cwd=folder)
    assert (ran.status, ran.out.count(b"100% of a, 100% of b")) == (0, 1)


def test_pairs_that_are_judged_different_are_none(folder: Path) -> None:
    """Unsure ones are, since people look at them again."""
    for label, count in ((0, 0), ("different", 0), ("No", 0), (1, 1), ("same", 1), ("unsure", 1)):
        ran = run_here("simshow --docs docs --brief -v", stdin=jsonl(PAIR | {"label": label}, PAIR), cwd=folder)
        assert (ran.status, ran.out.count(b"\n")) == (0, 1 + count)
        assert ran.err.endswith(", 1 pair judged different\n") == (count == 0)
