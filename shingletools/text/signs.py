"""Signs that are no letters, but change what a text means: classes of characters for patterns."""

CURRENCIES = "$¢£¥฿\u20a0-\u20cf"
MINUSES = "−\u2010\u2011\u2013\ufe63\uff0d"  # besides the hyphen of ASCII
ARROWS = "←→↔⇐⇒⇔⟵⟶⟷"  # also found in lists and links
# Others: no slash, asterisk, dots or ratio, which have other forms, too
MATHEMATICAL = "±×÷¬↑↓↗↘▲▼△▽∀-∑∓∔∖√-∵∷-⋄⋆-⋮⋰-⋿"
PICTURES = "☀-❕❡-❧⬀-⯿\U0001f1e6-\U0001f1ff\U0001f300-\U0001f3fa\U0001f400-\U0001faff"  # without skin tones
PARTING = "-/.,:"  # also between digits, where 404/231 may be 404-231
