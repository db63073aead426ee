"""Called by the launchers in bin/. Before anything else is imported, it lets Ctrl-C end the process."""

import _signal  # type: ignore[import-not-found]  # the module signal would import others

if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)  # Python would show a traceback

import os
from contextlib import suppress


def main(name: str, runner: str = "") -> int:
    """Runs a command on the process's arguments and streams, and returns its exit status.

    runner: the module whose own `run` runs the command; empty for most commands.
    """
    try:
        import importlib  # here and below: within the try, which reports errors

        from shingletools.kernel import fail_at_exit  # as above
        from shingletools.system import signals

        if "_ARGCOMPLETE" in os.environ:
            from shingletools.running import completion  # late: it loads what all commands need

            completion.complete(name)
        signals.claim()
        fail_at_exit()
        # numpy's library would start a thread for each processor, and we never call it
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

        from shingletools.running import driver  # as above

        return driver.main(name, own=importlib.import_module(runner).run if runner else None)
    except Exception as error:
        # The driver reports all other errors; here, memory or descriptors may be lacking for that
        with suppress(OSError):  # then only the exit status shows it
            os.write(2, f"{name}: cannot start: {error!r}\n".encode())
        return 2
