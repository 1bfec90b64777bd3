"""The blocking face of `rove.rebuild`."""

from __future__ import annotations

from pathlib import Path

from rove.events import Listener, ignore
from rove.rebuild import Rebuilt, rebuild
from rove.settings import read_settings
from rove.sync.run_apart import run_apart


def rebuild_base(
    source: str, location: str | Path = "kb", *, listener: Listener = ignore, **settings: object
) -> Rebuilt:
    """Give a base whose catalog is lost or torn a new one. See `rove.rebuild.rebuild`."""
    return run_apart(rebuild(read_settings(location, **settings), source, listener))
