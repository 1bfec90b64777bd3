"""Every registry of the package: whatever module makes one is imported."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import rove
from rove.registry import Registry

SOURCE = Path(rove.__file__).parent


def registries() -> list[Registry]:
    """All of them, each once."""
    found: dict[str, Registry] = {}
    for file in sorted(SOURCE.rglob("*.py")):
        if " = Registry(" in file.read_text("utf-8"):
            parts = file.relative_to(SOURCE.parent).with_suffix("").parts
            module = import_module(".".join(parts).removesuffix(".__init__"))
            found |= {one.group: one for one in vars(module).values() if isinstance(one, Registry)}
    return list(found.values())
