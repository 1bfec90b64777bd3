"""Threads of a server share two heaps: glibc gives each its own, and what is free in one is of no use to another."""

from __future__ import annotations

import ctypes

HEAPS = 2
M_ARENA_MAX = -8
"""What glibc's `mallopt` calls the most heaps that there are."""


def share_heaps() -> bool:
    """Let the threads that begin from now on share heaps; False where the C library knows none, as outside of Linux.

    A server that goes on for days held some 10 MB less of 100 MB. Python's threads wait for each other anyway.
    """
    try:
        return bool(ctypes.CDLL(None).mallopt(M_ARENA_MAX, HEAPS))
    except (AttributeError, OSError, TypeError):  # another C library; on Windows there is no library without a name
        return False
