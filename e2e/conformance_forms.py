"""Conformance of the forms that answers come in: JSON, pretty JSON, YAML, protobuf, Table, PartialObjectMetadata, compressed, on watches."""
import gzip
import json

from conformance_cases import case, check_failure
from conformance_model import bare, check_list
from harness import require

JSON, YAML, PROTOBUF = "application/json", "application/yaml", "application/vnd.kubernetes.protobuf"
MAGIC = b"k8s\0"
META = ";v=v1;g=meta.k8s.io"
TABLE = f"{JSON};as=Table{META}"
COMPRESSED_BYTES = 128 * 1024
LISTS = "application/json, application/yaml, application/vnd.kubernetes.protobuf"
STREAMS = "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch"


def is_type(answer, expected):
    require(answer.status == 200 and answer.headers["Content-Type"] == expected, f"{answer}: {answer.headers['Content-Type']}, expected {expected}")


@case
def form_json(run):
    for accept in (JSON, "*/*", "text/html,*/*;q=0.1", f"application/unknown,{JSON}"):
        answer = run.read.get(run.fixture.path, accept)
        is_type(answer, JSON)
        check_list(answer, run.fixture)
        require(answer.body.count(b"\n") == 1 and answer.body.endswith(b"}\n"), f"{answer}: one line")


@case
def form_json_pretty(run):
    for accept, parameters, headers in ((JSON, {"pretty": "true"}, {}), (JSON, {"pretty": "1"}, {}), (f"{JSON};pretty=1", {}, {}),
                                        (JSON, {}, {"User-Agent": "curl/8"})):
        answer = run.read.get(run.fixture.object_path("o01"), accept, headers, **parameters)
        require(answer.body.startswith(b'{\n  "kind": "PodTemplate",\n  "apiVersion": "v1",\n'), f"{answer}")
        require(answer.ok() == run.fixture.at(run.fixture.last)["o01"], f"{answer}")
    for parameters, headers in (({"pretty": "yes"}, {}), ({"pretty": "false"}, {"User-Agent": "curl/8"})):
        require(run.read.get(run.fixture.object_path("o01"), JSON, headers, **parameters).body.count(b"\n") == 1, f"{parameters} {headers}")


@case
def form_yaml(run):
    answer = run.read.get(run.fixture.object_path("o01"), YAML)
    is_type(answer, YAML)
    require(b"kind: PodTemplate\n" in answer.body and b"  name: o01\n" in answer.body, f"{answer}")


@case
def form_protobuf(run):
    for path in (run.fixture.path, run.fixture.object_path("o01")):
        answer = run.read.get(path, f"{PROTOBUF},{JSON}")
        is_type(answer, PROTOBUF)
        require(answer.body.startswith(MAGIC) and b"PodTemplate" in answer.body and b"o01" in answer.body, f"{answer}")


@case
def form_table(run):
    answer = run.read.get(run.fixture.path, TABLE)
    is_type(answer, JSON)
    table = answer.ok()
    require(table["kind"] == "Table" and table["columnDefinitions"][0]["name"] == "Name" and answer.version() >= run.fixture.last, f"{answer}")
    require([row["cells"][0] for row in table["rows"]] == list(run.fixture.at(answer.version())), f"{answer}")
    require(all(row["object"]["kind"] == "PartialObjectMetadata" for row in table["rows"]), f"{answer}")
    without = run.read.get(run.fixture.path, TABLE, includeObject="None").ok()["rows"]
    require(all(row.get("object") is None for row in without), f"{without}: rows without objects")


@case
def form_metadata(run):
    answer = run.read.get(run.fixture.path, f"{JSON};as=PartialObjectMetadataList{META}")
    is_type(answer, JSON)
    require(answer.ok()["kind"] == "PartialObjectMetadataList" and answer.json["apiVersion"] == "meta.k8s.io/v1", f"{answer}")
    state = run.fixture.at(answer.version())
    require([item["metadata"] for item in answer.json["items"]] == [thing["metadata"] for thing in state.values()], f"{answer}")
    require(all(set(item) <= {"metadata", "kind", "apiVersion"} for item in answer.json["items"]), f"{answer}")
    one = run.read.get(run.fixture.object_path("o01"), f"{JSON};as=PartialObjectMetadata{META}").ok()
    require(one == {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": state["o01"]["metadata"]}, f"{one}")


@case
def form_compressed(run):
    """From 128 KiB on, if gzip is accepted by that very word."""
    space = run.space()
    space.create("big", note="x" * COMPRESSED_BYTES)
    space.create("small")
    for path in (space.path, space.object_path("big")):
        answer = run.read.get(path, headers={"Accept-Encoding": "gzip"})
        require(answer.status == 200 and answer.headers["Content-Encoding"] == "gzip", f"{path}: {answer.headers}")
        body = json.loads(gzip.decompress(answer.body))
        require(body.get("items", [bare(body)])[0] == bare(space.at(space.last)["big"]), f"{path}: another object")
        for other in ("gzip;q=0.5", "*", "identity"):
            require(run.read.get(path, headers={"Accept-Encoding": other}).headers["Content-Encoding"] is None, f"{path}: {other}")
    require(run.read.get(space.object_path("small"), headers={"Accept-Encoding": "gzip"}).headers["Content-Encoding"] is None, "a small one")


@case
def form_not_acceptable(run):
    for accept in ("application/cbor", "application/*", "*", "Application/JSON", "text/plain"):
        answer = run.read.get(run.fixture.path, accept)
        require(answer.status == 406, f"{answer}: {accept}")
        check_failure(str(answer), answer.json, 406, "NotAcceptable", f"406: Not Acceptable\n\nAvailable representations: {LISTS}, {STREAMS}", {})


@case
def form_unknown_projection(run):
    for accept in (f"{JSON};as=Nonsense{META}", f"{JSON};as=Table", f"{JSON};as=Table;v=v9;g=meta.k8s.io"):
        answer = run.read.get(run.fixture.path, accept)
        require(answer.status == 406, f"{answer}: {accept}")
        check_failure(str(answer), answer.json, 406, "NotAcceptable", f"only the following media types are accepted: {LISTS}")


def frames_of(body):
    frames = []
    while body:
        length = int.from_bytes(body[:4], "big")
        frames.append(body[4:4 + length])
        require(len(frames[-1]) == length, f"a frame of {length} bytes is cut off")
        body = body[4 + length:]
    return frames


def values_of(body):
    decoder, text, values = json.JSONDecoder(), body.decode().lstrip(), []
    while text:
        value, end = decoder.raw_decode(text)
        values.append(value)
        text = text[end:].lstrip()
    return values


def watched(run, accept, **parameters):
    return run.read.raw_watch(run.fixture.path, accept, rv=run.fixture.born, seconds=1, **parameters)


@case
def form_watch_json(run):
    answer = watched(run, JSON)
    is_type(answer, JSON)
    require(answer.headers["Transfer-Encoding"] == "chunked" or answer.headers["Content-Length"] is None, f"{answer.headers}")
    require([(v["type"], v["object"]) for v in values_of(answer.body)] == run.fixture.events(run.fixture.born), f"{answer}")


@case
def form_watch_protobuf(run):
    """Four bytes of length before each frame."""
    answer = watched(run, PROTOBUF)
    is_type(answer, f"{PROTOBUF};stream=watch")
    frames = frames_of(answer.body)
    due = run.fixture.events(run.fixture.born)
    require(len(frames) == len(due), f"{len(frames)} frames, {len(due)} events")
    for frame, (kind, thing) in zip(frames, due):
        require(kind.encode() in frame and MAGIC in frame and thing["metadata"]["name"].encode() in frame, f"{frame!r} for {kind}")


@case
def form_watch_table(run):
    """Columns in the first frame only."""
    values = values_of(watched(run, TABLE).body)
    due = run.fixture.events(run.fixture.born)
    require([(v["type"], v["object"]["rows"][0]["cells"][0]) for v in values] == [(k, t["metadata"]["name"]) for k, t in due], f"{values}")
    require([bool(v["object"].get("columnDefinitions")) for v in values] == [True] + [False] * (len(due) - 1), f"{values}")


@case
def form_watch_table_bookmark(run):
    """A Table of one row without content, the annotation on the row's object."""
    answer = run.read.raw_watch(run.fixture.path, TABLE, initial="true", match="NotOlderThan", bookmarks="true", seconds=1)
    ends = [v for v in values_of(answer.body) if v["type"] == "BOOKMARK" and "annotations" in v["object"]["rows"][0]["object"]["metadata"]]
    require(len(ends) == 1 and len(ends[0]["object"]["rows"]) == 1, f"{answer.what}: {ends}")
    row = ends[0]["object"]["rows"][0]
    require(row["cells"][0] == "" and row["object"]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}, f"{row}")


@case
def form_watch_metadata(run):
    values = values_of(watched(run, f"{JSON};as=PartialObjectMetadata{META}").body)
    expected = [(kind, {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": thing["metadata"]})
                for kind, thing in run.fixture.events(run.fixture.born)]
    require([(v["type"], v["object"]) for v in values] == expected, f"{values}")


@case
def form_watch_metadata_list(run):
    """Of lists there is no stream: it ends without a frame."""
    answer = watched(run, f"{JSON};as=PartialObjectMetadataList{META}")
    require(answer.status == 200 and answer.body == b"", f"{answer}")


@case
def form_watch_not_acceptable(run):
    answer = run.read.get(run.fixture.path, "application/cbor", watch="true")
    check_failure(str(answer), answer.json, 406, "NotAcceptable", f"406: Not Acceptable\n\nAvailable representations: {LISTS}, {STREAMS}", {})
    answer = run.read.get(run.fixture.path, f"{JSON};as=Nonsense{META}", watch="true")
    check_failure(str(answer), answer.json, 406, "NotAcceptable", f"only the following media types are accepted: {LISTS}")


@case
def form_warning_of_a_deprecated_resource(run):
    warning = '299 - "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"'
    path = f"/api/v1/namespaces/{run.fixture.name}/endpoints"
    for answer in (run.read.get(path), run.read.get(path + "/absent"), run.read.get(path, rv="abc")):
        require(answer.headers["Warning"] == warning, f"{answer}: {answer.headers['Warning']}")
