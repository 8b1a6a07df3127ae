"""TokenSteps: page configuration, language, navigation; nothing else.

`streamlit run app.py` imports this file once to start the server, and runs it as ``__main__`` for every session.
"""

from pathlib import Path

import streamlit as st

ROOT = Path(__file__).parent

if __name__ == "__main__":
    from tokensteps.language.i18n import _
    from tokensteps.language.pages import PAGE_SECTIONS, pages_in
    from tokensteps.shell.language import choose_language, language_switch
    from tokensteps.shell.page_script import page_script
    from tokensteps.shell.reconnect import catch_up, resume
    from tokensteps.shell.streamlit_words import streamlit_words
    from tokensteps.shell.walk import show_walk
    from tokensteps.widgets.arrival import note_arrival

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
            _(heading): [
                st.Page(one.script, title=_(one.title), url_path=one.path or None, default=not one.path)
                for one in pages_in(section)
            ]
            for section, heading in PAGE_SECTIONS.items()
        }
    )
    st.set_page_config(page_title=f"{page.title} · TokenSteps")
    name = page.url_path or "home"
    note_arrival(name, show_walk(name))
    if again:
        resume(name)
    with st.sidebar:
        language_switch()
        streamlit_words()
    page.run()
    with st.sidebar:
        page_script()
else:
    from tokensteps.server.startup import MIDDLEWARE, lifespan

    app = st.App(__file__, lifespan=lifespan, middleware=MIDDLEWARE)
