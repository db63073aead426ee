"""sketch --lexicon and --top: against definitions written differently, and on texts made to differ."""

import json
import math
import random
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from blake3 import blake3
from hypothesis import given
from hypothesis import strategies as st

from harness import jsonl, pipe, run
from shingletools.commands.sketch.word_signatures import LexiconSketch

WORDS = [f"w{number}" for number in range(60)]
SEEN = st.lists(st.lists(st.sampled_from(WORDS[:12]), max_size=12), min_size=2, max_size=6)


def tabled(texts: list[list[str]]) -> tuple[bytes, bytes, dict[str, dict[str, object]]]:
    """Shingled records, the table of frequencies, and its lines by their words."""
    records = jsonl(*({"id": number, "text": " ".join(words)} for number, words in enumerate(texts)))
    table = pipe(records, "shingle -k 1 --df")
    return pipe(records, "shingle -k 1"), table, {line["words"]: line for line in map(json.loads, table.splitlines())}


def digest(fingerprints: set[str]) -> str:
    return str(blake3(b"".join(bytes.fromhex(each) for each in sorted(fingerprints))).hexdigest()[:16])


def sketches(options: str, shingled: bytes, folder: Path) -> list[str]:
    return [record["sketch"] for record in run(f"sketch {options}", stdin=shingled, cwd=folder).records()]


def finalized(value: int) -> int:
    """MurmurHash3's finalizer."""
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53, 1):
        value = (value ^ value >> 33) * factor % 2**64
    return value


@pytest.mark.parametrize(("between", "least"), [(None, 5), ((1, 2), 1), ((0, 9), 3)])
def test_the_definition_of_i_match(between: tuple[int, int] | None, least: int, tmp_path: Path) -> None:
    rng = random.Random(least)
    texts = [rng.choices(WORDS, range(1, 61), k=rng.randrange(0, 40)) for _ in range(40)]
    shingled, table, lines = tabled(texts)
    (tmp_path / "df").write_bytes(table)
    weights = {words: Fraction(str(line["weight"])) for words, line in lines.items()}
    low, high = between or (max(weights.values()) / 4, max(weights.values()) * 3 / 4)
    options = f" --idf {between[0]},{between[1]}" if between else ""
    stream = blake3(b"shingletools lexicon 0").digest(16)
    keys = [int.from_bytes(stream[at : at + 8], "little") for at in (0, 8)]
    expected = []
    for words in texts:
        every = {str(lines[word]["shingle"]) for word in words}
        known = {str(lines[word]["shingle"]) for word in words if low <= weights[word] <= high}
        chosen = [known, *({each for each in known if finalized(int(each, 16) ^ key) % 3} for key in keys)]
        parts = [digest(each if len(each) >= least else every) for each in chosen]
        expected.append(" ".join(parts) if words else "")
    found = sketches(f"--lexicon df --lexicons 3 --least {least}{options}", shingled, tmp_path)
    assert found == expected
    assert sketches(f"--lexicon df --least {least}{options}", shingled, tmp_path) == [each[:16] for each in expected]


def test_the_definition_of_the_heaviest_words(tmp_path: Path) -> None:
    rng = random.Random(6)
    texts = [["the", *rng.choices(WORDS, range(1, 61), k=max(0, rng.randrange(-5, 40)))] for _ in range(40)]
    shingled, table, lines = tabled(texts)
    (tmp_path / "df").write_bytes(table)
    assert lines["the"]["weight"] == 0
    expected = []
    for words in texts:
        counts = Counter(words)
        most = max(counts.values(), default=1)
        weigh = {
            str(lines[word]["shingle"]): (Fraction(1, 2) + Fraction(times, 2 * most))
            * round(float(str(lines[word]["weight"])) * 65536)
            for word, times in counts.items()
        }
        heaviest = sorted((each for each in weigh if weigh[each]), key=lambda each: (-weigh[each], each))[:6]
        expected.append(digest(set(heaviest)) if heaviest else "")
    shingled += jsonl({"id": "empty", "shingles": "", "via": json.loads(shingled.splitlines()[0])["via"]})
    assert sketches("--top 6 --weights df", shingled, tmp_path) == [*expected, ""]


@given(SEEN, st.randoms())
def test_neither_order_nor_repeats_count(texts: list[list[str]], rng: random.Random) -> None:
    sketch = LexiconSketch(np.arange(1, 12, dtype=np.uint64), 16, 2, 4, "x")
    for words in texts:
        numbers = [int(word[1:]) for word in words]
        others = numbers + rng.choices(numbers, k=3) if numbers else []
        rng.shuffle(others)
        one, two = (sketch(" ".join(f"{each:016x}" for each in some)) for some in (numbers, others))
        assert one == two
        assert len(one.split()) == (4 if numbers else 0)


def test_more_lexicons_find_texts_that_differ_in_a_word(tmp_path: Path) -> None:
    """A word of the lexicon that is not in the other text is left out by a third of the lexicons."""
    words = [f"w{number}" for number in range(40)]
    texts = [words, [*words[1:]], *([each] for each in words for _ in range(3)), *(["x"] for _ in range(200))]
    shingled, table, _ = tabled(texts)
    (tmp_path / "df").write_bytes(table)
    for options, pairs in [("", 0), (" --lexicons 30", 1)]:
        sketched = run(f"sketch --lexicon df --idf 1,9{options}", stdin=shingled, cwd=tmp_path).good()
        found = [json.loads(line) for line in run("simjoin", stdin=sketched).good().splitlines()]
        assert sum((pair["a"], pair["b"]) == (0, 1) for pair in found) == pairs
    one, two = (each.split() for each in sketches("--lexicon df --idf 1,9 --lexicons 301", shingled, tmp_path)[:2])
    agreeing = sum(a == b for a, b in zip(one, two, strict=True)) / 300
    assert abs(agreeing - 1 / 3) < 4.5 * math.sqrt(2 / 9 / 300)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--lexicons 2", "--lexicons needs --lexicon"),
        ("--idf 1,2", "--idf needs --lexicon"),
        ("--lexicon df -n 5", "-n cannot be combined with --lexicon, --top or --simhash, which make no min-hashes"),
        ("--top 2 --weights df -n 84", "-n cannot be combined with --lexicon, --top or --simhash, which make no min-"),
        ("--simhash -n 84", "-n cannot be combined with --lexicon, --top or --simhash, which make no min-hashes"),
        ("--simhash --seed 0", "--seed cannot be combined with --simhash"),
        ("--top 2 --weights df --seed 1", "--seed cannot be combined with --top"),
        ("--lexicon df --seed 1", "--seed needs --lexicons 2 or more if --lexicon is given"),
        ("--lexicon df --lexicons 1 --seed 0", "--seed needs --lexicons 2 or more if --lexicon is given"),
        ("--least 3", "--least needs --lexicon"),
        ("--top 6", "--top needs --weights"),
        ("--lexicon df --idf 1e9,1e99", 'argument --idf: not two ascending weights such as 2,8: "1e9,1e99" '),
        ("--lexicon df --weights df", "--weights cannot be combined with --lexicon, whose table has the weights"),
        ("--lexicon df --idf 3,4", "df: no word has a weight from 3 to 4"),
        ("--lexicon none", "--lexicon: none: No such file or directory"),
        ("--lexicon df --idf 2", 'argument --idf: not two ascending weights such as 2,8: "2" '),
        ("--lexicon df --idf 3,2", 'argument --idf: not two ascending weights such as 2,8: "3,2" '),
        ("--lexicon df --top 3 --weights df", "argument --top: not allowed with argument --lexicon "),
    ],
)
def test_what_is_refused(options: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "df").write_bytes(b'{"shingle":"00000000000000ff","weight":2}\n')
    ran = run(f"sketch {options}", cwd=tmp_path)
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err.startswith(f"sketch: {message}")
