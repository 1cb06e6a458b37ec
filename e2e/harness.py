"""What the end-to-end scripts share: processes by name, etcd's JSON gateway, Tidemark's HTTP API, and a TCP proxy that can be cut.

Standard library only. Everything listens on loopback; every process that is started here is ended here, by its pid.
"""
import base64
import http.client
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
PEERS = pathlib.Path(os.environ.get("TIDEMARK_PEERS", pathlib.Path.home() / ".cache/tidemark-peers"))
TIDEMARK = pathlib.Path(os.environ.get("TIDEMARK", ROOT / "build/release/tidemark"))
# Where the programs of e2e/*_main.cc are.
BUILD = pathlib.Path(os.environ.get("TIDEMARK_BUILD", TIDEMARK.parent))
# Below those of outgoing connections (net.ipv4.ip_local_port_range).
SERVER_PORTS = (15000, 32000)
START_SECONDS = 60
STOP_SECONDS = 60

# A script that is told to end unwinds, so that what it started ends with it.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))


_given_ports = set()


class Failure(Exception):
    """A guarantee that did not hold; its text says which."""


def require(condition, text):
    if not condition:
        raise Failure(text)


def need_programs(*paths):
    """Ends the script with 2 when one of them is missing."""
    for path in paths:
        if not os.access(path, os.X_OK):
            print(f"{path} is missing: see CONTRIBUTING.md, TIDEMARK_PEERS", file=sys.stderr)
            sys.exit(2)


def free_port():
    """One that the kernel gives to nobody by itself, so that no connection has it before the server that it is meant for."""
    while True:
        port = random.randrange(*SERVER_PORTS)
        with socket.socket() as s:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                s.bind(("127.0.0.1", port))
            except OSError:
                continue
        if port not in _given_ports:
            _given_ports.add(port)
            return port


def wait_until(what, check, seconds=START_SECONDS):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if check():
            return
        time.sleep(0.05)
    raise Failure(f"gave up after {seconds} s waiting for: {what}")


class Processes:
    """Processes by name, each with its log in a folder of its own; all of them end with the `with` block."""

    def __init__(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="tidemark-e2e."))
        self.running = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        failures = []
        for name in list(self.running):
            try:
                self.stop(name)
            except Failure as failure:
                failures.append(failure)
        shutil.rmtree(self.dir, ignore_errors=True)
        if failures:
            raise failures[0]

    def start(self, name, *command, env=None):
        with open(self.dir / f"{name}.log", "ab") as log:
            self.running[name] = subprocess.Popen(
                [str(c) for c in command], stdout=log, stderr=log, stdin=subprocess.DEVNULL, env={**os.environ, **(env or {})})
        return self.running[name]

    def wait_ready(self, name, check):
        """Until the check holds; when the process ends instead, its log says why."""
        wait_until(f"{name} to be ready", lambda: self.running[name].poll() is not None or check())
        require(self.running[name].poll() is None, f"{name} ended with {self.running[name].returncode}: {self.log(name)[-2000:]}")

    def log(self, name):
        return (self.dir / f"{name}.log").read_text(errors="replace")

    def stop(self, name, signal_number=signal.SIGTERM):
        process = self.running.pop(name)
        if process.poll() is None:
            process.send_signal(signal_number)
        try:
            return process.wait(timeout=STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise Failure(f"{name} did not end within {STOP_SECONDS} s of signal {signal_number}")

    def etcd(self, name="etcd", port=None, binary=None, data=None):
        """A real etcd; returns its client port. Started again under the same name it keeps its data."""
        port = port or free_port()
        peer = free_port()
        self.start(name, binary or PEERS / "etcd", "--name", "default", "--data-dir", data or self.dir / f"{name}.data",
                   "--listen-client-urls", f"http://127.0.0.1:{port}", "--advertise-client-urls", f"http://127.0.0.1:{port}",
                   "--listen-peer-urls", f"http://127.0.0.1:{peer}", "--initial-advertise-peer-urls", f"http://127.0.0.1:{peer}",
                   "--initial-cluster", f"default=http://127.0.0.1:{peer}")
        self.wait_ready(name, lambda: Etcd(port).healthy())
        return port

    def cache(self, servers, *flags, name="cache", port=None, wait=True):
        port = port or free_port()
        self.start(name, TIDEMARK, "cache", "--etcd-servers", servers, "--listen-http", f"127.0.0.1:{port}", *flags)
        if wait:
            self.wait_ready(name, lambda: Api(port).get("/readyz")[0] == 200)
        return port


class Etcd:
    """etcd's JSON gateway: puts, deletes, ranges and compactions without a gRPC client."""

    def __init__(self, port):
        self.port = port

    def call(self, path, body, timeout=10):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request("POST", path, json.dumps(body))
            response = connection.getresponse()
            text = response.read()
            if response.status != 200:
                raise Failure(f"etcd answered {response.status}: {text[:200]!r}")
            return json.loads(text)
        finally:
            connection.close()

    def healthy(self):
        try:
            return "header" in self.call("/v3/kv/range", {"key": b64("health")}, timeout=2)
        except (OSError, Failure, http.client.HTTPException):
            return False

    def put(self, key, value):
        return int(self.call("/v3/kv/put", {"key": b64(key), "value": b64(value)})["header"]["revision"])

    def delete(self, key):
        """The revision, or 0 when there was nothing to delete."""
        answer = self.call("/v3/kv/deleterange", {"key": b64(key)})
        return int(answer["header"]["revision"]) if int(answer.get("deleted", 0)) else 0

    def compact(self, revision):
        self.call("/v3/kv/compaction", {"revision": revision, "physical": True})

    def revision(self):
        return int(self.call("/v3/kv/range", {"key": b64("health")})["header"]["revision"])

    def prefix(self, prefix):
        """{key: (mod revision, value)} and the revision of the read."""
        answer = self._range(prefix)
        state = {unb64(kv["key"]): (int(kv["mod_revision"]), unb64(kv["value"])) for kv in answer.get("kvs", [])}
        return state, int(answer["header"]["revision"])

    def revisions(self, prefix):
        """{key: mod revision}."""
        return {unb64(kv["key"]): int(kv["mod_revision"]) for kv in self._range(prefix, keys_only=True).get("kvs", [])}

    def _range(self, prefix, **options):
        end = prefix[:-1] + chr(ord(prefix[-1]) + 1)
        return self.call("/v3/kv/range", {"key": b64(prefix), "range_end": b64(end), **options}, timeout=60)


def b64(text):
    return base64.b64encode(text.encode()).decode()


def unb64(text):
    return base64.b64decode(text).decode()


class Api:
    """Tidemark's HTTP API, one connection per instance."""

    def __init__(self, port, timeout=30):
        self.port = port
        self.timeout = timeout
        self.connection = None

    def get(self, path):
        """(status, body text); (0, reason) when there was no answer."""
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=self.timeout)
            self.connection.request("GET", path)
            response = self.connection.getresponse()
            return response.status, response.read().decode()
        except (OSError, http.client.HTTPException) as error:
            self.connection = None
            return 0, str(error)

    def list(self, path):
        status, body = self.get(path)
        require(status == 200, f"GET {path}: {status} {body[:300]}")
        return json.loads(body)

    def metric(self, name):
        """The sum over all label values; 0 when it is absent."""
        total = 0.0
        for line in self.get("/metrics")[1].splitlines():
            if line.startswith(name) and line[len(name)] in " {":
                total += float(line.rsplit(" ", 1)[1])
        return total

    def watch(self, path, **query):
        """Yields the events of one watch until the stream ends."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=self.timeout)
        connection.request("GET", path + "?" + urllib.parse.urlencode({"watch": "true", **query}))
        response = connection.getresponse()
        if response.status != 200:
            raise Failure(f"watch {path}: {response.status} {response.read()[:300]!r}")
        try:
            while line := response.readline():
                yield json.loads(line)
        except (OSError, http.client.HTTPException, ValueError):
            return
        finally:
            connection.close()


def configmap(namespace, name, sequence):
    """A configmap as kube-apiserver stores it as JSON."""
    return json.dumps({"kind": "ConfigMap", "apiVersion": "v1", "metadata": {
        "name": name, "namespace": namespace, "uid": f"00000000-0000-4000-8000-{abs(hash(name)) % 10**12:012d}",
        "creationTimestamp": "2026-01-01T00:00:00Z", "labels": {"app": name.rsplit("-", 1)[0]}},
        "data": {"sequence": str(sequence)}}, separators=(",", ":")) + "\n"


class CutProxy:
    """Forwards TCP to a port until it is cut: connections then hang (`silent`) or are closed; new ones are closed."""

    CHUNK_BYTES = 65536

    def __init__(self, target):
        self.target = target
        self.port = free_port()
        self.cut = False
        self.pairs = []
        self.listener = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            client, _ = self.listener.accept()
            if self.cut:
                client.close()
                continue
            try:
                server = socket.create_connection(("127.0.0.1", self.target), timeout=5)
            except OSError:
                client.close()
                continue
            server.settimeout(None)
            self.pairs.append((client, server))
            for a, b in ((client, server), (server, client)):
                threading.Thread(target=self._pump, args=(a, b), daemon=True).start()

    def _pump(self, source, sink):
        try:
            while data := source.recv(self.CHUNK_BYTES):
                while self.cut:
                    time.sleep(0.02)
                sink.sendall(data)
        except OSError:
            pass
        for s in (source, sink):
            try:
                s.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cut_for(self, seconds, silent=True):
        self.cut = True
        if not silent:
            for pair in self.pairs:
                for s in pair:
                    s.close()
            self.pairs = []
        time.sleep(seconds)
        self.cut = False
