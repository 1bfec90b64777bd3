"""Calendars (iCalendar) and contact cards (vCard): each event, task and person as a section with its facts.

Sources: RFC 5545 and RFC 6350. Both are lines of "NAME;PARAMETER=VALUE:value", long ones folded.
"""

from __future__ import annotations

import quopri
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from rove.load.markdown import markdown_sections
from rove.load.text import clean, decode, identify, require_text, stem
from rove.records import Document, Source

FOLD = re.compile(r"\n[ \t]")
LINE = re.compile(r"(?:[\w-]+\.)?([\w-]+)((?:;[\w-]+(?:=(?:\"[^\"\n]*\"|[^;:\"\n]*))?)*):(.*)")
PARAMETER = re.compile(r";([\w-]+)(?:=(\"[^\"]*\"|[^;:\"]*))?")
ESCAPED = re.compile(r"\\([\\;,nN])")
TIME = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)(?:T(\d\d):?(\d\d)(?::?\d\d)?(Z?))?")
SHOWN = {"VEVENT", "VTODO", "VJOURNAL", "VCARD"}
FACTS = {
    "LOCATION": "Where", "ORGANIZER": "Organizer", "ATTENDEE": "Attendee", "CONTACT": "Contact", "STATUS": "Status",
    "PRIORITY": "Priority", "PERCENT-COMPLETE": "Percent done", "CATEGORIES": "Categories", "RESOURCES": "Resources",
    "URL": "Link", "ORG": "Organization", "TITLE": "Position", "ROLE": "Role", "TEL": "Telephone", "EMAIL": "E-mail",
    "ADR": "Address", "BDAY": "Birthday", "ANNIVERSARY": "Anniversary", "NICKNAME": "Nickname", "IMPP": "Messenger",
    "ATTACH": "Attached",
}  # fmt: skip
DATES = {"DUE": "Due", "COMPLETED": "Completed", "EXDATE": "Not on"}
TEXTS = ("DESCRIPTION", "COMMENT", "NOTE")
REPEATS = {"YEARLY": "every year", "MONTHLY": "every month", "WEEKLY": "every week", "DAILY": "every day"}
UNITS = {"YEARLY": "years", "MONTHLY": "months", "WEEKLY": "weeks", "DAILY": "days"}
DAYS = {"MO": "Monday", "TU": "Tuesday", "WE": "Wednesday", "TH": "Thursday", "FR": "Friday", "SA": "Saturday",
        "SU": "Sunday"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class CalendarLine:
    """One line: a name, its parameters, and the value as it stands."""

    name: str
    parameters: dict[str, str]
    value: str


@dataclass(slots=True)
class Component:
    """An event, a task, a card: the lines between BEGIN and END."""

    kind: str
    lines: list[CalendarLine] = field(default_factory=list[CalendarLine])

    def first(self, name: str) -> CalendarLine | None:
        """Return the first line of that name."""
        return next((line for line in self.lines if line.name == name), None)


class CalendarLoader:
    """See `Loader`. Alarms, time zones and pictures are left out."""

    def load(self, source: Source) -> Iterator[Document]:
        """See `Loader.load`."""
        text = require_text(decode(source.data), source)
        name, components = _components(text)
        parts = [f"# {name}"] if name else []
        parts += [_component_section(one) for one in components]
        written = clean("\n\n".join(parts)) if components else text
        yield Document(
            document_id=identify(source),
            source=source.uri,
            kind=source.kind,
            text=require_text(written, source),
            title=name or stem(source),
            sections=markdown_sections(written, setext=False),
        )


def _components(text: str) -> tuple[str, list[Component]]:
    """Return the calendar's name, and its events, tasks and cards in order."""
    name = ""
    found: list[Component] = []
    opened: list[Component] = []
    for raw in _unfold_calendar_lines(text):
        match = LINE.fullmatch(raw)
        if match is None:
            continue
        line = CalendarLine(match[1].upper(), _parse_calendar_parameters(match[2]), match[3])
        if line.name == "BEGIN":
            opened.append(Component(line.value.strip().upper()))
            if opened[-1].kind in SHOWN:
                found.append(opened[-1])
        elif line.name == "END":
            opened = opened[:-1]
        elif line.name == "X-WR-CALNAME":
            name = " ".join(_decode_calendar_value(line).split())
        elif opened:
            opened[-1].lines.append(line)
    return name, found


def _unfold_calendar_lines(text: str) -> Iterator[str]:
    """Yield the lines, unfolded; in quoted-printable a line goes on after "=" at its end."""
    begun: list[str] = []
    for raw in FOLD.sub("", text).split("\n"):
        is_quoted = begun or "QUOTED-PRINTABLE" in raw.upper()
        if is_quoted and raw.endswith("="):
            begun.append(raw[:-1])
        else:
            yield "".join([*begun, raw])
            begun = []
    if begun:
        yield "".join(begun)


def _parse_calendar_parameters(text: str) -> dict[str, str]:
    """The parameters by name; of one that stands several times, as TYPE does, all values."""
    found: dict[str, str] = {}
    for name, value in PARAMETER.findall(text):
        value = value.strip('"') or name  # noqa: PLW2901 - vCard 2.1 says "TEL;WORK" for "TEL;TYPE=WORK"
        key = name.upper() if value != name else "TYPE"
        found[key] = f"{found[key]}, {value}" if key in found else value
    return found


def _decode_calendar_value(line: CalendarLine) -> str:
    value = line.value
    if line.parameters.get("ENCODING", "").upper() == "QUOTED-PRINTABLE":
        data = quopri.decodestring(value.encode())
        value = data.decode(line.parameters.get("CHARSET", "utf-8"), "replace")
    return ESCAPED.sub(lambda found: "\n" if found[1] in "nN" else found[1], value)


def _component_section(component: Component) -> str:
    title = component.first("SUMMARY") or component.first("FN")
    name = component.first("N")
    words = (
        _decode_calendar_value(title) if title else " ".join(_split_structured_value(name, ";")[1::-1]) if name else ""
    )
    facts: list[str] = []
    if when := _component_time_range(component):
        facts.append(f"- When: {when}")
    for line in component.lines:
        if line.name in DATES:
            shown = ", ".join(_moment(one, line) for one in line.value.split(","))
            facts.append(f"- {DATES[line.name]}: {shown}")
        elif line.name == "RRULE":
            facts.append(f"- Repeats: {_repeats(line.value)}")
        elif line.name in FACTS and (said := _calendar_fact_text(line)):
            facts.append(f"- {FACTS[line.name]}: {said}")
    texts = [_decode_calendar_value(line).strip() for line in component.lines if line.name in TEXTS]
    heading = f"## {' '.join(words.split()) or component.kind.removeprefix('V').capitalize()}"
    return "\n\n".join(part for part in (heading, "\n".join(facts), *texts) if part)


def _calendar_fact_text(line: CalendarLine) -> str:
    if line.name in ("ADR", "ORG"):
        return ", ".join(part for part in _split_structured_value(line, ";") if part.strip())
    value = " ".join(_decode_calendar_value(line).split())
    if line.value.startswith("data:") or line.parameters.get("ENCODING", "").upper() in ("B", "BASE64"):
        return ""
    if line.name in ("ORGANIZER", "ATTENDEE"):
        address = re.sub("^mailto:", "", value, flags=re.IGNORECASE)
        person = line.parameters.get("CN", "")
        answer = line.parameters.get("PARTSTAT", "").lower()
        value = f"{person} <{address}>" if person else address
        return f"{value} ({answer})" if answer and answer != "needs-action" else value
    if line.name in ("BDAY", "ANNIVERSARY"):
        return _moment(value, line)
    kind = line.parameters.get("TYPE", "").lower() if line.name in ("TEL", "EMAIL") else ""
    return f"{value.removeprefix('tel:')} ({kind})" if kind else value


def _split_structured_value(line: CalendarLine, mark: str) -> list[str]:
    """The parts of a structured value, unescaped."""
    parts = re.split(rf"(?<!\\){mark}", line.value)
    return [" ".join(_decode_calendar_value(CalendarLine(line.name, line.parameters, part)).split()) for part in parts]


def _component_time_range(component: Component) -> str:
    start, end, lasts = component.first("DTSTART"), component.first("DTEND"), component.first("DURATION")
    if start is None:
        return ""
    begins = _moment(start.value, start)
    if end is None:
        return f"{begins}, for {lasts.value.removeprefix('P').replace('T', ' ').strip().lower()}" if lasts else begins
    ends = _moment(end.value, end)
    found = TIME.match(end.value)
    if found and not found[4]:  # the end of whole days is the day after
        ends = _day_before(found)
    if ends == begins:
        return begins
    same_day = begins[:10] == ends[:10]
    return f"{begins} to {ends[11:] if same_day else ends}"


def _day_before(found: Sequence[str] | re.Match[str]) -> str:
    try:
        return (date(int(found[1]), int(found[2]), int(found[3])) - timedelta(days=1)).isoformat()
    except (ValueError, OverflowError):
        return f"{found[1]}-{found[2]}-{found[3]}"


def _moment(value: str, line: CalendarLine) -> str:
    """A date or time as people read it: "2026-04-12 08:00 UTC"; what is none stays as it is."""
    found = TIME.match(value.strip())
    if found is None:
        return " ".join(value.split())
    day = f"{found[1]}-{found[2]}-{found[3]}"
    zone = "UTC" if found[6] else line.parameters.get("TZID", "")
    return f"{day} {found[4]}:{found[5]} {zone}".strip() if found[4] else day


def _repeats(rule: str) -> str:
    parts = dict(part.split("=", 1) for part in rule.upper().split(";") if "=" in part)
    kind, each = parts.get("FREQ", ""), parts.get("INTERVAL", "1")
    words = [f"every {each} {UNITS[kind]}" if each != "1" and kind in UNITS else REPEATS.get(kind, kind.lower())]
    if days := [DAYS.get(day[-2:], day) for day in parts.get("BYDAY", "").split(",") if day]:
        words.append(f"on {', '.join(days)}")
    if count := parts.get("COUNT", ""):
        words.append(f"{count} times")
    if until := TIME.match(parts.get("UNTIL", "")):
        words.append(f"until {until[1]}-{until[2]}-{until[3]}")
    return " ".join(words)
