"""How candidates for the root cause are ranked, without a model: every number of a score can be looked up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from examples.alarms.findings import Cause, Checked, Event, Past, Plan, State

OF_STATE: Mapping[State, float] = {"confirmed": 1.0, "unknown": 0.3, "refuted": 0.0}
LINK, MAYBE_LINK = 0.4, 0.8
"""A cause that a confirmed event leads to is a link of the chain, and no root; one that an unknown event leads to may
be."""
LATE = 0.5
ENOUGH = 0.25
"""A cause that scores less is not named as the root."""
OF_EFFECTS = 0.5
"""What it counts that what a cause leads to has taken place: a release without any effect is a coincidence."""
OF_PAST = 0.2
"""What past reviews count beside what the tools say now."""


def ranked(plan: Plan, checked: Sequence[Checked], reviews: Sequence[Past]) -> tuple[Cause, ...]:
    """Rank everything that leads to the event.

    score = state × on the path × (0.5 + 0.5 × effects) × first × in time × (0.8 + 0.2 × before): whether its own check
    confirms it; how many of the events from it to the alarm are confirmed; how many of those that it leads to at once
    are; whether nothing that is confirmed leads to it; whether it began before the alarm; and the share of past reviews
    of this event with this cause.
    """
    found = {one.check.event.code: one for one in checked}
    alike = [one for one in reviews if one.event == plan.event.code]
    causes = [_cause(event, plan, found, alike) for event in plan.events if event.code != plan.event.code]
    return tuple(sorted(causes, key=lambda one: (-one.score, one.state != "confirmed", one.event.code)))


def _cause(event: Event, plan: Plan, found: Mapping[str, Checked], alike: Sequence[Past]) -> Cause:
    path = max(_paths(plan, event.code, ()), key=lambda one: (_share(one, found), len(one)), default=(event.code,))
    above = [found[one.source].state for one in plan.edges if one.target == event.code and one.source in found]
    first = LINK if "confirmed" in above else MAYBE_LINK if "unknown" in above else 1.0
    mine, alarm = found[event.code].since, found[plan.event.code].since
    in_time = LATE if mine and alarm and mine > alarm else 1.0
    before = sum(one.cause == event.code for one in alike) / len(alike) if alike else 0.0
    state, on_path = found[event.code].state, _share(path, found)
    below = [found[one.target].state for one in plan.edges if one.source == event.code and one.target in found]
    known = [one == "confirmed" for one in below if one != "unknown"]
    effects = sum(known) / len(known) if known else 0.0
    weight = OF_STATE[state] * on_path * (1 - OF_EFFECTS + OF_EFFECTS * effects)
    score = weight * first * in_time * (1 - OF_PAST + OF_PAST * before)
    return Cause(event, round(score, 4), state, path, on_path, effects, first, in_time, before)


def _paths(plan: Plan, code: str, before: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Every way from an event to the alarm's, without going round."""
    way = (*before, code)
    if code == plan.event.code:
        return [way]
    targets = [one.target for one in plan.edges if one.source == code and one.target not in way]
    return [path for target in targets for path in _paths(plan, target, way)]


def _share(path: Sequence[str], found: Mapping[str, Checked]) -> float:
    after = path[1:]
    return sum(found[one].state == "confirmed" for one in after if one in found) / len(after) if after else 0.0
