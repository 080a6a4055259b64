"""
Lists: `for task in atrium.tasks.list()` reads a whole list page by page; `.page()` reads one page. Nothing is sent before.
Objects that exist during the whole walk appear exactly once, even while others write.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, TypeAlias, TypeVar

from .errors import AtriumError
from .options import LIMIT_MAX, OMIT
from .response_info import ResponseInfo

T = TypeVar("T")

ReadPage: TypeAlias = Callable[[Mapping[str, Any]], tuple[dict[str, Any], ResponseInfo]]
"""Reads one page with these parameters."""


class PageData(Generic[T]):
    """The envelope of a page."""

    def __init__(self, envelope: dict[str, Any], response: ResponseInfo) -> None:
        self.url: str = envelope["url"]
        self.has_more: bool = envelope["has_more"]
        self.next_cursor: str | None = envelope["next_cursor"]
        self.data: list[T] = envelope["data"]
        self.more = {
            name: value
            for name, value in envelope.items()
            if name not in ("object", "url", "has_more", "next_cursor", "data")
        }
        """Fields that only some lists have, such as `indexed_sequence` of a search."""
        self.response = response
        """Metadata of the answer."""


class Walk:
    """The parameters of each page of a walk."""

    def __init__(self, params: Mapping[str, Any], cursor: str) -> None:
        self.params = params
        self.is_backwards = params.get("ending_before", OMIT) is not OMIT
        self._cursor = "ending_before" if self.is_backwards else cursor

    def longest(self) -> Mapping[str, Any]:
        """Without a `limit`, pages have the maximum length, because every page costs the same."""
        limit = self.params.get("limit", OMIT)
        return {**self.params, "limit": LIMIT_MAX if limit is OMIT else limit}

    def next(self, params: Mapping[str, Any], page: PageData[Any]) -> Mapping[str, Any] | None:
        if not page.has_more or page.next_cursor is None:
            return None
        if page.next_cursor == params.get(self._cursor):
            raise AtriumError(f"{page.url} returned the same cursor twice.")
        return {**params, self._cursor: page.next_cursor}


class Page(PageData[T]):
    """One page."""

    def __init__(self, read: ReadPage, walk: Walk, params: Mapping[str, Any]) -> None:
        super().__init__(*read(params))
        self._read, self._walk, self._params = read, walk, params

    def next_page(self) -> Page[T] | None:
        """The next page in the direction of the walk; `None` on the last one."""
        params = self._walk.next(self._params, self)
        return None if params is None else Page(self._read, self._walk, params)


class PagedList(Generic[T]):
    """A list that is read when it is iterated, each time from its start."""

    def __init__(self, read: ReadPage, params: Mapping[str, Any], cursor: str) -> None:
        self._read = read
        self._walk = Walk(params, cursor)

    def page(self) -> Page[T]:
        """One page, of the length that the call asks for."""
        return Page(self._read, self._walk, self._walk.params)

    def pages(self) -> Iterator[Page[T]]:
        """Page by page."""
        page: Page[T] | None = Page(self._read, self._walk, self._walk.longest())
        while page is not None:
            yield page
            page = page.next_page()

    def __iter__(self) -> Iterator[T]:
        """Every object in the order of the walk: with `ending_before` upwards, the nearest first."""
        for page in self.pages():
            yield from reversed(page.data) if self._walk.is_backwards else page.data

    def to_list(self, max: int | None = None) -> list[T]:
        """The first objects, at most `max` of them; by default all of the list, which are then in memory at once."""
        objects: list[T] = []
        if max is not None and max <= 0:
            return objects
        for item in self:
            objects.append(item)
            if len(objects) == max:
                break
        return objects
