"""Milvus as a process of its own, by PyPI's milvus 2.3.5, with passwords and TLS. It ends with the tests."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import certificates

REACHED = "ROVE_TEST_MILVUS"
PASSWORD = "Milvus"
SERVER = """
import sys
from milvus import default_server
folder, certificate, key, port = sys.argv[1:]
default_server.set_base_dir(folder)
for name, value in (
    ("proxy_port", int(port)), ("authorization_enabled", True), ("tls_mode", 1),
    ("server_pem_path", certificate), ("server_key_path", key), ("proxy.timeTickInterval", 20),
):
    default_server.config.set(name, value)
default_server.start()
print(default_server.listen_port, flush=True)
sys.stdin.read()
default_server.stop()
"""


def store() -> dict[str, object]:
    """The settings that reach the one that runs until the tests end, for the processes that they start too."""
    if REACHED not in os.environ:
        os.environ[REACHED] = json.dumps(_started())
    server: dict[str, object] = json.loads(os.environ[REACHED])
    return {"index": "milvus", "resident_chunks": 0, "server": server}


@cache
def _started() -> dict[str, object]:
    folder = Path(tempfile.mkdtemp(prefix="rove-milvus-"))
    certificate, key = certificates.make(folder)
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER, folder / "data", certificate, key, "29540"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=folder,
    )  # fmt: skip

    def end() -> None:
        assert process.stdin
        process.stdin.close()
        process.wait(30)
        assert process.stdout
        process.stdout.close()
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(end)
    assert process.stdout
    port = process.stdout.readline().strip()
    assert port, "Milvus has not started"
    return {
        "url": f"https://localhost:{port}", "user": "root", "password": PASSWORD, "ca_file": str(certificate),
        "timeout_s": 20.0,
    }  # fmt: skip
