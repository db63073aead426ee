"""Scripts that are written without spaces: each letter of them counts as a word of its own."""

# Script extensions, so that the sign that lengthens a kana vowel counts as kana
SPACELESS = r"[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]"
ALONE = rf"[[\p{{L}}\p{{N}}]&&{SPACELESS}]"  # for regex.VERSION1
