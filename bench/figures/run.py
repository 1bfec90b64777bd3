"""`python -m bench figures`: numbers and slots, each on a set that Rove was built on and on one that it was not."""

from __future__ import annotations

from bench.figures import numbers, slots
from bench.figures.outcomes import listed, table
from bench.report import Table, say

NUMBERS = (
    "A case is right where the value, its unit and the number of quantities are. Refused: nothing was read, or nothing "
    "that the reader is sure of. {which}"
)
SLOTS = (
    "Requests to twenty tools. Right: the tool and each argument, converted; or that what does not fit is asked back; "
    "or that no tool fits. Wrong: another call would run. Refused: it is asked back, or no tool is found, where a call "
    "was meant. {which}"
)
SEEN = "The code was written with these cases."
CLDR = "Written by CLDR (babel) and num2words, which share nothing with the reader's own data."
UNSEEN = "Written before the code, in other languages and domains, and looked at only at its end."


def run(*, wrong: bool) -> list[Table]:
    """Measure both kinds. `wrong`: list what was not right as well."""
    found: list[Table] = []
    parts = (
        ("Numbers, seen", numbers.seen, NUMBERS.format(which=SEEN)),
        ("Numbers, unseen", numbers.unseen, NUMBERS.format(which=CLDR)),
        ("Slots, seen", lambda: slots.run("seen"), SLOTS.format(which=SEEN)),
        ("Slots, unseen", lambda: slots.run("unseen"), SLOTS.format(which=UNSEEN)),
    )
    for title, measure, note in parts:
        say(f"figures: {title}")
        cases = list(measure())
        found.append(table(title, cases, note))
        if wrong:
            found.append(listed(f"{title}: not right", cases))
    return found
