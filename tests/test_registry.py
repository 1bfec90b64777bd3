"""Plug-ins: looked up by name, loaded when used; a missing extra names the command that installs it."""

from __future__ import annotations

import pytest

from rove import ConfigError
from rove.models import CHAT_MODELS, EMBEDDERS, RERANKERS
from rove.registry import Registry
from rove.retrieve import RETRIEVERS
from rove.store import INDEXES


@pytest.mark.parametrize("registry", [EMBEDDERS, RERANKERS, CHAT_MODELS, RETRIEVERS, INDEXES], ids=lambda r: r.folder)
def test_every_packaged_name_leads_to_a_class(registry: Registry) -> None:
    for name in registry.table:
        assert isinstance(registry.get(name), type)


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="lancedb, memory"):
        INDEXES.get("floppy")


def test_a_missing_extra_names_its_command() -> None:
    registry = Registry("test", {"x": "a_module_that_is_not_there:X [graph]"})
    with pytest.raises(ConfigError, match=r"pip install 'rove\[graph\]'"):
        registry.get("x")
