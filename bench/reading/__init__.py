"""How well and how fast files are read, format by format: Rove, markitdown and the bare parser, held against the files.

`files` chooses and makes the files, `truth` and its siblings say what stands in them, straight from the raw formats and
by no code of Rove's or markitdown's, `score` compares, `speed` times, `run` puts it all into tables.
"""

from __future__ import annotations

from bench import CACHE, DATA

FILES = DATA.parent / "files"
MADE = CACHE / "reading" / "made"
READ = CACHE / "reading" / "read"
