"""SeekDB, the OceanBase for one machine, as a process of its own, from PyPI's pylibseekdb. It ends with the tests."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pymysql

import certificates
from arcadedb import free_port

REACHED = "ROVE_TEST_OCEANBASE"
PASSWORD = "rove-test-secret"
START_S = 90


@dataclass
class Server:
    """One that can be stopped and started again on the same folder and port. `tls`: with who asks for it."""

    folder: Path
    tls: bool = True
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None
    password: str = ""

    def __post_init__(self) -> None:
        self.certificate, key = certificates.make(self.folder)
        wallet = self.folder / "wallet"
        wallet.mkdir()
        for name, file in (("ca", self.certificate), ("server-cert", self.certificate), ("server-key", key)):
            shutil.copy(file, wallet / f"{name}.pem")

    def start(self) -> None:
        """Start it, and wait until it answers."""
        spec = find_spec("pylibseekdb")
        assert spec and spec.origin
        package = Path(spec.origin).parent
        own = {"datafile_size": "512M", "log_disk_size": "2G", "ssl_client_authentication": str(self.tls)}
        self.process = subprocess.Popen(
            [
                package / "seekdb", "--nodaemon", "--port", str(self.port), "--base-dir", self.folder,
                *(word for name, value in own.items() for word in ("--parameter", f"{name}={value}")),
            ],
            env={**os.environ, "LD_LIBRARY_PATH": f"{package}:{package.parent / 'pylibseekdb.libs'}"},
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder,
        )  # fmt: skip
        until = time.monotonic() + START_S
        while True:
            try:
                connection = self.connection()
                break
            except pymysql.err.OperationalError:
                assert self.process.poll() is None and time.monotonic() < until, "SeekDB has not started"
                time.sleep(0.2)
        with connection, connection.cursor() as cursor:
            cursor.execute(f"ALTER USER root IDENTIFIED BY '{PASSWORD}'")
        self.password = PASSWORD

    def connection(self) -> pymysql.connections.Connection:
        """Be somebody else on the server, who may do everything."""
        return pymysql.connect(host="127.0.0.1", port=self.port, user="root", password=self.password, autocommit=True)

    def stop(self) -> None:
        """Kill it, whatever it is at."""
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None

    def settings(self) -> dict[str, object]:
        """The settings `store.server` that reach it."""
        url = f"mysql://localhost:{self.port}"
        return {"url": url, "user": "root", "password": PASSWORD, "database": "test", "timeout_s": 20.0}

    def table(self) -> dict[str, object]:
        """The settings `store` by which a base is searched in it."""
        return {"index": "oceanbase", "resident_chunks": 0, "server": self.settings()}


def new(*, tls: bool = True) -> Server:
    """Start one, which ends with the tests."""
    server = Server(Path(tempfile.mkdtemp(prefix="rove-seekdb-")), tls)
    atexit.register(ended, server)
    server.start()
    return server


def ended(server: Server) -> None:
    """End it, and remove what it has kept."""
    server.stop()
    shutil.rmtree(server.folder, ignore_errors=True)


def store() -> dict[str, object]:
    """The settings that reach the one that runs until the tests end, for the processes that they start too."""
    if REACHED not in os.environ:
        os.environ[REACHED] = json.dumps(started().settings())
    server: dict[str, object] = json.loads(os.environ[REACHED])
    return {"index": "oceanbase", "resident_chunks": 0, "server": server}


@cache
def started() -> Server:
    """The one that runs until the tests end."""
    return new()
