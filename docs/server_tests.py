"""Run the tests that need servers, one after another, and write docs/server_tests.md: what ran, how long, what did not.

`python -m docs.server_tests`, or `make test-servers`; arguments are pytest's, and with any the page is left as it is.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from bench.report import Table, facts

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "server_tests.md"
COMMAND = "make test-servers"
STATES = ("passed", "failed", "skipped")
RAN = {0, 1}
"""pytest's exit statuses where all have run, whatever came of it."""


def results(report: Path) -> Iterator[tuple[str, str, float, str]]:
    """Of each test: its file, its state, its seconds, and why it was skipped."""
    for case in ElementTree.parse(report).iter("testcase"):
        skipped, failed = case.find("skipped"), case.find("failure") is not None or case.find("error") is not None
        state = "failed" if failed else "passed" if skipped is None else "skipped"
        reason = "" if skipped is None else skipped.get("message", "")
        yield case.get("file", ""), state, float(case.get("time", 0)), reason


def table(report: Path) -> str:
    """The results as markdown: a line for each file, the sum, and the reasons of what was skipped."""
    counts, seconds, reasons = dict[str, Counter[str]](), Counter[str](), Counter[str]()
    for file, state, spent, reason in results(report):
        counts.setdefault(file, Counter())[state] += 1
        seconds[file] += spent  # pyright: ignore[reportArgumentType] - a Counter adds floats too
        if reason:
            reasons[reason.partition("\n")[0]] += 1
    rows = [[file, *(counts[file][state] for state in STATES), round(seconds[file])] for file in sorted(counts)]
    whole = [sum(counts[file][state] for file in counts) for state in STATES]
    rows.append(["all", *whole, round(sum(seconds.values()))])
    made = Table("Files", ["file", *STATES, "seconds"], rows).markdown()
    skips = [f"- {count} skipped: {reason}" for reason, count in sorted(reasons.items())]
    return "\n".join([made, *skips]).rstrip() + "\n"


def main() -> int:
    """Run them; returns pytest's exit status."""
    asked = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="rove-servers-") as folder:
        report = Path(folder) / "report.xml"
        own = ["-m", "servers", f"--junit-xml={report}", "-o", "junit_family=xunit1"]
        done = subprocess.run([sys.executable, "-m", "pytest", *own, *asked], cwd=ROOT, check=False)
        if done.returncode in RAN and not asked:
            head = ["# Tests on real servers", "", "Made by the command below; do not edit by hand.", ""]
            PAGE.write_text("\n".join([*head, *facts(COMMAND)[:3], "", table(report)]), "utf-8")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
