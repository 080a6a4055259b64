"""Which failures are retried, and after which wait. A write is only repeated with the key of its first attempt."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from .errors import ApiError, AtriumError, ConnectionFailedError, UnexpectedAnswerError
from .generated.errors import RETRY_ADVICE
from .options import BACKOFF, BACKOFF_MAX

_GATEWAY = frozenset({502, 503, 504})
"""Statuses of proxies whose server is unavailable."""

T = TypeVar("T")


@dataclass(frozen=True)
class Retry:
    """A failed attempt."""

    error: AtriumError
    method: str
    path: str
    attempt: int
    """Number of the attempt, from 1."""
    wait: float
    """Seconds until the next attempt."""


def may_retry(error: AtriumError) -> bool:
    """Whether the same request may be retried."""
    if isinstance(error, ConnectionFailedError):
        return True
    if isinstance(error, UnexpectedAnswerError):
        return error.response.status in _GATEWAY
    if not isinstance(error, ApiError):
        return False
    advice = RETRY_ADVICE.get(error.code)
    if advice is not None:
        return advice != "never"
    # A code that this SDK does not know is retried only if the server asks for it.
    return error.response.retry_after is not None and error.status in (429, 503)


def retry_after_of(error: AtriumError) -> int | None:
    """The server's `Retry-After` in seconds."""
    return error.response.retry_after if isinstance(error, (ApiError, UnexpectedAnswerError)) else None


def wait_after(error: AtriumError, attempt: int, base: float = BACKOFF) -> float:
    """
    Seconds to wait after a failure: the server's `Retry-After` plus a random time that doubles with each attempt, so that
    clients which were refused together do not return together.
    """
    whole = min(BACKOFF_MAX, base * 2.0 ** min(attempt - 1, 30))
    asked = retry_after_of(error)
    return whole * (0.5 + random.random() / 2) if asked is None else asked + random.random() * whole


@dataclass(frozen=True)
class RetryPolicy:
    retries: float
    """Most attempts after the first."""
    retry_after_max: float
    """Longest `Retry-After` to wait for, in seconds."""
    sleep: Callable[[float], None]
    """Raises when the call is canceled."""
    on_retry: Callable[[AtriumError, int, float], None]
    base: float = BACKOFF


def retrying(attempt_once: Callable[[int], T], policy: RetryPolicy) -> T:
    """Runs attempts until one succeeds or fails permanently."""
    attempt = 1
    while True:
        try:
            return attempt_once(attempt)
        except AtriumError as error:
            if not may_retry(error) or attempt > policy.retries:
                raise
            if (retry_after_of(error) or 0) > policy.retry_after_max:
                raise
            wait = wait_after(error, attempt, policy.base)
            policy.on_retry(error, attempt, wait)
        policy.sleep(wait)
        attempt += 1
