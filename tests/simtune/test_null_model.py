"""What chance would find, as simtune estimates it: against formulas, and against corpora whose copies are known."""

import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import jsonl, run_here
from shingletools.commands.simtune import null_model
from shingletools.commands.simtune.choice import Choice, form_by_null, threshold_by_null, valley
from shingletools.commands.simtune.form_result import FormResult, evaluate
from shingletools.commands.simtune.forms import COSINE, JACCARD, JoinForm, ShingleUnits
from shingletools.commands.simtune.sample import Sample, SampledDocument
from shingletools.commands.simtune.spec import DEFAULT_FALSE, TuneSpec
from tuning import advised, pairs_of

MOST = Fraction(DEFAULT_FALSE)
HUNDREDTHS = np.arange(101) / 100


def chosen_of(result: FormResult) -> Choice:
    edge = threshold_by_null(result, MOST)
    assert edge is not None
    return Choice(result, edge)


def sample_of(texts: Sequence[str], others: Sequence[str] = ()) -> Sample:
    """A sample of one table, or of two whose documents take turns."""
    turns = [each for pair in zip(texts, others, strict=True) for each in pair] if others else texts
    documents = [
        SampledDocument(b"%d" % i, text, len(text.split()), len(text.split()), None, bool(others) and i % 2 == 1)
        for i, text in enumerate(turns)
    ]
    spec = TuneSpec("id", "text", others=("o",) if others else ())
    return Sample(spec, [len(texts), 0, len(others), 0], documents, None)


@given(st.lists(st.floats(-30, 30), min_size=1))
def test_powers_of_two(times: list[float]) -> None:
    expected = [2.0**-each for each in times]
    assert null_model.halvings(np.array(times)).tolist() == pytest.approx(expected, rel=0.062)
    whole = [round(each) for each in times]
    assert null_model.halvings(np.array(whole, float)).tolist() == [2.0**-each for each in whole]


@given(st.lists(st.tuples(st.floats(0.1, 0.8), st.floats(0, 0.5)), min_size=1, max_size=5))
def test_expected_ones_fall_by_four_for_each_fall_of_similarity(pairs: list[tuple[float, float]]) -> None:
    near = np.array([one for one, _ in pairs])
    far = near - np.array([max(fall, 0.01) for _, fall in pairs])
    found = np.full(101, 10**6)
    false = null_model.expected({20: near, 80: far}, HUNDREDTHS, found, 100)
    assert false is not None
    for t, each in zip(HUNDREDTHS.tolist(), false.tolist(), strict=True):
        expected = sum(min(20 * 4 ** -((t - a) / (a - b)), 100) for a, b in zip(near, far, strict=True))
        assert each / null_model.UNIT == pytest.approx(expected, rel=0.062, abs=1e-3)


def test_deeper_ranks_are_taken_where_the_first_ones_expect_more_than_there_is() -> None:
    tails = {20: np.full(3, 0.9), 80: np.full(3, 0.5), 40: np.full(3, 0.2), 160: np.full(3, 0.1)}
    found = np.where(HUNDREDTHS > 0.5, 15, 300)
    deep = null_model.expected(tails, HUNDREDTHS, found, 160)
    assert deep is not None
    assert deep[30] / null_model.UNIT == pytest.approx(3 * 40 / 4)
    assert null_model.expected({20: tails[20], 80: tails[80]}, HUNDREDTHS, found, 100) is None


def test_half_of_all_leads_are_doubtful_if_there_are_no_partners() -> None:
    """The greatest of a thousand values whose tail is exponential; not so if each has one copy or two."""
    values = np.random.default_rng(1).exponential(0.05, (4000, 1000))
    nearest = -np.sort(-values, axis=1)[:, : null_model.NEAREST]
    assert null_model.doubtful(nearest).mean() == pytest.approx(0.5, abs=0.03)
    for copies in (1, 2):
        copied = np.concatenate([np.full((len(nearest), copies), 1.5), nearest], axis=1)[:, : null_model.NEAREST]
        assert not null_model.doubtful(copied).any()


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_false_best_partners(share: float) -> None:
    """Of two tables of titles, of which a share have a partner: from .4 on, half to twice as many as are false."""
    chosen = random.Random(f"best {share}")
    words = [f"w{i}" for i in range(500)]
    weights = [1 / (i + 5) for i in range(500)]
    theirs = [" ".join(chosen.choices(words, weights, k=8)) for _ in range(1000)]
    ours = [
        " ".join([*text.split()[:6], *chosen.choices(words, weights, k=2)])
        if i < 1000 * share
        else " ".join(chosen.choices(words, weights, k=8))
        for i, text in enumerate(theirs)
    ]
    one = evaluate(sample_of(ours, theirs), JoinForm(ShingleUnits(1), COSINE, best=True))
    edge = one.edges.index(one.edges[40])
    assert one.false_partners is not None
    found, false = int(one.partners[edge]), int(one.false_partners[edge]) / null_model.UNIT
    truly = found - 1000 * share
    assert truly / 2 - 60 <= false <= 2 * truly + 60


def planted(seed: int, documents: int, copies: int, group: int = 2) -> tuple[list[str], set[frozenset[int]]]:
    """Texts of words of a common vocabulary, and groups of copies in which a fifth of the words are others."""
    chosen = random.Random(seed)
    words = ["".join(chosen.choices("etaoinshrdlu", k=chosen.randint(2, 9))) for _ in range(2000)]
    weights = [1 / (i + 20) for i in range(2000)]
    texts, true = [" ".join(chosen.choices(words, weights, k=40)) for _ in range(documents)], set()
    for i in range(copies):
        members = [i]
        for _ in range(group - 1):
            members.append(len(texts))
            copied = texts[i].split()
            texts.append(" ".join(each if chosen.random() > 0.2 else chosen.choice(words) for each in copied))
        true |= {frozenset(pair) for pair in combinations(members, 2)}
    return texts, true


FORMS = (JoinForm(ShingleUnits(1), COSINE), JoinForm(ShingleUnits(4, chars=True), JACCARD))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("copies", "group", "most"), [(75, 2, 1.5), (4, 50, 12)])
def test_false_pairs_are_as_many_as_is_expected(
    copies: int, group: int, most: float, form: JoinForm, tmp_path: Path
) -> None:
    """Of thousands down to a few, at least half, and at most half more than simjoin finds; more of large groups."""
    texts, true = planted(5, 400, copies, group)
    one = evaluate(sample_of(texts), form)
    docs = jsonl(*({"id": i, "text": text} for i, text in enumerate(texts)))
    line = f"shingle {form.units.options} | simjoin {form.join(one.edges[9])}"
    found = run_here("shingletools", "run", line, stdin=docs, cwd=tmp_path).records()
    false = [pair["similarity"] for pair in found if frozenset((pair["a"], pair["b"])) not in true]
    counts = {edge: sum(similarity >= one.edges[edge] for similarity in false) for edge in (9, 12, 15, 18, 21)}
    assert counts[9] > 400
    for edge, many in counts.items():
        expected = one.false_pairs(edge)
        assert expected is not None
        assert (many - 60) / 2 <= float(expected) <= most * (many + 60), (edge, many)


@pytest.mark.parametrize("form", FORMS)
def test_a_threshold_keeps_the_promise(form: JoinForm, tmp_path: Path) -> None:
    """At most twice the share of false pairs that was allowed, and nearly all true ones."""
    texts, true = planted(6, 800, 150)
    choice = chosen_of(evaluate(sample_of(texts), form))
    docs = jsonl(*({"id": i, "text": text} for i, text in enumerate(texts)))
    line = f"shingle {form.units.options} | simjoin {form.join(choice.threshold)}"
    found = pairs_of(line, docs, tmp_path)
    assert len(found - true) <= 2 * float(MOST) * len(found)
    assert len(found & true) > 0.9 * len(true)


def test_without_copies_nothing_is_better_than_what_is_usual(tmp_path: Path) -> None:
    for seed in range(3):
        texts, _ = planted(seed, 500, 0)
        docs = jsonl(*({"id": i, "text": text} for i, text in enumerate(texts)))
        assert advised(tmp_path, docs=docs)[0] == "shingle -k 1 | simjoin -t 0.75"


def test_relatives_are_not_taken_for_copies(tmp_path: Path) -> None:
    """Of 600 texts, 200 have ever less in common with nine others; 60 have a copy. The copies are found."""
    texts, _ = planted(7, 600, 60)
    chosen = random.Random(7)
    for i in range(0, 200, 10):
        of_first = texts[100 + i].split()
        for n in range(1, 10):
            own = texts[100 + i + n].split()
            texts[100 + i + n] = " ".join([*of_first[: 26 - chosen.randrange(26)], *own][:40])
    docs = jsonl(*({"id": i, "text": text} for i, text in enumerate(texts)))
    found = pairs_of(advised(tmp_path, docs=docs)[0], docs, tmp_path)
    copies = {frozenset((i, 600 + i)) for i in range(60)}
    assert len(found & copies) >= 50
    assert len(found) <= 120


@pytest.mark.parametrize(
    ("level", "first", "place"),
    [
        ([9, 8, 5, 1, 2, 30, 40, 10], 0, 3),
        ([9, 8, 5, 1, 2, 30, 40, 10], 5, 5),
        ([40, 30, 20, 10, 5, 5, 5, 5], 1, 1),
        ([9, 3, 4, 3, 4, 3, 4, 3], 0, 0),
        ([50, 0, 0, 20, 0, 60, 10], 0, 4),
    ],
)
def test_the_lowest_place_before_the_steepest_rise(level: list[float], first: int, place: int) -> None:
    assert valley([*map(Fraction, level)], first) == place


def test_a_choice_needs_a_tenth_more_clear_pairs_than_what_is_usual() -> None:
    texts, _ = planted(9, 300, 40)
    sample = sample_of(texts)
    usual = Choice(evaluate(sample, JoinForm(ShingleUnits(1))), 75)
    other = chosen_of(evaluate(sample, FORMS[0]))
    assert form_by_null([other, usual]) is other
    few = other._replace(edge=100)  # equal ones, of which there are none
    assert form_by_null([few, usual]) is usual
    assert form_by_null([usual]) is usual
    usual = usual._replace(edge=50)
    near, far = (
        usual._replace(result=usual.result._replace(copies=usual.clear_pairs * share))
        for share in (Fraction(1, 10), Fraction(1, 9))
    )
    assert form_by_null([near, usual]) is usual
    assert form_by_null([far, usual]) is far


def test_clear_pairs_are_copies() -> None:
    """Of texts by chance and of a series none is clear, and each copy is, also an equal one."""
    texts, _ = planted(9, 300, 40)
    series = [f"a cup of so many names {year}" for year in range(1950, 1990)]

    def clear(texts: Sequence[str], edge: int) -> Fraction:
        return Choice(evaluate(sample_of(texts), JoinForm(ShingleUnits(1))), edge).clear_pairs

    assert 38 <= clear(texts, 50) <= 42
    assert clear([*texts, *[texts[-1]] * 98], 50) == clear(texts, 50) + 98
    assert clear(series, 50) == 0


def test_half_of_what_chance_finds_leads() -> None:
    """Sixty texts of one template, and thirty with a copy: nothing tells what chance finds of the template."""
    chosen = random.Random(4)
    words = [f"w{i}" for i in range(5000)]
    menu, texts = chosen.sample(words, 90), [chosen.sample(words, 40) for _ in range(30)]
    of_template = [[*menu, *chosen.sample(words, 8)] for _ in range(60)]
    copies = [[*text[:-1], "other"] for text in texts]
    one = evaluate(sample_of([" ".join(text) for text in (*of_template, *texts, *copies)]), JoinForm(ShingleUnits(1)))
    assert (one.false_partners, one.leading[75]) == (None, 120)
    assert 20 <= Choice(one, 75).clear_pairs <= 40
    assert 40 < Choice(one._replace(false_partners=one.partners), 75).clear_pairs < 60


def test_pairs_that_are_good_only_where_all_is_shared() -> None:
    """As equal texts with different labels are; no bins of similarity are beyond them."""
    texts, _ = planted(9, 300, 40)
    one = evaluate(sample_of(texts), FORMS[0])
    last = len(one.edges) - 1
    false = np.where(np.arange(len(one.edges)) < last, one.partners, 0) * null_model.UNIT
    partners = np.where(np.arange(len(one.edges)) < last, one.partners, 1000)
    assert threshold_by_null(one._replace(false_partners=false, partners=partners), MOST) == last


def test_relatives_without_a_lead_are_no_pairs_even_where_all_is_shared() -> None:
    """From .3 on, pairs become ever fewer. The nearest documents lead all others everywhere, nowhere, or at 1 only."""
    one = evaluate(sample_of(planted(9, 300, 40)[0]), FORMS[0])
    places = np.arange(len(one.edges))
    partners = 100 + (10**6 * 0.25 ** np.maximum(places - 30, 0)).astype(np.int64)
    false = np.where(places < 30, partners, 0) * null_model.UNIT
    few = one._replace(partners=partners, false_partners=false, different=0 * places, leading=partners)
    assert threshold_by_null(few._replace(doubtful=0 * places), MOST) == 30
    assert threshold_by_null(few._replace(doubtful=partners), MOST) is None
    assert threshold_by_null(few._replace(doubtful=np.where(places < 100, partners, 0)), MOST) == 100
