"""Of a wide table the columns that a question means are shown, in any language, within the budget."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from rove import Rove
from rove.load.discover import schema_location

# fmt: off
COLUMNS = [
    "emp_no", "first_name", "last_name", "birth_date", "birth_place", "nationality", "marital_status", "home_phone",
    "mobile_phone", "street", "city", "postal_code", "country", "iban", "tax_number", "social_security_no",
    "passport_no", "document_expiry", "visa_until", "hire_date", "contract_end", "probation_until", "job_title",
    "grade", "cost_centre", "department_code", "supervisor_no", "site_code", "desk_no", "weekly_hours",
    "annual_leave_days", "sick_days_ytd", "base_salary", "currency", "bonus_target", "pension_scheme",
    "emergency_contact", "shoe_size", "locker_no", "badge_no", "access_level", "training_due", "forklift_licence",
    "remote_days", "notes",
]
# fmt: on
BUDGET = 250


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rove]:
    path = tmp_path_factory.mktemp("db") / "hr.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute(f"CREATE TABLE personnel ({', '.join(f'{name} TEXT' for name in COLUMNS)})")
    connection.close()
    with Rove.open(tmp_path_factory.mktemp("kb")) as kb:
        kb.add(schema_location(f"sqlite:///{path}"))
        yield kb


@pytest.mark.parametrize(
    ("question", "column"),
    [
        ("When does the passport expire?", "document_expiry"),
        ("How much does she earn?", "base_salary"),
        ("Wann endet der Vertrag?", "contract_end"),
        ("Mikor jár le a vízum?", "visa_until"),
        ("工资是多少？", "base_salary"),
        ("生年月日はいつですか？", "birth_date"),
        ("Which locker does he use?", "locker_no"),
    ],
)
def test_the_column_that_is_meant_is_shown(kb: Rove, question: str, column: str) -> None:
    part = kb.schema(question, budget_tokens=BUDGET)
    assert f"  {column} " in part.text
    assert part.tokens <= BUDGET
    assert "more columns" in part.text
