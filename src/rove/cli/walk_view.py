"""How a walk looks: a log with a live foot in a terminal, plain lines in a pipe, lines of JSON where asked for."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Protocol, Self

from rich.console import Group
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from rove.cli.output import Output, escape_markup
from rove.errors import count_text
from rove.language.rendering import render
from rove.records.walk_events import (
    Budget,
    ChunksRead,
    Edited,
    FactDelta,
    FactDropped,
    FactFound,
    FactRejected,
    Judged,
    LeadDropped,
    LeadFollowed,
    LeadFound,
    Paused,
    RoundStarted,
    Spent,
    Stopped,
    WalkEvent,
    WalkStarted,
    Warned,
)
from rove.walk.json_format import to_line
from rove.walk.state import State, advanced

FOOT_LEADS = 3
FOOT_CHARS = 160
TITLES = 6


class WalkView(Protocol):
    """Shows events as they come; entered for as long as they do."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None: ...

    def show(self, event: WalkEvent) -> None:
        """Show one more event."""
        ...


def view_for(output: Output, state: State) -> WalkView:
    """Choose the view that fits where it is printed. `state`: where the walk stands."""
    if output.as_json:
        return JsonView()
    return LiveView(output, state) if output.terminal else LineView(output, state)


class JsonView:
    """A line of JSON for each event, deltas included."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        return

    def show(self, event: WalkEvent) -> None:
        """See `WalkView.show`."""
        sys.stdout.write(to_line(event) + "\n")
        sys.stdout.flush()


class LineView:
    """A line or two for each thing that happened; what stands in a pipe is not coloured."""

    def __init__(self, output: Output, state: State) -> None:
        self.output = output
        self.state = state

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        return

    def show(self, event: WalkEvent) -> None:
        """See `WalkView.show`."""
        for line in event_lines(event, self.state):
            self.output.marked(line)
        self.state = advanced(self.state, event)


class LiveView(LineView):
    """The same lines, and under them, while it works: what it is doing, what it may follow next, what it has used."""

    def __init__(self, output: Output, state: State) -> None:
        super().__init__(output, state)
        self._live: Live | None = None
        self._draft = ""
        self._spinner = Spinner("dots", style="cyan")

    def __enter__(self) -> Self:
        self._live = Live(console=self.output.console, refresh_per_second=8, transient=True)
        self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._live:
            self._live.stop()
            self._live = None

    def show(self, event: WalkEvent) -> None:
        """See `WalkView.show`."""
        if isinstance(event, FactDelta):
            self._draft = event.fields.get("fact", "")
        else:
            super().show(event)
            self._draft = ""
        if self._live:
            self._live.update(self._foot())

    def _foot(self) -> Group:
        state = self.state
        self._spinner.update(text=Text(f" {doing(state)}", style="cyan"))
        rows: list[Text | Spinner] = [Text(), self._spinner]
        if self._draft:
            rows.append(Text(f"   … {_cut_foot_line(self._draft)}", style="italic", overflow="ellipsis", no_wrap=True))
        for lead in state.open_leads[:FOOT_LEADS]:
            text = f"   → {_cut_foot_line(lead.text)} ({lead.kind}, {lead.score:.2f})"
            rows.append(Text(text, style="dim", overflow="ellipsis", no_wrap=True))
        rows.append(Text(f"   {used(state.spent, state.budget)} · Ctrl-C to pause and edit", style="dim"))
        return Group(*rows)


def event_lines(event: WalkEvent, state: State) -> list[str]:
    """Return what is printed of an event, with rich's marks. `state`: as it was before the event."""
    match event:
        case WalkStarted() | RoundStarted() | Stopped() | Paused() | Edited() | Warned() | Judged():
            return _course(event, state)
        case ChunksRead() | FactFound() | FactRejected() | FactDropped():
            return _fact_event_lines(event, state)
        case LeadFound(lead):
            return [f"    [cyan]→[/] {escape_markup(lead.text)} [dim]({lead.kind}, {lead.score:.2f})[/]"]
        case LeadFollowed(lead_id, _, chunks):
            lead = state.lead(lead_id)
            name = escape_markup(lead.text) if lead else "the question"
            why = f"{escape_markup(event.reason)}{_lead_titles(event, state)}"
            return [f"  [blue]⇢[/] {name}: {count_text(chunks, 'new chunk')} [dim]{why}[/]"]
        case LeadDropped(lead_id, _, reason):
            lead = state.lead(lead_id)
            return [f"  [yellow]⨯[/] [dim]{escape_markup(lead.text if lead else lead_id)}: {escape_markup(reason)}[/]"]
        case _:
            return []


def doing(state: State) -> str:
    """Say in a few words what a walk does next, or does now."""
    if state.stopped:
        return "writing the answer"
    if any(lead_id not in state.followed and lead_id not in state.dropped for lead_id in state.plan):
        return f"round {state.round}: searching"
    if state.unread:
        return f"round {state.round}: reading {count_text(len(state.unread), 'chunk')} ({state.mode})"
    return f"round {state.round}: is it enough?" if state.round else "beginning"


def used(spent: Spent, budget: Budget) -> str:
    """Write down what was used up, beside its bound where there is one.

    >>> used(Spent(rounds=2, seconds=3.21), Budget(calls=0, tokens=0))
    '2/4 rounds · 3/120 s'
    """
    parts = [f"{spent.rounds}{_of_max(budget.rounds)} {'round' if (budget.rounds or spent.rounds) == 1 else 'rounds'}"]
    if spent.calls:
        parts.append(f"{spent.calls}{_of_max(budget.calls)} calls")
        parts.append(f"{spent.tokens:,}{_of_max(budget.tokens)} tokens")
    parts.append(f"{spent.seconds:.0f}{_of_max(budget.seconds)} s")
    if spent.money:
        parts.append(f"{spent.money:.4f}{_of_max(budget.money)} spent")
    return " · ".join(parts)


def _course(event: WalkEvent, state: State) -> list[str]:
    match event:
        case WalkStarted():
            mode = "without a chat model" if event.mode == "extractive" else escape_markup(event.mode)
            return [f"[bold]{escape_markup(event.question)}[/]", f"[dim]walk {event.walk_id} · {mode}[/]"]
        case RoundStarted():
            return ["", f"[bold]Round {event.round}[/]"]
        case Judged():
            verdict = "enough" if event.enough else "not enough"
            missing = f" Missing: {escape_markup(event.missing)}" if event.missing and not event.enough else ""
            return [
                f"  [magenta]◆[/] {verdict} [dim]({escape_markup(event.by)}) {escape_markup(event.reason)}{missing}[/]"
            ]
        case Stopped():
            return ["", f"[bold]{escape_markup(event.text)}[/] [dim]{used(event.spent, state.budget)}[/]"]
        case Paused():
            return ["", "[bold yellow]Paused.[/]"]
        case Edited():
            return ["[dim]edited[/]"]
        case Warned():
            return [f"  [yellow]![/] {escape_markup(event.text)}"]
        case _:
            return []


def _fact_event_lines(event: ChunksRead | FactFound | FactRejected | FactDropped, state: State) -> list[str]:
    match event:
        case ChunksRead():
            return []
        case FactFound(fact):
            citation = fact.citation
            page = f", {citation.place}" if citation and citation.place else ""
            title = (citation.title or citation.uri) if citation else "you"
            source = "" if title and fact.text.startswith(title) else f"{escape_markup(title)}{page} · "
            origin = " · remembered" if fact.origin == "memory" else ""
            said = escape_markup(render(fact.text).line)
            return [f"  [green]✓[/] {said} [dim]— {source}{fact.relevance:.0%}{origin}[/]"]
        case FactRejected():
            return [f"  [red]✗[/] [dim]{escape_markup(render(event.text).line)}: {escape_markup(event.reason)}[/]"]
        case FactDropped():
            fact = next((one for one in state.facts if one.fact_id == event.fact_id), None)
            said = render(fact.text).line if fact else event.fact_id
            return [f"  [yellow]⨯[/] [dim]{escape_markup(said)}: {escape_markup(event.reason)}[/]"]


def _lead_titles(event: LeadFollowed, state: State) -> str:
    found = [seen for seen in state.seen if seen.round == event.round and seen.lead_id == event.lead_id]
    titles = list(dict.fromkeys(seen.title or seen.uri for seen in found))
    more = " …" if len(titles) > TITLES else ""
    return f" · {escape_markup(', '.join(titles[:TITLES]))}{more}" if titles else ""


def _of_max(bound: float) -> str:
    return f"/{bound:,.0f}" if bound else ""


def _cut_foot_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= FOOT_CHARS else line[:FOOT_CHARS] + "…"
