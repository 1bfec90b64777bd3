"""Office files: a folder for each format reads it in pieces, which `compose` joins and `assemble` makes a Document of."""
