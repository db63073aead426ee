"""Programs that remove near-duplicates, each in its own environment: prints the ids of the documents that stay.

usage: PYTHON tests/bench/job_peers.py text-dedup|datatrove K N T DOCS.jsonl FOLDER
"""

import json
import subprocess
import sys
import venv
from pathlib import Path

PEERS = {"text-dedup": "text-dedup==0.4.0", "datatrove": "datatrove[processing]==0.10.1 spacy orjson"}


def environment(folder: Path, name: str) -> Path:
    """The Python of a peer's environment, which is made if it is not there."""
    python = folder / name / "bin" / "python"
    if not python.exists():
        venv.create(folder / name, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PEERS[name].split()], check=True)
    return python


def text_dedup(k: int, n: int, t: float, source: str, folder: str) -> None:
    """As in its README, with the options that say which words, hashes and threshold."""
    options = f"--path json --split train --column text --num_proc 1 --ngram {k} --num_perm {n} --threshold {t}"
    files = ["--data_files", source, "--cache_dir", f"{folder}/cache", "--output", f"{folder}/out"]
    subprocess.run(
        [sys.executable, "-m", "text_dedup.minhash", *options.split(), *files, "--batch_size", "10000"],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    from datasets import load_from_disk

    for each in load_from_disk(f"{folder}/out")["id"]:
        print(json.dumps({"id": each}))


def datatrove(k: int, n: int, _t: float, source: str, folder: str) -> None:
    """As its example of MinHash on one machine: four steps, each of one task; 12 buckets, which decide."""
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.dedup import MinhashDedupCluster, MinhashDedupFilter, MinhashDedupSignature
    from datatrove.pipeline.dedup.minhash import MinhashConfig, MinhashDedupBuckets
    from datatrove.pipeline.readers import JsonlReader
    from datatrove.pipeline.writers import JsonlWriter
    from datatrove.utils.hashing import HashConfig
    from datatrove.utils.typeshelper import Languages

    config = MinhashConfig(hash_config=HashConfig(precision=64), n_grams=k, num_buckets=12, hashes_per_bucket=n // 12)
    data = str(Path(source).parent), Path(source).name
    reader = JsonlReader(data[0], glob_pattern=data[1], compression=None)
    steps = [
        [reader, MinhashDedupSignature(f"{folder}/signatures", config=config, language=Languages.english)],
        [MinhashDedupBuckets(f"{folder}/signatures", f"{folder}/buckets", config=config)],
        [MinhashDedupCluster(f"{folder}/buckets", f"{folder}/removed", config=config)],
        [reader, MinhashDedupFilter(f"{folder}/removed"), JsonlWriter(f"{folder}/out", compression=None)],
    ]
    for place, pipeline in enumerate(steps):
        tasks = 12 if place == 1 else 1  # it wants one for each bucket
        LocalPipelineExecutor(pipeline, tasks=tasks, workers=1, logging_dir=f"{folder}/logs/{place}").run()
    for path in sorted(Path(folder, "out").glob("*.jsonl")):
        with path.open() as lines:
            for line in lines:
                print(json.dumps({"id": json.loads(line)["id"]}))


if __name__ == "__main__":
    peer, k, n, t, *paths = sys.argv[1:]
    {"text-dedup": text_dedup, "datatrove": datatrove}[peer](int(k), int(n), float(t), *paths)
