"""What bib-dedupe (of its own environment) leaves of citations, for removal.py.

usage: python tests/bench/removal.py --jsonl --command "PYTHON tests/bench/removal_peer.py" --sets SET,... FOLDER
       PYTHON tests/bench/removal_peer.py DOCS.jsonl -o KEPT --removed GONE

PYTHON is that of an environment with bib-dedupe. Of the citations that it takes for one, the first stays.
"""

import argparse
import json
from pathlib import Path


def main() -> None:
    import pandas as pd
    from bib_dedupe.bib_dedupe import block, cluster, match, prep

    parser = argparse.ArgumentParser()
    parser.add_argument("docs", type=Path)
    parser.add_argument("-o", dest="kept", type=Path)
    parser.add_argument("--removed", type=Path)
    options = parser.parse_args()
    lines = options.docs.read_bytes().splitlines(keepends=True)
    ids = [json.loads(line)["id"] for line in lines]
    rows = [{"ENTRYTYPE": "article", "ID": each["id"]} | each for each in map(json.loads, lines)]
    table = pd.DataFrame([{name: row[name] for name in row if name not in {"id", "text", "group"}} for row in rows])
    groups = cluster(match(block(prep(table.fillna(""), cpu=1), cpu=1), cpu=1))
    place = {each: number for number, each in enumerate(ids)}
    gone = {each for group in groups for each in sorted(group, key=place.__getitem__)[1:]}
    for path, there in ((options.kept, False), (options.removed, True)):
        path.write_bytes(b"".join(line for line, each in zip(lines, ids, strict=True) if (each in gone) == there))


if __name__ == "__main__":
    main()
