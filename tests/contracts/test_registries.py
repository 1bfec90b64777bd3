"""No registry without a suite, no registered name that its suite is not run on, no group that the pages do not name."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from registered import registries
from rove import testing
from rove.testing import Contract

PAGE = Path(__file__).parents[2] / "docs" / "architecture.md"


REGISTRIES = {registry.group: registry for registry in registries()}


def suites(group: str) -> list[type[Contract]]:
    """The suites of a registry that this folder runs."""
    for file in sorted(Path(__file__).parent.glob("test_*.py")):
        import_module(file.stem)
    found, waiting = list[type[Contract]](), [Contract]
    while waiting:
        inner = waiting.pop().__subclasses__()
        waiting += inner
        found += [one for one in inner if one.name and one.registry.group == group]
    return found


@pytest.mark.parametrize("group", REGISTRIES)
def test_every_registered_name_runs_through_its_suite(group: str) -> None:
    names = {one.name for one in suites(group)}
    missing = [name for name in REGISTRIES[group].table if name not in names]
    assert not missing, f"no suite in {Path(__file__).parent.name}/ is named {missing} of {group}"


def test_every_suite_is_given_to_authors() -> None:
    of_no_group = {"Contract", "CatalogContract"}
    given = {getattr(testing, name).registry.group for name in testing.__all__ if name not in of_no_group}
    assert given == set(REGISTRIES)


@pytest.mark.parametrize("group", REGISTRIES)
def test_groups_are_named_alike_and_stand_in_the_pages(group: str) -> None:
    assert re.fullmatch(r"rove\.[a-z_]+s", group)
    assert f"`{group}`" in PAGE.read_text("utf-8")


def test_rove_itself_imports_no_tests() -> None:
    steps = "import sys, rove, rove.cli, rove.engine; print(*{'pytest', 'rove.testing'} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", steps], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == []
