"""An LRU cache of read answers for conditional requests."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import NamedTuple

from .options import CACHED_CHARACTERS_MAX


class KeptAnswer(NamedTuple):
    etag: str
    text: str


class AnswerCache:
    """Answers are kept as text and parsed for each caller, so callers cannot change each other's objects."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: OrderedDict[str, KeptAnswer] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, url: str) -> KeptAnswer | None:
        with self._lock:
            kept = self._kept.get(url)
            if kept is not None:
                self._kept.move_to_end(url)
            return kept

    def keep(self, url: str, etag: str | None, text: str) -> None:
        with self._lock:
            self._kept.pop(url, None)
            if etag is None or len(text) > CACHED_CHARACTERS_MAX:
                return
            self._kept[url] = KeptAnswer(etag, text)
            if len(self._kept) > self._size:
                self._kept.popitem(last=False)
