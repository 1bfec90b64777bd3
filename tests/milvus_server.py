"""Milvus as a process of its own, by PyPI's milvus 2.3.5, with passwords and TLS. It ends with the tests."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache

import certificates
import own_server
from own_server import OwnServer, free_port

REACHED = "ROVE_TEST_MILVUS"
PASSWORD = "Milvus"
ETCD = """
name: default
listen-client-urls: http://127.0.0.1:{client}
advertise-client-urls: http://127.0.0.1:{client}
listen-peer-urls: http://127.0.0.1:{peer}
initial-advertise-peer-urls: http://127.0.0.1:{peer}
initial-cluster: default=http://127.0.0.1:{peer}
"""
SERVER = """
import json, sys
from milvus import default_server
folder, port, web_port, own = sys.argv[1:]
default_server.set_base_dir(folder)
default_server.config.update(proxy_port=int(port))
for name, value in json.loads(own).items():
    default_server.config.set(name, value)
default_server.webservice_port = int(web_port)
default_server.start()
print("ready", flush=True)
sys.stdin.read()
default_server.stop()
"""
INNER_PORTS = (
    "root_coord_port", "proxy_internal_port", "query_coord_port", "query_node_port", "index_coord_port",
    "index_node_port", "data_coord_port", "data_node_port",
)  # fmt: skip


@dataclass
class Server(OwnServer):
    """See `OwnServer`."""

    port: int = field(default_factory=free_port)

    def __post_init__(self) -> None:
        self.certificate, self.key = certificates.make(self.folder)

    def start(self) -> None:
        """Start it, and wait until it is well. Every port is a free one, also those of the etcd inside it."""
        etcd = self.folder / "etcd.yaml"
        etcd.write_text(ETCD.format(client=free_port(), peer=free_port()), "utf-8")
        own = {
            "authorization_enabled": True, "tls_mode": 1, "server_pem_path": str(self.certificate),
            "server_key_path": str(self.key), "proxy.timeTickInterval": 20,
            "common.session.ttl": 5,  # how long one that is started again waits for one that was killed
            **{name: free_port() for name in INNER_PORTS},
        }  # fmt: skip
        arguments = [self.folder / "data", str(self.port), str(free_port()), json.dumps(own)]
        self.process = subprocess.Popen(
            [sys.executable, "-c", SERVER, *arguments], env={**os.environ, "ETCD_CONFIG_PATH": str(etcd)},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=self.folder,
            start_new_session=True,
        )  # fmt: skip
        assert self.process.stdout
        assert self.process.stdout.readline().strip() == "ready", "Milvus has not started"

    def kill(self, process: subprocess.Popen[str]) -> None:
        """See `OwnServer.kill`: its etcd too."""
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)

    def settings(self) -> dict[str, object]:
        """The settings `store.server` that reach it."""
        return {
            "url": f"https://localhost:{self.port}", "user": "root", "password": PASSWORD,
            "ca_file": str(self.certificate), "timeout_s": 20.0,
        }  # fmt: skip

    def table(self) -> dict[str, object]:
        """The settings `store` by which a base is searched in it."""
        return {"index": "milvus", "resident_chunks": 0, "server": self.settings()}


def new() -> Server:
    """Start one, which ends with the tests."""
    return own_server.started(Server(own_server.folder("milvus")))


def store() -> dict[str, object]:
    """The settings that reach the one that runs until the tests end, for the processes that they start too."""
    if REACHED not in os.environ:
        os.environ[REACHED] = json.dumps(_started().settings())
    server: dict[str, object] = json.loads(os.environ[REACHED])
    return {"index": "milvus", "resident_chunks": 0, "server": server}


@cache
def _started() -> Server:
    return new()
