"""The same input gives the same bytes: under another locale, on another system, and as long as the format is the same.

Run as a script with --refresh, this writes the golden file anew, for a recipe that got a new version.
"""

import sys
from pathlib import Path

import pytest

from harness import DATA, DOCS, ENVIRONMENT, jsonl, run, run_process

LOCALE = "tr_TR"  # where i and I have other partners, and a comma stands before decimals
GOLDEN = DATA / "golden.jsonl"
KINDS = (
    "canon | shingle -k 3",
    "canon --fold-accents --stop en --stop ru | shingle -k 2 --hash blake3 | sketch -n 12 --super 3",
    "canon | shingle -k 4 --chars | sketch -n 8 --seed another",
    "canon | shingle -k 2 | sketch --simhash",
)


@pytest.fixture(scope="session")
def compiled_locale(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """It is rarely installed, but its source is, by Debian's package locales."""
    folder = tmp_path_factory.mktemp("locales")
    made = run("localedef", "-i", LOCALE, "-f", "UTF-8", folder / f"{LOCALE}.UTF-8")
    if not (folder / f"{LOCALE}.UTF-8" / "LC_CTYPE").exists():  # the status is 1 for a warning, too
        pytest.skip(f"no sources of locales: {made.err.strip()}")
    return folder


@pytest.mark.slow
def test_another_locale(compiled_locale: Path) -> None:
    env = {"LC_ALL": f"{LOCALE}.UTF-8", "LOCPATH": str(compiled_locale)}
    asked = "import locale; print(locale.setlocale(locale.LC_ALL, ''))"
    assert run(sys.executable, "-c", asked, env=env).good() == f"{LOCALE}.UTF-8\n".encode()
    data = DOCS.read_bytes() + '{"id":"I","text":"İstanbul IĞDIR ıi ЁЖ ёж"}\n'.encode()
    words = run("canon", stdin=data).good()
    assert run("simtune", stdin=words, env=env).good() == run("simtune", stdin=words).good()
    for command in ("canon --stem en,ru --stop en --stop ru", "shingle", "sketch", "simjoin -t 0.5", "simgroup"):
        expected = run(command, stdin=data).good()
        assert run(command, stdin=data, env=env).good() == expected
        data = expected


# What only Linux has is gone, and what only macOS has is there, but refused, as it is by some file systems
ELSEWHERE = """
import fcntl, os, sys
del os.O_PATH, os.O_TMPFILE, os.fork, os.memfd_create, fcntl.F_GETPIPE_SZ, fcntl.F_SETPIPE_SZ
fcntl.F_FULLFSYNC = 51
def refuse(event, arguments):
    if event in ("open", "os.listdir") and str(arguments[0]).startswith("/proc/"):
        raise FileNotFoundError(2, "No such file or directory")
sys.addaudithook(refuse)
"""


@pytest.mark.slow
def test_another_system(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(ELSEWHERE)
    elsewhere = ENVIRONMENT | {"PYTHONPATH": str(tmp_path)}
    told = run_process(sys.executable, "-c", "open('/proc/self/statm')", env=elsewhere)
    assert told.err.endswith("FileNotFoundError: [Errno 2] No such file or directory\n")
    (tmp_path / "pages").write_bytes(jsonl(*({"id": n, "text": f"<p>The cat sat on {n % 9}" * 99} for n in range(300))))
    for command in (
        "canon -j 2 --html --word [a-z]+ pages",
        f"shingletools run -j 2 'canon | shingle -k 3 | simjoin -t 0.3 -S 1b | simgroup' {DOCS}",
        f"canon {DOCS} | simindex add archive -k 10 && simindex dump archive -o out && cat out",
    ):
        here, there = (
            run_process("bash", "-o", "pipefail", "-c", command.replace("archive", name), cwd=tmp_path, env=env).good()
            for name, env in (("here", ENVIRONMENT), ("there", elsewhere))
        )
        assert here == there
        assert here.count(b"\n") > 20


@pytest.mark.parametrize("kernel", ["c", "numpy"])
def test_the_format_has_not_changed(kernel: str) -> None:
    """If this fails, what people keep in files can no longer be compared with what is made now."""
    assert golden(kernel) == GOLDEN.read_bytes()


def golden(kernel: str) -> bytes:
    return b"".join(pipe_of(kind, kernel) for kind in KINDS)


def pipe_of(kind: str, kernel: str) -> bytes:
    data = (DATA / "articles.jsonl").read_bytes() + b"".join(DOCS.read_bytes().splitlines(True)[::60])
    for command in kind.split(" | "):
        data = run(command, stdin=data, env={"SHINGLETOOLS_KERNEL": kernel}).good()
    return data


if __name__ == "__main__" and sys.argv[1:] == ["--refresh"]:
    GOLDEN.write_bytes(golden("numpy"))
