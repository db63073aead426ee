"""Speed, as man/shingletools-clusters.7 lists it: builds corpora, and compares the pipeline with its peers.

usage: python tests/bench [--runs N] FOLDER
       python tests/bench quality FOLDER
       python tests/bench labels FOLDER

Corpora go to FOLDER; the tables, in Markdown, to standard output. See corpora.py and peers.py in this folder, each of
which runs alone too.
The others are about what is found, not how fast: copies that quality.py plants, and labels of others (labels.py).
hundred_million.py is the whole job on a stream of any length.
"""

import argparse
import datetime
import os
import platform
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import corpora
import labels
import peers
import quality


def machine() -> str:
    about = Path("/proc/cpuinfo")
    match = re.search("^model name\\s*: (.*)$", about.read_text(), re.MULTILINE) if about.exists() else None
    name = match[1] if match else platform.machine()
    return f"{os.cpu_count()} processors ({name}), Python {platform.python_version()}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    print(f"{datetime.datetime.now(tz=datetime.UTC):%Y-%m-%d}, {machine()}")
    built = corpora.build(options.folder)
    for name in ("descriptions", "texts", "guide"):
        peers.compare(str(built[name]), options.runs)


if __name__ == "__main__":
    if sys.argv[1:2] == ["quality"]:
        quality.main(sys.argv[2:])
    elif sys.argv[1:2] == ["labels"]:
        labels.main(sys.argv[2:])
    else:
        main()
