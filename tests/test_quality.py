"""What the bench of quality counts: planted edits, intervals, bands and copies; the commands are run for real."""

import json
import random
import statistics
from fractions import Fraction
from itertools import combinations

import bands
import edits
import intervals
import planted
import pytest
import staged
import tasks

from harness import DOCS, ENVIRONMENT, jsonl, pipe

OTHERS = [f"other{number}" for number in range(500)]


def words(number: int) -> list[str]:
    return [f"Word{i}" for i in range(number)]


def longest_common(a: list[str], b: list[str]) -> int:
    """The length of the longest common subsequence, by the table."""
    row = [0] * (len(b) + 1)
    for x in a:
        new = [0]
        for j, y in enumerate(b):
            new.append(row[j] + 1 if x == y else max(row[j + 1], new[j]))
        row = new
    return row[-1]


@pytest.mark.parametrize("share", planted.SHARES)
@pytest.mark.parametrize("number", [20, 61, 450])
def test_edits_are_of_their_kind_and_number(number: int, share: float) -> None:
    before, rng = words(number), random.Random(number)
    edited = edits.number_of(before, share)
    assert abs(edited - share * number) <= max(0.5, 1 - share * number)
    after = {kind: edit(before, edited, rng, OTHERS) for kind, edit in edits.KINDS.items()}
    assert before == words(number)  # the original stays
    places = [a != b for a, b in zip(before, after["replace"], strict=True)]
    assert (sum(places), set(after["replace"]) - set(before) <= set(OTHERS)) == (edited, True)
    assert (len(after["insert"]), longest_common(before, after["insert"])) == (number + edited, number)
    assert (len(after["delete"]), longest_common(before, after["delete"])) == (number - edited,) * 2
    assert sorted(after["move"]) == sorted(before) != after["move"]
    assert longest_common(before, after["move"]) >= number - edited
    assert sum(a != b for a, b in zip(before, after["case"], strict=True)) == edited
    assert [word.lower() for word in after["case"]] == [word.lower() for word in before]
    front = edited // 2
    assert after["boilerplate"] == OTHERS[:front] + before + OTHERS[front:edited]


@pytest.mark.parametrize("hits", [[8, 9, 7], [0, 1, 0, 3], [50, 49, 50, 50, 48, 50, 50, 50, 50, 47]])
def test_interval_is_where_the_score_of_so_many_trials_is_as_far_as_students_t(hits: list[int]) -> None:
    """Of clusters of one size: the variance between them, and both roots of the score's equation, found by search."""
    from scipy import optimize, stats  # take a second, which each collection of tests would take

    size = 50
    found = intervals.pooled([(hit, size) for hit in hits])
    assert found
    share = statistics.fmean(hits) / size
    variance = statistics.variance([hit / size for hit in hits]) / len(hits)
    trials = min(size * len(hits), share * (1 - share) / variance)
    z = float(stats.t.ppf(0.975, len(hits) - 1))

    def score(p: float) -> float:
        return (share - p) ** 2 - z * z * p * (1 - p) / trials

    low, high = optimize.brentq(score, 0, share), optimize.brentq(score, share, 1)
    assert found == pytest.approx((share, low, high), abs=1e-4)


def test_interval_where_all_agree_and_of_nothing() -> None:
    from scipy import stats  # as above

    everything = intervals.pooled([(5, 5)] * 10)
    assert everything
    z = stats.t.ppf(0.975, 9)
    assert everything == pytest.approx((1, 50 / (50 + z * z), 1), abs=1e-4)  # Wilson's lower limit of 50 of 50
    assert intervals.pooled([(0, 0)] * 10) is None
    assert intervals.pooled([(0, 0)] * 9 + [(3, 4)]) is not None


@pytest.fixture(scope="module")
def corpus() -> bands.Corpus:
    documents = [json.loads(line) for line in DOCS.read_bytes().splitlines()]
    texts = [(each["id"], each["text"]) for each in documents]
    families = [texts[i : i + 10] for i in range(0, len(texts), 10)]
    return bands.Corpus(planted.Source("sample", families), 4, 60, "en")


def jaccard(a: set[tuple[str, ...]], b: set[tuple[str, ...]]) -> Fraction:
    return Fraction(len(a & b), len(a | b) or 1)


@pytest.mark.slow
def test_counts_are_those_of_brute_force_with_either_kernel(
    corpus: bands.Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whose words are canon's, and whose found pairs are those of the exact join, which finds all there are."""
    some = ("84 minima, t 0.6", "simhash, k 3, d 3", "6 heaviest words", "--mod 8")
    exact = {"exact": "canon | shingle -k {k} | simjoin -t 0.7"}
    monkeypatch.setattr(bands, "SIGNATURES", exact | {name: bands.SIGNATURES[name] for name in some})
    tables = []
    for kernel in ("c", "numpy"):
        monkeypatch.setattr(staged, "environment", lambda kernel=kernel: ENVIRONMENT | {"SHINGLETOOLS_KERNEL": kernel})
        seeds = [bands.measured(corpus, seed) for seed in range(2)]
        tables.append(bands.rows(seeds))
    assert tables[0] == tables[1]
    made = planted.planted(corpus.source, corpus.documents, 0)
    canonical = pipe(jsonl(*({"id": name, "text": text} for name, text in made.documents)), "canon")
    runs = {}
    for line in canonical.splitlines():
        record = json.loads(line)
        cut = record["text"].split()
        runs[record["id"]] = {tuple(cut[i : i + 4]) for i in range(max(1, len(cut) - 3))}
    truth = {(a, b): jaccard(runs[a], runs[b]) for a, b in combinations([name for name, _ in made.documents], 2)}
    counts = seeds[0]["exact"]
    found = {pair for pair, value in truth.items() if value >= Fraction(7, 10)}
    assert counts.found == len(found) > 0
    for (low, high), (hit, number) in zip(bands.BANDS, counts.bands, strict=True):
        within = {pair for pair, value in truth.items() if Fraction(str(low)) <= value < Fraction(str(high))}
        assert (hit, number) == (len(within & found), len(within))
    assert counts.right == sum(truth[pair] >= Fraction(4, 5) for pair in found)


def test_tasks_are_scored_by_labels() -> None:
    documents = [
        ("a", "one two three four"),
        ("b", "one two three five"),
        ("c", "six seven"),
        ("d", "six eight"),
        ("e", "nine ten"),
    ]
    made = planted.Planted(documents, {("a", "b"): "near", ("c", "d"): "far", ("a", "e"): "far"})
    task = tasks.Task("by hand", lambda _: made, ["canon | shingle -k 1 | simjoin -t 0.6"])
    seed = tasks.measured(task, 0)
    assert seed == {task.pipelines[0]: tasks.Found(1, 1, {"near": (1, 1), "far": (0, 2)})}
    heads, row = tasks.rows([seed, seed])
    assert heads == ["pipeline", "pairs", "precision", "recall", "near", "far"]
    assert row[:2] == ["`canon \\| shingle -k 1 \\| simjoin -t 0.6`", 2]
    assert [str(cell)[:5] for cell in row[2:]] == ["1.000", "0.333", "1.000", "0.000"]
