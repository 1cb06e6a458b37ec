"""Conformance of LIST and GET: which state each combination of resourceVersion, resourceVersionMatch, limit and continue gives."""
import base64
import json

from conformance_cases import case, check_bad_request, check_status
from conformance_model import EVERYTHING, bare, check_list, version_of
from harness import require

WRITES = 5  # of each kind, read back at once


def decoded(token):
    return json.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))


def encoded(value):
    text = value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def token_at(revision, start):
    return encoded({"v": "meta.k8s.io/v1", "rv": revision, "start": start})


def web(labels):
    return labels.get("app") == "web"


def pages(run, space, first, limit):
    """The pages of a walk, each checked against the model at the first one's revision."""
    at, walked = first.version(), [first]
    while token := walked[-1].token():
        require(len(walked[-1].names()) == limit, f"{walked[-1]}: a page that is not the last has {limit}")
        walked.append(run.read.get(space.path, token=token, limit=limit))
        check_list(walked[-1], space, at=at, first=limit, after=walked[-2].names()[-1])
    return walked


@case
def L1_consistent_list(run):
    space = run.space()
    for i in range(WRITES):
        for write in (lambda: space.create(f"o{i}", {"app": "web"}), lambda: space.update(f"o{i}", {"app": "db"}), lambda: space.delete(f"o{i}")):
            written = version_of(write())
            answer = run.read.get(space.path)
            require(check_list(answer, space) >= written, f"{answer.what}: is of {answer.version()}, older than the write of {written} before it")
        space.create(f"kept{i}")
    require(check_list(run.read.get(space.path, labels="app=web"), space, web) >= space.last, "a selector makes a list no older")


@case
def L1_consistent_list_after_a_write_elsewhere(run):
    """The revision of the store, not of the resource, is what a consistent list has reached."""
    space = run.space()
    space.create("a")
    elsewhere = run.space().born
    require(check_list(run.read.get(space.path), space) >= elsewhere, f"a list older than revision {elsewhere}")


@case
def L2_consistent_list_with_limit(run):
    space = run.space()
    for i in range(7):
        space.create(f"o{i}")
    first = run.read.get(space.path, limit=3)
    require(check_list(first, space, first=3) >= space.last, f"{first}: is old")
    require(first.json["metadata"].get("remainingItemCount") == 4, f"{first}: remainingItemCount")


@case
def L3_any_version(run):
    answer = run.read.get(run.fixture.path, rv="0")
    require(check_list(answer, run.fixture) > 0, f"{answer}: a list's revision is above 0")


@case
def L3_any_version_ignores_limit(run):
    check_list(run.read.get(run.fixture.path, rv="0", limit=2), run.fixture)


@case
def L4_any_version_not_older_than(run):
    check_list(run.read.get(run.fixture.path, rv="0", match="NotOlderThan"), run.fixture)
    check_list(run.read.get(run.fixture.path, rv="0", match="NotOlderThan", limit=2), run.fixture)


@case
def L5_not_older_by_default(run):
    space = run.space()
    for i in range(WRITES):
        written = version_of(space.create(f"o{i}"))
        require(check_list(run.read.get(space.path, rv=written), space) >= written, f"older than {written}")
    first = version_of(space.history[0][2])
    require(check_list(run.read.get(space.path, rv=first), space) >= first, f"older than {first}")


@case
def L6_not_older_than(run):
    space = run.space()
    for i in range(WRITES):
        written = version_of(space.create(f"o{i}", {"app": ("web", "db")[i % 2]}))
        answer = run.read.get(space.path, rv=written, match="NotOlderThan", labels="app=web")
        require(check_list(answer, space, web) >= written, f"{answer}: older than {written}")


@case
def L7_not_older_than_with_limit(run):
    space = run.fixture
    first = run.read.get(space.path, rv=space.last, match="NotOlderThan", limit=4)
    require(check_list(first, space, first=4) >= space.last, f"{first}: is old")
    require(len(pages(run, space, first, 4)) == 3, "ten objects are three pages of four")


@case
def L8_limit_makes_it_exact(run):
    space = run.fixture
    for written, _, _ in space.history[2:]:
        first = run.read.get(space.path, rv=written, limit=3)
        check_list(first, space, at=written, first=3)
    pages(run, space, first, 3)


@case
def L9_exact(run):
    space = run.fixture
    for written, _, _ in space.history:
        check_list(run.read.get(space.path, rv=written, match="Exact"), space, at=written)
        check_list(run.read.get(space.path, rv=written, match="Exact", labels="app=web"), space, web, at=written)
    check_list(run.read.get(space.path, rv=space.born, match="Exact"), space, at=space.born)


@case
def L9_exact_at_the_beginning(run):
    """Before anything was there: an empty list, or history that is gone."""
    answer = run.read.get(run.fixture.path, rv=2, match="Exact")
    if answer.status == 410:
        return check_status(answer, 410, "Expired", "The resourceVersion for the provided list is too old.")
    require(answer.ok()["items"] == [] and answer.version() == 2, f"{answer}")


@case
def L9_exact_with_limit(run):
    space = run.fixture
    for written, _, _ in space.history[4:]:
        first = run.read.get(space.path, rv=written, match="Exact", limit=2)
        check_list(first, space, at=written, first=2)
        require(first.json["metadata"].get("remainingItemCount") == len(space.at(written)) - 2, f"{first}: remainingItemCount")


@case
def L9_exact_at_a_revision_of_something_else(run):
    space = run.space()
    space.create("a")
    between = run.space().born
    space.create("b")
    answer = run.read.get(space.path, rv=between, match="Exact")
    check_list(answer, space, at=between)
    require(answer.names() == ["a"], f"{answer}")


@case
def L9_exact_of_one_object(run):
    space = run.fixture
    for at in (space.history[3][0], space.last):
        answer = run.read.get(space.path, rv=at, match="Exact", fields="metadata.name=o03")
        require(answer.ok()["items"] == [bare(space.at(at)["o03"])] and answer.version() == at, f"{answer}: at {at}")


@case
def L10_continue(run):
    """Pages are of the first one's revision, whatever is written meanwhile."""
    space = run.space()
    for i in range(9):
        space.create(f"o{i}")
    first = run.read.get(space.path, limit=2)
    at = check_list(first, space, first=2)
    space.create("o00")
    space.delete("o5")
    space.update("o6", {"app": "db"})
    walked = pages(run, space, first, 2)
    require(len(walked) == 5 and sum(len(p.names()) for p in walked) == 9, f"{[p.names() for p in walked]}")
    for page, left in zip(walked, (7, 5, 3, 1, None)):
        require(page.json["metadata"].get("remainingItemCount") == left, f"{page}: remainingItemCount, expected {left}")
    check_list(run.read.get(space.path, token=first.token()), space, at=at, after="o1")
    check_list(run.read.get(space.path, token=first.token(), rv="0"), space, at=at, after="o1")
    check_list(run.read.get(space.path, token=first.token(), limit=3), space, at=at, first=3, after="o1")


@case
def L10_continue_with_selector(run):
    """No remainingItemCount; every match once, though a last page may be empty."""
    space, token, names = run.fixture, None, []
    for _ in range(20):
        page = run.read.get(space.path, limit=2, labels="app=web", token=token)
        require("remainingItemCount" not in page.ok()["metadata"], f"{page}")
        names, token = names + page.names(), page.token()
        if not token:
            break
    require(names == list(space.at(space.last, web)), f"{names}")


@case
def L10_continue_over_every_namespace(run):
    all_names, token, at = [], None, None
    while at is None or token:
        page = run.read.get(EVERYTHING, limit=5, token=token)
        require(at in (None, page.version()), f"{page}: another revision than {at}")
        at, token = page.version(), page.token()
        all_names += [(t["metadata"]["namespace"], t["metadata"]["name"]) for t in page.ok()["items"]]
    require({(run.fixture.name, name) for name in run.fixture.at(at)} <= set(all_names), "the fixture is among them")
    require(all_names == sorted(set(all_names)), "each object once, in the order of the keys")
    whole = run.read.get(EVERYTHING, rv=at, match="Exact").ok()["items"]
    require(all_names == [(t["metadata"]["namespace"], t["metadata"]["name"]) for t in whole], "the pages are the list at their revision")


@case
def L11_inconsistent_continue(run):
    space = run.space()
    for i in range(6):
        space.create(f"o{i}")
    start = decoded(run.read.get(space.path, limit=2).token())["start"]
    space.delete("o3")
    space.create("o6")
    answer = run.read.get(space.path, token=token_at(-1, start))
    require(check_list(answer, space, after="o1") >= space.last, f"{answer}: not the latest state")
    page = run.read.get(space.path, token=token_at(-1, start), limit=2)
    check_list(page, space, first=2, after="o1")
    require(page.json["metadata"].get("remainingItemCount") == 2, f"{page}: remainingItemCount")
    require(decoded(page.token())["rv"] == page.version(), f"{page}: its token is of its own revision")


@case
def L12_continue_with_revision(run):
    token = run.read.get(run.fixture.path, limit=2).token()
    answer = run.read.get(run.fixture.path, rv=run.fixture.last, token=token)
    check_bad_request(answer, "specifying resource version is not allowed when using continue")


@case
def L13_continue_with_match(run):
    token = run.read.get(run.fixture.path, limit=2).token()
    for rv in (None, "0", run.fixture.last):
        for match in ("Exact", "NotOlderThan"):
            answer = run.read.get(run.fixture.path, rv=rv, match=match, token=token)
            require(answer.status == 422 and "resourceVersionMatch is forbidden when continue is provided" in answer.json["message"], f"{answer}")


@case
def list_limit_that_is_none(run):
    """Neither 0 nor less is a limit, nor one that all fit in."""
    for limit in (0, -1, 10, 500):
        check_list(run.read.get(run.fixture.path, limit=limit), run.fixture)


@case
def list_of_nothing(run):
    answer = run.read.get("/api/v1/namespaces/conformance-nowhere/podtemplates")
    require(answer.ok()["items"] == [] and answer.version() > 0 and '"items":[]' in answer.body.decode().replace(" ", ""), f"{answer}")


@case
def list_ignores_bookmarks_and_unknown_parameters(run):
    check_list(run.read.get(run.fixture.path, bookmarks="true", nonsense="1"), run.fixture)


@case
def list_single_object(run):
    space = run.fixture
    for parameters in ({}, {"rv": "0"}, {"rv": space.last}, {"rv": space.last, "match": "NotOlderThan"}, {"limit": 1}):
        answer = run.read.get(space.path, fields="metadata.name=o04", **parameters)
        require(answer.ok()["items"] == [bare(space.at(space.last)["o04"])] and not answer.token(), f"{answer}")
    require(run.read.get(space.path, fields="metadata.name=passing").ok()["items"] == [], "a deleted object is listed")


@case
def list_revision_starts_a_watch(run):
    """No event of the list's revision or before is missing from it, none after is in it."""
    space = run.space()
    for i in range(WRITES):
        space.create(f"o{i}")
        at = check_list(run.read.get(space.path), space)
        space.update(f"o{i}", {"app": "web"})
        with run.read.watch(space.path, rv=at) as watch:
            (event,) = watch.take(1)
        require(event["type"] == "MODIFIED" and event["object"] == space.history[-1][2], f"{event}")


@case
def GET_most_recent(run):
    space = run.space()
    for i in range(WRITES):
        written = space.create(f"o{i}")
        require(run.read.get(space.object_path(f"o{i}")).ok() == written, "a GET after a create")
        written = space.update(f"o{i}", {"app": "web"})
        require(run.read.get(space.object_path(f"o{i}")).ok() == written, "a GET after an update")
    space.delete("o0")
    check_status(run.read.get(space.object_path("o0")), 404, "NotFound", 'podtemplates "o0" not found', {"name": "o0", "kind": "podtemplates"})


@case
def GET_any_version(run):
    """Some state that the object once had."""
    answer = run.read.get(run.fixture.object_path("o03"), rv="0")
    require(answer.ok() in [t for _, _, t in run.fixture.history if t["metadata"]["name"] == "o03"], f"{answer}")
    absent = run.read.get(run.fixture.object_path("absent"), rv="0")
    check_status(absent, 404, "NotFound", 'podtemplates "absent" not found', {"name": "absent", "kind": "podtemplates"})


@case
def GET_not_older_than(run):
    """The object's own revision, and never an old object."""
    space = run.space()
    space.create("a")
    for i in range(WRITES):
        written = space.update("a", {"n": str(i)})
        require(run.read.get(space.object_path("a"), rv=version_of(written)).ok() == written, "not the state of that revision")
    require(run.read.get(space.object_path("a"), rv=space.history[0][0]).ok()["kind"] == "PodTemplate", "an older revision")
    deleted = version_of(space.delete("a"))
    gone = run.read.get(space.object_path("a"), rv=deleted)
    check_status(gone, 404, "NotFound", 'podtemplates "a" not found', {"name": "a", "kind": "podtemplates"})


@case
def GET_not_found_of_a_group(run):
    answer = run.read.get(f"/apis/apps/v1/namespaces/{run.fixture.name}/deployments/absent")
    check_status(answer, 404, "NotFound", 'deployments.apps "absent" not found', {"name": "absent", "group": "apps", "kind": "deployments"})
