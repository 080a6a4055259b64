"""The content of a file from its signed URL, block by block."""

from __future__ import annotations

import os
import ssl
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import TypeVar
from urllib.parse import urlsplit

from .connection import Answer, Cancellation, Deadline, Pool
from .errors import ConnectionFailedError, UnexpectedAnswerError
from .options import BLOCK_BYTES
from .response_info import ResponseInfo
from .retry import RetryPolicy, retrying
from .transport import read_answer


T = TypeVar("T")


@dataclass(frozen=True)
class DownloadOptions:
    timeout: float
    """Maximum silence, not the time of the whole download."""
    policy: RetryPolicy
    ssl_context: ssl.SSLContext | None


class Download:
    """Opened by `with`, and then iterated, read or saved once. Blocks have at most 64 KiB."""

    def __init__(self, url: str, options: DownloadOptions, cancellation: Cancellation) -> None:
        parts = urlsplit(url)
        self._target = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
        self._pool = Pool(url, options.ssl_context)
        self._options = options
        self._cancellation = cancellation
        self._deadline = Deadline(options.timeout)
        self._answer: Answer | None = None

    @property
    def content_type(self) -> str | None:
        """Media type of the content."""
        return self._opened().headers.get("content-type")

    @property
    def length(self) -> int | None:
        """Size in bytes, if the answer has it."""
        text = self._opened().headers.get("content-length")
        return None if text is None else int(text)

    def __enter__(self) -> Download:
        self._answer = retrying(self._open, self._options.policy)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        if self._answer is not None:
            self._answer.close()
        self._pool.close()

    def __iter__(self) -> Iterator[bytes]:
        """The blocks; raises if the connection ends before the last one."""
        answer, length, received = self._opened(), self.length, 0
        while block := self._explained(lambda: answer.read_some(BLOCK_BYTES)):
            received += len(block)
            yield block
        if length is not None and received < length:
            raise ConnectionFailedError(f"The connection ended after {received} of {length} bytes.")

    def read(self) -> bytes:
        """The whole content, which is then in memory."""
        return b"".join(self)

    def save(self, path: str | os.PathLike[str]) -> int:
        """Writes the content to a file and returns its size. After a failure the file does not exist."""
        size = 0
        try:
            with open(path, "wb") as file:
                for block in self:
                    size += file.write(block)
        except BaseException:
            os.unlink(path)
            raise
        return size

    def _opened(self) -> Answer:
        if self._answer is None:
            raise RuntimeError("Open the download first: `with atrium.download(url) as content`.")
        return self._answer

    def _open(self, attempt: int) -> Answer:
        # The signed URL is the credential: no other one is sent, because the URL may be that of a bucket elsewhere.
        answer = self._explained(
            lambda: self._pool.send("GET", self._target, {"accept": "*/*"}, None, self._deadline, self._cancellation)
        )
        if answer.status == 200:
            return answer
        try:
            info = ResponseInfo(answer.status, answer.headers, attempt)
            text = self._explained(answer.read).decode("utf-8", "replace")
            read_answer(text, info)
            raise UnexpectedAnswerError(text, info)
        finally:
            answer.close()

    def _explained(self, work: Callable[[], T]) -> T:
        self._deadline.renew()
        try:
            return work()
        except BaseException as error:
            if self._cancellation.is_canceled:
                self._cancellation.sleep(0)
            raise self._deadline.explain(error) from error
