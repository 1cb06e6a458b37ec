"""A real kube-apiserver on an etcd of its own, where the peers are (../shared/peers/cluster and its binaries)."""
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time

from harness import PEERS, ROOT, Etcd, Failure, free_port
from scenario import Skip

SCRIPT = ROOT.parent / "shared/peers/cluster"
TOKEN = "admintoken"
UP_SECONDS = 180
# A new API server goes on writing after it is ready: statuses, addresses, namespaces. This long without is the end of it.
QUIET_SECONDS = 2
# Written for ever, by clocks.
RESTLESS_PREFIXES = ("/registry/leases/", "/registry/masterleases/")


class Cluster:
    def __init__(self, etcd_port, api_port, folder):
        self.etcd_port, self.api_port, self.folder = etcd_port, api_port, pathlib.Path(folder)
        self.store_url = f"http://127.0.0.1:{etcd_port}"

    def kubectl(self, *arguments):
        subprocess.run([str(PEERS / "kubectl"), "--kubeconfig", str(self.folder / "kubeconfig"), *arguments], check=True, timeout=120,
                       stdout=subprocess.DEVNULL)

    def create(self, objects):
        file = self.folder / "manifests.json"
        file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)}))
        self.kubectl("create", "--validate=false", "-f", str(file))

    def kill(self):
        """At once: told to end, a kube-apiserver waits a minute for its requests, and how it ends is not what is looked at here."""
        for file in self.folder.glob("*.pid"):
            with contextlib.suppress(ProcessLookupError, ValueError):
                os.kill(int(file.read_text()), signal.SIGKILL)

    def settle(self, seconds=UP_SECONDS):
        """Waits until nothing but clocks writes to the store."""
        deadline, quiet_since, before = time.monotonic() + seconds, time.monotonic(), None
        while (now := time.monotonic()) < quiet_since + QUIET_SECONDS:
            if now > deadline:
                raise Failure(f"the store does not come to rest within {seconds} s")
            state = self.restful()
            if state != before:
                quiet_since, before = now, state
            time.sleep(0.1)

    def restful(self):
        keys = Etcd(self.etcd_port).revisions("/registry/")
        return {key: revision for key, revision in keys.items() if not key.startswith(RESTLESS_PREFIXES)}


@contextlib.contextmanager
def cluster(processes, *flags, before=lambda etcd: None):
    """A Cluster; kube-apiserver has the flags besides its own, and begins on what `before` did. Its etcd ends with the processes."""
    if not SCRIPT.exists() or not (PEERS / "kube-apiserver").exists():
        raise Skip("the real kube-apiserver is not here")
    etcd_port, api_port = processes.etcd(), free_port()
    before(Etcd(etcd_port))
    with tempfile.TemporaryDirectory(prefix="tidemark-e2e.", ignore_cleanup_errors=True) as folder:
        one = Cluster(etcd_port, api_port, folder)
        try:
            subprocess.run([str(SCRIPT), "up", folder, str(etcd_port), str(api_port)], check=True, timeout=UP_SECONDS,
                           stdout=subprocess.DEVNULL, env={**os.environ, "ETCD_SERVERS": one.store_url, "APISERVER_FLAGS": " ".join(flags)})
            one.settle()
            yield one
        finally:
            one.kill()
