"""A redrawn fragment's old elements are no longer sent: neither its own nor those of the fragments in it."""

from __future__ import annotations

from typing import Any

from streamlit.runtime.app_session import AppSession
from streamlit.runtime.fragment import FragmentStorage, MemoryFragmentStorage
from streamlit.runtime.scriptrunner import ScriptRunnerEvent

from tokensteps.streamlit_tuning.checks import require


def drop_nested_fragments() -> None:
    """When a fragment starts again, have its unsent old elements dropped together with those of the fragments
    in it.

    Streamlit drops the fragment's own elements alone. The inner ones then come to a browser without a place
    for them: “Bad delta path index”, and the page stays as it is until it is loaded again. The inner
    fragments are known while the script's thread starts; when the event loop hears of that, they may have
    been redrawn, or be gone.
    """
    require(AppSession, "_on_scriptrunner_event", "_fragment_storage")
    require(FragmentStorage, "has_ancestor_in")
    require(MemoryFragmentStorage, "_fragments")
    tell = AppSession._on_scriptrunner_event

    def tell_with_nested(session: AppSession, sender: Any, event: ScriptRunnerEvent, **more: Any) -> None:
        if started := more.get("fragment_ids_this_run"):
            storage: Any = session._fragment_storage
            nested = [one for one in [*storage._fragments] if storage.has_ancestor_in(one, started)]
            more["fragment_ids_this_run"] = [*{*started, *nested}]
        tell(session, sender, event, **more)

    AppSession._on_scriptrunner_event = tell_with_nested  # type: ignore[method-assign, assignment]
