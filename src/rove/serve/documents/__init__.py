"""Documents over HTTP: uploaded, kept on disk until they are in the base, listed, read, erased."""
