"""Signals end a command at once, and nothing of it is left; where a step must not be cut in two, they wait for it."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

from harness import ENVIRONMENT, Ran, jsonl, run_process
from shingletools.system import interruptible_reads, signals
from shingletools.system.signals import ENDING

HEAD = """
    import os, signal, sys, time
    from shingletools.system import signals

    def say(*words):
        print(*words, flush=True)

    def come(*numbers):
        for number in numbers:
            os.kill(os.getpid(), number)

    TERM, HUP = signal.SIGTERM, signal.SIGHUP
"""


def ran(script: str, *, claimed: bool = True, before: str = "--default-signal=INT,HUP,QUIT") -> Ran:
    """What a process does that is a command's."""
    text = textwrap.dedent(HEAD) + "signals.claim()\n" * claimed + textwrap.dedent(script)
    return run_process("env", before, sys.executable, "-P", "-c", text)


def test_what_a_signal_ends_is_cleaned_up_first() -> None:
    """By all that is to be called, the last first, whatever one of them raises; not by what is done with."""
    done = ran("""
        def fail():
            raise OSError
        with signals.at_end(lambda: say("one")), signals.at_end(fail), signals.at_end(lambda: say("two")):
            with signals.at_end(lambda: say("three")):
                pass
            come(TERM)
            say("after")
    """)
    assert (done.status, done.out, done.err) == (-signal.SIGTERM, b"two\none\n", "")


def test_a_second_signal_does_not_wait_for_the_first() -> None:
    done = ran("""
        with signals.at_end(lambda: come(TERM) or say("not reached")):
            come(TERM)
    """)
    assert (done.status, done.out) == (-signal.SIGTERM, b"")


def test_the_system_ends_what_has_nothing_to_clean_up() -> None:
    """Also in a long call that does not give back Python's lock, where no handler of Python would be called."""
    done = ran("""
        with signals.at_end(lambda: say("one")), signals.waiting():
            pass
        if not os.fork():
            time.sleep(0.2)
            os.kill(os.getppid(), TERM)
            os._exit(0)
        sum(range(10**14))
    """)
    assert (done.status, done.out, done.err) == (-signal.SIGTERM, b"", "")


def test_a_signal_waits_for_the_end_of_a_step() -> None:
    """And for what is to be done before; also where another thread is there to take it."""
    done = ran("""
        import threading
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        with signals.at_end(lambda: say("cleaned up")):
            with signals.waiting():
                come(TERM, HUP)
                say("whole")
            say("after")
    """)
    assert (done.status, done.out, done.err) == (-signal.SIGTERM, b"whole\ncleaned up\n", "")


def test_a_signal_that_came_goes_before_an_error() -> None:
    done = ran("""
        with signals.waiting():
            come(TERM)
            raise OSError
    """)
    assert (done.status, done.err) == (-signal.SIGTERM, "")


@pytest.mark.parametrize("step", ["signals.at_end(lambda: say('cleaned up'))", "signals.waiting()", "signals.raised()"])
def test_what_the_caller_ignores_stays_ignored(step: str) -> None:
    """As nohup does."""
    done = ran(
        f"""
        with {step}:
            come(HUP)
            say("on")
        come(HUP)
        say("further")
    """,
        before="--ignore-signal=HUP",
    )
    assert done.good() == b"on\nfurther\n"


def test_the_signals_of_a_program_are_its_own() -> None:
    done = ran(
        """
        def all_of_them():
            return [signal.getsignal(number) for number in signals.ENDING]
        before = all_of_them()
        with signals.at_end(lambda: say("not reached")), signals.waiting(), signals.raised():
            say(all_of_them() == before)
            come(TERM)
    """,
        claimed=False,
    )
    assert (done.status, done.out) == (-signal.SIGTERM, b"True\n")


RAISED = """
    with signals.raised():
        try:
            come({first})
        finally:
            say("stopping")
            come({second})
            say("stopped")
    say("after")
"""


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [("TERM", "", b"stopping\nstopped\n"), ("TERM", "TERM", b"stopping\n"), ("HUP", "HUP", b"stopping\nstopped\n")],
)
def test_a_signal_that_is_raised(first: str, second: str, said: bytes) -> None:
    """The second ends the process; but a terminal that is closed sends SIGHUP twice."""
    done = ran(RAISED.format(first=first, second=second))
    assert (done.status, done.out, done.err) == (-getattr(signal, f"SIG{first}"), said, "")


NAMED = """
import sys
from shingletools.running import launch, outputs
outputs.DESCRIPTORS = "/nowhere"  # as on a system or in a folder without nameless files
sys.exit(launch.main("canon"))
"""


@pytest.mark.parametrize("number", ENDING)
def test_a_file_with_a_name_is_removed(number: int, tmp_path: Path) -> None:
    words = ["env", "--default-signal=INT,HUP,QUIT", sys.executable, "-P", "-c", NAMED, "-o", "out"]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, cwd=tmp_path, env=ENVIRONMENT, stdin=pipe, stderr=pipe) as process:
        assert process.stdin is not None
        process.stdin.write(jsonl({"id": 1, "text": "One"}))  # which tells the names of the fields
        process.stdin.flush()
        while not list(tmp_path.iterdir()):
            assert process.poll() is None
        (name,) = [path.name for path in tmp_path.iterdir()]
        assert name.startswith(".shingletools.")
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (-number, b"")
    assert list(tmp_path.iterdir()) == []


def test_a_file_with_a_name_becomes_the_output(tmp_path: Path) -> None:
    (tmp_path / "out").write_bytes(b"what was here before\n")
    (tmp_path / "out").chmod(0o640)
    line = jsonl({"id": 1, "text": "One"})
    run_process(sys.executable, "-P", "-c", NAMED, "-o", "out", stdin=line, cwd=tmp_path).good()
    assert (tmp_path / "out").read_bytes() == b'{"id": 1, "text": "one","via":"canon/4"}\n'
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o640


def test_a_signal_that_does_not_interrupt_a_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """As one that comes just before: here, one that comes to another thread."""
    monkeypatch.setattr(interruptible_reads, "POLL_MS", 10)
    reading, writing = os.pipe()

    def end(number: int, _: object) -> None:
        raise signals.Ended(number)

    before = signal.signal(signal.SIGTERM, end)
    sender = threading.Timer(0.2, lambda: signal.pthread_kill(threading.get_ident(), signal.SIGTERM))
    late = threading.Timer(20, os.close, [writing])
    sender.start()
    late.start()
    try:
        with pytest.raises(signals.Ended):
            next(interruptible_reads.blocks_of(reading))
    finally:
        late.cancel()
        signal.signal(signal.SIGTERM, before)
