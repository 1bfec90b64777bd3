"""Pages as pictures, drawn by a process of their own, `rove.serve.drawing`, and only from a file that is as it was."""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from rove.errors import InputError
from rove.records import Document, DocumentInfo
from rove.serve.problems import AbsentError

MAX_WALL_S = 30
PNG = b"\x89PNG"
drawing = asyncio.Semaphore(2)


def original(info: DocumentInfo, document: Document) -> Path | None:
    """The PDF that a document was read from, if it lies there as it was then; None otherwise."""
    path = Path(info.source)
    if info.kind != "pdf" or not document.pages or not path.is_absolute():
        return None
    with suppress(OSError, ValueError):
        changed = datetime.fromtimestamp(int(path.stat().st_mtime), UTC)  # whole seconds, as the other one
        added = datetime.fromisoformat(info.added_at)
        if path.is_file() and changed <= (added if added.tzinfo else added.replace(tzinfo=UTC)):
            return path
    return None


async def picture(path: Path, page: int) -> bytes:
    """Draw a page, counted from 1, as PNG.

    Raises:
        AbsentError: there is no such page any more.
        InputError: it took too long, or cannot be drawn.
    """
    async with drawing:
        child = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "rove.serve.drawing", str(path), str(page),
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        try:
            async with asyncio.timeout(MAX_WALL_S):
                made, _ = await child.communicate()
        except TimeoutError:
            message = "To draw this page took too long."
            raise InputError(message, cure="Read its text.") from None
        finally:
            if child.returncode is None:
                child.kill()
                await child.wait()
    if not made.startswith(PNG):
        message = "This page cannot be drawn."
        raise AbsentError(message, cure="Read its text.")
    return made
