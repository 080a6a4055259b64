"""
The transport of `AsyncAtrium`: each call runs in a thread of the client, with the rules, connections and cache of `Transport`.
Canceling a call shuts its connection down, so its thread is free at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, TypeVar

from .async_lists import AsyncPagedList
from .async_stream import AsyncEventStream
from .connection import Cancellation
from .options import Options, StreamOptions
from .request import Outgoing
from .response_info import ResponseInfo
from .threads import run_in
from .transport import Transport

T = TypeVar("T")


class AsyncTransport:
    def __init__(self, transport: Transport, threads: int) -> None:
        self.transport = transport
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="atrium")
        self._seen: Callable[[ResponseInfo], None] | None = None

    def with_headers(self, headers: Mapping[str, str]) -> AsyncTransport:
        """The same connections and threads with further headers."""
        other = self._copy()
        other.transport = self.transport.with_headers(headers)
        return other

    def observed(self, seen: Callable[[ResponseInfo], None]) -> AsyncTransport:
        """The same connections and threads; `seen` gets the metadata of each answer."""
        other = self._copy()
        other._seen = seen
        return other

    def _copy(self) -> AsyncTransport:
        other = AsyncTransport.__new__(AsyncTransport)
        other.__dict__.update(self.__dict__)
        return other

    async def call(self, outgoing: Outgoing, options: Options) -> Any:
        """One request and its answer."""
        data, _ = await self._answer(outgoing, options)
        return data

    def list(self, outgoing: Outgoing, cursor: str, options: Options) -> AsyncPagedList[Any]:
        """A list that has not been read yet."""

        def read(params: Mapping[str, Any]) -> Awaitable[tuple[dict[str, Any], ResponseInfo]]:
            return self._answer(replace(outgoing, params=params), options)

        return AsyncPagedList(read, outgoing.params, cursor)

    def stream(self, outgoing: Outgoing, log: str, options: StreamOptions) -> AsyncEventStream:
        """A stream of the events of the list `log`, not opened yet."""
        return AsyncEventStream(self.transport.stream(outgoing, log, options))

    async def _answer(self, outgoing: Outgoing, options: Options) -> tuple[Any, ResponseInfo]:
        cancellation = Cancellation()
        data, info = await self.run(
            lambda: self.transport.answer(outgoing, options, cancellation), cancellation
        )
        if self._seen is not None:
            self._seen(info)
        return data, info

    async def run(self, work: Callable[[], T], cancellation: Cancellation) -> T:
        """Runs work in a thread; canceling the task ends it."""
        try:
            return await run_in(self._threads, work)
        except asyncio.CancelledError:
            cancellation.cancel()
            raise

    def close(self) -> None:
        self._threads.shutdown(wait=False)
        self.transport.pool.close()
