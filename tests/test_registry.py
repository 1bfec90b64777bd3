"""Plug-ins: looked up by name, loaded when used; a missing extra names the command that installs it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from rove import ConfigError
from rove.models import CHAT_MODELS, EMBEDDERS, RERANKERS
from rove.registry import Registry
from rove.retrieve import RETRIEVERS
from rove.store import INDEXES


@pytest.mark.parametrize("registry", [EMBEDDERS, RERANKERS, CHAT_MODELS, RETRIEVERS, INDEXES], ids=lambda r: r.noun)
def test_every_packaged_name_leads_to_a_class(registry: Registry) -> None:
    for name in registry.table:
        assert isinstance(registry.get(name), type)


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="lancedb, memory"):
        INDEXES.get("floppy")


def test_a_missing_extra_names_its_command() -> None:
    registry = Registry("test", "rove.tests", {"x": "a_module_that_is_not_there:X [serve]"})
    with pytest.raises(ConfigError, match=r"pip install .*\[serve\]'"):
        registry.get("x")


def test_no_command_is_named_that_could_not_work() -> None:
    """An extra that Rove does not have would install nothing: then what is missing is named itself."""
    registry = Registry("test", "rove.tests", {"x": "a_module_that_is_not_there:X [graph]"})
    with pytest.raises(ConfigError, match=r"Run: pip install a_module_that_is_not_there$"):
        registry.get("x")


def test_a_deferred_package_runs_when_it_is_used(tmp_path: Path) -> None:
    package = tmp_path / "heavy"
    package.mkdir()
    (package / "__init__.py").write_text("print('runs')\nfrom heavy.light import word\n")
    (package / "light.py").write_text("word = 'light'\n")
    steps = """
        from rove.registry import defer
        defer("heavy"), defer("a_package_that_is_not_there")
        import heavy.light
        print(heavy.light.word)
        from heavy import word
        defer("heavy")
        import heavy
        print(heavy.word, heavy.light.word, heavy.__name__)
    """
    command = [sys.executable, "-c", "\n".join(line.strip() for line in steps.splitlines())]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == ["light", "runs", "light", "light", "heavy"]


def test_a_client_that_the_index_never_calls_is_not_loaded_with_it() -> None:
    steps = "import sys, rove.store.lance; print(*(name for name in sys.modules if 'urllib3_client.api' in name))"
    steps += "; from lance_namespace_urllib3_client import ApiClient; print(ApiClient.__name__)"
    command = [sys.executable, "-c", steps]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == ["ApiClient"]
