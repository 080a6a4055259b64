"""Lists of `AsyncAtrium`: `async for task in atrium.tasks.list()` reads a whole list; `await ….page()` reads one page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any, Generic, TypeAlias, TypeVar

from .lists import PageData, Walk
from .response_info import ResponseInfo

T = TypeVar("T")

AsyncReadPage: TypeAlias = Callable[[Mapping[str, Any]], Awaitable[tuple[dict[str, Any], ResponseInfo]]]


class AsyncPage(PageData[T]):
    """One page."""

    def __init__(
        self,
        envelope: dict[str, Any],
        response: ResponseInfo,
        read: AsyncReadPage,
        walk: Walk,
        params: Mapping[str, Any],
    ) -> None:
        super().__init__(envelope, response)
        self._read, self._walk, self._params = read, walk, params

    async def next_page(self) -> AsyncPage[T] | None:
        """The next page in the direction of the walk; `None` on the last one."""
        params = self._walk.next(self._params, self)
        return None if params is None else AsyncPage(*await self._read(params), self._read, self._walk, params)


class AsyncPagedList(Generic[T]):
    """A list that is read when it is iterated, each time from its start."""

    def __init__(self, read: AsyncReadPage, params: Mapping[str, Any], cursor: str) -> None:
        self._read = read
        self._walk = Walk(params, cursor)

    async def page(self) -> AsyncPage[T]:
        """One page, of the length that the call asks for."""
        return await self._page(self._walk.params)

    async def _page(self, params: Mapping[str, Any]) -> AsyncPage[T]:
        return AsyncPage(*await self._read(params), self._read, self._walk, params)

    async def pages(self) -> AsyncIterator[AsyncPage[T]]:
        """Page by page."""
        page: AsyncPage[T] | None = await self._page(self._walk.longest())
        while page is not None:
            yield page
            page = await page.next_page()

    async def __aiter__(self) -> AsyncIterator[T]:
        """Every object in the order of the walk: with `ending_before` upwards, the nearest first."""
        async for page in self.pages():
            for item in reversed(page.data) if self._walk.is_backwards else page.data:
                yield item

    async def to_list(self, max: int | None = None) -> list[T]:
        """The first objects, at most `max` of them; by default all of the list, which are then in memory at once."""
        objects: list[T] = []
        if max is not None and max <= 0:
            return objects
        async for item in self:
            objects.append(item)
            if len(objects) == max:
                break
        return objects
