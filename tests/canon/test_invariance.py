"""What must not matter: case, Unicode form, width, white space, punctuation, markup; by property and on real texts."""

import html
import json
import random
import re
import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import DATA, DOCS
from shingletools.commands.canon.canonizer import Canonizer
from shingletools.commands.canon.html import html_reader
from shingletools.commands.canon.known_characters import is_later

canonize = Canonizer()
page = html_reader()

# Forms of letters that upper case merges with others: dotless i, and what is written with an apostrophe.
MERGED = set("ıŉ")
FULL_WIDTH = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
SPACES = " \t\n\r\x0b\x0c\x1c\x85\u1680\u2003\u2028\u2029\u202f\u205f\u3000"


def upper(text: str) -> str:
    return "".join(c if c in MERGED or is_later(c) else c.upper() for c in text)


def full_width(text: str) -> str:
    return text.translate(FULL_WIDTH)


def other_spaces(text: str) -> str:
    rng = random.Random(len(text))
    return "".join(rng.choice(SPACES) * rng.randint(1, 3) if c.isspace() else c for c in text)


def without_punctuation(text: str) -> str:
    """Punctuation and symbols give way to a space; an apostrophe or # may be part of a word."""
    kept = "'’‘‛ʼ`′\uff07#"
    return "".join(
        " " if unicodedata.category(c)[0] == "P" and c not in kept and unicodedata.normalize("NFKC", c) == c else c
        for c in text
    )


def in_html(text: str) -> str:
    rng = random.Random(len(text))
    forms: list[Callable[[str], str]] = [html.escape, lambda c: f"&#{ord(c)};", lambda c: f"&#X{ord(c):X};"]
    escaped = "".join(html.escape(c) if unicodedata.category(c) == "Cc" else rng.choice(forms)(c) for c in text)
    return page(f"<!doctype html><title></title><body class='x'><p>{escaped}</p><!-- no --><script>no</script>")


CHANGES = [upper, str.swapcase, full_width, other_spaces, without_punctuation, in_html]
CHANGES += [
    lambda text: unicodedata.normalize("NFC", text),
    lambda text: unicodedata.normalize("NFD", text),
    # NFKC and NFKD join a fraction to a digit or letter before it
    lambda text: unicodedata.normalize("NFKC", text.replace("½", " ½")),
    lambda text: unicodedata.normalize("NFKD", text.replace("½", " ½")),
]
NAMES = ["upper", "swapcase", "full width", "spaces", "punctuation", "HTML", "NFC", "NFD", "NFKC", "NFKD"]

alphabet = st.sampled_from(
    "aZ éÉßΣσςПйЁʼ’`′\u20e3'.,;:!?-–—()[]<>&\"#%\t\n\u00a0½ﬁ①中文，。ガｶﾞーไทย한글हि\u0301\u0308\u200b\u00ad0٣"
)
texts = st.text(alphabet, max_size=60)


@pytest.mark.parametrize("change", CHANGES, ids=NAMES)
def test_of_any_text(change: Callable[[str], str]) -> None:
    @given(texts)
    def holds(text: str) -> None:
        text = re.sub("ı", "", text)
        assert canonize(change(text)) == canonize(text)

    holds()


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES, ids=NAMES)
def test_of_real_texts(change: Callable[[str], str]) -> None:
    for path in (DOCS, DATA / "articles.jsonl"):
        for line in path.open(encoding="utf-8"):
            text = json.loads(line)["text"]
            assert canonize(change(text)) == canonize(text)
