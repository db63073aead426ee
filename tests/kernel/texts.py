"""Texts of all kinds of characters."""

from hypothesis import strategies as st

# All white space of str.split, characters like it, scripts with and without spaces, and bytes that end strings in C
SPACES = "".join(chr(code) for code in range(0x3001) if chr(code).isspace())
MIXED = (
    SPACES
    + "ㅎㅏㄳㆍﾡￂ㉮㉾노학"
    + "aBÉßжЯ'’中文がガｶﾞ゙ー龥鿿㐀한\u0301\ufe0f\u200b\x00\x1b\x85\u1680\u180e\u2007\u2060\u30fb\U0001f44d\U00020000"
)
texts = st.text(st.sampled_from(MIXED) | st.characters(exclude_categories=["Cs"]), max_size=60)
