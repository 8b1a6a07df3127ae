"""The version: the package, `--version` and the catalogues take it from here."""

from typing import Final

__version__: Final = "0.1.0"
