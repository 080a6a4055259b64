"""Work in threads for asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor
from contextvars import ContextVar, copy_context
from typing import TypeVar

T = TypeVar("T")

_loop: ContextVar[asyncio.AbstractEventLoop] = ContextVar("atrium_loop")
"""The event loop that waits for the thread."""


async def run_in(threads: Executor, work: Callable[[], T]) -> T:
    """Runs work in a thread."""
    loop = asyncio.get_running_loop()
    context = copy_context()
    context.run(_loop.set, loop)
    return await loop.run_in_executor(threads, lambda: context.run(work))


def awaited_in_thread(get: Callable[[], Awaitable[T] | T]) -> Callable[[], T]:
    """A function for the thread; what it has to await runs on the event loop that waits for the thread."""

    async def result(given: Awaitable[T]) -> T:
        return await given

    def got() -> T:
        given = get()
        if isinstance(given, Awaitable):
            return asyncio.run_coroutine_threadsafe(result(given), _loop.get()).result()
        return given

    return got
