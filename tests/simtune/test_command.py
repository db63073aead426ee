"""simtune as a command: pipelines that run as printed and do what their reasons say; what is bad; hostile samples."""

import json
import random
from itertools import combinations, groupby
from pathlib import Path

import pytest

from harness import DOCS, Ran, Record, jsonl, pipe, run_here, shell
from shingletools.commands.simtune import findings, similarities
from shingletools.commands.simtune.findings import UNIQUE_ADVICE
from tuning import advised, pairs_of

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def texts_of(kind: str) -> list[str]:
    chosen = random.Random(kind)

    def words(count: int) -> list[str]:
        return ["".join(chosen.choices(LETTERS, k=5)) for _ in range(count)]

    def changed(text: str) -> str:
        parts = text.split()
        parts[len(parts) // 2] = "changed"
        return " ".join(parts)

    common = words(200)
    if kind == "titles":
        found = [" ".join(chosen.sample(common, 6)) for _ in range(300)]
        return found + [text[:-1] for text in found[:30]]
    if kind == "series":
        cups = [" ".join(chosen.sample(common, 5)) for _ in range(20)]
        found = [" ".join(chosen.sample(common, 6)) for _ in range(200)]
        series = [f"{cup} {year}" for cup in cups for year in range(1950, 1965)]
        return [*found, *series, *(text[:-1] for text in found[:30])]
    if kind == "template":
        menu = " ".join(words(90))
        found = [f"{menu} {' '.join(words(8))}" for _ in range(250)]
        return [*found, *(changed(text) for text in found[:15])]
    found = [" ".join(chosen.choices(common, k=400)) for _ in range(100)]
    return found + [changed(text) for text in found[:20]]


def docs_of(kind: str) -> bytes:
    return jsonl(*({"id": i, "text": text} for i, text in enumerate(texts_of(kind))))


@pytest.mark.parametrize(("kind", "found"), [("titles", 30), ("series", 30), ("template", 15), ("long", 20)])
def test_what_is_advised_finds_the_copies(kind: str, found: int, tmp_path: Path) -> None:
    """The last texts are copies of the first, with a change in each.

    Of a template, most is common to all; of a series, all but the year.
    """
    docs = docs_of(kind)
    originals = docs.count(b"\n") - found
    pipeline, reasons, records = advised(tmp_path, docs=docs)
    copies = {frozenset((i, originals + i)) for i in range(found)}
    made = pairs_of(pipeline, docs, tmp_path)
    assert len(made & copies) >= 0.9 * found
    assert len(made - copies) <= 0.2 * found
    *others, of_usual = (each for each in records if each["scope"] == "form")
    sets = [{*text.split()} for text in texts_of(kind)]
    usual = sum(4 * len(one & two) >= 3 * len(one | two) for one, two in combinations(sets, 2))
    assert (of_usual["shingle"], of_usual["threshold"], of_usual["pairs"]) == ("-k 1", 0.75, usual)
    assert any(f"shingle {each['shingle']} |" in pipeline and each["pairs"] == len(made) for each in others)
    assert len(reasons) == 1


def test_what_is_usual_stays_where_nothing_shows_more(tmp_path: Path) -> None:
    """Texts that share no more than chance has it."""
    chosen = random.Random(2)
    words = ["".join(chosen.choices(LETTERS, k=4)) for _ in range(300)]
    texts = [" ".join(chosen.choices(words, k=30)) for _ in range(400)]
    docs = jsonl(*({"id": i, "text": text} for i, text in enumerate(texts)))
    pipeline, reasons, records = advised(tmp_path, docs=docs)
    assert pipeline == "shingle -k 1 | simjoin -t 0.75"
    shown = "these texts have no near-copies that a sample of 400 shows; this pipeline would find them"
    assert reasons == [shown, UNIQUE_ADVICE]
    assert [each["shingle"] for each in records if each["scope"] == "form"] == ["-k 1"]  # no row without a figure


@pytest.mark.parametrize(("words", "rises"), [(7, True), (59, True), (60, False)])
def test_what_is_usual_rises_above_short_texts_that_differ_in_numbers(words: int, rises: bool, tmp_path: Path) -> None:
    """Sixty texts with so many words in common, and a year of their own: less than n / (n + 2) of two is common."""
    chosen = random.Random(words)
    common = " ".join("".join(chosen.choices(LETTERS, k=5)) for _ in range(words))
    unlike = [" ".join("".join(chosen.choices(LETTERS, k=5)) for _ in range(words)) for _ in range(100)]
    texts = [*unlike, *(f"{common} {year}" for year in range(1950, 2010))]
    docs = jsonl(*({"id": i, "text": text} for i, text in enumerate(texts)))
    pipeline, reasons, _ = advised(tmp_path, docs=docs)
    t = next(t for t in range(75, 101) if not rises or words * 100 < t * (words + 2)) / 100
    assert pipeline == f"shingle -k 1 | simjoin -t {t}"
    assert reasons[1] == (f"below {t}, most pairs of unequal texts differ in numbers alone" if rises else UNIQUE_ADVICE)
    assert len(pairs_of(pipeline, docs, tmp_path)) == (0 if rises else 60 * 59 // 2)


def test_what_is_usual_is_the_join_of_unique(tmp_path: Path) -> None:
    """The line that unique prints, but for copies, of which simtune counts all pairs."""
    docs = jsonl({"id": 1, "text": "a b"}, {"id": 2, "text": "a b"})
    (tmp_path / "docs").write_bytes(docs)
    shown = run_here("shingletools unique --dry-run docs", cwd=tmp_path).good().decode()
    pipeline, reasons, _ = advised(tmp_path, docs=docs)
    shingle, join = pipeline.split(" | ")
    assert f"{shingle} unique.words | {join} --copies once | simcheck" in shown
    assert UNIQUE_ADVICE in reasons


def test_texts_that_are_not_from_canon_are_a_remark(tmp_path: Path) -> None:
    """But not those that another program made lower case, and not those of canon."""
    remark = "the records are not from canon, and case counts: canon docs.jsonl | simtune compares words without it"
    for text, via, err in (("A b", None, f"simtune: {remark}\n"), ("a b", None, ""), ("A b", "canon case=keep", "")):
        record = {"id": 1, "text": text} | ({} if via is None else {"via": via})
        ran = run_here("simtune -k 2", stdin=jsonl(record), cwd=tmp_path)
        assert (ran.status, ran.err) == (0, err)


def test_nothing_is_known_of_documents_without_words(tmp_path: Path) -> None:
    _, reasons, _ = advised(tmp_path, docs=jsonl({"id": 1, "text": ""}, {"id": 2, "text": " "}))
    assert reasons[0] == "these texts have no near-copies that a sample of 2 shows; this pipeline would find them"


@pytest.mark.parametrize("options", ["", "--table", "--truth t", "--field l"])
def test_of_no_documents_there_is_nothing_to_say(options: str, tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(jsonl({"a": 1, "b": 2}))
    ran = run_here(f"simtune {options} -o out", cwd=tmp_path)
    assert (ran.status, ran.out, ran.err) == (2, b"", "simtune: no documents, so there is nothing to recommend\n")
    assert not (tmp_path / "out").exists()


def test_of_no_documents_to_compare_with_there_is_nothing_to_say(tmp_path: Path) -> None:
    ran = run_here("simtune --against /dev/null", stdin=docs_of("titles"), cwd=tmp_path)
    said = "simtune: no documents in --against, so there is nothing to recommend\n"
    assert (ran.status, ran.out, ran.err) == (2, b"", said)


def test_costs_are_for_as_many_documents_as_are_asked_for(tmp_path: Path) -> None:
    docs = pipe(DOCS.read_bytes(), "canon")
    few, many = (
        [each for each in advised(tmp_path, f"-k 5 --for {n}", docs)[2] if each["scope"] == "form"][-1]
        for n in (300, 3_000_000)
    )
    assert many["bytes"] == 10_000 * few["bytes"]
    assert many["pairs"] == pytest.approx(few["pairs"] * 3_000_000 * 2_999_999 / (300 * 299), rel=1e-6)
    assert advised(tmp_path, "-k 5 --for 3000000", docs)[0].endswith(" --forest")
    assert advised(tmp_path, "-k 5 --for 999999999", docs)[0].endswith(" -S 4G --forest")


def test_labels_decide(tmp_path: Path) -> None:
    """One word in eight is another in texts that belong together: what finds all of them finds nothing else."""
    chosen = random.Random(3)
    texts = []
    for _ in range(120):
        words = ["".join(chosen.choices(LETTERS, k=5)) for _ in range(120)]
        texts += [" ".join(words), " ".join(word if chosen.random() > 1 / 8 else "other" for word in words)]
    docs = jsonl(*({"id": i, "text": text, "topic": i // 2} for i, text in enumerate(texts)))
    pipeline, reasons, records = advised(tmp_path, "--field topic", docs)
    tried = [each for each in records if each["scope"] == "form"]
    assert [each["shingle"] for each in tried][-1] == "-k 1"
    assert {"-k 1", "-k 10", "--chars -k 4"} < {each["shingle"] for each in tried}
    (score,) = (each for each in records if each["scope"] == "score")
    assert (score["precision"], score["recall"], score["f1"]) == (1, 1, 1)
    assert "F1 100 % (" in reasons[0]
    assert pairs_of(pipeline, docs, tmp_path) == {frozenset((2 * i, 2 * i + 1)) for i in range(120)}
    for each in tried:  # what labels say of false pairs
        for false, precision in (
            ("false", "precision"),
            ("false_low", "precision_high"),
            ("false_high", "precision_low"),
        ):
            share = 1 - (each[precision] if each["precision"] is not None else 0)
            assert (each[false] or 0) == (each["pairs"] and pytest.approx(each["pairs"] * share, abs=0.6))


def test_few_labels_overrule_what_is_clearly_wrong(tmp_path: Path) -> None:
    """Twenty-five pairs of texts that have half of their words in common, of which no form without labels is sure."""
    chosen = random.Random(8)
    words = ["".join(chosen.choices(LETTERS, k=4)) for _ in range(400)]
    texts = [chosen.sample(words, 12) for _ in range(300)]
    texts += [[*text[:6], *chosen.sample(words, 6)] for text in texts]
    docs = jsonl(
        *({"id": i, "text": " ".join(text), "l": i % 300 if i % 300 < 25 else None} for i, text in enumerate(texts))
    )
    _, reasons, records = advised(tmp_path, "--field l", docs)
    (score,) = (each for each in records if each["scope"] == "score")
    assert (records[0]["labelled"], records[0]["true"]) == (50, 25)
    assert 0 < score["f1_low"] < score["f1"] <= score["f1_high"]
    assert " by the half of the labels that did not choose" in reasons[0]
    usual = [each for each in records if each["scope"] == "form"][-1]
    assert score["f1_low"] > usual["f1"] == 0


def test_labels_that_no_pair_has_find_nothing(tmp_path: Path) -> None:
    unlike = [" ".join(chr(0x4E00 + i) * 30) for i in range(120)]  # no two share a character
    docs = jsonl(*({"id": i, "text": text, "l": i // 2} for i, text in enumerate(unlike)))
    pipeline, _, records = advised(tmp_path, "--field l", docs)
    assert (records[0]["true"], pipeline) == (60, "shingle -k 1 | simjoin -t 0.75")
    assert {each["f1"] for each in records if each["scope"] == "form"} == {0}


@pytest.mark.parametrize("count", [1, 99, 100])
def test_a_small_sample_is_called_small(count: int, tmp_path: Path) -> None:
    texts = (texts_of("titles") * 2)[:count]
    _, reasons, records = advised(tmp_path, docs=jsonl(*({"id": i, "text": text} for i, text in enumerate(texts))))
    said = [] if count == 100 else ["the sample has fewer than 100 documents, so all this may be chance"]
    assert ([each for each in reasons[1:] if each != UNIQUE_ADVICE], records[-1]["scope"]) == (said, "advice")


def test_the_number_of_all_documents_does_not_change_the_choice(tmp_path: Path) -> None:
    """Of two tables, whose equal titles are 900 pairs, but 30 of best partners; and with one document in all."""
    chosen = random.Random(5)
    words = ["".join(chosen.choices(LETTERS, k=5)) for _ in range(2000)]
    theirs = [" ".join(chosen.choices(words, k=6)) for _ in range(500)]
    ours = [" ".join([*text.split()[:5], chosen.choice(words)]) for text in theirs[:200]]
    for name, texts in (("ours", ours), ("theirs", theirs)):
        (tmp_path / name).write_bytes(
            jsonl(
                *({"id": f"{name} {i}", "text": text} for i, text in enumerate([*texts, *["untitled document"] * 30]))
            )
        )
    found = [
        advised(tmp_path, f"{many} --against theirs ours")[0] for many in ("", "--for 1", "--for 2", "--for 900000")
    ]
    assert "--chars" in found[0] or "-k 1 " in found[0]
    assert "--best 1" in found[0]
    assert {*found} == {found[0]}
    sampled, _, records = advised(tmp_path, "--sample 300 --against theirs ours")
    assert "-n 84" not in sampled
    for form in records:
        if form["scope"] == "form" and form["pairs"] is not None:
            assert form["false"] <= form["pairs"] <= 230


def test_no_words_in_one_of_two_tables(tmp_path: Path) -> None:
    (tmp_path / "words").write_bytes(TWO)
    (tmp_path / "empty").write_bytes(jsonl({"id": "e", "text": ""}, {"id": "f", "text": ""}))
    for tables in ("words empty", "empty words"):
        ran = run_here(f"simtune --against {tables}", cwd=tmp_path)
        assert (ran.status, ran.err) == (0, ""), tables
        assert "simjoin -t 0.75 --best 1 --against" in ran.records()[-1]["pipeline"]


@pytest.mark.parametrize("options", ["", "--allow-rejects 0", "-o out"])
@pytest.mark.parametrize(("docs", "truth", "bad"), [("good", "bad", "bad"), ("good bad", "pairs", "bad")])
def test_nothing_is_advised_where_a_file_has_no_good_record(
    docs: str, truth: str, bad: str, options: str, tmp_path: Path
) -> None:
    for name, content in {"good": TWO, "bad": b"x\n", "pairs": jsonl({"a": 1, "b": 2})}.items():
        (tmp_path / name).write_bytes(content)
    done = run_here(f"simtune --truth {truth} {options} {docs}", cwd=tmp_path)
    assert (done.status, done.out, (tmp_path / "out").exists()) == (2, b"", False)
    assert f"simtune: {bad}: not one good record" in done.err.splitlines()
    assert run_here(f"simtune --truth {truth} --allow-rejects 1 {docs}", cwd=tmp_path).status == 0


def test_other_fields_are_in_the_pipeline(tmp_path: Path) -> None:
    docs = jsonl(*({"my id": i, "the text": text} for i, text in enumerate(texts_of("long"))))
    (tmp_path / "d").write_bytes(docs)
    ran = run_here("simtune", "--id", "my id", "--text", "the text", "-t", "3/7", "-k", "3", "d", cwd=tmp_path)
    pipeline = ran.records()[-1]["pipeline"]
    assert pipeline == "shingle --id 'my id' --text 'the text' -k 3 | simjoin --id 'my id' -t 3/7"
    assert [each["shingle"] for each in ran.records() if each["scope"] == "form"] == ["-k 3"]
    assert pairs_of(pipeline, docs, tmp_path) == {frozenset((i, 100 + i)) for i in range(20)}


def test_fields_that_look_like_options_are_in_the_pipeline(tmp_path: Path) -> None:
    docs = jsonl(*({"-id": i, "--text": text} for i, text in enumerate(texts_of("long"))))
    pipeline = run_here("simtune --id=-id --text=--text -k 3", stdin=docs, cwd=tmp_path).records()[-1]["pipeline"]
    assert pipeline == "shingle --id=-id --text=--text -k 3 | simjoin --id=-id -t 0.75"
    assert pairs_of(pipeline, docs, tmp_path) == {frozenset((i, 100 + i)) for i in range(20)}


def ran(folder: Path, options: str, docs: bytes, **files: bytes) -> Ran:
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return run_here(f"simtune {options}", stdin=docs, cwd=folder)


ONE_GROUP = "the labels decide nothing: all documents that belong together make one group, and two groups are needed"
NO_PAIR = "the labels decide nothing: no two documents of the sample belong together"
TWO = jsonl({"id": 1, "text": "a b", "l": 1}, {"id": 2, "text": "a c", "l": 1})


def test_an_id_that_the_sample_has_is_bad(tmp_path: Path) -> None:
    done = ran(tmp_path, "--rejects bad", TWO + TWO)
    assert (done.status, done.err) == (1, "simtune: -:3: id 1 was seen before\nsimtune: -:4: id 2 was seen before\n")
    assert done.out == ran(tmp_path, "", TWO).good()


def test_recipes_that_differ(tmp_path: Path) -> None:
    docs = jsonl({"id": 1, "text": "a", "via": "canon/4"}, {"id": 2, "text": "a"})
    done = ran(tmp_path, "", docs)
    assert (done.status, done.out) == (2, b"")
    assert done.err == 'simtune: -:2: made by an unnamed recipe, but the records before by "canon/4"\n'


@pytest.mark.parametrize(
    ("options", "truth", "status", "message"),
    [
        ("", {"members": [1, 2], "x": 1}, 0, ONE_GROUP),
        ("", {"a": 1, "b": 1}, 2, "t:1: pairs 1 with itself"),
        ("", {"a": 1}, 2, 't:1: field "b" is missing'),
        ("", {"members": 7}, 2, 't:1: field "members" is not a list of strings and integers'),
        (
            "",
            {"a": 1, "b": 1, "against": True},
            2,
            'the pairs of --truth have "against":true, so they are of two sets: give one with --against',
        ),
        (
            "--against o",
            {"a": 1, "b": 2},
            2,
            'no pair of --truth has "against":true, as those of one set with another must have',
        ),
        ("", {"a": "1", "b": "2"}, 0, NO_PAIR),
        ("", {"a": 1, "b": 2, "label": "No"}, 0, NO_PAIR),
        (
            "",
            {"a": 1, "b": 2, "label": "x"},
            2,
            't:1: field "label" is neither 1, true, yes or same, nor 0, false, no or different',
        ),
        (
            "",
            {"id": 1, "l": 1},
            2,
            't:1: field "a" is missing; these are documents, not pairs: with --field, --truth takes documents',
        ),
        ("", {"a": 1, "b": 2, "against": 1}, 2, 't:1: field "against" is neither true nor false'),
        ("--field l", {"id": 1}, 2, 't:1: field "l" is missing; the record has "id"'),
        ("--field l", {"id": 1, "l": [1]}, 2, 't:1: field "l" is a list or an object'),
        (
            "--field id",
            {"id": 1},
            2,
            'the id and the text need fields of their own, not "id"',
        ),
    ],
)
def test_a_truth_that_is_bad(options: str, truth: Record, status: int, message: str, tmp_path: Path) -> None:
    done = ran(tmp_path, f"--truth t {options}", TWO, t=jsonl(truth), o=TWO)
    bad = "simtune: t: not one good record\n" if message.startswith("t:") else ""
    assert (done.status, done.err) == (status, f"simtune: {message}\n{bad}" if message else "")
    assert (done.out == b"") is (status == 2)


@pytest.mark.parametrize("spelled", [int, str])
@pytest.mark.parametrize("options", ["", "--against o"])
@pytest.mark.parametrize("between", [",", "\t"])
def test_a_truth_in_a_table(spelled: type[int] | type[str], options: str, between: str, tmp_path: Path) -> None:
    """The same as in JSON lines, whether the ids of the input are numbers or strings."""
    texts = texts_of("titles")[:40]
    docs, others = (
        jsonl(*({"id": spelled(i), "text": f"{text} {more}"} for i, text in enumerate(texts))) for more in ("x", "y")
    )
    form = "--csv" if between == "," else "--tsv"
    pairs: list[Record] = [{"a": spelled(i), "b": spelled(i + 1), "label": i % 3} for i in range(30) if i % 3 < 2]
    flags: Record = {"against": True} if options else {}
    plain = ran(tmp_path, f"--truth t {options}", docs, t=jsonl(*(pair | flags for pair in pairs)), o=others)
    table = "".join(between.join(map(str, row)) + "\n" for row in [("a", "b", "label"), *(p.values() for p in pairs)])
    assert ran(tmp_path, f"{form} --truth t {options}", docs, t=table.encode()).good() == plain.good()
    topics = jsonl(*({"id": spelled(i), "l": f"topic {i // 2}"} for i in range(40)))
    plain = ran(tmp_path, f"--truth t --field l {options}", docs, t=topics)
    table = f"id{between}l\n" + "".join(f"{i}{between}topic {i // 2}\n" for i in range(40))
    of_table = ran(tmp_path, f"{form} --truth t --field l {options}", docs, t=table.encode())
    assert (of_table.out, of_table.err) == (plain.out, plain.err)


def test_what_says_two_things_of_a_document_fails(tmp_path: Path) -> None:
    done = ran(tmp_path, "--truth t", TWO, t=jsonl({"members": [1, 2]}, {"members": [3, 2]}))
    assert (done.status, done.err) == (2, "simtune: t:2: id 2 is in two groups\n")
    done = ran(tmp_path, "--truth t --field l", TWO, t=TWO + jsonl({"id": 1, "l": 2}))
    assert (done.status, done.err) == (2, "simtune: t:3: id 1 has two labels\n")
    done = ran(tmp_path, "--truth t", TWO, t=jsonl({"a": 1, "b": 2}, {"a": 2, "b": 1, "label": 0}))
    assert (done.status, done.err) == (2, "simtune: ids 1 and 2 are judged the same and different\n")


def test_labels_outside_the_sample_are_counted(tmp_path: Path) -> None:
    done = ran(tmp_path, "-v --truth t", TWO, t=jsonl({"a": 1, "b": 3}, {"a": 4, "b": 5}))
    assert done.err.startswith(f"simtune: {NO_PAIR}\n")
    assert done.err.endswith(", 2 documents in the sample, 3 ids of labels outside it\n")
    assert json.loads(done.out.splitlines()[0])["true"] == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("-k 0", 'argument -k: not a whole number from 1 to 1000: "0"'),
        ("-t 0", "argument -t/--threshold: not a number above 0 and at most 1, such as 0.8 or 4/5"),
        ("--csv", "--csv and --tsv are about the files of --truth; canon --csv or --tsv reads documents"),
        ("--truth - -", "standard input can be read only once: name a FILE"),
    ],
)
def test_options_that_are_wrong(options: str, message: str, tmp_path: Path) -> None:
    done = ran(tmp_path, options, TWO)
    assert (done.status, done.out) == (2, b"")
    assert done.err.startswith(f"simtune: {message}")


def test_ten_thousand_equal_texts_are_one_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No pair of them is looked at one by one: with no work allowed, all are counted."""
    monkeypatch.setattr(similarities, "STEPS", 0)
    docs = jsonl(*({"id": i, "text": "the same text of nine words is here again"} for i in range(10_000)))
    pipeline, _, records = advised(tmp_path, "-k 1", docs=docs)
    assert [each["pairs"] for each in records if each["scope"] == "form"][-1] == 9999 * 10_000 // 2
    assert pipeline == "shingle -k 1 | simjoin -t 0.75"


def test_a_join_that_needs_much_memory_works_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(findings, "JOIN_BYTES", 100)
    docs = docs_of("titles")
    pipeline, _, _ = advised(tmp_path, docs=docs)
    assert pipeline.endswith(" -S 4G")
    assert pairs_of(pipeline, docs, tmp_path) == pairs_of(pipeline.removesuffix(" -S 4G"), docs, tmp_path)


def test_documents_without_words(tmp_path: Path) -> None:
    docs = jsonl(*({"id": i, "text": " "} for i in range(5)), {"id": 9, "text": "a b"})
    _, _, records = advised(tmp_path, docs=docs)
    assert (records[0]["empty"], records[0]["sampled"]) == (5, 6)
    assert [each["pairs"] for each in records if each["scope"] == "form"][-1] == 0


def test_a_table_has_what_the_records_have(tmp_path: Path) -> None:
    data = pipe(DOCS.read_bytes(), "canon")
    records = run_here("simtune -k 5", stdin=data, cwd=tmp_path).records()
    shown = run_here("simtune -k 5 --table", stdin=data, cwd=tmp_path).good().decode()
    blocks = [block.splitlines() for block in shown.split("\n\n")]
    scopes = [scope for scope, _ in groupby(each["scope"] for each in records)]
    assert len(blocks) == len(scopes)
    for scope, block in zip(scopes[:-2], blocks, strict=False):
        assert len(block) == 2 + len([each for each in records if each["scope"] == scope])
    assert shown.endswith(f"\n{records[-1]['pipeline']}\n")
    assert [line for line in shown.splitlines() if line.endswith(" ")] == []


def test_the_other_set_is_not_standard_input(tmp_path: Path) -> None:
    ran = run_here("simtune --against - -o out docs", cwd=tmp_path)
    assert (ran.status, ran.out, (tmp_path / "out").exists()) == (2, b"", False)
    assert ran.err == "simtune: --against -: the pipeline would read standard input a second time; name a file\n"


@pytest.mark.parametrize("labels", ["", "--truth t"])
def test_questions_of_one_set_against_another(labels: str, tmp_path: Path) -> None:
    """The pipeline runs as it is printed, and finds the true pairs, each document one."""
    chosen = random.Random(7)
    words = ["".join(chosen.choices(LETTERS, k=6)) for _ in range(300)]
    texts = [" ".join(chosen.choices(words, k=12)) for _ in range(70)]
    asked = [" ".join(sorted(text.split()[:10])) for text in texts]
    docs = jsonl(*({"id": i, "text": text} for i, text in enumerate(asked)))
    (tmp_path / "o").write_bytes(jsonl(*({"id": i, "text": text} for i, text in enumerate(texts))))
    (tmp_path / "t").write_bytes(jsonl(*({"a": i, "b": i, "against": True} for i in range(70))))
    pipeline, reasons, records = advised(tmp_path, f"--against o {labels}", docs)
    assert (records[0]["read"], records[0]["true"]) == (140, 70 if labels else None)
    assert "--best 1" in pipeline
    assert ("F1 " in reasons[0]) == bool(labels)
    (tmp_path / "docs").write_bytes(docs)
    (tmp_path / "line").write_text(pipeline)
    found = [json.loads(line) for line in shell("sh line < docs", tmp_path).good().splitlines()]
    assert [pair["a"] == pair["b"] and pair["against"] for pair in found] == [True] * 70
    (tmp_path / "simtune.against").unlink()
    with pytest.raises(AssertionError, match=r"simtune\.against: .*exist"):  # what is there stays as it is
        for _ in range(2):
            shell("sh line < docs", tmp_path).good()


def test_pairs_that_labels_say_nothing_of_are_not_wrong(tmp_path: Path) -> None:
    """Each text thrice; a truth judges the first and the second, and two texts that differ: precision is 1."""
    chosen = random.Random(9)
    texts = [" ".join("".join(chosen.choices(LETTERS, k=5)) for _ in range(60)) for _ in range(60)]
    docs = jsonl(*({"id": f"{i}{copy}", "text": text} for i, text in enumerate(texts) for copy in "abc"))
    same = [{"a": f"{i}a", "b": f"{i}b"} for i in range(60)]
    (tmp_path / "t").write_bytes(jsonl(*same, *({"a": f"{i}a", "b": f"{i + 1}b", "label": 0} for i in range(59))))
    _, _, records = advised(tmp_path, "--truth t -t 0.8", docs)
    assert {each["precision"] for each in records if each["scope"] in {"form", "score"}} == {1}
    (tmp_path / "t").write_bytes(jsonl(*same))  # all pairs of a truth that judges none to be different count
    _, _, records = advised(tmp_path, "--truth t -t 0.8", docs)
    assert {each["precision"] for each in records if each["scope"] in {"form", "score"}} == {0.333333}
