"""The Pawsitive Retrieval study, reproduced from its published data with Rove's own metrics and rules; then beaten.

    python -m reproduce                                   # every check; the last line is the best configuration's
    python -m reproduce --write docs/reproduction.md      # the page, with its plots
    python -m reproduce votes --to FOLDER                 # the votes as published, for: rove sweep pawsitive FOLDER
    python -m reproduce beat                              # Rove's own pipeline on the same questions and posts

The data (MIT, github.com/marcoswastaken/erdos_paware) is not part of the package: it stands in `shared/data/pawsitive`.
"""

from pathlib import Path

ROOT = Path(__file__).parents[1]
DATA = ROOT.parent / "shared" / "data" / "pawsitive"
BEST, BASELINE = "010010110", "000000000"
