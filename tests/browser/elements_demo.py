"""A page of elements that none of the app's pages has, for the browser tests: their scripts come when it has started."""

import sys
from pathlib import Path

import streamlit as st

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    st.markdown("A formula, $e^{i\\pi}$, `code` :red[in red] and a list:\n\n- one\n- two")
    st.code("for token in tokens:\n    print(token)", language="python")
    st.text_area("Text", "hug pug")
    st.slider("Slider", 0, 9, 3)
    st.multiselect("Several", ["a", "b"], ["a"])
    st.date_input("Day", "2024-02-29")
    st.checkbox("Box")
    st.radio("One", ["a", "b"])
    st.file_uploader("File")
    st.dataframe({"token": ["hug", "pug"], "count": [10, 5]})
    st.json({"a": [1, 2]})
    st.metric("Tokens", 12, 3)
    st.download_button("Save", "hug", "hug.txt")
    with st.expander("More"):
        st.write("There is more.")
    first, second = st.tabs(["One tab", "Another tab"])
    first.write("In a tab.")
    second.write("In another tab.")
else:
    from tokensteps.server.startup import MIDDLEWARE, lifespan

    app = st.App(__file__, lifespan=lifespan, middleware=MIDDLEWARE)
