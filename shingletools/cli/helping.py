"""What --help says beside the options themselves: headings for a command's own options, and an example.

The examples run in a copy of tests/data.
"""

# The headings of commands with many options; what stands under none of them comes before
HEADINGS = {
    "canon": {
        "what is read, in place of JSON lines": "--lines --whole --recursive --csv --tsv --array --parquet --warc "
        "--include --exclude --delimiter --no-header --number --files0-from",
        "rules, in the order in which they work": "--delete --replace --html --skip --sentences --fold-accents --word "
        "--segment --drop-numbers --mask-numbers --stop --drop-adjectives --lemma --stem",
        "what else to write": "--offsets --explain",
    },
    "shingle": {
        "fingerprints": "--hash --key-file --mod --readable",
        "shingles of few or many documents": "--df --max-df --min-df --df-table --header --merge -S -T",
    },
    "sketch": {
        "other kinds of sketch": "--super --mega --lexicon --top --simhash",
        "weights": "--weights --lexicons --idf --least",
    },
    "simjoin": {
        "how": "--recall -S -T",
    },
    "simshow": {
        "which pairs": "--least --most --sample",
        "form": "--json --brief --html --side-by-side --color --context --limit --whole",
        "memory": "-S -T",
    },
    "dedup": {
        "which groups": "--groups --larger-than --of",
        "what is read and written, in place of JSON lines": "--lines --whole --recursive --csv --tsv --array "
        "--parquet --warc --include --exclude --delimiter --no-header --number --files0-from",
        "what becomes of the others": "-0 --removed --annotate --dry-run",
    },
}

EXAMPLES = {
    "canon": ["canon --stop en docs.jsonl | head -1"],
    "shingle": ["canon docs.jsonl | shingle -k 10 -o docs.shingles"],
    "sketch": ["canon docs.jsonl | shingle -k 10 | sketch -n 84 -o docs.sketch"],
    "simjoin": ["canon docs.jsonl | shingle -k 10 | sketch | simjoin -t 0.8"],
    "simgroup": ["canon docs.jsonl | shingle | simjoin -t 0.8 | simgroup"],
    "dedup": ["canon docs.jsonl | shingle | simjoin -t 0.8 | dedup --pairs - docs.jsonl"],
    "simshow": ["canon docs.jsonl | shingle | simjoin | simshow --brief --docs docs.jsonl"],
    "simscore": [
        "canon docs.jsonl | shingle | tee docs.shingles | simjoin > exact.pairs",
        "sketch docs.shingles | simjoin | simscore --table --truth exact.pairs",
    ],
    "simtune": ["canon docs.jsonl | simtune --table"],
    "parts": ["parts --by line docs.jsonl | canon | shingle -k 5 -o lines.shingles"],
    "simindex": ["canon docs.jsonl | shingle | sketch | simindex add archive --unless-known"],
    "simspark": ["simspark --in docs.jsonl --out pairs 'canon | shingle | sketch | simjoin -t 0.8'"],
}
