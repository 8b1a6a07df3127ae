"""The page “New from old” without a browser, through Streamlit's `AppTest`: the ready example, foreign
tokenizers, links, complaints.

Source: “Training a new tokenizer from an old one”, Hugging Face course, chapter 6, with Python code as its
example: a line's indentation becomes one token. Oracles: the engine, trained on the same corpora; the
`tokenizers` library for visitors' own tokenizers and for the downloaded file. The parts handed on are tried
in `tests/app/catalogue/test_renewal.py`.
"""

from __future__ import annotations

import html
import re
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

import pytest
from streamlit.testing.v1 import AppTest
from tokenizers import Tokenizer as Library

from tests.app.catalogue.test_renewal import bert, gpt2, llama
from tests.pages.pages import Page, address, bodies, book, problems, run
from tokenizers_core import Corpus, train_bpe
from tokenizers_core.files.tokenizer_json import tokenizer_from_json
from tokenizers_core.text.pipeline import Pipeline
from tokensteps.catalogue import choices, shipped
from tokensteps.catalogue.choices import TokenizerSpec
from tokensteps.drawing.tokens import Style, readable
from tokensteps.limits import RENEW_LIMIT
from tokensteps.pages.explore.renew import OLD_SPEC, SAMPLE
from tokensteps.runs.corpora import EXAMPLES, pack_text
from tokensteps.runs.rules import RENEW_RULES
from tokensteps.widgets import downloads

PAGE = Page("renew", Path("pages", "explore", "renew.py"), RENEW_RULES)
value = PAGE.value
HUG = "bpe?corpus=hug"
SMALL = {"corpus": "course", "size": "90", "t1": HUG}
HOSTILE = "<img src=x onerror=alert(1)> {x} **b** $x$ \u202e </div>"


def opened(**url: str) -> AppTest:
    return PAGE.opened(urlencode(url))


def counted(app: AppTest) -> tuple[int, int]:
    """The two counts on the page."""
    [totals] = bodies(app, "counts")
    old, new = re.findall(r"<dd>([\d,]+)</dd>", totals)[:2]
    return int(old.replace(",", "")), int(new.replace(",", ""))


def listed(app: AppTest) -> list[str]:
    """The new one's own tokens."""
    row = next(one.proto.body for one in app.get("html") if 'class="ts row wide"' in one.proto.body)
    return [
        html.unescape(re.sub("<.*?>", "", chip)) for chip in re.findall(r"<bdi class=\"t.*?>(.*?)</bdi>", row)
    ]


def heritage(app: AppTest) -> str:
    [message] = bodies(app, "heritage")
    return html.unescape(message)


@cache
def of_corpus(name: str) -> Any:
    """BPE by the engine, as the page's tokenizers of its example corpora are made: GPT-2's stages, all bytes,
    4,000 tokens."""
    corpus = Corpus.from_texts([EXAMPLES[name].text()])
    return train_bpe(
        corpus,
        4_000,
        special_tokens=["<|endoftext|>"],
        min_frequency=2,
        alphabet="bytes",
        tie_rule="lowest_ids",
    )


# --- the ready example --------------------------------------------------------------------------------------


def test_the_ready_example_is_python_code() -> None:
    """61 tokens by one trained on prose, 39 by one trained on code, among them a line's indentation."""
    app = opened()
    assert app.title[0].value == "Retrain" and problems(app) == [] and address(app) == {}
    run = TokenizerSpec.parse(OLD_SPEC).run()
    old = run.algorithm.train(run.source.corpus(run.pipeline), **run.settings).tokenizer()
    new = of_corpus("modules").tokenizer()
    assert counted(app) == (len(old.encode(SAMPLE)), len(new.encode(SAMPLE))) == (61, 39)
    assert "ĊĠĠĠ" in new.tokens and "ĊĠĠĠ" not in old.tokens
    assert "ĊĠĠĠ" in new.encode(SAMPLE).tokens
    spaces = Style(byte_level=True, show="spaces")
    assert "⏎␣␣␣" in listed(app) and not {*listed(app)} & {readable(token, spaces) for token in old.tokens}
    assert "36 % fewer" in bodies(app, "counts")[0]
    message = heritage(app)
    assert "<dd>BPE</dd>" in message and "<|endoftext|>" in message and "GPT-2" in message
    [aligned] = bodies(app, "aligned")
    assert "English prose" in aligned and "new: Python modules" in aligned


def test_another_text_under_both() -> None:
    app = opened(**SMALL, a="hug")
    app.text_area(key="renew.a").set_value("hugs and pugs")
    run(app)
    linked = TokenizerSpec.parse(HUG).run()
    old = linked.algorithm.train(linked.source.corpus(linked.pipeline), **linked.settings).tokenizer()
    assert counted(app)[0] == len(old.encode("hugs and pugs"))
    assert address(app) == SMALL | {"a": "hugs and pugs"}
    app.text_area(key="renew.a").set_value("")
    run(app)
    assert counted(app) == (0, 0) and "No text, no tokens." in bodies(app, "note")[0] and problems(app) == []
    assert listed(app)


@pytest.mark.parametrize(
    "old", ["wordpiece?corpus=hug", "unigram?corpus=course", "bpe?corpus=highest&step=3"]
)
def test_each_algorithm_is_trained_again(old: str) -> None:
    app = opened(corpus="course", t1=old, size="80", a="This is the Course")
    assert problems(app) == []
    assert (
        f"<dd>{ {'bpe': 'BPE', 'wordpiece': 'WordPiece', 'unigram': 'Unigram'}[old.partition('?')[0]] }</dd>"
        in heritage(app)
    )
    labels = [button.proto.label for button in app.get("download_button")]
    assert labels[0] == "tokenizer.json" and len({*labels}) == len(labels) > 1


def test_the_size_is_the_old_ones_by_default() -> None:
    linked = TokenizerSpec.parse("bpe?corpus=course").run()
    old = linked.algorithm.train(linked.source.corpus(linked.pipeline), **linked.settings)
    app = opened(corpus="hug", t1="bpe?corpus=course", a="x")
    assert app.number_input(key="renew.size").placeholder == str(old[len(old)].vocab_size)
    assert problems(app) == []
    assert app.number_input(key="renew.size").value is None
    app.number_input(key="renew.size").set_value(5)
    run(app)
    assert "below the starting vocabulary" in problems(app)[0]
    app.number_input(key="renew.size").set_value(0)
    run(app)
    assert "choose a number from 1" in problems(app)[0]
    app.number_input(key="renew.size").set_value(300)
    run(app)
    assert problems(app) == [] and address(app)["size"] == "300"


def test_a_link_brings_everything_back() -> None:
    url = SMALL | {
        "size": "90",
        "lines": "1",
        "a": "hugs & <b>\nmore",
        "corpus": "paste",
        "text": str(pack_text("hug hugs more hugs")),
    }
    app = opened(**url)
    assert problems(app) == [] and address(app) == url
    assert (value(app, "a"), value(app, "size"), value(app, "lines")) == (url["a"], 90, True)
    shown = next(code.value for code in app.code if "corpus=" in code.value)
    assert shown.partition("?")[2] == urlencode(address(app)) or dict(url) == address(opened(**address(app)))


# --- visitors' own tokenizers -------------------------------------------------------------------------------


def uploaded(library: Library) -> str:
    return choices.upload_spec({"tokenizer.json": library.to_str().encode()})


@pytest.mark.parametrize("make", [gpt2, bert])
def test_a_foreign_tokenizer_is_trained_anew(make: Any) -> None:
    library = make()
    text = "def half(number):\n    return the cats"
    app = opened(corpus="python", t1=uploaded(library), a=text, size="330")
    assert problems(app) == []
    old, new = counted(app)
    assert old == len(library.encode(text, add_special_tokens=False).ids)
    result = downloaded(app)
    assert new == len(result.encode(text, add_special_tokens=False).ids)
    assert result.get_vocab_size() == 330
    # and it is the old one but for its vocabulary, template and all
    assert (result.pre_tokenizer is None, result.normalizer is None) == (
        library.pre_tokenizer is None,
        library.normalizer is None,
    )
    assert result.encode("a", "b").type_ids == library.encode("a", "b").type_ids
    assert result.encode("a").tokens[0] == library.encode("a").tokens[0]


def downloaded(app: AppTest) -> Library:
    """The file from the button tokenizer.json, in the library; and our own reader takes it too."""
    values: list[Any] = []

    def keep_tokenizer(tokenizer: Any, key: str) -> None:
        values.append(tokenizer)
        downloads.show_tokenizer_files(tokenizer, key)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tokensteps.pages.explore.renew.show_tokenizer_files", keep_tokenizer)
        run(app)
    text = downloads.tokenizer_files(values[-1])["tokenizer.json"]()
    text = text.decode() if isinstance(text, bytes) else text
    tokenizer_from_json(text)
    return Library.from_str(text)


def test_missing_parts_are_named() -> None:
    app = opened(corpus="course", t1=uploaded(llama()), a="keep me")
    assert "Prepend" in problems(app)[0] and "Replace" in problems(app)[0]
    assert bodies(app, "counts") == [] and value(app, "a") == "keep me"
    app.selectbox(key="renew.old").set_value(OLD_SPEC)
    run(app)
    assert problems(app) == [] and app.text_area(key="renew.a").value == "keep me"


def test_the_playgrounds_tokenizers_are_offered() -> None:
    app = PAGE.start(urlencode(SMALL))
    spec = uploaded(bert())
    app.session_state["catalogue.brought"] = [spec]
    run(app)
    assert "tokenizer.json" in app.selectbox(key="renew.old").options
    app.selectbox(key="renew.old").set_value(spec)
    app.number_input(key="renew.size").set_value(100)
    run(app)
    assert problems(app) == [] and address(app)["t1"] == spec


# --- impossible settings ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ({"t1": "gpt9"}, "this page doesn't know"),
        ({"t1": HOSTILE}, "this page doesn't know"),
        ({"t1": "bpe?corpus=hug&step=x"}, "which doesn't exist"),
        ({"t1": "file?tokenizer.json=0123"}, "no longer has the file"),
        ({"corpus": "nonsense"}, "corpus="),
        ({"size": "-3"}, "size="),
        ({"lines": "maybe"}, "lines="),
        ({"size": "5", "corpus": "course"}, "below the starting vocabulary"),
    ],
)
def test_an_invalid_link_is_explained_and_the_text_survives(url: dict[str, str], message: str) -> None:
    app = opened(**({"t1": HUG, "corpus": "hug", "a": "keep me"} | url))
    assert message in html.unescape(problems(app)[0]) and "<img" not in problems(app)[0]
    assert value(app, "a") == "keep me"


def test_a_lost_text_stays_reported_until_another_is_typed() -> None:
    app = opened(t1=HUG, corpus="hug", a="~damaged")
    assert "text of this link is lost" in problems(app)[0]
    assert "text of this link is lost" in problems(run(app))[0]
    app.text_area(key="renew.a").set_value("hug")
    assert problems(run(app)) == []


def test_a_later_link_without_a_text_has_lost_none() -> None:
    app = opened(t1=HUG, corpus="hug", a="~damaged")
    run(app.switch_page(str(Path("pages", "learn", "glossary.py"))))
    app.query_params.clear()
    app.query_params["t1"], app.query_params["corpus"] = f"{HUG}&step=2", "hug"
    assert problems(run(app.switch_page(str(PAGE.script)))) == []


def test_too_long_a_text_is_refused_and_kept() -> None:
    app = opened(**SMALL)
    app.text_area(key="renew.a").set_value("hug " * (RENEW_LIMIT // 4) + "s")
    run(app)
    assert "20,001 characters" in problems(app)[0] and bodies(app, "counts") == []
    assert len(app.text_area(key="renew.a").value or "") == RENEW_LIMIT + 1


def test_hostile_corpus_and_text_are_only_text() -> None:
    old = f"bpe?{urlencode({'corpus': 'paste', 'text': pack_text(HOSTILE), 'pre': 'whitespace_split', 'special': '<script>alert(1)</script>'})}"
    app = opened(
        t1=old,
        corpus="paste",
        text=str(pack_text(f"{HOSTILE}\n" * 3)),
        a=HOSTILE + "<script>alert(1)</script>",
    )
    assert problems(app) == []
    drawn = [one.proto.body for one in app.get("html") if "<style" not in one.proto.body]
    assert not any(tag in markup for markup in drawn for tag in ("<img", "<script", "</div></bdi>"))
    shown = [*app.markdown, *app.caption, *app.header, *app.title]
    assert not any("onerror" in element.value for element in shown)
    assert any(re.search(r"<dt>Special tokens</dt><dd>&lt;script&gt;", markup) for markup in drawn)


def test_stages_come_from_the_old_one() -> None:
    """With any settings of the corpus on other pages: the old one's normalizer and splitting decide."""
    old = "bpe?corpus=hug&normalizer=nfkc&pre=whitespace_split_punctuation"
    app = opened(t1=old, corpus="course", size="90", a="…")
    assert "NFKC" in heritage(app) and "Whitespace, punctuation" in heritage(app)
    assert tokenizer_from_json(downloaded(app).to_str()).pipeline == Pipeline(
        "nfkc", "whitespace_split_punctuation"
    )


# --- going on and trimming ----------------------------------------------------------------------------------


def test_training_goes_on_one_merge_a_step() -> None:
    """The new merges come after the old ones, a step each; the new file is the engine's own, and the library
    reads it."""
    app = opened(**SMALL, how="on", more="9", a="This is the Course", step="3")
    assert problems(app) == [] and book(app)["seek"][0] == 3
    link, _embed = (code.value for code in app.code)
    assert dict(parse_qsl(link.partition("?")[2])) == address(app) and address(app)["step"] == "3"
    linked = TokenizerSpec.parse(HUG).run()
    old = linked.algorithm.train(linked.source.corpus(linked.pipeline), **linked.settings).tokenizer()
    source = EXAMPLES["course"].text()
    pipeline = old.pipeline
    corpus = Corpus.from_texts([source], pipeline.normalizer, pipeline.pre_tokenizer)
    trace = train_bpe(corpus, merges=9, min_frequency=2, extend=old, tie_rule="lowest_ids")
    assert len(trace) == 9
    frames = book(app)["frames"]
    assert len(frames) == 10 and frames[0]["say"].startswith("The old tokenizer splits every word.")
    assert (
        f"New: merge {len(old.model.merges) + 3}, after the {len(old.model.merges)} old ones"
        in frames[3]["say"]
    )  # type: ignore[attr-defined]
    corpus_table, both = bodies(app, "counts")
    assert (
        f"<dd>{trace.token_totals[0]:,}</dd>" in corpus_table
        and f"<dd>{trace.token_totals[-1]:,}</dd>" in corpus_table
    )
    assert f"<dd>{len(trace.tokenizer().ids('This is the Course'))}</dd>" in both
    [words] = re.findall("<tr><td>.*(?=</table>)", corpus_table)
    ours, theirs = trace[0].splits(), trace[-1].splits()
    saved = {word: number * (len(ours[word]) - len(theirs[word])) for word, number in corpus.items()}
    shown = [int(number) for number in re.findall(r"<td>(\d+)(?=<tr>|$)", words)]
    assert shown == sorted(saved.values(), reverse=True)[: len(shown)] and 0 < len(shown) <= 8
    result = downloaded(app)
    assert result.encode("This is the Course").ids == trace.tokenizer().ids("This is the Course")
    assert [result.token_to_id(token) for token in old.tokens] == [*range(len(old.tokens))]


def test_spaces_are_written_alike_in_all_parts() -> None:
    """The steps, the corpus's words and the new tokens have ␣ and ⏎, like the text under both."""
    app = opened(how="on", more="5")
    assert problems(app) == []
    parts = (str(book(app)["frames"]), *bodies(app, "counts")[:1], *bodies(app, "row wide"))
    for part in parts:
        assert "␣" in part and "Ġ" not in part and "Ċ" not in part
    assert len(parts) == 3


def test_the_ways_there() -> None:
    """BPE's page and, for each BPE tokenizer of its own, the playground lead here; for a run that can't go on
    there is no link."""

    def links(page: str, **url: str) -> list[dict[str, str]]:
        app = Page(page, Path("pages", "train" if page == "bpe" else "explore", f"{page}.py"), ()).opened(
            urlencode(url)
        )
        shown = [one.proto for one in app.get("page_link") if one.proto.label == "Go on training, or trim …"]
        assert problems(app) == [] and all(one.page == "renew" for one in shown)
        return [dict(parse_qsl(one.query_string)) for one in shown]

    assert links("bpe", corpus="hug") == [{"t1": HUG, "how": "on"}]
    assert links("bpe", corpus="hug", kind="pickybpe") == []
    gpt2 = "hub?name=openai-community/gpt2"
    chosen = links("playground", t1=HUG, t2=gpt2, t3="unigram?corpus=hug")
    assert chosen == [{"t1": HUG, "how": "on"}, {"t1": gpt2, "how": "on"}]


@pytest.mark.slow
def test_gpt2_goes_on() -> None:
    """The app's own tokenizer keeps its 50,257 ids; its new tokens get the next ones."""
    app = opened(corpus="mixed", t1="hub?name=openai-community/gpt2", how="on", more="20", a="日本語の文章")
    assert problems(app) == []
    result = downloaded(app)
    vocabulary = Library.from_str(shipped.gpt2().written).get_vocab()
    assert len(vocabulary) == 50_257 and result.get_vocab().items() >= vocabulary.items()
    assert 50_257 < result.get_vocab_size() <= 50_277


def test_the_last_merges_go_and_the_page_explains_why_no_others() -> None:
    app = opened(t1=OLD_SPEC, how="trim", drop="1000", a="the indentation")
    assert problems(app) == []
    run_ = TokenizerSpec.parse(OLD_SPEC).run()
    trace = run_.algorithm.train(run_.source.corpus(run_.pipeline), **run_.settings)
    result, before = downloaded(app), trace.tokenizer(len(trace) - 1_000)
    for text in (SAMPLE, "the indentation"):
        assert result.encode(text).ids == before.ids(text)
    [why] = [one.proto.body for one in app.get("html") if "Take one merge out" in one.proto.body]
    assert "later merges never happen" in why and "no text produces them" in why
    assert "␣" in why and "Ġ" not in why
    headers = [header.value for header in app.header]
    assert headers[0] == "Tokens that only the old one has" and "Why only the end can go" in headers


@pytest.mark.parametrize("how", ["on", "trim"])
def test_only_bpe_has_merges(how: str) -> None:
    app = opened(corpus="course", t1="unigram?corpus=course", how=how, a="keep me")
    assert "this tokenizer is Unigram" in problems(app)[0] and value(app, "a") == "keep me"


def test_there_is_nothing_to_drop_without_merges() -> None:
    app = opened(how="trim", t1="bpe?corpus=hug&step=0")
    assert problems(app) == [] and "drop" not in address(app)
    assert "there is nothing to drop" in " ".join(bodies(app, "note"))
    assert not [box for box in (*app.text_input, *app.number_input) if box.key == "renew.drop"]


def test_more_is_not_dropped_than_there_is() -> None:
    app = opened(t1=HUG, how="trim", drop="99999", a="hug")
    assert "Merges to drop: 99,999 is out of range; choose a number from 0 to 7." in problems(app)[0]
    assert bodies(app, "counts") == []


@pytest.mark.parametrize(("old", "usual"), [(HUG, 7), (OLD_SPEC, 100)])
def test_the_usual_number_to_drop_fits(old: str, usual: int) -> None:
    """At first and when the box is emptied. Oracle: the engine's tokenizer before those merges."""
    run_ = TokenizerSpec.parse(old).run()
    trace = run_.algorithm.train(run_.source.corpus(run_.pipeline), **run_.settings)
    app = opened(t1=old, how="trim", a="hugs pugs puns")
    for _ in range(2):
        assert problems(app) == [] and "drop" not in address(app)
        assert app.number_input(key="renew.drop").placeholder == str(usual)
        assert counted(app)[1] == len(trace.tokenizer(len(trace) - usual).encode("hugs pugs puns"))
        app.number_input(key="renew.drop").set_value(0)
        assert counted(run(app))[0] == counted(app)[1] and address(app)["drop"] == "0"
        app.number_input(key="renew.drop").set_value(None)
        run(app)
