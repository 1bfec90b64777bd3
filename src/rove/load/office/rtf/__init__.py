"""Rich Text Format: from bytes to words, from words to paragraphs and rows."""
