"""The report of the case: findings with their reasons, charts, ratios with formula and cells, and what is missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from examples.financial_report.analyst import Notable, shown

from rove.flow import FlowContext
from rove.flow.operators.layers import LayersFound
from rove.records import Answer, Citation, Sentence
from rove.records.figures import Computed, Figure
from rove.records.paper import Chart, Fact, Paper, PaperCell, PaperSection, PaperTable, Series, Tone

MILLION = 1e6
CARDS = ("gross_margin", "return_on_equity", "free_cash_flow")
LOWER_IS_BETTER = frozenset({"debt_to_equity"})
NO_REASON = "The reports do not say why."
RESTATED = "{name} of {year} is {now} million {unit} in the latest report; an earlier one states {before}."
MISSING = "{title} of {year} cannot be worked out: the reports do not state {missing}."


async def financial_paper(
    context: FlowContext,
    *,
    company: str,
    figures: Sequence[Figure],
    ratios: Sequence[Computed],
    sums: Sequence[Computed],
    notable: Sequence[Notable],
    why: Sequence[LayersFound],
    reasons: Sequence[Answer],
) -> Paper:
    """Put the report together."""
    del context
    years = sorted({one.period for one in figures})
    sections = [
        _findings(notable, {one.question: one for one in reasons}, {one.question: one for one in why}),
        _charts(figures, ratios, years),
        _ratios(ratios, years),
        _figures(figures, years),
        *_open(figures, ratios, sums),
    ]
    by_model = sorted({one.mode for one in reasons} - {"extractive", "refused"})
    notes = [
        f"Figures were read by rules from the tables of the reports, in their units; where reports differ, the latest "
        f"counts. Of {len(sums)} sums, {sum(_adds_up(one) for one in sums)} add up.",
        f"Reasons were written by {', '.join(by_model)} from the sources below; each sentence was held against them."
        if by_model
        else "No chat model took part: reasons quote the reports word for word.",
        "The company and all of its figures are invented and made by a script: examples/financial_report/make_data.py.",
    ]
    first, last = years[0], years[-1]
    lead, facts = _lead(figures, ratios, last), _facts(figures, ratios, last)
    return Paper(f"{company}: {first} to {last}", lead, "Financial report", facts, tuple(sections), tuple(notes))


def _of(ratios: Sequence[Computed], name: str, year: str) -> Computed | None:
    return next((one for one in ratios if (one.name, one.period) == (name, year)), None)


def _cells(one: Computed) -> tuple[Citation, ...]:
    return tuple(figure.citation for figure in one.inputs)


def _lead(figures: Sequence[Figure], ratios: Sequence[Computed], year: str) -> tuple[Sentence, ...]:
    revenue = next((one for one in figures if (one.name, one.period) == ("revenue", year)), None)
    growth, margin = _of(ratios, "revenue_growth", year), _of(ratios, "gross_margin", year)
    sentences: list[Sentence] = []
    if revenue and growth and growth.value is not None:
        way = "grew" if growth.value >= 0 else "fell"
        said = f"Revenue {way} by {abs(growth.value):.1f} % to {_millions(revenue)} in {year}."
        sentences.append(Sentence(said, _cells(growth), "supported"))
    if margin and margin.value is not None:
        sentences.append(Sentence(f"The gross margin was {shown(margin)}.", _cells(margin), "supported"))
    return tuple(sentences)


def _facts(figures: Sequence[Figure], ratios: Sequence[Computed], year: str) -> tuple[Fact, ...]:
    revenue = next((one for one in figures if (one.name, one.period) == ("revenue", year)), None)
    facts = [Fact("Revenue", f"{revenue.value / MILLION:,.1f}", f"million {revenue.unit} in {year}")] if revenue else []
    for name in CARDS:
        now, before = _of(ratios, name, year), _of(ratios, name, str(int(year) - 1))
        if now and now.value is not None:
            note = f"{int(year) - 1}: {_short(before)}" if before else ""
            note = f"million EUR; {note}" if now.unit == "EUR" else note
            facts.append(Fact(now.title, _short(now), note, _tone(now, before)))
    return tuple(facts)


def _tone(now: Computed, before: Computed | None) -> Tone:
    if before is None or before.value is None or now.value is None or now.value == before.value:
        return ""
    return "good" if (now.value > before.value) != (now.name in LOWER_IS_BETTER) else "bad"


def _findings(
    notable: Sequence[Notable], reasons: Mapping[str, Answer], why: Mapping[str, LayersFound]
) -> PaperSection:
    sentences: list[Sentence] = []
    layers: dict[str, list[str]] = {}
    for one in notable:
        way = "rose" if (one.now.value or 0) > (one.before.value or 0) else "fell"
        said = f"{one.now.title} {way} from {shown(one.before)} to {shown(one.now)} in {one.now.period}."
        answer, found = reasons.get(one.question), why.get(one.question)
        kept = [each for each in answer.sentences if each.kept] if answer and not answer.refused else []
        quoted = answer is not None and answer.mode == "extractive"
        because = " ".join(f"“{each.text}”" if quoted else each.text for each in kept) or NO_REASON
        cited = tuple(dict.fromkeys((*_cells(one.now), *(each for each in answer.citations if kept)))) if answer else ()
        worst = next((each.verdict for each in kept if not each.held), "supported")
        sentences.append(Sentence(f"{said} {because}", cited or _cells(one.now), worst))
        if kept and found:
            layers.setdefault(found.layer, []).append(f"{one.now.title} {one.now.period}")
    said = "; ".join(f"in {layer}: {', '.join(names)}" for layer, names in layers.items())
    notes = (f"Where the reasons were found: {said}.",) if layers else ()
    return PaperSection("What changed, and why", tuple(sentences), notes=notes)


def _charts(figures: Sequence[Figure], ratios: Sequence[Computed], years: Sequence[str]) -> PaperSection:
    amounts = {(one.name, one.period): round(one.value / MILLION, 1) for one in figures}
    values = {(one.name, one.period): None if one.value is None else round(one.value, 2) for one in ratios}

    def series(names: Mapping[str, str], of: Mapping[tuple[str, str], float | None]) -> tuple[Series, ...]:
        return tuple(Series(said, tuple(of.get((name, year)) for year in years)) for name, said in names.items())

    labels = tuple(years)
    profit = {"revenue": "Revenue", "operating_profit": "Operating profit", "net_profit": "Net profit"}
    margins = {"gross_margin": "Gross margin", "operating_margin": "Operating margin", "net_margin": "Net margin"}
    cash = {"operating_cash_flow": "From operations", "capital_expenditure": "Investments"}
    debt = {"current_ratio": "Current ratio", "quick_ratio": "Quick ratio", "debt_to_equity": "Debt to equity"}
    said = "Where a bar is missing, the reports state no figure."
    charts = (
        Chart("Revenue and profit", "bars", labels, series(profit, amounts), "million EUR"),
        Chart("Margins", "lines", labels, series(margins, values), "%"),
        Chart("Cash", "bars", labels, series(cash, amounts), "million EUR", said),
        Chart("Liquidity and debt", "lines", labels, series(debt, values), "times", limit=1.0, limit_name="once"),
    )
    return PaperSection("The years side by side", charts=charts)


def _ratios(ratios: Sequence[Computed], years: Sequence[str]) -> PaperSection:
    names = list(dict.fromkeys(one.name for one in ratios))
    rows: list[tuple[PaperCell, ...]] = []
    for name in names:
        every = {one.period: one for one in ratios if one.name == name}
        first = next(iter(every.values()))
        cells = [_ratio(every[year]) if year in every else PaperCell("–") for year in years]
        title = f"{first.title}, million EUR" if first.unit == "EUR" else first.title
        rows.append((PaperCell(title), PaperCell(first.formula), *cells))
    table = PaperTable(("Ratio", "Formula", *years), tuple(rows), words=(1,))
    note = "Each number cites the cells that it was worked out from. before(): the year before; mean(): of both years."
    return PaperSection("Ratios", tables=(table,), notes=(note,))


def _ratio(one: Computed) -> PaperCell:
    return PaperCell("not stated", tone="open") if one.value is None else PaperCell(_short(one), _cells(one))


def _figures(figures: Sequence[Figure], years: Sequence[str]) -> PaperSection:
    known = {(one.name, one.period): one for one in figures}
    rows: list[tuple[PaperCell, ...]] = []
    for name in dict.fromkeys(one.name for one in figures):
        cells = [
            PaperCell(f"{found.value / MILLION:,.1f}", (found.citation,))
            if (found := known.get((name, year)))
            else PaperCell("not stated", tone="open")
            for year in years
        ]
        rows.append((PaperCell(_titled(name)), *cells))
    return PaperSection("Figures, in millions of euros", tables=(PaperTable(("Figure", *years), tuple(rows)),))


def _open(figures: Sequence[Figure], ratios: Sequence[Computed], sums: Sequence[Computed]) -> list[PaperSection]:
    """What is missing, restated, or does not add up."""
    sentences = [Sentence(_why_not(one)) for one in ratios if one.value is None]
    for one in figures:
        if one.others:
            before = ", ".join(f"“{each.quote}”" for each in one.others)
            now = f"{one.value / MILLION:,.1f}"
            said = RESTATED.format(name=_titled(one.name), year=one.period, now=now, unit=one.unit, before=before)
            sentences.append(Sentence(said, (one.citation, *one.others)))
    for one in sums:
        if one.value is not None and not _adds_up(one):
            said = f"{one.title} of {one.period} does not add up: {shown(one)} are left over."
            sentences.append(Sentence(said, _cells(one)))
    return [PaperSection("What is missing or was restated", tuple(sentences))] if sentences else []


def _why_not(one: Computed) -> str:
    if not one.missing:
        return f"{one.title} of {one.period}: {one.note}"
    missing = ", ".join(name.replace("_", " ") for name in one.missing)
    return MISSING.format(title=one.title, year=one.period, missing=missing)


def _short(one: Computed) -> str:
    """A value without the name of its unit, where the place says it."""
    return shown(one).removesuffix(" million EUR")


def _adds_up(one: Computed) -> bool:
    return one.value is not None and abs(one.value) < MILLION / 10


def _millions(one: Figure) -> str:
    return f"{one.value / MILLION:,.1f} million {one.unit}"


def _titled(name: str) -> str:
    return name.replace("_", " ").capitalize()
