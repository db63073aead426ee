"""shingle --key-file: the definition, and what it is for: texts that were crafted against one key fail another."""

import json
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from blake3 import blake3

from harness import DOCS, Record, jsonl, pipe, run
from shingletools.commands.shingle.fingerprints import Rolling
from shingletools.commands.shingle.secret_keys import PUBLIC, FingerprintKey, derive_key
from shingletools.kernel import reference_arrays

SECRETS = {"one": b"a secret of sixteen bytes or more\n", "two": b"another such secret"}
MASK = 2**64 - 1
MADE_UP = [f"w{number}" for number in range(2000)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, secret in SECRETS.items():
        (tmp_path / name).write_bytes(secret)
    return tmp_path


def slow_keyed(words: list[str], secret: bytes, recipe: str) -> str:
    """The definition of shingle(1), in Python's unbounded integers."""
    context = "shingletools 2026-11-21 shingle --key-file"
    derived = blake3(b"%b\0%b" % (recipe.encode(), secret), derive_key_context=context).digest(56)
    base = int.from_bytes(derived[48:], "little")
    base += 3 - base % 8
    z = 0
    for word in words:
        z = z * base + int.from_bytes(blake3(word.encode(), key=derived[:32]).digest(8), "little")
    return f"{siphash((z & MASK).to_bytes(8, 'little'), derived[32:48]):016x}"


def siphash(data: bytes, key: bytes) -> int:
    """SipHash-2-4 of anything, by section 2 of its paper."""
    one, two = (int.from_bytes(key[i : i + 8], "little") for i in (0, 8))
    v0, v1 = one ^ 0x736F6D6570736575, two ^ 0x646F72616E646F6D
    v2, v3 = one ^ 0x6C7967656E657261, two ^ 0x7465646279746573

    def turned(word: int, bits: int) -> int:
        return word << bits & MASK | word >> 64 - bits

    def rounds(times: int) -> None:
        nonlocal v0, v1, v2, v3
        for _ in range(times):
            v0, v2 = v0 + v1 & MASK, v2 + v3 & MASK
            v1, v3 = turned(v1, 13) ^ v0, turned(v3, 16) ^ v2
            v0, v2 = turned(v0, 32) + v3 & MASK, v2 + v1 & MASK
            v1, v3 = turned(v1, 17) ^ v2, turned(v3, 21) ^ v0
            v2 = turned(v2, 32)

    padded = data + bytes(7 - len(data) % 8) + bytes([len(data) % 256])
    for i in range(0, len(padded), 8):
        word = int.from_bytes(padded[i : i + 8], "little")
        v3 ^= word
        rounds(2)
        v0 ^= word
    v2 ^= 0xFF
    rounds(4)
    return v0 ^ v1 ^ v2 ^ v3


def test_siphash() -> None:
    """The example of its paper (appendix A), and one of the vectors that come with its authors' program."""
    key = bytes(range(16))
    assert siphash(bytes(range(15)), key) == 0xA129CA6149BE45E5
    assert siphash(bytes(range(8)), key) == 0x93F5F5799A932462
    words = np.frombuffer(random.Random(0).randbytes(8000) + bytes(range(8)), "<u8")
    assert reference_arrays.siphash(words, key).tolist() == [siphash(word.tobytes(), key) for word in words]


@pytest.mark.parametrize("options", ["-k 3", "-k 3 --chars"])
@pytest.mark.parametrize("kernel", ["c", "numpy"])
def test_rolling(options: str, kernel: str, folder: Path) -> None:
    words = f"to be or not to be {'x' * 70} {'ж' * 900}".split()
    units = list(" ".join(words)) if "chars" in options else words
    document = jsonl({"id": 1, "text": " ".join(words)})
    ran = run(f"shingle {options} --key-file one", stdin=document, cwd=folder, env={"SHINGLETOOLS_KERNEL": kernel})
    recipe = f"shingle {options}".replace("-k ", "k=").replace("--", "")
    expected = [slow_keyed(units[i : i + 3], SECRETS["one"], recipe) for i in range(len(units) - 2)]
    assert ran.records()[0]["shingles"].split() == expected


@pytest.mark.parametrize("kernel", ["c", "numpy"])
def test_spots(kernel: str, folder: Path) -> None:
    stop = b"the\nof\n"
    (folder / "stop").write_bytes(stop)
    document = jsonl({"id": 1, "text": "the cat of the dog sat on the mat of rats"})
    command = "shingle -k 3 --spots stop --key-file one"
    (record,) = run(command, stdin=document, cwd=folder, env={"SHINGLETOOLS_KERNEL": kernel}).records()
    recipe = f"shingle k=3 spots=stop@{blake3(stop).hexdigest()[:16]}"
    spots = ["the cat dog", "of dog sat", "the dog sat", "the mat rats"]
    assert record["shingles"].split() == [slow_keyed(each.split(), SECRETS["one"], recipe) for each in spots]


def test_blake3(folder: Path) -> None:
    ran = run("shingle -k 2 --hash blake3 --key-file one", stdin=jsonl({"id": 1, "text": "to be or"}), cwd=folder)
    key = derive_key(SECRETS["one"], "shingle k=2 hash=blake3").words
    expected = " ".join(blake3(run, key=key).hexdigest()[:16] for run in (b"to be", b"be or"))
    assert ran.records() == [{"id": 1, "shingles": expected, "via": "shingle k=2 hash=blake3 key=a438358933611b66"}]


def test_golden() -> None:
    """What any other version must derive."""
    assert derive_key(b"correct horse battery staple", "shingle k=10") == FingerprintKey(
        bytes.fromhex("23d6343180a27c28b7a6c28c34d92ea31c5509816dfd1a643b149a73fc8dd9f8"),
        bytes.fromhex("ab25b9fc2a4f70325da577d3dd3d511d"),
        3476805102826585483,
        "54060c08a2528f9c",
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "options", ["-k 2", "-k 2 --mod 3", "--longest 2", "-k 4 --word-chars", "--hash blake3 --chars -k 4", "--df -k 1"]
)
def test_workers_have_the_key(options: str, folder: Path) -> None:
    """And no option forgets it."""
    texts = pipe(DOCS.read_bytes(), "canon")
    keyed = [run(f"shingle {options} --key-file one -j {jobs}", stdin=texts, cwd=folder).good() for jobs in (1, 2)]
    plain = run(f"shingle {options}", stdin=texts).good()
    assert keyed[0] == keyed[1]
    field = "shingle" if "--df" in options else "shingles"
    shown, hidden = (
        {word for line in out.splitlines() for word in json.loads(line)[field].split()} for out in (plain, keyed[0])
    )
    assert shown
    assert hidden
    assert not shown & hidden


def test_sketches_of_different_keys_are_not_compared(folder: Path) -> None:
    document = jsonl(
        {"id": 1, "text": "to be or not to be, that is the question"},
        {"id": 2, "text": "to be or not to be, that is the question"},
    )
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
        ("--key-file short", "--key-file: short: 15 bytes; a secret has at least 16"),
        ("--key-file one --hash md5", "--key-file cannot be combined with --hash md5, only with rolling and blake3"),
        (
            "--key-file one -k 33",
            "-k 33: sums of more than 32 units would reveal the key; use --hash blake3 with --key-file",
        ),
        ("--key-file one --readable", "--readable cannot be combined with --hash, --mod or --key-file"),
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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("held", "other"),
    [
        (("--key-file one", ""), ("--key-file two", "")),
        (("", ""), ("--key-file one", "")),
        (("", "--seed 1"), ("", "--seed 2")),
    ],
)
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
    """Why runs with a key are not long: Thue-Morse words of 1024, in which polynomials modulo 2^64 vanish."""
    parities = [number.bit_count() % 2 for number in range(1024)]
    one, two = (["ab"[parity ^ turned] for parity in parities] for turned in (0, 1))
    for number in range(100):
        secret = number.to_bytes(16)
        rolling = Rolling(1024, derive_key(secret, "shingle k=1024"))
        assert rolling(" ".join(one)) == rolling(" ".join(two)) == slow_keyed(one, secret, "shingle k=1024")
        assert rolling(" ".join(one[:256])) != rolling(" ".join(two[:256]))


@pytest.mark.parametrize("key", [PUBLIC, *(derive_key(secret, "shingle k=2") for secret in SECRETS.values())])
def test_sums_are_hidden(key: FingerprintKey) -> None:
    """Of the runs aa, ab, ba, bb, the sums of the first and last and of the others are the same, whatever M.

    So whoever can undo the finalizer computes fingerprints of texts that nobody showed him, and M; with a key nobody
    can.
    """
    sums = [unfinished(int(word, 16)) for word in Rolling(2, key)("a a b b a").split()]
    aa, ab, bb, ba = sums
    assert ((aa + bb - ab - ba) & MASK == 0) == (key == PUBLIC)


def unfinished(z: int) -> int:
    z ^= z >> 32
    z = z * pow(0xD6E8FEB86659FD93, -1, 2**64) & MASK
    return z ^ z >> 32
