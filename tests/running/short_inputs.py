"""Texts and records of which the inputs of short commands are made."""

TEXTS = ["The cat sat on the mat", "the CAT sat, on the mat!", "Dogs bark", "Something else", "dogs BARK"]
CATS = [{"id": number, "text": text} for number, text in enumerate(TEXTS)]
OTHERS = [{"Nr": number, "Text, lang": text} for number, text in enumerate(TEXTS)]
LONG = " ".join(f"w{number}" for number in range(400))
