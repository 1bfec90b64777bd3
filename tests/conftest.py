"""Fixtures that every test can use."""

from __future__ import annotations

import gc
import os
import tempfile
import warnings
from collections.abc import Generator
from pathlib import Path
from types import FunctionType, MethodType
from typing import TypeVar

import pytest
from _pytest.doctest import DoctestModule

Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)

ROOT = Path(__file__).parents[1]
os.environ.setdefault("ROVE_CACHE", str(Path(tempfile.gettempdir()) / f"rove-test-cache-{os.getuid()}"))
"""One conversion of the packaged model serves all tests and their processes; the user's own cache stays as it is."""
SHARED_DATA = ROOT.parent / "shared" / "data"
MAY_SKIP = {
    "needs requirements/train.txt": "torch is 2 GB, for who trains the reader anew; the default install has none",
    "needs a node of": "no registry has one of Elasticsearch: `make test-servers` is given an address",
    "needs Maven for": "servers in Java are for tests alone, and run where Maven is and reaches what it needs",
    "needs node, which": "no browser runs patterns for time: the check is for who has a node",
    "no `make_cut`": "a chat model without a reply that can be cut off has nothing to show there",
    "/usr/include/asm-generic/unistd.h": "stands only on machines whose headers are those of arm64",
}
"""What the project's CI, `ROVE_REQUIRE_ALL`, lets a test skip for, by words of the reason, and why; no other may."""
if not SHARED_DATA.is_dir():
    MAY_SKIP["shared/data"] = "it stands beside the project, and is not part of it"


MEASURES = {"at_most", "growth", "least_s", "slowness"}
"""Functions whose names make a test one that measures time: see tests/cpu_time.py."""


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The real data beside the project; a test that needs it skips where it is absent."""
    if not SHARED_DATA.is_dir():
        pytest.skip("needs the project's shared/data, which is not part of the package")
    return SHARED_DATA


@pytest.fixture(scope="module")
def processes_that_ray_leaves() -> Generator[None]:
    """Ray does not wait for the processes that it ends: what says so must not come when the tests are over."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gc.collect()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Look for no doctests in the tests: there are none, and every process would look through all of them."""
    return [one for one in (yield) if not isinstance(one, DoctestModule)]


@pytest.hookimpl(tryfirst=True)  # before what is not asked for is taken out, by marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that measure time; let the files of long tests go first: several processes then end together."""
    for item in items:
        if isinstance(item, pytest.Function) and measures(item.obj):
            item.add_marker(pytest.mark.timed)
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


def measures(test: FunctionType | MethodType) -> bool:
    """Say whether a test measures time."""
    return not MEASURES.isdisjoint(test.__code__.co_names)


def pytest_xdist_auto_num_workers() -> int:
    """Half as many again as there are cores: tests wait for processes and browsers of their own."""
    return (3 * (os.cpu_count() or 1) + 1) // 2


def pytest_collection_finish() -> None:
    """Let garbage be looked for among what tests make, not again and again in all the modules that are loaded."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Name a failing test at once, not when all have run."""
    if shown := session.config.pluginmanager.get_plugin("terminalreporter"):
        session.config.pluginmanager.register(_FailuresNamed(shown))


class _FailuresNamed:
    def __init__(self, shown: pytest.TerminalReporter) -> None:
        self._shown = shown

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._shown.write(f"\n{'FAILED' if report.when == 'call' else 'ERROR'} {report.nodeid}\n", flush=True)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """See `required`."""
    return required((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """See `required`."""
    return required((yield))


def required(report: Report) -> Report:
    """Let a test that skips fail instead where `ROVE_REQUIRE_ALL` is set and the reason is not in `MAY_SKIP`."""
    if report.skipped and os.environ.get("ROVE_REQUIRE_ALL") and not hasattr(report, "wasxfail"):
        reason = str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr)
        if not any(words in reason for words in MAY_SKIP):
            report.outcome = "failed"
            report.longrepr = f"ROVE_REQUIRE_ALL is set, and this was skipped: {reason}"
    return report
