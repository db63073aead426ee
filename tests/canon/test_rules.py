"""canon's rules for words: accents, numbers, stop lists, adjectives, lemmas, stems, Chinese words; --explain."""

import json
import pickle
import re
import sys
import unicodedata
from importlib import metadata
from pathlib import Path

import pytest
import regex
import Stemmer
import stopwordsiso
from hypothesis import given
from hypothesis import strategies as st

from harness import DOCS, jsonl, run
from shingletools.cli.options import make_parser
from shingletools.commands.canon.canonizer import Canonizer, explain
from shingletools.commands.canon.command import add_options
from shingletools.commands.canon.folding import fold, fold_accents
from shingletools.commands.canon.homoglyphs import fold_homoglyphs
from shingletools.commands.canon.known_characters import is_later
from shingletools.commands.canon.lemmas import fixed_point
from shingletools.commands.canon.rule_choice import chosen
from shingletools.commands.canon.rules import SEPARATORS


def canonizer(*argv: str) -> Canonizer:
    """What the command makes of its options."""
    return Canonizer(chosen(make_parser("canon", "", add_options).parse(argv))[0])


def test_separators_of_numbers_are_those_of_unicode() -> None:
    kinds = regex.compile(r"[\p{WB=MidNum}\p{WB=MidNumLet}\p{WB=Single_Quote}\u066b]")
    every = (chr(code) for code in range(sys.maxunicode + 1) if kinds.match(chr(code)))
    assert "".join(each for each in every if not is_later(each)) == SEPARATORS


def made_with(package: str) -> str:
    return f"{package}-{metadata.version(package)}"


@pytest.mark.parametrize(
    ("options", "text", "words"),
    [
        ("--fold-accents", "Crème BRÛLÉE, Łódź, Øl, İstanbul ısı", "creme brulee lodz ol istanbul isi"),
        ("--fold-accents", "Ёлка ёж йод їжак замо́к", "елка еж йод їжак замок"),
        ("--fold-accents", "Άλφα, ϊ; tiếng Việt", "αλφα ι tieng viet"),
        ("--fold-accents", "İSTANBUL istanbul IŞIK ışık", "istanbul istanbul isik isik"),
        ("--fold-accents", "ΟΔΥΣΣΕΥΣ Ὀδυσσεύς ƶ", "οδυσσευσ οδυσσευσ z"),
        ("", "كتابــــة كتابة ـَ", "كتابة كتابة"),
        ("--fold-accents", "שָׁלוֹם العَرَبِيَّة أحمد", "שלום العربية أحمد"),
        ("--fold-accents", "हिन्दी ไทย 한국어 が", "हिन्दी ไ ท ย 한국어 が"),
        ("", "co-\noperate", "co operate"),
        ("--join-hyphens", "co-\noperate co\u2010 \n\t operate e\u0301-\ne a-b", "cooperate cooperate ée a b"),
        ("--join-hyphens", "Jean-\nPaul CD-\nrom Ко-\nоператив", "jean paul cd rom кооператив"),
        ("--join-hyphens", "a - \nb a-\n-b a-\n\nb 1-\n2 a-\n2 a—\nb", "a b a b a b 1 2 a 2 a b"),
        ("--fold-homoglyphs", "Дeнь, cписок; рaypаl", "день список paypal"),
        ("--fold-homoglyphs", "Нa Tо Tα", "на то τα"),  # as many letters of one script as of the other
        ("--fold-homoglyphs", "ΧYZ Αx", "xyz ax"),  # no Greek letter looks like x
        ("--fold-homoglyphs", "cool кот USBшный debian'у 5м", "cool кот usbшный debian'у 5м"),
        ("--fold-homoglyphs", "hаш Hаш cнaтo кaждЫЙ ЁЛKА e\u0308лкa ëлкa", "hаш наш cнaтo каждый ёлка ёлка ёлка"),
        ("--fold-homoglyphs", "а中a 3aя aя", "а 中 a 3ая ая"),
        ("", "Дeнь", "дeнь"),
        ("", "😀 !!!", ""),
        ("--symbols", "|:---|\t🏽\ufe0f ＃", "|:---| 🏽 #"),
        (
            "--symbols",
            "-5 °C −5 (-.5) 10-20 pre-war 3 - 4 – -x a-5",
            "u2212 5 c u2212 5 u2212 0 5 10 u002d 20 pre war 3 u002d 4 u2212 x a 5",
        ),
        ("--symbols", "A- AB-, BBB- PRE- x- A-B", "a u2212 ab u2212 bbb u2212 pre u2212 x a b"),
        ("--symbols", "5% 5 ‰ %s 100 % a%", "5 u0025 5 u2030 u0025 s 100 u0025 a"),
        (
            "--symbols",
            "$10 10 $ US$ 5 €5 in € £, $HOME a$",
            "u0024 10 10 u0024 us u0024 5 u20ac 5 in u20ac u00a3 u0024 home a",
        ),
        ("--symbols", "p<.05 p >= 5 a < b a ≤b x != y", "p u003c 0 05 p u2265 5 a u003c b a u2264 b x u2260 y"),
        ("--symbols", "a\n> quoted\n> 5 -> => <b>a</b> >> !\n*", "a quoted u003e 5 b a b"),
        (
            "--symbols",
            "3+4 3 * 4 3 × 4 8 / 2 1/2 +49 *a* (2) ÷ 1",
            "3 u002b 4 3 u00d7 4 3 u00d7 4 8 u002f 2 1 u002f 2 49 a u0028 2 u00f7 1",
        ),
        (
            "--symbols",
            "10⁵ 10⁻⁵ 10^5 m² x⁻¹ H₂O ±5 a ± b",
            "10 u005e 5 10 u005e u2212 5 10 u005e 5 m2 x u2212 1 h2o u00b1 5 a b",
        ),
        ("--symbols", "–5 °C 1990–95 ‑5 －5 A–B x – 5", "u2212 5 c 1990 u002d 95 u2212 5 u2212 5 a b x 5"),
        (
            "--symbols",
            "HER2- HER2+, CD4+ 18+ (x) Na+ B-2 10- C++",
            "her2 u2212 her2 u002b cd4 u002b 18 u002b x na+ b 2 10 c++",
        ),
        (
            "--symbols",
            "so :) :-( ;) =/ see: (a) http://b x:(y) f(a:) |:-|",
            "so u003a u0029 u003a u0028 u003b u0029 u003a u002f see a http b x y f a u003a u0029",
        ),
        (
            "--symbols",
            """5' 6" 7′ 8’ 90's "room 5" 'flat 6'\n5°5'6" 5 °C 180° C 30°""",
            "5 u2032 6 u2033 7 u2032 8 u2032 90's room 5 flat 6 5 u00b0 5 u2032 6 u2033 5 c 180 c 30 u00b0",
        ),
        (
            "--symbols",
            "a && b || c == d = e !f x += 1 a ** b a // b a << 1\n== Title ==\n=====\n* item a * b A* *b*",
            "a u0026 u0026 b u007c u007c c u003d u003d d u003d e u0021 f x u002b u003d 1 a u002a u002a b "
            "a u002f u002f b a u003c u003c 1 title item a u00d7 b a u00d7 b",
        ),
        (
            "--symbols",
            "R & D AT&T x+3 x-3 ~5 ^a a ^ b a|b a | b",
            "r and d at and t x u002b 3 x 3 u007e 5 u005e a a u005e b a b a b",
        ),
        (
            "--symbols",
            "∀x A ∪ B A → B\n→ more p ∧ q ♠ ☔ B♭ ∞ • item ● item © a",
            "u2200 x a u222a b a u2192 b more p u2227 q u2660 u2614 b u266d u221e item item a",
        ),
        ("--symbols", ".5 mg a .22 5. ... a.5 (.7) 1.2.3", "0 5 mg a 0 22 5 a 5 0 7 1 u002e 2 u002e 3"),
        ("--symbols", "<5 items\n>5 items\n> 5 items x + y", "u003c 5 items u003e 5 items u003e 5 items x u002b y"),
        ("--symbols", "↑ 5 ★★ ✓ C♯ → •", "u2191 5 u2605 u2605 u2713 c u266f"),
        ("--symbols", "Fine 👍🏽 ☹ 🇩🇪 ©", "fine u1f44d u2639 u1f1e9 u1f1ea"),
        (
            "--symbols",
            "a .NET (.odt) b.c @x #y x@y #5 $z {%d} a",
            "a u002e net u002e odt b c u0040 x u0023 y x y 5 u0024 z u0025 d a",
        ),
        ("--symbols", "e+f e^f e*f e-f x^2", "e u002b f e u005e f e u00d7 f e f x u005e 2"),
        ("--symbols", "(1950-) 500-\n7 10- 5 a-", "1950 u2212 500 u2212 7 10 5 a"),
        ("--symbols", "Rh(+) (-)-menthol (%) (!) (a)", "rh u002b u2212 menthol u0025 a"),
        (
            "--symbols",
            "(1) a (1.500) 7 (8) f(3) 2 (1999)",
            "u0028 1 a u0028 1 u002e 500 7 u0028 8 f 3 2 1999",
        ),
        (
            "--symbols",
            "5 mW 5MW 5mPa mW 5 mL 5 mA 10 Mb 10 MB 10Mbit",
            "5 u006d u0057 5mw 5 u006d u0050 a mw 5 ml 5 ma 10 u004d u0062 10 mb 10mbit",
        ),
        ("--symbols", "5 мВт 5 МВт 5 mΩ 5 MΩ", "5 u043c u0412 т 5 мвт 5 u006d u03a9 5 mω"),
        ("--symbols", "!!! a", "a"),
        ("--symbols", "+ added", "u002b added"),
        (
            "--symbols",
            "tar -C x, tar -c ('-v', -Ab) x=-y x-Y",
            "tar u2212 u0043 c x tar u2212 c u2212 v u2212 ab x u003d u2212 y x y",
        ),
        ("--symbols", "A>B A<B <b>A</b>", "a u003e b a u003c b b a b"),
        (
            "--symbols",
            "($500) (12%) (500 ), 5  mW 5\nMb/s",
            "u0028 u0024 500 u0028 12 u0025 500 5 u006d u0057 5 u004d u0062 s",
        ),
        (
            "--symbols",
            "10 Mbps 10 MBps b  Mb [.NET] “@b”",
            "10 u004d u0062 ps 10 mbps b mb u002e net u0040 b",
        ),
        ("--symbols", "½ 1½ 1/2", "1 u002f 2 1 1 u002f 2 1 u002f 2"),
        ("--symbols --stop en", "The -- !", "-- !"),
        ("--symbols", "\u200b ", ""),
        ("--drop-numbers", "In 2024 v2 3.14 ٣٤ ½ x86 三", "in v2 x86 三"),
        ("--mask-numbers", "In 2024 v2 3.14 1024x768 ٣٤", "in 0 v0 0 0x0 0"),
        ("--mask-numbers", "1,234,567 3½ ½ 1⁄2 1.234.567,89 1'234 1’234 ١٬٢٣٤٫٥ １，２３４", "0 0 0 0 0 0 0 0 0"),
        ("--mask-numbers", "1\u00a0234\u202f567 1\u00a0234x 12\u00a034 1\u00a02345 1 234 1, 2", "0 0x 0 0 0 0 0 0 0 0"),
        ("--mask-numbers", "①② m² a,1 1,a 5/7 12:30 \u0cf3", "0 m0 a 0 0 a 0 0 0 0 \u0cf3"),
        ("--mask-numbers", "ปี ๒๕๖๗นี้ ๑,๒๓๔.๕ ១២៣ v၁၂ ໑\u00a0໒໓໔", "ปี 0 นี้ 0 0 v0 0"),
        ("--mask-numbers", "\U000116d1\U000116d2", "\U000116d1 \U000116d2"),  # newer than Unicode 14
        ("--symbols --mask-numbers", "5 % 7 $ −8 v2", "0 u0025 0 u0024 u2212 0 v0"),
        ("--drop-numbers --mask-numbers", "In 2024 v2 1,234 3½", "in v0"),
        ("--drop-numbers", "1,234 1'234 3½ 1'a", "1'a"),
        ("--fold-variants", "كتاب کتاب يد ید على علی مكتبة مكتبه", "کتاب کتاب ید ید علی علی مکتبه مکتبه"),
        ("--fold-variants", "أحمد إحمد آحمد احمد سؤال سوال شيئ شیی ی\u0654", "احمد احمد احمد احمد سوال سوال شیی شیی ی"),
        ("--fold-variants", "ştiinţă știință Ş Ș", "ştiinţă ştiinţă ş ş"),
        ("--fold-variants", "अाम आम कॊ अा\u0945 ஸ்ரீ ஶ்ரீ", "आम आम कॊ ऑ ஶ்ரீ ஶ்ரீ"),
        ("--fold-variants", "ے ہ ھ ء ە ڭ", "ے ہ ھ ء ە ڭ"),  # letters of their own in Urdu, Pashto and Uyghur
        ("--fold-variants --fold-accents", "știință ی\u0654", "stiinta ی"),
        ("--stop iso:fa --fold-variants", "از كه که كتاب", "کتاب"),
        ("--stop iso:de", "Das ist nicht der Hund", "hund"),
        ("--stop iso:fr --fold-accents", "Où étaient les chevaux? ou etaient", "chevaux"),
        ("--stem en", "running runner's dogs", "run runner dog"),
        ("--stem ru,en", "кошками dogs", "кошк dog"),
        ("--stem de", "Häuser Häusern", "haus haus"),
        ("--lemma en", "Mice, wolves; bacteria bacterium, Mondays", "mouse wolf bacteria bacteria monday"),
        ("--lemma de", "Haus Häuser Häusern, Größe", "haus haus haus grösse"),
        ("--lemma ru", "Кошками кошек кошка; статьями статей статья", "кошка кошка кошка статья статья статья"),
        ("--lemma ru", "Новое новому новыми; мышью мыши", "новый новый новый мышь мышь"),
        ("--lemma ru", "счёт счетами debian'у 40мб", "счет счет debian'у 40мб"),
        ("--lemma en,ru", "Wolves и волками", "wolf и волк"),
        ("--lemma en --lemma ru", "Wolves и волками", "wolf и волк"),
        ("--lemma ru", "Путина Киеве Лавровым", "путин киев лавров"),
        ("--lemma de", "Große großen Maßnahmen, kleine kleiner", "gross gross massnahme klein klein"),
        ("--lemma de", "der Fuß, die Füße", "der fuss der fuss"),
        ("--lemma ru", "шла идти; слал слать", "идти идти слать слать"),
        ("--lemma ru", "суда судна политик уже после", "суд судно политик уже после"),
        ("--lemma ru", "ы" * 100_000, "ы" * 100_000),
        ("--segment zh", "中\U0001faddж", "中 \U0001fadd ж"),
        ("--lemma en --stem en", "mice running", "mous run"),
        ("--drop-adjectives en", "The beautiful red house is economic", "the red house is"),
        ("--drop-adjectives en", "desktop audio for the same few apt", "desktop audio for the same few apt"),
        ("--drop-adjectives ru", "Красивый белый дом, красивого дома, рабочий должен", "дом дома рабочий должен"),
        ("--drop-adjectives ru", "читающий мой первый быстрее", "читающий мой первый быстрее"),
        ("--drop-adjectives en --drop-adjectives ru", "beautiful красивая", ""),
        ("--segment zh", "我来到北京清华大学2024年ok", "我 来到 北京 清华大学 2024 年 ok"),
        ("--segment zh", "漢字、かな交じり文", "漢字 か な 交 じ り 文"),
        ("--segment zh --stop zh", "因为我们的书和你们的书", "书 书"),
        ("--word [a-z]{3,}", "one 2 three-four ＦＩＶＥ", "one three four five"),
        ("--word (..)", "abcde fg", "ab cd fg"),
    ],
)
def test_rule(options: str, text: str, words: str) -> None:
    canonize = canonizer(*options.split())
    assert canonize(text) == words
    assert canonize(f"{text} {text}") == f"{words} {words}".strip()
    assert pickle.loads(pickle.dumps(canonize))(text) == words


def test_the_steps_of_the_node_article() -> None:
    """Tags and entities off, then quotes, plural to singular, adjectives, articles and prepositions."""
    page = """<!DOCTYPE html><html><head><title>My cats</title><script>var cats = "cat";</script></head><body>
    <h1>The &quot;beautiful&quot; cats</h1><p>Two <b>boy</b>s put the &laquo;boxes&raquo; on&nbsp;a table
    for the children&#39;s mice.</p></body></html>"""
    canonize = canonizer("--html", "--stop", "en", "--drop-adjectives", "en", "--lemma", "en")
    assert canonize(page) == "cat cat two boy put box table child mouse"


NOUNS = {
    "book": "книга книги книге книгу книгой книгою книг книгам книгами книгах",
    "house": "дом дома дому домом доме домов домам домами домах",
    "sea": "море моря морю морем морей морям морями морях",
    "article": "статья статьи статье статью статьей статьёй статей статьям статьями статьях",
    "language": "язык языка языку языком языке языки языков языкам языками языках",
    "park": "парк парка парку парком парке парки парков паркам парками парках",
    "court": "суд суда суду судом суде суды судам судами судах",
    "year": "год года году годом годе годы лет годам годами годах",
    "Ivanov": "иванов иванова иванову ивановым иванове",
    "Ivan": "иван ивана ивану иваном иване",
    "politics": "политика политики политику политикой политикою",
    "user": "пользователь пользователя пользователю пользователем пользователе пользователи пользователей",
}


@pytest.mark.parametrize("noun", NOUNS)
def test_all_cases_of_a_russian_noun_fall_together(noun: str) -> None:
    words = NOUNS[noun].split()
    assert canonizer("--lemma", "ru")(NOUNS[noun]).split() == [words[0]] * len(words)


def test_lemmas_of_lemmas_change_nothing() -> None:
    text = DOCS.read_text("utf-8")
    for language in ("en", "de", "ru"):
        lemmatize = canonizer("--lemma", language)
        lemmas = lemmatize(text)
        assert lemmatize(lemmas) == lemmas


@given(st.dictionaries(st.sampled_from("abcdef"), st.sampled_from("abcdef")))
def test_settled_words_meet(steps: dict[str, str]) -> None:
    def step(word: str) -> str:
        return steps.get(word, word)

    for word in "abcdef":
        assert fixed_point(step, word) == fixed_point(step, step(word)) == fixed_point(step, fixed_point(step, word))


def test_stems_are_those_of_snowball() -> None:
    text = "Die Häuser der Straßen liefen schneller"
    expected = [Stemmer.Stemmer("german").stemWord(fold(word)) for word in text.split()]
    assert canonizer("--stem", "de")(text).split() == expected


@pytest.mark.slow
@pytest.mark.parametrize("language", sorted(stopwordsiso.langs()))
def test_iso_lists_drop_their_own_words(language: str) -> None:
    """All but those that are several words to canon, such as p.m., Chinese words, and Thai ones."""
    plain = canonizer()
    words = [word for word in stopwordsiso.stopwords(language) if len(plain(word).split()) == 1]
    assert canonizer("--stop", f"iso:{language}")("\n".join(words)) == ""
    assert words or language in ("ja", "th", "zh")


PLATES = "АВЕКМНОРСТУХ", "ABEKMHOPCTYX"  # letters of Russian number plates (GOST R 50577): those that Latin has, too


@pytest.mark.parametrize("index", range(12))
def test_letters_of_number_plates(index: int) -> None:
    cyrillic, latin = (letters[index] for letters in PLATES)
    folded = canonizer("--fold-homoglyphs")
    assert folded(f"Д{latin}ДД") == f"д{cyrillic}дд".lower()
    assert folded(f"D{cyrillic}DD") == f"d{latin}dd".lower()


@given(st.text("ABEaeoхcpΑΒαοЕеоАсщЩsSшb'-1 \u0301\u00ad中", max_size=12))
def test_only_words_of_mixed_script_change(text: str) -> None:
    folded = fold_homoglyphs(text)
    assert fold_homoglyphs(folded) == folded
    assert len(folded) == len(text)
    for word in re.findall(r"[\w\u0301\u00ad]+", text.replace("中", " ")):
        scripts = {unicodedata.name(c).split(" ")[0] for c in word if c.isalpha()}
        if len(scripts) < 2:
            assert fold_homoglyphs(word) == word


marked = st.text("aeiouyncsz\u0301\u0300\u0308\u0302\u0327\u0323øłđ ёйъїα", max_size=20)


@given(marked)
def test_accents_do_not_matter(text: str) -> None:
    canonize = canonizer("--fold-accents")
    canonical = canonize(text)
    assert canonize(canonical) == canonical
    latin = "".join(c for c in text if not "а" <= c <= "ї")
    bare = "".join(c for c in unicodedata.normalize("NFD", latin) if not unicodedata.combining(c))
    assert canonize(latin) == canonize(bare)


def test_accents_fold_once_and_for_all() -> None:
    for code in range(0x30000):
        if not 0xD800 <= code < 0xE000:
            folded = fold_accents(fold(chr(code)))
            assert fold_accents(fold(folded)) == folded, hex(code)


def test_recipes() -> None:
    options = "--fold-accents --drop-numbers --mask-numbers --stop en --drop-adjectives en --lemma en,ru --stem en"
    options += " --join-hyphens --fold-homoglyphs --symbols"
    (record,) = run("canon", *options.split(), stdin=jsonl({"id": 1, "text": ""})).records()
    lemma = ",".join(map(made_with, ("simplemma", "pymorphy3", "pymorphy3-dicts-ru")))
    assert record["via"] == (
        "canon/4 join-hyphens fold-homoglyphs=confusables-17.0.0 symbols/5 fold-accents drop-numbers "
        "mask-numbers/2 stop=en "
        f"drop-adjectives=en@{made_with('lemminflect')} "
        f"lemma=en,ru@{lemma} stem=en@{made_with('PyStemmer')}"
    )
    options = "--html=main --segment zh --stop iso:zh --stop zh --lemma ru"
    (record,) = run("canon", *options.split(), stdin=jsonl({"id": 1, "text": ""})).records()
    assert record["via"] == (
        f"canon/4 html=main/2@{made_with('selectolax')} segment=zh@{made_with('rjieba')} "
        f"stop=iso:zh@{made_with('stopwordsiso')},zh "
        f"lemma=ru@{made_with('pymorphy3')},{made_with('pymorphy3-dicts-ru')}"
    )


def test_equal_rules_have_equal_recipes() -> None:
    for one, two in [
        ("--stem en,ru", "--stem english --stem russian"),
        ("--drop-adjectives en,ru", "--drop-adjectives ru --drop-adjectives en --drop-adjectives ru"),
        ("--html --skip a --skip b", "--html --skip b --skip a --skip a"),
        ("--stop en --stop ru", "--stop ru --stop en"),
    ]:
        recipes = [chosen(make_parser("canon", "", add_options).parse(options.split()))[1] for options in (one, two)]
        assert recipes[0] == recipes[1]


def test_unknown_languages() -> None:
    for argv, message in [
        (["--stop", "iso:xx"], "--stop: iso:xx: no such list (iso lists: af, ar, "),
        (["--lemma", "en,xx"], '--lemma: no dictionary for "xx" (there are ar, ast, bg, '),
        (["--stem", "ru,xx"], '--stem: no stemmer for all of "ru,xx" (there are arabic, armenian, '),
        (["--drop-adjectives", "de"], '--drop-adjectives: en or ru, not "de"'),
        (["--lemma", "en,"], 'argument --lemma: not LANG[,LANG]: "en,"'),
        (["--stem", ""], 'argument --stem: not LANG[,LANG]: ""'),
        (["--segment", "ja"], 'argument --segment: not one of zh: "ja"'),
        (["--segment", "zh", "--word", "x"], "argument --word: not allowed with argument --segment"),
    ]:
        ran = run("canon", *argv)
        assert (ran.status, ran.out) == (2, b"")
        assert ran.err.startswith(f"canon: {message}")


@pytest.mark.parametrize(
    ("options", "package", "extra"),
    [
        ("--lemma de", "simplemma", "lang"),
        ("--lemma ru", "pymorphy3", "lang"),
        ("--drop-adjectives ru", "pymorphy3", "lang"),
        ("--drop-adjectives en", "lemminflect", "lang"),
        ("--segment zh", "rjieba", "lang"),
        ("--html=article", "resiliparse", "html"),
    ],
)
def test_an_extra_that_is_missing_is_named_with_its_install_command(
    options: str, package: str, extra: str, tmp_path: Path
) -> None:
    (tmp_path / f"{package}.py").write_text("raise ImportError('hidden by the test')")
    ran = run("canon", *options.split(), env={"PYTHONPATH": str(tmp_path)})
    assert (ran.status, ran.out) == (2, b"")
    every = f"pip install '.[{extra}]' in a clone of the source"
    assert ran.err.endswith(f"needs {package}: pip install {package} (or, for all such, {every})\n")


def test_explain() -> None:
    ran = run(
        "canon", "--explain", "The Beautiful", "--stop", "en", "cafés", "--drop-adjectives", "en", "--lemma", "en"
    )
    names = ("given", "fold", "words", "stop", "drop-adjectives", "lemma")
    assert [[*json.loads(line).items()] for line in ran.good().splitlines()] == [
        [*zip(names, values, strict=True)]
        for values in (
            ("The Beautiful", "the beautiful", "the beautiful", "beautiful", "", ""),
            ("cafés", "cafés", "cafés", "cafés", "cafés", "café"),
        )
    ]
    (steps,) = run("canon", "--explain", "--delete", "a", "--delete", "a", "--sentences", "aab. C").records()
    assert list(steps.values()) == ["aab. C", "b. C", "b. C", "b.\nC", "b. c", "b c"]
    ran = run("canon", "--explain", "--delete", "a", "--delete", "b", "--html", "--fold-accents", "--", "-<i>ábc</i>")
    (steps,) = ran.records()
    assert list(steps) == ["given", "delete", "delete 2", "html", "fold", "fold-accents", "words"]
    assert (steps["delete 2"], steps["words"]) == ("-<i>ác</i>", "ac")
    for argv in ([], ["-o", "out", "word"]):
        ran = run("canon", "--explain", *argv)
        message = "canon: --explain needs words instead of files, and writes to standard output\n"
        assert (ran.status, ran.out, ran.err) == (2, b"", message)


EVERY_RULE = (
    "--html --fold-accents --mask-numbers --stop en --drop-adjectives en --drop-adjectives ru --lemma en,ru --stem en"
)


@pytest.mark.slow
def test_explanations_end_where_canon_ends() -> None:
    for options in (EVERY_RULE, "--segment zh --lemma en", "--drop-numbers --stop ru --stem ru"):
        canonize = canonizer(*options.split())
        for line in DOCS.read_text("utf-8").splitlines()[::3]:
            text = json.loads(line)["text"] + " красивого дома 北京大学 \ua7cb3 \U0001fadd"
            assert list(explain(canonize.rules, text).values())[-1] == canonize(text)
