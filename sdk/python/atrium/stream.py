"""
The event stream: `for event in atrium.events.stream(types=["workflow.task.*"])`. A connection that ends, breaks or goes silent
is reopened after the last event: from its first opening on there are no gaps and no duplicates. A stream without a last event
first looks up the newest one in the log; otherwise events during a loss of the first connection would be missed.
"""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, cast

from .connection import Answer, Canceled, Cancellation, Deadline
from .errors import ApiError, AtriumError, ConnectionFailedError
from .options import BACKOFF, BLOCK_BYTES, HEARTBEAT, OMIT, Options, StreamOptions
from .request import Outgoing
from .retry import retrying
from .sse import Frame, SseParser

if TYPE_CHECKING:
    from .generated.objects import AtriumEvent
    from .transport import Transport

DAY: Final = 86_400.0


@dataclass(frozen=True)
class _Connection:
    answer: Answer
    deadline: Deadline
    parser: SseParser


class EventStream:
    """Iterate it. `close` may be called from another thread, and `with` closes it at the end."""

    def __init__(self, transport: Transport, outgoing: Outgoing, log: str, options: StreamOptions) -> None:
        self._transport = transport
        self._outgoing = outgoing
        self._log = log
        self._options = options
        self._cancellation = Cancellation()
        self._position = options.last_event_id
        self._anchored = self._position is not None  # Whether the position is known; it is `None` if the log was empty.
        self._connection: _Connection | None = None
        self._was_open = False
        self._seen_at = 0.0
        self._retry = BACKOFF
        self._from_log: deque[AtriumEvent] = deque()  # Events read from the log, which come before those of the connection.
        self._frames: deque[Frame] = deque()
        self._reading = threading.Lock()

    @property
    def last_event_id(self) -> str | None:
        """Id of the last event, or of the event after which the stream started. Store it to resume later."""
        return self._position

    @property
    def is_closed(self) -> bool:
        """Whether `close` was called."""
        return self._cancellation.is_canceled

    def open(self) -> EventStream:
        """Opens the stream: all later events will be yielded. Iterating opens it too."""
        try:
            self._open()
        except Canceled:
            pass
        return self

    def close(self) -> None:
        """Ends the stream; a running iteration ends without an error."""
        self._cancellation.cancel()
        if self._reading.acquire(blocking=False):
            try:
                self._disconnect()
            finally:
                self._reading.release()

    def __enter__(self) -> EventStream:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __iter__(self) -> Iterator[AtriumEvent]:
        """One loop at a time. Leaving a loop closes the connection; another loop resumes after the last event."""
        if not self._reading.acquire(blocking=False):
            raise AtriumError("Another loop is already reading this stream.")
        try:
            while (event := self.next_event()) is not None:
                yield event
        finally:
            self._disconnect()
            self._reading.release()

    def next_event(self) -> AtriumEvent | None:
        """Waits for the next event; `None` once the stream is closed. A loop does this."""
        try:
            while not self._cancellation.is_canceled:
                connection = self._open()
                if self._from_log:
                    return self._from_log.popleft()
                if self._frames:
                    frame = self._frames.popleft()
                    self._position = frame.id or self._position
                    return cast("AtriumEvent", json.loads(frame.data))
                self._read(connection)
        except Canceled:
            pass
        return None

    def _read(self, connection: _Connection) -> None:
        """Reads what has arrived. Disconnects at the end of the connection."""
        deadline = connection.deadline
        try:
            deadline.renew()
            chunk = connection.answer.read_some(BLOCK_BYTES)
            if chunk:
                self._seen_at = time.time()
                self._frames.extend(connection.parser.take(chunk))
                self._retry = self._retry if connection.parser.retry is None else connection.parser.retry
                return
        except Exception as error:
            reason = deadline.explain(error)
            if not isinstance(reason, ConnectionFailedError) and not self._cancellation.is_canceled:
                self._disconnect()
                raise reason from error
        self._disconnect()

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        self._frames.clear()  # They come again, because the position is that of the last event that was yielded.
        if connection is not None:
            connection.answer.close()

    def _open(self) -> _Connection:
        if self._connection is None:
            policy = self._transport.policy(self._outgoing, None, self._cancellation)
            if self._was_open:
                reconnects = self._options.max_reconnects
                policy = replace(
                    policy, retries=float("inf") if reconnects is None else reconnects, base=self._retry
                )
            self._connection = retrying(self._connect_once, policy)
            self._was_open = True
            self._seen_at = time.time()
        return self._connection

    def _connect_once(self, attempt: int) -> _Connection:
        self._find_position()
        heartbeat = self._options.heartbeat_timeout
        deadline = Deadline(HEARTBEAT if heartbeat is None else heartbeat)
        answer: Answer | None = None
        try:
            answer = self._transport.connect(self._outgoing, self._position, deadline, attempt, self._cancellation)
            if self._position is None and self._events(1)["data"]:
                # The log was empty and now has an event. This connection may have started before or after it.
                raise ConnectionFailedError("The first event came while the stream was opened.")
            return _Connection(answer, deadline, SseParser())
        except BaseException as error:
            if answer is not None:
                answer.close()
            if self._cancellation.is_canceled:
                raise Canceled from error
            reason = deadline.explain(error)
            self._forget_expired(reason)
            raise reason from error

    def _find_position(self) -> None:
        """First the newest event; if the log was empty or has dropped the last event, the oldest one, and everything is new."""
        if not self._anchored:
            newest = self._events(1)["data"]
            self._position = newest[0]["id"] if newest else None
            self._anchored = True
        elif self._position is None:
            page = self._events(100)
            while page["next_cursor"] is not None:
                page = self._events(100, page["next_cursor"])
            if not page["data"]:
                return
            oldest = page["data"][-1]
            self._position = oldest["id"]
            if self._subscribes(oldest["type"]):
                self._from_log.append(oldest)

    def _forget_expired(self, error: BaseException) -> None:
        """Forgets a last event that is no longer retained. If the stream was open within a day, no other event can be lost."""
        if not isinstance(error, ApiError) or error.code != "resource_deleted":
            return
        if not self._was_open or time.time() - self._seen_at > DAY:
            return
        self._position = None
        raise ConnectionFailedError("The last event is no longer retained.") from error

    def _events(self, limit: int, cursor: str | None = None) -> dict[str, Any]:
        params = {"limit": limit, "cursor": OMIT if cursor is None else cursor}
        outgoing = Outgoing("GET", self._log, params, body=False)
        data, _ = self._transport.answer(outgoing, Options(max_retries=0), self._cancellation)
        return cast("dict[str, Any]", data)

    def _subscribes(self, kind: str) -> bool:
        types = self._outgoing.params.get("types", [])
        return any(each == kind or (each.endswith("*") and kind.startswith(each[:-1])) for each in types)
