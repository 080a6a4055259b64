"""
Connections over `http.client`: a pool of idle ones, a deadline for each attempt, and a way to end an attempt from another
thread. `http.client` has a timeout for each operation of a socket only, so the socket is wrapped and gives each operation the
time that is left.
"""

from __future__ import annotations

import http.client
import io
import select
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from .errors import AtriumError, ConnectionFailedError, TimedOutError
from .options import CONNECTION_IDLE, CONNECTIONS_IDLE_MAX
from .request import Body


class Canceled(Exception):
    """The caller has ended the call. It does not leave the SDK."""


class Cancellation:
    """Ends waits and the running attempt of a call or a stream, from any thread."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._sockets: set[socket.socket] = set()

    @property
    def is_canceled(self) -> bool:
        return self._event.is_set()

    def cancel(self) -> None:
        with self._lock:
            self._event.set()
            for sock in self._sockets:
                _shut(sock)

    def watch(self, sock: socket.socket) -> None:
        """`cancel` shuts the socket down until it is released; raises if the call is canceled already."""
        with self._lock:
            if self._event.is_set():
                raise Canceled
            self._sockets.add(sock)

    def release(self, sock: socket.socket) -> None:
        with self._lock:
            self._sockets.discard(sock)

    def sleep(self, seconds: float) -> None:
        if self._event.wait(seconds):
            raise Canceled


def _shut(sock: socket.socket) -> None:
    try:
        # Not the method of a TLS socket: another thread is using its state.
        socket.socket.shutdown(sock, socket.SHUT_RDWR)
    except OSError:
        pass


class Deadline:
    """The end of an attempt."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = 0.0
        self.renew()

    def renew(self) -> None:
        """Restarts the timeout."""
        self._end = time.monotonic() + self._seconds

    def left(self) -> float:
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left

    def explain(self, error: BaseException) -> BaseException:
        """What a failure of the connection is to the caller."""
        if isinstance(error, (AtriumError, Canceled)):
            return error
        if isinstance(error, TimeoutError):
            return TimedOutError(f"No answer within {self._seconds:g} s.")
        if isinstance(error, (OSError, http.client.HTTPException, EOFError)):
            return ConnectionFailedError(f"The connection failed: {str(error) or type(error).__name__}")
        return error


class _Socket:
    """What `http.client` uses of a socket; each operation gets the time that the attempt has left."""

    def __init__(self, sock: socket.socket) -> None:
        self.raw = sock
        self.deadline: Deadline | None = None
        self._is_closed = False
        self._readers = 0

    def _renew(self) -> None:
        if self.deadline is not None:
            self.raw.settimeout(self.deadline.left())

    def sendall(self, data: Any) -> None:
        self._renew()
        self.raw.sendall(data)

    def recv_into(self, buffer: Any) -> int:
        self._renew()
        return self.raw.recv_into(buffer)

    def makefile(self, _mode: str) -> io.BufferedReader:
        self._readers += 1
        return io.BufferedReader(_Reader(self), 65_536)

    def close(self) -> None:
        """`http.client` closes the socket of a last answer at once, and reads the answer afterwards."""
        self._is_closed = True
        if self._readers == 0:
            self.raw.close()

    def release(self) -> None:
        self._readers -= 1
        if self._is_closed:
            self.close()


class _Reader(io.RawIOBase):
    def __init__(self, sock: _Socket) -> None:
        super().__init__()
        self._socket = sock

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._socket.recv_into(buffer)

    def close(self) -> None:
        if not self.closed:
            self._socket.release()
        super().close()


class Answer:
    """An answer whose body is still to be read. `close` returns the connection to the pool if it can be used again."""

    def __init__(
        self, pool: Pool, connection: http.client.HTTPConnection, sock: socket.socket, cancellation: Cancellation
    ) -> None:
        self._pool = pool
        self._connection: http.client.HTTPConnection | None = connection
        self._socket = sock
        self._cancellation = cancellation
        self._response = connection.getresponse()
        self.status = self._response.status
        self.headers = self._response.headers

    def read(self) -> bytes:
        """The whole body; an incomplete one is an error."""
        return self._response.read()

    def read_some(self, size: int) -> bytes:
        """What has arrived, at most `size` bytes; waits for the first byte. Empty at the end."""
        return self._response.read1(size)

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is None:
            return
        self._cancellation.release(self._socket)
        if self._response.isclosed() and not self._response.will_close and not self._cancellation.is_canceled:
            self._pool.keep(connection)
        else:
            self._response.close()
            connection.close()


class Pool:
    """The connections to one server."""

    def __init__(self, url: str, context: ssl.SSLContext | None = None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or parts.hostname is None:
            raise AtriumError(f"The URL must begin with http:// or https://, not {url!r}.")
        self._host, self._port = parts.hostname, parts.port
        self._context = (context or ssl.create_default_context()) if parts.scheme == "https" else None
        self._idle: list[tuple[float, http.client.HTTPConnection]] = []
        self._lock = threading.Lock()

    def send(
        self,
        method: str,
        target: str,
        headers: Mapping[str, str],
        body: Body | None,
        deadline: Deadline,
        cancellation: Cancellation,
    ) -> Answer:
        """Sends a request and reads the head of its answer."""
        connection = self._take() or self._connect(deadline)
        wrapped: Any = connection.sock
        try:
            wrapped.deadline = deadline
            cancellation.watch(wrapped.raw)
            _write(connection, method, target, headers, body)
            return Answer(self, connection, wrapped.raw, cancellation)
        except BaseException:
            cancellation.release(wrapped.raw)
            connection.close()
            raise

    def keep(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            if len(self._idle) < CONNECTIONS_IDLE_MAX:
                self._idle.append((time.monotonic(), connection))
                return
        connection.close()

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for _, connection in idle:
            connection.close()

    def _take(self) -> http.client.HTTPConnection | None:
        """The connection used last, if it is still open: a server closes those that are idle."""
        while True:
            with self._lock:
                if not self._idle:
                    return None
                since, connection = self._idle.pop()
            if time.monotonic() - since < CONNECTION_IDLE and _is_quiet(connection.sock):
                return connection
            connection.close()

    def _connect(self, deadline: Deadline) -> http.client.HTTPConnection:
        timeout = deadline.left()
        connection = (
            http.client.HTTPConnection(self._host, self._port, timeout=timeout)
            if self._context is None
            else http.client.HTTPSConnection(self._host, self._port, timeout=timeout, context=self._context)
        )
        connection.connect()
        wrapped: Any = _Socket(connection.sock)
        connection.sock = wrapped
        return connection


def _is_quiet(sock: Any) -> bool:
    """Whether nothing has arrived on an idle connection: a byte would be its end."""
    try:
        poller = select.poll()
        poller.register(sock.raw, select.POLLIN)
        return not poller.poll(0)
    except AttributeError:  # Windows has no poll.
        return not select.select([sock.raw], [], [], 0)[0]
    except (OSError, ValueError):
        return False


def _write(
    connection: http.client.HTTPConnection, method: str, target: str, headers: Mapping[str, str], body: Body | None
) -> None:
    connection.putrequest(method, target)
    for name, value in headers.items():
        connection.putheader(name, value)
    if body is None:
        if method != "GET":
            connection.putheader("content-length", "0")
        connection.endheaders()
        return
    if body.length is not None:
        connection.putheader("content-length", str(body.length))
    else:
        connection.putheader("transfer-encoding", "chunked")
    connection.endheaders()
    try:
        for block in body.blocks():
            if block:
                connection.send(block if body.length is not None else b"%x\r\n%b\r\n" % (len(block), block))
        if body.length is None:
            connection.send(b"0\r\n\r\n")
    except (BrokenPipeError, ConnectionResetError):
        # A server that refuses a body answers before all of it has arrived; the answer, if any, is read next.
        pass
