"""`rove settings`: every setting, its value, where the value comes from, and what it means."""

from __future__ import annotations

import json

from rove.cli.session import Session
from rove.errors import InputError, meant
from rove.settings.origins import SettingInForce, settings_in_force


def settings(session: Session, names: tuple[str, ...]) -> None:
    """Run `rove settings`."""
    every = settings_in_force(session.location, **session.settings)
    shown = [one for one in every if not names or {one.name, one.name.partition(".")[0]} & set(names)]
    unknown = [name for name in names if not any(name in (one.name, one.name.partition(".")[0]) for one in every)]
    if unknown:
        message = f"There is no setting {unknown[0]!r}."
        names_of_all = [one.name for one in every] + [one.name.partition(".")[0] for one in every]
        raise InputError(message, cure=f"{meant(unknown[0], names_of_all)}List them all with: rove settings")
    if session.output.as_json:
        session.output.json(shown)
    elif session.output.terminal:
        for one in shown:
            session.output.line(f"{one.name} = {_setting_value_json(one)}  ({one.origin})", style="bold")
            session.output.line(f"    {one.meaning}")
    else:
        session.output.table((), [(one.name, _setting_value_json(one), one.origin, one.meaning) for one in shown])


def _setting_value_json(one: SettingInForce) -> str:
    return json.dumps(one.value, ensure_ascii=False)
