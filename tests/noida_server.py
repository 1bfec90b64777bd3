"""noida, a double of Elasticsearch that others have written, as a process of its own: PyPI's noida-db.

It ends with the tests. It has no BM25 parameters of its own: it counts by the usual ones.
"""

from __future__ import annotations

import atexit
import shutil
import socket
import subprocess
import tempfile
import time
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from arcadedb import free_port

SPEC = find_spec("noida_db")
BINARY = str(Path(SPEC.origin).parent / "noida-db") if SPEC and SPEC.origin else ""


@cache
def address() -> str:
    """Start it for this process of the tests; gives its address."""
    folder, port = tempfile.mkdtemp(prefix="rove-noida-"), free_port()
    process = subprocess.Popen(
        [BINARY, "start", "--only", "elasticsearch", "--elasticsearch-port", str(port)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder,
    )  # fmt: skip

    def end() -> None:
        process.kill()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(end)
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return f"http://127.0.0.1:{port}"
    raise AssertionError(BINARY)
