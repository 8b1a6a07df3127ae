"""No fragment for a page no longer shown."""

from __future__ import annotations

from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData

from tokensteps.streamlit_tuning.checks import require


def leave_other_pages_alone() -> None:
    """Have no fragment run for a page that the session has left.

    Until a browser hears of the server's change to another page, it asks for fragments of the old one.
    Streamlit runs them on the new page, and tells the browser that it is on the old one: the browser then has
    an empty page, or fails at a missing place.
    """
    require(ScriptRunner, "_pages_manager", "_run_script")
    require(RerunData, "fragment_id_queue", "page_script_hash")
    run = ScriptRunner._run_script

    def run_what_is_there(runner: ScriptRunner, request: RerunData) -> None:
        there = runner._pages_manager.current_page_script_hash
        if not request.fragment_id_queue or request.page_script_hash in {"", there}:  # "" names none
            run(runner, request)

    ScriptRunner._run_script = run_what_is_there  # type: ignore[method-assign, assignment]
