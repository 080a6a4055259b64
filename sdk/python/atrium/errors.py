"""
Errors. Every error of the SDK itself is an `AtriumError`:

  ApiError                   a refusal by the API: branch on `code`, quote `request_id`
    InvalidRequestError, AuthenticationError, PermissionDeniedError, IdempotencyError, RateLimitError, ServerError
  ConnectionFailedError      no answer, or only a part of it
    TimedOutError
  UnexpectedAnswerError      an answer that is not from the API: a proxy's page, a redirect
  WebhookVerificationError   a delivery that must not be trusted

No name hides one of Python's own errors.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypedDict, cast

from .generated.errors import ErrorCode, ErrorType
from .response_info import ResponseInfo


class AtriumError(Exception):
    """An error of the SDK."""


class Fault(TypedDict):
    """One of several faults in `details`."""

    param: str
    message: str


class ApiError(AtriumError):
    """The API refused the request."""

    def __init__(self, error: Mapping[str, Any], response: ResponseInfo) -> None:
        super().__init__(error["message"])
        self.status: int = response.status
        self.message: str = error["message"]
        self.type: ErrorType | str = error["type"]
        """Class of the error; new ones may be added."""
        self.code: ErrorCode | str = error["code"]
        """Code of the error, to branch on; new ones may be added."""
        self.param: str | None = error.get("param")
        """Parameter at fault, if there is one; in a body a path: `data[3].title`."""
        self.details: list[Fault] = cast("list[Fault]", error.get("details") or [])
        """All faults, if there are several."""
        self.request_id: str | None = error.get("request_id")
        """Id of the request, to quote when you ask for help."""
        self.response = response


class InvalidRequestError(ApiError):
    """The request is invalid, or the object does not allow it."""


class AuthenticationError(ApiError):
    """The credential is missing or invalid."""


class PermissionDeniedError(ApiError):
    """The credential or the plan does not allow this."""


class IdempotencyError(ApiError):
    """The idempotency key was used for other input, or is in use."""


class RateLimitError(ApiError):
    """The credits of a window are used up. `response.retry_after` is the wait in seconds."""


class ServerError(ApiError):
    """The API cannot answer: it failed, is unavailable, or the operation is switched off."""


_CLASSES: Mapping[str, type[ApiError]] = {
    "invalid_request_error": InvalidRequestError,
    "authentication_error": AuthenticationError,
    "permission_error": PermissionDeniedError,
    "idempotency_error": IdempotencyError,
    "rate_limit_error": RateLimitError,
    "api_error": ServerError,
}


def api_error(error: Mapping[str, Any], response: ResponseInfo) -> ApiError:
    """The error of a refusal, in the class of its type; an unknown type gives an `ApiError`."""
    return _CLASSES.get(error["type"], ApiError)(error, response)


class ConnectionFailedError(AtriumError):
    """No answer, or only a part of it. A write may have happened: repeat it with the same key."""


class TimedOutError(ConnectionFailedError):
    """The timeout passed before the answer was complete."""


class UnexpectedAnswerError(AtriumError):
    """An answer that is not from the API: a proxy's page, a redirect, broken JSON."""

    def __init__(self, text: str, response: ResponseInfo) -> None:
        super().__init__(
            f"An answer with status {response.status} that is not one of the API. Is the base URL right?"
        )
        self.response = response
        self.excerpt = text[:200]
        """Start of the answer, at most 200 characters."""


VerificationFailure = Literal[
    "missing_signature", "malformed_signature", "wrong_signature", "outside_tolerance", "invalid_payload"
]


class WebhookVerificationError(AtriumError):
    """A delivery that must not be trusted. Answer it with status 400."""

    def __init__(self, reason: VerificationFailure, message: str) -> None:
        super().__init__(message)
        self.reason: VerificationFailure = reason
