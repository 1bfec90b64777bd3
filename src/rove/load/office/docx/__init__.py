"""Word documents: paragraphs with their styles, numbers, tables and what hangs beside them."""
