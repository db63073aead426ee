"""What bin/ calls: signals are handled before all else is imported, so that an early Ctrl-C ends quietly too."""

import importlib
import os

from shingletools.signals import ended_by_signal, held


def main(name: str, runner: str = "") -> int:
    """Runs a command on the process's arguments and streams, by `runner`'s own `run` if named; its exit status."""

    # numpy's library would start a thread for each processor, and we never call it
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

    def run() -> int:
        with held():  # orjson was seen to crash where an exception came while it was imported
            from shingletools import filter as driver

            own = importlib.import_module(runner).run if runner else None
        return driver.main(name, own=own)

    return ended_by_signal(run)
