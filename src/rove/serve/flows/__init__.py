"""Flows over HTTP: those that the owner of the server has put into a folder, and that change nothing."""
