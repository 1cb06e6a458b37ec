"""A client that sends bytes as they are and takes answers apart strictly. As a program it is a crowd of them:

    hostile_client.py PORT FIRST COUNT    COUNT connections from 127.0.0.FIRST on; prints what became of them as JSON, waits for a
                                          line, has each that was served ask again, prints that, waits for a line, ends

Standard library only.
"""
import json
import resource
import socket
import struct
import sys

GET = b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n"
PATIENCE_SECONDS = 20
# Connections of one source address in a crowd: well below the number of ports.
CONNECTIONS_PER_ADDRESS = 1000
NO_BODY = (100, 204, 304)


class Broken(Exception):
    """What came is no HTTP answer."""


class Client:
    def __init__(self, port, timeout=PATIENCE_SECONDS, receive_buffer=0, source=None):
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if source:
            self.socket.bind((source, 0))
        self.socket.settimeout(timeout)
        self.socket.connect(("127.0.0.1", port))
        self.buffer = b""
        # How the server's side ended: None, "closed" or "reset".
        self.end = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        """What the server takes; a server that has closed takes no more, and its answer can still be read."""
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            pass

    def finish_sending(self):
        try:
            self.socket.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def reset(self):
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def fill(self):
        """False at the end of the stream. Raises TimeoutError when nothing comes."""
        if self.end:
            return False
        try:
            data = self.socket.recv(1 << 18)
        except ConnectionError:
            self.end = "reset"
            return False
        if not data:
            self.end = "closed"
        self.buffer += data
        return bool(data)

    def _take(self, size):
        while len(self.buffer) < size:
            if not self.fill():
                raise Broken(f"ended within an answer: {self.buffer[:200]!r}")
        taken, self.buffer = self.buffer[:size], self.buffer[size:]
        return taken

    def _line(self):
        while b"\r\n" not in self.buffer:
            if not self.fill():
                raise Broken(f"ended within a line: {self.buffer[:200]!r}")
        line, _, self.buffer = self.buffer.partition(b"\r\n")
        return line

    def answer(self, head_only=False):
        """(status, headers, body), or None at the end of the connection."""
        while not self.buffer:
            if not self.fill():
                return None
        version, _, rest = self._line().partition(b" ")
        if version != b"HTTP/1.1" or not rest[:3].isdigit():
            raise Broken(f"no status line: {version[:100]!r} {rest[:100]!r}")
        status, headers = int(rest[:3]), {}
        while line := self._line():
            name, colon, value = line.partition(b":")
            if not colon or name.lower() in headers:
                raise Broken(f"header {line!r}")
            headers[name.lower()] = value.strip()
        return status, headers, b"" if head_only or status in NO_BODY else self._body(headers)

    def _body(self, headers):
        if headers.get(b"transfer-encoding") == b"chunked":
            body = b""
            while size := int(self._line(), 16):
                body += self._take(size)
                if self._take(2) != b"\r\n":
                    raise Broken("a chunk without its end")
            if self._take(2) != b"\r\n":
                raise Broken("chunks without their end")
            return body
        if b"content-length" in headers:
            return self._take(int(headers[b"content-length"]))
        while self.fill():
            pass
        body, self.buffer = self.buffer, b""
        return body

    def statuses(self, count):
        """Of the next answers, `count` at most; interim ones are not counted."""
        seen = []
        while len(seen) < count and (answer := self.answer()) is not None:
            if answer[0] >= 200:
                seen.append(answer[0])
        return seen

    def last_answer(self):
        """(status, headers, length) of an answer that is read and dropped; then the connection ends."""
        with self:
            status, headers, _ = self.answer(head_only=True)
            length = left = int(headers[b"content-length"])
            while left > len(self.buffer):
                left, self.buffer = left - len(self.buffer), b""
                if not self.fill():
                    raise Broken(f"{left} bytes are missing: {self.end}")
            return status, headers, length

    def status(self):
        """Of one GET; 0 when there is no answer."""
        self.send(GET)
        try:
            return (self.answer() or (0,))[0]
        except (OSError, Broken):
            return 0


def ask_all(clients):
    """{status: count} of one GET on each, all sent before the first is read; and those answered with 200."""
    for client in clients:
        client.send(GET)
    counts, served = {}, []
    for client in clients:
        try:
            status = (client.answer() or (0,))[0]
        except (OSError, Broken) as error:
            status = type(error).__name__
        counts[str(status)] = counts.get(str(status), 0) + 1
        if status == 200:
            served.append(client)
    return counts, served


def crowd(port, first, count):
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    clients, counts = [], {}
    for number in range(count):
        try:
            clients.append(Client(port, source=f"127.0.0.{first + number // CONNECTIONS_PER_ADDRESS}"))
        except OSError as error:
            name = f"connect: {error}"
            counts[name] = counts.get(name, 0) + 1
    answers, served = ask_all(clients)
    print(json.dumps({**counts, **answers}), flush=True)
    sys.stdin.readline()
    print(json.dumps(ask_all(served)[0]), flush=True)
    sys.stdin.readline()


if __name__ == "__main__":
    crowd(*map(int, sys.argv[1:4]))
