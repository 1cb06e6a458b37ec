"""Conformance of the errors of reading: revisions of the future, history that is gone.

Rows of the reference without a case, since no client brings them about from outside: a consistent list that times out and the etcd
being away (the store has to hang), a cache that is not ready, a server that drains, a cacher that was stopped (the server has to
start or end), a snapshot miss (hidden by design), a continue token that cannot be renewed (every start key that decodes can), a watch
at etcd that was compacted (which resources have no cache is a server's choice), a WatchList without progress support (an old etcd).
"""
import re
import threading

from conformance_cases import case, check_failure, check_status
from conformance_lists import decoded, token_at
from conformance_model import check_events, check_list
from harness import require

FUTURE = 10 ** 15
TOO_LARGE = {"causes": [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}], "retryAfterSeconds": 1}
LARGEST = 2 ** 64 - 1


def too_large(revision):
    return re.compile(rf"Timeout: Too large resource version: {revision}, current: \d+")


@case
def error_list_of_the_future(run):
    check_status(run.read.get(run.fixture.path, rv=FUTURE), 504, "Timeout", too_large(FUTURE), TOO_LARGE)


@case
def error_list_not_older_than_the_future(run):
    check_status(run.read.get(run.fixture.path, rv=FUTURE, match="NotOlderThan"), 504, "Timeout", too_large(FUTURE), TOO_LARGE)


@case
def error_list_not_older_than_the_future_with_limit(run):
    check_status(run.read.get(run.fixture.path, rv=FUTURE, match="NotOlderThan", limit=2), 504, "Timeout", too_large(FUTURE), TOO_LARGE)


@case
def error_list_exactly_at_the_future(run):
    check_status(run.read.get(run.fixture.path, rv=FUTURE, match="Exact"), 504, "Timeout", too_large(FUTURE), TOO_LARGE)


@case
def error_list_at_the_future_with_limit(run):
    check_status(run.read.get(run.fixture.path, rv=FUTURE, limit=2), 504, "Timeout", too_large(FUTURE), TOO_LARGE)


@case
def error_continue_in_the_future(run):
    check_status(run.read.get(run.fixture.path, token=token_at(FUTURE, "o01\0")), 504, "Timeout", too_large(FUTURE), TOO_LARGE)


@case
def error_largest_revision(run):
    check_status(run.read.get(run.fixture.path, rv=LARGEST), 504, "Timeout", too_large(LARGEST), TOO_LARGE)


@case
def error_get_of_the_future(run):
    check_status(run.read.get(run.fixture.object_path("o01"), rv=FUTURE), 504, "Timeout", too_large(FUTURE), TOO_LARGE)


@case
def error_watch_list_of_the_future(run):
    """The wait is over before the stream has an event: one ERROR, and the end."""
    with run.read.watch(run.fixture.path, rv=FUTURE, initial="true", match="NotOlderThan", bookmarks="true") as watch:
        events = watch.rest()
    require([e["type"] for e in events] == ["ERROR"], f"{watch.what}: {events}")
    check_failure(watch.what, events[0]["object"], 504, "Timeout", too_large(FUTURE), TOO_LARGE)


@case
def error_future_that_comes(run):
    """A revision that is not there yet is waited for."""
    space = run.space()
    space.create("a")
    due = space.last + 1
    writing = threading.Timer(0.5, lambda: [space.update("a", {"n": str(i)}) for i in range(3)])
    writing.start()
    answer = run.read.get(space.path, rv=due)
    writing.join()
    require(check_list(answer, space) >= due, f"{answer}: older than {due}")


@case
def error_bad_timeout(run):
    check_status(run.read.get(run.fixture.path, timeout="abc"), 400, "BadRequest",
                 'invalid timeout specified in the request URL - time: invalid duration "abc"')
    for harmless in ("0", "5s", "1m"):
        check_list(run.read.get(run.fixture.path, timeout=harmless), run.fixture)


@case
def error_watch_of_what_has_none(run):
    check_status(run.read.get(f"/api/v1/namespaces/{run.fixture.name}/bindings", watch="true"), 405, "MethodNotAllowed",
                 "the server does not allow this method on the requested resource", {})


@case
def error_watch_below_history(run):
    """Either it says that it is too late, or it brings all there was; never silently less."""
    with run.read.watch(run.fixture.path, rv=1) as watch:
        first = watch.next()
        require(first is not None, f"{watch.what}: ended without a word")
        if first["type"] != "ERROR":
            rest = watch.take(len(run.fixture.history) - 1)
            return check_events(watch.what, [first, *rest], run.fixture.events(1))
        check_failure(watch.what, first["object"], 410, "Expired", re.compile(r"too old resource version: 1 \(\d+\)"))
        require(watch.rest() == [], f"{watch.what}: goes on after its error")


def compact(run):
    """Up to now; a write before it, since a revision is compacted once."""
    run.etcd.compact(run.space().born)


@case(needs_etcd=True, alone=True)
def error_exact_list_compacted(run):
    compact(run)
    gone = "The resourceVersion for the provided list is too old."
    check_status(run.read.get(run.fixture.path, rv=2, match="Exact"), 410, "Expired", gone)
    check_status(run.read.get(run.fixture.path, rv=2, limit=3), 410, "Expired", gone)


@case(needs_etcd=True, alone=True)
def error_continue_compacted(run):
    compact(run)
    answer = run.read.get(run.fixture.path, limit=3, token=token_at(2, "o02\0"))
    status = answer.json
    token = status["metadata"].pop("continue", "")
    require(answer.status == 410 and token, f"{answer}: a 410 with a token to go on")
    check_failure(str(answer), status, 410, "Expired",
                  "The provided continue parameter is too old to display a consistent list result. You can start a new list without the "
                  "continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with "
                  "the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time "
                  "the first chunk was returned and now may show up in the list.")
    content = decoded(token)
    require(content["rv"] < 0 and content["start"].lstrip("/") == "o02\0", f"{answer}: {content}")
    check_list(run.read.get(run.fixture.path, token=token, limit=3), run.fixture, first=3, after="o02")


@case(needs_etcd=True, alone=True)
def error_compaction_does_not_end_watches(run):
    """History below the store's compaction, which a cache still has, may still be watched; if not, it says so."""
    space = run.space()
    for i in range(3):
        space.create(f"o{i}")
    with run.read.watch(space.path, rv=space.last) as open_watch:
        compact(run)
        space.update("o1", {"n": "1"})
        check_events(open_watch.what, open_watch.take(1), space.events(space.history[2][0]))
    check_list(run.read.get(space.path), space)
