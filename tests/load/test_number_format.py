from __future__ import annotations

import pytest

from rove.load.sheets.number_format import format_value


@pytest.mark.parametrize(
    ("value", "code", "text"),
    [
        (0.256, "0.0%", "25.6%"),
        (2.25, "#,##0.0", "2.3"),
        (-1234.5, '#,##0.00 "Ft"', "-1,234.50 Ft"),
        (1234567, '#,##0.0,, "Mio."', "1.2 Mio."),
        (-5, r"#,##0_);[Red]\(#,##0\)", "(5)"),
        (0, '0;-0;"–"', "–"),
        (3.5, "[$€-407] #,##0.00", "€ 3.50"),
        (-1234, r'_-* #,##0.00\ "€"_-;\-* #,##0.00\ "€"_-', "-1,234.00 €"),
        (7, "00000", "00007"),
        (3, '0" Stück"', "3 Stück"),
        (12345, "0.00E+00", "1.23E+4"),
        (0.5, "# ?/?", "0.5"),
        (5551234, r"[<=9999999]###\-####;\(###\)\ ###\-####", "5551234"),
        (45382, "dd.mm.yyyy", "2024-03-31"),
        (45382, r"[$-F800]dddd\,\ mmmm\ dd\,\ yyyy", "2024-03-31"),
        (45382, 'yyyy"年"m"月"d"日"', "2024-03-31"),
        (45382, "mmm-yy", "2024-03"),
        (45382.6, "yyyy-mm-dd hh:mm:ss", "2024-03-31 14:24:00"),
        (0.5, "h:mm AM/PM", "12:00"),
        (1.5, "[h]:mm", "36:00"),
        (-1, "yyyy", "-1"),
        (4012345678901, "General", "4012345678901"),
        (0.1 + 0.2, "", "0.3"),
        (1e300, "#,##0", "1e+300"),
        (float("inf"), "0", "inf"),
    ],
)
def test_a_number_is_shown_as_its_format_says(value: float, code: str, text: str) -> None:
    assert format_value(value, code) == text


def test_the_epoch_of_old_macs() -> None:
    assert format_value(0, "yyyy-mm-dd", epoch_1904=True) == "1904-01-01"


@pytest.mark.parametrize(
    "code", ["[" * 400, '"' * 399, "0" * 600, ";" * 500, "\\", "_", "*", "[>x]0", "##,,,,,,%%%%%%%"]
)
def test_no_code_is_an_error(code: str) -> None:
    assert isinstance(format_value(1.5, code), str)
    assert isinstance(format_value(-1.5, code), str)
