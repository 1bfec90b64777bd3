"""How well the check of a chat model's sentences tells true ones from false ones: a set written by hand, in two halves.

`open/` and `held/` hold the set, one file for each language of the sources, split by the SHA-1 of the source's document
(`half_of`). **Whoever works on the check reads `open/` alone.** Of `held/` only the figures are looked at, never the
sentences, their sources, or which of them were judged wrongly: it says what the check is worth on what it was not
built for. `README.md` says where the sources come from and what the kinds mean.
"""

from __future__ import annotations
