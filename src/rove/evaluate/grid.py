"""A grid in TOML: factors with named choices, and the configurations that they make.

A choice is a set of settings, table by table, and of arguments of a search: `factors.size.small` may hold
`chunk = { size_chars = 256 }`, and `factors.mode.keyword` may hold `mode = "keyword"`. See `grids/starter.toml`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rove.errors import ConfigError, meant
from rove.evaluate.compare import Ties
from rove.evaluate.configuration import Configuration, Tree, check_keys, configuration

SHIPPED = Path(__file__).parent / "grids"
LABEL = "label"
METRICS = ("ndcg@10", "recall@10", "rr")
TOP_K = 10
MOST = 10_000
SLOT = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class FactorChoice:
    """One of a factor's choices: its name, what a report calls it, and what it sets."""

    name: str
    label: str
    given: Tree = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Factor:
    """What is varied. Where `when` does not hold (factor → names of choices) it stays at its first choice."""

    name: str
    choices: tuple[FactorChoice, ...]
    when: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])


@dataclass(frozen=True, slots=True)
class Grid:
    """Everything that a sweep runs. `configurations` come in the order of the factors, the last one varying fastest.

    `each_place` and `ties`: see `GridFile`.
    """

    name: str
    title: str
    about: str
    dataset: str
    metrics: tuple[str, ...]
    factors: tuple[Factor, ...]
    configurations: tuple[Configuration, ...]
    baseline: str
    each_place: bool = False
    ties: Ties = "mean"

    def label(self, factor: str, choice: str) -> str:
        """What a report calls a choice."""
        return next((c.label for f in self.factors if f.name == factor for c in f.choices if c.name == choice), choice)


class GridFile(BaseModel):
    """The file. `names` makes a configuration's name of its choices: "{size} {mode}"; by default all, in a row.

    `each_place`: a document that is found by several chunks has several places in a ranking, as in the study
    "Pawsitive Retrieval"; by default only its first counts. `ties`: configurations with the same value share the
    "mean" of their ranks, or each has the "best" of them, as in that study.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str = ""
    about: str = ""
    dataset: str = ""
    metrics: tuple[str, ...] = Field(default=METRICS, min_length=1)
    baseline: str | dict[str, str] = ""
    names: str = ""
    each_place: bool = False
    ties: Ties = "mean"
    common: dict[str, Any] = Field(default_factory=dict)
    factors: dict[str, dict[str, dict[str, Any]]] = Field(default_factory=dict)
    when: dict[str, dict[str, str | list[str]]] = Field(default_factory=dict)
    exclude: list[dict[str, str | list[str]]] = Field(default_factory=list[dict[str, str | list[str]]])


def read_grid(name: str | Path) -> Grid:
    """Read a grid from a file, or one that ships with Rove by its name ("starter", "forms", "pawsitive").

    Raises:
        ConfigError: there is no such grid, it is not TOML, or it holds a key, factor or value that cannot be.
    """
    path = Path(name)
    shipped = SHIPPED / f"{name}.toml"
    if not path.is_file() and path.name == str(name) and shipped.is_file():
        path = shipped
    if not path.is_file():
        names = ", ".join(sorted(file.stem for file in SHIPPED.glob("*.toml")))
        message = f"There is no grid {str(name)!r}."
        raise ConfigError(message, cure=f"Give a TOML file, or one that ships: {names}.")
    try:
        tree = tomllib.loads(path.read_text("utf-8"))
    except (ValueError, RecursionError) as error:  # not TOML, not UTF-8, or a number of 5,000 digits
        message = f"{path} is not valid TOML: {error}."
        raise ConfigError(message, cure="Correct the file.") from error
    return grid_of(tree, path.stem)


def grid_of(tree: Mapping[str, Any], name: str) -> Grid:
    """Make a grid of what its TOML says. Raises as `read_grid` does."""
    try:
        file = GridFile.model_validate(tree)
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
        message = f"Grid {name}: {problems}."
        known, wrong = tuple(GridFile.model_fields), (str(e["loc"][0]) for e in error.errors())
        near = next((meant(key, known) for key in wrong if key not in known), "")
        raise ConfigError(message, cure=f"{near}A grid has: {', '.join(known)}.") from error
    factors = tuple(_factor(factor, choices, file) for factor, choices in file.factors.items())
    _check_factor_names(factors, file, name)
    configurations = _configurations(factors, file)
    if not configurations:
        message = f"Grid {name}: nothing is left to run, every configuration is excluded."
        raise ConfigError(message, cure="Correct its exclude.")
    baseline = _baseline(configurations, file, name)
    return Grid(
        name,
        file.title or name,
        file.about,
        file.dataset,
        file.metrics,
        factors,
        configurations,
        baseline,
        file.each_place,
        file.ties,
    )


def merge_choices(parts: Sequence[tuple[str, Tree]]) -> dict[str, Any]:
    """Put together what several choices set. Lists add up, in order; anything else may be set by one choice only.

    Raises:
        ConfigError: two choices set the same key; the message names both.

    >>> a, b = {"where": ["x"], "chunk": {"size_chars": 9}}, {"where": ["y"], "chunk": {"merge": True}}
    >>> merge_choices([("a", a), ("b", b)])
    {'where': ['x', 'y'], 'chunk': {'size_chars': 9, 'merge': True}}
    """
    result: dict[str, Any] = {}
    owners: dict[str, str] = {}
    for owner, given in parts:
        _merge(result, given, owner, owners, "")
    return result


def _merge(into: dict[str, Any], given: Tree, owner: str, owners: dict[str, str], path: str) -> None:
    for key, value in given.items():
        place = f"{path}{key}"
        held = into.get(key)
        if isinstance(value, Mapping) and isinstance(held, dict):
            _merge(cast("dict[str, Any]", held), cast("Tree", value), owner, owners, f"{place}.")
        elif isinstance(value, list) and isinstance(held, list):
            into[key] = [*cast("list[Any]", held), *cast("list[Any]", value)]
        elif key in into:
            message = f"Both {owners.get(place, 'an earlier choice')} and {owner} set {place}."
            raise ConfigError(message, cure="Let one factor set it.")
        elif isinstance(value, Mapping):
            into[key] = {}
            _merge(cast("dict[str, Any]", into[key]), cast("Tree", value), owner, owners, f"{place}.")
        else:
            into[key] = value
            owners[place] = owner


def _overlay_tree(common: Tree, given: dict[str, Any]) -> dict[str, Any]:
    """What a configuration's choices set, over what is common to all; lists add up here too."""
    result = dict(common)
    for key, value in given.items():
        held = result.get(key)
        if isinstance(held, Mapping) and isinstance(value, Mapping):
            result[key] = _overlay_tree(cast("Tree", held), cast("dict[str, Any]", value))
        elif isinstance(held, list) and isinstance(value, list):
            result[key] = [*cast("list[Any]", held), *cast("list[Any]", value)]
        else:
            result[key] = value
    return result


def _factor(name: str, choices: Mapping[str, Mapping[str, Any]], file: GridFile) -> Factor:
    made: list[FactorChoice] = []
    for choice, given in choices.items():
        tree = {key: value for key, value in given.items() if key != LABEL}
        check_keys(tree, f"factors.{name}.{choice}")
        made.append(FactorChoice(choice, str(given.get(LABEL, choice)), tree))
    when = {factor: _several(names) for factor, names in file.when.get(name, {}).items()}
    return Factor(name, tuple(made), when)


def _several(names: str | list[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _check_factor_names(factors: Sequence[Factor], file: GridFile, name: str) -> None:
    """See that every factor and choice that is named exists."""
    check_keys(file.common, "common")
    known = {factor.name: {choice.name for choice in factor.choices} for factor in factors}
    named: list[tuple[str, str, tuple[str, ...]]] = [(f"when.{factor}", factor, ()) for factor in file.when]
    for where, tables in (("when", file.when.values()), ("exclude", file.exclude)):
        named += [(where, factor, _several(names)) for table in tables for factor, names in table.items()]
    if isinstance(file.baseline, dict):
        named += [("baseline", factor, (choice,)) for factor, choice in file.baseline.items()]
    for where, factor, choices in named:
        if factor not in known:
            message = f"Grid {name}, {where}: there is no factor {factor!r}."
            raise ConfigError(message, cure=f"Its factors are: {', '.join(known) or 'none'}.")
        for choice in choices:
            if choice not in known[factor]:
                message = f"Grid {name}, {where}: the factor {factor!r} has no choice {choice!r}."
                raise ConfigError(message, cure=f"It has: {', '.join(sorted(known[factor]))}.")
    if not all(known.values()):
        message = f"Grid {name}: a factor has no choices."
        raise ConfigError(message, cure="Give each at least one.")


def _configurations(factors: Sequence[Factor], file: GridFile) -> tuple[Configuration, ...]:
    count = 1
    for factor in factors:
        count *= len(factor.choices)
    if count > MOST:
        message = f"The grid has {count} configurations; {MOST} is the most."
        raise ConfigError(message, cure="Take factors or choices away, or make two grids of it.")
    found: dict[str, Configuration] = {}
    seen: set[tuple[str, ...]] = set()
    for chosen in product(*(factor.choices for factor in factors)):
        settled = _reset_inactive_factors(factors, dict(zip((factor.name for factor in factors), chosen, strict=True)))
        names = {factor: choice.name for factor, choice in settled.items()}
        key = tuple(names.values())
        if key in seen or any(all(names[f] in _several(c) for f, c in out.items()) for out in file.exclude if out):
            continue
        seen.add(key)
        given = merge_choices([(f"{factor} {choice.name}", choice.given) for factor, choice in settled.items()])
        name = _configuration_name(file.names, names)
        if name in found:
            message = f"Two configurations are named {name!r}."
            raise ConfigError(message, cure="Let the grid's names hold every factor.")
        made = _overlay_tree({"top_k": TOP_K, **file.common}, given)
        found[name] = configuration(name, names, made)
    return tuple(found.values())


def _reset_inactive_factors(factors: Sequence[Factor], chosen: dict[str, FactorChoice]) -> dict[str, FactorChoice]:
    """Put factors whose condition does not hold back to their first choice."""
    settled = dict(chosen)
    for factor in factors:
        if any(settled[other].name not in names for other, names in factor.when.items()):
            settled[factor.name] = factor.choices[0]
    return settled


def _configuration_name(pattern: str, names: Mapping[str, str]) -> str:
    if not pattern:
        return " ".join(names.values()) or "default"
    slots = SLOT.findall(pattern)
    unknown = [slot for slot in slots if slot not in names]
    if unknown:
        message = f"names = {pattern!r}: there is no factor {unknown[0]!r}."
        raise ConfigError(message, cure=f"{meant(unknown[0], names)}Name factors in braces: {', '.join(names)}.")
    return SLOT.sub(lambda found: names[found[1]], pattern)


def _baseline(configurations: Sequence[Configuration], file: GridFile, name: str) -> str:
    if not file.baseline:
        return configurations[0].name
    for made in configurations:
        if made.name == file.baseline or (
            isinstance(file.baseline, dict) and file.baseline.items() <= made.choices.items()
        ):
            return made.name
    message = f"Grid {name}: there is no configuration {file.baseline!r}, which is to be the baseline."
    raise ConfigError(message, cure=f"Choose one of: {', '.join(c.name for c in configurations[:20])} ….")
