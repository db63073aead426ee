"""Scripts that are written without spaces: each letter of them counts as a word of its own.

These are the scripts whose lines Unicode breaks between letters: those with letters of the line-break classes SA
(complex context), AK and AS (aksaras, since Unicode 15.1), ID and CJ (ideographs, syllables and kana), but not Hangul.
Buginese and the Khitan small script are written so, too, but their letters have the class AL.
"""

# Script extensions, so that the sign that lengthens a kana vowel counts as kana. Those of other scripts have letters
# that belong to Latin and Tamil, too
SHARED = ("Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar")
OTHERS = (
    *("Ahom", "New_Tai_Lue", "Tai_Le", "Tai_Tham", "Tai_Viet"),
    *("Balinese", "Batak", "Brahmi", "Buginese", "Cham", "Dives_Akuru", "Grantha", "Javanese", "Makasar"),
    *("Bopomofo", "Khitan_Small_Script", "Nushu", "Tangut", "Yi"),
)
SPACELESS = (
    "[" + "".join([rf"\p{{scx={script}}}" for script in SHARED] + [rf"\p{{sc={script}}}" for script in OTHERS]) + "]"
)
# For regex.VERSION1. The apostrophe U+02BC, which Thai shares with other scripts, is no such letter
ALONE = rf"[[[\p{{L}}\p{{N}}]&&{SPACELESS}]--\u02bc]"
# Letters of these scripts that begin with a mark when they are folded, such as Thai's sara am, and so belong to the
# letter before them
JOINING = "\u0e33\u0eb3\uff9e\uff9f"
