"""The version of the package, sent as `User-Agent`."""

from __future__ import annotations

from typing import Final

SDK_VERSION: Final = "0.1.0"
