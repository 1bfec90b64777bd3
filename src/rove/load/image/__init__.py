"""Pictures: what their makers say of them, and the text on them, which tesseract reads."""
