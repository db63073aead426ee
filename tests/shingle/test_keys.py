"""shingle --key-file: the definition, and what it is for: texts that were crafted against one key fail another."""

from collections.abc import Callable
from pathlib import Path

import pytest
from blake3 import blake3

from harness import Record, jsonl, run
from shingletools.shingle.fingerprints import Rolling, Runs
from shingletools.shingle.keys import Key, derive_key

SECRETS = {"one": b"a secret of sixteen bytes or more\n", "two": b"another such secret"}
MASK = 2**64 - 1
MADE_UP = [f"w{number}" for number in range(6000)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, secret in SECRETS.items():
        (tmp_path / name).write_bytes(secret)
    return tmp_path


def slow_keyed(words: list[str], secret: bytes) -> str:
    """The definition of shingle(1), in Python's unbounded integers."""
    derived = blake3(secret, derive_key_context="shingletools 2026-11-21 shingle --key-file").digest(40)
    base = int.from_bytes(derived[32:], "little") | 1
    z = 0
    for word in words:
        z = z * base + int.from_bytes(blake3(word.encode(), key=derived[:32]).digest(8), "little")
    z &= MASK
    z ^= z >> 32
    z = z * 0xD6E8FEB86659FD93 & MASK
    return f"{z ^ z >> 32:016x}"


@pytest.mark.parametrize("options", ["-k 3", "-k 3 --chars"])
@pytest.mark.parametrize("kernel", ["c", "numpy"])
def test_rolling(options: str, kernel: str, folder: Path) -> None:
    words = f"to be or not to be {'x' * 70} {'ж' * 900}".split()
    units = list(" ".join(words)) if "chars" in options else words
    document = jsonl({"id": 1, "text": " ".join(words)})
    ran = run(f"shingle {options} --key-file one", stdin=document, cwd=folder, env={"SHINGLETOOLS_KERNEL": kernel})
    expected = [slow_keyed(units[i : i + 3], SECRETS["one"]) for i in range(len(units) - 2)]
    assert ran.records()[0]["shingles"].split() == expected


def test_blake3(folder: Path) -> None:
    ran = run("shingle -k 2 --hash blake3 --key-file one", stdin=jsonl({"id": 1, "text": "to be or"}), cwd=folder)
    key = derive_key(SECRETS["one"]).words
    expected = " ".join(blake3(run, key=key).hexdigest()[:16] for run in (b"to be", b"be or"))
    assert ran.records() == [{"id": 1, "shingles": expected, "via": "shingle k=2 hash=blake3 key=3c069a205d2515c1"}]


def test_golden() -> None:
    """What any other version must derive."""
    assert derive_key(b"correct horse battery staple") == Key(
        bytes.fromhex("e989c43c65158c6798f36a0a79fa48a9123e8c49d5968dcac7af242e11e1121e"),
        8099280472297242957,
        "e642f9fbfe16e219",
    )


def test_sketches_of_different_keys_are_not_compared(folder: Path) -> None:
    document = jsonl({"id": 1, "text": "to be"}, {"id": 2, "text": "to be"})
    lines = [run(f"shingle --key-file {name}", stdin=document, cwd=folder).good() for name in SECRETS]
    mixed = lines[0].split(b"\n")[0] + b"\n" + lines[1].split(b"\n")[1] + b"\n"
    ran = run("simjoin", stdin=mixed)
    assert ran.status == 2
    assert ran.err.startswith('simjoin: -:2: made by "shingle k=10 key=')
    assert SECRETS["one"] not in lines[0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--key-file none", "--key-file: none: No such file or directory"),
        ("--key-file short", "--key-file: short: 15 bytes, too few to be a secret (16)"),
        ("--key-file one --hash md5", "--hash md5 has no key (--key-file goes with rolling and blake3)"),
        ("--key-file one --readable", "--readable goes without --hash, --mod and --key-file"),
        ("--key-file one -o one", "--output one: this run reads that file already"),
        ("--key-file one --rejects one", "--rejects one: this run reads or writes that file already"),
        ("--df --key-file one --rejects one", "--rejects one: this run reads or writes that file already"),
    ],
)
def test_misuse(options: str, message: str, folder: Path) -> None:
    (folder / "short").write_bytes(b"fifteen bytes..")
    ran = run(f"shingle {options}", cwd=folder)
    assert (ran.status, ran.out, ran.err) == (2, b"", f"shingle: {message}\n")
    assert (folder / "one").read_bytes() == SECRETS["one"]


Signed = Callable[[list[Record]], list[Record]]


def signed(records: list[Record], folder: Path, shingle: str, sketch: str) -> list[Record]:
    """Records with sketches, of single words."""
    lines = run(f"shingle -k 1 {shingle}", stdin=jsonl(*records), cwd=folder).good()
    return run(f"sketch {sketch}", stdin=lines).records()


def agreement(records: list[Record]) -> float:
    one, two = (record["sketch"].split() for record in records)
    return float(sum(a == b for a, b in zip(one, two, strict=True)) / len(one))


@pytest.mark.parametrize(
    ("held", "other"),
    [(("--key-file one", ""), ("--key-file two", "")), (("", ""), ("--key-file one", "")),
     (("", "--seed 1"), ("", "--seed 2"))],
)  # fmt: skip
def test_crafted_texts(held: tuple[str, str], other: tuple[str, str], folder: Path) -> None:
    """Who can compute the sketches makes unlike texts alike, and a copy unlike; under another key both fail.

    Of many words those are taken that are the least by one of the functions: they decide the sketch of any text of
    these words that has them.
    """
    alone = signed([{"id": word, "text": word} for word in MADE_UP], folder, *held)
    columns = zip(*(record["sketch"].split() for record in alone), strict=True)
    least = {MADE_UP[min(range(len(MADE_UP)), key=column.__getitem__)] for column in columns}
    rest = [word for word in MADE_UP if word not in least]
    poisoned = [{"id": i, "text": " ".join([*least, *rest[400 * i : 400 * (i + 1)]])} for i in range(2)]
    assert len(least) < 85
    assert agreement(signed(poisoned, folder, *held)) == 1
    assert agreement(signed(poisoned, folder, *other)) < 0.3  # 84 words of 884 in common

    fewer = [word for word in rest if word not in set(rest[800:])]
    evading = [{"id": 1, "text": " ".join([*fewer, *least])}, {"id": 2, "text": " ".join(fewer)}]
    assert agreement(signed(evading, folder, *held)) < 0.1
    assert agreement(signed(evading, folder, *other)) > 0.8  # 800 words of 884


def test_runs_that_collide_whatever_the_key() -> None:
    """The limit that shingle(1) names: Thue-Morse words of 1024, in which polynomials modulo 2^64 vanish."""
    parities = [number.bit_count() % 2 for number in range(1024)]
    one, two = (["ab"[parity ^ turned] for parity in parities] for turned in (0, 1))
    for secret in SECRETS.values():
        rolling = Rolling(Runs(1024), derive_key(secret))
        assert rolling(" ".join(one)) == rolling(" ".join(two)) == slow_keyed(one, secret)
        assert rolling(" ".join(one[:32])) != rolling(" ".join(two[:32]))
