"""Words that made readers of Chinese or Japanese stumble don't come back: in the catalogues, in the READMEs.

Source: a reading of all messages by teachers of computational linguistics in both languages. Oracle: a list
of their marks, each with a text that must match, so that no entry can pass by finding nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

import pytest
import regex

from tests.app.language.test_locale import OTHERS, ROOT, catalogue, forms, messages
from tokensteps.drawing.stage_markup import start_label
from tokensteps.language.glossary import forms_of, matches, synonyms
from tokensteps.language.i18n import _, use_language
from tokensteps.language.terms import TERMS


class Marked(NamedTuple):
    """A wrong wording in a translation."""

    wrong: str
    example: str
    """A text with it."""
    english: str = ""
    """The English messages where this wording is wrong; empty: all."""


ABOUT_PAIRS: Final = r"(?i)(?<!UTF-16 |for a |provide a )\bpairs?\b"
PRODUCT: Final = r"(?i)divid(?:ed|ing) by (?:the )?(?:counts of its two|(?:two|both) \w+' counts|product)"
IN_STRIP: Final = (
    "^(?:Following the class|No connection to the class: trying again|Waiting for the lecturer)$"
)
MARKED: Final = {
    "zh": (
        Marked(  # 对 alone is “right” or “towards”: 对的次数 reads as “times correct”
            r"(?:[一二两几各每该此]|所选|高频|好的|构成|\{\w+\} ?)对(?!数|比|于|齐|应|文本)|(?<!相邻)对的(?:次数|得分)",
            "所选对的次数",
            ABOUT_PAIRS,
        ),
        Marked(r"^(?!.*积)", "除以两个词元的次数。", PRODUCT),
        Marked("接续词", "接续词"),  # a conjunction
        Marked("散文", "英语散文"),  # a literary genre
        Marked("分道扬镳", "两次训练分道扬镳"),
        Marked("先前向", "先前向，再回溯"),
        Marked("通常的值", "改用通常的值"),
        Marked("片段的 −ln", "各片段的 −ln 之和"),
        Marked("重音(?!符号)", "保留重音"),  # stress
        Marked("以旧训新", "以旧训新"),
        Marked("标记器|标记化|词汇表", "词汇表"),  # the words here are 分词器, 编码, 词表
        Marked(r"^[^|]*单词(?!\|)", "未知单词"),  # one term on a page: 词; the glossary knows the other
        Marked("次多的|次高的", "次多的相邻对"),
        Marked("只能说", "它只能说“未知”"),
        Marked("您", "您的问题"),  # a reader is 你 everywhere
    ),
    "ja": (
        Marked("；", "前；後"),
        Marked("^.{13}", "授業についていっています。", IN_STRIP),  # more than two lines on a phone
        Marked(r"トークナイザ(?!ー)", "トークナイザの語彙"),
        Marked(
            r"(?:サーバ|ユーザ|ブラウザ|フォルダ|パラメータ|コンピュータ|デコーダ|トレーナ|ポインタ|スライダ|ワーカ|プロジェクタ)(?!ー)",
            "サーバの中",
        ),
        Marked(r"^(?!.*積)", "2つのトークンの出現回数で割ります。", PRODUCT),
        Marked(
            "等しいペアが|同等の(?:ペア|ピース)|これほど", "出現回数の等しいペアがあれば", r"(?i)\bties?\b"
        ),
        Marked("クラス", "クラスが答える"),  # a group of learners is no agent
        Marked(r"解答(?:の\p{L}+)?は\{\w+\}(?:で|、)", "解答は{yours}です"),  # reads as the key
        Marked("先に現れた方", "先に現れた方を選ぶ"),  # of two, not of many
        Marked("犠牲", "何が犠牲になるか"),
        Marked(r"答えの全体はここに", "答えの全体はここにありません"),
        Marked("最も増えない", "損失が最も増えないピース"),
        Marked("通常の値", "通常の値を使います"),
        Marked("学習(?!コース)", "この学習には"),  # training is 訓練; the path is a course
        Marked("止められました", "ここで止められました"),  # also “could be stopped”
    ),
}
CASES: Final = [(code, marked) for code, all_marked in MARKED.items() for marked in all_marked]
named: Callable[[object], str | None] = lambda case: case.wrong if isinstance(case, Marked) else None  # noqa: E731


@pytest.fixture(params=OTHERS)
def language(request: pytest.FixtureRequest) -> Iterator[str]:
    yield use_language(request.param)
    use_language("en")


@pytest.mark.parametrize(("code", "marked"), CASES, ids=named)
def test_wrong_wordings_stay_away(code: str, marked: Marked) -> None:
    assert regex.search(marked.wrong, marked.example)
    others = {term.synonyms for term in TERMS.values()}
    requests = []
    for message in messages(catalogue(code)):
        if forms(message.id)[0] in others or not regex.search(marked.english, forms(message.id)[0]):
            continue
        requests.append(forms(message.string)[0])
    assert requests
    if not marked.english:
        requests.append((ROOT / f"README.{code}.md").read_text("utf-8"))
    assert [text for text in requests if regex.search(marked.wrong, text)] == []


def test_the_words_of_courses_find_an_entry(language: str) -> None:
    """The words of the Hugging Face course and the usual textbooks in that language."""
    wanted = {
        "zh": {
            "标记": "token",
            "词汇表": "vocabulary",
            "标准化": "normalizer",
            "频率": "count",
            "语料库": "corpus",
            "标记器": "tokenizer",
            "字节对": "pair",
            "未登录词": "unknown",
            "步长": "stride",
        },
        "ja": {
            "トークナイザー": "tokenizer",
            "トークナイザ": "tokenizer",
            "前処理": "pre_tokenizer",
            "初期語彙": "seed",
            "未知語": "unknown",
            "閾値": "threshold",
            "トークン化": "encoding",
            "バイトペア": "pair",
        },
    }[language]
    for word, name in wanted.items():
        assert name in [term.id for term in TERMS.values() if matches(term, word)], word


def test_step_0_is_a_state_and_a_button_a_deed(language: str) -> None:
    state, deed = {"zh": ("初始状态", "开始"), "ja": ("初期状態", "開始")}[language]
    assert (start_label(), _("Start")) == (state, deed)


def test_a_synonym_is_no_other_term(language: str) -> None:
    """Else a reader looks one thing up and finds another."""
    owners = {form.casefold(): term.id for term in TERMS.values() for form in forms_of(term)}
    for term in TERMS.values():
        names = [name.casefold() for name in synonyms(term)]
        assert names and all(names) and len({*names}) == len(names)
        for name in names:
            assert name not in owners, f"{name}, for {term.id}, is {owners[name]}"
