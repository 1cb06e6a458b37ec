"""Conformance of label and field selectors: what each form chooses, which fields a resource has, and the text of each error."""
from conformance_cases import case, check_bad_request, register
from conformance_model import check_list, labels_of
from harness import require

# Name, selector, what it means. The fixture has app, tier, n, empty and example.com/team.
FORMS = [
    ("exists", "tier", lambda l: "tier" in l),
    ("exists_not", "!tier", lambda l: "tier" not in l),
    ("equals", "app=web", lambda l: l.get("app") == "web"),
    ("equals_twice", "app==db", lambda l: l.get("app") == "db"),
    ("equals_not", "app!=web", lambda l: l.get("app") != "web"),
    ("in", "app in (web,none)", lambda l: l.get("app") in ("web", "none")),
    ("notin", "app notin (web, none)", lambda l: l.get("app") not in ("web", "none")),
    ("greater", "n>5", lambda l: int(l["n"]) > 5),
    ("less", "n<5", lambda l: int(l["n"]) < 5),
    ("greater_of_no_number", "app>1", lambda l: False),
    ("all_must_hold", "app=web,tier,n>0", lambda l: l.get("app") == "web" and "tier" in l and int(l["n"]) > 0),
    ("contradiction", "app=web,app=db", lambda l: False),
    ("spaces", "  app = web ,  !tier ", lambda l: l.get("app") == "web" and "tier" not in l),
    ("empty", "", lambda l: True),
    ("empty_value", "empty=", lambda l: l.get("empty") == ""),
    ("empty_value_of_absent", "empty!=", lambda l: l.get("empty") != ""),
    ("empty_set", "empty in ()", lambda l: l.get("empty") == ""),
    ("empty_in_set", "empty in (,a)", lambda l: l.get("empty") in ("", "a")),
    ("prefixed_key", "example.com/team=in", lambda l: l.get("example.com/team") == "in"),
    ("keywords_as_names", "in in (in)", lambda l: l.get("in") == "in"),
    ("keyword_as_value", "example.com/team in (in,notin)", lambda l: l.get("example.com/team") in ("in", "notin")),
    ("two_empty_values", "empty=,n= ", lambda l: l.get("empty") == "" and l.get("n") == ""),
]


def chooses(selector, means):
    def run_case(run):
        check_list(run.read.get(run.fixture.path, labels=selector), run.fixture, means)
        check_list(run.read.get(run.fixture.path, labels=selector, rv="0"), run.fixture, means)
        check_list(run.read.get(run.fixture.path, labels=selector, rv=run.fixture.last, match="Exact"), run.fixture, means, at=run.fixture.last)
    return run_case


for name, selector, means in FORMS:
    register(f"labels_{name}", chooses(selector, means))


REQUIREMENT = "unable to parse requirement: "
NAME_PART = ("name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
             "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')")
VALUE = ("a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
         "alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
         "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')")
OPERATORS = "in, notin, =, ==, !=, gt, lt"
LONG = "x" * 64
LABEL_ERRORS = [
    ("no_operator", "x y", REQUIREMENT + f"found 'y', expected: {OPERATORS}"),
    ("no_parenthesis", "x in a", REQUIREMENT + "found 'a' expected: '('"),
    ("set_without_end", "x in (a", REQUIREMENT + "found '', expected: ',' or ')'"),
    ("set_without_comma", "x in (a b)", REQUIREMENT + "found 'b', expected: ',' or ')'"),
    ("set_of_operators", "x in (=)", REQUIREMENT + "found '=', expected: ',', ')' or identifier"),
    ("no_value", "x=(", REQUIREMENT + "found '(', expected: identifier"),
    ("not_nothing", "!", REQUIREMENT + "found '', expected: identifier"),
    ("not_with_value", "!x=a", "found '=', expected: ',' or 'end of string'"),
    ("two_operators", "x==a==b", "found '==', expected: ',' or 'end of string'"),
    ("or", "x=a||y=b", REQUIREMENT + f'values[0][x]: Invalid value: "a||y": {VALUE}'),
    ("trailing_comma", "x=a,", "found '', expected: identifier after ','"),
    ("leading_comma", ",x", "found ',', expected: !, identifier, or 'end of string'"),
    ("bad_key", "-x=a", REQUIREMENT + f'<nil>: Invalid value: "-x": {NAME_PART}'),
    ("long_key", f"{LONG}=a", REQUIREMENT + f'<nil>: Invalid value: "{LONG}": name part must be no more than 63 bytes'),
    ("empty_name_part", "example.com/=a", None),
    ("bad_value", "x=-a", REQUIREMENT + f'values[0][x]: Invalid value: "-a": {VALUE}'),
    ("long_value", f"x={LONG}", REQUIREMENT + f'values[0][x]: Invalid value: "{LONG}": must be no more than 63 bytes'),
    ("less_than_a_word", "x<a", REQUIREMENT + "values[0]: Invalid value: \"a\": for 'Gt', 'Lt' operators, the value must be an integer"),
    ("less_than_a_negative", "x<-5", REQUIREMENT + f'values[0][x]: Invalid value: "-5": {VALUE}'),
    ("gt_as_a_word", "x gt 5", REQUIREMENT + f"found 'gt', expected: {OPERATORS}"),
]


def label_refused(selector, message):
    def run_case(run):
        for watch in (None, "true"):
            answer = run.read.get(run.fixture.path, labels=selector, watch=watch)
            require(answer.status == 400, f"{answer}: expected 400")
            check_bad_request(answer, answer.json["message"] if message is None else message)
    return run_case


for name, selector, message in LABEL_ERRORS:
    register(f"labels_error_{name}", label_refused(selector, message))


def fields_choose(selector, names):
    def run_case(run):
        for parameters in ({}, {"rv": run.fixture.last, "match": "Exact"}):
            answer = run.read.get(run.fixture.path, fields=selector, **parameters)
            require(answer.names() == names(run), f"{answer}: expected {names(run)}")
    return run_case


def all_names(run):
    return list(run.fixture.at(run.fixture.last))


FIELDS = [
    ("equals", "metadata.name=o02", lambda run: ["o02"]),
    ("equals_twice", "metadata.name==o02", lambda run: ["o02"]),
    ("equals_not", "metadata.name!=o02", lambda run: [n for n in all_names(run) if n != "o02"]),
    ("all_must_hold", "metadata.name!=o02,metadata.name!=o03", lambda run: [n for n in all_names(run) if n not in ("o02", "o03")]),
    ("empty_terms", ",metadata.name=o02,,", lambda run: ["o02"]),
    ("escaped", "metadata.name=o\\=2", lambda run: []),
    ("of_nothing", "metadata.name=", lambda run: []),
    ("empty", "", all_names),
    ("other_namespace", "metadata.namespace=default", lambda run: []),
]
for name, selector, names in FIELDS:
    register(f"fields_{name}", fields_choose(selector, names))

FIELD_ERRORS = [
    ("no_operator", "metadata.name", "invalid selector: 'metadata.name'; can't understand 'metadata.name'"),
    ("second_term", "metadata.name=a,b", "invalid selector: 'metadata.name=a,b'; can't understand 'b'"),
    ("bad_escape", "metadata.name=a\\x", "invalid field selector: invalid escape sequence: \\x"),
    ("unescaped", "metadata.name=a=b", "invalid field selector: unescaped character in value: 61"),
    ("set", "metadata.name in (a)", "invalid selector: 'metadata.name in (a)'; can't understand 'metadata.name in (a)'"),
]


def field_refused(selector, message):
    return lambda run: check_bad_request(run.read.get(run.fixture.path, fields=selector), message)


for name, selector, message in FIELD_ERRORS:
    register(f"fields_error_{name}", field_refused(selector, message))


@case
def fields_with_labels(run):
    answer = run.read.get(run.fixture.path, fields="metadata.name!=o02", labels="app=web")
    expected = [n for n, t in run.fixture.at(run.fixture.last).items() if labels_of(t).get("app") == "web" and n != "o02"]
    require(answer.names() == expected, f"{answer}: expected {expected}")


@case
def fields_name_that_is_not_the_paths(run):
    """With a name in the path there is no list; a field selector has no say in it."""
    require(run.read.get(run.fixture.object_path("o01"), fields="metadata.name=o02").ok()["metadata"]["name"] == "o01", "a GET")


NOT_SUPPORTED = "field label not supported: {}"
NOT_KNOWN = '"{}" is not a known field selector: only "metadata.name", "metadata.namespace"'
# Resource, its root, the fields it has, the text about one that it has not.
INVOLVED = [f"involvedObject.{f}" for f in ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")]
REGARDING = [f.replace("involvedObject", "regarding") for f in INVOLVED]
SUPPORTED = [
    ("pods", "/api/v1", ["spec.nodeName", "spec.host", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName", "spec.hostNetwork",
                         "status.phase", "status.podIP", "status.podIPs", "status.nominatedNodeName", "metadata.namespace"], NOT_SUPPORTED),
    ("nodes", "/api/v1", ["spec.unschedulable"], NOT_SUPPORTED),
    ("events", "/api/v1", [*INVOLVED, "reason", "reportingComponent", "source", "type", "metadata.namespace"], NOT_SUPPORTED),
    ("events.k8s.io", "/apis/events.k8s.io/v1", [*REGARDING, "reportingController", "reason", "type", "metadata.namespace"], NOT_SUPPORTED),
    ("namespaces", "/api/v1", ["status.phase"], NOT_SUPPORTED),
    ("secrets", "/api/v1", ["type", "metadata.namespace"], NOT_SUPPORTED),
    ("services", "/api/v1", ["spec.clusterIP", "spec.type", "metadata.namespace"], NOT_SUPPORTED),
    ("replicationcontrollers", "/api/v1", ["status.replicas", "metadata.namespace"], NOT_SUPPORTED),
    ("replicasets", "/apis/apps/v1", ["metadata.namespace"], NOT_KNOWN),
    ("jobs", "/apis/batch/v1", ["status.successful", "metadata.namespace"], 'field label "{}" not supported for Job'),
    ("resourceslices", "/apis/resource.k8s.io/v1", ["spec.nodeName", "spec.driver"],
     "field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: {}"),
    ("certificatesigningrequests", "/apis/certificates.k8s.io/v1", ["spec.signerName"], NOT_SUPPORTED),
    ("deployments", "/apis/apps/v1", ["metadata.namespace"], NOT_KNOWN),
    ("configmaps", "/api/v1", ["metadata.namespace"], NOT_KNOWN),
    ("leases", "/apis/coordination.k8s.io/v1", ["metadata.namespace"], NOT_KNOWN),
    ("persistentvolumes", "/api/v1", ["metadata.namespace"], NOT_KNOWN),
    ("clusterroles", "/apis/rbac.authorization.k8s.io/v1", ["metadata.namespace"], NOT_KNOWN),
]


def fields_of(resource, root, supported, refusal):
    def run_case(run):
        path = f"{root}/{resource.split('.')[0]}"
        for field in ["metadata.name", *supported]:
            run.read.get(path, fields=f"{field}=no-such-value", limit=1).ok()
        namespaces = [] if refusal != NOT_SUPPORTED or "metadata.namespace" in supported else ["metadata.namespace"]
        for field in ["no.such", "status.replicasx", "name", *namespaces]:
            check_bad_request(run.read.get(path, fields=f"{field}=x"), refusal.format(field))
        check_bad_request(run.read.get(path, fields="b.c=1,a.b=1"), refusal.format("a.b"))  # in the order of the fields
    return run_case


for resource, root, supported, refusal in SUPPORTED:
    register(f"fields_of_{resource}", fields_of(resource, root, supported, refusal))


@case
def fields_of_pods_choose(run):
    """What a pod shows by each field, from the whole resource and from its namespace."""
    space = run.space()
    node = f"{space.name}-node"
    root = f"/api/v1/namespaces/{space.name}/pods"
    pods = {"a": {"nodeName": node, "restartPolicy": "Never"}, "b": {"schedulerName": "own"}, "c": {"nodeName": node, "hostNetwork": True}}
    for name, spec in pods.items():
        body = {"metadata": {"name": name}, "spec": {"containers": [{"name": "c", "image": "i"}], "automountServiceAccountToken": False, **spec}}
        run.write.ask("POST", root, body).ok(201)
    for fields, names in ((f"spec.nodeName={node}", "ac"), (f"spec.host={node}", "ac"), (f"spec.nodeName!={node}", "b"), ("spec.nodeName=", "b"),
                          ("spec.restartPolicy=Never", "a"), ("spec.schedulerName=own", "b"), ("spec.hostNetwork=true", "c"),
                          ("spec.hostNetwork=false", "ab"), ("status.phase=Pending", "abc"), ("status.phase=Running", ""), ("status.podIP=", "abc"),
                          ("status.podIPs=", "abc"), (f"spec.nodeName={node},status.phase!=Running,spec.restartPolicy=Always", "c")):
        answer = run.read.get(root, fields=fields)
        require("".join(answer.names()) == names, f"{answer}: {fields} chooses {names!r}")
    require(run.read.get("/api/v1/pods", fields=f"spec.nodeName={node}").names() == ["a", "c"], "of all namespaces")
