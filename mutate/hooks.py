"""A plug-in of pytest: it writes down which lines each test runs, or chooses and orders the tests.

Told by the environment:

ROVE_MUTATE_LINES: a file for {"seconds": {test: seconds}, "failed": [test], "lines": {module: {test: [line]}}}.
ROVE_MUTATE_ORDER: a file with a list of tests; they alone are run, in that order, after doctests.
ROVE_MUTATE_KILLER: a file to write the test to that fails.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path

import coverage
import pytest
from hypothesis import HealthCheck, settings

from mutate import FOLDERS

LINES, ORDER, KILLER = (os.environ.get(f"ROVE_MUTATE_{name}", "") for name in ("LINES", "ORDER", "KILLER"))
SRC = Path.cwd() / "src" / "rove"


class Lines:
    """Measures which lines each test runs. What a fixture of a whole file runs counts for all tests of the file."""

    def __init__(self) -> None:
        modules = [str(SRC / folder / "*") for folder in FOLDERS]
        self.measured = coverage.Coverage(data_file=None, include=modules, config_file=False, messages=False)
        self.seconds: dict[str, float] = {}
        self.failed: set[str] = set()
        self.measured.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Count what runs from now on for this test, and its seconds of a processor."""
        self.measured.switch_context(item.nodeid)
        before = sum(os.times()[:4])
        try:
            return (yield)
        finally:
            self.seconds[item.nodeid] = sum(os.times()[:4]) - before

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[object]) -> Generator[None, object, object]:
        """Count what a fixture of a module or a session runs for the whole file."""
        if fixturedef.scope == "function":
            return (yield)
        test = os.environ["PYTEST_CURRENT_TEST"].rsplit(" ", 1)[0]
        self.measured.switch_context(test.partition("::")[0])
        try:
            return (yield)
        finally:
            self.measured.switch_context(test)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep whether a test holds."""
        if report.outcome != "passed":
            self.failed.add(report.nodeid)

    def pytest_unconfigure(self) -> None:
        """Write it all down."""
        self.measured.stop()
        data = self.measured.get_data()
        lines: dict[str, dict[str, list[int]]] = {}
        for path in sorted(data.measured_files()):
            of = lines[Path(path).relative_to(Path.cwd()).as_posix()] = defaultdict(list)
            for line, tests in sorted(data.contexts_by_lineno(path).items()):
                for test in tests:
                    of[test].append(line)
        kept = {"seconds": self.seconds, "failed": sorted(self.failed), "lines": lines}
        Path(LINES).write_text(json.dumps(kept), "utf-8")


class Order:
    """Runs the chosen tests, the first of them first, and tells which one fails."""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave the others out."""
        place = {test: n for n, test in enumerate(json.loads(Path(ORDER).read_text("utf-8")))}
        items[:] = [item for item in items if item.nodeid in place or item.nodeid.startswith("src/")]
        items.sort(key=lambda item: place.get(item.nodeid, -1))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Name the test that fails."""
        if report.failed:
            Path(KILLER).write_text(report.nodeid, "utf-8")


def pytest_configure(config: pytest.Config) -> None:
    """Add what the environment asks for."""
    settings.register_profile("mutate", deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    settings.load_profile("mutate")  # the same examples for every mutant, and none that fails for being slow
    config.pluginmanager.register(Lines() if LINES else Order())
