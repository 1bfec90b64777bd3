"""A Ray cluster on this machine, of several nodes, each a group of processes of its own that can be killed."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from time import sleep

from worker_bases import below, kill

ACTOR, STARTED = "ray::ShardActor", "Ray runtime started"
COMMAND = [sys.executable, "-m", "ray.scripts.scripts", "start", "--block", "--disable-usage-stats"]
MEMORY = "--object-store-memory=80000000"
# Read once, when Ray is imported: what all clusters of this process ask for, and all that reach them from it.
os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": token_hex(32)}

from ray._raylet import AuthenticationTokenLoader  # noqa: E402


def forget_token() -> None:
    """Let Ray read its token again, of which it keeps a process' first."""
    AuthenticationTokenLoader.instance().reset_cache()


class RayCluster:
    """A head that works on nothing, and nodes of one core each."""

    def __init__(self, folder: Path, nodes: int) -> None:
        """Take a folder whose path is short: Ray has sockets in it."""
        with socket.socket() as free, socket.socket() as other:
            free.bind(("127.0.0.1", 0))
            other.bind(("127.0.0.1", 0))
            port, self.client_port = free.getsockname()[1], other.getsockname()[1]
        self.address = f"127.0.0.1:{port}"
        self._log = folder / "started.log"
        self._environment = dict(os.environ)
        self._environment.pop("RAY_ADDRESS", None)
        head = ["--head", f"--port={port}", "--num-cpus=0", "--include-dashboard=false", f"--temp-dir={folder}",
                f"--ray-client-server-port={self.client_port}", "--node-ip-address=127.0.0.1"]  # fmt: skip
        self._head = self._start(head)
        self.nodes: list[subprocess.Popen[bytes]] = []
        self.wait()
        for _ in range(nodes):  # in turn: two that start at once may want the same ports
            self.nodes.append(self._node())
            self.wait()

    def actors(self) -> list[int]:
        """The workers' processes, on all nodes."""
        return [pid for node in self.nodes for pid in below(node.pid, ACTOR)]

    def kill_node(self, number: int) -> None:
        """Kill -9 all processes of a node, and let another one come in its place."""
        node = self.nodes[number]
        kill([*below(node.pid, ""), node.pid])
        node.wait()
        self.nodes[number] = self._node()

    def close(self) -> None:
        """End everything."""
        for node in (*self.nodes, self._head):
            inner = below(node.pid, "")
            kill([*inner, node.pid])
            node.wait()

    def _node(self) -> subprocess.Popen[bytes]:
        return self._start([f"--address={self.address}", "--num-cpus=1", "--node-ip-address=127.0.0.1"])

    def _start(self, arguments: list[str]) -> subprocess.Popen[bytes]:
        with self._log.open("ab") as log:
            return subprocess.Popen(
                [*COMMAND, MEMORY, *arguments], env=self._environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    def wait(self) -> None:
        """Wait until all nodes say that they have started: who reaches the head before is turned away."""
        while (said := self._log.read_text()).count(STARTED) <= len(self.nodes):
            if any(node.poll() is not None for node in (self._head, *self.nodes)):
                raise RuntimeError(said)
            sleep(0.2)


@contextmanager
def ray_cluster(folder: Path, nodes: int = 2) -> Iterator[RayCluster]:
    """A cluster for the length of the block."""
    folder.mkdir(exist_ok=True)
    cluster = RayCluster(folder, nodes)
    try:
        yield cluster
    finally:
        cluster.close()
