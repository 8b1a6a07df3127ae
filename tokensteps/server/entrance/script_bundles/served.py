"""Streamlit's scripts as this server joins them, and pages that begin with them.

They lie in a folder beside Streamlit's own, whose name says what is in it. To find out what may be joined, another process reads a
hundred scripts; until it has, and where anything is not as expected, a page is as Streamlit has it. That is also what a browser falls
back on where a page doesn't start with the joined ones (`assets/page/at_home.html`).
"""

from __future__ import annotations

import gzip
import logging
import pickle
import re
import threading
from functools import partial
from typing import Final

from tokensteps.limits import JOINED_ROOM
from tokensteps.server.entrance.script_bundles.groups import Circular, Folder, Groups, Joined, Joining
from tokensteps.server.entrance.shared_response import LASTING, SharedResponse, own_response
from tokensteps.server.process_singleton import process_singleton
from tokensteps.server.shared_cache import Memo
from tokensteps.server.tasks import Progress, TrainingError
from tokensteps.server.traces import workers
from tokensteps.streamlit_internals import DRAWS, SCRIPTS, first_scripts, scripts_for

JOINED: Final = re.compile(r"/static/js-([0-9a-f]{16})/([\w.$-]+\.js)$")
"""Where the scripts of such a page are."""
SOURCE: Final = re.compile(r'<script type="module" crossorigin src="\./static/js/([\w.$-]+\.js)">')
"""Streamlit's first script in a page."""
ASKED_AHEAD: Final = re.compile(
    r'<link rel="modulepreload" crossorigin href="\./static/js/([\w.$-]+\.js)">\n?'
)
"""What has a browser ask for another before the first one does."""
SCRIPT_TYPE: Final = b"application/javascript; charset=utf-8"


_log: Final = logging.getLogger(__name__)
_at_hand: Final[list[Joined]] = []
_answers: Final = Memo(JOINED_ROOM)


def join_scripts() -> None:
    """Join Streamlit's scripts, beside everything else."""
    threading.Thread(target=_joined, name="join scripts", daemon=True).start()


@process_singleton
def _joined() -> Joined | None:
    try:
        joining = Joining((*first_scripts(), *scripts_for(DRAWS)), Folder(SCRIPTS))
        joined: Joined = pickle.loads(workers().run(joining, Progress()))  # from a process of this server
    except TrainingError as error:  # the server ends, or its processes do
        _log.info("Streamlit's scripts stay as they are: %s", error)
        return None
    except (OSError, ValueError, LookupError, RecursionError, Circular):
        _log.warning("Streamlit's scripts stay as they are", exc_info=True)
        return None
    _at_hand.append(joined)
    return joined


def joined_digest() -> str:
    """What names the folder, "" while there is none."""
    return _at_hand[-1].digest if _at_hand else ""


def is_joined(path: str) -> bool:
    """Whether an address is in such a folder."""
    return JOINED.search(path) is not None


def script_at(path: str, packed: bool) -> SharedResponse | None:
    """A script in the folder, compressed unless somebody can't take that; None where there is none. Where the server is still at work on
    them, wait: another one's page may have come first."""
    asked, joined = JOINED.search(path), _joined()
    if asked is None or joined is None or asked[1] != joined.digest:
        return None
    try:
        kept = _answers.get(
            (asked[2],), partial(_joined_script, joined.groups, asked[2]), lambda made: len(made.body)
        )
    except OSError:  # Streamlit has no such script
        return None
    if packed or (b"content-encoding", b"gzip") not in kept.headers:
        return kept
    return own_response(gzip.decompress(kept.body), SCRIPT_TYPE, LASTING, False)


def _joined_script(groups: Groups, name: str) -> SharedResponse:
    return own_response(groups.text(name).encode("utf-8"), SCRIPT_TYPE, LASTING, True)


def with_joined(page: str, digest: str) -> str:
    """A page that begins with the joined scripts of that name: with all of them, or as it was."""
    if not digest or digest != joined_digest():
        return page
    groups, seen = _at_hand[-1].groups, set[str]()

    def ahead(found: re.Match[str]) -> str:
        place = groups.place(found[1])
        if place in seen:
            return ""
        seen.add(place)
        return f'<link rel="modulepreload" crossorigin href="./static/js-{digest}/{place}">\n'

    def source(found: re.Match[str]) -> str:
        place, plain = groups.place(found[1]), f"./static/js/{found[1]}"
        return f'<script type="module" crossorigin src="./static/js-{digest}/{place}" data-plain="{plain}">'

    led = SOURCE.sub(source, ASKED_AHEAD.sub(ahead, page))
    return led if led.count("/static/js/") == led.count("data-plain=") == 1 else page
