"""What a walk may use up: rounds, calls, tokens, seconds, money; what it has, and which of them is at its end."""

from __future__ import annotations

from dataclasses import asdict, replace

from rove.models.usage import Usage
from rove.records import Note
from rove.records.walk_events import Budget, Spent, Stop

ANSWER_CALLS = 1
"""Calls that are kept back for the answer, which a model writes too."""


def stop_reason(stop: Stop, budget: Budget, language: str, problem: str = "") -> str:
    """Return the reason in a sentence.

    >>> stop_reason("rounds", Budget(rounds=3), "en")
    'The budget of 3 rounds is used up.'
    """
    return Note(f"stop-{stop}", {**asdict(budget), "problem": problem}).text(language)


def price(usage: Usage, price_input: float, price_output: float) -> float:
    """Return what tokens cost; prices are per million tokens.

    >>> price(Usage(1, 500_000, 100_000), 1.0, 5.0)
    1.0
    """
    return (usage.input_tokens * price_input + usage.output_tokens * price_output) / 1_000_000


def plus(spent: Spent, usage: Usage, seconds: float, money: float) -> Spent:
    """Return what was spent before and now.

    >>> plus(Spent(rounds=1), Usage(2, 10, 5), 0.5, 0.0)
    Spent(rounds=1, calls=2, tokens=15, seconds=0.5, money=0.0)
    """
    return replace(
        spent,
        calls=spent.calls + usage.requests,
        tokens=spent.tokens + usage.input_tokens + usage.output_tokens,
        seconds=round(spent.seconds + seconds, 4),
        money=spent.money + money,
    )


def exhausted(spent: Spent, budget: Budget, *, next_tokens: int = 0) -> Stop | None:
    """Say which part of the budget lets no more be read; None where all do. 0 in the budget is without a bound.

    Rounds are not looked at: a round that has begun is finished. `next_tokens`: what the next call will read.

    >>> exhausted(Spent(calls=3), Budget(calls=4)), exhausted(Spent(calls=2), Budget(calls=4))
    ('calls', None)
    """
    if budget.seconds and spent.seconds >= budget.seconds:
        return "seconds"
    if budget.calls and spent.calls + ANSWER_CALLS >= budget.calls and spent.calls:
        return "calls"
    if budget.tokens and spent.tokens + next_tokens >= budget.tokens:
        return "tokens"
    if budget.money and spent.money >= budget.money:
        return "money"
    return None


def extended(budget: Budget, spent: Spent, rounds: int) -> Budget:
    """Return a budget for so many rounds more than were gone; of each other bound at least half is left then.

    >>> extended(Budget(rounds=4, calls=0, tokens=0, seconds=120.0), Spent(rounds=2, seconds=110.0), 3)
    Budget(rounds=5, calls=0, tokens=0, seconds=170.0, money=0.0)
    """
    return Budget(
        spent.rounds + rounds if budget.rounds else 0,
        max(budget.calls, spent.calls + budget.calls // 2) if budget.calls else 0,
        max(budget.tokens, spent.tokens + budget.tokens // 2) if budget.tokens else 0,
        max(budget.seconds, spent.seconds + budget.seconds / 2) if budget.seconds else 0.0,
        max(budget.money, spent.money + budget.money / 2) if budget.money else 0.0,
    )


def may_call(spent: Spent, budget: Budget) -> bool:
    """Say whether one more call of a model, the one for the answer, is within the budget."""
    calls = not budget.calls or spent.calls < budget.calls
    tokens = not budget.tokens or spent.tokens < budget.tokens
    return calls and tokens and (not budget.money or spent.money < budget.money) and seconds_left(spent, budget) > 0


def seconds_left(spent: Spent, budget: Budget) -> float:
    """Return the seconds that are left; infinite where they have no bound."""
    return budget.seconds - spent.seconds if budget.seconds else float("inf")
