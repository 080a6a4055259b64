"""A parser of Server-Sent Events after the HTML standard, for chunks that may be cut anywhere."""

from __future__ import annotations

import re
from typing import NamedTuple

from .errors import AtriumError
from .options import FRAME_BYTES_MAX

_LINE_END = re.compile(rb"\r\n|\n|\r(?!$)")


class Frame(NamedTuple):
    id: str
    """The last id of the stream, possibly of an earlier frame; empty if there was none."""
    event: str
    data: str


class SseParser:
    def __init__(self) -> None:
        self.retry: float | None = None
        """The server's wait before a reconnect in seconds; `None` until it is sent."""
        self._pieces: list[bytes] = []
        self._held = 0
        self._id = ""
        self._event = ""
        self._data: list[str] = []
        self._size = 0

    def take(self, chunk: bytes) -> list[Frame]:
        """The frames completed by this chunk."""
        # Pieces of a line are joined once it ends: joining each time would cost the square of its length.
        self._pieces.append(chunk)
        self._held += len(chunk)
        frames: list[Frame] = []
        if b"\n" in chunk or b"\r" in chunk or (len(self._pieces) > 1 and self._pieces[-2].endswith(b"\r")):
            # A trailing carriage return may be the first half of a line end.
            *lines, rest = _LINE_END.split(b"".join(self._pieces))
            self._pieces, self._held = [rest], len(rest)
            for line in lines:
                frames += self._line(line)
        if self._size + self._held > FRAME_BYTES_MAX:
            raise AtriumError(f"The event is longer than {FRAME_BYTES_MAX} bytes.")
        return frames

    def _line(self, raw: bytes) -> list[Frame]:
        if raw == b"":
            return self._dispatch()
        line = raw.decode("utf-8", "replace")
        name, colon, value = line.partition(":")
        if colon and name == "":
            return []
        value = value.removeprefix(" ")
        if name == "event":
            self._event = value
        elif name == "data":
            self._data.append(value)
        elif name == "id" and "\0" not in value:
            self._id = value
        elif name == "retry" and re.fullmatch(r"[0-9]{1,9}", value):
            self.retry = int(value) / 1000
        self._size += len(raw)
        return []

    def _dispatch(self) -> list[Frame]:
        frames = [Frame(self._id, self._event, "\n".join(self._data))] if self._data else []
        self._event, self._data, self._size = "", [], 0
        return frames
