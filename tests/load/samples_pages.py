"""Printed pages and pictures, made in the test."""

from __future__ import annotations

from io import BytesIO

from PIL import Image, PngImagePlugin


def described_png(text: str = "Fünf Wölfe 五匹の狼 im Schnee") -> bytes:
    """A small white picture that says of itself what it shows."""
    facts = PngImagePlugin.PngInfo()
    facts.add_itxt("Description", text)
    out = BytesIO()
    Image.new("L", (40, 30), 255).save(out, "PNG", pnginfo=facts)
    return out.getvalue()
