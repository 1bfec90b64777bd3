"""Labels of fields and columns are no leads."""

from __future__ import annotations

import pytest

from rove.walk.field_labels import is_field_label, is_furniture

TEXT = """From: Ann Lee
To: Bo Ruud
**Status:** open
Dátum: 2025-01-06

| Site | Plant | Class |
|---|---|---|
| Brack creamery | two compressors | Cobalt |

Bo Ruud met Ann Lee at Brack creamery.
"""


@pytest.mark.parametrize("name", ["From", "To", "Status", "Dátum", "Site", "Plant", "Class"])
def test_labels_name_nothing_to_go_to(name: str) -> None:
    assert is_field_label(name, TEXT)
    assert is_furniture(name, f"the {name} of it", TEXT)


@pytest.mark.parametrize("name", ["Ann Lee", "Bo Ruud", "Brack creamery", "Cobalt"])
def test_what_stands_in_a_field_may_be_gone_to(name: str) -> None:
    assert not is_field_label(name, TEXT)
    assert not is_furniture(name, f"He met {name} there.", TEXT)
