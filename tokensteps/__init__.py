"""The app and the command line. Both say in their own words where a size can't be reached: no warning need say it again."""

import warnings

from tokenizers_core.errors import UnreachedSizeWarning

warnings.filterwarnings("ignore", category=UnreachedSizeWarning)
