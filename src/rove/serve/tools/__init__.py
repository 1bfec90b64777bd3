"""Tools over HTTP: those that the settings name, found and run within a key's rights."""
