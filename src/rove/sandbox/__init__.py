"""Where foreign files are parsed: in child processes with limits, which can be killed and cannot reach the network."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """What one source may use up in a reading process.

    `cpu_s`: seconds of CPU time, and `wall_s` seconds in all, both as many again for each further 16 MiB of input;
    `memory_bytes`: data of the whole process, the interpreter included.
    """

    cpu_s: float = 20.0
    wall_s: float = 120.0
    memory_bytes: int = 1_500_000_000


STEP_BYTES = 16 << 20
"""A source may use up a process's time once more for each so many bytes of it."""
RETIRED = 75
"""The status of a reading process that has ended of itself, because a fresh one does better."""
