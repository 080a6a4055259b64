"""
Sends calls and reads answers. A call is one or several attempts; all attempts of a write share a key, so only one takes
effect. Only the header `Authorization` contains the credential.
"""

from __future__ import annotations

import json
import re
import ssl
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

from .answer_cache import AnswerCache
from .connection import Answer, Cancellation, Deadline, Pool
from .errors import AtriumError, UnexpectedAnswerError, api_error
from .generated.version import API_VERSION, BASE_URL
from .lists import PagedList, ReadPage
from .options import RETRIES_MAX, RETRY_AFTER_MAX, TIMEOUT, Options, StreamOptions, if_match_header
from .request import Body, Outgoing, body_of, target
from .response_info import ResponseInfo
from .retry import Retry, RetryPolicy, retrying
from .sdk_version import SDK_VERSION
from .stream import EventStream


@dataclass(frozen=True)
class ClientOptions:
    api_key: Callable[[], str | None] | str | None = field(repr=False)
    base_url: str = BASE_URL
    version: str = API_VERSION
    timeout: float = TIMEOUT
    max_retries: int = RETRIES_MAX
    max_retry_after: float = RETRY_AFTER_MAX
    cache: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    ssl_context: ssl.SSLContext | None = None
    on_retry: Callable[[Retry], None] | None = None
    sleep: Callable[[float], None] | None = None


class Transport:
    """The connections, the cache and the options of a client. It may be used by several threads."""

    def __init__(self, options: ClientOptions) -> None:
        self.options = options
        parts = urlsplit(options.base_url)
        self._prefix = parts.path.rstrip("/").removesuffix("/v1").rstrip("/")
        self.pool = Pool(options.base_url, options.ssl_context)
        self._cache = AnswerCache(options.cache) if options.cache > 0 else None
        self._seen: Callable[[ResponseInfo], None] | None = None

    def with_headers(self, headers: Mapping[str, str]) -> Transport:
        """The same connections with further headers."""
        other = self._copy()
        other.options = replace(self.options, headers={**self.options.headers, **headers})
        other._cache = None
        return other

    def observed(self, seen: Callable[[ResponseInfo], None]) -> Transport:
        """The same connections; `seen` gets the metadata of each answer."""
        other = self._copy()
        other._seen = seen
        return other

    def _copy(self) -> Transport:
        other = Transport.__new__(Transport)
        other.__dict__.update(self.__dict__)
        return other

    def call(self, outgoing: Outgoing, options: Options) -> Any:
        """One request and its answer."""
        data, info = self.answer(outgoing, options, Cancellation())
        if self._seen is not None:
            self._seen(info)
        return data

    def list(self, outgoing: Outgoing, cursor: str, options: Options) -> PagedList[Any]:
        """A list that has not been read yet."""

        def read(params: Mapping[str, Any]) -> tuple[dict[str, Any], ResponseInfo]:
            data, info = self.answer(replace(outgoing, params=params), options, Cancellation())
            if self._seen is not None:
                self._seen(info)
            return data, info

        reading: ReadPage = read
        return PagedList(reading, outgoing.params, cursor)

    def stream(self, outgoing: Outgoing, log: str, options: StreamOptions) -> EventStream:
        """A stream of the events of the list `log`, not opened yet."""
        return EventStream(self, outgoing, log, options)

    def answer(
        self, outgoing: Outgoing, options: Options, cancellation: Cancellation
    ) -> tuple[Any, ResponseInfo]:
        """Sends a call until its outcome is known."""
        body = body_of(outgoing)
        url = target(outgoing)
        headers = {"accept": "application/json"}
        if body is not None:
            headers["content-type"] = body.content_type
        if options.if_match is not None:
            headers["if-match"] = if_match_header(options.if_match)
        if outgoing.method != "GET":
            headers["idempotency-key"] = options.idempotency_key or str(uuid.uuid4())
        cache = self._cache if outgoing.method == "GET" else None

        def attempt_once(attempt: int) -> tuple[Any, ResponseInfo]:
            kept = None if cache is None else cache.get(url)
            conditional = headers if kept is None else {**headers, "if-none-match": kept.etag}
            answer, text = self._exchange(outgoing.method, url, conditional, body, options, cancellation)
            if kept is not None and answer.status == 304:
                text = kept.text
            info = ResponseInfo(answer.status, answer.headers, attempt)
            data = read_answer(text, info)
            if cache is not None:
                cache.keep(url, info.etag, text)
            return data, info

        once = body is not None and body.is_read_once
        retries = replace(options, max_retries=0) if once else options
        return retrying(attempt_once, self.policy(outgoing, retries.max_retries, cancellation))

    def _exchange(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        body: Body | None,
        options: Options,
        cancellation: Cancellation,
    ) -> tuple[Answer, str]:
        sent = self._headers(headers)
        deadline = Deadline(self.options.timeout if options.timeout is None else options.timeout)
        try:
            answer = self.pool.send(method, self._prefix + url, sent, body, deadline, cancellation)
            try:
                return answer, answer.read().decode("utf-8", "replace")
            finally:
                answer.close()
        except BaseException as error:
            if cancellation.is_canceled:
                cancellation.sleep(0)
            raise deadline.explain(error) from error

    def connect(
        self, outgoing: Outgoing, last_event_id: str | None, deadline: Deadline, attempt: int, cancellation: Cancellation
    ) -> Answer:
        """Opens a stream, in one attempt. The deadline also applies to reading from it."""
        headers = {"accept": "text/event-stream"}
        if last_event_id is not None:
            headers["last-event-id"] = last_event_id
        sent = self._headers(headers)
        answer = self.pool.send(
            outgoing.method, self._prefix + target(outgoing), sent, None, deadline, cancellation
        )
        try:
            info = ResponseInfo(answer.status, answer.headers, attempt)
            if answer.status == 200 and answer.headers.get_content_type() == "text/event-stream":
                return answer
            text = answer.read().decode("utf-8", "replace")
            read_answer(text, info)
            raise UnexpectedAnswerError(text, info)
        except BaseException:
            answer.close()
            raise

    def policy(
        self, outgoing: Outgoing, max_retries: int | None, cancellation: Cancellation
    ) -> RetryPolicy:
        options = self.options

        def on_retry(error: AtriumError, attempt: int, wait: float) -> None:
            if options.on_retry is not None:
                options.on_retry(Retry(error, outgoing.method, outgoing.path, attempt, wait))

        def sleep(seconds: float) -> None:
            if options.sleep is not None:
                options.sleep(seconds)
                seconds = 0
            cancellation.sleep(seconds)

        return RetryPolicy(
            retries=options.max_retries if max_retries is None else max_retries,
            retry_after_max=options.max_retry_after,
            sleep=sleep,
            on_retry=on_retry,
        )

    def _headers(self, headers: Mapping[str, str]) -> dict[str, str]:
        sent = {"user-agent": f"atrium-sdk-python/{SDK_VERSION}"}
        sent |= {name.lower(): value for name, value in self.options.headers.items()}
        sent |= headers
        sent["service-version"] = self.options.version
        key = self._key()
        if key is not None:
            sent["authorization"] = f"Bearer {key}"
        return sent

    def _key(self) -> str | None:
        """Checked here, because the error of `http.client` about an invalid header would reveal the credential."""
        given = self.options.api_key
        key = given() if callable(given) else given
        if key is None or (isinstance(key, str) and re.fullmatch(r"[\x21-\x7e]+", key)):
            return key
        raise AtriumError("api_key must be a string of visible ASCII characters, or None to send none.")


def read_answer(text: str, info: ResponseInfo) -> Any:
    """The object in an answer; raises the error that it reports."""
    try:
        said = json.loads(text)
    except ValueError:
        said = None
    if (200 <= info.status < 300 or info.status == 304) and isinstance(said, (dict, list)):
        return said
    error = said.get("error") if isinstance(said, dict) else None
    if isinstance(error, dict) and all(isinstance(error.get(name), str) for name in ("code", "type", "message")):
        raise api_error(error, info)
    raise UnexpectedAnswerError(text, info)
