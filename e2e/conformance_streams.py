"""Conformance of what a watch delivers: by selector, in order, whole; and how a stream ends.

Not here: a value in the store that cannot be decoded, which breaks the server for all others; the bookmark of each minute, which takes it.
"""
import time

from conformance_cases import case, check_bad_request
from conformance_client import brief
from conformance_model import EVERYTHING, RESOURCE, check_events, check_list, version_of
from conformance_watches import small_space, web, write_some
from harness import b64, require

SOON_SECONDS = 1


@case
def watch_selector_transitions(run):
    """Into the selector is ADDED, within it MODIFIED, out of it DELETED with the old object, outside nothing."""
    space = run.space()
    space.create("in", {"app": "web"})
    space.create("out", {"app": "db"})
    with run.read.watch(space.path, rv=space.born, labels="app=web") as watch:
        space.update("out", {"app": "web"}, note="in now")
        space.update("out", {"app": "web"}, note="still")
        space.update("out", {"app": "db"}, note="gone")
        space.update("out", {"app": "db"}, note="never seen")
        space.update("in", {})
        space.update("in", {"app": "web"})
        space.delete("in")
        space.delete("out")
        due = space.events(space.born, web)
        require([kind for kind, _ in due] == ["ADDED", "ADDED", "MODIFIED", "DELETED", "DELETED", "ADDED", "DELETED"], f"{due}")
        check_events(watch.what, watch.take(len(due)), due)


@case
def watch_field_selector_transitions(run):
    """Of pods, by phase: into it and out of it."""
    space = run.space()
    root = f"/api/v1/namespaces/{space.name}/pods"
    pod = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}], "automountServiceAccountToken": False}}
    born = version_of(run.write.ask("POST", root, pod).ok(201))
    patch = {"Content-Type": "application/merge-patch+json"}
    with run.read.watch(root, rv=born, fields="status.phase=Running") as watch:
        states = [run.write.ask("PATCH", f"{root}/p/status", {"status": {"phase": phase}}, patch).ok() for phase in ("Running", "Succeeded")]
        left = {**states[0], "metadata": {**states[0]["metadata"], "resourceVersion": states[1]["metadata"]["resourceVersion"]}}
        check_events(watch.what, watch.take(2), [("ADDED", states[0]), ("DELETED", left)])


@case
def watch_single_object(run):
    """By its name: its own changes alone, deletion and birth too."""
    space = small_space(run)
    with run.read.watch(space.path, rv=space.last, fields="metadata.name=o0") as watch:
        after = space.last
        write_some(space)
        space.delete("o0")
        space.create("o0", {"app": "new"})
        due = space.events(after, only="o0")
        require(len(due) == 3, f"{due}")
        check_events(watch.what, watch.take(3), due)


@case
def watch_deleted_carries_the_last_state(run):
    """The object as it was, with the revision of its deletion."""
    space = run.space()
    last = space.create("a", {"app": "web"}, note="last words")
    deleted = version_of(space.delete("a"))
    with run.read.watch(space.path, rv=version_of(last)) as watch:
        (event,) = watch.take(1)
    expected = {**last, "metadata": {**last["metadata"], "resourceVersion": str(deleted)}}
    require(event == {"type": "DELETED", "object": expected}, f"{event}, expected {expected}")


@case
def watch_deleted_and_created_again(run):
    space = run.space()
    space.create("a")
    with run.read.watch(space.path, rv=space.last) as watch:
        space.delete("a")
        space.create("a", {"app": "web"})
        got = watch.take(2)
    require([e["type"] for e in got] == ["DELETED", "ADDED"], f"{got}")
    check_events(watch.what, got, space.events(space.history[0][0]))


@case
def watch_one_namespace(run):
    """Of the objects that hold the others: by its name."""
    space = run.space()
    path = f"/api/v1/namespaces/{space.name}"
    with run.read.watch("/api/v1/namespaces", rv=space.born, fields=f"metadata.name={space.name}") as watch:
        written = run.write.ask("PATCH", path, {"metadata": {"labels": {"a": "b"}}}, {"Content-Type": "application/merge-patch+json"}).ok()
        check_events(watch.what, watch.take(1), [("MODIFIED", written)])


@case
def watch_by_the_old_path(run):
    """/watch/ in the path, of a namespace or of one object; a selector of another name contradicts it."""
    space = small_space(run)
    for path, only in ((space.path, None), (space.object_path("o1"), "o1")):
        old = path.replace("/api/v1/", "/api/v1/watch/")
        with run.read.watch(old, rv=space.born) as watch:
            due = space.events(space.born, only=only)
            check_events(watch.what, watch.take(len(due)), due)
    check_bad_request(run.read.get(old, fields="metadata.name=o2"), "fieldSelector metadata.name doesn't match requested name")


@case
def watch_in_order_of_revisions(run):
    """All namespaces: revisions never go back, and none comes twice for one object."""
    spaces = [run.space(), run.space()]
    with run.read.watch(EVERYTHING, rv=spaces[0].born) as watch:
        for i in range(6):
            spaces[i % 2].create(f"o{i}")
        spaces[0].delete("o0")
        got = []
        while not got or version_of(got[-1]["object"]) < spaces[0].last:
            got += watch.take(1)
    versions = [version_of(e["object"]) for e in got]
    require(versions == sorted(versions), f"{versions}")
    for space in spaces:
        ours = [e for e in got if e["object"]["metadata"]["namespace"] == space.name]
        check_events(watch.what, ours, space.events(spaces[0].born))


@case
def watch_of_one_namespace(run):
    """Nothing of another comes."""
    space, other = run.space(), run.space()
    with run.read.watch(space.path, rv=other.born) as watch:
        other.create("not-ours")
        space.create("ours")
        check_events(watch.what, watch.take(1), [("ADDED", space.history[-1][2])])


@case(needs_etcd=True)
def watch_transaction(run):
    """A transaction of several keys is as many events of one revision, in no list but as a whole."""
    space = run.space()
    space.create("a")
    space.create("b")
    keys = [f"/registry/{RESOURCE}/{space.name}/{name}" for name in "ab"]
    values = [run.etcd.call("/v3/kv/range", {"key": b64(key)})["kvs"][0]["value"] for key in keys]
    with run.read.watch(space.path, rv=space.last) as watch:
        done = run.etcd.call("/v3/kv/txn", {"success": [{"requestPut": {"key": b64(key), "value": value}} for key, value in zip(keys, values)]})
        at = int(done["header"]["revision"])
        listed = run.read.get(space.path).ok()["items"]
        require([version_of(t) for t in listed] == [at, at], f"{[brief({'type': '', 'object': t}) for t in listed]}, written at {at}")
        got = watch.take(2)
    seen = [(e["type"], e["object"]["metadata"]["name"], version_of(e["object"])) for e in got]
    require(seen == [("MODIFIED", "a", at), ("MODIFIED", "b", at)], f"{seen}")


@case
def watch_sees_what_a_list_saw(run):
    """Two watches and a list of one revision agree."""
    space = small_space(run)
    at = check_list(run.read.get(space.path), space)
    with run.read.watch(space.path, rv=at) as one, run.read.watch(EVERYTHING, rv=at, fields=f"metadata.namespace={space.name}") as other:
        write_some(space)
        due = space.events(at)
        check_events(one.what, one.take(len(due)), due)
        check_events(other.what, other.take(len(due)), due)


@case
def timeout_ends_the_stream(run):
    """Its body ends without a word: no event tells so."""
    begun = time.monotonic()
    with run.read.watch(run.fixture.path, rv=run.fixture.last, seconds=1) as watch:
        require(all(e["type"] == "BOOKMARK" for e in watch.rest()), f"{watch.what}: {watch.seen}")
    require(time.monotonic() - begun >= SOON_SECONDS, f"{watch.what}: ended too early")


@case
def bookmark_before_the_end(run):
    """Some two seconds before, and not of a revision before what was sent."""
    space = small_space(run)
    begun = space.last
    with run.read.watch(space.path, rv=begun, seconds=5, bookmarks="true") as watch:
        write_some(space)
        seen = watch.rest()
    due = space.events(begun)
    check_events(watch.what, [e for e in seen if e["type"] != "BOOKMARK"], due)
    bookmarks = [version_of(e["object"]) for e in seen if e["type"] == "BOOKMARK"]
    require(bookmarks and min(bookmarks) >= space.last, f"{watch.what}: bookmarks {bookmarks} among {len(seen)}, last write {space.last}")


@case
def timeout_that_is_negative(run):
    """Ends at once."""
    with run.read.watch(run.fixture.path, rv=run.fixture.last, seconds=-1) as watch:
        require(watch.rest() == [], f"{watch.what}: {watch.seen}")


@case
def timeout_that_is_none(run):
    """Neither 0 nor `timeout=` ends a watch."""
    space = run.space()
    with run.read.watch(space.path, rv=space.born, seconds=0) as one, run.read.watch(space.path, rv=space.born, timeout="1s") as other:
        time.sleep(2 * SOON_SECONDS)  # what must not end them would have done so by then
        space.create("a")
        for watch in (one, other):
            check_events(watch.what, watch.take(1), space.events(space.born))


@case
def bookmarks_only_if_asked_for(run):
    """A stream without them has its events alone."""
    space = small_space(run)
    after = space.last
    with run.read.watch(space.path, rv=after, seconds=4) as watch:
        write_some(space)
        check_events(watch.what, watch.rest(), space.events(after))


@case
def bookmarks_never_go_back(run):
    """As many as come: none is of a revision before that of an event that it follows."""
    space = small_space(run)
    with run.read.watch(space.path, rv=space.born, bookmarks="true", seconds=4) as watch:
        write_some(space)
        versions = [version_of(e["object"]) for e in watch.rest()]
    require(versions == sorted(versions) and len(versions) >= len(space.events(space.born)), f"{watch.what}: {versions}")
