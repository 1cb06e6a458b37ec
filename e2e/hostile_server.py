"""What hostile clients are sent at: a `tidemark up` with a well-behaved client beside it, and crowds of connections.

Standard library only; everything that is started here ends with its owner's Processes or Crowd.end.
"""
import collections
import json
import os
import subprocess
import sys
import threading
import time

from harness import ROOT, TIDEMARK, Api, free_port, require

PODS = 20_000
LIST = "/api/v1/pods?limit=50"
# The longest answer that others may see at any time.
PATIENCE_SECONDS = 5


class Server:
    """The program under test, and a well-behaved client that asks all the time."""

    def __init__(self, processes, *before):
        self.processes, self.port, self.etcd_port = processes, free_port(), free_port()
        self.process = processes.start("up", *before, TIDEMARK, "up", "--data-dir", processes.dir / "data", "--listen-client-urls",
                                       f"http://127.0.0.1:{self.etcd_port}", "--listen-http", f"127.0.0.1:{self.port}")
        processes.wait_ready("up", lambda: Api(self.port).get("/readyz")[0] == 200)
        self.load("--pods", PODS, "--nodes", 20)
        self.ended, self.full = threading.Event(), False
        self.slowest, self.slowest_ever, self.failures, self.asked = 0.0, 0.0, [], 0
        for path in ("/livez", LIST):  # warm
            require(Api(self.port).get(path)[0] == 200, path)
        self.rss_kb, self.files = self.rss(), self.count_files()
        self.bystander = threading.Thread(target=self._ask, daemon=True)
        self.bystander.start()

    def load(self, *arguments):
        done = subprocess.run([str(TIDEMARK), "load", "--etcd-servers", f"http://127.0.0.1:{self.etcd_port}", *map(str, arguments)],
                              capture_output=True, text=True, timeout=120)
        require(done.returncode == 0, f"load: exit {done.returncode}: {done.stderr}")

    def _ask(self):
        """One connection that stays, and one that is new each time."""
        kept = Api(self.port)
        while not self.ended.wait(0.2):
            for api, path in ((kept, LIST), (Api(self.port), "/livez")):
                began = time.monotonic()
                status, text = api.get(path)
                self.slowest = max(self.slowest, time.monotonic() - began)
                self.asked += 1
                # Whoever comes when no connection is left is told so.
                told = self.full and api is not kept and status == 503
                if status != 200 and not told and not self.ended.is_set():
                    self.failures.append(f"{path}: {status} {text[:200]}")

    def rss(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))

    def count_files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def metric(self, name):
        return Api(self.port).metric(name)

    def judge(self):
        """Others are served, and the program lives."""
        require(self.process.poll() is None, f"it ended with {self.process.returncode}: {self.processes.log('up')[-2000:]}")
        failures, self.failures = self.failures, []
        slowest, self.slowest = self.slowest, 0.0
        self.slowest_ever = max(self.slowest_ever, slowest)
        require(not failures, f"others were not served: {failures[:5]}")
        require(slowest < PATIENCE_SECONDS, f"others waited {slowest:.1f} s")


class Crowd:
    """A process that holds connections (hostile_client.py)."""

    def __init__(self, port, first, count):
        self.process = subprocess.Popen([sys.executable, str(ROOT / "e2e/hostile_client.py"), str(port), str(first),
                                         str(count)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def counts(self):
        line = self.process.stdout.readline()
        require(line, "a crowd ended early")
        return collections.Counter(json.loads(line))

    def go_on(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def end(self):
        self.process.stdin.close()
        self.process.wait(timeout=60)
