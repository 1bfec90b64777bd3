"""Millions of posts: `make` varies the 39,441 real ones, `steps` takes them through Rove, `run` writes tables."""

from __future__ import annotations

from bench import DATA

REAL = DATA.parent / "pawsitive"
SEED = 19
