"""The theme, put together once."""

from __future__ import annotations

from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime import app_session

from tokensteps.streamlit_tuning.checks import require


def read_theme_once() -> None:
    """Have Streamlit put the theme together once, not for each run of each visitor: half a millisecond of a
    click. The settings stay as they are while a server runs."""
    require(app_session, "_populate_theme_msg")
    put_together = app_session._populate_theme_msg
    result: dict[str, CustomThemeConfig] = {}

    def fill(msg: CustomThemeConfig, section: str = "theme") -> None:
        if section not in result:
            result[section] = CustomThemeConfig()
            put_together(result[section], section)
        if result[section].ByteSize():
            msg.MergeFrom(result[section])

    app_session._populate_theme_msg = fill
