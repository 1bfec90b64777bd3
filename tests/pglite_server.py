"""PGlite, a Postgres in WebAssembly, from npm: the only one in a registry here that has pg_textsearch."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.pq import ExecStatus, Format

PROGRAM = "ROVE_TEST_PGLITE"
_KINDS = "SELECT atttypid FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 ORDER BY attnum"
PACKAGES = ("pglite", "pglite-socket", "pglite-pg_textsearch", "pglite-pgvector")
SCRIPT = """
import { PGlite } from '@electric-sql/pglite'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'
import { pg_textsearch } from '@electric-sql/pglite-pg_textsearch'
import { vector } from '@electric-sql/pglite-pgvector'
const db = await PGlite.create({ extensions: { pg_textsearch, vector } })
await new PGLiteSocketServer({ db, port: Number(process.argv[2]), host: '127.0.0.1', maxConnections: 20 }).start()
"""


@cache
def address() -> str:
    """The address of one that runs until the tests end. Its packages are where `ROVE_TEST_PGLITE` says."""
    folder = os.environ.get(PROGRAM)
    if not folder or not shutil.which("node"):
        names = " ".join(f"@electric-sql/{name}" for name in PACKAGES)
        pytest.skip(f"needs a node of {PROGRAM}=FOLDER, in which this was run: npm install {names}")
    own = Path(tempfile.mkdtemp(prefix="rove-pglite-"))
    (own / "node_modules").symlink_to(Path(folder).resolve() / "node_modules")
    (own / "package.json").write_text(json.dumps({"type": "module"}))
    (own / "serve.mjs").write_text(SCRIPT)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    process = subprocess.Popen(["node", "--preserve-symlinks", "serve.mjs", str(port)], cwd=own)
    atexit.register(process.kill)
    end = time.monotonic() + 120
    while time.monotonic() < end and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            time.sleep(0.2)
        else:
            return f"postgresql://postgres@127.0.0.1:{port}/postgres?sslmode=disable"
    message = "PGlite does not start"
    raise AssertionError(message)


def insert(connection: psycopg.Connection[Any], table: str, rows: Iterable[tuple[bytes, ...]]) -> None:
    """Put rows, each value in Postgres' binary form, into a table by INSERT."""
    kinds = [oid for (oid,) in connection.execute(_KINDS, [table])]
    names = ", ".join(f"${n + 1}" for n in range(len(kinds)))
    query = f"INSERT INTO {table} VALUES ({names})".encode()
    for row in rows:
        result = connection.pgconn.exec_params(query, row, kinds, [Format.BINARY] * len(row), Format.BINARY)
        assert result.status == ExecStatus.COMMAND_OK, result.error_message.decode()
