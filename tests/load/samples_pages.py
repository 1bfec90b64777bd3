"""Printed pages and pictures, made in the test."""

from __future__ import annotations

from io import BytesIO

from PIL import Image, ImageDraw, ImageFont, PngImagePlugin


def described_png(text: str = "Fünf Wölfe 五匹の狼 im Schnee") -> bytes:
    """A small white picture that says of itself what it shows."""
    facts = PngImagePlugin.PngInfo()
    facts.add_itxt("Description", text)
    out = BytesIO()
    Image.new("L", (40, 30), 255).save(out, "PNG", pnginfo=facts)
    return out.getvalue()


def picture(text: str, *, size: int = 40) -> Image.Image:
    """A white picture with lines of Latin text on it."""
    image = Image.new("L", (1800, 120 + 90 * text.count("\n")), 255)
    ImageDraw.Draw(image).multiline_text((60, 30), text, fill=0, font=ImageFont.load_default(size), spacing=40)
    return image


def picture_file(*images: Image.Image, kind: str = "PNG") -> bytes:
    out = BytesIO()
    images[0].save(out, kind, dpi=(200, 200), **({"save_all": True, "append_images": images[1:]} if images[1:] else {}))
    return out.getvalue()


FONTS = """<< /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>
/F2 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>
/F3 << /Type /Font /Subtype /Type1 /BaseFont /Courier >>
/F4 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding << /Differences
[1 /ohungarumlaut /uhungarumlaut /afii57689 /afii57676 /afii57669 /afii57677] >> >>
/F5 << /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /UniGB-UCS2-H /DescendantFonts
[<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light /DW 1000
/CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 4 >> >>] >>
/F6 << /Type /Font /Subtype /Type0 /BaseFont /HeiseiMin-W3 /Encoding /UniJIS-UCS2-H /DescendantFonts
[<< /Type /Font /Subtype /CIDFontType0 /BaseFont /HeiseiMin-W3 /DW 1000
/CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 4 >> >>] >> >>"""


def printed(x: float, y: float, text: str, *, font: str = "F1", size: float = 10, rise: float = 0) -> str:
    """The drawing of one text, `y` from the page's lower edge; F5 and F6 take Chinese and Japanese."""
    shown = f"<{text.encode('utf-16-be').hex()}>" if font in {"F5", "F6"} else f"({_escaped(text)})"
    return f"BT /{font} {size} Tf {rise} Ts {x} {y} Td {shown} Tj ET"


def grid(lefts: list[float], tops: list[float]) -> str:
    """The drawing of all lines of a table."""
    across = [f"{lefts[0]} {y} m {lefts[-1]} {y} l S" for y in tops]
    return "\n".join(across + [f"{x} {tops[0]} m {x} {tops[-1]} l S" for x in lefts])


def pdf_pages(
    pages: list[list[str]], *, page: str = "", catalog: str = "", objects: tuple[str, ...] = (), lost: int = 0
) -> bytes:
    """A PDF of A4 pages of drawings. `page` and `catalog` go into every page's and the document's dictionary.

    `objects` are numbered from 3; page number `lost` is named and not there.
    """
    made = ["", "", *objects]
    kids: list[int] = []
    for number, drawn in enumerate(pages, 1):
        stream = "\n".join(drawn)
        made.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
        contents = len(made)
        if number == lost:
            kids.append(999)
            continue
        made.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {contents} 0 R "
            f"/Resources << /Font {FONTS} >> {page} >>"
        )
        kids.append(len(made))
    made[0] = f"<< /Type /Catalog /Pages 2 0 R {catalog} >>"
    made[1] = f"<< /Type /Pages /Count {len(kids)} /Kids [{' '.join(f'{kid} 0 R' for kid in kids)}] >>"
    out = bytearray(b"%PDF-1.7\n")
    offsets: list[int] = []
    for number, text in enumerate(made, 1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{text}\nendobj\n".encode("latin-1")
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    out += f"xref\n0 {len(made) + 1}\n0000000000 65535 f \n{table}".encode()
    out += f"trailer\n<< /Size {len(made) + 1} /Root 1 0 R >>\nstartxref\n{len(out)}\n%%EOF\n".encode()
    return bytes(out)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
