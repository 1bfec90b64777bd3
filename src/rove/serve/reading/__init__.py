"""Documents as they are read over HTTP: laid out, block by block, and searched for words."""
