"""The figures of simtune beside brute force, simjoin and simscore."""

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

from harness import DOCS, Record, jsonl, pipe, run, run_here
from shingletools.commands.simjoin.signatures import MINHASHES
from shingletools.commands.simjoin.table import cut
from shingletools.commands.simjoin.wanted import Wanted
from shingletools.commands.simtune import counting, sample
from shingletools.commands.simtune.counting import histogram
from shingletools.commands.simtune.judged import Judgement
from shingletools.commands.simtune.shingled import ShingleUnits, shingled
from shingletools.numbers import chances
from shingletools.numbers.belonging import Belonging
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
    return jsonl(*(
        {"id": i, "text": text} | {name: values[i] for name, values in columns.items()} for i, text in enumerate(texts)
    ))  # fmt: skip


def of_scope(records: list[Record], scope: str) -> list[Record]:
    return [record for record in records if record["scope"] == scope]


@pytest.mark.parametrize("k", [1, 2, 3])
def test_findings_are_those_of_brute_force(k: int, tmp_path: Path) -> None:
    texts = copies(k, 16)
    expected = findings(texts, k)
    assert 2 < of_scope(expected, "k")[0]["pairs"] < 30
    assert run_here(f"simtune -k {k}", stdin=documents(texts), cwd=tmp_path).records() == expected


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
    with patch.object(sample, "WORDS", most):
        taken = sample.Sample(6, "")
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
    sizes = {i: 2 + len(text) * max((1 if c in "aé" else 2 if c == "я" else 4 for c in text), default=1)
             for i, text in enumerate(texts)}  # fmt: skip
    with patch.object(sample, "BYTES", most):
        taken = sample.Sample(6, "")
        for i in order:
            taken.add(i, b"%d" % i, texts[i], b"x")
    ranked = sorted(range(6), key=lambda i: blake3.blake3(b"\0%d" % i).digest()[:8])
    fit = max((count for count in range(1, 7) if sum(sizes[i] for i in ranked[:count]) <= most), default=1)
    assert [int(document.id) for document in taken.documents()] == ranked[:fit]


def test_a_document_is_cut_before_a_word_that_is_too_long(tmp_path: Path) -> None:
    with patch.object(sample, "CHARACTERS", 5):
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
    with patch.object(sample, "LONGEST", 5):
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
    assert chances.at_least(least, trials, chance) == int(sum(terms, Fraction(0)) * chances.UNIT)


@example(81, Fraction(4, 5))
@given(st.integers(1, 300), fractions())
def test_sketches_are_joined_as_simjoin_does(components: int, threshold: Fraction) -> None:
    """The least that agrees with --verify, and the bands."""
    wanted = Wanted(similarity=threshold, verify=True)
    proposed = chances.proposed(threshold, components)
    assert MINHASHES.least(wanted, components) == proposed
    below = threshold * components - proposed  # at most three deviations, and one component less is more than these
    spread = 9 * threshold * components * (1 - threshold)
    assert below <= 0 or below**2 <= spread
    assert proposed == 1 or (below + 1 > 0 and (below + 1) ** 2 > spread)
    bands = max(1, components // 2)
    assert chances.widths(components, bands) == tuple(last - first for first, last in cut(components, bands))


@settings(max_examples=40)
@given(
    st.lists(st.sets(st.sampled_from("abcdefgh"), max_size=6), min_size=2, max_size=9),
    st.lists(st.integers(-1, 2), min_size=9, max_size=9),
    st.sets(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=5), st.integers(0, 60),
)  # fmt: skip
def test_a_bound_on_the_work(words: list[set[str]], classes: list[int], told: set[tuple[int, int]], steps: int) -> None:
    """The first rows are paired with all, as many as there is work for; each of their pairs counts for others."""
    texts = [" ".join(sorted(each)) for each in words]
    count = len(texts)
    belonging = Belonging(banded=False)
    known = [i for i in range(count) if classes[i] >= 0]
    belonging.add_classes(np.array(known, np.int64), np.array([classes[i] for i in known], np.int64))
    pairs_told = {(a, b) for a, b in told if a < b < count}
    one, two = np.array(sorted(pairs_told), np.int64).reshape(-1, 2).T
    belonging.add_pairs(one, two, None)
    judgement = Judgement(belonging, count)
    of = shingled(texts, ShingleUnits(1), judgement.kinds)
    with patch.object(counting, "STEPS", steps):
        found = histogram(of, Fraction(2, 7), judgement)

    def is_true(one: int, two: int) -> bool:
        return (one, two) in pairs_told or classes[one] == classes[two] >= 0

    rows = of.rows.tolist()
    frequency = {w: sum(w in words[i] for i in of.first) for each in words for w in each}
    work, asking = 0, 0
    for row in range(len(of.first)):
        work += sum(frequency[w] for w in words[of.first[row]] if frequency[w] > 1)
        if work > steps:
            break
        asking = row + 1
    everything = asking == len(of.first)
    every = list(combinations(range(count), 2))
    same = [(a, b) for a, b in every if rows[a] == rows[b] >= 0]
    looked = [(a, b) for a, b in every if everything or 0 <= rows[a] < asking or 0 <= rows[b] < asking]
    apart = [pair for pair in looked if pair not in same]
    factor = 1 if everything else Fraction(len(every) - len(same), max(len(apart), 1))
    assert found.looked == Fraction(len(looked), len(every))
    expected = {edge: [Fraction(0), Fraction(0)] for edge in found.edges}
    for weight, pairs in ((factor, apart), (1, same)):
        for a, b in pairs:
            similarity = Fraction(len(words[a] & words[b]), len(words[a] | words[b]) or 1)
            if similarity:
                bin_of = expected[max(edge for edge in found.edges if edge <= similarity)]
                bin_of[0] += weight
                bin_of[1] += weight * is_true(a, b)
    assert [list(both) for both in zip(found.pairs, found.true, strict=True)] == list(expected.values())
    assert found.all_true == factor * sum(is_true(*pair) for pair in apart) + sum(is_true(*pair) for pair in same)


@pytest.mark.parametrize("form", ["pairs", "groups", "documents", "own"])
def test_labels_give_what_simscore_gives_of_the_exact_join(form: str, tmp_path: Path) -> None:
    texts = copies(5, 40)
    labels = [None if i % 7 == 6 else i // 3 for i in range(len(texts))]
    docs = documents(texts, label=labels)
    (tmp_path / "docs").write_bytes(docs)
    members = {label: [i for i, each in enumerate(labels) if each == label] for label in labels if label is not None}
    pairs = [{"a": b, "b": a} for each in members.values() for a, b in combinations(each, 2)]
    truth = {
        "pairs": jsonl(*pairs, {"a": 1, "b": "elsewhere"}),
        "groups": jsonl(*({"members": [*each, "elsewhere"][: len(each) + (n == 2)]} for n, each in members.items())),
        "documents": docs, "own": b"",
    }  # fmt: skip
    (tmp_path / "truth").write_bytes(truth[form])
    options = {"documents": "--truth truth --field label", "own": "--field label"}.get(form, "--truth truth")
    found = run_here(f"simtune -k 2 -t 3/5 {options} docs", cwd=tmp_path).records()
    assert of_scope(found, "sample")[0]["true"] == len(pairs)
    (tmp_path / "labels").write_bytes(docs)
    joined = {least: pipe(docs, "shingle -k 2", f"simjoin -t {least}") for least in (0.05, 0.6, 0.75, 1)}
    for record in of_scope(found, "threshold"):
        if record["least"] in joined:
            scored = run_here(
                "simscore --truth labels --field label --docs labels", stdin=joined[record["least"]], cwd=tmp_path
            ).records()[0]
            expected = {name: scored[name] for name in ("right", "precision", "recall", "f1")}
            assert record | expected | {"pairs": scored["found"], "true": scored["truth"]} == record
    best = of_scope(found, "k")[0]
    assert (best["t"], best["pairs"]) == (0.6, joined[0.6].count(b"\n"))


def test_the_greatest_f1_is_found_at_its_threshold(tmp_path: Path) -> None:
    """Pairs of 0.7 and more are true: of the hundredths that part these from the others it is the middle one."""
    docs = documents(copies(9, 40))
    (tmp_path / "docs").write_bytes(docs)
    exact = pipe(docs, "shingle -k 2", "simjoin -t 0.7")
    (tmp_path / "truth").write_bytes(exact)
    (record,) = of_scope(run_here("simtune -k 2 --truth truth docs", cwd=tmp_path).records(), "k")
    found = [json.loads(line)["similarity"] for line in pipe(docs, "shingle -k 2", "simjoin -t 0.01").splitlines()]
    least, below = min(each for each in found if each >= 0.7), max(each for each in found if each < 0.7)
    parting = [i / 100 for i in range(101) if below < i / 100 <= least]
    assert (record["f1"], record["t"]) == (1.0, parting[len(parting) // 2])


def test_sketches_find_as_many_as_is_expected(tmp_path: Path) -> None:
    """The mean of 20 families of hash functions: within 0.02, some five standard deviations."""
    docs = pipe(DOCS.read_bytes(), "canon", "shingle -k 5")
    expected = of_scope(run_here("simtune -k 5", stdin=pipe(DOCS.read_bytes(), "canon"), cwd=tmp_path).records(),
                        "signature")  # fmt: skip
    exact = {(each["a"], each["b"]) for each in run("simjoin -t 0.8", stdin=docs).records()}
    for n in (42, 84):
        (form,) = (each for each in expected if each["signature"] == f"sketch -n {n}")
        found = []
        for seed in range(20):
            sketches = run_here(f"sketch -n {n} --seed {seed}", stdin=docs, cwd=tmp_path).good()
            pairs = run_here("simjoin -t 0.8", stdin=sketches, cwd=tmp_path).records()
            found.append([(each["a"], each["b"]) in exact for each in pairs])
        recall = sum(map(sum, found)) / 20 / len(exact)
        precision = sum(map(sum, found)) / sum(map(len, found))
        assert recall == pytest.approx(form["recall"], abs=0.02)
        assert precision == pytest.approx(form["precision"], abs=0.02)


def test_candidates_are_those_that_simjoin_compares(tmp_path: Path) -> None:
    """As far as -v tells: no more than were expected of shingles; of sketches within a fifth."""
    words = pipe(DOCS.read_bytes(), "canon")
    forms = {each["signature"]: each for each in of_scope(run_here("simtune -k 5", stdin=words, cwd=tmp_path).records(),
                                                          "signature")}  # fmt: skip
    sets = pipe(words, "shingle -k 5")

    def compared(data: bytes) -> int:
        said = run_here("simjoin -v -t 0.8 -o pairs", stdin=data, cwd=tmp_path).err
        return int(said.split(" candidates")[0].rpartition(" ")[2])

    assert forms["sketch -n 84"]["pairs"] < compared(sets) <= forms["shingles"]["candidates"]
    assert compared(pipe(sets, "sketch -n 84")) == pytest.approx(forms["sketch -n 84"]["candidates"], rel=0.2)
