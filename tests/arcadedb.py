"""ArcadeDB, a graph database that speaks Bolt, as a process of its own. It ends with the tests, however they end."""

from __future__ import annotations

import atexit
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache

from pydantic import SecretStr

from own_server import free_port
from rove.settings import GraphSettings

PASSWORD = "rove-test-secret"
SERVER = """
import sys
from arcadedb_embedded import ArcadeDBServer
folder, bolt, http, password = sys.argv[1:]
plugin = "Bolt:com.arcadedb.bolt.BoltProtocolPlugin"
options = {"server_plugins": plugin, "bolt_port": int(bolt), "http_port": int(http), "mode": "production"}
server = ArcadeDBServer(folder, password, options)
server.start()
server.create_database("rove")
print("ready", file=sys.stderr, flush=True)
sys.stdin.read()
"""


@dataclass(frozen=True)
class Server:
    port: int

    def settings(self, **other: object) -> GraphSettings:
        own = {"store": "bolt", "url": f"bolt://localhost:{self.port}", "user": "root", "password": SecretStr(PASSWORD)}
        return GraphSettings.model_validate({**own, "database": "rove", **other})


@cache
def server() -> Server:
    """Start one for this process of the tests."""
    folder = tempfile.mkdtemp(prefix="rove-arcadedb-")
    bolt, http = free_port(), free_port()
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER, folder, str(bolt), str(http), PASSWORD],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=folder,
    )  # fmt: skip

    def end() -> None:
        process.kill()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(end)
    assert process.stderr
    said: list[str] = []
    for line in process.stderr:
        said.append(line)
        if line.strip().endswith("ready"):
            return Server(bolt)
    raise AssertionError("".join(said))
