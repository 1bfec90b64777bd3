"""Office files, by Microsoft's formats and OpenDocument: pieces in document order, which are joined in one way."""
