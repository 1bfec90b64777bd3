"""`rove train`: vectors of the base's own words, in a file that the settings then name."""

from __future__ import annotations

import json
from pathlib import Path

from rove.cli.session import Session


def train(session: Session, file: Path) -> None:
    """Run `rove train`."""
    with session.base() as kb:
        made = kb.train_embedder(file)
    output = session.output
    if output.as_json:
        output.json(made)
        return
    output.line(
        f"Trained on {made.passages:,} passages ({made.tokens:,} words, {made.words:,} different ones), "
        f"gone through {made.epochs} times: {made.file}"
    )
    output.line(f'Write into the settings: [embedder] name = "fasttext" model = {json.dumps(str(made.file))}')
    output.line(f"Then move the base: rove migrate{session.again}")
