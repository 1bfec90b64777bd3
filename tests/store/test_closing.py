"""A base that is closed while threads still look at it, for calls that were cancelled: nothing crashes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

CLOSES = """
import sqlite3, sys
from pathlib import Path
from threading import Event, Thread

from rove.store.database import Database
from rove.store.sqlite import SqliteDialect

file = Path(sys.argv[1])
Database(SqliteDialect(file)).close()

def look(dialect, begun):
    try:
        while True:
            dialect.revision()
            begun.set()
    except sqlite3.ProgrammingError:  # it is closed
        pass

for _ in range(60):
    dialect, begun = SqliteDialect(file), Event()
    threads = [Thread(target=look, args=(dialect, begun)) for _ in range(3)]
    for thread in threads:
        thread.start()
    begun.wait()
    dialect.close()
    for thread in threads:
        thread.join()
"""


def test_closing_waits_for_who_reads_the_revision(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", CLOSES, str(tmp_path / "catalog.db")],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[:4000]
