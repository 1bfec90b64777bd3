"""Rove as `rove add` reads: in a pool of two reading processes, cut into chunks, sent back and unpacked."""

from __future__ import annotations

import json
import statistics
import sys
import time
from pathlib import Path

from rove.load.discover import locate
from rove.prepare import Recipe
from rove.records import Prepared
from rove.sandbox import Limits
from rove.sandbox.pool import Pool

PROCESSES = 2

files = json.loads(Path(sys.argv[1]).read_text("utf-8"))
jobs = [(location, "") for location in locate([Path(file["path"]) for file in files])]
pool = Pool(Recipe("none", "none"), Limits(), PROCESSES)
seconds, read = [], set[str]()
for _ in range(1 + int(sys.argv[3])):
    began = time.perf_counter()
    read = {item.ledger_source for item in pool.read(jobs) if isinstance(item, Prepared)}
    seconds.append(time.perf_counter() - began)
pool.close()
size = sum(Path(path).stat().st_size for path in read)
print(json.dumps({"files": len(read), "bytes": size, "peak_mb": 0, "seconds": statistics.median(seconds[1:])}))
