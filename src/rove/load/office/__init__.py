"""Office files: a folder for each format reads pieces of text, which `compose` joins and `assemble` wraps up."""
