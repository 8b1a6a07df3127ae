"""The app and the command line. Both say in their own words where a size can't be reached: no warning need
say it again."""

import warnings

from tokenizers_core.errors import UnreachedSizeWarning
from tokensteps.version import __version__ as __version__

warnings.filterwarnings("ignore", category=UnreachedSizeWarning)
