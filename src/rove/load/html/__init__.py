"""Pages of HTML and books made of them (EPUB): a tree, the content in it, and its canonical text."""
