"""What the bench of labels reads and counts: made-up clones, and scores compared with brute force and a real run."""

import json
import random
import sys
from itertools import combinations
from pathlib import Path

import label_scores
import label_sets
import labels
import pytest
import removal

TITLES = ["near duplicate detection in large archives", "a study of rivers and lakes", "the cat sat on the mat today"]


@pytest.fixture
def clones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder like that of the clones, with one set: citations, of which three are merged."""
    for name, (_, _, parts) in label_sets.SOURCES.items():
        for part in parts.split():
            (tmp_path / name / part).mkdir(parents=True, exist_ok=True)
    review = tmp_path / "bib-dedupe" / "data" / "stroke"
    review.mkdir()
    rows = (
        "ID,title,year,ENTRYTYPE",
        f"id_1,{TITLES[0]},1999,article",
        f'id_2,"{TITLES[0].upper()}",,article',
        f"id_3,{TITLES[1]},2001,book",
        f"id_4,{TITLES[0]}!,1999,article",
    )
    (review / "records_pre_merged.csv").write_text("".join(row + "\n" for row in rows))
    (review / "merged_record_ids.csv").write_text("merged_ids\nid_1;id_2;id_4\n")
    monkeypatch.setattr(labels, "every", lambda clones: [stroke(clones)])
    return tmp_path


def stroke(clones: Path) -> label_sets.LabelSet:
    return label_sets.review("stroke", clones / "bib-dedupe" / "data" / "stroke")


def test_a_set_is_what_the_files_say(clones: Path) -> None:
    one = stroke(clones)
    assert one.documents[0] == {"id": "id_1", "text": f"{TITLES[0]}\n1999", "title": TITLES[0], "year": "1999"}
    assert one.truth == {("id_1", "id_2"), ("id_1", "id_4"), ("id_2", "id_4")}
    assert one.groups == {"id_1": "id_1", "id_2": "id_1", "id_4": "id_1"}
    with pytest.raises(KeyError):
        label_sets.made("", one.documents, [("id_1", "id_5")], False)


def test_what_is_missing_is_said(clones: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert label_sets.missing(clones) == []
    (clones / "decon").rename(clones / "other")
    with pytest.raises(SystemExit) as ended:
        labels.main([str(clones)])
    command = (
        f"git clone https://github.com/allenai/decon {clones}/decon && git -C {clones}/decon checkout e1bcb80"
        " -- bundled-evals"
    )
    assert (ended.value.code, capsys.readouterr().err) == (2, f"decon is missing: {command}\n")


def removal_by_hand(groups: list[set[int]], gone: set[int], count: int) -> tuple[int, int, int]:
    """As bib-dedupe counts: rightly removed, wrongly removed, left."""
    right = wrong = left = 0
    for group in [*groups, *({n} for n in range(count) if not any(n in group for group in groups))]:
        kept = len(group - gone)
        right += len(group) - max(1, kept)
        wrong += not kept
        left += max(1, kept) - 1
    return right, wrong, left


@pytest.mark.parametrize("seed", range(20))
def test_scores_are_those_of_brute_force(seed: int) -> None:
    rng = random.Random(seed)
    count = 14
    numbers = rng.sample(range(count), count)
    groups = [set(numbers[:3]), set(numbers[3:5]), set(numbers[5:9])]
    truth = {pair for group in groups for pair in combinations(sorted(group), 2)}
    made = {pair: rng.randrange(5, 10) / 10 for pair in combinations(range(count), 2) if rng.random() < 0.2}
    made |= {pair: rng.randrange(5, 10) / 10 for pair in truth if rng.random() < 0.6}
    labelled = label_sets.LabelSet(
        "", [{"id": f"{n}"} for n in range(count)], frozenset((f"{a}", f"{b}") for a, b in truth), False
    )
    judge = label_scores.Judge(labelled)
    pairs = label_scores.found([(a, b, similarity) for (a, b), similarity in made.items()])
    score = judge.score(pairs)
    hits = truth & set(made)
    assert (score.precision, score.recall) == pytest.approx((len(hits) / len(made), len(hits) / len(truth)))
    assert score.f1 == pytest.approx(2 * len(hits) / (len(made) + len(truth)))
    gone: set[int] = set()
    for n in range(count):
        if any((other, n) in made and other not in gone for other in range(n)):
            gone.add(n)
    right, wrong, left = removal_by_hand(groups, gone, count)
    assert score.removal == pytest.approx(2 * right / (2 * right + wrong + left))
    best = {
        pair
        for pair, s in made.items()
        if any(all(s >= t for other, t in made.items() if end in other) for end in pair)
    }
    kept = pairs.best()
    assert set(zip(kept.a.tolist(), kept.b.tolist(), strict=True)) == best


# A command that removes every document whose number is in its first argument, and calls pairs doubtful
REMOVER = """
import json, re, sys
gone, doubtful, docs, _, kept, _, removed, _, pairs = sys.argv[1:]
starts = "TY" if docs.endswith("ris") else "{"
records = re.split(f"(?m)^(?={starts})", open(docs).read())[1:]
for path, side in ((kept, False), (removed, True)):
    open(path, "w").writelines(each for n, each in enumerate(records) if (n in json.loads(gone)) == side)
open(pairs, "w").writelines(json.dumps({"a": a, "b": b}) + "\\n" for a, b in json.loads(doubtful))
"""


@pytest.mark.parametrize("seed", range(5))
def test_removals_are_counted_as_brute_force_counts(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    ids = [f"n{n}" for n in range(12)]
    truth = {pair for pair in combinations(range(12), 2) if rng.random() < 0.1}
    texts = [rng.choice(TITLES) + " in " + rng.choice("abc") for _ in ids]
    said = {pair for pair in combinations(range(12), 2) if rng.random() < 0.5}
    some = {texts[n]: n for n in rng.sample(range(12), 12)}
    # Which of two citations of the same bytes goes cannot be told, so that the later ones do
    gone = {n for n in range(12) if rng.random() < 0.7 and n > some[texts[n]]}
    gone = {n for n in range(12) if any(m <= n and texts[m] == texts[n] for m in gone)}
    reaches = [{n} for n in range(12)], [{m for m in range(12) if texts[m] == text} for text in texts]
    for reach in reaches:
        for _ in range(12):
            for n in range(12):
                reach[n] |= {m for pair in truth if reach[n] & {*pair} for m in pair} | {
                    m for x in reach[n] for m in reach[x]
                }
    expected = [
        (len(gone), sum(not reach[n] <= gone for n in gone), 12 - len({min(of) for of in reach})) for reach in reaches
    ]
    documents = [{"id": each, "text": text, "title": text} for each, text in zip(ids, texts, strict=True)]
    labelled = label_sets.LabelSet("set", documents, frozenset((ids[a], ids[b]) for a, b in truth), False)
    label_sets.write(labelled, tmp_path)
    (tmp_path / "docs.ris").write_text("".join(map(label_sets.ris, documents)))
    (tmp_path / "remover.py").write_text(REMOVER)
    read = removal.read(tmp_path)._replace(name="set")
    assert ({each["id"] for each in read.documents}, read.truth) == ({*ids}, labelled.truth)
    stay = {pair for pair in truth if not gone & {*pair}}
    for name, named in (("docs.jsonl", ids), ("docs.ris", range(1, 13))):
        doubtful = json.dumps([(named[a], named[b]) for a, b in said])
        command = [sys.executable, str(tmp_path / "remover.py"), json.dumps(sorted(gone)), doubtful]
        row = removal.measured(read, tmp_path / name, command, True)
        assert [tuple(row.labels), tuple(row.words)] == expected
        assert (row.pairs, row.doubtful, row.stay, row.found) == (len(truth), len(said), len(stay), len(stay & said))


def test_shares_and_means_are_those_of_counts() -> None:
    some = removal.Counts(10, 8, 16)
    assert (some.precision, some.recall, some.f1) == (0.8, 0.5, 2 * 8 / (10 + 16))
    none = removal.Counts(0, 0, 4)
    assert (none.precision, none.recall, none.f1) == (None, 0, 0)
    rows = [
        removal.Row("one", "others", 100, 20, some, some, 30, 8, 2, 0.5),
        removal.Row("two", "others", 10, 5, none, none, 2, 2, 2, 0.25),
    ]
    cells = ["110", "25", "10", *["0.800", "0.250", "0.308"] * 2, "32", "0.400", "0.750"]
    assert removal.means("both", rows).split() == ["both", *cells]


@pytest.mark.slow
def test_a_set_is_run_for_real(
    clones: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(labels, "TS", (0.5, 0.7))
    monkeypatch.setattr(labels, "GRID", labels.GRID[:2])
    programs = ["default", "simtune", "simtune by half", "best try"]
    for some in (programs[:3], programs):  # the second run measures only what the first one did not
        labels.main(["--only", "stroke", "--programs", ",".join(some), str(clones)])
        lines = capsys.readouterr().out.splitlines()
        rows = labels.read(clones / "labels.jsonl")
        assert [(row["set"], row["program"]) for row in rows] == [("stroke", program) for program in some]
    # The three titles differ in case, in a mark and in the year; the default finds the two that have the same words
    figures = [[row["precision"], row["recall"]] for row in rows]
    assert (figures[0], figures[3]) == ([1, 1 / 3], [1, 1])
    assert lines[1] == ".It Ta stroke"
    assert lines[2] == ".It default Ta .667"  # of the group of three, two should go: one does
    assert lines[5] == ".It best try Ta 1.000"


def test_what_is_too_much_is_no_try(clones: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    labelled = stroke(clones)
    bench = labels.Bench(labelled, tmp_path)
    words = "shingle -k 1 | simjoin -t 0.5"
    three = bench.pairs(words, 3)
    assert three is not None
    assert len(three.a) == 3
    assert bench.pairs(words, 2) is None
    monkeypatch.setattr(labels, "LIMIT", 1)
    assert bench.pairs("while :; do :; done | " + words, 3) is None


def test_a_mean_needs_all_sets(capsys: pytest.CaptureFixture[str]) -> None:
    rows: list[labels.Row] = [
        {"set": f"autofj {n}", "program": program, "tried": "x", "f1": n / 8}
        for program in ("default", "rensa", "gaoya")
        for n in (1, 2, 6)
    ]
    rows[3]["tried"] = None  # took too long
    del rows[-1]  # is not measured yet
    labels.show(rows, "f1", {"fifty": "autofj", "D2": "D2"})
    lines = capsys.readouterr().out.splitlines()
    assert lines[1:4] == [".It Ta fifty", ".It default Ta .375", ".El"]
