"""
Verification of webhooks over the raw bytes, before anything is parsed. Supports both signatures of a delivery:
`Service-Signature` and Standard Webhooks. Signatures are compared in constant time.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from .errors import WebhookVerificationError
from .options import SIGNATURES_MAX, TOLERANCE

if TYPE_CHECKING:
    from .generated.objects import AtriumEvent


@dataclass(frozen=True)
class _Signed:
    timestamp: str
    """The signed time, as text."""
    content: bytes
    signatures: Sequence[bytes]
    key_of: Callable[[str], bytes]
    """The key's bytes of a secret."""


def verify_webhook(
    body: bytes | bytearray | memoryview | str,
    headers: str | Mapping[str, Any],
    secrets: str | Sequence[str],
    *,
    tolerance: int = TOLERANCE,
    now: float | None = None,
) -> AtriumEvent:
    """
    Verifies a delivery with one of the secrets and returns its event. During a rotation pass both secrets. Raises a
    `WebhookVerificationError`, whose `reason` says what is wrong.

    `body` is the raw body: a parsed one cannot be verified. `headers` are the request's, in any mapping, or the value of
    `Service-Signature`. `tolerance` is the maximum distance of the signature's time from `now`, in seconds.

    Do not verify the request that checks a new URL (`Service-Event-Type: platform.webhook_endpoint.verify`): it is unsigned,
    because the secret is issued afterwards. Answer it with 204.
    """
    content = _bytes_of(body)
    signed = _signed_of(content, headers)
    if not _matches(signed, [secrets] if isinstance(secrets, str) else list(secrets)):
        raise WebhookVerificationError("wrong_signature", "No signature matches these bytes and this secret.")
    age = int(time.time() if now is None else now) - int(signed.timestamp)
    if abs(age) > tolerance:
        raise WebhookVerificationError(
            "outside_tolerance", f"The signature is {age} s old; {tolerance} s are allowed."
        )
    return _event_of(content)


def _bytes_of(body: object) -> bytes:
    if isinstance(body, str):
        return body.encode()
    if isinstance(body, (bytes, bytearray, memoryview)):
        return bytes(body)
    raise TypeError("verify_webhook needs the raw body as bytes or text; a parsed body cannot be verified.")


def _signed_of(content: bytes, headers: str | Mapping[str, Any]) -> _Signed:
    own = headers if isinstance(headers, str) else _header(headers, "service-signature")
    if own:
        return _own_signatures(content, own)
    names = ("webhook-id", "webhook-timestamp", "webhook-signature")
    identifier, timestamp, signature = ("" if isinstance(headers, str) else _header(headers, name) for name in names)
    if not identifier or not timestamp or not signature:
        raise WebhookVerificationError("missing_signature", "The request has no signature.")
    return _standard_signatures(content, identifier, timestamp, signature)


def _header(headers: Mapping[str, Any], name: str) -> str:
    for key, value in headers.items():
        # `HTTP_SERVICE_SIGNATURE` is how WSGI writes it.
        if key.lower().removeprefix("http_").replace("_", "-") != name:
            continue
        first = value[0] if isinstance(value, (list, tuple)) and value else value
        return first.decode("latin-1") if isinstance(first, bytes) else str(first)
    return ""


def _own_signatures(content: bytes, text: str) -> _Signed:
    """`t=<unix>,v1=<hex>`, several `v1` during a rotation; other versions are ignored."""
    pairs = [part.strip().partition("=") for part in text.split(",")]
    times = [value for name, _, value in pairs if name == "t"]
    hexes = [value for name, _, value in pairs if name == "v1" and re.fullmatch(r"[0-9a-f]{64}", value)]
    if len(times) != 1:
        raise _malformed()
    signatures = [bytes.fromhex(value) for value in hexes]
    return _signed(times[0], f"{times[0]}.", content, signatures, str.encode)


def _standard_signatures(content: bytes, identifier: str, timestamp: str, text: str) -> _Signed:
    """`v1,<base64>`, separated by spaces; other versions are ignored."""
    found = [_from_base64(part[3:]) for part in text.split(" ") if part.startswith("v1,")]
    signatures = [signature for signature in found if signature is not None and len(signature) == 32]
    return _signed(timestamp, f"{identifier}.{timestamp}.", content, signatures, _standard_key)


def _standard_key(secret: str) -> bytes:
    key = _from_base64(secret.removeprefix("whsec_"))
    if key is None:
        raise TypeError("The secret is not that of a webhook endpoint: expected whsec_ followed by base64.")
    return key


def _signed(
    timestamp: str, prefix: str, content: bytes, signatures: Sequence[bytes], key_of: Callable[[str], bytes]
) -> _Signed:
    if re.fullmatch(r"[0-9]{1,12}", timestamp) is None or not signatures:
        raise _malformed()
    return _Signed(timestamp, prefix.encode() + content, signatures[:SIGNATURES_MAX], key_of)


def _matches(signed: _Signed, secrets: Sequence[str]) -> bool:
    if not secrets or not all(isinstance(secret, str) and secret for secret in secrets):
        raise TypeError("verify_webhook needs the signing secret from the creation of the endpoint.")
    found = False
    for secret in secrets:
        expected = hmac.new(signed.key_of(secret), signed.content, hashlib.sha256).digest()
        # All are checked, so that timing does not reveal which one matched.
        for signature in signed.signatures:
            found = hmac.compare_digest(signature, expected) or found
    return found


def _event_of(content: bytes) -> AtriumEvent:
    try:
        event = json.loads(content.decode())
    except ValueError:
        event = None
    if isinstance(event, dict) and isinstance(event.get("type"), str):
        return cast("AtriumEvent", event)
    raise WebhookVerificationError("invalid_payload", "The signature is valid, but the body is not an event.")


def _malformed() -> WebhookVerificationError:
    return WebhookVerificationError("malformed_signature", "The signature header is malformed.")


def _from_base64(text: str) -> bytes | None:
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None
