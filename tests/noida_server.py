"""noida, a double of Elasticsearch that others have written, as a process of its own: PyPI's noida-db.

It ends with the tests. It has no BM25 parameters of its own: it counts by the usual ones.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import own_server
from own_server import OwnServer, free_port, listens

SPEC = find_spec("noida_db")
BINARY = str(Path(SPEC.origin).parent / "noida-db") if SPEC and SPEC.origin else ""
START_S = 30


@dataclass
class Server(OwnServer):
    """See `OwnServer`."""

    port: int = field(default_factory=free_port)

    def start(self) -> None:
        """See `OwnServer.start`."""
        command = [BINARY, "start", "--only", "elasticsearch", "--elasticsearch-port", str(self.port)]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder)
        self.wait_until(lambda: listens(self.port), START_S)


@cache
def address() -> str:
    """Start it for this process of the tests; gives its address."""
    return f"http://127.0.0.1:{own_server.started(Server(own_server.folder('noida'))).port}"
