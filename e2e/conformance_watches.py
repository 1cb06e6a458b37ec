"""Conformance of WATCH: where each combination of parameters starts, and that nothing is missing from there."""
from conformance_cases import case
from conformance_client import brief, ends_initial
from conformance_model import KIND, check_events, check_initial, version_of
from harness import require

ALL = {"initial": "true", "match": "NotOlderThan"}
NONE = {"initial": "false", "match": "NotOlderThan"}


def web(labels):
    return labels.get("app") == "web"


def small_space(run, count=4):
    space = run.space()
    for i in range(count):
        space.create(f"o{i}", {"app": ("web", "db")[i % 2]})
    space.create("passing")
    space.delete("passing")
    space.update("o1", {"app": "web", "n": "1"})
    return space


def write_some(space):
    space.update("o0", {"app": "web", "n": str(len(space.history))})
    space.create("late", {"app": "web"})
    space.delete("o2")


def check_live(watch, space, after):
    """What is written now arrives, and nothing of what came before."""
    write_some(space)
    due = space.events(after)
    check_events(watch.what, watch.take(len(due)), due)


def check_bookmark(watch, bookmark, at_least):
    thing = bookmark["object"]
    require(thing["kind"] == KIND and thing["apiVersion"] == "v1" and "name" not in thing["metadata"], f"{watch.what}: {bookmark}")
    require(thing["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}, f"{watch.what}: {bookmark}")
    require(version_of(thing) >= at_least, f"{watch.what}: {bookmark} is older than {at_least}")


def whole_state_then_live(run, bookmark, **parameters):
    """State of a revision not older than what was written before, the bookmark if one is asked for, then what is written."""
    space = small_space(run)
    parameters = {name: value(space) if callable(value) else value for name, value in parameters.items()}
    with run.read.watch(space.path, bookmarks="true" if bookmark else None, **parameters) as watch:
        if bookmark:
            before, end = watch.until_bookmark()
            check_bookmark(watch, end, space.last)
        else:
            before = watch.take(len(space.at(space.last)))
        check_initial(watch.what, before, space, space.last)
        check_live(watch, space, space.last)
        ends = [e for e in watch.seen if e["type"] == "BOOKMARK" and (not bookmark or ends_initial(e))]
        require(len(ends) == bookmark, f"{watch.what}: {[brief(e) for e in watch.seen]}")


def any_state_then_live(run, bookmark, **parameters):
    """Some state of before, which need not be the last, then every change since."""
    space, state = small_space(run), {}
    with run.read.watch(space.path, bookmarks="true" if bookmark else None, **parameters) as watch:
        write_some(space)
        while state != space.at(space.last) or (bookmark and not any(ends_initial(e) for e in watch.seen)):
            event = watch.next()
            require(event is not None and event["type"] != "ERROR", f"{watch.what}: {event} after {[brief(e) for e in watch.seen]}")
            if event["type"] == "BOOKMARK":
                if ends_initial(event):
                    check_bookmark(watch, event, 1)
                continue
            name = event["object"]["metadata"]["name"]
            require((event["type"] == "ADDED") == (name not in state), f"{watch.what}: {brief(event)} with {sorted(state)}")
            state[name] = event["object"]
            if event["type"] == "DELETED":
                del state[name]


@case
def W1_no_version(run):
    whole_state_then_live(run, False)


@case
def W1_no_version_with_bookmarks(run):
    whole_state_then_live(run, True)


@case
def W2_any_version(run):
    any_state_then_live(run, False, rv="0")


@case
def W2_any_version_with_bookmarks(run):
    any_state_then_live(run, True, rv="0")


@case
def W3_watch_list(run):
    whole_state_then_live(run, True, **ALL)


@case
def W3_watch_list_without_bookmark(run):
    whole_state_then_live(run, False, **ALL)


@case
def W3_watch_list_of_nothing(run):
    """The bookmark comes even if no object matches, once."""
    space = small_space(run)
    with run.read.watch(space.path, labels="app=none", bookmarks="true", **ALL) as watch:
        before, end = watch.until_bookmark()
        check_bookmark(watch, end, space.last)
        require(before == [], f"{watch.what}: {before}")
        space.create("one", {"app": "none"})
        check_events(watch.what, watch.take(1), [("ADDED", space.history[-1][2])])


@case
def W3_watch_list_with_selector(run):
    space = small_space(run)
    with run.read.watch(space.path, labels="app=web", bookmarks="true", **ALL) as watch:
        before, end = watch.until_bookmark()
        check_initial(watch.what, before, space, space.last, web)
        after = space.last
        write_some(space)
        due = space.events(after, web)
        check_events(watch.what, watch.take(len(due)), due)


@case
def W4_watch_list_any_version(run):
    any_state_then_live(run, True, rv="0", **ALL)


@case
def W4_watch_list_any_version_without_bookmark(run):
    any_state_then_live(run, False, rv="0", **ALL)


@case
def W5_watch_list_from_revision(run):
    whole_state_then_live(run, True, rv=lambda space: space.last, **ALL)


@case
def W5_watch_list_from_revision_without_bookmark(run):
    whole_state_then_live(run, False, rv=lambda space: space.last, **ALL)


@case
def W5_watch_list_bookmark_starts_a_watch(run):
    space = small_space(run)
    with run.read.watch(space.path, rv=space.last, bookmarks="true", **ALL) as watch:
        at = version_of(watch.until_bookmark()[1]["object"])
    write_some(space)
    with run.read.watch(space.path, rv=at) as watch:
        due = space.events(at)
        check_events(watch.what, watch.take(len(due)), due)


@case
def W6_from_now(run):
    space = small_space(run)
    with run.read.watch(space.path, **NONE) as watch:
        check_live(watch, space, space.last)


@case
def W6_from_now_with_bookmarks(run):
    """No bookmark ends what has no beginning."""
    space = small_space(run)
    with run.read.watch(space.path, bookmarks="true", **NONE) as watch:
        check_live(watch, space, space.last)
        require(not any(e["type"] == "BOOKMARK" and ends_initial(e) for e in watch.seen), f"{watch.what}: {watch.seen}")


@case
def W7_from_the_cache(run):
    """Later events than some moment of before, none of them left out."""
    space = small_space(run)
    with run.read.watch(space.path, rv="0", **NONE) as watch:
        write_some(space)
        events = watch.take(1)
        while version_of(events[-1]["object"]) < space.last:
            events += watch.take(1)
        check_events(watch.what, events, space.events(version_of(events[0]["object"]) - 1))
        require(len(events) >= 3, f"{watch.what}: {[brief(e) for e in events]}")


@case
def W8_from_revision(run):
    """From each revision exactly what came after it, then what comes."""
    space = small_space(run)
    for after in [space.born, *(written for written, _, _ in space.history)]:
        with run.read.watch(space.path, rv=after) as watch:
            space.update("o0", {"n": str(after)})
            due = space.events(after)
            check_events(watch.what, watch.take(len(due)), due)


@case
def W8_from_revision_without_initial_events(run):
    space = small_space(run)
    with run.read.watch(space.path, rv=space.history[2][0], **NONE) as watch:
        check_live(watch, space, space.history[2][0])


@case
def W8_from_the_future(run):
    """Taken without a wait; what happens up to that revision is never sent."""
    space = small_space(run)
    future = space.last + 4
    with run.read.watch(space.path, rv=future) as watch:
        while space.last <= future + 2:
            space.update("o0", {"n": str(space.last)})
        due = space.events(future)
        check_events(watch.what, watch.take(len(due)), due)


@case
def W8_limit_and_continue_are_ignored(run):
    space = small_space(run)
    with run.read.watch(space.path, rv=space.born, limit=1, token="x") as watch:
        check_live(watch, space, space.born)
