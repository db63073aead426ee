# sh day.sh TODAY ARCHIVE: the documents of TODAY.jsonl that repeat neither the archive nor each other, to TODAY.new
set -e
canon -o "$1.canon" "$1.jsonl"
shingle -o "$1.shingles" "$1.canon"
sketch -o "$1.sketch" "$1.shingles"
simjoin -o "$1.pairs" "$1.sketch"
simindex add "$2" --unless-known --replace --as "$1" -o "$1.known" "$1.sketch"
dedup --pairs "$1.pairs" --known "$1.known" -o "$1.new" "$1.jsonl"
