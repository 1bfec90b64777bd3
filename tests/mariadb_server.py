"""A MariaDB of its own for the tests, which ends with them: Debian's mariadb-server-core."""

from __future__ import annotations

import getpass
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

START_S = 60


@contextmanager
def running() -> Iterator[str]:
    """Run one for the length of the block, without a port; gives the address of its empty database "shop"."""
    program, maker = shutil.which("mariadbd"), shutil.which("mariadb-install-db")
    if program is None or maker is None:
        pytest.skip("needs MariaDB: apt-get install --no-install-recommends mariadb-server-core")
    with tempfile.TemporaryDirectory(prefix="rove-mariadb-") as made:
        folder = Path(made)
        socket, user = folder / "socket", f"--user={getpass.getuser()}"
        common = ["--no-defaults", f"--datadir={folder / 'data'}", user]
        plain = ["--auth-root-authentication-method=normal", "--skip-test-db"]
        subprocess.run([maker, *common, *plain], check=True, capture_output=True)
        opening = folder / "init.sql"
        opening.write_text("CREATE DATABASE shop CHARACTER SET utf8mb4;\nCREATE DATABASE other;\n")
        small = ["--innodb-buffer-pool-size=16M", "--skip-networking", f"--init-file={opening}"]
        with (folder / "log").open("w") as log:
            server = subprocess.Popen([program, *common, *small, f"--socket={socket}"], stdout=log, stderr=log)
        try:
            _wait(server, socket, folder / "log")
            yield f"mysql://root@/shop?unix_socket={socket}&charset=utf8mb4"
        finally:
            server.terminate()
            server.wait(timeout=START_S)


def _wait(server: subprocess.Popen[bytes], socket: Path, log: Path) -> None:
    ends = time.monotonic() + START_S
    while not ("ready for connections" in log.read_text("utf-8", "replace") and socket.exists()):
        if server.poll() is not None or time.monotonic() > ends:
            pytest.fail(f"MariaDB did not start: {log.read_text('utf-8', 'replace')[-2000:]}")
        time.sleep(0.1)
