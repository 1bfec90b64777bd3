"""SeekDB, the OceanBase for one machine, as a process of its own, from PyPI's pylibseekdb. It ends with the tests."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pymysql

import certificates
import own_server
from own_server import OwnServer, free_port

REACHED = "ROVE_TEST_OCEANBASE"
PASSWORD = "rove-test-secret"
START_S = 90


@dataclass
class Server(OwnServer):
    """See `OwnServer`. `tls`: with who asks for it."""

    tls: bool = True
    port: int = field(default_factory=free_port)
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
        self.wait_until(self._answers, START_S)
        with self.connection() as connection, connection.cursor() as cursor:
            cursor.execute(f"ALTER USER root IDENTIFIED BY '{PASSWORD}'")
        self.password = PASSWORD

    def _answers(self) -> bool:
        try:
            self.connection().close()
        except pymysql.err.OperationalError:
            return False
        return True

    def connection(self) -> pymysql.connections.Connection:
        """Be somebody else on the server, who may do everything."""
        return pymysql.connect(host="127.0.0.1", port=self.port, user="root", password=self.password, autocommit=True)

    def settings(self) -> dict[str, object]:
        """The settings `store.server` that reach it."""
        url = f"mysql://localhost:{self.port}"
        return {"url": url, "user": "root", "password": PASSWORD, "database": "test", "timeout_s": 20.0}

    def table(self) -> dict[str, object]:
        """The settings `store` by which a base is searched in it."""
        return {"index": "oceanbase", "resident_chunks": 0, "server": self.settings()}


def new(*, tls: bool = True) -> Server:
    """Start one, which ends with the tests."""
    return own_server.started(Server(own_server.folder("seekdb"), tls))


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
