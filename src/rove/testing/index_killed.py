"""The process that a suite of an index has killed: it adds, enriches and deletes until it comes to the failpoint."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from rove.engine import AsyncRove
from rove.models.fake import FakeEmbedder
from rove.records import Text, field
from rove.store.failpoints import ENRICHING
from rove.testing.indexes import VectorIndexContract
from rove.testing.samples import TEXTS

FILED = field("filed") == True  # noqa: E712 - a filter
VERSIONS = (
    [Text(f"{text} zeppelin", id=name) for name, text in TEXTS.items()],
    [Text(f"{text} airship{name}", id=name) for name, text in TEXTS.items()],
)
"""What a base holds at first, and what takes its place, under the same ids."""


@asynccontextmanager
async def opened(suite: VectorIndexContract, folder: Path) -> AsyncGenerator[AsyncRove]:
    """Open a base that is searched by the suite's index alone."""
    embedder = FakeEmbedder(dimension=suite.dimension)
    index = suite.make(folder / "index")
    async with AsyncRove.open(folder / "kb", embedder=embedder, index=index, store={"resident_chunks": 0}) as kb:
        yield kb


async def run_failpoints(suite: VectorIndexContract, folder: Path, failpoint: str) -> None:
    """Do all that has failpoints, so that this process does not come to its end."""
    async with opened(suite, folder) as kb:
        if failpoint in ENRICHING:
            await kb.store.enrich({info.document_id: {"filed": True} for info in await kb.documents()})
        if failpoint in {"deleted", "forgotten"}:
            await kb.delete("en", "de")
        await kb.add(*VERSIONS[1])


def main(file: str, name: str, folder: str) -> None:
    """Write to the base in `folder` with the index of the suite `name` in `file`."""
    spec = spec_from_file_location(Path(file).stem, file)
    if spec is None or spec.loader is None:
        raise ImportError(file)
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    asyncio.run(run_failpoints(getattr(module, name)(), Path(folder), os.environ["ROVE_FAILPOINT"]))


if __name__ == "__main__":
    main(*sys.argv[1:])
