"""simtune as a command: pipelines that run as printed and do what their reasons say; what is bad; hostile samples."""

import json
import random
from fractions import Fraction
from itertools import groupby, islice
from pathlib import Path

import pytest

from harness import DOCS, Ran, Record, jsonl, pipe, run_here, shell
from shingletools.commands.simtune import advice, counting, wording
from shingletools.commands.simtune.forms import sketch
from shingletools.commands.simtune.settings import Setting
from shingletools.commands.simtune.shingled import ShingleUnits, Way
from shingletools.commands.simtune.spec import TuneSpec
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

    if kind == "titles":
        found = [" ".join(words(6)) for _ in range(100)]
        return found + [text[:-1] for text in found[:30]]
    if kind == "template":
        menu = " ".join(words(90))
        found = [f"{menu} {' '.join(words(8))}" for _ in range(250)]
        return [*found, *(changed(text) for text in found[:5])]
    found = [" ".join(words(400)) for _ in range(60)]
    return found + [changed(text) for text in found[:20]]


def docs_of(kind: str) -> bytes:
    return jsonl(*({"id": i, "text": text} for i, text in enumerate(texts_of(kind))))


@pytest.mark.parametrize(
    ("kind", "line", "because", "found"),
    [
        (
            "titles",
            "shingle -k 1 | simjoin --weights counted --measure cosine -t 0.5",
            "-k 1 and the cosine of weights: half of the texts with words have 6 or fewer",
            [30],
        ),
        (
            "long",
            "shingle -k 10 | simjoin -t 0.8",
            "-k 10: a quarter of the texts with words have 400 or fewer, and keep a similarity of 95 %",
            [20] * 5,
        ),
    ],
    ids=["titles by words that weigh", "long texts by many words"],
)
def test_shingles_are_those_that_suit_the_length_of_texts(
    kind: str, line: str, because: str, found: list[int], tmp_path: Path
) -> None:
    """`found`: how many pairs there are by each way that is tried. The last texts are copies of the first."""
    docs = docs_of(kind)
    originals = docs.count(b"\n") - found[-1]
    pipeline, reasons, records = advised(tmp_path, docs=docs)
    assert pipeline == line
    assert reasons["k"].startswith(because)
    assert pairs_of(pipeline, docs, tmp_path) == {frozenset((i, originals + i)) for i in range(found[-1])}
    assert [record["pairs"] for record in records if record["scope"] == "setting"] == found


def test_a_template_is_left_out(tmp_path: Path) -> None:
    """With it all texts are pairs; without it the copies."""
    docs = docs_of("template")
    pipeline, reasons, records = advised(tmp_path, docs=docs)
    assert pipeline == "(set -C; cat > simtune.canon) && shingle -k 5 --max-df 10% simtune.canon | simjoin -t 0.5"
    assert reasons["t"] == "-t 0.5: without what templates share, true copies have less in common"
    before = next(each["pairs"] for each in records if each["scope"] == "setting" and each["shingle"] == "-k 5")
    every = pairs_of("shingle -k 5 | simjoin -t 0.8", docs, tmp_path)
    found = pairs_of(pipeline, docs, tmp_path)
    with pytest.raises(AssertionError, match=r"simtune\.canon: .*exist"):  # what is there stays as it is
        pairs_of(pipeline, docs, tmp_path)
    (tmp_path / "simtune.canon").unlink()
    near = pairs_of(pipeline.replace("-t 0.5", "-t 0.8"), docs, tmp_path)
    assert len(every) == before > 1000
    said = f"--max-df 10%: with all shingles {len(every)} pairs of unequal texts reach 0.8, without the "
    assert reasons["template"].startswith(said)
    assert f" that are in more documents {len(near)}; " in reasons["template"]
    assert near <= found == {frozenset((i, 250 + i)) for i in range(5)}


def test_few_pairs_tell_nothing_of_templates(tmp_path: Path) -> None:
    """Nine true pairs, which share what many documents have: five words between the halves of their own text."""
    words = iter(f"w{number}" for number in range(10_000))
    long = " ".join("abcdefghijklmnopqrstuvwxyz"[:20])
    texts = [f"{' '.join(islice(words, 12))} {long} " for _ in range(200)]
    texts = [f"{text}{each}" for text in texts[:9] for each in ("x y", "z")] + texts[9:]
    docs = jsonl(*({"id": i, "text": text} for i, text in enumerate(texts)))
    pipeline, reasons, records = advised(tmp_path, "-k 5", docs)
    (common,) = (each for each in records if each["scope"] == "common" and each["above"] == 0.1)
    assert common["shingles"] > 0
    assert [each["pairs"] for each in records if each["scope"] == "setting"] == [9]
    assert "--max-df" not in pipeline
    assert reasons["template"] == "no --max-df: with 9 pairs of unequal texts there is too little to tell templates by"


def test_nothing_is_known_of_documents_without_words(tmp_path: Path) -> None:
    _, reasons, _ = advised(tmp_path, docs=jsonl({"id": 1, "text": ""}, {"id": 2, "text": " "}))
    assert reasons == {"none": "no document has words, so nothing is known of such texts: this is what is usual"}


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


def test_the_whole_has_no_fewer_documents_than_were_read(tmp_path: Path) -> None:
    ran = run_here("simtune --documents 2", stdin=docs_of("titles"), cwd=tmp_path)
    assert (ran.status, ran.out) == (2, b"")
    count = len(texts_of("titles"))
    assert ran.err == f"simtune: --documents 2: fewer than the {count} documents that were read\n"


def test_labels_decide(tmp_path: Path) -> None:
    """One word in eight is another in texts that belong together: what finds all of them finds nothing else."""
    chosen = random.Random(3)
    texts = []
    for _ in range(120):
        words = ["".join(chosen.choices(LETTERS, k=5)) for _ in range(120)]
        texts += [" ".join(words), " ".join(word if chosen.random() > 1 / 8 else "other" for word in words)]
    docs = jsonl(*({"id": i, "text": text, "topic": i // 2} for i, text in enumerate(texts)))
    pipeline, reasons, records = advised(tmp_path, "--field topic", docs)
    tried = {each["shingle"]: each for each in records if each["scope"] == "setting"}
    assert {"-k 1", "-k 10", "--chars -k 4"} < {" ".join(each.split(" --max-df")[:1]) for each in tried}
    assert "of 120 pairs found 120 are right, of 120 true ones: precision 100 % (" in reasons["labels"]
    assert pairs_of(pipeline, docs, tmp_path) == {frozenset((2 * i, 2 * i + 1)) for i in range(120)}
    assert pairs_of("shingle -k 10 | simjoin -t 0.8", docs, tmp_path) == set()


def test_how_good_a_choice_is_does_not_depend_on_the_number_of_all_documents(tmp_path: Path) -> None:
    """Weights of a billion documents, in units, need more than 64 bits in sums."""
    docs = pipe(DOCS.read_bytes(), "canon")
    truth = tmp_path / "truth.jsonl"
    truth.write_bytes(pipe(docs, "shingle -k 5", "simjoin -t 0.6"))
    few, many = (
        [
            record
            for record in advised(tmp_path, f"--truth {truth} --documents {number}", docs)[2]
            if record["scope"] == "score"
        ]
        for number in (300, 999_999_999)
    )
    for one, two in zip(few, many, strict=True):
        shares = [name for name in one if name.partition("_")[0] in ("precision", "recall", "f1")]
        assert len(shares) == 9
        assert [one[name] for name in shares] == [two[name] for name in shares]
        pairs = one["pairs"], two["pairs"]
        assert pairs[0] == 0 or 0.9 < pairs[1] / pairs[0] / (999_999_999 / 300) ** 2 < 1.1


def test_labels_that_no_pair_has_decide_nothing(tmp_path: Path) -> None:
    unlike = [" ".join(chr(0x4E00 + i) * 30) for i in range(120)]  # no two share a character
    docs = jsonl(*({"id": i, "text": text, "l": i // 2} for i, text in enumerate(unlike)))
    done = ran(tmp_path, "--field l", docs)
    said = "the setting that one half of the sample chooses finds no true pair of the other half"
    said = f"simtune: the labels decide nothing: {said}\n"
    assert (done.status, done.err) == (0, said)
    records = [json.loads(line) for line in done.out.splitlines()]
    reasons = {record["rule"]: record["because"] for record in records if record["scope"] == "reason"}
    assert (records[0]["true"], records[-1]["pipeline"]) == (60, advised(tmp_path, docs=docs)[0])
    assert {each.get("f1", 0) for each in records if each["scope"] == "setting"} == {0}
    assert reasons["labels"] == said.removeprefix("simtune: ").rstrip()


@pytest.mark.parametrize("count", [1, 99, 100])
def test_a_small_sample_is_called_small(count: int, tmp_path: Path) -> None:
    texts = (texts_of("titles") * 2)[:count]
    _, reasons, records = advised(tmp_path, docs=jsonl(*({"id": i, "text": text} for i, text in enumerate(texts))))
    documents = "1 document" if count == 1 else f"{count} documents"
    said = None if count == 100 else f"the sample has {documents}: what fewer than 100 say may be chance"
    assert (reasons.get("few"), records[-1]["scope"]) == (said, "advice")


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


def test_what_does_not_fit_is_sketched(tmp_path: Path) -> None:
    """The recall that is expected is that of the pipeline, within 0.05."""
    words = pipe(DOCS.read_bytes(), "canon")
    pipeline, reasons, records = advised(tmp_path, "--documents 3000000 -k 5", words)
    assert pipeline == "shingle -k 5 | sketch -n 168 | simjoin -t 0.8 --forest"
    assert reasons["signature"].startswith(
        "sketch -n 168: 2136 bytes for each of 3000000 documents are more than 4096 MB"
    )
    (form,) = (each for each in records if each["scope"] == "signature" and each["signature"] == "sketch -n 168")
    found = pairs_of(pipeline.removesuffix(" --forest"), words, tmp_path)
    exact = pairs_of("shingle -k 5 | simjoin -t 0.8", words, tmp_path)
    assert len(found & exact) / len(exact) == pytest.approx(form["recall"], abs=0.05)
    assert form["recall"] >= 0.9
    assert "--forest: " in reasons["forest"]
    (tmp_path / "line").write_text(pipeline)
    assert 0 < len(pairs_of(pipeline, words, tmp_path)) <= len(found)
    assert advised(tmp_path, "--documents 999999999 -k 5", words)[0] == (
        "shingle -k 5 | sketch -n 168 | simjoin -t 0.8 -S 4G --forest"
    )


def test_sketches_propose_where_the_exact_join_compares_too_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(advice, "MOST_CANDIDATES", 100)
    words = pipe(DOCS.read_bytes(), "canon")
    pipeline, reasons, _ = advised(tmp_path, "-k 5", words)
    assert pipeline == "shingle -k 5 | sketch -n 84 --keep | simjoin -t 0.8 --verify"
    assert reasons["signature"].startswith("sketch -n 84 --keep and --verify: the exact join compares up to ")
    assert pairs_of(pipeline, words, tmp_path) == pairs_of("shingle -k 5 | simjoin -t 0.8", words, tmp_path)


def test_other_fields_are_in_the_pipeline(tmp_path: Path) -> None:
    docs = jsonl(*({"my id": i, "the text": text} for i, text in enumerate(texts_of("long"))))
    (tmp_path / "d").write_bytes(docs)
    ran = run_here("simtune", "--id", "my id", "--text", "the text", "-t", "3/7", "-k", "3", "d", cwd=tmp_path)
    pipeline = ran.records()[-1]["pipeline"]
    assert pipeline == "shingle --id 'my id' --text 'the text' -k 3 | simjoin --id 'my id' -t 3/7"
    assert pairs_of(pipeline, docs, tmp_path) == {frozenset((i, 60 + i)) for i in range(20)}


def test_fields_that_look_like_options_are_in_the_pipeline(tmp_path: Path) -> None:
    docs = jsonl(*({"-id": i, "--text": text} for i, text in enumerate(texts_of("long"))))
    pipeline = run_here("simtune --id=-id --text=--text -k 3", stdin=docs, cwd=tmp_path).records()[-1]["pipeline"]
    assert pipeline == "shingle --id=-id --text=--text -k 3 | simjoin --id=-id -t 0.8"
    assert pairs_of(pipeline, docs, tmp_path) == {frozenset((i, 60 + i)) for i in range(20)}


def test_scripts_without_spaces(tmp_path: Path) -> None:
    """Runs of five letters at most, though the texts are long."""
    chosen = random.Random(5)
    texts = [" ".join(chr(chosen.randrange(0x4E00, 0x5E00)) for _ in range(300)) for _ in range(10)]
    pipeline, reasons, _ = advised(tmp_path, docs=jsonl(*({"id": i, "text": text} for i, text in enumerate(texts))))
    assert pipeline == "shingle -k 5 | simjoin -t 0.8"
    assert reasons["k"].endswith("; 100 % of the words are single letters, so k is 5 at most")


def ran(folder: Path, options: str, docs: bytes, **files: bytes) -> Ran:
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return run_here(f"simtune {options}", stdin=docs, cwd=folder)


FEW_PAIRS = (
    "the labels decide nothing: of the true pairs one half of the sample has 1 and the other 0, and fewer than 30 may"
    " be chance"
)
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
        ("", {"members": [1, 2], "x": 1}, 0, FEW_PAIRS),
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
            'the id, the text, via and the label need fields of their own, not "id", "text", "via", "id"',
        ),
    ],
)
def test_a_truth_that_is_bad(options: str, truth: Record, status: int, message: str, tmp_path: Path) -> None:
    done = ran(tmp_path, f"--truth t {options}", TWO, t=jsonl(truth), o=TWO)
    bad = "simtune: t: not one good record\n" if message.startswith("t:") else ""
    assert (done.status, done.err) == (status, f"simtune: {message}\n{bad}" if message else "")
    assert (done.out == b"") is (status == 2)


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
        ("-k 1,2,3,4,5,6,7,8,9,10,11", 'argument -k: more than 10 numbers: "1,2,3,4,5,6,7,8,9,10,11"'),
        ("-t 0", "argument -t/--threshold: not a number above 0 and at most 1, such as 0.8 or 4/5"),
        ("--truth - -", "standard input can be read only once: name a FILE"),
    ],
)
def test_options_that_are_wrong(options: str, message: str, tmp_path: Path) -> None:
    done = ran(tmp_path, options, TWO)
    assert (done.status, done.out) == (2, b"")
    assert done.err.startswith(f"simtune: {message}")


def test_ten_thousand_equal_texts_are_one_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No pair of them is looked at one by one: with no work allowed, all are counted."""
    monkeypatch.setattr(counting, "STEPS", 0)
    docs = jsonl(*({"id": i, "text": "the same text of nine words is here again"} for i in range(10_000)))
    pipeline, _, records = advised(tmp_path, "-k 1", docs=docs)
    assert [each["pairs"] for each in records if each["scope"] == "band"][-1] == 9999 * 10_000 // 2
    assert pipeline == "shingle -k 1 | simjoin -t 0.8"


def test_documents_without_words(tmp_path: Path) -> None:
    docs = jsonl(*({"id": i, "text": " "} for i in range(5)), {"id": 9, "text": "a b"})
    _, _, records = advised(tmp_path, docs=docs)
    assert (records[0]["empty"], records[0]["sampled"]) == (5, 6)
    assert sum(each["pairs"] for each in records if each["scope"] == "band") == 0


def test_a_table_has_what_the_records_have(tmp_path: Path) -> None:
    data = pipe(DOCS.read_bytes(), "canon")
    records = run_here("simtune -k 5", stdin=data, cwd=tmp_path).records()
    shown = run_here("simtune -k 5 --table", stdin=data, cwd=tmp_path).good().decode()
    blocks = [block.splitlines() for block in shown.split("\n\n")]
    scopes = [scope for scope, _ in groupby(each["scope"] for each in records)]
    assert len(blocks) == len(scopes)
    for scope, block in zip(scopes[:-2], blocks, strict=False):
        assert len(block) == 2 + len([each for each in records if each["scope"] == scope])
    assert blocks[1][:2] == [
        "words of a document:",
        "least  tenth  quarter  median  three quarters  nine tenths  greatest     mean",
    ]
    assert shown.endswith(f"\n{records[-1]['pipeline']}\n")
    assert [line for line in shown.splitlines() if line.endswith(" ")] == []


def test_the_other_set_is_not_standard_input(tmp_path: Path) -> None:
    ran = run_here("simtune --against - -o out docs", cwd=tmp_path)
    assert (ran.status, ran.out, (tmp_path / "out").exists()) == (2, b"", False)
    assert ran.err == "simtune: --against -: the pipeline would read standard input a second time; name a file\n"


def test_questions_of_one_set_against_another(tmp_path: Path) -> None:
    """The pipeline runs as it is printed, with words and rules, characters and a limit: it finds the true pairs."""
    chosen = random.Random(7)
    words = ["".join(chosen.choices(LETTERS, k=6)) for _ in range(300)]
    texts = [" ".join(chosen.choices(words, k=12)) for _ in range(70)]
    asked = [" ".join(sorted(text.split()[:10])) for text in texts]
    docs = jsonl(*({"id": i, "text": text} for i, text in enumerate(asked)))
    (tmp_path / "o").write_bytes(jsonl(*({"id": i, "text": text} for i, text in enumerate(texts))))
    (tmp_path / "t").write_bytes(jsonl(*({"a": i, "b": i, "against": True} for i in range(70))))
    pipeline, reasons, records = advised(tmp_path, "--against o --truth t", docs)
    assert (records[0]["read"], records[0]["true"]) == (140, 70)
    assert " true ones: precision " in reasons["labels"]
    (tmp_path / "docs").write_bytes(docs)
    (tmp_path / "line").write_text(pipeline)
    found = shell("sh line < docs", tmp_path).good()
    right = [pair["a"] == pair["b"] and pair["against"] for pair in map(json.loads, found.splitlines())]
    assert sum(right) == 70
    assert len(right) < 75
    for setting in (
        Setting(Way(ShingleUnits(1), "--stop en --stem en"), 20, "jaccard", Fraction(1, 5)),
        Setting(Way(ShingleUnits(4, chars=True)), Fraction(1, 10), "containment", Fraction(1, 2)),
        Setting(Way(ShingleUnits(1), "--stop en --stem en"), None, "shared", Fraction(8)),
    ):
        spec = TuneSpec("id", "text", others=["o"])
        for form in (None, sketch(42, Fraction(1, 2))):
            for path in tmp_path.glob("simtune.*"):
                path.unlink()
            line = wording.pipeline(spec, setting._replace(threshold=Fraction(1, 2)) if form else setting, [], form)
            if form is not None and setting.measure != "jaccard":
                continue
            (tmp_path / "line").write_text(line)
            lines = shell("sh line < docs", tmp_path).good().splitlines()
            assert all(pair["against"] for pair in map(json.loads, lines))
            assert form or sum(pair["a"] == pair["b"] for pair in map(json.loads, lines)) > 35


def test_pairs_that_labels_say_nothing_of_are_not_wrong(tmp_path: Path) -> None:
    """Each text thrice; a truth judges the first and the second, and two texts that differ: precision is 1."""
    texts = texts_of("long")[:60]
    docs = jsonl(*({"id": f"{i}{copy}", "text": text} for i, text in enumerate(texts) for copy in "abc"))
    same = [{"a": f"{i}a", "b": f"{i}b"} for i in range(60)]
    (tmp_path / "t").write_bytes(jsonl(*same, *({"a": f"{i}a", "b": f"{i + 1}b", "label": 0} for i in range(59))))
    _, _, records = advised(tmp_path, "--truth t", docs)
    scores = [each for each in records if each["scope"] == "score"]
    assert {(each["precision"], each["right"]) for each in scores if each["least"] >= 0.5} == {(1, 60)}
    (tmp_path / "t").write_bytes(jsonl(*same))  # all pairs of a truth that judges none to be different count
    _, _, records = advised(tmp_path, "--truth t", docs)
    assert max(each["precision"] or 0 for each in records if each["scope"] == "score") < 0.5
