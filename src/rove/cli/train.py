"""`rove train`: vectors of the base's own words, in a file that the settings then name."""

from __future__ import annotations

import json
from pathlib import Path

import click

from rove.cli.session import Session, command


@command("train")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def train(session: Session, file: Path) -> None:
    """Train FastText vectors on the base's own texts, and write them to FILE.

    The base stays as it is: say in its settings what is printed, then let it have the vectors by rove migrate. Some
    minutes of one core at most, whatever the size of the base, but for very large ones. FILE holds the base's words.
    """
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
