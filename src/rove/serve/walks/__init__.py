"""Walks over HTTP: begun, streamed, steered, forked, listed."""
