"""Conformance of what is refused before anything is read: options that exclude each other, numbers, continue tokens, odd parameters.

Not here, since a server's gates decide: sendInitialEvents where WatchList is off, a shardSelector that cannot be parsed.
"""
from conformance_cases import case, check_bad_request, check_status, register
from conformance_lists import decoded, encoded, token_at
from conformance_model import EVERYTHING, check_list
from harness import require

MATCH, INITIAL = "resourceVersionMatch", "sendInitialEvents"
UNLESS_VERSION = (MATCH, "Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided")
WITH_CONTINUE = (MATCH, "Forbidden: resourceVersionMatch is forbidden when continue is provided")
EXACT_ZERO = (MATCH, 'Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"')
UNLESS_INITIAL = (MATCH, "Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided")
NEEDS_NOT_OLDER = (MATCH, "Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan")
NOT_IN_LIST = (INITIAL, "Forbidden: sendInitialEvents is forbidden for list")


def unsupported(value, *supported):
    return (MATCH, f'Unsupported value: "{value}": supported values: ' + ", ".join(f'"{s}"' for s in supported))


LIST_VALUES, WATCH_VALUES = ("Exact", "NotOlderThan", ""), ("NotOlderThan",)

# Name, is it a watch, parameters, the errors.
VALIDATION = [
    ("list_match_without_revision", False, {"match": "Exact"}, [UNLESS_VERSION]),
    ("list_match_not_older_without_revision", False, {"match": "NotOlderThan"}, [UNLESS_VERSION]),
    ("list_match_with_continue", False, {"rv": "5", "match": "Exact", "token": "x"}, [WITH_CONTINUE]),
    ("list_match_with_continue_without_revision", False, {"match": "Exact", "token": "x"}, [UNLESS_VERSION, WITH_CONTINUE]),
    ("list_unknown_match", False, {"rv": "5", "match": "Sometimes"}, [unsupported("Sometimes", *LIST_VALUES)]),
    ("list_unknown_match_without_revision", False, {"match": "exact"}, [UNLESS_VERSION, unsupported("exact", *LIST_VALUES)]),
    ("list_exact_zero", False, {"rv": "0", "match": "Exact"}, [EXACT_ZERO]),
    ("list_with_initial_events", False, {"initial": "true"}, [NOT_IN_LIST]),
    ("list_with_initial_events_false", False, {"initial": "false"}, [NOT_IN_LIST]),
    ("list_two_errors", False, {"match": "Exact", "initial": "true"}, [UNLESS_VERSION, NOT_IN_LIST]),
    ("watch_match_without_initial_events", True, {"rv": "5", "match": "NotOlderThan"}, [UNLESS_INITIAL]),
    ("watch_exact_without_initial_events", True, {"rv": "5", "match": "Exact"}, [UNLESS_INITIAL, unsupported("Exact", *WATCH_VALUES)]),
    ("watch_initial_events_without_match", True, {"initial": "true"}, [NEEDS_NOT_OLDER]),
    ("watch_initial_events_false_without_match", True, {"rv": "5", "initial": "false"}, [NEEDS_NOT_OLDER]),
    ("watch_initial_events_with_exact", True, {"rv": "5", "initial": "true", "match": "Exact"},
     [NEEDS_NOT_OLDER, unsupported("Exact", *WATCH_VALUES)]),
    ("watch_match_with_continue", True, {"initial": "true", "match": "NotOlderThan", "token": "x"}, [WITH_CONTINUE]),
]


def refused(watch, parameters, errors):
    def run_case(run):
        texts = [f"{field}: {text}" for field, text in errors]
        printed = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
        causes = [{"reason": "FieldValueForbidden" if text.startswith("Forbidden") else "FieldValueNotSupported", "message": text, "field": field}
                  for field, text in errors]
        answer = run.read.get(run.fixture.path, watch="true" if watch else None, **parameters)
        check_status(answer, 422, "Invalid", f'ListOptions.meta.k8s.io "" is invalid: {printed}',
                     {"group": "meta.k8s.io", "kind": "ListOptions", "causes": causes})
    return run_case


for name, watch, parameters, errors in VALIDATION:
    register(f"validation_{name}", refused(watch, parameters, errors))


BAD_VERSION = 'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax'


@case
def storage_list_revision_is_no_number(run):
    for parameters in ({}, {"limit": 2}, {"match": "Exact"}, {"match": "NotOlderThan"}):
        check_bad_request(run.read.get(run.fixture.path, rv="abc", **parameters), f"invalid resource version: {BAD_VERSION}")
    beyond = BAD_VERSION.replace("abc", "18446744073709551616").replace("invalid syntax", "value out of range")
    check_bad_request(run.read.get(run.fixture.path, rv="18446744073709551616"), f"invalid resource version: {beyond}")
    negative = BAD_VERSION.replace("abc", "-1")
    check_bad_request(run.read.get(run.fixture.path, rv="-1"), f"invalid resource version: {negative}")


@case
def storage_get_and_watch_revision_is_no_number(run):
    """A 500 without a reason: a quirk that clients know."""
    check_status(run.read.get(run.fixture.object_path("o00"), rv="abc"), 500, "", BAD_VERSION)
    check_status(run.read.get(run.fixture.path, rv="abc", watch="true"), 500, "", BAD_VERSION)


@case
def storage_list_bad_token(run):
    check_bad_request(run.read.get(run.fixture.path, token="!"),
                      "invalid continue token: continue key is not valid: illegal base64 data at input byte 0")


@case
def storage_list_token_with_revision(run):
    answer = run.read.get(run.fixture.path, rv="5", token=token_at(5, "o01\0"))
    check_bad_request(answer, "specifying resource version is not allowed when using continue")
    check_list(run.read.get(run.fixture.path, rv="0", token=token_at(run.fixture.last, "o01\0")), run.fixture, at=run.fixture.last, after="o01")


@case
def storage_single_object_bad_token(run):
    answer = run.read.get(run.fixture.path, fields="metadata.name=o01", token="!")
    check_bad_request(answer, "invalid continue token: continue key is not valid: illegal base64 data at input byte 0")


@case
def storage_single_object_token(run):
    """A list of one object goes on behind the token's key as any other does."""
    for revision in (run.fixture.last, -1):
        for start, names in (("o00\0", ["o01"]), ("o01\0", []), ("o05\0", [])):
            answer = run.read.get(run.fixture.path, fields="metadata.name=o01", token=token_at(revision, start))
            require(answer.names() == names, f"{answer}: behind {start!r} at {revision}, expected {names}")


# Name, token, what is said behind `invalid continue token: `.
NOT_VALID = "continue key is not valid: "
TOKENS = [
    ("not_base64", "%%%", NOT_VALID + "illegal base64 data at input byte 0"),
    ("padded", encoded("xyzw") + "==", NOT_VALID + "illegal base64 data at input byte 6"),
    ("not_json", encoded("xyz"), NOT_VALID + "invalid character 'x' looking for beginning of value"),
    ("cut_off", encoded('{"v":'), NOT_VALID + "unexpected end of JSON input"),
    ("revision_zero", token_at(0, "o01\0"), NOT_VALID + "incorrect encoded start resourceVersion (version meta.k8s.io/v1)"),
    ("no_start", token_at(5, ""), NOT_VALID + "encoded start key empty (version meta.k8s.io/v1)"),
    ("other_version", encoded({"v": "v2", "rv": 5, "start": "o01\0"}), NOT_VALID + "server does not recognize this encoded version v2"),
    ("no_version", encoded({"rv": 5, "start": "o01\0"}), NOT_VALID + "server does not recognize this encoded version "),
]


def token_refused(token, message):
    return lambda run: check_bad_request(run.read.get(run.fixture.path, token=token), f"invalid continue token: {message}")


for name, token, message in TOKENS:
    register(f"token_{name}", token_refused(token, message))


@case
def token_out_of_the_prefix(run):
    for start in ("../other\0", "a/../../b\0", "/../x\0"):
        answer = run.read.get(run.fixture.path, token=token_at(run.fixture.last, start))
        require(answer.status == 400 and answer.json["message"].startswith("invalid continue token: "), f"{answer} for {start!r}")


@case
def token_with_and_without_slash(run):
    """Tokens cut from the cache begin with a slash, those cut from the store do not; each is taken by all."""
    for start in ("o04\0", "/o04\0"):
        check_list(run.read.get(run.fixture.path, token=token_at(run.fixture.last, start)), run.fixture, at=run.fixture.last, after="o04")


@case
def token_of_a_page(run):
    """Raw URL base64 of the next possible key behind the page, at the page's revision."""
    page = run.read.get(run.fixture.path, limit=4)
    content = decoded(page.token())
    content["start"] = content["start"].lstrip("/")
    require(content == {"v": "meta.k8s.io/v1", "rv": page.version(), "start": "o03\0"}, f"{page}: its token is {content}")
    require("=" not in page.token(), f"{page}: a padded token")


@case
def token_is_bound_to_no_selector(run):
    page = run.read.get(run.fixture.path, limit=4)
    answer = run.read.get(run.fixture.path, token=page.token(), labels="app=web")
    check_list(answer, run.fixture, lambda labels: labels.get("app") == "web", at=page.version(), after="o03")


@case
def token_behind_everything(run):
    answer = run.read.get(run.fixture.path, token=token_at(run.fixture.last, "zzz\0"))
    require(answer.ok()["items"] == [] and not answer.token(), f"{answer}")


@case
def parameters_that_are_no_numbers(run):
    for name in ("limit", "timeoutSeconds"):
        answer = run.read.get(run.fixture.path, **{name: "abc"})
        check_bad_request(answer, 'strconv.ParseInt: parsing "abc": invalid syntax')


@case
def parameters_reported_in_order(run):
    """A number before a label selector, that before a field selector, options that exclude each other before a field of no kind."""
    number = run.read.get(run.fixture.path, limit="abc", labels=",,", fields="x")
    check_bad_request(number, 'strconv.ParseInt: parsing "abc": invalid syntax')
    label = run.read.get(run.fixture.path, labels="x in (", fields="x")
    require(label.status == 400 and "unable to parse requirement" in label.json["message"], f"{label}")
    require(run.read.get(run.fixture.path, match="Exact", fields="no.such=1").status == 422, "options come before what a kind's fields are")


@case
def parameters_booleans(run):
    """Missing, `false` and `0` are false; all else is true, the empty value too."""
    for value in ("false", "False", "0"):
        require(run.read.get(run.fixture.path, watch=value).ok()["kind"] == "PodTemplateList", f"watch={value} is a list")
    for value in ("true", "1", "", "yes"):
        answer = run.read.get(run.fixture.path, watch=value, rv=run.fixture.last, seconds=-1)
        require(answer.status == 200 and b"PodTemplateList" not in answer.body, f"{answer}: watch={value} is a watch")


@case
def parameters_given_twice(run):
    answer = run.read.ask("GET", f"{run.fixture.path}?limit=2&limit=5")
    require(len(answer.names()) == 2, f"{answer}: the first counts")


@case
def revision_with_leading_zeros(run):
    check_list(run.read.get(run.fixture.path, rv=f"000{run.fixture.last}", match="Exact"), run.fixture, at=run.fixture.last)


@case
def watch_of_one_objects_path_is_a_get(run):
    require(run.read.get(run.fixture.object_path("o01"), watch="true").ok() == run.fixture.at(run.fixture.last)["o01"], "a plain GET")


@case
def path_of_an_empty_namespace(run):
    answer = run.read.get("/api/v1/namespaces//podtemplates", fields=f"metadata.namespace={run.fixture.name}")
    require(answer.names() == list(run.fixture.at(run.fixture.last)), f"{answer}: all namespaces")


@case
def path_with_a_trailing_slash(run):
    check_list(run.read.get(run.fixture.path + "/"), run.fixture)
    require(run.read.get(run.fixture.object_path("o01") + "/").ok() == run.fixture.at(run.fixture.last)["o01"], "of an object")


@case
def path_name_that_is_a_dot(run):
    for name in (".", ".."):
        answer = run.read.ask("GET", run.fixture.object_path(name))
        require(answer.status == 400, f"{answer}")
        check_bad_request(answer, f'Name parameter invalid: "{name}": may not be \'{name}\'')


@case
def path_of_no_resource(run):
    unknown = "the server could not find the requested resource"
    check_status(run.read.get("/api/v1/nonsense"), 404, "NotFound", unknown, {})
    check_status(run.read.get(f"/api/v1/namespaces/{run.fixture.name}/nonsense/x"), 404, "NotFound", unknown, {})
    for path in ("/apis/no.such.group/v1/things", "/nonsense"):
        answer = run.read.get(path)
        require(answer.status == 404 and answer.headers["Content-Type"].startswith("text/plain"), f"{answer} {answer.headers['Content-Type']}")
        require(answer.body == b"404 page not found\n", f"{answer}")


NOT_ALLOWED = "the server does not allow this method on the requested resource"


@case
def path_that_cannot_be_listed(run):
    check_status(run.read.get(f"/api/v1/namespaces/{run.fixture.name}/bindings"), 405, "MethodNotAllowed", NOT_ALLOWED, {})


@case
def path_that_is_only_written(run):
    check_status(run.read.get(f"/api/v1/namespaces/{run.fixture.name}/pods/x/binding"), 405, "MethodNotAllowed", NOT_ALLOWED, {})


@case
def path_without_a_subresource(run):
    check_status(run.read.get(run.fixture.object_path("o01/status")), 404, "NotFound", "the server could not find the requested resource", {})


@case
def path_with_a_method_of_no_use(run):
    for method in ("FOO", "OPTIONS"):
        answer = run.read.ask(method, EVERYTHING)
        check_status(answer, 405, "MethodNotAllowed", NOT_ALLOWED, {})
        require(answer.headers["Allow"] is None, f"{answer}: {answer.headers['Allow']}")
    require(run.read.ask("HEAD", EVERYTHING).status == 405, "HEAD is 405, too")


@case
def path_with_slashes(run):
    """An escaped one is one; two are one too many."""
    check_list(run.read.ask("GET", run.fixture.path.replace("/podtemplates", "%2Fpodtemplates")), run.fixture)
    check_status(run.read.get("/api/v1//podtemplates"), 404, "NotFound", "the server could not find the requested resource", {})


@case
def path_of_watch_alone(run):
    answer = run.read.get("/api/v1/watch")
    require(answer.status == 500 and answer.headers["Content-Type"].startswith("text/plain"), f"{answer}")


@case
def parameters_that_cannot_be_read(run):
    """A part of the query that is no query is dropped, and no more than that."""
    require(len(run.read.ask("GET", f"{run.fixture.path}?limit=3&x=%zz").names()) == 3, "the rest of the query counts")


@case
def path_scopes(run):
    """One namespace holds its own, all of them hold it too."""
    names = [t["metadata"]["name"] for t in run.read.get(EVERYTHING).ok()["items"] if t["metadata"]["namespace"] == run.fixture.name]
    require(names == list(run.fixture.at(run.fixture.last)), f"{names}")
