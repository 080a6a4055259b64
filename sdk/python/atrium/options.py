"""Options of the client and of a single call. Every wait has a limit here. Times are seconds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, TypeAlias


class Omit(Enum):
    """The type of a parameter that is not sent. `None` is sent, as `null`."""

    OMIT = "OMIT"


OMIT: Final = Omit.OMIT

Revision: TypeAlias = Mapping[str, Any] | int | str
"""An object that has a revision, the revision itself, or an ETag."""

Selected: TypeAlias = dict[str, Any]
"""An object with the fields that the call selected."""

TIMEOUT: Final = 60.0
RETRIES_MAX: Final = 4
RETRY_AFTER_MAX: Final = 60.0
BACKOFF: Final = 0.5
BACKOFF_MAX: Final = 30.0
HEARTBEAT: Final = 45.0
CONNECTIONS_IDLE_MAX: Final = 10
CONNECTION_IDLE: Final = 30.0
THREADS_MAX: Final = 32
"""Calls of an `AsyncAtrium` at a time; further ones wait for a thread."""
BLOCK_BYTES: Final = 65_536
CACHED_CHARACTERS_MAX: Final = 262_144
"""Longer answers are not cached."""
FRAME_BYTES_MAX: Final = 16_777_216
"""One frame of a stream."""
SIGNATURES_MAX: Final = 16
"""Signatures of a delivery that are checked."""
TOLERANCE: Final = 300
"""Maximum distance of a signature's time from now."""
LIMIT_MAX: Final = 100
"""The longest page."""


@dataclass(frozen=True)
class Options:
    """Options of a call; `None` takes the client's."""

    timeout: float | None = None
    max_retries: int | None = None
    idempotency_key: str | None = None
    if_match: Revision | None = None


@dataclass(frozen=True)
class StreamOptions:
    last_event_id: str | None = None
    heartbeat_timeout: float | None = None
    max_reconnects: int | None = None


def if_match_header(revision: Revision) -> str:
    """The `If-Match` header for a revision."""
    if isinstance(revision, str):
        return revision
    return f'"{revision if isinstance(revision, int) else revision["revision"]}"'
