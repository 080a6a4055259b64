"""The SDK of Atrium: `Atrium(api_key=…, base_url=…)`, `AsyncAtrium`, `verify_webhook`. All types are in `atrium.types`."""

from __future__ import annotations

from .async_lists import AsyncPage, AsyncPagedList
from .async_stream import AsyncEventStream
from .client import AsyncAtrium, Atrium, DryRunOf, WithResponse
from .download import Download
from .errors import (
    ApiError,
    AtriumError,
    AuthenticationError,
    ConnectionFailedError,
    Fault,
    IdempotencyError,
    InvalidRequestError,
    PermissionDeniedError,
    RateLimitError,
    ServerError,
    TimedOutError,
    UnexpectedAnswerError,
    WebhookVerificationError,
)
from .generated.errors import ErrorCode, ErrorType
from .generated.version import API_VERSION
from .lists import Page, PagedList
from .options import OMIT, Omit, Revision
from .request import UploadContent
from .response_info import CreditWindow, ResponseInfo
from .retry import Retry
from .sdk_version import SDK_VERSION as __version__
from .stream import EventStream
from .webhooks import verify_webhook

__all__ = [
    "API_VERSION",
    "OMIT",
    "ApiError",
    "AsyncAtrium",
    "AsyncEventStream",
    "AsyncPage",
    "AsyncPagedList",
    "Atrium",
    "AtriumError",
    "AuthenticationError",
    "ConnectionFailedError",
    "CreditWindow",
    "Download",
    "DryRunOf",
    "ErrorCode",
    "ErrorType",
    "EventStream",
    "Fault",
    "IdempotencyError",
    "InvalidRequestError",
    "Omit",
    "Page",
    "PagedList",
    "PermissionDeniedError",
    "RateLimitError",
    "ResponseInfo",
    "Retry",
    "Revision",
    "ServerError",
    "TimedOutError",
    "UnexpectedAnswerError",
    "UploadContent",
    "WebhookVerificationError",
    "WithResponse",
    "__version__",
    "verify_webhook",
]
