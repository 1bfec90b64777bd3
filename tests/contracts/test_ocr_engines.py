"""Every registered OCR engine keeps its contract."""

from __future__ import annotations

import pytest

from rove.load.image.ocr import can_read
from rove.testing import OcrEngineContract


@pytest.mark.skipif(not can_read("rapid"), reason="the extra `scan` is not installed")
class TestRapid(OcrEngineContract):
    name = "rapid"


@pytest.mark.skipif(not can_read("tesseract"), reason="tesseract is not installed")
class TestTesseract(OcrEngineContract):
    name = "tesseract"
