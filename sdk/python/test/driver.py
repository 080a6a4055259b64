"""
Runs the SDK for the tests: reads a command a line as JSON, runs it in a thread, and writes its outcome a line. `flavor` of a
client is `sync` or `async`; both answer the same. The tests are in TypeScript, because they share the server's tests.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import functools
import hashlib
import inspect
import json
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import atrium

loop = asyncio.new_event_loop()
threading.Thread(target=loop.run_forever, daemon=True).start()
clients: dict[str, Any] = {}
streams: dict[str, Any] = {}
retries: dict[str, list[atrium.Retry]] = {}
output = threading.Lock()


def settled(value: Any) -> Any:
    """The result of a coroutine of the async flavor."""
    if not inspect.isawaitable(value):
        return value

    async def awaited() -> Any:
        return await value

    return asyncio.run_coroutine_threadsafe(awaited(), loop).result()


def method_of(root: Any, command: dict[str, Any]) -> Callable[..., Any]:
    resource = functools.reduce(getattr, command["resource"], root)
    return functools.partial(getattr(resource, command["method"]), *command.get("ids", []), **command.get("params", {}))


def client(command: dict[str, Any]) -> None:
    name, options = command["client"], dict(command["options"])
    retries[name] = []
    if not options.pop("waits", False):
        options["sleep"] = lambda seconds: time.sleep(0.001)
    kind = atrium.Atrium if command["flavor"] == "sync" else atrium.AsyncAtrium
    clients[name] = kind(on_retry=retries[name].append, **options)


def call(command: dict[str, Any]) -> Any:
    def run(root: Any) -> Any:
        result = method_of(root, command)()
        return result.page() if isinstance(result, (atrium.PagedList, atrium.AsyncPagedList)) else result

    answered = settled(clients[command["client"]].with_response(run))
    info = answered.response
    data = answered.data
    names = ("status", "attempts", "replayed", "cost", "request_id", "etag", "version")
    is_page = isinstance(data, (atrium.Page, atrium.AsyncPage))
    return {
        "kind": "list" if is_page else "one",
        "data": data.data if is_page else data,
        "response": {name: getattr(info, name) for name in names} | {"windows": [vars(each) for each in info.windows]},
    }


def dry_run(command: dict[str, Any]) -> Any:
    plan = settled(clients[command["client"]].dry_run(lambda root: method_of(root, command)()))
    return {"answer": plan.answer, "plan": plan.plan}


def request(command: dict[str, Any]) -> Any:
    return settled(clients[command["client"]].request(*command["ids"], **command["params"]))


def walk(command: dict[str, Any]) -> Any:
    listed = method_of(clients[command["client"]], command)()
    if command.get("as") != "pages":
        return settled(listed.to_list(max=command.get("max")))

    async def lengths() -> list[int]:
        return [len(page.data) async for page in listed.pages()]

    return settled(lengths()) if isinstance(listed, atrium.AsyncPagedList) else [len(page.data) for page in listed.pages()]


def stream(command: dict[str, Any]) -> Any:
    opened = method_of(clients[command["client"]], command)()
    streams[command["stream"]] = opened
    if command.get("open", True):
        settled(opened.open())
    return opened.last_event_id


def take(command: dict[str, Any]) -> Any:
    """The next events; leaves the loop afterwards."""
    opened, count = streams[command["stream"]], command["count"]
    events: list[Any] = []

    async def read() -> None:
        async for event in opened:
            events.append(event)
            if len(events) >= count:
                break

    if isinstance(opened, atrium.AsyncEventStream):
        settled(read())
    else:
        for event in opened:
            events.append(event)
            if len(events) >= count:
                break
    return {"events": events, "last_event_id": opened.last_event_id}


def cancel(command: dict[str, Any]) -> Any:
    """Starts a call of an async client and cancels it; the time that this takes."""
    future = asyncio.run_coroutine_threadsafe(method_of(clients[command["client"]], command)(), loop)
    command["started"].set()
    with contextlib.suppress(Exception):
        future.result(command["after"])
    future.cancel()
    threads = clients[command["client"]]._transport._threads
    threads.shutdown(wait=True)
    return future.cancelled()


def close(command: dict[str, Any]) -> None:
    streams[command["stream"]].close()


def retried(command: dict[str, Any]) -> Any:
    waits, retries[command["client"]][:] = list(retries[command["client"]]), []
    return [
        {"attempt": each.attempt, "method": each.method, "path": each.path, "wait": each.wait, "error": type(each.error).__name__}
        for each in waits
    ]


def verify(command: dict[str, Any]) -> Any:
    body = base64.b64decode(command["body"]) if "body" in command else command["text"]
    return atrium.verify_webhook(body, command["headers"], command["secrets"], **command.get("options", {}))


class Blocks:
    """A file of made content that is never in memory; it can be read once."""

    def __init__(self, size: int) -> None:
        self.left = size

    def read(self, size: int) -> bytes:
        block = bytes(min(size, self.left))
        self.left -= len(block)
        return block


def upload(command: dict[str, Any]) -> Any:
    """Uploads a file of a path, or made content, and returns the peak of memory that Python allocated."""
    import tracemalloc

    files = clients[command["client"]].files
    tracemalloc.start()
    try:
        if "path" in command:
            with open(command["path"], "rb") as content:
                made = settled(files.create(content=content, **command["params"]))
        else:
            made = settled(files.create(content=Blocks(command["size"]), **command["params"]))
        return {"file": made, "peak": tracemalloc.get_traced_memory()[1]}
    finally:
        tracemalloc.stop()


def download(command: dict[str, Any]) -> Any:
    import tracemalloc

    root = clients[command["client"]]
    tracemalloc.start()
    try:
        if isinstance(root, atrium.AsyncAtrium):
            size = settled(root.save(command["url"], command["path"]))
        else:
            with root.download(command["url"]) as content:
                size = content.save(command["path"])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    with open(command["path"], "rb") as file:
        return {"size": size, "peak": peak, "sha256": hashlib.file_digest(file, "sha256").hexdigest()}


def text_of(command: dict[str, Any]) -> Any:
    return repr(clients[command["client"]]) + repr(clients[command["client"]]._transport)


commands: dict[str, Callable[[dict[str, Any]], Any]] = {
    each.__name__: each
    for each in (
        client,
        call,
        dry_run,
        request,
        walk,
        stream,
        take,
        cancel,
        close,
        retried,
        verify,
        upload,
        download,
        text_of,
    )
}


def described(error: BaseException) -> dict[str, Any]:
    names = ("code", "status", "param", "reason", "excerpt", "request_id", "details", "type")
    known = {name: getattr(error, name) for name in names if hasattr(error, name)}
    response = getattr(error, "response", None)
    return {
        "classes": [each.__name__ for each in type(error).__mro__],
        "message": str(error),
        **known,
        **({} if response is None else {"retry_after": response.retry_after, "status": response.status}),
    }


def run(command: dict[str, Any]) -> None:
    command["started"] = threading.Event()
    try:
        outcome: dict[str, Any] = {"ok": commands[command["do"]](command)}
    except Exception as error:
        outcome = {"error": described(error)}
    with output:
        print(json.dumps({"id": command["id"], **outcome}), flush=True)


for line in sys.stdin:
    threading.Thread(target=run, args=(json.loads(line),), daemon=True).start()
