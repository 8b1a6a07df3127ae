"""TokenSteps: page configuration, language, navigation; nothing else.

`streamlit run app.py` imports this file once to start the server, and runs it as ``__main__`` for every session.
"""

from pathlib import Path

import streamlit as st

ROOT = Path(__file__).parent
LINKED = {
    "corpus",
    "text",
    "t1",
    "a",
    "say",
    "normalizer",
    "pre",
    "model",
    "template",
    "kind",
    "seed",
    "mode",
}
"""Parameters that only a link has, not an address that a page has written before."""

if __name__ == "__main__":
    from tokensteps.language.i18n import _
    from tokensteps.shell.language import choose_language, language_switch
    from tokensteps.shell.page_script import page_script
    from tokensteps.shell.reconnect import catch_up, resume
    from tokensteps.shell.streamlit_words import streamlit_words

    with st.sidebar:
        again = catch_up()
    choose_language()
    st.set_page_config(page_icon=str(ROOT / "assets" / "icon.svg"), layout="wide")
    st.logo(ROOT / "assets" / "logo.svg", icon_image=ROOT / "assets" / "icon.svg")
    for sheet in (
        "page/style.css",
        "page/page.css",
        "page/terms.css",
        "page/projector.css",
        "page/print.css",
    ):
        st.html(ROOT / "assets" / sheet)
    page = st.navigation(
        {
            _("Learn"): [
                st.Page("pages/learn/home.py", title=_("Home"), default=True),
                st.Page("pages/learn/exercises.py", title=_("Exercises"), url_path="exercises"),
                st.Page("pages/learn/challenge.py", title=_("Challenge"), url_path="challenge"),
                st.Page("pages/learn/errata.py", title=_("Errata"), url_path="errata"),
                st.Page("pages/learn/glossary.py", title=_("Glossary"), url_path="glossary"),
            ],
            _("Train"): [
                st.Page("pages/train/bpe.py", title="BPE", url_path="bpe"),
                st.Page("pages/train/wordpiece.py", title="WordPiece", url_path="wordpiece"),
                st.Page("pages/train/unigram.py", title="Unigram", url_path="unigram"),
            ],
            _("Explore"): [
                st.Page("pages/explore/playground.py", title=_("Playground"), url_path="playground"),
                st.Page("pages/explore/compare.py", title=_("Compare"), url_path="compare"),
                st.Page("pages/explore/pipeline.py", title=_("Pipeline"), url_path="pipeline"),
                st.Page("pages/explore/renew.py", title=_("New from old"), url_path="renew"),
            ],
        }
    )
    st.set_page_config(page_title=f"{page.title} · TokenSteps")
    # Coming from another page, a link may bring settings; without any, the page takes up where it was left.
    came = st.session_state.get("page") not in (None, page.url_path)
    st.session_state["arrival"] = ("link" if LINKED & {*st.query_params} else "return") if came else ""
    st.session_state["page"] = page.url_path
    if again:
        resume(page.url_path)
    with st.sidebar:
        language_switch()
        streamlit_words()
    page.run()
    with st.sidebar:
        page_script()
else:
    from tokensteps.server.startup import MIDDLEWARE, lifespan

    app = st.App(__file__, lifespan=lifespan, middleware=MIDDLEWARE)
