"""Pictures and scans as documents; OCR, which PDFs use too."""

FORMATS = ("PNG", "JPEG", "TIFF", "GIF", "WEBP", "BMP")
MAX_PIXELS = 100_000_000
