"""Documents of which two share a passage, and the pair that they are."""

from harness import Record

ONE: Record = {"id": 1, "text": "The quick brown fox, it jumps over a lazy dog."}
TWO: Record = {"id": "2", "text": "So THE QUICK-BROWN fox, he jumps over a lazy dog!"}
THREE = {"id": 3, "text": "Nothing of the kind."}
PAIR = {"a": 1, "b": "2", "similarity": 0.25}
