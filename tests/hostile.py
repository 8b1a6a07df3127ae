"""Strings that somebody might paste, type, upload or put into a link to break the app, by kind and from a
seed.

Every address in them is on the host `EVIL`, and every script that would run sets `window.PWNED`: a search for
these two finds everything that came through. The same seed always makes the same strings.
"""

from __future__ import annotations

import base64
import html
import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple
from urllib.parse import quote

EVIL: Final = "evil.test"
"""The host without any allowed request."""
PWNED: Final = "__pwned"
"""The name that a running script sets on `window`."""

_URL = f"http://{EVIL}/x"
_RUN = f"window.{PWNED}=1"

MARKUP: Final = (
    f"<script>{_RUN}</script>",
    f"<script src={_URL}.js></script>",
    f'<img src="{_URL}.png" onerror={_RUN}>',
    f"<img/src=x/onerror={_RUN}>",
    f"<IMG SRC=x OnErRoR='{_RUN}'>",
    f"<svg/onload={_RUN}>",
    f"<svg><script>{_RUN}</script></svg>",
    f"<svg><image href={_URL} /><use href='{_URL}#a'/><a xlink:href=javascript:{_RUN}><text>x</text></a></svg>",
    f"<svg><animate onbegin={_RUN} attributeName=x dur=1s>",
    f"<svg><style><img src=x onerror={_RUN}></style>",
    f"<math><mtext><table><mglyph><style><img src={_URL} onerror={_RUN}>",
    f"<math href=javascript:{_RUN}>x</math>",
    f"<template><img src={_URL}></template>",
    f"<template shadowrootmode=open><script>{_RUN}</script></template>",
    f"<x-evil is=evil onclick={_RUN}>x</x-evil>",
    f"<iframe src={_URL}></iframe>",
    f"<iframe srcdoc='&lt;script&gt;parent.{PWNED}=1&lt;/script&gt;'></iframe>",
    f"<object data={_URL}></object><embed src={_URL}>",
    f"<a href=javascript:{_RUN}>x</a>",
    f"<a href='data:text/html,<script>{_RUN}</script>'>x</a>",
    f"<a href=//{EVIL}>x</a>",
    f"<link rel=stylesheet href={_URL}.css><link rel=prefetch href={_URL}>",
    f"<style>@import '{_URL}';*{{background:url({_URL})}}</style>",
    f"<div style=background:url({_URL})>x</div>",
    f"<p style='position:fixed;inset:0;content:url({_URL})'>x",
    f"<base href={_URL}>",
    f"<meta http-equiv=refresh content='0;url={_URL}'>",
    f"<form action={_URL}><input name=x autofocus onfocus={_RUN}><button formaction={_URL}>",
    f"<body onload={_RUN}>",
    f"<video src={_URL} poster={_URL} onerror={_RUN}><audio src={_URL}><source srcset={_URL}>",
    f"<details open ontoggle={_RUN}>x</details>",
    f"<input onfocus={_RUN} autofocus>",
    f"<marquee onstart={_RUN}>x</marquee>",
    f'"><script>{_RUN}</script>',
    f"' onmouseover='{_RUN}",
    f'" onfocus="{_RUN}" autofocus="',
    f"` onclick=`{_RUN}",
    f"</title><script>{_RUN}</script>",
    f"</style></script></template></textarea><script>{_RUN}</script>",
    "</bdi></span></div></td></tr></table></section><b>x</b>",
    "<b>x</b><i>y</i><bdi class=t>z</bdi>",
    "<!-- x", "--><b>x</b>", "<![CDATA[x]]>", "<?xml version='1.0'?>", "<!doctype html>", "<!ENTITY x SYSTEM 'file:///etc/passwd'>",
    "&lt;b&gt;", "&#60;i&#62;", "&amp;lt;", "&#x3c;script&#x3e;", "&nbsp;&shy;&zwj;&bogus;", "&#0;&#1114112;&#xd800;", "&lt",
    "<", ">", "&", "<a", "</", "<>", "<b", "a<b>c&d\"e'f`g", "<\x00script>", "<scr\x00ipt>", "<\u200bscript>", "＜script＞",
    f"<b/data-step=1 data-pick=e1 data-of='e1 x' data-here data-pane>{_RUN}</b>",
    "<button data-step=0>x</button>", "<i class='x unk' role=button tabindex=0 data-term=token>x</i>",
)  # fmt: skip
MARKDOWN: Final = (
    f"![x]({_URL}.png)", f"![x][1]\n\n[1]: {_URL}.png", f"[x](javascript:{_RUN})", f"[x]({_URL})", f"<{_URL}>", _URL,
    f"www.{EVIL}", f"x@{EVIL}", "**bold** __bold__ *i* ~~s~~ `code`", "# heading", "- item\n- item", "1. one", "> quote", "---",
    "| a | b |\n|---|---|\n| 1 | 2 |", "```python\nx\n```", "\\*x\\*", "[^1]\n\n[^1]: note", "$x^2$", "$$\\href{" + _URL + "}{x}$$",
    "\\(x\\)", "\\[x\\]", "$\\includegraphics{" + _URL + "}$", "$\\def\\x{\\x}\\x$", ":red[x]", ":blue-background[x]", ":rainbow[x]",
    ":material/home:", ":material/delete_forever:", ":streamlit:", ":smile:", ":+1:", ":shortcode:", ":small[x]", ":badge[x]",
    ":violet-badge[:material/star: x]", "<- -> <-> -- >= <= ~=", "[x]: javascript:1", "\\", "`", "``` ", "~~~",
)  # fmt: skip
CHARTS: Final = (
    "%{x}", "%{y:,.2f}", "%{customdata[0]}", "%{customdata[0].constructor.constructor('alert(1)')()}", "%{text}<extra></extra>",
    "<extra>x</extra>", "<br>", "<b>x</b>", "<sub>2</sub><sup>3</sup>", f"<a href='{_URL}'>x</a>", f"<span style='fill:url({_URL})'>x</span>",
    "%{meta[0]}", "%{fullData.name}", "%{", "%", "%%", "%{x:d3-format}", "$\\alpha$", "1e5", "2026-11-21", "NaN", "Infinity", "null",
    "undefined", "true", "-0", "0x10", "__proto__", "constructor", "toString", "hasOwnProperty",
)  # fmt: skip
FORMATS: Final = (
    "{0.__class__.__mro__}", "{}", "{0}", "{token}", "{pair}", "{step}", "{number}", "{name!r:>10000}", "{:{}}", "{", "}", "{{", "}}",
    "{x.__init__.__globals__}", "%s%s%s%s%n", "%(token)s", "%d", "%1$s", "%n", "$token", "${token}", "#{x}", "{{7*7}}", "{% x %}",
    "<%= x %>", "f'{x}'", "\\N{BULLET}", "\\x41", "\\u0041", "\\ud83d", "\\U00110000", "\\1\\g<0>", "__import__('os').system('x')",
    "'; DROP TABLE words; --", "\" or 1=1 --", "`id`", "$(id)", "| id", "; id", "&& id", "!!python/object:os.system", "\\0",
)  # fmt: skip
CONTROLS: Final = (
    "\0", "a\0b", "\x01\x02\x03", "\x07\x08", "\x0b\x0c", "\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "\x1b]8;;" + _URL + "\x07x\x1b]8;;\x07",
    "\x7f", "\x80\x85\x9f", "\x1c\x1d\x1e\x1f", "a\rb", "a\r\nb", "a\u2028b", "a\u2029b", "\ufeffx", "x\ufeff", "\x1a", "\x9b31m",
    "a\n\n\nb", "\t\t", "2026-11-21 00:00:00 ERROR forged\n2026-11-21 INFO line", "x\r\nSet-Cookie: a=b\r\n\r\n<html>", "a\x85b",
)  # fmt: skip
SURROGATES: Final = (
    "\ud800",
    "\udfff",
    "a\ud83db",
    "\udf75\ud83c",
    "\udc80\udcff",
    "\udcc3\udca9",
    "<\ud800script>",
    "\ud83c\udf75x",
)
"""Halves of UTF-16 pairs: a string can hold them and UTF-8 can't."""
UNICODE: Final = (
    "\u202egnp.exe\u202c", "\u2066a\u2067b\u2068c\u2069", "\u202a\u202b\u202d", "\u2069\u2069", "\u200e\u200f\u061c", "שלום abc عربي",
    "\u200b\u200c\u200d\u2060", "a\u200bb", "👩‍👩‍👧‍👦", "🏳️‍🌈", "❤\ufe0f", "❤\ufe0e", "葛\U000e0100", "\u0301\u0301", "e" + "\u0301" * 60,
    "Z\u0351\u036b\u0343\u036a\u0302\u0319a\u0334l\u0355\u0356g\u0324o\u0325", "\u0489" * 20, "\ufffe\uffff", "\ufdd0\U0001ffff", "\U0010ffff",
    "\U0010fffe", "\ue000\uf8ff\U000f0000", "\U000e0001\U000e0041\U000e007f", "\ufffd", "\ufff9a\ufffab\ufffb", "\u034f\u115f\u1160\u3164\uffa0",
    "\u180e\u2800\u00ad", "\u00a0\u2003\u3000", "ﷺ" * 3, "ﬀﬁ½™", "İıſßΣς", "㎖㍻", "\u0e33\u0e4d", "నా", "ᄀᄀᄀ각ᆨ", "\u1f1e6🇯🇵🇯", "①②③", "Ⅻ",
    "ａｂｃ＝１＋１", "раураl", "\u2024\u2215\uff0f", "𝒳𝓎", "꧅﷽", "\u0600\u0601", "\U00013430", "\u17b4\u17b5", "\u2061\u2064\u206a\u206f",
)  # fmt: skip
TABLES: Final = (
    "=1+1", "=cmd|'/C calc'!A0", '=HYPERLINK("' + _URL + '","x")', f"=IMPORTXML(\"{_URL}\",\"//a\")", "+1", "-1", "-1+1|cmd", "@SUM(1)",
    "\t=1", "\r=1", " =1", "\n=1", "'=1", "''", '"', '""', '"=1"', 'a,b', 'a;b', "a;=1", 'a","b', "a\tb", "a\nb", "a|b", "'", "%0A=1",
    "＝1＋1", "－1", "＠x", "\u200b=1", "\ufeff=1", "DDE(\"cmd\")", "sep=;", "ID", "#REF!", "1E9", "00012", "TRUE", "1/2", "12:30", "1e59*1e59*1e59*1e59*1e59*1e59", "1/0", "((((((1))))))", "-" * 90 + "1", "NULL", "#N/A",
    "hug 10", "hug,10", "hug\t10", "hug 0", "hug -1", "hug 1e5", "hug 99999999999999999999", "hug ١٠", "10", ",", ", 10", "a,b,c", '"a', "# x", "#tag 3",
)  # fmt: skip
JSONS: Final = (
    "[" * 400 + "]" * 400, '{"a":' * 400 + "1" + "}" * 400, "{" * 50, "1" * 2000, "1e999", "-1e999", "NaN", "Infinity", '{"a":1,"a":2}', '"\\ud800"',
    '{"\\ud800":0}', "\ufeff{}", "{}", "[]", "null", '{"model":{}}', '{"model":{"type":"BPE","vocab":{"a":1e400},"merges":[]}}', '{"model":null}',
    '{"a":0,"b":0}', '{"a":-1}', '{"a":99999999999999999999999}', '{"a":0.5}', '{"__proto__":{"x":1}}', '{"a":true}', "{'a':1}", "{\"a\":\"\u2028\"}",
    '{"model":{"type":"WordPiece","vocab":{"<b>":0},"unk_token":"<b>"}}', '{"model":{"type":"' + "A" * 300 + '"}}', '{"version":"1.0","model":[]}',
)  # fmt: skip
REGEXES: Final = (
    "(a+)+$", "(a|aa)+$", "(.*)*x", "(a|a)*b", "(\\w+\\s?)*$", "((a{0,50}){0,50}){0,50}b", "(?R)", "(a(?R)?b)", "(?P<x>a)(?P=x)", "(a)\\1{2,}",
    "(?<=a+)b", "(?<!.*x)y", "(?<=(a|b){1,200})c", "a{1000000}", "(?:a{1000}){1000}", "a{0,999999999999}", "\\L<words>", "(?e)(?:abc){e<=5}",
    "(?b)(?:hello){e}", "(?:x){i<=100,d<=100}", "[[a-z]--[aeiou]]", "(?V1)[[:alpha:]&&[x]]", "\\p{L}", "\\p{Nonsense}", "\\X", "(?|(a)|(b))", "(?(1)a|b)",
    "(*FAIL)", "(*SKIP)", "(?#", "(?P<", "(?<n>", "(", ")", "[", "]", "{", "*", "+", "?", "\\", "^", "$", "|", "a**", "(?i)(?s)(?x) # c", "", "(?=)",
    "\\b", "(" * 150 + ")" * 150, "(?:" * 200 + "a" + ")*" * 200, "|".join("a" * n for n in range(1, 40)), "[^" + "\\u0000-\\uffff" + "]", "\\N{BULLET}",
    "(?t:x)", "(?r)a", "(?p)a|ab", "\\K", "\\G", "\\m\\M", "(?&x)", "(?1)", "(a?){40}a{40}", "(?=(a+))\\1b", "(.+)+\\1", "\\Z\\z", "(?:(?:a|b)*c|d)*e",
    "(?w)\\b", "(?f)ß", "\\p{IsL}{2,}?+", "(?>a+)+", "(?:a*)*", "(x+x+)+y", "^(([a-z])+.)+[A-Z]([a-z])+$", "(?:\\s*)*\\S", "[a-z]{1,5000}+b",
)  # fmt: skip
ADDRESSES: Final = (
    "%3Cscript%3E", "%253Cb%253E", "%00", "%0d%0aX:1", "%ff%fe", "%ud800", "a&b=c", "a#b", "a?b", "a;b", "a+b", "a%20b", f"javascript:{_RUN}",
    f"JaVaScRiPt:{_RUN}", f"java\tscript:{_RUN}", f"data:text/html,<script>{_RUN}</script>", "vbscript:x", f"//{EVIL}", f"\\\\{EVIL}\\share", f"/\\{EVIL}",
    f"http://{EVIL}:99999", "http://[", "http://[::1]?c=x", "//[?c=x", "?c=x", "file:///etc/passwd", "blob:x", "../../../etc/passwd", "?", "&&&=&=", "c=1&c=2",
    "~", "!", "~~", "!!", "~AAAA", "!deadbeef", "~eJw", "bpe?corpus=paste", "bpe?corpus=nowhere", "bpe?step=-1", "bpe?corpus=course&step=99999999999999", "hub?name=../x", "file?a=b",
    "file?", "hub?", "bpe?" + "a=1&" * 60, "1_000", "٣", "-0", "+5", "1e3", "0x10", " 7", "7 ", "true", "None", "[object Object]", "undefined",
)  # fmt: skip
PATHS: Final = (
    "../../x.txt", "..\\..\\x.txt", "/etc/passwd", "C:\\x.txt", "CON", "NUL.txt", "a\0.txt", "a\nb.txt", "x" * 3000 + ".txt", "<img src=x onerror=1>.txt", ".",
    "..", "", " ", ".txt", "a.txt.exe", "\u202etxt.exe", "a/b.json", "~root", "$HOME", "x.csv\0.txt", "tokenizer.json\n", "merges.txt ", "*", "?.txt", "a:b",
)  # fmt: skip
TOKENS: Final = (
    "##", "##a", "▁", "▁▁", "Ġ", "ĠĠ", "Ċ", "</w>", "a</w>", "<s>", "</s>", "<unk>", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[PAD]", "<|endoftext|>", "<|im_start|>",
    "<pad>", "<mask>", "<0x0A>", "<0xE3>", "␣", "⇥", "⏎", "…", "·", "×", "0x41", "U+0041", "Start", "shown", "O", "B-PER", "Ã©", "â\u0096\u0081", "��", "unk",
    "\\n", "#version: 0.2", "a b", "a  b", "<|", "|>", "[unused0]", "A", "B", "+", "→", "Ġ</w>", "##</w>", "▁##Ġ", "ß", "\u2581\u2581<s>", "<extra_id_0>",
)  # fmt: skip


def _lines(texts: Sequence[str], times: int) -> tuple[str, ...]:
    return ("\n".join(texts * times), "\n" * 300, " \n" * 200, "x\n" * 400)


HUGE: Final = (
    "a" * 5000, "ab" * 2500, "<b>" * 1500, "&" * 3000, "\u0301" * 3000, "🍵" * 2000, "字" * 3000, "\0" * 2000, "({[" * 1000, "\u202e" * 2000, "a\u200b" * 2000,
    "".join(map(chr, range(0x20, 0xD800, 29))), "".join(map(chr, range(0x10000, 0x20000, 97))), '"' * 3000, "\\" * 3000, "%{x}" * 800, *_lines(MARKUP[:20], 3),
)  # fmt: skip

KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "markup": MARKUP, "markdown": MARKDOWN, "charts": CHARTS, "formats": FORMATS, "controls": CONTROLS, "surrogates": SURROGATES, "unicode": UNICODE,
    "tables": TABLES, "json": JSONS, "regex": REGEXES, "addresses": ADDRESSES, "paths": PATHS, "tokens": TOKENS, "huge": HUGE,
}  # fmt: skip
"""The fixed strings, by kind."""


class Hostile(NamedTuple):
    """One string, and its purpose; a composed one has the kind of its beginning."""

    kind: str
    text: str


def _entities(text: str, rng: random.Random) -> str:
    return "".join(f"&#{ord(one)};" if rng.random() < 0.3 else one for one in text)


def _noise(text: str, rng: random.Random) -> str:
    """Invisible and control characters in between."""
    noise = "\0\t\n\r\x1b\u200b\u200d\u202e\u2066\u2069\ufeff\u0301\u2028\U000e0041\ue000\ufffe"
    return "".join(one + (rng.choice(noise) if rng.random() < 0.15 else "") for one in text)


def _any_characters(text: str, rng: random.Random) -> str:
    """Characters from all over Unicode in place of some."""
    ranges = (
        (1, 0x7F),
        (0x80, 0x24F),
        (0x300, 0x36F),
        (0x590, 0x8FF),
        (0x2000, 0x206F),
        (0xE000, 0xFFFF),
        (0x10000, 0x10FFFF),
        (0xD800, 0xDFFF),
    )
    return "".join(chr(rng.randint(*rng.choice(ranges))) if rng.random() < 0.2 else one for one in text)


def _case(text: str, rng: random.Random) -> str:
    return "".join(one.swapcase() if rng.random() < 0.5 else one for one in text)


CHANGES: Final[Sequence[Callable[[str, random.Random], str]]] = (
    lambda text, rng: text + rng.choice(KINDS[rng.choice([*KINDS][:13])]),
    lambda text, rng: rng.choice(KINDS[rng.choice([*KINDS][:13])]) + text,
    lambda text, rng: text[: (cut := rng.randint(0, len(text)))] + rng.choice(MARKUP) + text[cut:],
    lambda text, rng: text[rng.randint(0, len(text)) :],
    lambda text, rng: text[: rng.randint(0, len(text))],
    lambda text, rng: f"{text} {text}",
    lambda text, rng: f"{text} {rng.randint(1, 99)}",
    lambda text, rng: text[::-1],
    lambda text, rng: html.escape(text),
    lambda text, rng: html.unescape(text),
    lambda text, rng: quote(text, errors="replace"),
    lambda text, rng: json.dumps(text)[1:-1],
    lambda text, rng: base64.b64encode(text.encode("utf-8", "replace")).decode(),
    lambda text, rng: text.encode("utf-8", "surrogatepass").decode("latin-1"),
    _entities,
    _noise,
    _any_characters,
    _case,
    lambda text, rng: f"{rng.choice('=+-@')}{text}",
    lambda text, rng: f"<x-{rng.randint(0, 9)} title=\"{text}\">",
    lambda text, rng: text.replace(" ", rng.choice(("/", "\t", "\n", "\x0c", "\xa0"))),
)  # fmt: skip
"""Ways to make another string from one."""
LONGEST: Final = 6000
"""Characters of a composed string."""


def hostile(number: int, seed: int = 9) -> list[Hostile]:
    """So many different strings, as many of each kind as possible; the fixed ones come first."""
    results: dict[str, str] = {}
    written = {kind: iter(texts) for kind, texts in KINDS.items()}
    rng = random.Random(seed)
    while len(results) < number:
        for kind, texts in KINDS.items():
            text = next(written[kind], None)
            if text is None:
                text = rng.choice(texts)
                for _ in range(rng.randint(1, 3)):
                    text = rng.choice(CHANGES)(text[:LONGEST], rng)
            if len(results) < number:
                results.setdefault(text[:LONGEST], kind)
    return [Hostile(kind, text) for text, kind in results.items()]


def batches(strings: Sequence[Hostile], size: int) -> Iterator[list[Hostile]]:
    """The strings, so many at a time, each time of all kinds."""
    for start in range(0, len(strings), size):
        yield list(strings[start : start + size])


def long_words(size: int = 1_000_000) -> Mapping[str, str]:
    """Words of a million characters: one letter, two in turn, letters without repetition, marks, tags."""
    rng = random.Random(9)
    return {
        "one letter": "a" * size,
        "two letters": "ab" * (size // 2),
        "random letters": "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=size)),
        "ideographs": "".join(map(chr, rng.choices(range(0x4E00, 0x9FA0), k=size))),
        "marks": "e" + "\u0301" * (size - 1),
        "tags": "<b>" * (size // 3),
    }
