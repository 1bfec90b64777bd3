"""Pictures and scans as documents; OCR, which PDFs use too."""
