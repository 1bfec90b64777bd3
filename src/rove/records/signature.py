"""How a document's signature is laid out, between `rove.enrich.signature` that makes it and `rove.store.duplicates`.

`VERSION`, then the hash of the text, then, where the text is long enough to be compared, the MinHash values.
"""

from __future__ import annotations

VERSION = bytes([1, 2])
"""How the text was prepared, and which version of R-MinHash made the slots; others are compared by their hash alone."""
HASH_BYTES = 16
SLOTS = 112
"""MinHash values of 16 bits."""
