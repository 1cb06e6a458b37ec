"""A client of the Kubernetes API for the conformance suite: answers as they came, and watches read by a thread each.

One connection per thread and server. No retries: what a server answers is what a case looks at. Certificates are not verified.
"""
import codecs
import http.client
import json
import queue
import ssl
import threading
import urllib.parse

from harness import require

ANSWER_SECONDS = 30
# A watch that should bring something brings it within this; one that should bring nothing is asked for a bookmark instead.
EVENT_SECONDS = 10
CHUNK_BYTES = 65536
# Names of cases are short, so are those of query parameters.
SHORT = {"rv": "resourceVersion", "match": "resourceVersionMatch", "token": "continue", "initial": "sendInitialEvents",
         "bookmarks": "allowWatchBookmarks", "labels": "labelSelector", "fields": "fieldSelector", "seconds": "timeoutSeconds"}


def query_of(parameters):
    """`rv=5, limit=2` as a query; None leaves a parameter out."""
    return urllib.parse.urlencode([(SHORT.get(k, k), v) for k, v in parameters.items() if v is not None])


class Answer:
    def __init__(self, what, status, headers, body):
        self.what, self.status, self.headers, self.body = what, status, headers, body

    @property
    def json(self):
        try:
            return json.loads(self.body)
        except ValueError:
            require(False, f"{self}: is no JSON")

    def __str__(self):
        return f"{self.what}: {self.status} {self.body[:600].decode(errors='replace')}"

    def ok(self, status=200):
        require(self.status == status, f"{self}: expected {status}")
        return self.json

    def names(self):
        return [item["metadata"]["name"] for item in self.ok()["items"]]

    def version(self):
        return int(self.ok()["metadata"]["resourceVersion"])

    def token(self):
        return self.ok()["metadata"].get("continue", "")


class Server:
    """One server by its URL."""

    def __init__(self, url, token=""):
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{url} is no http or https URL")
        self.secure, self.host, self.port = parts.scheme == "https", parts.hostname, parts.port
        self.headers = {"User-Agent": "conformance", "Accept": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
        self.context = ssl._create_unverified_context()
        self.local = threading.local()

    def connect(self, seconds=ANSWER_SECONDS):
        if self.secure:
            return http.client.HTTPSConnection(self.host, self.port, context=self.context, timeout=seconds)
        return http.client.HTTPConnection(self.host, self.port, timeout=seconds)

    def ask(self, method, target, body=None, headers=None):
        """The target goes out as it stands."""
        connection = getattr(self.local, "connection", None) or self.connect()
        self.local.connection = None
        data = None if body is None else json.dumps(body)
        connection.request(method, target, data, {**self.headers, **({"Content-Type": "application/json"} if data else {}), **(headers or {})})
        response = connection.getresponse()
        answer = Answer(f"{method} {target}", response.status, response.headers, response.read())
        if response.will_close:
            connection.close()
        else:
            self.local.connection = connection
        return answer

    def get(self, path, accept=None, headers=None, **parameters):
        query = query_of(parameters)
        return self.ask("GET", path + ("?" + query if query else ""), None, {**({"Accept": accept} if accept else {}), **(headers or {})})

    def watch(self, path, **parameters):
        return Watch(self, path + "?" + query_of({"watch": "true", **parameters}))

    def raw_watch(self, path, accept, **parameters):
        """The whole body of a watch that ends by itself, in any form."""
        return self.get(path, accept, watch="true", **parameters)


class Watch:
    """One watch; a thread reads its stream into a queue. Checks what holds for every event of every stream."""

    END = object()

    def __init__(self, server, target):
        self.what = f"watch {target}"
        self.connection = server.connect(seconds=None)
        self.connection.request("GET", target, headers=server.headers)
        self.response = self.connection.getresponse()
        self.arrived = queue.Queue()
        self.seen = []
        if self.response.status != 200:
            self.refusal = Answer(self.what, self.response.status, self.response.headers, self.response.read())
            self.connection.close()
            require(False, str(self.refusal))
        self.socket = self.connection.sock
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        try:
            self.response.fp.raw._sock.shutdown(2)  # wakes the reading thread
        except (OSError, AttributeError):
            pass

    def _read(self):
        """Values follow each other with or without a line's end between them."""
        decoder, characters, text = json.JSONDecoder(), codecs.getincrementaldecoder("utf-8")(), ""
        try:
            while data := self.response.read1(CHUNK_BYTES):
                text, at = text + characters.decode(data), 0
                while at < len(text):
                    try:
                        value, at = decoder.raw_decode(text, at)
                    except json.JSONDecodeError:
                        break  # the rest of it is still on its way
                    self.arrived.put(value)
                    at = len(text) - len(text[at:].lstrip())
                text = text[at:]
        except (OSError, http.client.HTTPException, ValueError, AttributeError):
            pass
        self.arrived.put(self.END)

    def next(self, seconds=EVENT_SECONDS):
        """The next event, or None at the end of the stream."""
        try:
            event = self.arrived.get(timeout=seconds)
        except queue.Empty:
            require(False, f"{self.what}: nothing within {seconds} s after {[brief(e) for e in self.seen[-5:]]}")
        if event is self.END:
            self.arrived.put(self.END)
            return None
        self.seen.append(event)
        return event

    def take(self, count):
        """That many events; bookmarks are not counted, and left out."""
        taken = []
        while len(taken) < count:
            event = self.next()
            require(event is not None, f"{self.what}: ended after {[brief(e) for e in self.seen]}, expected {count} events")
            require(event["type"] != "ERROR", f"{self.what}: {event}")
            if event["type"] != "BOOKMARK":
                taken.append(event)
        return taken

    def until_bookmark(self):
        """(events before, the bookmark that ends the initial events)."""
        before = []
        while True:
            event = self.next()
            require(event is not None and event["type"] != "ERROR", f"{self.what}: {event} after {len(before)} events")
            if event["type"] == "BOOKMARK" and ends_initial(event):
                return before, event
            if event["type"] != "BOOKMARK":
                before.append(event)

    def rest(self, seconds=EVENT_SECONDS):
        """Everything up to the end of the stream."""
        events = []
        while (event := self.next(seconds)) is not None:
            events.append(event)
        return events


def ends_initial(event):
    return event["object"]["metadata"].get("annotations", {}).get("k8s.io/initial-events-end") == "true"


def brief(event):
    meta = event["object"].get("metadata", {})
    return f"{event['type']} {meta.get('name', '')} {meta.get('resourceVersion', event['object'].get('message', ''))}"
