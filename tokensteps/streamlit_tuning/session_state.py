"""Session state, looked up on demand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from streamlit.components.v2.bidi_component import main as bidi_component
from streamlit.runtime.state.common import WidgetValuePresenter, is_element_id
from streamlit.runtime.state.session_state import STREAMLIT_INTERNAL_KEY_PREFIX, SessionState

from tokensteps.streamlit_tuning.checks import require

all_in_sight: Final[Callable[[SessionState], dict[str, Any]]] = SessionState.filtered_state.fget  # type: ignore[attr-defined]


class StateInSight(Mapping[str, Any]):
    """The visible session state, with each value looked up on demand.

    Streamlit puts all of it together for each widget on the page, just for the widget's own key.
    """

    def __init__(self, state: SessionState) -> None:
        self._state = state

    def __getitem__(self, key: str) -> Any:
        if is_element_id(key) or key.startswith(STREAMLIT_INTERNAL_KEY_PREFIX):
            raise KeyError(key)
        return self._state[key]

    def __iter__(self) -> Iterator[str]:
        return iter(all_in_sight(self._state))

    def __len__(self) -> int:
        return len(all_in_sight(self._state))

    def __repr__(self) -> str:
        return repr(all_in_sight(self._state))


def _events_as_dict(
    events: str, _component: str | None = None, _names: set[str] | None = None
) -> WidgetValuePresenter:
    """A component in session state: its values, and its latest events under the widget `events`. A plain
    dict: Streamlit makes a new class for each, so that a page could write to it."""

    def present(values: Any, state: SessionState) -> Any:
        widgets = state._new_widget_state
        if not isinstance(values, dict) or events not in widgets.widget_metadata:
            return values
        lines = [one for one in widgets.get(events) or () if isinstance(one, dict)]
        return {one["event"]: one.get("value") for one in lines if isinstance(one.get("event"), str)} | values

    return present


def show_state_by_need() -> None:
    """Have session state looked up on demand, and not all of it each time: a tenth of a click's cost for the
    server."""
    require(SessionState, "_new_widget_state")
    require(bidi_component, "make_bidi_component_presenter")
    SessionState.filtered_state = property(StateInSight)  # type: ignore[assignment]
    vars(bidi_component)["make_bidi_component_presenter"] = _events_as_dict
