"""What bin/ calls: signals are handled before all else is imported, so that an early Ctrl-C ends quietly too."""

import importlib
import os

from shingletools.signals import ended_by_signal, held


def main(name: str, runner: str = "shingletools.filter") -> int:
    """Runs a command on the process's arguments and streams; gives its exit status. A module `runner` has its `run`."""

    # numpy's library would start a thread for each processor, and we never call it
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

    def run() -> int:
        with held():  # orjson was seen to crash where an exception came while it was imported
            from shingletools import filter as driver

            run_it = importlib.import_module(runner).run
        return driver.main(name, run=run_it)

    return ended_by_signal(run)
