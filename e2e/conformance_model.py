"""Namespaces of the conformance suite whose every write is known: what a list must hold at a revision, what a watch must deliver.

The writer's own answers are the model: each carries the object as it is stored, with the revision of the write.
A space is written by one thread at a time and may be read by any.
"""
import time

from harness import require

# No controller makes or changes these by itself, and a DELETE answers with the object at the revision of the delete.
KIND, RESOURCE = "PodTemplate", "podtemplates"
EVERYTHING = f"/api/v1/{RESOURCE}"
TEMPLATE = {"spec": {"containers": [{"name": "c", "image": "i"}]}}
NAMESPACE_SECONDS = 30


def version_of(thing):
    return int(thing["metadata"]["resourceVersion"])


def labels_of(thing):
    return thing["metadata"].get("labels", {})


def every(_):
    return True


class Space:
    """One namespace with the history of its objects: (revision, type, object), oldest first."""

    def __init__(self, writer, name):
        self.writer, self.name = writer, name
        self.path = f"/api/v1/namespaces/{name}/{RESOURCE}"
        self.history = []
        created = writer.ask("POST", "/api/v1/namespaces", {"metadata": {"name": name}})
        self.born = version_of(created.ok(201))

    def object_path(self, name):
        return f"{self.path}/{name}"

    def _record(self, kind, answer, status):
        written = answer.ok(status)
        self.history.append((version_of(written), kind, written))
        return written

    def _body(self, name, labels, note):
        return {"metadata": {"name": name, "namespace": self.name, "labels": labels or {}, "annotations": {"note": note}}, "template": TEMPLATE}

    def create(self, name, labels=None, note=""):
        return self._record("ADDED", self.writer.ask("POST", self.path, self._body(name, labels, note)), 201)

    def update(self, name, labels=None, note=""):
        """Labels and note are replaced. It must change something: a write that changes nothing has no revision."""
        return self._record("MODIFIED", self.writer.ask("PUT", self.object_path(name), self._body(name, labels, note)), 200)

    def delete(self, name):
        return self._record("DELETED", self.writer.ask("DELETE", self.object_path(name)), 200)

    @property
    def last(self):
        """The revision of the last write."""
        return self.history[-1][0] if self.history else self.born

    def at(self, revision, chosen=every):
        """{name: object} at a revision; of those whose labels are chosen."""
        state = {}
        for written, kind, thing in list(self.history):
            if written > revision:
                break
            state[thing["metadata"]["name"]] = thing
            if kind == "DELETED":
                del state[thing["metadata"]["name"]]
        return {name: state[name] for name in sorted(state) if chosen(labels_of(state[name]))}

    def events(self, after, chosen=every, only=None):
        """What a watch from a revision delivers, of one object or of those chosen: (type, object)."""
        state, due = {}, []
        for written, kind, thing in list(self.history):
            name = thing["metadata"]["name"]
            old, new = state.get(name), None if kind == "DELETED" else thing
            state[name] = new
            if written <= after or (only and name != only):
                continue
            was, now = bool(old and chosen(labels_of(old))), bool(new and chosen(labels_of(new)))
            if was and not now:
                due.append(("DELETED", {**old, "metadata": {**old["metadata"], "resourceVersion": str(written)}}))
            elif now:
                due.append(("MODIFIED" if was else "ADDED", new))
        return due

    def remove(self):
        """Without a controller that does it, a namespace ends by hand: its objects first, then what holds it."""
        self.writer.ask("DELETE", self.path)
        self.writer.ask("DELETE", f"/api/v1/namespaces/{self.name}/pods?gracePeriodSeconds=0")
        path = f"/api/v1/namespaces/{self.name}"
        deadline = time.monotonic() + NAMESPACE_SECONDS
        self.writer.ask("DELETE", path)
        while (answer := self.writer.ask("GET", path)).status == 200:
            left = answer.json
            left["spec"]["finalizers"] = []
            self.writer.ask("PUT", f"{path}/finalize", left)
            require(time.monotonic() < deadline, f"namespace {self.name} does not go")


def check_list(answer, space, chosen=every, at=None, first=None, after=""):
    """The list is the model's state at the list's own revision, in order, each object as it was written; a page of it if `first`."""
    body = answer.ok()
    revision = answer.version()
    require(at is None or revision == at, f"{answer.what}: resourceVersion {revision}, expected {at}")
    require(body["kind"] == KIND + "List" and body["apiVersion"] == "v1", f"{answer}")
    state = [thing for name, thing in space.at(revision, chosen).items() if name > after]
    expected = [bare(thing) for thing in state[:first]]
    got = body["items"]
    if got != expected:
        require([brief(t) for t in got] == [brief(t) for t in expected],
                f"{answer.what}: at {revision} lists {[brief(t) for t in got]}, the model has {[brief(t) for t in expected]}")
        different = next((a, b) for a, b in zip(got, expected) if a != b)
        require(False, f"{answer.what}: at {revision} has {different[0]}, written was {different[1]}")
    require(("continue" in body["metadata"]) == (len(expected) < len(state)), f"{answer.what}: continue in {body['metadata']}, {len(state)} in all")
    return revision


def bare(thing):
    """An item of a list has neither kind nor apiVersion."""
    return {key: value for key, value in thing.items() if key not in ("kind", "apiVersion")}


def brief(thing):
    return f"{thing['metadata']['name']}@{thing['metadata']['resourceVersion']}"


def check_events(what, got, expected):
    """Exactly these, in this order, with whole objects."""
    shown = [f"{e['type']} {brief(e['object'])}" for e in got]
    due = [f"{kind} {brief(thing)}" for kind, thing in expected]
    for index, (ours, theirs) in enumerate(zip(shown, due)):
        require(ours == theirs, f"{what}: event {index} is {ours}, due was {theirs}")
    require(len(shown) == len(due), f"{what}: {len(shown)} events, due were {len(due)}; the last are {shown[-2:]} and {due[-2:]}")
    for event, (_, thing) in zip(got, expected):
        require(event["object"] == thing, f"{what}: {event['object']}, written was {thing}")


def check_initial(what, got, space, revision, chosen=every):
    """Synthetic ADDED events: the state at a revision, in the order of the keys, each object with its own revision."""
    check_events(what, got, [("ADDED", thing) for thing in space.at(revision, chosen).values()])
