"""SeekDB, the OceanBase for one machine, as a process of its own, from PyPI's pylibseekdb. It ends with the tests."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import tempfile
import time
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pymysql

from arcadedb import free_port

REACHED = "ROVE_TEST_OCEANBASE"
PASSWORD = "rove-test-secret"
START_S = 90


def store() -> dict[str, object]:
    """The settings that reach the one that runs until the tests end, for the processes that they start too."""
    if REACHED not in os.environ:
        os.environ[REACHED] = json.dumps(_started())
    server: dict[str, object] = json.loads(os.environ[REACHED])
    return {"index": "oceanbase", "resident_chunks": 0, "server": server}


@cache
def _started() -> dict[str, object]:
    spec = find_spec("pylibseekdb")
    assert spec and spec.origin
    package = Path(spec.origin).parent
    folder, port = Path(tempfile.mkdtemp(prefix="rove-seekdb-")), free_port()
    process = subprocess.Popen(
        [
            package / "seekdb", "--nodaemon", "--port", str(port), "--base-dir", folder,
            "--parameter", "datafile_size=512M", "--parameter", "log_disk_size=2G",
        ],
        env={**os.environ, "LD_LIBRARY_PATH": f"{package}:{package.parent / 'pylibseekdb.libs'}"},
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder,
    )  # fmt: skip

    def end() -> None:
        process.kill()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(end)
    until = time.monotonic() + START_S
    while True:
        try:
            connection = pymysql.connect(host="127.0.0.1", port=port, user="root")
            break
        except pymysql.err.OperationalError:
            assert process.poll() is None and time.monotonic() < until, "SeekDB has not started"
            time.sleep(0.2)
    with connection, connection.cursor() as cursor:
        cursor.execute(f"ALTER USER root IDENTIFIED BY '{PASSWORD}'")
    return {"url": f"mysql://127.0.0.1:{port}", "user": "root", "password": PASSWORD, "database": "test"}
