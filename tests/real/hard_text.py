"""A text hard to split: made here, without need of another's text."""

from __future__ import annotations

import unicodedata
from typing import Final

CODE: Final = """def merge_pair(tokens, pair):\r
\tif len(tokens) < 2:  # nothing to do\r
\t\treturn tokens\r
    return [x**2 for x in range(10) if x % 2 == 0 and x != 0xFFff or not None]\r

const f = async ({ a, b = `${c}` }) => { await g?.(a ?? b); }; // ==> !== && ||
SELECT * FROM "t" WHERE a <= 1_000.50e-7 AND b LIKE '%\\\\n%';
"""
SCRIPTS: Final = (
    "The quick brown fox jumps over 13 lazy dogs, doesn't it?",
    "Съешь же ещё этих мягких французских булок, да выпей чаю.",
    "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία.",
    "نص حكيم له سر قاطع وذو شأن عظيم مكتوب على ثوب أخضر",
    "דג סקרן שט בים מאוכזב ולפתע מצא חברה",
    "ऋषियों को सताने वाले दुष्ट राक्षसों के राजा रावण का सर्वनाश करने वाले",
    "ครับผมชื่อสมชายเป็นคนไทยอยู่ที่กรุงเทพ",
    "키스의 고유조건은 입술끼리 만나야 하고 특별한 기술은 필요치 않다.",
    "いろはにほへと ちりぬるを わかよたれそ つねならむ カタカナ ﾊﾝｶｸ",
    "天地玄黃，宇宙洪荒。日月盈昃，辰宿列張。汉字简体，一二三。",
    "ღმერთსი შემვედრე, ნუთუ კვლა დამხსნას სოფლისა შრომასა",
    "Ես կրնամ ապակի ուտել և ինծի անհանգիստ չըներ։",
    "ᚠᛇᚻ᛫ᛒᛦᚦ᛫ᚠᚱᚩᚠᚢᚱ 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𐍈 ﬁﬂ ½ ² ⅷ ①",
)
EMOJI: Final = "👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽 🇩🇪🇯🇵🇿 ✈️ ❤️‍🔥 1️⃣ 🫠🫠 ☺︎"
SPACES: Final = "a\u00a0b\u00a0\u00a0c \u200bd\u200d\u200ee \ufefff\u2003g\u3000h\u2028i\u0085j\vk\fl \t \t m"
CAPITALS: Final = (
    "I'M SURE YOU'LL SAY THEY'VE DONE IT; HE'D'VE, WE'RE, it'S, o'Clock, 'tis, ’S l’été McDonaldS iPhoneX"
)
LOOK_ALIKES: Final = (
    "<s> </s> <unk> <pad> <bos> <|endoftext|> <|im_start|>user <|im_end|> [CLS] [SEP] [INST] [/INST] <|begin_of_text|> "
    "<start_of_turn> <|end|> <｜begin▁of▁sentence｜> <think> <0x41> <0xE2> ▁ ▁▁a ## ##a Ġ Ċ </w> < s> <|end oftext|>"
)


def hard_text() -> str:
    """All of it: code, scripts, emoji, combining marks, ends of lines, spaces of every kind, a long word and
    look-alikes of special tokens."""
    decomposed = [unicodedata.normalize("NFD", one) for one in ("Ångström naïve café ﬃ", *SCRIPTS[7:9])]
    zalgo = "z" + "\u0301\u0323\u0302" * 5 + "a\u0338lgo"
    lines = [
        CODE,
        *SCRIPTS,
        EMOJI,
        SPACES,
        *decomposed,
        zalgo,
        CAPITALS,
        CAPITALS.lower(),
        LOOK_ALIKES,
        "1 12 123 1234 12345678901234567890 3.14159 1,000,000 ١٢٣ १२३",
        "a\r\n\r\nb\r\rc\n\n\n  d\n \n",
        "!!!???...---===***~~~///\\\\\\\n/\n//\r\n",
        "x" * 5_000,
        "Pneumono" + "ultramicroscopic" * 300,
        f"before{' ' * 10_000}after",
        "\t" * 100 + "end \n",
    ]
    return "\n".join(lines)
