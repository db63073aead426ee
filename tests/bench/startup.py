"""What a command takes to start, compared with Python's own start.

usage: python tests/bench/startup.py

Processor time of --version, of --help, and of a run on one record, and how many times that of `python -I -c pass`:
pipelines start four commands. Medians of 21 runs, taken in turn. A linked installation (`pip install -e`) makes
Python's own start slower, so measure one that is not, with its modules compiled: PYTHONDONTWRITEBYTECODE unset.
"""

import statistics
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))
from measure import table_row, timed

from harness import BIN, jsonl
from suite import COMMANDS, good, of

RUNS = 21
PYTHON = (sys.executable, "-I", "-c", "pass")


def main() -> None:
    ways: dict[tuple[str, str], tuple[str, ...]] = {}
    for command in COMMANDS:
        program = str(BIN / command)
        ways[command, "--version"] = program, "--version"
        ways[command, "--help"] = program, "--help"
        ways[command, "one record"] = program, *of(command).ways[0].split()[1:]
    seconds: dict[tuple[str, str], list[float]] = {way: [] for way in ways}
    python = []
    with TemporaryDirectory() as folder:
        source, target = Path(folder, "in"), Path(folder, "out")
        for _ in range(RUNS):
            for (command, option), argv in ways.items():
                source.write_bytes(jsonl(good(command, "one")))
                seconds[command, option].append(timed(argv, source, target).cpu)
            python.append(timed(PYTHON, source, target).cpu)
    own = statistics.median(python)
    print(f"\nPython itself: {own * 1000:.0f} ms\n")
    options = list(dict.fromkeys(option for _, option in ways))
    table_row("command", *options)
    table_row("---", *("---:" for _ in options))
    for command in COMMANDS:
        medians = [statistics.median(seconds[command, option]) for option in options]
        table_row(f"`{command}`", *(f"{each * 1000:.0f} ms, {each / own:.1f}" for each in medians))


if __name__ == "__main__":
    main()
