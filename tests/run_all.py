"""Run all tests: many at once; then those that measure time, two at once; then what failed, once more.

What fails beside others and passes alone is named as flaky, at the end, and costs no more than that: a browser that is
starved of its processor is no fault of the page. More than `MOST_FLAKY` are no accident, and fail at once.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

MOST_FLAKY = 4
SHARED_OUT = ("--dist", "loadfile", "--no-loadscope-reorder", "-n")
SIDE_BY_SIDE = (*SHARED_OUT, "auto", "--maxprocesses", "4", "--cache-clear")
BY_TWO = (*SHARED_OUT, "2")
"""On two cores one process more or less is no crowd; most of the time is one test's, which has its file to itself."""
PASSED, FAILED = 0, 1  # pytest's own exit statuses
LAST_FAILED = Path(__file__).parents[1] / ".pytest_cache" / "v" / "cache" / "lastfailed"


def main() -> int:
    """Run the tests; 0 where each has passed, if need be alone."""
    statuses = {
        _run(*SIDE_BY_SIDE, "-m", "not servers and not timed"),
        _run("tests", *BY_TWO, "-m", "not servers and timed"),
    }
    if statuses == {PASSED}:
        return PASSED
    failed = list(json.loads(LAST_FAILED.read_text("utf-8"))) if LAST_FAILED.exists() else []
    if statuses - {PASSED, FAILED} or not 0 < len(failed) <= MOST_FLAKY:
        return FAILED
    sys.stdout.write(f"== once more, alone: {len(failed)} that failed\n")
    sys.stdout.flush()
    if _run("--last-failed", "-m", "not servers") != PASSED:
        return FAILED
    sys.stdout.write("\n  ".join(["== FLAKY, since they have failed once and passed alone:", *failed]) + "\n")
    return PASSED


def _run(*arguments: str) -> int:
    return subprocess.run([sys.executable, "-m", "pytest", *arguments], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
