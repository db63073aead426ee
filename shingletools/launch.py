"""What bin/ calls: signals are handled before all else is imported, so that an early Ctrl-C ends quietly too."""

from shingletools.signals import ended_by_signal


def main(name: str) -> int:
    """Runs a command on the process's arguments and streams; gives its exit status."""

    def run() -> int:
        from shingletools import filter as driver

        return driver.main(name)

    return ended_by_signal(run)
