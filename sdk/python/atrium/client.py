"""The clients: every resource of the API, and a way to call operations that this SDK does not know."""

from __future__ import annotations

import ssl
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast
from urllib.parse import urljoin

from .async_transport import AsyncTransport
from .connection import Cancellation
from .download import Download, DownloadOptions
from .errors import AtriumError
from .generated.async_resources import AsyncResources
from .generated.resources import Resources
from .generated.version import API_VERSION, BASE_URL
from .options import RETRIES_MAX, RETRY_AFTER_MAX, THREADS_MAX, TIMEOUT, Options, Revision
from .request import Method, Outgoing
from .response_info import ResponseInfo
from .retry import Retry
from .threads import awaited_in_thread
from .transport import ClientOptions, Transport

if TYPE_CHECKING:
    from .generated.objects import DryRun

T = TypeVar("T")


@dataclass(frozen=True)
class WithResponse(Generic[T]):
    """An answer with its metadata: status, cost, rate limits, headers."""

    data: T
    response: ResponseInfo


@dataclass(frozen=True)
class DryRunOf(Generic[T]):
    """What a write would have done. New ids in it are placeholders."""

    answer: T
    """What the write would answer; secrets are replaced by `<SECRET>`."""
    plan: DryRun
    """Its events, its price and its status."""


def _dry_run_of(answer: T, response: ResponseInfo | None) -> DryRunOf[T]:
    # The header says that the answer describes a dry run and is not the object.
    if response is not None and response.headers.get("preference-applied") == "dry-run":
        plan = cast("DryRun", answer)
        return DryRunOf(cast("T", plan["answer"]), plan)
    raise AtriumError(
        "The server did not perform a dry run. Either the call was a read, or the server does not support dry runs and "
        "performed the write."
    )


def _plain(
    method: Method, path: str, query: Mapping[str, Any] | None, body: Mapping[str, Any] | None
) -> Outgoing:
    in_query = tuple(query or {})
    return Outgoing(method, path, {**(query or {}), **(body or {})}, body=method != "GET", in_query=in_query)


class Atrium(Resources):
    """
    A client of one Atrium with one credential: `Atrium(api_key=…, base_url=…)`. Methods take the ids of the path by position,
    then parameters and options by name, with the names of the API; times of the API are Unix seconds. Objects are dicts. A client
    keeps connections open and may be used by several threads; `with` or `close` ends them.

    Options:
        api_key: An API key or an access token, or a function that is called before each request. `None` sends none.
        base_url: Where Atrium is served, with or without `/v1`.
        version: API version to use, a date. By default the version that the types of this SDK describe.
        timeout: Of one attempt in seconds, body included.
        max_retries: Most retries of a request that is safe to retry.
        max_retry_after: Longest `Retry-After` to wait for, in seconds; a longer one raises at once.
        cache: Number of read answers to keep for conditional requests. Unchanged objects cost no credits.
        headers: Additional headers of every request.
        ssl_context: Certificates and versions of TLS.
        on_retry: Called after each failed attempt that will be retried.
        sleep: Replaces waiting, for tests.
    """

    def __init__(
        self,
        *,
        api_key: Callable[[], str | None] | str | None,
        base_url: str | None = None,
        version: str = API_VERSION,
        timeout: float = TIMEOUT,
        max_retries: int = RETRIES_MAX,
        max_retry_after: float = RETRY_AFTER_MAX,
        cache: int = 0,
        headers: Mapping[str, str] | None = None,
        ssl_context: ssl.SSLContext | None = None,
        on_retry: Callable[[Retry], None] | None = None,
        sleep: Callable[[float], None] | None = None,
    ) -> None:
        options = ClientOptions(
            api_key,
            base_url or BASE_URL,
            version,
            timeout,
            max_retries,
            max_retry_after,
            cache,
            headers or {},
            ssl_context,
            on_retry,
            sleep,
        )
        super().__init__(Transport(options))

    def request(
        self,
        method: Method,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
        if_match: Revision | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Any:
        """Calls an operation that this version of the SDK has no method for, with keys and retries like a method."""
        return self._transport.call(
            _plain(method, path, query, body), Options(timeout, max_retries, idempotency_key, if_match)
        )

    def with_response(self, call: Callable[[Resources], T]) -> WithResponse[T]:
        """The answer of a call with its metadata: `atrium.with_response(lambda atrium: atrium.me.retrieve())`."""
        seen: list[ResponseInfo] = []
        data = call(Resources(self._transport.observed(seen.append)))
        if not seen:
            raise AtriumError("The call has sent no request: read the list within it.")
        return WithResponse(data, seen[-1])

    def dry_run(self, write: Callable[[Resources], T]) -> DryRunOf[T]:
        """
        Runs all checks of a write and returns its answer, its events and its price without changing anything:
        `atrium.dry_run(lambda atrium: atrium.tasks.complete("KEP-42"))`. Raises as the write would.
        """
        seen: list[ResponseInfo] = []
        trial = self._transport.with_headers({"prefer": "dry-run"}).observed(seen.append)
        answer = write(Resources(trial))
        return _dry_run_of(answer, seen[-1] if seen else None)

    def download(self, url: str, *, timeout: float | None = None, max_retries: int | None = None) -> Download:
        """
        The content of a file from its signed `url`: `with atrium.download(url) as content: content.save("plan.pdf")`. No
        credential is sent.
        """
        return _download(self._transport, url, timeout, max_retries, Cancellation())

    def close(self) -> None:
        """Closes idle connections."""
        self._transport.pool.close()

    def __enter__(self) -> Atrium:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _download(
    transport: Transport, url: str, timeout: float | None, max_retries: int | None, cancellation: Cancellation
) -> Download:
    options = transport.options
    whole = urljoin(options.base_url, url)
    policy = transport.policy(Outgoing("GET", whole.partition("?")[0], body=False), max_retries, cancellation)
    seconds = options.timeout if timeout is None else timeout
    return Download(whole, DownloadOptions(seconds, policy, options.ssl_context), cancellation)


class AsyncAtrium(AsyncResources):
    """
    `Atrium` for asyncio: the same methods as coroutines, `async for` over lists and streams, the same options. Calls run in
    threads of the client, at most `max_concurrency` at a time; canceling a call ends its connection. `api_key` may be a coroutine
    function.
    """

    def __init__(
        self,
        *,
        api_key: Callable[[], Awaitable[str | None] | str | None] | str | None,
        base_url: str | None = None,
        version: str = API_VERSION,
        timeout: float = TIMEOUT,
        max_retries: int = RETRIES_MAX,
        max_retry_after: float = RETRY_AFTER_MAX,
        max_concurrency: int = THREADS_MAX,
        cache: int = 0,
        headers: Mapping[str, str] | None = None,
        ssl_context: ssl.SSLContext | None = None,
        on_retry: Callable[[Retry], None] | None = None,
        sleep: Callable[[float], None] | None = None,
    ) -> None:
        options = ClientOptions(
            awaited_in_thread(api_key) if callable(api_key) else api_key,
            base_url or BASE_URL,
            version,
            timeout,
            max_retries,
            max_retry_after,
            cache,
            headers or {},
            ssl_context,
            on_retry,
            sleep,
        )
        super().__init__(AsyncTransport(Transport(options), max_concurrency))

    async def request(
        self,
        method: Method,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
        if_match: Revision | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Any:
        """Calls an operation that this version of the SDK has no method for, with keys and retries like a method."""
        return await self._transport.call(
            _plain(method, path, query, body), Options(timeout, max_retries, idempotency_key, if_match)
        )

    async def with_response(self, call: Callable[[AsyncResources], Awaitable[T]]) -> WithResponse[T]:
        """The answer of a call with its metadata: `await atrium.with_response(lambda atrium: atrium.me.retrieve())`."""
        seen: list[ResponseInfo] = []
        data = await call(AsyncResources(self._transport.observed(seen.append)))
        if not seen:
            raise AtriumError("The call has sent no request: read the list within it.")
        return WithResponse(data, seen[-1])

    async def dry_run(self, write: Callable[[AsyncResources], Awaitable[T]]) -> DryRunOf[T]:
        """
        Runs all checks of a write and returns its answer, its events and its price without changing anything:
        `await atrium.dry_run(lambda atrium: atrium.tasks.complete("KEP-42"))`. Raises as the write would.
        """
        seen: list[ResponseInfo] = []
        trial = self._transport.with_headers({"prefer": "dry-run"}).observed(seen.append)
        answer = await write(AsyncResources(trial))
        return _dry_run_of(answer, seen[-1] if seen else None)

    async def save(
        self, url: str, path: str, *, timeout: float | None = None, max_retries: int | None = None
    ) -> int:
        """Writes the content of a file from its signed `url` to a path and returns its size. No credential is sent."""
        cancellation = Cancellation()

        def work() -> int:
            with _download(self._transport.transport, url, timeout, max_retries, cancellation) as content:
                return content.save(path)

        return await self._transport.run(work, cancellation)

    def close(self) -> None:
        """Closes idle connections and ends the threads; running calls end first."""
        self._transport.close()

    async def __aenter__(self) -> AsyncAtrium:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
