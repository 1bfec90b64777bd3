"""PDF files: the words of each page and what is drawn and noted beside them; `layout` makes text of these."""
