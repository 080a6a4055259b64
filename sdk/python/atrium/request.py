"""A call as a request: URL, headers and body."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias
from urllib.parse import quote, urlencode

from .errors import AtriumError
from .options import BLOCK_BYTES, OMIT

Method = Literal["GET", "POST", "PATCH", "DELETE"]


class Readable(Protocol):
    """A file that is open for reading bytes."""

    def read(self, size: int, /) -> bytes: ...


UploadContent: TypeAlias = str | bytes | bytearray | Readable | Iterable[bytes]
"""
The content of a file: text as UTF-8, bytes, a file opened with `"rb"`, or an iterable of bytes. Files are sent block by block.
What can be read only once (a pipe, a generator) is not sent again after a failure.
"""


@dataclass(frozen=True)
class Outgoing:
    method: str
    path: str
    """Path with `/v1`, with encoded ids."""
    params: Mapping[str, Any] = field(default_factory=dict)
    body: bool = True
    """`False`: all parameters are in the query."""
    content: str | None = None
    """The parameter that is the body itself."""
    in_query: tuple[str, ...] = ()
    """For a request with a body: the parameters that are in the query."""
    commas: tuple[str, ...] = ()
    """Query parameters whose values are joined with commas."""
    brackets: tuple[str, ...] = ()
    """Query parameters named `name[]`."""


def path(template: str, *ids: str) -> str:
    """A path with its ids. An id that would change the path is refused before anything is sent."""
    for each in ids:
        if not isinstance(each, str) or each in ("", ".", ".."):
            raise AtriumError(f"An id must be a non-empty string, not {each!r}.")
    return template.format(*(quote(each, safe="") for each in ids))


def target(outgoing: Outgoing) -> str:
    """Path and query."""
    query: list[tuple[str, str]] = []
    for name, value in outgoing.params.items():
        if value is OMIT or (outgoing.body and name not in outgoing.in_query):
            continue
        values = list(value) if isinstance(value, (list, tuple, set, frozenset)) else [value]
        if name in outgoing.commas:
            query.append((name, ",".join(map(_text, values))))
        else:
            query += [(f"{name}[]" if name in outgoing.brackets else name, _text(each)) for each in values]
    return f"{outgoing.path}?{urlencode(query)}" if query else outgoing.path


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, allow_nan=False)


class Body:
    """A request's body. `blocks` reads it from its start, again for each attempt."""

    def __init__(self, content_type: str, content: bytes | Readable | Iterable[bytes]) -> None:
        self.content_type = content_type
        self._content = content
        self._start: int | None = None
        self.length: int | None = None
        """In bytes; `None` if it is unknown, and then the body is sent in chunks."""
        if isinstance(content, bytes):
            self.length = len(content)
        elif isinstance(content, io.IOBase) and content.seekable():
            self._start = content.tell()
            self.length = content.seek(0, io.SEEK_END) - self._start
        self.is_read_once = self.length is None and not isinstance(content, (list, tuple))

    def blocks(self) -> Iterator[bytes]:
        content = self._content
        if isinstance(content, bytes):
            yield content
        elif hasattr(content, "read"):
            if self._start is not None and isinstance(content, io.IOBase):
                content.seek(self._start)
            while block := content.read(BLOCK_BYTES):
                if not isinstance(block, bytes):
                    raise AtriumError('The content must be bytes: open the file with "rb".')
                yield block
        else:
            yield from content


def body_of(outgoing: Outgoing) -> Body | None:
    """The body; `None` without one."""
    if not outgoing.body or outgoing.method == "GET":
        return None
    if outgoing.content is not None:
        return Body("application/octet-stream", _uploaded(outgoing.params.get(outgoing.content), outgoing.content))
    sent = {
        name: value
        for name, value in outgoing.params.items()
        if value is not OMIT and name not in outgoing.in_query
    }
    if not sent:
        return None
    text = json.dumps(sent, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Body("application/json", text.encode())


def _uploaded(value: Any, name: str) -> bytes | Readable | Iterable[bytes]:
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    if isinstance(value, io.TextIOBase):
        raise AtriumError(f'{name} must be bytes: open the file with "rb".')
    if hasattr(value, "read") or isinstance(value, Iterable) and not isinstance(value, Mapping):
        return value  # type: ignore[no-any-return]
    raise AtriumError(f"{name} must be a string, bytes, a file open for reading bytes, or an iterable of bytes.")
