"""simshow --pattern: what the texts of a group have in common."""

from pathlib import Path

import pytest

from harness import jsonl, pipe, run_here

LOG = (
    "sshd[811]: Accepted password for root from 10.0.0.1 port 22 ssh2",
    "sshd[9]: Accepted password for alice from 10.0.0.7 port 4022 ssh2",
    "sshd[10]: Accepted  password\tfor bob from 192.168.0.1 port 522 ssh2",
)


def pattern(folder: Path, *texts: str, options: str = "") -> str:
    """The line of one group of texts."""
    (folder / "docs").write_bytes(jsonl(*({"id": at, "text": text} for at, text in enumerate(texts))))
    group = jsonl({"group": 0, "members": [*range(len(texts))]})
    line = run_here(f"simshow --pattern --docs docs {options}", stdin=group, cwd=folder).good().decode()
    assert line.count("\n") == 1
    return line.removesuffix("\n")


def test_messages_of_a_log(tmp_path: Path) -> None:
    """An address is one thing, though parts of it are equal."""
    assert pattern(tmp_path, *LOG) == "3 0: sshd[⟨…⟩]: Accepted password for ⟨…⟩ from ⟨…⟩ port ⟨…⟩ ssh2"
    (tmp_path / "auth.log").write_text("".join(f"{line}\n" for line in (*LOG, "eth0 is up again", "eth1 is up again")))
    made = pipe((tmp_path / "auth.log").read_bytes(), "canon --lines", "shingle -k 2", "simjoin -t 0.2", "simgroup")
    shown = run_here("simshow --pattern --lines --docs auth.log", stdin=made, cwd=tmp_path).good().decode()
    assert shown.splitlines()[1] == "2 4: ⟨…⟩ is up again"


@pytest.mark.parametrize(
    ("texts", "shown"),
    [
        (("a b c d", "A, b C d!"), "2 0: a b c d"),
        (("a b c d", "a b new c d"), "2 0: a b ⟨…⟩ c d"),
        (("a b c d", "a b x c d", "a b d"), "3 0: a b ⟨…⟩ d"),
        (("a b c. D e f", "a b x. D e f"), "2 0: a b ⟨…⟩. D e f"),
        (("user anna logged in", "user berta logged in from host"), "2 0: user ⟨…⟩ logged in ⟨…⟩"),
        (("a b c.", "then a b c", "a b c, too"), "3 0: ⟨…⟩ a b c ⟨…⟩."),
        (("a b c d", "new b c d more"), "2 0: ⟨…⟩ b c d ⟨…⟩"),
        (("a b c d", "a b c new words"), "2 0: a b c ⟨…⟩"),
        (("a b c d", "unlike all", "a b c e"), "3 0: a b c ⟨…⟩"),
        (("a \x1b[2J b", "a \x1b[2J b"), "2 0: a \\x1b[2J b"),
    ],
)
def test_what_varies(texts: tuple[str, ...], shown: str, tmp_path: Path) -> None:
    assert pattern(tmp_path, *texts) == shown


def test_long_stretches_are_shortened(tmp_path: Path) -> None:
    words = " ".join(f"word{at}" for at in range(60))
    short, full = (pattern(tmp_path, f"{words} a", f"{words} b", options=more) for more in ("", "--full"))
    assert full == f"2 0: {words} ⟨…⟩"
    assert short.startswith("2 0: word0 word1 ") and short.endswith(" word58 word59 ⟨…⟩")
    assert " characters ...] " in short and len(short) < 130


def test_a_pair_is_a_group_of_two(tmp_path: Path) -> None:
    (tmp_path / "docs").write_bytes(jsonl(*({"id": at, "text": text} for at, text in enumerate(LOG))))
    pairs = jsonl({"a": 0, "b": 1}, {"a": 0, "b": 2})
    ran = run_here("simshow --pattern --docs docs", stdin=pairs, cwd=tmp_path)
    remark = "each of 2 pairs has a line of its own; simgroup makes groups of them, each with one line"
    assert (ran.status, ran.err) == (0, f"simshow: {remark}\n")
    assert ran.out.decode().splitlines() == [
        "2 0: sshd[⟨…⟩]: Accepted password for ⟨…⟩ from 10.0.0.⟨…⟩ port ⟨…⟩ ssh2",
        "2 0: sshd[⟨…⟩]: Accepted password for ⟨…⟩ from ⟨…⟩.0.1 port ⟨…⟩ ssh2",
    ]
    assert run_here("simshow --pattern -k 9 --docs docs", stdin=pairs, cwd=tmp_path).out.count(b"\n") == 2
    group = jsonl({"group": 0, "members": [0, 1, 2]}, {"a": 0, "b": 1})
    assert run_here("simshow --pattern --docs docs", stdin=group, cwd=tmp_path).good().count(b"\n") == 2
