"""Pictures that stand in a document, taken out of its file by the name that its canonical text gives them."""

from __future__ import annotations

from urllib.parse import unquote

from rove.errors import InputError
from rove.load.container import open_container, read_part
from rove.records import Source


def picture_inside(source: Source, name: str) -> bytes:
    """Return the bytes of a picture in a file of a kind of `PICTURED`. Blocks, and parses what anybody has written.

    Args:
        source: the file.
        name: the end of its path in there, as in "![…](media/image1.png)": percent-encoded, perhaps with "../".

    Raises:
        InputError: "damaged", "too-large" or "encrypted"; or there is no such picture.
    """
    wanted = unquote(name).replace("\\", "/").lstrip("./").casefold()
    with open_container(source) as archive:
        for part in archive.infolist():
            if wanted and f"/{part.filename.casefold()}".endswith(f"/{wanted}"):
                return read_part(archive, part, f"{source.name}/{part.filename}")
    message = f"{source.name!r} holds no picture {name!r}."
    raise InputError(message, cure="Read its caption.")
