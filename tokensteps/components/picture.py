"""Pictures of the page's stage, for slides: `assets/components/picture.js` draws them in the browser."""

from __future__ import annotations

import json
from typing import Final

from tokensteps.components.base import component
from tokensteps.language.labels import picture_labels

PICTURE_STEPS: Final = 24
"""Steps of an animation: half a minute, and a file of a megabyte or two."""


def picture_buttons(key: str, page: str) -> None:
    """Buttons for saving the stage as a picture; the page's name begins the files' names."""
    component("picture")(
        key=key, data=json.dumps(picture_labels() | {"page": page, "steps": PICTURE_STEPS}).encode()
    )
