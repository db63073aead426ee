"""An archive is asked as a file of the same records would be, whatever was added, dropped and merged before."""

import json
import random
from pathlib import Path

import pytest

from harness import DOCS, Record, jsonl, pipe, run, run_here, shell
from shingletools.commands.simjoin import indexed
from shingletools.commands.simjoin.join_options import JoinOptions
from simjoin import all_pairs

SIGNATURES = ("sketch", "sketch --bits 8", "sketch --super 14", "sketch --mega 14", "sketch --simhash")
LEAST = {
    "sketch": ("-t0.3", "-t0.31", "-t0.5", "-t4/5", "-t1"),
    "sketch --bits 8": ("-t0.3", "-t4/5"),
    "sketch --super 14": ("-m1", "-m2", "-m6"),
    "sketch --mega 14": ("-m1", "-m3"),
    "sketch --simhash": ("-d14", "-d3", "-t0.9", "-d0"),
}


@pytest.fixture(scope="module", params=SIGNATURES)
def signed(request: pytest.FixtureRequest) -> tuple[str, list[bytes]]:
    """A way to make signatures, and those of the sample documents."""
    return request.param, pipe(DOCS.read_bytes(), "canon", "shingle -k 4", request.param).splitlines(keepends=True)


def test_the_answers_of_a_file(signed: tuple[str, list[bytes]], tmp_path: Path) -> None:
    way, lines = signed
    least, *higher = LEAST[way]
    old, new = lines[::2], lines[1::2]
    (tmp_path / "new").write_bytes(b"".join(new))
    rng = random.Random(0)
    there: list[bytes] = []
    for step in range(4):
        some = [line for line in old if line not in there and (step == 3 or rng.random() < 0.4)]
        rng.shuffle(some)
        (tmp_path / "some").write_bytes(b"".join(some))
        run_here("simindex add A some", least, cwd=tmp_path).good()
        there += some
        gone = rng.sample(there, 5)
        (tmp_path / "gone").write_bytes(b"".join(gone))
        run_here("simindex drop A --ids gone", cwd=tmp_path).good()
        there = [line for line in there if line not in gone]
        if step == 1:
            run_here("simindex merge A", cwd=tmp_path).good()
        (tmp_path / "old").write_bytes(b"".join(there))
        assert run_here("simindex dump A", cwd=tmp_path).good() == b"".join(there)
        counts = []
        for threshold in (least, *higher):
            expected = run_here("simjoin --against old new", threshold, cwd=tmp_path).good()
            assert run_here("simjoin --against A new", threshold, cwd=tmp_path).good() == expected
            assert run_here("simjoin --against A new -S1M", threshold, cwd=tmp_path).good() == expected
            counts.append(expected.count(b"\n"))
        assert max(counts) > 5
        run_here("simindex check A", cwd=tmp_path).good()
    run_here("simindex merge A", cwd=tmp_path).good()
    assert run_here("simindex dump A", cwd=tmp_path).good() == b"".join(there)
    assert len(list((tmp_path / "A").glob("*.npz"))) == 1
    assert (
        run_here("simjoin --against A new", least, cwd=tmp_path).good()
        == run_here("simjoin --against old new", least, cwd=tmp_path).good()
    )


def planted(rng: random.Random, names: range, n: int, pool: list[list[int]]) -> bytes:
    """Sketches near to those of a pool, of few different components, so that buckets are large."""
    records = []
    for name in names:
        row = [part if rng.random() < 0.8 else rng.randrange(4) for part in rng.choice(pool)]
        payload = " ".join(f"{part:08x}" for part in row) if rng.random() < 0.95 else ""
        records.append({"id": name, "sketch": payload})
    return jsonl(*records[: len(names)]) if n else b""


def brute_force(new: bytes, old: bytes, least: int) -> list[Record]:
    """All pairs that agree in so many components, compared one by one."""
    news, olds = ([json.loads(line) for line in lines.splitlines()] for lines in (new, old))
    words = [[int(word, 16) for word in each["sketch"].split()] for each in (*news, *olds)]
    pairs = all_pairs.brute_force(words, JoinOptions(agreeing=least), len(news))
    names = [each["id"] for each in (*news, *olds)]
    return [{**pair, "a": names[pair["a"]], "b": names[pair["b"]]} for pair in pairs]


@pytest.mark.parametrize("seed", range(6))
def test_brute_force(seed: int, tmp_path: Path) -> None:
    """With 1 to 25 segments, some merged, of sketches with 2 to 12 components."""
    rng = random.Random(seed)
    n = rng.randrange(2, 13)
    least = rng.randrange(1, n + 1)
    pool = [[rng.randrange(4) for _ in range(n)] for _ in range(5)]
    old = planted(rng, range(300), n, pool).splitlines(keepends=True)
    new = planted(rng, range(200, 320), n, pool)
    (tmp_path / "new").write_bytes(new)
    cuts = sorted(rng.sample(range(1, 300), rng.choice([0, 3, 24])))
    for start, stop in zip([0, *cuts], [*cuts, 300], strict=True):
        (tmp_path / "some").write_bytes(b"".join(old[start:stop]))
        run_here(f"simindex add A -m {least} some", cwd=tmp_path).good()
        if rng.random() < 0.1:
            run_here("simindex merge A", cwd=tmp_path).good()
    for wanted in range(least, n + 1):
        ran = run_here(f"simjoin --against A -m {wanted} new", cwd=tmp_path)
        assert ran.records() == brute_force(new, b"".join(old), wanted)


@pytest.mark.parametrize(
    ("copies", "joined"), [(1, indexed.JOIN_DOCUMENTS), (1000, indexed.JOIN_DOCUMENTS), (1000, 90)]
)
def test_a_bucket_of_many(copies: int, joined: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents that share half of their components with very many: each pair is found, and no other."""
    monkeypatch.setattr(indexed, "JOIN_DOCUMENTS", joined)
    half = " ".join(["00000001"] * 6)
    old = [{"id": i, "sketch": f"{half} " + " ".join(f"{i // copies:08x}" for _ in range(6))} for i in range(6000)]
    new = [
        {"id": i, "sketch": f"{half} " + " ".join(f"{i + 7 if i % 2 else 3:08x}" for _ in range(6))} for i in range(300)
    ]
    (tmp_path / "old").write_bytes(jsonl(*old))
    (tmp_path / "new").write_bytes(jsonl(*new))
    run_here("simindex add A -m 8 old", cwd=tmp_path).good()
    ran = run_here("simjoin -m 8 --against A new", cwd=tmp_path)
    assert ran.good() == run_here("simjoin -m 8 --against old new", cwd=tmp_path).good()
    assert ran.good() == run_here("simjoin -m 8 --against A -S 1M new", cwd=tmp_path).good()
    assert len(ran.records()) > 290


@pytest.mark.parametrize("seed", range(8))
def test_any_limits(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is held and joined at once, with copies on both sides, dropped documents and several segments."""
    rng = random.Random(seed)
    for name, values in {
        "BATCH_DOCUMENTS": (7, 1 << 18),
        "MAX_PAIRS": (1, 50),
        "CROWDED_CANDIDATES": (0, 1, 3),
        "JOIN_DOCUMENTS": (20, 1 << 17),
        "BATCH_CANDIDATES": (1, 1 << 15),
    }.items():
        monkeypatch.setattr(indexed, name, rng.choice(values))
    pool = [[rng.randrange(4) for _ in range(6)] for _ in range(4)]
    old, new = (
        [rng.choice(some) for _ in range(number)]  # with copies, but for their ids
        for number in (150, 60)
        for some in [planted(rng, range(20), 6, pool).splitlines()]
    )
    lines = [
        [b'{"id":%d,%b\n' % (number, line.partition(b", ")[2]) for number, line in enumerate(each)]
        for each in (old, new)
    ]
    for name, some in zip(("one", "two", "new"), (lines[0][:90], lines[0][90:], lines[1]), strict=True):
        (tmp_path / name).write_bytes(b"".join(some))
    (tmp_path / "gone").write_bytes(b"".join(lines[0][::10]))
    for each in ("add A -m 3 one", "add A two", "drop A --ids gone"):
        run_here(f"simindex {each}", cwd=tmp_path).good()
    there = [line for number, line in enumerate(lines[0]) if number % 10]
    pairs = brute_force(b"".join(lines[1]), b"".join(there), 3)
    assert run_here("simjoin --against A -m 3 new", cwd=tmp_path).records() == pairs
    assert run_here("simjoin --against A -m 3 -S 1M new", cwd=tmp_path).records() == pairs
    asked = b"".join(line.replace(b'"id":', b'"id":9000') for line in lines[1])  # which the archive does not have
    (tmp_path / "new").write_bytes(asked)
    known = run_here("simindex add A --unless-known -m 3 -S 1K new", cwd=tmp_path).records()
    assert known == [{**pair, "a": int(f"9000{pair['a']}")} for pair in pairs]


def test_copies_take_no_memory(tmp_path: Path) -> None:
    """Two thousand of two thousand: their pairs are written as they are found."""
    text = "one two three four five six"
    for name in ("old", "new"):
        documents = jsonl(*({"id": f"{name}{number}", "text": text} for number in range(2000)))
        (tmp_path / name).write_bytes(pipe(documents, "canon", "shingle -k 2", "sketch"))
    run_here("simindex add A old", cwd=tmp_path).good()
    pairs = shell("simjoin --against old new | cksum", tmp_path).good()
    assert int(pairs.split()[1]) == 2000 * sum(
        len(f'{{"a":"new{number}","b":"old{number}","similarity":1.0,"against":true}}\n') for number in range(2000)
    )
    for command in ("simjoin --against A", "simjoin -S 1M --against A", "simindex add A --unless-known"):
        assert shell(f"ulimit -v 700000; {command} new | cksum", tmp_path).good() == pairs
    assert shell("ulimit -v 700000; simjoin --best 1 --against A new", tmp_path).records() == [
        {"a": f"new{number}", "b": "old0", "similarity": 1.0, "against": True} for number in range(2000)
    ]


def test_ids(tmp_path: Path) -> None:
    one, other = {"id": "x", "sketch": "0000000a"}, {"id": "x", "sketch": "0000000b"}
    run_here("simindex add A", stdin=jsonl(one, one, {"id": 2, "sketch": "0000000a"}), cwd=tmp_path).good()
    ran = run_here("simindex add A --rejects bad", stdin=jsonl(one, other, {"id": "2", "sketch": ""}), cwd=tmp_path)
    assert (ran.status, ran.err) == (1, 'simindex: -:2: A has another record of id "x"\n')
    assert (tmp_path / "bad").read_bytes() == jsonl(other)
    ran = run_here(
        "simindex add A", stdin=jsonl({"id": 3, "sketch": "00000001"}, {"id": 3, "sketch": "00000002"}), cwd=tmp_path
    )
    assert (ran.status, ran.err) == (1, "simindex: -:2: id 3 was seen before\n")
    ran = run_here("simindex add A --strict", stdin=jsonl({"id": 4, "sketch": "00000001"}, other), cwd=tmp_path)
    assert (ran.status, ran.err) == (2, 'simindex: -:2: A has another record of id "x"\n')
    assert [json.loads(line)["id"] for line in run_here("simindex dump A", cwd=tmp_path).good().splitlines()] == [
        "x",
        2,
        "2",
        3,
    ]
    run_here("simindex drop A --ids -", stdin=jsonl({"id": "x"}, {"id": "never"}), cwd=tmp_path).good()
    run_here("simindex add A", stdin=jsonl(other), cwd=tmp_path).good()
    assert run_here("simindex dump A", cwd=tmp_path).records()[-1] == other
    run_here("simindex merge A", cwd=tmp_path).good()
    assert run_here("simindex list A", cwd=tmp_path).records()[0]["documents"] == 4


def test_several_segments_in_little_memory(tmp_path: Path) -> None:
    """Ids that come again are found, in whatever segment they are."""
    lines = [
        line.replace(b'"id":"', b'"id":"%d-' % copy)
        for copy in range(5)
        for line in pipe(DOCS.read_bytes(), "canon", "shingle", "sketch").splitlines(keepends=True)
    ]
    (tmp_path / "old").write_bytes(b"".join(lines))
    run_here("simindex add A -S 40K old", cwd=tmp_path).good()
    listed = run_here("simindex list A", cwd=tmp_path).records()[0]
    assert len(listed["segments"]) > 3
    assert run_here("simindex dump A", cwd=tmp_path).good() == b"".join(lines)
    ran = run_here("simindex add A -v -S 40K old", cwd=tmp_path)
    assert ", 0 added, 1500 there already" in ran.err
    run_here("simindex add B -S 40K old old", cwd=tmp_path).good()
    assert run_here("simindex dump B", cwd=tmp_path).good() == b"".join(lines)


def test_the_same_files_with_any_number_of_workers(tmp_path: Path) -> None:
    """Whatever lines come at once, a segment ends with the record that fills it."""
    lines = DOCS.read_bytes().splitlines(keepends=True)
    docs = [
        line.replace(b'"id":"', b'"n":%d,"id":"%d-' % (copy % 2 or number, copy))
        for copy in range(12)
        for number, line in enumerate(lines)
    ]
    docs[::50] = [b'{"id":0}\n'] * len(docs[::50])  # which the kernel leaves alone
    (tmp_path / "docs").write_bytes(b"".join(docs))
    steps = "canon docs --allow-rejects 100 | shingle -k 4 | sketch -n 20"
    made = shell(steps, tmp_path).out.splitlines(keepends=True)
    (tmp_path / "made").write_bytes(b"".join(made))
    shell("simindex add A -S 100K made", tmp_path)
    for name, run_it in (("B", "shingletools run"), ("C", "shingletools run -j 3")):
        shell(f"{run_it} '{steps} | simindex add {name} -S 100K'", tmp_path)
    expected, *others = ({each.name: each.read_bytes() for each in (tmp_path / name).iterdir()} for name in "ABC")
    assert len(expected) > 20
    assert others == [expected, expected]
    # As many records as fit: each takes its signature, id and 50 bytes, and each distinct rest of a line itself and 40
    sizes, taken, rests = [0], 0, set[bytes]()
    for line in made:
        if taken >= 50 << 10:
            sizes, taken, rests = [*sizes, 0], 0, set()
        name, sketch = (json.loads(line)[field].encode() for field in ("id", "sketch"))
        rest = line.rstrip(b"\n").replace(b'"%b"' % name, b"I").replace(sketch, b"S")
        taken += 4 * 20 + len(name) + 2 + 50 + (0 if rest in rests else len(rest) + 40)
        rests.add(rest)
        sizes[-1] += 1
    segments = run_here("simindex list A", cwd=tmp_path).records()[0]["segments"]
    assert [segment["documents"] for segment in segments] == sizes


def test_files_and_archives_in_any_order(tmp_path: Path) -> None:
    lines = pipe(DOCS.read_bytes(), "canon", "shingle -k 4", "sketch").splitlines(keepends=True)
    for number, name in enumerate("abcdn"):
        (tmp_path / name).write_bytes(b"".join(lines[number::5]))
    for name in "abcd":
        run_here(f"simindex add {name.upper()} -t 0.3 {name}", cwd=tmp_path).good()
    for order in ("abcd", "Abcd", "aBcd", "ABCD", "abCd", "aBCd", "abcD", "AbcD", "aBcD"):
        words = [word for name in order for word in ("--against", name)]
        plain = [word.lower() if len(word) == 1 else word for word in words]
        for options in (["-t0.3"], ["-t0.3", "-S1M"], ["-t0.5", "-j2", "--interval", "--measure=dice"]):
            expected = run_here("simjoin n", *options, *plain, cwd=tmp_path).good()
            assert expected.count(b"\n") > 10
            assert run_here("simjoin n", *options, *words, cwd=tmp_path).good() == expected


@pytest.mark.parametrize("order", ["aA", "Aa", "AB", "bAB", "AbB", "BAb", "cAb", "cAbB"])
def test_an_id_in_two_of_them(order: str, tmp_path: Path) -> None:
    lines = pipe(DOCS.read_bytes(), "canon", "shingle -k 4", "sketch").splitlines(keepends=True)
    for name, some in (("a", lines[::2]), ("b", lines[::3]), ("n", lines[1::2])):
        (tmp_path / name).write_bytes(b"".join(some))
    (tmp_path / "c").write_bytes(b"".join(line.replace(b'{"id":"', b'{"id":"c-') for line in lines[:9]))
    for name in "ab":
        run_here(f"simindex add {name.upper()} -t 0.3 {name}", cwd=tmp_path).good()
    words = [word for name in order for word in ("--against", name)]
    plain = [word.lower() if len(word) == 1 else word for word in words]
    for options in (["-t0.3"], ["-t0.3", "-S1M"]):
        expected = run_here("simjoin n --all-messages --rejects bad", *options, *plain, cwd=tmp_path)
        rejected = (tmp_path / "bad").read_bytes()
        ran = run_here("simjoin n --all-messages --rejects bad", *options, *words, cwd=tmp_path)
        assert (ran.status, ran.out) == (expected.status, expected.out) == (1, ran.out)
        assert sorted((tmp_path / "bad").read_bytes().splitlines()) == sorted(rejected.splitlines())
        # Without advice, which only one of them may give
        every = ([line.partition(";")[0] for line in each.err.splitlines()] for each in (ran, expected))
        causes = [sorted(line.rpartition(": ")[2] for line in lines) for lines in every]
        assert causes[0] == causes[1]


def test_repeated_records_of_an_archive_were_not_good_ones(tmp_path: Path) -> None:
    """They are counted as bad, and only so."""
    old = jsonl(*({"id": name, "sketch": f"{name:08x}"} for name in range(10)))
    (tmp_path / "old").write_bytes(old)
    run("simindex add A old", cwd=tmp_path).good()
    new = jsonl({"id": 1, "sketch": "00000001"})
    for allowed, status in (("10", 0), ("9", 1), ("47%", 1), ("48%", 0)):
        ran = run("simjoin -v --against old --against A --allow-rejects", allowed, stdin=new, cwd=tmp_path)
        assert ran.status == status
        assert "simjoin: 11 records, 10 rejected, " in ran.err


def test_a_reader_that_goes_away_fails_the_run(tmp_path: Path) -> None:
    """For then the archive is left as it was."""
    old, new = (
        jsonl(*({"id": f"{side}{name}", "sketch": "0000000a"} for name in range(1000))) for side in ("old", "new")
    )
    (tmp_path / "new").write_bytes(new)
    run("simindex add A", stdin=old, cwd=tmp_path).good()
    ran = shell("simindex add A --unless-known new | head -1; exit ${PIPESTATUS[0]}", tmp_path)
    assert (ran.status, ran.out.count(b"\n")) == (2, 1)
    assert ran.err == "simindex: standard output: the reader has gone away, so A is left as it was\n"


def test_fields_within_objects(tmp_path: Path) -> None:
    lines = b'{"meta":{"url":"a"}, "sketch":"0000000a"}\n{"meta.url":"b","sketch":"0000000b"}\n'
    run("simindex add A --id meta.url", stdin=lines, cwd=tmp_path).good()
    assert run("simindex dump A", cwd=tmp_path).good() == lines
    run("simindex add A --id meta.url --strict", stdin=lines, cwd=tmp_path).good()
    new = b'{"meta":{"url":"c"},"sketch":"0000000b"}\n'
    pairs = run("simjoin --against A --id meta.url", stdin=new, cwd=tmp_path).good()
    assert pairs == b'{"a":"c","b":"b","similarity":1.0,"against":true}\n'


def test_a_first_writer_that_was_killed(tmp_path: Path) -> None:
    """Between the file of its first manifest and that file's name."""
    (tmp_path / "A").mkdir()
    (tmp_path / "A" / "lock").touch()
    (tmp_path / "A" / "manifest.json.new").write_bytes(b"half")
    old = jsonl({"id": 1, "sketch": "0000000a"})
    run("simindex add A", stdin=old, cwd=tmp_path).good()
    assert run("simindex dump A", cwd=tmp_path).good() == old


def test_unless_known(tmp_path: Path) -> None:
    lines = pipe(DOCS.read_bytes(), "canon", "shingle -k 4", "sketch").splitlines(keepends=True)
    (tmp_path / "old").write_bytes(b"".join(lines[::3]))
    (tmp_path / "new").write_bytes(b"".join(lines[1::3] + lines[2::3]))
    run_here("simindex add A -t 0.3 old", cwd=tmp_path).good()
    expected = run_here("simjoin -t 0.5 --against old new", cwd=tmp_path).good()
    known = {json.loads(line)["a"] for line in expected.splitlines()}
    stays = [line for line in lines[1::3] + lines[2::3] if json.loads(line)["id"] not in known]
    assert 20 < len(known) < 180
    for _ in range(3):  # as after failures
        run_here("simindex add A --unless-known --as new -t 0.5 new -o known", cwd=tmp_path).good()
        assert (tmp_path / "known").read_bytes() == expected
        assert run_here("simindex dump A", cwd=tmp_path).good() == b"".join(lines[::3] + stays)
    run_here("simindex merge A", cwd=tmp_path).good()
    assert run_here("simindex add A --unless-known --as new -t 0.5 new", cwd=tmp_path).good() == expected
    assert run_here("simindex add B --unless-known -S 40K -t 0.3 old", cwd=tmp_path).good() == b""
    assert run_here("simindex add B --unless-known -S 40K -t 0.5 new new", cwd=tmp_path).good() == expected


def test_bad_records(tmp_path: Path) -> None:
    """They are reported and kept, and all others are added."""
    good = jsonl({"id": 1, "sketch": "0000000a"}, {"id": 2, "sketch": "0000000b"})
    bad = [
        (b"{", "not JSON (column 2)"),
        (b'{"id":3}', 'field "sketch" is missing'),
        (b'{"id":1.5,"sketch":"0000000a"}', 'field "id" is neither a string nor an integer of 64 bits'),
        (b'{"id":4,"sketch":"000"}', 'field "sketch" is not groups of 2, 4, 8 or 16 hex digits, all alike'),
        (b'{"id":5,"id":5,"sketch":""}', 'field "id" occurs twice'),
    ]
    stdin = good + b"".join(line + b"\n" for line, _ in bad) + jsonl({"id": 6, "sketch": "0000000c"})
    ran = run("simindex add A --rejects bad", stdin=stdin, cwd=tmp_path)
    said = "".join(f"simindex: -:{number}: {cause}\n" for number, (_, cause) in enumerate(bad, 3))
    assert (ran.status, ran.out, ran.err) == (1, b"", said)
    assert (tmp_path / "bad").read_bytes() == b"".join(line + b"\n" for line, _ in bad)
    assert run("simindex dump A", cwd=tmp_path).good() == good + jsonl({"id": 6, "sketch": "0000000c"})
    ran = run("simindex add B --strict", stdin=stdin, cwd=tmp_path)
    assert (ran.status, ran.err) == (2, "simindex: -:3: not JSON (column 2)\n")
    assert not (tmp_path / "B").exists()
    ran = run("simindex add A --allow-rejects 4 --id n", stdin=stdin.replace(b'"id"', b'"n"'), cwd=tmp_path)
    last = "simindex: A is left as it was: too many bad records\n"
    assert (ran.status, ran.err.splitlines(True)[-1]) == (1, last)
    assert run("simindex dump A", cwd=tmp_path).good() == good + jsonl({"id": 6, "sketch": "0000000c"})
    assert run("simindex add A --allow-rejects 5", stdin=stdin, cwd=tmp_path).status == 0
