"""`rove graph`: what the documents say of things, and how these are related."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path

import click

from rove.cli.output import escape_markup
from rove.cli.session import FAILED, Session
from rove.errors import count_text
from rove.events import Event, Noted
from rove.graph_files import document_graph_ml, graph_ml, graph_page
from rove.language.rendering import render
from rove.records.graph import DocumentGraph, Link, Relation, Subgraph
from rove.retrieve.condition import parse_where
from rove.retrieve.explore import DIRECTIONS, Reach
from rove.sync import Rove

SHOWN_CHARS = 200
WRITERS: Mapping[str, Callable[[Subgraph, str], str]] = {
    ".html": graph_page,
    ".graphml": lambda found, _: graph_ml(found),
}


def graph(
    session: Session,
    names: tuple[str, ...],
    documents: tuple[str, ...],
    structure: bool,
    direction: str,
    depth: int,
    fan: int,
    limit: int,
    where: tuple[str, ...],
    out: Path | None,
) -> int:
    """Run `rove graph`."""
    if not names and not documents:
        raise click.UsageError("Name a thing, or a document by --document.")  # noqa: TRY003 - click prints it
    if structure:
        return _structure(session, documents, out)
    if out and out.suffix not in WRITERS:
        raise click.UsageError(f"{out} is neither .html nor .graphml.")  # noqa: TRY003

    def said(event: Event) -> None:
        if isinstance(event, Noted):
            session.output.note(event.text)

    reach = Reach(next(one for one in DIRECTIONS if one == direction), depth, fan, limit)
    with session.base() as kb:
        ids = [info.document_id for info in kb.named(*documents)] if documents else []
        found = kb.explore(*names, reach=reach, documents=ids, where=parse_where(where), listener=said)
        if not found.entities:
            _say_why(session, kb, names)
    if out:
        out.write_text(WRITERS[out.suffix](found, ", ".join((*names, *documents))), "utf-8")
        session.output.note(
            f"Written to {out}: {count_text(len(found.entities), 'entity', 'entities')}, "
            f"{count_text(len(found.links), 'relation')}."
        )
    elif session.output.as_json:
        session.output.json(found)
    else:
        _show_subgraph(session, found)
    return 0 if found.entities else FAILED


def _structure(session: Session, documents: tuple[str, ...], out: Path | None) -> int:
    """Show one document's own graph, or write it as GraphML."""
    if len(documents) != 1 or (out and out.suffix != ".graphml"):
        raise click.UsageError("--structure wants one --document, and writes .graphml.")  # noqa: TRY003
    with session.base() as kb:
        (info, *_) = kb.named(*documents)
        found = kb.document_graph(info.document_id)
    if out:
        out.write_text(document_graph_ml(found), "utf-8")
        session.output.note(f"Written to {out}: {len(found.parts)} parts.")
    elif session.output.as_json:
        session.output.json(found)
    else:
        _show_structure(session, found)
    return 0


def _show_structure(session: Session, found: DocumentGraph) -> None:
    """Print the sections and chunks as a tree, each chunk with what it speaks of."""
    names = {part.key: part.name for part in found.parts}
    holds: dict[str, list[str]] = defaultdict(list)
    speaks: dict[str, list[str]] = defaultdict(list)
    for bond in found.bonds:
        of = {"holds": holds, "names": speaks}.get(bond.kind)
        if of is not None:
            of[bond.source].append(bond.target)
    starts = {part.key: part.span[0] for part in found.parts if part.span}
    open_ = [(found.parts[0].key, 0)]
    while open_:
        key, depth = open_.pop()
        about = ", ".join(names[one] for one in speaks[key])
        session.output.marked(
            f"{'  ' * depth}{escape_markup(names[key])}" + (f" [dim]· {escape_markup(about)}[/]" if about else "")
        )
        open_ += [(one, depth + 1) for one in sorted(holds[key], key=lambda one: -starts[one])]


def _say_why(session: Session, kb: Rove, names: tuple[str, ...]) -> None:
    """Say why nothing was found, and what to do."""
    if not kb.graph_size()[0]:
        session.output.note("The base has no graph yet. Make it: rove enrich graph")
        return
    session.output.note("No document says anything of this.")
    if near := [other for name in names for other in kb.graph_names(name)]:
        session.output.note(f"There is: {', '.join(near)}")


def _show_subgraph(session: Session, found: Subgraph) -> None:
    names = {entity.key: entity.name for entity in found.entities}
    for entity in found.entities:
        if len(entity.names) > 1 and not entity.hops:
            session.output.marked(
                f"[bold]{escape_markup(entity.name)}[/] [dim]also {escape_markup(', '.join(entity.names[1:]))}[/]"
            )
    for link in found.links:
        subject, object_ = escape_markup(names[link.subject]), escape_markup(names[link.object])
        session.output.marked(
            f"[bold]{subject}[/] [cyan]{escape_markup(link.predicate)}[/] [bold]{object_}[/]{_link_count_mark(link)}"
        )
        _show_relation_quote(session, link.relations[0])
    if found.more:
        session.output.note("There is more: raise --fan, --limit or --depth.")


def _link_count_mark(link: Link) -> str:
    return f" [dim]×{len(link.relations)}[/]" if len(link.relations) > 1 else ""


def _show_relation_quote(session: Session, relation: Relation) -> None:
    start, end = relation.triplet.span
    where = f"{relation.title or relation.source} · {relation.document_id}:{start}-{end}"
    by = " · learned by a walk" if relation.memory_id else ""
    session.output.marked(f"   [dim]{escape_markup(where)}{by}[/]")
    session.output.line(f"   {render(relation.quote).line[:SHOWN_CHARS]}")
