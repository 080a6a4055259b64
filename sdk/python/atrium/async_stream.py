"""The event stream of `AsyncAtrium`: that of `Atrium`, read in a thread of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

from .errors import AtriumError
from .stream import EventStream
from .threads import run_in

if TYPE_CHECKING:
    from .generated.objects import AtriumEvent

T = TypeVar("T")


class AsyncEventStream:
    """Iterate it with `async for`; `async with` closes it at the end. An open stream keeps a thread."""

    def __init__(self, stream: EventStream) -> None:
        self._stream = stream
        self._threads = ThreadPoolExecutor(1, thread_name_prefix="atrium-stream")
        self._is_read = False

    @property
    def last_event_id(self) -> str | None:
        """Id of the last event, or of the event after which the stream started. Store it to resume later."""
        return self._stream.last_event_id

    async def open(self) -> AsyncEventStream:
        """Opens the stream: all later events will be yielded. Iterating opens it too."""
        await self._run(self._stream.open)
        return self

    def close(self) -> None:
        """Ends the stream; a running iteration ends without an error."""
        self._stream.close()
        self._threads.shutdown(wait=False)

    async def __aenter__(self) -> AsyncEventStream:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __aiter__(self) -> AsyncEventStream:
        """Leaving a loop keeps the connection: another loop continues, and `close` ends it."""
        return self

    async def __anext__(self) -> AtriumEvent:
        """The next event. A task that is canceled while it waits for one closes the stream."""
        if self._is_read:
            raise AtriumError("Another loop is already reading this stream.")
        self._is_read = True
        try:
            event = None if self._stream.is_closed else await self._run(self._stream.next_event)
        finally:
            self._is_read = False
        if event is None:
            raise StopAsyncIteration
        return event

    async def _run(self, work: Callable[[], T]) -> T:
        try:
            return await run_in(self._threads, work)
        except asyncio.CancelledError:
            self.close()
            raise
