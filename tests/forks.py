"""Commands that start in a millisecond or two: a server that has all modules loaded runs each in a fork of itself.

`folder()` has a launcher for each command, for PATH or in the place of sys.executable: forks.c, which hands its
descriptors to the server. What a command is given (arguments, environment, folder, descriptors, mask, ignored signals)
and how it ends are those of a true start. A true one begins where Python would start otherwise: with other variables
that it reads as it starts, other limits, or standard streams that are closed. What start-up, signals to whole groups,
or limits do is tested by true starts only (`harness.run_process`).
"""

import array
import atexit
import gc
import importlib
import os
import pkgutil
import resource
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import tempfile
import threading
import traceback
from collections.abc import Mapping
from contextlib import suppress
from fcntl import F_DUPFD_CLOEXEC, fcntl
from functools import cache
from pathlib import Path
from types import CodeType

import shingletools
from shingletools.cli import options
from shingletools.commands.canon import command as canon
from shingletools.kernel import CHOICES
from shingletools.record.command_registry import STAGES

BIN = Path(sysconfig.get_path("scripts"))
NAMES = (*STAGES, "shingletools")
AT_START = ("PYTHON", "SHINGLETOOLS_", "MALLOC_", "LD_", "LC_", "LANG")  # variables that are read then
HARMLESS = ("PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE")
USUAL = ("", "C", "C.UTF-8", "en_US.UTF-8")  # locales between which Python sees no difference
LIMITS = [value for name, value in vars(resource).items() if name.startswith("RLIMIT_")]
FREE = 300  # no command has a descriptor from here on
MOST = 253  # descriptors in one message
INT = array.array("i").itemsize


def folder(kernel: str = "") -> Path:
    """The launchers, of a server with this kernel; with STARTS=true in the environment the true ones."""
    return BIN if os.environ.get("STARTS") == "true" else started(kernel if kernel in CHOICES else "")[0]


@cache
def started(kernel: str) -> tuple[Path, int]:
    """The launchers, and the number of their server, which ends with this process."""
    here = Path(tempfile.mkdtemp(prefix="forks-"))
    source = Path(__file__).with_suffix(".c")
    launcher = here / "launcher"
    subprocess.run(["gcc", "-O1", "-Wall", "-Wextra", "-Werror", f'-DBIN="{BIN}"', source, "-o", launcher], check=True)
    for name in (*NAMES, "python3"):
        (here / name).hardlink_to(launcher)
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "OPENBLAS_NUM_THREADS": "1"}
    environment |= {"SHINGLETOOLS_KERNEL": kernel} if kernel else {}
    server = subprocess.Popen(
        [sys.executable, "-P", __file__, here / "socket"],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        process_group=0,
    )
    assert server.stdin is not None
    assert server.stdout is not None
    atexit.register(shutil.rmtree, here)
    atexit.register(server.wait)
    atexit.register(server.stdin.close)
    assert server.stdout.read(1) == b"."  # it listens
    return here, server.pid


class Caller:
    """A launcher: what the command in its place is given. Raises OSError if it has died."""

    def __init__(self, connection: socket.socket, received: list[int]) -> None:
        data, received[:], _, _ = socket.recv_fds(connection, MOST * INT, MOST)
        self.descriptors = array.array("i", data)  # as it numbers those that were received
        self.number = array.array("i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 3 * INT))[0]
        self.words = self.read("cmdline")
        self.environment = dict(each.split("=", 1) for each in self.read("environ"))
        self.received = received
        if not received or not self.words:
            raise ConnectionResetError
        lines = Path(f"/proc/{self.number}/status").read_text().splitlines()
        self.status = dict(line.split(":\t", 1) for line in lines)

    def read(self, name: str) -> list[str]:
        return os.fsdecode(Path(f"/proc/{self.number}/{name}").read_bytes()).split("\0")[:-1]

    def code(self) -> CodeType | None:
        """What the command is in Python; None where a true start may differ."""
        if read_at_start(self.environment) != read_at_start(os.environ):
            return None
        if any(resource.prlimit(self.number, each) != resource.getrlimit(each) for each in LIMITS):
            return None
        if not {0, 1, 2} <= {*self.descriptors} or max(self.descriptors) >= FREE:
            return None
        name = os.path.basename(self.words[0])
        if name in NAMES:
            return scripts()[name]
        if self.words[1:3] == ["-P", "-c"]:
            return compile(self.words[3], "-c", "exec")
        return None

    def become(self, code: CodeType) -> int:
        """Runs the command in this process, which is a fork, and returns its status."""
        high = [fcntl(each, F_DUPFD_CLOEXEC, FREE) for each in self.received]
        os.closerange(0, FREE)
        for each, number in zip(high, self.descriptors, strict=True):
            os.dup2(each, number)
        os.closerange(FREE, 2 * FREE)
        os.chdir(f"/proc/{self.number}/cwd")
        os.umask(int(self.status["Umask"], 8))
        os.environ.clear()
        os.environ.update(self.environment)
        ignored, blocked = (int(self.status[each], 16) for each in ("SigIgn", "SigBlk"))
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN if ignored >> (number - 1) & 1 else signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, [each for each in range(1, 65) if blocked >> (each - 1) & 1])
        sys.argv = ["-c", *self.words[4:]] if self.words[1:3] == ["-P", "-c"] else self.words
        try:
            exec(code, {"__name__": "__main__"})
        except SystemExit as end:
            return int(end.code or 0)
        return 0


def read_at_start(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables for which a true start is needed, unless the server has them, too."""
    return {
        name: value
        for name, value in environment.items()
        if name.startswith(AT_START) and name not in HARMLESS and value not in USUAL
    }


@cache
def scripts() -> dict[str, CodeType]:
    """The installed launchers of Python."""
    return {name: compile((BIN / name).read_bytes(), BIN / name, "exec") for name in NAMES}


class Server:
    """Its events: a launcher comes, a launcher dies, a command ends."""

    def __init__(self, listening: socket.socket) -> None:
        self.listening = listening
        self.events = selectors.DefaultSelector()
        self.events.register(sys.stdin.fileno(), selectors.EVENT_READ, self.end)
        self.events.register(listening, selectors.EVENT_READ, self.begin)

    def run(self) -> None:
        while True:
            for key, _ in self.events.select():
                key.data()

    def end(self) -> None:
        """The process that asked for the server has ended, or wants no more."""
        for key in [*self.events.get_map().values()]:
            if isinstance(key.fileobj, socket.socket) and key.fileobj is not self.listening:
                key.data()  # as if the launcher had died
        raise SystemExit

    def begin(self) -> None:
        connection, _ = self.listening.accept()
        received: list[int] = []
        try:
            caller = Caller(connection, received)
            code = caller.code()
        except OSError:
            code = None
        child = os.fork() if code else 0
        if code and child == 0:
            end_with(caller, code)
        for each in received:
            os.close(each)
        tell(connection, child)
        if child == 0:
            connection.close()
            return
        ended = os.pidfd_open(child)

        def kill() -> None:
            if connection.fileno() < 0:  # its end came at the same time
                return
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(ended, signal.SIGKILL)
            self.events.unregister(connection)

        def finish() -> None:
            tell(connection, os.waitpid(child, 0)[1])
            self.events.unregister(ended)
            os.close(ended)
            with suppress(KeyError):  # it has died before
                self.events.unregister(connection)
            connection.close()

        self.events.register(connection, selectors.EVENT_READ, kill)
        self.events.register(ended, selectors.EVENT_READ, finish)


def tell(connection: socket.socket, number: int) -> None:
    with suppress(BrokenPipeError, ConnectionResetError):
        connection.send(array.array("i", [number]))


def end_with(caller: Caller, code: CodeType) -> None:
    """Ends this process, which is a fork, as the command ends. Nothing of the server's may be closed on the way."""
    status = 1
    try:
        status = caller.become(code)
    except BaseException:
        traceback.print_exc()
    finally:
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def serve(path: str) -> None:
    """Loads what commands do, but for what is large and rare, and waits for them."""
    for _, name, _ in pkgutil.walk_packages(shingletools.__path__, "shingletools."):
        if not name.startswith(("shingletools.spark", "shingletools.reading.formats.")):
            importlib.import_module(name)
    options.make_parser("canon", "", canon.add_options)  # whose patterns are compiled, and stay so
    sys.executable = f"{os.path.dirname(path)}/python3"  # workers, too
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(path)
    listening.listen(128)
    gc.freeze()  # so that forks share what is here
    os.write(1, b".")
    os.dup2(2, 1)
    Server(listening).run()


if __name__ == "__main__":
    serve(sys.argv[1])
