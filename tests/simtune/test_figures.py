"""The figures of simtune, compared with brute force, simjoin and simscore."""

import contextlib
import json
import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import comb
from pathlib import Path
from unittest.mock import patch

import blake3
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from harness import DOCS, Record, jsonl, pipe, run, run_here, shell
from shingletools.commands.simjoin.join_options import JoinOptions
from shingletools.commands.simjoin.signatures import MINHASHES
from shingletools.commands.simjoin.table import cut
from shingletools.commands.simtune import counting, sample
from shingletools.commands.simtune.confidence import scores
from shingletools.commands.simtune.counting import Population, tally
from shingletools.commands.simtune.label_scores import Judgement, SampleTruth
from shingletools.commands.simtune.settings import Setting
from shingletools.commands.simtune.shingled import ShingleUnits, Way, shingled
from shingletools.numbers import binomial
from tuning import findings


def copies(seed: int, count: int, letters: str = "abcdefghijklm") -> list[str]:
    """Texts, of which two in three are a copy with changes of the one before, perhaps without any."""
    chosen = random.Random(seed)
    texts: list[str] = []
    for number in range(count):
        if number % 3 == 0:
            words = [chosen.choice(letters) for _ in range(chosen.randint(0, 40))]
        else:
            words = [word if chosen.random() > number % 3 / 20 else chosen.choice("xyz") for word in texts[-1].split()]
        texts.append(" ".join(words))
    return [*texts, texts[0], texts[4], ""]


def documents(texts: Sequence[str], **more: Sequence[object]) -> bytes:
    columns = {name: list(values) for name, values in more.items()}
    return jsonl(
        *(
            {"id": i, "text": text} | {name: values[i] for name, values in columns.items()}
            for i, text in enumerate(texts)
        )
    )


def of_scope(records: list[Record], scope: str) -> list[Record]:
    return [record for record in records if record["scope"] == scope]


@pytest.mark.parametrize("k", [1, 2, 3])
def test_findings_are_those_of_brute_force(k: int, tmp_path: Path) -> None:
    texts = copies(k, 16)
    expected = findings(texts, k)
    assert 2 < of_scope(expected, "setting")[0]["pairs"] < 30
    assert run_here(f"simtune -k {k}", stdin=documents(texts), cwd=tmp_path).records() == expected


@pytest.mark.parametrize("threshold", [Fraction(1, 20), Fraction(2, 7), Fraction(1)])
def test_few_bits_also_agree_by_chance(threshold: Fraction, tmp_path: Path) -> None:
    """Most pairs have nothing in common, and some of them are compared anyway, or even found."""
    texts = [*copies(1, 30), *(f"w{i}" for i in range(10))]
    expected = of_scope(findings(texts, 2, threshold), "signature")
    found = run_here(f"simtune -k 2 -t {threshold}", stdin=documents(texts), cwd=tmp_path).records()
    assert of_scope(found, "signature") == expected
    many = {each["signature"]: each["candidates"] for each in expected}
    assert (many["sketch -n 84 --bits 8"] > many["sketch -n 84"]) == (threshold < 1)


def test_both_kernels_and_any_number_of_workers_say_the_same() -> None:
    data = pipe(DOCS.read_bytes(), "canon")
    labels = "simtune --truth /dev/null --threshold 5/7"
    said = "simtune: the labels decide nothing: no two documents of the sample belong together\n"
    for command in ("simtune", "simtune --table", labels):
        ways = [run(command, stdin=data), run(command, stdin=data, env={"SHINGLETOOLS_KERNEL": "numpy"})]
        ways.append(run(command, "-j3", stdin=data))
        assert {each.out for each in ways} == {ways[0].out}
        assert {(each.status, each.err) for each in ways} == {(0, said if command == labels else "")}


def test_a_sample_has_the_least_hashes_whatever_comes_first(tmp_path: Path) -> None:
    lines = pipe(DOCS.read_bytes(), "canon").splitlines(True)
    names = [json.loads(line)["id"] for line in lines]
    order = sorted(range(len(lines)), key=lambda i: blake3.blake3(b"7\0" + json.dumps(names[i]).encode()).digest()[:8])
    chosen = b"".join(lines[i] for i in order[:50])
    expected = run_here("simtune --seed 7 --documents 300", stdin=chosen, cwd=tmp_path).records()
    assert expected[0]["sampled"] == 50
    expected[0]["read"] = 300
    random.Random(1).shuffle(lines)
    (tmp_path / "one").write_bytes(b"".join(lines[:100]))
    (tmp_path / "two").write_bytes(b"".join(lines[100:]))
    assert run_here("simtune --seed 7 --sample 50 one two", cwd=tmp_path).records() == expected


@settings(max_examples=60)
@given(st.permutations(range(8)), st.lists(st.integers(0, 9), min_size=8, max_size=8), st.integers(1, 30))
def test_a_sample_ends_before_the_words_are_too_many(order: list[int], words: list[int], most: int) -> None:
    """The longest beginning that fits, but one document at least, in whatever order they come."""
    taken = sample.Sample(6, "", most)
    for i in order:
        taken.add(i, b"%d" % i, "w " * words[i], None)
    ranked = sorted(range(8), key=lambda i: blake3.blake3(b"\0%d" % i).digest()[:8])
    sizes = [sum(words[i] for i in ranked[:count]) for count in range(7)]
    fit = max((count for count in range(1, 7) if sizes[count] <= most), default=1)
    found = [int(document.id) for document in taken.documents()]
    assert found == ranked[:fit] or (sizes[1] > most and found == ranked[:1])


@settings(max_examples=60)
@given(st.permutations(range(6)), st.lists(st.text("aéя𐐀", max_size=9), min_size=6, max_size=6), st.integers(1, 99))
def test_a_sample_ends_before_the_bytes_are_too_many(order: list[int], texts: list[str], most: int) -> None:
    """A character takes what it takes in Python: the lengths of the texts as Latin-1, UTF-16 or UTF-32."""
    sizes = {
        i: 2 + len(text) * max((1 if c in "aé" else 2 if c == "я" else 4 for c in text), default=1)
        for i, text in enumerate(texts)
    }
    with patch.object(sample, "MAX_BYTES", most):
        taken = sample.Sample(6, "")
        for i in order:
            taken.add(i, b"%d" % i, texts[i], b"x")
    ranked = sorted(range(6), key=lambda i: blake3.blake3(b"\0%d" % i).digest()[:8])
    fit = max((count for count in range(1, 7) if sum(sizes[i] for i in ranked[:count]) <= most), default=1)
    assert [int(document.id) for document in taken.documents()] == ranked[:fit]


def test_a_document_is_cut_before_a_word_that_is_too_long(tmp_path: Path) -> None:
    with patch.object(sample, "MAX_DOCUMENT_CHARS", 5):
        ran = run_here("simtune -k 1", stdin=documents(["a bcd", "a bcd e", "a bcde", "abcdef", ""]), cwd=tmp_path)
        taken = sample.Sample(9, "")
        for i, text in enumerate(["a bcd", "a bcd e", "a bcde", "abcdef", ""]):
            taken.add(i, b"%d" % i, text, None)
    kept = {(int(each.id), each.text, each.words, each.kept) for each in taken.documents()}
    assert kept == {(0, "a bcd", 2, 2), (1, "a bcd", 3, 2), (2, "a", 2, 1), (3, "", 1, 0), (4, "", 0, 0)}
    made = ran.records()
    assert (made[0]["cut"], made[0]["words"], made[0]["empty"]) == (3, 8, 1)
    assert of_scope(made, "band")[-1]["pairs"] == 1


def test_a_long_document_counts_with_its_first_words(tmp_path: Path) -> None:
    with patch.object(sample, "MAX_DOCUMENT_WORDS", 5):
        ran = run_here("simtune -k 2", stdin=documents(["a b c d e f g", "a b c d e x"]), cwd=tmp_path)
    made = ran.records()
    assert (made[0]["cut"], made[0]["words"]) == (2, 13)
    assert of_scope(made, "band")[-1]["pairs"] == 1
    assert (made[1]["greatest"], made[1]["mean"]) == (7, 6.5)


def fractions() -> st.SearchStrategy[Fraction]:
    return st.builds(lambda a, b: Fraction(min(a, b), max(a, b)), st.integers(1, 60), st.integers(1, 60))


@given(st.integers(0, 12), st.integers(1, 12), fractions())
def test_a_chance_is_the_sum_of_its_terms(least: int, trials: int, chance: Fraction) -> None:
    terms = (comb(trials, i) * chance**i * (1 - chance) ** (trials - i) for i in range(least, trials + 1))
    assert binomial.at_least(least, trials, chance) == int(sum(terms, Fraction(0)) * binomial.UNIT)


@example(81, Fraction(4, 5))
@given(st.integers(1, 300), fractions())
def test_sketches_are_joined_as_simjoin_does(components: int, threshold: Fraction) -> None:
    """The least that agrees with --verify, and the bands."""
    wanted = JoinOptions(similarity=threshold, verify=True)
    proposed = binomial.proposed(threshold, components)
    assert MINHASHES.least(wanted, components) == proposed
    below = threshold * components - proposed  # at most three deviations, and one component less is more than these
    spread = 9 * threshold * components * (1 - threshold)
    assert below <= 0 or below**2 <= spread
    assert proposed == 1 or (below + 1 > 0 and (below + 1) ** 2 > spread)
    bands = max(1, components // 2)
    assert binomial.widths(components, bands) == tuple(last - first for first, last in cut(components, bands))


@settings(max_examples=40)
@given(
    st.lists(st.sets(st.sampled_from("abcdefgh"), max_size=6), min_size=2, max_size=9),
    st.lists(st.integers(-1, 2), min_size=9, max_size=9),
    st.sets(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=5),
    st.integers(0, 60),
)
def test_a_bound_on_the_work(  # noqa: C901, PLR0912  # brute force
    words: list[set[str]], classes: list[int], named: set[tuple[int, int]], steps: int
) -> None:
    """The first sets are compared with each other, as many as there is work for; their pairs stand for the others'."""
    count = len(words)
    texts = [" ".join(sorted(each)) for each in words]
    truth = SampleTruth("id", None, False)
    for i in range(count):
        if classes[i] >= 0:
            truth.add_class(b"%d" % i, classes[i], "")
    named_pairs = {(a, b) for a, b in named if a < b < count}
    for a, b in named_pairs:
        truth.take_pair({"a": a, "b": b})
    judgement = Judgement.for_documents(truth, [b"%d" % i for i in range(count)])
    of = shingled(texts, ShingleUnits(1), judgement.kinds)
    population = Population(np.ones(count, np.bool_), judgement, None, (Fraction(1),) * 4, Fraction(1))
    found = tally(of, population, Fraction(2, 7), steps or 1)

    def is_true(one: int, two: int) -> bool:
        return (one, two) in named_pairs or classes[one] == classes[two] >= 0

    rows = of.rows.tolist()
    work, looked = 0, 0
    for row, first in enumerate(of.first.tolist()):
        work += sum(len(words[first] & words[other]) for other in of.first.tolist()[:row])
        if work > (steps or 1):
            break
        looked = row + 1
    listed = [classes[i] >= 0 or any(i in pair for pair in named_pairs) for i in range(count)]
    seen = [i for i in range(count) if 0 <= rows[i] < looked]
    more = {}
    for stratum in (False, True):
        every, some = ([i for i in part if listed[i] == stratum and rows[i] >= 0] for part in (range(count), seen))
        more[stratum] = Fraction(len(every), len(some)) if some else Fraction(1)
    true = [pair for pair in combinations([i for i in range(count) if rows[i] >= 0], 2) if is_true(*pair)]
    here = [pair for pair in true if {*pair} <= {*seen}]
    components = judgement.components.tolist()
    assert all(components[a] == components[b] for a, b in true)
    weight_within = Fraction(len(true), len(here)) if here else max(more[each] for each in {*listed})
    expected = {edge: [Fraction(0), Fraction(0)] for edge in found.edges}
    for a, b in combinations(range(count), 2):
        if rows[a] == rows[b] >= 0:
            weight = Fraction(1)
        elif a not in seen or b not in seen:
            continue
        else:
            weight = weight_within if components[a] == components[b] else more[listed[a]] * more[listed[b]]
        similarity = Fraction(len(words[a] & words[b]), len(words[a] | words[b]))
        if similarity:
            for edge in found.edges:
                expected[edge][0] += weight * (edge <= similarity)
                expected[edge][1] += weight * (edge <= similarity and is_true(a, b))
    for number, edge in enumerate(found.edges):
        counted = [Fraction(side["jaccard"][number], counting.SCALE) for side in (found.found, found.right)]
        assert [float(each) for each in counted] == pytest.approx([float(each) for each in expected[edge]], abs=0.01)
    assert found.truth == counting.SCALE * sum(is_true(*pair) for pair in combinations(range(count), 2))


@pytest.mark.parametrize("measure", ["jaccard", "containment", "shared"])
def test_pairs_by_each_measure_are_those_of_simjoin(measure: str) -> None:
    texts = copies(3, 40)
    of = shingled(texts, ShingleUnits(2), np.full(len(texts), -1))
    found = tally(of, Population(np.ones(len(texts), np.bool_), None, None, (Fraction(1),) * 4, Fraction(1)), None)
    sets = pipe(documents(texts), "shingle -k 2")
    for threshold in (5, 20, 50, 80, 100) if measure != "shared" else (1, 2, 7, 20):
        options = f"-m {threshold}" if measure == "shared" else f"--measure {measure} -t {threshold / 100}"
        assert found.found[measure][threshold] == counting.SCALE * pipe(sets, f"simjoin {options}").count(b"\n")


@pytest.mark.parametrize("form", ["pairs", "groups", "documents", "own"])
def test_labels_give_what_simscore_gives_of_the_exact_join(form: str, tmp_path: Path) -> None:
    """By all documents in place of a half; where documents have labels, of pairs whose two both have one."""
    texts = copies(5, 40)
    labels = [None if i % 7 == 6 else i // 3 for i in range(len(texts))]
    members = {label: [i for i, each in enumerate(labels) if each == label] for label in labels if label is not None}
    pairs: list[Record] = [{"a": b, "b": a} for each in members.values() for a, b in combinations(each, 2)]
    truth = SampleTruth("id", "label" if form in {"documents", "own"} else None, False)
    groups: list[Record] = [{"members": each} for each in members.values()]
    given: list[Record] = {"pairs": pairs, "groups": groups}.get(form, [])
    for record in given:
        truth.take(record, json.dumps(record).encode(), "truth")
    for i, label in enumerate(labels if form in {"documents", "own"} else []):
        truth.add_label(b"%d" % i, b"" if label is None else b"%d" % label)
    judgement = Judgement.for_documents(truth, [b"%d" % i for i in range(len(texts))])
    of = shingled(texts, ShingleUnits(2), judgement.kinds)
    population = Population(np.ones(len(texts), np.bool_), judgement, None, (Fraction(1),) * 4, Fraction(1))
    thresholds = [Fraction(each) for each in ("0.05", "0.6", "0.75", "1")]
    setting = Setting(Way(ShingleUnits(2)), threshold=Fraction(3, 5))
    judged = [i for i in range(len(texts)) if not truth.field or labels[i] is not None]
    docs = jsonl(*({"id": i, "text": texts[i]} for i in judged))
    (tmp_path / "truth").write_bytes(jsonl(*pairs))
    (tmp_path / "docs").write_bytes(docs)
    for score in scores(of, population, setting, thresholds):
        joined = pipe(docs, "shingle -k 2", f"simjoin -t {float(score.threshold)}")
        (expected,) = run_here("simscore --truth truth --docs docs", stdin=joined, cwd=tmp_path).records()
        assert [score.found, score.right, score.truth] == [expected[name] for name in ("found", "right", "truth")]
        for name in ("precision", "recall", "f1"):
            share = getattr(score, name)
            assert float(share.value) == pytest.approx(expected[name], abs=1e-6)
            assert share.low <= share.value <= share.high
        assert score.counted == (expected["found"], expected["truth"])


def planted(seed: int, count: int, changed: float) -> tuple[list[str], list[Record]]:
    """Texts of many words in common, of which each third has a copy with changes; and the pairs of both."""
    chosen = random.Random(seed)
    words = [f"w{i}" for i in range(400)]
    weights = [1 / (i + 3) for i in range(400)]
    texts = [" ".join(chosen.choices(words, weights, k=chosen.randint(8, 30))) for _ in range(count)]
    true: list[Record] = []
    for i in range(0, count, 3):
        copy = [each if chosen.random() > changed else chosen.choice(words) for each in texts[i].split()]
        true.append({"a": i, "b": len(texts)})
        texts.append(" ".join(copy))
    return texts, true


def test_intervals_hold_the_figures_of_all_pairs(tmp_path: Path) -> None:
    """In thirty corpora, the F1 of the pipeline by simscore is in the interval of 95 %, but for at most two."""
    covered = []
    for seed in range(30):
        texts, true = planted(seed, 240, 0.3)
        docs = documents(texts)
        (tmp_path / "docs").write_bytes(docs)
        (tmp_path / "truth").write_bytes(jsonl(*true))
        found = run_here("simtune --truth truth docs", cwd=tmp_path).records()
        with contextlib.suppress(FileNotFoundError):
            (tmp_path / "simtune.canon").unlink()
        (tmp_path / "line").write_text(found[-1]["pipeline"])
        pairs = shell("sh line < docs", tmp_path).good()
        (expected,) = run_here("simscore --truth truth --docs docs", stdin=pairs, cwd=tmp_path).records()
        because = next(each["because"] for each in found if each["scope"] == "reason" and each["rule"] == "labels")
        threshold = float(found[-1]["pipeline"].rsplit(" ", 1)[1])
        (score,) = (each for each in of_scope(found, "score") if each["least"] == threshold)
        assert f"of {score['pairs']} pairs found {score['right']} are right" in because
        covered += [
            score[f"{name}_low"] <= expected[name] <= score[f"{name}_high"] for name in ("precision", "recall", "f1")
        ]
    assert sum(covered) >= 0.93 * len(covered)


def test_sketches_find_as_many_as_is_expected(tmp_path: Path) -> None:
    """The mean of 20 families of hash functions: within 0.02, some five standard deviations."""
    docs = pipe(DOCS.read_bytes(), "canon", "shingle -k 5")
    expected = of_scope(
        run_here("simtune -k 5", stdin=pipe(DOCS.read_bytes(), "canon"), cwd=tmp_path).records(), "signature"
    )
    exact = {(each["a"], each["b"]) for each in run("simjoin -t 0.8", stdin=docs).records()}
    for sketch in ("sketch -n 42", "sketch -n 84", "sketch -n 84 --bits 8"):
        (form,) = (each for each in expected if each["signature"] == sketch)
        found = []
        for seed in range(20):
            sketches = run_here(f"{sketch} --seed {seed}", stdin=docs, cwd=tmp_path).good()
            pairs = run_here("simjoin -t 0.8", stdin=sketches, cwd=tmp_path).records()
            found.append([(each["a"], each["b"]) in exact for each in pairs])
        recall = sum(map(sum, found)) / 20 / len(exact)
        precision = sum(map(sum, found)) / sum(map(len, found))
        assert recall == pytest.approx(form["recall"], abs=0.02)
        assert precision == pytest.approx(form["precision"], abs=0.02)


def test_candidates_are_those_that_simjoin_compares(tmp_path: Path) -> None:
    """As far as -v tells: no more than were expected of shingles; of sketches within a fifth."""
    words = pipe(DOCS.read_bytes(), "canon")
    forms = {
        each["signature"]: each
        for each in of_scope(run_here("simtune -k 5", stdin=words, cwd=tmp_path).records(), "signature")
    }
    sets = pipe(words, "shingle -k 5")

    def compared(data: bytes) -> int:
        said = run_here("simjoin -v -t 0.8 -o pairs", stdin=data, cwd=tmp_path).err
        return int(said.split(" candidates")[0].rpartition(" ")[2])

    assert forms["sketch -n 84"]["pairs"] < compared(sets) <= forms["shingles"]["candidates"]
    assert compared(pipe(sets, "sketch -n 84")) == pytest.approx(forms["sketch -n 84"]["candidates"], rel=0.2)
