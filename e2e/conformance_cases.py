"""The conformance suite's cases by name, and what one run of them shares.

A case is a function of a Run that raises Failure when a guarantee does not hold. Most run side by side; `alone` ones run by
themselves at the end, since what they do (a compaction) is felt by all.
"""
import concurrent.futures
import re
import secrets
import threading

from conformance_model import Space
from harness import require

REMOVED_AT_ONCE = 8
CASES = {}


class Case:
    def __init__(self, function, needs_etcd, alone):
        self.function, self.needs_etcd, self.alone = function, needs_etcd, alone


def register(name, function, needs_etcd=False, alone=False):
    require(name not in CASES, f"two cases are named {name}")
    CASES[name] = Case(function, needs_etcd, alone)


def case(function=None, **how):
    """Takes the function's name as the case's."""
    if function is None:
        return lambda f: case(f, **how)
    register(function.__name__, function, **how)
    return function


class Run:
    """The servers, and the namespaces of one run. Any thread may use it."""

    def __init__(self, read, write, etcd):
        self.read, self.write, self.etcd = read, write, etcd
        self.name = "conformance-" + secrets.token_hex(4)
        self.lock = threading.Lock()
        self.spaces = []
        self.fixture = None

    def space(self):
        """A fresh namespace."""
        with self.lock:
            name = f"{self.name}-{len(self.spaces)}"
            self.spaces.append(None)
        made = Space(self.write, name)
        with self.lock:
            self.spaces[int(name.rsplit("-", 1)[1])] = made
        return made

    def prepare(self):
        """What the cases that only read look at: ten objects with a past."""
        space = self.space()
        for i in range(10):
            space.create(f"o{i:02d}", fixture_labels(i))
        space.create("passing", {"app": "web"})
        space.update("o03", {"app": "web", "n": "33"})
        space.delete("passing")
        space.update("o04", fixture_labels(4), note="changed")
        space.update("o05", {"app": "db", "n": "5", "moved": "yes"})
        self.fixture = space

    def remove(self):
        with concurrent.futures.ThreadPoolExecutor(REMOVED_AT_ONCE) as pool:
            list(pool.map(Space.remove, filter(None, self.spaces)))


def fixture_labels(i):
    """app on all but the last, tier on every third, n a number, empty on one."""
    labels = {"n": str(i)}
    if i < 9:
        labels["app"] = ("web", "db")[i % 2]
    if i % 3 == 0:
        labels["tier"] = "front"
    if i == 6:
        labels["empty"] = ""
    if i == 8:
        labels["example.com/team"] = "in"
    return labels


def check_status(answer, code, reason, message, details=None):
    """The whole Status; the message may be a pattern."""
    require(answer.status == code, f"{answer}: expected {code}")
    check_failure(str(answer), answer.json, code, reason, message, details)
    retry = (details or {}).get("retryAfterSeconds")
    require(answer.headers.get("Retry-After") == (str(retry) if retry else None), f"{answer}: Retry-After {answer.headers.get('Retry-After')}")


def check_failure(what, status, code, reason, message, details=None):
    got = dict(status)
    text = got.pop("message", "")
    matches = message.fullmatch(text) if isinstance(message, re.Pattern) else message == text
    require(matches, f"{what}: message {text!r}, expected {message!r}")
    expected = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "code": code}
    if reason:
        expected["reason"] = reason
    if details is not None:
        expected["details"] = details
    require(got == expected, f"{what}: expected {expected}")


def check_bad_request(answer, message):
    check_status(answer, 400, "BadRequest", message)
