"""A worker as a process, `python -m rove.ingest.workers.child`: groups come on its input, replies go to its output.

It ends at once when its input ends, so that nothing of it is left when the process that started it is killed.
"""

from __future__ import annotations

import os
from queue import SimpleQueue
from threading import Thread
from typing import BinaryIO

from rove.errors import RoveError
from rove.ingest.workers.making import Failed, Page, ShardMaker
from rove.records import PageRead
from rove.sandbox.messages import encoder, read_frame, write_frame


def main() -> None:
    """Work until there is no more."""
    tasks: BinaryIO = os.fdopen(0, "rb", buffering=0)
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not come between two messages
    order = read_frame(tasks)
    if order is None:
        return
    groups = SimpleQueue[bytes]()
    Thread(target=_listen, args=(tasks, groups), daemon=True).start()
    try:
        maker = ShardMaker(order.message)
    except RoveError as error:
        write_frame(out, encoder.encode(Failed.of(error)))
        return

    def tell(page: PageRead) -> None:
        told = Page(page.source, page.digest, page.transcript, page.page, page.pages)
        write_frame(out, encoder.encode(told))

    write_frame(out, b"")
    while True:
        write_frame(out, maker.make(groups.get(), tell))


def _listen(tasks: BinaryIO, groups: SimpleQueue[bytes]) -> None:
    """Hand groups on. The end of the input ends the process, whatever it does: the reading process then ends too."""
    while (frame := read_frame(tasks)) is not None:
        groups.put(frame.message)
    os._exit(0)


if __name__ == "__main__":
    main()
