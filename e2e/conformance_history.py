"""The catch for a lost event and for an old list: a writer of some hundred writes, watches and lists beside it, all held to one model."""
import random
import threading

from conformance_cases import case
from conformance_client import brief, ends_initial
from conformance_model import EVERYTHING, check_events, check_list, version_of
from harness import require

WRITES = 400
NAMES = [f"o{i:02d}" for i in range(14)]
WATCHED = NAMES[3]
PAGE = 4


def web(labels):
    return labels.get("app") == "web"


class Writer:
    """Creates, updates and deletes at random; its seed is in every failure."""

    def __init__(self, space):
        self.space, self.seed = space, random.randrange(1 << 32)
        self.failed = None
        self.thread = threading.Thread(target=self._work, daemon=True)

    def _work(self):
        dice, alive = random.Random(self.seed), set()
        try:
            for i in range(WRITES):
                name, labels = dice.choice(NAMES), {"app": dice.choice(("web", "db")), "n": str(i)}
                if name not in alive:
                    self.space.create(name, labels)
                    alive.add(name)
                elif dice.random() < 0.25:
                    self.space.delete(name)
                    alive.remove(name)
                else:
                    self.space.update(name, labels)
        except Exception as failure:  # told where it is looked at
            self.failed = failure

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.thread.join()


def read_beside(run, space, writer):
    """(answer, at least, selector, exactly, page, behind) of reads while the writer works; they are judged when all writes are known."""
    dice, reads = random.Random(writer.seed + 1), []
    while writer.thread.is_alive():
        last = space.last
        reads.append((run.read.get(space.path), last, None, None, None, ""))
        reads.append((run.read.get(space.path, labels="app=web"), last, web, None, None, ""))
        reads.append((run.read.get(space.path, rv=last, match="NotOlderThan"), last, None, None, None, ""))
        known = dice.choice(space.history)[0] if space.history else space.born
        reads.append((run.read.get(space.path, rv=known, match="Exact"), known, None, known, None, ""))
        page = run.read.get(space.path, limit=PAGE)
        reads.append((page, last, None, None, PAGE, ""))
        at = page.version()
        while page.token():
            behind = page.names()[-1]
            page = run.read.get(space.path, limit=PAGE, token=page.token())
            reads.append((page, at, None, at, PAGE, behind))
    return reads


def judge(reads, space):
    for answer, at_least, chosen, exactly, page, behind in reads:
        revision = check_list(answer, space, chosen or (lambda _: True), at=exactly, first=page, after=behind)
        require(revision >= at_least, f"{answer.what}: answered of {revision}, asked after the write of {at_least} was acknowledged")


def check_watch(watch, space, after, ours=lambda event: True, **of):
    """Exactly what is due, to the last one."""
    due, got = space.events(after, **of), []
    while len(got) < len(due):
        event = watch.next()
        require(event is not None and event["type"] != "ERROR", f"{watch.what}: {event} after {len(got)} of {len(due)} events")
        if event["type"] != "BOOKMARK" and ours(event):
            got.append(event)
            kind, thing = due[len(got) - 1]
            require((kind, version_of(thing)) == (event["type"], version_of(event["object"])),
                    f"{watch.what}: event {len(got)} is {brief(event)}, due was {brief({'type': kind, 'object': thing})}")
    check_events(watch.what, got, due)


def check_nothing_missing(watch, run, after, until):
    """Of all the namespaces of this run, whichever case writes to them meanwhile; nor does it go back."""
    versions = [version_of(e["object"]) for e in watch.seen]
    back = next((i for i in range(1, len(versions)) if versions[i] < versions[i - 1]), None)
    require(back is None, f"{watch.what}: goes back: {[brief(e) for e in watch.seen[(back or 1) - 1:][:2]]}")
    seen = {(e["object"]["metadata"].get("namespace"), version_of(e["object"])) for e in watch.seen}
    for space in list(run.spaces):
        for written, kind, thing in list(space.history) if space else []:
            require(not after < written <= until or (space.name, written) in seen,
                    f"{watch.what}: {brief({'type': kind, 'object': thing})} of {space.name} never came")


@case
def history_of_lists_and_watches(run):
    space = run.space()
    after, of_space = space.born, lambda event: event["object"]["metadata"]["namespace"] == space.name
    with run.read.watch(space.path, rv=after) as whole, run.read.watch(EVERYTHING, rv=after, bookmarks="true") as everywhere, \
            run.read.watch(space.path, rv=after, labels="app=web") as some, \
            run.read.watch(space.path, rv=after, fields=f"metadata.name={WATCHED}") as one:
        writer = Writer(space)
        with writer:
            reads = read_beside(run, space, writer)
        require(writer.failed is None, f"{writer.failed}")
        space_ends = space.create("the-last", {"app": "web"})
        try:
            require(len(reads) > 20, f"only {len(reads)} reads beside {WRITES} writes")
            judge(reads, space)
            check_watch(whole, space, after)
            check_watch(everywhere, space, after, of_space)
            check_nothing_missing(everywhere, run, after, space.last)
            check_watch(some, space, after, chosen=web)
            check_watch(one, space, after, only=WATCHED)
        except Exception as failure:
            raise type(failure)(f"seed {writer.seed}, last write {version_of(space_ends)}: {failure}") from failure


@case
def history_of_watch_lists(run):
    """Streams that begin while it is written: their state is of one revision, and the events go on from there without a gap."""
    space, streams = run.space(), []
    with Writer(space) as writer:
        while writer.thread.is_alive() and len(streams) < 6:
            begun = space.last
            watch = run.read.watch(space.path, initial="true", match="NotOlderThan", bookmarks="true")
            streams.append((begun, watch))
            watch.next()
    require(writer.failed is None, f"{writer.failed}")
    space.create("the-last")
    for begun, watch in streams:
        with watch:
            check_stream(watch, space, begun)


def check_stream(watch, space, begun):
    """Folds the whole stream: each name is ADDED when it is not there, changed when it is; at the bookmark and at the end it is the model."""
    state, pending, marked = {}, list(watch.seen), False
    while state.get("the-last") is None or not marked:
        event = pending.pop(0) if pending else watch.next()
        require(event is not None and event["type"] != "ERROR", f"{watch.what}: {event}")
        if event["type"] == "BOOKMARK":
            if ends_initial(event):
                require(version_of(event["object"]) >= begun, f"{watch.what}: the bookmark is older than {begun}")
                has = [brief({"type": "", "object": t}) for t in state.values()]
                require(state == space.at(version_of(event["object"])), f"{watch.what}: at {brief(event)} has {has}")
            marked = marked or ends_initial(event)
            continue
        name = event["object"]["metadata"]["name"]
        require((event["type"] == "ADDED") == (name not in state), f"{watch.what}: {brief(event)} with {sorted(state)}")
        require(name not in state or version_of(event["object"]) > version_of(state[name]), f"{watch.what}: {brief(event)} goes back")
        state[name] = event["object"]
        if event["type"] == "DELETED":
            del state[name]
    require(state == space.at(space.last), f"{watch.what}: ends with {sorted(state)}, the model with {sorted(space.at(space.last))}")
