"""Runs that are hit in the middle: an executor of a cluster is killed, or the run itself is ended."""

import os
import signal
from contextlib import ExitStack
from pathlib import Path

from harness import BIN, DOCS, pipe
from spark.cluster import HOME, QUICK, SETTINGS, confs, executors, start, wait
from spark.packing import parts_of

PIPELINE = ("canon", "shingle -k 3", "sketch", "simjoin -t 0.5", "simgroup")


def test_an_executor_killed_in_the_middle(tmp_path: Path) -> None:
    """Under spark-submit, whose session is taken."""
    out, script = tmp_path / "out", tmp_path / "simspark.py"
    script.symlink_to(BIN / "simspark")
    settings = SETTINGS | QUICK | {"spark.executor.memory": "700m", "spark.default.parallelism": "3"}
    submit = (HOME / "bin" / "spark-submit", "--master", "local-cluster[2,1,800]", *confs(settings), script)
    options = ("--at-once", "0", "--in", DOCS, "--out", out)
    with ExitStack() as stack:
        process = start(stack, tmp_path, *map(str, submit), *map(str, options), " | ".join(PIPELINE))
        wait(lambda: process.poll() is not None or list(tmp_path.glob("out.*/4/_SUCCESS")))
        assert process.poll() is None, process.communicate()
        first, _ = executors(process)
        os.kill(first, signal.SIGKILL)
        _, said = process.communicate(timeout=300)
    assert process.returncode == 0, said.decode()
    assert parts_of(out) == pipe(DOCS.read_bytes(), *PIPELINE)
    started = {path.parent.name for path in (tmp_path / "home" / "work").glob("*/*/stderr")}
    assert len(started) > 2  # one in place of the one that was killed
    assert not list(tmp_path.glob("out.*"))


def test_a_signal_ends_a_run(tmp_path: Path) -> None:
    """Nothing is left that looks like its output."""
    (tmp_path / "docs").write_bytes(DOCS.read_bytes() * 20)
    command: list[str | Path] = [BIN / "simspark", "--master", "local[2]", *confs(SETTINGS | QUICK), "--at-once", "0"]
    command += ["--in", tmp_path / "docs", "--out", tmp_path / "out", "canon | shingle | sketch | simjoin"]
    with ExitStack() as stack:
        process = start(stack, tmp_path, *command)
        wait(lambda: process.poll() is not None or list(tmp_path.glob("out.*/1/_temporary")))
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=240)
    assert process.returncode == -signal.SIGINT, said.decode()
    assert "simspark" not in said.decode()  # nothing of ours
    assert sorted(path.name for path in tmp_path.iterdir()) == ["docs", "home"]
