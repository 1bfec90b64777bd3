"""Values of options that are known without a search: their names for help, checks and completion."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from rove.cli.command import meant_base

MODES = (
    "keyword", "semantic", "hybrid", "gather", "walk", "graph", "sparse", "tree", "questions", "summaries", "themes",
    "schema", "rewrite", "chain", "together", "tools",
)  # fmt: skip
"""The packaged modes of a search; a plug-in adds its own."""
METRICS = (
    "rr", "ext_rr", "ndcg", "ndcg_linear", "ndcg_blind", "ndcg_condensed", "recall", "precision", "all", "hit", "map",
    "judged", "bpref", "span_recall", "span_whole", "span_precision", "span_iou", "similarity", "similarity_best",
)  # fmt: skip
"""The packaged metrics of what was found."""
METRICS_OF_ONE = ("ndcg@10", "recall@10", "rr", "hit@1", "all@10")
METRIC_HELP = f"Metric, e.g. ndcg@10; several: repeat it. There are: {', '.join(METRICS)}."
ENRICHERS = ("replies", "fields", "graph", "summaries")
"""What `rove enrich` can work out; a plug-in adds its own."""
DIRECTIONS = ("out", "in", "both")
WALK_ACTIONS = ("list", "show", "resume", "fork", "replay", "export", "import", "delete")
REVIEW_KINDS = ("triplet", "question", "correction", "theme")
VERDICTS = ("accept", "edit", "reject")
"""As `rove.records.reviewed` has them."""
RIGHTS = ("read", "add", "delete", "admin")
ROLES = ("reader", "contributor", "editor", "administrator")
"""As `rove.serve.people.roles` has them."""
NAME_VALUE = "NAME=VALUE"
CATALOG = "catalog.sqlite"
"""As `rove.store.presence` has it."""
MOST = 500
FILE = click.Path(dir_okay=False, path_type=Path)
FOUND = click.Path(exists=True, dir_okay=False, path_type=Path)
TARGET = click.Path(dir_okay=False, path_type=Path, allow_dash=True)
ORIGIN = click.Path(exists=True, dir_okay=False, path_type=Path, allow_dash=True)
FOUND_ANY = click.Path(exists=True, path_type=Path)


class Known(click.ParamType):  # pyright: ignore[reportMissingTypeArgument] - generic in newer versions only
    """A name of which some are known; what is given is not checked here, since a plug-in may have it."""

    name = "text"

    def __init__(self, *names: str) -> None:
        self.names = names

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Name those that begin so."""
        del ctx, param
        return [CompletionItem(name) for name in self.names if name.startswith(incomplete)]


class Kept(click.ParamType):  # pyright: ignore[reportMissingTypeArgument] - generic in newer versions only
    """A name of something that the base keeps, asked for by SQL that reads names and what stands beside them."""

    name = "text"

    def __init__(self, query: str, *names: str, files: bool = False) -> None:
        """`files`: files may be named too, which the shell knows."""
        self._query = query
        self._names = names
        self._files = files

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Name those that begin so; none where there is no base in a folder."""
        del param
        found = [CompletionItem(name) for name in self._names if name.startswith(incomplete)]
        if self._files:
            found.append(CompletionItem(incomplete, type="file"))
        (place, *_) = ctx.params.get("kb") or meant_base(ctx)
        file = Path(place) / CATALOG
        if not file.is_file():
            return found
        with suppress(sqlite3.Error), closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as base:
            rows = base.execute(self._query, (f"{incomplete}%", MOST)).fetchall()
            found += [CompletionItem(str(name), help=str(said)) for name, said in rows]
        return found


WALK = Kept("SELECT walk_id, question FROM walks WHERE walk_id LIKE ? ORDER BY updated_at DESC LIMIT ?", "last")
DOCUMENT = Kept(
    "SELECT document_id, title FROM documents WHERE revision > 0 AND document_id LIKE ? ORDER BY seq LIMIT ?",
    files=True,
)


def where_option(text: str = "Only where this holds; all of them, if several."):  # noqa: ANN201 - click's decorator
    """The option for conditions on documents."""
    return click.option("--where", "-w", multiple=True, metavar=NAME_VALUE, help=text)
