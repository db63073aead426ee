"""canon: folding, the word pattern, stop words, ways in."""

import random
import unicodedata
from pathlib import Path

import pytest
import regex
from blake3 import blake3

from harness import jsonl, run, stopping
from shingletools.commands.canon.canonizer import Canonizer, Rules
from shingletools.commands.canon.chinese_words import Chinese
from shingletools.commands.canon.folding import FRACTIONS, LONG_RUN, fold
from shingletools.commands.canon.known_characters import is_later
from shingletools.commands.canon.word_splitting import cut, joins
from shingletools.kernel.memo import MAX_ENTRIES, Memo
from shingletools.text.unspaced_scripts import ALONE, JOINING, OTHERS, SHARED

canonize = Canonizer()
# All of the planes that have characters; few of those that have none, or private ones
EVERY_CODE = (*range(0x40000), *range(0x40000, 0xE0000, 101), *range(0xE0000, 0xE1000), *range(0xE1000, 0x110000, 101))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The QUICK, brown fox!", "the quick brown fox"),
        ("Straße STRASSE ẞ", "strasse strasse ss"),
        ("ΣΊΣΥΦΟΣ σίσυφος", "σίσυφοσ σίσυφοσ"),
        ("ﬁnd ①②③ ½ m² ｆｕｌｌ　ｗｉｄｔｈ", "find 123 1 2 m2 full width"),
        ("e\u0301te\u0301 été", "été été"),
        (
            "co\u00adoperate zero\u200bwidth \ufeffbom \u202ebidi\u202c joi\u2060ner",
            "cooperate zerowidth bom bidi joiner",
        ),
        ("don't don’t don‘t 'quoted' ’tis dogs' rock'n'roll a''b", "don't don't don't quoted tis dogs rock'n'roll a b"),
        ("a'\u0301b a\u0301'b 中'a a'中 'a '\u0301'a 1'2", "a b á'b 中 a a 中 a a 1'2"),
        ("п'ять п’ять пʼять", "п'ять п'ять п'ять"),
        ("don`t don´t don\u1ffdt don′t don｀t п`ять", "don't don't don't don't don't п'ять"),
        ("`quoted´ `a` ``b'' 5′10″ 26′46″N a´ ´b", "quoted a b 5'10 26'46 n a b"),
        ("snake_case e-mail 3.14 1,000 U.S.A.", "snake case e mail 3 14 1 000 u s a"),
        ("中文abc和2024年", "中 文 abc 和 2024 年"),
        ("ひらがなカタカナ ｶﾀｶﾅ ｶﾞ ラーメン 人々", "ひ ら が な カ タ カ ナ カ タ カ ナ ガ ラ ー メ ン 人 々"),
        ("ภาษาไทย", "ภ า ษ า ไ ท ย"),
        ("ຂໍ້ ខ្មែរ မြန်မာ", "ຂໍ້ ខ្ មែ រ မြ န် မာ"),
        ("한국어 हिन्दी العَرَبِيَّة עִבְרִית", "한국어 हिन्दी العَرَبِيَّة עִבְרִית"),
        ("👍🏽 — … ← \u0301", ""),
        ("1️⃣ 2\u20e3nd #️⃣ *️⃣ 1️⃣0️⃣", "1 2nd 10"),
        ("3½ 3 1/2 1¾x ⅟3 a⅓", "3 1 2 3 1 2 1 3 4x 1 3 a 1 3"),
        (
            "O\u02bbzbekcha O‘zbekcha O'zbekcha Hawai\u02bbi Hawai\u02bdi",
            "o'zbekcha o'zbekcha o'zbekcha hawai'i hawai'i",
        ),
        ("ג׳ירפה ג'ירפה צ׳יפס׳ צה״ל צה\"ל", "ג'ירפה ג'ירפה צ'יפס צה ל צה ל"),
        ("അവന\u0d4d\u200d അവ\u0d7b അവന\u0d4d ത\u0d4d\u200dക", "അവ\u0d7b അവ\u0d7b അവന\u0d4d ത\u0d4dക"),
        ("হঠা\u09a4\u09cd\u200d হঠা\u09ce ක්\u200dර", "হঠা\u09ce হঠা\u09ce ක්ර"),
        ("ꦲꦤꦕꦫꦏ ᬳᬦ ᥖᥭ ᦑᦺ ᨲᩱ ꪼꪕ ꀀꀁ ᨅᨔ 𑜒𑜨 𗀀𗀁", "ꦲ ꦤ ꦕ ꦫ ꦏ ᬳ ᬦ ᥖ ᥭ ᦑ ᦺ ᨲᩱ ꪼ ꪕ ꀀ ꀁ ᨅ ᨔ 𑜒𑜨 𗀀 𗀁"),
        ("བོད་ཡིག ꓡꓲ 𖼀𖽑", "བོད ཡིག ꓡꓲ 𖼀𖽑"),
        ("\u2028line\u2029paragraph\x85next\x1cfield", "line paragraph next field"),
        ("co\u00ad\noperate co\u00ad \r\n\t operate é\u00ad\né e\u0301\u00ad\ne", "cooperate cooperate éé ée"),
        ("racing\u00ad game 1\u00ad\n2 a\u00ad\n\nb \u00ad\nc d\u00ad\n.e -\u00ad\nf", "racing game 1 2 a b c d e f"),
        ("C, C++ and C#/F#; g++-12 C＃ C⁺", "c c++ and c# f# g++ 12 c# c+"),
        ("a+b c++d 1+ a1# +a #b a+中 中+ e\u0301+ c+\u0301", "a b c d 1 a1 a b a+ 中 中 é+ c+"),
        ("c'+ c+' c+'d c+#+ c\u00ad+\u00ad+", "c c+ c+ d c+#+ c++"),
        ("", ""),
        (" .,;!? ", ""),
        ("nul\x00nul", "nul nul"),
    ],
)
def test_words(text: str, words: str) -> None:
    assert canonize(text) == words


def test_scripts_without_spaces_are_those_whose_lines_break_between_letters() -> None:
    """By the line-break classes of Unicode that the package regex has. Some Latin letters are as wide as ideographs."""
    breaking = regex.compile(r"[[\p{L}\p{N}]&&[\p{LB=SA}\p{LB=AK}\p{LB=AS}\p{LB=ID}\p{LB=CJ}]]", regex.VERSION1)
    scripts = {name: regex.compile(rf"\p{{sc={name}}}") for name in (*SHARED, *OTHERS, "Hangul", "Common", "Latin")}
    letters = [chr(code) for code in EVERY_CODE if breaking.match(chr(code)) and not is_later(chr(code))]
    found = {next((name for name in scripts if scripts[name].match(letter)), letter) for letter in letters}
    assert found == {*scripts} - {"Buginese", "Khitan_Small_Script"}


def test_letters_that_join_the_letter_before_them() -> None:
    alone = regex.compile(ALONE, regex.VERSION1)
    letters = (chr(code) for code in EVERY_CODE if alone.match(chr(code)) and not is_later(chr(code)))
    assert [letter for letter in letters if joins(unicodedata.normalize("NFKD", fold(letter)))] == [*JOINING]


def test_long_run_without_spaces_equals_the_same_in_pieces() -> None:
    run_on = "维基百科是一个自由的百科全书ガabc、ｶﾞ百科"
    assert len(run_on * 9) > 100
    assert canonize(run_on * 9) == " ".join([canonize(run_on)] * 9)


def test_characters_later_than_unicode_14_are_words_alone() -> None:
    later = "\U00031350 \u0cf3 \ua7cb"  # a Han character, a Kannada sign and a capital of Unicode 15, 15 and 16
    for character in later.split():
        assert is_later(character)
        assert canonize(f"Ab{character}Cd") == f"ab {character} cd"
        assert canonize("Ünï" * 50 + character) == f"{canonize('Ünï' * 50)} {character}"


@pytest.mark.slow
def test_every_character_alone() -> None:
    """A golden digest, so that no other Python or version of a package changes the canonical form of a character."""
    digest = blake3()
    for code in EVERY_CODE:
        if not 0xD800 <= code < 0xE000:
            word = canonize(chr(code))
            assert canonize(word) == word, hex(code)
            digest.update(f"{code:x} {word}\n".encode())
    assert digest.hexdigest() == "08a5bc2a27bd13d9fd806a058d8b43dbfb81826d296453f761fecbd9cf8324ef"


def test_case_and_normal_form_do_not_matter_for_any_character() -> None:
    for code in EVERY_CODE:
        if 0xD800 <= code < 0xE000:
            continue
        character = chr(code)
        if is_later(character):
            continue
        forms = {unicodedata.normalize(form, character) for form in ("NFC", "NFD", "NFKC", "NFKD")}
        if character in "\u00b4\u1ffd":
            forms -= {" \u0301"}  # an apostrophe that has become a space with a mark on it stays that
        if character in FRACTIONS:
            forms = {character}  # its digits may have become one with those before them
        assert {fold(form) for form in forms} == {fold(character)}, hex(code)
        assert fold(character.casefold()) == fold(fold(character)) == fold(character), hex(code)


def test_long_runs_of_marks_fold_as_short_ones_do(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(4)
    marks = [chr(code) for code in range(0x300, 0xFFA0) if unicodedata.combining(chr(code))] + ["\u0f73", "\uff9e"]
    runs = ["a" + "".join(rng.choices(marks, k=rng.randrange(30, 300))) for _ in range(50)]
    sorted_before = [fold(run) for run in runs]
    monkeypatch.setattr("shingletools.commands.canon.folding.LONG_RUN", regex.compile("(?!)"))
    assert sorted_before == [fold(run) for run in runs]
    assert any(LONG_RUN.search(run) for run in runs)


@pytest.mark.slow
def test_two_megabytes_of_marks() -> None:
    """In quadratic time this would take an hour."""
    canonical = canonize("a" + "\u0301\u0316\u0f73\uff9e" * 200_000)
    assert canonical == canonize(canonical)
    assert len(canonical) == 1_000_000


def test_long_texts_are_cut_at_white_space_only(monkeypatch: pytest.MonkeyPatch) -> None:
    text = " \u2003One,two\n\x1cthree  \x85 中文字，abc d'e'' " * 40
    expected = canonize(text)
    for segment in (1, 2, 3, 7, 50):
        monkeypatch.setattr("shingletools.commands.canon.canonizer.CUT_CHARS", segment)
        assert canonize(text) == expected


@pytest.mark.parametrize(
    ("unit", "words"), [("a'", "a" + "'a" * 999_999), ("a''", "a " * 1_000_000), ("'", ""), ("中", "中 " * 1_000_000)]
)
def test_a_million_times_the_same(unit: str, words: str) -> None:
    assert canonize(unit * 1_000_000) == words.strip()


def test_memo_forgets_but_never_errs() -> None:
    memo = Memo(str.upper)
    for number in range(MAX_ENTRIES + 10):
        assert memo[f"w{number}"] == f"W{number}"
    assert len(memo) == 10
    assert memo["x" * 1000] == "X" * 1000
    assert len(memo) == 10


def test_stop_lists_are_closed_classes() -> None:
    text = "The results of the search were neither in the cache nor on the disk"
    out = run("canon", "--stop", "en", stdin=jsonl({"id": 1, "text": text})).records()
    assert out == [{"id": 1, "text": "results search were cache disk", "via": "canon/4 stop=en"}]
    text = "Она пошла в магазин, чтобы купить хлеба и молока для своих детей"
    out = run("canon", "--stop", "ru", stdin=jsonl({"id": 1, "text": text})).records()
    assert out == [{"id": 1, "text": "пошла магазин купить хлеба молока детей", "via": "canon/4 stop=ru"}]
    out = run("canon", "--stop", "zh", stdin=jsonl({"id": 1, "text": "我的书和你的书"})).records()
    assert out == [{"id": 1, "text": "书 书", "via": "canon/4 stop=zh"}]


@pytest.mark.parametrize("language", ["en", "ru", "zh"])
def test_every_shipped_stop_word_is_a_word(language: str) -> None:
    segmented = Canonizer(Rules(cut=Chinese(cut)))
    lines = (Path(__file__).parents[2] / f"shingletools/text/stop/{language}.txt").read_text("utf-8").splitlines()
    words = [line for line in lines if not line.startswith("#")]
    assert len(words) == len(set(words)) < 400
    for word in words:
        assert fold(word) == word
        assert (segmented if language == "zh" else canonize)(word) == word


def test_stop_file_and_recipe(tmp_path: Path) -> None:
    content = "\ufeffFoo\r\n\n# a comment\nBÄR".encode()
    (tmp_path / "my words.txt").write_bytes(content)
    record = jsonl({"id": 1, "text": "foo bär and baz"})
    out = run("canon", "--stop", "my words.txt", "--stop", "en", stdin=record, cwd=tmp_path).records()
    assert out == [
        {"id": 1, "text": "baz", "via": f"canon/4 stop=en,my%20words.txt@{blake3(content).hexdigest()[:16]}"}
    ]
    swapped = run("canon", "--stop", "en", "--stop", "my words.txt", stdin=record, cwd=tmp_path).records()
    assert swapped == out


def test_a_stop_word_later_than_unicode_14() -> None:
    assert stopping("\ua7cb")("a \ua7cb \ua7cbb") == "a b"


def test_fields_must_be_distinct() -> None:
    for argv in (["--text", "via"], ["--id", "via"], ["--id", "text"], ["--lines", "--id", "text"]):
        ran = run("canon", *argv, stdin=b'{"id":1,"text":"a","via":"b"}\n')
        assert (ran.status, ran.out) == (2, b"")
        assert ran.err.startswith("canon: the id, the payload and via need fields of their own, not ")


def test_stop_list_that_is_not_there(tmp_path: Path) -> None:
    ran = run("canon", "--stop", "fr", cwd=tmp_path)
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err == "canon: --stop: fr: No such file or directory (shipped: en, ru, zh; iso:LANG for more)\n"


def test_stop_list_that_is_not_text(tmp_path: Path) -> None:
    (tmp_path / "bad").write_bytes(b"good\nb\xffd\n")
    ran = run("canon", "--stop", "bad", cwd=tmp_path)
    assert (ran.status, ran.err) == (2, "canon: bad:2: not UTF-8 (byte 2)\n")


def test_lines(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"One\n\nthree\r\n")
    (tmp_path / "b").write_bytes(b"f\xff\nFive")
    (tmp_path / "c").write_bytes(b"six\n")
    ran = run("canon", "--lines", "a", "b", "c", cwd=tmp_path)
    hint = "iconv -f ENCODING -t UTF-8 makes UTF-8 of it"
    assert (ran.status, ran.err) == (1, f"canon: b:1: not UTF-8 (byte 2); {hint}\n")
    texts = [(1, "one"), (2, ""), (3, "three"), (5, "five"), (6, "six")]
    assert ran.out == b"".join(b'{"id":%d,"text":"%s","via":"canon/4"}\n' % (i, t.encode()) for i, t in texts)


def test_whole(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"One\ntwo\n")
    (tmp_path / "b.txt").write_bytes(b"\xff\n")
    (tmp_path / "c.txt").write_bytes(b"")
    ran = run("canon", "--whole", "a.txt", "b.txt", "c.txt", "--rejects", "r", cwd=tmp_path)
    hint = "iconv -f ENCODING -t UTF-8 makes UTF-8 of it"
    assert (ran.status, ran.err) == (1, f"canon: b.txt: not UTF-8 (byte 1); {hint}\n")
    assert ran.out == b'{"id":"a.txt","text":"one two","via":"canon/4"}\n{"id":"c.txt","text":"","via":"canon/4"}\n'
    assert (tmp_path / "r").read_bytes() == b"b.txt\0not UTF-8 (byte 1)\0"
    assert run("canon", "--whole", stdin=b"From a pipe").records()[0]["id"] == "-"


def test_number(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b'{"text":"a"}\n{"id":"own","text":"b"}\n')
    (tmp_path / "b").write_bytes(b'{"text":"c"}\n')
    assert [record["id"] for record in run("canon", "--number", "a", "b", cwd=tmp_path).records()] == [1, "own", 3]


def test_fields_of_other_names() -> None:
    stdin = jsonl({"url": "u", "body": "A Word", "text": 5, "x": [1, {"y": None}]})
    out = run("canon", "--id", "url", "--text", "body", stdin=stdin).good()
    assert (
        out == b'{"url": "u", "body": "a word", "text": 5, "x": [1, {"y": null}],'
        b'"named":"--id url --text body","via":"canon/4"}\n'
    )
