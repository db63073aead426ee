"""canon --offsets: the words are the same, and what stands at a word's place is what the word was made of."""

import json
import pickle
import re

import pytest
import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st

from canon.placing import both, check, found
from documents import TOP
from harness import DOCS, jsonl, pipe, run
from shingletools import kernel
from shingletools.commands.canon.character_origins import original_place
from shingletools.commands.canon.user_patterns import Budget, Replace
from shingletools.kernel.memo import WordMemo, compiled_words
from shingletools.running.completion import parser_of

SAMPLES = (
    "The QUICK, brown fox C++ c# — “jumps” over co\u00ad\noperating well-\nknown 2024 lazy "
    "dogs’ running children's state-of-the-art mice! 3.14 p.m.",
    "Съешь ещё этих мя\u0301гких французских булок, да выпей чаю. Красивые кошки шли домой 25 мая.",
    "Häuser der Straßen, GRÖSSE: crème BRÛLÉE; Łódź, İstanbul ısı. Ὀδυσσεύς Άλφα tiếng Việt",
    "我们来到北京清华大学2024年，漢字かな交じり文。ラーメンﾗｰﾒﾝ ガギグ한국어 가각 ไทยภาษา",
    "شָלוֹם العَرَبِيَّة كتابــــة ﷺ हिन्दी भाषा ½ ① ﬁne ㎞ Ⅷ x\u00ad\u200by ＦＵＬＬ ｗｉｄｔｈ \U0001faddz 👍🏽 𝔘𝔫𝔦",
)
RULES = (
    "",
    "--fold-accents",
    "--fold-variants",
    "--drop-numbers",
    "--mask-numbers",
    "--stop en --stop ru --stop zh",
    "--stop iso:de",
    "--drop-adjectives en,ru",
    "--lemma en,ru",
    "--lemma de",
    "--lemma ru",
    "--stem en",
    "--stem ru,de",
    "--stem ar",
    "--join-hyphens",
    "--fold-homoglyphs",
    "--symbols",
    "--sentences",
    "--sentences --stem en",
    "--segment zh",
    "--segment zh --stop zh",
    r"--word \w+",
    "--word [a-z]{3,}",
    "--word (..)",
    "--delete [aeé-]",
    r"--delete \s",
    "--replace q=x",
    "--replace [0-9]+=number",
    "--delete a --replace e=oo",
    "--delete (?r)a --replace (?r)(e)=o\\1",
    "--fold-accents --stop en --mask-numbers --lemma en --stem en",
)


def test_every_rule_is_among_these_and_in_the_manual() -> None:
    """In the list of rules there, which has the order in which they apply, as --help does."""
    page = (TOP / "man" / "canon.1").read_text("utf-8").partition("\n.Ss Rules\n")[2].partition("\n.El\n")[0]
    groups = (each for each in parser_of("canon")._action_groups if str(each.title).startswith("rules"))
    rules = [action.option_strings[0] for group in groups for action in group._group_actions]
    rules.remove("--skip")
    assert [f"-{name}" for name in re.findall(r"Fl (-[a-z-]+)", page)] == rules
    assert {
        rule for rule in rules if rule != "--html" and not any(rule in options.split() for options in RULES)
    } == set()


@pytest.mark.parametrize("options", RULES)
def test_what_stands_at_a_place_is_its_word(options: str) -> None:
    canonize, place = both(options)
    texts = [*SAMPLES, *(json.loads(line)["text"] for line in DOCS.read_bytes().splitlines()[::20])]
    every = [word for text in texts for word in check(options, text, canonize, place)]
    assert len(every) > 100
    assert pickle.loads(pickle.dumps(place))(texts[0]) == place(texts[0])


@pytest.mark.parametrize(
    ("options", "text", "at"),
    [
        ("", "The Cat", "0-3 4-7"),
        ("", "", ""),
        ("", " ... ", ""),
        ("", "“Don’t!”", "1-6"),
        ("", "e\u0301te\u0301 co\u00ad\u200boperate\u00ad.", "0-5 6-17"),
        ("", "\u200ba", "1-2"),
        ("", "a co\u00ad\noperate\u00ad b c\u00ad\n\td", "0-1 2-13 15-16 17-22"),
        ("--sentences", "A co\u00ad\noperate. B", "0-1 2-13 15-16"),
        ("--join-hyphens", "a co-\n operate b", "0-1 2-14 15-16"),
        ("", "don´t 1\ufe0f\u20e3 2\u20e3.", "0-5 6-7 10-11"),
        ("", "a½b", "0-1 1-2 1-3"),
        ("", "ന്\u200da ত\u09cd\u200d ന\u0d4d\u200b\u200dx", "0-4 5-8 9-14"),
        ("--mask-numbers", "$1,234.50, 3½x 1\u202f234", "1-9 11-14 15-20"),
        ("--mask-numbers", "ก๑,๒๓๔ก", "0-1 1-6 6-7"),
        ("", "กำ นำ้", "0-2 1-2 3-5 4-6"),  # sara am is a mark on what is before it, and a letter
        ("", "中\u1161 .\u11a8 가\u11a8", "0-1 1-2 4-5 6-8"),
        ("", "中\u0345 ,\u0345 ½\u0301", "0-1 1-2 4-5 6-7 6-8"),
        ("", "中\u00ad\u0345\u00ad", "0-1 2-3"),
        ("", "中\u0345\u0301", "0-3 1-3"),  # the acute goes before the iota
        ("--fold-accents", "中\u0301\u0345 กำ", "0-2 2-3 4-6 5-6"),
        ("", "ﷺ x", "0-1 0-1 0-1 0-1 2-3"),
        ("", "中文 ab漢", "0-1 1-2 3-5 5-6"),
        ("", "x\U0001faddy", "0-1 1-2 2-3"),
        ("", "😀 A 😀 b", "2-3 6-7"),
        ("", "ﬁ STRASSE straße", "0-1 2-9 10-16"),
        ("--stop en", "The cat and the dog", "4-7 16-19"),
        ("--lemma en", "Two mice", "0-3 4-8"),
        ("--segment zh", "我来到北京", "0-1 1-3 3-5"),
        ("--word (..)", "abcde fg", "0-2 2-4 6-8"),
        ("--word (?<=x)a", "axa", "2-3"),
        ("--word a.+b", "aﷺb", "0-2 1-2 1-2 1-3"),  # a match in which folding has made white space
        ("", "C++, c#d 中C#中", "0-3 5-6 7-8 9-10 10-12 12-13"),
        ("--symbols", " !!! \u200b|:-|\ufe0f", "1-4 6-10"),
        ("--symbols --sentences --delete x", "x … !", "2-3 4-5"),
        ("--symbols", "!!! a", "4-5"),
        ("--symbols", "at -5 % 10⁻⁵👍", "0-2 3-4 4-5 6-7 8-10 10-12 10-12 10-12 12-13"),
        ("--fold-homoglyphs", "Дe\u0301нь co\u00ad\noперативoв", "0-5 6-20"),
        ("--sentences", "A b. C d.", "0-1 2-3 5-6 7-8"),
        ("--delete -", "co-operate-", "0-10"),
        ("--delete x", "xaxbx", "1-4"),
        ("--delete (?r)abc", "abc def abc ghi abc jkl", "4-7 12-15 20-23"),
        ("--replace (?r)[0-9][0-9]=x", "123 456", "0-3 4-7"),  # 1x 4x
        ("--replace &=and", "salt&pepper", "0-11"),
        (r"--replace (\w+)@(\w+)=\1\x20at\x20\2", "to bob@site now", "0-2 3-11 3-11 3-11 12-15"),
        ("--replace ^=zz;", "a", "0-0 0-1"),
        ("--replace $=;zz", "a", "0-1 1-1"),
        ("--replace ^=zz; --replace zz=yy", "ab", "0-0 0-2"),
        ("--replace EUR=euro --delete o", "5 EUR.", "0-1 2-5"),
    ],
)
def test_places(options: str, text: str, at: str) -> None:
    canonize, place = both(options)
    assert place(text).at == at
    assert place(text).words == canonize(text)


alphabet = st.sampled_from(
    "aZ+# éÉßΣσςПйЁʼ’`´\u20e3'.,-[]<>&\"#%\t\n\u00a0½ﬁ①中文，。ガｶﾞー가ᄀ\u1161\u11a8ไทยहि\u0301\u0316\u0308\u0345"
    "\u200b\u00ad0٣ـ\u064bﷺ\U0001fadd😀"
)
texts = st.text(alphabet, max_size=40) | st.text(max_size=20)

PLAIN, ACCENTS, STEMS = both(""), both("--fold-accents"), both("--stem en --mask-numbers")


@given(texts)
@example("\u0301a\u0301 \u1161가")
@example("a" * 300 + "\u0301" * 40 + "\u0316" * 40 + "é" * 100)
def test_any_text(text: str) -> None:
    for options, (canonize, place) in (("", PLAIN), ("--fold-accents", ACCENTS)):
        check(options, text, canonize, place)
    canonize, place = STEMS
    assert place(text).words == canonize(text)


joining = st.text(
    "ab中กกา\u0e33\u0e49\u0eb3\u0345\u1100\u1161\u11a8가\u3099\uff9eか½.Σ\u0301\u0323\u0344ἀᾳﷺ'", max_size=12
)


@given(joining)
@example("กำ นำ้ ່ຳ")
@example(".\u1161 中\u11a8 가\u11a8 中\u0345 .\u0345 ½\u0301 d\u0301\u0323")
@settings(max_examples=150)
def test_no_place_can_be_narrower(text: str) -> None:
    """What is left of a place without its first or its last character does not make its word.

    Not so where marks change places, and one of them becomes a letter: both are of both words.
    """
    canonize, place = PLAIN
    marks = "[\u0301\u0323\u0344\u0345\u0e49\u3099\uff9e]+"
    text = re.sub(marks, lambda run: "".join(sorted(run[0], key="\u0345".__eq__)), text)
    for word, start, end in check("", text, canonize, place):
        for first, last in ((start + 1, end), (start, end - 1)):
            assert word not in canonize(text[first:last]).split(), (word, start, end)


def test_long_letters_take_no_longer_than_their_size() -> None:
    text = "中" + "\u0301\u0345" * 200_000
    assert PLAIN[1](text).at == "0-400001 0-400001"


@given(st.lists(texts, max_size=4))
def test_both_kernels(several: list[str]) -> None:
    for canonize, place in (PLAIN, STEMS):
        plain = canonize.wherever if place is PLAIN[1] else None
        one, two = compiled_words(place._token, plain, True), WordMemo(place._token)
        for text in [*several, *several]:  # not known, then known
            assert one.placed(text) == two.placed(text)


def test_both_kernels_on_characters_of_all_kinds() -> None:
    """Of letters of a few large scripts few, of other characters beyond the scripts of Europe every third."""
    canonize, place = PLAIN
    one, two = compiled_words(place._token, canonize.wherever, True), WordMemo(place._token)
    for code in (*range(0x700), *range(0x700, 0x3200, 3), *range(0x3200, 0xD800, 29), *range(0xF900, 0x10000, 3)):
        text = " ".join(f"{before}{chr(code)}{before}" for before in "a中'ᄒé")
        assert one.placed(text) == two.placed(text), hex(code)


@pytest.mark.parametrize("size", [9, 10, 99, 100, 101, 999, 1000, 9999, 10_000, 99_999, 100_000, 1_000_000])
def test_numbers_of_any_length(size: int) -> None:
    text = "." * size + "Ab" + "é" * 101 + " c"
    assert PLAIN[1](text).at == f"{size}-{size + 103} {size + 104}-{size + 105}"


def test_words_without_places() -> None:
    if kernel.NAME == "c":
        with pytest.raises(ValueError, match="words without places"):
            compiled_words(str.lower).placed("Word")


@given(
    st.text("ab cé", max_size=12),
    st.lists(
        st.tuples(st.sampled_from("a b+ c* ^ $ \\b é (?r)a (?r)b*".split()), st.sampled_from(["", "x", "bb", "é"])),
        max_size=3,
    ),
)
def test_where_replaced_text_comes_from(text: str, edits: list[tuple[str, str]]) -> None:
    """Character by character: those that were there, and those that stand for a match."""
    budget = Budget()
    budget.start(text)
    made, origins = text, []
    levels: list[list[tuple[int, int]]] = []  # of each character after an edit, where it was before
    for pattern, new in edits:
        rule = Replace("--replace", pattern, new, budget)
        every, end = [], 0
        for match in sorted(regex.finditer(pattern, made), key=regex.Match.span):
            every += [(place, place + 1) for place in range(end, match.start())]
            every += [match.span()] * len(new)
            end = match.end()
        levels.append(every + [(place, place + 1) for place in range(end, len(made))])
        expected = rule(made)
        made, origin = rule.traced(made)
        assert made == expected
        assert len(made) == len(levels[-1]) == origin.size
        origins.append(origin)
    for place in range(len(made)):
        start, end = place, place + 1
        for level in reversed(levels):
            if start < end:
                start, end = min(first for first, _ in level[start:end]), max(last for _, last in level[start:end])
            elif start < len(level):
                start = end = level[start][0]
            elif level:
                start = end = level[-1][1]
        assert original_place(origins, place, place + 1) == (start, end)


def test_the_text_stays_as_it_is_spelled() -> None:
    line = rb'{"id":1,"text" : "The \u0043at\n\/", "x":0.10}'
    made = b'{"id":1,"text" : "the cat", "x":0.10,"source":"The \\u0043at\\n\\/","at":"0-3 4-7","via":"canon/4"}\n'
    assert run("canon --offsets", stdin=line).good() == made


def test_fields_that_are_there_already() -> None:
    line = b'{"at":[1],"id":1,"source":"x", "text":"A b","via":"x"}'
    made = b'{"at":"0-1 2-3","id":1,"source":"A b", "text":"a b","via":"x | canon/4"}\n'
    assert run("canon --offsets", stdin=line).good() == made
    assert run("canon", stdin=line).good() == line.replace(b"A b", b"a b").replace(b'"x"}', b'"x | canon/4"}\n')
    ran = run("canon --offsets", stdin=b'{"id":1,"text":"a","at":1,"at":2}\n{"id":2,"text":"b"}')
    assert (ran.status, ran.err) == (1, 'canon: -:1: field "at" occurs twice\n')
    assert json.loads(ran.out)["id"] == 2


@pytest.mark.parametrize("option", ["--text source", "--text at", "--id at", "--id source"])
def test_fields_that_would_have_to_hold_two_things(option: str) -> None:
    ran = run(f"canon --offsets {option}", stdin=b"{}")
    assert ran.status == 2
    assert ran.err.startswith("canon: the id, the text, source, at and via need fields of their own, not ")


@pytest.mark.parametrize("options", ["", "--stem en", "--sentences", r"--word \w+", "--lines"])
def test_the_words_are_those_of_canon(options: str) -> None:
    stdin = DOCS.read_bytes()
    made = run(f"canon --offsets {options}", stdin=stdin).good()
    assert run(f"canon -j2 --offsets {options}", stdin=stdin).good() == made
    records = [json.loads(line) for line in made.splitlines()]
    for record in records:
        assert all(0 <= start < end for _, start, end in found(record["text"], record["at"]))
    sources = [record.pop("source") for record in records]
    assert all(record.pop("at") is not None for record in records)
    assert records == [json.loads(line) for line in run(f"canon {options}", stdin=stdin).good().splitlines()]
    if options != "--lines":
        assert sources == [json.loads(line)["text"] for line in stdin.splitlines()]


def test_what_follows_passes_the_text_and_the_places() -> None:
    canonized = run("canon --offsets", stdin=DOCS.read_bytes()).good()
    kept = [re.search(b'"source":.*"at":"[^"]*"', line) for line in canonized.splitlines()]
    for each in "shingle|shingle,sketch|shingle -k 3,sketch --keep|dedup --groups /dev/null".split("|"):
        commands = each.split(",")
        made = pipe(canonized, *commands)
        assert [match and match[0] for match in kept] == [
            match and match[0] for match in (re.search(b'"source":.*"at":"[^"]*"', line) for line in made.splitlines())
        ]
    plain = pipe(DOCS.read_bytes(), "canon", "shingle -k 3", "sketch", "simjoin -t 0.3")
    assert pipe(canonized, "shingle -k 3", "sketch", "simjoin -t 0.3") == plain


@pytest.mark.parametrize("options", ["--html", "--html=main --stem en", "--html=article", "--recursive", "--warc"])
def test_html_has_no_places(options: str) -> None:
    ran = run(f"canon --offsets {options}", stdin=b"")
    message = "--offsets takes text, not HTML: first write its text by --extract, then canon --offsets"
    assert (ran.status, ran.out, ran.err) == (2, b"", f"canon: {message}\n")


@given(
    st.lists(st.sampled_from(["a", "É-", "co\u00ad", " ", "\n", "<p>", "<br>", "<b>", "</p>", "\t", "<pre>"])).map(
        "".join
    )
)
@example("<pre>co-<p>\n\nop a-<p>\n b</pre>-\n\u00a0c")
def test_words_of_pages_as_other_modules_place_them(markup: str) -> None:
    """In its text, whose white space is shorter, but where hyphens divide the same words."""
    canonize, place = both("--html --join-hyphens")
    words, at, source = place(markup)
    assert words == canonize(markup)
    every = found(words, at)
    assert all(canonize(source[start:end]) == word for word, start, end in every)
    assert not re.search(r"\u2029|[ \t]{2}|\n{3}", source)


def test_the_text_of_html_has_places() -> None:
    line = jsonl({"id": 1, "text": "<title>A cat</title><p>B&amp;<b>c</b>d"})
    (record,) = map(json.loads, pipe(line, "canon --html --extract", "canon --offsets").splitlines())
    assert (record["source"], record["at"]) == ("A cat\n\nB&cd", "0-1 2-5 7-8 9-11")
