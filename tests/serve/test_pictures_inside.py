"""Pictures that stand in documents: shown from the file, to who may see the document, and nothing else of that file."""

from __future__ import annotations

import struct
import zipfile
from io import BytesIO
from pathlib import Path
from zlib import crc32

import httpx
import pytest
from docx import Document as WordFile
from PIL import Image

from load.samples_pages import described_png, picture, picture_file
from serve.browser import visiting
from serve.conftest import Opener, Town, settled

HR = "/v1/spaces/hr"
RED = (200, 30, 30)
NULS = ("\0", "%00", "image1.png\0")
SIDE = 60_000
SVG = b"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><script>alert(1)</script></svg>"


def red(size: tuple[int, int] = (40, 20)) -> bytes:
    return picture_file(Image.new("RGB", size, RED))


def huge() -> bytes:
    """A PNG of a few bytes that says it has `SIDE` by `SIDE` pixels."""
    made = bytearray(red())
    made[16:24] = struct.pack(">II", SIDE, SIDE)
    made[29:33] = struct.pack(">I", crc32(made[12:29]))
    return bytes(made)


def word_file(*pictures: bytes, swapped: bytes = b"") -> bytes:
    """A Word file with pictures; `swapped`: bytes in place of those of the first."""
    made, out = WordFile(), BytesIO()
    made.add_paragraph("The pump stands in hall 3. 泵在三号厅。")
    for one in pictures:
        made.add_picture(BytesIO(one))
    made.save(out)
    if not swapped:
        return out.getvalue()
    with zipfile.ZipFile(out) as before, zipfile.ZipFile(changed := BytesIO(), "w", zipfile.ZIP_DEFLATED) as after:
        for part in before.infolist():
            after.writestr(part.filename, swapped if "image1" in part.filename else before.read(part))
    return changed.getvalue()


async def hand_in(client: httpx.AsyncClient, name: str, data: bytes, *access: str) -> str:
    """Upload a file; returns its document's id."""
    given = {"files": [("files", (name, data))], "data": {"access": list(access)}}
    await settled(client, "hr", await client.post(f"{HR}/uploads", **given))
    documents = (await client.get(f"{HR}/documents")).json()["documents"]
    return [one["document_id"] for one in documents if one["source"] == name][-1]


async def asked(client: httpx.AsyncClient, document_id: str, **query: object) -> httpx.Response:
    return await client.get(f"{HR}/picture", params={"document_id": document_id, **query})


async def test_a_picture_in_a_word_file_is_shown_by_its_name(town: Town) -> None:
    async with town.client("root") as root, town.client("lara") as lara:
        document_id = await hand_in(root, "pump.docx", word_file(red(), picture_file(picture("Halle"))), "board")
        first = await asked(root, document_id, name="image1.png")
        assert (first.status_code, first.headers["content-type"]) == (200, "image/png")
        drawn = Image.open(BytesIO(first.content))
        assert (drawn.size, drawn.getpixel((0, 0))) == ((40, 20), RED)
        second = await asked(root, document_id, name="media/image2.png")
        assert second.content != first.content
        etag = first.headers["etag"]
        again = await root.get(
            f"{HR}/picture",
            params={"document_id": document_id, "name": "image1.png"},
            headers={"If-None-Match": etag},
        )
        assert again.status_code == 304
        assert etag != second.headers["etag"]
        for name in ("image9.png", "document.xml", "../../../etc/passwd", "..", "图.png", "-h", *NULS):
            assert (await asked(root, document_id, name=name)).status_code == 404, name
        assert (await asked(root, document_id)).status_code == 404
        hidden = await asked(lara, document_id, name="image1.png")
        assert hidden.status_code == 404
        whole = await root.get(f"{HR}/download", params={"document_id": document_id})
        assert whole.content.startswith(b"PK")


@pytest.mark.parametrize("inside", [huge(), SVG, b"\x89PNG\r\n\x1a\n" + b"\0" * 99], ids=["huge", "svg", "torn"])
async def test_what_is_no_picture_that_can_be_drawn_is_not_sent(town: Town, inside: bytes) -> None:
    async with town.client("root") as root:
        document_id = await hand_in(root, "odd.docx", word_file(red(), swapped=inside))
        shown = await asked(root, document_id, name="image1.png")
        assert shown.status_code == 404
        assert shown.json()["detail"] == "This cannot be drawn."


async def test_a_picture_beside_a_text_is_shown_if_it_is_a_document_that_one_may_see(
    open_town: Opener, tmp_path: Path
) -> None:
    folder = tmp_path / "guide"
    (folder / "figures").mkdir(parents=True)
    (folder / "guide.md").write_text("# Halle\n\n![The hall](figures/the%20hall.png)\n\n![x](../secret.png)\n", "utf-8")
    (folder / "figures" / "the hall.png").write_bytes(described_png("Die Halle"))
    (tmp_path / "secret.png").write_bytes(red())
    async with open_town() as town, town.client("root") as root:
        await town.spaces._spaces["hr"].kb.add(folder)
        documents = (await root.get(f"{HR}/documents")).json()["documents"]
        guide = next(one["document_id"] for one in documents if one["source"].endswith("guide.md"))
        assert (await asked(root, guide, name="figures/the%20hall.png")).status_code == 200
        for name in ("../secret.png", str(tmp_path / "secret.png"), "https://example.org/x.png", *NULS):
            assert (await asked(root, guide, name=name)).status_code == 404, name


@pytest.mark.long
async def test_pictures_stand_in_the_document_as_it_is_read(tmp_path: Path) -> None:
    file = tmp_path / "pump.docx"
    file.write_bytes(word_file(red((300, 200))))
    async with visiting(tmp_path) as visit:
        kb = visit.town.spaces._spaces["hr"].kb
        await kb.add(file)
        (info,) = await kb.named(str(file))
        async with visit.page(f"document/{info.document_id}") as page:
            shown = page.locator(".document .picture.shown img")
            await shown.wait_for()
            size = await shown.evaluate("(one) => one.decode().then(() => [one.naturalWidth, one.naturalHeight])")
            assert size == [300, 200]
            assert await shown.get_attribute("alt") == ""
        assert visit.errors == []
        assert not [address for address in visit.asked if not address.startswith((visit.address, "blob:"))]
