"""TokenSteps: page configuration, language, navigation; nothing else.

`streamlit run app.py` imports this file once to start the server, and runs it as ``__main__`` for every
session.
"""

import streamlit as st

if __name__ == "__main__":
    from tokensteps.assets import ASSETS
    from tokensteps.components.address import step_is_taken
    from tokensteps.language.pages import PAGE_AT, PAGES, tab_title
    from tokensteps.shell.classes import class_page, show_class
    from tokensteps.shell.language import choose_language, language_switch
    from tokensteps.shell.navigation import navigation
    from tokensteps.shell.page_script import page_script
    from tokensteps.shell.reconnect import catch_up, connection_strip, resume
    from tokensteps.shell.streamlit_words import streamlit_words
    from tokensteps.shell.walk import show_toast, show_walk
    from tokensteps.widgets.arrival import note_arrival

    with st.sidebar:
        again = catch_up()
    choose_language()
    st.set_page_config(page_icon=str(ASSETS / "icon.svg"), layout="wide")
    st.logo(ASSETS / "logo.svg", icon_image=ASSETS / "icon.svg")
    if st.context.is_embedded:
        st.html(ASSETS / "page/embed.css")
    page = navigation()
    name = PAGE_AT[page.url_path]
    st.set_page_config(page_title=tab_title(PAGES[name]))
    led = show_class()
    note_arrival(name, show_walk(name) or led)
    if again:
        resume(name)
    with st.sidebar:
        language_switch()
        streamlit_words()
        connection_strip()
    page.run()
    with st.sidebar:
        page_script()
        class_page(name)
    show_toast()
    step_is_taken()
else:
    from tokensteps.classroom.routes import ROUTES
    from tokensteps.classroom.startup import with_classes
    from tokensteps.pages.explore.live_typing.routes import TYPED_ROUTES
    from tokensteps.server.startup import MIDDLEWARE, lifespan, under_base

    app = st.App(
        __file__,
        lifespan=with_classes(lifespan),
        middleware=MIDDLEWARE,
        routes=under_base((*ROUTES, *TYPED_ROUTES)),
    )
