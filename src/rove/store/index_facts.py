"""Facts that say which index beside the catalog has been given all chunks."""

WRITTEN_TO = "index"
"""The fact that names the index to which the last writer has given all chunks."""
OUTDATED = "outdated"
"""Its value where none has: the next writer makes the index anew, and nobody asks it before."""
SERVER_NAME = "index-name"
"""The fact that says what the base is called on a server of indexes."""
