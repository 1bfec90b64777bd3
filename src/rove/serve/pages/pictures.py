"""Pages, and pictures in documents, as PNG: drawn by a process of its own, `rove.serve.pages.draw`, of whole files."""

from __future__ import annotations

import asyncio
import sys

from rove.errors import InputError
from rove.serve.problems import AbsentError
from rove.store.originals import Original

MAX_WALL_S = 30
PNG = b"\x89PNG"
drawing = asyncio.Semaphore(2)


async def page_png(original: Original, kind: str, page: int, scale: int = 1, *, name: str = "") -> bytes:
    """Draw a page, counted from 1, of a file of that kind, as PNG; `scale`: 1, or 2 for one to be looked at closely.

    `name`: in place of a page the picture that stands in the file under this name.

    Raises:
        AbsentError: there is no such page any more, or the file is not the one that was read.
        InputError: it took too long, or cannot be drawn.
    """
    async with drawing:
        child = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "rove.serve.pages.draw", kind, str(page), str(scale),
            original.digest, str(original.path), *[name] * bool(name),
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        try:
            async with asyncio.timeout(MAX_WALL_S):
                made, _ = await child.communicate()
        except TimeoutError:
            message = "Drawing this page took too long."
            raise InputError(message, cure="Read its text.") from None
        finally:
            if child.returncode is None:
                child.kill()
                await child.wait()
    if not made.startswith(PNG):
        message = "This cannot be drawn."
        raise AbsentError(message, cure="Read its text.")
    return made
