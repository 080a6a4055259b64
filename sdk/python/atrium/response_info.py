"""The metadata of an answer: `atrium.with_response(lambda atrium: atrium.me.retrieve()).response`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from email.message import Message


@dataclass(frozen=True)
class CreditWindow:
    """One of the windows in which credits are counted."""

    name: str
    """`minute`, `day` or `plan_day`."""
    limit: int
    """Size of the window in credits."""
    seconds: int
    """Length in seconds."""
    remaining: int
    resets_in: int
    """Seconds until it ends."""


@dataclass(frozen=True)
class ResponseInfo:
    status: int
    headers: Message
    """Names are found in upper and lower case."""
    attempts: int
    """Number of attempts."""

    @property
    def request_id(self) -> str | None:
        """Id of the request, assigned by the server; `atrium.request_logs.retrieve(id)` shows it for seven days."""
        return self._header("x-request-id")

    @property
    def version(self) -> str | None:
        """API version of the answer."""
        return self._header("service-version")

    @property
    def cost(self) -> int | None:
        """List price of the operation in credits; `None` if the answer does not say, as a 304."""
        return self._number("x-ratelimit-cost")

    @property
    def etag(self) -> str | None:
        return self._header("etag")

    @property
    def replayed(self) -> bool:
        """Whether this is the stored answer of an earlier request with the same idempotency key."""
        return self._header("idempotent-replayed") == "true"

    @property
    def original_request(self) -> str | None:
        """Id of the request that first got a replayed answer; otherwise `None`."""
        return self._header("original-request")

    @property
    def retry_after(self) -> int | None:
        """Seconds to wait before a retry."""
        return self._number("retry-after")

    @property
    def windows(self) -> list[CreditWindow]:
        """Every limited window of the credential."""
        left = {name: (r, t) for name, r, t in self._parts("ratelimit", "r", "t")}
        return [
            CreditWindow(name, limit, seconds, *left[name])
            for name, limit, seconds in self._parts("ratelimit-policy", "q", "w")
            if name in left
        ]

    def _header(self, name: str) -> str | None:
        values = self.headers.get_all(name)
        return None if values is None else ", ".join(values)

    def _number(self, name: str) -> int | None:
        text = self._header(name)
        return int(text) if text is not None and re.fullmatch(r"[0-9]{1,15}", text) else None

    def _parts(self, header: str, first: str, second: str) -> list[tuple[str, int, int]]:
        """`RateLimit-Policy: "minute";q=1000;w=60` and `RateLimit: "minute";r=990;t=40`"""
        pattern = rf'"([^"]+)";{first}=([0-9]+);{second}=([0-9]+)'
        found = re.findall(pattern, self._header(header) or "")
        return [(name, int(a), int(b)) for name, a, b in found]
