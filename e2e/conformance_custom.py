"""Conformance of custom resources: their fields, their forms, and what becomes of their watches when the definition goes."""
from conformance_cases import case, check_bad_request
from conformance_model import version_of
from harness import require, wait_until

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


class Gadgets:
    """A definition of this run's own, removed with the block."""

    def __init__(self, run, suffix):
        self.run, self.group = run, f"{suffix}.{run.name}.example.com"
        self.path = f"/apis/{self.group}/v1/namespaces/{run.fixture.name}/gadgets"

    def __enter__(self):
        fields = {"color": "string", "size": "integer", "on": "boolean", "hidden": "string"}
        spec = {"type": "object", "properties": {field: {"type": kind} for field, kind in fields.items()}}
        version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}},
                   "selectableFields": [{"jsonPath": f".spec.{field}"} for field in ("color", "size", "on")]}
        names = {"plural": "gadgets", "singular": "gadget", "kind": "Gadget", "listKind": "GadgetList"}
        self.run.write.ask("POST", DEFINITIONS, {"metadata": {"name": f"gadgets.{self.group}"}, "spec": {
            "group": self.group, "scope": "Namespaced", "names": names, "versions": [version]}}).ok(201)
        return self

    def __exit__(self, *_):
        self.remove()

    def remove(self):
        self.run.write.ask("DELETE", f"{DEFINITIONS}/gadgets.{self.group}")

    def create(self, specs):
        """And waits until they are served where they are read."""
        for name, spec in specs.items():
            body = {"apiVersion": f"{self.group}/v1", "kind": "Gadget", "metadata": {"name": name}, "spec": spec}
            wait_until("the definition is served", lambda: self.run.write.ask("POST", self.path, body).status in (201, 409))
        wait_until("its objects are read", lambda: (lambda a: a.status == 200 and a.names() == sorted(specs))(self.run.read.get(self.path)))


@case
def fields_of_custom_resources(run):
    """Its name and namespace, and what its definition says is selectable."""
    with Gadgets(run, "fields") as gadgets:
        gadgets.create({"a": {"color": "red", "size": 5, "on": True}, "b": {"color": "red"}, "c": {"color": "blue", "size": 5, "on": False}})
        for fields, names in (("spec.color=red", "ab"), ("spec.color!=red", "c"), ("spec.size=5", "ac"), ("spec.size=", "b"),
                              ("spec.on=true", "a"), ("spec.on=false", "c"), ("spec.color=red,spec.size=5", "a"), ("metadata.name=b", "b"),
                              ("metadata.namespace=other", "")):
            answer = run.read.get(gadgets.path, fields=fields)
            require("".join(answer.names()) == names, f"{answer}: {fields} chooses {names!r}")
        check_bad_request(run.read.get(gadgets.path, fields="spec.hidden=x"), "field label not supported: spec.hidden")
        require(all("kind" in t and "apiVersion" in t for t in run.read.get(gadgets.path).ok()["items"]), "items of a custom list keep their kind")


@case
def custom_resources_have_no_protobuf(run):
    with Gadgets(run, "forms") as gadgets:
        gadgets.create({"a": {"color": "red"}})
        answer = run.read.get(gadgets.path, "application/vnd.kubernetes.protobuf")
        require(answer.status == 406 and answer.body.startswith(b"k8s\0"), f"{answer}: 406, in protobuf")
        answer = run.read.get(gadgets.path, "application/vnd.kubernetes.protobuf,application/json")
        require(answer.names() == ["a"], f"{answer}")


@case
def custom_resources_go_with_their_definition(run):
    """An open watch gets each deletion, and ends."""
    with Gadgets(run, "going") as gadgets:
        gadgets.create({"a": {"color": "red"}, "b": {}})
        at = run.read.get(gadgets.path).version()
        with run.read.watch(gadgets.path, rv=at) as watch:
            gadgets.remove()
            events = watch.rest(seconds=30)
        seen = sorted((e["type"], e["object"]["metadata"].get("name")) for e in events if e["type"] != "MODIFIED")
        require(seen == [("DELETED", "a"), ("DELETED", "b")], f"{watch.what}: {events}")
        require(all(version_of(e["object"]) > at for e in events), f"{events}")
        wait_until("nothing is served there", lambda: run.read.get(gadgets.path).status == 404)
