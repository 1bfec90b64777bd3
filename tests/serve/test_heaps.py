"""Threads of a server share heaps: what is free in them is of use to all."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

PROGRAM = """
import ctypes, os, sys, tempfile, threading
from rove.serve.heaps import share_heaps
if sys.argv[1] == "shared":
    assert share_heaps()
libc, all_there = ctypes.CDLL(None), threading.Barrier(12)
libc.malloc.restype = ctypes.c_void_p
def work():
    libc.malloc(70_000)
    all_there.wait()
threads = [threading.Thread(target=work) for _ in range(12)]
[one.start() for one in threads], [one.join() for one in threads]
libc.fopen.restype = ctypes.c_void_p
with tempfile.NamedTemporaryFile() as file:
    out = ctypes.c_void_p(libc.fopen(file.name.encode(), b"w"))
    libc.malloc_info(0, out)
    libc.fclose(out)
    print(file.read().count(b"<heap nr="))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="heaps of threads are glibc's")
def test_a_server_has_two_heaps_at_most_however_many_threads_it_has() -> None:
    def heaps(how: str) -> int:
        return int(subprocess.run([sys.executable, "-c", PROGRAM, how], capture_output=True, check=True).stdout)

    assert heaps("shared") <= 2 < heaps("own")
