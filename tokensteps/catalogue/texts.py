"""Texts to try a tokenizer on: each makes a point."""

from __future__ import annotations

import heapq
import inspect
from collections.abc import Callable, Mapping
from typing import NamedTuple

from tokensteps.language.i18n import N_


class Sentence(NamedTuple):
    """The same sentence in a language: its code (BCP 47), its name, its text."""

    code: str
    language: str
    text: str


SENTENCES = (
    Sentence("en", N_("English"), "Every morning the children walk to school through the forest."),
    Sentence("de", N_("German"), "Jeden Morgen gehen die Kinder durch den Wald zur Schule."),
    Sentence("fr", N_("French"), "Chaque matin, les enfants vont à l'école à travers la forêt."),
    Sentence("es", N_("Spanish"), "Cada mañana los niños caminan a la escuela por el bosque."),
    Sentence("pl", N_("Polish"), "Każdego ranka dzieci idą do szkoły przez las."),
    Sentence("fi", N_("Finnish"), "Joka aamu lapset kävelevät kouluun metsän läpi."),
    Sentence("tr", N_("Turkish"), "Her sabah çocuklar ormanın içinden okula yürür."),
    Sentence("sw", N_("Swahili"), "Kila asubuhi watoto hutembea kwenda shuleni kupitia msitu."),
    Sentence("vi", N_("Vietnamese"), "Mỗi sáng, bọn trẻ đi bộ đến trường qua khu rừng."),
    Sentence("el", N_("Greek"), "Κάθε πρωί τα παιδιά πηγαίνουν στο σχολείο μέσα από το δάσος."),
    Sentence("ru", N_("Russian"), "Каждое утро дети идут в школу через лес."),
    Sentence("he", N_("Hebrew"), "בכל בוקר הילדים הולכים לבית הספר דרך היער."),
    Sentence("ar", N_("Arabic"), "كل صباح يمشي الأطفال إلى المدرسة عبر الغابة."),
    Sentence("hi", N_("Hindi"), "हर सुबह बच्चे जंगल से होकर स्कूल जाते हैं।"),
    Sentence("th", N_("Thai"), "ทุกเช้าเด็ก ๆ เดินไปโรงเรียนผ่านป่า"),
    Sentence("zh", N_("Chinese"), "每天早上，孩子们穿过森林走路去上学。"),
    Sentence("ja", N_("Japanese"), "毎朝、子どもたちは森を通って学校へ歩いて行きます。"),
    Sentence("ko", N_("Korean"), "매일 아침 아이들은 숲을 지나 학교에 걸어갑니다."),
)
"""One sentence in many languages, written for this page; the others are compared with the first."""


class Text(NamedTuple):
    """A text to try: its title, and its source."""

    title: str
    make: Callable[[], str]


TEXTS: Mapping[str, Text] = {
    "first": Text(
        N_("A bit of everything"),
        lambda: (
            "Tokenizers split text into familiar pieces: unbelievable, naïve café, 2026, お茶 🍵, שלום!\n"
            "def main(): print('hello')"
        ),
    ),
    "languages": Text(
        N_("One sentence in many languages"), lambda: "\n".join(sentence.text for sentence in SENTENCES)
    ),
    "numbers": Text(
        N_("Numbers and dates"),
        lambda: "7 42 365 1984 10000 1,234,567 3.14159 2026-11-21 0xDEADBEEF 1e-9 50% ½ ② Ⅻ 四十二",
    ),
    "code": Text(N_("Python code"), lambda: inspect.getsource(heapq.nlargest)),
    "spaces": Text(
        N_("Whitespace"),
        lambda: "one  two   three\n\n    indented\tand tabbed \n\u00a0no-break\u2003em space\nend ",
    ),
    "emoji": Text(
        N_("Emoji, accents, joined characters"),
        lambda: "🍵 👍🏽 👩‍👩‍👧 🏳️‍🌈 🇯🇵 café cafe\u0301 Å A\u030a ﬁne ½ ™ नमस्ते 각 ㄱ",
    ),
    "rare": Text(
        N_("Long and invented words"),
        lambda: (
            "antidisestablishmentarianism Donaudampfschifffahrtsgesellschaft "
            "pneumonoultramicroscopicsilicovolcanoconiosis flumpish snorblewick"
        ),
    ),
    "special": Text(
        N_("Special tokens in the text"),
        lambda: "<|endoftext|>[CLS] Is <s> a tag or a token? [SEP]</s> [UNK] [MASK]<unk>",
    ),
}
