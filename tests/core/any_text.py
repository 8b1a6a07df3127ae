"""Generated texts over all of Unicode but surrogates, with the characters of our rules among them."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.samples import examples

TELLING = " \t\n\r\x0b\x0c\x1c\x1f\x85\xa0\u2028\u3000\x00\ufffd\u00ad\u200d\ufe0f\u0301\u0323"
TELLING += "aZ09'sStTlLdéÉß²½Ⅷ_.,!$+中あ한ㅏΣσſİǅʰ▁Ġ👍"

every_text = st.text(st.sampled_from(TELLING) | st.characters(exclude_categories=["Cs"]), max_size=40)

thorough = examples(150)
